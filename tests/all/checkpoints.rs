//! Checkpoints: single cases; random games are in `crates/testkit/src/drivers/restore.rs`.

use hedgerow::changes::{ChangeKinds, ChangeReader};
use hedgerow::checkpoints::Checkpoints;
use hedgerow::data::{Column, Inherited, NodeMap};
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::motion::Smooth;
use hedgerow::{
    Aabb, DrawList, Drawable, Error, Keep, Local, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform,
};

const TOLD: SceneConfig = SceneConfig { changes: true, bounds: true, ..SceneConfig::DEFAULT };

fn at(x: f32) -> Transform {
    Transform::from_xyz(x, 0.0, 0.0)
}

/// Checks that a scene is as it was when it was saved as bytes, and up to date.
fn assert_restored(scene: &Scene, saved: &[u8]) {
    assert!(scene.to_bytes() == saved, "the bytes are others");
    assert_eq!(scene.validate(), Ok(()));
    let loaded = Scene::from_bytes(saved).unwrap();
    let nodes = |scene: &Scene| -> Vec<_> {
        let all = scene.get(scene.root()).unwrap().descendants();
        all.map(|node| (node.handle(), node.world().to_bits(), node.material(), node.layers())).collect()
    };
    assert_eq!(nodes(scene), nodes(&loaded));
}

/// No sibling has other neighbours than before, except at the seams: masks say which ones were moved.
#[test]
fn readers_are_told_which_siblings_a_restore_moves() {
    let mut scene = Scene::with_config(TOLD).unwrap();
    let nodes = [(); 6].map(|()| scene.insert(scene.root(), Node::group()).unwrap());
    scene.update();
    let mut checkpoints = Checkpoints::new(&mut scene, 4).unwrap();
    checkpoints.save(&mut scene, 0).unwrap();
    for node in &nodes[3..] {
        scene.reparent(*node, Place::Before(nodes[0]), Keep::Local).unwrap();
    }
    scene.update();
    checkpoints.save(&mut scene, 1).unwrap();
    let mut reader = ChangeReader::of(&scene);
    checkpoints.restore(&mut scene, 0).unwrap();
    assert!(scene.children(scene.root()).eq(nodes));
    let told = scene.changes(&mut reader).unwrap();
    let is_told = |node| told.edited().contains(&(node, ChangeKinds::ORDER));
    assert!(nodes[3..].iter().all(|&node| is_told(node)), "{told:?}");
}

#[test]
fn zeros_come_back_with_their_signs() {
    let mut scene = Scene::new();
    let bounds = |zero: f32| Aabb::new(Vec3::new(zero, -1.0, -1.0), Vec3::ONE);
    let node = Node::transform(Transform::from_xyz(-0.0, 0.0, 1.0)).with_drawable(Drawable::new(1, bounds(-0.0)));
    let node = scene.insert(scene.root(), node).unwrap();
    let mut checkpoints = Checkpoints::new(&mut scene, 4).unwrap();
    checkpoints.save(&mut scene, 0).unwrap();
    let saved = scene.to_bytes();
    scene.set_local(node, Transform::from_xyz(0.0, -0.0, 1.0)).unwrap();
    scene.edit(node).unwrap().set_drawable(Drawable::new(1, bounds(0.0))).unwrap();
    assert!(scene.to_bytes() != saved);
    scene.update();
    checkpoints.restore(&mut scene, 0).unwrap();
    assert_restored(&scene, &saved);
}

/// The update sums dirty bytes of a page if many are set; checkpoints must not change what it sums.
#[test]
fn frames_that_set_every_node_go_back() {
    let mut scene = Scene::new();
    let nodes: Vec<NodeHandle> =
        (0..3000).map(|_| scene.insert(scene.root(), Node::transform(at(0.0))).unwrap()).collect();
    scene.update();
    let mut checkpoints = Checkpoints::new(&mut scene, 4).unwrap();
    let mut saved = Vec::new();
    for frame in 0..4_u16 {
        checkpoints.save(&mut scene, u64::from(frame)).unwrap();
        saved.push(scene.to_bytes());
        for &node in nodes.iter().skip(usize::from(frame % 2)) {
            scene.set_local(node, at(f32::from(frame) + 1.0)).unwrap();
        }
        if frame != 2 {
            scene.update();
        }
    }
    for frame in [3, 1] {
        checkpoints.restore(&mut scene, frame).unwrap();
        assert_restored(&scene, &saved[usize::try_from(frame).unwrap()]);
    }
}

