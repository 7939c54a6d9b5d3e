use super::Nodes;
use crate::expression::Automaton;
use crate::hash::{self, Key};
use ndarray::Array2;

/// Cells after all generations, 0 or 1. A generation reaches one cell further, so that it begins with as many more.
pub(super) fn values(nodes: Nodes, of: &Automaton, key: Key) -> Array2<f32> {
    let mut around = nodes.wider(i64::from(of.generations));
    let mut cells = first(around, of.fill, key);
    for _ in 0..of.generations {
        cells = next(&cells, of.born, of.survive);
        around = around.wider(-1);
    }
    debug_assert_eq!(around, nodes, "each generation takes a ring off");
    cells.mapv(f32::from)
}

fn first(nodes: Nodes, fill: f64, key: Key) -> Array2<u8> {
    // As many of 2³² hashes as the share says.
    let below = (fill * 4_294_967_296.0) as u64;
    let columns: Vec<u32> = (nodes.x[0]..=nodes.x[1])
        .map(|x| hash::line::<0>(x, key))
        .collect();
    let rows: Vec<u32> = (nodes.y[0]..=nodes.y[1])
        .map(|y| hash::line::<1>(y, key))
        .collect();
    Array2::from_shape_fn((rows.len(), columns.len()), |(row, col)| {
        u8::from(u64::from(hash::node(columns[col].wrapping_add(rows[row]))) < below)
    })
}

/// One generation, of all cells but the outermost ring.
fn next(cells: &Array2<u8>, born: u32, survive: u32) -> Array2<u8> {
    let (rows, cols) = cells.dim();
    Array2::from_shape_fn((rows - 2, cols - 2), |(row, col)| {
        let square = cells.slice(ndarray::s![row..row + 3, col..col + 3]);
        let own = cells[(row + 1, col + 1)];
        let living = square.iter().map(|cell| u32::from(*cell)).sum::<u32>() - u32::from(own);
        u8::from(living >= if own == 1 { survive } else { born })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::arr2;

    /// Counted by hand. Born with 5, stays with 4.
    #[test]
    fn a_generation_is_what_it_is_by_hand() {
        let cells = arr2(&[
            [1, 1, 1, 0, 0],
            [1, 0, 1, 1, 0],
            [1, 1, 1, 0, 0],
            [0, 0, 0, 1, 0],
            [0, 1, 0, 0, 0],
        ]);
        // Neighbours of the inner cells: 8 5 3; 4 4 4; 4 4 1.
        assert_eq!(next(&cells, 5, 4), arr2(&[[1, 1, 0], [1, 1, 0], [0, 0, 0]]));
    }

    #[test]
    fn a_part_is_the_same_part_of_a_larger_one() {
        let of = Automaton {
            cell_m: 1.0,
            fill: 0.45,
            generations: 5,
            born: 5,
            survive: 4,
            smooth: false,
            seed: 0,
        };
        let key = Key::new(thalweg_grid::StageKey::new(3, "a"), 0, 0);
        let whole = values(
            Nodes {
                x: [-60, 90],
                y: [-40, 70],
            },
            &of,
            key,
        );
        let part = values(
            Nodes {
                x: [-13, 40],
                y: [3, 50],
            },
            &of,
            key,
        );
        assert_eq!(whole.slice(ndarray::s![43..91, 47..101]), part);
        let share = whole.mean().unwrap();
        assert!((0.2..0.7).contains(&share), "{share}");
    }
}
