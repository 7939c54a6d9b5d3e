//! Pictures of a member, all in one scale and light, and what its ground measures.

use crate::error::{SweepError, failed};
use crate::files::{OWN, Place, write};
use crate::metrics::Ground;
use ndarray::{Array2, ArrayView2};
use serde_json::Value;
use std::path::{Path, PathBuf};
use thalweg_analysis::{Hillshade, Look, Ramp, Shade, colour, png};
use thalweg_geotiff::Request;

/// Most rows or columns of a large picture, and of one in the gallery.
const LARGE: usize = 1024;
const SMALL: usize = 320;

/// What a member shows of itself.
#[derive(Debug, Default)]
pub(crate) struct Preview {
    pub(crate) ground: Option<Ground>,
    /// What is shown, and the path below the member's folder.
    pub(crate) pictures: Vec<(String, String)>,
}

/// A raster of a member, with NaN where it has no data.
struct Seen {
    values: Array2<f32>,
    cell_size_m: f64,
}

/// Makes the pictures that a member's outputs allow. `range_m` is that of elevation, the same for all members.
pub(crate) fn make(
    place: &Place,
    record: &Value,
    range_m: [f64; 2],
) -> Result<Preview, SweepError> {
    let Some(ground) = layer(place, record, "elevation") else {
        return shown(place, record);
    };
    let mut preview = Preview {
        ground: Some(measure(&ground.values, sea_level_m(record))),
        pictures: Vec::new(),
    };
    let small = ground.reduced(SMALL);
    let large = ground.reduced(LARGE);
    let relief = |ground: &Seen| draw(&ground.values, ground, ramp("terrain"), range_m);
    preview.add(place, "thumbnail", &relief(&small))?;
    preview.add(place, "relief", &relief(&large))?;
    for (name, source, high, last) in [
        ("rivers", "stream", 0.5, [20, 80, 200]),
        ("lakes", "pool_depth", 10.0, [10, 60, 170]),
        ("vegetation", "vegetation", 1.0, [20, 110, 40]),
    ] {
        let Some(values) = layer(place, record, source) else {
            continue;
        };
        let values = values.reduced(LARGE).values;
        if values.dim() != large.values.dim() {
            continue;
        }
        let paper = [226, 222, 212];
        let ramp = Ramp::new(&[(0.0, paper), (1.0, last)]);
        // Where a layer has nothing, the ground is still seen.
        let filled =
            ndarray::Zip::from(&values)
                .and(&large.values)
                .map_collect(|&value, &ground| {
                    if value.is_nan() && !ground.is_nan() {
                        0.0
                    } else {
                        value
                    }
                });
        preview.add(place, name, &draw(&filled, &large, ramp.ok(), [0.0, high]))?;
    }
    Ok(preview)
}

impl Preview {
    fn add(&mut self, place: &Place, name: &str, png: &Option<Vec<u8>>) -> Result<(), SweepError> {
        if let Some(bytes) = png {
            let file = format!("{name}.png");
            write(&place.own(&file), bytes)?;
            self.pictures
                .push((name.to_owned(), format!("{OWN}/{file}")));
        }
        Ok(())
    }
}

/// Without elevation, the first PNG among the outputs stands for the member.
fn shown(place: &Place, record: &Value) -> Result<Preview, SweepError> {
    let mut preview = Preview::default();
    let outputs = record["outputs"].as_array().into_iter().flatten();
    let mut paths = outputs.filter_map(|output| output["path"].as_str());
    if let Some(path) = paths.find(|path| path.ends_with(".png") && !path.contains('#')) {
        let file = place.0.join(path);
        let bytes = std::fs::read(&file).map_err(failed(&file, "read it"))?;
        preview.add(place, "thumbnail", &Some(bytes))?;
    }
    Ok(preview)
}

