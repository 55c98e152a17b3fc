//! Patches on random trees.

use fastrand::Rng;
#[cfg(feature = "serde")]
use hedgerow::Transform;
use hedgerow::edit::BatchError;
#[cfg(feature = "serde")]
use hedgerow::glam::DVec3;
use hedgerow::glam::Vec3;
use hedgerow::patch::{Entry, Field, Patch, PatchError, Spot, Value};
use hedgerow::snapshot::SnapshotError;
use hedgerow::{Aabb, Drawable, Error, Keep, Node, Place, Scene, Tree};
use hedgerow_testkit::checksum::set_checksum;
use hedgerow_testkit::drivers::patch::{between, bits, edited, placed, tree};

#[test]
fn a_patch_makes_one_tree_into_the_other_and_its_inverse_takes_it_back_to_the_bit() {
    let mut rng = Rng::with_seed(1);
    for round in 0..400 {
        let old = tree(&mut rng, round % 20);
        let new = if round % 3 == 0 { tree(&mut rng, round % 20) } else { edited(&mut rng, &old, round % 8, 0) };
        let patch = between(&old, &new);
        let keys = |entry: &Entry| (entry.id, entry.field());
        assert!(patch.entries().is_sorted_by(|a, b| keys(a) < keys(b)));
        assert_eq!(bits(&old.patched(&patch).unwrap()), bits(&new), "{old:?} {new:?} {patch:?}");
        assert_eq!(bits(&new.patched(&patch.inverse()).unwrap()), bits(&old));
        assert_eq!(patch.is_empty(), bits(&old) == bits(&new));

        let (mut scene, mut instance) = placed(&old);
        patch.apply(&mut scene, &mut instance).unwrap();
        assert_eq!(scene.validate(), Ok(()));
        assert_eq!(bits(&instance.tree(&scene).unwrap()), bits(&new));
        patch.inverse().apply(&mut scene, &mut instance).unwrap();
        assert_eq!(bits(&instance.tree(&scene).unwrap()), bits(&old));
    }
}

#[test]
fn a_patch_is_refused_by_another_state_and_leaves_it_as_it_was() {
    let mut rng = Rng::with_seed(2);
    let mut refused = 0;
    for round in 0..400 {
        let old = tree(&mut rng, 12);
        let patch = between(&old, &edited(&mut rng, &old, 1 + round % 8, 0));
        let other = edited(&mut rng, &old, 1 + round % 8, 0);
        let (mut scene, mut instance) = placed(&other);
        let before = bits(&other);
        let result = patch.apply(&mut scene, &mut instance);
        let after = bits(&instance.tree(&scene).unwrap());
        match result {
            Ok(()) => {
                patch.inverse().apply(&mut scene, &mut instance).unwrap();
                assert_eq!(bits(&instance.tree(&scene).unwrap()), before);
            }
            Err(_) => {
                refused += 1;
                assert_eq!(after, before);
            }
        }
        assert_eq!(scene.validate(), Ok(()));
        if !patch.is_empty() && patch.entries().iter().any(|entry| entry.before != entry.after) {
            let (mut scene, mut instance) = placed(&old);
            patch.apply(&mut scene, &mut instance).unwrap();
            let twice = patch.apply(&mut scene, &mut instance);
            use PatchError::{Gone, IdInUse, State};
            assert!(matches!(twice, Err(State { .. } | IdInUse { .. } | Gone { .. })), "{twice:?}");
        }
    }
    assert!(refused > 100, "{refused}");
}

