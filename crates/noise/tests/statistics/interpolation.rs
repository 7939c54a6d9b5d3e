use crate::{grid, std};
use ndarray::Array2;
use thalweg_grid::{Grid, Shape, StageKey, Window};
use thalweg_noise::{Along, Interpolation, Noise, Plain, Source, sample};

/// A long row of one-dimensional noise over negative and positive eastings, ten thousand cells a wavelength.
fn row(source: Source, interpolation: Interpolation, cells_per_wave: f64) -> Vec<f64> {
    let noise = Noise::Plain(Plain {
        interpolation,
        along: Along::Easting,
        ..Plain::new(source, cells_per_wave)
    });
    let cols = 6 * cells_per_wave as usize;
    let grid = Grid::new(Shape::new(1, cols), 1.0, [-3.0 * cells_per_wave, 0.0], None).unwrap();
    let whole = Window {
        row: 0,
        col: 0,
        shape: grid.shape,
    };
    let values = sample(&noise, &grid, whole, StageKey::new(3, "a")).unwrap();
    values.iter().map(|v| f64::from(*v)).collect()
}

/// The largest jump of the n-th derivative from cell to cell, per wavelength to the n.
fn jump(values: &[f64], order: usize, step: f64) -> f64 {
    let mut values = values.to_vec();
    for _ in 0..order {
        values = values
            .windows(2)
            .map(|pair| (pair[1] - pair[0]) / step)
            .collect();
    }
    values
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs())
        .fold(0.0, f64::max)
}

/// Values are continuous for all, slopes for all but linear, curvature for quintic. Jumps that are none shrink with the
/// step: they are compared at two of them.
#[test]
fn interpolations_are_as_smooth_as_they_say() {
    for source in [Source::Perlin, Source::Value] {
        for (interpolation, smooth) in [
            (Interpolation::Linear, 0),
            (Interpolation::Cosine, 1),
            (Interpolation::Smoothstep, 1),
            (Interpolation::Quintic, 2),
        ] {
            let [coarse, fine] = [20.0, 80.0].map(|n| (row(source, interpolation, n), 1.0 / n));
            for order in 0..=2 {
                let ratio = jump(&fine.0, order, fine.1) / jump(&coarse.0, order, coarse.1);
                // Gradient noise with linear weights is a parabola in each cell, whose slopes may meet by chance.
                let shrinks = order <= smooth;
                assert!(
                    if shrinks { ratio < 0.5 } else { ratio > 0.6 },
                    "{source:?}, {interpolation:?}, derivative {order}: {ratio}"
                );
            }
        }
    }
}

/// The `noise` crate's one-dimensional Perlin is broken there: ours is alike on both sides.
#[test]
fn stripes_are_the_same_kind_west_of_the_origin() {
    let values = row(Source::Perlin, Interpolation::Quintic, 4000.0);
    let array = |part: &[f64]| Array2::from_shape_fn((1, part.len()), |(_, k)| part[k] as f32);
    let (west, east) = values.split_at(values.len() / 2);
    for side in [west, east] {
        assert!(side.iter().all(|v| v.abs() <= 1.0));
        // Between two neighbouring zeros of every cell it is not level.
        assert!(std(&array(side)) > 0.05);
    }
    assert!(jump(&values, 0, 1.0) < 0.01);
}

/// The kernels for rows have no seam where strips of columns or cells of the lattice meet.
#[test]
fn maps_have_no_seams() {
    let grid = grid(300, 700, 1.0);
    let whole = Window {
        row: 0,
        col: 0,
        shape: grid.shape,
    };
    for source in [Source::Perlin, Source::Value] {
        let noise = Noise::Plain(Plain::new(source, 50.0));
        let values = sample(&noise, &grid, whole, StageKey::new(3, "a")).unwrap();
        for pair in values
            .windows((1, 2))
            .into_iter()
            .chain(values.windows((2, 1)))
        {
            let mut both = pair.iter();
            let (a, b) = (both.next().unwrap(), both.next().unwrap());
            assert!((a - b).abs() < 0.1);
        }
    }
}
