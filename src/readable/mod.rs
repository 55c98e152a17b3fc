//! Scenes in a form that people read and write, through `serde` (feature `serde`).
//!
//! `scene` is a scene as a flat list of nodes; `plain` has the types whose form is not that of their fields. For formats
//! that describe themselves, such as JSON, RON or YAML: what a node does not have is left out. Programs among themselves
//! use snapshots, which are smaller, faster, and keep handles.

mod plain;
mod scene;
