//! Tests of the tables.

mod tables;
