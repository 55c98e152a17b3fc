//! The errors of a mesh set.

use crate::MeshHandle;
use core::fmt;

/// The reason why an edit of a [`MeshSet`](crate::MeshSet) failed. A failed edit changes nothing.
///
/// ```
/// use hedgerow_mesh::Aabb;
/// use hedgerow_mesh::{MeshError, MeshSet, SubMesh};
///
/// let mut set = MeshSet::new();
/// let house = set.insert(7, &[SubMesh::new(0..36, 2, Aabb::cube(1.0))])?;
/// let refused = set.set_material(house, 1, 3);
/// assert_eq!(refused, Err(MeshError::NoSubMesh { mesh: house, sub_mesh: 1, count: 1 }));
/// # Ok::<(), MeshError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MeshError {
    /// The handle's mesh was removed, or the handle belongs to another set.
    StaleHandle(MeshHandle),
    /// The mesh has no sub-mesh with this number.
    NoSubMesh {
        /// The mesh.
        mesh: MeshHandle,
        /// The requested number of a sub-mesh.
        sub_mesh: usize,
        /// The number of sub-meshes of the mesh.
        count: usize,
    },
    /// The indices of a sub-mesh would end past 2³² − 1.
    RangeTooLong {
        /// The sub-mesh's index in the list.
        sub_mesh: usize,
    },
    /// The box of a sub-mesh has NaN or is partly infinite.
    NotFinite {
        /// The sub-mesh's index in the list.
        sub_mesh: usize,
    },
    /// The set would have more sub-meshes or meshes than 32 bits can number.
    CapacityOverflow,
    /// The violation that [`MeshSet::validate`](crate::MeshSet::validate) found, which is a defect of this crate.
    Invalid(&'static str),
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StaleHandle(mesh) => {
                write!(f, "{mesh:?} names no mesh of this set; drop the handle, its mesh was removed")
            }
            Self::NoSubMesh { mesh, sub_mesh, count } => {
                write!(f, "{mesh:?} has {count} sub-meshes but no sub-mesh {sub_mesh}; count from 0")
            }
            Self::RangeTooLong { sub_mesh } => {
                write!(f, "the indices of sub-mesh {sub_mesh} end past 2^32 - 1; split the index buffer")
            }
            Self::NotFinite { sub_mesh } => write!(
                f,
                "the box of sub-mesh {sub_mesh} must be finite, empty or fully infinite; check the numbers before the call"
            ),
            Self::CapacityOverflow => f.write_str("the set cannot number that many meshes; split it into several sets"),
            Self::Invalid(violation) => write!(f, "the set is broken, please report this: {violation}"),
        }
    }
}

impl core::error::Error for MeshError {}
