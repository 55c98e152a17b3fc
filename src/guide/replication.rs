//! Replicating a scene: on another machine, in another scene, as an engine's entities.
//!
//! **Over a network** send patches: a [`Recorder`](crate::patch::Recorder) reads what changed on the server, and each
//! replica applies the patch to its [`Instance`](crate::patch::Instance). Both sides have the same ids. A patch only
//! applies to the state that it starts from, so patches of lost packets are joined with the next patch. A client that
//! joins gets the whole tree as it was at the last read.
//!
//! ```
//! use hedgerow::patch::{Instance, Patch, Recorder};
//! use hedgerow::{Node, Scene, SceneConfig, Transform, Tree};
//!
//! let mut server = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
//! let car = server.insert(server.root(), Node::transform(Transform::IDENTITY).named("car"))?;
//! server.update();
//! let mut recorder = Recorder::new(&server, Instance::of(&server, server.root())?)?;
//!
//! // A client joins, early or late.
//! let tree = recorder.tree().to_bytes();
//! let mut client = Scene::new();
//! let root = client.root();
//! let mut replica = Instance::insert_below(&mut client, root, &Tree::from_bytes(&tree)?)?;
//!
//! let (mut patches, mut known) = (Vec::new(), 0); // the server's, and the tick that the client acknowledged last
//! let mut steps: Vec<(u8, Patch)> = Vec::new(); // the client's, each with the tick to which it leads
//! for tick in 1..20_u8 {
//!     server.set_local(car, Transform::from_xyz(f32::from(tick), 0.0, 0.0))?;
//!     server.insert(car, Node::material(tick.into()))?;
//!     server.update();
//!     patches.push(recorder.read(&server)?);
//!     let (start, packet) = (known, Patch::join(&patches[usize::from(known)..])?.to_bytes());
//!     if tick % 3 > 0 { // the other packets are lost
//!         steps.retain(|&(to, _)| to > start);
//!         let ahead = Patch::join(steps.iter().map(|(_, step)| step))?;
//!         let step = ahead.inverse().then(&Patch::from_bytes(&packet)?)?;
//!         step.apply(&mut client, &mut replica)?;
//!         steps.push((tick, step));
//!         if tick % 4 == 0 { // the other acknowledgements are lost
//!             known = tick;
//!         }
//!     }
//! }
//! assert_eq!(client.tree(client.root())?, server.tree(server.root())?);
//!
//! let label = client.insert(root, Node::group())?; // a node of its own
//! server.insert(car, Node::group())?;
//! server.update();
//! recorder.read(&server)?; // The client is too far behind: it takes the whole tree.
//! Patch::between(&replica.tree(&client)?, &recorder.tree())?.apply(&mut client, &mut replica)?;
//! assert!(replica.tree(&client)? == recorder.tree() && client.contains(label));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A packet has a first and a last tick. A client ignores a packet whose last tick is not later than its own. It drops
//! stored steps up to a packet's first tick, since later packets do not start earlier. The server drops patches that
//! all clients have, and sends its tree to a client that lags too far. The difference between the client's tree and the
//! server's is also a step, so handles stay valid. In a packet, a changed transform takes 100 bytes, half of them for
//! the old value. A changed place takes 52, and a changed number up to 28. The packet itself takes 36 bytes.
//!
//! Patches do not include edits of the recorder's root itself. After a restart, a server inserts its last tree, as
//! clients do. To keep its handles, too, use [`Instance::with_ids`](crate::patch::Instance::with_ids).
//!
//! Nodes that a client adds below the replica have no ids. Patches and [`Instance::tree`](crate::patch::Instance::tree)
//! skip them, but a patch that removes a node also removes all such nodes below it. Put no node of the replica below a
//! client's node. A client that predicts keeps its tree at the last step, and joins
//! `Patch::between(&replica.tree(&client)?, &kept)?` with the next step. A recorder on the client is faster, but its
//! inverse patches also remove the client's own nodes. Use it if these nodes are outside of the replica.
//!
//! **For entities**, which need handles and kinds of changes but no values, use a
//! [`ChangeReader`](crate::changes::ChangeReader). Read between [`Scene::update`](crate::Scene::update) and further
//! edits:
//!
//! | | nodes of | their entities |
//! |---|---|---|
//! | 1 | [`removed`](crate::changes::Changed::removed) | despawn; new nodes may have the same record numbers |
//! | 2 | [`left`](crate::changes::Changed::left) | disable: these nodes are detached, and may come back |
//! | 3 | [`entered`](crate::changes::Changed::entered) | spawn or enable; the list has no order |
//! | 4 | `entered`, and [`edited`](crate::changes::Changed::edited) with [`PARENT`](crate::changes::ChangeKinds::PARENT) or [`ORDER`](crate::changes::ChangeKinds::ORDER) | link to the entity of the parent |
//! | 5 | `entered`, `edited`, [`locals`](crate::changes::Changed::locals), [`moved`](crate::changes::Changed::moved) | copy the values that the scene has now |
//!
//! The first read is [whole](crate::changes::Changed::is_whole), and so is a read after a long time without reads: all
//! nodes entered. Then also despawn entities whose nodes no longer exist, and disable those whose nodes are detached.
//!
//! ```
//! use hedgerow::changes::ChangeReader;
//! use hedgerow::data::NodeMap;
//! use hedgerow::{Node, NodeHandle, Scene, SceneConfig, Transform};
//!
//! let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
//! let mut reader = ChangeReader::of(&scene); // of the empty scene
//! let mut positions: NodeMap<[f32; 3]> = NodeMap::new(); // the entities
//! let ball = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 0.0, 0.0)))?;
//! scene.update();
//! let changed = scene.changes(&mut reader)?;
//! for &node in changed.removed() {
//!     positions.remove(node);
//! }
//! for node in changed.entered().iter().chain(changed.moved()).filter_map(|&node| scene.get(node)) {
//!     positions.insert(node.handle(), node.world().translation().to_array());
//! }
//! if changed.is_whole() {
//!     positions.remove_stale(&scene);
//! }
//! assert_eq!(positions[ball], [1.0, 0.0, 0.0]);
//! # Ok::<(), hedgerow::Error>(())
//! ```
