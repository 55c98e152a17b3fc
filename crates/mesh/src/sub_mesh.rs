//! Sub-meshes and draws.

use crate::MeshError;
use core::ops::Range;
use hedgerow_math::Aabb;

/// A part of a mesh with one material: a range of the mesh's index buffer, and its bounding box.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct SubMesh {
    /// The first index, in the mesh's index buffer.
    pub start: u32,
    /// The number of indices.
    pub count: u32,
    /// The user's number for the material. The set copies the number to draws and does not interpret it.
    pub material: u32,
    /// The box, in the space of the frusta, usually world space. [`Aabb::INFINITE`] is always visible, [`Aabb::EMPTY`]
    /// never.
    pub bounds: Aabb,
}

impl SubMesh {
    /// Creates a sub-mesh. A range that ends before it starts has no indices.
    #[must_use]
    pub fn new(indices: Range<u32>, material: u32, bounds: Aabb) -> Self {
        Self { start: indices.start, count: indices.end.saturating_sub(indices.start), material, bounds }
    }

    /// Returns the range of the mesh's index buffer.
    #[must_use]
    pub const fn indices(&self) -> Range<u32> {
        self.start..self.start.saturating_add(self.count)
    }

    /// Returns the sub-mesh in the form that sets store. `sub_mesh` is its index in the list, for the error.
    pub(crate) fn checked(self, sub_mesh: usize) -> Result<Self, MeshError> {
        if self.start.checked_add(self.count).is_none() {
            return Err(MeshError::RangeTooLong { sub_mesh });
        }
        Ok(Self { bounds: checked_bounds(self.bounds, sub_mesh)?, ..self })
    }
}

/// Returns the box in the form that sets store.
pub(crate) fn checked_bounds(bounds: Aabb, sub_mesh: usize) -> Result<Aabb, MeshError> {
    bounds.checked().map_err(|_| MeshError::NotFinite { sub_mesh })
}

/// A draw of a sub-mesh: bind the mesh's buffers and the material, then draw the indices. Takes 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct MeshDraw {
    /// The user's number for the mesh.
    pub mesh: u32,
    /// The first index, in the mesh's index buffer.
    pub start: u32,
    /// The number of indices.
    pub count: u32,
    /// The user's number for the material.
    pub material: u32,
}

/// A draw for a depth-only pass, without a material. Takes 12 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct ShadowDraw {
    /// The user's number for the mesh.
    pub mesh: u32,
    /// The first index, in the mesh's index buffer.
    pub start: u32,
    /// The number of indices.
    pub count: u32,
}

impl ShadowDraw {
    #[inline]
    pub(crate) const fn with_material(self, material: u32) -> MeshDraw {
        let Self { mesh, start, count } = self;
        MeshDraw { mesh, start, count, material }
    }
}
