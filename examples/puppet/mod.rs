//! A person made by formulae, for the examples that show characters: a rig of 68 joints, a closed skin of about 2,500
//! vertices and 5,000 triangles, and clips of how it moves.
//!
//! | file | what |
//! |---|---|
//! | `rig` | the joints |
//! | `flesh` | the solid around them |
//! | `surface` | its surface as triangles |
//! | `fingers` | fingers, too thin for the lattice that the surface is found on |
//! | `mesh` | both together, and which joints each vertex follows |
//! | `limbs` | how a leg reaches a place |
//! | `gait` | walking, running, sneaking and standing, as one formula with four rows of numbers |
//! | `clips` | the gaits as clips, and players of these |
//! | `figure` | the mesh as it is skinned and culled |

mod clips;
mod figure;
mod fingers;
mod flesh;
mod gait;
mod limbs;
mod mesh;
mod rig;
mod surface;

pub(crate) use clips::{clip, player};
pub(crate) use figure::Lists;
pub(crate) use flesh::Cover;
pub(crate) use gait::Gait;
pub(crate) use mesh::PuppetMesh;
pub(crate) use rig::Rig;
