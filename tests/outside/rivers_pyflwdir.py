"""Holds rivers and basins against pyflwdir's of the same DEM: rivers_pyflwdir.py DEM RIVERS BASINS AREA_KM2.

Where nothing had to be filled, 95% of our river cells lie within a cell of a river of pyflwdir's; areas of the ten
largest basins agree within 2%.
"""

import json
import sys

import numpy as np
import pyflwdir
import rasterio
from numpy.lib.stride_tricks import sliding_window_view
from pyflwdir.dem import fill_depressions

with rasterio.open(sys.argv[1]) as raster:
    dem, nodata, transform = raster.read(1), raster.nodata, raster.transform
rivers, basins = (json.load(open(path))["features"] for path in sys.argv[2:4])
cell_km2 = abs(transform.a * transform.e) / 1e6

flow = pyflwdir.from_dem(dem, nodata=nodata, outlets="edge", transform=transform, latlon=False)
above = flow.upstream_area(unit="cell") * cell_km2
theirs = above >= float(sys.argv[4])
ours = np.zeros(dem.shape, bool)
for river in rivers:
    for x, y in river["geometry"]["coordinates"]:
        col, row = ~transform * (x, y)
        ours[int(row), int(col)] = True
ours &= fill_depressions(dem, outlets="edge", nodata=nodata)[0] == dem

near = sliding_window_view(np.pad(theirs, 1), (3, 3)).any(axis=(2, 3))
share = (near & ours).sum() / ours.sum()
areas = sorted((basin["properties"]["area_km2"] for basin in basins), reverse=True)[:10]
expected = np.sort(above.ravel()[flow.idxs_pit])[::-1][:10]
worst = np.abs(np.array(areas) / expected - 1).max()
print(f"{ours.sum()} river cells, {share:.2%} within a cell of theirs; basins differ by {worst:.2%} at most")
if ours.sum() < 1000:
    sys.exit("too few cells to compare")
if share < 0.95:
    sys.exit("expected at least 95% within a cell")
if worst > 0.02:
    sys.exit("expected basins within 2%")
