//! Layers through a ramp of colours.

use super::hillshade::{Hillshade, Shading};
use super::ramp::{Ramp, stored};
use crate::AnalysisError;
use ndarray::parallel::prelude::*;
use ndarray::{Array3, ArrayView2, Axis};

/// How a layer is coloured.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// Its colours.
    pub ramp: Ramp,
    /// The values at the ramp's positions 0 and 1.
    pub range: [f64; 2],
    /// Light on the ground, which makes colours lighter and darker; none: colours alone.
    pub shade: Option<Shade>,
}

/// Light on coloured ground. Level ground keeps its colour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shade {
    /// The light.
    pub light: Hillshade,
    /// From 0, no effect, to 1: the light on a cell over that on level ground is a factor of its colour.
    pub strength: f64,
    /// Share of white light that is mirrored where the ground faces half-way between the light and the eye above it
    /// (Blinn 1977, doi:10.1145/563858.563893, exponent 32): 0 is dull.
    pub gloss: f64,
}

/// The ground on which light falls: elevation, m, and cell size, m.
pub type Ground<'a> = (ArrayView2<'a, f32>, f64);

/// The colour of each cell: rows, columns, and red, green and blue as sRGB stores them. Where a cell has no data
/// (`valid` is false, or the value is NaN) a fourth band tells what can be seen: 255 with data, 0 (and black) without.
///
/// # Errors
/// When a parameter of the light is out of range.
///
/// # Panics
/// When shapes differ.
pub fn colour(
    values: ArrayView2<'_, f32>,
    valid: Option<ArrayView2<'_, bool>>,
    (elevation, cell_size_m): Ground<'_>,
    look: &Look,
) -> Result<Array3<u8>, AnalysisError> {
    let seen = |row: usize, col: usize| {
        !values[(row, col)].is_nan() && valid.as_ref().is_none_or(|mask| mask[(row, col)])
    };
    let (rows, cols) = values.dim();
    assert_eq!(elevation.dim(), values.dim(), "values and elevation");
    let shading = match &look.shade {
        Some(shade) => {
            shade.check()?;
            Some(Shading::new(elevation, valid, cell_size_m, &shade.light)?)
        }
        None => None,
    };
    let holes = (0..rows).any(|row| (0..cols).any(|col| !seen(row, col)));
    let [low, high] = look.range;
    // A layer of one value takes the colour at position 0.
    let width = if high > low {
        high - low
    } else {
        f64::INFINITY
    };
    let mut pixels = Array3::zeros((rows, cols, if holes { 4 } else { 3 }));
    let lines = pixels.axis_iter_mut(Axis(0)).into_par_iter().enumerate();
    lines.for_each(|(row, mut line)| {
        for (col, mut pixel) in line.axis_iter_mut(Axis(0)).enumerate() {
            if !seen(row, col) {
                continue;
            }
            let position = (f64::from(values[(row, col)]) - low) / width;
            let mut light = look.ramp.light(position);
            if let (Some(shade), Some(shading)) = (&look.shade, &shading) {
                light = shade.on(light, shading, row, col);
            }
            light
                .map(stored)
                .into_iter()
                .zip(&mut pixel)
                .for_each(|(level, band)| *band = level);
            if holes {
                pixel[3] = 255;
            }
        }
    });
    Ok(pixels)
}

impl Shade {
    fn check(&self) -> Result<(), AnalysisError> {
        for (name, found) in [("strength", self.strength), ("gloss", self.gloss)] {
            if !(0.0..=1.0).contains(&found) {
                let expected = "0 to 1";
                return Err(AnalysisError::Parameter {
                    name,
                    expected,
                    found,
                });
            }
        }
        Ok(())
    }

