//! From a glTF file to draws.
//!
//! With the feature `gltf`, [`import::load`](crate::import::load) makes a scene of a `.gltf` or `.glb` file. From there
//! on it is a scene like any other: edit it, [`update`](crate::Scene::update) it, and list what is to be drawn. A draw
//! has a mesh and a material number, and [`Imported`](crate::import::Imported) what they stand for: vertices and
//! indices, factors and textures, and the images' bytes, to upload once.
//!
#![cfg_attr(feature = "gltf", doc = "```")]
#![cfg_attr(not(feature = "gltf"), doc = "```ignore")]
//! use hedgerow::draw::DrawGroups;
//! use hedgerow::{DrawList, import};
//!
//! let text = br#"{
//!     "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
//!     "nodes": [{"name": "tree", "mesh": 0, "children": [1, 2]},
//!               {"name": "apple", "mesh": 1, "translation": [1, 2, 0]},
//!               {"name": "apple", "mesh": 1, "translation": [0, 3, 1]}],
//!     "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]},
//!                {"primitives": [{"attributes": {"POSITION": 0}, "material": 1}]}],
//!     "materials": [{"name": "bark"}, {"name": "skin"}],
//!     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 3, "min": [-1, 0, -1], "max": [1, 4, 1]}]
//! }"#;
//! let mut import = import::from_slice(text, None)?; // or `import::load("tree.glb")?`
//!
//! // Each frame, with the same lists:
//! let (mut draws, mut groups) = (DrawList::new(), DrawGroups::new());
//! import.scene.update();
//! import.scene.draw_list(&mut draws);
//! if draws.group(&mut groups) {
//!     // Commands changed, not only matrices: upload `groups.instances()` again.
//! }
//! let mut calls = Vec::new();
//! for (group, instances) in groups.iter() {
//!     // One instanced draw each: `instances` are indices into `draws.matrices()`.
//!     let vertices = import.imported.vertices(group.mesh).expect("a mesh of the file");
//!     let material = import.imported.material(group.material.unwrap()).expect("a material of the file");
//!     calls.push((vertices.positions.len(), material.name.as_deref().unwrap(), instances.len()));
//! }
//! assert_eq!(calls, [(3, "bark", 1), (3, "skin", 2)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - Instanced draws take all matrices in one buffer. [`DrawList::matrices`](crate::DrawList::matrices) is that buffer:
//!   48 bytes each, three rows of four.
//! - A list kept from frame to frame is filled again only where the scene was edited.
//! - For what a camera sees alone, make the scene with `bounds`
//!   ([`ImportOptions::with_config`](crate::import::ImportOptions::with_config)) and use
//!   [`Scene::cull`](crate::Scene::cull) in place of `draw_list`.
//! - Several files in one scene: [`ImportOptions::after`](crate::import::ImportOptions::after) keeps their numbers apart.
//! - [`Imported::play`](crate::import::Imported::play) plays an animation on everything that it moves.
//! - For large worlds, [`Scene::draw_list_relative`](crate::Scene::draw_list_relative) has matrices relative to the
//!   camera, composed in double precision, in [`DrawList::relative_matrices`](crate::DrawList::relative_matrices).
//! - Draws of some layers alone: [`DrawList::on_layers`](crate::DrawList::on_layers). Where each draw was in the update
//!   before, for motion vectors: [`DrawList::with_motion`](crate::DrawList::with_motion).
//! - Skins and morph targets become meshes that are skinned on the processor: the module [`import`](crate::import) shows
//!   how, and the page [`characters`](super::characters) what a frame does with them. A skinned mesh is drawn with the
//!   world matrix of its rig's [`base`](crate::import::RigPlace::base), not with that of its own draw.
