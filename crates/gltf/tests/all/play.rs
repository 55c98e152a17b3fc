//! Playing an animation of a glTF file on everything that it moves. This test makes the file; `animation.rs` checks the
//! shared models.

use crate::characters::copies;
use hedgerow::changes::ChangeReader;
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Error, Node, Scene, SceneConfig};
use hedgerow_character::CharacterError;
use hedgerow_gltf::anim::player::Playback;
use hedgerow_gltf::anim::{ClipBuilder, Pose, RawClip, clip::Precision};
use hedgerow_gltf::{Import, ImportErrorKind, ImportOptions, Parts, Skipped};
use hedgerow_testkit::gltf::GltfFile;
use serde_json::json;

/// Returns a street with two rigs: a gate with a latch, and a waving flag. The first animation moves both, the second
/// only the latch, the third nothing importable.
fn street() -> GltfFile {
    let mut file = GltfFile::new(json!({
        "scenes": [{"name": "street", "nodes": [0]}],
        "nodes": [
            {"name": "street", "translation": [100, 0, 0], "children": [1, 3]},
            {"name": "gate", "children": [2]},
            {"name": "latch", "translation": [1, 0, 0]},
            {"name": "flag", "mesh": 0, "translation": [0, 5, 0]}
        ],
        "meshes": [{"weights": [0.5], "primitives": [{"attributes": {"POSITION": 5}, "targets": [{"POSITION": 5}]}]}],
        "animations": [
            {"name": "open", "extras": {"sound": "creak"}, "samplers": [
                {"input": 0, "output": 1}, {"input": 2, "output": 3}, {"input": 2, "output": 4}],
                "channels": [
                    {"sampler": 0, "target": {"node": 1, "path": "rotation"}},
                    {"sampler": 1, "target": {"node": 3, "path": "translation"}},
                    {"sampler": 2, "target": {"node": 3, "path": "weights"}}]},
            {"name": "shut", "samplers": [{"input": 2, "output": 3}],
                "channels": [{"sampler": 0, "target": {"node": 2, "path": "translation"}}]},
            {"samplers": [{"input": 2, "output": 4}],
                "channels": [{"sampler": 0, "target": {"node": 2, "path": "weights"}}]}
        ]
    }));
    let quarter = Quat::from_rotation_y(core::f32::consts::FRAC_PI_2).to_array();
    // The quaternion has no unit length: the import normalises it.
    let quarter = quarter.map(|number| 1.5 * number);
    file.floats("SCALAR", &[0.0, 4.0]);
    file.floats("VEC4", &[Quat::IDENTITY.to_array(), quarter].concat());
    file.floats("SCALAR", &[0.0, 2.0]);
    file.floats("VEC3", &[0.0, 5.0, 0.0, 0.0, 7.0, 0.0]);
    file.floats("SCALAR", &[0.0, 1.0]);
    file.floats("VEC3", &[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    file
}

fn load() -> Import {
    hedgerow_gltf::from_slice(&street().glb(), None).unwrap()
}

/// Returns the world position of a node of the file.
fn place(import: &Import, node: usize) -> Vec3 {
    let node = import.imported.node(node).unwrap();
    import.scene.get(node).unwrap().fresh_world().translation()
}

fn near(found: Vec3, expected: [f32; 3]) {
    assert!((found - Vec3::from_array(expected)).length() < 1e-3, "{found}, expected {expected:?}");
}

/// Returns the latch's position when the gate has turned by this fraction of a quarter turn.
fn latch(part: f32) -> [f32; 3] {
    let angle = part * core::f32::consts::FRAC_PI_2;
    [100.0 + angle.cos(), 0.0, -angle.sin()]
}

#[test]
fn an_animation_moves_all_rigs_and_weights_by_one_call() {
    let mut import = load();
    assert_eq!((import.imported.rigs.len(), import.imported.clips.len()), (2, 3));
    let open = &import.imported.animations[0];
    assert_eq!((open.name.as_deref(), open.clips.clone()), (Some("open"), 0..2));
    assert_eq!(open.extras.value().unwrap()["sound"], "creak");
    let mut player = import.imported.play(0).unwrap();
    assert_eq!((player.duration(), player.time()), (4.0, 0.0));
    assert_eq!(player.poses().map(|(rig, _)| rig).collect::<Vec<_>>(), [0, 1]);
    let flag = import.imported.morph(3).unwrap().clone();
    for (time, part, height, weight) in [(0.0, 0.0, 5.0, 0.0), (1.0, 0.25, 6.0, 0.5), (3.0, 0.75, 7.0, 1.0)] {
        player.advance(time - player.time());
        player.apply(&mut import.scene).unwrap();
        near(place(&import, 2), latch(part));
        near(place(&import, 3), [100.0, height, 0.0]);
        assert!((player.weights(&flag)[0] - weight).abs() < 1e-3);
    }
    // The player stops at its end; looping, it wraps around.
    assert_eq!((player.advance(9.0), player.time()), (0, 4.0));
    player.set_playback(Playback::Loop);
    player.seek(1.0);
    assert_eq!((player.advance(8.0), player.time()), (2, 1.0));
    player.apply(&mut import.scene).unwrap();
    near(place(&import, 2), latch(0.25));
    assert_eq!((player.advance(-2.0), player.time()), (-1, 3.0));
    import.scene.validate().unwrap();
}

#[test]
fn what_an_animation_does_not_move_stays_until_it_is_put_to_rest() {
    let mut import = load();
    let mut open = import.imported.play(0).unwrap();
    open.seek(4.0);
    open.apply(&mut import.scene).unwrap();
    let mut shut = import.imported.play(1).unwrap();
    shut.seek(2.0);
    shut.apply(&mut import.scene).unwrap();
    // The gate is in the latch's rig and rests again; the flag is not in that rig.
    near(place(&import, 2), [100.0, 7.0, 0.0]);
    near(place(&import, 3), [100.0, 7.0, 0.0]);
    let flag = import.imported.morph(3).unwrap();
    let rest = Pose::rest(&import.imported.rigs[1].skeleton);
    assert_eq!((shut.weights(flag), shut.pose(1), shut.pose(2)), (&[0.5][..], Some(&rest), None));
    import.imported.at_rest().apply(&mut import.scene).unwrap();
    near(place(&import, 2), [101.0, 0.0, 0.0]);
    near(place(&import, 3), [100.0, 5.0, 0.0]);
}

#[test]
fn a_player_fades_to_rest_where_one_without_animations_is() {
    let mut import = load();
    let mut player = import.imported.play(0).unwrap();
    player.seek(4.0);
    player.fade_to(None, 1.0).unwrap();
    player.advance(0.5);
    player.apply(&mut import.scene).unwrap();
    near(place(&import, 2), latch(0.5));
    near(place(&import, 3), [100.0, 6.0, 0.0]);
    player.advance(0.5);
    player.apply(&mut import.scene).unwrap();
    near(place(&import, 2), [101.0, 0.0, 0.0]);
    let rest = import.imported.at_rest();
    assert_eq!((rest.duration(), rest.poses().len()), (0.0, import.imported.rigs.len()));
    assert!(rest.poses().eq(player.poses()));
}

#[test]
fn a_paused_player_sets_nothing() {
    let options = ImportOptions::new().with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT });
    let mut import = options.from_slice(&street().glb(), None).unwrap();
    let mut player = import.imported.play(0).unwrap();
    let mut reader = ChangeReader::new();
    for (seconds, moved) in [(1.25, 0), (0.0, 0), (0.5, 2), (0.0, 0)] {
        player.advance(seconds);
        player.apply(&mut import.scene).unwrap();
        import.scene.update();
        assert_eq!(import.scene.changes(&mut reader).unwrap().locals().len(), moved);
    }
}

