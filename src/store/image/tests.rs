//! Scenes broken on purpose: the checks of a snapshot and `validate` must agree on them.

use crate::config::StoragePolicy;
use crate::record::{BytesError, Reader, Writer};
use crate::store::columns::{Occupant, Row, Slot};
use crate::store::{At, Membership, NIL, Need, Slice, Spot, Store};
use crate::{Aabb, Mat34, Node, NodeHandle, Scene, SceneConfig, Shape, Transform, Visibility, snapshot::SnapshotError};
use glam::Vec3;

/// A scene with several slices, holes in every column, stale handles, and every component.
fn scene() -> Scene {
    let config = SceneConfig {
        max_nodes: 32,
        min_nodes: 4,
        storage: StoragePolicy { share_slices: false, ..StoragePolicy::DEFAULT },
        ..SceneConfig::DEFAULT
    };
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

/// The sibling before a row's parent, if it gives its children the same, and if both parents have one child, or more.
fn uncle(slice: &Slice, row: u32) -> Option<u32> {
    let parent = Some(slice.row(row).parent).filter(|&parent| parent != NIL)?;
    let uncle = Some(slice.row(parent).previous).filter(|&uncle| uncle != NIL)?;
    let has_one = |row: u32| slice.row(row).first_child == slice.row(row).last_child;
    let alike = slice.inherited(uncle) == slice.inherited(parent) && has_one(uncle) == has_one(parent);
    (alike && slice.row(uncle).first_child != NIL).then_some(uncle)
}

/// A name and a function that breaks a store.
type Breakage = (&'static str, fn(&mut Store));

const BREAKAGES: [Breakage; 36] = [
    ("a row names its uncle as its parent", |store| {
        let (slice, row) = pick(store, |slice, row| in_the_middle(slice, row) && uncle(slice, row).is_some());
        slice.row_mut(row).parent = uncle(slice, row).unwrap();
    }),
    // As many rows begin and end a chain as there are parents.
    ("an only child names its uncle as its parent, which has an only child", |store| {
        let is_alone = |slice: &Slice, row: u32| [slice.row(row).previous, slice.row(row).next] == [NIL; 2];
        let (slice, row) = pick(store, |slice, row| is_alone(slice, row) && uncle(slice, row).is_some());
        slice.row_mut(row).parent = uncle(slice, row).unwrap();
    }),
    // The chain ends as rarely as its parent knows a last child.
    ("a chain leads to a hole instead of to its end", |store| {
        let holes = |slice: &Slice| slice.row_slots.holes().count() > 0;
        let (slice, row) = pick(store, |slice, row| holes(slice) && row == 0 && slice.row(row).last_child != NIL);
        let (last, hole) = (slice.row(row).last_child, slice.row_slots.holes().next_from(0).unwrap());
        slice.row_mut(row).last_child = NIL;
        slice.row_mut(last).next = hole;
        let end = slice.row_mut(hole);
        (end.parent, end.previous, end.next, end.first_child) = (NIL, last, NIL, NIL);
    }),
    // Each has a parent, and each parent its children: nothing but the ranks tells that they hang nowhere.
    ("two rows hang below each other", |store| {
        let is_bare = |slice: &Slice, row: u32| {
            let row = slice.row(row);
            let own = [row.transform, row.visibility, row.material].iter().any(|slot| slot.as_own().is_some());
            row.occupant.as_node().is_some() && !own && [row.shape, row.name] == [NIL; 2]
        };
        let has_one = |slice: &Slice, row: u32| {
            let child = slice.row(row).first_child;
            child != NIL && slice.row(row).last_child == child && is_bare(slice, child)
        };
        let (slice, upper) = pick(store, |slice, row| {
            is_bare(slice, row)
                && [slice.row(row).previous, slice.row(row).next] != [NIL; 2]
                && has_one(slice, row)
                && slice.row(slice.row(row).first_child).first_child == NIL
        });
        let lower = slice.row(upper).first_child;
        slice.unlink(upper);
        let row = slice.row_mut(upper);
        (row.parent, row.previous, row.next) = (lower, NIL, NIL);
        let row = slice.row_mut(lower);
        (row.first_child, row.last_child) = (upper, upper);
    }),
    ("a row without a shape inherits another material", |store| {
        let (slice, row) = pick(store, |slice, row| {
            let links = slice.row(row);
            let next = links.material.index() as usize + 1;
            let leaf = links.occupant.as_node().is_some() && [links.shape, links.first_child] == [NIL; 2];
            leaf && links.material.as_own().is_none() && next < slice.materials.values.len()
        });
        slice.row_mut(row).material = Slot::inherited(slice.row(row).material.index() + 1);
    }),
    ("a material has no value", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).material.as_own().is_some());
        let slot = slice.row(row).material.index() as usize;
        slice.materials.values[slot] = None;
    }),
    ("a transform hangs from another one than its node", |store| {
        let parent = |slice: &Slice, row: u32| {
            slice.row(row).transform.as_own().map_or(0, |slot| slice.transforms.parents[slot as usize])
        };
        let (slice, row) = pick(store, |slice, row| parent(slice, row) != 0 && slice.row(row).first_child == NIL);
        let slot = slice.row(row).transform.index() as usize;
        slice.transforms.parents[slot] = 0;
    }),
    ("a hole among transforms is sheared", |store| {
        let (slice, _) = pick(store, |slice, _| slice.transforms.slots.holes().count() > 0);
        let hole = slice.transforms.slots.holes().next_from(0).unwrap();
        let mut shear = Mat34::IDENTITY;
        shear.rows[0][1] = 0.5;
        slice.transforms.sheared.insert(hole, shear);
    }),
    ("a slice is one portal and nothing else", |store| {
        let below = store.slice(At::ROOT.slice).children[0];
        let portal = store.slice(below).portal;
        let between = store.open_slice(Slice::with_room(&Need::PORTAL));
        let root = store.slice_mut(At::ROOT.slice);
        root.row_mut(portal.row).occupant = Occupant::portal(between);
        root.children[0] = between;
        let slice = store.slice_mut(between);
        slice.row_slots.allocate_near(0, false).unwrap();
        slice.rows.push(Row::new(Occupant::portal(below)));
        (slice.first_top, slice.last_top, slice.portal) = (0, 0, portal);
        slice.children.push(below);
        slice.portal_rows.insert(0);
        slice.transforms.portal_slots.insert(0);
        store.slice_mut(below).portal = At { slice: between, row: 0 };
    }),
    ("two rows have one material, and the other is a hole", |store| {
        let own = |slice: &Slice, row: u32| {
            let row = slice.row(row);
            row.material.as_own().filter(|_| row.first_child == NIL)
        };
        let other =
            |slice: &Slice, row: u32| slice.row_slots.iter().find(|&other| other != row && own(slice, other).is_some());
        let (slice, row) = pick(store, |slice, row| own(slice, row).is_some() && other(slice, row).is_some());
        let (other, left) = (other(slice, row).unwrap(), slice.row(row).material.index());
        slice.row_mut(row).material = slice.row(other).material;
        slice.refresh_shape(row);
        slice.materials.free(left);
    }),
    ("a hole among transforms is its own parent", |store| {
        let has_hole = |slice: &Slice| slice.transforms.slots.holes().count() > 0;
        let (slice, _) = pick(store, |slice, _| has_hole(slice));
        let hole = slice.transforms.slots.holes().next_from(0).unwrap();
        slice.transforms.parents[hole as usize] = hole;
    }),
    ("a free slice waits to be freed instead of one that hangs nowhere", |store| {
        let [free, lost] = [(); 2].map(|()| store.open_slice(Slice::with_room(&Need::PORTAL)));
        store.slice_mut(lost).isolated = true;
        store.close_slice(free);
        store.pending_free.push(free);
    }),
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
    ("a leaf has a last child", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).first_child == NIL);
        slice.row_mut(row).last_child = row;
    }),
    ("the last top is another", |store| {
        let (slice, row) = pick(store, in_the_middle);
        slice.last_top = row;
    }),
    ("a row inherits another transform", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).transform.as_own().is_none());
        slice.row_mut(row).transform = Slot::inherited(slice.row(row).transform.index() + 1);
    }),
    ("two rows have one transform", |store| {
        let own = |slice: &Slice, row: u32| slice.row(row).transform.as_own();
        let (slice, row) = pick(store, |slice, row| {
            let parent = |slot: u32| slice.transforms.parents[slot as usize];
            let sibling = |other: u32| other != row && own(slice, other).map(parent) == own(slice, row).map(parent);
            own(slice, row).is_some() && slice.row_slots.iter().any(sibling)
        });
        let parent = |slot: u32| slice.transforms.parents[slot as usize];
        let is_sibling = |other: &u32| *other != row && own(slice, *other).map(parent) == own(slice, row).map(parent);
        let other = slice.row_slots.iter().find(is_sibling).unwrap();
        slice.row_mut(row).transform = slice.row(other).transform;
        slice.refresh_shape(row);
    }),
    ("a row has a visibility that is not its own", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).visibility.as_own().is_none());
        slice.row_mut(row).visibility = Slot::own(1);
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
    ("two rows have one name", |store| {
        let (slice, row) = pick(store, |slice, row| slice.row(row).name != NIL);
        let name = slice.row(row).name;
        let other = slice.row_slots.iter().find(|&other| slice.row(other).name != NIL && other != row).unwrap();
        slice.row_mut(other).name = name;
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
    ("a slice has more rows than the policy lets it have", |store| {
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

/// Whether the bytes of a scene are refused as such of none.
#[track_caller]
fn assert_refused(scene: &Scene) {
    let refusal = Scene::load(&scene.save()).map(drop);
    assert!(matches!(refusal, Err(SnapshotError::Invalid { .. })), "{refusal:?}");
}

#[test]
fn siblings_that_are_each_others_next_and_previous_ones_are_refused() {
    let mut scene = Scene::new();
    let nodes = [(); 6].map(|()| scene.insert(scene.root(), Node::group()).unwrap());
    let [first, second] = [nodes[2], nodes[3]].map(|node| scene.at(node).unwrap());
    assert_eq!(first.slice, second.slice);
    let slice = scene.store.slice_mut(first.slice);
    // At the top of a slice, where no parent tells that they hang nowhere.
    for (row, other) in [(first.row, second.row), (second.row, first.row)] {
        slice.unlink(row);
        (slice.row_mut(row).previous, slice.row_mut(row).next) = (other, other);
    }
    assert!(scene.validate().is_err());
    assert_refused(&scene);
}

#[test]
fn a_detached_slice_with_two_nodes_at_its_top_is_refused() {
    let mut scene = Scene::new();
    let nodes = [(); 2].map(|()| scene.insert(scene.root(), Node::group()).unwrap());
    let [first, second] = nodes.map(|node| scene.at(node).unwrap().slice);
    assert_eq!(first, second);
    scene.store.unhang(first);
    scene.store.set_membership(first, Membership::Detached);
    scene.store.list_detached(first);
    assert_refused(&scene);
}

#[test]
fn a_slice_that_waits_to_be_freed_waits_for_nothing_else() {
    for (isolated, edited) in [(true, false), (true, true), (false, false)] {
        let mut scene = scene();
        let node = scene.first_child(scene.root()).unwrap();
        scene.remove_later(node).unwrap();
        let number = scene.store.pending_free[0];
        let slice = scene.store.slice_mut(number);
        (slice.isolated, slice.edited) = (isolated, edited);
        scene.store.edited.push_back(number);
        if isolated && !edited {
            assert_eq!(Scene::load(&scene.save()).map(|scene| scene.len()), Ok(scene.len()));
        } else {
            assert_refused(&scene);
        }
    }
}

#[test]
fn a_slice_that_there_is_not_waits_for_no_partner() {
    let mut scene = Scene::new();
    scene.insert(scene.root(), Node::group()).unwrap();
    let mut out = Writer::new();
    let start = out.into_bytes().len();
    out = Writer::new();
    scene.store.write_image(&mut out);
    let mut bytes = out.into_bytes().split_off(start);
    // At the end are four empty lists: of slices that wait for a partner, of those that are detached, of those that
    // wait to be freed, and of words.
    let lists = bytes.split_off(bytes.len() - 16);
    assert_eq!(lists, [0; 16]);
    let end = u32::try_from(scene.store.slices.len()).unwrap();
    for number in [end - 1, end, u32::MAX] {
        let list = [1, number].map(u32::to_le_bytes).concat();
        let bytes = [&bytes[..], &list, &lists[4..]].concat();
        let refusal = Store::read_image(&mut Reader::new(&bytes)).map(drop);
        assert_eq!(matches!(refusal, Err(BytesError::Invalid { .. })), number >= end, "{number}: {refusal:?}");
    }
}

#[test]
fn full_tables_are_still_their_slices_own() {
    let storage = StoragePolicy { max_table_entries: 1, ..StoragePolicy::DEFAULT };
    let mut scene = Scene::with_config(SceneConfig { storage, ..SceneConfig::DEFAULT }).unwrap();
    let top = scene.insert(scene.root(), Node::group()).unwrap();
    (0..5).for_each(|_| assert!(scene.insert(top, Node::group()).is_ok()));
    let tables = &mut scene.store.tables;
    tables.tables.iter_mut().for_each(|table| (table.listed, table.next_open) = (false, NIL));
    tables.by_slice.iter_mut().for_each(|list| list.open = NIL);
    assert_eq!(scene.validate(), Ok(()));
    let loaded = Scene::load(&scene.save()).unwrap();
    let owners = |scene: &Scene| scene.store.tables.tables.iter().map(|table| table.owner).collect::<Vec<u32>>();
    assert_eq!(owners(&loaded), owners(&scene));
    assert!(owners(&loaded).iter().all(|&owner| owner != NIL));
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

/// Slices each of which is attached behind a portal at the top of the one before, which no edit produces. Climbing from
/// each slice in turn would take as many steps as there are pairs: five billion here.
#[test]
fn whether_runs_hang_from_the_root_is_found_out_from_above() {
    let mut scene = scene();
    let node = scene.first_child(scene.root()).unwrap();
    let inner = scene.last_child(node).unwrap();
    let mut nested = Vec::new();
    for (top, inside) in [(node, false), (inner, true)] {
        let At { mut slice, row } = scene.at(top).unwrap();
        let mut parent = if inside { row } else { NIL };
        // Half a gigabyte, which a machine of 32 bits may not have.
        for _ in 0..if cfg!(target_pointer_width = "32") { 2_000 } else { 100_000 } {
            let child = scene.store.open_slice(Slice::with_room(&Need::PORTAL));
            scene.store.make_room_for_one(&Spot { slice, parent, previous: NIL, next: NIL }, &Need::PORTAL);
            let above = scene.store.slice(slice);
            let previous = if parent == NIL { above.last_top } else { above.row(parent).last_child };
            scene.store.insert_portal(&Spot { slice, parent, previous, next: NIL }, child);
            (slice, parent) = (child, NIL);
        }
        nested.push(slice);
    }
    let from_root = scene.store.runs_from_root().unwrap();
    assert_eq!([from_root[nested[0] as usize], from_root[nested[1] as usize]], [true, false]);
    for number in scene.store.slice_numbers().step_by(997) {
        assert_eq!(from_root[number as usize], scene.store.run_hangs_from_root(number), "slice {number}");
    }
}
