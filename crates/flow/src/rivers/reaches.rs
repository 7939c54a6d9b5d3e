//! Rivers in pieces without junctions.

use super::Drainage;
use ndarray::ArrayView2;
use std::f64::consts::SQRT_2;

/// A piece of a river: from a source, a junction, or where it enters or leaves a lake, to the next such place or the
/// mouth.
#[derive(Debug, Clone, PartialEq)]
pub struct Reach {
    /// Its cells down the river as row-major indices, two at least; the last is the first of the next reach.
    pub cells: Vec<usize>,
    /// Order after Strahler 1957 (doi:10.1029/TR038i006p00913): 1 below a source; one more where two of the largest
    /// order meet.
    pub strahler: u32,
    /// Number of the place where it begins, from 1.
    pub from_node: u32,
    /// Number of the place where it ends.
    pub to_node: u32,
    /// Cells above its end, without those of rivers that it meets there.
    pub cells_above: u64,
    /// Length in cells; a diagonal is √2.
    pub length_cells: f64,
    /// How much the surface goes down along it: never less than 0.
    pub fall: f64,
    /// The lake in which it runs; 0 for none.
    pub lake: u32,
    /// The lake into which it runs; 0 for none.
    pub into_lake: u32,
}

impl Drainage {
    /// Rivers where at least so many cells lie above, in the order of the reaches' first cells. `lakes` are numbers of
    /// lakes, 0 for none, at whose shores rivers are cut.
    ///
    /// # Panics
    /// When `lakes` has another shape than the surface.
    #[must_use]
    pub fn rivers(&self, least_cells: u64, lakes: Option<ArrayView2<'_, u32>>) -> Vec<Reach> {
        if let Some(lakes) = lakes {
            assert_eq!(lakes.dim(), self.shape.dim(), "lakes and surface");
        }
        let lake = |cell| lakes.map_or(0, |lakes| lakes[self.shape.position(cell)]);
        let river = |cell: usize| self.above[cell] >= least_cells.max(1);
        let (strahler, donors) = self.orders(&river);
        let mut node = vec![0; self.to.len()];
        for (cell, &next) in self.to.iter().enumerate() {
            if river(cell) && next != cell && (lake(cell) != lake(next) || donors[next] > 1) {
                node[next] = 1;
            }
            if river(cell) && (donors[cell] == 0 || next == cell) {
                node[cell] = 1;
            }
        }
        let mut count = 0;
        for number in node.iter_mut().filter(|number| **number > 0) {
            count += 1;
            *number = count;
        }
        let begins = |cell: &usize| node[*cell] > 0 && self.to[*cell] != *cell;
        (0..self.to.len())
            .filter(begins)
            .map(|cell| {
                let cells = self.follow(cell, &node);
                let [.., before, end] = cells[..] else {
                    unreachable!("a reach has a first and a last cell");
                };
                Reach {
                    strahler: strahler[cell],
                    from_node: node[cell],
                    to_node: node[end],
                    cells_above: self.above[if donors[end] > 1 { before } else { end }],
                    length_cells: self.length_cells(&cells),
                    fall: self.level[cell] - self.level[end],
                    lake: lake(cell),
                    into_lake: if lake(end) == lake(cell) {
                        0
                    } else {
                        lake(end)
                    },
                    cells,
                }
            })
            .collect()
    }

    /// Strahler orders of river cells, and how many river cells run into each.
    fn orders(&self, river: &dyn Fn(usize) -> bool) -> (Vec<u32>, Vec<u8>) {
        let mut order = vec![0_u32; self.to.len()];
        let mut donors = vec![0_u8; self.to.len()];
        // How many of the largest order have come so far.
        let mut largest = vec![0_u8; self.to.len()];
        for &cell in self.downstream.iter().filter(|cell| river(**cell)) {
            order[cell] = match largest[cell] {
                0 => 1,
                1 => order[cell],
                _ => order[cell] + 1,
            };
            let next = self.to[cell];
            if next == cell {
                continue;
            }
            donors[next] += 1;
            match order[cell].cmp(&order[next]) {
                std::cmp::Ordering::Greater => (order[next], largest[next]) = (order[cell], 1),
                std::cmp::Ordering::Equal => largest[next] += 1,
                std::cmp::Ordering::Less => {}
            }
        }
        (order, donors)
    }

    fn follow(&self, first: usize, node: &[u32]) -> Vec<usize> {
        let mut cells = vec![first];
        let mut cell = first;
        loop {
            cell = self.to[cell];
            cells.push(cell);
            if node[cell] > 0 {
                return cells;
            }
        }
    }

    fn length_cells(&self, cells: &[usize]) -> f64 {
        let steps = cells.windows(2);
        let diagonals = steps.filter(|step| {
            let (row, col) = self.shape.position(step[0]);
            let (next_row, next_col) = self.shape.position(step[1]);
            row != next_row && col != next_col
        });
        let diagonals = diagonals.count();
        (cells.len() - 1 - diagonals) as f64 + SQRT_2 * diagonals as f64
    }
}
