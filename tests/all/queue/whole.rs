//! Queues that are applied as a whole.

use fastrand::Rng;
use hedgerow::edit::{BatchError, Change, Edit, EditQueue, QueuedPlace, Target};
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::{
    Aabb, Drawable, Error, Keep, Layers, Mat34, Node, NodeHandle, Place, Scene, Transform, Tree, ViewRange, Visibility,
};

/// The visible state of a node: its description, its parent and its children.
type Seen = (NodeHandle, String, Option<NodeHandle>, Vec<NodeHandle>);

fn seen(scene: &Scene) -> (Vec<Seen>, Vec<NodeHandle>) {
    let tops: Vec<NodeHandle> = scene.detached().map(|node| node.handle()).collect();
    let all = tops.iter().copied().chain([scene.root()]).flat_map(|top| scene.get(top).unwrap().descendants());
    let nodes = all.map(|node| {
        let children = node.children().map(|child| child.handle()).collect();
        (node.handle(), format!("{:?}", node.to_node()), node.parent().map(|up| up.handle()), children)
    });
    (nodes.collect(), tops)
}

fn place(dice: &mut Rng, target: Target) -> QueuedPlace {
    match dice.u8(..8) {
        0 => QueuedPlace::FirstChildOf(target),
        1 => QueuedPlace::Before(target),
        2 => QueuedPlace::After(target),
        3 => QueuedPlace::Child(target, dice.usize(..3)),
        4 => QueuedPlace::Detached,
        _ => QueuedPlace::LastChildOf(target),
    }
}

fn transform(dice: &mut Rng) -> Transform {
    let axis = Vec3::new(dice.f32(), 1.0, dice.f32()).normalize();
    let rotation = hedgerow::glam::Quat::from_axis_angle(axis, dice.f32() * 6.0);
    Transform { translation: Vec3::splat(dice.f32() * 9.0), rotation, scale: Vec3::new(1.0, 2.0, dice.f32() + 0.5) }
}

fn change(dice: &mut Rng) -> Change {
    match dice.u8(..15) {
        0 => Change::Local(None),
        1 => Change::Local(Some(
            Mat34 { rows: [[1.0, 3.0, 0.0, 2.0], [0.0, 1.0, 0.0, 5.0], [0.0, 0.0, 0.0, 1.0]] }.into(),
        )),
        2 => Change::World(transform(dice).into()),
        3 => Change::LookAt { target: Vec3::new(5.0, dice.f32(), 1.0), up: Vec3::Y },
        4 => Change::TranslationF64(DVec3::new(1e7 + f64::from(dice.f32()), 0.1, 0.0)),
        5 => Change::Material(dice.bool().then(|| dice.u32(..9))),
        6 => Change::Drawable(dice.bool().then(|| Drawable::new(dice.u32(..9), Aabb::cube(1.0)))),
        7 => Change::Layers(dice.bool().then(|| Layers::new(dice.u32(..9)))),
        8 => Change::Visibility([Visibility::Inherited, Visibility::Hidden, Visibility::Shown][dice.usize(..3)]),
        9 => Change::Name(dice.bool().then(|| "named".into())),
        10 => Change::UserData(dice.u32(..3)),
        11 => Node::transform(transform(dice)).with_name("whole").with_layers(Layers::new(2)).into(),
        13 => Change::Anchored(dice.bool(), if dice.bool() { Keep::World } else { Keep::Local }),
        12 => Change::ViewRange(dice.bool().then(|| ViewRange::new(dice.u32(..3) as f32, 3.0).unwrap())),
        _ => Change::Local(Some(transform(dice).into())),
    }
}

/// Records some edits, the same for the same seed.
fn fill(queue: &mut EditQueue, nodes: &[NodeHandle], seed: u64) {
    let mut dice = Rng::with_seed(seed);
    let mut targets: Vec<Target> = nodes.iter().map(|&node| node.into()).collect();
    if dice.u8(..4) == 0 {
        // A ticket of another queue, and a tree that no scene takes.
        targets.push(EditQueue::new().insert(nodes[0], Node::group()).into());
        let mut tree = Tree::new();
        tree.push(Some(1), Node::group());
        let target = targets[dice.usize(..targets.len())];
        queue.insert_tree(place(&mut dice, target), tree);
    }
    for _ in 0..dice.usize(1..30) {
        let mut any = || targets[dice.usize(..targets.len())];
        let (node, other) = (any(), any());
        match dice.u8(..12) {
            0 => queue.push(Edit::remove(node)),
            1..=3 => {
                let (place, keep) = (place(&mut dice, other), if dice.bool() { Keep::World } else { Keep::Local });
                queue.push(Edit::reparent(node, place, keep));
            }
            4 | 5 => {
                let described = Node::transform(transform(&mut dice)).with_name("new");
                targets.push(queue.insert(place(&mut dice, other), described).into());
            }
            6 => {
                let mut tree = Tree::new();
                for parent in [None, Some(0), Some(1), None, Some(3)] {
                    tree.push(parent, Node::material(3));
                }
                targets.push(queue.insert_tree(place(&mut dice, other), tree).into());
            }
            _ => queue.push(Edit::change(node, change(&mut dice))),
        }
    }
}

