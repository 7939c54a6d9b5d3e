//! Power spectra.

use ndarray::{Array2, Axis};
use std::f64::consts::{PI, TAU};

/// |F|² of a square map of a power of two, less its mean, under a Hann window in both directions.
pub(crate) fn spectrum(map: &Array2<f32>) -> Array2<f64> {
    let n = map.nrows();
    let mean = map.iter().map(|v| f64::from(*v)).sum::<f64>() / map.len() as f64;
    let window: Vec<f64> = (0..n)
        .map(|k| (PI * (k as f64 + 0.5) / n as f64).sin().powi(2))
        .collect();
    let mut re = Array2::from_shape_fn((n, n), |(r, c)| {
        (f64::from(map[(r, c)]) - mean) * window[r] * window[c]
    });
    let mut im = Array2::zeros((n, n));
    for axis in [Axis(1), Axis(0)] {
        for (mut re, mut im) in re.lanes_mut(axis).into_iter().zip(im.lanes_mut(axis)) {
            let (mut a, mut b) = (re.to_vec(), im.to_vec());
            transform(&mut a, &mut b);
            re.iter_mut().zip(a).for_each(|(to, from)| *to = from);
            im.iter_mut().zip(b).for_each(|(to, from)| *to = from);
        }
    }
    re.zip_mut_with(&im, |re, im| *re = *re * *re + im * im);
    re
}

/// Cooley and Tukey's, radix 2.
fn transform(re: &mut [f64], im: &mut [f64]) {
    let n = re.len();
    let bits = n.trailing_zeros();
    for i in 0..n {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if i < j {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        for k in 0..half {
            let (sin, cos) = (-TAU * k as f64 / (2 * half) as f64).sin_cos();
            for i in (k..n).step_by(2 * half) {
                let j = i + half;
                let (x, y) = (re[j] * cos - im[j] * sin, re[j] * sin + im[j] * cos);
                (re[j], im[j]) = (re[i] - x, im[i] - y);
                (re[i], im[i]) = (re[i] + x, im[i] + y);
            }
        }
        half *= 2;
    }
}

/// A wave of five periods has its power at ±5, and next to it under the window.
#[test]
fn a_wave_has_its_frequency() {
    let map = Array2::from_shape_fn((64, 64), |(_, col)| {
        (TAU * 5.0 * col as f64 / 64.0).sin() as f32
    });
    let found = spectrum(&map);
    let most = found.iter().fold(0.0, |m: f64, v| m.max(*v));
    assert!(
        (found[(0, 5)] - most).abs() < 1e-9 * most && (found[(0, 59)] - most).abs() < 1e-6 * most
    );
    assert!(found[(0, 9)] < 1e-9 * most && found[(5, 0)] < 1e-9 * most);
}
