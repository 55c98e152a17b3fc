//! A procedural person for the examples with characters: a rig of 68 joints, a closed skin of about 2,500 vertices and
//! 5,000 triangles, and clips.
//!
//! | file | what |
//! |---|---|
//! | `rig` | the joints |
//! | `flesh` | the solid around them |
//! | `surface` | the solid's surface as triangles |
//! | `fingers` | fingers, too thin for the surface's lattice |
//! | `mesh` | surface and fingers, with the influences of each vertex |
//! | `limbs` | inverse kinematics of legs; fingers that close |
//! | `gait` | walking, running, sneaking and standing: one formula with four sets of parameters |
//! | `clips` | the gaits as clips, and their players |
//! | `figure` | the mesh for skinning and culling |

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
