//! How QGIS draws a layer: QML, the text that its style files and `layer_styles` hold.

use std::fmt::Write;

/// Red, green, blue, opacity.
pub type Paint = [u8; 4];

/// How a layer is drawn. Widths and sizes are millimetres on the screen or on paper.
#[derive(Debug, Clone, PartialEq)]
pub enum Style {
    /// Points as discs.
    Point {
        /// Their colour.
        paint: Paint,
        /// Their diameter, mm.
        size_mm: f64,
    },
    /// Lines of one width.
    Line {
        /// Their colour.
        paint: Paint,
        /// Their width, mm.
        width_mm: f64,
    },
    /// Lines that widen with a whole number from 1 on.
    Widening {
        /// Their colour.
        paint: Paint,
        /// The field that holds the number.
        field: &'static str,
        /// Width at 1 and growth with each further one, mm.
        width_mm: [f64; 2],
        /// The number from which on the width stays.
        most: u32,
    },
    /// Areas.
    Area {
        /// Colour inside of them; not opaque where what lies below should be seen.
        fill: Paint,
        /// Colour of their rims.
        rim: Paint,
        /// Width of their rims, mm.
        width_mm: f64,
    },
}

impl Style {
    /// The style as QML.
    #[must_use]
    pub fn qml(&self) -> String {
        let renderer = match self {
            Self::Widening { field, .. } => self.by_number(field),
            _ => format!(
                "<renderer-v2 type=\"singleSymbol\" symbollevels=\"0\" forceraster=\"0\" enableorderby=\"0\"><symbols>{}</symbols></renderer-v2>",
                self.symbol(0)
            ),
        };
        format!(
            "<!DOCTYPE qgis PUBLIC 'http://mrcc.com/qgis.dtd' 'SYSTEM'>\n<qgis version=\"3.22.0\" styleCategories=\"Symbology\">{renderer}<blendMode>0</blendMode><layerOpacity>1</layerOpacity></qgis>\n"
        )
    }

    /// One symbol for each number, the last one for larger ones too.
    fn by_number(&self, field: &str) -> String {
        let Self::Widening { most, .. } = self else {
            return String::new();
        };
        let (mut categories, mut symbols) = (String::new(), String::new());
        for number in 1..=*most {
            let symbol = number - 1;
            // Writing to a string cannot fail.
            let _ = write!(
                categories,
                "<category value=\"{number}\" symbol=\"{symbol}\" label=\"{number}\" type=\"long\" render=\"true\"/>"
            );
            symbols += &self.symbol(symbol);
        }
        let last = most - 1;
        format!(
            "<renderer-v2 type=\"categorizedSymbol\" attr=\"{field}\" symbollevels=\"0\" forceraster=\"0\" enableorderby=\"0\"><categories>{categories}<category value=\"\" symbol=\"{last}\" label=\"larger\" type=\"string\" render=\"true\"/></categories><symbols>{symbols}</symbols></renderer-v2>"
        )
    }

    /// The symbol of a number, from 0.
    fn symbol(&self, number: u32) -> String {
        let text = |key: &'static str, value: &str| (key, value.to_owned());
        let (kind, class, values) = match self {
            Self::Point { paint, size_mm } => (
                "marker",
                "SimpleMarker",
                vec![
                    text("name", "circle"),
                    ("color", colour(*paint)),
                    text("outline_style", "no"),
                    ("size", size_mm.to_string()),
                    text("size_unit", "MM"),
                ],
            ),
            Self::Line { paint, width_mm } => line(*paint, *width_mm),
            Self::Widening {
                paint,
                width_mm: [first, growth],
                ..
            } => line(*paint, first + growth * f64::from(number)),
            Self::Area {
                fill,
                rim,
                width_mm,
            } => (
                "fill",
                "SimpleFill",
                vec![
                    ("color", colour(*fill)),
                    text("style", if fill[3] == 0 { "no" } else { "solid" }),
                    ("outline_color", colour(*rim)),
                    text("outline_style", "solid"),
                    ("outline_width", width_mm.to_string()),
                    text("outline_width_unit", "MM"),
                ],
            ),
        };
        let (mut options, mut properties) = (String::new(), String::new());
        for (key, value) in values {
            // The first form is read by QGIS from 3.26 on, the second by those before.
            let _ = write!(
                options,
                "<Option name=\"{key}\" type=\"QString\" value=\"{value}\"/>"
            );
            let _ = write!(properties, "<prop k=\"{key}\" v=\"{value}\"/>");
        }
        format!(
            "<symbol type=\"{kind}\" name=\"{number}\" alpha=\"1\" clip_to_extent=\"1\" force_rhr=\"0\"><layer class=\"{class}\" enabled=\"1\" locked=\"0\" pass=\"0\"><Option type=\"Map\">{options}</Option>{properties}</layer></symbol>"
        )
    }
}

type Symbol = (&'static str, &'static str, Vec<(&'static str, String)>);

fn line(paint: Paint, width_mm: f64) -> Symbol {
    let values = vec![
        ("line_color", colour(paint)),
        ("line_style", "solid".to_owned()),
        // Tenths of a micrometre are no width.
        ("line_width", format!("{width_mm:.2}")),
        ("line_width_unit", "MM".to_owned()),
        ("capstyle", "round".to_owned()),
        ("joinstyle", "round".to_owned()),
    ];
    ("line", "SimpleLine", values)
}

fn colour([red, green, blue, opacity]: Paint) -> String {
    format!("{red},{green},{blue},{opacity}")
}
