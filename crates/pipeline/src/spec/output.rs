use super::picture::{Film, Picture};
use super::storage::{Compress, OptionValue};
use super::vectors::Vectors;
use garde::Validate;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use thalweg_geotiff::VectorFormat;
use thalweg_grid::Layer;

/// One file to write: its path and exactly one of the kinds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(deny_unknown_fields)]
#[schemars(transform = one_kind)]
pub struct Output {
    /// The file, below the output folder; its ending says the format.
    #[garde(length(min = 1))]
    pub path: String,
    /// Writes a layer as a raster.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    #[schemars(schema_with = "layers")]
    pub layer: Option<Layer>,
    /// Writes a shaded picture of the ground as a PNG with a world file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub hillshade: Option<Hillshade>,
    /// Writes a table as CSV.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub table: Option<Table>,
    /// Writes a layer in colours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub picture: Option<Picture>,
    /// Writes noise that changes over time, frame by frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub film: Option<Film>,
    /// In what format a raster is stored: `cog`, `gtiff` or any of GDAL's, by its short name; absent: `cog`, for the
    /// bands of a film `gtiff`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(length(min = 1)))]
    pub format: Option<String>,
    /// How pixels of a `cog` or `gtiff` are compressed; absent: `deflate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(skip)]
    pub compress: Option<Compress>,
    /// Largest error of `lerc`, in the layer's unit; 0: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(range(min = 0.0, max = 1e6)))]
    pub max_error: Option<f64>,
    /// Stores 16-bit integers in steps of so much, with scale and offset; absent: 32-bit floats.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(inner(range(min = 1e-6, max = 1e6)))]
    #[schemars(extend("unit" = "m"))]
    pub step_m: Option<f64>,
    /// Creation options of GDAL's driver, such as `{ BLOCKSIZE: 256 }`; they have the last word.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[garde(skip)]
    pub options: BTreeMap<String, OptionValue>,
    /// Writes lakes, rivers, basins and contours as features.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[garde(dive)]
    pub vectors: Option<Vectors>,
}

/// A table that a run can write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Table {
    /// One row per lake: level, size, outlet, where it spills to, catchment.
    Lakes,
}

/// What an output holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// A layer's values.
    Layer(Layer),
    /// The ground in slanting light.
    Hillshade(Hillshade),
    /// Rows of numbers.
    Table(Table),
    /// A layer in colours.
    Picture(Picture),
    /// The ground at several moments.
    Film(Film),
    /// Points, lines and areas.
    Vectors(Vectors),
}

impl Output {
    /// What the output holds; none where the file does not name exactly one kind.
    #[must_use]
    pub fn content(&self) -> Option<Content> {
        let kinds = [
            self.layer.map(Content::Layer),
            self.hillshade.map(Content::Hillshade),
            self.table.map(Content::Table),
            self.picture.clone().map(Content::Picture),
            self.film.clone().map(Content::Film),
            self.vectors.clone().map(Content::Vectors),
        ];
        let mut found = kinds.into_iter().flatten();
        found.next().filter(|_| found.next().is_none())
    }

    /// The keys that name a kind.
    pub const KINDS: [&'static str; 6] =
        ["layer", "hillshade", "table", "picture", "film", "vectors"];
}

impl Content {
    /// Endings that a file of the kind may have, the usual first.
    #[must_use]
    pub const fn extensions(&self) -> &'static [&'static str] {
        match self {
            Self::Layer(_) => &["tif", "tiff"],
            Self::Hillshade(_) => &["png"],
            Self::Table(_) => &["csv"],
            Self::Picture(_) | Self::Film(_) => &["png", "tif", "tiff"],
            Self::Vectors(_) => &VectorFormat::EXTENSIONS,
        }
    }

    /// The layer that it needs, and the keys under which it is named.
    #[must_use]
    pub fn layer(&self) -> Option<(Layer, &'static [&'static str])> {
        match self {
            Self::Layer(layer) => Some((*layer, &["layer"])),
            Self::Picture(picture) => Some((picture.layer, &["picture", "layer"])),
            Self::Film(film) => Some((film.layer, &["film", "layer"])),
            Self::Hillshade(_) => None,
            Self::Vectors(vectors) => vectors
                .needs_lakes()
                .then_some((Layer::LakeId, &["vectors", "layers"])),
            // A table of lakes tells of the numbers in that layer.
            Self::Table(Table::Lakes) => Some((Layer::LakeId, &["table"])),
        }
    }

    /// Every file that is written for an output of that path.
    #[must_use]
    pub fn files(&self, path: &Path) -> Vec<PathBuf> {
        let one = |path: PathBuf| match path.extension() {
            Some(extension) if extension == "png" => vec![path.clone(), world_file(&path)],
            _ => vec![path],
        };
        match self {
            Self::Film(film) if digits(path) > 0 => (0..film.frames)
                .flat_map(|frame| one(numbered(path, frame)))
                .collect(),
            _ => one(path.to_owned()),
        }
    }
}

/// The file beside a PNG that says where it lies.
pub(crate) fn world_file(png: &Path) -> PathBuf {
    png.with_extension("pgw")
}

/// How many `#` stand for a frame's number in a film's file name.
pub(crate) fn digits(path: &Path) -> usize {
    name(path).bytes().filter(|byte| *byte == b'#').count()
}

/// The path of a frame: its number in place of the first `#` and those behind it, with as many digits.
pub(crate) fn numbered(path: &Path, frame: u32) -> PathBuf {
    let (name, digits) = (name(path), digits(path));
    let number = format!("{frame:0digits$}");
    path.with_file_name(name.replacen('#', &number, 1).replace('#', ""))
}

fn name(path: &Path) -> &str {
    path.file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default()
}

/// The ground in slanting light, as `gdaldem hillshade` draws it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema, Validate)]
#[serde(default, deny_unknown_fields)]
pub struct Hillshade {
    /// Where the light comes from, clockwise from north.
    #[garde(range(min = 0.0, max = 360.0))]
    #[schemars(extend("unit" = "°"))]
    pub azimuth_deg: f64,
    /// How high the light stands above the horizon.
    #[garde(range(min = 0.0, max = 90.0))]
    #[schemars(extend("unit" = "°"))]
    pub altitude_deg: f64,
    /// Factor by which relief is exaggerated.
    #[garde(range(min = 1e-3, max = 1e3))]
    pub z_factor: f64,
}

pub(super) fn layers(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "string",
        "enum": Layer::ALL.map(Layer::name),
    })
}

fn one_kind(schema: &mut Schema) {
    let kinds: Vec<_> = Output::KINDS
        .iter()
        .map(|kind| serde_json::json!({ "required": [kind] }))
        .collect();
    schema.insert("oneOf".to_owned(), kinds.into());
}
