//! The end of the work: water too shallow to be called a pool.

use super::{Bed, Pools};

impl Pools {
    /// Takes pools that are nowhere `depth_m` m deep off the map, and numbers the others anew. Their water counts as
    /// damp ground: the next reconciliation pours it out where they stood.
    pub fn dry_films<B: Bed>(&mut self, bed: &mut B, depth_m: f64) {
        let pools = std::mem::take(&mut self.pools).into_iter();
        let kept = std::mem::take(&mut self.kept).into_iter();
        let balances = std::mem::take(&mut self.balances).into_iter();
        for (pool, (kept, balance)) in pools.zip(kept.zip(balances)) {
            let depth = |&cell: &usize| pool.level_m - bed.elevation_m(cell);
            let deepest = pool
                .cells
                .iter()
                .max_by(|a, b| depth(a).total_cmp(&depth(b)));
            let film = deepest.filter(|cell| depth(cell) < depth_m).copied();
            let number = if film.is_some() {
                0
            } else {
                self.pools.len() as u32 + 1
            };
            for &cell in &pool.cells {
                bed.set_pool(cell, number);
            }
            if let Some(cell) = film {
                self.damp.push((cell, pool.volume_m + pool.surplus_m));
                self.dried.entry(cell).or_default().add(balance);
            } else {
                self.pools.push(pool);
                self.kept.push(kept);
                self.balances.push(balance);
            }
        }
    }
}
