//! Whether lines that some code calls edges stand out from the other lines of a field.
//!
//! The field is what one cycle changed, or a whole stage. Line l lies between rows (or columns) l − 1 and l. Two
//! numbers say what it is like, from the second differences d of both kinds that reach across it:
//!
//! ```text
//! d1 = f[l−2] − 2 f[l−1] + f[l],   d2 = f[l−1] − 2 f[l] + f[l+1]
//! roughness(l)    = ln (mean d1² + mean d2²)
//! straightness(l) = ((Σ d1)² + (Σ d2)²) / (Σ d1² + Σ d2²)
//! ```
//!
//! Roughness: a jump at the line makes it rougher, a blend across it smoother than others. The logarithm is there
//! because mean squares have heavy tails: a river that a line happens to run along outweighs all else on the map, and a
//! sum of mean squares over cycles would be a sum over a dozen such lines. In logarithms every line has about the same
//! say.
//!
//! Straightness: rivers and ridges bend a field up here and down there, a seam bends it the same way all along the
//! line, as hillshades show. Divided by the squares, what the ground is like cancels, so that it sees a faint seam in
//! a single field, where roughness needs many.
//!
//! Lines are judged against the same lines moved. If no seam exists, a field knows nothing of where its edges lie, and
//! the drawn tile offset is one of `period` equally likely ones. So the sum over the edges is compared with the sums
//! over the edges moved by 0, 1, … period − 1: all of them, which leaves nothing to chance, with the distances between
//! edges and the likeness of neighbouring lines kept. That gives one number of mean 0 and variance 1 per field and
//! axis; n of them add up to z = Σ / √n, normal for many fields whatever the lines look like.

use ndarray::{Array2, ArrayView1, ArrayView2, Axis};

/// A number for each line, by axis. The outermost lines, which second differences do not reach across, have none.
pub(crate) struct Lines([Vec<Option<f64>>; 2]);

/// Both numbers of a field's lines.
pub(crate) struct Measured {
    pub roughness: Lines,
    pub straightness: Lines,
}

impl Measured {
    /// Of the lines between rows, and of those between columns.
    ///
    /// # Panics
    /// When nothing changes along a line: then there are too few droplets to say anything.
    pub(crate) fn of(field: &Array2<f64>) -> Self {
        let sums = [across(field.view()), across(field.t())];
        let lines =
            |number: fn(&Sums) -> f64| Lines(sums.each_ref().map(|sums| lines_of(sums, number)));
        Self {
            roughness: lines(|sums| libm::log(sums.squares)),
            straightness: lines(|sums| sums.squared_sum / sums.squares),
        }
    }
}

/// Of the second differences along one row, or two.
#[derive(Debug, Clone, Copy)]
struct Sums {
    /// Σ d², per cell.
    squares: f64,
    /// (Σ d)², per cell.
    squared_sum: f64,
}

/// Of the second differences centred on each row but the first and the last.
fn across(field: ArrayView2<'_, f64>) -> Vec<Sums> {
    let row = |index| field.index_axis(Axis(0), index);
    (1..field.nrows() - 1)
        .map(|at| along(row(at - 1), row(at), row(at + 1)))
        .collect()
}

fn along(before: ArrayView1<'_, f64>, at: ArrayView1<'_, f64>, after: ArrayView1<'_, f64>) -> Sums {
    let cells = at.len() as f64;
    let (mut sum, mut squares) = (0.0, 0.0);
    for ((a, b), c) in before.iter().zip(at).zip(after) {
        let second = a - 2.0 * b + c;
        sum += second;
        squares += second * second;
    }
    Sums {
        squares: squares / cells,
        squared_sum: sum * sum / cells,
    }
}

fn lines_of(centred: &[Sums], number: fn(&Sums) -> f64) -> Vec<Option<f64>> {
    let mut lines = vec![None; centred.len() + 2];
    for (pair, line) in centred.windows(2).zip(&mut lines[2..]) {
        let both = Sums {
            squares: pair[0].squares + pair[1].squares,
            squared_sum: pair[0].squared_sum + pair[1].squared_sum,
        };
        assert!(both.squares > 0.0, "a line without change");
        *line = Some(number(&both));
    }
    lines
}

