//! Sub-mesh sets: static meshes as columns, for culling and drawing.
//!
//! Source: S. Reinalter's Molecule engine, *Adventures in data-oriented design, part 1: mesh data*, with the
//! improvements proposed at its end: indices of what is visible instead of flags, commands stored directly, and all
//! meshes in one.
//!
//! ```text
//! sub-mesh ── bounds ────── 24 B, in groups of eight   what culling reads, and nothing else
//!          ── ranges ────── 12 B: mesh, start, count   what a shadow pass reads
//!          ── materials ──── 4 B                       what drawing reads beside the range
//!          ── owners ─────── 8 B                       from a sub-mesh back to its mesh
//! mesh ─────── entries ──── 16 B: first, count, mesh, version
//! ```
//!
//! The sub-meshes of a mesh are side by side. Removing a mesh leaves a hole of boxes that no query hits, which later
//! meshes fill. So indices stay the same until [`MeshSet::compact`] closes the holes.

mod by_material;
mod cull;
mod draws;
mod error;
mod handle;
mod holes;
mod set;
mod sub_mesh;
mod validate;

pub use by_material::{MaterialDraws, MaterialGroup};
pub use cull::MeshChunk;
pub use error::MeshError;
pub use handle::MeshHandle;
pub use set::MeshSet;
pub use sub_mesh::{MeshDraw, ShadowDraw, SubMesh};
