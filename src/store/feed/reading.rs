//! Reads of the history of changes: the changes after a frame, node by node.
//!
//! A read shows the last update: slices and [`Has::REPORTED`] are in the state of that update, without later edits.

use crate::NodeHandle;
use crate::store::Store;
use crate::store::change_kinds::ChangeKinds;
use crate::store::columns::Row;
use crate::store::feed::Feed;
use crate::store::feed::log::Event;
use crate::store::histories::Histories;
use crate::store::location::Location;
use crate::store::record::Has;
use crate::store::slice::{Head, Slice};
use crate::store::state::Home;
use core::cmp::Ordering;

/// The result of a read. Each list has a node at most once.
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

/// How the presence of a node in the tree changed since the frame of the last read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Presence {
    /// In the tree all the time.
    #[default]
    Same,
    /// Entered.
    Entered,
    /// Left.
    Left,
    /// Left and entered again.
    Readded,
    /// Entered and left again.
    Transient,
}

/// The log's information about a node.
#[derive(Clone, Copy, Debug)]
struct State {
    node: NodeHandle,
    /// One more than the index of the state of the node that had the same record before, whose generation is lower; 0 for
    /// none.
    next: u32,
    /// One more than the index in [`ReadScratch::others`]; 0 for none.
    other: u32,
    kinds: ChangeKinds,
    presence: Presence,
    /// Whether the node is on the lists of nodes that entered, that left, that came back, and that were removed.
    listed: [bool; 4],
}

/// A node whose slot does not have the node's whole history.
#[derive(Clone, Copy, Debug)]
struct Other {
    node: NodeHandle,
    /// The slot's history is valid for frames after this one.
    after: u32,
    /// The last frame, not after `after`, in which the node moved.
    moved: u32,
}

/// Working memory of a reader, empty between reads. Lists of states have their indices, in the order of the log.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadScratch {
    /// For each record, one more than the index of the state of its newest node; 0 for none.
    first: Vec<u32>,
    states: Vec<State>,
    entered: Vec<u32>,
    left: Vec<u32>,
    back: Vec<u32>,
    removed: Vec<u32>,
    edited: Vec<u32>,
    others: Vec<Other>,
}

