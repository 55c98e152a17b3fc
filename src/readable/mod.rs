//! Scenes in a form that people read and write, through `serde` (feature `serde`).
//!
//! `scene` has a scene as a flat list of nodes; `plain` has the types whose readable form differs from their fields.
//! For self-describing formats, such as JSON, RON or YAML: missing components are left out. For exchange between
//! programs use snapshots, which are smaller, faster, and keep handles.

mod plain;
mod scene;
