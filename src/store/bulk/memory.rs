//! How much memory new nodes take at most, which is asked for before the first of them is inserted.
//!
//! Inserting is an edit, and edits allocate as they go. What is asked for is given back at once, so nothing is written to
//! it; it only has to be no less than what the edits then allocate, at their greatest.

use crate::store::allocation::scaled;
use crate::store::columns::At;
use crate::store::{Beside, NodeList, Slice, Store};

/// For each slice and table that is opened: its record, that of its boxes, and the least room of its lists.
const OPENED: usize = 2 * size_of::<Slice>() + 6144;
/// For each slice that there is: its places in all lists of slices, twice, since a list that grows is copied.
const LISTED: usize = 256;
/// For each table that there is: its record and its places in the lists beside the tables, twice.
const TABLE: usize = 256;
/// For each entry of a table that there is: itself, its word, and what is noted of it, twice.
const ENTRY: usize = 64;
/// For each row of a slice that is split: the temporary lists of the split, in an arena that doubles.
const SPLIT_ROW: usize = 400;
/// For each row of an empty slice: the arrays of all components.
const OPENED_ROW: usize = 320;
/// How many pieces a slice is split into, at most and about.
const PIECES: usize = 12;
/// For each slice above: its list of marked children, where the slice below is the first.
const MARKED: usize = 32;
/// How many slices a split goes up, at most.
const SPLITS: usize = 66;

impl Store {
    /// No fewer bytes than a tree of these nodes takes in this scene, at a checked place or as a detached subtree: what
    /// they take themselves, each slice and table that they may open, and the scene around them.
    pub(crate) fn most_bytes_of(&self, nodes: &NodeList, place: Option<Beside>) -> usize {
        let around = self.most_bytes_around(nodes.len(), place);
        nodes.most_bytes().saturating_add(around)
    }

    /// The same without the scene around them.
    pub(crate) fn most_bytes_within(&self, nodes: &NodeList) -> usize {
        nodes.most_bytes().saturating_add(self.most_tables(nodes.len(), 1).saturating_mul(OPENED))
    }

    /// [`most_bytes_of`](Self::most_bytes_of) without what the nodes take themselves: what this many nodes open, and what
    /// the scene around them takes, as lists that get longer and slices that are split.
    ///
    /// Runs in **O(slices above the place + tables that may be opened)**.
    pub(crate) fn most_bytes_around(&self, nodes: usize, place: Option<Beside>) -> usize {
        let opened = self.most_tables(nodes, 1);
        let mut bytes = opened.saturating_mul(OPENED);
        let mut add = |count: usize, each: usize| bytes = bytes.saturating_add(count.saturating_mul(each));
        add(self.slices.len() + opened + SPLITS, LISTED);
        add(self.tables.tables.len() + opened, TABLE);
        // New nodes take entries of the table that their parent has, and of tables in the pool.
        add(2 * self.tables.max_entries as usize + self.tables.most_entries_adopted(opened), ENTRY);
        add(2, OPENED_ROW * self.config.initial_slice_storage_size.min(self.config.max_nodes) as usize);
        add(2, self.feed.as_ref().map_or(0, |feed| feed.list_bytes()));
        if let Some(place) = place {
            add(1, self.most_bytes_above(place, nodes));
        }
        bytes
    }