/// Narrows an index of states: the log has fewer than 2³² entries.
fn index(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

impl ReadScratch {
    /// Returns the index of a node's state, or that of the state that comes before it on the list of its record.
    fn find(&self, node: NodeHandle) -> Result<usize, Option<usize>> {
        let mut next = self.first.get(node.record().number() as usize).copied().unwrap_or(0);
        let mut before = None;
        while let Some(at) = (next as usize).checked_sub(1) {
            let state = &self.states[at];
            match state.node.generation().cmp(&node.generation()) {
                Ordering::Equal => return Ok(at),
                // The log goes forward, so most nodes are newer than all before.
                Ordering::Less => break,
                Ordering::Greater => (before, next) = (Some(at), state.next),
            }
        }
        Err(before)
    }

    fn state(&self, node: NodeHandle) -> Option<&State> {
        self.find(node).ok().map(|at| &self.states[at])
    }

    /// Returns the index of a node's state, which it makes if there is none, and the state. A record may have been that of
    /// several nodes, one after the other; after a restore, of an earlier one again. Their states are listed from the
    /// newest to the oldest.
    fn state_mut(&mut self, node: NodeHandle) -> (u32, &mut State) {
        let at = self.find(node).unwrap_or_else(|before| {
            let record = node.record().number() as usize;
            if record >= self.first.len() {
                self.first.resize((record + 1).next_power_of_two(), 0);
            }
            let number = index(self.states.len() + 1);
            let link = match before {
                Some(before) => &mut self.states[before].next,
                None => &mut self.first[record],
            };
            let next = core::mem::replace(link, number);
            let (kinds, presence, listed) = Default::default();
            self.states.push(State { node, next, other: 0, kinds, presence, listed });
            self.states.len() - 1
        });
        (index(at), &mut self.states[at])
    }

    /// Iterates over the states of a list.
    fn listed<'s>(&'s self, list: &'s [u32]) -> impl Iterator<Item = &'s State> {
        list.iter().map(|&at| &self.states[at as usize])
    }

    /// Iterates over the nodes of a list whose presence changed in one of these ways.
    fn nodes<'s>(&'s self, list: &'s [u32], is: fn(Presence) -> bool) -> impl Iterator<Item = NodeHandle> + 's {
        self.listed(list).filter(move |state| is(state.presence)).map(|state| state.node)
    }

    fn clear(&mut self) {
        for state in self.states.drain(..) {
            // Only what this read touched: the table has an entry for each record.
            self.first[state.node.record().number() as usize] = 0;
        }
        let Self { first: _, states: _, entered, left, back, removed, edited, others } = self;
        [entered, left, back, removed, edited].into_iter().for_each(Vec::clear);
        others.clear();
    }

    /// Records the frame in which a node began to use another slot, and the frame in which it last moved.
    fn record_other(&mut self, node: NodeHandle, after: u32, moved: u32) {
        // Places count from 1, so that 0 is none.
        let place = self.state_mut(node).1.other as usize;
        if let Some(other) = self.others.get_mut(place.wrapping_sub(1)) {
            // The history of the slot that the node used in between is only valid for frames after `other.after`.
            other.moved = if moved > other.after { moved } else { other.moved };
            other.after = after;
            return;
        }
        self.others.push(Other { node, after, moved });
        let place = index(self.others.len());
        self.state_mut(node).1.other = place;
    }
}

impl Store {
    /// Clears the lists, then fills them with the changes after a frame, as of the last update. Returns `true` and
    /// lists all nodes of the tree as entered if no frame is given, or if the history does not reach back to the frame.
    pub(crate) fn read_changes(
        &self,
        after: Option<u64>,
        kinds: ChangeKinds,
        lists: &mut ChangeLists,
        scratch: &mut ReadScratch,
    ) -> bool {
        lists.clear();
        // If the log no longer goes back that far, the reader gets all nodes instead.
        let anew = after.and_then(|after| self.read_since(after, kinds, lists, scratch)).is_none();
        // Before the first update a scene counts as empty.
        if anew && !self.update.clock.is_new {
            for &number in self.slices.in_tree() {
                let (slice, head) = self.slices.both(number);
                let rows = head.alive.iter().map(|row| slice.rows[row].record);
                lists.entered.extend(rows.map(|id| self.nodes.handle(id)));
            }
        }
        anew
    }

    /// Returns the parent of a node as of the last update; `None` if the node is the root, was not in the tree, or if
    /// it or its parent was removed since.
    pub(crate) fn parent_in_slice(&self, node: NodeHandle) -> Option<NodeHandle> {
        let location = self.nodes.pages.location_of(node)?;
        let (slice, row) = self.slices.row(location).filter(|(slice, _)| slice.home == Home::Tree)?;
        let above = usize::from(row.above);
        match slice.imports.get(above) {
            Some(import) => import.filter(|&parent| self.nodes.resolve(parent).is_some()),
            // The parent was removed, or moved away, since the update.
            None if !self.slices.head(location.slice()).alive.contains(above) => None,
            None => Some(self.nodes.handle(slice.rows[above].record)),
        }
    }

    fn read_since(
        &self,
        after: u64,
        kinds: ChangeKinds,
        lists: &mut ChangeLists,
        scratch: &mut ReadScratch,
    ) -> Option<()> {
        let feed = self.feed()?;
        let reading = Reading { store: self, feed, after, slot_after: feed.slot_frame(after), kinds };
        let read = reading.log(scratch);
        if read.is_some() {
            reading.slices(lists, scratch);
            reading.others(lists, scratch);
            reading.finish(lists, scratch);
        }
        scratch.clear();
        read
    }
}

/// One read.
struct Reading<'s> {
    store: &'s Store,
    feed: &'s Feed,
    after: u64,
    /// `after`, as slots count frames.
    slot_after: u32,
    kinds: ChangeKinds,
}