#[test]
fn one_ring_saves_a_scene_and_no_clone_of_it() {
    let mut scene = Scene::new();
    let mut first = Checkpoints::new(&mut scene, 4).unwrap();
    first.save(&mut scene, 5).unwrap();
    first.save(&mut scene, 5).expect("the state is the same");
    assert_eq!(first.save(&mut scene, 4), Err(Error::FrameBefore { frame: 4, newest: 5 }));
    let mut others = [scene.clone(), Scene::from_bytes(&scene.to_bytes()).unwrap(), Scene::new()];
    for other in &mut others {
        assert_eq!(first.save(other, 6), Err(Error::OtherScene));
        assert_eq!(first.restore(other, 5), Err(Error::OtherScene));
    }
    // A clone has checkpoints of its own, whose marks are no others'.
    let mut apart = Checkpoints::new(&mut others[0], 4).unwrap();
    apart.save(&mut others[0], 0).unwrap();
    first.save(&mut scene, 6).unwrap();
    let mut second = Checkpoints::new(&mut scene, 4).unwrap();
    assert_eq!(first.save(&mut scene, 7), Err(Error::OtherScene));
    let node = scene.insert(scene.root(), Node::group()).unwrap();
    second.save(&mut scene, 0).unwrap();
    scene.remove(node).unwrap();
    second.restore(&mut scene, 0).unwrap();
    assert!(scene.contains(node));
}

#[test]
fn old_checkpoints_are_dropped_and_memory_is_freed() {
    let mut scene = Scene::new();
    let nodes: Vec<NodeHandle> = (0..400).map(|_| scene.insert(scene.root(), Node::group()).unwrap()).collect();
    let mut checkpoints = Checkpoints::new(&mut scene, 6).unwrap();
    let start = checkpoints.bytes();
    for frame in 0..10 {
        checkpoints.save(&mut scene, frame).unwrap();
        for &node in &nodes {
            scene.edit(node).unwrap().set_name(&*format!("{frame}"));
        }
    }
    assert!(checkpoints.frames().eq(4..10), "{checkpoints:?}");
    checkpoints.drop_before(8);
    assert!(checkpoints.frames().eq([8, 9]) && checkpoints.bytes() > start);
    assert_eq!(checkpoints.restore(&mut scene, 7), Err(Error::NoCheckpoint(7)));
    checkpoints.drop_before(100);
    assert_eq!(checkpoints.frames().len(), 0);
    assert_eq!(checkpoints.restore(&mut scene, 9), Err(Error::NoCheckpoint(9)));
    checkpoints.shrink_to_fit();
    assert!(checkpoints.bytes() < start + 400 * 70, "{} bytes, {start} at first", checkpoints.bytes());
    checkpoints.save(&mut scene, 3).unwrap();
    scene.clear();
    checkpoints.restore(&mut scene, 3).unwrap();
    assert_eq!(scene.get(nodes[5]).and_then(|node| node.name()), Some("9"));
}

/// Shrinking frees pages beyond the last record, which a restore may have moved back.
#[test]
fn a_scene_that_was_shrunk_or_that_reserved_goes_back_and_on() {
    let mut scene = Scene::new();
    let mut checkpoints = Checkpoints::new(&mut scene, 4).unwrap();
    checkpoints.save(&mut scene, 0).unwrap();
    let saved = scene.to_bytes();
    for round in 1..4 {
        let nodes: Vec<NodeHandle> =
            (0..1500).map(|_| scene.insert(scene.root(), Node::transform(at(1.0))).unwrap()).collect();
        scene.update();
        checkpoints.save(&mut scene, round).unwrap();
        scene.remove(nodes[700]).unwrap();
        checkpoints.restore(&mut scene, 0).unwrap();
        assert_restored(&scene, &saved);
        scene.shrink_to_fit();
        scene.try_reserve(scene.root(), if round == 2 { 5000 } else { 0 }).unwrap();
    }
}

