//! Whole tasks as patches: trees stay as they are, or change as asked, and inverses restore the library.

use crate::acts::{NAMES, check, library, open, statement};
use crate::merge::read;
use crate::model::Model;
use crate::random::seeds;
use fastrand::Rng;
use hedgerow::{Node, Place, Tree};
use hedgerow_document::{At, Entry, Error, Field, Key, Library, Note, Order, Patch, Path, Spot, Value};

/// States values as one patch; the random ones may be refused.
pub(crate) fn state(library: &mut Library, definition: &str, values: Vec<(Path, Value)>) -> Result<(), Error> {
    let entry = |(path, value): (Path, Value)| {
        let key = Key::new(definition, path, value.field());
        Entry { before: library.get(&key).cloned(), key, after: Some(value) }
    };
    let patch = Patch::from_entries(values.into_iter().map(entry).collect())?;
    library.apply(&patch)
}

fn place(parent: impl Into<Path>, order: f64) -> Value {
    Value::Place(Some(Spot::below(parent, order)))
}

/// A random library with overrides that have no effect, dead statements, circles and data of one's own.
fn random_library(rng: &mut Rng) -> Library {
    let wild = rng.bool();
    let mut library = library(rng, wild);
    for _ in 0..rng.usize(0..16) {
        let number = rng.usize(0..NAMES.len());
        let paths = Model::of(&library).tree(NAMES[number]).1;
        if let (path, Some(value)) = statement(rng, &library, number, &paths) {
            // A place below a node inside may be refused.
            _ = state(&mut library, NAMES[number], vec![(path, value)]);
        }
    }
    library
}

fn trees(library: &Library) -> Vec<Tree> {
    NAMES.iter().map(|name| library.tree(name).unwrap()).collect()
}

/// Applies a patch, and checks that its inverse restores the library.
pub(crate) fn applied(library: &Library, patch: &Patch) -> Result<Library, Error> {
    let mut changed = library.clone();
    changed.apply(patch)?;
    let mut restored = changed.clone();
    restored.apply(&patch.inverse()).unwrap();
    assert_eq!(restored, *library);
    Ok(changed)
}

/// One random task that applies, for an open document.
pub(crate) fn task(rng: &mut Rng, library: &Library, definition: &str) -> Option<Patch> {
    let paths = Model::of(library).tree(definition).1;
    let [path, other] = [(); 2].map(|()| rng.choice(&paths).unwrap());
    let patch = match rng.u8(0..4) {
        0 => library.unpack(definition, path),
        1 => library.extract(definition, path, "e"),
        2 => library.push(definition, path, &[Field::Place, Field::Material, Field::Name], rng.usize(1..4)),
        _ => library.paste(
            definition,
            Spot::below(other.clone(), 1.0),
            &library.copy(definition, core::slice::from_ref(path)),
        ),
    };
    patch.ok().filter(|patch| library.clone().apply(patch).is_ok())
}

pub(crate) fn own_nodes(library: &Library, definition: &str) -> Vec<Path> {
    let own = |(path, value): (Path, &Value)| (path.ids().len() == 1 && value.field() == Field::Place).then_some(path);
    library.stated(definition).filter_map(own).collect()
}

