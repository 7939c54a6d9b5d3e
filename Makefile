# Two commands on a fresh machine with Rust and a C compiler: `make demo`, `make test`.

target := $(or $(CARGO_TARGET_DIR),target)
demo   := out/demo

.PHONY: help setup setup-test demo test test-full fmt clippy doc bench

help:
	@echo "make demo       install GDAL where it is missing, build, make a small eroded map"
	@echo "make test       install likewise; format, lints, tests, documentation"
	@echo "make test-full  make test, and the long checks and outside judges"
	@echo "make bench      time synthesis and the engine"
	@echo "make fmt | clippy | doc | setup"

setup:
	@scripts/setup.sh

setup-test:
	@scripts/setup.sh test

# Into a folder of its own, so that running it again replaces the demo's results and no others.
demo: setup
	cargo build --release
	$(target)/release/thalweg run pipelines/quickstart.yaml --out $(demo) --overwrite
	@echo
	@echo "The results are in $(demo):"
	@ls -1 $(demo) | sed 's/^/    /'
	@echo "Look at the hillshade in any image viewer:    xdg-open $(demo)/hillshade.png"
	@echo "Open the GeoTIFFs in QGIS, or ask GDAL:       gdalinfo $(demo)/dem.tif"
	@echo "What the run did is in $(demo)/run.json. Change pipelines/quickstart.yaml and run"
	@echo "    $(target)/release/thalweg run pipelines/quickstart.yaml"

test: setup-test
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test --workspace
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --workspace

test-full: test
	cargo test -p thalweg-erosion --test seams --test oracle -- --ignored
	cargo test -p thalweg-flow --test size -- --ignored
	cargo test -p thalweg-geotiff --test geotiff -- --ignored four_gibibytes
	cargo test -p thalweg-noise -- --ignored
	cargo test -p thalweg --test integration -- --ignored ledgers
	cargo test -p thalweg --test integration -- --ignored resume
	cargo test -p thalweg --test integration -- --ignored sweep
	tests/outside/run.sh

fmt:
	cargo fmt --all

clippy: setup
	cargo clippy --workspace --all-targets -- -D warnings

doc: setup
	RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --workspace

bench: setup
	cargo bench
