//! Editors and CAD: isolate, ghost, section, explode, select, and a tree beside the view.
//!
//! Rows marked \* change nodes; all others change only what a view shows.
//!
//! | you want | do |
//! |---|---|
//! | to isolate a part | cull with [`CullView::below`](crate::query::CullView::below) of the part; for several parts, a view and a list for each |
//! | to hide a part in this editor alone | an [`Inherited`](crate::data::Inherited) flag; leave out what is flagged when you draw and pick |
//! | to hide a part for everybody\* | [`set_visibility`](crate::NodeMut::set_visibility); a part that is [`Shown`](crate::Visibility::Shown) stays visible below a hidden one |
//! | ghosts: the rest transparent | an [`Inherited`](crate::data::Inherited) opacity; draw what is not opaque in a pass of its own |
//! | a section | a clipping plane in your shader; boxes behind it need no draw: cull with a [`Frustum::from_planes`](crate::query::Frustum::from_planes) that has the plane in place of the near one |
//! | caps of a section | the drawables that the plane cuts, by [`Scene::query`](crate::Scene::query) with a flat box or frustum |
//! | an exploded view | move a clone of the scene, or offsets of your own in the shader; in a scene without a document, set the locals and keep the old ones\* |
//! | a marquee, or to pick | [`Scene::select`](crate::Scene::select), wholly or partly, and [`Scene::pick`](crate::Scene::pick), by triangles: see [`picking`](super::picking) |
//! | to move, copy or remove a selection\* | the nodes that [`Scene::topmost`](crate::Scene::topmost) leaves of it, so that none is moved twice; [`Scene::set_worlds`](crate::Scene::set_worlds) |
//! | gizmos, cameras, labels | nodes elsewhere in the tree, on a layer that only the editor's views have |
//! | undo, prefabs, files | the crate `hedgerow-document` |
//!
//! ```
//! use hedgerow::data::Inherited;
//! use hedgerow::glam::camera::rh::{proj::directx, view};
//! use hedgerow::glam::{Vec2, Vec3};
//! use hedgerow::query::{CullView, Filter, Frustum};
//! use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, SceneConfig, Transform};
//!
//! let mut scene = Scene::with_config(SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
//! let part = |x| Node::transform(Transform::from_xyz(x, 0.0, 0.0)).with_drawable(Drawable::new(1, Aabb::cube(0.5)));
//! let gear = scene.insert(scene.root(), part(-2.0))?;
//! let tooth = scene.insert(gear, part(1.0))?;
//! let case = scene.insert(scene.root(), part(2.0))?;
//! scene.update();
//! let camera = directx::perspective(1.0, 1.0, 0.1, 100.0) * view::look_at_mat4(Vec3::Z * 8.0, Vec3::ZERO, Vec3::Y);
//! let frustum = Frustum::from_view_projection(&camera)?;
//!
//! // Isolate the gear.
//! let mut list = DrawList::new();
//! scene.cull(&mut [CullView::new(&frustum, &mut list).below(gear)])?;
//! assert_eq!(list.len(), 2);
//!
//! // The rest is a ghost.
//! let mut opacity = Inherited::new(0.2, |_: &f32, own: &f32| *own);
//! opacity.set(gear, 1.0);
//! opacity.run(&scene);
//! assert_eq!([gear, tooth, case].map(|node| *opacity.get(node).unwrap_or(&0.2)), [1.0, 1.0, 0.2]);
//!
//! // A marquee over the right half of the screen.
//! let marquee = Frustum::from_view_projection_rect(&camera, Vec2::new(0.0, -1.0), Vec2::ONE)?;
//! let mut selected = Vec::new();
//! scene.query(&marquee, Filter::ALL, &mut selected)?;
//! assert_eq!(selected, [case]);
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! **A tree beside the view.** Show rows of [`NodeRef::children`](crate::NodeRef::children), which are in the order of
//! siblings, and only for parts that are unfolded: a scene of a million nodes then costs what is on the screen. A
//! [`ChangeReader`](crate::changes::ChangeReader) with [parents](crate::changes::ChangeReader::with_parents) says which of
//! these rows changed: [`Changed::parents`](crate::changes::Changed::parents) has the nodes that came, went or moved, with
//! both parents, and [`Changed::edited`](crate::changes::Changed::edited) those that were renamed or reordered.
