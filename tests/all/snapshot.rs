//! Snapshots that are loaded, and snapshots that are refused.

use crate::random;
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::{
    Aabb, DrawList, Drawable, Error, Layers, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree,
    ViewRange,
    snapshot::{LoadOptions, SaveOptions, SnapshotError},
};
use hedgerow_anim::{Skeleton, SkeletonBuilder, skeleton::SkeletonError};
use hedgerow_testkit::checksum::set_checksum;
use hedgerow_testkit::model::dump::dump;
use hedgerow_testkit::model::op::Op;
use hedgerow_testkit::model::oracle::{Oracle, from_bytes};
use hedgerow_testkit::model::{Step, decode, loaded};
use proptest::array::{uniform8, uniform24};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use std::collections::HashSet;

fn runner(seed: u8, cases: u32) -> TestRunner {
    let cases = random::at_most(cases);
    let config = Config { failure_persistence: None, max_shrink_iters: 5_000, ..Config::with_cases(cases) };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]))
}

fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    vec(uniform24(any::<u8>()).prop_map(|bytes| decode::step(&bytes)), 0..=most)
}

fn draws(scene: &Scene) -> DrawList {
    let mut list = DrawList::new();
    scene.draw_list(&mut list);
    list
}

/// Returns draws in an order that does not depend on the storage.
fn draws_by_node(scene: &Scene) -> Vec<(NodeHandle, String)> {
    let list = draws(scene);
    let drawn = list.commands().iter().zip(list.matrices());
    let mut drawn: Vec<_> = drawn.map(|(draw, matrix)| (draw.node, format!("{draw:?} {matrix:?}"))).collect();
    drawn.sort();
    drawn
}

/// Plays the same steps on a scene that is sometimes saved and loaded, and on one that is not.
fn reloaded_or_not(seed: u8, oracle: impl Fn([u8; 8]) -> Oracle) {
    let answer = runner(seed, 4).run(&(uniform8(any::<u8>()), steps(400)), |(config, mut steps)| {
        // Snapshots do not keep reserved memory, and visitors depend on slots.
        steps.retain(|step| !matches!(step.op, Op::TryReserve(..) | Op::Visit { .. }));
        let (mut reloaded, mut kept) = (oracle(config), oracle(config));
        for steps in steps.chunks(1 + usize::from(config[7])) {
            for oracle in [&mut reloaded, &mut kept] {
                let mut played = steps.iter().map(|step| oracle.step(step));
                played.try_for_each(|step| step.map_err(|mismatch| TestCaseError::fail(mismatch.to_string())))?;
            }
            let whole = SaveOptions { detached: true };
            reloaded.reload(whole, None).map_err(|mismatch| TestCaseError::fail(mismatch.to_string()))?;
            if config[7] & 4 == 0 {
                reloaded.scene.update();
                kept.scene.update();
                for oracle in [&mut reloaded, &mut kept] {
                    let compared = oracle.compare(true).and_then(|()| oracle.compare_feed());
                    let compared = compared.and_then(|()| oracle.compare_readers(true));
                    compared.map_err(|mismatch| TestCaseError::fail(mismatch.to_string()))?;
                }
            }
            // The whole model is compared with the loaded scene, including stale handles.
            reloaded.compare(false).map_err(|mismatch| TestCaseError::fail(mismatch.to_string()))?;
            proptest::prop_assert_eq!(dump(&reloaded.scene), dump(&kept.scene));
            proptest::prop_assert!(reloaded.scene.to_bytes() == kept.scene.to_bytes());
        }
        for oracle in [&mut reloaded, &mut kept] {
            oracle.scene.update();
        }
        proptest::prop_assert_eq!(draws_by_node(&reloaded.scene), draws_by_node(&kept.scene));
        Ok(())
    });
    assert!(answer.is_ok(), "{answer:?}");
}

#[test]
fn a_scene_that_was_loaded_goes_on_as_the_one_that_was_saved() {
    reloaded_or_not(41, from_bytes);
    reloaded_or_not(42, |bytes| Oracle::new(SceneConfig::DEFAULT, bytes));
}

