use super::Nodes;
use crate::hash::{self, Key};
use ndarray::Array2;

/// Values at nodes of the finest lattice. Level k has the key `keys[k]`; the first is the coarsest.
pub(super) fn values(nodes: Nodes, gain: f64, keys: &[Key]) -> Array2<f32> {
    let amplitudes: Vec<f64> = std::iter::successors(Some(1.0), |a| Some(a * gain))
        .take(keys.len())
        .collect();
    // A square's middle lies at most an offset off its corners, a side's middle half of that and an offset.
    let most = 1.0 + 1.5 * amplitudes[1..].iter().sum::<f64>();
    let mut needed = vec![nodes];
    for _ in 1..keys.len() {
        needed.push(coarser(needed[needed.len() - 1]));
    }
    needed.reverse();
    let offset = |level: usize, x: i64, y: i64| {
        let (key, amplitude) = (keys[level], amplitudes[level] / most);
        let lines = hash::line::<0>(x, key).wrapping_add(hash::line::<1>(y, key));
        hash::signed(hash::node(lines)) * amplitude as f32
    };
    let mut values = needed[0].array();
    let [x0, y0] = [needed[0].x[0], needed[0].y[0]];
    for ((row, col), value) in values.indexed_iter_mut() {
        *value = offset(0, x0 + col as i64, y0 + row as i64);
    }
    for level in 1..keys.len() {
        let parents = Level {
            nodes: needed[level - 1],
            values: &values,
        };
        values = refine(parents, needed[level], |x, y| offset(level, x, y));
    }
    values
}

/// The parents that a finer rectangle needs: middles of squares one node around it, and their corners.
fn coarser(nodes: Nodes) -> Nodes {
    let coarser = |[from, to]: [i64; 2]| [(from - 1).div_euclid(2), (to + 1).div_euclid(2) + 1];
    Nodes {
        x: coarser(nodes.x),
        y: coarser(nodes.y),
    }
}

struct Level<'a> {
    nodes: Nodes,
    values: &'a Array2<f32>,
}

impl Level<'_> {
    fn at(&self, x: i64, y: i64) -> f32 {
        self.values[(
            (y - self.nodes.y[0]) as usize,
            (x - self.nodes.x[0]) as usize,
        )]
    }

    /// The middle of the square whose lower corner is (x, y).
    fn middle(&self, x: i64, y: i64) -> f32 {
        mean([
            self.at(x, y),
            self.at(x + 1, y),
            self.at(x, y + 1),
            self.at(x + 1, y + 1),
        ])
    }
}

fn mean([a, b, c, d]: [f32; 4]) -> f32 {
    ((a + b) + (c + d)) * 0.25
}

/// One level: corners stay, middles of squares (diamond), then middles of sides (square).
fn refine(parents: Level<'_>, nodes: Nodes, offset: impl Fn(i64, i64) -> f32) -> Array2<f32> {
    let around = nodes.wider(1);
    let mut wide = around.array();
    let [x0, y0] = [around.x[0], around.y[0]];
    for ((row, col), value) in wide.indexed_iter_mut() {
        let (x, y) = (x0 + col as i64, y0 + row as i64);
        let (px, py) = (x.div_euclid(2), y.div_euclid(2));
        *value = match (x & 1, y & 1) {
            (1, 1) => parents.middle(px, py) + offset(x, y),
            // Corners one off the rectangle may be missing among the parents, and nobody needs them.
            (0, 0) if nodes.x[0] <= x && x <= nodes.x[1] && nodes.y[0] <= y && y <= nodes.y[1] => {
                parents.at(px, py)
            }
            _ => 0.0,
        };
    }
    let mut values = nodes.array();
    for ((row, col), value) in values.indexed_iter_mut() {
        let (x, y) = (nodes.x[0] + col as i64, nodes.y[0] + row as i64);
        let fine = |dx: i64, dy: i64| wide[((y + dy - y0) as usize, (x + dx - x0) as usize)];
        let corner = |dx: i64, dy: i64| parents.at((x + dx).div_euclid(2), (y + dy).div_euclid(2));
        *value = match (x & 1, y & 1) {
            (1, 0) => mean([corner(-1, 0), corner(1, 0), fine(0, -1), fine(0, 1)]) + offset(x, y),
            (0, 1) => mean([fine(-1, 0), fine(1, 0), corner(0, -1), corner(0, 1)]) + offset(x, y),
            _ => fine(0, 0),
        };
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: nine parents 0..8 in rows of three, every offset ½.
    #[test]
    fn a_level_is_what_it_is_by_hand() {
        let nodes = |x, y| Nodes { x, y };
        let values = Array2::from_shape_fn((3, 3), |(row, col)| (3 * row + col) as f32);
        let parents = Level {
            nodes: nodes([0, 2], [0, 2]),
            values: &values,
        };
        let fine = refine(parents, nodes([1, 3], [1, 3]), |_, _| 0.5);
        // Middles: (0 + 1 + 3 + 4) ÷ 4 + ½ = 2.5, then 3.5, 5.5, 6.5. Sides around the node in the middle, 4: that
        // to the south (1 + 4 + 2.5 + 3.5) ÷ 4 + ½ = 3.25; west (3 + 4 + 2.5 + 5.5) ÷ 4 + ½ = 4.25.
        let expected = [[2.5, 3.25, 3.5], [4.25, 4.0, 5.25], [5.5, 6.25, 6.5]];
        assert_eq!(fine, ndarray::arr2(&expected));
    }

    #[test]
    fn a_part_is_the_same_part_of_a_larger_one() {
        let key = thalweg_grid::StageKey::new(3, "a");
        let keys: Vec<Key> = (0..7).map(|level| Key::new(key, 0, level)).collect();
        let large = Nodes {
            x: [-200, 150],
            y: [-90, 120],
        };
        let small = Nodes {
            x: [-77, 13],
            y: [5, 64],
        };
        let (whole, part) = (values(large, 0.6, &keys), values(small, 0.6, &keys));
        let cut = whole.slice(ndarray::s![95..155, 123..214]);
        assert_eq!(cut, part);
        let most = whole.iter().fold(0.0_f32, |m, v| m.max(v.abs()));
        assert!((0.3..=1.0).contains(&most), "{most}");
    }
}
