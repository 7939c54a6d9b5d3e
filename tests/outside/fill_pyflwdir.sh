#!/bin/sh
# Pools filled to the brim on a real DEM have the surface that pyflwdir's filling gives.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/venv.sh pyflwdir rasterio pyflwdir) || {
    echo "SKIP fill_pyflwdir: $python"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
dem=tests/data/bigtujunga_srtm30m_utm11.tif
cargo run --quiet --example filled -- "$dem" "$folder/filled.tif"
"$python" tests/outside/fill_pyflwdir.py "$dem" "$folder/filled.tif"
