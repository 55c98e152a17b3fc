#![doc = include_str!("../../docs/glossary.md")]
//!
//! Slices of a scene as rows in memory, before and after [`Scene::maintain`](crate::Scene::maintain) reconstituted them:
//!
#![doc = include_str!("../../docs/figures/slices.svg")]
