//! How QGIS draws the layers on first opening.

use thalweg_geotiff::Style;

pub(super) const LAKES: Style = Style::Area {
    fill: [158, 202, 225, 255],
    rim: [49, 130, 189, 255],
    width_mm: 0.2,
};

pub(super) const OUTLETS: Style = Style::Point {
    paint: [8, 48, 107, 255],
    size_mm: 1.2,
};

pub(super) const CONTOURS: Style = Style::Line {
    paint: [156, 110, 70, 160],
    width_mm: 0.1,
};

pub(super) const RIVERS: Style = Style::Widening {
    paint: [49, 130, 189, 255],
    field: "strahler",
    width_mm: [0.15, 0.2],
    most: 10,
};

pub(super) const BASINS: Style = Style::Area {
    fill: [0, 0, 0, 0],
    rim: [90, 90, 90, 255],
    width_mm: 0.3,
};
