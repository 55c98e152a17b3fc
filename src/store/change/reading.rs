//! Reading the history of changes: what came after a frame, node by node.
//!
//! Slots know the frame in which their matrix or mask last changed, so what an update tells of them costs one number a
//! slot, and the nodes behind slots are found only when somebody reads. The log says what slots cannot: which nodes
//! came and left, what edits changed, and which nodes have another slot now than in the frames before.
//!
//! What is read holds as of the last update. Edits since then may have moved nodes to other slots, and out of the tree:
//! the notes that they left tell how these nodes stood.

use crate::NodeHandle;
use crate::store::allocation::Bits;
use crate::store::change::log::Told;
use crate::store::change::{ChangeKinds, Feed};
use crate::store::columns::{Row, Slot};
use crate::store::{Membership, Slice, Store};

/// What a read found. Each list has a node at most once.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChangeLists {
    pub(crate) moved: Vec<NodeHandle>,
    pub(crate) visibility: Vec<NodeHandle>,
    pub(crate) locals: Vec<NodeHandle>,
    pub(crate) entered: Vec<NodeHandle>,
    pub(crate) left: Vec<NodeHandle>,
    pub(crate) removed: Vec<NodeHandle>,
    pub(crate) edited: Vec<(NodeHandle, ChangeKinds)>,
}

impl ChangeLists {
    fn clear(&mut self) {
        let Self { moved, visibility, locals, entered, left, removed, edited } = self;
        [moved, visibility, locals, entered, left, removed].into_iter().for_each(Vec::clear);
        edited.clear();
    }
}

/// How a node stands towards the frame that is read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stand {
    /// It is in the scene, and was all the time.
    #[default]
    Same,
    /// It entered.
    Entered,
    /// It left.
    Left,
    /// It left and entered again.
    Back,
    /// It entered and left again.
    Passed,
}

/// What the log says of a node.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    generation: u32,
    stand: Stand,
    /// Whether the node is on the list of those that entered, left, came back.
    listed: [bool; 3],
    kinds: ChangeKinds,
    /// One more than the places in `others` of its transform and its mask; 0 for none.
    others: [u32; 2],
}

/// A node whose slot does not say for all frames when it changed.
#[derive(Clone, Copy, Debug)]
struct Other {
    node: NodeHandle,
    /// The slot tells of frames after this one.
    after: u32,
    /// The last frame up to that one in which the node changed.
    changed: u32,
}

/// Working memory of a reader, empty between reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadScratch {
    /// States by the entry of a handle in its metadata table.
    states: Vec<Vec<State>>,
    /// The nodes that have a state.
    touched: Vec<NodeHandle>,
    back: Vec<NodeHandle>,
    /// For transforms and for masks.
    others: [Vec<Other>; 2],
    /// Slices that were looked at.
    visited: Bits,
    numbers: Vec<u32>,
    slots: Vec<u32>,
    members: Bits,
}

/// The place of transforms, and of masks, in pairs.
const TRANSFORMS: usize = 0;
const MASKS: usize = 1;

impl ReadScratch {
    fn state(&self, node: NodeHandle) -> Option<&State> {
        let state = self.states.get(node.table() as usize)?.get(node.index() as usize)?;
        (state.generation == node.generation()).then_some(state)
    }

    /// The state of a node. That of an earlier node of the same entry is dropped: it had left for good.
    fn state_mut(&mut self, node: NodeHandle) -> &mut State {
        let (table, index) = (node.table() as usize, node.index() as usize);
        if table >= self.states.len() {
            self.states.resize(table + 1, Vec::new());
        }
        let table = &mut self.states[table];
        if index >= table.len() {
            table.resize((index + 1).next_power_of_two(), State::default());
        }
        let state = &mut table[index];
        if state.generation != node.generation() {
            *state = State { generation: node.generation(), ..State::default() };
            self.touched.push(node);
        }
        state
    }

    /// The edits that are told of a node that was in the scene all the time.
    pub(super) fn lasting_edits(&self, node: NodeHandle) -> Option<ChangeKinds> {
        self.state(node).filter(|state| state.stand == Stand::Same).map(|state| state.kinds)
    }

