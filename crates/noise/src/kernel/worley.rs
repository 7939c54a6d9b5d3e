use super::Kernel;
use crate::lattice::Lattice;
use std::f64::consts::SQRT_2;

/// Distance to the nearest of one uniformly drawn point per lattice cell.
///
/// The sample's own cell holds a point at most √2 away and cells two rings out lie at least 1 away, so 5 × 5 cells
/// without the corners are exact and 3 × 3 are not. A cell is looked into only when it is nearer than the best
/// so far.
pub(super) struct Worley;

impl Kernel for Worley {
    #[inline]
    fn at(lattice: &Lattice, x: f64, y: f64) -> f64 {
        let cell = [x.floor(), y.floor()];
        let fraction = [x - cell[0], y - cell[1]];
        let node = cell.map(|c| c as i64);
        let mut best = squared_distance(lattice, node, fraction, [0, 0]);
        for [dx, dy] in RINGS {
            if squared_gap(fraction, [dx, dy]) < best {
                best = best.min(squared_distance(lattice, node, fraction, [dx, dy]));
            }
        }
        SQRT_2 * best.sqrt() - 1.0
    }
}

/// The first ring before the second, sides before corners: nearest first, so that most are never looked into.
const RINGS: [[i64; 2]; 20] = [
    [0, -1],
    [-1, 0],
    [1, 0],
    [0, 1],
    [-1, -1],
    [1, -1],
    [-1, 1],
    [1, 1],
    [0, -2],
    [-2, 0],
    [2, 0],
    [0, 2],
    [-1, -2],
    [1, -2],
    [-2, -1],
    [2, -1],
    [-2, 1],
    [2, 1],
    [-1, 2],
    [1, 2],
];

/// From a place in a cell to that cell's neighbour `offset` away, squared.
#[inline]
fn squared_gap(fraction: [f64; 2], offset: [i64; 2]) -> f64 {
    let along = |f: f64, d: i64| match d {
        0 => 0.0,
        d if d < 0 => f - (d + 1) as f64,
        d => d as f64 - f,
    };
    let [x, y] = [along(fraction[0], offset[0]), along(fraction[1], offset[1])];
    x * x + y * y
}

/// From a place in cell `node` to the point drawn in its neighbour `offset` away, squared.
#[inline]
fn squared_distance(
    lattice: &Lattice,
    node: [i64; 2],
    fraction: [f64; 2],
    offset: [i64; 2],
) -> f64 {
    const UNIT: f64 = 1.0 / (1_u64 << 32) as f64;
    let bits = lattice.bits(node[0] + offset[0], node[1] + offset[1]);
    let x = offset[0] as f64 + (bits >> 32) as f64 * UNIT - fraction[0];
    let y = offset[1] as f64 + (bits & 0xffff_ffff) as f64 * UNIT - fraction[1];
    x * x + y * y
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against every point of 9 × 9 cells.
    #[test]
    fn no_nearer_point_is_missed() {
        let lattice = Lattice::new(3);
        for i in 0..20_000 {
            let x = f64::from(i).mul_add(0.377, -3000.3);
            let y = f64::from(i).mul_add(-0.811, 1000.7);
            let cell = [x.floor(), y.floor()];
            let mut nearest = f64::INFINITY;
            for dx in -4..=4 {
                for dy in -4..=4 {
                    let (cx, cy) = (cell[0] as i64 + dx, cell[1] as i64 + dy);
                    let bits = lattice.bits(cx, cy);
                    let px = cx as f64 + (bits >> 32) as f64 / 4_294_967_296.0;
                    let py = cy as f64 + (bits as u32) as f64 / 4_294_967_296.0;
                    nearest = nearest.min((px - x).hypot(py - y));
                }
            }
            let ours = (Worley::at(&lattice, x, y) + 1.0) / SQRT_2;
            assert!(
                (ours - nearest).abs() < 1e-9,
                "{ours} for {nearest} at {x}, {y}"
            );
        }
    }

    /// The second ring decides once in millions of samples, so sampling would not notice a cell left out.
    #[test]
    fn every_cell_nearer_than_a_diagonal_is_looked_into_once() {
        let mut expected = Vec::new();
        for dx in -4..=4 {
            for dy in -4..=4 {
                // Cells √2 away or more cannot beat the sample's own.
                let gap2 = |d: i64| (d.abs() - 1).max(0).pow(2);
                if (dx, dy) != (0, 0) && gap2(dx) + gap2(dy) < 2 {
                    expected.push([dx, dy]);
                }
            }
        }
        let mut found = RINGS.to_vec();
        found.sort_unstable();
        assert_eq!(found, expected);
    }
}
