//! Guides: short pages that answer newcomers' questions. This module contains no items, only examples.
//!
//! | question | page |
//! |---|---|
//! | How do I edit a scene from several threads, or during a visit? | [`threads`] |
//! | Where do I keep data of my own? | [`own_data`] |
//! | How do I isolate, ghost, section or select parts in an editor? | [`editors`] |
//! | How do I pick what is under the pointer, or select by a rectangle? | [`picking`] |
//! | How do I find the neighbours of thousands of units? | [`BoxIndex`](crate::query::BoxIndex) |
//! | How do I undo edits, or roll a game back? | [`undo`] |
//! | How do I synchronise a scene with a physics engine? | [`physics`] |
//! | How do I draw between two fixed steps of a simulation, update twice in a frame, or cull for a headset? | [`fixed_steps`] |
//! | How do I load and unload parts of a world at run time? | [`streaming`] |
//! | How do I draw a planet without jitter? | [`large_worlds`] |
//! | How do I draw distant objects with coarser meshes? | [`levels_of_detail`] |
//! | How do I mirror nodes as an engine's entities? | [`own_data`] |
//! | What is a slice, a slot, an import? | [`glossary`] |
//! | Which configuration do I need? | [`choosing_a_config`] |
//! | How do I override parts of a prefab, merge two people's edits, replicate a scene, or save files that last? | the front page of the crate `hedgerow-document` |
//! | How do I load and draw a glTF file? | the front page of the crate `hedgerow-gltf` |
//! | In which order do I animate, update, cull and draw characters? Which matrix does a skinned draw need? | the front page of the crate `hedgerow-character` |
//!
//! Coming from three.js, Unity or Godot:
//!
//! | there | here |
//! |---|---|
//! | `add`, `SetParent(p, false)`, `add_child` | [`Scene::insert`](crate::Scene::insert); later [`reparent`](crate::Scene::reparent) with [`Keep::Local`](crate::Keep::Local) |
//! | `attach`, `SetParent`, `reparent` | `reparent` with [`Keep::World`](crate::Keep::World) |
//! | an object without a parent | [`Place::Detached`](crate::Place::Detached) |
//! | `clone`, `Instantiate`, `duplicate` | [`Scene::copy_tree`](crate::Scene::copy_tree), then [`insert_tree`](crate::Scene::insert_tree) |
//! | `getWorldPosition`, `transform.position`, `global_position` | [`NodeRef::fresh_world`](crate::NodeRef::fresh_world); after an update [`Scene::world`](crate::Scene::world) |
//! | `traverse`, `getObjectByName`, `Find`, `find_child` | [`NodeRef::descendants`](crate::NodeRef::descendants), [`find_all`](crate::NodeRef::find_all) |
//! | `visible`, `SetActive` | [`NodeMut::set_visibility`](crate::NodeMut::set_visibility) |
//! | `layers`, which are each node's own | [`Layers`](crate::Layers), which are inherited; for other masks see the end of [`own_data`] |
//! | `Sprite`, a billboard | a node with a position; add `x * right + y * up` to it in the vertex shader, by the axes of the camera, since each view sees it from elsewhere; trees keep the world's `up`. For one view alone, [`look_at`](crate::NodeMut::look_at) |
//! | the order of siblings in a user interface | [`DrawList::order_by_key`](crate::DrawList::order_by_key), since draw lists have another; under the pointer lies what [`query`](crate::Scene::query) finds with the greatest key |
//! | `Raycaster` | [`Scene::pick`](crate::Scene::pick), which finds triangles of nodes that are shown; for boxes of hidden ones, [`NodeRef::bounds`](crate::NodeRef::bounds) of descendants |
//! | `SelectionBox` | [`Scene::select`](crate::Scene::select) with a [`Frustum::from_view_projection_rect`](crate::query::Frustum::from_view_projection_rect) |

pub mod choosing_a_config;
pub mod editors;
pub mod fixed_steps;
pub mod glossary;
pub mod large_worlds;
pub mod levels_of_detail;
pub mod own_data;
pub mod physics;
pub mod picking;
pub mod streaming;
pub mod threads;
pub mod undo;
