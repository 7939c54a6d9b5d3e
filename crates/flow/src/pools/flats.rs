//! Ways off flats, for those who follow water over dry ground.

use super::measure::ground;
use super::{Bed, Kind};
use crate::height::At;
use std::collections::{HashMap, HashSet};

/// The exits of flats that were asked for so far, by cell.
#[derive(Debug, Default)]
pub(super) struct Flats(HashMap<usize, Option<usize>>);

impl Flats {
    /// Where water leaves the flat of a dry cell without a lower neighbour, as a pool that owns the flat spills: over
    /// the first exit by sill index, then receiver height, then receiver index; where nothing is lower, over the first
    /// end of the map at its height. None where water has to rise.
    pub(super) fn exit<B: Bed>(&mut self, bed: &B, cell: usize) -> Option<usize> {
        if let Some(&exit) = self.0.get(&cell) {
            return exit;
        }
        let (cells, rim) = flat(bed, cell);
        let height = ground(bed, cell);
        let at = |cell| At {
            height: ground(bed, cell),
            cell,
        };
        let lower = rim.iter().filter(|&&(_, to)| ground(bed, to) < height);
        let lowest = lower.map(|&(sill, to)| (sill, at(to))).min();
        let end = rim.iter().map(|&(_, to)| to).min();
        let exit = lowest.map(|(_, at)| at.cell).or(end);
        self.0.extend(cells.into_iter().map(|cell| (cell, exit)));
        exit
    }
}

/// The cells of a flat, and what lies around it no higher: own cell, cell beyond.
fn flat<B: Bed>(bed: &B, from: usize) -> (Vec<usize>, Vec<(usize, usize)>) {
    let height = ground(bed, from);
    let mut seen = HashSet::from([from]);
    let (mut cells, mut rim) = (vec![from], Vec::new());
    let mut next = 0;
    while let Some(&cell) = cells.get(next) {
        next += 1;
        for other in bed.shape().neighbours(cell) {
            let level = ground(bed, other).total_cmp(&height);
            if level.is_eq() && bed.kind(other) == Kind::Land {
                if seen.insert(other) {
                    cells.push(other);
                }
            } else if level.is_le() {
                rim.push((cell, other));
            }
        }
    }
    (cells, rim)
}
