//! Choosing a configuration.
//!
//! [`Scene::new`](crate::Scene::new) uses the default configuration, which suits transforms and draw lists. Two
//! features are off because they cost memory and time; the other settings are for special needs.
//! [`SceneConfig`](crate::SceneConfig) documents all fields.
//!
//! | you want | set | it costs |
//! |---|---|---|
//! | culling, and queries by sphere, box or ray | `bounds: true` | 28 bytes a drawable; time to recompute the boxes of drawables that moved |
//! | lists of the nodes that moved, entered or left; previous matrices (motion vectors) | `changes: true` | 56 bytes a transform and the history; time in proportion to the changes |
//! | readers that ask rarely, or less memory | `change_history` above or below 65,536 | 16 bytes an entry |
//! | faster worst-case updates, or streaming with an [eye](crate::guide::large_worlds) | `max_nodes` below 4096 | more slices to process |
//!
//! ```
//! use hedgerow::changes::ChangeReader;
//! use hedgerow::{Aabb, Drawable, Layers, Node, Scene, SceneConfig, Transform};
//! use hedgerow::query::Sphere;
//!
//! let mut scene = Scene::with_config(SceneConfig { bounds: true, changes: true, ..SceneConfig::DEFAULT })?;
//! let tree = Node::transform(Transform::from_xyz(5.0, 0.0, 0.0)).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
//! let tree = scene.insert(scene.root(), tree)?;
//! scene.update();
//!
//! let mut near = Vec::new();
//! scene.query(&Sphere::new([0.0, 0.0, 0.0].into(), 4.5)?, Layers::ALL, &mut near)?; // by `bounds`
//! assert_eq!(near, [tree]);
//!
//! let mut reader = ChangeReader::new();
//! scene.changes(&mut reader)?;
//! scene.set_local(tree, Transform::from_xyz(9.0, 0.0, 0.0))?;
//! scene.update();
//! assert_eq!(scene.changes(&mut reader)?.moved(), [tree]); // by `changes`
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! The configuration of a scene cannot change, and snapshots include it. Use
//! [`LoadOptions`](crate::snapshot::LoadOptions) to load a snapshot with another configuration, and
//! `ImportOptions::with_config` of `hedgerow-gltf` for imported scenes.
