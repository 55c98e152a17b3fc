//! Edits of many nodes: batches, and queues.
//!
//! Single edits are methods of [`Scene`](crate::Scene) and of [`NodeMut`](crate::NodeMut). This module has the types
//! for edits of many nodes:
//!
//! | subject | types |
//! |---|---|
//! | whole trees: [`Scene::insert_tree`], [`Scene::copy_tree`] | [`Tree`](crate::Tree), [`BatchError`] |
//! | lists: [`Scene::remove_many`], [`Scene::reparent_many`], [`Scene::topmost`], [`Scene::set_worlds`] | [`BatchError`] |
//! | an iterator: [`Scene::set_locals`] | [`BatchError`] |
//! | a change of one node as a value: [`NodeMut::change`](crate::NodeMut::change) | [`Change`], [`OwnedNode`] |
//! | edits recorded on any thread and applied later, one by one or atomically | [`EditQueue`], [`Edit`], [`Queued`], [`Outcome`] |
//! | how a queued edit refers to nodes and places | [`Target`], [`Place<Target>`](crate::Place) |
//! | the form in which a local transform is stored after an edit | [`LocalForm`] |
//!
//! [`Scene::insert_tree`]: crate::Scene::insert_tree
//! [`Scene::copy_tree`]: crate::Scene::copy_tree
//! [`Scene::remove_many`]: crate::Scene::remove_many
//! [`Scene::set_locals`]: crate::Scene::set_locals
//! [`Scene::set_worlds`]: crate::Scene::set_worlds
//! [`Scene::reparent_many`]: crate::Scene::reparent_many
//! [`Scene::topmost`]: crate::Scene::topmost
//!
//! ```
//! use hedgerow::{Node, Scene, Transform, Tree};
//!
//! let mut tree = Tree::new();
//! let car = tree.push(None, Node::transform(Transform::IDENTITY).with_name("car"));
//! for x in [-1.0, 1.0] {
//!     tree.push(Some(car), Node::transform(Transform::from_xyz(x, 0.3, 0.0)));
//! }
//! let mut scene = Scene::new();
//! let handles = scene.insert_tree(scene.root(), &tree)?;
//! scene.remove_many(&[handles[1], handles[2]])?;
//! assert_eq!(scene.children(handles[car]).count(), 0);
//! # Ok::<(), hedgerow::edit::BatchError>(())
//! ```

pub use crate::error::BatchError;
pub use crate::handle::Queued;
pub use crate::node::{LocalForm, OwnedNode};
pub use crate::scene::{Change, Edit, EditQueue, Outcome, QueuedPlace, Target};
