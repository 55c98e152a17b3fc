//! What breaks a scene, and what the check says of it. The pattern of a message is written as in the check.

mod history;

use super::{Violation, find, pick, pick_row};
use crate::fallible::Boxed;
use crate::handle::MAX_GENERATION;
use crate::store::columns::{Occupant, Row, Slot};
use crate::store::handles::table::Table;
use crate::store::{At, Feed, Membership, NIL, Slice, Store};
use crate::{Aabb, Mat34};
use core::cmp::Reverse;
use glam::Vec3;

/// Messages of checks that others come before, whatever is broken alone. They are there for what is broken in several
/// places at once.
pub(super) const BEHIND_OTHERS: [&str; 5] = [
    // The row would be vacant, or a portal that its slice does not know.
    "the root has no row",
    // A second node in the root's slice would need a handle that leads there, and rows that know it.
    "the root's slice holds other nodes",
    // The row that the cycle comes back to does not know the sibling before it.
    "slice {number}: a chain has a cycle at row {at}",
    // In the scene of this test, slices that are in use are as large, and looked at before.
    "slice {number}, which waits to be freed, has {rows} rows, and {most} are the most",
    // The scene keeps the handle, which no row of this test reaches: see the test beside `Scene::validate`.
    "the root's handle does not lead to the root",
];

fn has_children(slice: &Slice) -> bool {
    !slice.children.is_empty() && slice.portal.slice != At::ROOT.slice && slice.nodes() > 1
}

fn in_the_middle(_: &Slice, row: &Row) -> bool {
    row.next != NIL && row.previous != NIL && row.parent != NIL && row.occupant.as_node().is_some()
}

fn is_portal(_: &Slice, row: &Row) -> bool {
    row.occupant.as_portal().is_some()
}

fn has_transform(_: &Slice, row: &Row) -> bool {
    row.transform.as_own().is_some()
}

fn has_shape(_: &Slice, row: &Row) -> bool {
    row.shape != NIL
}

fn has_transform_hole(slice: &Slice) -> bool {
    slice.transforms.slots.holes().count() > 0
}

fn has_boxes(slice: &Slice) -> bool {
    slice.boxes.as_ref().is_some_and(|boxes| boxes.present.first().is_some_and(|&present| present != 0))
}

fn full_table(store: &mut Store) -> &mut Table {
    store.tables.tables.iter_mut().find(|table| table.free.count() > 0).expect("a table with a free entry")
}

fn feed(store: &mut Store) -> &mut Feed {
    store.feed.as_deref_mut().expect("the scene tells of changes")
}

/// A node in use, and one whose slot has a history.
fn some_node(store: &mut Store) -> crate::NodeHandle {
    let (slice, row) = pick_row(store, in_the_middle);
    slice.row(row).occupant.as_node().expect("a node")
}

/// A row without links, which inherits everything.
fn vacant() -> Row {
    Row::new(Occupant::VACANT)
}

fn detached(store: &mut Store) -> &mut Slice {
    let number = store.detached[0];
    store.slice_mut(number)
}

/// All rows.
pub(super) fn violations() -> impl Iterator<Item = &'static Violation> {
    VIOLATIONS.iter().chain(history::VIOLATIONS)
}

