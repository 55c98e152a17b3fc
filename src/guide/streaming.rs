//! Streaming: parts of a world that come and go while it runs.
//!
//! | step | where | cost |
//! |---|---|---|
//! | read a part from a file into a [`Tree`](crate::Tree): [`Tree::from_bytes`](crate::Tree::from_bytes), or `push` | a loader's thread | O(nodes), none of it in a frame |
//! | insert it: [`Scene::insert_tree`](crate::Scene::insert_tree) | between two frames | O(nodes), at bulk speed; the next update places them |
//! | take it out: [`Scene::remove`](crate::Scene::remove) of its top node | between two frames | O(nodes) |
//! | give memory back: [`Scene::maintain`](crate::Scene::maintain) | once a frame, with a budget | no more than the budget |
//!
//! **Keep frames short.** One large insert makes one long frame: cut a part into trees of some thousand nodes, and insert
//! one a frame below the part's top node. Hide that node ([`Visibility::Hidden`](crate::Visibility::Hidden)) until the
//! last one is there, if nobody may see half of it.
//!
//! **Come and go.** A part that will soon be wanted again is detached, not removed:
//! [`reparent`](crate::Scene::reparent) its top node to [`Place::Detached`](crate::Place::Detached). It keeps its
//! handles and edits, takes its memory, and costs passes nothing. One that was changed and goes for long is kept as
//! bytes: [`Scene::tree`](crate::Scene::tree), then [`Tree::to_bytes`](crate::Tree::to_bytes).
//!
//! **Whose handles.** `insert_tree` returns handles in the order of the tree, so what a loader knows by index is found
//! by handle afterwards. When the part goes, its handles become stale: data of your own in a
//! [`NodeMap`](crate::data::NodeMap) goes with [`retain_live`](crate::data::NodeMap::retain_live), or by what
//! [`removed`](crate::changes::Changed::removed) lists.
//!
//! ```
//! use hedgerow::{Error, Node, NodeHandle, Scene, Transform, Tree, Visibility};
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
//!     let top = scene.insert(scene.root(), Node::group().with_visibility(Visibility::Hidden))?;
//!     for part in &parts {
//!         scene.insert_tree(top, part)?; // a part a frame
//!         scene.update();
//!     }
//!     scene.edit(top)?.set_visibility(Visibility::Inherited);
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
//! A part that is refused changes nothing: [`BatchError`](crate::edit::BatchError) says which node of it is at fault.
//! If the loader also edits what is there already, it records all in an [`EditQueue`](crate::edit::EditQueue), and
//! [`apply_all`](crate::edit::EditQueue::apply_all) makes all of it or nothing.
