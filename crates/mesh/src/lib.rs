//! Static meshes as columns of sub-meshes, for culling and drawing, and trees over triangles, for picking.
//!
//! ```
//! use hedgerow_mesh::glam::{Vec3, Vec4};
//! use hedgerow_mesh::{Aabb, Frustum, MeshDraw, MeshSet, SubMesh};
//!
//! let mut set = MeshSet::new();
//! let at = |x: f32| Aabb::new(Vec3::new(x, 0.0, 0.0), Vec3::new(x + 1.0, 1.0, 1.0));
//! set.insert(7, &[SubMesh::new(0..36, 1, at(0.0)), SubMesh::new(36..60, 2, at(5.0))])?;
//!
//! let right_of_4 = [Vec4::new(1.0, 0.0, 0.0, -4.0), Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO];
//! let (mut visible, mut draws) = (Vec::new(), Vec::new());
//! set.cull(&Frustum::from_planes(right_of_4)?, &mut visible);
//! set.draws(&visible, &mut draws);
//! assert_eq!(draws, [MeshDraw { mesh: 7, start: 36, count: 24, material: 2 }]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! A [`TriangleTree`] finds which triangle of a mesh a ray hits, what a selection rectangle contains, and which corner is
//! nearest. A [`MeshSet`] stores the sub-meshes of all its meshes in common columns. It does not need a scene; boxes are in
//! world space, or in any other space that the frusta share.
//!
//! ```text
//! sub-mesh ── bounds ────── 24 B, in groups of eight   all that culling reads
//!          ── ranges ────── 12 B: mesh, start, count   what a shadow pass reads
//!          ── materials ──── 4 B                       what drawing also reads
//!          ── owners ─────── 8 B                       from a sub-mesh back to its mesh
//! mesh ─────── entries ──── 16 B: first, count, mesh, version
//! ```
//!
//! The sub-meshes of a mesh are adjacent. Removing a mesh leaves a hole of empty boxes, which later meshes fill.
//! Indices stay the same until [`MeshSet::compact`] closes the holes.
//!
//! Source: S. Reinalter, *Adventures in data-oriented design, part 1: mesh data*, with the improvements proposed at the
//! end of the article: visible indices instead of flags, stored draw commands, and one set for all meshes.
//!
//! # Features
//!
//! | feature | adds | default |
//! |---|---|---|
//! | `bytemuck` | [`SubMesh`], [`MeshDraw`] and [`ShadowDraw`] are plain data that is uploaded without unsafe code | no |
//! | `rayon` | large sets are culled on the threads of the current pool, with the same results to the bit | no |
//! | `serde` | [`MeshHandle`] in text formats such as JSON | no |

#![cfg_attr(docsrs, feature(doc_cfg))]

pub use hedgerow_math::{Aabb, Faces, Frustum, LocalRay, LocalVolume, Touch, TriangleHit, Triangles, glam};
pub use slotmap;

mod by_material;
mod cull;
mod draws;
mod error;
mod handle;
mod holes;
mod set;
mod sub_mesh;
mod triangle_tree;
mod validate;

pub use by_material::{MaterialDraws, MaterialGroup};
pub use cull::MeshChunk;
pub use error::MeshError;
pub use handle::MeshHandle;
pub use set::MeshSet;
pub use sub_mesh::{MeshDraw, ShadowDraw, SubMesh};
pub use triangle_tree::{NearestPoint, Snap, TriangleTree, TriangleTreeError};

/// The example of the README, tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
