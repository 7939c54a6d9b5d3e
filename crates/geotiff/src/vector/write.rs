//! Layers of features to one file.

use super::{Feature, FeatureShape, FieldKind, FieldValue, Geometry, Position, VectorLayer};
use crate::{GeotiffError, atomic, crs, ffi};
use gdal::errors::GdalError;
use gdal::spatial_ref::SpatialRef;
use gdal::vector::{Defn, FieldDefn, Layer, LayerOptions};
use gdal::{Dataset, DriverManager, config, vsi};
use gdal_sys::{OGRFieldType, OGRwkbGeometryType};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use thalweg_grid::Grid;

/// A format of files for features.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VectorFormat {
    /// An SQLite file of any number of layers, with their styles.
    GeoPackage,
    /// A text of one layer.
    GeoJson,
    /// A binary file of one layer, indexed.
    FlatGeobuf,
}

impl VectorFormat {
    /// Endings of file names, the first of each format the usual one.
    pub const EXTENSIONS: [&'static str; 4] = ["gpkg", "geojson", "fgb", "json"];

    /// The format that a file's ending names.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "gpkg" => Some(Self::GeoPackage),
            "geojson" | "json" => Some(Self::GeoJson),
            "fgb" => Some(Self::FlatGeobuf),
            _ => None,
        }
    }

    /// GDAL's name for it.
    const fn driver(self) -> &'static str {
        match self {
            Self::GeoPackage => "GPKG",
            Self::GeoJson => "GeoJSON",
            Self::FlatGeobuf => "FlatGeobuf",
        }
    }

    const fn extension(self) -> &'static str {
        match self {
            Self::GeoPackage => "gpkg",
            Self::GeoJson => "geojson",
            Self::FlatGeobuf => "fgb",
        }
    }

    /// Whether a file may hold more than one layer, and styles.
    #[must_use]
    pub const fn holds_many(self) -> bool {
        matches!(self, Self::GeoPackage)
    }
}

/// What files tell as their time of making: equal arguments make equal bytes.
const DATE: &str = "2000-01-01T00:00:00.000Z";

/// Writes layers to a file in the format that its ending says, in the CRS of the grid. A GeoPackage also gets the
/// layers' styles (`layer_styles`), which QGIS applies when it opens the file. Equal arguments make equal bytes, with
/// the same GDAL. The file is made in memory and gets its final name when it is complete and on disk. Gives back
/// its size.
///
/// # Errors
/// When the ending names no format, the format holds one layer and there are not exactly one, the CRS is unknown, the
/// file exists and `overwrite` is false, the disk is full, or GDAL or the system fails.
pub fn write_vectors(
    path: &Path,
    grid: &Grid,
    layers: &[VectorLayer],
    overwrite: bool,
) -> Result<u64, GeotiffError> {
    let format = VectorFormat::of(path).ok_or_else(|| GeotiffError::VectorFormat {
        path: path.to_owned(),
    })?;
    if !format.holds_many() && layers.len() != 1 {
        return Err(GeotiffError::OneLayer {
            path: path.to_owned(),
            found: layers.len(),
        });
    }
    let system = grid.crs.as_deref().map(crs::parse).transpose()?;
    atomic::refuse_existing(path, overwrite)?;
    let memory = InMemory::new(format);
    let (result, failures) = ffi::listen(|| make(&memory, format, system.as_ref(), layers));
    let message = match &result {
        Ok(_) if failures.is_empty() => None,
        Ok(_) => Some(failures.text()),
        Err(error) => Some(failures.or(error)),
    };
    if let Some(message) = message {
        return Err(GeotiffError::failed_write(path, 0, message));
    }
    let bytes = result.unwrap_or_default();
    atomic::write_atomically(path, overwrite, |out| out.write_all(&bytes))?;
    Ok(bytes.len() as u64)
}

/// A file in GDAL's memory, which goes when this is dropped.
struct InMemory(PathBuf);

