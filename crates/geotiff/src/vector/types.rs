//! What layers of points, lines and areas are made of.

use super::Style;

/// One layer: features of one kind of geometry, each with a value for every field.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorLayer {
    /// Its name in the file, and its table's in a GeoPackage.
    pub name: &'static str,
    /// What it holds, for people.
    pub description: &'static str,
    /// What its features are.
    pub shape: FeatureShape,
    /// Names and types of the attributes.
    pub fields: Vec<(&'static str, FieldKind)>,
    /// The features, in the order of the file.
    pub features: Vec<Feature>,
    /// How QGIS draws it, which a GeoPackage holds.
    pub style: Option<Style>,
}

/// What the features of a layer are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeatureShape {
    /// Points.
    Point,
    /// Lines.
    Line,
    /// Areas, each of one or more polygons.
    Area,
}

/// The type of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// Whole numbers of 64 bits.
    Integer,
    /// Numbers of 64 bits.
    Real,
    /// Text.
    Text,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// A whole number.
    Integer(i64),
    /// A number.
    Real(f64),
    /// A text.
    Text(String),
    /// None (NULL).
    Null,
}

impl From<Option<f64>> for FieldValue {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Self::Null, Self::Real)
    }
}

impl From<Option<i64>> for FieldValue {
    fn from(value: Option<i64>) -> Self {
        value.map_or(Self::Null, Self::Integer)
    }
}

/// Easting and northing, m.
pub type Position = [f64; 2];

/// Where a feature lies.
#[derive(Debug, Clone, PartialEq)]
pub enum Geometry {
    /// One position.
    Point(Position),
    /// Two positions or more.
    Line(Vec<Position>),
    /// Polygons; of each the rings, the shell first, then holes; a ring ends where it began.
    Area(Vec<Vec<Vec<Position>>>),
}

/// One feature.
#[derive(Debug, Clone, PartialEq)]
pub struct Feature {
    /// Where it lies.
    pub geometry: Geometry,
    /// One value for each field of the layer.
    pub values: Vec<FieldValue>,
}

impl VectorLayer {
    /// Hands on what the layer holds, little-endian and in order, however a file stores it: for hashes.
    pub fn content(&self, to: &mut dyn FnMut(&[u8])) {
        let mut text = |text: &str| {
            to(&(text.len() as u64).to_le_bytes());
            to(text.as_bytes());
        };
        text(self.name);
        for (name, _) in &self.fields {
            text(name);
        }
        for feature in &self.features {
            feature.geometry.content(to);
            for value in &feature.values {
                match value {
                    FieldValue::Integer(value) => to(&value.to_le_bytes()),
                    FieldValue::Real(value) => to(&value.to_le_bytes()),
                    FieldValue::Text(value) => to(value.as_bytes()),
                    FieldValue::Null => {}
                }
                to(&[0xff]);
            }
        }
    }
}

impl Geometry {
    fn content(&self, to: &mut dyn FnMut(&[u8])) {
        let mut line = |positions: &[Position]| {
            to(&(positions.len() as u64).to_le_bytes());
            for metres in positions.as_flattened() {
                to(&metres.to_le_bytes());
            }
        };
        match self {
            Self::Point(position) => line(&[*position]),
            Self::Line(positions) => line(positions),
            Self::Area(polygons) => polygons.iter().flatten().for_each(|ring| line(ring)),
        }
    }
}
