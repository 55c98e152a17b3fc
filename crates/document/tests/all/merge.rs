//! Merges of two patches. Libraries are JSON: the content of `definitions`.

use crate::random::{edits, library, seeds};
use fastrand::Rng;
use hedgerow_document::{Field, Key, Library, Merged, Patch, Value};
use hedgerow_testkit::drivers;
use std::collections::BTreeSet;

pub(crate) fn read(definitions: &str) -> Library {
    let text = format!(r#"{{"hedgerow": 1, "definitions": {{{definitions}}}}}"#);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Merges what leads from the first library to the others. Checks the result, the keys of conflicts, and new ids.
#[track_caller]
fn check(base: &str, ours: &str, theirs: &str, result: &str, conflicts: &[&str], renumbered: &[(u64, u64)]) {
    let mut library = read(base);
    let [ours, theirs] = [ours, theirs].map(|edited| Patch::between(&library, &read(edited)));
    let merged = Patch::merge(&library, &ours, &theirs).unwrap();
    library.apply(&merged.patch).unwrap();
    assert_eq!(library, read(result));
    let keys = merged.conflicts.iter().map(|conflict| {
        let Key { definition, path, field } = &conflict.key;
        format!("{definition} {path} {field:?}").to_lowercase()
    });
    assert_eq!(keys.collect::<Vec<_>>(), conflicts);
    assert_eq!(merged.renumbered.iter().map(|node| (node.from, node.to)).collect::<Vec<_>>(), renumbered);
}

#[test]
fn different_keys_are_both_stated_and_ours_wins_for_one_key() {
    let base = r#""a": {"nodes": [{"id": 0, "material": 1}, {"id": 1, "parent": 0}]}"#;
    let ours = r#""a": {"nodes": [{"id": 0, "material": 2}, {"id": 1, "parent": 0, "name": "x"}]}"#;
    let theirs = r#""a": {"nodes": [{"id": 0, "material": 3}, {"id": 1, "parent": 0, "order": 4, "name": "x"}]}"#;
    let result = r#""a": {"nodes": [{"id": 0, "material": 2}, {"id": 1, "parent": 0, "order": 4, "name": "x"}]}"#;
    check(base, ours, theirs, result, &["a 0 material"], &[]);
}

const B: &str = r#""b": {"nodes": [{"id": 0}, {"id": 5, "parent": 0}, {"id": 6, "parent": 5}]}"#;

/// Returns definition `a` with these nodes below its root and these overrides, and `B`.
fn a(nodes: &str, overrides: &str) -> String {
    format!(r#"{B}, "a": {{"nodes": [{{"id": 0}}{nodes}], "overrides": [{overrides}]}}"#)
}

#[test]
fn a_node_that_both_sides_remove_is_in_no_conflict_whatever_one_states_about_it() {
    let with = |inner: &str| a(r#", {"id": 1, "parent": 0, "use": "b"}"#, inner);
    let gone = with(r#"{"at": [1, 5], "removed": true}"#);
    let painted = with(r#"{"at": [1, 5], "removed": true, "material": 1}"#);
    check(&with(""), &gone, &painted, &painted, &[], &[]);
    check(&with(""), &painted, &gone, &painted, &[], &[]);
}

#[test]
fn a_node_that_one_side_removes_and_the_other_needs_stays() {
    let one = r#", {"id": 1, "parent": 0, "use": "b", "name": "x"}"#;
    let all = format!(r#"{one}, {{"id": 2, "parent": 1}}, {{"id": 3, "parent": 2}}"#);
    let inner = r#"{"at": [1, 5], "material": 1}"#;
    let base = a(&all, inner);
    let both = |removed: &str, changed: &str, result: &str, conflicts: &[&str]| {
        check(&base, removed, changed, result, conflicts, &[]);
        check(&base, changed, removed, result, conflicts, &[]);
    };
    let gone = a("", "");
    // A child is changed: its parents stay, and its own child goes.
    let two = r#", {"id": 2, "parent": 1, "name": "y"}"#;
    let kept = a(&format!("{one}{two}"), inner);
    both(
        &gone,
        &a(&all.replace(r#""parent": 1"#, r#""parent": 1, "name": "y""#), inner),
        &kept,
        &["a 1 place", "a 2 place"],
    );
    // A node inside is changed, or gets a child.
    let six = format!(r#"{inner}, {{"at": [1, 6], "material": 1}}"#);
    both(&gone, &a(&all, &six), &a(one, &six), &["a 1 place"]);
    let four = r#", {"id": 4, "parent": [1, 6]}"#;
    both(&gone, &a(&format!("{all}{four}"), inner), &a(&format!("{one}{four}"), inner), &["a 1 place"]);
    // A node is moved out of what is removed.
    let out = r#", {"id": 3, "parent": 0}"#;
    both(&gone, &a(&all.replace(r#""parent": 2"#, r#""parent": 0, "order": 0"#), inner), &a(out, ""), &["a 3 place"]);

    // An override removes the parent of the node that is changed.
    let removed = a(&all, r#"{"at": [1, 5], "material": 1, "removed": true}"#);
    both(&removed, &a(&all, &six), &a(&all, &six), &["a 1/5 place"]);
    let below = a(&format!("{all}{four}"), inner);
    both(&removed, &below, &below, &["a 1/5 place"]);
    let moved = a(&all, r#"{"at": [1, 5], "material": 1, "parent": [1, 6]}"#);
    both(&removed, &moved, &moved, &["a 1/5 place"]);

    // A definition is removed.
    let only = |b: &str| a(&all, inner).replace(B, b);
    let six = |last: &str| format!(r#""b": {{"nodes": [{{"id": 0}}, {{"id": 5, "parent": 0}}{last}]}}"#);
    let changed = only(&six(r#", {"id": 6, "parent": 5, "user_data": 3}"#));
    both(
        &only(r#""c": {"nodes": [{"id": 0}]}"#),
        &changed,
        &format!(r#"{changed}, "c": {{"nodes": [{{"id": 0}}]}}"#),
        &["b 0 place", "b 5 place", "b 6 place"],
    );
}

#[test]
fn moves_that_make_a_circle_are_ours() {
    let below = |one: u64, two: u64| {
        a(&format!(r#", {{"id": 1, "parent": {one}, "order": 1}}, {{"id": 2, "parent": {two}, "order": 1}}"#), "")
    };
    check(&below(0, 0), &below(0, 1), &below(2, 0), &below(0, 1), &["a 1 place"], &[]);

    let used = r#", {"id": 1, "parent": 0, "use": "b"}, {"id": 2, "parent": [1, 6]}"#;
    let moved = |at: u64, parent: &str| a(used, &format!(r#"{{"at": [1, {at}], "parent": {parent}}}"#));
    let base = a(used, "").replace(r#""id": 6, "parent": 5"#, r#""id": 6, "parent": 0"#);
    let [ours, theirs] = [moved(5, "2"), moved(6, "[1, 5]")]
        .map(|edited| edited.replace(r#""id": 6, "parent": 5"#, r#""id": 6, "parent": 0"#));
    check(&base, &ours, &theirs, &ours, &["a 1/6 place"], &[]);
}

#[test]
fn a_node_with_an_id_of_ours_gets_another_in_all_that_theirs_states() {
    let used = r#", {"id": 1, "parent": 0, "use": "b"}"#;
    let base = a(used, "");
    let b = |nodes: &str, edited: String| edited.replace(r#""parent": 5}]"#, &format!(r#""parent": 5}}{nodes}]"#));
    // The parent of one is in none of the files, and gets none of their nodes either.
    let ours = b(r#", {"id": 7, "parent": 0, "name": "ours"}, {"id": 8, "parent": 9}"#, base.clone());
    let inside = |id: u64| {
        a(
            &format!(r#"{used}, {{"id": 2, "parent": [1, {id}]}}"#),
            &format!(r#"{{"at": [1, {id}], "material": 4, "parent": [1, 6]}}"#),
        )
    };
    let theirs = b(r#", {"id": 7, "parent": 6, "name": "theirs"}, {"id": 281474976710654, "parent": 7}"#, inside(7));
    let nodes = r#", {"id": 7, "parent": 0, "order": 0, "name": "ours"}, {"id": 8, "parent": 9},
        {"id": 10, "parent": 6, "name": "theirs"}, {"id": 281474976710654, "parent": 10}"#;
    check(
        &base,
        &ours.replace(r#""parent": 0, "name""#, r#""parent": 0, "order": 0, "name""#),
        &theirs,
        &b(nodes, inside(10)),
        &[],
        &[(7, 10)],
    );
    // A node that both insert alike is one.
    check(&base, &ours, &ours, &ours, &[], &[]);
}

#[test]
fn a_definition_that_both_make_has_our_root() {
    let ours = r#""c": {"nodes": [{"id": 0, "name": "x"}, {"id": 1, "parent": 0, "name": "x"}]}"#;
    let theirs = r#""c": {"nodes": [{"id": 0, "name": "y"}, {"id": 1, "parent": 0, "name": "y"}]}"#;
    let result = r#""c": {"nodes": [{"id": 0, "name": "x"}, {"id": 1, "parent": 0, "name": "x"},
        {"id": 2, "order": 0, "parent": 0, "name": "y"}]}"#;
    check("", ours, theirs, result, &["c 0 name"], &[(1, 2)]);
    let theirs = r#""c": {"nodes": [{"id": 7}, {"id": 0, "parent": 7}]}"#;
    let result = r#""c": {"nodes": [{"id": 0, "name": "x"}, {"id": 1, "parent": 0, "name": "x"},
        {"id": 7, "order": 0, "parent": 0}, {"id": 2, "parent": 7}]}"#;
    check("", ours, theirs, result, &["c 7 place"], &[(0, 2)]);
}

#[test]
fn uses_that_contain_each_other_are_ours() {
    let names = |[a, b]: [&str; 2]| {
        format!(
            r#""a": {{"nodes": [{{"id": 0}}, {{"id": 1, "parent": 0{a}}}]}},
                "b": {{"nodes": [{{"id": 0}}, {{"id": 1, "parent": 0{b}}}]}}"#
        )
    };
    let (ours, theirs) = (names([r#", "use": "b""#, ""]), names(["", r#", "use": "a""#]));
    check(&names(["", ""]), &ours, &theirs, &ours, &["b 1 use"], &[]);
    // What ours takes away closes no circle.
    check(&ours, &names(["", ""]), &theirs, &theirs, &[], &[]);

    // Nodes that stay bring their uses back.
    let kept = names([r#", "name": "x", "use": "b""#, ""]);
    let gone = theirs.replace(r#", {"id": 1, "parent": 0}"#, "");
    let without = names([r#", "name": "x""#, r#", "use": "a""#]);
    check(&ours, &gone, &kept, &without, &["a 1 place", "a 1 use"], &[]);
    check(&ours, &kept, &gone, &kept, &["a 1 place", "b 1 use"], &[]);
}

#[test]
fn any_two_patches_merge_into_one_that_their_library_accepts() {
    let mut reached = [0; 5];
    for seed in seeds(200) {
        let rng = &mut Rng::with_seed(seed);
        let base = library(rng);
        let [ours, theirs] = [(); 2].map(|()| edits(rng, &base, 12, seed % 2 == 0));
        let merge = |ours, theirs| {
            let merged = Patch::merge(&base, ours, theirs).unwrap();
            let mut result = base.clone();
            result.apply(&merged.patch).unwrap_or_else(|error| panic!("{seed}: {error}"));
            drivers::library::follow(&mut base.clone(), &merged.patch, &result);
            (merged, result)
        };
        let (merged, result) = merge(&ours, &theirs);
        let after = |patch: &Patch| {
            let mut after = base.clone();
            after.apply(patch).unwrap();
            after
        };
        let (our_side, their_side) = (after(&ours), after(&theirs));
        let conflicts: BTreeSet<&Key> = merged.conflicts.iter().map(|conflict| &conflict.key).collect();
        // A statement of ours is made, or in conflict; or its node was removed by ours, and stays.
        let kept = |key: &Key| {
            let nodes = [key.path.clone(), key.path.ids()[0].into()];
            nodes.map(|path| Key { path, field: Field::Place, ..key.clone() }).iter().any(|key| conflicts.contains(key))
        };
        for (patch, ours) in [(&ours, true), (&theirs, false)] {
            for entry in patch.entries().iter().filter(|_| ours || merged.renumbered.is_empty()) {
                let made = result.get(&entry.key) == entry.after.as_ref();
                let kept = entry.after.is_none() && kept(&entry.key);
                assert!(made || kept || conflicts.contains(&entry.key), "{seed}: {}", entry.key);
            }
        }
        for conflict in &merged.conflicts {
            assert_eq!(conflict.ours.as_ref(), our_side.get(&conflict.key), "{seed}");
            if merged.renumbered.is_empty() {
                assert_eq!(conflict.theirs.as_ref(), their_side.get(&conflict.key), "{seed}");
            }
        }
        for node in &merged.renumbered {
            let key = |id: u64| Key::new(node.definition.clone(), id, Field::Place);
            assert!(base.get(&key(node.to)).is_none() && our_side.get(&key(node.to)).is_none(), "{seed}");
            assert!(our_side.get(&key(node.from)).is_some() && their_side.get(&key(node.from)).is_some());
            assert!(result.get(&key(node.to)).is_some());
        }
        let (swapped, _) = merge(&theirs, &ours);
        let keys = |merged: &Merged| {
            let stated = merged.patch.entries().iter().map(|entry| entry.key.clone());
            let keys = stated.chain(merged.conflicts.iter().map(|conflict| conflict.key.clone()));
            keys.filter(|key| !kept(key)).collect::<BTreeSet<_>>()
        };
        if merged.renumbered.is_empty() && swapped.renumbered.is_empty() {
            assert_eq!(keys(&merged), keys(&swapped), "{seed}");
        }
        let none = Patch::new();
        for same in [&ours, &theirs] {
            for (a, b) in [(same, same), (same, &none), (&none, same)] {
                assert_eq!(merge(a, b).0, Merged { patch: same.clone(), ..Merged::default() }, "{seed}");
            }
        }
        let places = merged.conflicts.iter().filter(|conflict| conflict.key.field == Field::Place);
        let used = merged
            .conflicts
            .iter()
            .any(|conflict| conflict.key.field == Field::Use && ours.get(&conflict.key).is_none());
        let gone = |value: &Option<Value>| matches!(value, None | Some(Value::Place(None)));
        reached[0] += usize::from(!merged.conflicts.is_empty());
        reached[1] += usize::from(!merged.renumbered.is_empty());
        reached[2] += usize::from(used);
        reached[3] += usize::from(places.clone().any(|at| gone(&at.ours) != gone(&at.theirs)));
        reached[4] += usize::from(places.clone().any(|at| ours.get(&at.key).is_none() && !gone(&at.theirs)));
    }
    assert!(reached.iter().all(|&count| count > 5), "{reached:?}");
}
