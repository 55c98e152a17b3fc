//! glTF import of motion: compares rigs, clips, skins and morph weights of the shared models with the results of
//! another engine, at every sampled time of every animation. `nodes.rs` gives the location of the models.

use crate::nodes::{Model, distance, index, models, numbers};
use hedgerow::glam::Vec3;
use hedgerow::{Aabb, Mat34, Scene};
use hedgerow_gltf::anim::skin::{MorphBuffer, Palette, Skin, SkinOutput, SkinnedMesh};
use hedgerow_gltf::anim::{ClipBuilder, Pose, clip::Precision};
use hedgerow_gltf::{AnimationPlayer, Import, ImportedClip, MeshData};
use serde_json::Value;
use std::collections::HashMap;

/// The counts of comparisons, and the greatest differences.
#[derive(Default)]
struct Tally {
    samples: usize,
    worlds: usize,
    palettes: usize,
    vertices: usize,
    weights: usize,
    worst: [f32; 4],
}

/// A model at one time of one of its animations, or at rest: the pose of each rig, and its channels.
struct Frame<'a> {
    import: &'a mut Import,
    poses: Vec<Pose>,
    channels: Vec<Vec<f32>>,
}

/// The meshes of a model by mesh id and skin, in the layout for skinning.
type Meshes = HashMap<(u32, usize), SkinnedMesh>;

impl<'a> Frame<'a> {
    /// Returns the rigs in the player's poses at a time; rigs that the player does not move are at rest.
    fn of_player(import: &'a mut Import, player: &mut AnimationPlayer, time: f32) -> Self {
        import.imported.at_rest().apply(&mut import.scene).unwrap();
        player.seek(time);
        player.apply(&mut import.scene).unwrap();
        import.scene.update();
        let rigs = import.imported.rigs.iter().enumerate();
        let poses = rigs.map(|(rig, _)| player.pose(rig).unwrap().clone()).collect();
        let mut channels: Vec<Vec<f32>> = import.imported.rigs.iter().map(|rig| vec![0.0; rig.channels]).collect();
        for morph in &import.imported.morphs {
            if let Some(of_rig) = &morph.channels {
                channels[of_rig.rig][of_rig.range.clone()].copy_from_slice(player.weights(morph));
            }
        }
        Self { import, poses, channels }
    }

    /// Returns the rigs in the poses of clips; other rigs are at rest.
    fn of(import: &'a mut Import, clips: &[ImportedClip], time: f32) -> Self {
        let rigs = &import.imported.rigs;
        let mut poses: Vec<Pose> = rigs.iter().map(|rig| Pose::rest(&rig.skeleton)).collect();
        let mut channels: Vec<Vec<f32>> = rigs.iter().map(|rig| vec![0.0; rig.channels]).collect();
        for morph in &import.imported.morphs {
            if let Some(of_rig) = &morph.channels {
                channels[of_rig.rig][of_rig.range.clone()].copy_from_slice(&morph.weights);
            }
        }
        for clip in clips {
            clip.clip.sample(time, &mut poses[clip.rig]).unwrap();
            clip.clip.sample_channels(time, &mut channels[clip.rig]).unwrap();
        }
        for (rig, pose) in import.imported.rigs.iter().zip(&poses) {
            rig.apply(pose, &mut import.scene).unwrap();
        }
        import.scene.update();
        Self { import, poses, channels }
    }

    fn scene(&self) -> &Scene {
        &self.import.scene
    }

    /// Returns a skin's palette in world space, from the rig's model matrices.
    fn palette(&self, skin: usize) -> Vec<Mat34> {
        let skin = &self.import.imported.skins[skin];
        let rig = &self.import.imported.rigs[skin.rig];
        let (mut models, mut palette) = (Vec::new(), Vec::new());
        self.poses[skin.rig].to_models(&rig.skeleton, &mut models).unwrap();
        skin.skin.palette(&models, &mut palette).unwrap();
        let base = self.scene().world(rig.places[0].base).unwrap();
        palette.iter().map(|matrix| *base * *matrix).collect()
    }

