//! Runs of edits of one kind, which a queue applies as batches.

use fastrand::Rng;
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::{
    Aabb, Drawable, Error, Keep, Mat34, Node, NodeHandle, Place, Scene, Transform,
    edit::{Change, Edit, EditQueue, Outcome},
};

/// Returns a tree in which most nodes have a transform, and its nodes, some of them removed.
fn tree(rng: &mut Rng) -> (Scene, Vec<NodeHandle>) {
    let mut scene = Scene::new();
    let mut nodes = vec![scene.root()];
    for _ in 0..120 {
        let parent = nodes[rng.usize(..nodes.len())];
        let node = if rng.u8(..8) == 0 { Node::group() } else { Node::transform(pose(rng)) };
        nodes.push(scene.insert(parent, node).unwrap());
    }
    for _ in 0..3 {
        let _ = scene.remove(nodes[rng.usize(60..nodes.len())]);
    }
    (scene, nodes)
}

fn pose(rng: &mut Rng) -> Transform {
    let mut number = || rng.f32() * 8.0 - 4.0;
    let scale = if number() < 3.0 { Vec3::splat(0.5 + number().abs()) } else { Vec3::new(1.0, 2.0, -1.5) };
    Transform::from_xyz(number(), number(), number())
        .with_rotation(Quat::from_rotation_y(number()) * Quat::from_rotation_x(number()))
        .with_scale(scale)
}

#[test]
fn runs_give_the_results_of_single_edits() {
    let (mut whole, mut failed) = (0, 0);
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let (mut single, nodes) = tree(&mut rng);
        let mut queued = single.clone();
        let (mut queue, mut expected) = (EditQueue::new(), Vec::new());
        for _ in 0..6 {
            let (is_world, all) = (rng.bool(), rng.bool());
            // No leaf is below another.
            let leaves: Vec<NodeHandle> = nodes
                .iter()
                .copied()
                .filter(|&node| all || (single.children(node).next().is_none() && single.local(node).is_some()))
                .collect();
            let first = expected.len();
            for at in 0..rng.usize(1..30) {
                let node = if all { leaves[rng.usize(..leaves.len())] } else { leaves[at % leaves.len()] };
                let mut pose = pose(&mut rng);
                if rng.u8(..60) == 0 {
                    pose.translation.x = f32::NAN;
                }
                if is_world {
                    queue.push(Edit::change(node, Change::World(pose.into())));
                    expected.push(single.set_world(node, pose).map(|_| Outcome::Changed));
                } else {
                    queue.push(Edit::set_local(node, pose));
                    expected.push(single.set_local(node, pose).map(|()| Outcome::Changed));
                }
            }
            let good = expected[first..].iter().all(Result::is_ok);
            whole += usize::from(good && is_world && expected.len() - first >= 8);
            failed += usize::from(!good);
        }
        assert_eq!(queue.apply(&mut queued), expected, "seed {seed}");
        for &node in &nodes {
            assert_eq!(
                single.get(node).map(|node| node.node()),
                queued.get(node).map(|node| node.node()),
                "{node:?} with seed {seed}"
            );
        }
        queued.validate().unwrap();
        single.update();
        queued.update();
        assert!(nodes.iter().all(|&node| single.world(node) == queued.world(node)));
    }
    assert!(whole > 100 && failed > 100, "{whole} runs were whole, {failed} had a node that was refused");
}

