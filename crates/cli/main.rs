//! The `thalweg` binary; everything it does is in `thalweg_cli`.

fn main() -> std::process::ExitCode {
    thalweg_cli::main()
}
