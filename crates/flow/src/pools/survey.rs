//! What is to be told of standing water when all has settled: lakes, where they spill, what drains into them, and
//! the basins that are dry.

use super::flats::Flats;
use super::measure::ground;
use super::{Balance, Bed, Kind, Outlet, Pools};
use crate::fill::flood;
use crate::receivers::receiver;
use std::collections::BTreeMap;
use thalweg_grid::SpillsTo;

/// A pool, as a row of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Lake {
    /// Its number in the field.
    pub id: u32,
    /// Elevation of the surface, m.
    pub level_m: f64,
    /// Area, cells.
    pub cells: usize,
    /// Water, m × cells.
    pub volume_m: f64,
    /// Mean depth, m.
    pub mean_depth_m: f64,
    /// Greatest depth, m.
    pub max_depth_m: f64,
    /// Where it spills, if it is full.
    pub outlet: Option<Outlet>,
    /// Where that water comes to rest.
    pub spills_to: SpillsTo,
    /// Lakes in a row that flow one into the next, from this one on: 1 where it flows into no lake.
    pub chain: u32,
    /// Cells whose water runs into it, its own and those of all lakes that spill into it included.
    pub catchment: u64,
    /// What it received and lost.
    pub balance: Balance,
}

/// A basin in which no water stands.
#[derive(Debug, Clone, PartialEq)]
pub struct DryBasin {
    /// Its deepest cell.
    pub cell: usize,
    /// Depth, m, that water would have there if the basin were filled until it spills.
    pub depth_m: f64,
    /// Cells that it would cover.
    pub cells: usize,
    /// Water that it would then hold, m × cells.
    pub volume_m: f64,
    /// What came to pools that stood in it, and what they lost; all that came, since nothing is there.
    pub balance: Balance,
}

/// All lakes and dry basins of a map.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Survey {
    /// By number.
    pub lakes: Vec<Lake>,
    /// By deepest cell.
    pub dry: Vec<DryBasin>,
    /// The longest row of lakes that flow one into the next; 0 without a lake.
    pub max_chain: u32,
}

/// Marks of cells whose water ends in no pool; smaller numbers are pools'.
const OPEN: u32 = u32::MAX;
const EDGE: u32 = u32::MAX - 1;
const SEA: u32 = u32::MAX - 2;
const NOWHERE: u32 = u32::MAX - 3;

impl Pools {
    /// How water would rise on the map as it is. Looks at every cell, with some 20 bytes for each while it works.
    #[must_use]
    pub fn relief<B: Bed>(&self, bed: &B) -> Relief {
        Relief::new(self, bed)
    }

    /// Basins deeper than `shallow_m` m in which no water stands, by their deepest cell.
    #[must_use]
    pub fn dry_basins<B: Bed>(&self, bed: &B, relief: &Relief, shallow_m: f64) -> Vec<DryBasin> {
        View {
            pools: self,
            bed,
            relief,
        }
        .dry_basins(shallow_m)
    }

    /// Surveys the map: looks at every cell. `relief` is that of the same pools on the same bed.
    ///
    /// Water runs down the steepest descent of ground and water surface. Dry basins deeper than `shallow_m` m are
    /// listed and keep what runs into them; shallower ones are passed, over the outlet that filling them would give
    /// (priority-flood, Barnes, Lehman & Mulla 2014, doi:10.1016/j.cageo.2013.04.024).
    #[must_use]
    pub fn survey<B: Bed>(&self, bed: &B, relief: &Relief, shallow_m: f64) -> Survey {
        let view = View {
            pools: self,
            bed,
            relief,
        };
        let ends = view.ends(shallow_m);
        let spills: Vec<SpillsTo> = self
            .iter()
            .map(|(id, pool)| match spill(pool.outlet, bed, &ends) {
                // A hollow on its own shore, which it is about to take in.
                SpillsTo::Lake(to) if to == id => SpillsTo::Nowhere,
                to => to,
            })
            .collect();
        let chains = chains(&spills);
        let catchments = catchments(&spills, &ends);
        let lake = |(id, pool): (u32, &super::Pool)| {
            let index = id as usize - 1;
            let beds = pool.cells.iter().map(|&cell| bed.elevation_m(cell));
            Lake {
                id,
                level_m: pool.level_m,
                cells: pool.cells.len(),
                volume_m: pool.volume_m,
                mean_depth_m: pool.volume_m / pool.cells.len() as f64,
                max_depth_m: pool.level_m - beds.fold(f64::INFINITY, f64::min),
                outlet: pool.outlet,
                spills_to: spills[index],
                chain: chains[index],
                catchment: catchments[index],
                balance: self.balances[index],
            }
        };
        Survey {
            lakes: self.iter().map(lake).collect(),
            dry: view.dry_basins(shallow_m),
            max_chain: chains.iter().copied().max().unwrap_or(0),
        }
    }
}