    fn on(&self, light: [f64; 3], shading: &Shading<'_>, row: usize, col: usize) -> [f64; 3] {
        let Some(lit) = shading.lit(row, col) else {
            return light;
        };
        let factor = 1.0 + self.strength * (lit.over_level - 1.0);
        let mirrored = self.gloss * lit.mirrored;
        light.map(|band| band * factor + mirrored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    fn look(shade: Option<Shade>) -> Look {
        Look {
            ramp: Ramp::named("grey").unwrap(),
            range: [10.0, 20.0],
            shade,
        }
    }

    fn shade(strength: f64, gloss: f64) -> Shade {
        Shade {
            light: Hillshade {
                azimuth_deg: 270.0,
                ..Hillshade::default()
            },
            strength,
            gloss,
        }
    }

    #[test]
    fn the_range_is_that_of_the_ramp_and_what_lies_beyond_is_level() {
        let values = array![[5.0, 10.0, 15.0], [20.0, 25.0, 10.0_f32]];
        let pixels = colour(values.view(), None, (values.view(), 1.0), &look(None)).unwrap();
        assert_eq!(pixels.dim(), (2, 3, 3));
        let red: Vec<u8> = pixels.index_axis(Axis(2), 0).iter().copied().collect();
        // Half of white's lightness is an eighth of its light.
        assert_eq!(red, [0, 0, 99, 255, 255, 0]);
    }

    #[test]
    fn cells_without_data_are_seen_through() {
        let mut values = Array2::from_elem((3, 4), 20.0_f32);
        values[(0, 1)] = f32::NAN;
        let mut valid = Array2::from_elem((3, 4), true);
        valid[(2, 3)] = false;
        let pixels = colour(
            values.view(),
            Some(valid.view()),
            (values.view(), 1.0),
            &look(None),
        )
        .unwrap();
        for ((row, col), _) in values.indexed_iter() {
            let hole = [(0, 1), (2, 3)].contains(&(row, col));
            let found: Vec<u8> = pixels.slice(ndarray::s![row, col, ..]).to_vec();
            assert_eq!(found, if hole { [0; 4] } else { [255; 4] }, "{row} {col}");
        }
    }

    /// A plane that rises 3 m per 4 m to the east, light from the west at 45°: the cosine is 1.4 ÷ √2, 1.4 times that on
    /// level ground; light from the east leaves 0.2 of it.
    #[test]
    fn slopes_change_light_by_the_cosine_over_that_of_level_ground() {
        let values = Array2::from_elem((4, 5), 12.0_f32);
        let plane = Array2::from_shape_fn((4, 5), |(_, col)| 7.5 * col as f32);
        let level = stored_light(&values, &Array2::zeros((4, 5)), shade(1.0, 0.0));
        let plain = look(None).ramp.light(0.2)[0];
        assert!(
            (level - plain).abs() < 0.002,
            "level ground keeps its colour"
        );
        let to_west = stored_light(&values, &plane, shade(1.0, 0.0));
        assert!((to_west / plain - 1.4).abs() < 0.2, "{to_west} for {plain}");
        let half = Shading::new(plane.view(), None, 10.0, &shade(1.0, 0.0).light).unwrap();
        assert!((half.lit(2, 2).unwrap().over_level - 1.4).abs() < 1e-12);
        let east = Hillshade {
            azimuth_deg: 90.0,
            ..Hillshade::default()
        };
        let east = Shading::new(plane.view(), None, 10.0, &east).unwrap();
        assert!((east.lit(2, 2).unwrap().over_level - 0.2).abs() < 1e-12);
        // A slope of tan 22.5° towards the light mirrors it straight up.
        let tilt = (2.0_f64.sqrt() - 1.0) as f32;
        let mirror = Array2::from_shape_fn((4, 5), |(_, col)| 10.0 * tilt * col as f32);
        let mirror = Shading::new(mirror.view(), None, 10.0, &shade(1.0, 1.0).light).unwrap();
        assert!((mirror.lit(1, 2).unwrap().mirrored - 1.0).abs() < 1e-5);
        assert!(
            colour(
                values.view(),
                None,
                (plane.view(), 10.0),
                &look(Some(shade(1.5, 0.0)))
            )
            .is_err()
        );
    }

    fn stored_light(values: &Array2<f32>, ground: &Array2<f32>, shade: Shade) -> f64 {
        let pixels = colour(
            values.view(),
            None,
            (ground.view(), 10.0),
            &look(Some(shade)),
        )
        .unwrap();
        let level = f64::from(pixels[(2, 2, 0)]) / 255.0;
        if level <= 0.04045 {
            level / 12.92
        } else {
            ((level + 0.055) / 1.055).powf(2.4)
        }
    }
}
