#!/bin/sh
# rasterio reads a ramp written by the geotiff crate: the right values at the right coordinates.
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