/// A map refuses an older node than the one whose value it has, so it goes back with the scene.
#[test]
fn data_by_node_goes_back_as_a_clone() {
    let mut scene = Scene::new();
    let first = scene.insert(scene.root(), Node::transform(at(0.0))).unwrap();
    let (mut lives, mut heat) = (NodeMap::from_iter([(first, 3)]), Column::new(0.0));
    let mut opacity: Inherited<f32> = Inherited::new(1.0, |above, own| above * own);
    scene.update();
    heat.update(&scene);
    heat.set(&scene, first, 0.5).unwrap();
    let mut checkpoints = Checkpoints::new(&mut scene, 4).unwrap();
    checkpoints.save(&mut scene, 0).unwrap();
    let saved = (lives.clone(), heat.clone());

    scene.remove(first).unwrap();
    let second = scene.insert(scene.root(), Node::transform(at(0.0))).unwrap();
    scene.update();
    heat.update(&scene);
    assert_eq!(lives.insert(second, 1), Some((first, 3)));
    checkpoints.restore(&mut scene, 0).unwrap();
    assert_eq!(lives.insert(first, 2), Some((first, 2)), "the map has a later node");
    (lives, heat) = saved;
    heat.update(&scene);
    assert_eq!((lives.get(first), heat.get(&scene, first)), (Some(&3), Some(&0.5)));

    // A local of the node that is gone again displaces that of the node that lives, whose result follows.
    for (node, result) in [(first, 0.5), (second, 1.0)] {
        opacity.set(node, 0.5);
        opacity.run(&scene);
        assert_eq!(opacity.get(first), Some(&result));
    }
}

#[test]
fn a_smooth_scene_blends_on_after_a_restore() {
    let mut scene = Scene::with_config(TOLD).unwrap();
    let bodies = [1.0, 2.0].map(|x| {
        let body = Node::transform(at(x)).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
        scene.insert(scene.root(), body).unwrap()
    });
    scene.update();
    let mut smooth = Smooth::new(&scene).unwrap().with_motion();
    let mut checkpoints = Checkpoints::new(&mut scene, 4).unwrap();
    let mut list = DrawList::new().with_motion();
    for round in 0..4_u16 {
        checkpoints.save(&mut scene, u64::from(round)).unwrap();
        // The second body is removed, and another takes its record.
        scene.remove(bodies[1]).unwrap();
        let guest = Node::transform(at(7.0)).with_drawable(Drawable::new(2, Aabb::cube(1.0)));
        scene.insert(scene.root(), guest).unwrap();
        scene.set_local(bodies[0], at(5.0)).unwrap();
        scene.update();
        smooth.step(&scene).unwrap();
        {
            let shown = smooth.blend(&mut scene, 0.5);
            assert_eq!(shown.world(bodies[0]).unwrap().translation().x, 3.0);
            shown.draw_list(&mut list);
        }
        checkpoints.restore(&mut scene, u64::from(round)).unwrap();
        smooth.step(&scene).unwrap();
        {
            // The way back is a step like any other; the body that is back was not there before.
            let shown = smooth.blend(&mut scene, 0.5);
            let places = bodies.map(|body| shown.world(body).unwrap().translation().x);
            assert_eq!(places, [3.0, 2.0]);
            assert_eq!(shown.validate(), Ok(()));
        }
        scene.set_local(bodies[1], at(4.0)).unwrap();
        scene.update();
        smooth.step(&scene).unwrap();
        {
            let shown = smooth.blend(&mut scene, 0.5);
            assert_eq!(shown.world(bodies[1]).unwrap().translation().x, 3.0, "round {round}");
            let before = shown.get(bodies[1]).unwrap().previous_world().unwrap().translation().x;
            assert_eq!(before, 2.0, "what the last frame showed");
        }
        scene.set_local(bodies[1], at(2.0)).unwrap();
        scene.update();
        smooth.step(&scene).unwrap();
        drop(smooth.blend(&mut scene, 1.0));
    }
}

#[test]
fn a_removed_subtree_comes_back_with_its_handles_even_if_its_records_were_used_again() {
    let mut scene = Scene::with_config(TOLD).unwrap();
    let top = scene.insert(scene.root(), Node::transform(at(1.0)).with_name("top")).unwrap();
    let below = scene.insert(top, Node::transform(at(2.0)).with_material(7)).unwrap();
    scene.update();
    let mut checkpoints = Checkpoints::new(&mut scene, 4).unwrap();
    checkpoints.save(&mut scene, 0).unwrap();
    let saved = scene.to_bytes();
    for again in 0..3 {
        scene.remove(top).unwrap();
        scene.update();
        let others = [(); 3].map(|()| scene.insert(scene.root(), Node::transform(at(9.0))).unwrap());
        scene.update();
        scene.remove(others[0]).unwrap();
        assert!(
            others[..2].iter().all(|other| [top, below].iter().any(|old| (other.to_bits() ^ old.to_bits()) >> 32 == 0))
        );
        checkpoints.restore(&mut scene, 0).unwrap();
        assert_restored(&scene, &saved);
        assert_eq!((scene.get(top).unwrap().name(), scene.parent(below)), (Some("top"), Some(top)), "{again}");
        assert!(others.iter().all(|&other| !scene.contains(other)));
        assert_eq!(scene.world(below).unwrap().translation().x, 3.0);
    }
}

