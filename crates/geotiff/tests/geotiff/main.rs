//! The reader and writer against analytic rasters and GDAL's own tools.

mod failures;
mod fits;
mod formats;
mod full_disk;
mod inputs;
mod judged_by_gdalinfo;
mod refusals;
mod round_trip;
mod support;
mod vectors;
