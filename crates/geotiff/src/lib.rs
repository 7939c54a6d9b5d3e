//! Raster input and output through GDAL.