/// A mask has the move, though the number of the parent's record is the same in both states.
#[test]
fn a_child_below_a_record_that_went_from_one_node_to_another_hangs_below_the_first_again() {
    for frames in [1, 3] {
        let mut scene = Scene::with_config(TOLD).unwrap();
        let parent = scene.insert(scene.root(), Node::transform(at(10.0))).unwrap();
        let child = scene.insert(parent, Node::transform(at(1.0))).unwrap();
        scene.update();
        let mut checkpoints = Checkpoints::new(&mut scene, 4).unwrap();
        checkpoints.save(&mut scene, 0).unwrap();
        let saved = scene.to_bytes();
        scene.reparent(child, Place::Detached, Keep::Local).unwrap();
        scene.remove(parent).unwrap();
        if frames > 1 {
            checkpoints.save(&mut scene, 1).unwrap();
        }
        let other = scene.insert(scene.root(), Node::transform(at(20.0))).unwrap();
        assert_eq!(other.to_bits() >> 32, parent.to_bits() >> 32, "the record is used again");
        scene.reparent(child, other, Keep::Local).unwrap();
        scene.update();
        assert_eq!(scene.world(child).unwrap().translation().x, 21.0);
        if frames > 1 {
            checkpoints.save(&mut scene, 2).unwrap();
        }
        checkpoints.restore(&mut scene, 0).unwrap();
        assert_restored(&scene, &saved);
        assert_eq!(scene.world(child).unwrap().translation().x, 11.0);
    }
}

#[test]
fn a_frame_that_was_restored_and_corrected_is_saved_again() {
    let mut scene = Scene::new();
    let mut checkpoints = Checkpoints::new(&mut scene, 8).unwrap();
    let mut saved = Vec::new();
    let mut nodes = Vec::new();
    for frame in 0..4 {
        checkpoints.save(&mut scene, frame).unwrap();
        saved.push(scene.to_bytes());
        nodes.push(scene.insert(scene.root(), Node::group().with_name("node")).unwrap());
    }
    checkpoints.restore(&mut scene, 2).unwrap();
    scene.remove(nodes[0]).unwrap();
    let corrected = scene.insert(nodes[1], Node::group()).unwrap();
    checkpoints.save(&mut scene, 2).unwrap();
    assert!(checkpoints.frames().eq(0..3));
    saved[2] = scene.to_bytes();
    scene.remove(corrected).unwrap();
    for frame in [2, 1, 0] {
        checkpoints.restore(&mut scene, frame).unwrap();
        assert_eq!(scene.to_bytes(), saved[usize::try_from(frame).unwrap()], "frame {frame}");
        assert_eq!(scene.validate(), Ok(()));
    }
}

#[test]
fn matrices_and_translations_in_double_precision_come_back() {
    let mut scene = Scene::new();
    let mut shear = Mat34::IDENTITY;
    shear.rows[0][1] = 0.5;
    let [plain, sheared, far, group] =
        [Node::transform(at(1.0)), Node::group().with_matrix(shear), Node::transform(at(0.0)), Node::group()]
            .map(|node| scene.insert(scene.root(), node).unwrap());
    let place = DVec3::new(1e7 + 0.1, 0.0, 0.0);
    scene.edit(far).unwrap().set_translation_f64(place).unwrap();
    let kept = scene.get(far).unwrap().translation_f64();
    scene.update();
    let mut checkpoints = Checkpoints::new(&mut scene, 4).unwrap();
    checkpoints.save(&mut scene, 0).unwrap();
    let saved = scene.to_bytes();
    // In turn: each node gets what another had. Rounding errors alone differ in the last step.
    for step in 0..4 {
        scene.set_local(plain, shear).unwrap();
        scene.set_local(sheared, at(2.0)).unwrap();
        scene.edit(far).unwrap().set_translation_f64(place + 0.01).unwrap();
        scene.edit(group).unwrap().set_local(Local::Transform(at(3.0))).unwrap();
        if step % 2 == 0 {
            scene.update();
        }
        if step > 1 {
            scene.set_local(far, at(1e7)).unwrap();
            scene.edit(plain).unwrap().set_local(None).unwrap();
        }
        checkpoints.restore(&mut scene, 0).unwrap();
        assert_restored(&scene, &saved);
        assert_eq!(scene.get(far).unwrap().translation_f64(), kept);
    }
}