#[test]
fn unpacking_and_extracting_keep_all_trees() {
    let mut done = [0; 5];
    for seed in seeds(24) {
        let library = random_library(&mut Rng::with_seed(seed));
        let before = trees(&library);
        for (name, path) in
            NAMES.iter().flat_map(|name| own_nodes(&library, name).into_iter().map(move |at| (name, at)))
        {
            for (number, patch) in [library.unpack(name, &path), library.extract(name, &path, "e")].iter().enumerate() {
                done[2 * number + usize::from(patch.is_ok())] += 1;
                let Ok(patch) = patch else { continue };
                let after = applied(&library, patch).unwrap();
                assert_eq!(trees(&after), before, "seed {seed}, {name} {path}, operation {number}");
                // What is unpacked has no notes but those that its definition and this one had.
                if let (0, [], Some(Value::Use(Some(used)))) =
                    (number, &library.users(name)[..], library.get(&Key::new(*name, path.clone(), Field::Use)))
                {
                    let [had, of_used, has] =
                        [library.notes(name), library.notes(used), after.notes(name)].map(|notes| notes.len());
                    assert!(has <= had + of_used, "seed {seed}, {path}: {:?}", after.notes(name));
                    let there = Model::of(&after).tree(name).1;
                    let mut new = own_nodes(&after, name).into_iter();
                    assert!(
                        new.all(|new| new < library.next_id(name).into() || there.contains(&new)),
                        "seed {seed}, {path}: {:?}",
                        after.notes(name)
                    );
                    done[4] += 1;
                }
            }
        }
    }
    assert!(done.iter().all(|&times| times > 9), "{done:?}");
}

#[test]
fn a_reverted_instance_is_what_it_uses_and_a_removed_node_leaves_nothing() {
    let mut done = [0; 2];
    for seed in seeds(24) {
        let library = random_library(&mut Rng::with_seed(seed));
        for name in NAMES {
            let ((before, paths), notes) = (Model::of(&library).tree(name), library.notes(name));
            for (number, path) in paths.iter().enumerate().filter(|(number, path)| *number > 0 && path.ids().len() == 1)
            {
                let below = subtree(&before, number).len();
                let removed = applied(&library, &library.unstate(name, path, &[Field::Place])).unwrap();
                let rest = |number: usize, (parent, node): (Option<usize>, Node<'_>)| {
                    (format!("{node:?}"), parent.map(|parent| if parent < number { parent } else { parent - below }))
                };
                let kept = before.iter().enumerate().filter(|(at, _)| !(number..number + below).contains(at));
                let kept: Vec<_> = kept.map(|(_, node)| rest(number, node)).collect();
                let found: Vec<_> = removed.tree(name).unwrap().iter().map(|node| rest(usize::MAX, node)).collect();
                assert_eq!(found, kept, "seed {seed}, {name} {path}");

                let reverted = applied(&library, &library.revert(name, path)).unwrap();
                for library in [&removed, &reverted] {
                    assert!(library.notes(name).iter().all(|note| notes.contains(note)), "seed {seed}, {name} {path}");
                }
                done[0] += 1;
                if let Some(Value::Use(Some(used))) = library.get(&Key::new(name, path.clone(), Field::Use)) {
                    let (tree, paths) = Model::of(&reverted).tree(name);
                    let at = paths.iter().position(|other| other == path).unwrap();
                    let nodes = |tree: Tree| tree.iter().skip(1).map(|node| format!("{node:?}")).collect::<Vec<_>>();
                    assert_eq!(
                        nodes(subtree(&tree, at)),
                        nodes(library.tree(used).unwrap()),
                        "seed {seed}, {name} {path}"
                    );
                    done[1] += usize::from(reverted != library);
                }
            }
        }
    }
    assert!(done.iter().all(|&times| times > 9), "{done:?}");
}

/// Returns whether no definition is used twice in a definition.
fn uses_once(library: &Library, definition: &str) -> bool {
    let mut found = vec![definition.to_string()];
    let mut at = 0;
    while at < found.len() {
        for (_, value) in library.stated(&found[at].clone()) {
            if let Value::Use(Some(name)) = value {
                if found.iter().any(|other| **other == **name) {
                    return false;
                }
                found.push(name.to_string());
            }
        }
        at += 1;
    }
    true
}

