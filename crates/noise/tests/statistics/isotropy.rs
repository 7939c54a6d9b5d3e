use crate::{fourier, map, plain, sum};
use thalweg_noise::{Noise, Source};

/// The fullest of 36 bins of aspect over the emptiest, over several seeds.
fn anisotropy(noise: &Noise) -> f64 {
    let mut bins = [0.0; 36];
    for seed in 0..6 {
        let values = map(noise, 900, seed);
        for square in values.windows((3, 3)) {
            let east = f64::from(square[(1, 2)] - square[(1, 0)]);
            let north = f64::from(square[(0, 1)] - square[(2, 1)]);
            let turn = north.atan2(east) / std::f64::consts::TAU + 0.5;
            bins[((turn * 36.0) as usize).min(35)] += 1.0;
        }
    }
    bins.iter().fold(0.0, |m, v| f64::max(m, *v)) / bins.iter().fold(f64::MAX, |m, v| m.min(*v))
}

/// The `noise` crate's Perlin has 2.28.
#[test]
fn slopes_look_all_ways() {
    for (source, most) in [
        (Source::Perlin, 1.45),
        (Source::Simplex, 1.25),
        (Source::OpenSimplex2, 1.25),
        (Source::OpenSimplex2S, 1.25),
    ] {
        let found = anisotropy(&plain(source, 9.7));
        assert!(found <= most, "{source:?}: {found}");
    }
}

/// Power along the axes against power along the diagonals, octave by octave of wavelength.
#[test]
fn spectra_look_all_ways() {
    let mut power = [[[0.0_f64; 2]; 2]; 4];
    for seed in 0..8 {
        let spectrum = fourier::spectrum(&map(&Noise::Fbm(sum(200.0, 8, 0.5)), 512, seed));
        for ((row, col), p) in spectrum.indexed_iter() {
            let [y, x] = [row, col].map(|k| if k > 256 { k as f64 - 512.0 } else { k as f64 });
            let k = x.hypot(y);
            // Off the axes themselves, to which what remains of the window keeps.
            if k < 4.0 || x.abs().min(y.abs()) < 1.5 {
                continue;
            }
            let band = (512.0 / k / 4.0).log2().floor();
            let angle = y.abs().atan2(x.abs()).to_degrees();
            // Each direction belongs to the nearer of the two.
            let sector = usize::from((22.5..67.5).contains(&angle));
            if (0.0..4.0).contains(&band) {
                let cell: &mut [f64; 2] = &mut power[band as usize][sector];
                // Power falls with k³: it is evened out within a band.
                *cell = [cell[0] + p * k.powi(4), cell[1] + 1.0];
            }
        }
    }
    for (band, [axis, diagonal]) in power.iter().enumerate() {
        let decibel = 10.0 * ((axis[0] / axis[1]) / (diagonal[0] / diagonal[1])).log10();
        assert!(
            decibel.abs() < 1.0,
            "{decibel} dB at wavelengths from {} cells",
            4 << band
        );
    }
}