    /// Returns the palette from the world matrices of the scene's nodes.
    fn palette_of_nodes(&self, skin: usize) -> Vec<Mat34> {
        let skin = &self.import.imported.skins[skin];
        let place = &self.import.imported.rigs[skin.rig].places[0];
        let world = |joint: u16| *self.scene().world(place.node(joint).unwrap()).unwrap();
        skin.skin.joints().iter().zip(skin.skin.inverse_binds()).map(|(&joint, bind)| world(joint) * *bind).collect()
    }

    fn weights(&self, node: usize) -> Vec<f32> {
        let morph = self.import.imported.morph(node).unwrap();
        match &morph.channels {
            Some(of_rig) => self.channels[of_rig.rig][of_rig.range.clone()].to_vec(),
            None => morph.weights.clone(),
        }
    }

    /// Compares this frame with all expected results.
    fn compare(&self, expected: &Value, tolerance: f32, what: &str, meshes: &mut Meshes, tally: &mut Tally) {
        tally.samples += 1;
        for (node, json) in expected["world"].as_array().into_iter().flatten().enumerate() {
            let Some(handle) = self.import.imported.node(node).filter(|_| json.is_array()) else { continue };
            let apart = distance(self.scene().world(handle).unwrap(), &matrix(&numbers(json)));
            assert!(apart <= tolerance, "{what}: node {node} is {apart} off");
            tally.worlds += 1;
            tally.worst[0] = tally.worst[0].max(apart);
        }
        for (skin, json) in expected["palettes"].as_array().into_iter().flatten().enumerate() {
            let palettes = [self.palette(skin), self.palette_of_nodes(skin)];
            let expected: Vec<Mat34> = json.as_array().unwrap().iter().map(|m| matrix(&numbers(m))).collect();
            for (joint, expected) in expected.iter().enumerate() {
                for palette in &palettes {
                    assert_eq!(palette.len(), expected_len(json), "{what}: skin {skin}");
                    let apart = distance(&palette[joint], expected);
                    assert!(apart <= tolerance, "{what}: skin {skin}: joint {joint} is {apart} off");
                    tally.palettes += 1;
                    tally.worst[1] = tally.worst[1].max(apart);
                }
            }
        }
        for json in expected["skinned"].as_array().into_iter().flatten() {
            let (node, primitive) = (index(&json["node"]).unwrap(), index(&json["prim"]).unwrap());
            let drawable = self.import.imported.scenes.iter().flat_map(|scene| scene.drawables_of(node)).nth(primitive);
            let drawable = drawable.unwrap();
            let data = self.import.imported.vertices(drawable.id).unwrap();
            let number = drawable.skin.unwrap();
            let (palette, skin) = (self.palette(number), &self.import.imported.skins[number].skin);
            let mesh = meshes.entry((drawable.id, number)).or_insert_with(|| data.to_skinned_mesh(skin).unwrap());
            let mut places = vec![[0.0_f32; 3]; mesh.len()];
            mesh.skin(Palette::of(skin, &palette).unwrap(), SkinOutput::new(&mut places[..])).unwrap();
            let mut by_vertex = vec![Vec3::NAN; mesh.len()];
            for (&vertex, &place) in mesh.permutation().iter().zip(&places) {
                by_vertex[vertex as usize] = place.into();
            }
            let expected = numbers(&json["world"]);
            let largest = expected.iter().fold(0.0_f32, |largest, number| largest.max(number.abs()));
            for (vertex, expected) in expected.chunks_exact(3).enumerate() {
                for found in [skinned(data, vertex, &palette), by_vertex[vertex]] {
                    let apart = (found - Vec3::from_slice(expected)).abs().max_element() / largest;
                    assert!(apart <= tolerance, "{what}: node {node}: vertex {vertex} is {apart} off");
                    tally.vertices += 1;
                    tally.worst[2] = tally.worst[2].max(apart);
                }
            }
        }
        for json in expected["morphWeights"].as_array().into_iter().flatten() {
            let node = index(&json["node"]).unwrap();
            let (found, expected) = (self.weights(node), numbers(&json["weights"]));
            assert_eq!(found.len(), expected.len(), "{what}: node {node}");
            for (found, expected) in found.iter().zip(expected) {
                let apart = (found - expected).abs();
                assert!(apart <= 1e-4, "{what}: node {node}: weight {found}, expected {expected}");
                tally.weights += 1;
                tally.worst[3] = tally.worst[3].max(apart);
            }
        }
    }
}