#[test]
fn pushed_statements_keep_their_values_and_show_in_other_instances() {
    let mut done = [0; 4];
    for seed in seeds(120) {
        let rng = &mut Rng::with_seed(seed);
        let library = random_library(rng);
        for name in NAMES {
            let (once, before) = (uses_once(&library, name), library.tree(name).unwrap());
            for path in Model::of(&library).tree(name).1 {
                let (level, first) = (rng.usize(0..4), rng.usize(0..2));
                let fields = &[Field::Place, Field::Material, Field::Name, Field::Own(3)][first..];
                let Ok(patch) = library.push(name, &path, fields, level) else {
                    done[0] += 1;
                    continue;
                };
                let after = applied(&library, &patch).unwrap();
                done[1 + usize::from(!patch.is_empty())] += 1;
                if once {
                    done[3] += usize::from(!patch.is_empty());
                    assert_eq!(after.tree(name).unwrap(), before, "seed {seed}, {name} {path} to {level}");
                }
                for &field in &fields[1 - first..] {
                    let expected = library.value(name, &path, field).map(|(value, by)| (value, by.max(level)));
                    assert_eq!(after.value(name, &path, field), expected, "seed {seed}, {name} {path} to {level}");
                }
            }
        }
    }
    assert!(done.iter().all(|&times| times > 9), "{done:?}");
}

#[test]
fn a_renamed_definition_keeps_its_users() {
    for seed in seeds(16) {
        let library = random_library(&mut Rng::with_seed(seed));
        let before = trees(&library);
        for (number, name) in NAMES.iter().enumerate() {
            let after = applied(&library, &library.rename(name, "e").unwrap()).unwrap();
            assert!(after.tree(name).is_err() && library.rename(name, NAMES[(number + 1) % 4]).is_err());
            let found = NAMES.iter().map(|name| after.tree(name).or_else(|_| after.tree("e")).unwrap());
            assert_eq!(found.collect::<Vec<_>>(), before, "seed {seed}, {name}");
        }
    }
}

/// Returns a node and all below it.
fn subtree(tree: &Tree, top: usize) -> Tree {
    let mut found = Tree::new();
    for (number, (parent, node)) in tree.iter().enumerate().skip(top) {
        if number > top && parent.is_none_or(|parent| parent < top) {
            break;
        }
        found.push(parent.filter(|_| number > top).map(|parent| parent - top), node);
    }
    found
}

/// Returns the numbers of a node's children.
fn children(tree: &Tree, parent: usize) -> Vec<usize> {
    (0..tree.len()).filter(|&number| tree.parent(number) == Some(parent)).collect()
}