#[test]
fn patches_join_in_any_order_into_one_that_does_the_same() {
    let mut rng = Rng::with_seed(3);
    for round in 0..600 {
        let a = tree(&mut rng, round % 16);
        let b = edited(&mut rng, &a, 1 + round % 7, 0);
        let c = edited(&mut rng, &b, 1 + round % 5, 0);
        let d = edited(&mut rng, &c, 1 + round % 6, 0);
        let [ab, bc, cd] = [between(&a, &b), between(&b, &c), between(&c, &d)];
        let ac = ab.then(&bc).unwrap();
        assert_eq!(bits(&a.patched(&ac).unwrap()), bits(&c), "{a:?}\n{ab:?}\n{bc:?}\n{ac:?}");
        assert_eq!(bits(&c.patched(&ac.inverse()).unwrap()), bits(&a));
        let ad = ac.then(&cd).unwrap();
        assert_eq!(ad, ab.then(&bc.then(&cd).unwrap()).unwrap());
        assert_eq!(Patch::join([&ab, &bc, &cd]), Ok(ad.clone()));
        assert_eq!(bits(&a.patched(&ad).unwrap()), bits(&d));
        let nothing = ab.then(&ab.inverse()).unwrap();
        assert!(nothing.entries().iter().all(|entry| entry.field() == Field::Place && entry.before == entry.after));
        assert_eq!(bits(&a.patched(&nothing).unwrap()), bits(&a));
        assert_eq!(Patch::new().then(&ab), Ok(ab.clone()));
        assert_eq!(ab.then(&Patch::new()), Ok(ab));
    }
}

/// Checks that a merged patch has each change of one side, except those in conflict.
fn has_effect(side: &Patch, merged: &Tree, excepted: &[u64]) {
    for entry in side.entries().iter().filter(|entry| !excepted.contains(&entry.id)) {
        let found = merged.index_of(entry.id);
        match &entry.after {
            Value::Place(spot) => {
                assert_eq!(found.is_some(), spot.is_some(), "{entry:?}");
                let parent = found.and_then(|found| merged.parent(found)).and_then(|parent| merged.id(parent));
                assert_eq!(parent, spot.and_then(|spot| spot.parent));
            }
            value => {
                let node = found.map_or(Node::group(), |found| merged.get(found).unwrap());
                let now = match value.field() {
                    Field::Material => Value::Material(node.material),
                    Field::Name => Value::Name(node.name.map(Into::into)),
                    Field::ViewRange => Value::ViewRange(node.view_range),
                    Field::Local if node.translation_f64.is_none() => {
                        Value::Local { local: node.local, remainder: None }
                    }
                    Field::Visibility => Value::Visibility(node.visibility),
                    _ => continue,
                };
                assert_eq!(&now, value);
            }
        }
    }
}

#[test]
fn a_merge_has_the_changes_of_both_sides_but_those_in_conflict() {
    let mut rng = Rng::with_seed(4);
    let (mut clean, mut circles) = (0, 0);
    for round in 0..1500 {
        let base = tree(&mut rng, round % 16);
        let ours = between(&base, &edited(&mut rng, &base, 1 + round % 7, 1000));
        let theirs = between(&base, &edited(&mut rng, &base, 1 + round % 5, 2000));
        let (merged, conflicts) = Patch::merge(&ours, &theirs).unwrap();
        let result = match base.patched(&merged) {
            Err(PatchError::Cycle { .. }) => {
                circles += 1;
                continue;
            }
            result => result.unwrap_or_else(|error| panic!("{error}\n{base:?}\n{ours:?}\n{theirs:?}\n{merged:?}")),
        };
        assert_eq!(bits(&result.patched(&merged.inverse()).unwrap()), bits(&base), "each spot is that in the tree");
        let excepted: Vec<u64> = conflicts.iter().map(|conflict| conflict.id).collect();
        has_effect(&ours, &result, &excepted);
        has_effect(&theirs, &result, &excepted);
        clean += usize::from(conflicts.is_empty() && !ours.is_empty() && !theirs.is_empty());
        assert_eq!(Patch::merge(&ours, &ours), Ok((ours.clone(), Vec::new())));
        assert_eq!(Patch::merge(&ours, &Patch::new()), Ok((ours, Vec::new())));
    }
    assert!(clean > 200 && circles < 200, "{clean} {circles}");
}