#[test]
fn all_edits_are_made_or_none() {
    let (mut made, mut refused) = (0, 0);
    for seed in 0..400 {
        let mut dice = Rng::with_seed(seed);
        let mut scene = Scene::new();
        let mut nodes = vec![scene.root()];
        for _ in 0..20 {
            let above = if dice.u8(..8) == 0 { Place::Detached } else { nodes[dice.usize(..nodes.len())].into() };
            let node =
                if dice.bool() { Node::transform(transform(&mut dice)) } else { Node::group().with_name("group") };
            nodes.push(scene.insert(above, node).unwrap());
        }
        scene.update();
        let mut queue = EditQueue::new();
        for round in 0..8 {
            let seed = seed * 100 + round;
            let mut single = scene.clone();
            fill(&mut queue, &nodes, seed);
            let first =
                queue.apply(&mut single).iter().enumerate().find_map(|(item, result)| Some((item, result.err()?)));
            fill(&mut queue, &nodes, seed);
            let (before, edits) = (seen(&scene), queue.len());
            match (queue.apply_all(&mut scene), first) {
                (Ok(()), None) => {
                    made += 1;
                    assert_eq!(scene.copy_tree(scene.root()).unwrap(), single.copy_tree(single.root()).unwrap());
                    assert_eq!((scene.len(), queue.len()), (single.len(), 0));
                }
                (Err(BatchError { item: Some(item), error }), Some((expected, because))) => {
                    refused += 1;
                    assert_eq!((item, core::mem::discriminant(&error)), (expected, core::mem::discriminant(&because)));
                    assert_eq!((seen(&scene), queue.len()), (before, edits));
                    queue.clear();
                }
                (whole, single) => panic!("seed {seed}: {whole:?} as a whole, {single:?} one by one"),
            }
            if dice.bool() {
                scene.update();
            }
            scene.validate().unwrap();
            nodes.retain(|&node| scene.contains(node));
        }
    }
    assert!(made > 300 && refused > 300, "{made} made, {refused} refused");
}

#[test]
fn tickets_of_a_queue_that_was_refused_name_nothing_and_work_once_the_fault_is_mended() {
    let mut scene = Scene::new();
    let wall = scene.insert(scene.root(), Node::group()).unwrap();
    let mut queue = EditQueue::new();
    let house = queue.insert(scene.root(), Node::group());
    queue.push(Edit::reparent(wall, house, Keep::Local));
    queue.push(Edit::remove(scene.root()));
    let refused = queue.apply_all(&mut scene);
    assert_eq!(refused, Err(BatchError { item: Some(2), error: Error::RootIsFixed }));
    assert_eq!((queue.inserted(house), scene.parent(wall)), (None, Some(scene.root())));
    assert_eq!(queue.apply(&mut scene)[2], Err(Error::RootIsFixed));
    assert_eq!(queue.inserted(house), scene.parent(wall));
}

#[test]
fn an_edit_with_several_faults_fails_with_the_same_error_alone_and_as_a_whole() {
    let mut scene = Scene::new();
    let root = scene.root();
    let [gone, node] = [(); 2].map(|()| scene.insert(root, Node::group()).unwrap());
    scene.remove(gone).unwrap();
    let unknown = EditQueue::new().insert(root, Node::group());
    let targets = [Target::from(gone), unknown.into(), root.into(), node.into()];
    let makes: [fn(&mut EditQueue, Target, QueuedPlace); 5] = [
        |queue, node, _| queue.push(Edit::remove(node)),
        |queue, node, place| queue.push(Edit::reparent(node, place, Keep::World)),
        |queue, node, _| queue.push(Edit::set_local(node, Transform::from_xyz(f32::NAN, 0.0, 0.0))),
        |queue, _, place| _ = queue.insert(place, Node::transform(Transform::from_xyz(f32::NAN, 0.0, 0.0))),
        |queue, _, place| {
            let mut faulty = Tree::new();
            faulty.push(Some(1), Node::group());
            queue.insert_tree(place, faulty);
        },
    ];
    let mut refused = 0;
    for (node, other) in targets.into_iter().flat_map(|node| targets.map(|other| (node, other))) {
        for place in [other.into(), QueuedPlace::Before(other), QueuedPlace::Child(other, 9), QueuedPlace::Detached] {
            for make in makes {
                let (mut queue, mut single) = (EditQueue::new(), scene.clone());
                make(&mut queue, node, place);
                let expected = queue.apply(&mut single)[0].err().map(|error| BatchError { item: Some(0), error });
                make(&mut queue, node, place);
                assert_eq!(queue.apply_all(&mut scene.clone()).err(), expected);
                refused += usize::from(expected.is_some());
            }
        }
    }
    assert!(refused > 200, "{refused} edits were refused");
}