#[test]
fn copies_of_a_file_play_each_at_a_time_of_its_own() {
    let mut import = load();
    let street = import.imported.scenes[0].group;
    let root = import.scene.root();
    let mut players = vec![import.imported.play(0).unwrap()];
    let mut latches = vec![import.imported.node(2).unwrap()];
    for number in 1..4_u8 {
        let map = copies(&mut import.scene, street, root);
        let mut copy = players[0].of_copy(&map);
        copy.seek(f32::from(number));
        players.push(copy);
        latches.push(map[latches[0]]);
    }
    players.iter_mut().for_each(|player| player.apply(&mut import.scene).unwrap());
    for (number, &node) in latches.iter().enumerate() {
        near(import.scene.get(node).unwrap().fresh_world().translation(), latch(number as f32 / 4.0));
    }
    // In a copy of only the gate, only the gate moves.
    let gate = import.imported.node(1).unwrap();
    let map = copies(&mut import.scene, gate, root);
    let mut copy = players[0].of_copy(&map);
    let flag = import.imported.node(3).unwrap();
    let before = import.scene.local(flag);
    copy.seek(4.0);
    copy.apply(&mut import.scene).unwrap();
    assert_eq!(import.scene.local(flag), before);
    near(import.scene.get(map[latches[0]]).unwrap().fresh_world().translation(), [0.0, 0.0, -1.0]);
}

