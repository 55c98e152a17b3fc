//! Violations of what is remembered of changes.

use super::super::{Violation, find, pick, pick_row};
use super::{feed, has_children, has_transform, in_the_middle, some_node};
use crate::Mat34;
use crate::store::change::ChangeKinds;
use crate::store::change::feed::flag;

#[rustfmt::skip]
pub(super) const VIOLATIONS: &[Violation] = &[
    // The history.
    ("slice {number} has a history, which the scene is not to keep", |store| store.feed = None),
    ("slice {number} has no history", |store| {
        let slice = pick(store, has_children);
        (slice.transforms.trace, slice.visibilities.trace) = (None, None);
    }),
    ("slice {number}: its history is of a frame to come", |store| {
        pick(store, has_children).transforms.trace.as_mut().unwrap().newest = 9999;
    }),
    ("slice {number}: the slot {slot} changed after the newest frame of its column", |store| {
        pick(store, has_children).transforms.trace.as_mut().unwrap().moved.put(1, 9999);
    }),
    ("slice {number}: a row is known for the owner of a base", |store| {
        pick(store, has_children).visibilities.trace.as_mut().unwrap().owners[0] = 1;
    }),
    ("slice {number}: a slot is uncommitted, and none is known to be", |store| {
        let trace = pick(store, has_children).transforms.trace.as_mut().unwrap();
        trace.waits = false;
        trace.uncommitted.insert(1);
    }),
    ("slice {number}: the slot {slot} has no history, and its node is not new", |store| {
        let number = find(store, |slice| slice.row_slots.iter().any(|row| has_transform(slice, slice.row(row))));
        store.tell_moved(number);
        let (slice, row) = pick_row(store, has_transform);
        let slot = slice.row(row).transform.index();
        let trace = slice.transforms.trace.as_mut().unwrap();
        trace.put(slot);
        trace.owners[slot as usize] = row;
    }),
    ("slice {number} has uncommitted slots and is not listed", |store| {
        let trace = pick(store, |slice| slice.transforms.trace.as_ref().is_some_and(|trace| !trace.waits));
        trace.transforms.trace.as_mut().unwrap().waits = true;
    }),
    ("a layout was told that was not issued", |store| store.layouts.told = store.layouts.issued + 1),
    ("the log of slices is not in the order of frames", |store| {
        let frames = store.frames;
        store.layouts.log.insert(0, (frames, 0));
        store.layouts.log.push((0, 0));
    }),
    ("the log of slices tells of a frame to come", |store| store.layouts.log.push((9999, 0))),
    ("slice {number} changed, and the log of slices does not say so", |store| pick(store, |slice| slice.told_in > 0).told_in += 1000),
    ("slice {number} has a layout that was not issued", |store| pick(store, has_children).layout = u64::MAX),
    ("slice {number} has a new layout that waits on no list", |store| {
        store.layouts.issued += 1;
        pick(store, has_children).layout = 0;
        let issued = store.layouts.issued;
        pick(store, has_children).layout = issued;
    }),
    ("slice {number} has a version to come", |store| pick(store, has_children).version = u64::MAX),
    ("slice {number} has places that no version had", |store| pick(store, has_children).transforms.places = 0),
    ("slice {number} has the layout of another slice", |store| {
        let layout = store.slice(0).layout;
        pick(store, has_children).layout = layout;
    }),
    ("slice {number} was swept in an update to come", |store| pick(store, has_children).swept_in = u64::MAX),
    ("slice {number} is not marked, and the matrix of slot {slot} is not what its history says", |store| {
        store.slices.iter_mut().for_each(|slice| slice.transforms.commit_previous());
        pick(store, has_children).transforms.trace.as_mut().unwrap().previous[1].rows[0][0] += 1.0;
    }),
    ("slice {number} is not marked, and its inherited mask is not what its history says", |store| {
        pick(store, has_children).visibilities.trace.as_mut().unwrap().base ^= 1;
    }),
    // The notes.
    ("a node is listed as new and is not flagged so", |store| {
        let node = some_node(store);
        feed(store).came.push(node);
    }),
    ("a node is listed as gone and is not flagged so", |store| {
        let node = some_node(store);
        feed(store).went.push(node);
    }),
    ("a node is listed as removed and is live", |store| {
        let node = some_node(store);
        feed(store).dropped.push(node);
    }),
    ("a node is listed as entered and is not flagged so", |store| {
        let node = some_node(store);
        feed(store).entered.push(node);
    }),
    ("a node is listed with its previous {what} and is not flagged so", |store| {
        let (slice, row) = pick_row(store, in_the_middle);
        let node = slice.row(row).occupant.as_node().unwrap();
        let past = slice.transforms.history(slice.transforms.trace.as_ref().unwrap(), 1);
        feed(store).previous_transforms.push((node, past));
    }),
    ("a node is listed twice with its previous {what}", |store| {
        let (slice, row) = pick_row(store, in_the_middle);
        let node = slice.row(row).occupant.as_node().unwrap();
        let past = slice.transforms.history(slice.transforms.trace.as_ref().unwrap(), 1);
        feed(store).note_previous_transform(node, &past);
        feed(store).previous_transforms.push((node, past));
    }),
    ("entry {index} of metadata table {table} is flagged for a list that it is not on", |store| {
        let node = some_node(store);
        *feed(store).flags.entry(node) |= flag::NEW;
    }),
    ("entry {index} of metadata table {table} was edited and is not listed", |store| {
        let node = some_node(store);
        feed(store).flags.noted(node).kinds = ChangeKinds::NAME;
    }),
    ("the log of nodes has other entries than its frames count", |store| { feed(store).log.entries.pop_back(); }),
    ("the log of nodes is not in the order of frames", |store| feed(store).log.start = u64::MAX),
    ("the log of nodes is longer than it may be", |store| {
        let node = some_node(store);
        let frame = store.frames;
        store.frames += 1;
        let log = &mut feed(store).log;
        log.push(frame, node, crate::store::change::log::Told::Left);
        log.push(frame + 1, node, crate::store::change::log::Told::Left);
        log.limit = 0;
    }),
    ("the matrices that are recalled are not in the order of handles", |store| {
        let node = some_node(store);
        feed(store).recalled.extend([(node, Mat34::IDENTITY); 2]);
    }),
];
