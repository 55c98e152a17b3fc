//! Streaming: loading and unloading parts of a world at run time.
//!
//! | step | where | cost |
//! |---|---|---|
//! | read a part from a file into a [`Tree`](crate::Tree): [`Tree::from_bytes`](crate::Tree::from_bytes), or `push` | a loader thread | O(nodes), not in the frame loop |
//! | insert it: [`Scene::insert_tree`](crate::Scene::insert_tree) | between two frames | O(nodes), in bulk; the next update places them |
//! | unload it: [`Scene::remove`](crate::Scene::remove) of its top node | between two frames | O(nodes) |
//! | free memory: [`Scene::maintain`](crate::Scene::maintain) | once a frame, with a number of nodes | about as many nodes, and at least a slice; records of removed nodes stay allocated, for new nodes |
//!
//! **A budget.** Memory follows the number of nodes, so count them: a part takes its share of
//! [`Stats::live_bytes`](crate::stats::Stats::live_bytes). Before it is there, add the
//! [bytes of its components](crate#costs).
//!
//! **Keep frames short.** One large insert makes one long frame. So split a part into trees of a few thousand nodes,
//! and insert one tree per frame below the part's top node. If the part must not be seen incomplete, give that node
//! [`Layers::NONE`](crate::Layers::NONE) until the last tree is inserted. (Hiding it does not hide nodes below it that
//! are [`Shown`](crate::Visibility::Shown).)
//!
//! **Unload for a while.** If you will soon need a part again, detach it instead of removing it:
//! [`reparent`](crate::Scene::reparent) its top node to [`Place::Detached`](crate::Place::Detached). The part keeps its
//! handles, edits and memory, and adds no cost to passes. Detaching, attaching and the next update each take O(nodes
//! moved), so split the part here, too. If a part was changed and is unloaded for longer, save it as bytes:
//! [`Scene::copy_tree`](crate::Scene::copy_tree), then [`Tree::to_bytes`](crate::Tree::to_bytes). To find its nodes
//! again, use their names ([`NodeRef::find`](crate::NodeRef::find)), or the paths of a document (crate
//! `hedgerow-document`).
//!
//! **Handles.** `insert_tree` returns handles in the order of the tree, so a loader can map its indices to handles.
//! When you remove a part, its handles become stale, so drop [your own data](super::own_data), too.
//!
//! ```
//! use hedgerow::{Error, Layers, Node, NodeHandle, Scene, Transform, Tree};
//! use std::sync::mpsc;
//! use std::thread;
//!
//! /// A block of houses as a loader makes it: here from nothing, there from a file.
//! fn load(block: u32) -> Vec<Tree> {
//!     let houses = (0..4).map(|street| {
//!         let mut tree = Tree::new();
//!         for house in 0..100 {
//!             let place = Transform::from_xyz(block as f32 * 1e3, house as f32 * 20.0, street as f32 * 90.0);
//!             tree.push(None, Node::transform(place));
//!         }
//!         tree
//!     });
//!     houses.collect()
//! }
//!
//! let mut scene = Scene::new();
//! let (to_scene, loaded) = mpsc::channel();
//! thread::spawn(move || (0..3).try_for_each(|block| to_scene.send((block, load(block)))));
//!
//! let mut blocks: Vec<(u32, NodeHandle)> = Vec::new();
//! for (block, parts) in loaded {
//!     let top = scene.insert(scene.root(), Node::group().with_layers(Layers::NONE))?;
//!     for part in &parts {
//!         scene.insert_tree(top, part)?; // a part a frame
//!         scene.update();
//!     }
//!     scene.edit(top)?.set_layers(None);
//!     blocks.push((block, top));
//! }
//! assert_eq!(scene.len(), 1 + 3 * 401);
//!
//! for (_, top) in blocks.extract_if(.., |(block, _)| *block == 0) {
//!     scene.remove(top)?; // behind the camera
//! }
//! scene.update();
//! assert_eq!(scene.len(), 1 + 2 * 401);
//! # Ok::<(), Error>(())
//! ```
//!
//! If inserting a part fails, nothing changes, and [`BatchError`](crate::edit::BatchError) names the invalid node. If
//! the loader also edits existing nodes, record everything in an [`EditQueue`](crate::edit::EditQueue):
//! [`apply_all`](crate::edit::EditQueue::apply_all) applies all edits or none.
