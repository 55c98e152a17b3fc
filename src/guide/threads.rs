//! Threads, and recorded edits.
//!
//! Edits take `&mut Scene`, so only one thread at a time can edit a scene. Three things can use more threads:
//!
//! - **Reading.** `&Scene` can be shared: any number of threads can read world matrices, run queries, cull, and fill
//!   draw lists of their own at the same time.
//! - **Passes.** With the feature `rayon`, [`Scene::update`](crate::Scene::update), culling and draw lists use the
//!   threads of the current pool, and give the same bits as on one thread; so do characters and skinning in the crate
//!   `hedgerow-anim`. Below about 16,000 nodes, or 8,000 drawables in culling, passes stay on one thread. Sending work
//!   to a pool from outside costs tens of microseconds, so the thread of the frame loop should belong to the pool. Make
//!   this thread a member once with [`ThreadPoolBuilder::use_current_thread`][current], or run a closure in the pool
//!   with [`ThreadPool::install`][install].
//! - **Recorded edits.** An [`EditQueue`](crate::edit::EditQueue) does not borrow the scene. Each thread fills its own
//!   queue, and the owner of the scene applies all edits in order.
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
//!                     queue.insert(mast, Node::group().with_name("flag")); // below a node that is still to be made
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
//! for each. If two threads move the same node, there is no data race, and the last edit in the order wins.
//!
//! You can also record edits in a queue during a visit, while the visitor borrows the scene.
