//! Prefabs, undo and merges by patches.
//!
//! A [`Patch`](crate::patch::Patch) is the difference of two [`Tree`](crate::Tree)s as a value. It refers to nodes by
//! ids, which stay the same when nodes are renamed, moved or sorted. An [`Instance`](crate::patch::Instance) is a tree
//! that was inserted into a scene, with the handle of each id.
//!
//! **A prefab with overrides.** Edit the instance by any call. To save it, compare it with the prefab; then the file
//! only has the overrides. When the prefab changes, merge its change with the overrides. To revert overrides, remove
//! their entries ([`retain`](crate::patch::Patch::retain)); the inverse of all overrides, then the kept ones, leads
//! from the instance's state to the wanted one. A node that the instance adds or removes is one override with all its
//! fields: reverting names does not touch the name of an added node. To apply an override to the prefab, patch the
//! prefab. A variant of a variant has two consecutive patches: [`then`](crate::patch::Patch::then) joins them.
//!
//! ```
//! use hedgerow::patch::{Field, Instance, Patch};
//! use hedgerow::{Node, Scene, Tree};
//!
//! let mut prefab = Tree::new();
//! let lamp = prefab.push(None, Node::material(1).named("lamp"));
//! prefab.push(Some(lamp), Node::group().named("bulb"));
//!
//! let mut scene = Scene::new();
//! let root = scene.root();
//! let mut instance = Instance::insert(&mut scene, root, &prefab)?;
//! instance.begin_ids_at(1000); // new nodes of the prefab have lower ids
//! scene.edit(instance.node(0).unwrap())?.set_material(7).set_name("red lamp");
//! scene.remove(instance.node(1).unwrap())?;
//! scene.insert(instance.node(0).unwrap(), Node::group().named("sign"))?;
//! instance.assign(&scene)?; // ids for new nodes
//! let overrides = Patch::between(&prefab, &instance.tree(&scene)?)?;
//!
//! let mut next = prefab.clone(); // the next version of the prefab
//! next.push(Some(lamp), Node::group().named("shade"));
//! let (both, conflicts) = Patch::merge(&overrides, &Patch::between(&prefab, &next)?)?;
//! assert!(conflicts.is_empty());
//! assert!(prefab.patched(&both)?.iter().any(|(_, node)| node.name == Some("shade")));
//!
//! let mut kept = overrides.clone();
//! kept.retain(|entry| entry.field() != Field::Name); // revert the names, in the scene,
//! overrides.inverse().then(&kept)?.apply(&mut scene, &mut instance)?;
//! assert_eq!(scene.get(instance.node(0).unwrap()).unwrap().name(), Some("lamp"));
//! let sign = instance.node(1000).unwrap(); // the added node has its name; the removed node stays removed
//! assert_eq!((scene.get(sign).unwrap().name(), instance.tree(&scene)?.len()), (Some("sign"), 2));
//! let red = prefab.patched(&kept)?; // and make the rest part of the prefab
//! assert_eq!(red.get(0), Some(Node::material(7).named("lamp")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **Undo and replication.** A [`Recorder`](crate::patch::Recorder) makes a patch of what changed in a scene since the
//! last read: see [`undo`](super::undo) and [`replication`](super::replication). The time depends on the changes, not
//! on the tree's size. Without a recorder, [`Patch::between`](crate::patch::Patch::between) compares two trees.
//!
//! **Merges.** If two people edit the same tree, [`merge`](crate::patch::Patch::merge) keeps both changes and lists the
//! conflicts. A patch that does not fit the receiver's state is refused; the error names the node and the field.