#[test]
fn descriptions_user_data_and_precise_translations_are_queued() {
    let mut scene = Scene::new();
    let root = scene.root();
    let mut queue = EditQueue::new();
    let car = queue.insert(root, Node::transform(Transform::IDENTITY).named("car"));
    let description = Node::transform(Transform::from_xyz(1.0, 2.0, 3.0))
        .with_drawable(Drawable::new(4, Aabb::cube(1.0)))
        .with_material(5)
        .with_user_data(16)
        .named("lorry");
    queue.push(Edit::change(car, description));
    queue.push(Edit::change(root, Change::Name(Some("world".into()))));
    queue.push(Edit::change(root, Node::group().named("root")));
    queue.push(Edit::change(car, Change::UserData(17)));
    queue.push(Edit::change(car, Change::UserData(18)));
    let far = DVec3::new(6_371_000.125, 0.25, -42.0);
    queue.push(Edit::change(car, Change::TranslationF64(far)));
    queue.push(Edit::change(root, Change::TranslationF64(far)));
    queue.push(Edit::set_local(car, Mat34::IDENTITY));
    queue.push(Edit::change(car, Change::TranslationF64(far)));
    let results = queue.apply(&mut scene).to_vec();
    assert_eq!(results[1..7], [Ok(Outcome::Changed); 6]);
    assert_eq!(results[7..9], [Err(Error::NoTransform(root)), Ok(Outcome::Changed)]);
    let car = queue.inserted(car).unwrap();
    assert_eq!(scene.get(car).map(|node| node.node()).and_then(|node| node.name), Some("lorry"));
    assert_eq!(
        (scene.get(car).and_then(|node| node.own_material()), scene.get(root).and_then(|node| node.name())),
        (Some(5), Some("root"))
    );
    assert_eq!(
        (scene.get(car).map(|node| node.user_data()), scene.get(car).and_then(|node| node.translation_f64())),
        (Some(18), Some(far))
    );
}

#[test]
fn a_queue_gives_the_results_of_single_edits_in_a_scene_beyond_the_cache() {
    let mut rng = Rng::with_seed(9);
    let mut single = Scene::new();
    let mut nodes = vec![single.root()];
    while nodes.len() <= 9000 {
        let node = if rng.u8(..8) == 0 { Node::group() } else { Node::transform(pose(&mut rng)) };
        nodes.push(single.insert(nodes[rng.usize(..nodes.len())], node).unwrap());
    }
    let mut queued = single.clone();
    let (mut queue, mut expected) = (EditQueue::new(), Vec::new());
    let (mut failed, mut tickets, mut made) = (0, Vec::new(), Vec::new());
    for number in 0..2000 {
        let [node, other] = [(); 2].map(|()| nodes[rng.usize(1..nodes.len())]);
        let result = match rng.u8(..6) {
            0 | 1 => {
                // Some transforms must be normalised, and so end a run.
                let mut local = pose(&mut rng);
                local.rotation *= if number % 7 == 0 { 3.0 } else { 1.0 };
                queue.push(Edit::set_local(node, local));
                single.set_local(node, local).map(|()| Outcome::Changed)
            }
            2 => {
                queue.push(Edit::change(node, Change::Material(Some(number))));
                single.edit(node).map(|mut node| {
                    node.set_material(number);
                    Outcome::Changed
                })
            }
            3 => {
                let place = match number % 3 {
                    0 => Place::Before(other),
                    1 => Place::FirstChildOf(other),
                    _ => Place::Child(other, 0),
                };
                queue.push(Edit::reparent(node, place, Keep::Local));
                single.reparent(node, place, Keep::Local).map(Outcome::Moved)
            }
            4 => {
                let new = Node::drawable(Drawable::new(number, Aabb::cube(1.0)));
                tickets.push(queue.insert(Place::After(other), new));
                let result = single.insert(Place::After(other), new);
                made.push(result.ok());
                result.map(Outcome::Inserted)
            }
            _ if single.get(node).is_none_or(|node| node.descendants().take(20).count() < 20) => {
                queue.push(Edit::remove(node));
                single.remove(node).map(Outcome::Removed)
            }
            _ => {
                queue.push(Edit::change(node, Change::Name(Some("large".into()))));
                single.edit(node).map(|mut node| {
                    node.set_name("large");
                    Outcome::Changed
                })
            }
        };
        failed += usize::from(result.is_err());
        expected.push(result);
    }
    assert_eq!(queue.apply(&mut queued), expected);
    assert!(tickets.iter().map(|&ticket| queue.inserted(ticket)).eq(made));
    assert!(failed > 10 && expected.len() - failed > 1000, "{failed} of {} failed", expected.len());
    assert!(
        single.get(single.root()).unwrap().descendants().map(|node| node.handle()).eq(queued
            .get(queued.root())
            .unwrap()
            .descendants()
            .map(|node| node.handle()))
    );
    for &node in &nodes {
        assert_eq!(single.get(node).map(|node| node.node()), queued.get(node).map(|node| node.node()));
        assert_eq!(single.parent(node), queued.parent(node));
    }
    queued.validate().unwrap();
}