/// Returns a tree of roots with these ids.
fn row(ids: &[u64]) -> Tree {
    let mut tree = Tree::new();
    for &id in ids {
        tree.push_with_id(None, Node::group(), id);
    }
    tree
}

fn ids(tree: &Tree) -> Vec<u64> {
    (0..tree.len()).filter_map(|index| tree.id(index)).collect()
}

#[test]
fn merged_inserts_behind_one_sibling_are_ours_and_then_theirs() {
    let base = row(&[1, 2, 3]);
    let merged = |ours: &[u64], theirs: &[u64]| {
        let (patch, conflicts) = Patch::merge(&between(&base, &row(ours)), &between(&base, &row(theirs))).unwrap();
        (ids(&base.patched(&patch).unwrap()), conflicts.len())
    };
    assert_eq!(merged(&[1, 10, 11, 2, 3], &[1, 20, 21, 2, 3]), (vec![1, 10, 11, 20, 21, 2, 3], 0));
    assert_eq!(merged(&[1, 2, 10, 3], &[1, 3]), (vec![1, 10, 3], 0), "the sibling is gone");
    assert_eq!(merged(&[1, 2, 10, 3], &[2, 1, 3]), (vec![2, 1, 10, 3], 0), "the sibling moved");
    assert_eq!(merged(&[10, 1, 2, 3], &[3, 1, 2]), (vec![10, 3, 1, 2], 0));
}

#[test]
fn a_removal_gives_way_to_a_change_below_it() {
    let mut base = Tree::new();
    let street = base.push(None, Node::group());
    let house = base.push(Some(street), Node::group());
    base.push(Some(house), Node::group().named("door"));
    let mut painted = Tree::new();
    painted.push(None, Node::group());
    painted.push(Some(street), Node::group());
    painted.push(Some(house), Node::material(3).named("door"));
    let (removal, change) = (between(&base, &Tree::new()), between(&base, &painted));
    for (ours, theirs) in [(&removal, &change), (&change, &removal)] {
        let (merged, conflicts) = Patch::merge(ours, theirs).unwrap();
        assert_eq!(base.patched(&merged).unwrap(), painted);
        assert!(conflicts.iter().map(|conflict| (conflict.id, conflict.field)).eq((0..3).map(|id| (id, Field::Place))));
    }
}

#[test]
fn a_removal_stands_though_a_node_that_left_it_is_changed() {
    let tree = |below: bool, door: Node<'_>| {
        let mut tree = Tree::new();
        let street = below.then(|| tree.push_with_id(None, Node::group(), 1));
        tree.push_with_id(street, door, 2);
        tree
    };
    let base = tree(true, Node::group());
    let (ours, theirs) = (tree(false, Node::group()), tree(true, Node::material(3)));
    let (merged, conflicts) = Patch::merge(&between(&base, &ours), &between(&base, &theirs)).unwrap();
    assert!(conflicts.is_empty() && base.patched(&merged).unwrap() == tree(false, Node::material(3)));
}

#[test]
fn bounds_that_differ_in_the_sign_of_a_zero_are_others() {
    let tree = |zero: f32| {
        let mut tree = row(&[]);
        let bounds = Aabb::new(Vec3::splat(zero), Vec3::ONE);
        tree.push_with_id(None, Node::drawable(Drawable::new(1, bounds)), 1);
        tree
    };
    let patch = between(&tree(0.0), &tree(-0.0));
    assert_eq!(patch.entries().iter().map(|entry| entry.field()).collect::<Vec<_>>(), [Field::Drawable]);
    assert_eq!(bits(&tree(0.0).patched(&patch).unwrap()), bits(&tree(-0.0)));
}

