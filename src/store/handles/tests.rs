//! Room in tables: how it grows, and what is cut off and given back.

use crate::store::columns::{At, NIL, Slot};
use crate::store::handles::{Entry, Tables};
use crate::{NodeHandle, SceneConfig};
use std::collections::HashSet;

fn tables(initial_entries: u32, max_entries: u32, max_generation: u32) -> Tables {
    let config = SceneConfig { initial_slice_max_num_nodes: initial_entries, ..SceneConfig::DEFAULT };
    Tables { max_entries, max_generation, ..Tables::new(&config) }
}

/// A handle from the table of another one, for a node at the root's place.
fn allocate_beside(tables: &mut Tables, sibling: NodeHandle) -> Option<NodeHandle> {
    let (handle, entry) = tables.take_beside(sibling)?;
    *entry = Entry::live(handle, At::ROOT, Slot::BASE);
    Some(handle)
}

fn allocate(tables: &mut Tables, slice: u32) -> NodeHandle {
    tables.allocate(slice, At { slice, row: 0 }, Slot::BASE).unwrap()
}

fn append(tables: &mut Tables, slice: u32) -> NodeHandle {
    tables.append(slice, At { slice, row: 0 }, Slot::BASE).unwrap()
}

fn place(handle: NodeHandle) -> (u32, u32, u32) {
    (handle.table(), handle.index(), handle.generation())
}

#[test]
fn a_full_table_doubles_up_to_its_greatest_size() {
    for beside in [false, true] {
        let mut tables = tables(5, 12, 9);
        let first = allocate(&mut tables, 0);
        let mut rooms = vec![tables.tables[0].entries.capacity()];
        for _ in 1..12 {
            if beside {
                allocate_beside(&mut tables, first).unwrap();
            } else {
                allocate(&mut tables, 0);
            }
            rooms.push(tables.tables[0].entries.capacity());
        }
        assert_eq!(rooms, [5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 12, 12]);
        assert_eq!(allocate_beside(&mut tables, first), None, "the table is full");
        assert_eq!(place(allocate(&mut tables, 0)), (1, 0, 1));
    }
}

#[test]
fn a_handle_is_allocated_near_another_one_of_the_same_table() {
    let mut tables = tables(300, 300, 9);
    let handles: Vec<NodeHandle> = (0..200).map(|_| allocate(&mut tables, 0)).collect();
    [3, 70, 150].into_iter().for_each(|index: usize| tables.free(handles[index]));
    // The slice's own next table is another one.
    tables.tables_of(0).open = NIL;
    let mut beside = || allocate_beside(&mut tables, handles[129]).map(place);
    assert_eq!([beside(), beside(), beside()], [Some((0, 150, 2)), Some((0, 3, 2)), Some((0, 70, 2))]);
    assert_eq!(beside(), Some((0, 200, 1)), "the table has room at its end");
}

#[test]
fn an_appended_handle_takes_a_free_entry_first_and_no_table_gets_too_long() {
    let mut tables = tables(4, 4, 9);
    let handles: Vec<NodeHandle> = (0..6).map(|_| append(&mut tables, 0)).collect();
    let places: Vec<_> = handles.iter().copied().map(place).collect();
    assert_eq!(places, [(0, 0, 1), (0, 1, 1), (0, 2, 1), (0, 3, 1), (1, 0, 1), (1, 1, 1)]);
    tables.free(handles[4]);
    assert_eq!(place(append(&mut tables, 0)), (1, 0, 2));
    assert_eq!(place(append(&mut tables, 0)), (1, 2, 1));
    assert_eq!(tables.validate(|slice| slice == 0), Ok(7));
}

#[test]
fn room_for_handles_is_made_ahead() {
    let mut tables = tables(1, 100, 9);
    tables.open_with_room(0, 70);
    let bytes = tables.allocated_bytes();
    (0..70).for_each(|_| _ = append(&mut tables, 0));
    assert_eq!(tables.allocated_bytes(), bytes);
    tables.open_with_room(0, 10);
    assert_eq!(tables.len(), 1, "a slice with a table keeps it");
    tables.try_reserve(0, 20).unwrap();
    let more = tables.allocated_bytes();
    (0..20).for_each(|_| _ = append(&mut tables, 0));
    assert!(more > bytes && tables.allocated_bytes() == more && tables.len() == 1);
    tables.open_with_room(1, 1000);
    assert_eq!(tables.tables[1].entries.capacity(), 100, "no table is longer than it may be");
}

#[test]
fn what_is_cut_off_a_table_comes_back_without_a_handle_that_was_issued_before() {
    let mut tables = tables(64, 64, 9);
    let handles: Vec<NodeHandle> = (0..64).map(|_| allocate(&mut tables, 0)).collect();
    let mut seen: HashSet<NodeHandle> = handles.iter().copied().collect();
    tables.free(handles[10]);
    let again = allocate(&mut tables, 0);
    assert!(place(again) == (0, 10, 2) && seen.insert(again));
    tables.free(again);
    handles[11..].iter().for_each(|&handle| tables.free(handle));
    let before = tables.allocated_bytes();
    tables.shrink_to_fit();
    let table = &tables.tables[0];
    assert_eq!((table.entries.len(), table.entries.capacity(), table.cut), (10, 10, 54));
    assert!(tables.allocated_bytes() <= before - 54 * Tables::ENTRY_BYTES);
    assert_eq!(tables.validate(|slice| slice == 0), Ok(10));
    // Only its owner gives a table back what was cut off.
    assert_eq!(allocate_beside(&mut tables, handles[0]), None);
    for _ in 0..54 {
        let next = allocate(&mut tables, 0);
        assert!(next.table() == 0 && next.generation() == 3 && seen.insert(next), "{next}");
    }
    assert_eq!(tables.validate(|slice| slice == 0), Ok(64));
    assert_eq!(place(allocate(&mut tables, 0)), (1, 0, 1));
}

#[test]
fn retired_indices_are_cut_off_apart_from_others_and_stay_retired() {
    for retired in 1..4 {
        let mut tables = tables(8, 8, 2);
        let handles: Vec<NodeHandle> = (0..8).map(|_| allocate(&mut tables, 0)).collect();
        for &handle in &handles[8 - retired..] {
            tables.free(handle);
            let last = allocate(&mut tables, 0);
            assert_eq!(place(last), (0, handle.index(), 2));
            tables.free(last);
        }
        [6, 7].into_iter().for_each(|index: usize| tables.free(handles[index - retired]));
        tables.shrink_to_fit();
        assert_eq!((tables.tables[0].entries.len(), tables.retired()), (8 - retired, retired));
        assert_eq!(tables.validate(|slice| slice == 0), Ok(6 - retired));
        let next: Vec<_> = (0..3).map(|_| allocate(&mut tables, 0)).collect();
        assert_eq!(place(next[0]), (0, handles[6 - retired].index(), 2));
        assert_eq!(place(next[1]), (0, handles[7 - retired].index(), 2));
        assert_eq!(place(next[2]), (1, 0, 1));
        assert_eq!(tables.validate(|slice| slice == 0), Ok(9 - retired));
    }
}
