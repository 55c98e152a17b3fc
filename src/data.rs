//! Data of your own, for each node or inherited down the tree.
//!
//! | subject | types |
//! |---|---|
//! | a value for some nodes, found in O(1) by handle | [`NodeMap`]; its iterators in [`node_map`] |
//! | a value for each node that has a transform, in arrays parallel to the transforms, for passes over all values | [`Column`] |
//! | a value that children inherit from their parents, updated incrementally | [`Inherited`] |
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
