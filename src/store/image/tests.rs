//! Scenes broken on purpose: the checks of a snapshot and `validate` must agree on them.

use crate::store::columns::{Occupant, Slot};
use crate::store::{At, NIL, Slice, Store};
use crate::{Aabb, Node, NodeHandle, Scene, SceneConfig, Shape, Transform, Visibility, snapshot::SnapshotError};
use glam::Vec3;

/// A scene with several slices, holes in every column, stale handles, and every component.
fn scene() -> Scene {
    let config = SceneConfig { max_nodes: 32, min_nodes: 0, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    for first in 0..3_u32 {
        let top = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        if first == 2 {
            // Neighbours that give their children the same, with one child each, and with three.
            for children in [1, 1, 3, 3] {
                let group = scene.insert(top, Node::group()).unwrap();
                (0..children).for_each(|_| assert!(scene.insert(group, Node::group()).is_ok()));
            }
        }
        let mut nodes: Vec<NodeHandle> = vec![top];
        for number in 0..60_u32 {
            let node = Node {
                local: (number % 2 == 0).then(|| Transform::from_xyz(number as f32, 0.0, 1.0).into()),
                material: (number % 3 == 0).then_some(number),
                shape: (number % 3 < 2).then(|| Shape::new(number, Aabb::cube(1.0))),
                visibility: (number % 5 == 0).then_some(Visibility::layers(number)),
                name: (number % 4 == 0).then_some("name"),
            };
            let parent = nodes[number as usize / 4];
            nodes.push(scene.insert(parent, node).unwrap());
        }
        for number in [57, 56, 54, 50, 45, 44].map(|number| number + first as usize % 2) {
            let leaf = nodes[number];
            if scene.first_child(leaf).is_none() {
                scene.remove(leaf).unwrap();
            }
        }
    }
    assert_eq!(scene.validate(), Ok(()));
    scene
}

/// A row that passes the test, with its slice.
fn pick(store: &mut Store, test: impl Fn(&Slice, u32) -> bool) -> (&mut Slice, u32) {
    let rows = |number: u32| store.slice(number).row_slots.iter().map(move |row| At { slice: number, row });
    let at = store.slice_numbers().flat_map(rows).find(|at| test(store.slice(at.slice), at.row)).expect("such a row");
    (store.slice_mut(at.slice), at.row)
}

/// A row with both siblings in its slice.
fn in_the_middle(slice: &Slice, row: u32) -> bool {
    let links = slice.row(row);
    links.next != NIL && links.previous != NIL && links.parent != NIL
}

/// A name and a function that breaks a store.
type Breakage = (&'static str, fn(&mut Store));

const BREAKAGES: [Breakage; 19] = [
    ("a row names another parent", |store| {
        let (slice, row) = pick(store, in_the_middle);
        let other = slice.row(row).next;
        slice.row_mut(row).parent = other;
    }),
    ("a row names no previous sibling", |store| {
        let (slice, row) = pick(store, in_the_middle);
        slice.row_mut(row).previous = NIL;
    }),
    ("a row is passed over by its siblings", |store| {
        let (slice, row) = pick(store, in_the_middle);
        let (previous, next) = (slice.row(row).previous, slice.row(row).next);
        slice.row_mut(previous).next = next;
        slice.row_mut(next).previous = previous;
    }),
    ("a last child is another's", |store| {
        let (slice, row) = pick(store, in_the_middle);
        let parent = slice.row(row).parent;
        slice.row_mut(parent).last_child = row;
    }),
    ("a row inherits another transform", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).transform.as_own().is_none());
        slice.row_mut(row).transform = Slot::inherited(slice.row(row).transform.index() + 1);
    }),
    ("a row inherits another material", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).material.as_own().is_none());
        slice.row_mut(row).material = Slot::inherited(slice.row(row).material.index() + 1);
    }),
    ("a material has no owner", |store| {
        let (slice, row) = pick(store, |slice, row| {
            let row = slice.row(row);
            row.material.as_own().is_some() && row.first_child == NIL
        });
        let above = slice.inherited(slice.row(row).parent)[2];
        slice.row_mut(row).material = above;
        slice.refresh_shape(row);
    }),
    ("a shape is another node's", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).shape != NIL);
        let shape = slice.row(row).shape as usize;
        slice.shapes.records[shape].node += 1;
    }),
    ("a shape is drawn elsewhere", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).shape != NIL);
        let shape = slice.row(row).shape as usize;
        slice.shapes.records[shape].transform ^= 1;
    }),
    ("two rows have one shape", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).shape != NIL);
        let shape = slice.row(row).shape;
        let other = slice.row_slots.iter().find(|&other| slice.row(other).shape != NIL && other != row).unwrap();
        slice.row_mut(other).shape = shape;
    }),
    ("a hole has an occupant", |store| {
        let numbers: Vec<u32> = store.slice_numbers().collect();
        for number in numbers {
            let slice = store.slice_mut(number);
            if let Some(hole) = slice.row_slots.holes().next_from(0) {
                slice.row_mut(hole).occupant = Occupant::portal(1);
                return;
            }
        }
        panic!("no slice has a hole");
    }),
    ("a transform comes before its parent", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).transform.as_own().is_some());
        let slot = slice.row(row).transform.index();
        slice.transforms.parents[slot as usize] = slot;
    }),
    ("a slice is listed twice", |store| {
        let root = store.slice_mut(At::ROOT.slice);
        root.children[0] = root.children[1];
    }),
    ("two portals lead to one slice", |store| {
        let root = store.slice(At::ROOT.slice);
        let portals: Vec<u32> =
            root.row_slots.iter().filter(|&row| root.row(row).occupant.as_portal().is_some()).collect();
        let twice = root.row(portals[0]).occupant;
        store.slice_mut(At::ROOT.slice).row_mut(portals[1]).occupant = twice;
    }),
    ("a handle leads to another row", |store| {
        let entries = store.tables.tables.iter_mut().flat_map(|table| &mut table.entries);
        let live = entries.into_iter().find(|entry| entry.slice != NIL && entry.row > 0).unwrap();
        live.row -= 1;
    }),
    ("a handle is live without a node", |store| {
        let table = store.tables.tables.iter_mut().find(|table| table.free.count() > 0).unwrap();
        let index = table.free.first().unwrap();
        let entry = &mut table.entries[index as usize];
        // Gives a free entry the bits that mark live ones.
        entry.state ^= 15 << 28;
        table.free.remove(index);
    }),
    ("a retired handle has a generation that there is not", |store| {
        let table = store.tables.tables.iter_mut().find(|table| table.free.count() > 0).unwrap();
        let index = table.free.first().unwrap();
        table.entries[index as usize] = crate::store::handles::table::Entry::free(index, 0);
    }),
    ("a metadata table with free entries is on no list", |store| {
        let number = store.tables.tables.iter().position(|table| table.free.count() > 0).unwrap();
        let table = &mut store.tables.tables[number];
        table.listed = false;
        let (owner, next) = (table.owner, table.next_open);
        store.tables.tables_of(owner).open = next;
    }),
    ("a slice has more rows than its scene lets it have", |store| {
        store.config = SceneConfig { max_nodes: 16, ..store.config };
    }),
];

