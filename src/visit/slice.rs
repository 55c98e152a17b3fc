//! The visitors of whole slices: columns instead of nodes.

use crate::math::PackedTransform;
use crate::store::{LinearAllocator, Row, Slice, TransformColumn};
use crate::visit::Flow;
use crate::{Error, Local, Mat34, NodeHandle, Shape, Transform, Visibility};

/// Sees whole slices in tree order: each before the slices that hang below it.
///
/// [`RenderPass`](crate::RenderPass) is one. At [`Flow::Prune`] the slices below are passed over.
pub trait SliceVisitor {
    /// A slice is come to.
    fn slice(&mut self, slice: SliceView<'_>) -> Flow;
}

/// Sees whole slices in tree order and may set local transforms.
///
/// [`TransformPass`](crate::TransformPass) is one. At [`Flow::Prune`] the slices below are passed over.
pub trait SliceVisitorMut {
    /// A slice is come to. What it inherits has been brought in line with the slice above.
    fn slice_mut(&mut self, slice: SliceViewMut<'_>) -> Flow;
}

/// A slice as columns. Slots of each column are `0..len`; those that no node has are holes.
#[derive(Clone, Copy, Debug)]
pub struct SliceView<'s> {
    pub(crate) slice: &'s Slice,
}

impl<'s> SliceView<'s> {
    pub(crate) fn new(slice: &'s Slice) -> Self {
        Self { slice }
    }

    /// How many nodes lie in the slice.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.slice.nodes()
    }

    /// The topology.
    #[must_use]
    pub fn rows(&self) -> RowView<'s> {
        RowView { slice: self.slice }
    }

    /// The transforms.
    #[must_use]
    pub fn transforms(&self) -> TransformView<'s> {
        TransformView { column: &self.slice.transforms }
    }

    /// The visibility masks.
    #[must_use]
    pub fn visibilities(&self) -> VisibilityView<'s> {
        VisibilityView { slice: self.slice }
    }

    /// The materials.
    #[must_use]
    pub fn materials(&self) -> MaterialView<'s> {
        MaterialView { slice: self.slice }
    }

    /// The shapes.
    #[must_use]
    pub fn shapes(&self) -> ShapeView<'s> {
        ShapeView { slice: self.slice }
    }
}

/// A slice as columns, with leave to set local transforms. Topology and world matrices are read-only, so a visitor can
/// break nothing.
#[derive(Debug)]
pub struct SliceViewMut<'s> {
    pub(crate) slice: &'s mut Slice,
    /// What the slice's version becomes if world matrices are computed before the next update.
    pub(crate) version: u64,
}

impl SliceViewMut<'_> {
    /// The slice to read.
    #[must_use]
    pub fn view(&self) -> SliceView<'_> {
        SliceView::new(self.slice)
    }

    /// Sets the local transform of a slot that is neither the base nor a hole; the next update takes it up.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::NotRotation`].
    ///
    /// # Panics
    /// If no node has the slot.
    pub fn set_local(&mut self, slot: usize, transform: Transform) -> Result<(), Error> {
        let transforms = &mut self.slice.transforms;
        let slot = occupied(&transforms.slots, slot).filter(|&slot| slot != 0).expect("a slot that a node has");
        transforms.set_local(slot, Local::Transform(transform.checked()?));
        Ok(())
    }
}

/// A slot number, if the slot is in use.
fn occupied(slots: &LinearAllocator, slot: usize) -> Option<u32> {
    u32::try_from(slot).ok().filter(|&slot| slots.is_live(slot))
}

/// The topology of a slice: a row for each node, and for each portal to a slice below.
#[derive(Clone, Copy, Debug)]
pub struct RowView<'s> {
    slice: &'s Slice,
}

impl<'s> RowView<'s> {
    /// One past the last row in use.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a slice holds at least one row")]
    pub fn len(&self) -> usize {
        self.slice.rows.len()
    }

    /// The node of a row; `None` for a hole and for a portal.
    #[must_use]
    pub fn node(&self, row: usize) -> Option<NodeHandle> {
        self.slice.rows.get(row)?.occupant.as_node()
    }

    /// Whether a row stands for a run of siblings in another slice.
    #[must_use]
    pub fn is_portal(&self, row: usize) -> bool {
        self.slice.rows.get(row).is_some_and(|row| row.occupant.as_portal().is_some())
    }

    /// The row of a row's parent; `None` for a hole and at the top of the slice.
    #[must_use]
    pub fn parent(&self, row: usize) -> Option<usize> {
        let slot = occupied(&self.slice.row_slots, row)?;
        let parent = self.slice.row(slot).parent;
        (parent != crate::store::NIL).then_some(parent as usize)
    }

