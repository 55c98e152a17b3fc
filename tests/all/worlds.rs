//! World transforms of many nodes, and lists of subtrees, compared with single edits.

use fastrand::Rng;
use hedgerow::edit::{BatchError, Change, Edit};
use hedgerow::glam::{Affine3, Affine3A, DMat3, DVec3, Quat, Vec3};
use hedgerow::{Error, Keep, Local, Mat34, Node, NodeHandle, NodeMut, NodeRef, Place, Scene, SceneConfig, Transform};
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

#[test]
fn a_node_looks_at_what_single_precision_tells_from_its_own_place() {
    let look = |from: f32, to: f32| {
        let mut scene = Scene::new();
        let eye = scene.insert(scene.root(), Node::transform(Transform::from_xyz(from, 0.0, 0.0))).unwrap();
        scene.edit(eye).and_then(|mut node| node.look_at(Vec3::new(to, 0.0, 0.0), Vec3::Y).map(|_| ())).map(|()| {
            let Some(Local::Transform(local)) = scene.local(eye) else { panic!("it was a transform") };
            (local.rotation * Vec3::NEG_Z).x.round()
        })
    };
    // The eye is near the origin, or far away, where numbers are 1/16 apart.
    assert_eq!(look(0.0, 1e-4), Ok(1.0));
    assert_eq!(look(1e6, 1e6 - 100.0), Ok(-1.0));
    assert_eq!(look(1e6, 1e6 + 0.5), Err(Error::NotRotation));
    assert_eq!(look(0.0, 0.0), Err(Error::NotRotation));
}

#[test]
fn a_sheared_node_that_looks_elsewhere_keeps_its_place_and_its_shear() {
    let mut scene = Scene::new();
    let shear = Mat34 { rows: [[2.0, 3.0, 0.0, 5.0], [0.0, 4.0, 0.0, 6.0], [0.0, 0.0, 7.0, 8.0]] };
    let eye = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
    scene.set_local(eye, shear).unwrap();
    scene.edit(eye).unwrap().look_at(Vec3::new(5.0, 6.0, -20.0), Vec3::Y).unwrap();
    let Some(Local::Matrix(local)) = scene.local(eye) else { panic!("it shears still") };
    // The +Y axis has length 5 and points up; the +X axis leans towards it as before.
    let expected = [[1.6, 0.0, 0.0, 5.0], [1.2, 5.0, 0.0, 6.0], [0.0, 0.0, 7.0, 8.0]];
    let apart = local.rows.as_flattened().iter().zip(expected.as_flattened()).map(|(a, b)| (a - b).abs());
    assert!(apart.fold(0.0, f32::max) < 1e-5, "{local:?}");
}

#[test]
fn a_matrix_that_looks_elsewhere_keeps_scale_mirror_and_shear() {
    let [x, y, z] = [Vec3::new(2.0, 0.5, -1.0), Vec3::new(3.0, 4.0, 0.25), Vec3::new(-1.0, 0.5, 7.0)];
    let zero = Vec3::ZERO;
    let all =
        [[x, y, z], [-x, y, z], [x, -y, -z], [x, y, zero], [x, zero, zero], [zero, y, zero], [zero; 3], [x, x, x]];
    for axes in all {
        let rows = [0, 1, 2].map(|row| [axes[0][row], axes[1][row], axes[2][row], 5.0]);
        let mut scene = Scene::new();
        let eye = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
        scene.set_local(eye, Mat34 { rows }).unwrap();
        scene.edit(eye).unwrap().look_at(Vec3::new(9.0, -3.0, 2.0), Vec3::Y).unwrap();
        let after = scene.local(eye).unwrap().to_matrix().to_wide();
        let before = Mat34 { rows }.to_wide();
        assert_eq!(after.translation, before.translation);
        // Products of axes determine lengths and angles.
        let inner = |axes: DMat3| axes.transpose() * axes;
        let off = inner(after.matrix3) - inner(before.matrix3);
        assert!(off.to_cols_array().iter().all(|number| number.abs() < 1e-4), "{axes:?}: {after:?}");
        let volume = after.matrix3.determinant() - before.matrix3.determinant();
        assert!(volume.abs() < 1e-3, "{axes:?} is mirrored");
        let towards = DVec3::new(4.0, -8.0, -3.0).normalize();
        let back = after.matrix3.z_axis;
        assert!((back + towards * back.length()).length() < 1e-5, "{axes:?} points back along {back}");
    }
}

#[test]
fn a_local_transform_is_set_from_every_form_and_removed_by_none() {
    let mut scene = Scene::new();
    let node = scene.insert(scene.root(), Node::group()).unwrap();
    let place = Transform::from_xyz(1.0, 2.0, 3.0).with_scale(Vec3::splat(2.0));
    let (matrix, wide) = (place.to_matrix(), Affine3A::from(place.to_matrix()));
    type Set<'s> = &'s dyn Fn(&mut NodeMut<'_>) -> Result<(), Error>;
    let forms: [Set<'_>; 6] = [
        &|node| node.set_local(place).map(drop),
        &|node| node.set_local(matrix).map(drop),
        &|node| node.set_local(wide).map(drop),
        &|node| node.set_local(Affine3::from(wide)).map(drop),
        &|node| node.set_local(Local::from(&place)).map(drop),
        &|node| node.set_local(Some(Local::from(place))).map(drop),
    ];
    for (form, set) in forms.into_iter().enumerate() {
        set(&mut scene.edit(node).unwrap()).unwrap();
        assert_eq!(scene.local(node).and_then(Local::transform), Some(place), "form {form}");
        scene.edit(node).unwrap().set_local(None).unwrap();
        assert_eq!(scene.local(node), None, "form {form}");
    }
    assert_eq!(Edit::set_local(node, None), Edit::change(node, Change::Local(None)));
    assert_eq!(Edit::set_local(node, wide), Edit::change(node, Change::Local(Some(matrix.into()))));

    scene.set_local(node, wide).unwrap();
    scene.set_world(node, Affine3::from(wide)).unwrap();
    scene.edit(node).unwrap().carry_to(wide).unwrap();
    scene.set_worlds(&[(node, wide)]).unwrap();
    let saved = scene.local(node).unwrap();
    scene.set_locals([(node, Transform::IDENTITY)]).unwrap();
    scene.set_locals([(node, saved)]).unwrap();
    scene.set_locals([(node, wide)]).unwrap();
    scene.set_locals([node].into_iter().zip(&[place])).unwrap();
    assert_eq!(scene.local(node).and_then(Local::transform), Some(place));
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