#[test]
fn nodes_that_merged_patches_put_below_each_other_are_refused_and_nothing_is_changed() {
    let base = row(&[1, 2]);
    let nested = |outer, inner| {
        let mut tree = Tree::new();
        let outer = tree.push_with_id(None, Node::group(), outer);
        tree.push_with_id(Some(outer), Node::group(), inner);
        tree
    };
    let (ours, theirs) = (between(&base, &nested(1, 2)), between(&base, &nested(2, 1)));
    let (merged, _) = Patch::merge(&ours, &theirs).unwrap();
    let (mut scene, mut instance) = placed(&base);
    let refused = merged.apply(&mut scene, &mut instance);
    assert!(matches!(refused, Err(PatchError::Cycle { id: 1 | 2 })), "{refused:?}");
    assert_eq!(bits(&instance.tree(&scene).unwrap()), bits(&base));
}

#[test]
fn the_overrides_of_a_field_are_reverted_and_nothing_else() {
    let mut rng = Rng::with_seed(8);
    let mut reverted = 0;
    for round in 0..300 {
        let old = tree(&mut rng, round % 16);
        let new = edited(&mut rng, &old, 1 + round % 9, 1000);
        let overrides = between(&old, &new);
        for field in Field::ALL {
            let mut kept = overrides.clone();
            kept.retain(|entry| entry.field() != field);
            let wanted = old.patched(&kept).unwrap_or_else(|error| panic!("{error}\n{overrides:?}"));
            let revert = overrides.inverse().then(&kept).unwrap_or_else(|error| panic!("{error}\n{overrides:?}"));
            let (mut scene, mut instance) = placed(&new);
            revert.apply(&mut scene, &mut instance).unwrap_or_else(|error| panic!("{error}\n{overrides:?}"));
            assert_eq!(bits(&instance.tree(&scene).unwrap()), bits(&wanted), "{field:?}\n{overrides:?}");
            if field == Field::Place {
                let places: Vec<_> = bits(&wanted).into_iter().map(|(id, parent, _)| (id, parent)).collect();
                assert!(places.into_iter().eq(bits(&old).into_iter().map(|(id, parent, _)| (id, parent))));
                continue;
            }
            // Only this field changes back, at nodes that are in both trees.
            let changed = between(&new, &wanted);
            assert!(changed.entries().iter().all(|entry| entry.field() == field && old.index_of(entry.id).is_some()));
            let other = between(&old, &wanted);
            let stays = |id| old.index_of(id).is_some() && wanted.index_of(id).is_some();
            assert!(!other.entries().iter().any(|entry| entry.field() == field && stays(entry.id)));
            reverted += changed.entries().len();
        }
        // A random choice among the overrides of nodes that stay.
        let mut some = overrides.clone();
        some.retain(|entry| entry.field() == Field::Place || rng.bool());
        let wanted = old.patched(&some).unwrap();
        assert_eq!(bits(&new.patched(&overrides.inverse().then(&some).unwrap()).unwrap()), bits(&wanted));
    }
    assert!(reverted > 1000, "{reverted}");
}

#[test]
fn an_override_is_reverted_by_taking_its_entries_out() {
    let (base, new) = (row(&[1, 2, 3]), row(&[3, 1, 10, 11, 2]));
    let mut patch = between(&base, &new);
    patch.retain(|entry| entry.id != 10);
    assert_eq!(ids(&base.patched(&patch).unwrap()), [3, 1, 11, 2]);
    patch.retain(|_| false);
    assert!(patch.is_empty());
}

#[test]
fn nodes_of_the_program_among_those_of_the_instance_count_as_no_siblings() {
    let base = row(&[1, 2]);
    let (mut scene, mut instance) = placed(&base);
    let own = scene.insert(Place::Before(instance.node(2).unwrap()), Node::group().named("own")).unwrap();
    between(&base, &row(&[1, 10, 2])).apply(&mut scene, &mut instance).unwrap();
    assert_eq!(instance.id(own), None);
    let expected = [instance.node(1).unwrap(), instance.node(10).unwrap(), own, instance.node(2).unwrap()];
    assert!(scene.children(instance.root()).eq(expected));
    assert_eq!(ids(&instance.tree(&scene).unwrap()), [1, 10, 2], "and are not in its tree, with all below them");
    assert_eq!(instance.assign(&scene), Ok(1));
    assert_eq!(ids(&instance.tree(&scene).unwrap()), [1, 10, 11, 2]);
}

