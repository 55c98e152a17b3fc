//! Scenes broken on purpose: each violation is found, and named as what it is.

use crate::store::columns::{Occupant, Slot};
use crate::store::{At, Membership, NIL, Slice, Store};
use crate::{Aabb, Node, Scene, SceneConfig, Shape, Transform, Visibility};

/// A scene of several slices, with all components, boxes and a history. Up to date, and tidied.
fn scene() -> Scene {
    let config = SceneConfig { max_nodes: 32, min_nodes: 4, bounds: true, changes: true, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    let mut nodes = vec![scene.root()];
    for number in 0..200_u8 {
        let node = Node::transform(Transform::from_xyz(f32::from(number), 0.0, 1.0))
            .with_shape(Shape::new(1, Aabb::cube(1.0)))
            .with_material(u32::from(number))
            .with_visibility(Visibility::layers(3));
        let parent = if number == 0 { 0 } else { 1 + usize::from(number) / 5 };
        nodes.push(scene.insert(nodes[parent], node).unwrap());
    }
    scene.update();
    scene.maintain(core::time::Duration::MAX);
    scene.update();
    assert_eq!(scene.validate(), Ok(()));
    scene
}

/// A row with both siblings in its slice, and its slice.
fn middle(store: &mut Store) -> (&mut Slice, u32) {
    let inner = |slice: &Slice, row: u32| {
        let row = slice.row(row);
        row.next != NIL && row.previous != NIL && row.parent != NIL && row.occupant.as_node().is_some()
    };
    let rows = |number: u32| store.slice(number).row_slots.iter().map(move |row| At { slice: number, row });
    let at = store.slice_numbers().flat_map(rows).find(|at| inner(store.slice(at.slice), at.row)).expect("such a row");
    (store.slice_mut(at.slice), at.row)
}

/// Part of the message, and what breaks the store.
type Violation = (&'static str, fn(&mut Store));

const VIOLATIONS: [Violation; 13] = [
    ("hangs in two places", |store| store.detached.push(store.slice(0).children[0])),
    ("is free and in use", |store| store.free_slices.push(core::cmp::Reverse(0))),
    ("waits for maintenance on no list", |store| store.slice_mut(1).edited = true),
    ("does not know its parent", |store| {
        let (slice, row) = middle(store);
        slice.row_mut(row).parent = slice.row(row).next;
    }),
    ("does not know its sibling", |store| {
        let (slice, row) = middle(store);
        slice.row_mut(row).previous = NIL;
    }),
    ("is vacant", |store| {
        let (slice, row) = middle(store);
        slice.row_mut(row).occupant = Occupant::VACANT;
    }),
    ("leads to another transform slot", |store| {
        let (slice, row) = middle(store);
        let node = slice.row(row).occupant.as_node().unwrap();
        store.tables.note_transform(node, Slot::own(7777));
    }),
    ("does not know its portal", |store| {
        let child = store.slice(0).children[0];
        store.slice_mut(child).portal.row ^= 1;
    }),
    ("is marked and the slice above does not know", |store| {
        let child = store.slice(0).children[0];
        store.slice_mut(child).marked = true;
    }),
    ("the root is detached", |store| store.slice_mut(0).membership = Membership::Detached),
    ("has dirty transforms", |store| middle(store).0.transforms.mark(1)),
    ("is out of date", |store| {
        let (slice, row) = middle(store);
        let slot = slice.row(row).visibility.index() as usize;
        slice.visibilities.effective[slot] ^= 1;
    }),
    ("has a version to come", |store| middle(store).0.version = u64::MAX),
];

#[test]
fn each_violation_is_found_and_named() {
    let whole = scene();
    for (message, break_it) in VIOLATIONS {
        let mut broken = whole.clone();
        break_it(&mut broken.store);
        let found = broken.validate().unwrap_err().to_string();
        assert!(found.contains(message), "{message:?} is not what validate() says: {found:?}");
    }
}
