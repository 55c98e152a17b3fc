//! Draw lists: the visible drawables of a frame, in approximate tree order, or by mesh and material.
//!
//! | subject | types |
//! |---|---|
//! | the visible drawables with their matrices, updated incrementally | [`DrawList`], [`DrawCommand`] |
//! | visible drawables grouped by mesh and material, for instancing | [`DrawGroups`], [`DrawGroup`] |
//! | visible drawables sorted by a key of your own, or by depth in either direction | [`DrawOrder`], [`DepthView`], [`depth_key`] |
//! | a pass that adds the drawables of visited slices: part of a scene, or several scenes | [`RenderPass`] |
//!
//! ```
//! use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, Transform};
//!
//! let mut scene = Scene::new();
//! let stone = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(3, Aabb::cube(1.0))).with_material(5);
//! scene.insert(scene.root(), stone)?;
//! scene.update();
//! let mut draws = DrawList::new();
//! scene.draw_list(&mut draws);
//! let command = draws.commands()[0];
//! assert_eq!((command.mesh, command.material()), (3, Some(5)));
//! # Ok::<(), hedgerow::Error>(())
//! ```

pub use crate::pass::{DepthView, DrawCommand, DrawGroup, DrawGroups, DrawList, DrawOrder, RenderPass, depth_key};