/// What has been gathered about one kind of edges.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Evidence {
    /// Sum of standardised numbers, one per field and axis, and how many.
    standardised: f64,
    count: usize,
    /// Sum over fields and axes of how much more an edge has than a line.
    excess: f64,
}

impl Evidence {
    /// Adds a field with its edges, by axis, among which all that are a multiple of `period` apart from one of them.
    pub(crate) fn add(&mut self, lines: &Lines, edges: &[Vec<usize>; 2], period: usize) {
        for (lines, edges) in lines.0.iter().zip(edges) {
            assert!(lines.len() > period, "an edge of each kind on the map");
            self.add_axis(lines, edges, period);
        }
    }

    fn add_axis(&mut self, lines: &[Option<f64>], edges: &[usize], period: usize) {
        let mean = mean_of(lines.iter().copied().flatten());
        let mut sums = vec![(0.0, 0.0); period];
        for (line, number) in lines.iter().enumerate() {
            if let Some(number) = number {
                let (sum, count) = &mut sums[line % period];
                *sum += number - mean;
                *count += 1.0;
            }
        }
        let mut residues: Vec<usize> = edges.iter().map(|edge| edge % period).collect();
        residues.sort_unstable();
        residues.dedup();
        // Sum over the lines and their count, of the edges moved by 0, 1, … lines.
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

    /// Standard deviations by which edges have more than other lines; negative where they have less.
    pub(crate) fn z(&self) -> f64 {
        self.standardised / (self.count as f64).sqrt()
    }

    /// By how much edges have more than a line has on average.
    pub(crate) fn excess(&self) -> f64 {
        self.excess / self.count as f64
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

    /// A parabola has the same second difference everywhere, so it bends one way all along every line.
    #[test]
    fn a_parabola_is_equally_rough_and_straight_everywhere() {
        let field = Array2::from_shape_fn((9, 7), |(row, col)| (row * row + 3 * col * col) as f64);
        let found = Measured::of(&field);
        let near = |lines: &[Option<f64>], expected: f64| {
            assert!(lines[1].is_none() && lines[lines.len() - 1].is_none());
            assert_eq!(lines.iter().flatten().count(), lines.len() - 3);
            for number in lines.iter().flatten() {
                assert!((number - expected).abs() < 1e-9, "{number} {expected}");
            }
        };
        near(&found.roughness.0[0], f64::ln(8.0));
        near(&found.roughness.0[1], f64::ln(72.0));
        near(&found.straightness.0[0], 7.0);
        near(&found.straightness.0[1], 9.0);
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

    /// z of edges that were drawn without regard to the fields, many times over.
    fn drawn(fields: &[Measured], number: fn(&Measured) -> &Lines) -> Vec<f64> {
        let one = |replicate| {
            let mut evidence = Evidence::default();
            for (field, measured) in fields.iter().enumerate() {
                let offset = |axis| draw(replicate, field as u64, axis);
                let edges = [lattice(offset(0), 80), lattice(offset(1), 96)];
                evidence.add(number(measured), &edges, PERIOD);
            }
            evidence.z()
        };
        (0..400).map(one).collect()
    }

    /// Where edges mean nothing, z is a standard normal number.
    #[test]
    fn z_is_standard_normal_where_there_is_no_seam() {
        let fields: Vec<_> = (0..40).map(|seed| Measured::of(&noise(seed))).collect();
        for z in [
            drawn(&fields, |m| &m.roughness),
            drawn(&fields, |m| &m.straightness),
        ] {
            let mean = mean_of(z.iter().copied());
            let square = mean_of(z.iter().map(|z| z * z));
            let beyond = z.iter().filter(|z| z.abs() > 3.0).count();
            // Standard errors are 0.05 and 0.07; 1.1 are expected beyond 3.
            assert!(
                mean.abs() < 0.2 && (square - 1.0).abs() < 0.25,
                "{mean} {square}"
            );
            assert!(beyond <= 6, "{beyond}");
        }
    }
}
