#!/bin/sh
# rio-cogeo and GDAL's own script call every raster of a run a cloud-optimised GeoTIFF, without a warning; a plain
# GeoTIFF with overviews added later is called none, by both.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/venv.sh cogeo rio-cogeo) || {
    echo "SKIP cog: $python"
    exit 77
}
rio="$(dirname "$python")/rio"
gdal=""
for candidate in /usr/bin/python3 python3; do
    "$candidate" -c "import osgeo_utils" 2>/dev/null && gdal=$candidate && break
done
[ -n "$gdal" ] || echo "SKIP cog (GDAL's script): GDAL's Python scripts are not installed (Debian: python3-gdal)"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

by_cogeo() { "$rio" cogeo validate --strict "$1" 2>&1 | grep "is a valid cloud optimized GeoTIFF"; }
by_gdal() {
    [ -z "$gdal" ] ||
        "$gdal" -m osgeo_utils.samples.validate_cloud_optimized_geotiff --full-check=yes "$1"
}

# Larger than a tile, so that there are overviews, and not square.
{
    echo "thalweg: 1"
    echo "name: cog"
    echo "seed: 3"
    echo "grid: { rows: 1300, cols: 700, cell_size_m: 10, crs: EPSG:32633, origin_m: [500000, 5200000] }"
    echo "stages:"
    echo "  - synthesize: { id: base, elevation_m: [-50, 600], noise: { fbm: { wavelength_m: 4000, octaves: 8 } } }"
    echo "  - erode: { id: rivers, droplets_per_cell: 0.02, cycles: 5, pools: {}, vegetation: {} }"
    echo "outputs:"
    for layer in elevation change stream discharge pool_depth water_level lake_id vegetation; do
        echo "  - { layer: $layer, path: $layer.tif }"
    done
    echo "  - { layer: elevation, path: none.tif, compress: none }"
    echo "  - { layer: elevation, path: zstd.tif, compress: zstd }"
    echo "  - { layer: elevation, path: lerc.tif, compress: lerc, max_error: 0.05 }"
    echo "  - { layer: elevation, path: steps.tif, step_m: 0.1 }"
    echo "  - { layer: elevation, path: options.tif, options: { BLOCKSIZE: 256, LEVEL: 9 } }"
    echo "  - { picture: { shade: {} }, path: picture.tif }"
    echo "  - { layer: elevation, path: late.tif, format: gtiff }"
} >"$folder/cog.yaml"
{
    sed -n '1,/^grid/p' "$folder/cog.yaml"
    echo "stages:"
    echo "  - synthesize: { id: base, elevation_m: [0, 1], noise: { perlin: { wavelength_m: 900, evolution: { change_s: 2, loop_s: 4 } } } }"
    echo "outputs:"
    echo "  - { film: { frames: 4, every_s: 1 }, path: film.tif, format: cog }"
    echo "  - { film: { frames: 4, every_s: 1 }, path: 'frame#.tif' }"
} >"$folder/film.yaml"

cargo run --quiet --release -- run "$folder/cog.yaml" --out "$folder/cog" --quiet
cargo run --quiet --release -- run "$folder/film.yaml" --out "$folder/film" --quiet

mv "$folder/cog/late.tif" "$folder/late.tif"
"$rio" overview --build 2,4 "$folder/late.tif"
checked=0
for file in "$folder"/cog/*.tif "$folder"/film/*.tif; do
    by_cogeo "$file" || { "$rio" cogeo validate --strict "$file"; exit 1; }
    by_gdal "$file"
    checked=$((checked + 1))
done
[ "$checked" = 19 ] || { echo "$checked files instead of 19"; exit 1; }
if by_cogeo "$folder/late.tif"; then
    echo "rio-cogeo takes a file with late overviews: it checks nothing"
    exit 1
fi
if [ -n "$gdal" ] && by_gdal "$folder/late.tif"; then
    echo "GDAL's script takes a file with late overviews: it checks nothing"
    exit 1
fi
echo "$checked rasters are cloud-optimised"
