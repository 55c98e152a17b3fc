//! World transforms of many nodes, set and read, compared with single calls.

use fastrand::Rng;
use hedgerow::edit::BatchError;
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Error, Keep, Local, Mat34, Node, NodeHandle, NodeRef, Place, Scene, SceneConfig, Transform};
use std::collections::HashMap;

fn number(rng: &mut Rng) -> f32 {
    (rng.f32() - 0.5) * 20.0
}

fn vector(rng: &mut Rng) -> Vec3 {
    Vec3::new(number(rng), number(rng), number(rng))
}

fn transform(rng: &mut Rng) -> Transform {
    let rotation = Quat::from_xyzw(number(rng), number(rng), number(rng), number(rng) + 11.0).normalize();
    let scale = match rng.u32(..6) {
        0 => Vec3::new(2.0, 1.0, 0.5),
        1 => Vec3::new(-1.0, 1.0, 1.0),
        2 => Vec3::splat(3.0),
        _ => Vec3::ONE,
    };
    Transform { translation: vector(rng), rotation, scale }
}

/// Returns a tree with some groups, and its nodes, parents first.
fn tree(rng: &mut Rng, config: SceneConfig, nodes: usize) -> (Scene, Vec<NodeHandle>) {
    let mut scene = Scene::with_config(config).unwrap();
    let mut made = vec![scene.root()];
    for _ in 0..nodes {
        let parent = made[rng.usize(made.len().saturating_sub(30)..made.len())];
        let node = if rng.u32(..5) == 0 { Node::group() } else { Node::transform(transform(rng)) };
        made.push(scene.insert(parent, node).unwrap());
    }
    for _ in 0..nodes / 20 {
        let _ = scene.reparent(made[rng.usize(1..made.len())], Place::Detached, Keep::Local);
    }
    (scene, made)
}

fn depth(scene: &Scene, node: NodeHandle) -> usize {
    core::iter::successors(Some(node), |&node| scene.parent(node)).count()
}

fn bits(local: Option<Local>) -> Option<[[u32; 4]; 3]> {
    local.map(|local| match local {
        Local::Transform(Transform { translation, rotation, scale }) => {
            let [x, y, z, w] = rotation.to_array().map(f32::to_bits);
            let ([a, b, c], [d, e, f]) = (translation.to_array().map(f32::to_bits), scale.to_array().map(f32::to_bits));
            [[x, y, z, w], [a, b, c, 0], [d, e, f, 1]]
        }
        Local::Matrix(Mat34 { rows }) => rows.map(|row| row.map(f32::to_bits)),
    })
}

const SMALL: SceneConfig = SceneConfig { max_nodes: 32, changes: true, ..SceneConfig::DEFAULT };

#[test]
fn worlds_below_a_thousand_parents_are_those_of_single_calls() {
    let mut rng = Rng::with_seed(77);
    let mut many = Scene::new();
    let add = |scene: &mut Scene, parent, place| scene.insert(parent, Node::transform(place)).unwrap();
    let nodes: Vec<NodeHandle> = (0..1000)
        .map(|_| {
            let root = many.root();
            let parent = add(&mut many, root, transform(&mut rng));
            add(&mut many, parent, Transform::IDENTITY)
        })
        .collect();
    let mut single = many.clone();
    let items: Vec<(NodeHandle, Transform)> = nodes.iter().map(|&node| (node, transform(&mut rng))).collect();
    many.set_worlds(&items).unwrap();
    for &(node, place) in &items {
        single.set_world(node, place).unwrap();
        assert_eq!(bits(many.local(node)), bits(single.local(node)), "{node:?}");
    }
}

