//! The traversals (the thesis, section 4.3): recursive, with a branch on the node's kind.

use super::NodePtr;
use super::node::{NodeBase, ShapeNode, TransformNode};
use crate::workloads::Kind;
use core::ptr::NonNull;
use hedgerow::Mat34;

/// Computes world matrices from local transforms and parents' world matrices, and copies them to shapes (listing 2).
///
/// # Safety
/// The node and its descendants must be alive and unreferenced; `above` must be the parent's world matrix.
pub(crate) unsafe fn transform(node: NonNull<NodeBase>, above: *const Mat34) {
    // SAFETY: the caller passes live nodes, which outlive the visit; the kind gives the type.
    unsafe {
        let below = match node.as_ref().kind {
            Kind::Transform => {
                let node = node.cast::<TransformNode>().as_mut();
                node.world = *above * node.local.to_matrix();
                &raw const node.world
            }
            Kind::Material => above,
            Kind::Shape => {
                node.cast::<ShapeNode>().as_mut().matrix = *above;
                above
            }
        };
        for &child in &node.as_ref().children {
            transform(child, below);
        }
    }
}

/// The draw data of one shape without its matrix: the same fields as `hedgerow`'s command, 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawCommand {
    /// The shape's node.
    pub node: NodePtr,
    /// The mesh's number.
    pub mesh: u32,
    /// The number of the nearest material above, if any.
    pub material: Option<u32>,
    /// Whether the matrix mirrors.
    pub mirrored: bool,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<DrawCommand>() == size_of::<hedgerow::draw::DrawCommand>());

/// The two arrays that the render traversal fills, reused from frame to frame.
#[derive(Clone, Debug, Default)]
pub struct Draws {
    /// One command for each shape, in depth-first order.
    pub commands: Vec<DrawCommand>,
    /// The matrices of the commands.
    pub matrices: Vec<Mat34>,
}

impl Draws {
    /// Empties both arrays.
    pub fn clear(&mut self) {
        self.commands.clear();
        self.matrices.clear();
    }
}

/// Copies every shape's command and matrix to the two arrays (listing 3).
///
/// # Safety
/// The node and its descendants must be alive, and no mutable references to them may exist.
pub(crate) unsafe fn render(node: NonNull<NodeBase>, mut material: Option<u32>, draws: &mut Draws) {
    // SAFETY: the caller passes live nodes; the kind gives the type.
    unsafe {
        let base = node.as_ref();
        match base.kind {
            Kind::Transform => {}
            Kind::Material => material = Some(base.id),
            Kind::Shape => {
                let matrix = node.cast::<ShapeNode>().as_ref().matrix;
                let (node, mirrored) = (NodePtr(node), matrix.is_mirrored());
                draws.commands.push(DrawCommand { node, mesh: base.id, material, mirrored });
                draws.matrices.push(matrix);
            }
        }
        for &child in &base.children {
            render(child, material, draws);
        }
    }
}