fn expected_len(json: &Value) -> usize {
    json.as_array().unwrap().len()
}

/// Returns a matrix of sixteen numbers, column by column.
fn matrix(m: &[f32]) -> Mat34 {
    Mat34 { rows: [0, 1, 2].map(|r| [r, 4 + r, 8 + r, 12 + r].map(|at| m[at])) }
}

/// Returns a vertex moved by its joints; one without weights follows its first joint.
fn skinned(data: &MeshData, vertex: usize, palette: &[Mat34]) -> Vec3 {
    let range = vertex * data.influences..(vertex + 1) * data.influences;
    let (joints, weights) = (&data.joints[range.clone()], &data.weights[range]);
    let position = Vec3::from_array(data.positions[vertex]);
    let moved = |joint: u16| palette[usize::from(joint)].transform_point(position);
    let sum: f32 = weights.iter().sum();
    if sum == 0.0 {
        return moved(joints[0]);
    }
    let followed = joints.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
    followed.fold(Vec3::ZERO, |all, (&joint, &weight)| all + moved(joint) * (weight / sum))
}

/// Returns the greatest difference from 1 of the lengths of a model's rotation keys.
fn unevenness(import: &Import) -> f32 {
    let mut most = 0.0_f32;
    for clip in &import.imported.clips {
        for joint in 0..u16::try_from(clip.clip.joints()).unwrap() {
            let Some(track) = clip.clip.rotation(joint) else { continue };
            let per_key = track.interpolation().values_per_key();
            for key in track.values().chunks(per_key) {
                most = most.max((key[per_key / 2].length() - 1.0).abs());
            }
        }
    }
    most
}

/// Plays all animations of all models and compares, within `tolerance` where keys are unit quaternions.
///
/// The other engine does not normalise quaternions. If their lengths are off by d, its matrices are off by up to 4 d.
///
/// Keys are those of the file, or compiled at the tightest setting and played with one call for all clips.
fn play(compiled: bool, tolerance: f32) {
    let Some(models) = models() else { return };
    // Models whose keys are not unit quaternions are counted separately.
    let mut tallies = [Tally::default(), Tally::default()];
    for Model { name, file, expected } in &models {
        let mut import = hedgerow_gltf::load(file).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut meshes = Meshes::new();
        let unevenness = unevenness(&import);
        let tolerance = tolerance + 4.0 * unevenness;
        let tally = &mut tallies[usize::from(unevenness > 1e-5)];
        if expected["restPose"].is_object() {
            let what = format!("{name} at rest");
            Frame::of(&mut import, &[], 0.0).compare(&expected["restPose"], 1e-5, &what, &mut meshes, tally);
        }
        for json in expected["animations"].as_array().unwrap() {
            let animation = index(&json["animation"]).unwrap();
            let clips = import.imported.clips.iter().filter(|clip| clip.animation == animation);
            let clips: Vec<ImportedClip> = clips.cloned().collect();
            assert!(!clips.is_empty(), "{name}: animation {animation}");
            for clip in &clips {
                assert_eq!(clip.name.as_deref(), json["name"].as_str(), "{name}");
                let (found, expected) = (f64::from(clip.clip.duration()), json["duration"].as_f64().unwrap());
                // A single pose has no duration in the file, but its clip has one.
                assert!(
                    expected == 0.0 || (found - expected).abs() < 1e-6,
                    "{name}: animation {animation} lasts {found}"
                );
            }
            let mut player =
                import.imported.play_with(&[animation], ClipBuilder::new().precision(Precision::Tight)).unwrap();
            for json in json["samples"].as_array().unwrap() {
                #[expect(clippy::cast_possible_truncation, reason = "times were single precision before")]
                let time = json["t"].as_f64().unwrap() as f32;
                let what = format!("{name}: animation {animation} at {time}");
                let frame = match compiled {
                    true => Frame::of_player(&mut import, &mut player, time),
                    false => Frame::of(&mut import, &clips, time),
                };
                frame.compare(json, tolerance, &what, &mut meshes, tally);
            }
        }
        import.scene.validate().unwrap();
    }
    let Tally { samples, worlds, palettes, vertices, weights, worst: [world, palette, vertex, weight] } = tallies[0];
    eprintln!(
        "{samples} samples: {worlds} worlds within {world:.1e}, {palettes} palette matrices within {palette:.1e}, \
         {vertices} vertices within {vertex:.1e}, {weights} weights within {weight:.1e}"
    );
    assert!(
        tallies[1].samples > 0
            && samples > 400
            && worlds > 10_000
            && palettes > 10_000
            && vertices > 10_000
            && weights > 100
    );
}

