#!/bin/sh
# One pipeline makes the same landscape on cells of 80 to 10 m: three cuts of real ground, up to four seeds.
set -eu
cd "$(dirname "$0")/../.."
if ! command -v gdal_translate >/dev/null; then
    echo "SKIP resolution: needs gdal_translate"
    exit 77
fi
cargo test --quiet -p thalweg-erosion --test resolution -- --ignored --nocapture --test-threads 1
