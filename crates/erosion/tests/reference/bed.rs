//! The ground as standing water sees it.

use super::{Land, NEIGHBOURS, Place, Real, moved};
use std::f64::consts::FRAC_1_SQRT_2;
use thalweg_flow::{Bed, Kind};
use thalweg_grid::Shape;

impl<R: Real> Bed for Land<R> {
    fn shape(&self) -> Shape {
        Shape::new(self.rows as usize, self.cols as usize)
    }

    fn elevation_m(&self, cell: usize) -> f64 {
        self.cells[cell].elevation_m()
    }

    /// Water drains beside the apron and beside cells without data, where no wall stands.
    fn kind(&self, index: usize) -> Kind {
        let cell = &self.cells[index];
        let at = self.place(index);
        let drains = NEIGHBOURS.iter().any(|&by| {
            let other = self.cell(moved(at, by));
            (other.void || other.apron) && !other.wall
        });
        if cell.void || cell.apron {
            Kind::Void
        } else if cell.sea {
            Kind::Sea
        } else if drains {
            Kind::Drain
        } else {
            Kind::Land
        }
    }

    fn raise(&mut self, cell: usize, micrometres: i32) -> i32 {
        self.cells[cell].raise(micrometres)
    }

    fn pool(&self, cell: usize) -> u32 {
        self.cells[cell].pool
    }

    fn set_pool(&mut self, cell: usize, pool: u32) {
        self.cells[cell].pool = pool;
    }
}

impl<R: Real> Land<R> {
    /// The neighbour down the steepest descent; among equals the first, rows before columns.
    fn downhill(&self, at: Place) -> Option<Place> {
        let own = self.cell(at).elevation_m();
        let mut best = (None, 0.0);
        for by in NEIGHBOURS {
            let other = self.cell(moved(at, by));
            let per_distance = if by[0] != 0 && by[1] != 0 {
                FRAC_1_SQRT_2
            } else {
                1.0
            };
            let slope = (own - other.elevation_m()) * per_distance;
            if !other.void && slope > best.1 {
                best = (Some(moved(at, by)), slope);
            }
        }
        best.0
    }

    /// The first cell under water on the steepest path; without any, the first without a lower neighbour.
    pub(crate) fn end_of_path(&self, mut at: Place) -> Place {
        loop {
            let cell = self.cell(at);
            if cell.pool != 0 || cell.sea {
                return at;
            }
            match self.downhill(at) {
                Some(next) => at = next,
                None => return at,
            }
        }
    }

    /// Whether what comes to a cell without a lower neighbour leaves the ground there.
    pub(crate) fn leaves(&self, at: Place) -> bool {
        NEIGHBOURS
            .iter()
            .map(|&by| self.cell(moved(at, by)))
            .any(|other| other.void && !other.wall)
    }
}