#[test]
fn what_breaks_a_scene_is_refused_by_both_checks() {
    for (what, break_it) in BREAKAGES {
        let mut broken = scene();
        break_it(&mut broken.store);
        assert!(broken.validate().is_err(), "{what}, and validate() says nothing");
        let refusal = Scene::load(&broken.save()).map(drop);
        assert!(matches!(refusal, Err(SnapshotError::Invalid { .. })), "{what}: {refusal:?}");
    }
}

/// Values that no edit accepts, so `validate` does not look for them.
const VALUES: [Breakage; 6] = [
    ("a local transform is not finite", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).transform.as_own().is_some());
        let slot = slice.row(row).transform.index() as usize;
        slice.transforms.locals[slot].translation[1] = f32::NAN;
    }),
    ("a rotation has no direction", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).transform.as_own().is_some());
        let slot = slice.row(row).transform.index() as usize;
        slice.transforms.locals[slot].rotation = [0.0; 4];
    }),
    ("bounds are infinite in part", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).shape != NIL);
        let shape = slice.row(row).shape as usize;
        slice.shapes.bounds[shape].max = Vec3::INFINITY;
    }),
    ("a translation has lost more than rounding takes", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).transform.as_own().is_some());
        let slot = slice.row(row).transform.index();
        slice.transforms.set_remainder(slot, Vec3::ONE);
    }),
    ("the root inherits a mask", |store| store.slice_mut(At::ROOT.slice).visibilities.effective[0] = 1),
    ("a slice waits for maintenance on no list", |store| {
        store.edited.clear();
        store.slice_mut(1).edited = true;
    }),
];

#[test]
fn values_that_no_edit_lets_in_are_refused() {
    for (what, break_it) in VALUES {
        let mut broken = scene();
        break_it(&mut broken.store);
        let refusal = Scene::load(&broken.save()).map(drop);
        assert!(matches!(refusal, Err(SnapshotError::Invalid { .. })), "{what}: {refusal:?}");
    }
}

#[test]
fn room_is_kept_as_far_as_the_bytes_are_a_measure_of_it() {
    let mut scene = scene();
    let loaded = Scene::load(&scene.save()).unwrap();
    let capacities = |scene: &Scene| -> Vec<u32> {
        scene.store.slice_numbers().map(|number| scene.store.slice(number).row_slots.capacity()).collect()
    };
    assert_eq!(capacities(&loaded), capacities(&scene));
    let node = scene.first_child(scene.root()).unwrap();
    let slice = scene.at(node).unwrap().slice;
    scene.store.slice_mut(slice).row_slots.set_capacity(1 << 30);
    let mut loaded = Scene::load(&scene.save()).unwrap();
    assert!(loaded.store.slice(slice).row_slots.capacity() < 1000);
    for _ in 0..100 {
        loaded.insert(node, Node::shape(Shape::new(1, Aabb::EMPTY))).unwrap();
    }
    assert_eq!(loaded.validate(), Ok(()));
}
