//! Whether lines that some code calls edges stand out from the other lines of a field.
//!
//! The field is what one cycle changed. Line l lies between rows (or columns) l − 1 and l. Its roughness is the
//! natural logarithm of the mean, over its cells, of the squared second differences that reach across it:
//!
//! ```text
//! roughness(l) = ln mean ((f[l−2] − 2 f[l−1] + f[l])² + (f[l−1] − 2 f[l] + f[l+1])²)
//! ```
//!
//! A jump at the line makes it rougher, a blend across it smoother than others. The logarithm is there because mean
//! squares have heavy tails: a river that a line happens to run along outweighs all else on the map, and a sum of
//! mean squares over cycles would be a sum over a dozen such lines. In logarithms every line has about the same say.
//!
//! Lines are judged against the same lines moved. If no seam exists, a field knows nothing of where its edges lie, and
//! the drawn tile offset is one of `period` equally likely ones. So the sum of roughness over the edges is compared
//! with the sums over the edges moved by 0, 1, … period − 1: all of them, which leaves nothing to chance, with the
//! distances between edges and the likeness of neighbouring lines kept. That gives one number of mean 0 and variance 1
//! per field and axis; n of them add up to z = Σ / √n, normal for many fields whatever the roughness looks like.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

/// Roughness by axis and line. The outermost lines, which second differences do not reach across, have none.
pub(crate) struct Roughness([Vec<Option<f64>>; 2]);

impl Roughness {
    /// Of the lines between rows, and of those between columns.
    ///
    /// # Panics
    /// When nothing changes along a line: then there are too few droplets to say anything.
    pub(crate) fn of(field: &Array2<f64>) -> Self {
        Self([across(field.view()), across(field.t())])
    }
}

fn across(field: ArrayView2<'_, f64>) -> Vec<Option<f64>> {
    let rows = field.nrows();
    let row = |index| field.index_axis(Axis(0), index);
    let centred: Vec<f64> = (1..rows - 1)
        .map(|at| second_difference(row(at - 1), row(at), row(at + 1)))
        .collect();
    let mut lines = vec![None; rows];
    for (pair, line) in centred.windows(2).zip(&mut lines[2..]) {
        let square = pair[0] + pair[1];
        assert!(square > 0.0, "a line without change");
        *line = Some(libm::log(square));
    }
    lines
}

/// Mean square.
fn second_difference(
    before: ArrayView1<'_, f64>,
    at: ArrayView1<'_, f64>,
    after: ArrayView1<'_, f64>,
) -> f64 {
    let cells = before.iter().zip(at).zip(after);
    let squares = cells.map(|((a, b), c)| (a - 2.0 * b + c).powi(2));
    squares.sum::<f64>() / at.len() as f64
}

/// What has been gathered about one kind of edges.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Evidence {
    /// Sum of standardised numbers, one per field and axis, and how many.
    standardised: f64,
    count: usize,
    /// Sum over fields and axes of how much rougher an edge is than a line.
    excess: f64,
}

impl Evidence {
    /// Adds a field with its edges, by axis, among which all that are a multiple of `period` apart from one of them.
    pub(crate) fn add(&mut self, roughness: &Roughness, edges: &[Vec<usize>; 2], period: usize) {
        for (lines, edges) in roughness.0.iter().zip(edges) {
            assert!(lines.len() > period, "an edge of each kind on the map");
            self.add_axis(lines, edges, period);
        }
    }

    fn add_axis(&mut self, lines: &[Option<f64>], edges: &[usize], period: usize) {
        let mean = mean_of(lines.iter().copied().flatten());
        let mut sums = vec![(0.0, 0.0); period];
        for (line, roughness) in lines.iter().enumerate() {
            if let Some(roughness) = roughness {
                let (sum, count) = &mut sums[line % period];
                *sum += roughness - mean;
                *count += 1.0;
            }
        }
        let mut residues: Vec<usize> = edges.iter().map(|edge| edge % period).collect();
        residues.sort_unstable();
        residues.dedup();
        // Sum of roughness and number of lines, of the edges moved by 0, 1, … lines.
        let moved: Vec<(f64, f64)> = (0..period)
            .map(|by| {
                let lines = residues.iter().map(|residue| sums[(residue + by) % period]);
                lines.fold((0.0, 0.0), |all, one| (all.0 + one.0, all.1 + one.1))
            })
            .collect();
        let expected = mean_of(moved.iter().map(|(sum, _)| *sum));
        let variance = mean_of(moved.iter().map(|(sum, _)| (sum - expected).powi(2)));
        self.standardised += (moved[0].0 - expected) / variance.sqrt();
        self.count += 1;
        self.excess += moved[0].0 / moved[0].1;
    }

