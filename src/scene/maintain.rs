//! Maintenance: the caller's, once a frame.

use crate::Error;
use crate::NodeHandle;
use crate::scene::Scene;
use crate::slice::{Capacity, Need, Slice, Store};
use std::collections::TryReserveError;
use std::time::{Duration, Instant};

/// A slice with more than one row in this many out of order is rebuilt.
const DISORDER: u32 = 4;
/// Fewer unused bytes than these are no reason to rebuild a slice.
const SLACK_BYTES: usize = 1 << 12;

/// How much memory a call leaves unused.
#[derive(Clone, Copy, Debug)]
struct Thrift {
    /// A slice with more than one byte in this many unused is rebuilt.
    waste: usize,
    /// At this capacity.
    capacity: Capacity,
}

impl Thrift {
    /// Once a frame: what a growing slice was given is left to it, or the next frame would have to give it again.
    const EASY: Self = Self { waste: 2, capacity: Capacity::Eased };
    /// Without a limit of time, for a scene that is to rest.
    const STRICT: Self = Self { waste: 8, capacity: Capacity::Tight };
}

/// What a call to [`Scene::maintain`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Maintenance {
    /// How many slices were reconstituted.
    pub reconstituted: usize,
    /// How many nodes these hold.
    pub nodes: usize,
    /// How many edited slices were left for another call, because the budget was spent.
    pub left: usize,
}

impl Scene {
    /// Tidies slices that edits have left out of order or sparse, for at most about `budget`.
    ///
    /// Call it once a frame, or not at all: nothing but speed and memory depends on it, and no other method does its work.
    /// Only slices that were edited since they were last looked at are, those that wait longest first; a scene at rest
    /// costs nothing. A slice is reconstituted, in linear time, if more than a quarter of its rows were put far from their
    /// depth-first place since it last was, or if more than a third of its memory is unused, and keeps an eighth of
    /// room for what comes.
    ///
    /// [`Duration::MAX`] does all there is to do, and more strictly, as before a scene is left to rest: slices of which a
    /// ninth is unused are rebuilt too, and keep a sixteenth of room.
    pub fn maintain(&mut self, budget: Duration) -> Maintenance {
        let thrift = if budget == Duration::MAX { Thrift::STRICT } else { Thrift::EASY };
        let start = Instant::now();
        let mut done = Maintenance::default();
        while let Some(number) = self.store.worn.pop_front() {
            let slice = self.store.slice_mut(number);
            if !core::mem::take(&mut slice.worn) {
                continue;
            }
            if slice.is_disordered() || slice.is_wasteful(thrift) {
                done.reconstituted += 1;
                done.nodes += slice.nodes();
                self.store.reconstitute(number, thrift.capacity);
                if start.elapsed() >= budget {
                    break;
                }
            }
        }
        done.left = self.store.worn.len();
        done
    }

    /// Rebuilds the slice of a node in exact depth-first order. Handles stay valid.
    ///
    /// Computes in **O(nodes of the slice)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    pub fn reconstitute(&mut self, node: NodeHandle) -> Result<(), Error> {
        let at = self.at(node)?;
        self.store.reconstitute(at.slice, Capacity::Keep);
        Ok(())
    }

    /// Rebuilds every slice in exact depth-first order. Handles stay valid.
    ///
    /// Computes in **O(nodes)**.
    pub fn reconstitute_all(&mut self) {
        let numbers: Vec<u32> = self.store.slice_numbers().collect();
        for number in numbers {
            self.store.reconstitute(number, Capacity::Keep);
        }
    }
}

/// Asks the allocator for one block as large as what this many nodes take, and gives it back. Asked before anything
/// changes: what the arrays then take one by one is no more.
fn ask_for(nodes: usize) -> Result<(), TryReserveError> {
    let node_bytes = size_of::<crate::slice::Row>()
        + crate::slice::TransformColumn::BYTES
        + crate::slice::VisibilityColumn::BYTES
        + crate::slice::MaterialColumn::BYTES
        + crate::slice::ShapeColumn::BYTES;
    Vec::<u8>::new().try_reserve_exact(nodes.saturating_mul(node_bytes))
}

impl Slice {
    fn is_disordered(&self) -> bool {
        self.misplaced > self.row_slots.live() / DISORDER
    }

    fn is_wasteful(&self, thrift: Thrift) -> bool {
        let (live, allocated) = (self.live_bytes(), self.allocated_bytes());
        allocated > live + live / thrift.waste + SLACK_BYTES
    }

    /// How far the rows are from depth-first order: the share that was put far from its place, at most 1.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub(crate) fn disorder(&self) -> f32 {
        (self.misplaced as f32 / self.row_slots.live().max(1) as f32).min(1.0)
    }

    fn live_bytes(&self) -> usize {
        let bytes = |slots: &crate::slice::LinearAllocator, record: usize| slots.live() as usize * record;
        bytes(&self.row_slots, size_of::<crate::slice::Row>())
            + bytes(&self.transforms.slots, crate::slice::TransformColumn::BYTES)
            + bytes(&self.visibilities.slots, crate::slice::VisibilityColumn::BYTES)
            + bytes(&self.materials.slots, crate::slice::MaterialColumn::BYTES)
            + bytes(&self.shapes.slots, crate::slice::ShapeColumn::BYTES)
            + bytes(&self.names.slots, crate::slice::NameColumn::BYTES)
            + self.names.text_bytes
    }

    fn allocated_bytes(&self) -> usize {
        self.row_bytes()
            + self.transforms.allocated_bytes()
            + self.visibilities.allocated_bytes()
            + self.materials.allocated_bytes()
            + self.shapes.allocated_bytes()
            + self.names.allocated_bytes()
    }

    /// The bytes of rows and of what a slice is beside its columns.
    pub(crate) fn row_bytes(&self) -> usize {
        self.rows.capacity() * size_of::<crate::slice::Row>()
            + self.row_slots.holes().bytes()
            + (self.children.capacity() + self.marked_children.capacity()) * size_of::<u32>()
    }
}

impl Store {
    /// Rebuilds every slice at its least size and gives spare memory back.
    pub(crate) fn shrink_to_fit(&mut self) {
        let numbers: Vec<u32> = self.slice_numbers().collect();
        for number in numbers {
            self.reconstitute(number, Capacity::Exact);
            let slice = self.slice_mut(number);
            slice.children.shrink_to_fit();
            slice.marked_children.shrink_to_fit();
        }
        self.reserved = None;
        self.tables.shrink_to_fit();
        self.slices.shrink_to_fit();
        self.drop_scratch();
    }

    /// Makes room for many more nodes in a slice, or says that the allocator refuses.
    pub(crate) fn try_reserve(&mut self, slice: u32, additional: u32) -> Result<(), TryReserveError> {
        let need = Need::all(additional);
        self.tables.try_reserve(slice, additional as usize)?;
        if !self.slice(slice).fits_all(&need) {
            ask_for(self.slice(slice).row_slots.live() as usize + additional as usize)?;
            self.reconstitute(slice, Capacity::Hold(need));
        }
        Ok(())
    }

    /// Makes room for this many nodes in the next slice to be opened, or says that the allocator refuses.
    pub(crate) fn try_reserve_slice(&mut self, nodes: u32) -> Result<(), TryReserveError> {
        let need = Need::all(nodes);
        if !self.reserved.as_ref().is_some_and(|slice| slice.fits_all(&need)) {
            ask_for(nodes as usize)?;
            self.reserved = Some(Slice::with_room(&need));
        }
        Ok(())
    }
}
