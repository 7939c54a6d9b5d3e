"""Holds a filled DEM against pyflwdir's filling of the same DEM: fill_pyflwdir.py DEM FILLED.

Outlets are the cells on the edge of the data. Cells agree within 1e-6 of the relief, the volume of the fill
within 1e-5.
"""

import sys

import numpy as np
import rasterio
from pyflwdir.dem import fill_depressions

with rasterio.open(sys.argv[1]) as raster:
    dem, nodata = raster.read(1), raster.nodata
with rasterio.open(sys.argv[2]) as raster:
    ours, valid = raster.read(1).astype(float), raster.read_masks(1) > 0

gap = dem == nodata
if (valid == gap).any():
    sys.exit("cells without data differ")
theirs = fill_depressions(dem, outlets="edge", nodata=nodata)[0].astype(float)
dem = dem.astype(float)

relief = np.ptp(dem[valid])
worst = np.abs(ours - theirs)[valid].max()
volume, expected = ((surface - dem)[valid].sum() for surface in (ours, theirs))
filled = int((theirs > dem)[valid].sum())
print(f"{filled} cells filled; volume {volume} m × cells, expected {expected}; worst cell {worst} m of {relief} m")
if not filled:
    sys.exit("nothing was filled: there is nothing to compare")
if worst > 1e-6 * relief:
    sys.exit(f"a cell is {worst} m apart, expected at most {1e-6 * relief} m")
if abs(volume - expected) > 1e-5 * expected:
    sys.exit(f"the volume is {volume}, expected {expected}")
