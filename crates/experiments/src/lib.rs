//! What `hedgerow` is measured by: other people's ways, what they and ours are measured on, and each experiment once.
//!
//! - [`baselines`]: other people's ways to do the same.
//! - [`workloads`]: trees, edits, boxes, rigs, clips and skins.
//! - [`sides`]: scene graphs behind one interface, ours and others.
//! - [`experiments`]: each with its set-up, its two sides, its sizes, and the check that both sides agree.
//! - [`front`]: who runs them. The program `measure` prints ratios, the bench `experiments` hands them to Criterion,
//!   and the tests of this crate run every check once, at a small size.
//! - [`rounds`], [`clock`], [`heap`], [`machine`]: work of which only a part is timed, what it is timed by, an
//!   allocator that counts, and the compiler and the instruction sets, which every result says.
//!
//! Source of most of it: M. Åkerstedt Bergsten, *Scene Graph Memory Management*, Chalmers 2019 ("the thesis").

#![allow(unsafe_code, reason = "other people's ways follow pointers")]

mod agreement;
pub mod baselines;
mod case;
pub mod clock;
pub mod experiments;
pub mod front;
pub mod heap;
pub mod machine;
pub mod rounds;
pub mod sides;
pub mod workloads;

pub use case::{Case, Unit};
pub use front::Front;

/// What ends an experiment: two sides that differ, or a report that cannot be written.
pub type Failure = Box<dyn std::error::Error>;

/// Whether all sides agree.
pub type Outcome = Result<(), Failure>;