#[test]
fn copies_equal_what_was_copied_and_stand_where_they_are_pasted() {
    let mut done = [0; 3];
    for seed in seeds(50) {
        let rng = &mut Rng::with_seed(seed);
        let libraries = [random_library(rng), random_library(rng)];
        let from = &libraries[0];
        for (name, library) in NAMES.iter().flat_map(|name| libraries.iter().map(move |library| (*name, library))) {
            let (tree, paths) = Model::of(from).tree(name);
            let given: Vec<Path> = (0..rng.u8(1..4)).map(|_| rng.choice(&paths).unwrap().clone()).collect();
            let mut numbers: Vec<usize> = Vec::new();
            for path in &given {
                numbers.extend(paths.iter().position(|other| other == path).filter(|number| !numbers.contains(number)));
            }
            let is_below = |number: usize, top: usize| (top + 1..top + subtree(&tree, top).len()).contains(&number);
            let tops = numbers.iter().filter(|&&number| !numbers.iter().any(|&top| is_below(number, top)));
            let expected: Vec<Tree> = tops.map(|&top| subtree(&tree, top)).collect();
            let subtrees = |tree: &Tree, tops: &[usize]| tops.iter().map(|&top| subtree(tree, top)).collect::<Vec<_>>();

            let copy = from.copy(name, &given);
            let copied = copy.tree(name).unwrap();
            assert_eq!(subtrees(&copied, &children(&copied, 0)), expected, "seed {seed}, {name} {given:?}");
            assert!(!copy.notes(name).iter().any(|note| matches!(note, Note::Missing { .. })), "seed {seed}, {name}");

            let target = *rng.choice(&NAMES).unwrap();
            let (before, places) = Model::of(library).tree(target);
            let at = rng.usize(0..before.len());
            let (beside, parent) = (children(&before, at), places[at].clone());
            let index = rng.usize(0..=beside.len());
            let sibling = |index: usize| beside.get(index).map(|&number| places[number].clone());
            let (place, start) = match (rng.u8(0..7), sibling(index), index.checked_sub(1).and_then(sibling)) {
                (0, ..) => (At::Place(Place::FirstChildOf(parent)), Some(0)),
                (1, ..) => (At::Place(Place::LastChildOf(parent)), Some(beside.len())),
                (2, ..) => (At::Place(Place::Child(parent, index)), Some(index)),
                (3, Some(next), _) => (At::Place(Place::Before(next)), Some(index)),
                (4, _, Some(last)) => (At::Place(Place::After(last)), Some(index)),
                _ => (At::Spot(Spot::below(parent, f64::from(rng.u8(0..3)))), None),
            };
            let after = match applied(library, &library.paste(target, place, &copy).unwrap()) {
                Err(Error::Use { .. }) => {
                    done[0] += 1;
                    continue;
                }
                after => after.unwrap(),
            };
            let (pasted, paths) = (after.tree(target).unwrap(), Model::of(&after).tree(target).1);
            let parent = paths.iter().position(|path| *path == places[at]).unwrap();
            let beside = children(&pasted, parent);
            let is_new =
                |number: &usize| paths[*number].ids().len() == 1 && paths[*number].ids()[0] >= library.next_id(target);
            let found = beside.iter().position(is_new).unwrap();
            let start = start.unwrap_or(found);
            let new = &beside[start..start + expected.len()];
            assert_eq!(subtrees(&pasted, new), expected, "seed {seed}, {name} {given:?} in {target}");
            let ids = (library.next_id(target)..).map(Path::from);
            assert!(ids.zip(new).all(|(id, &top)| paths[top] == id), "seed {seed}, {name} {given:?} in {target}");
            let rest =
                |number: &usize| !new.iter().any(|&top| (top..top + subtree(&pasted, top).len()).contains(number));
            let nodes = |tree: &Tree, numbers: &[usize]| {
                numbers.iter().map(|&number| format!("{:?}", tree.get(number).unwrap())).collect::<Vec<_>>()
            };
            let (rest, all): (Vec<usize>, Vec<usize>) =
                ((0..pasted.len()).filter(rest).collect(), (0..before.len()).collect());
            assert_eq!(nodes(&pasted, &rest), nodes(&before, &all), "seed {seed}, {name} {given:?} in {target}");
            // What is not pasted into, and uses nothing that is, stays as it is.
            let later = NAMES.iter().position(|name| *name == target).unwrap() + 1;
            assert_eq!(trees(&after)[later..], trees(library)[later..], "seed {seed}, {name}");
            done[if core::ptr::eq(from, library) { 1 } else { 2 }] += 1;
        }
    }
    assert!(done.iter().all(|&times| times > 9), "{done:?}");
}

/// A wheel with a tyre, a red wheel, a car with two wheels and a valve at the tyre of the second, and a street.
pub(crate) fn street() -> Library {
    read(
        r#""wheel": {"nodes": [{"id": 0, "name": "wheel", "transform": {"translation": [1, 0, 0]}},
            {"id": 1, "parent": 0, "name": "tyre", "material": 1}, {"id": 2, "parent": 0, "name": "bolt", "material": 1}]},
        "red": {"nodes": [{"id": 0, "name": "red", "use": "wheel"}], "overrides": [{"at": [0, 1], "material": 3}]},
        "car": {"nodes": [{"id": 0, "name": "car"}, {"id": 1, "parent": 0, "use": "wheel"},
            {"id": 2, "parent": 0, "use": "red"}, {"id": 3, "parent": [2, 0, 1], "name": "valve"}]},
        "street": {"nodes": [{"id": 0, "name": "street"}, {"id": 5, "parent": 0, "use": "car"}],
            "overrides": [{"at": [5, 1, 2], "material": null}]}"#,
    )
}

