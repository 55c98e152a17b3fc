//! Replicating a scene: on another machine, in another scene, as an engine's entities.
//!
//! **Over a network** send patches: a [`Recorder`](crate::patch::Recorder) reads what changed on the server, and each
//! replica applies it to its [`Instance`](crate::patch::Instance). Both sides have the same ids. A patch is refused by
//! any state but the one that it starts from, so patches of lost packets are joined with the next one. A client that
//! joins gets the whole tree as of the last read.
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
//! let mut missing = Patch::new(); // what the client has not acknowledged
//! for tick in 0..7_u8 {
//!     server.set_local(car, Transform::from_xyz(f32::from(tick), 0.0, 0.0))?;
//!     server.insert(car, Node::material(tick.into()))?;
//!     server.update();
//!     missing = missing.then(&recorder.read(&server)?)?;
//!     let packet = missing.to_bytes();
//!     if tick % 3 == 0 { // the other packets are lost
//!         Patch::from_bytes(&packet)?.apply(&mut client, &mut replica)?;
//!         missing = Patch::new();
//!     }
//! }
//! assert_eq!(client.tree(client.root())?, server.tree(server.root())?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Acknowledgements are lost, too: keep the patches since the tick that a client acknowledged last, number the packets
//! by the ticks from which and to which they lead, and let a client only apply a packet that starts at its tick. Edits
//! of the recorder's root itself are in no patch. A server that starts again inserts its last tree, as the client does,
//! or keeps its handles, too: see [`Instance::with_ids`](crate::patch::Instance::with_ids).
//!
//! A client that is ahead of a packet, since it has applied a newer one or predicts, applies
//! `ahead.inverse().then(&packet)?`, where `ahead` leads from the packet's start to the client's state: the joined
//! newer patches, or what a recorder of its own read. Nodes that a client adds below the replica have no ids, and
//! patches pass them by; do not call [`Instance::tree`](crate::patch::Instance::tree) there, which gives ids to them:
//! two scenes are compared as above.
//!
//! **As entities**, which need handles and kinds of changes and no values, use a
//! [`ChangeReader`](crate::changes::ChangeReader). Read right after [`Scene::update`](crate::Scene::update), before
//! further edits:
//!
//! | | nodes of | their entities |
//! |---|---|---|
//! | 1 | [`removed`](crate::changes::Changed::removed) | despawn; new nodes may have the same record numbers |
//! | 2 | [`left`](crate::changes::Changed::left) | disable: these nodes are detached, and may come back |
//! | 3 | [`entered`](crate::changes::Changed::entered) | spawn or enable; the list has no order |
//! | 4 | `entered`, and [`edited`](crate::changes::Changed::edited) with [`PARENT`](crate::changes::ChangeKinds::PARENT) or [`ORDER`](crate::changes::ChangeKinds::ORDER) | link to the entity of the parent |
//! | 5 | `entered`, `edited`, [`locals`](crate::changes::Changed::locals), [`moved`](crate::changes::Changed::moved) | copy the values that the scene has now |
//!
//! At the first read and after a long time without one, a read is [whole](crate::changes::Changed::is_whole): all nodes
//! have entered. Then also despawn entities of nodes that the scene does not have, and disable those of detached nodes.
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
