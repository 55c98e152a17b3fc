//! World transforms of many nodes, set and read, compared with single calls.

use fastrand::Rng;
use hedgerow::edit::BatchError;
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Error, Local, Mat34, Node, NodeHandle, Scene, Transform};

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

#[test]
fn a_list_of_worlds_with_a_wrong_item_changes_nothing() {
    let mut scene = Scene::new();
    let root = scene.root();
    let at = |x: f32| Transform::from_xyz(x, 0.0, 0.0);
    let [car, gone] = [1.0, 2.0].map(|x| scene.insert(root, Node::transform(at(x))).unwrap());
    let flat = scene.insert(root, Node::transform(at(0.0).with_scale(Vec3::new(1.0, 0.0, 1.0)))).unwrap();
    let [first, second] = [3.0, 4.0].map(|x| scene.insert(flat, Node::transform(at(x))).unwrap());
    scene.remove(gone).unwrap();
    let nan = at(f32::NAN);
    let unturned = Transform { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..at(1.0) };
    let good = (car, at(9.0));
    for (bad, error) in [
        ((gone, at(1.0)), Error::StaleHandle(gone)),
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
#[should_panic(expected = "a matrix for each node")]
fn a_list_of_matrices_that_is_too_short_panics() {
    let scene = Scene::new();
    let _ = scene.worlds_of(&[scene.root(); 2], &mut [Mat34::IDENTITY]);
}

#[test]
fn worlds_of_copies_what_single_calls_return_and_leaves_those_of_stale_handles() {
    let mut rng = Rng::with_seed(78);
    let mut scene = Scene::new();
    let mut nodes = vec![scene.root()];
    for count in 0..400 {
        let parent = nodes[rng.usize(..nodes.len())];
        let node = if rng.u8(..4) == 0 { Node::group() } else { Node::transform(transform(&mut rng)) };
        nodes.push(scene.insert(parent, node).unwrap());
        if count == 360 {
            scene.update(); // The last 40 have no matrix yet.
        }
    }
    scene.reparent(nodes[7], scene.root(), hedgerow::Keep::Local).unwrap();
    let _ = rng.choose_multiple(&nodes[1..], 5).into_iter().map(|&node| scene.remove(node)).count();
    let (live, removed): (Vec<_>, Vec<_>) = nodes.iter().partition(|&&node| scene.contains(node));
    for len in 0..70 {
        for stale in [0, 1, 3] {
            let mut list: Vec<NodeHandle> = (0..len).map(|_| live[rng.usize(..live.len())]).collect();
            for _ in 0..stale.min(len) {
                let at = rng.usize(..len);
                list[at] = removed[rng.usize(..removed.len())];
            }
            let mut worlds = vec![Mat34 { rows: [[9.0; 4]; 3] }; len];
            let expected: Vec<Mat34> =
                list.iter().zip(&worlds).map(|(&node, kept)| *scene.world(node).unwrap_or(kept)).collect();
            let first = list.iter().position(|node| removed.contains(node));
            let copied = scene.worlds_of(&list, &mut worlds);
            assert_eq!(worlds, expected);
            assert_eq!(
                copied,
                first.map_or(Ok(()), |at| Err(BatchError { item: Some(at), error: Error::StaleHandle(list[at]) }))
            );
        }
    }
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
