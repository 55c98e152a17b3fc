//! Tests of the tables.

mod palettes;
mod tables;
