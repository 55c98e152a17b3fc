//! Guides: short pages for questions that newcomers ask. There is no code here but examples.
//!
//! | question | page |
//! |---|---|
//! | How do I edit from several threads, or during a visit? | [`threads`] |
//! | Where do I keep data of my own? | [`own_data`] |
//! | How do I undo edits? | [`undo`] |
//! | How do I override parts of a prefab, or merge two people's edits? | [`patches`] |
//! | Physics moves nodes and is told what others moved: in which order? | [`physics`] |
//! | How do parts of a world come and go while it runs? | [`streaming`] |
//! | How do I draw a planet without jitter? | [`large_worlds`] |
//! | How is a scene kept alike elsewhere, on another machine or in an engine's entities? | [`replication`] |
//! | What is a slice, a slot, an import? | [`glossary`] |
//! | Which configuration do I need? | [`choosing_a_config`] |
//! | How does a glTF file become draws? | the front page of the crate `hedgerow-gltf` |
//! | What does a frame with characters do, in which order? Which matrix does a skinned draw need? | [`characters`] |

pub mod characters;
pub mod choosing_a_config;
pub mod glossary;
pub mod large_worlds;
pub mod own_data;
pub mod patches;
pub mod physics;
pub mod replication;
pub mod streaming;
pub mod threads;
pub mod undo;