#[rustfmt::skip]
const VIOLATIONS: &[Violation] = &[
    // Slices.
    ("a portal leads to no slice", |store| store.detached.push(9999)),
    ("slice {number} hangs in two places", |store| store.detached.push(store.slice(0).children[0])),
    ("slice {number} hangs in the scene and is free", |store| {
        let number = store.open_slice(Slice::default());
        store.slice_mut(number).lives = false;
        store.detached.push(number);
    }),
    ("slice {number} is in use and hangs nowhere", |store| {
        let number = store.open_slice(Slice::default());
        store.slice_mut(number).lives = true;
    }),
    ("slice {number} is free and in use", |store| store.free_slices.push(Reverse(0))),
    ("the list of free slices does not hold all free slices", |store| {
        let number = store.open_slice(Slice::default());
        store.slice_mut(number).lives = false;
    }),
    ("{live} handles live, and {nodes} nodes and {pending_free} that wait to be freed", |store| {
        let table = full_table(store);
        let index = table.free.first().unwrap();
        // Gives a free entry the bits that mark live ones.
        table.entries[index as usize].state ^= 15 << 28;
        table.free.remove(index);
    }),
    ("slice {number} is to be freed and is in use", |store| store.pending_free.push(0)),
    ("slice {number} waits to be freed and hangs somewhere", |store| {
        let number = store.pending_free[0];
        store.pending_free.push(number);
    }),
    ("{nodes} nodes wait to be freed, not {}", |store| *store.counted.of_mut(Membership::PendingFree) += 1),
    ("slice {number} waits for maintenance on no list", |store| {
        store.edited.clear();
        pick(store, has_children).edited = true;
    }),
    ("the detached slice {number} waits unlisted", |store| {
        store.marked_roots.clear();
        detached(store).marked = true;
    }),
    ("slice {number} waits for a partner, and the slice above does not know", |store| {
        let number = find(store, |slice| slice.portal.slice != At::ROOT.slice);
        let above = store.slice(number).portal.slice;
        store.slice_mut(above).candidates_below.clear();
        store.slice_mut(number).merge_candidate = true;
    }),
    ("slice {number} has {rows} rows and was not merged with {partner:?}", |store| {
        store.edited.clear();
        store.slices.iter_mut().for_each(|slice| slice.edited = false);
        store.config.max_nodes = 1 << 12;
        store.config.min_nodes = 1 << 11;
    }),
    // Links.
    ("slice {number}: rows and their end differ", |store| { pick(store, has_children).rows.push(vacant()); }),
    ("slice {number} is empty", |store| pick(store, has_children).first_top = NIL),
    ("slice {number} has {rows} rows, and {most} are the most", |store| store.config.max_nodes = 16),
    ("slice {number}: a chain goes through the free row {at}", |store| {
        let (slice, row) = pick_row(store, |slice, row| in_the_middle(slice, row) && slice.row_slots.holes().count() > 0);
        slice.row_mut(row).next = slice.row_slots.holes().next_from(0).unwrap();
    }),
    ("slice {number}: row {at} does not know its parent {parent}", |store| {
        let (slice, row) = pick_row(store, in_the_middle);
        slice.row_mut(row).parent = slice.row(row).next;
    }),
    ("slice {number}: row {at} does not know its sibling {previous}", |store| {
        let (slice, row) = pick_row(store, in_the_middle);
        slice.row_mut(row).previous = NIL;
    }),
    ("slice {number}: row {at} knows one end of its chain of children", |store| {
        let (slice, row) = pick_row(store, |_, row| row.first_child == NIL);
        slice.row_mut(row).last_child = row;
    }),
    ("slice {number}: the chain below row {parent} ends elsewhere than is noted", |store| {
        let (slice, row) = pick_row(store, in_the_middle);
        let parent = slice.row(row).parent;
        slice.row_mut(parent).last_child = row;
    }),
    ("slice {number}: {used} {name} are in use and {} are taken", |store| {
        let (slice, row) = pick_row(store, |_, row| row.name != NIL);
        slice.row_mut(row).name = NIL;
    }),
    ("slice {number}: {name} end behind their capacity", |store| *pick(store, has_children).row_slots.parts().1 = 1),
    ("slice {number}: the holes among {name} are not as summed up", |store| {
        pick(store, has_transform_hole).transforms.slots.parts().2.miscount();
    }),
    ("slice {number}: a hole among {name} is behind their end", |store| {
        let slots = &mut pick(store, has_transform_hole).transforms.slots;
        let end = slots.end();
        // One hole for another, so that their number stays.
        let hole = slots.holes().next_from(0).unwrap();
        slots.parts().2.remove(hole);
        slots.parts().2.insert(end);
    }),
    ("slice {number}: two rows have one slot", |store| {
        let two = |slice: &Slice| slice.names.slots.live() > 1;
        let slice = pick(store, two);
        let rows: Vec<u32> = slice.row_slots.iter().filter(|&row| slice.row(row).name != NIL).collect();
        slice.row_mut(rows[1]).name = slice.row(rows[0]).name;
    }),
    // Occupants.
    ("slice {number}: {handle:?} does not lead to its row {index}", |store| {
        let entries = store.tables.tables.iter_mut().flat_map(|table| &mut table.entries);
        let live = entries.into_iter().find(|entry| entry.slice != NIL && entry.row > 0).unwrap();
        live.row -= 1;
    }),
    ("slice {number}: {handle:?} leads to another transform slot than its row {index} has", |store| {
        let node = some_node(store);
        store.tables.note_transform(node, Slot::own(7777));
    }),
    ("slice {number}: row {index} is vacant", |store| {
        let (slice, row) = pick_row(store, in_the_middle);
        slice.row_mut(row).occupant = Occupant::VACANT;
    }),
    ("slice {number}: row {index} is a portal to the free slice {child}", |store| {
        let (slice, row) = pick_row(store, is_portal);
        slice.row_mut(row).occupant = Occupant::portal(9999);
    }),
    ("slice {child} does not know its portal", |store| {
        let child = pick(store, has_children).children[0];
        store.slice_mut(child).portal.row ^= 1;
    }),
    ("slice {number}: the slot of the portal {index} is not among those that portals use", |store| {
        pick(store, has_children).transforms.portal_slots.clear();
    }),
    ("slice {number} does not list its child {child} where that thinks it is", |store| {
        let child = pick(store, has_children).children[0];
        store.slice_mut(child).child_index += 1;
    }),
    ("slice {number}: the portal {index} has children or components", |store| {
        let (slice, row) = pick_row(store, is_portal);
        slice.row_mut(row).name = 0;
    }),
    ("slice {number}: the portal {index} owns a slot", |store| {
        // The slot is one of its own, so that nothing else is wrong with it.
        let (slice, row) = pick_row(store, is_portal);
        let above = slice.inherited(slice.row(row).parent)[2];
        let (end, capacity, _) = slice.materials.slots.parts();
        let slot = *end;
        (*end, *capacity) = (slot + 1, *capacity + 1);
        slice.materials.values.push(slice.materials.values[above.index() as usize]);
        slice.row_mut(row).material = Slot::own(slot);
    }),
    ("slice {number}: {portals} portals and {} children", |store| {
        let slice = pick(store, has_children);
        let child = slice.children[0];
        slice.children.push(child);
    }),
    ("slice {number}: it is not noted right which rows are portals", |store| {
        let slice = pick(store, has_children);
        slice.portal_rows.insert(slice.row_slots.end() + 70);
    }),
    ("slice {number} is one portal and nothing else", |store| {
        let number = find(store, |slice| slice.portal.slice == 0);
        let slice = store.slice_mut(number);
        // The row of a portal alone.
        let row = slice.row_slots.iter().find(|&row| slice.row(row).occupant.as_portal().is_some()).unwrap();
        let child = slice.row(row).occupant;
        let need = crate::store::Need::PORTAL;
        let mut bare = Slice::with_room(&need);
        bare.row_slots.allocate_near(0, false).unwrap();
        bare.rows.push(Row { occupant: child, ..vacant() });
        (bare.first_top, bare.last_top, bare.portal, bare.child_index) = (0, 0, slice.portal, slice.child_index);
        let below = child.as_portal().unwrap();
        bare.children.push(below);
        bare.portal_rows.insert(0);
        bare.transforms.portal_slots.insert(0);
        bare.boxes = Some(Boxed::default());
        bare.boxes.as_mut().unwrap().children.push(Aabb::EMPTY);
        bare.begin_trace();
        *slice = bare;
        let below = store.slice_mut(below);
        (below.portal, below.child_index) = (At { slice: number, row: 0 }, 0);
        widen_above(store);
    }),
    ("the root's slice has a portal", |store| store.slice_mut(0).portal = At { slice: 1, row: 0 }),
    ("the root is detached", |store| store.slice_mut(0).membership = Membership::Detached),
    ("the root inherits something", |store| store.slice_mut(0).materials.values[0] = Some(1)),
    ("slice {number} is {:?}, unlike the slice above", |store| {
        let child = pick(store, has_children).children[0];
        store.slice_mut(child).membership = Membership::Detached;
    }),
    ("slice {number} is marked and the slice above does not know", |store| pick(store, has_children).marked = true),
    ("slice {number} is {:?} and has no portal", |store| detached(store).membership = Membership::Attached),
    ("the detached slice {number} is not listed where it thinks it is", |store| detached(store).child_index += 1),
    ("the detached slice {number} has not one top node", |store| {
        let number = find(store, |slice| !slice.is_alone(slice.first_top));
        let at = store.detached.len();
        store.detached.push(number);
        let slice = store.slice_mut(number);
        (slice.portal, slice.membership) = (At::NONE, Membership::Detached);
        slice.child_index = u32::try_from(at).unwrap();
    }),
    ("the detached slice {number} inherits something", |store| detached(store).visibilities.effective[0] = 1),
    // What is derived.
    ("slice {number} is not marked and has dirty transforms", |store| pick(store, has_children).transforms.mark(1)),
    ("slice {number} is not marked and has dirty columns", |store| pick(store, has_children).materials.dirty = true),
    ("slice {number} is not marked and has a transform without a history", |store| {
        let (slice, row) = pick_row(store, has_transform);
        let slot = slice.row(row).transform.index();
        let node = slice.row(row).occupant.as_node().unwrap();
        let trace = slice.transforms.trace.as_mut().unwrap();
        trace.put(slot);
        trace.owners[slot as usize] = row;
        feed(store).enter_new(node);
    }),
    ("slice {number}: the local transform of slot {slot} is not finite", |store| {
        let (slice, row) = pick_row(store, has_transform);
        let slot = slice.row(row).transform.index() as usize;
        slice.transforms.locals[slot].translation[1] = f32::NAN;
    }),
    ("slice {number}: the world matrix of slot {slot} is out of date", |store| {
        let (slice, row) = pick_row(store, |slice, row| has_transform(slice, row) && row.first_child == NIL && row.shape == NIL);
        let slot = slice.row(row).transform.index() as usize;
        slice.transforms.worlds[slot].rows[0][0] = f32::INFINITY;
    }),
    ("slice {number}: the visibility of slot {slot} is out of date", |store| {
        let (slice, row) = pick_row(store, |_, row| row.visibility.as_own().is_some() && row.first_child == NIL);
        let slot = slice.row(row).visibility.index() as usize;
        slice.visibilities.effective[slot] ^= 1;
    }),
    ("slice {number} has not inherited its portal's world matrix", |store| {
        // A slice of names alone, in which nothing else depends on the base.
        let slice = pick(store, |slice| slice.portal.slice == 0);
        slice.transforms.worlds[0].rows[0][3] += 1.0;
        for slot in 1..slice.transforms.slots.end() {
            let parent = slice.transforms.worlds[slice.transforms.parents[slot as usize] as usize];
            slice.transforms.worlds[slot as usize] = parent * slice.transforms.local(slot).to_matrix();
        }
        slice.boxes.as_mut().unwrap().mark_all_stale(0);
        let shapes = slice.shapes.slots.iter().collect::<Vec<u32>>();
        for shape in shapes {
            let record = slice.shapes.records[shape as usize];
            let about = slice.shapes.bounds[shape as usize].transformed(&slice.transforms.worlds[record.transform as usize]);
            slice.boxes.as_mut().unwrap().shapes.set(shape as usize, about);
        }
        let boxes = slice.boxes.as_mut().unwrap();
        boxes.close_all();
        let trace = slice.transforms.trace.as_mut().unwrap();
        trace.previous.clone_from(&slice.transforms.worlds);
        // The slice above is not asked for the box of a child that waits.
        let number = slice.child_index;
        let whole = slice.boxes.as_ref().unwrap().whole();
        store.slice_mut(0).boxes.as_mut().unwrap().children.set(number as usize, whole);
    }),
    ("slice {number} has not inherited its portal's visibility", |store| {
        let slice = pick(store, has_children);
        slice.visibilities.effective[0] ^= 1 << 30;
        for slot in 1..slice.visibilities.slots.end() as usize {
            let parent = slice.visibilities.effective[slice.visibilities.parents[slot] as usize];
            slice.visibilities.effective[slot] = parent & slice.visibilities.locals[slot];
        }
    }),
    ("slice {number} has not inherited its portal's material", |store| {
        pick(store, has_children).materials.values[0] = Some(12345);
    }),
    // Columns.
    ("slice {number}: row {at} has a wrong transform slot", |store| {
        let (slice, row) = pick_row(store, |_, row| row.transform.as_own().is_none() && row.shape == NIL && row.occupant.as_node().is_some());
        let wrong = Slot::inherited(slice.row(row).transform.index() + 1);
        let node = slice.row(row).occupant.as_node().unwrap();
        slice.row_mut(row).transform = wrong;
        store.tables.note_transform(node, wrong);
    }),
    ("slice {number}: row {at} has a wrong visibility slot", |store| {
        let (slice, row) = pick_row(store, |_, row| row.visibility.as_own().is_none() && row.shape == NIL);
        slice.row_mut(row).visibility = Slot::own(9999);
    }),
    ("slice {number}: row {at} has a wrong material slot", |store| {
        let (slice, row) = pick_row(store, |_, row| row.material.as_own().is_none() && row.shape == NIL && row.occupant.as_node().is_some());
        slice.row_mut(row).material = Slot::inherited(slice.row(row).material.index() + 1);
    }),
    ("slice {number}: row {at} is not known for the owner of its slots", |store| {
        let (slice, row) = pick_row(store, has_transform);
        let slot = slice.row(row).transform.index() as usize;
        slice.transforms.trace.as_mut().unwrap().owners[slot] = NIL;
    }),
    ("slice {number}: row {at} has a wrong name slot", |store| {
        let (slice, row) = pick_row(store, |_, row| row.name != NIL);
        slice.row_mut(row).name = 9999;
    }),
    ("slice {number}: row {at} has a wrong shape slot", |store| {
        let (slice, row) = pick_row(store, has_shape);
        slice.row_mut(row).shape = 9999;
    }),
    ("slice {number}: the shape of row {at} is out of step with its row", |store| {
        let (slice, row) = pick_row(store, has_shape);
        let shape = slice.row(row).shape as usize;
        slice.shapes.records[shape].transform ^= 1;
    }),
    ("slice {number}: one column remembers and one does not", |store| pick(store, has_children).visibilities.trace = None),
    ("slice {number}: the hole {slot} among transforms has a parent behind it", |store| {
        let column = &mut pick(store, has_transform_hole).transforms;
        let hole = column.slots.holes().next_from(0).unwrap();
        column.parents[hole as usize] = hole;
    }),
    ("slice {number}: the hole {slot} among visibilities has a parent behind it", |store| {
        let column = &mut pick(store, |slice| slice.visibilities.slots.holes().count() > 0).visibilities;
        let hole = column.slots.holes().next_from(0).unwrap();
        column.parents[hole as usize] = hole + 1;
    }),
    ("slice {number}: a base has another parent than itself", |store| pick(store, has_children).transforms.parents[0] = 1),
    ("slice {number}: a slot that there cannot be is among those that portals use", |store| {
        let column = &mut pick(store, has_children).transforms;
        column.portal_slots.insert(column.slots.capacity());
    }),
    ("slice {number}: the material slot {slot} has no value", |store| {
        let (slice, row) = pick_row(store, |_, row| row.material.as_own().is_some());
        let slot = slice.row(row).material.index() as usize;
        slice.materials.values[slot] = None;
    }),
    ("slice {number}: the bounds of shape {slot} are neither finite nor empty", |store| {
        let (slice, row) = pick_row(store, has_shape);
        let shape = slice.row(row).shape as usize;
        slice.shapes.bounds[shape].max = Vec3::INFINITY;
    }),
    ("slice {number}: the hole {row} among rows has an occupant", |store| {
        let slice = pick(store, |slice| slice.row_slots.holes().count() > 0);
        let hole = slice.row_slots.holes().next_from(0).unwrap();
        slice.row_mut(hole).occupant = Occupant::portal(1);
    }),
    ("slice {number}: sheared transforms are not in order", |store| {
        pick(store, |slice| slice.transforms.sheared.len() > 1).transforms.sheared.chunks_mut()[0].reverse();
    }),
    ("slice {number}: the matrix of the transform {} is not made of it", |store| {
        let column = &mut pick(store, |slice| !slice.transforms.sheared.remainders().is_empty()).transforms;
        let slot = column.sheared.remainders()[0].slot as usize;
        column.locals[slot].translation[0] += 1.0;
    }),
    ("slice {number}: the hole {slot} has a sheared transform", |store| {
        let column = &mut pick(store, has_transform_hole).transforms;
        let hole = column.slots.holes().next_from(0).unwrap();
        column.sheared.insert(hole, Mat34::IDENTITY);
    }),
    ("slice {number}: a transform is dirty, and the column does not wait", |store| {
        let column = &mut pick(store, has_children).transforms;
        column.mark(1);
        column.waits = false;
    }),
    ("slice {number}: sets count as told, and the update does not know", |store| {
        pick(store, has_children).set_told = true;
    }),
    ("slice {number}: the length of its names is miscounted", |store| pick(store, has_children).names.text_bytes += 1),
    ("slice {number}: an array of {storage:?} has {len} slots, and its end is {end}", |store| {
        pick(store, has_children).materials.values.push(None);
    }),
    ("slice {number}: an array of {storage:?} has {len} slots, and its end is {end}", |store| {
        pick(store, has_children).names.names.push(Box::from(""));
    }),
    ("slice {number}: what stands beside {:?} has other slots than these", |store| {
        let moved = &mut pick(store, has_children).transforms.trace.as_mut().unwrap().moved;
        moved.put(u32::try_from(moved.len()).unwrap(), 0);
    }),
    ("slice {number}: what stands beside {:?} has other slots than these", |store| {
        pick(store, has_children).visibilities.trace.as_mut().unwrap().changed.push(0);
    }),
    // Boxes.
    ("slice {number} has no boxes", |store| store.slice_mut(0).boxes = None),
    ("slice {number} has boxes, which the scene is not to keep", |store| store.config.bounds = false),
    ("slice {number}: not a box for each child", |store| {
        pick(store, has_children).boxes.as_mut().unwrap().children.push(Aabb::EMPTY);
    }),
    ("slice {number}: the box of its child {child} is out of date", |store| {
        pick(store, has_children).boxes.as_mut().unwrap().children.set(0, Aabb::cube(0.1));
    }),
    ("slice {number} is not marked, and the box of shape {slot} waits for the update", |store| {
        let (slice, row) = pick_row(store, has_shape);
        let shape = slice.row(row).shape;
        slice.boxes.as_mut().unwrap().mark_stale(shape);
    }),
    ("slice {number}: the box of shape {slot} is out of date", |store| {
        let (slice, row) = pick_row(store, has_shape);
        let shape = slice.row(row).shape as usize;
        slice.boxes.as_mut().unwrap().shapes.set(shape, Aabb::cube(0.1));
    }),
    ("slice {number}: the box of shape {slot} is known for another node's", |store| {
        let (slice, row) = pick_row(store, has_shape);
        let shape = slice.row(row).shape as usize;
        slice.boxes.as_mut().unwrap().nodes[shape] ^= 1 << 60;
    }),
    ("slice {number}: a box of block {block} is present and out of date", |store| {
        // A hole is stale after the edit that made it, and the slice waits for nothing else.
        let boxes = pick(store, has_boxes).boxes.as_mut().unwrap();
        let word = boxes.present[0];
        let free = (!word).trailing_zeros();
        boxes.mark_stale(free);
        boxes.present[0] |= 1 << free;
    }),
    ("slice {number}: the boxes of block {block} are miscounted", |store| {
        let boxes = pick(store, has_boxes).boxes.as_mut().unwrap();
        boxes.present[0] &= boxes.present[0] - 1;
    }),
    ("slice {number}: the box of block {block} does not hold its shapes", |store| {
        pick(store, has_boxes).boxes.as_mut().unwrap().blocks.set(0, Aabb::EMPTY);
    }),
    ("slice {number}: the box of block {block} is too wide", |store| {
        let boxes = pick(store, |slice| has_boxes(slice) && slice.children.is_empty()).boxes.as_mut().unwrap();
        let narrow = boxes.blocks.get(0).unwrap();
        // The slice's own box is wider still, for this check comes first.
        boxes.blocks.set(0, Aabb::new(narrow.min - Vec3::ONE, narrow.max));
        boxes.own = Aabb::new(boxes.own.min - Vec3::ONE, boxes.own.max);
        widen_above(store);
    }),
    ("slice {number} is not marked and has old boxes", |store| {
        let boxes = pick(store, has_boxes).boxes.as_mut().unwrap();
        boxes.shapes.push(Aabb::EMPTY);
    }),
    ("slice {number} is not marked and has old boxes", |store| {
        // A hole, of which no row knows.
        let boxes = pick(store, has_boxes).boxes.as_mut().unwrap();
        let hole = (!boxes.present[0]).trailing_zeros();
        boxes.mark_stale(hole);
    }),
    ("slice {number}: the box of its shapes is out of date", |store| {
        let slice = pick(store, |slice| has_boxes(slice) && slice.children.is_empty());
        slice.boxes.as_mut().unwrap().own.max += Vec3::ONE;
        widen_above(store);
    }),
    // Handles.
    ("slice {slice} is gone and still owns metadata tables", |store| {
        let number = store.open_slice(Slice::default());
        store.slice_mut(number).lives = false;
        store.free_slices.push(Reverse(number));
        let owned = store.tables.by_slice.iter().position(|list| !list.owned.is_empty()).unwrap();
        store.tables.by_slice.resize((number as usize + 1).max(store.tables.by_slice.len()), store.tables.pool.clone());
        store.tables.by_slice.swap(owned, number as usize);
    }),
    ("metadata table {number} is not owned by slice {slice} alone", |store| {
        let owned = store.tables.by_slice.iter().position(|list| !list.owned.is_empty()).unwrap();
        let table = store.tables.by_slice[owned].owned[0];
        store.tables.by_slice[owned].owned.push(table);
    }),
    ("metadata table {number} is listed twice, or by a slice not its owner", |store| {
        let open = store.tables.by_slice.iter().find(|list| list.open != NIL).unwrap().open;
        store.tables.tables[open as usize].next_open = open;
    }),
    ("metadata table {number} is listed twice, or by a slice not its owner", |store| {
        let lists = &mut store.tables.by_slice;
        let open: Vec<usize> = (0..lists.len()).filter(|&at| lists[at].open != NIL).collect();
        let number = lists[open[0]].open;
        let table = &mut store.tables.tables[number as usize];
        lists[open[0]].open = core::mem::replace(&mut table.next_open, lists[open[1]].open);
        lists[open[1]].open = number;
    }),
    ("metadata table {number} has a wrong owner or list", |store| {
        let open = store.tables.by_slice.iter_mut().find(|list| list.open != NIL).unwrap();
        open.open = store.tables.tables[open.open as usize].next_open;
    }),
    ("the free entries of metadata table {number} are miscounted", |store| full_table(store).free.miscount()),
    ("metadata table {number} has free entries and is on no list", |store| {
        let number = store.tables.tables.iter().position(|table| table.free.count() > 0).unwrap();
        let owner = store.tables.tables[number].owner;
        store.tables.tables_of(owner).open = NIL;
        let mine = |table: &&mut Table| table.owner == owner;
        store.tables.tables.iter_mut().filter(mine).for_each(|table| (table.listed, table.next_open) = (false, NIL));
    }),
    ("metadata table {number} was cut and has room", |store| {
        let table = full_table(store);
        table.entries.reserve(9);
        (table.cut, table.cut_generation) = (1, 1);
    }),
    ("metadata table {number} was cut, and a generation is out of range", |store| {
        let table = full_table(store);
        table.entries.shrink_to_fit();
        (table.cut, table.cut_generation) = (1, MAX_GENERATION + 1);
    }),
    ("entry {index} of metadata table {number} has a generation out of range", |store| {
        let table = full_table(store);
        let index = table.free.first().unwrap();
        table.entries[index as usize] = crate::store::handles::table::Entry::free(index, 0);
    }),
    ("entry {index} of metadata table {number} is lost", |store| {
        let table = full_table(store);
        let index = table.free.first().unwrap();
        table.free.remove(index);
    }),
    ("an entry of metadata table {number} is free and has a node, or is retired", |store| {
        let table = full_table(store);
        let live = (0..).zip(&table.entries).find(|(index, entry)| entry.lives(*index)).unwrap().0;
        table.free.insert(live);
    }),
    ("{retired} indices are retired and {} are counted", |store| store.tables.retired += 1),
    // What the scene counts.
    ("the scene counts {attached} nodes and {detached} detached ones, and has {nodes}", |store| {
        *store.counted.of_mut(Membership::Attached) += 1;
    }),
    ("the scene counts {detached} detached nodes and has {found}", |store| {
        *store.counted.of_mut(Membership::Attached) += 1;
        *store.counted.of_mut(Membership::Detached) -= 1;
    }),
];

/// Makes the boxes of the slices above those right whose own were made wider.
fn widen_above(store: &mut Store) {
    let numbers: Vec<u32> = store.slice_numbers().collect();
    for _ in 0..numbers.len() {
        for &number in &numbers {
            for at in 0..store.slice(number).children.len() {
                let child = store.slice(number).children[at];
                let whole = store.slice(child).boxes.as_ref().unwrap().whole();
                store.slice_mut(number).boxes.as_mut().unwrap().children.set(at, whole);
            }
        }
    }
}