    /// Adds edits to what is told of a node, and returns what there was.
    pub(super) fn add_edits(&mut self, node: NodeHandle, kinds: ChangeKinds) -> ChangeKinds {
        let state = self.state_mut(node);
        let before = state.kinds;
        state.kinds |= kinds;
        before
    }

    fn clear(&mut self) {
        for node in self.touched.drain(..) {
            self.states[node.table() as usize][node.index() as usize] = State::default();
        }
        self.back.clear();
        self.others.iter_mut().for_each(Vec::clear);
        self.numbers.drain(..).for_each(|number| self.visited.remove(number));
    }

    /// Notes that a node inherits another slot, in a frame or, if that is [`u32::MAX`], since the last update.
    fn note_other(&mut self, which: usize, node: NodeHandle, after: u32, changed: u32) {
        let place = self.state_mut(node).others[which];
        let others = &mut self.others[which];
        match others.get_mut((place as usize).wrapping_sub(1)) {
            // The slot that it had since the last time tells only of the frames since.
            Some(other) => {
                other.changed = if changed > other.after { changed } else { other.changed };
                other.after = after;
            }
            None => {
                others.push(Other { node, after, changed });
                let place = u32::try_from(others.len()).expect("nodes number less than 2^31");
                self.state_mut(node).others[which] = place;
            }
        }
    }
}

impl Store {
    /// Reads what changed after a frame, as of the last update, into lists that are cleared before. Returns `None` if
    /// not everything is known any more.
    pub(crate) fn read_changes(
        &self,
        after: u64,
        kinds: ChangeKinds,
        lists: &mut ChangeLists,
        scratch: &mut ReadScratch,
    ) -> Option<()> {
        lists.clear();
        let feed = self.feed()?;
        let reading = Reading { store: self, feed, after, slot_after: feed.slot_frame(after), kinds };
        let read = reading.log(lists, scratch);
        if read.is_some() {
            reading.slices(lists, scratch);
            reading.others(lists, scratch);
            reading.materials(lists, scratch);
            reading.finish(lists, scratch);
        }
        scratch.clear();
        read
    }
}

/// One read.
pub(super) struct Reading<'s> {
    pub(super) store: &'s Store,
    pub(super) feed: &'s Feed,
    after: u64,
    slot_after: u32,
    pub(super) kinds: ChangeKinds,
}