/// Returns a scene with every component, several slices, holes and stale handles.
fn varied() -> (Scene, Vec<NodeHandle>) {
    let config = SceneConfig { max_nodes: 16, ..SceneConfig::DEFAULT };
    let mut scene = Scene::with_config(config).unwrap();
    let mut nodes = vec![scene.root()];
    let sheared = Mat34 { rows: [[1.0, 0.5, 0.0, 2.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };
    for number in 0..120_u32 {
        let turned = Transform::from_rotation(Quat::from_rotation_y(number as f32)).with_translation(Vec3::splat(0.5));
        let node = match number % 6 {
            0 => Node::transform(turned).with_name("hinge"),
            1 => Node::group().with_matrix(sheared),
            2 => Node::drawable(Drawable::new(number, Aabb::cube(1.0))).with_transform(turned),
            3 => Node::material(number).with_layers(Layers::new(number)),
            4 => Node::drawable(Drawable::new(number, Aabb::INFINITE)).with_name("sky"),
            _ => Node::group().with_name("ä/ö"),
        };
        let parent = nodes[(number as usize * 7) / 10];
        nodes.push(scene.insert(parent, node).unwrap());
        scene.edit(nodes[nodes.len() - 1]).unwrap().set_user_data(number % 4);
        if node.local.is_some() && number % 7 < 3 {
            let place = DVec3::new(1e7 + 0.1, f64::from(number) / 3.0, -0.5);
            scene.edit(nodes[nodes.len() - 1]).unwrap().set_translation_f64(place).unwrap();
        }
    }
    scene.update();
    for turn in 0..3 {
        let gone = nodes[100 + turn];
        scene.remove(gone).unwrap();
        let again = scene.insert(nodes[5], Node::group()).unwrap();
        scene.remove(again).unwrap();
    }
    (scene, nodes)
}

#[test]
fn every_truncation_is_refused() {
    let (scene, nodes) = varied();
    let whole = scene.to_bytes();
    for length in 0..whole.len() {
        let error = Scene::from_bytes(&whole[..length]).expect_err("a truncated file");
        let told = matches!(error, SnapshotError::Length { .. } | SnapshotError::NotASnapshot);
        assert!(told, "{length} bytes: {error}");
        let mut cut = whole[..length].to_vec();
        set_checksum(&mut cut);
        assert!(Scene::from_bytes(&cut).is_err(), "{length} bytes under a fitting checksum");
    }
    let part = scene.copy_tree(nodes[1]).unwrap().to_bytes();
    for length in 0..part.len() {
        let mut cut = part[..length].to_vec();
        set_checksum(&mut cut);
        assert!(Tree::from_bytes(&cut).is_err(), "{length} bytes of a tree");
    }
}

#[test]
fn every_changed_byte_is_refused_or_harmless() {
    let (scene, _) = varied();
    let whole = scene.to_bytes();
    let (mut taken, mut reasons) = (0, HashSet::new());
    let mut load = |mut bytes: Vec<u8>| {
        set_checksum(&mut bytes);
        match Scene::from_bytes(&bytes) {
            Ok(scene) => {
                loaded::live_on(scene).unwrap();
                taken += 1;
            }
            Err(refused) => _ = reasons.insert(refused.to_string()),
        }
    };
    for place in 32..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 1 << (place % 8);
        assert_eq!(Scene::from_bytes(&bytes).err(), Some(SnapshotError::Checksum));
        if place % 3 == 0 {
            load(bytes);
        }
        // Replaces a whole word by its neighbour.
        if place % 4 == 0 && place + 8 <= whole.len() {
            for from in [place - 4, place + 4] {
                let mut bytes = whole.clone();
                bytes.copy_within(from..from + 4, place);
                load(bytes);
            }
        }
    }
    assert!(taken > 1000 && reasons.len() >= 18, "{taken} are taken, the others refused for {reasons:#?}");
}

#[test]
fn a_forged_length_takes_no_memory() {
    let mut bytes = Scene::new().to_bytes();
    let (most, least) = (bytes.len(), Scene::new().stats().allocated_bytes());
    for place in (32..most).step_by(4) {
        for number in [u32::MAX, 1 << 31, 1 << 30, 1 << 24] {
            let mut bytes = bytes.clone();
            let end = (place + 4).min(most);
            bytes[place..end].copy_from_slice(&number.to_le_bytes()[..end - place]);
            set_checksum(&mut bytes);
            if let Ok(scene) = Scene::from_bytes(&bytes) {
                let allocated = scene.stats().allocated_bytes();
                assert!(allocated < least + 64 * most, "{allocated} bytes for a file of {most}");
                assert_eq!(scene.validate(), Ok(()));
            }
        }
    }
    bytes.clear();
    assert_eq!(Scene::from_bytes(&bytes).err(), Some(SnapshotError::NotASnapshot));
}

#[test]
fn what_is_no_snapshot_says_what_it_is() {
    let (scene, nodes) = varied();
    let whole = scene.to_bytes();
    let part = scene.copy_tree(nodes[1]).unwrap().to_bytes();
    let refusal = |bytes: &[u8]| Scene::from_bytes(bytes).map(drop).unwrap_err();
    assert_eq!(refusal(b"hedgehog"), SnapshotError::NotASnapshot);
    assert_eq!(refusal(&part), SnapshotError::Kind { found: "Tree" });
    assert_eq!(Tree::from_bytes(&whole).unwrap_err(), SnapshotError::Kind { found: "Scene" });
    let longer = [&whole[..], b"more"].concat();
    let (expected, found) = (whole.len() as u64, longer.len() as u64);
    assert_eq!(refusal(&longer), SnapshotError::Length { expected, found });
    let mut filled = longer;
    set_checksum(&mut filled);
    assert!(matches!(refusal(&filled), SnapshotError::Invalid { .. }));
}

#[test]
fn files_are_written_and_read_whole() {
    let (scene, _) = varied();
    let mut file = Vec::new();
    SaveOptions::default().write(&scene, &mut file).unwrap();
    assert_eq!(dump(&LoadOptions::default().read(&file[..]).unwrap()), dump(&scene));

    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::TimedOut.into())
        }
    }
    let error = LoadOptions::default().read(Broken).unwrap_err();
    assert_eq!(error, SnapshotError::Read(std::io::ErrorKind::TimedOut));
}

