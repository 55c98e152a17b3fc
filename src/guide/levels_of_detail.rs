//! Levels of detail.
//!
//! Distant objects do not need all their triangles. Keep a table of coarser meshes beside the scene, and pass it to
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
//! let mut levels = LevelsOfDetail::new();
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
//! assert_eq!(meshes(Vec3::new(0.0, 0.0, 90.0))?, [WOOD]);
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! [`DetailView`](crate::query::DetailView) says what distances are, also as shares of the screen. For a node with a
//! [view range](crate::Node::view_range), the distance is to its world position: so a subtree and its stand-in, if both
//! are children of one node and have no transform, change places at the same moment. Let `far` exceed the radius of the
//! subtree. Nested ranges must all hold.
//!
//! **Nothing flickers.** With a limit of 100 and the usual [margin](crate::query::LevelsOfDetail::with_margin) of 1.1,
//! a drawable becomes coarser at 110, moving away, and finer below 100, coming nearer. View ranges begin and end in the
//! same way. For this, a list remembers the levels and ranges that it chose, until it is filled without levels, from
//! another scene, or cleared. A drawable that was not listed the last time gets the level of its distance: at 105, the
//! coarser one. Use one list for each view.
//!
//! **Costs.** A view with levels reads the box of each drawable that it finds, and what the list had. It tests each
//! view range once, and visits each ancestor of a listed drawable once. A list takes 4 bytes for each record, and one
//! more if there are view ranges.
//!
//! All other lists, queries and rays ignore levels and ranges. To list everything with levels, cull with a frustum that
//! contains everything.
