//! Measurements of `hedgerow`: baselines, workloads, and each experiment once.
//!
//! - [`baselines`]: other people's solutions to the same problems.
//! - [`workloads`]: trees, edits, boxes, rigs, clips and skins.
//! - [`sides`]: `hedgerow` and other scene graphs behind one interface.
//! - [`experiments`]: each with its set-up, two sides, sizes, and a check that both sides agree.
//! - [`front`], [`report`]: what the program `measure` runs them with and prints; the tests run each at a small size.
//! - [`rounds`], [`clock`], [`heap`], [`machine`]: partly timed work, the clock, a counting allocator, and the compiler
//!   and instruction sets, which every result states.
//!
//! Source of most experiments: M. Åkerstedt Bergsten, *Scene Graph Memory Management*, Chalmers 2019 ("the thesis").

#![allow(unsafe_code, reason = "other people's ways follow pointers")]

mod agreement;
pub mod baselines;
mod case;
pub mod clock;
pub mod experiments;
pub mod front;
pub mod heap;
pub mod machine;
pub mod report;
pub mod rounds;
pub mod sides;
pub mod workloads;

pub use case::{Case, Unit};
pub use front::Front;

/// The error that ends an experiment: two sides that differ, or a report that cannot be written.
pub type Failure = Box<dyn std::error::Error>;

/// The result of an experiment or check; an error if the sides differ.
pub type Outcome = Result<(), Failure>;
