//! Steps: across definitions, in any order, with labels, and as what others follow.

use crate::acts::{NAMES, check, edit, library, open};
use crate::merge::read;
use crate::model::Model;
use crate::operations::{own_nodes, state, street};
use crate::random::seeds;
use fastrand::Rng;
use hedgerow::{Keep, Node, NodeHandle, Scene, Tree};
use hedgerow_document::{Document, Error, Library, Patch, Path, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Sets the material of a node, and returns the patch of the step.
fn paint(document: &mut Document, scene: &mut Scene, path: impl Into<Path>, material: u32) -> Patch {
    let node = document.node(scene, &path.into()).unwrap();
    scene.edit(node).unwrap().set_material(material);
    document.commit(scene).unwrap().clone()
}

fn labels(document: &Document) -> Vec<Option<&str>> {
    document.history().done().iter().map(|step| step.label()).collect()
}

#[test]
fn a_history_goes_from_a_document_to_one_of_another_definition_and_back() {
    for seed in seeds(3) {
        let dice = &mut Rng::with_seed(seed);
        let start = library(dice, seed % 2 == 0);
        let (mut scene, mut document) = open(start.clone(), "a");
        let mut states = vec![start];
        for definition in ["a", "b", "a", "c", "b"] {
            let (library, history) = (document.library().clone(), core::mem::take(document.history_mut()));
            (scene, document) = open(library, definition);
            *document.history_mut() = history;
            for _ in 0..4 {
                edit(dice, &mut scene, document.root(), 3);
                if !document.commit(&mut scene).unwrap().is_empty() {
                    states.push(document.library().clone());
                }
            }
            assert_eq!(document.history().done().len(), states.len() - 1);
            // Some are undone by another document than made them, and made again.
            let count = 6.min(states.len() - 1);
            for way in [Document::undo, Document::redo] {
                for _ in 0..count {
                    way(&mut document, &mut scene).unwrap().unwrap();
                    check(&document, &scene, &format!("seed {seed}, in {definition}"));
                }
            }
        }
        for before in states.iter().rev().skip(1) {
            document.undo(&mut scene).unwrap().unwrap();
            assert_eq!(document.library(), before, "seed {seed}");
        }
        assert_eq!((document.undo(&mut scene).unwrap(), document.history().undone().len()), (None, states.len() - 1));
        check(&document, &scene, "all undone");
    }
}

#[test]
fn an_undo_that_would_remove_the_open_definition_changes_nothing() {
    let (mut scene, mut document) = open(street(), "street");
    let made = document.library().extract("street", &5.into(), "bench").unwrap();
    document.apply(&mut scene, &made).unwrap();
    let history = core::mem::take(document.history_mut());
    let (mut scene, mut document) = open(document.library().clone(), "bench");
    *document.history_mut() = history;
    let before = document.library().clone();
    assert!(matches!(document.undo(&mut scene), Err(Error::Invalid { .. })));
    assert_eq!((document.library(), document.history().done().len()), (&before, 1));
    // A history of another library is refused, too.
    let (mut scene, mut other) = open(street(), "street");
    core::mem::swap(other.history_mut(), document.history_mut());
    assert!(matches!(other.undo(&mut scene), Err(Error::State(_))));
    check(&other, &scene, "refused");
}

#[test]
fn a_label_stays_with_its_step() {
    let (mut scene, mut document) = open(street(), "street");
    document.set_label("nothing");
    paint(&mut document, &mut scene, [5, 1, 1], 70);
    document.set_label("Paint");
    // A drag: the first label stays until a later one comes.
    for material in 71..74 {
        paint(&mut document, &mut scene, [5, 1, 2], material);
        if material == 71 {
            document.set_label("Drag");
        } else {
            document.amend();
        }
    }
    assert_eq!(labels(&document), [Some("Paint"), Some("Drag")]);
    paint(&mut document, &mut scene, [5, 1, 2], 80);
    document.set_label("Drag further");
    document.amend();
    document.undo(&mut scene).unwrap();
    let undone = document.history().undone();
    assert_eq!((undone.len(), undone[0].label()), (1, Some("Drag further")));
    document.redo(&mut scene).unwrap();
    assert_eq!(labels(&document), [Some("Paint"), Some("Drag further")]);
    // Pending edits become a step without a label.
    let tyre = document.node(&scene, &[5, 1, 1].into()).unwrap();
    scene.edit(tyre).unwrap().set_material(90);
    let patch = document.library().state("street", [5, 1], Value::UserData(7)).unwrap();
    document.apply(&mut scene, &patch).unwrap();
    document.set_label("Apply");
    assert_eq!(labels(&document), [Some("Paint"), Some("Drag further"), None, Some("Apply")]);
    assert_eq!(document.history().done()[3].patch(), &patch);
    document.forget(1);
    assert_eq!(labels(&document), [Some("Apply")]);
}

#[test]
fn a_step_that_was_taken_back_already_is_taken_back_without_a_second_node() {
    let (mut library, mut tree) = (Library::new(), Tree::new());
    let top = tree.push(None, Node::group());
    for material in [1, 2] {
        tree.push(Some(top), Node::material(material));
    }
    library.apply(&library.define("level", &tree).unwrap()).unwrap();
    let (mut scene, mut document) = open(library, "level");
    let node = document.node(&scene, &2.into()).unwrap();
    scene.remove(node).unwrap();
    document.commit(&mut scene).unwrap();
    for material in [3, 4] {
        document.undo_step(&mut scene, 0).unwrap();
        check(&document, &scene, "it is back");
        assert_eq!(document.library().tree("level").unwrap().len(), 3);
        paint(&mut document, &mut scene, 2, material);
    }
}

#[test]
fn what_was_stated_since_stays_when_a_step_is_taken_back() {
    for followed in [false, true] {
        let (mut scene, mut document) = open(street(), "street");
        let (at, start) = (Path::from([5, 1, 1]), document.library().clone());
        let tyre = document.node(&scene, &at).unwrap();
        let [kept, lost] = [(); 2].map(|()| scene.insert(tyre, Node::group()).unwrap());
        scene.edit(tyre).unwrap().set_material(70).set_user_data(5);
        document.commit(&mut scene).unwrap();
        let kept = document.path(&scene, kept).unwrap();
        for path in [&at, &kept] {
            if followed {
                let theirs = document.library().state("street", path.clone(), Value::Material(Some(99))).unwrap();
                document.follow(&mut scene, &theirs).unwrap();
            } else {
                paint(&mut document, &mut scene, path.clone(), 99);
            }
        }
        let before = document.library().clone();
        let undone = if followed { document.undo(&mut scene) } else { document.undo_step(&mut scene, 0) };
        undone.unwrap().unwrap();
        check(&document, &scene, "undone");
        let node = scene.get(tyre).unwrap();
        assert_eq!((node.own_material(), node.user_data()), (Some(99), 0));
        assert!(document.node(&scene, &kept).is_some() && !scene.contains(lost));
        if followed {
            assert_eq!(document.undo(&mut scene).unwrap(), None);
            document.redo(&mut scene).unwrap().unwrap();
        } else {
            assert_eq!(document.undo_step(&mut scene, 4).unwrap(), None);
            document.undo(&mut scene).unwrap().unwrap();
        }
        assert_eq!(*document.library(), before);
        if !followed {
            (0..3).rev().for_each(|number| _ = document.undo_step(&mut scene, number).unwrap().unwrap());
            assert_eq!((document.library(), document.history().done().len()), (&start, 6));
        }
    }
}

#[test]
fn a_step_that_others_hide_is_whole_again_when_they_take_theirs_back() {
    let (mut scene, mut document) = open(street(), "street");
    let (at, start) = (Path::from([5, 1, 1]), document.library().clone());
    paint(&mut document, &mut scene, at.clone(), 70);
    let done = document.library().clone();
    let theirs = document.library().state("street", at, Value::Material(Some(99))).unwrap();
    document.follow(&mut scene, &theirs).unwrap();
    for way in [Document::undo, Document::redo].repeat(2) {
        assert_eq!(way(&mut document, &mut scene).unwrap(), Some(Patch::new()), "theirs hides it");
    }
    paint(&mut document, &mut scene, [5, 1, 2], 60);
    document.amend();
    assert_eq!(document.history().done().len(), 2, "theirs came between");
    document.undo(&mut scene).unwrap();
    document.follow(&mut scene, &theirs.inverse()).unwrap();
    for (way, library) in [(Document::undo as fn(&mut _, &mut _) -> _, &start), (Document::redo, &done)].repeat(2) {
        way(&mut document, &mut scene).unwrap().unwrap();
        assert_eq!(document.library(), library);
        check(&document, &scene, "whole again");
    }
}

#[test]
fn what_others_state_alike_while_a_step_is_undone_stays_when_it_is_undone_again() {
    let (mut scene, mut document) = open(street(), "street");
    let at = Path::from([5, 1, 1]);
    paint(&mut document, &mut scene, at.clone(), 70);
    document.undo(&mut scene).unwrap();
    let theirs = document.library().state("street", at, Value::Material(Some(70))).unwrap();
    document.follow(&mut scene, &theirs).unwrap();
    let after = document.library().clone();
    for way in [Document::redo, Document::undo].repeat(2) {
        assert_eq!(way(&mut document, &mut scene).unwrap(), Some(Patch::new()), "theirs is the same");
        assert_eq!(*document.library(), after);
    }
}

#[test]
fn what_was_followed_stays_known_when_steps_are_joined() {
    let (mut scene, mut document) = open(street(), "street");
    paint(&mut document, &mut scene, [5, 1, 1], 50);
    paint(&mut document, &mut scene, [5, 1, 2], 60);
    document.follow(&mut scene, &Patch::new()).unwrap();
    paint(&mut document, &mut scene, [5, 1, 2], 61);
    document.amend();
    assert_eq!(document.history().done().len(), 2, "an empty patch is none");
    // The second step is joined with one that takes it back.
    let undo = document.history().done()[1].patch().inverse();
    document.apply(&mut scene, &undo).unwrap();
    let theirs = document.library().state("street", [5, 1, 1], Value::Material(Some(99))).unwrap();
    document.follow(&mut scene, &theirs).unwrap();
    document.amend();
    assert_eq!(document.history().done().len(), 1);
    document.undo(&mut scene).unwrap().unwrap();
    check(&document, &scene, "what was followed stays");
    let tyre = document.node(&scene, &[5, 1, 1].into()).unwrap();
    assert_eq!(scene.get(tyre).unwrap().own_material(), Some(99));
}

#[test]
fn a_selected_node_is_found_after_all_that_happens_to_its_step() {
    let (library, old) = (street(), Path::from([5, 1, 1]));
    // No node ever had this path: the root of the car is 5.
    let (scene, document) = open(library.clone(), "street");
    assert!(document.node(&scene, &[5, 0].into()).is_some() && document.find(&scene, &[5, 0].into()).is_none());
    let is_tyre = |document: &Document, scene: &Scene, path: &Path| {
        document.find(scene, path).is_some_and(|node| scene.get(node).unwrap().name() == Some("tyre"))
    };
    for case in 0..7 {
        let (mut scene, mut document) = open(library.clone(), "street");
        let [tyre, car] = [&old, &5.into()].map(|path| document.node(&scene, path).unwrap());
        if case == 2 {
            paint(&mut document, &mut scene, 5, 70);
        }
        // Out of its wheel: into the car, which states it if that is edited in place.
        scene.reparent(tyre, car, Keep::Local).unwrap();
        if case < 2 {
            let use_ = if case == 0 { Path::from(5) } else { [5, 2].into() };
            document.commit_in(&mut scene, &use_).unwrap();
        } else {
            document.commit(&mut scene).unwrap();
        }
        let place = scene.children(car).next_back().unwrap();
        let new = document.path(&scene, place).unwrap();
        assert!(new != old && new.ids().len() == if case == 0 { 2 } else { 1 }, "{new}");
        paint(&mut document, &mut scene, new.clone(), 70);
        match case {
            2 => [(); 2].into_iter().for_each(|()| document.amend()),
            3 => _ = document.undo_step(&mut scene, 0).unwrap().unwrap(),
            4 => {
                let (library, history) = (document.library().clone(), core::mem::take(document.history_mut()));
                (scene, document) = open(library.clone(), "car");
                *document.history_mut() = history;
                assert!(document.find(&scene, &old).is_none() && document.find(&scene, &new).is_none());
                let history = core::mem::take(document.history_mut());
                (scene, document) = open(library, "street");
                *document.history_mut() = history;
            }
            5 => {
                document.forget(1);
                assert!(document.find(&scene, &old).is_none() && is_tyre(&document, &scene, &new));
                continue;
            }
            6 => {
                [(); 2].into_iter().for_each(|()| _ = document.undo(&mut scene).unwrap());
                let again = document.history().undone()[1].patch().inverse();
                document.apply(&mut scene, &again).unwrap();
            }
            _ => {}
        }
        assert!([&old, &new].into_iter().all(|path| is_tyre(&document, &scene, path)), "{case}");
        while document.undo(&mut scene).unwrap().is_some() {
            assert!([&old, &new].into_iter().all(|path| is_tyre(&document, &scene, path)), "{case}");
        }
        assert_eq!(*document.library(), library);
    }
}

#[test]
fn nodes_that_leave_an_instance_in_an_instance_are_found_in_the_definition_that_gets_them() {
    let used = |name: &str, uses: &str| {
        format!(r#""{name}": {{"nodes": [{{"id": 0}}, {{"id": 1, "parent": 0, "name": "in {name}"{uses}}}]}}"#)
    };
    let uses = [("a", r#", "use": "b""#), ("b", r#", "use": "c""#), ("c", r#", "use": "d""#)];
    let uses = uses.map(|(name, uses)| used(name, uses)).join(", ");
    let leaf = used("d", r#"}, {"id": 2, "parent": 0"#);
    let (mut scene, mut document) = open(read(&format!("{uses}, {leaf}")), "a");
    let paths = [Path::from(1), [1, 1, 1].into(), [1, 1, 1, 1].into(), [1, 1, 1, 2].into()];
    let [top, outer, inner, leaf] = [0, 1, 2, 3].map(|number| document.node(&scene, &paths[number]).unwrap());
    scene.insert(leaf, Node::group().with_name("new")).unwrap();
    // The inner one leaves what the outer one uses, which has left already and has an id of the open definition.
    for node in [outer, inner] {
        scene.reparent(node, top, Keep::Local).unwrap();
    }
    let tree = scene.copy_tree(top).unwrap();
    document.commit_in(&mut scene, &paths[0]).unwrap();
    assert_eq!(scene.copy_tree(top).unwrap(), tree, "what is new is still below the leaf");
    let is_new = |node: &NodeHandle| scene.get(*node).unwrap().name() == Some("new");
    let new = document.path(&scene, below(&scene, top).into_iter().find(is_new).unwrap()).unwrap();
    for way in [Document::undo, Document::redo] {
        for (path, name) in paths[1..3].iter().zip(["in c", "in d"]) {
            let found = document.find(&scene, path).and_then(|node| scene.get(node)).and_then(|node| node.name());
            assert_eq!(found, Some(name), "{path}");
        }
        way(&mut document, &mut scene).unwrap().unwrap();
    }
    // The ids of the open definition that they had in between name other nodes.
    let inverse = document.history().done()[0].patch().inverse();
    document.apply(&mut scene, &inverse).unwrap();
    for _ in 0..3 {
        scene.insert(top, Node::group()).unwrap();
    }
    document.commit(&mut scene).unwrap();
    assert_eq!(document.find(&scene, &new), None);
}

#[test]
fn no_old_path_finds_a_node_of_another_definition() {
    let mut library = street();
    // Has no effect: what a root uses is stated for the node that it is.
    state(&mut library, "street", vec![([5, 2, 0].into(), Value::Use(None))]).unwrap();
    for (amended, old, at, uses, other) in [
        (false, Path::from([5, 1, 2]), Path::from(7), "car", Path::from([7, 2])),
        (true, [5, 1].into(), 5.into(), "wheel", 7.into()),
        (true, [5, 1, 1].into(), [5, 1].into(), "car", [7, 1].into()),
    ] {
        let (mut scene, mut document) = open(library.clone(), "street");
        let unpack = |document: &mut Document, scene: &mut Scene| {
            let patch = document.library().unpack("street", &5.into()).unwrap();
            document.apply(scene, &patch).unwrap();
        };
        if !amended {
            unpack(&mut document, &mut scene);
            for (old, new) in [(&old, Path::from([7, 2])), (&[5, 2, 0, 1].into(), [8, 0, 1].into())] {
                let found = document.find(&scene, old);
                assert!(found.is_some() && found == document.node(&scene, &new), "{old}");
            }
        }
        // What is used now has a node of the same id.
        let swap = document.library().state("street", at, Value::Use(Some(uses.into()))).unwrap();
        document.apply(&mut scene, &swap).unwrap();
        if amended {
            unpack(&mut document, &mut scene);
            document.amend();
        }
        assert!(document.node(&scene, &other).is_some() && document.find(&scene, &old).is_none(), "{old}");
        document.undo(&mut scene).unwrap();
        assert!(document.find(&scene, &old).is_some());
    }
}

/// Who a node is, whatever its path is now: the ids that led to it when it came, each with its definition.
type Identity = Vec<(String, u64)>;

/// The nodes of a document, and which of them ever had a path.
#[derive(Default)]
struct Identities {
    now: Vec<(NodeHandle, Path, Identity)>,
    ever: BTreeMap<Path, BTreeSet<Identity>>,
    /// By path: through other definitions, the same ids name another node.
    last: BTreeMap<Vec<(String, u64)>, Identity>,
    /// When nodes came first, and when paths were there last.
    came: BTreeMap<Identity, usize>,
    seen: BTreeMap<Path, usize>,
}

impl Identities {
    /// Notes the tree after an act. A node is the one that it is the `same` as; or the one that had its handle, or its
    /// path; or it is inside of another.
    fn note(&mut self, act: usize, document: &Document, scene: &Scene, same: &BTreeMap<NodeHandle, NodeHandle>) {
        let before: BTreeMap<_, _> = self.now.drain(..).map(|(node, _, who)| (node, who)).collect();
        let (mut last, model) = (self.last.clone(), Model::of(document.library()));
        let definitions = model.definitions("a");
        for (node, path) in below(scene, document.root()).into_iter().zip(model.tree("a").1) {
            let ids: Vec<_> = definitions[&path].iter().cloned().zip(path.ids().iter().copied()).collect();
            let known = before.get(same.get(&node).unwrap_or(&node)).or(self.last.get(&ids));
            let who = known.cloned().unwrap_or_else(|| {
                // Some ids between may be those of roots: then the node with the use has no such path.
                let use_ = (1..ids.len()).rev().find_map(|end| Some((end, last.get(&ids[..end])?)));
                use_.map_or(ids.clone(), |(end, use_)| [use_, &ids[end..]].concat())
            });
            self.ever.entry(path.clone()).or_default().insert(who.clone());
            last.insert(ids, who.clone());
            self.came.entry(who.clone()).or_insert(act);
            self.seen.insert(path.clone(), act);
            self.now.push((node, path, who));
        }
        self.last = last;
    }
}

fn below(scene: &Scene, top: NodeHandle) -> Vec<NodeHandle> {
    scene.get(top).unwrap().descendants().map(|node| node.handle()).collect()
}

#[test]
fn nodes_are_found_by_all_their_paths_and_no_others_after_any_acts() {
    // Gone; lost, since its path was of no step; there; there by another path.
    let mut done = [0; 4];
    // In the last, a new node gets a path that a removed one had before, through another definition.
    for seed in seeds(48).chain([5798]) {
        let dice = &mut Rng::with_seed(seed);
        let (mut scene, mut document) = open(library(dice, seed % 2 == 0), "a");
        // Only conversions; edits, too; or also swaps, and then some steps that were undone are forgotten.
        let (kinds, forgets) = [(14, true), (8, false), (11, false)][usize::try_from(seed % 3).unwrap()];
        let mut nodes = Identities::default();
        nodes.note(0, &document, &scene, &BTreeMap::new());
        // Of the steps that were done, and those that were undone, whether the tree stays.
        let mut stay = Vec::new();
        for act in 1..17 {
            let (library, root) = (document.library(), document.root());
            let name = *dice.choice(&NAMES).unwrap();
            let path = dice.choice(own_nodes(library, name)).unwrap();
            let (steps, before) = (document.history().done().len(), below(&scene, root));
            let (mut stays, mut same) = (false, BTreeMap::new());
            match dice.u8(0..kinds) {
                0 if steps > 0 => {
                    document.undo(&mut scene).unwrap();
                    stays = stay[steps - 1];
                }
                1 if !document.history().undone().is_empty() => {
                    document.redo(&mut scene).unwrap();
                    stays = stay[steps];
                }
                _ if !forgets && !document.history().undone().is_empty() => continue,
                1 if steps > 0 => {
                    let inverse = document.history().done()[steps - 1].patch().inverse();
                    document.apply(&mut scene, &inverse).unwrap();
                    stays = stay[steps - 1];
                }
                kind @ 2..8 => {
                    let patch = match kind {
                        2..5 => library.unpack(name, &path),
                        _ => library.extract(name, &path, &format!("{act}")),
                    };
                    let Ok(patch) = patch else { continue };
                    document.apply(&mut scene, &patch).unwrap();
                    stays = true;
                }
                8 | 9 => {
                    edit(dice, &mut scene, root, 2);
                    // Taken back, the ids that they got are free again.
                    if dice.u8(0..4) == 0 {
                        document.revert(&mut scene).unwrap();
                    }
                    document.commit(&mut scene).unwrap();
                }
                10 => {
                    let Some(top) = document.node(&scene, &path).filter(|_| name == "a") else { continue };
                    edit(dice, &mut scene, top, 2);
                    let (tree, before) = (scene.copy_tree(top).unwrap(), below(&scene, top));
                    if document.commit_in(&mut scene, &path).is_err() {
                        document.commit(&mut scene).unwrap();
                    }
                    // Equal orders are decided by levels, so siblings may change places; a node above may go, too.
                    if scene.copy_tree(top).ok() != Some(tree) {
                        break;
                    }
                    same = below(&scene, top).into_iter().zip(before).collect();
                }
                11.. if path.ids() != [0] => {
                    let number = NAMES.iter().position(|other| *other == name).unwrap();
                    let uses = dice.choice(&NAMES[number + 1..]).map(|&uses| uses.into());
                    let patch = library.state(name, path, Value::Use(uses)).unwrap();
                    document.apply(&mut scene, &patch).unwrap();
                }
                _ => continue,
            }
            let (context, now) = (format!("seed {seed}, act {act}"), document.history().done().len());
            check(&document, &scene, &context);
            if stays {
                same = below(&scene, root).into_iter().zip(before).collect();
            }
            if now > steps && document.history().undone().is_empty() {
                stay.truncate(steps);
                stay.push(stays);
            }
            nodes.note(act, &document, &scene, &same);
            for (path, who) in &nodes.ever {
                let node = document.find(&scene, path);
                let found = node.map(|node| nodes.now.iter().find(|(other, ..)| *other == node).unwrap());
                assert!(
                    // What came later, in place of a node that was gone, may be taken for it.
                    found.is_none_or(|(.., found)| who.contains(found) || nodes.came[found] > nodes.seen[path]),
                    "{context}: {path}, {found:?}, not {who:?}"
                );
                let is_there = nodes.now.iter().any(|(.., node)| who.contains(node));
                assert!(forgets || found.is_some() || !is_there, "{context}: {path}");
                done[found.map_or(usize::from(is_there), |(_, now, _)| 2 + usize::from(now != path))] += 1;
            }
        }
    }
    assert!(done.iter().all(|&times| times > 9) && done[1] < done[3] / 10, "{done:?}");
}
