//! Threads, and edits for later.
//!
//! A scene is edited through `&mut Scene`, so on one thread at a time. Three things use more threads:
//!
//! - **Reading.** `&Scene` may be shared: world matrices, queries, culling and draw lists into lists of your own can be
//!   asked for on any number of threads at once.
//! - **Passes.** With the feature `rayon`, [`Scene::update`](crate::Scene::update), culling, draw lists, skinning and
//!   [many characters](crate::anim::Skeleton::par_each_palette) use the threads of the current pool, and give the same
//!   bits as on one. Below about 16,000 nodes they stay on one thread. Handing work to a pool from outside costs tens of
//!   microseconds, so the thread of the frame loop should be one of the pool's: made so once by
//!   [`ThreadPoolBuilder::use_current_thread`][current], or for the length of a closure by
//!   [`ThreadPool::install`][install].
//! - **Recorded edits.** An [`EditQueue`](crate::edit::EditQueue) borrows no scene. Each thread fills one of its own,
//!   and the owner of the scene makes all edits in order.
//!
//! [current]: https://docs.rs/rayon/latest/rayon/struct.ThreadPoolBuilder.html#method.use_current_thread
//! [install]: https://docs.rs/rayon/latest/rayon/struct.ThreadPool.html#method.install
//!
//! ```
//! use hedgerow::edit::{Edit, EditQueue};
//! use hedgerow::{Node, NodeHandle, Scene, Transform};
//!
//! let mut scene = Scene::new();
//! let boats: Vec<NodeHandle> = (0..64_u8)
//!     .map(|number| scene.insert(scene.root(), Node::transform(Transform::from_xyz(0.0, 0.0, f32::from(number)))))
//!     .collect::<Result<_, _>>()?;
//! scene.update();
//!
//! // Each thread reads the same scene, and records into a queue of its own.
//! let mut queues = [EditQueue::new(), EditQueue::new()];
//! std::thread::scope(|threads| {
//!     for (queue, boats) in queues.iter_mut().zip(boats.chunks(32)) {
//!         let scene = &scene;
//!         threads.spawn(move || {
//!             for &boat in boats {
//!                 let place = scene.world(boat).expect("all boats are in the scene").translation();
//!                 if place.z < 8.0 {
//!                     queue.push(Edit::remove(boat));
//!                 } else {
//!                     let mast = queue.insert(boat, Node::transform(Transform::from_xyz(0.0, 3.0, 0.0)));
//!                     queue.insert(mast, Node::group().named("flag")); // below a node that is still to be made
//!                 }
//!             }
//!         });
//!     }
//! });
//!
//! // The order of the queues is yours, so the result does not depend on which thread was faster.
//! let mut all = EditQueue::new();
//! queues.iter_mut().for_each(|queue| all.append(queue));
//! assert!(all.apply(&mut scene).iter().all(Result::is_ok));
//! assert_eq!(scene.len(), 1 + 56 * 3);
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! An edit that fails does not stop the others: [`EditQueue::apply`](crate::edit::EditQueue::apply) returns one result
//! for each. Two threads that move the same node do not conflict in memory; the last one in the order
//! wins.
//!
//! The same queue serves during a visit, while the visitor borrows the scene.
