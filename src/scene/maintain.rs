//! Maintenance: the caller's, once a frame.

use crate::scene::Scene;
use crate::store::{Capacity, LinearAllocator, Need, Slice, Storage, Store};
use crate::{Error, NodeHandle};
use std::collections::TryReserveError;
use std::time::{Duration, Instant};

/// A slice with more than one row in this many out of order is rebuilt.
const DISORDER: u32 = 4;

/// How many edited slices are compared with each other before the worst of them are worked on.
const WINDOW: usize = 64;

/// How much memory a call leaves unused.
#[derive(Clone, Copy, Debug)]
struct Thrift {
    /// A slice with more than this many times the bytes of its live records is rebuilt,
    excess: f32,
    /// if it has this many more besides,
    slack: usize,
    /// at this capacity.
    capacity: Capacity,
}

impl Thrift {
    /// Once a frame: what growth gave a slice is left to it, or the next frame would have to give it again.
    fn easy(expansion_factor: f32) -> Self {
        Self { excess: 1.125 * expansion_factor, slack: 1 << 12, capacity: Capacity::Eased }
    }

    /// Without a limit of time, for a scene that is to rest.
    const STRICT: Self = Self { excess: 1.08, slack: 0, capacity: Capacity::Tight };
}

/// What a call to [`Scene::maintain`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Maintenance {
    /// How many nodes were freed that [`Scene::remove_later`] had removed.
    pub freed: usize,
    /// How many slices were reconstituted.
    pub reconstituted: usize,
    /// How many small slices were merged with others.
    pub merged: usize,
    /// How many nodes the slices hold that were reconstituted or merged.
    pub nodes: usize,
    /// How many edited slices were left for another call, because the budget was spent.
    pub left: usize,
}