impl Reading<'_> {
    /// Goes through the log and the notes of edits since the last update.
    fn log(&self, lists: &mut ChangeLists, scratch: &mut ReadScratch) -> Option<()> {
        for (frame, entry) in self.feed.log.since(self.after)? {
            let (node, frame) = (entry.node, self.feed.slot_frame(frame));
            match entry.told {
                Told::Left | Told::Removed => {
                    if entry.told == Told::Removed {
                        lists.removed.push(node);
                    }
                    let state = scratch.state_mut(node);
                    let entered = matches!(state.stand, Stand::Entered | Stand::Passed);
                    state.stand = if entered { Stand::Passed } else { Stand::Left };
                    if !entered && !core::mem::replace(&mut state.listed[1], true) {
                        lists.left.push(node);
                    }
                }
                Told::Dropped => lists.removed.push(node),
                Told::Entered => {
                    let state = scratch.state_mut(node);
                    let left = state.stand == Stand::Left;
                    state.stand = if left { Stand::Back } else { Stand::Entered };
                    if !core::mem::replace(&mut state.listed[if left { 2 } else { 0 }], true) {
                        if left { &mut scratch.back } else { &mut lists.entered }.push(node);
                    }
                }
                Told::Edited(kinds) => {
                    let state = scratch.state_mut(node);
                    if state.kinds.is_empty() {
                        lists.edited.push((node, ChangeKinds::NONE));
                    }
                    state.kinds |= kinds;
                }
                Told::Moved(changed) => scratch.note_other(TRANSFORMS, node, frame, changed),
                Told::Masked(changed) => scratch.note_other(MASKS, node, frame, changed),
            }
        }
        for (node, past) in &self.feed.previous_transforms {
            scratch.note_other(TRANSFORMS, *node, u32::MAX, past.moved);
        }
        for (node, past) in &self.feed.previous_masks {
            scratch.note_other(MASKS, *node, u32::MAX, past.changed);
        }
        Some(())
    }

    /// Finds the nodes of the slots that changed.
    fn slices(&self, lists: &mut ChangeLists, scratch: &mut ReadScratch) {
        let Store { slices, layouts, .. } = self.store;
        let changed = layouts.since(self.after, slices);
        // Rows that moved to other slices since the last update took their frames along.
        for number in changed.chain(layouts.relaid.iter()).chain(self.feed.received.iter()) {
            let Some(slice) = slices.get(number as usize).filter(|slice| slice.is_in_use()) else { continue };
            if !scratch.visited.contains(number) {
                scratch.visited.insert(number);
                scratch.numbers.push(number);
                self.slice(slice, lists, scratch);
            }
        }
    }

    fn slice(&self, slice: &Slice, lists: &mut ChangeLists, scratch: &mut ReadScratch) {
        let (mut slots, mut members) = (core::mem::take(&mut scratch.slots), core::mem::take(&mut scratch.members));
        let attached = slice.membership == Membership::Attached;
        let quiet = attached && scratch.touched.is_empty() && !self.feed.has_notes();
        let counts = |node: NodeHandle, which: usize| {
            quiet
                || self.feed.was_attached(node, attached)
                    && scratch.state(node).is_none_or(|state| state.stand == Stand::Same && state.others[which] == 0)
        };
        if let Some(trace) = &slice.transforms.trace
            && trace.newest > self.slot_after
        {
            if self.kinds.contains(ChangeKinds::WORLD) {
                slots.clear();
                trace.moved.list_after(self.slot_after, &mut slots);
                let owners = (&*trace.owners, &slice.transforms.slots);
                let each = |_: &Row, node| {
                    if counts(node, TRANSFORMS) {
                        lists.moved.push(node);
                    }
                };
                slice.finders(&slots, owners, &mut members, |row| row.transform, each);
            }
            if self.kinds.contains(ChangeKinds::LOCAL) {
                slots.clear();
                trace.set.list_after(self.slot_after, &mut slots);
                for &slot in slots.iter().filter(|&&slot| slot != 0 && slice.transforms.slots.is_live(slot)) {
                    let row = slice.row(trace.owners[slot as usize]);
                    debug_assert_eq!(row.transform, Slot::own(slot), "a slot knows its owner");
                    if let Some(node) = row.occupant.as_node()
                        && self.feed.was_attached(node, attached)
                        && scratch
                            .state(node)
                            .is_none_or(|state| state.stand == Stand::Same && !state.kinds.contains(ChangeKinds::LOCAL))
                    {
                        lists.locals.push(node);
                    }
                }
            }
        }
        if let Some(trace) = &slice.visibilities.trace
            && trace.newest > self.slot_after
            && self.kinds.contains(ChangeKinds::VISIBILITY)
        {
            self.list_slots(&trace.changed, &mut slots);
            let owners = (&*trace.owners, &slice.visibilities.slots);
            let each = |_: &Row, node| {
                if counts(node, MASKS) {
                    lists.visibility.push(node);
                }
            };
            slice.finders(&slots, owners, &mut members, |row| row.visibility, each);
        }
        (scratch.slots, scratch.members) = (slots, members);
    }

    /// Lists the slots with a later frame than that which is read from, holes included.
    fn list_slots(&self, frames: &[u32], slots: &mut Vec<u32>) {
        slots.clear();
        slots.extend((0..).zip(frames).filter(|&(_, &frame)| frame > self.slot_after).map(|(slot, _)| slot));
    }

    /// Decides about nodes whose slots do not say it all.
    fn others(&self, lists: &mut ChangeLists, scratch: &mut ReadScratch) {
        for (which, kind) in [(TRANSFORMS, ChangeKinds::WORLD), (MASKS, ChangeKinds::VISIBILITY)] {
            if !self.kinds.contains(kind) {
                continue;
            }
            for &Other { node, after, changed } in &scratch.others[which] {
                let Some(at) = self.store.resolve(node) else { continue };
                let stands = scratch.state(node).is_some_and(|state| state.stand == Stand::Same);
                let attached = self.store.membership(at) == Membership::Attached;
                if !stands || !self.feed.was_attached(node, attached) {
                    continue;
                }
                let of_slot = self.store.changed_at(at, which == MASKS);
                if changed > self.slot_after || of_slot > after.max(self.slot_after) {
                    if which == TRANSFORMS { &mut lists.moved } else { &mut lists.visibility }.push(node);
                }
            }
        }
    }

    /// Removes from the lists what later entries of the log took back.
    fn finish(&self, lists: &mut ChangeLists, scratch: &ReadScratch) {
        let ChangeLists { moved, visibility, locals, entered, left, edited, .. } = lists;
        let stand = |node: NodeHandle| scratch.state(node).map(|state| state.stand);
        entered.retain(|&node| stand(node) == Some(Stand::Entered));
        // A node without a state left before another one took its entry.
        left.retain(|&node| matches!(stand(node), Some(Stand::Left) | None));
        edited.retain_mut(|(node, kinds)| {
            let Some(state) = scratch.state(*node).filter(|state| state.stand == Stand::Same) else { return false };
            if state.kinds.and(self.kinds).contains(ChangeKinds::LOCAL) {
                locals.push(*node);
            }
            *kinds = state.kinds.and(self.kinds).and(ChangeKinds::EDITS);
            !kinds.is_empty()
        });
        for &node in scratch.back.iter().filter(|&&node| stand(node) == Some(Stand::Back)) {
            let lists = [
                (ChangeKinds::WORLD, &mut *moved),
                (ChangeKinds::VISIBILITY, &mut *visibility),
                (ChangeKinds::LOCAL, &mut *locals),
            ];
            lists.into_iter().filter(|(kind, _)| self.kinds.contains(*kind)).for_each(|(_, list)| list.push(node));
            let edits = self.kinds.and(ChangeKinds::EDITS);
            if !edits.is_empty() {
                edited.push((node, edits));
            }
        }
    }
}