/// How water would rise on ground and water surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relief {
    /// For each cell the one at whose height it would be drowned.
    outlet: Vec<usize>,
    /// The cell from which the rising water came, nearer to where it ends.
    before: Vec<usize>,
}

impl Relief {
    fn new<B: Bed>(pools: &Pools, bed: &B) -> Self {
        let shape = bed.shape();
        let mut before: Vec<usize> = (0..shape.len()).collect();
        let surface = |cell| pools.surface_m(bed, cell);
        let ends = |&cell: &usize| {
            bed.kind(cell) != Kind::Land || bed.pool(cell) != 0 || surface(cell).is_infinite()
        };
        let outlets = (0..shape.len()).filter(ends);
        let outlet = flood(shape, surface, outlets, |cell, from| before[cell] = from);
        Self { outlet, before }
    }
}

impl Pools {
    /// Elevation of the ground or of the water on it, m.
    fn surface_m<B: Bed>(&self, bed: &B, cell: usize) -> f64 {
        match bed.pool(cell) {
            0 => ground(bed, cell),
            number => self.get(number).level_m,
        }
    }
}

/// A map with all that stands and would stand on it.
struct View<'a, B> {
    pools: &'a Pools,
    bed: &'a B,
    relief: &'a Relief,
}

impl<B: Bed> View<'_, B> {
    /// How deep the cell would be drowned, m, before water left over the outlet.
    fn depth_m(&self, cell: usize) -> f64 {
        let surface = |cell| self.pools.surface_m(self.bed, cell);
        let depth = surface(self.relief.outlet[cell]) - surface(cell);
        if depth.is_finite() { depth } else { 0.0 }
    }

    /// Where each cell's water ends: a pool's number or a mark.
    fn ends(&self, shallow_m: f64) -> Vec<u32> {
        let mut ends = vec![OPEN; self.relief.outlet.len()];
        let (mut path, mut flats) = (Vec::new(), Flats::default());
        for start in 0..ends.len() {
            let mut cell = start;
            let end = loop {
                if ends[cell] != OPEN {
                    break ends[cell];
                }
                path.push(cell);
                match self.next(cell, shallow_m, &mut flats) {
                    Ok(next) => cell = next,
                    Err(end) => break end,
                }
            };
            path.drain(..).for_each(|cell| ends[cell] = end);
        }
        ends
    }

    /// The cell that a cell's water runs to, or where it ends. It comes to an end: each pit is left for a cell that
    /// rising water would have reached before it.
    fn next(&self, cell: usize, shallow_m: f64, flats: &mut Flats) -> Result<usize, u32> {
        let bed = self.bed;
        match bed.kind(cell) {
            Kind::Void | Kind::Drain => return Err(EDGE),
            Kind::Sea => return Err(SEA),
            Kind::Land if !bed.elevation_m(cell).is_finite() => return Err(EDGE),
            Kind::Land => {}
        }
        if bed.pool(cell) != 0 {
            return Err(bed.pool(cell));
        }
        if let Some(lower) = receiver(bed.shape(), cell, |other| ground(bed, other)) {
            return Ok(lower);
        }
        if let Some(exit) = flats.exit(bed, cell) {
            return Ok(exit);
        }
        let beyond = self.relief.before[self.relief.outlet[cell]];
        // A map with walls all around and no water has no outlet.
        if self.depth_m(cell) > shallow_m || beyond == cell {
            return Err(NOWHERE);
        }
        Ok(beyond)
    }

    fn dry_basins(&self, shallow_m: f64) -> Vec<DryBasin> {
        let (bed, dried) = (self.bed, &self.pools.dried);
        let mut basins: BTreeMap<usize, DryBasin> = BTreeMap::new();
        for cell in 0..self.relief.outlet.len() {
            if bed.pool(cell) != 0 || bed.kind(cell) != Kind::Land {
                continue;
            }
            let depth_m = self.depth_m(cell);
            if depth_m <= 0.0 {
                continue;
            }
            let basin = basins.entry(self.relief.outlet[cell]).or_insert(DryBasin {
                cell,
                depth_m,
                cells: 0,
                volume_m: 0.0,
                balance: Balance::default(),
            });
            basin.cells += 1;
            basin.volume_m += depth_m;
            if depth_m > basin.depth_m {
                (basin.cell, basin.depth_m) = (cell, depth_m);
            }
            basin
                .balance
                .add(dried.get(&cell).copied().unwrap_or_default());
        }
        let mut deep: Vec<DryBasin> = basins
            .into_values()
            .filter(|basin| basin.depth_m > shallow_m)
            .collect();
        deep.sort_unstable_by_key(|basin| basin.cell);
        deep
    }
}