#[test]
fn many_worlds_are_set_to_the_same_bits_as_one_after_another_from_the_top_down() {
    for seed in 0..40 {
        let mut rng = Rng::with_seed(seed);
        let config = [SMALL, SceneConfig::DEFAULT][rng.usize(..2)];
        let (mut many, nodes) = tree(&mut rng, config, 400);
        let mut single = many.clone();
        let with: Vec<NodeHandle> = nodes.iter().copied().filter(|&node| many.local(node).is_some()).collect();
        let count = [1, 5, 50, 700][rng.usize(..4)];
        let items: Vec<(NodeHandle, Local)> = (0..count)
            .map(|_| {
                let place = match rng.u32(..8) {
                    0 => Local::Matrix(Mat34 {
                        rows: [[1.0, 0.5, 0.0, number(&mut rng)], [0.0, 1.0, 0.0, 0.0], [0.0, 0.25, 2.0, 0.0]],
                    }),
                    _ => Local::Transform(transform(&mut rng)),
                };
                (with[rng.usize(..with.len())], place)
            })
            .collect();
        many.set_worlds(&items).unwrap();
        // If several items name one node, the last one wins.
        let last: HashMap<NodeHandle, Local> = items.iter().copied().collect();
        let mut ordered: Vec<(usize, NodeHandle, Local)> =
            last.iter().map(|(&node, &place)| (depth(&single, node), node, place)).collect();
        ordered.sort_by_key(|&(depth, node, _)| (depth, node));
        for (_, node, place) in ordered {
            single.set_world(node, place).unwrap();
        }
        for &node in &nodes {
            assert_eq!(bits(many.local(node)), bits(single.local(node)), "{node:?} with seed {seed}");
        }
        many.update();
        single.update();
        many.validate().unwrap();
        assert!(nodes.iter().all(|&node| many.world(node) == single.world(node)));
        for (&node, place) in &last {
            let (found, place) = (many.world(node).unwrap(), place.to_matrix());
            let far = found.rows.iter().flatten().zip(place.rows.iter().flatten());
            let far = far.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
            assert!(far < 0.05, "{node:?} is {far} from its place with seed {seed}");
        }
    }
}

#[test]
fn a_list_of_worlds_with_a_wrong_item_changes_nothing() {
    let mut scene = Scene::new();
    let root = scene.root();
    let at = |x: f32| Transform::from_xyz(x, 0.0, 0.0);
    let [car, gone] = [1.0, 2.0].map(|x| scene.insert(root, Node::transform(at(x))).unwrap());
    let group = scene.insert(root, Node::group()).unwrap();
    let flat = scene.insert(root, Node::transform(at(0.0).with_scale(Vec3::new(1.0, 0.0, 1.0)))).unwrap();
    let [first, second] = [3.0, 4.0].map(|x| scene.insert(flat, Node::transform(at(x))).unwrap());
    scene.remove(gone).unwrap();
    let nan = at(f32::NAN);
    let unturned = Transform { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..at(1.0) };
    let good = (car, at(9.0));
    for (bad, error) in [
        ((gone, at(1.0)), Error::StaleHandle(gone)),
        ((group, at(1.0)), Error::NoTransform(group)),
        ((car, nan), Error::NotFinite("a transform")),
        ((car, unturned), Error::NotRotation),
        ((second, at(1.0)), Error::Singular(flat)),
    ] {
        let items = [good, bad, (first, at(1.0)), bad];
        assert_eq!(scene.set_worlds(&items[..2]), Err(BatchError { item: Some(1), error }));
        assert_eq!(scene.set_worlds(&items).unwrap_err().error, error);
        assert_eq!(scene.local(car), Some(Local::Transform(at(1.0))));
    }
    // The error names the first wrong item of the list, not the topmost in the tree.
    let wheel = scene.insert(car, Node::transform(at(5.0))).unwrap();
    let lower = scene.insert(first, Node::transform(at(5.0))).unwrap();
    for (items, item, at_fault) in [([wheel, car, second, lower], 2, flat), ([wheel, car, lower, second], 2, first)] {
        let expected = BatchError { item: Some(item), error: Error::Singular(at_fault) };
        assert_eq!(scene.set_worlds(&items.map(|node| (node, at(1.0)))), Err(expected));
        assert_eq!(scene.local(car), Some(Local::Transform(at(1.0))));
    }
    scene.remove(lower).unwrap();
    // The same call sets the parent's scale, so the parent has an inverse.
    scene.set_worlds(&[(second, at(6.0)), (flat, at(4.0))]).unwrap();
    assert_eq!(scene.local(second), Some(Local::Transform(at(2.0))));
    assert_eq!(scene.local(first), Some(Local::Transform(at(3.0))), "what is not listed moves along");
    scene.set_worlds::<Transform>(&[]).unwrap();
    scene.set_worlds(&[(car, at(5.0).to_matrix())]).unwrap();
    assert_eq!(scene.local(car), Some(Local::Transform(at(5.0))));
}

