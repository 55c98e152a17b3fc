//! Replicating a scene: on another machine, in another scene, as an engine's entities.
//!
//! Read changes right after [`Scene::update`](crate::Scene::update), before further edits: the code below queries the
//! nodes that are reported.
//!
//! A [`ChangeReader`](crate::changes::ChangeReader) gets all changes since its last read. Apply them in this order, so
//! that no node is lost:
//!
//! | | step | reason for the order |
//! |---|---|---|
//! | 1 | drop the nodes of [`left`](crate::changes::Changed::left) from the map to the other side, but do not remove them yet | new nodes may have the same record numbers; their children may have been reparented and stay |
//! | 2 | insert the nodes of [`entered`](crate::changes::Changed::entered), parents before children: sort by [`depth`](crate::NodeRef::depth) | the list has no order |
//! | 3 | reparent the nodes that were edited with [`PARENT`](crate::changes::ChangeKinds::PARENT), all in one [`reparent_many`](crate::Scene::reparent_many) | with single calls, the new parent of a node may still be below that node |
//! | 4 | copy the components of the nodes in [`edited`](crate::changes::Changed::edited): [`node`](crate::NodeRef::node), [`set_node`](crate::NodeMut::set_node) | |
//! | 5 | remove the nodes of `left` | no remaining node is below them any more |
//! | 6 | set or remove the local transforms of the nodes in [`locals`](crate::changes::Changed::locals) | |
//! | 7 | for each node that entered or was edited with `PARENT` or [`ORDER`](crate::changes::ChangeKinds::ORDER), sort the children of its parent | all siblings exist now |
//!
//! A node may be in both `edited` and `locals`, but nodes of `entered` are in neither. Edits of detached nodes are not
//! reported.
//!
//! **Over a network**, keep one reader, made with [`ChangeReader::of`](crate::changes::ChangeReader::of), for each tick
//! that a client may acknowledge; cloning a reader copies its lists. To send changes to a client, clone the reader of
//! the tick that it acknowledged last, and read with the clone. So the next packet repeats lost changes, and a client
//! only applies a packet if it is at the tick from which the packet starts. Send a snapshot to late joiners and to
//! clients whose reader is too old: with it, handles are the same on both sides. Send new nodes as a
//! [`Tree`](crate::Tree) with a list of their handles.
//!
//! On [`Changes::All`](crate::changes::Changes::All), which a reader gets at its first read and after a long time
//! without one, send everything. Free other data that you keep for nodes when they are in
//! [`removed`](crate::changes::Changed::removed), not in `left`: nodes that left may come back.
//!
//! ```
//! use hedgerow::changes::{ChangeKinds, ChangeReader, Changes};
//! use hedgerow::data::NodeMap;
//! use hedgerow::{Error, Keep, Node, NodeHandle, Scene, SceneConfig, Transform};
//!
//! /// Copies a node of the server, whose parent is there already.
//! fn copy(server: &Scene, replica: &mut Scene, map: &mut NodeMap<NodeHandle>, node: NodeHandle) -> Result<(), Error> {
//!     let (Some(from), Some(parent)) = (server.get(node), server.parent(node)) else { return Ok(()) };
//!     let twin = replica.insert(map[parent], from.node())?;
//!     map.insert(node, twin);
//!     Ok(())
//! }
//!
//! fn follow(
//!     server: &Scene,
//!     replica: &mut Scene,
//!     map: &mut NodeMap<NodeHandle>,
//!     reader: &mut ChangeReader,
//! ) -> Result<(), Error> {
//!     let Changes::Since(changed) = server.changes(reader)? else {
//!         replica.clear();
//!         replica.edit(replica.root())?.set_node(server.get(server.root()).unwrap().node())?;
//!         *map = NodeMap::from_iter([(server.root(), replica.root())]);
//!         let mut nodes = server.get(server.root()).unwrap().descendants();
//!         return nodes.try_for_each(|node| copy(server, replica, map, node.handle()));
//!     };
//!     let gone: Vec<_> = changed.left().iter().filter_map(|&node| map.remove(node)).collect();
//!     let mut entered = changed.entered().to_vec();
//!     entered.sort_by_cached_key(|&node| server.get(node).map(|node| node.depth()));
//!     entered.iter().try_for_each(|&node| copy(server, replica, map, node))?;
//!     let edited = |kinds| changed.edited().iter().filter(move |edit| edit.1.intersects(kinds)).map(|edit| edit.0);
//!     let moves: Vec<_> = edited(ChangeKinds::PARENT)
//!         .filter_map(|node| Some((map[node], map[server.parent(node)?])))
//!         .collect();
//!     replica.reparent_many(&moves, Keep::Local)?;
//!     for node in edited(ChangeKinds::EDITS) {
//!         replica.edit(map[node])?.set_node(server.get(node).ok_or(Error::StaleHandle(node))?.node())?;
//!     }
//!     replica.remove_many(&gone)?;
//!     for &node in changed.locals() {
//!         let from = server.get(node).ok_or(Error::StaleHandle(node))?;
//!         replica.edit(map[node])?.set_local(from.local())?;
//!         if let Some(translation) = from.node().translation_f64 {
//!             replica.edit(map[node])?.set_translation_f64(translation)?;
//!         }
//!     }
//!     let moved = edited(ChangeKinds::PARENT | ChangeKinds::ORDER).chain(entered.iter().copied());
//!     let mut parents: Vec<_> = moved.filter_map(|node| server.parent(node)).collect();
//!     parents.sort_unstable();
//!     parents.dedup();
//!     for parent in parents {
//!         let order: NodeMap<usize> = server.children(parent).enumerate().map(|(at, node)| (map[node], at)).collect();
//!         replica.edit(map[parent])?.sort_children_by(|a, b| order[a.handle()].cmp(&order[b.handle()]));
//!     }
//!     Ok(())
//! }
//!
//! let mut server = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
//! let (mut replica, mut map, mut reader) = (Scene::new(), NodeMap::new(), ChangeReader::new());
//! let [yard, shed] = [1.0, 2.0].map(|x| Node::transform(Transform::from_xyz(x, 0.0, 0.0)));
//! let yard = server.insert(server.root(), yard)?;
//! server.update();
//! follow(&server, &mut replica, &mut map, &mut reader)?;
//!
//! // The yard goes into a new shed.
//! let shed = server.insert(server.root(), shed.named("shed"))?;
//! server.reparent(yard, shed, Keep::World)?;
//! server.update();
//! follow(&server, &mut replica, &mut map, &mut reader)?;
//! replica.update();
//! assert_eq!(replica.parent(map[yard]), Some(map[shed]));
//! assert_eq!(replica.world(map[yard]), server.world(yard));
//! assert_eq!(replica.get(map[shed]).unwrap().name(), Some("shed"));
//! # Ok::<(), Error>(())
//! ```