#[test]
fn nodes_that_a_program_detached_are_inserted_again() {
    let mut old = Tree::new();
    let house = old.push(None, Node::material(1).named("house"));
    old.push(Some(house), Node::material(2));
    let (mut scene, mut instance) = placed(&old);
    let [house, room] = [0, 1].map(|id| instance.node(id).unwrap());
    scene.reparent(house, Place::Detached, Keep::Local).unwrap();
    let deleted = Patch::between(&old, &instance.tree(&scene).unwrap()).unwrap();
    deleted.inverse().apply(&mut scene, &mut instance).unwrap();
    assert_eq!(bits(&instance.tree(&scene).unwrap()), bits(&old));
    assert!(instance.node(0) != Some(house) && instance.node(1) != Some(room) && scene.contains(room));

    // Detached nodes cannot become parents of new nodes.
    let twice = deleted.inverse().apply(&mut scene, &mut instance);
    assert_eq!(twice, Err(PatchError::IdInUse { id: 0 }));
    scene.reparent(instance.node(0).unwrap(), Place::Detached, Keep::Local).unwrap();
    let before = Value::Place(None);
    let after = Value::Place(Some(Spot { parent: Some(1), after: None }));
    let below = Patch::from_entries(vec![Entry { id: 9, before, after }]).unwrap();
    assert_eq!(below.apply(&mut scene, &mut instance), Err(PatchError::Missing { id: 9, missing: 1 }));
}

#[test]
fn errors_name_the_node() {
    let base = row(&[1, 2]);
    let state = |id, field| Err(PatchError::State { id, field });
    let insert = between(&base, &row(&[1, 2, 7]));
    assert_eq!(row(&[1]).patched(&insert), Err(PatchError::Missing { id: 7, missing: 2 }));
    assert_eq!(row(&[1, 2, 7]).patched(&insert), Err(PatchError::IdInUse { id: 7 }));
    let mut child = row(&[1, 2]);
    child.push_with_id(Some(1), Node::group(), 3);
    assert_eq!(child.patched(&between(&base, &row(&[1]))), Err(PatchError::NotEmpty { id: 2, child: 3 }));
    let mut named = row(&[1]);
    named.push_with_id(None, Node::group().named("kept"), 2);
    assert_eq!(row(&[1]).patched(&between(&base, &named)), Err(PatchError::Gone { id: 2 }));
    assert_eq!(row(&[1]).patched(&between(&base, &row(&[1]))), Err(PatchError::Gone { id: 2 }));
    assert_eq!(named.patched(&between(&base, &row(&[1]))), state(2, Field::Name), "the inverse could not give it back");
    assert_eq!(insert.then(&insert), Err(PatchError::State { id: 7, field: Field::Place }));
    let again = Patch::from_entries(insert.entries().iter().chain(insert.entries()).cloned().collect());
    assert_eq!(again, Err(PatchError::Invalid { id: 7, violation: "two entries have the same field" }));
    let other = between(&row(&[2, 1]), &row(&[]));
    assert!(matches!(Patch::merge(&between(&base, &row(&[])), &other), Err(PatchError::State { .. })));
    for error in [
        PatchError::Gone { id: 7 },
        PatchError::IdInUse { id: 7 },
        PatchError::Missing { id: 7, missing: 2 },
        PatchError::Cycle { id: 7 },
        PatchError::NotEmpty { id: 7, child: 2 },
        PatchError::State { id: 7, field: Field::Name },
        PatchError::Invalid { id: 7, violation: "" },
        PatchError::Scene { id: 7, error: Error::CapacityOverflow },
    ] {
        assert!(error.to_string().to_lowercase().contains("node 7"), "{error}");
    }
}

