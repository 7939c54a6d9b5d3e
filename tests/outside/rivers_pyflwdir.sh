#!/bin/sh
# Rivers and basins of a real DEM are those that pyflwdir finds.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/venv.sh pyflwdir rasterio pyflwdir) || {
    echo "SKIP rivers_pyflwdir: $python"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
dem=$PWD/tests/data/bigtujunga_srtm30m_utm11.tif
cat >"$folder/rivers.yaml" <<END
thalweg: 1
name: rivers
seed: 1
stages:
  - read: { id: base, path: "$dem" }
outputs:
  - { vectors: { river_area_km2: 1, layers: [rivers] }, path: rivers.geojson }
  - { vectors: { river_area_km2: 0.01, layers: [basins] }, path: basins.geojson }
END
cargo run --quiet -- run --quiet "$folder/rivers.yaml" --out "$folder/out"
"$python" tests/outside/rivers_pyflwdir.py "$dem" "$folder/out/rivers.geojson" "$folder/out/basins.geojson" 1