impl InMemory {
    fn new(format: VectorFormat) -> Self {
        // The memory is shared by all threads.
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let extension = format.extension();
        Self(PathBuf::from(format!(
            "/vsimem/thalweg-vectors-{number}.{extension}"
        )))
    }
}

impl Drop for InMemory {
    fn drop(&mut self) {
        // Not there where the work failed early or the bytes have been taken.
        let _ = ffi::listen(|| vsi::unlink_mem_file(&self.0));
    }
}

/// A GDAL option for this thread, as it was before when dropped.
struct Setting(&'static str);

impl Setting {
    fn new(key: &'static str, value: &str) -> Result<Self, GdalError> {
        config::set_thread_local_config_option(key, value)?;
        Ok(Self(key))
    }
}

impl Drop for Setting {
    fn drop(&mut self) {
        let _ = config::clear_thread_local_config_option(self.0);
    }
}

fn make(
    memory: &InMemory,
    format: VectorFormat,
    system: Option<&SpatialRef>,
    layers: &[VectorLayer],
) -> Result<Vec<u8>, GdalError> {
    let _date = Setting::new("OGR_CURRENT_DATE", DATE)?;
    let driver = DriverManager::get_driver_by_name(format.driver())?;
    let mut dataset = driver.create_vector_only(&memory.0)?;
    for layer in layers {
        let description = format!("DESCRIPTION={}", layer.description);
        let options = match format {
            VectorFormat::GeoPackage => vec![description.as_str()],
            VectorFormat::GeoJson => vec![description.as_str(), "RFC7946=NO"],
            VectorFormat::FlatGeobuf => vec!["SPATIAL_INDEX=YES"],
        };
        let made = LayerOptions {
            name: layer.name,
            srs: system,
            ty: geometry_type(layer.shape),
            options: Some(&options),
        };
        fill(&mut dataset, format, made, layer)?;
    }
    if format == VectorFormat::GeoPackage {
        styles(&mut dataset, layers)?;
        if system.is_none() {
            place_on_a_plane(&dataset, layers)?;
        }
    }
    dataset.flush_cache()?;
    dataset.close()?;
    vsi::get_vsi_mem_file_bytes_owned(&memory.0)
}

const fn geometry_type(shape: FeatureShape) -> OGRwkbGeometryType::Type {
    match shape {
        FeatureShape::Point => OGRwkbGeometryType::wkbPoint,
        FeatureShape::Line => OGRwkbGeometryType::wkbLineString,
        FeatureShape::Area => OGRwkbGeometryType::wkbMultiPolygon,
    }
}

/// One layer and its features; in one transaction where the format has any.
fn fill(
    dataset: &mut Dataset,
    format: VectorFormat,
    made: LayerOptions<'_>,
    layer: &VectorLayer,
) -> Result<(), GdalError> {
    let name = made.name.to_owned();
    let target = dataset.create_layer(made)?;
    for (name, kind) in &layer.fields {
        let kind = match kind {
            FieldKind::Integer => OGRFieldType::OFTInteger64,
            FieldKind::Real => OGRFieldType::OFTReal,
            FieldKind::Text => OGRFieldType::OFTString,
        };
        FieldDefn::new(name, kind)?.add_to_layer(&target)?;
    }
    if format.holds_many() {
        let transaction = dataset.start_transaction()?;
        add(&transaction.layer_by_name(&name)?, &layer.features)?;
        transaction.commit()
    } else {
        add(&target, &layer.features)
    }
}

fn add(target: &Layer<'_>, features: &[Feature]) -> Result<(), GdalError> {
    let definition = Defn::from_layer(target);
    for feature in features {
        let mut row = gdal::vector::Feature::new(&definition)?;
        row.set_geometry(geometry(&feature.geometry)?)?;
        for (index, value) in feature.values.iter().enumerate() {
            match value {
                FieldValue::Integer(value) => row.set_field_integer64(index, *value)?,
                FieldValue::Real(value) => row.set_field_double(index, *value)?,
                FieldValue::Text(value) => row.set_field_string(index, value)?,
                FieldValue::Null => row.set_field_null(index)?,
            }
        }
        row.create(target)?;
    }
    Ok(())
}

/// A geometry of GDAL's.
fn geometry(of: &Geometry) -> Result<gdal::vector::Geometry, GdalError> {
    use OGRwkbGeometryType as Type;
    match of {
        Geometry::Point(position) => line(Type::wkbPoint, &[*position]),
        Geometry::Line(positions) => line(Type::wkbLineString, positions),
        Geometry::Area(polygons) => {
            let mut area = gdal::vector::Geometry::empty(Type::wkbMultiPolygon)?;
            for rings in polygons {
                let mut polygon = gdal::vector::Geometry::empty(Type::wkbPolygon)?;
                for ring in rings {
                    polygon.add_geometry(line(Type::wkbLinearRing, ring)?)?;
                }
                area.add_geometry(polygon)?;
            }
            Ok(area)
        }
    }
}

fn line(
    kind: OGRwkbGeometryType::Type,
    positions: &[Position],
) -> Result<gdal::vector::Geometry, GdalError> {
    let mut line = gdal::vector::Geometry::empty(kind)?;
    for [x, y] in positions {
        line.add_point_2d((*x, *y));
    }
    Ok(line)
}

/// The column of geometries, GDAL's usual name.
const GEOMETRY: &str = "geom";

/// Columns of the table in which QGIS looks for styles.
const STYLE_COLUMNS: [&str; 12] = [
    "f_table_catalog",
    "f_table_schema",
    "f_table_name",
    "f_geometry_column",
    "styleName",
    "styleQML",
    "styleSLD",
    "useAsDefault",
    "description",
    "owner",
    "ui",
    "update_time",
];

/// The table of styles, each its layer's default.
fn styles(dataset: &mut Dataset, layers: &[VectorLayer]) -> Result<(), GdalError> {
    let styled: Vec<_> = layers
        .iter()
        .filter_map(|layer| Some((layer, layer.style.as_ref()?.qml())))
        .collect();
    if styled.is_empty() {
        return Ok(());
    }
    let table = dataset.create_layer(LayerOptions {
        name: "layer_styles",
        srs: None,
        ty: OGRwkbGeometryType::wkbNone,
        options: Some(&["FID=id"]),
    })?;
    for column in STYLE_COLUMNS {
        let kind = match column {
            "useAsDefault" => OGRFieldType::OFTInteger,
            "update_time" => OGRFieldType::OFTDateTime,
            _ => OGRFieldType::OFTString,
        };
        FieldDefn::new(column, kind)?.add_to_layer(&table)?;
    }
    let definition = Defn::from_layer(&table);
    for (layer, style) in styled {
        let mut row = gdal::vector::Feature::new(&definition)?;
        let texts = [
            ("f_table_catalog", ""),
            ("f_table_schema", ""),
            ("f_table_name", layer.name),
            ("f_geometry_column", GEOMETRY),
            ("styleName", layer.name),
            ("styleQML", &style),
            ("styleSLD", ""),
            ("description", layer.description),
            ("owner", ""),
            ("update_time", DATE),
        ];
        for (column, text) in texts {
            row.set_field_string(definition.field_index(column)?, text)?;
        }
        row.set_field_integer(definition.field_index("useAsDefault")?, 1)?;
        row.create(&table)?;
    }
    Ok(())
}

/// Says of a map without CRS that it lies on some plane; GDAL before 3.9 says: somewhere on the globe.
fn place_on_a_plane(dataset: &Dataset, layers: &[VectorLayer]) -> Result<(), GdalError> {
    let tables = ["gpkg_contents", "gpkg_geometry_columns"];
    let tables = tables.map(|table| format!("UPDATE {table} SET srs_id = -1 WHERE srs_id = 0"));
    let geometries = layers.iter().map(|layer| {
        let name = layer.name;
        format!("UPDATE {name} SET {GEOMETRY} = SetSRID({GEOMETRY}, -1)")
    });
    for sql in tables.into_iter().chain(geometries) {
        dataset.execute_sql(sql, None, gdal::vector::sql::Dialect::DEFAULT)?;
    }
    Ok(())
}
