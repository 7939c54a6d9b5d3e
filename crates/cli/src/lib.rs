//! The thalweg command line.

/// Runs the program with the process's arguments.
pub fn main() -> std::process::ExitCode {
    std::process::ExitCode::SUCCESS
}
