//! Node objects of the sizes of table 4.1, without padding between them, and the two traversals.
//!
//! | type | bytes | of these the base |
//! |---|---|---|
//! | [`TransformNode`] | 180 | 92 |
//! | [`MaterialNode`] | 108 | 92 |
//! | [`ShapeNode`] | 172 | 92 |
//!
//! The source's base has 100 bytes, and its absolute transforms 40. Here these are 3×4 matrices, as on all sides that
//! are compared, and take the 8 bytes more from the base.

use crate::baselines::{DrawCommand, Draws, NodePtr};
use crate::workloads::{Content, Kind};
use core::ptr::NonNull;
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Mat34, Transform};
use std::alloc::{self, Layout};

/// So many children lie in the node itself.
const INLINE: usize = 8;

/// The rows of a 3×4 matrix, aligned as nodes are.
pub(super) type Rows = [[f32; 4]; 3];

/// What the root inherits.
pub(super) static IDENTITY: Rows = Mat34::IDENTITY.rows;

/// What every node begins with. Nodes lie at multiples of four bytes.
#[derive(Clone, Copy)]
#[repr(C, packed(4))]
pub(super) struct Base {
    /// The children in order. Where there are more than eight, the first is the address of a block of them all, which
    /// has room for the next power of two.
    children: [*mut Self; INLINE],
    count: u32,
    pub(super) kind: Kind,
    pub(super) parent: *mut Self,
    /// The slice, and the internal index there.
    pub(super) handle: [u32; 2],
    pub(super) depth: u32,
}

#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct TransformNode {
    base: Base,
    /// Translation, rotation, scale.
    local: [f32; 10],
    world: Rows,
}

#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct MaterialNode {
    base: Base,
    id: u32,
    _rest_of_the_base_and_the_pointer: [u32; 3],
}

#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct ShapeNode {
    base: Base,
    id: u32,
    _rest_of_the_base_and_the_pointer: [u32; 3],
    /// Of a 4×4 matrix, the last row of which is never written again.
    matrix: Rows,
    _last_row: [f32; 4],
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<TransformNode>() == 180);
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<MaterialNode>() == 108);
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<ShapeNode>() == 172);

/// The bytes of a node of this kind.
pub(super) const fn size_of_kind(kind: Kind) -> usize {
    match kind {
        Kind::Transform => size_of::<TransformNode>(),
        Kind::Material => size_of::<MaterialNode>(),
        Kind::Shape => size_of::<ShapeNode>(),
    }
}

/// Ten numbers of a transform.
fn packed(transform: &Transform) -> [f32; 10] {
    let Transform { translation: t, rotation: q, scale: s } = transform;
    [t.x, t.y, t.z, q.x, q.y, q.z, q.w, s.x, s.y, s.z]
}

/// The matrix of ten numbers, by `hedgerow`'s own conversion.
#[inline]
fn matrix([x, y, z, i, j, k, w, a, b, c]: [f32; 10]) -> Mat34 {
    let (translation, rotation, scale) = (Vec3::new(x, y, z), Quat::from_xyzw(i, j, k, w), Vec3::new(a, b, c));
    Transform { translation, rotation, scale }.to_matrix()
}

/// Writes a node without children.
///
/// # Safety
/// There must be room for a node of this kind at `place`.
pub(super) unsafe fn write(place: *mut Base, content: Content, parent: *mut Base, handle: [u32; 2]) {
    let depth = if parent.is_null() {
        0
    } else {
        // SAFETY: a parent is a live node.
        unsafe { (*parent).depth + 1 }
    };
    let base =
        Base { children: [core::ptr::null_mut(); INLINE], count: 0, kind: content.kind(), parent, handle, depth };
    let rest = [0; 3];
    let identity = Mat34::IDENTITY.rows;
    // SAFETY: the caller vouches for the room. All node types are packed, so that any multiple of four bytes will do.
    unsafe {
        match content {
            Content::Transform(local) => {
                place.cast::<TransformNode>().write(TransformNode { base, local: packed(&local), world: identity });
            }
            Content::Material(id) => {
                place.cast::<MaterialNode>().write(MaterialNode { base, id, _rest_of_the_base_and_the_pointer: rest });
            }
            Content::Shape(id) => place.cast::<ShapeNode>().write(ShapeNode {
                base,
                id,
                _rest_of_the_base_and_the_pointer: rest,
                matrix: identity,
                _last_row: [0.0, 0.0, 0.0, 1.0],
            }),
        }
    }
}