#[test]
fn lists_of_subtrees_are_reduced_and_detached_as_one_by_one() {
    for seed in 0..30 {
        let mut rng = Rng::with_seed(seed);
        let (scene, nodes) = tree(&mut rng, SMALL, 200);
        let count = [0, 3, 40, 300][rng.usize(..4)];
        let list: Vec<NodeHandle> = (0..count).map(|_| nodes[1 + rng.usize(..nodes.len() - 1)]).collect();

        let is_below = |node| {
            core::iter::successors(scene.parent(node), |&node| scene.parent(node)).any(|above| list.contains(&above))
        };
        let tops = scene.get(scene.root()).into_iter().chain(scene.detached());
        let order = tops.flat_map(NodeRef::descendants).map(NodeRef::handle);
        let expected: Vec<_> = order.filter(|node| list.contains(node) && !is_below(*node)).collect();
        assert_eq!(scene.topmost(&list).unwrap(), expected);

        for list in [&list, &expected] {
            let (mut many, mut single) = (scene.clone(), scene.clone());
            let items: Vec<_> = list.iter().map(|&node| (node, Place::Detached)).collect();
            many.reparent_many(&items, Keep::Local).unwrap();
            list.iter().for_each(|&node| _ = single.reparent(node, Place::Detached, Keep::Local).unwrap());
            many.validate().unwrap();
            assert_eq!((many.len(), many.stats().detached), (single.len(), single.stats().detached));
            for &node in &nodes {
                assert_eq!(many.parent(node), single.parent(node), "seed {seed}");
                assert!(many.children(node).eq(single.children(node)), "seed {seed}");
            }
            let roots = |scene: &Scene| {
                let mut roots: Vec<_> = scene.detached().map(NodeRef::handle).collect();
                roots.sort_unstable();
                roots
            };
            assert_eq!(roots(&many), roots(&single));
            many.update();
            single.update();
            assert!(nodes.iter().all(|&node| many.world(node) == single.world(node)));
        }
    }
}

#[test]
fn many_world_matrices_are_those_of_single_reads_except_for_stale_handles() {
    let mut rng = Rng::with_seed(31);
    for round in 0..20 {
        let (mut scene, nodes) = tree(&mut rng, SMALL, 10 * round);
        scene.update();
        // A node that is inserted and a transform that is set since the update.
        let mut asked = nodes.clone();
        asked.push(scene.insert(scene.root(), Node::transform(transform(&mut rng))).unwrap());
        scene.set_local(nodes[rng.usize(..nodes.len())], transform(&mut rng)).unwrap();
        rng.shuffle(&mut asked);
        asked.extend_from_within(..asked.len() / 3);
        let mut worlds = vec![Mat34 { rows: [[7.0; 4]; 3] }; asked.len()];
        scene.worlds_of(&asked, &mut worlds).unwrap();
        assert!(asked.iter().zip(&worlds).all(|(&node, world)| scene.world(node) == Some(world)));

        let kept = worlds.clone();
        scene.remove_many(&[nodes[nodes.len() / 2]]).ok();
        scene.update();
        let stale = asked.iter().position(|&node| !scene.contains(node));
        let expected = stale.map_or(Ok(()), |item| Err((Some(item), Error::StaleHandle(asked[item]))));
        let done = scene.worlds_of(&asked, &mut worlds).map_err(|refused| (refused.item, refused.error));
        assert_eq!(done, expected);
        for ((&node, world), before) in asked.iter().zip(&worlds).zip(&kept) {
            assert_eq!(scene.world(node).unwrap_or(before), world, "{node:?}");
        }
    }
}

#[test]
#[should_panic(expected = "a matrix for each node")]
fn a_list_of_matrices_that_is_too_short_panics() {
    let scene = Scene::new();
    let _ = scene.worlds_of(&[scene.root(); 2], &mut [Mat34::IDENTITY]);
}
