//! Standing water against closed forms, a naive oracle, invariants and itself in another order.

mod closed_forms;
mod draining;
mod invariants;
mod kept;
mod large;
mod losses;
mod map;
mod oracle;
mod properties;
mod random;
mod sediment;
mod springs;
mod survey;