#[test]
fn an_id_that_no_node_can_have_is_refused_in_a_spot_too() {
    for (parent, after) in [(Some(u64::MAX), None), (None, Some(u64::MAX))] {
        let place = Value::Place(Some(Spot { parent, after }));
        let insert = Entry { id: 5, before: Value::Place(None), after: place };
        let entries = [insert.clone(), Entry { before: insert.after.clone(), after: insert.before.clone(), ..insert }];
        for entry in entries {
            let refused = Patch::from_entries(vec![entry.clone()]);
            assert!(matches!(refused, Err(PatchError::Invalid { id: 5, .. })), "{refused:?}");
            #[cfg(feature = "serde")]
            {
                let text = serde_json::to_string(&[entry]).unwrap();
                let refused = serde_json::from_str::<Patch>(&text).unwrap_err().to_string();
                assert!(refused.contains("an id is too large"), "{refused}");
            }
        }
    }
}

#[test]
fn an_instance_whose_root_is_gone_is_refused() {
    let base = row(&[1]);
    let (mut scene, mut instance) = placed(&base);
    scene.remove(instance.root()).unwrap();
    assert_eq!(instance.tree(&scene), Err(Error::StaleHandle(instance.root())));
    let patch = between(&Tree::new(), &base);
    assert!(matches!(patch.apply(&mut scene, &mut instance), Err(PatchError::Scene { id: 1, .. })));
}

#[test]
fn ids_are_unique_and_kept_by_bytes() {
    let mut rng = Rng::with_seed(5);
    for count in 0..40 {
        let tree = tree(&mut rng, count);
        let again = Tree::from_bytes(&tree.to_bytes()).unwrap();
        assert_eq!((bits(&again), ids(&again), again.next_id()), (bits(&tree), ids(&tree), tree.next_id()));
        assert!((0..count).all(|index| tree.index_of(tree.id(index).unwrap()) == Some(index)));
        assert_eq!((tree.id(count), tree.index_of(tree.next_id())), (None, None));
    }
    for id in [5, u64::MAX] {
        let mut tree = row(&[4, 5]);
        tree.push_with_id(None, Node::group(), id);
        let refused = BatchError { item: Some(2), error: Error::InvalidId(id) };
        let mut scene = Scene::new();
        assert_eq!(scene.insert_tree(scene.root(), &tree), Err(refused));
        assert_eq!(Patch::between(&row(&[]), &tree), Err(PatchError::Tree(refused)));
        assert!(matches!(Tree::from_bytes(&tree.to_bytes()), Err(SnapshotError::Invalid { .. })));
        tree.clear();
        assert_eq!((tree.next_id(), tree.push(None, Node::group())), (0, 0));
    }
}

#[cfg(feature = "serde")]
#[test]
fn ids_of_nodes_that_are_gone_are_not_given_again_after_a_tree_was_saved() {
    for base in [row(&[0, 1, 2]), row(&[4, 9])] {
        let (mut scene, instance) = placed(&base);
        while let Some(last) = scene.children(instance.root()).next_back() {
            scene.remove(last).unwrap();
            let tree = instance.tree(&scene).unwrap();
            let mut again = tree.clone();
            let number = again.push_with_id(None, Node::group(), base.next_id() - 1);
            let read = Tree::from_bytes(&again.to_bytes()).unwrap();
            assert_eq!((read.id(number), read.next_id()), (Some(base.next_id() - 1), base.next_id()));
            let text = serde_json::to_string(&tree).unwrap();
            let read = [Tree::from_bytes(&tree.to_bytes()).unwrap(), serde_json::from_str(&text).unwrap()];
            for tree in read.into_iter().chain([tree.patched(&Patch::new()).unwrap()]) {
                assert_eq!((tree.len(), tree.next_id()), (scene.len() - 2, base.next_id()));
                let (mut opened, mut again) = placed(&tree);
                let new = opened.insert(again.root(), Node::group()).unwrap();
                again.assign(&opened).unwrap();
                assert_eq!(again.id(new), Some(base.next_id()));
            }
        }
    }
}