#[test]
fn a_tree_with_numbers_that_no_scene_takes_is_not_read() {
    let node = Node::transform(Transform::from_xyz(77.0, 0.0, 0.0)).with_drawable(Drawable::new(1, Aabb::cube(33.0)));
    let mut tree = Tree::new();
    tree.push(None, node.with_user_data(1234).with_view_range(ViewRange::new(0.0, 55.0).unwrap()));
    let read = |from: u32, to: u32| {
        let mut bytes = tree.to_bytes();
        let place = (0..bytes.len() - 3).rfind(|&at| bytes[at..at + 4] == from.to_le_bytes()).expect("the number");
        bytes[place..place + 4].copy_from_slice(&to.to_le_bytes());
        set_checksum(&mut bytes);
        Tree::from_bytes(&bytes).map(drop)
    };
    let [x, extent, far, nan] = [77.0_f32, 33.0, 55.0, f32::NAN].map(f32::to_bits);
    assert!([x, extent, far, 1234].into_iter().all(|number| read(number, number).is_ok()));
    for (from, to) in [(x, nan), (extent, nan), (far, 0), (1234, 0)] {
        assert!(matches!(read(from, to), Err(SnapshotError::Invalid { .. })), "{from:#x} becomes {to:#x}");
    }
}

#[test]
fn bytes_with_a_value_that_a_scene_does_not_keep_are_refused() {
    let shear = Mat34 { rows: [[1.0, 0.123, 0.0, 55.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };
    let mut tree = Tree::new();
    tree.push(None, Node::transform(Transform::from_xyz(77.0, 0.0, 0.0)));
    tree.push(None, Node::group().with_matrix(shear));
    tree.push(None, Node::drawable(Drawable::new(1, Aabb::cube(33.0))));
    let mut scene = Scene::new();
    scene.insert_tree(scene.root(), &tree).unwrap();
    // Replaces the number that is `words` words after another one, in both forms.
    let read = |[near, to]: [f32; 2], words: usize| {
        let changed = |mut bytes: Vec<u8>| {
            let place = (0..bytes.len() - 3).rfind(|&at| bytes[at..at + 4] == near.to_le_bytes()).expect("the number");
            bytes[place + 4 * words..][..4].copy_from_slice(&to.to_le_bytes());
            set_checksum(&mut bytes);
            bytes
        };
        [Scene::from_bytes(&changed(scene.to_bytes())).map(drop), Tree::from_bytes(&changed(tree.to_bytes())).map(drop)]
    };
    // A rotation that is not normalised, or slightly not; a matrix that is a transform; an empty box; no numbers.
    for (numbers, words) in [
        ([77.0, 2.0], 6),
        ([77.0, 1.000_001_4], 6),
        ([77.0, f32::NAN], 0),
        ([0.123, 0.0], 0),
        ([0.123, f32::INFINITY], 0),
        ([33.0, -40.0], 0),
        ([33.0, f32::INFINITY], 0),
    ] {
        for answer in read(numbers, words) {
            let Err(SnapshotError::Invalid { violation }) = answer else { panic!("{numbers:?}: {answer:?}") };
            assert!(violation.contains("not finite or not normalised"), "{violation}");
        }
    }
    for (numbers, words) in [([77.0, 1.000_000_1], 6), ([77.0, -0.0], 0), ([0.123, 0.124], 0), ([33.0, 34.0], 0)] {
        assert_eq!(read(numbers, words), [Ok(()); 2]);
    }
    // A translation in double precision that is that of a transform, and one with more bits than a scene keeps.
    let wide = DVec3::new(1e7 + 0.1, 0.0, 0.0);
    let kept = Node::transform(Transform::IDENTITY).with_translation_f64(wide);
    tree.clear();
    tree.push(None, kept);
    let kept = tree.get(0).unwrap().translation_f64.unwrap().x.to_bits();
    for to in [kept, kept + 1, 1e7_f64.to_bits(), f64::NAN.to_bits()] {
        let mut bytes = tree.to_bytes();
        let place = (0..bytes.len() - 7).rfind(|&at| bytes[at..at + 8] == kept.to_le_bytes()).expect("the number");
        bytes[place..place + 8].copy_from_slice(&to.to_le_bytes());
        set_checksum(&mut bytes);
        assert_eq!(Tree::from_bytes(&bytes).is_ok(), to == kept, "{}", f64::from_bits(to));
    }
}

#[test]
fn a_skeleton_is_no_snapshot_and_a_snapshot_no_skeleton() {
    let mut joints = SkeletonBuilder::new();
    joints.joint("hip", None, Transform::IDENTITY);
    let skeleton = joints.build().unwrap().0.to_bytes();
    assert_eq!(Scene::from_bytes(&skeleton).unwrap_err(), SnapshotError::Kind { found: "Skeleton" });
    assert_eq!(Skeleton::from_bytes(&Scene::new().to_bytes()).unwrap_err(), SkeletonError::NotASkeleton.into());
}

#[test]
fn a_file_is_written_into_memory_of_about_its_length() {
    let name = "n".repeat(100_000);
    let mut scene = Scene::new();
    let top = scene.insert(scene.root(), Node::group().with_name(&name)).unwrap();
    let bytes = scene.to_bytes();
    assert_eq!(Scene::from_bytes(&bytes).unwrap().get(top).unwrap().name(), Some(&*name));
    for _ in 0..3000 {
        let ball = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
        scene.insert(top, ball).unwrap();
    }
    let bytes = scene.to_bytes();
    assert!(bytes.capacity() < 2 * bytes.len(), "{} bytes in {}", bytes.len(), bytes.capacity());
}

#[test]
fn a_tree_is_not_inserted_where_nothing_can_go() {
    let (mut scene, nodes) = varied();
    let tree = scene.copy_tree(nodes[2]).unwrap();
    let before = dump(&scene);
    let gone = nodes[100];
    for tree in [&tree, &Tree::new()] {
        assert_eq!(scene.insert_tree(gone, tree), Err(Error::StaleHandle(gone).into()));
        assert_eq!(scene.insert_tree(Place::After(nodes[0]), tree), Err(Error::RootIsFixed.into()));
    }
    assert_eq!(scene.insert_tree(nodes[0], &Tree::new()), Ok(Vec::new()));
    assert_eq!(scene.copy_tree(gone), Err(Error::StaleHandle(gone)));
    assert_eq!(dump(&scene), before);
}
