//! Levels of detail.
//!
//! Distant objects do not need all their triangles. Keep a table of coarser meshes outside the scene, and pass it to
//! [`Scene::cull`](crate::Scene::cull) with the position of the camera. Each draw command gets the mesh of its level.
//! The scene is not edited, so several views choose independently, and nothing has to be updated.
//!
//! ```
//! use hedgerow::glam::Vec3;
//! use hedgerow::query::{CullView, DetailView, Frustum, LevelsOfDetail};
//! use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, SceneConfig, Transform, ViewRange};
//!
//! const TREE: u32 = 10;
//! const WOOD: u32 = 20;
//! let mut levels = LevelsOfDetail::new().with_margin(1.1)?; // the default
//! levels.insert(TREE, &[(20.0, Some(11)), (60.0, Some(12)), (150.0, None)])?;
//!
//! let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
//! let forest = scene.insert(scene.root(), Node::transform(Transform::from_xyz(0.0, 0.0, -50.0)))?;
//! // Near the forest there are its trees, far away one drawable stands for all of them.
//! let trees = scene.insert(forest, Node::group().with_view_range(ViewRange::new(0.0, 120.0)?))?;
//! for z in [40.0, 0.0, -40.0] {
//!     let tree = Node::transform(Transform::from_xyz(0.0, 0.0, z));
//!     let tree = tree.with_drawable(Drawable::new(TREE, Aabb::cube(1.0)));
//!     scene.insert(trees, tree)?;
//! }
//! let wood = Node::drawable(Drawable::new(WOOD, Aabb::cube(50.0))).with_view_range(ViewRange::new(120.0, 900.0)?);
//! scene.insert(forest, wood)?;
//! scene.update();
//!
//! # let frustum = Frustum::from_planes([hedgerow::glam::Vec4::W; 6])?;
//! let mut list = DrawList::new();
//! let mut meshes = |eye: Vec3| {
//!     scene.cull(&mut [CullView::new(&frustum, &mut list).with_detail(DetailView::new(&levels, eye))])?;
//!     Ok::<_, hedgerow::Error>(list.commands().iter().map(|command| command.mesh).collect::<Vec<_>>())
//! };
//! assert_eq!(meshes(Vec3::ZERO)?, [TREE, 11, 12]);
//! assert_eq!(meshes(Vec3::new(0.0, 0.0, 12.0))?, [TREE, 11, 12]); // 21 m away: coarser from 22 m on
//! assert_eq!(meshes(Vec3::new(0.0, 0.0, 90.0))?, [WOOD]);
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! [`DetailView`](crate::query::DetailView) defines distances, also as shares of the screen. A [view
//! range](crate::Node::view_range) is compared with the distance to the node's world position. So a subtree and its
//! stand-in change places at the same moment if both are children of one node and have no transform. Let `far` exceed
//! the radius of the subtree. A node is shown if its range and those of all ancestors hold.
//!
//! **Nothing flickers.** With a limit of 100 and the default [margin](crate::query::LevelsOfDetail::with_margin) of
//! 1.1, a drawable that moves away becomes coarser at 110; a drawable that comes nearer becomes finer below 100. View
//! ranges begin and end in the same way. For this, a list remembers the levels and ranges that it chose, until it is
//! filled without levels or from another scene, or is cleared. A drawable that was not listed the last time gets the
//! level of its distance: at 105, the coarser one. Use one list for each view. So a drawable that has just come into the
//! reach of a shadow map may cast the shadow of another level than the picture shows; with a margin of 1 it never does.
//!
//! **Costs.** A view with levels reads the box and the previous command of each drawable that it finds. It tests each
//! view range once, and visits each ancestor of a listed drawable once. A list takes 4 bytes per record of the scene,
//! or 5 if there are view ranges. To hide many single drawables in the distance, levels of their mesh that end with
//! `None` take about a quarter of the time of view ranges, which are for subtrees.
//!
//! Lists without levels, queries and rays ignore levels and ranges. To list the whole scene with levels, cull with a
//! frustum that contains everything.
