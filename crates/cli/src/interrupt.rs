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

    /// Asks to stop when standard input comes to its end: whoever started the program with a pipe has gone, or wants
    /// it to stop.
    pub(crate) fn at_end_of_input(&self) {
        let interrupt = Arc::clone(&self.0);
        std::thread::spawn(move || {
            // What comes is of no interest; an error is an end too.
            let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
            interrupt.store(true, Ordering::Relaxed);
        });
    }

    pub(crate) fn asked(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
