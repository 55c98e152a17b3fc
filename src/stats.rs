//! Statistics: a scene's slices, their memory, and what maintenance did. For budgets, benchmarks and debugging.
//!
//! | what | types |
//! |---|---|
//! | counts of nodes, slices, holes, bytes: [`Scene::stats`](crate::Scene::stats) | [`Stats`], [`Usage`] |
//! | what [`Scene::maintain`](crate::Scene::maintain) did | [`Maintenance`] |
//! | what [`Scene::validate`](crate::Scene::validate) found, which is a defect of this crate | [`Violation`] |
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
