use crate::{fourier, map, sum};
use thalweg_noise::Noise;

/// The exponent β of the spectrum ∝ k^−β, over two octaves away from the first and the last.
fn slope(gain: f64) -> f64 {
    let size = 512;
    // Mean power at each whole |k|.
    let mut power = vec![[0.0; 2]; size];
    for seed in 0..12 {
        let spectrum = fourier::spectrum(&map(&Noise::Fbm(sum(128.0, 7, gain)), size, seed));
        for ((row, col), p) in spectrum.indexed_iter() {
            let [y, x] = [row, col].map(|k| k.min(size - k) as f64);
            let cell: &mut [f64; 2] = &mut power[x.hypot(y).round() as usize];
            *cell = [cell[0] + p, cell[1] + 1.0];
        }
    }
    // Whole octaves: each has the same shape, and ripples cancel.
    let band = |from: usize| -> f64 {
        let at = (from..2 * from).map(|k| (power[k][0] / power[k][1]).ln() / k as f64);
        at.sum::<f64>() / (from..2 * from).map(|k| 1.0 / k as f64).sum::<f64>()
    };
    (band(12) - band(48)) / (4.0_f64.ln())
}

/// β = 2H + 2 with H = −ln gain ÷ ln lacunarity.
#[test]
fn the_slope_of_fbm_is_that_of_its_gain() {
    for gain in [0.6_f64, 0.7, 0.8] {
        let expected = 2.0 - 2.0 * gain.log2();
        let found = slope(gain);
        assert!(
            (found / expected - 1.0).abs() < 0.05,
            "gain {gain}: {found} for {expected}"
        );
    }
}
