/// How far a stage has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Units of work done: cycles, rows or blocks.
    pub done: u64,
    /// Units of work in all.
    pub total: u64,
    /// Droplets spawned so far, 0 in stages without.
    pub droplets: u64,
}

/// How long work reports, and how it is asked to stop. Libraries neither print nor draw.
pub trait Observer: Sync {
    /// Called from time to time, from one thread at a time.
    fn progress(&self, progress: Progress) {
        let _ = progress;
    }

    /// Whether the work should stop at the next cycle, row or block.
    fn cancelled(&self) -> bool {
        false
    }
}

/// An observer that looks at nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}