    /// No fewer bytes than the slices around a place take where they grow or are split for this many nodes.
    ///
    /// A slice that is full is split, and so is the one above it where that has no room for portals to the pieces.
    fn most_bytes_above(&self, place: Beside, nodes: usize) -> usize {
        // A slice, and what it is copied to, with the room that it then has.
        const SCALE: u32 = 16;
        let copies = (scaled(SCALE, self.config.expansion_factor) + 2 * SCALE) as usize;
        let spot = self.settle_at(place, nodes).spot();
        let beside = self.spot_for_portal(spot);
        let (mut number, mut reached, mut roomy, mut level) = (spot.slice, false, 0, 0);
        let mut bytes = 0_usize;
        loop {
            let slice = self.slice(number);
            bytes = bytes.saturating_add(MARKED + 16 * slice.marked_children.len());
            if level < SPLITS && roomy < 2 {
                let rows = slice.row_slots.live() as usize;
                let whole = (slice.allocated_bytes() / SCALE as usize).saturating_mul(copies);
                let lists = rows.saturating_mul(SPLIT_ROW).saturating_add(PIECES * OPENED);
                bytes = bytes.saturating_add(whole).saturating_add(lists);
                reached |= number == beside.slice;
                // What is cut out, or was left small, may come to lie in the slice above.
                roomy += usize::from(reached && rows + PIECES <= self.config.max_nodes as usize);
            }
            if slice.portal == At::NONE {
                return bytes;
            }
            (number, level) = (slice.portal.slice, level + 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::StoragePolicy;
    use crate::edit::SceneBuilder;
    use crate::fallible::Boxed;
    use crate::store::Need;
    use crate::store::columns::Slot;
    use crate::store::handles::Tables;
    use crate::store::handles::table::{OwnedTables, Table};
    use crate::{Aabb, Node, NodeHandle, Scene, SceneConfig, Shape, Transform, Visibility};

    /// Slices with few rows, so that few nodes open many.
    const SMALL: SceneConfig = SceneConfig { max_nodes: 16, min_nodes: 4, ..SceneConfig::DEFAULT };

    /// Asserts that what is asked for is no less than what is taken, and at most this many times as much.
    #[track_caller]
    fn holds(asked: usize, taken: usize, times: usize) {
        assert!((taken..=times * taken).contains(&asked), "{asked} asked for and {taken} taken");
    }

    #[test]
    fn a_tree_is_asked_for_with_no_less_than_it_takes_and_not_with_many_times_as_much() {
        let told = SceneConfig { bounds: true, changes: true, ..SceneConfig::DEFAULT };
        for config in [SceneConfig::DEFAULT, told, SMALL, SceneConfig { bounds: true, changes: true, ..SMALL }] {
            let (mut list, mut builder) = (NodeList::default(), SceneBuilder::new());
            for number in 0..3000_usize {
                let mut node = Node::transform(Transform::from_xyz(1.0, 2.0, 3.0)).with_material(3).named("a name");
                if number % 3 == 0 {
                    node = node.with_shape(Shape::new(7, Aabb::cube(1.0))).with_visibility(Visibility::layers(5));
                }
                list.push(&node).unwrap();
                builder.push(number.checked_sub(1).map(|last| last / 3), node);
            }
            let mut scene = Scene::with_config(config).unwrap();
            let root = scene.root();
            let place = Some(Beside::LastChildOf(root));
            let (within, of) = (scene.store.most_bytes_within(&list), scene.store.most_bytes_of(&list, place));
            let before = scene.stats().allocated_bytes();
            builder.insert_into(&mut scene, root).unwrap();
            let taken = scene.stats().allocated_bytes() - before;
            holds(within, taken, 8);
            holds(of, taken, 8);
            assert!(of > within);
        }
    }

    #[test]
    fn lists_of_slices_and_of_tables_are_asked_for_twice_at_least_since_they_are_copied() {
        const MORE: usize = 1000;
        let mut store = Store::new(SMALL);
        let asked = |store: &Store| store.most_bytes_around(100, None);
        let before = asked(&store);
        (0..MORE).for_each(|_| store.slices.push(Slice::default()));
        let slices = asked(&store);
        holds(slices - before, 2 * MORE * (size_of::<Boxed<Slice>>() + size_of::<OwnedTables>()), 8);
        let more = (0..MORE).map(|_| Table::try_of(Vec::new(), 1).unwrap().0);
        store.tables.tables.extend(more);
        holds(asked(&store) - slices, 2 * MORE * size_of::<Table>(), 8);
    }

    #[test]
    fn the_room_of_new_slices_and_tables_is_asked_for() {
        let asked = |config: SceneConfig| Store::new(config).most_bytes_around(1, None);
        let plain = SceneConfig::DEFAULT;
        let rows = |initial_slice_storage_size| asked(SceneConfig { initial_slice_storage_size, ..plain });
        holds(rows(4096) - rows(1), Slice::with_room(&Need::usual(4096)).allocated_bytes(), 8);
        let storage = |max_table_entries| StoragePolicy { max_table_entries, ..StoragePolicy::DEFAULT };
        let entries = |most| asked(SceneConfig { storage: storage(most), ..plain });
        // In two tables, an entry and the word beside it, twice since they are copied.
        holds(entries(4096) - entries(2), 2 * 4094 * 2 * (Tables::ENTRY_BYTES + size_of::<(u32, u32)>()), 8);
    }

    #[test]
    fn tables_that_are_adopted_are_asked_for_as_they_were_before_they_were_cut() {
        let mut store = Store::new(SceneConfig { initial_slice_max_num_nodes: 8, ..SMALL });
        let mut allocate = |slice| store.tables.allocate(slice, At { slice, row: 0 }, Slot::BASE).unwrap();
        let handles: Vec<NodeHandle> = (1..4).flat_map(|slice| [slice; 100]).map(&mut allocate).collect();
        let asked = |store: &Store, nodes| store.most_bytes_around(nodes, None);
        let before = [1, 100].map(|nodes| asked(&store, nodes));
        (1..4).for_each(|slice| store.tables.orphan(slice));
        let one = 2 * 100 * Tables::ENTRY_BYTES;
        for _ in 0..2 {
            holds(asked(&store, 1) - before[0], one, 8);
            holds(asked(&store, 100) - before[1], 3 * one, 8);
            if store.tables.tables[0].cut == 0 {
                // Freed and cut off, they come back.
                handles.iter().for_each(|&handle| store.tables.free(handle));
                store.tables.tables.iter_mut().for_each(|table| table.shrink(9));
                assert!(store.tables.tables.iter().all(|table| table.cut == 100));
            }
        }
    }

    #[test]
    fn a_short_table_that_is_adopted_is_asked_for_as_long_as_a_new_one() {
        let mut store = Store::new(SceneConfig { initial_slice_max_num_nodes: 4096, ..SMALL });
        store.tables.allocate(1, At { slice: 1, row: 0 }, Slot::BASE).unwrap();
        let before = store.most_bytes_around(1, None);
        store.tables.orphan(1);
        holds(store.most_bytes_around(1, None) - before, 4096 * Tables::ENTRY_BYTES, 8);
    }

    /// The root, and nodes below each other, each in a slice of its own with so many leaves beside the next.
    fn nested(config: SceneConfig, leaves: &[usize]) -> (Scene, Vec<NodeHandle>) {
        let mut scene = Scene::with_config(config).unwrap();
        let mut nodes = vec![scene.root()];
        for &leaves in leaves {
            let node = scene.insert(nodes[nodes.len() - 1], Node::group()).unwrap();
            scene.isolate(node).unwrap();
            (0..leaves).for_each(|_| _ = scene.insert(node, Node::group()).unwrap());
            nodes.push(node);
        }
        (scene, nodes)
    }

    /// For each of these nodes, whether a copy of its slice is asked for where nodes are inserted below the last one.
    fn copied((mut scene, nodes): (Scene, Vec<NodeHandle>)) -> Vec<bool> {
        let store = &mut scene.store;
        let place = Beside::LastChildOf(nodes[nodes.len() - 1]);
        let copied = |&node: &NodeHandle| {
            let number = store.resolve(node).unwrap().slice;
            let before = [store.most_bytes_above(place, 1), store.slice(number).allocated_bytes()];
            store.slice_mut(number).rows.reserve_exact(1 << 14);
            let [asked, larger] = [store.most_bytes_above(place, 1) - before[0], store.slice(number).allocated_bytes()];
            if asked > 0 {
                // The slice, and its copy with room.
                let least = (larger - before[1]) as f32 * (1.0 + store.config.expansion_factor);
                assert!((least..=2.0 * least).contains(&(asked as f32)), "{asked} where {least} may be taken");
            }
            asked > 0
        };
        nodes.iter().map(copied).collect()
    }

    #[test]
    fn full_slices_above_a_place_are_asked_for_and_two_with_room_for_portals() {
        let config = SceneConfig { max_nodes: 64, min_nodes: 16, ..SceneConfig::DEFAULT };
        assert_eq!(copied(nested(config, &[10; 5])), [false, false, false, false, true, true]);
        assert_eq!(copied(nested(config, &[10, 10, 56, 56, 56])), [false, true, true, true, true, true]);
        let deep = copied(nested(SMALL, &[9; SPLITS + 4]));
        assert!(deep.iter().rev().take(SPLITS).all(|&copied| copied));
        assert!(deep.iter().rev().skip(SPLITS).all(|&copied| !copied), "no split goes further up");
    }

    #[test]
    fn the_pieces_of_a_split_are_asked_for() {
        let scene = Scene::new();
        let asked = scene.store.most_bytes_above(Beside::LastChildOf(scene.root()), 1);
        let piece = size_of::<Slice>() + Slice::with_room(&Need::usual(8)).allocated_bytes();
        holds(asked, PIECES * piece, 8);
    }

    #[test]
    fn marks_of_every_slice_above_are_asked_for() {
        let (mut scene, nodes) = nested(SceneConfig { max_nodes: 64, min_nodes: 16, ..SceneConfig::DEFAULT }, &[10; 5]);
        let place = Beside::LastChildOf(nodes[5]);
        // The root's slice is not copied.
        scene.store.slice_mut(0).marked_children = Vec::new();
        let before = scene.store.most_bytes_above(place, 1);
        scene.store.slice_mut(0).marked_children = vec![1; 100];
        holds(scene.store.most_bytes_above(place, 1) - before, 2 * 100 * size_of::<u32>(), 8);
    }
}
