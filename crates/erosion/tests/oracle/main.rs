//! The engine against the reference implementation, bit by bit; the reference against its f64 twin and against
//! closed forms.

#[path = "../reference/mod.rs"]
mod reference;

mod answers;
mod bits;
mod ground;
mod lanes;
mod random;
mod twin;
