//! The program as its users meet it: the binary, its exit codes, its files.

mod support;

mod architecture;
mod commands;
mod errors;
mod gis;
mod killed;
mod ledgers;
mod readme;
mod resume;
mod runs;
mod sweep;
mod terrain;
mod vectors;
