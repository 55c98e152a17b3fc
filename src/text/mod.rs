//! Scenes in human-readable formats such as JSON (feature `serde`).
//!
//! [`Scene`](crate::Scene) is `Serialize` and `Deserialize`: a flat list of nodes, each with the index of its parent in
//! the list. For files that are edited and compared, [`WithIds`] writes each node with an id of its own, and refers to
//! parents by id. Inserting a node then changes no other line, and reading and writing a file keeps the ids. A
//! [`Tree`](crate::Tree) is written as its nodes only. Children may come before parents; siblings are in list order.
//!
//! A translation in double precision is written in the same field as any other, with more digits. A translation with
//! more digits than single precision tells apart, such as 16777217 or 2683141.257, is read in double precision. All
//! other numbers are rounded to single precision. Values are normalised as by an edit.
//!
//! Use self-describing formats such as JSON, RON or YAML, since components that a node does not have are omitted. To
//! exchange scenes between programs, use snapshots, which are smaller and faster, and preserve handles.
//!
//! ```
//! use hedgerow::snapshot::SaveOptions;
//! use hedgerow::text::{NodeIds, WithIds};
//! use hedgerow::{Node, Scene};
//!
//! let text = r#"{"nodes": [
//!     {"id": 12, "parent": 7, "name": "wheel", "material": 2},
//!     {"id": 7, "parent": 3, "name": "car"},
//!     {"id": 3}
//! ]}"#;
//! let WithIds { mut scene, mut ids } = serde_json::from_str(text).unwrap();
//! let car = ids.node(7).expect("it is in the file");
//! assert_eq!(scene.get(car).unwrap().name(), Some("car"));
//!
//! scene.insert(car, Node::group().named("door"))?;
//! ids.assign(&scene)?;
//! let text = serde_json::to_string(&WithIds { scene: &scene, ids: &ids }).unwrap();
//! assert!(text.contains(r#"{"id":12,"parent":7,"name":"wheel","material":2},{"id":13,"parent":7,"name":"door"}"#));
//! assert_eq!(serde_json::to_string(&SaveOptions::default().text(&scene, &ids)).unwrap(), text);
//! # Ok::<(), hedgerow::Error>(())
//! ```

mod map;
mod plain;
mod scene;

pub use crate::scene::NodeIds;
pub use scene::WithIds;
