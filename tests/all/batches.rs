//! Batches have the same result as the same edits one by one; a refused list changes nothing.

use fastrand::Rng;
use hedgerow::edit::BatchError;
use hedgerow::{Aabb, Drawable, Error, Keep, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree};
use hedgerow_testkit::model::dump::dump;
use std::collections::HashMap;
use std::error::Error as _;

fn node(number: usize) -> Node<'static> {
    let place = Transform::from_xyz(number as f32, 1.0, 2.0);
    match number % 5 {
        0 | 1 => Node::transform(place),
        2 => Node::drawable(Drawable::new(u32::try_from(number).unwrap(), Aabb::cube(1.0))),
        3 => Node::transform(place).with_material(3).named("three"),
        _ => Node::group(),
    }
}

/// Returns a random tree of `count` nodes, and their handles.
fn tree(config: SceneConfig, count: usize, dice: &mut Rng) -> (Scene, Vec<NodeHandle>) {
    let mut scene = Scene::with_config(config).unwrap();
    let mut nodes = vec![scene.root()];
    for number in 1..count {
        let parent = nodes[dice.usize(..nodes.len())];
        nodes.push(scene.insert(parent, node(number)).unwrap());
    }
    (scene, nodes)
}

fn configs() -> [SceneConfig; 3] {
    [4096, 64, 8].map(|max_nodes| SceneConfig { max_nodes, ..SceneConfig::DEFAULT })
}

/// Asserts that all nodes below the roots have equal properties, in order. `same` maps handles of `a` to `b`'s.
fn assert_same_tree(a: &Scene, b: &Scene, same: &HashMap<NodeHandle, NodeHandle>) {
    a.validate().unwrap();
    b.validate().unwrap();
    assert_eq!(a.len(), b.len());
    let translated = |node: NodeHandle| same.get(&node).copied().unwrap_or(node);
    for (x, y) in a
        .get(a.root())
        .unwrap()
        .descendants()
        .map(|node| node.handle())
        .zip(b.get(b.root()).unwrap().descendants().map(|node| node.handle()))
    {
        assert_eq!(translated(x), y);
        assert_eq!(a.get(x).map(|node| node.node()), b.get(y).map(|node| node.node()));
        assert_eq!(a.parent(x).map(translated), b.parent(y));
        assert_eq!(a.world(x), b.world(y));
    }
}

#[test]
fn a_batch_of_removals_is_a_set() {
    // Batches are sorted if there are more than 8192 nodes.
    let cases = configs().map(|config| (config, 4000));
    for (seed, (config, count)) in (11..).zip(cases.into_iter().chain([(SceneConfig::DEFAULT, 9000)])) {
        let mut dice = Rng::with_seed(seed);
        let (mut single, nodes) = tree(config, count, &mut dice);
        let mut batched = single.clone();
        let mut chosen: Vec<_> = (0..600).map(|_| nodes[1 + dice.usize(..nodes.len() - 1)]).collect();
        let below: Vec<_> = chosen
            .iter()
            .filter_map(|&node| single.get(node).and_then(|node| node.first_child()).map(|node| node.handle()))
            .collect();
        chosen.splice(300..300, below);
        let removed: usize = chosen.iter().filter_map(|&node| single.remove(node).ok()).sum();
        assert_eq!(batched.remove_many(&chosen), Ok(removed));
        assert!(chosen.iter().all(|&node| !batched.contains(node)));
        single.update();
        batched.update();
        assert_same_tree(&single, &batched, &HashMap::new());
        assert_eq!(batched.remove_many(&[]), Ok(0));
    }
}

#[test]
fn the_last_transform_of_a_node_named_twice_counts() {
    for (seed, config) in (21..).zip(configs()) {
        let mut dice = Rng::with_seed(seed);
        let (mut single, nodes) = tree(config, 2000, &mut dice);
        let mut batched = single.clone();
        let nodes: Vec<_> = nodes.into_iter().filter(|&node| single.local(node).is_some()).collect();
        let items: Vec<_> = (0..3000)
            .map(|turn| {
                (nodes[dice.usize(..nodes.len())], Transform::from_xyz(0.0, turn as f32, 1.0).with_rotation(quarter()))
            })
            .collect();
        items.iter().for_each(|&(node, transform)| single.set_local(node, transform).unwrap());
        batched.set_locals(items).unwrap();
        single.update();
        batched.update();
        assert_same_tree(&single, &batched, &HashMap::new());
    }
}

