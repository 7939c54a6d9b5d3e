#!/bin/sh
# rasterio reads a ramp written by the geotiff crate, and rasters that it wrote itself after the program has read them: the
# right values at the right coordinates.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/venv.sh rasterio rasterio) || {
    echo "SKIP rasterio_ramp: $python"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cargo run --quiet -p thalweg-geotiff --example ramp -- "$folder/ramp.tif" 300 700
cargo run --quiet -p thalweg-geotiff --example ramp -- "$folder/small.tif" 3 5
"$python" tests/outside/rasterio_ramp.py "$folder/ramp.tif" 300 700
"$python" tests/outside/rasterio_ramp.py "$folder/small.tif" 3 5

"$python" tests/outside/rasterio_inputs.py make "$folder"
cat >"$folder/read.yaml" <<END
thalweg: 1
name: read
seed: 1
stages:
  - read: { id: base, path: utm-north_up-int16.tif }
outputs:
  - { layer: elevation, path: dem.tif }
END
cargo build --quiet --release
for file in "$folder"/*-*_up-*.tif; do
    "${CARGO_TARGET_DIR:-target}/release/thalweg" run "$folder/read.yaml" --set "read.base.path=$file" \
        --out "${file%.tif}" --quiet
done
"$python" tests/outside/rasterio_inputs.py check "$folder"
