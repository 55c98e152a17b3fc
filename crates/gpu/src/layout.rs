//! The records of the buffers, as shaders read them. They have the traits of `bytemuck`.

use bytemuck::{Pod, Zeroable, bytes_of};
use hedgerow::glam::{DVec3, Mat4};
use hedgerow::query::Frustum;
use hedgerow::{Aabb, Layers};

/// What a shader that draws needs of a drawable. 36 bytes; zero for a free slot.
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
    /// drawable. The 16 bytes before it are the first four weights of morph targets, those before these the next four.
    pub deform: u32,
    /// The number of the [`Range`] that the drawable is in; 0 if there is none. It is item 2 · `range` of
    /// [`Buffer::Ranges`](crate::Buffer::Ranges).
    pub range: u32,
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
    /// Half the size of the local box; negative if the drawable is always in view, or if the box is empty, with bin 0.
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

/// Where culling lists the drawables of one key and mesh, once for either winding. 48 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Bin {
    /// The command of each winding, mirrored drawables last.
    pub commands: [u32; 2],
    /// The first place of each winding in a view's list of visible slots.
    pub firsts: [u32; 2],
    /// The distance from which each coarser level is drawn, ascending; [`f32::MAX`] if there are fewer levels.
    pub from: [f32; 4],
    /// The bin of each coarser level; 0 if nothing is drawn there.
    pub levels: [u32; 4],
}

impl Default for Bin {
    fn default() -> Self {
        Self { commands: [0; 2], firsts: [0; 2], from: [f32::MAX; 4], levels: [0; 4] }
    }
}

/// A node with a view range. 16 bytes, before 16 more in which culling keeps whether the range held in each view.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct Range {
    /// The index of the node's world matrix.
    pub matrix: u32,
    /// The least distance.
    pub near: f32,
    /// The distance at which the range ends; [`f32::MAX`] if it is infinite.
    pub far: f32,
    /// The number of the range of the nearest node above with one, which must hold, too; 0 if there is none. It is item
    /// 2 · `above`.
    pub above: u32,
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
    /// The first place in [`Buffer::Visible`](crate::Buffer::Visible), which is bound from its beginning; 0 [if
    /// commands have none](crate::GpuScene::without_first_instance).
    pub first_instance: u32,
}

/// A view that is culled. 128 bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct View {
    planes: [[f32; 4]; 6],
    /// What the planes are relative to.
    origin: [f32; 3],
    layers: u32,
    eye: [f32; 3],
    /// The factor of distances; 0 for a view without levels of detail and view ranges.
    scale: f32,
}

impl View {
    /// Returns the view of a frustum that sees these layers, all view ranges, and each drawable at its finest level.
    ///
    /// ```
    /// use hedgerow::glam::camera::rh::proj::directx;
    /// use hedgerow::Layers;
    /// use hedgerow::query::Frustum;
    /// use hedgerow_gpu::layout::View;
    ///
    /// let projection = directx::perspective(1.0, 1.5, 0.1, 100.0);
    /// let view = View::new(&Frustum::from_view_projection(&projection)?, Layers::ALL);
    /// let camera = [4.0, 0.0, 0.0];
    /// let view = view.with_detail(camera, 1.0);
    /// assert_eq!(size_of_val(&view), 128);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn new(frustum: &Frustum, layers: Layers) -> Self {
        let mut planes = [[0.0; 4]; 6];
        planes.iter_mut().zip(frustum.planes()).for_each(|(plane, of)| *plane = *of);
        Self { planes, layers: layers.mask(), ..Self::default() }
    }

    /// Returns the view of a frustum that is relative to this position, such as the camera of a
    /// [`DrawList` with an eye](hedgerow::DrawList::set_eye). Far from the origin, its planes are more exact. World matrices
    /// stay in single precision: a drawable a million units away may be off by 1/16.
    #[must_use]
    pub fn relative_to(self, origin: impl Into<DVec3>) -> Self {
        Self { origin: origin.into().as_vec3().to_array(), ..self }
    }

    /// Returns the view with [levels of detail](crate::GpuScene::set_levels) and [view
    /// ranges](hedgerow::Node::view_range), as a [`DetailView`](hedgerow::query::DetailView) has them: by distance from this
    /// position, times a scale greater than 0. A view knows by its number what it showed in the last culling, to which the
    /// margin applies; so keep the order of your views.
    #[must_use]
    pub fn with_detail(self, eye: impl Into<DVec3>, scale: f32) -> Self {
        Self { eye: eye.into().as_vec3().to_array(), scale, ..self }
    }

    /// Returns whether the view looks at distances.
    pub(crate) fn has_detail(&self) -> bool {
        self.scale > 0.0
    }
}

/// The greatest number of views that are culled at once.
pub const MAX_VIEWS: usize = 32;

/// The uniform of a culling.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Views {
    /// The number of views.
    pub count: u32,
    /// The number of slots of drawables.
    pub slots: u32,
    /// The number of commands of a view.
    pub commands: u32,
    /// The capacity of a view's list of visible slots.
    pub capacity: u32,
    /// The number of [`Range`]s, with number 0, which is unused.
    pub ranges: u32,
    /// The views that had levels of detail in the last culling, one bit each.
    pub known: u32,
    /// The [margin](hedgerow::query::LevelsOfDetail::with_margin) of levels of detail and view ranges.
    pub margin: f32,
    /// The number of the culling.
    pub epoch: u32,
    /// The number of words of a record in [`Buffer::Kept`](crate::Buffer::Kept).
    pub words: u32,
    /// Where the words of slots begin there, with occlusion.
    pub hidden: u32,
    /// The list of what view 0 sees and did not see last; 0 without occlusion.
    pub second: u32,
    /// Padding.
    pub padding: u32,
    /// The views, of which `count` are read.
    pub views: [View; MAX_VIEWS],
}

impl Views {
    /// Returns the bytes to write: up to the last view that is read.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        let used = size_of_val(&self.views[..self.views.len().min(self.count as usize)]);
        &bytes_of(self)[..core::mem::offset_of!(Self, views) + used]
    }
}

/// What occlusion reads: how view 0 is drawn, and where the levels of [`Buffer::Pyramid`](crate::Buffer::Pyramid) are.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
pub struct Occluder {
    /// The view and projection.
    pub matrix: Mat4,
    /// The width and height of the depth.
    pub size: [u32; 2],
    /// The number of levels.
    pub count: u32,
    /// 1, or -1 if nearer depths are greater. The pyramid has depths times it, so that farther ones are greater.
    pub sign: f32,
    /// The first texel, the width and the height of each level.
    pub levels: [[u32; 4]; 16],
}

impl Occluder {
    /// Returns what culls by a depth of this size, and the number of texels of the pyramid. The first level has half
    /// the size, in both directions rounded up to a power of two.
    pub(crate) fn new(matrix: &Mat4, size: [u32; 2], reversed: bool) -> (Self, u32) {
        let [mut width, mut height] = size.map(|pixels| pixels.div_ceil(2).clamp(1, 1 << 15).next_power_of_two());
        let count = width.max(height).ilog2() + 1;
        let sign = if reversed { -1.0 } else { 1.0 };
        let mut new = Self { matrix: *matrix, size, count, sign, levels: [[0; 4]; 16] };
        let mut texels = 0;
        for level in &mut new.levels[..count as usize] {
            *level = [texels, width, height, 0];
            texels += width * height;
            [width, height] = [width, height].map(|texels| (texels / 2).max(1));
        }
        (new, texels)
    }
}