#[test]
fn removed_nodes_are_refused_whole_until_they_are_forgotten() {
    let mut import = load();
    let mut player = import.imported.play(0).unwrap();
    player.seek(2.0);
    let flag = import.imported.node(3).unwrap();
    import.scene.remove(flag).unwrap();
    let before = import.scene.to_bytes();
    assert_eq!(player.apply(&mut import.scene), Err(CharacterError::Scene(Error::StaleHandle(flag))));
    assert!(import.scene.to_bytes() == before);
    near(place(&import, 2), latch(0.0));
    player.retain_live(&import.scene);
    player.apply(&mut import.scene).unwrap();
    near(place(&import, 2), latch(0.5));
}

#[test]
fn an_animation_of_nothing_plays_and_one_that_is_not_there_is_refused() {
    let mut import = load();
    assert_eq!(
        import.imported.skipped,
        [Skipped::Channel { animation: 2, channel: 0 }, Skipped::Animation { animation: 2 }]
    );
    let mut nothing = import.imported.play(2).unwrap();
    assert_eq!((nothing.duration(), nothing.advance(1.0), nothing.time()), (0.0, 0, 0.0));
    let before = import.scene.to_bytes();
    nothing.apply(&mut import.scene).unwrap();
    assert!(import.scene.to_bytes() == before && nothing.poses().len() == 0);

    let refused = import.imported.play(3).unwrap_err();
    assert_eq!(refused.kind(), &ImportErrorKind::NoAnimation { animation: 3, count: 3 });
    let senseless = ClipBuilder::new().arc_error(-1.0);
    let refused = import.imported.play_with(&[0], senseless).unwrap_err().to_string();
    assert!(refused.starts_with("animation 0 \"open\": rig 0: an arc error of"), "{refused}");
    // The error names the animation that does not fit, not the first of the list.
    import.imported.clips[2].clip = RawClip::new(1.0, 9).unwrap();
    let refused = import.imported.play_with(&[0, 1], ClipBuilder::new()).unwrap_err().to_string();
    assert!(refused.starts_with("animation 1 \"shut\": "), "{refused}");
    let still = ImportOptions::new().with_parts(Parts::NODES).from_slice(&street().glb(), None).unwrap().imported;
    assert!(still.play(0).is_err() && still.rigs.is_empty() && still.animations.is_empty());
}

#[test]
fn settings_of_clips_are_those_that_are_passed() {
    let import = load();
    let tight = import.imported.play_with(&[0], ClipBuilder::new().precision(Precision::Tight)).unwrap();
    let (_, pose) = tight.poses().next().unwrap();
    assert_eq!(pose.get(0).rotation, Quat::IDENTITY);
    // A player's handles are stale in another scene.
    let mut other = Scene::new();
    let root = other.root();
    other.insert(root, Node::group()).unwrap();
    assert!(tight.clone().apply(&mut other).is_err());
}