/// Returns names, indented by depth.
fn outline(library: &Library, definition: &str) -> String {
    let mut depths: Vec<usize> = Vec::new();
    let tree = library.tree(definition).unwrap();
    let line = |(parent, node): (Option<usize>, Node<'_>)| {
        depths.push(parent.map_or(0, |parent| depths[parent] + 1));
        format!("{}{} ", ">".repeat(depths[depths.len() - 1]), node.name.unwrap_or("-"))
    };
    tree.iter().map(line).collect::<String>().trim_end().to_string()
}

#[test]
fn a_push_names_parents_from_its_level_and_refuses_what_it_cannot_name() {
    let mut library = street();
    let [tyre, bolt] = [[5, 1, 1], [5, 1, 2]].map(Path::from);
    state(&mut library, "street", vec![(bolt.clone(), place(tyre, 2.0)), (5.into(), Value::Material(Some(9)))])
        .unwrap();
    let push = |path: &Path, field, level| library.push("street", path, &[field], level);
    let own = applied(&library, &push(&bolt, Field::Place, 2).unwrap()).unwrap();
    assert_eq!(own.get(&Key::new("wheel", 2, Field::Place)), Some(&place(1, 2.0)));
    assert_eq!(outline(&own, "wheel"), "wheel >tyre >>bolt");
    let car = applied(&library, &push(&bolt, Field::Place, 1).unwrap()).unwrap();
    assert_eq!(car.get(&Key::new("car", [1, 2], Field::Place)), Some(&place([1, 1], 2.0)));
    let root = applied(&library, &push(&5.into(), Field::Material, 1).unwrap()).unwrap();
    assert_eq!(root.get(&Key::new("car", 0, Field::Material)), Some(&Value::Material(Some(9))));
    let refused = |found| assert!(matches!(found, Err(Error::Invalid { .. })), "{found:?}");
    refused(push(&5.into(), Field::Use, 1));
    refused(push(&5.into(), Field::Place, 1));
    refused(push(&bolt, Field::Material, 3));
    refused(push(&[5, 9].into(), Field::Material, 0));
    let mut library = library.clone();
    state(&mut library, "street", vec![(bolt.clone(), place(5, 0.0))]).unwrap();
    refused(library.push("street", &bolt, &[Field::Place], 1));
    // The place of a removed node is unstated where it is an own node.
    state(&mut library, "street", vec![(bolt.clone(), Value::Place(None))]).unwrap();
    library.apply(&library.push("street", &bolt, &[Field::Place], 2).unwrap()).unwrap();
    assert_eq!(outline(&library, "wheel"), "wheel >tyre");
    assert!(library.notes("wheel").is_empty());
}

