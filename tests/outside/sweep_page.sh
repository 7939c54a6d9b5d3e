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
cargo build --quiet
thalweg=${CARGO_TARGET_DIR:-target}/debug/thalweg
# Two members fail, so that their cards are seen too.
THALWEG_TEST_MEMBER=7=panic,9=ledger "$thalweg" sweep pipelines/quickstart.yaml --seeds 1..200 --out "$folder/sweep" --quiet \
    --set grid.rows=64 --set grid.cols=80 --set erode.rivers.cycles=5 --rank relief_m || [ $? = 7 ]
"$python" tests/outside/sweep_page.py "$folder/sweep/index.html" "$folder/page.png" $axe
