#!/bin/sh
# The page of a sweep of 200 members in headless Chromium, from disk; with axe-core where npm brings it.
set -eu
cd "$(dirname "$0")/../.."
command -v chromium >/dev/null 2>&1 || {
    echo "SKIP sweep_page: there is no chromium (Debian: apt-get install chromium)"
    exit 77
}
python=$(scripts/venv.sh playwright playwright) || {
    echo "SKIP sweep_page: $python"
    exit 77
}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
axe=""
if (cd "$folder" && npm install --silent --no-audit --no-fund axe-core >/dev/null 2>&1); then
    axe=$folder/node_modules/axe-core/axe.min.js
else
    echo "axe-core cannot be had: accessibility is not checked"
fi
# As tests are built: members take a fraction of a second each.
cargo build --quiet --profile test
thalweg=${CARGO_TARGET_DIR:-target}/debug/thalweg
cat >"$folder/small.yaml" <<'END'
thalweg: 1
name: small
grid: { rows: 64, cols: 80, cell_size_m: 20 }
stages:
  - synthesize: { id: base, elevation_m: [0, 600], noise: { fbm: { wavelength_m: 900, octaves: 6 } } }
  - erode: { id: rivers, droplets_per_cell: 0.3, cycles: 5, pools: {}, vegetation: {} }
outputs:
  - { layer: elevation, path: dem.tif }
  - { layer: stream, path: stream.tif }
  - { layer: pool_depth, path: pool_depth.tif }
  - { layer: vegetation, path: vegetation.tif }
END
# Two members fail, so that their cards are seen too.
THALWEG_TEST_MEMBER=7=panic,9=ledger "$thalweg" sweep "$folder/small.yaml" --seeds 1..200 --out "$folder/sweep" --quiet \
    --rank relief_m || [ $? = 7 ]
"$python" tests/outside/sweep_page.py "$folder/sweep/index.html" "$folder/page.png" $axe
