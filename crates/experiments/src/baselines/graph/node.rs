//! The three node types (the thesis, listing 1), as compact as they can be kept.
//!
//! Every node starts with a [`NodeBase`]; a pointer to one is a pointer to the whole node, and its kind says which.
//!
//! | type | bytes | of these the base |
//! |---|---|---|
//! | [`TransformNode`] | 176 | 88 |
//! | [`NodeBase`] | 88 | 88 |
//! | [`ShapeNode`] | 144 | 88 |
//!
//! The thesis's `self_handle` and `depth` are left out: its naive graph has no use for them. It has 180, 108 and 172
//! bytes.

use crate::workloads::{Content, Kind};
use core::ptr::NonNull;
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Mat34, Transform};
use smallvec::SmallVec;

/// What all nodes have, and all that a material node has: 88 bytes on 64-bit machines.
#[repr(C)]
pub(crate) struct NodeBase {
    /// The children in order, the first eight stored here.
    pub(crate) children: SmallVec<[NonNull<Self>; 8]>,
    /// The parent; none for the root.
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

/// A node with a mesh to draw, `base.id`, and the matrix to draw it with.
#[repr(C)]
pub(crate) struct ShapeNode {
    pub(crate) base: NodeBase,
    pub(crate) matrix: Mat34,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<TransformNode>() == 176 && size_of::<NodeBase>() == 88);
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<ShapeNode>() == 144);

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
        let Transform { translation, rotation, scale } = transform;
        Self { translation: translation.to_array(), rotation: rotation.to_array(), scale: scale.to_array() }
    }
}

/// Allocates a node without children.
pub(crate) fn allocate(content: Content, parent: Option<NonNull<NodeBase>>) -> NonNull<NodeBase> {
    let place = match content.kind() {
        Kind::Transform => room::<TransformNode>(),
        Kind::Material => room::<NodeBase>(),
        Kind::Shape => room::<ShapeNode>(),
    };
    // SAFETY: there is room for a node of this kind.
    unsafe { write(place, content, parent) };
    place
}

/// Room on the heap. The pointer may access all of it, not that of the base alone.
fn room<T>() -> NonNull<NodeBase> {
    NonNull::from(Box::leak(Box::<T>::new_uninit())).cast()
}

/// Writes a node without children.
///
/// # Safety
/// There must be room for a node of that kind, aligned to 16 bytes.
pub(crate) unsafe fn write(place: NonNull<NodeBase>, content: Content, parent: Option<NonNull<NodeBase>>) {
    let base = |id| NodeBase { children: SmallVec::new(), parent, kind: content.kind(), id };
    let identity = Mat34::IDENTITY;
    // SAFETY: the caller vouches for the room.
    unsafe {
        match content {
            Content::Transform(local) => {
                place.cast().write(TransformNode { base: base(0), local: local.into(), world: identity });
            }
            Content::Material(material) => place.write(base(material)),
            Content::Shape(mesh) => place.cast().write(ShapeNode { base: base(mesh), matrix: identity }),
        }
    }
}

/// The bytes of a node, a multiple of 16.
pub(crate) fn size_of_kind(kind: Kind) -> usize {
    match kind {
        Kind::Transform => size_of::<TransformNode>(),
        Kind::Material => size_of::<NodeBase>().next_multiple_of(16),
        Kind::Shape => size_of::<ShapeNode>(),
    }
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
            Kind::Material => drop(Box::from_raw(node.as_ptr())),
            Kind::Shape => drop(Box::from_raw(node.cast::<ShapeNode>().as_ptr())),
        }
    }
}

/// Takes a node from the list of its parent.
///
/// # Safety
/// The node must be alive and not the root, and no reference to a node exist.
pub(crate) unsafe fn cut_off(node: NonNull<NodeBase>) {
    // SAFETY: the caller vouches for the node, whose parent is alive as well.
    let siblings = unsafe {
        let parent = node.as_ref().parent;
        &mut parent.expect("the root stays where it is").as_mut().children
    };
    let place = siblings.iter().position(|&sibling| sibling == node);
    siblings.remove(place.expect("a node is among its parent's children"));
}

/// Puts a node behind the last child of another one.
///
/// # Safety
/// Both must be alive, and no reference to a node exist; the node must be in no list.
pub(crate) unsafe fn hang(mut node: NonNull<NodeBase>, mut parent: NonNull<NodeBase>) {
    // SAFETY: the caller vouches for both.
    unsafe {
        node.as_mut().parent = Some(parent);
        parent.as_mut().children.push(node);
    }
}

/// Sets the local transform of a transform node.
///
/// # Safety
/// The node must be alive, and no reference to a node exist.
pub(crate) unsafe fn set_local(node: NonNull<NodeBase>, local: Transform) {
    // SAFETY: the caller vouches for the node, whose kind is looked at before its type is taken for granted.
    unsafe {
        assert_eq!(node.as_ref().kind, Kind::Transform, "only transform nodes have a local transform");
        node.cast::<TransformNode>().as_mut().local = local.into();
    }
}

/// The world matrix of a transform or shape node.
///
/// # Safety
/// The node must be alive, and no mutable reference to it exist.
pub(crate) unsafe fn world(node: NonNull<NodeBase>) -> Option<Mat34> {
    // SAFETY: the caller vouches for the node, whose kind names its type.
    unsafe {
        match node.as_ref().kind {
            Kind::Transform => Some(node.cast::<TransformNode>().as_ref().world),
            Kind::Material => None,
            Kind::Shape => Some(node.cast::<ShapeNode>().as_ref().matrix),
        }
    }
}
