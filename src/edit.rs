//! Edits of many nodes: lists, trees, and queues for later.
//!
//! Single edits are methods of [`Scene`](crate::Scene). This module has the types for edits of many:
//!
//! | what | types |
//! |---|---|
//! | lists: [`Scene::insert_many`], [`Scene::remove_many`] | [`BatchError`] |
//! | lists: [`Scene::set_transforms`], [`Scene::set_worlds`]; an iterator: [`Scene::set_locals`] | [`BatchError`] |
//! | lists: [`Scene::reparent_many`], [`Scene::detach_many`], [`Scene::topmost`] | [`BatchError`] |
//! | whole trees from lists of nodes with parents | [`SceneBuilder`], [`TreeFault`] |
//! | edits recorded on any thread, and applied later | [`EditQueue`], [`Queued`], [`Outcome`] |
//! | the nodes and places of such edits | [`Target`], [`QueuedPlace`] |
//! | from old handles to new ones, after a copy or an import | [`HandleMap`] |
//! | the form in which a local transform is stored after an edit | [`LocalForm`] |
//!
//! [`Scene::insert_many`]: crate::Scene::insert_many
//! [`Scene::remove_many`]: crate::Scene::remove_many
//! [`Scene::set_transforms`]: crate::Scene::set_transforms
//! [`Scene::set_locals`]: crate::Scene::set_locals
//! [`Scene::set_worlds`]: crate::Scene::set_worlds
//! [`Scene::reparent_many`]: crate::Scene::reparent_many
//! [`Scene::detach_many`]: crate::Scene::detach_many
//! [`Scene::topmost`]: crate::Scene::topmost
//!
//! ```
//! use hedgerow::edit::SceneBuilder;
//! use hedgerow::{Node, Scene, Transform};
//!
//! let mut tree = SceneBuilder::new();
//! let car = tree.push(None, Node::transform(Transform::IDENTITY).named("car"));
//! for x in [-1.0, 1.0] {
//!     tree.push(Some(car), Node::transform(Transform::from_xyz(x, 0.3, 0.0)));
//! }
//! let mut scene = Scene::new();
//! let root = scene.root();
//! let handles = tree.insert_into(&mut scene, root)?;
//! assert_eq!(scene.children(handles[car]).count(), 2);
//! # Ok::<(), hedgerow::edit::BatchError>(())
//! ```

pub use crate::error::{BatchError, TreeFault};
pub use crate::handle::Queued;
pub use crate::node::LocalForm;
pub use crate::scene::{EditQueue, HandleMap, Outcome, QueuedPlace, SceneBuilder, Target};
