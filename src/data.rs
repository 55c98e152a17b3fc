//! The user's own data: by node, or inherited down the tree.
//!
//! | what | types |
//! |---|---|
//! | a value for some nodes, found in O(1) by handle | [`NodeMap`]; its iterators in [`node_map`] |
//! | a value for each node that has a transform, in arrays beside these, for passes over all | [`Column`] |
//! | a value that children inherit from their parents, updated from what changed | [`Inherited`] |
//!
//! ```
//! use hedgerow::data::NodeMap;
//! use hedgerow::{Node, Scene};
//!
//! let mut scene = Scene::new();
//! let orc = scene.insert(scene.root(), Node::group())?;
//! let mut health = NodeMap::new();
//! health.insert(orc, 100);
//! *health.get_mut(orc).unwrap() -= 30;
//! assert_eq!(health.get(orc), Some(&70));
//! # Ok::<(), hedgerow::Error>(())
//! ```

pub use crate::scene::{Column, Inherited, NodeMap, node_map};
