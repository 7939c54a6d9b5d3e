//! Where water runs over a whole surface, and the rivers that it makes.

mod drainage;
mod reaches;

pub use drainage::{Drainage, drainage};
pub use reaches::Reach;

#[cfg(test)]
mod tests;