#[test]
fn an_iterator_of_local_transforms_sets_what_single_calls_set() {
    for (seed, config) in (31..).zip(configs()) {
        for count in [0, 1, 63, 64, 65, 700] {
            let mut dice = Rng::with_seed(seed);
            let (mut single, nodes) = tree(config, 1500, &mut dice);
            // Sheared nodes keep their slices off the fast path.
            for node in nodes.iter().skip(1).step_by(200) {
                single.set_local(*node, SHEAR).unwrap();
            }
            let mut many = single.clone();
            let items: Vec<_> = (0..count)
                .map(|turn| {
                    let place = Transform::from_xyz(0.0, turn as f32, 1.0);
                    // Nodes without a transform get one, so rows move; some rotations must be normalised.
                    let place = if dice.u8(..8) == 0 { place.with_rotation(quarter()) } else { place };
                    (nodes[dice.usize(..nodes.len())], place)
                })
                .collect();
            items.iter().for_each(|&(node, transform)| single.set_local(node, transform).unwrap());
            if count % 2 == 0 {
                many.set_locals(items.iter().map(|(node, local)| (*node, local))).unwrap();
            } else {
                many.set_locals(items).unwrap();
            }
            single.update();
            many.update();
            assert_same_tree(&single, &many, &HashMap::new());
        }
    }
}

#[test]
fn an_iterator_of_local_transforms_ends_at_the_first_that_is_refused() {
    let (mut scene, nodes) = tree(SceneConfig::DEFAULT, 500, &mut Rng::with_seed(6));
    let stale = scene.insert(scene.root(), Node::group()).unwrap();
    scene.remove(stale).unwrap();
    let place = |turn: usize| Transform::from_xyz(turn as f32, 7.0, 0.0);
    for at in [0, 1, 63, 64, 130, 199] {
        let mut expected = scene.clone();
        (0..at).for_each(|turn| expected.set_local(nodes[turn + 1], place(turn)).unwrap());
        for (bad, local) in [(stale, place(0)), (nodes[3], Transform::from_xyz(f32::NAN, 0.0, 0.0))] {
            let mut scene = scene.clone();
            let node = |turn: usize| if turn == at { (bad, local) } else { (nodes[turn + 1], place(turn)) };
            let mut taken = 0;
            let refused = scene.set_locals((0..200).inspect(|_| taken += 1).map(node)).unwrap_err();
            assert_eq!(taken, at + 1, "no item after the refused one is taken");
            assert_eq!(refused.item, Some(at));
            assert_eq!(matches!(refused.error, Error::StaleHandle(_)), bad == stale);
            assert_same_tree(&expected, &scene, &HashMap::new());
        }
    }
}

#[test]
fn an_iterator_that_has_ended_is_not_asked_again() {
    let (mut scene, nodes) = tree(SceneConfig::DEFAULT, 100, &mut Rng::with_seed(7));
    for count in [0_usize, 1, 63, 64, 65] {
        let mut left = Some(count);
        let items = core::iter::from_fn(|| {
            left = left.expect("it has ended").checked_sub(1);
            left.map(|left| (nodes[1 + left % 9], Transform::IDENTITY))
        });
        scene.set_locals(items).unwrap();
        assert_eq!(left, None);
    }
}

