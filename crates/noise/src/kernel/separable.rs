//! Lattice noise on an axis-aligned grid, row by row.
//!
//! Along a lattice line at distance d from a row, gradient noise is B(x) + A(x) d: B blends the gradients' x parts times
//! the distances in x, A their y parts. Both are computed once per line and strip of columns and kept while rows pass
//! by, so that a cell costs four products and sums per octave:
//! (1 − v) B₀ + v B₁ + f (1 − v) A₀ + (f − 1) v A₁.

use super::columns::{LANES, MOST_LINES, Run, Strip, Wide};
use super::octave::{Nodes, Octave, Slice};
use super::rows::Row;
use crate::hash;
use crate::math::{self, BLOCK, Block};
use thalweg_grid::{Isa, kernels};

/// One lattice line across a strip of columns.
#[derive(Debug, Clone)]
struct Line {
    cell: Option<i64>,
    a: Wide,
    b: Wide,
}

/// The two lattice lines around a row, kept from row to row: line n in place n mod 2.
#[derive(Debug, Clone)]
pub(crate) struct Lines {
    kept: [Line; 2],
    nodes: NodeValues,
}

impl Default for Lines {
    fn default() -> Self {
        let line = Line {
            cell: None,
            a: [0.0; BLOCK + LANES],
            b: [0.0; BLOCK + LANES],
        };
        Self {
            kept: [line.clone(), line],
            nodes: NodeValues::default(),
        }
    }
}

impl Lines {
    /// Forgets what was kept: the strip has changed.
    pub(crate) fn clear(&mut self) {
        self.kept.iter_mut().for_each(|line| line.cell = None);
    }

    /// The lines south and north of a row, computed where they are not there yet.
    fn around(&mut self, isa: Isa, octave: &Octave, strip: &Strip, row: &Row) -> [&Line; 2] {
        for (cell, hash) in [(row.cell, row.lines[0]), (row.cell + 1, row.lines[1])] {
            let line = &mut self.kept[(cell & 1) as usize];
            if line.cell != Some(cell) {
                line.cell = Some(cell);
                self.nodes.fill(isa, octave, &strip.lines, hash);
                line.fill(isa, octave, strip, &self.nodes);
            }
        }
        let south = (row.cell & 1) as usize;
        [&self.kept[south], &self.kept[1 - south]]
    }
}

impl Line {
    #[inline(never)]
    fn fill(&mut self, isa: Isa, octave: &Octave, strip: &Strip, nodes: &NodeValues) {
        match octave.nodes {
            Nodes::Value => blend_values(isa, strip, nodes, self),
            Nodes::Circle | Nodes::SlopeX | Nodes::SlopeY => {
                blend_gradients(isa, strip, nodes, self)
            }
            Nodes::Sphere | Nodes::Sphere4 => blend_slices(isa, strip, nodes, self),
        }
    }
}

/// Gradients and values at the nodes of one lattice line, times the octave's scale.
#[derive(Debug, Clone)]
struct NodeValues {
    lines: [u32; MOST_LINES],
    x: [f32; MOST_LINES],
    y: [f32; MOST_LINES],
    c: [f32; MOST_LINES],
}

impl Default for NodeValues {
    fn default() -> Self {
        Self {
            lines: [0; MOST_LINES],
            x: [0.0; MOST_LINES],
            y: [0.0; MOST_LINES],
            c: [0.0; MOST_LINES],
        }
    }
}

impl NodeValues {
    #[inline(never)]
    fn fill(&mut self, isa: Isa, octave: &Octave, columns: &[u32], row: u32) {
        self.lines[..columns.len()].copy_from_slice(columns);
        // Whole lanes: the rest is never looked at.
        let n = columns.len().next_multiple_of(LANES);
        let (lines, x, y, c) = (
            &self.lines[..n],
            &mut self.x[..n],
            &mut self.y[..n],
            &mut self.c[..n],
        );
        let scale = octave.scale;
        // What comes slice by slice adds up.
        if matches!(octave.nodes, Nodes::Sphere | Nodes::Sphere4 | Nodes::Value) {
            [&mut *x, &mut *y, &mut *c]
                .into_iter()
                .for_each(|values| values.fill(0.0));
        }
        for slice in &octave.slices {
            let weight = scale * slice.weight;
            match octave.nodes {
                Nodes::Circle => circles(isa, lines, row, scale, x, y),
                Nodes::SlopeX => slopes(isa, lines, row, scale, x),
                Nodes::SlopeY => slopes(isa, lines, row, scale, y),
                Nodes::Sphere => {
                    spheres(isa, lines, row, weight, slice, [&mut *x, &mut *y, &mut *c])
                }
                Nodes::Sphere4 => {
                    spheres4(isa, lines, row, weight, slice, [&mut *x, &mut *y, &mut *c])
                }
                Nodes::Value => values(isa, lines, row, weight, slice, c),
            }
        }
    }
}