impl Store {
    /// The frame in which a node's effective transform slot, or its visibility slot, last changed.
    fn changed_at(&self, at: crate::store::At, mask: bool) -> u32 {
        let (slice, row) = (self.slice(at.slice), self.row(at));
        if mask {
            slice.visibilities.trace.as_ref().map_or(0, |trace| trace.changed[row.visibility.index() as usize])
        } else {
            slice.transforms.trace.as_ref().map_or(0, |trace| trace.moved.get(row.transform.index()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Beside;
    use crate::{Local, Node, SceneConfig, Transform};

    #[test]
    fn frames_of_slots_begin_again_before_their_numbers_end() {
        let mut store = Store::with_root(SceneConfig { changes: true, ..SceneConfig::DEFAULT });
        store.frames = u64::from(u32::MAX) - 4;
        let (root, at) = (store.root(), crate::store::At::ROOT);
        let mut place = || {
            let node = Node::transform(Transform::IDENTITY);
            store.insert(Beside::LastChildOf(root), at, &node).expect("there is room")
        };
        let [mover, rests] = [place(), place()];
        store.update();
        let (first, mut last) = (store.frames, store.frames);
        let (mut lists, mut scratch) = (ChangeLists::default(), ReadScratch::default());
        for x in [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0] {
            let at = store.resolve(mover).expect("the node is there");
            assert!(store.replace_local(at, Local::Transform(Transform::from_xyz(x, 0.0, 0.0))));
            store.update();
            let mut read = |after| store.read_changes(after, ChangeKinds::ALL, &mut lists, &mut scratch);
            let begun_again = store.frames > u64::from(u32::MAX) - 1;
            assert_eq!(read(first).is_none(), begun_again, "at {x}");
            assert!(read(last).is_some());
            assert_eq!((&*lists.moved, &*lists.locals), (&[mover][..], &[mover][..]), "at {x}");
            last = store.frames;
        }
        assert!(last > u64::from(u32::MAX) && store.resolve(rests).is_some());
    }
}
