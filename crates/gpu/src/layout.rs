//! The records of the buffers, as shaders read them.

use bytemuck::{Pod, Zeroable};
use hedgerow::query::Frustum;
use hedgerow::{Aabb, Layers};

/// What a shader that draws needs of a drawable. 32 bytes; zero for a free slot.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Instance {
    /// The index of the world matrix in [`Buffer::Matrices`](crate::Buffer::Matrices).
    pub matrix: u32,
    /// The mesh.
    pub mesh: u32,
    /// The effective material; [`NONE`] if there is none.
    pub material: u32,
    /// The layers on which the drawable is visible; none if it is hidden.
    pub layers: u32,
    /// The node's user data.
    pub user_data: u32,
    /// The bits of the node's handle, the lower ones first.
    pub node: [u32; 2],
    /// The index of the first joint's matrix in [`Buffer::Palettes`](crate::Buffer::Palettes); 0 if nothing deforms the
    /// drawable. Before it are the weights of morph targets, four in 16 bytes, backwards.
    pub deform: u32,
}

/// Stands for no material in an [`Instance`].
pub const NONE: u32 = u32::MAX;

/// What culling needs of a drawable. 32 bytes; zero for a free slot.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Bounds {
    /// The center of the local box.
    pub center: [f32; 3],
    /// The index of the world matrix.
    pub matrix: u32,
    /// Half the size of the local box; negative if the drawable is always in view.
    pub half: [f32; 3],
    /// The drawable's [`Bin`]; 0 if it is never drawn.
    pub bin: u32,
}

impl Bounds {
    pub(crate) fn new(local: &Aabb, matrix: u32, bin: u32) -> Self {
        // Scaled, greater numbers may become infinite.
        const GREATEST: f32 = 1e30;
        let corners = [local.min, local.max].map(|corner| corner.abs().max_element());
        if corners.into_iter().all(|corner| corner <= GREATEST) {
            Self { center: local.center().to_array(), half: (local.size() * 0.5).to_array(), matrix, bin }
        } else {
            // Infinity times zero is no number, so shaders see a mark in place of boxes without an end.
            Self { center: [0.0; 3], half: [-1.0; 3], matrix, bin }
        }
    }
}

/// Where culling lists the drawables of one key and mesh, once for either winding. 16 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Bin {
    /// The command of each winding, mirrored drawables last.
    pub commands: [u32; 2],
    /// The first place of each winding in a view's list of visible slots.
    pub firsts: [u32; 2],
}

/// An indexed indirect draw. 20 bytes, as graphics libraries expect them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct Command {
    /// The number of indices of the mesh.
    pub index_count: u32,
    /// The number of visible drawables.
    pub instance_count: u32,
    /// The first index of the mesh.
    pub first_index: u32,
    /// What is added to each index.
    pub base_vertex: i32,
    /// The first place in the list of visible slots.
    pub first_instance: u32,
}

/// A view that is culled. 112 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct View {
    planes: [[f32; 4]; 6],
    layers: u32,
    padding: [u32; 3],
}

impl View {
    /// Returns the view of a frustum that sees these layers.
    ///
    /// ```
    /// use hedgerow::glam::camera::rh::proj::directx;
    /// use hedgerow::Layers;
    /// use hedgerow::query::Frustum;
    /// use hedgerow_gpu::layout::View;
    ///
    /// let projection = directx::perspective(1.0, 1.5, 0.1, 100.0);
    /// let view = View::new(&Frustum::from_view_projection(&projection)?, Layers::ALL);
    /// assert_eq!(size_of_val(&view), 112);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(frustum: &Frustum, layers: Layers) -> Self {
        let mut planes = [[0.0; 4]; 6];
        planes.iter_mut().zip(frustum.planes()).for_each(|(plane, of)| *plane = *of);
        Self { planes, layers: layers.mask(), padding: [0; 3] }
    }
}

/// The greatest number of views of a call.
pub const MOST_VIEWS: usize = 32;

/// The uniform of the culling shader.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Views {
    /// The number of views.
    pub count: u32,
    /// The number of slots of drawables.
    pub slots: u32,
    /// The number of commands of a view.
    pub commands: u32,
    /// The length of a view's list of visible slots.
    pub room: u32,
    /// The views.
    pub views: [View; MOST_VIEWS],
}