impl Scene {
    /// Frees what [`Scene::remove_later`] removed, and tidies slices that edits have left small, out of order or sparse, for at
    /// most about `budget`.
    ///
    /// Call it once a frame, or not at all: nothing but speed and memory depends on it, and no other method does its work.
    /// Only slices that were edited since they were last looked at are, and of those that wait longest the worst first; a
    /// scene at rest costs nothing. A slice is
    ///
    /// - merged with the slice above or a neighbour, if it has fewer rows than
    ///   [`min_nodes`](crate::SceneConfig::min_nodes) and the result has at most three quarters of
    ///   [`max_nodes`](crate::SceneConfig::max_nodes);
    /// - else reconstituted, in linear time, if more than a quarter of its rows were put far from their depth-first place
    ///   since it last was, or if much more of its memory is unused than growth by the expansion factor leaves, and keeps
    ///   an eighth of room for what comes.
    ///
    /// [`Duration::MAX`] does all there is to do, and more strictly, as before a scene is left to rest: slices of which a
    /// fourteenth is unused are rebuilt too, and keep a sixteenth of room.
    pub fn maintain(&mut self, budget: Duration) -> Maintenance {
        let store = &mut self.store;
        let thrift = match budget {
            Duration::MAX => Thrift::STRICT,
            _ => Thrift::easy(store.config.expansion_factor),
        };
        let start = Instant::now();
        let in_time = || start.elapsed() < budget;
        let mut done = Maintenance::default();
        while let Some(freed) = store.free_doomed() {
            done.freed += freed;
            if !in_time() {
                break;
            }
        }
        let mut window = Vec::new();
        while !store.worn.is_empty() {
            store.take_worst(thrift, &mut window);
            while let Some((_, number)) = window.pop() {
                store.tidy(number, thrift, &mut done);
                if !in_time() {
                    break;
                }
            }
            // What there was no time for waits in front.
            for (_, number) in window.drain(..) {
                store.slice_mut(number).worn = true;
                store.worn.push_front(number);
            }
            if store.worn.is_empty() {
                store.pair_lonely(&mut done, in_time);
            }
            if !in_time() {
                break;
            }
        }
        done.left = store.worn.len();
        if budget == Duration::MAX {
            store.drop_scratch();
        }
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

impl Store {
    /// Takes the edited slices that wait longest off their list, and those of them that are to be worked on into `window`,
    /// the worst last.
    fn take_worst(&mut self, thrift: Thrift, window: &mut Vec<(f32, u32)>) {
        for _ in 0..WINDOW {
            let Some(number) = self.worn.pop_front() else { break };
            if core::mem::take(&mut self.slice_mut(number).worn) {
                let need = self.need_of_care(number, thrift);
                if need > 1.0 {
                    window.push((need, number));
                }
            }
        }
        window.sort_unstable_by(|(a, _), (b, _)| a.total_cmp(b));
    }

    /// How far a slice is beyond what is left alone: above 1 it is to be worked on.
    #[expect(clippy::cast_precision_loss, reason = "a comparison of magnitudes")]
    fn need_of_care(&self, number: u32, thrift: Thrift) -> f32 {
        let slice = self.slice(number);
        let live = slice.row_slots.live();
        let too_small = self.config.min_nodes as f32 / live as f32;
        let disorder = slice.misplaced as f32 * DISORDER as f32 / live as f32;
        let allowed = thrift.slack as f32 + slice.live_bytes() as f32 * thrift.excess;
        too_small.max(disorder).max(slice.capacity_bytes() as f32 / allowed)
    }

    /// Merges or reconstitutes one slice, where it is to be.
    fn tidy(&mut self, number: u32, thrift: Thrift, done: &mut Maintenance) {
        if !self.slice(number).lives {
            return;
        }
        if self.is_small(number) && self.merges(number) {
            if let Some(partner) = self.partner(number) {
                let into = self.merge(number, partner);
                done.merged += 1;
                done.nodes += self.slice(into).nodes();
                return;
            }
            self.lonely.push(number);
        }
        let slice = self.slice(number);
        if slice.is_disordered() || slice.is_wasteful(thrift) {
            done.reconstituted += 1;
            done.nodes += slice.nodes();
            self.reconstitute(number, thrift.capacity);
        }
    }

    /// Looks for partners again for the small slices that had none: since then others were edited, and may take them.
    fn pair_lonely(&mut self, done: &mut Maintenance, in_time: impl Fn() -> bool) {
        let mut lonely = core::mem::take(&mut self.lonely);
        lonely.sort_unstable();
        lonely.dedup();
        lonely.retain(|&number| {
            let waits = self.slices.get(number as usize).is_some_and(|slice| slice.lives);
            let waits = waits && self.is_small(number) && self.merges(number);
            if waits && let Some(partner) = self.partner(number) {
                if !in_time() {
                    // The next call finds it among the edited ones.
                    self.wear(number);
                    return false;
                }
                let into = self.merge(number, partner);
                done.merged += 1;
                done.nodes += self.slice(into).nodes();
                return false;
            }
            waits
        });
        self.lonely = lonely;
    }
}

impl Slice {
    fn is_disordered(&self) -> bool {
        self.misplaced > self.row_slots.live() / DISORDER
    }

    #[expect(clippy::cast_precision_loss, reason = "a comparison of magnitudes")]
    fn is_wasteful(&self, thrift: Thrift) -> bool {
        let (live, capacity) = (self.live_bytes(), self.capacity_bytes());
        capacity as f32 > thrift.slack as f32 + live as f32 * thrift.excess
    }

    /// How far the rows are from depth-first order: the share that was put far from its place, at most 1.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub(crate) fn disorder(&self) -> f32 {
        (self.misplaced as f32 / self.row_slots.live().max(1) as f32).min(1.0)
    }

    /// The bytes of all records in use.
    fn live_bytes(&self) -> usize {
        self.record_bytes(LinearAllocator::live)
    }

    /// The bytes of as many records as there is room for.
    fn capacity_bytes(&self) -> usize {
        self.record_bytes(LinearAllocator::capacity)
    }

    fn record_bytes(&self, count: impl Fn(&LinearAllocator) -> u32) -> usize {
        Storage::ALL.iter().map(|storage| count(storage.of(self)) as usize * storage.slot_bytes()).sum()
    }
}

impl Store {
    /// Rebuilds every slice at its least size and gives spare memory back.
    pub(crate) fn shrink_to_fit(&mut self) {
        while self.free_doomed().is_some() {}
        let numbers: Vec<u32> = self.slice_numbers().collect();
        for number in numbers {
            self.reconstitute(number, Capacity::Exact);
            let slice = self.slice_mut(number);
            slice.children.shrink_to_fit();
            slice.marked_children.shrink_to_fit();
        }
        self.reserved = None;
        self.tables.shrink_to_fit();
        self.drop_dead_slices();
        self.drop_scratch();
    }

    /// Makes room for many more nodes in a slice, or says that the allocator refuses.
    pub(crate) fn try_reserve(&mut self, slice: u32, additional: u32) -> Result<(), TryReserveError> {
        self.tables.try_reserve(slice, additional as usize)?;
        let most = self.config.max_nodes;
        let additional = additional.min(most);
        self.slice_mut(slice).try_grow_in_place(&Need::all(additional), 1.0, most)
    }

    /// Makes room for this many nodes in the next slice to be opened, or says that the allocator refuses.
    pub(crate) fn try_reserve_slice(&mut self, nodes: u32) -> Result<(), TryReserveError> {
        let most = self.config.max_nodes;
        let need = Need::all(nodes.min(most));
        if let Some(slice) = &mut self.reserved {
            return slice.try_grow_in_place(&need, 1.0, most);
        }
        let mut slice = Slice::with_room(&Need::default());
        slice.try_grow_in_place(&need, 1.0, most)?;
        self.reserved = Some(slice);
        Ok(())
    }
}
