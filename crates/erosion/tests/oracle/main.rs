//! The engine against the reference implementation, bit by bit; the reference against its f64 twin and against
//! closed forms.

#[path = "../cases/mod.rs"]
mod cases;
#[path = "../reference/mod.rs"]
mod reference;

mod answers;
mod basins;
mod bits;
mod cone;
mod ground;
mod lanes;
mod mirror;
mod plants;
mod random;
mod samples;
mod twin;