#[test]
fn bytes_of_a_patch_are_read_as_they_were_written_and_changed_ones_are_safe() {
    let mut rng = Rng::with_seed(6);
    let mut refused = 0;
    for round in 0..300 {
        let old = tree(&mut rng, round % 12);
        let patch = between(&old, &edited(&mut rng, &old, round % 9, 0));
        let mut bytes = patch.to_bytes();
        assert_eq!(Patch::from_bytes(&bytes).unwrap().to_bytes(), bytes);
        assert!(Patch::from_bytes(&bytes[..bytes.len() - 1]).is_err());
        assert_eq!(Tree::from_bytes(&bytes), Err(SnapshotError::Kind { found: "Patch" }));
        assert_eq!(Patch::from_bytes(&old.to_bytes()), Err(SnapshotError::Kind { found: "Tree" }));
        let at = rng.usize(32..bytes.len());
        bytes[at] ^= 1 << rng.u8(..8);
        set_checksum(&mut bytes);
        match Patch::from_bytes(&bytes) {
            Ok(changed) => {
                assert_eq!(changed.to_bytes(), bytes);
                if let Ok(new) = old.patched(&changed) {
                    assert_eq!(bits(&new.patched(&changed.inverse()).unwrap()), bits(&old), "{changed:?}");
                }
            }
            Err(error) => {
                refused += 1;
                assert!(matches!(error, SnapshotError::Invalid { .. }), "{error}");
            }
        }
    }
    assert!((20..280).contains(&refused), "{refused}");
}

#[cfg(feature = "serde")]
#[test]
fn text_of_a_patch_and_of_a_tree_with_ids_is_read_as_it_was_written() {
    let mut rng = Rng::with_seed(7);
    for round in 0..100 {
        let old = tree(&mut rng, round % 12);
        let new = edited(&mut rng, &old, round % 9, 0);
        let patch = between(&old, &new);
        let text = serde_json::to_string(&patch).unwrap();
        assert_eq!(serde_json::from_str::<Patch>(&text).unwrap().to_bytes(), patch.to_bytes(), "{text}");
        let again: Tree = serde_json::from_str(&serde_json::to_string(&new).unwrap()).unwrap();
        assert_eq!(bits(&again), bits(&new));
    }
    let mut tree = Tree::new();
    for parent in [None, Some(0), None, Some(0)] {
        tree.push(parent, Node::group());
    }
    let again: Tree = serde_json::from_str(&serde_json::to_string(&tree).unwrap()).unwrap();
    assert_eq!(bits(&again), bits(&tree), "the third node has the id 2, though it is the last in depth-first order");
    for text in [
        r#"[{"id":0,"before":{"name":null},"after":{"material":3}}]"#,
        r#"[{"id":0,"before":{"name":null},"after":{"name":null}}]"#,
        r#"[{"id":0,"before":{"place":null},"after":{"place":null}}]"#,
        r#"[{"id":0,"before":{"place":null},"after":{"place":{"parent":0}}}]"#,
        r#"[{"id":0,"before":{"place":null},"after":{"place":{}}},{"id":1,"before":{"place":null},"after":{"place":{}}}]"#,
        r#"[{"id":1,"before":{"place":null},"after":{"place":{"after":2}}},{"id":2,"before":{"place":null},"after":{"place":{"after":1}}}]"#,
        r#"[{"id":0,"before":{"place":{}},"after":{"place":null}},{"id":0,"before":{"material":null},"after":{"material":3}}]"#,
        r#"[{"id":0,"before":{"local":{"local":null}},"after":{"local":{"local":null,"remainder":[1,1,1]}}}]"#,
        r#"[{"id":0,"before":{"user_data":0},"after":{"user_data":1}},{"id":0,"before":{"user_data":0},"after":{"user_data":2}}]"#,
    ] {
        assert!(serde_json::from_str::<Patch>(text).is_err(), "{text}");
    }
}