/// A matrix with shear, which no translation, rotation and scale expresses.
const SHEAR: Mat34 = Mat34 { rows: [[1.0, 1.0, 0.0, 2.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

/// Returns a rotation that is not a unit quaternion.
fn quarter() -> hedgerow::glam::Quat {
    hedgerow::glam::Quat::from_xyzw(0.0, 3.0, 0.0, 3.0)
}

#[test]
fn a_refused_batch_names_its_first_bad_item_and_changes_nothing() {
    let (mut scene, nodes) = tree(SceneConfig::DEFAULT, 500, &mut Rng::with_seed(5));
    let root = scene.root();
    let stale = scene.insert(root, Node::group()).unwrap();
    scene.remove(stale).unwrap();
    scene.insert(root, Node::group()).unwrap();
    scene.update();
    let seen = |scene: &Scene| format!("{} {:?}", dump(scene), scene.stats());
    let before = seen(&scene);
    let refused = |index, error| BatchError { item: Some(index), error };

    let mut tree = Tree::new();
    for number in 0..300 {
        let x = if number >= 170 { f32::NAN } else { 0.0 };
        tree.push(None, Node::transform(Transform::from_xyz(x, 0.0, 0.0)));
    }
    let error = scene.insert_tree(nodes[3], &tree).unwrap_err();
    assert!(matches!(error, BatchError { item: Some(170), error: Error::NotFinite(_) }));
    assert!(error.source().is_some_and(|source| error.to_string().ends_with(&source.to_string())));

    assert_eq!(scene.remove_many(&[nodes[5], root, stale]), Err(refused(1, Error::RootIsFixed)));
    assert_eq!(scene.remove_many(&[nodes[5], nodes[5], stale]), Err(refused(2, Error::StaleHandle(stale))));

    let with = *nodes.iter().find(|&&node| scene.local(node).is_some()).unwrap();
    let fine = (with, Transform::from_xyz(9.0, 9.0, 9.0));
    let flat = fine.1.with_rotation(hedgerow::glam::Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    assert_eq!(scene.set_locals([(stale, fine.1), fine]), Err(refused(0, Error::StaleHandle(stale))));
    assert_eq!(scene.set_locals([(with, flat), fine]), Err(refused(0, Error::NotRotation)));

    assert!(before == seen(&scene), "a refused batch changed something");
    scene.validate().unwrap();
}

/// A tree as plain lists of parents and children.
#[derive(Clone)]
struct Naive {
    root: NodeHandle,
    parents: HashMap<NodeHandle, NodeHandle>,
    children: HashMap<NodeHandle, Vec<NodeHandle>>,
}

impl Naive {
    fn of(scene: &Scene) -> Self {
        let nodes = || scene.get(scene.root()).unwrap().descendants().map(|node| node.handle());
        Self {
            root: scene.root(),
            parents: nodes().filter_map(|node| Some((node, scene.parent(node)?))).collect(),
            children: nodes().map(|node| (node, scene.children(node).collect())).collect(),
        }
    }

    fn is_within(&self, mut node: NodeHandle, top: NodeHandle) -> bool {
        for _ in 0..=self.parents.len() {
            if node == top {
                return true;
            }
            let Some(&above) = self.parents.get(&node) else { return false };
            node = above;
        }
        true
    }

    /// Moves a node to the end of the parent's children, without any check.
    fn shift(&mut self, node: NodeHandle, parent: NodeHandle) {
        let before = self.parents.insert(node, parent).unwrap();
        self.children.get_mut(&before).unwrap().retain(|&child| child != node);
        self.children.get_mut(&parent).unwrap().push(node);
    }

    fn is_tree(&self) -> bool {
        self.pre_order().len() == self.children.len()
    }

    fn pre_order(&self) -> Vec<NodeHandle> {
        let (mut found, mut pending) = (Vec::new(), vec![self.root]);
        while let Some(node) = pending.pop() {
            found.push(node);
            pending.extend(self.children[&node].iter().rev());
        }
        found
    }

    fn assert_is(&self, scene: &Scene) {
        scene.validate().unwrap();
        assert!(scene.get(scene.root()).unwrap().descendants().map(|node| node.handle()).eq(self.pre_order()));
        assert!(self.parents.iter().all(|(&node, &parent)| scene.parent(node) == Some(parent)));
    }
}

/// Returns pairs of a node and its new parent. Some swap a parent and its child, or repeat a node. No node is the root.
fn moves(scene: &Scene, nodes: &[NodeHandle], count: usize, dice: &mut Rng) -> Vec<(NodeHandle, NodeHandle)> {
    let mut items = Vec::new();
    while items.len() < count {
        let (node, parent) = (nodes[1 + dice.usize(..nodes.len() - 1)], nodes[dice.usize(..nodes.len())]);
        match (dice.usize(..8), scene.parent(node).and_then(|above| Some((above, scene.parent(above)?)))) {
            (0, Some((above, top))) => items.extend([(above, node), (node, top)]),
            (1, Some((above, top))) => items.extend([(node, top), (above, node)]),
            (2, _) if !items.is_empty() => items.push((items[dice.usize(..items.len())].0, parent)),
            _ => items.push((node, parent)),
        }
    }
    items
}

#[test]
fn a_batch_of_moves_leaves_the_tree_that_the_list_says() {
    let (mut taken, mut refused, mut only_as_a_batch) = (0, 0, 0);
    for (seed, config) in (31..).zip(configs()) {
        for (changes, bounds) in [(false, false), (true, true)] {
            let mut dice = Rng::with_seed(seed);
            let (mut scene, nodes) = tree(SceneConfig { changes, bounds, ..config }, 600, &mut dice);
            for round in 0..60 {
                let items = moves(&scene, &nodes, 1 + dice.usize(..[4, 12, 40][round % 3]), &mut dice);
                let mut naive = Naive::of(&scene);
                items.iter().for_each(|&(node, parent)| naive.shift(node, parent));
                let mut single = scene.clone();
                let before = scene.clone();
                let one_by_one =
                    items.iter().try_for_each(|&(node, parent)| single.reparent(node, parent, Keep::Local).map(drop));
                match scene.reparent_many(&items, Keep::Local) {
                    Ok(()) => {
                        assert!(naive.is_tree());
                        naive.assert_is(&scene);
                        taken += 1;
                        only_as_a_batch += usize::from(one_by_one.is_err());
                    }
                    Err(error) => {
                        assert!(!naive.is_tree(), "{error} in what would be a tree");
                        let BatchError { item: Some(index), error } = error else { panic!("{error}") };
                        let (node, parent) = items[index];
                        assert_eq!(error, Error::WouldCycle { node, parent });
                        assert!(naive.is_within(parent, node));
                        assert!(one_by_one.is_err());
                        assert_same_tree(&before, &scene, &HashMap::new());
                        refused += 1;
                    }
                }
                scene.update();
                if one_by_one.is_ok() {
                    single.update();
                    assert_same_tree(&single, &scene, &HashMap::new());
                }
            }
        }
    }
    assert!(taken > 100 && refused > 20 && only_as_a_batch > 10, "{taken} {refused} {only_as_a_batch}");
}

#[test]
fn a_large_batch_of_moves_of_leaves_leaves_the_tree_that_the_list_says() {
    for (seed, config) in (41..).zip(configs()) {
        let mut dice = Rng::with_seed(seed);
        let (mut batched, nodes) = tree(config, 12_000, &mut dice);
        let (leaves, inner): (Vec<_>, Vec<_>) =
            nodes.iter().partition(|&&node| batched.get(node).and_then(|node| node.first_child()).is_none());
        for targets in [&inner, &nodes] {
            let leaf = |dice: &mut Rng| leaves[dice.usize(..leaves.len())];
            let items: Vec<_> = (0..3000).map(|_| (leaf(&mut dice), targets[dice.usize(..targets.len())])).collect();
            let mut naive = Naive::of(&batched);
            items.iter().for_each(|&(node, parent)| naive.shift(node, parent));
            let taken = batched.reparent_many(&items, Keep::Local);
            assert_eq!(taken.is_ok(), naive.is_tree());
            if taken.is_ok() {
                naive.assert_is(&batched);
                batched.update();
                batched.validate().unwrap();
            }
        }
    }
}

#[test]
fn moves_that_keep_the_world_keep_it() {
    for (seed, config) in (51..).zip(configs()) {
        let mut dice = Rng::with_seed(seed);
        let (mut scene, nodes) = tree(config, 500, &mut dice);
        for _ in 0..20 {
            scene.update();
            let items = moves(&scene, &nodes, 12, &mut dice);
            let worlds: Vec<_> = nodes.iter().map(|&node| *scene.world(node).unwrap()).collect();
            let before = scene.clone();
            if scene.reparent_many(&items, Keep::World).is_err() {
                assert_same_tree(&before, &scene, &HashMap::new());
                continue;
            }
            scene.update();
            scene.validate().unwrap();
            for (&node, world) in nodes.iter().zip(&worlds) {
                let apart = (scene.world(node).unwrap().translation() - world.translation()).length();
                assert!(apart <= 1e-3 * (1.0 + world.translation().length()), "{node:?} is {apart} apart");
            }
        }
    }
}

#[test]
fn a_refused_batch_of_moves_changes_nothing() {
    let mut scene = Scene::new();
    let root = scene.root();
    let flat = Transform::IDENTITY.with_scale(hedgerow::glam::Vec3::ZERO);
    let flat = scene.insert(root, Node::transform(flat)).unwrap();
    let place = scene.insert(root, node(1)).unwrap();
    let below = scene.insert(place, node(6)).unwrap();
    let gone = scene.insert(root, node(2)).unwrap();
    scene.remove(gone).unwrap();
    scene.update();
    let before = scene.clone();
    let refused = |index, error| Err(BatchError { item: Some(index), error });
    for (items, keep, index, error) in [
        (vec![(below, root), (gone, root)], Keep::Local, 1, Error::StaleHandle(gone)),
        (vec![(below, root), (below, gone)], Keep::Local, 1, Error::StaleHandle(gone)),
        (vec![(below, root), (root, place)], Keep::Local, 1, Error::RootIsFixed),
        (vec![(flat, root), (place, place)], Keep::Local, 1, Error::WouldCycle { node: place, parent: place }),
        (vec![(flat, root), (place, below)], Keep::Local, 1, Error::WouldCycle { node: place, parent: below }),
        (vec![(place, below)], Keep::Local, 0, Error::WouldCycle { node: place, parent: below }),
        (vec![(flat, place), (place, flat)], Keep::Local, 0, Error::WouldCycle { node: flat, parent: place }),
        (vec![(below, root), (place, flat)], Keep::World, 1, Error::Singular(flat)),
    ] {
        assert_eq!(scene.reparent_many(&items, keep), refused(index, error));
        assert_same_tree(&before, &scene, &HashMap::new());
    }
    assert_eq!(scene.reparent_many::<NodeHandle>(&[], Keep::World), Ok(()));
}

#[test]
fn detached_subtrees_are_moved_in_a_batch_too() {
    let mut scene = Scene::new();
    let [a, b, c] = [1, 6, 11].map(|number| scene.insert(scene.root(), node(number)).unwrap());
    scene.reparent(a, Place::Detached, Keep::Local).unwrap();
    scene.reparent_many(&[(b, a), (c, b)], Keep::Local).unwrap();
    scene.validate().unwrap();
    assert_eq!((scene.len(), scene.stats().detached), (1, 3));
    scene.reparent_many(&[(a, c), (c, scene.root())], Keep::World).unwrap();
    scene.validate().unwrap();
    assert_eq!((scene.len(), scene.stats().detached), (4, 0));
    assert_eq!([a, b, c].map(|node| scene.parent(node)), [Some(c), Some(a), Some(scene.root())]);
}

#[test]
fn a_list_of_moves_takes_first_and_last_children_and_the_outside() {
    let mut scene = Scene::new();
    let root = scene.root();
    let nodes: Vec<NodeHandle> = (0..6).map(|_| scene.insert(root, Node::group()).unwrap()).collect();
    let places = [
        (nodes[1], Place::FirstChildOf(nodes[0])),
        (nodes[2], Place::FirstChildOf(nodes[0])),
        (nodes[3], Place::LastChildOf(nodes[0])),
        (nodes[0], Place::Detached),
        (nodes[4], Place::FirstChildOf(root)),
        (nodes[5], Place::FirstChildOf(root)),
    ];
    let mut single = scene.clone();
    scene.reparent_many(&places, Keep::World).unwrap();
    places.iter().for_each(|&(node, place)| _ = single.reparent(node, place, Keep::World).unwrap());
    assert_eq!(scene.validate(), Ok(()));
    assert!(scene.children(root).eq([nodes[5], nodes[4]]) && single.children(root).eq([nodes[5], nodes[4]]));
    assert!(scene.children(nodes[0]).eq([nodes[2], nodes[1], nodes[3]]));
    assert!(single.children(nodes[0]).eq([nodes[2], nodes[1], nodes[3]]));
    let detached = |scene: &Scene| scene.detached().map(|node| node.handle()).collect::<Vec<_>>();
    assert_eq!([detached(&scene), detached(&single)], [[nodes[0]], [nodes[0]]]);
}

#[test]
fn a_list_of_moves_beside_siblings_is_that_of_single_moves() {
    let (mut made, mut refused) = (0, 0);
    for seed in 0..600 {
        let mut dice = Rng::with_seed(seed);
        let (mut scene, nodes) = tree(configs()[2], 30, &mut dice);
        let mut item = || {
            let [node, at] = [(); 2].map(|()| nodes[1 + dice.usize(..29)]);
            let places = [Place::Before(at), Place::After(at), Place::FirstChildOf(at), Place::LastChildOf(at)];
            (node, places[dice.usize(..4)])
        };
        let items: Vec<(NodeHandle, Place)> = (0..5).map(|_| item()).collect();
        let keep = [Keep::Local, Keep::World][dice.usize(..2)];
        scene.update();
        let (before, mut single) = (scene.clone(), scene.clone());
        let each = items.iter().try_for_each(|&(node, place)| single.reparent(node, place, keep).map(|_| ()));
        let moves = |place: &Place| matches!(place, Place::Before(at) | Place::After(at) if items.iter().any(|(node, _)| node == at));
        let in_list = items.iter().position(|(_, place)| moves(place));
        match (scene.reparent_many(&items, keep), in_list) {
            (Ok(()), None) => {
                scene.update();
                for &node in nodes.iter().filter(|_| each.is_ok()) {
                    assert!(scene.children(node).eq(single.children(node)), "seed {seed}: {items:?}");
                }
                assert!(keep == Keep::World || each.is_err() || dump(&scene) == dump(&single), "seed {seed}");
                for &(node, _) in items.iter().filter(|_| keep == Keep::World) {
                    let [now, then] = [&scene, &before].map(|scene| scene.world(node).unwrap().translation());
                    assert!((now - then).length() < 1e-3, "seed {seed}: {now} for {then}");
                }
                made += usize::from(each.is_ok());
            }
            (Err(error), in_list) => {
                let expected =
                    in_list.map(|item| BatchError { item: Some(item), error: Error::PlaceInList(items[item].1) });
                assert!(expected.map_or(each.is_err(), |expected| error == expected), "seed {seed}: {error:?}");
                assert_eq!(dump(&scene), dump(&before), "seed {seed}");
                refused += 1;
            }
            (Ok(()), Some(_)) => panic!("seed {seed}: {items:?}"),
        }
        scene.validate().unwrap();
    }
    assert!(made > 100 && refused > 100, "{made} {refused}");
    let mut scene = Scene::new();
    let root = scene.root();
    let [a, b] = [Place::from(root), Place::Detached].map(|place| scene.insert(place, Node::group()).unwrap());
    for (at, error) in [(root, Error::RootIsFixed), (b, Error::BesideDetached(b))] {
        let done = scene.reparent_many(&[(a, Place::Before(at))], Keep::Local);
        assert_eq!(done, Err(BatchError { item: Some(0), error }));
    }
}

#[test]
fn a_list_of_subtrees_with_a_wrong_handle_changes_nothing() {
    let mut scene = Scene::new();
    let root = scene.root();
    let [car, gone] = [(); 2].map(|()| scene.insert(root, Node::group()).unwrap());
    scene.remove(gone).unwrap();
    let refused = |item, error| Err(BatchError { item: Some(item), error });
    let mut detach = |nodes: &[NodeHandle]| {
        let items: Vec<_> = nodes.iter().map(|&node| (node, Place::Detached)).collect();
        scene.reparent_many(&items, Keep::Local)
    };
    assert_eq!(detach(&[car, gone]), refused(1, Error::StaleHandle(gone)));
    assert_eq!(detach(&[car, car, root]), refused(2, Error::RootIsFixed));
    for place in [Place::Before(car), Place::After(car), Place::Child(root, 0)] {
        let items = [(car, Place::Detached), (car, place)];
        assert_eq!(scene.reparent_many(&items, Keep::Local), refused(1, Error::PlaceInList(place)));
    }
    assert_eq!(scene.parent(car), Some(root));
    assert_eq!(scene.topmost(&[car, gone]), Err(BatchError { item: Some(1), error: Error::StaleHandle(gone) }));
    assert_eq!(scene.topmost(&[car, root]), Ok(vec![root]));
}
