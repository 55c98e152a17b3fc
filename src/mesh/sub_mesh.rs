//! A sub-mesh as a caller describes it, and as it is drawn.

use crate::Aabb;
use crate::mesh::MeshError;
use core::ops::Range;

/// A part of a mesh with one material: a range of the mesh's index buffer, and the box about what is drawn of it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct SubMesh {
    /// The first index, in the mesh's index buffer.
    pub start: u32,
    /// How many indices there are.
    pub count: u32,
    /// The caller's own number for a material; the set hands it back in draws and never looks at it.
    pub material: u32,
    /// The box in the space of the frusta that it is culled by, usually the world's. [`Aabb::INFINITE`] is always visible,
    /// [`Aabb::EMPTY`] never.
    pub bounds: Aabb,
}

impl SubMesh {
    /// These indices with this material and box. A range that ends before it starts has no indices.
    #[must_use]
    pub fn new(indices: Range<u32>, material: u32, bounds: Aabb) -> Self {
        Self { start: indices.start, count: indices.end.saturating_sub(indices.start), material, bounds }
    }

    /// The range of the mesh's index buffer.
    #[must_use]
    pub const fn indices(&self) -> Range<u32> {
        self.start..self.start.saturating_add(self.count)
    }

    /// The description as a set keeps it; `sub_mesh` is its place in the list, for the error.
    pub(super) fn checked(self, sub_mesh: usize) -> Result<Self, MeshError> {
        if self.start.checked_add(self.count).is_none() {
            return Err(MeshError::RangeTooLong { sub_mesh });
        }
        Ok(Self { bounds: checked_bounds(self.bounds, sub_mesh)?, ..self })
    }
}

/// The box as a set keeps it.
pub(super) fn checked_bounds(bounds: Aabb, sub_mesh: usize) -> Result<Aabb, MeshError> {
    bounds.checked().map_err(|_| MeshError::NotFinite { sub_mesh })
}

/// What it takes to draw a sub-mesh: bind the mesh's buffers and the material, draw the indices. 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct MeshDraw {
    /// The caller's number for the mesh.
    pub mesh: u32,
    /// The first index, in the mesh's index buffer.
    pub start: u32,
    /// How many indices there are.
    pub count: u32,
    /// The caller's number for the material.
    pub material: u32,
}

/// What it takes to draw indices into a depth buffer: no material. 12 bytes.
///
/// It is also the record that a [`MeshSet`](crate::mesh::MeshSet) keeps of a sub-mesh's range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct ShadowDraw {
    /// The caller's number for the mesh.
    pub mesh: u32,
    /// The first index, in the mesh's index buffer.
    pub start: u32,
    /// How many indices there are.
    pub count: u32,
}

impl ShadowDraw {
    /// The same indices with a material.
    #[inline]
    pub(super) const fn with_material(self, material: u32) -> MeshDraw {
        let Self { mesh, start, count } = self;
        MeshDraw { mesh, start, count, material }
    }
}