#[test]
fn a_fade_begins_where_the_poses_are_and_ends_at_the_new_animation() {
    let mut import = load();
    let flag = import.imported.morph(3).unwrap().clone();
    let mut player = import.imported.play_with(&[0, 1], ClipBuilder::new()).unwrap();
    player.advance(1.0);
    let mut shut = import.imported.play(1).unwrap();
    shut.set_playback(Playback::Loop);
    shut.seek(0.5);

    // The expected poses without a fade: the old animation plays on, and the new one starts.
    let (mut old, mut new) = (player.clone(), shut.clone());
    let before: Vec<Pose> = player.poses().map(|(_, pose)| pose.clone()).collect();
    let weight = player.weights(&flag)[0];
    player.fade_to(Some(1), 1.0).unwrap();
    player.set_playback(Playback::Loop);
    player.seek(0.5);
    assert!(player.poses().map(|(_, pose)| pose).eq(&before), "nothing jumps");
    assert_eq!((player.weights(&flag)[0], player.faded()), (weight, 0.0));
    assert_eq!((player.time(), player.duration()), (0.5, 2.0), "they are those of the new one");

    let rest = [0, 1].map(|rig| Pose::rest(&import.imported.rigs[rig].skeleton));
    let mut last = before;
    for step in 1..=32_u8 {
        let part = f32::from(step) / 32.0;
        assert_eq!(player.advance(1.0 / 32.0), new.advance(1.0 / 32.0), "the rounds are those of the new one");
        old.advance(1.0 / 32.0);
        assert!((player.faded() - part).abs() < 1e-6);
        // Only the old animation moves the flag, which fades to rest.
        for (rig, to) in [(0, new.pose(0).unwrap()), (1, &rest[1])] {
            let mut expected = old.pose(rig).unwrap().clone();
            expected.crossfade(to, part, None).unwrap();
            let shown = player.pose(rig).unwrap();
            for joint in 0..u16::try_from(shown.len()).unwrap() {
                let (shown, expected) = (shown.get(joint), expected.get(joint));
                near(shown.translation, expected.translation.to_array());
                assert!(shown.rotation.dot(expected.rotation).abs() > 1.0 - 1e-5);
                let step = shown.translation.distance(last[rig].get(joint).translation);
                // The latch is about 6 m from its target.
                assert!(step < 0.35, "joint {joint} of {rig} jumps by {step}");
            }
            last[rig] = shown.clone();
        }
        let expected = old.weights(&flag)[0] * (1.0 - part) + 0.5 * part;
        assert!((player.weights(&flag)[0] - expected).abs() < 1e-4);
        player.apply(&mut import.scene).unwrap();
    }
    assert_eq!((player.faded(), player.weights(&flag)), (1.0, &[0.5][..]));
    assert_eq!((player.pose(0), player.pose(1)), (new.pose(0), Some(&rest[1])), "to the bit");
    near(place(&import, 3), [100.0, 5.0, 0.0]);
    // After the fade, the new animation plays alone.
    assert_eq!(player.advance(0.7), new.advance(0.7));
    assert_eq!((player.pose(0), player.pose(1)), (new.pose(0), Some(&rest[1])));
    import.scene.validate().unwrap();
}

#[test]
fn a_fade_into_more_rigs_begins_at_rest_and_may_be_interrupted() {
    let import = load();
    // The first animation of this player moves only the latch.
    let both = import.imported.play_with(&[1, 0], ClipBuilder::new()).unwrap();
    let mut player = both.clone();
    player.fade_to(Some(1), 1.0).unwrap();
    player.seek(3.0);
    let rest = Pose::rest(&import.imported.rigs[1].skeleton);
    assert_eq!(player.pose(1), Some(&rest), "it comes from rest");
    player.advance(0.25);
    // A fade that starts before the first is over starts from the shown poses, which are held.
    let shown: Vec<Pose> = player.poses().map(|(_, pose)| pose.clone()).collect();
    player.fade_to(Some(0), 1.0).unwrap();
    for ((_, now), shown) in player.poses().zip(&shown) {
        for joint in (0..).take(now.len()) {
            near(now.get(joint).translation, shown.get(joint).translation.to_array());
        }
    }
    let mut copy = player.clone();
    player.advance(0.5);
    let mut half = shown[1].clone();
    half.crossfade(&rest, 0.5, None).unwrap();
    near(player.pose(1).unwrap().get(0).translation, half.get(0).translation.to_array());
    // The same steps give the same bits, and NaN seconds change nothing.
    copy.advance(f32::NAN);
    copy.advance(0.5);
    assert!(copy.poses().eq(player.poses()));
    player.advance(0.5);
    assert_eq!((player.faded(), player.pose(1)), (1.0, Some(&rest)));

    let open = import.imported.play(0).unwrap();
    for seconds in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let mut player = both.clone();
        player.fade_to(Some(1), seconds).unwrap();
        assert_eq!((player.faded(), player.pose(0), player.pose(1)), (1.0, open.pose(0), open.pose(1)));
        let refused = CharacterError::NoAnimation { animation: 2, count: 2 };
        assert_eq!((player.fade_to(Some(2), 1.0), player.pose(1)), (Err(refused), open.pose(1)));
    }
}
