"""Reads a ramp with rasterio and holds it against its formula: rasterio_ramp.py FILE ROWS COLS.

Cell (row, col) holds 1000 + 10 row + 0.25 col; cells of 10 m; the north-west outer corner lies at
500,000 E, 5,200,000 N of EPSG:32633 (crates/geotiff/examples/ramp.rs).
"""

import sys

import rasterio

path, rows, cols = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
west, north, cell = 500_000.0, 5_200_000.0, 10.0


def check(what, found, expected):
    if found != expected:
        sys.exit(f"{path}: {what}: found {found!r}, expected {expected!r}")


with rasterio.open(path) as raster:
    check("size", (raster.height, raster.width), (rows, cols))
    check("CRS", raster.crs.to_epsg(), 32633)
    check("transform", raster.transform[:6], (cell, 0.0, west, 0.0, -cell, north))
    check("bounds", tuple(raster.bounds), (west, north - cell * rows, west + cell * cols, north))
    check("type", raster.dtypes, ("float32",))
    check("nodata", raster.nodata, -9999.0)
    check("unit", raster.units, ("m",))
    check("description", raster.descriptions, ("elevation",))
    check("AREA_OR_POINT", raster.tags()["AREA_OR_POINT"], "Area")
    corners = [(0, 0), (0, cols - 1), (rows - 1, 0), (rows - 1, cols - 1)]
    for row, col in corners:
        # Just inside of the cell's north-west and south-east corners: half a pixel off would show in either.
        for share in (0.01, 0.99):
            x, y = west + (col + share) * cell, north - (row + share) * cell
            (value,) = next(raster.sample([(x, y)]))
            check(f"value at ({x}, {y})", float(value), 1000 + 10 * row + 0.25 * col)
    cells = raster.read(1)
    check("shape of the array", cells.shape, (rows, cols))
    check("last cell of the array", float(cells[-1, -1]), 1000 + 10 * (rows - 1) + 0.25 * (cols - 1))

print(f"rasterio {rasterio.__version__} reads {rows} × {cols} as written")