    /// The slots where a row's node finds its transform, visibility and material, its own or those it inherits; `None`
    /// for a hole.
    #[must_use]
    pub fn effective_slots(&self, row: usize) -> Option<[usize; 3]> {
        let slot = occupied(&self.slice.row_slots, row)?;
        let Row { transform, visibility, material, .. } = *self.slice.row(slot);
        Some([transform, visibility, material].map(|slot| slot.index() as usize))
    }

    /// The nodes of the slice, in the order of their rows.
    pub fn nodes(&self) -> impl Iterator<Item = NodeHandle> + 's {
        self.slice.rows.iter().filter_map(|row| row.occupant.as_node())
    }
}

/// The transform column of a slice. Slot 0 is the base: what the slice inherits. A parent's slot is before its children's.
#[derive(Clone, Copy, Debug)]
pub struct TransformView<'s> {
    column: &'s TransformColumn,
}

impl<'s> TransformView<'s> {
    /// One past the last slot in use; at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a transform column has a base slot")]
    pub fn len(&self) -> usize {
        self.column.worlds.len()
    }

    /// Whether a node has the slot; the base counts as had.
    #[must_use]
    pub fn is_occupied(&self, slot: usize) -> bool {
        occupied(&self.column.slots, slot).is_some()
    }

    /// The slot of each slot's nearest ancestor with a transform in the slice, else 0; 0 for holes.
    #[must_use]
    pub fn parents(&self) -> &'s [u32] {
        &self.column.parents
    }

    /// World matrices as of the last update; whatever for holes.
    #[must_use]
    pub fn worlds(&self) -> &'s [Mat34] {
        &self.column.worlds
    }

    /// The local transform in a slot; `None` for the base and for holes.
    #[must_use]
    pub fn local(&self, slot: usize) -> Option<Local> {
        occupied(&self.column.slots, slot).filter(|&slot| slot != 0).map(|slot| self.column.local(slot))
    }
}

/// The visibility column of a slice. Slot 0 is the base.
#[derive(Clone, Copy, Debug)]
pub struct VisibilityView<'s> {
    slice: &'s Slice,
}

impl VisibilityView<'_> {
    /// One past the last slot in use; at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a visibility column has a base slot")]
    pub fn len(&self) -> usize {
        self.slice.visibilities.effective.len()
    }

    /// The inherited mask in a slot as of the last update; `None` for holes.
    #[must_use]
    pub fn effective(&self, slot: usize) -> Option<Visibility> {
        occupied(&self.slice.visibilities.slots, slot)
            .map(|slot| Visibility::layers(self.slice.visibilities.effective[slot as usize]))
    }
}

/// The material column of a slice. Slot 0 is the base.
#[derive(Clone, Copy, Debug)]
pub struct MaterialView<'s> {
    slice: &'s Slice,
}

impl MaterialView<'_> {
    /// One past the last slot in use; at least 1.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "a material column has a base slot")]
    pub fn len(&self) -> usize {
        self.slice.materials.values.len()
    }

    /// The material in a slot; `None` for holes, and in the base where nothing above says one.
    #[must_use]
    pub fn material(&self, slot: usize) -> Option<u32> {
        occupied(&self.slice.materials.slots, slot).and_then(|slot| self.slice.materials.values[slot as usize])
    }
}

/// A shape as its column has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListedShape {
    /// The node.
    pub node: NodeHandle,
    /// Mesh and local bounds.
    pub shape: Shape,
    /// The slots where the node finds its transform, visibility and material.
    pub slots: [usize; 3],
}

/// The shape column of a slice.
#[derive(Clone, Copy, Debug)]
pub struct ShapeView<'s> {
    slice: &'s Slice,
}

impl<'s> ShapeView<'s> {
    /// One past the last slot in use.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slice.shapes.records.len()
    }

    /// Whether no node in the slice has a shape.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slice.shapes.slots.live() == 0
    }

    /// The shape in a slot; `None` for a hole.
    #[must_use]
    pub fn get(&self, slot: usize) -> Option<ListedShape> {
        let slot = occupied(&self.slice.shapes.slots, slot)?;
        let record = self.slice.shapes.records[slot as usize];
        Some(ListedShape {
            node: NodeHandle::from_bits(record.node)?,
            shape: self.slice.shapes.shape(slot),
            slots: [record.transform, record.visibility, record.material].map(|slot| slot as usize),
        })
    }

    /// All shapes, in the order of their slots.
    pub fn iter(&self) -> impl Iterator<Item = ListedShape> + use<'s> {
        let view = *self;
        (0..self.len()).filter_map(move |slot| view.get(slot))
    }
}

impl SliceViewMut<'_> {
    /// Computes the world matrices that are out of date, or all. They stay marked: the next update sees what became of
    /// them.
    pub(crate) fn propagate(&mut self, everything: bool) {
        if everything {
            self.slice.transforms.mark_all();
        }
        self.slice.transforms.compute();
        self.slice.touch_boxes();
        self.slice.version = self.version;
    }
}

const _: () = assert!(size_of::<PackedTransform>() == 40);
