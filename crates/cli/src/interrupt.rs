//! ^C: once for a clean stop, twice for an end at once.

use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::flag;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the user has asked to stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Listens to the terminal's ^C and to requests to terminate. A terminal that goes away still ends the
    /// program, unless it was started under `nohup`.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        for signal in [SIGINT, SIGTERM] {
            // The order matters: the second signal finds the flag that the first has set. Where the system
            // refuses a handler, its own takes effect, which ends the program: nothing to be said about it.
            let _ = flag::register_conditional_shutdown(signal, 130, Arc::clone(&interrupt.0));
            let _ = flag::register(signal, Arc::clone(&interrupt.0));
        }
        // A limit on the size of files then fails the write, with a message, and does not end the program.
        let _ = flag::register(SIGXFSZ, Arc::default());
        interrupt
    }

    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
