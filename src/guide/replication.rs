//! Replicating a scene: on another machine, in another scene, as an engine's entities.
//!
//! Read changes right after [`Scene::update`](crate::Scene::update), before further edits: the code below queries the
//! nodes that are reported.
//!
//! A [`ChangeReader`](crate::changes::ChangeReader) is told what changed since it last asked. Applied in this order,
//! nothing is lost on the way:
//!
//! | | what | why then |
//! |---|---|---|
//! | 1 | take what [`left`](crate::changes::Changed::left) from the map to the other side, and remove nothing yet | new nodes may have the same numbers; children of what left may have stayed, elsewhere |
//! | 2 | insert what [`entered`](crate::changes::Changed::entered), parents before children: by [`depth`](crate::NodeRef::depth) | the list has no order |
//! | 3 | reparent what was edited with [`PARENT`](crate::changes::ChangeKinds::PARENT), all in one [`reparent_many`](crate::Scene::reparent_many) | one by one, a node may have to go below one that is still below it |
//! | 4 | give what was [`edited`](crate::changes::Changed::edited) its components anew: [`node`](crate::NodeRef::node), [`set_node`](crate::NodeMut::set_node) | |
//! | 5 | remove what left | nothing that stays is below it any more |
//! | 6 | set or remove what [`locals`](crate::changes::Changed::locals) has | |
//! | 7 | order the children of parents of what entered or was edited with `PARENT` or [`ORDER`](crate::changes::ChangeKinds::ORDER) | all siblings are there |
//!
//! `edited` and `locals` may have the same node; neither has one of `entered`. What is detached is not followed.
//!
//! **Over a network**, keep one [`ChangeReader::of`](crate::changes::ChangeReader::of) the scene for each tick that a
//! client may acknowledge; a clone costs its lists. What goes to a client are the changes of a clone of the reader that
//! it acknowledged last: so what was lost is in the next packet again, and a client applies a packet only if it is at
//! the tick from which that counts. Late joiners, and clients whose reader is too old, get a snapshot: with it handles
//! are the same on both sides. New nodes travel as a [`Tree`](crate::Tree) with a list of their handles.
//!
//! On [`Changes::All`](crate::changes::Changes::All), the first time and after a long time without a read, all is sent.
//! What a program keeps for nodes beyond that is dropped by [`removed`](crate::changes::Changed::removed): nodes that
//! left may come back.
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