#[test]
fn a_variant_unpacks_to_its_use_and_what_users_state_follows() {
    let library = street();
    let expected = outline(&library, "street");
    assert_eq!(expected, "street >car >>wheel >>>tyre >>>bolt >>red >>>tyre >>>>valve >>>bolt");
    let unpacked = applied(&library, &library.unpack("car", &2.into()).unwrap()).unwrap();
    assert_eq!(unpacked.get(&Key::new("car", [2, 1], Field::Material)), Some(&Value::Material(Some(3))));
    assert_eq!(unpacked.get(&Key::new("car", 3, Field::Place)), Some(&place([2, 1], 0.0)));
    let unpacked = applied(&unpacked, &unpacked.unpack("car", &1.into()).unwrap()).unwrap();
    assert_eq!(unpacked.get(&Key::new("street", [5, 6], Field::Material)), Some(&Value::Material(None)), "the bolt");
    assert_eq!(trees_of(&unpacked), trees_of(&library));
    let extracted = applied(&unpacked, &unpacked.extract("car", &1.into(), "left").unwrap()).unwrap();
    assert_eq!(extracted.get(&Key::new("street", [5, 1, 6], Field::Material)), Some(&Value::Material(None)));
    assert_eq!((outline(&extracted, "left").as_str(), trees_of(&extracted)), ("wheel >tyre >bolt", trees_of(&library)));
    // What its use placed below a node that is not there is not there, either, and has no note of its own.
    let mut circle = library.clone();
    state(&mut circle, "red", vec![([0, 2].into(), place([0, 1], 0.0))]).unwrap();
    state(&mut circle, "car", vec![([2, 0, 1].into(), place([2, 0, 1], 0.0))]).unwrap();
    let unpacked = applied(&circle, &circle.unpack("car", &2.into()).unwrap()).unwrap();
    assert_eq!(unpacked.notes("car").len(), circle.notes("car").len());
    // A use that a user overrides stays.
    let mut swapped = library.clone();
    state(&mut swapped, "street", vec![([5, 1].into(), Value::Use(Some("red".into())))]).unwrap();
    assert!(matches!(swapped.unpack("car", &1.into()), Err(Error::Invalid { .. })));
    let extracted = applied(&swapped, &swapped.extract("car", &1.into(), "left").unwrap()).unwrap();
    assert_eq!(trees_of(&extracted), trees_of(&swapped));
    assert!(library.unpack("street", &[5, 1].into()).is_err() && library.unpack("car", &0.into()).is_err());
    assert!(
        library.extract("street", &[5, 1].into(), "left").is_err() && library.extract("car", &1.into(), "red").is_err()
    );
    // A use of what is missing would show what is extracted; what gets the name on purpose is shown.
    let mut missing = library.clone();
    state(&mut missing, "wheel", vec![(1.into(), Value::Use(Some("left".into())))]).unwrap();
    assert!(matches!(missing.extract("car", &1.into(), "left"), Err(Error::Invalid { .. })));
    let spare = applied(&missing, &missing.define("spare", &missing.tree("wheel").unwrap()).unwrap()).unwrap();
    let renamed = applied(&spare, &spare.rename("spare", "left").unwrap()).unwrap();
    assert_eq!(outline(&renamed, "wheel"), "wheel >tyre >>tyre >>bolt >bolt");
}

#[test]
fn no_new_node_gets_an_id_that_another_definition_names() {
    let dead = |id: u64| ([5, id].into(), Value::Place(None));
    let mut library = street();
    state(&mut library, "street", [4, 5, 6, 7].map(dead).to_vec()).unwrap();
    let unpacked = applied(&library, &library.unpack("car", &2.into()).unwrap()).unwrap();
    assert_eq!((library.next_id("car"), library.next_id("street"), trees_of(&unpacked)), (8, 6, trees_of(&library)));
    let (mut scene, mut document) = open(library.clone(), "street");
    scene.insert(document.node(&scene, &5.into()).unwrap(), Node::group()).unwrap();
    document.commit_in(&mut scene, &5.into()).unwrap();
    check(&document, &scene, "edited in place");
    assert_eq!(document.library().tree("street").unwrap().len(), library.tree("street").unwrap().len() + 1);
    // Nor one that an undo may name again.
    let mut again = library.clone();
    state(&mut again, "street", vec![([5, 1, 30].into(), Value::Place(None))]).unwrap();
    again.apply(&again.unstate("street", &[5, 1, 30].into(), &[Field::Place])).unwrap();
    assert_eq!(again.next_id("car"), 31);
    // One far id takes none of those before it; nor does an own node with one that is never given.
    let (last, chosen) = ((1 << 47) - 3, [1 << 47, (1 << 48) - 2]);
    state(&mut library, "street", vec![dead(last), dead(20), dead(1 << 33), dead(chosen[0]), dead(chosen[1])]).unwrap();
    state(&mut library, "car", chosen.map(|id| (id.into(), place(0, 0.0))).to_vec()).unwrap();
    assert_eq!((library.next_id("car"), library.unpack("car", &2.into()).map(drop)), (21, Ok(())));
    state(&mut library, "car", vec![(last.into(), place(0, 0.0))]).unwrap();
    state(&mut library, "street", vec![dead(5 | 1 << 48)]).unwrap();
    assert_eq!(library.unpack("car", &2.into()), Err(Error::NoIds));
    library.set_writer(u16::MAX);
    assert!(library.unpack("car", &2.into()).is_ok());
}

