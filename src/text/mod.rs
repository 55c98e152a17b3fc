//! Scenes in human-readable formats such as JSON (feature `serde`).
//!
//! [`Scene`](crate::Scene) is `Serialize` and `Deserialize`: a flat list of nodes, each with the index of its parent in
//! the list. A [`Tree`](crate::Tree) is written as its nodes only. Children may come before parents; siblings are in
//! list order.
//!
//! The first member of a text, `"hedgerow": 1`, is the number of its form. Every later version reads the text, so it can be
//! kept for [years](crate::snapshot#files-that-last). Text without a number is of form 1, also when there are newer forms,
//! so what is written by hand lasts as well. Keep the number first: it tells readers what to expect after it.
//!
//! Inserting a node changes the indices of later ones. For files that are edited and compared, use the crate
//! `hedgerow-document`: its nodes have lasting ids.
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
//! use hedgerow::{Node, Scene};
//!
//! let text = r#"{"nodes": [
//!     {"parent": 1, "name": "wheel", "material": 2},
//!     {"parent": 2, "name": "car"},
//!     {}
//! ]}"#;
//! let mut scene: Scene = serde_json::from_str(text).unwrap();
//! let car = scene.get(scene.root()).unwrap().find("car").expect("it is in the file").handle();
//! scene.insert(car, Node::group().with_name("door"))?;
//!
//! let text = serde_json::to_string(&scene).unwrap();
//! assert!(text.contains(r#"{"parent":1,"name":"wheel","material":2},{"parent":1,"name":"door"}"#));
//! assert_eq!(serde_json::to_string(&SaveOptions::default().text(&scene)).unwrap(), text);
//! # Ok::<(), hedgerow::Error>(())
//! ```
//!
//! # Components
//!
//! Each is left out if the node does not have it, and so may be parts of a transform. `bounds` may be `"empty"`, too; a
//! view range without an end has `null` there.
//!
//! ```
//! use hedgerow::Tree;
//!
//! let text = r#"{"hedgerow": 1, "nodes": [
//!     {"name": "lamp", "material": 7, "visibility": "hidden", "layers": 5, "view_range": [0.5, 40.0], "user_data": 3,
//!      "transform": {"translation": [2683141.257, 0.0, -1.5], "rotation": [0.0, 0.0, 0.0, 1.0], "scale": [1.0, 1.0, 2.0]},
//!      "drawable": {"mesh": 9, "bounds": {"box": {"min": [-1.0, -1.0, -1.0], "max": [1.0, 1.0, 1.0]}}}},
//!     {"parent": 0, "anchored": true, "visibility": "shown", "view_range": [2.0, null],
//!      "matrix": [[1.0, 0.5, 0.0, 8.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]],
//!      "drawable": {"mesh": 0, "bounds": "infinite"}}]}"#;
//! let tree: Tree = serde_json::from_str(text).unwrap();
//! let again: serde_json::Value = serde_json::to_value(&tree).unwrap();
//! assert_eq!(again, serde_json::from_str::<serde_json::Value>(text).unwrap(), "written as it was read");
//! ```

mod map;
pub(crate) mod number;
mod plain;
mod scene;