impl Reading<'_> {
    /// Reads the log.
    fn log(&self, scratch: &mut ReadScratch) -> Option<()> {
        for (frame, entry) in self.feed.log.since(self.after)? {
            let node = entry.node;
            match entry.event {
                Event::Dropped | Event::Left | Event::Removed => {
                    let (at, state) = scratch.state_mut(node);
                    let [_, left, _, removed] = &mut state.listed;
                    let is_removed = entry.event != Event::Left && !core::mem::replace(removed, true);
                    let mut has_left = false;
                    if entry.event != Event::Dropped {
                        // What came and went between two reads was never there for this reader.
                        let entered = matches!(state.presence, Presence::Entered | Presence::Transient);
                        state.presence = if entered { Presence::Transient } else { Presence::Left };
                        has_left = !core::mem::replace(left, true);
                    }
                    scratch.removed.extend(is_removed.then_some(at));
                    scratch.left.extend(has_left.then_some(at));
                }
                Event::Entered => {
                    let (at, state) = scratch.state_mut(node);
                    // What left and came back is the same node, with everything new.
                    let left = state.presence == Presence::Left;
                    state.presence = if left { Presence::Readded } else { Presence::Entered };
                    if !core::mem::replace(&mut state.listed[if left { 2 } else { 0 }], true) {
                        if left { &mut scratch.back } else { &mut scratch.entered }.push(at);
                    }
                }
                Event::Edited(kinds) if kinds.intersects(self.kinds) => {
                    let (at, state) = scratch.state_mut(node);
                    let is_first = state.kinds.is_empty();
                    state.kinds |= kinds;
                    scratch.edited.extend(is_first.then_some(at));
                }
                Event::Edited(_) => {}
                Event::Moved(moved) => scratch.record_other(node, self.feed.slot_frame(frame), moved),
            }
        }
        Some(())
    }

    /// Lists the nodes that use changed slots.
    fn slices(&self, lists: &mut ChangeLists, scratch: &ReadScratch) {
        if !self.kinds.intersects(ChangeKinds::WORLD | ChangeKinds::LOCAL) {
            return;
        }
        for &number in self.store.slices.in_tree() {
            let slice = &self.store.slices[number];
            if let Some(histories) = &slice.histories
                // One number tells that a slice has nothing for this reader.
                && histories.newest() > self.slot_after
            {
                self.slice(self.store.slices.both(number), histories, lists, scratch);
            }
        }
    }

    fn slice(
        &self,
        (slice, head): (&Slice, &Head),
        histories: &Histories,
        lists: &mut ChangeLists,
        scratch: &ReadScratch,
    ) {
        let [worlds, locals] = [ChangeKinds::WORLD, ChangeKinds::LOCAL].map(|kind| self.kinds.contains(kind));
        // In most frames nodes only move, and no node needs a look-up.
        let quiet = scratch.states.is_empty();
        for row in head.alive.iter().map(|at| &slice.rows[at]) {
            let slot = usize::from(row.slot);
            let moved = worlds && histories.moved(slot) > self.slot_after;
            let set = locals && row.is(Row::OWN_TRANSFORM) && histories.set(slot) > self.slot_after;
            if !(moved || set) {
                continue;
            }
            let node = self.store.nodes.handle(row.record);
            let state = if quiet { None } else { scratch.state(node) };
            // Nodes that came are listed as such, whatever else happened to them.
            if state.is_some_and(|state| state.presence != Presence::Same) {
                continue;
            }
            if moved && state.is_none_or(|state| state.other == 0) {
                lists.moved.push(node);
            }
            if set && state.is_none_or(|state| !state.kinds.contains(ChangeKinds::LOCAL)) {
                lists.locals.push(node);
            }
        }
    }

    /// Lists moved nodes whose slots do not have the nodes' whole histories.
    fn others(&self, lists: &mut ChangeLists, scratch: &ReadScratch) {
        if !self.kinds.contains(ChangeKinds::WORLD) {
            return;
        }
        for &Other { node, after, moved } in &scratch.others {
            let Some(id) = self.store.nodes.resolve(node) else { continue };
            let stays = scratch.state(node).is_some_and(|state| state.presence == Presence::Same);
            if !stays || !self.store.nodes.pages.record(id).has.has(Has::REPORTED) {
                continue;
            }
            let history = self.store.slices.history(self.store.nodes.pages.location(id));
            // Since the node uses its present slot, the slot's history is the node's.
            let since = history.is_some_and(|history| history.moved > after.max(self.slot_after));
            if since || moved > self.slot_after {
                lists.moved.push(node);
            }
        }
    }

    /// Lists nodes by what the whole log tells of them.
    fn finish(&self, lists: &mut ChangeLists, scratch: &ReadScratch) {
        let ChangeLists { moved, visibility, locals, entered, left, removed, edited } = lists;
        let (kinds, edits) = (self.kinds, self.kinds.and(ChangeKinds::LISTED));
        entered.extend(scratch.nodes(&scratch.entered, |presence| presence == Presence::Entered));
        left.extend(scratch.nodes(&scratch.left, |presence| matches!(presence, Presence::Left | Presence::Transient)));
        // A restore may have brought a node back, into the tree or outside of it.
        let has_row = |location: Location| location.as_waiting().is_none();
        let is_gone = |&node: &NodeHandle| !self.store.nodes.pages.location_of(node).is_some_and(has_row);
        let gone =
            scratch.nodes(&scratch.removed, |presence| !matches!(presence, Presence::Entered | Presence::Readded));
        removed.extend(gone.filter(is_gone));
        for state in scratch.listed(&scratch.edited).filter(|state| state.presence == Presence::Same) {
            let found = state.kinds.and(kinds);
            if found.contains(ChangeKinds::LOCAL) {
                locals.push(state.node);
            }
            if found.contains(ChangeKinds::VISIBILITY) {
                visibility.push(state.node);
            }
            if found.intersects(edits) {
                edited.push((state.node, found.and(edits)));
            }
        }
        for node in scratch.nodes(&scratch.back, |presence| presence == Presence::Readded) {
            let lists = [
                (ChangeKinds::WORLD, &mut *moved),
                (ChangeKinds::VISIBILITY, &mut *visibility),
                (ChangeKinds::LOCAL, &mut *locals),
            ];
            lists.into_iter().filter(|(kind, _)| kinds.contains(*kind)).for_each(|(_, list)| list.push(node));
            if !edits.is_empty() {
                edited.push((node, edits));
            }
        }
    }
}
