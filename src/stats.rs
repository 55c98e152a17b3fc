//! Statistics of a scene's slices, memory and maintenance, for budgets, benchmarks and debugging. The
//! [glossary](crate::guide::glossary) shows slices in memory before and after maintenance.
//!
//! | subject | types |
//! |---|---|
//! | counts of nodes, slices, holes, bytes: [`Scene::stats`](crate::Scene::stats) | [`Stats`], [`Usage`] |
//! | the work done by [`Scene::maintain`](crate::Scene::maintain) | [`Maintenance`] |
//! | a violation found by [`Scene::validate`](crate::Scene::validate), which is a bug in this crate | [`Violation`] |
//!
//! ```
//! use hedgerow::{Node, Scene};
//!
//! let mut scene = Scene::new();
//! scene.insert(scene.root(), Node::group())?;
//! assert_eq!(scene.stats().nodes, 2);
//! scene.validate().expect("a sound scene");
//! # Ok::<(), hedgerow::Error>(())
//! ```

pub use crate::scene::{Maintenance, Stats, Usage, Violation};
