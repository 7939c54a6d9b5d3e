//! A stage written down between two of its cycles, and taken up again.
//!
//! What can be had from the map and the parameters is not written: bases and flags of cells, plants' density, the
//! field of pools, gates, and what pools keep to save time. Random numbers hang on keys, so none are under way.

use crate::engine::{Engine, Settling};
use crate::stream;
use serde::{Deserialize, Serialize};
use std::io::{Read, Result, Write};
use thalweg_flow::{Pools, Touched};
use thalweg_grid::{SectionReader, SectionWriter};

/// What a stage counts besides its report.
#[derive(Serialize, Deserialize)]
struct Counts {
    cycle: u32,
    settling: Settling,
    unreconciled: u64,
    unreconciled_cycles: u32,
    charged_cycles: u32,
    /// Whether cells hold tracks of this cycle.
    tracks: bool,
}

impl Engine<'_> {
    /// Writes all that the next cycle depends on and the map, the parameters and the key do not tell.
    pub(crate) fn write(&self, out: &mut dyn Write) -> Result<()> {
        let mut out = SectionWriter::new(out);
        let cells = self.ground.cells.iter();
        let tracks = cells.clone().any(stream::has_track);
        let counts = Counts {
            cycle: self.cycle,
            settling: self.settling,
            unreconciled: self.unreconciled,
            unreconciled_cycles: self.unreconciled_cycles,
            charged_cycles: self.charged_cycles,
            tracks,
        };
        out.value(*b"counts  ", &counts)?;
        out.value(*b"report  ", &self.report)?;
        out.value(*b"accounts", &self.accounts)?;
        out.value(*b"flight  ", &self.flight)?;
        out.value(*b"pools   ", &self.pools)?;
        out.cells(
            *b"change  ",
            cells.clone().map(|cell| cell.change_um.to_le_bytes()),
        )?;
        out.cells(
            *b"stream  ",
            cells.clone().map(|cell| cell.stream.to_le_bytes()),
        )?;
        if tracks {
            out.cells(
                *b"visits  ",
                cells.clone().map(|cell| cell.visits.to_le_bytes()),
            )?;
            out.cells(*b"water   ", cells.map(|cell| cell.water.to_le_bytes()))?;
        }
        let discharge = self.discharge.iter().map(|value| value.to_le_bytes());
        out.cells(*b"discharg", discharge)?;
        if let Some(plants) = &self.plants {
            let sizes = plants.sizes().iter().map(|size| size.to_le_bytes());
            out.cells(*b"plants  ", sizes)?;
        }
        Ok(())
    }

    /// Takes an engine that has just been set up, for the same map, parameters and key, to where one was
    /// [written](Self::write).
    pub(crate) fn read(&mut self, from: &mut dyn Read) -> Result<()> {
        let mut from = SectionReader::new(from);
        let counts: Counts = from.value(*b"counts  ")?;
        self.cycle = counts.cycle;
        self.settling = counts.settling;
        self.unreconciled = counts.unreconciled;
        self.unreconciled_cycles = counts.unreconciled_cycles;
        self.charged_cycles = counts.charged_cycles;
        self.report = from.value(*b"report  ")?;
        self.accounts = from.value(*b"accounts")?;
        self.flight = from.value(*b"flight  ")?;
        self.pools = from.value(*b"pools   ")?;
        let cells = &mut self.ground.cells;
        let count = cells.len();
        from.each_cell(*b"change  ", count, |index, change| {
            cells[index].change_um = i32::from_le_bytes(change);
        })?;
        from.each_cell(*b"stream  ", count, |index, stream| {
            cells[index].stream = f32::from_le_bytes(stream);
        })?;
        if counts.tracks {
            from.each_cell(*b"visits  ", count, |index, visits| {
                cells[index].visits = u32::from_le_bytes(visits);
            })?;
            from.each_cell(*b"water   ", count, |index, water| {
                cells[index].water = f32::from_le_bytes(water);
            })?;
        }
        self.discharge = from.cells(*b"discharg", count, f32::from_le_bytes)?;
        if let Some(plants) = &mut self.plants {
            let sizes = from.cells(*b"plants  ", count, f32::from_le_bytes)?;
            plants.take_sizes(sizes, &mut self.ground);
        }
        self.mark_pools();
        self.ground.touched = Touched::all();
        self.open_gates();
        Ok(())
    }

    /// Writes the pools' numbers into their cells, and 0 everywhere else.
    fn mark_pools(&mut self) {
        let cells = &mut self.ground.cells;
        cells.iter_mut().for_each(|cell| cell.pool = 0);
        for (number, pool) in self.pools.iter().flat_map(Pools::iter) {
            pool.cells
                .iter()
                .for_each(|&cell| cells[cell].pool = number);
        }
    }
}