#[cfg(feature = "serde")]
#[test]
fn text_of_a_patch_that_a_person_wrote_is_normalised() {
    let read = |text: &str| serde_json::from_str::<Patch>(text);
    let insert = |local: &str| {
        format!(
            r#"[{{"id":0,"before":{{"place":null}},"after":{{"place":{{}}}}}},
            {{"id":0,"before":{{"local":{{"local":null}}}},"after":{{"local":{local}}}}}]"#
        )
    };
    let node = |text: &str| {
        let tree = Tree::new().patched(&read(&insert(text)).unwrap()).unwrap();
        (tree.get(0).unwrap().local, tree.get(0).unwrap().translation_f64)
    };
    let (local, wide) = node(r#"{"local":{"transform":{"translation":[2683141.257,0.1,0],"rotation":[0,0,0,2]}}}"#);
    let place = Vec3::new(2_683_141.3, 0.1, 0.0);
    assert_eq!(local, Some(Transform::from_translation(place).into()));
    assert_eq!(wide.map(|wide| (wide.x * 1e6).round()), Some(2_683_141_257_000.0));
    assert_eq!(wide.map(|wide| wide.y), Some(f64::from(0.1_f32)), "few digits are single precision");
    let matrix = node(r#"{"local":{"matrix":[[1,0,0,5],[0,1,0,0],[0,0,1,0]]}}"#);
    assert_eq!(matrix, (Some(Transform::from_xyz(5.0, 0.0, 0.0).into()), None));
    let old = node(r#"{"local":{"transform":{"translation":[1e7,0,0]}},"remainder":[0.25,0,0]}"#);
    assert_eq!(old.1, Some(DVec3::new(1e7 + 0.25, 0.0, 0.0)));
    let patch = read(&insert(r#"{"local":{"transform":{"translation":[2683141.257,0.1,0]}}}"#)).unwrap();
    let text = serde_json::to_string(&patch).unwrap();
    assert!(text.contains(r#""translation":[2683141.257,0.1,0.0]"#) && !text.contains("remainder"), "{text}");
    let refused = read(&insert(r#"{"local":{"transform":{"rotation":[0,0,0,0]}}}"#)).unwrap_err().to_string();
    assert!(refused.contains("node 0: the rotation is undefined"), "{refused}");
}

#[test]
fn a_reordered_row_moves_as_few_nodes_as_possible() {
    let order: Vec<u64> = (0..100).collect();
    let mut turned = order.clone();
    turned.rotate_left(1);
    turned.swap(40, 60);
    let patch = between(&row(&order), &row(&turned));
    assert_eq!(patch.entries().len(), 3);
    let first = Entry {
        id: 0,
        before: Value::Place(Some(Spot { parent: None, after: None })),
        after: Value::Place(Some(Spot { parent: None, after: Some(99) })),
    };
    assert_eq!(patch.get(0, Field::Place), Some(&first));
    assert_eq!(patch.get(0, Field::Name), None);
}

#[test]
fn an_id_that_comes_back_keeps_its_node_when_a_removed_one_is_used_again() {
    let base = row(&[1, 2]);
    let (mut scene, mut instance) = placed(&base);
    scene.remove(instance.node(1).unwrap()).unwrap();
    let own = scene.insert(scene.root(), Node::group()).unwrap(); // reuses the record of the removed node
    let back = between(&row(&[2]), &base);
    back.apply(&mut scene, &mut instance).unwrap();
    scene.remove(own).unwrap();
    let next = between(&base, &row(&[1, 2, 3]));
    next.apply(&mut scene, &mut instance).unwrap();
    assert_eq!(ids(&instance.tree(&scene).unwrap()), [1, 2, 3]);
    assert!([1, 2, 3].iter().all(|&id| instance.node(id).is_some_and(|node| instance.id(node) == Some(id))));
}
