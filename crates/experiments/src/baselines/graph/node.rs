//! The three node types (the thesis, listing 1), packed tightly.
//!
//! Every node starts with a [`NodeBase`], so a pointer to the base is a pointer to the node. `kind` gives the type.
//!
//! | type | bytes | bytes of the base |
//! |---|---|---|
//! | [`TransformNode`] | 176 | 88 |
//! | [`NodeBase`] | 88 | 88 |
//! | [`ShapeNode`] | 144 | 88 |
//!
//! The thesis's unused `self_handle` and `depth` are left out; the thesis's nodes have 180, 108 and 172 bytes.

use crate::workloads::{Content, Kind};
use core::ptr::NonNull;
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Mat34, Transform};
use smallvec::SmallVec;

/// The fields that all nodes have: 88 bytes on 64-bit machines. Material nodes have no others.
#[repr(C)]
pub(crate) struct NodeBase {
    /// The children in order; the first eight are stored inline.
    pub(crate) children: SmallVec<[NonNull<Self>; 8]>,
    pub(crate) parent: Option<NonNull<Self>>,
    pub(crate) kind: Kind,
    /// The number of the mesh or material. C++ would also store it here, in the tail padding of the base.
    pub(crate) id: u32,
}

/// A node with a local transform and a world matrix.
#[repr(C)]
pub(crate) struct TransformNode {
    pub(crate) base: NodeBase,
    pub(crate) local: Trs,
    pub(crate) world: Mat34,
}

/// A node with a mesh (`base.id`) and the matrix with which the mesh is drawn.
#[repr(C)]
pub(crate) struct ShapeNode {
    pub(crate) base: NodeBase,
    pub(crate) matrix: Mat34,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<TransformNode>() == 176 && size_of::<NodeBase>() == 88);
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<ShapeNode>() == 144);

/// A [`Transform`] in 40 bytes; with an aligned quaternion it takes 48.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Trs {
    translation: [f32; 3],
    rotation: [f32; 4],
    scale: [f32; 3],
}

impl Trs {
    /// Returns the 3×4 matrix, using `hedgerow`'s own conversion.
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

/// Allocates memory for a `T`. The pointer may access all of it, not only the base.
fn room<T>() -> NonNull<NodeBase> {
    NonNull::from(Box::leak(Box::<T>::new_uninit())).cast()
}

/// Writes a node without children.
///
/// # Safety
/// `place` must point to memory for a node of that kind, aligned to 16 bytes.
pub(crate) unsafe fn write(place: NonNull<NodeBase>, content: Content, parent: Option<NonNull<NodeBase>>) {
    let base = |id| NodeBase { children: SmallVec::new(), parent, kind: content.kind(), id };
    let identity = Mat34::IDENTITY;
    // SAFETY: the caller passes valid memory.
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

/// Returns the size of a node in bytes, a multiple of 16.
pub(crate) fn size_of_kind(kind: Kind) -> usize {
    match kind {
        Kind::Transform => size_of::<TransformNode>(),
        Kind::Material => size_of::<NodeBase>().next_multiple_of(16),
        Kind::Shape => size_of::<ShapeNode>(),
    }
}

/// Frees a node, but not its children.
///
/// # Safety
/// `node` must come from [`allocate`] and must not be used again.
pub(crate) unsafe fn free(node: NonNull<NodeBase>) {
    // SAFETY: the node was allocated as a box of the type that its kind names, and the caller gives the node up.
    unsafe {
        match node.as_ref().kind {
            Kind::Transform => drop(Box::from_raw(node.cast::<TransformNode>().as_ptr())),
            Kind::Material => drop(Box::from_raw(node.as_ptr())),
            Kind::Shape => drop(Box::from_raw(node.cast::<ShapeNode>().as_ptr())),
        }
    }
}

/// Removes a node from the child list of its parent.
///
/// # Safety
/// The node must be alive and must not be the root, and no reference to a node may exist.
pub(crate) unsafe fn cut_off(node: NonNull<NodeBase>) {
    // SAFETY: the caller passes a live node; its parent is alive as well.
    let siblings = unsafe {
        let parent = node.as_ref().parent;
        &mut parent.expect("the root stays where it is").as_mut().children
    };
    let place = siblings.iter().position(|&sibling| sibling == node);
    siblings.remove(place.expect("a node is among its parent's children"));
}

/// Appends a node to the children of another one.
///
/// # Safety
/// Both must be alive, and no reference to a node may exist. `node` must be in no child list.
pub(crate) unsafe fn hang(mut node: NonNull<NodeBase>, mut parent: NonNull<NodeBase>) {
    // SAFETY: the caller passes live nodes.
    unsafe {
        node.as_mut().parent = Some(parent);
        parent.as_mut().children.push(node);
    }
}

/// Sets the local transform of a transform node.
///
/// # Safety
/// The node must be alive, and no reference to a node may exist.
pub(crate) unsafe fn set_local(node: NonNull<NodeBase>, local: Transform) {
    // SAFETY: the caller passes a live node; its kind is checked before the cast.
    unsafe {
        assert_eq!(node.as_ref().kind, Kind::Transform, "only transform nodes have a local transform");
        node.cast::<TransformNode>().as_mut().local = local.into();
    }
}

/// Returns the world matrix of a transform or shape node.
///
/// # Safety
/// The node must be alive, and no mutable reference to it may exist.
pub(crate) unsafe fn world(node: NonNull<NodeBase>) -> Option<Mat34> {
    // SAFETY: the caller passes a live node; its kind gives its type.
    unsafe {
        match node.as_ref().kind {
            Kind::Transform => Some(node.cast::<TransformNode>().as_ref().world),
            Kind::Material => None,
            Kind::Shape => Some(node.cast::<ShapeNode>().as_ref().matrix),
        }
    }
}
