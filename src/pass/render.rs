//! The render pass: what there is to draw, as two arrays.

use crate::slice::{HoleSet, ShapeRecord, Slice};
use crate::visit::{Flow, SliceView, SliceVisitor};
use crate::{Mat34, NodeHandle, Visibility};

/// One shape to draw. 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawCommand {
    /// The node that has the shape.
    pub node: NodeHandle,
    /// The shape's mesh.
    pub mesh: u32,
    /// The material that holds at the node.
    pub material: Option<u32>,
    /// Whether the world matrix mirrors, so that front faces are wound the other way.
    pub mirrored: bool,
}

const _: () = assert!(size_of::<DrawCommand>() == 24);

/// The visible shapes of a scene, as commands and matrices of the same index.
///
/// Kept from frame to frame it allocates only while the scene grows. The order is deterministic: slice by slice in the
/// tree order of [`Scene::visit_slices`](crate::Scene::visit_slices), within a slice that of the shape column;
/// depth-first within each slice after it was reconstituted, near it otherwise. ([`Visitor`](crate::Visitor) goes in
/// strict order.)
/// Source: the thesis, section 4.3.2.
#[derive(Clone, Debug, Default)]
pub struct DrawList {
    commands: Vec<DrawCommand>,
    matrices: Vec<Mat34>,
}

impl DrawList {
    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self { commands: Vec::new(), matrices: Vec::new() }
    }

    /// What to draw.
    #[must_use]
    pub fn commands(&self) -> &[DrawCommand] {
        &self.commands
    }

    /// Where to draw it: the world matrices of the commands, ready for upload.
    #[must_use]
    pub fn matrices(&self) -> &[Mat34] {
        &self.matrices
    }

    /// How many shapes are listed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.commands.len()
    }

    /// Whether nothing is listed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// Adds a shape of a slice.
    #[inline]
    pub(crate) fn push(&mut self, slice: &Slice, record: &ShapeRecord) {
        let Some(node) = NodeHandle::from_bits(record.node) else { return };
        let matrix = slice.transforms.worlds[record.transform as usize];
        let material = slice.materials.values[record.material as usize];
        self.commands.push(DrawCommand { node, mesh: record.mesh, material, mirrored: matrix.is_mirrored() });
        self.matrices.push(matrix);
    }

    /// Takes everything off the list and keeps its memory.
    pub fn clear(&mut self) {
        self.commands.clear();
        self.matrices.clear();
    }
}

/// Adds the shapes of each slice that it is shown to a draw list.
#[derive(Debug)]
pub struct RenderPass<'l> {
    list: &'l mut DrawList,
    layers: u32,
}

impl<'l> RenderPass<'l> {
    /// The pass that lists what is visible on any layer.
    #[must_use]
    pub fn new(list: &'l mut DrawList) -> Self {
        Self { list, layers: u32::MAX }
    }

    /// The same for what is visible on one of these layers.
    #[must_use]
    pub fn on_layers(self, layers: Visibility) -> Self {
        Self { layers: layers.mask(), ..self }
    }
}

impl SliceVisitor for RenderPass<'_> {
    fn slice(&mut self, slice: SliceView<'_>) -> Flow {
        let (records, holes) = slice.shapes().records();
        let (worlds, masks, materials) = slice.sources();
        let DrawList { commands, matrices } = &mut *self.list;
        commands.reserve(records.len());
        matrices.reserve(records.len());
        for (records, mut holes) in records.chunks(HoleSet::WORD_SLOTS).zip(holes.words()) {
            for record in records {
                let hole = holes & 1 != 0;
                holes >>= 1;
                if hole || masks[record.visibility as usize] & self.layers == 0 {
                    continue;
                }
                let matrix = worlds[record.transform as usize];
                let Some(node) = NodeHandle::from_bits(record.node) else { continue };
                commands.push(DrawCommand {
                    node,
                    mesh: record.mesh,
                    material: materials[record.material as usize],
                    mirrored: matrix.is_mirrored(),
                });
                matrices.push(matrix);
            }
        }
        Flow::Continue
    }
}
