//! Outlines of areas of equal ids.

use ndarray::{Array2, ArrayView2};
use std::collections::{BTreeMap, HashMap};

/// A corner of cells: `[row, col]` of the cell whose north-west corner it is; up to the number of rows and columns.
pub type Corner = [usize; 2];

/// A closed line of corners, the first once more at the end; only those where it turns.
pub type Ring = Vec<Corner>;

/// A shell and the holes in it. No ring touches itself; holes may touch the shell and one another at single corners.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Outline {
    /// The outer ring, counter-clockwise as a map with north above shows it.
    pub shell: Ring,
    /// Rings around what lies in it and does not belong to it, clockwise, in the order of their first cells.
    pub holes: Vec<Ring>,
}

/// Outlines of the cells of each id but 0: one for each part whose cells hang together by their sides, in row order of
/// the parts' first cells. Parts that meet at a corner alone are two, so that every outline is a valid polygon: its
/// inside hangs together and its rings do not cross.
#[must_use]
pub fn outlines(ids: ArrayView2<'_, u32>) -> BTreeMap<u32, Vec<Outline>> {
    let (parts, count) = parts(ids);
    let mut found = vec![Outline::default(); count];
    let mut id_of = vec![0; count];
    // Every ring passes the north side of a cell, and is followed from the first of them.
    let mut passed = Array2::from_elem(ids.dim(), false);
    for ((row, col), &id) in ids.indexed_iter() {
        if id == 0 || passed[(row, col)] || (row > 0 && ids[(row - 1, col)] == id) {
            continue;
        }
        let part = parts[(row, col)];
        id_of[part] = id;
        for ring in simple(&follow(ids, (row, col), &mut passed)) {
            if is_shell(&ring) {
                found[part].shell = ring;
            } else {
                found[part].holes.push(ring);
            }
        }
    }
    let mut all: BTreeMap<u32, Vec<Outline>> = BTreeMap::new();
    for (id, outline) in id_of.into_iter().zip(found) {
        all.entry(id).or_default().push(outline);
    }
    all
}

/// For each cell with an id the number of its part, from 0 in row order of first cells, and how many there are.
fn parts(ids: ArrayView2<'_, u32>) -> (Array2<usize>, usize) {
    let (rows, cols) = ids.dim();
    let mut parts = Array2::from_elem(ids.dim(), usize::MAX);
    let (mut count, mut waiting) = (0, Vec::new());
    for (first, &id) in ids.indexed_iter() {
        if id == 0 || parts[first] != usize::MAX {
            continue;
        }
        parts[first] = count;
        waiting.push(first);
        while let Some((row, col)) = waiting.pop() {
            let beside = [
                (row.wrapping_sub(1), col),
                (row + 1, col),
                (row, col.wrapping_sub(1)),
                (row, col + 1),
            ];
            for cell in beside {
                let inside = cell.0 < rows && cell.1 < cols;
                if inside && parts[cell] == usize::MAX && ids[cell] == id {
                    parts[cell] = count;
                    waiting.push(cell);
                }
            }
        }
        count += 1;
    }
    (parts, count)
}

/// Ways along the sides of cells, the cell on the right hand: east on its north side, then south, west, north.
const AHEAD: [[isize; 2]; 4] = [[0, 1], [1, 0], [0, -1], [-1, 0]];

/// The corners at which the ring turns that passes the north side of a cell, clockwise around the cells. Where two
/// cells of the id meet at a corner alone, it stays at the side of the one it came along.
fn follow(
    ids: ArrayView2<'_, u32>,
    (row, col): (usize, usize),
    passed: &mut Array2<bool>,
) -> Vec<Corner> {
    let id = ids[(row, col)];
    let start = [row as isize, col as isize];
    let at = |[row, col]: [isize; 2]| {
        let (row, col) = (usize::try_from(row).ok()?, usize::try_from(col).ok()?);
        ids.get((row, col)).filter(|found| **found == id)
    };
    let plus = |[row, col]: [isize; 2], [rows, cols]: [isize; 2]| [row + rows, col + cols];
    let (mut cell, mut way) = (start, 0);
    let mut corners = Vec::new();
    loop {
        if way == 0 {
            passed[(cell[0] as usize, cell[1] as usize)] = true;
        }
        let right = plus(cell, AHEAD[way]);
        let left = plus(right, AHEAD[(way + 3) % 4]);
        if at(right).is_none() {
            corners.push(end_of_side(cell, way));
            way = (way + 1) % 4;
        } else if at(left).is_none() {
            cell = right;
        } else {
            corners.push(end_of_side(cell, way));
            cell = left;
            way = (way + 3) % 4;
        }
        if cell == start && way == 0 {
            return corners;
        }
    }
}

/// The corner at the end of a cell's side.
fn end_of_side([row, col]: [isize; 2], way: usize) -> Corner {
    let [south, east] = [[0, 1], [1, 1], [1, 0], [0, 0]][way];
    [row as usize + south, col as usize + east]
}

/// A ring that may pass a corner twice, as rings that do not; closed, and the other way round.
fn simple(corners: &[Corner]) -> Vec<Ring> {
    let mut rings = Vec::new();
    let mut open: Vec<Corner> = Vec::new();
    let mut place = HashMap::new();
    for &corner in corners.iter().chain(corners.first()) {
        let Some(&begin) = place.get(&corner) else {
            place.insert(corner, open.len());
            open.push(corner);
            continue;
        };
        let ring: Ring = open[begin..]
            .iter()
            .copied()
            .chain([corner])
            .rev()
            .collect();
        for left in open.drain(begin + 1..) {
            place.remove(&left);
        }
        rings.push(ring);
    }
    rings
}

/// Whether a ring runs counter-clockwise on a map with north above.
fn is_shell(ring: &Ring) -> bool {
    let twice: i128 = ring
        .windows(2)
        .map(|pair| {
            let [row, col] = pair[0].map(|at| at as i128);
            let [next_row, next_col] = pair[1].map(|at| at as i128);
            row * next_col - next_row * col
        })
        .sum();
    // Rows grow southwards.
    twice > 0
}

#[cfg(test)]
mod tests;
