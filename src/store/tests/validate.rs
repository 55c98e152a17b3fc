//! Stores that are broken on purpose. `validate()` names the violation.

use crate::store::columns::{NO_DRAWABLE, Row, short};
use crate::store::location::{Location, SliceId};
use crate::store::record::{Has, Link, RecordId};
use crate::store::slice::Slice;
use crate::store::state::{Due, SlotOrder, Work};
use crate::store::{Position, Store};
use crate::{Aabb, Drawable, Node, SceneConfig, Transform};

const FIRST: SliceId = SliceId::at(0);

/// Breaks a store at a childless node with a transform and a drawable, and in the imports of its slice.
type Break = fn(&mut Store, RecordId);

fn slice_of(store: &mut Store, id: RecordId) -> (&mut Slice, Location) {
    let location = store.nodes.pages.location(id);
    (&mut store.slices[location.slice()], location)
}

/// The breaks, each with a part of the message.
const BREAKS: &[(&str, Break)] = &[
    ("but its parent link disagrees", |store, id| store.nodes.pages.set_parent(id, RecordId::LIMBO)),
    ("beyond the last one has a state", |store, _| store.nodes.pages.set_has(RecordId(511), Has::MATRIX)),
    ("the last child link of", |store, id| {
        let parent = store.nodes.pages.parent(id);
        store.nodes.pages.record_mut(parent).set_link(Link::Last, RecordId::NIL);
    }),
    ("comes after", |store, id| store.nodes.pages.record_mut(id).set_link(Link::Previous, id)),
    ("disagrees with side data", |store, id| store.nodes.pages.record_mut(id).has |= Has::NAME),
    ("is outside of the tree", |store, id| store.nodes.pages.record_mut(id).has |= Has::DETACHED),
    ("are counted", |store, _| store.nodes.detached += 1),
    ("waits, and is not on the list", |store, id| store.nodes.pages.set_location(id, Location::waiting(3))),
    ("has no row at", |store, id| store.nodes.pages.set_location(id, Location::of(FIRST, 0, 0))),
    ("on the list, 0 wait", |store, id| store.nodes.inbox.waiting.push(id)),
    ("is twice in the order", |store, _| store.slices.order.push(FIRST)),
    ("in the wrong part of the order", |store, _| store.slices.attached -= 1),
    ("imports from a later one", |store, _| store.slices.order[..6].reverse()),
    ("is free and in use", |store, _| store.slices.free.push(FIRST)),
    ("twice on the list of free ones", |store, _| {
        let [number, _] = [(); 2].map(|()| store.slices.open(Slice::default()));
        store.slices.free.extend([number; 2]);
    }),
    ("miscounts its rows", |store, id| {
        let slice = store.nodes.pages.location(id).slice();
        store.slices.head_mut(slice).live += 1;
    }),
    ("is in use, and its node is gone", |store, id| {
        let (slice, location) = slice_of(store, id);
        let above = slice.rows[location.row()].above;
        let slot = slice.rows[usize::from(above)].slot;
        let row = Row { record: RecordId::ROOT, material: 0, slot, drawable: NO_DRAWABLE, above, flags: 0 };
        slice.push_row(row);
    }),
    ("is dead, and no row died", |store, id| {
        let location = store.nodes.pages.location(id);
        store.slices.head_mut(location.slice()).freed_slots.insert(location.slot());
    }),
    ("is dead and unused", |store, id| {
        let location = store.nodes.pages.location(id);
        store.remove(id);
        let (slice, head) = store.slices.both_mut(location.slice());
        head.freed_slots.insert(slice.slots.records.len());
    }),
    ("comes before its parent's", |store, id| {
        let (slice, location) = slice_of(store, id);
        slice.rows[location.row()].above = 4000;
    }),
    ("parent", |store, id| {
        let (slice, location) = slice_of(store, id);
        slice.slots.parents[location.slot()] ^= 1;
        slice.order = SlotOrder::Mixed;
    }),
    ("is another node's", |store, id| {
        let (slice, location) = slice_of(store, id);
        slice.slots.records[location.slot()] = RecordId::ROOT;
    }),
    ("a matrix is of no slot", |store, id| {
        let slice = slice_of(store, id).0;
        slice.set_matrix(slice.slots.records.len(), true);
    }),
    ("a matrix is of no slot", |store, id| slice_of(store, id).0.set_matrix(0, true)),
    ("the matrices are out of order", |store, id| {
        let (slice, location) = slice_of(store, id);
        slice.matrices.extend([short(location.slot()); 2]);
    }),
    ("are not below it", |store, id| {
        let slice = slice_of(store, id).0;
        let parents = &mut slice.slots.parents;
        let last = parents.len() - 1;
        let leaf = (slice.imports.len()..last - 1).find(|&slot| (parents[slot + 1] as usize) < slot).expect("a leaf");
        parents[last] = u32::from(short(leaf));
        slice.order = SlotOrder::Nested;
    }),
    ("columns of", |store, id| _ = slice_of(store, id).0.slots.worlds.pop()),
    ("has another's version", |store, _| {
        store.slices.head_mut(FIRST).version = store.slices.head(SliceId::at(1)).version;
    }),
    ("died unnoticed", |store, _| store.slices.head_mut(FIRST).work.add(Work::FREED)),
    ("is dirty after an update", |store, id| slice_of(store, id).0.due = Due::Changed),
    ("counts slots that are swept", |store, id| slice_of(store, id).0.placed += 1),
    ("are marked, and it is not listed", |store, id| {
        slice_of(store, id).0.boxes.iter_mut().for_each(|boxes| boxes.listed = true);
    }),
    ("for maintenance are miscounted", |store, _| {
        let flag = &mut store.slices.is_untidy[0];
        *flag = !*flag;
    }),
    ("or the reverse", |store, id| store.nodes.pages.record_mut(id).has |= Has::RECORDED),
    ("or the reverse", |store, id| {
        let record = store.nodes.pages.record_mut(id);
        record.has = record.has.without(Has::REPORTED);
    }),
    ("is out of date", |store, id| {
        let (slice, location) = slice_of(store, id);
        slice.slots.worlds[location.slot()].rows[0][3] += 1.0;
    }),
    ("are left from an update", |store, id| store.update.scratch.moved.push(id)),
    ("are counted wrongly", |store, id| slice_of(store, id).0.sources.lose_child(0)),
    ("import 0", |store, id| slice_of(store, id).0.rows[0].flags |= Row::MATERIAL),
    ("the copy in slot", |store, id| {
        let (slice, location) = slice_of(store, id);
        slice.slots.locals[location.slot()] = slice.slots.locals[0];
    }),
    ("material", |store, id| {
        let (slice, location) = slice_of(store, id);
        slice.rows[location.row()].flags |= Row::MATERIAL;
    }),
    ("the drawable of row", |store, id| {
        let (slice, location) = slice_of(store, id);
        let drawable = usize::from(slice.rows[location.row()].drawable);
        slice.drawables.records[drawable].mesh += 1;
    }),
];

#[test]
fn validate_finds_every_fault() {
    let mut store = Store::new(SceneConfig { max_nodes: 8, bounds: true, changes: true, ..SceneConfig::DEFAULT });
    let mut above = RecordId::ROOT;
    for number in 0..60_u8 {
        let local = Transform::from_xyz(f32::from(number), 1.0, 0.0);
        let node = Node::transform(local).with_drawable(Drawable::new(number.into(), Aabb::cube(1.0)));
        let id = store.nodes.insert(Position::last_of(above), &node).expect("there is room").record();
        above = if number % 3 == 0 { id } else { above };
    }
    store.update();
    // Setting one transform copies the local transforms anew.
    let leaf = store.nodes.pages.live().filter(|&id| store.nodes.pages.record(id).is_leaf()).last().expect("a leaf");
    store.nodes.set_local(leaf, crate::Local::Transform(Transform::from_xyz(9.0, 9.0, 9.0)));
    store.update();
    assert_eq!(store.validate(), Ok(61));
    for (number, &(words, broken)) in BREAKS.iter().enumerate() {
        let mut store = store.clone();
        broken(&mut store, leaf);
        let found = store.validate().expect_err(words);
        assert!(found.contains(words), "fault {number}: {found:?}, not {words:?}");
    }
}
