//! The three node types (the thesis, listing 1), as compact as they can be kept.
//!
//! Every node starts with a [`NodeBase`]; a pointer to one is a pointer to the whole node, and its kind says which.
//!
//! | type | bytes | of these the base |
//! |---|---|---|
//! | [`TransformNode`] | 176 | 88 |
//! | [`MaterialNode`] | 88 | 88 |
//! | [`ShapeNode`] | 144 | 88 |
//!
//! The thesis's `self_handle` and `depth` are left out: its naive graph has no use for them.

use crate::workloads::{Content, Kind};
use core::ptr::NonNull;
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Mat34, Transform};
use smallvec::SmallVec;

/// What all nodes have: 88 bytes on 64-bit machines.
#[repr(C)]
pub(crate) struct NodeBase {
    /// The children in order, the first eight stored here.
    pub(crate) children: SmallVec<[NonNull<Self>; 8]>,
    /// The parent; none for the root and for a node not yet attached.
    pub(crate) parent: Option<NonNull<Self>>,
    /// Which of the three types the node has.
    pub(crate) kind: Kind,
    /// The number of the mesh or material, which C++ would place here as well, in the base's tail padding.
    pub(crate) id: u32,
}

/// A node with a transform relative to its parent, and the resulting one in world space.
#[repr(C)]
pub(crate) struct TransformNode {
    pub(crate) base: NodeBase,
    pub(crate) local: Trs,
    pub(crate) world: Mat34,
}

/// A node with a material for all below it: `base.id`.
#[repr(C)]
pub(crate) struct MaterialNode {
    pub(crate) base: NodeBase,
}

/// A node with a mesh to draw, `base.id`, and the matrix to draw it with.
#[repr(C)]
pub(crate) struct ShapeNode {
    pub(crate) base: NodeBase,
    pub(crate) matrix: Mat34,
}

/// A [`Transform`] in 40 bytes, where the aligned quaternion makes it 48.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Trs {
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
}

impl Trs {
    /// The 3×4 matrix, by `hedgerow`'s own conversion.
    #[inline]
    pub(crate) fn to_matrix(self) -> Mat34 {
        let transform = Transform {
            translation: Vec3::from_array(self.translation),
            rotation: Quat::from_array(self.rotation),
            scale: Vec3::from_array(self.scale),
        };
        transform.to_matrix()
    }
}

impl From<Transform> for Trs {
    #[inline]
    fn from(transform: Transform) -> Self {
        Self {
            translation: transform.translation.to_array(),
            rotation: transform.rotation.to_array(),
            scale: transform.scale.to_array(),
        }
    }
}

/// Allocates a node without children.
pub(crate) fn allocate(content: Content, parent: Option<NonNull<NodeBase>>) -> NonNull<NodeBase> {
    let base = |id| NodeBase { children: SmallVec::new(), parent, kind: content.kind(), id };
    match content {
        Content::Transform(local) => leak(TransformNode { base: base(0), local: local.into(), world: Mat34::IDENTITY }),
        Content::Material(material) => leak(MaterialNode { base: base(material) }),
        Content::Shape(mesh) => leak(ShapeNode { base: base(mesh), matrix: Mat34::IDENTITY }),
    }
}

/// Moves a node to the heap. The pointer may access the whole node, not its base alone.
fn leak<T>(node: T) -> NonNull<NodeBase> {
    NonNull::from(Box::leak(Box::new(node))).cast()
}

/// Gives a node's memory back, its children left where they are.
///
/// # Safety
/// `node` must come from [`allocate`], and not be used again.
pub(crate) unsafe fn free(node: NonNull<NodeBase>) {
    // SAFETY: the node was allocated as a box of the type that its kind names, and the caller gives it up.
    unsafe {
        match node.as_ref().kind {
            Kind::Transform => drop(Box::from_raw(node.cast::<TransformNode>().as_ptr())),
            Kind::Material => drop(Box::from_raw(node.cast::<MaterialNode>().as_ptr())),
            Kind::Shape => drop(Box::from_raw(node.cast::<ShapeNode>().as_ptr())),
        }
    }
}

/// The bytes that the node takes from the heap: its own block, and that of its children where these exceed eight.
pub(crate) fn heap_bytes(node: &NodeBase) -> usize {
    let own = match node.kind {
        Kind::Transform => size_of::<TransformNode>(),
        Kind::Material => size_of::<MaterialNode>(),
        Kind::Shape => size_of::<ShapeNode>(),
    };
    let children = &node.children;
    let spilled = if children.spilled() { block(children.capacity() * size_of::<usize>()) } else { 0 };
    block(own) + spilled
}

/// The bytes that an allocator takes for a request: glibc's rule for 64-bit machines, which adds its 8-byte header
/// and rounds up to a multiple of 16, and to 32 at least. Allocators by size classes (jemalloc, mimalloc) come to
/// 192, 96 and 160 for the three node types as well, without a header.
const fn block(request: usize) -> usize {
    let rounded = (request + 8).next_multiple_of(16);
    if rounded < 32 { 32 } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn nodes_have_the_documented_sizes() {
        assert_eq!(size_of::<NodeBase>(), 88);
        assert_eq!(size_of::<TransformNode>(), 176);
        assert_eq!(size_of::<MaterialNode>(), 88);
        assert_eq!(size_of::<ShapeNode>(), 144);
    }
}
