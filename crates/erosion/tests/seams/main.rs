//! No seams: what a cycle does along the edges of its tiles cannot be told from what it does elsewhere; and engines
//! that are broken on purpose are found out.

#[path = "../reference/mod.rs"]
#[expect(
    dead_code,
    unused_imports,
    reason = "other tests use other parts of the reference"
)]
mod reference;

mod broken;
mod engine;
mod ground;
mod probe;
mod tool;
