"""Writes rasters of every kind that `read` must understand, and holds what the program makes of them against them:
rasterio_inputs.py make FOLDER | check FOLDER.

Each is a ramp of 7 rows and 11 columns whose cell (row, col), counted from the north-west, holds 20 row + col as stored;
cell (2, 3) holds no data. Cells are 10 m, the north-west outer corner lies at 500,000 E, 5,200,000 N.
"""

import itertools
import sys
from pathlib import Path

import numpy as np
import rasterio
from rasterio.transform import Affine

ROWS, COLS, CELL, WEST, NORTH = 7, 11, 10.0, 500_000.0, 5_200_000.0
LOCAL = 'LOCAL_CS["quarry",UNIT["metre",1],AXIS["Easting",EAST],AXIS["Northing",NORTH]]'
SYSTEMS = {"utm": "EPSG:32633", "arctic": "EPSG:3413", "antarctic": "EPSG:3031", "local": LOCAL, "none": None}
# Type, nodata, scale, offset, unit, metres per unit.
NUMBERS = {
    "int16": ("int16", -32768, 1.0, 0.0, "m", 1.0),
    "uint16": ("uint16", 65535, 0.25, -500.0, "m", 1.0),
    "float64": ("float64", np.nan, 1.0, 0.0, "", 1.0),
    "feet": ("float32", -9999, 1.0, 0.0, "ft", 0.3048),
    "us_feet": ("int32", -9999, 1.0, 0.0, "US survey foot", 1200 / 3937),
}
CASES = list(itertools.product(SYSTEMS, ("north_up", "south_up"), NUMBERS))
RAMP = 20.0 * np.arange(ROWS)[:, None] + np.arange(COLS)[None, :]


def make(folder):
    for system, up, numbers in CASES:
        kind, nodata, scale, offset, unit, _ = NUMBERS[numbers]
        cells = RAMP.astype(kind)
        cells[2, 3] = nodata
        transform = Affine(CELL, 0, WEST, 0, -CELL, NORTH)
        if up == "south_up":
            cells = cells[::-1]
            transform = Affine(CELL, 0, WEST, 0, CELL, NORTH - ROWS * CELL)
        with rasterio.open(
            folder / f"{system}-{up}-{numbers}.tif", "w", driver="GTiff", height=ROWS, width=COLS, count=1,
            dtype=kind, crs=SYSTEMS[system], transform=transform, nodata=nodata,
        ) as out:
            out.write(cells, 1)
            out.scales, out.offsets, out.units = (scale,), (offset,), (unit,)


def check(folder):
    for system, up, numbers in CASES:
        name = f"{system}-{up}-{numbers}"
        _, _, scale, offset, _, metres = NUMBERS[numbers]
        expected = (RAMP * scale + offset) * metres
        with rasterio.open(folder / name / "dem.tif") as found:
            assert found.transform == Affine(CELL, 0, WEST, 0, -CELL, NORTH), (name, found.transform)
            assert tuple(found.bounds) == (WEST, NORTH - ROWS * CELL, WEST + COLS * CELL, NORTH), name
            assert found.dtypes == ("float32",) and found.units == ("m",), name
            code = SYSTEMS[system] and SYSTEMS[system].startswith("EPSG") and int(SYSTEMS[system][5:])
            if code:
                assert found.crs.to_epsg() == code, (name, found.crs)
            elif system == "local":
                assert "quarry" in found.crs.to_wkt(), (name, found.crs)
            else:
                assert found.crs is None, (name, found.crs)
            cells = found.read(1, masked=True)
            assert np.ma.getmaskarray(cells).sum() == 1 and np.ma.getmaskarray(cells)[2, 3], name
            assert np.abs(cells - expected).max() < 1e-4, name
            for row, col in ((0, 0), (0, COLS - 1), (ROWS - 1, 0), (ROWS - 1, COLS - 1)):
                for share in (0.01, 0.99):
                    x, y = WEST + (col + share) * CELL, NORTH - (row + share) * CELL
                    (value,) = next(found.sample([(x, y)]))
                    assert abs(float(value) - expected[row, col]) < 1e-4, (name, row, col)
    print(f"{len(CASES)} kinds of rasters lie where rasterio put them")


{"make": make, "check": check}[sys.argv[1]](Path(sys.argv[2]))