/// The block of that many children.
fn block(count: usize) -> Layout {
    Layout::array::<*mut Base>(count.next_power_of_two()).expect("children fit the memory")
}

/// How many children a node has.
///
/// # Safety
/// `node` must be a live node.
#[inline]
pub(super) unsafe fn count(node: *const Base) -> usize {
    // SAFETY: the caller vouches for the node.
    unsafe { (*node).count as usize }
}

/// Where the children of a node lie: an array that need not be aligned.
///
/// # Safety
/// `node` must be a live node.
#[inline]
unsafe fn list(node: *mut Base) -> *mut *mut Base {
    // SAFETY: the caller vouches for the node; a full list lies where its first word says.
    unsafe {
        let inline = (&raw mut (*node).children).cast::<*mut Base>();
        if count(node) <= INLINE { inline } else { inline.read_unaligned().cast() }
    }
}

/// A child of a node.
///
/// # Safety
/// `node` must be a live node with more than `at` children.
#[inline]
pub(super) unsafe fn child(node: *mut Base, at: usize) -> *mut Base {
    // SAFETY: the caller vouches for the node and the place.
    unsafe { list(node).add(at).read_unaligned() }
}

/// Appends a child.
///
/// # Safety
/// `node` must be a live node, and nobody else use it.
pub(super) unsafe fn push(node: *mut Base, child: *mut Base) {
    // SAFETY: the caller vouches for the node. A block is as long as `block` says of the number of its children.
    unsafe {
        let count = count(node);
        let old = list(node);
        if count >= INLINE && count.is_power_of_two() {
            let new = if count == INLINE {
                let new = alloc::alloc(block(count + 1)).cast::<*mut Base>();
                assert!(!new.is_null(), "memory for children");
                core::ptr::copy_nonoverlapping(old.cast::<u8>(), new.cast(), count * size_of::<*mut Base>());
                new
            } else {
                let new = alloc::realloc(old.cast(), block(count), block(count + 1).size()).cast::<*mut Base>();
                assert!(!new.is_null(), "memory for children");
                new
            };
            (&raw mut (*node).children).cast::<*mut *mut Base>().write_unaligned(new);
        }
        (*node).count += 1;
        list(node).add(count).write_unaligned(child);
    }
}

/// Removes a child, and has those behind it close up.
///
/// # Safety
/// `node` must be a live node that has this child, and nobody else use it.
pub(super) unsafe fn remove(node: *mut Base, removed: *mut Base) {
    // SAFETY: the caller vouches for the node; the child is found before the end of the list.
    unsafe {
        let (count, old) = (count(node), list(node));
        let at = (0..count).position(|at| child(node, at) == removed).expect("a node is among its parent's children");
        for behind in at + 1..count {
            old.add(behind - 1).write_unaligned(old.add(behind).read_unaligned());
        }
        (*node).count -= 1;
        let left = count - 1;
        if left == INLINE {
            let inline = (&raw mut (*node).children).cast::<u8>();
            core::ptr::copy_nonoverlapping(old.cast::<u8>(), inline, left * size_of::<*mut Base>());
            alloc::dealloc(old.cast(), block(count));
        } else if left > INLINE && left.is_power_of_two() {
            let new = alloc::realloc(old.cast(), block(count), block(left).size()).cast::<*mut Base>();
            assert!(!new.is_null(), "a block shrinks");
            (&raw mut (*node).children).cast::<*mut *mut Base>().write_unaligned(new);
        }
    }
}

/// Has the list of a parent point to where a child has gone: scanned, as in the source.
///
/// # Safety
/// `node` must be a live node that has this child, and nobody else use it.
pub(super) unsafe fn replace(node: *mut Base, old: *mut Base, new: *mut Base) {
    // SAFETY: the caller vouches for the node; the child is found before the end of the list.
    unsafe {
        let at = (0..count(node)).position(|at| child(node, at) == old);
        list(node).add(at.expect("a node is among its parent's children")).write_unaligned(new);
    }
}