fn spill<B: Bed>(outlet: Option<Outlet>, bed: &B, ends: &[u32]) -> SpillsTo {
    let Some(outlet) = outlet else {
        return SpillsTo::Nowhere;
    };
    match ends[outlet.receiver] {
        _ if bed.kind(outlet.receiver) == Kind::Sea => SpillsTo::Sea,
        _ if outlet.leaves_map() => SpillsTo::Edge,
        EDGE => SpillsTo::Edge,
        SEA => SpillsTo::Sea,
        NOWHERE | OPEN => SpillsTo::Nowhere,
        number => SpillsTo::Lake(number),
    }
}

/// How many lakes there are in a row from each on. Lakes that would flow round count as far as they are new.
fn chains(spills: &[SpillsTo]) -> Vec<u32> {
    let (mut chains, mut met) = (vec![0; spills.len()], vec![false; spills.len()]);
    for start in 0..spills.len() {
        let mut path = Vec::new();
        let mut at = Some(start);
        let mut length = 0;
        while let Some(lake) = at {
            if std::mem::replace(&mut met[lake], true) {
                length = chains[lake];
                break;
            }
            path.push(lake);
            at = below(spills[lake]);
        }
        for lake in path.into_iter().rev() {
            length += 1;
            chains[lake] = length;
        }
    }
    chains
}

fn below(spill: SpillsTo) -> Option<usize> {
    match spill {
        SpillsTo::Lake(number) => Some(number as usize - 1),
        _ => None,
    }
}

/// Cells that drain into each lake, upstream lakes first.
fn catchments(spills: &[SpillsTo], ends: &[u32]) -> Vec<u64> {
    let mut cells = vec![0; spills.len()];
    for &end in ends.iter().filter(|&&end| end < NOWHERE) {
        cells[end as usize - 1] += 1;
    }
    let mut above = vec![0; spills.len()];
    for to in spills.iter().filter_map(|&spill| below(spill)) {
        above[to] += 1;
    }
    let mut ready: Vec<usize> = (0..spills.len()).filter(|&lake| above[lake] == 0).collect();
    while let Some(lake) = ready.pop() {
        if let Some(to) = below(spills[lake]) {
            cells[to] += cells[lake];
            above[to] -= 1;
            if above[to] == 0 {
                ready.push(to);
            }
        }
    }
    cells
}