/// The first output of a layer. What cannot be read has no picture: the member is no worse for it.
fn layer(place: &Place, record: &Value, name: &str) -> Option<Seen> {
    let outputs = record["outputs"].as_array()?;
    let output = outputs.iter().find(|output| output["layer"] == name)?;
    let path: PathBuf = place.0.join(Path::new(output["path"].as_str()?));
    let reading = thalweg_geotiff::read(&path, &Request::of_band(1)).ok()?;
    let mut values = reading.elevation;
    if let Some(valid) = &reading.valid {
        ndarray::Zip::from(&mut values)
            .and(valid)
            .for_each(|value, &valid| {
                if !valid {
                    *value = f32::NAN;
                }
            });
    }
    Some(Seen {
        values,
        cell_size_m: reading.grid.cell_size_m,
    })
}

impl Seen {
    /// Means of square blocks of cells, so that no side has more than `most`.
    fn reduced(&self, most: usize) -> Self {
        let (rows, cols) = self.values.dim();
        let block = rows.max(cols).div_ceil(most).max(1);
        let mean = |(row, col): (usize, usize)| {
            let rows = row * block..((row + 1) * block).min(rows);
            let cols = col * block..((col + 1) * block).min(cols);
            let cells = self.values.slice(ndarray::s![rows, cols]);
            let seen = cells.iter().filter(|value| !value.is_nan());
            let [sum, count] = seen.fold([0.0, 0.0], |[sum, count], &value| {
                [sum + f64::from(value), count + 1.0]
            });
            (sum / count) as f32
        };
        Self {
            values: Array2::from_shape_fn((rows.div_ceil(block), cols.div_ceil(block)), mean),
            cell_size_m: self.cell_size_m * block as f64,
        }
    }
}

fn ramp(name: &str) -> Option<Ramp> {
    Ramp::named(name)
}

/// A layer in colours, light on the ground, as PNG.
fn draw(
    values: &Array2<f32>,
    ground: &Seen,
    ramp: Option<Ramp>,
    range: [f64; 2],
) -> Option<Vec<u8>> {
    let look = Look {
        ramp: ramp?,
        range,
        shade: Some(Shade {
            light: Hillshade {
                z_factor: 2.0,
                ..Hillshade::default()
            },
            strength: 0.8,
            gloss: 0.0,
        }),
    };
    let valid: Array2<bool> = ground.values.mapv(|value| !value.is_nan());
    let ground_view: (ArrayView2<'_, f32>, f64) = (ground.values.view(), ground.cell_size_m);
    let pixels = colour(values.view(), Some(valid.view()), ground_view, &look).ok()?;
    let mut bytes = Vec::new();
    png::write_colour(&mut bytes, pixels.view()).ok()?;
    Some(bytes)
}

fn sea_level_m(record: &Value) -> Option<f64> {
    let stages = record["pipeline"]["stages"].as_array()?;
    let level = |stage: &Value| stage["erode"]["sea_level_m"].as_f64();
    stages.iter().rev().find_map(level)
}

fn measure(values: &Array2<f32>, sea_level_m: Option<f64>) -> Ground {
    let seen = || {
        values
            .iter()
            .filter(|value| value.is_finite())
            .map(|&value| f64::from(value))
    };
    let count = seen().count() as f64;
    let above = |value: &f64| sea_level_m.is_none_or(|level| *value > level);
    Ground {
        min_m: seen().fold(f64::INFINITY, f64::min),
        max_m: seen().fold(f64::NEG_INFINITY, f64::max),
        mean_m: seen().sum::<f64>() / count,
        above_sea: seen().filter(above).count() as f64 / count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_ground_is_measured_where_it_has_data() {
        let ground = measure(&array![[1.0, f32::NAN], [3.0, 8.0]], Some(2.0));
        let expected = Ground {
            min_m: 1.0,
            max_m: 8.0,
            mean_m: 4.0,
            above_sea: 2.0 / 3.0,
        };
        assert_eq!(ground, expected);
    }

    #[test]
    fn reduced_rasters_are_means_of_blocks_and_keep_their_size_on_the_ground() {
        let values = array![[1.0, 3.0, 5.0], [f32::NAN, 2.0, 7.0]];
        let seen = Seen {
            values,
            cell_size_m: 10.0,
        };
        let reduced = seen.reduced(2);
        assert_eq!(reduced.values, array![[2.0, 6.0]]);
        assert!((reduced.cell_size_m - 20.0).abs() < 1e-12);
        assert_eq!(seen.reduced(3).values.dim(), (2, 3));
    }
}
