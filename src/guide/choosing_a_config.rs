//! Choosing a configuration.
//!
//! [`Scene::new`](crate::Scene::new) has the default, which is right for transforms and draw lists. Two services are
//! off because they cost memory and time; the rest is for special needs. The fields are in
//! [`SceneConfig`](crate::SceneConfig).
//!
//! | you want | set | it costs |
//! |---|---|---|
//! | culling, or what lies in a sphere, in a box, on a ray | `bounds: true` | 25 bytes a drawable; boxes of what moved |
//! | which nodes moved, came and went; where they were before (motion vectors) | `changes: true` | 56 bytes a transform and the history; time in proportion to the changes |
//! | readers that ask rarely, or less memory | `change_history` above or below 65,536 | 16 bytes for each change kept |
//! | shorter worst updates, or streaming with an [eye](crate::guide::large_worlds) | `max_nodes` below 4096 | more slices to pass over |
//!
//! What needs no setting: `update`, `draw_list`, [`MatrixMirror`](crate::changes::MatrixMirror), snapshots, visitors,
//! inherited properties.
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
//! assert_eq!(scene.changes(&mut reader)?.since().unwrap().moved(), [tree]); // by `changes`
//!
//! let wrong = SceneConfig { max_nodes: 3, ..SceneConfig::DEFAULT };
//! assert!(Scene::with_config(wrong).is_err());
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! A scene keeps its configuration, also in snapshots; [`LoadOptions`](crate::snapshot::LoadOptions)
//! load one with another. `ImportOptions::with_config` of `hedgerow-gltf` is for scenes that are made of files.
//!
//! Call [`Scene::maintain`](crate::Scene::maintain) once a frame with the time that you have left, also if that is
//! little. It restores order, joins small slices and gives memory back.