    /// Standard deviations by which edges are rougher than lines; negative where they are smoother.
    pub(crate) fn z(&self) -> f64 {
        self.standardised / (self.count as f64).sqrt()
    }

    /// Typical mean square at an edge as a share of that at a line.
    pub(crate) fn ratio(&self) -> f64 {
        libm::exp(self.excess / self.count as f64)
    }
}

fn mean_of(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_grid::{Purpose, StageKey};

    const PERIOD: usize = 32;

    /// A parabola has the same second difference everywhere: 2 along rows' axis, where f = row².
    #[test]
    fn a_parabola_is_equally_rough_everywhere() {
        let field = Array2::from_shape_fn((9, 7), |(row, col)| (row * row + 3 * col * col) as f64);
        let Roughness([rows, cols]) = Roughness::of(&field);
        assert_eq!(rows.iter().flatten().count(), 6);
        assert!(rows[1].is_none() && rows[2].is_some() && rows[7].is_some() && rows[8].is_none());
        for (lines, second) in [(rows, 2.0), (cols, 6.0)] {
            for roughness in lines.into_iter().flatten() {
                assert!((roughness - f64::ln(2.0 * second * second)).abs() < 1e-9);
            }
        }
    }

    /// Noise with tails as heavy as rivers': its logarithm is normal with a standard deviation of 3, and neighbouring
    /// rows and columns are alike.
    fn noise(seed: u64) -> Array2<f64> {
        let key = StageKey::new(seed, "noise");
        let unit = |row: usize, col: usize| {
            let twelve =
                (0..12).map(|part| key.bits(Purpose::Noise, part, (row * 512 + col) as u64));
            let sum: f64 = twelve
                .map(|bits| (bits >> 11) as f64 / (1u64 << 53) as f64)
                .sum();
            sum - 6.0
        };
        Array2::from_shape_fn((80, 96), |(row, col)| {
            let (along, across) = (unit(row / 5, 500), unit(501, col / 5));
            libm::exp(2.0 * unit(row, col) + 1.5 * along + 1.5 * across)
        })
    }

    fn draw(replicate: u64, field: u64, axis: u64) -> usize {
        (StageKey::new(replicate, "edges").bits(Purpose::TileGrid, field, axis) % PERIOD as u64)
            as usize
    }

    fn lattice(offset: usize, size: usize) -> Vec<usize> {
        (0..size).filter(|line| line % PERIOD == offset).collect()
    }

    /// Where edges mean nothing, z is a standard normal number.
    #[test]
    fn z_is_standard_normal_where_there_is_no_seam() {
        const REPLICATES: u64 = 400;
        let fields: Vec<_> = (0..40).map(|seed| Roughness::of(&noise(seed))).collect();
        let z: Vec<f64> = (0..REPLICATES)
            .map(|replicate| {
                let mut evidence = Evidence::default();
                for (field, roughness) in fields.iter().enumerate() {
                    let offset = |axis| draw(replicate, field as u64, axis);
                    let edges = [lattice(offset(0), 80), lattice(offset(1), 96)];
                    evidence.add(roughness, &edges, PERIOD);
                }
                evidence.z()
            })
            .collect();
        let mean = mean_of(z.iter().copied());
        let square = mean_of(z.iter().map(|z| z * z));
        let beyond = z.iter().filter(|z| z.abs() > 3.0).count();
        // Standard errors: 0.05 and 0.07; 1.1 beyond 3 are expected.
        assert!(
            mean.abs() < 0.2 && (square - 1.0).abs() < 0.25,
            "{mean} {square}"
        );
        assert!(beyond <= 6, "{beyond}");
    }
}