kernels! {
    fn circles(lines: &[u32], row: u32, scale: f32, x: &mut [f32], y: &mut [f32]) {
        for ((line, x), y) in lines.iter().zip(x).zip(y) {
            let [gx, gy] = math::circle(hash::node(line.wrapping_add(row)));
            *x = gx * scale;
            *y = gy * scale;
        }
    }

    fn slopes(lines: &[u32], row: u32, scale: f32, out: &mut [f32]) {
        for (line, out) in lines.iter().zip(out) {
            *out = hash::signed(hash::node(line.wrapping_add(row))) * scale;
        }
    }

    fn spheres(lines: &[u32], row: u32, weight: f32, slice: &Slice, out: [&mut [f32]; 3]) {
        let row = row.wrapping_add(slice.lines);
        let [x, y, c] = out;
        for (((line, x), y), c) in lines.iter().zip(x).zip(y).zip(c) {
            let [gx, gy, gz] = math::sphere(hash::node(line.wrapping_add(row)));
            *x += gx * weight;
            *y += gy * weight;
            *c += gz * slice.z * weight;
        }
    }

    fn spheres4(lines: &[u32], row: u32, weight: f32, slice: &Slice, out: [&mut [f32]; 3]) {
        let row = row.wrapping_add(slice.lines);
        let [x, y, c] = out;
        for (((line, x), y), c) in lines.iter().zip(x).zip(y).zip(c) {
            let [gx, gy, gz, gw] = math::sphere4(hash::node(line.wrapping_add(row)));
            *x += gx * weight;
            *y += gy * weight;
            *c += (gz * slice.z + gw * slice.w) * weight;
        }
    }

    fn values(lines: &[u32], row: u32, weight: f32, slice: &Slice, c: &mut [f32]) {
        let row = row.wrapping_add(slice.lines);
        for (line, c) in lines.iter().zip(c) {
            *c += hash::signed(hash::node(line.wrapping_add(row))) * weight;
        }
    }

    fn blend_gradients(strip: &Strip, nodes: &NodeValues, line: &mut Line) {
        for run in &strip.runs {
            let (x, y) = (pair(&nodes.x, run), pair(&nodes.y, run));
            let dy = y[1] - y[0];
            let mut col = run.start;
            while col < run.end {
                // Lanes past the run's end are overwritten by the next run.
                let [u, west, east] = [lanes(&strip.u, col), lanes(&strip.west, col), lanes(&strip.east, col)];
                let (a, b) = (lanes_mut(&mut line.a, col), lanes_mut(&mut line.b, col));
                for k in 0..LANES {
                    a[k] = y[0] + u[k] * dy;
                    b[k] = west[k] * x[0] + east[k] * x[1];
                }
                col += LANES;
            }
        }
    }

    fn blend_slices(strip: &Strip, nodes: &NodeValues, line: &mut Line) {
        for run in &strip.runs {
            let (x, y, c) = (pair(&nodes.x, run), pair(&nodes.y, run), pair(&nodes.c, run));
            let (dy, dc) = (y[1] - y[0], c[1] - c[0]);
            let mut col = run.start;
            while col < run.end {
                let [u, west, east] = [lanes(&strip.u, col), lanes(&strip.west, col), lanes(&strip.east, col)];
                let (a, b) = (lanes_mut(&mut line.a, col), lanes_mut(&mut line.b, col));
                for k in 0..LANES {
                    a[k] = y[0] + u[k] * dy;
                    b[k] = west[k] * x[0] + east[k] * x[1] + (c[0] + u[k] * dc);
                }
                col += LANES;
            }
        }
    }

    fn blend_values(strip: &Strip, nodes: &NodeValues, line: &mut Line) {
        for run in &strip.runs {
            let c = pair(&nodes.c, run);
            let dc = c[1] - c[0];
            let mut col = run.start;
            while col < run.end {
                let (u, b) = (lanes(&strip.u, col), lanes_mut(&mut line.b, col));
                for k in 0..LANES {
                    b[k] = c[0] + u[k] * dc;
                }
                col += LANES;
            }
        }
    }

    fn add_gradients(a0: &Wide, b0: &Wide, a1: &Wide, b1: &Wide, row: &Row, out: &mut Block) {
        let ([s0, s1], [r0, r1]) = (row.share, row.rise);
        for k in 0..BLOCK {
            out[k] += (s0 * b0[k] + s1 * b1[k]) + (r0 * a0[k] + r1 * a1[k]);
        }
    }

    fn add_values(b0: &Wide, b1: &Wide, row: &Row, out: &mut Block) {
        let [s0, s1] = row.share;
        for k in 0..BLOCK {
            out[k] += s0 * b0[k] + s1 * b1[k];
        }
    }
}

/// Values at the nodes on either side of a run.
#[inline(always)]
fn pair(values: &[f32; MOST_LINES], run: &Run) -> [f32; 2] {
    [values[run.node], values[run.node + 1]]
}

#[inline(always)]
fn lanes(from: &Wide, col: usize) -> &[f32; LANES] {
    from[col..]
        .first_chunk()
        .expect("columns have room for lanes behind them")
}

#[inline(always)]
fn lanes_mut(from: &mut Wide, col: usize) -> &mut [f32; LANES] {
    from[col..]
        .first_chunk_mut()
        .expect("columns have room for lanes behind them")
}

/// Adds an octave's values along a row of a strip, times its scale.
pub(crate) fn add(
    isa: Isa,
    octave: &Octave,
    strip: &Strip,
    row: &Row,
    lines: &mut Lines,
    out: &mut Block,
) {
    let [south, north] = lines.around(isa, octave, strip, row);
    if octave.nodes == Nodes::Value {
        add_values(isa, &south.b, &north.b, row, out);
    } else {
        add_gradients(isa, &south.a, &south.b, &north.a, &north.b, row, out);
    }
}