/// Frees the block of a node's children, if there is one. The node is not to be used again.
///
/// # Safety
/// `node` must be a live node, and nobody else use it.
pub(super) unsafe fn free_list(node: *mut Base) {
    // SAFETY: the caller vouches for the node, whose block is as long as `block` says.
    unsafe {
        let count = count(node);
        if count > INLINE {
            alloc::dealloc(list(node).cast(), block(count));
        }
    }
}

/// Sets the local transform of a transform node.
///
/// # Safety
/// `node` must be a live transform node, and nobody else use it.
pub(super) unsafe fn set_local(node: *mut Base, local: &Transform) {
    // SAFETY: the caller vouches for the node and its kind.
    unsafe { (*node.cast::<TransformNode>()).local = packed(local) };
}

/// The world matrix of a transform or shape node.
///
/// # Safety
/// `node` must be a live node.
pub(super) unsafe fn world(node: *const Base) -> Option<Mat34> {
    // SAFETY: the caller vouches for the node, whose kind names its type.
    unsafe {
        match (*node).kind {
            Kind::Transform => Some(Mat34 { rows: (*node.cast::<TransformNode>()).world }),
            Kind::Material => None,
            Kind::Shape => Some(Mat34 { rows: (*node.cast::<ShapeNode>()).matrix }),
        }
    }
}

/// Computes what a transform or shape node has of the world matrix above it, and returns where the one for those below
/// lies.
///
/// # Safety
/// `node` must be a live node that nobody else uses, and `above` the matrix of one above it.
#[inline]
pub(super) unsafe fn transform_one(node: *mut Base, above: *const Rows) -> *const Rows {
    // SAFETY: the caller vouches for both; the kind names the type.
    unsafe {
        match (*node).kind {
            Kind::Transform => {
                let node = node.cast::<TransformNode>();
                let world = Mat34 { rows: *above } * matrix((*node).local);
                (*node).world = world.rows;
                &raw const (*node).world
            }
            Kind::Material => above,
            Kind::Shape => {
                (*node.cast::<ShapeNode>()).matrix = *above;
                above
            }
        }
    }
}

/// Lists a shape, or takes up a material; returns the material for those below.
///
/// # Safety
/// `node` must be a live node that nobody else uses.
#[inline]
pub(super) unsafe fn render_one(node: *mut Base, material: Option<u32>, draws: &mut Draws) -> Option<u32> {
    // SAFETY: the caller vouches for the node, whose kind names its type.
    unsafe {
        match (*node).kind {
            Kind::Transform => material,
            Kind::Material => Some((*node.cast::<MaterialNode>()).id),
            Kind::Shape => {
                let shape = node.cast::<ShapeNode>();
                let matrix = Mat34 { rows: (*shape).matrix };
                draws.commands.push(DrawCommand {
                    node: NodePtr(NonNull::new_unchecked(node).cast()),
                    mesh: (*shape).id,
                    material,
                    mirrored: matrix.is_mirrored(),
                });
                draws.matrices.push(matrix);
                material
            }
        }
    }
}

/// The transform traversal, depth first (listing 2).
///
/// # Safety
/// As for [`transform_one`], and the same for all below.
pub(super) unsafe fn transform(node: *mut Base, above: *const Rows) {
    // SAFETY: the caller vouches for the node and all below.
    unsafe {
        let below = transform_one(node, above);
        for at in 0..count(node) {
            transform(child(node, at), below);
        }
    }
}

/// The render traversal, depth first (listing 3).
///
/// # Safety
/// As for [`render_one`], and the same for all below.
pub(super) unsafe fn render(node: *mut Base, material: Option<u32>, draws: &mut Draws) {
    // SAFETY: the caller vouches for the node and all below.
    unsafe {
        let below = render_one(node, material, draws);
        for at in 0..count(node) {
            render(child(node, at), below, draws);
        }
    }
}