#[test]
fn every_animation_of_the_shared_models_moves_nodes_palettes_and_vertices_as_expected() {
    play(false, 1e-4);
}

#[test]
fn every_animation_of_the_shared_models_plays_as_expected_by_one_call() {
    play(true, 5e-4);
}

#[test]
fn drawables_of_the_shared_models_are_placed_by_their_bases_and_deformed_as_by_hand() {
    let Some(models) = models() else { return };
    let mut count = [0, 0];
    for Model { name, file, .. } in &models {
        let Import { mut scene, imported, .. } = hedgerow_gltf::load(file).unwrap();
        scene.update();
        let drawables = imported.scenes.iter().flat_map(|scene| &scene.drawables);
        let mut bodies: Vec<_> = drawables.filter_map(|it| Some((it, imported.deformed(it).unwrap()?))).collect();
        let played = (0..imported.animations.len()).map(|animation| imported.play(animation).unwrap());
        for mut player in played.chain([imported.at_rest()]) {
            player.seek(0.4 * player.duration());
            for (drawable, body) in &mut bodies {
                body.follow(&player, &mut scene).unwrap();
                let mut data = imported.vertices(drawable.id).unwrap().without_joints();
                let (mut models, mut room, mut skin) = (Vec::new(), vec![Mat34::IDENTITY], Skin::rigid());
                if let Some(of) = drawable.skin.map(|skin| &imported.skins[skin]) {
                    let rig = &imported.rigs[of.rig];
                    assert!(rig.places.iter().any(|it| scene.world(it.base) == scene.world(drawable.handle)), "{name}");
                    (skin, data) = (of.skin.clone(), imported.vertices(drawable.id).unwrap().clone());
                    player.pose(of.rig).unwrap().to_models(&rig.skeleton, &mut models).unwrap();
                    skin.palette(&models, &mut room).unwrap();
                }
                let (mesh, weights) = (data.to_skinned_mesh(&skin).unwrap(), imported.morph(drawable.node));
                let weights = weights.map_or(&[][..], |morph| player.weights(morph));
                let [mut found, mut expected, mut normals] = [0; 3].map(|_| vec![[0.0_f32; 3]; mesh.len()]);
                let palette = Palette::of(&skin, &room).unwrap();
                let output = SkinOutput::new(&mut expected[..]);
                mesh.skin_morphed(palette, weights, &mut MorphBuffer::new(), output).unwrap();
                body.skin(SkinOutput::new(&mut found[..]).normals(&mut normals[..])).unwrap();
                assert!(mesh.has_normals() || normals.iter().all(|it| *it == [0.0; 3]), "{name}");
                assert!(found == expected, "{name}");
                let bounds = scene.get(drawable.handle).unwrap().drawable().unwrap().bounds;
                let inside = found.iter().all(|&it| bounds.contains_box(&Aabb::new(it.into(), it.into())));
                assert!(inside || weights.iter().any(|weight| !(0.0..=1.0).contains(weight)), "{name}");
                data.indices = mesh.indices().to_vec();
                assert!(body.triangles().iter().copied().eq(data.triangles()), "{name}");
                count[usize::from(drawable.skin.is_some())] += 1;
            }
        }
    }
    assert!(count[0] > 5 && count[1] > 100, "{count:?} morphed and skinned");
}