fn trees_of(library: &Library) -> Vec<Tree> {
    ["wheel", "red", "car", "street"].map(|name| library.tree(name).unwrap()).to_vec()
}

#[test]
fn pasted_definitions_with_other_contents_get_new_names_and_siblings_make_room() {
    let library = street();
    let copy = library.copy("street", &[[5, 2, 0, 1].into(), [5, 1].into(), [5, 2, 0, 1].into(), [5, 1, 2].into()]);
    assert_eq!(outline(&copy, "street"), "- >tyre >>valve >wheel >>tyre >>bolt");
    let mut other = street();
    state(&mut other, "wheel", vec![(2.into(), Value::Name(Some("nut".into())))]).unwrap();
    let step = 0.5_f64.powi(20);
    // The name of what is missing is not free: six would show what gets it.
    let six = [place(0, step), Value::Name(Some("six".into())), Value::Use(Some("wheel 2".into()))];
    state(&mut other, "street", six.map(|value| (6.into(), value)).to_vec()).unwrap();
    for (times, root) in [(1, 3), (2, 5)] {
        let patch = other.paste("street", Spot::below(0, 0.0), &copy).unwrap();
        other = applied(&other, &patch).unwrap();
        let names: Vec<&str> = other.definitions().collect();
        assert_eq!(names, ["car", "red", "street", "wheel", "wheel 3"], "the second paste finds its wheel");
        assert_eq!(outline(&other, "street").matches(">wheel >>tyre >>bolt").count(), times);
        assert_eq!(children(&other.tree("street").unwrap(), 0).len(), root + 1, "{}", outline(&other, "street"));
        assert!(outline(&other, "street").ends_with(">six"));
    }
    assert!(
        matches!(other.get(&Key::new("street", 6, Field::Place)), Some(Value::Place(Some(Spot { order, .. }))) if *order > Order::from(step))
    );
    let refused = |at: At| {
        for found in [other.paste("street", at.clone(), &copy), other.place("street", at, "wheel", Node::group())] {
            assert!(matches!(found, Err(Error::Invalid { .. })));
        }
    };
    refused(Spot::ROOT.into());
    refused(Spot::below(77, 0.0).into());
    refused(Spot::below([5, 77], 0.0).into());
    refused(Place::Detached.into());
    refused(Place::After(0.into()).into());
    refused(Place::Child(0.into(), 99).into());
    // However often nodes go to one place.
    for number in 0..60 {
        let id = Path::from(other.next_id("street"));
        let patch = other.place("street", Place::After(6.into()), "red", Node::material(number)).unwrap();
        other = applied(&other, &patch).unwrap();
        let (tree, paths) = Model::of(&other).tree("street");
        let beside: Vec<&Path> = children(&tree, 0).into_iter().map(|number| &paths[number]).collect();
        let six = beside.iter().position(|path| **path == 6.into()).unwrap();
        assert_eq!(beside[six + 1], &id);
    }
    assert_eq!(library.copy("nothing", &[0.into()]), Library::new());
    assert!(other.paste("street", Spot::below(0, 0.0), &Library::new()).unwrap().is_empty());
}
