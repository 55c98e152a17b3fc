//! The visitors (the thesis, section 4.3): recursive, dispatching on the kind of the node.

use super::NodePtr;
use super::node::{MaterialNode, NodeBase, ShapeNode, TransformNode};
use crate::workloads::Kind;
use core::ptr::NonNull;
use hedgerow::Mat34;

/// One function for each type of node; each decides when the children are visited.
pub(crate) trait Visitor {
    /// Visits a transform node and what is below it.
    ///
    /// # Safety
    /// The node and all below it must be alive, and no references to them may exist.
    unsafe fn transform(&mut self, node: NonNull<TransformNode>);

    /// Visits a material node and what is below it.
    ///
    /// # Safety
    /// The node and all below it must be alive, and no references to them may exist.
    unsafe fn material(&mut self, node: NonNull<MaterialNode>);

    /// Visits a shape node and what is below it.
    ///
    /// # Safety
    /// The node and all below it must be alive, and no references to them may exist.
    unsafe fn shape(&mut self, node: NonNull<ShapeNode>);
}

/// Calls the function for the type of the node.
///
/// # Safety
/// The node and all below it must be alive, and no references to them may exist.
#[inline]
pub(crate) unsafe fn visit(node: NonNull<NodeBase>, visitor: &mut impl Visitor) {
    // SAFETY: the caller vouches for the node, and its kind names its type.
    unsafe {
        match node.as_ref().kind {
            Kind::Transform => visitor.transform(node.cast()),
            Kind::Material => visitor.material(node.cast()),
            Kind::Shape => visitor.shape(node.cast()),
        }
    }
}

/// Visits the children of a node in order.
///
/// # Safety
/// The nodes below must be alive, and no references to them may exist.
#[inline]
unsafe fn visit_children(base: &NodeBase, visitor: &mut impl Visitor) {
    for &child in &base.children {
        // SAFETY: the caller vouches for the children, which are allocations of their own.
        unsafe { visit(child, visitor) };
    }
}

/// Multiplies every local transform by its parent's world matrix, and gives every shape its matrix.
pub(crate) struct TransformVisitor {
    /// The world matrix of the nearest transform node above; that node is being visited, and does not change.
    parent_world: *const Mat34,
}

impl TransformVisitor {
    /// Starts from the identity.
    pub(crate) const fn new() -> Self {
        Self { parent_world: &Mat34::IDENTITY }
    }
}

impl Visitor for TransformVisitor {
    unsafe fn transform(&mut self, mut node: NonNull<TransformNode>) {
        let above = self.parent_world;
        // SAFETY: the caller vouches for the node and those below; the node above outlives the visit of its children,
        // of which this is one, and so does this node that of its own.
        unsafe {
            let node = node.as_mut();
            node.world = *above * node.local.to_matrix();
            self.parent_world = &raw const node.world;
            visit_children(&node.base, self);
        }
        self.parent_world = above;
    }

    unsafe fn material(&mut self, node: NonNull<MaterialNode>) {
        // SAFETY: the caller vouches for the node and those below.
        unsafe { visit_children(&node.as_ref().base, self) };
    }

    unsafe fn shape(&mut self, mut node: NonNull<ShapeNode>) {
        // SAFETY: the caller vouches for the node and those below; the node above outlives the visit of its children,
        // of which this is one.
        unsafe {
            let node = node.as_mut();
            node.matrix = *self.parent_world;
            visit_children(&node.base, self);
        }
    }
}

/// What a renderer needs of one shape, but for its matrix: field for field what `hedgerow`'s command holds, 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawCommand {
    /// The shape's node.
    pub node: NodePtr,
    /// The mesh's number.
    pub mesh: u32,
    /// The number of the nearest material above, if there is one.
    pub material: Option<u32>,
    /// Whether the matrix mirrors.
    pub mirrored: bool,
}

/// The two arrays that the render traversal fills, reused from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct Draws {
    /// One command for each shape, in depth-first order.
    pub commands: Vec<DrawCommand>,
    /// The matrices of the commands.
    pub matrices: Vec<Mat34>,
}

/// Copies every shape's command and matrix to the two arrays.
pub(crate) struct RenderSimVisitor<'d> {
    draws: &'d mut Draws,
    material: Option<u32>,
}

impl<'d> RenderSimVisitor<'d> {
    /// Starts from empty arrays and no material.
    pub(crate) fn new(draws: &'d mut Draws) -> Self {
        draws.commands.clear();
        draws.matrices.clear();
        Self { draws, material: None }
    }
}

impl Visitor for RenderSimVisitor<'_> {
    unsafe fn transform(&mut self, node: NonNull<TransformNode>) {
        // SAFETY: the caller vouches for the node and those below.
        unsafe { visit_children(&node.as_ref().base, self) };
    }

    unsafe fn material(&mut self, node: NonNull<MaterialNode>) {
        // SAFETY: the caller vouches for the node and those below.
        let base = unsafe { &node.as_ref().base };
        let above = self.material.replace(base.id);
        // SAFETY: as above.
        unsafe { visit_children(base, self) };
        self.material = above;
    }

    unsafe fn shape(&mut self, node: NonNull<ShapeNode>) {
        // SAFETY: the caller vouches for the node and those below.
        let ShapeNode { base, matrix } = unsafe { node.as_ref() };
        self.draws.commands.push(DrawCommand {
            node: NodePtr(node.cast()),
            mesh: base.id,
            material: self.material,
            mirrored: matrix.is_mirrored(),
        });
        self.draws.matrices.push(*matrix);
        // SAFETY: as above.
        unsafe { visit_children(base, self) };
    }
}
