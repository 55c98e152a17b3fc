//! glTF import of a small character made by the test: its results, errors of broken files, and no panics for changed
//! bytes.

use hedgerow::data::NodeMap;
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Aabb, DrawList, Error, Mat34, NodeHandle, Scene, Transform, Visibility};
use hedgerow_character::CharacterError;
use hedgerow_gltf::anim::skin::SkinOutput;
use hedgerow_gltf::anim::{Clip, Pose, Skeleton, Skin, SkinnedMesh, raw::Interpolation, skeleton::SkeletonError};
use hedgerow_gltf::{Import, ImportErrorKind, MorphChannels, Parts, Skipped, Topology};
use hedgerow_testkit::gltf::{GltfFile, man, saved};
use serde_json::json;

fn load(small: &GltfFile) -> Import {
    hedgerow_gltf::from_slice(&small.glb(), None).unwrap()
}

/// Returns the error for a character changed by `break_it`.
fn refusal(break_it: impl FnOnce(&mut GltfFile)) -> String {
    let mut small = man();
    break_it(&mut small);
    match hedgerow_gltf::from_slice(&small.glb(), None) {
        Err(error) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_character_is_imported_whole() {
    let Import { scene, imported, .. } = load(&man());
    assert_eq!(imported.skipped, []);
    // The mesh node is morphed by an animation and skinned, so it is in the rig, and so is the node above both.
    let [rig] = &imported.rigs[..] else { panic!("{:?}", imported.rigs) };
    assert!(rig.skeleton.names().eq(["man", "hip", "head", "body"]));
    assert_eq!(rig.skeleton.rest(2), Transform::from_xyz(0.0, 2.0, 0.0));
    let head = imported.skins[0].skin.joints().iter().position(|&joint| joint == 2).unwrap();
    assert_eq!(imported.skins[0].skin.inverse_binds()[head].translation(), Vec3::new(0.0, -3.0, 0.0));
    assert_eq!([0, 1, 2, 3, 4].map(|node| rig.joint_of(node)), [None, Some(0), Some(1), Some(2), Some(3)]);
    assert_eq!([0, 3, 4].map(|joint| rig.node_of(joint)), [Some(1), Some(4), None]);
    let [place] = &rig.places[..] else { panic!("{:?}", rig.places) };
    assert_eq!((place.scene, Some(place.base)), (0, imported.node(0)));
    assert_eq!(place.node(2), imported.node(3));
    assert_eq!(place.nodes().len(), 4);
    let drawables = imported.scenes[0].drawables.iter();
    assert!(drawables.map(|drawable| (drawable.skin, scene.parent(drawable.handle))).eq([(Some(0), Some(place.base))]));

    let [skin] = &imported.skins[..] else { panic!("{:?}", imported.skins) };
    assert_eq!((skin.rig, skin.skin.joints(), skin.name.as_deref()), (0, &[1, 2][..], Some("bones")));
    let [morph] = &imported.morphs[..] else { panic!("{:?}", imported.morphs) };
    assert_eq!((morph.node, &morph.names[..]), (4, &["smile".to_owned(), "frown".to_owned()][..]));
    assert_eq!(morph.weights, [0.0, 0.25]);
    assert!(matches!(&morph.channels, Some(MorphChannels { rig: 0, range, .. }) if *range == (0..2)));
    assert_eq!(imported.morph(4), Some(morph));

    let mesh = imported.vertices(0).unwrap();
    assert_eq!((mesh.topology, mesh.influences, mesh.indices.as_slice()), (Topology::Triangles, 4, &[2, 1, 0][..]));
    assert_eq!(mesh.joints, [0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0]);
    assert_eq!(mesh.weights[4..6], [0.2, 0.8]);
    assert_eq!(mesh.targets[1].positions, [[0.0; 3], [0.0, 0.0, 0.0], [0.0, 0.0, -2.0]]);
    assert_eq!(imported.scenes[0].drawables[0].skin, Some(0));
}

#[test]
fn the_parts_of_a_character_are_saved_and_read_as_they_were() {
    let Import { imported, .. } = load(&man());
    let [skeleton, nod, _, skin, mesh] = &saved(&imported).unwrap()[..] else {
        panic!("two clips, and one of the rest")
    };
    assert_eq!(Skeleton::from_bytes(skeleton).unwrap(), imported.rigs[0].skeleton);
    assert_eq!(Clip::from_bytes(&nod[..]).unwrap().joints(), imported.rigs[0].skeleton.len());
    assert_eq!(Skin::from_bytes(skin).unwrap(), imported.skins[0].skin);
    assert_eq!(
        SkinnedMesh::from_bytes(mesh).unwrap(),
        imported.vertices(0).unwrap().to_skinned_mesh(&imported.skins[0].skin).unwrap()
    );
}

#[test]
fn motion_and_vertices_come_each_without_the_other() {
    let with =
        |parts| hedgerow_gltf::ImportOptions::new().with_parts(parts).from_slice(&man().glb(), None).unwrap().imported;
    let whole = load(&man()).imported;
    let motion = with(Parts { motion: true, ..Parts::NODES });
    assert_eq!((&motion.rigs, &motion.skins, &motion.clips), (&whole.rigs, &whole.skins, &whole.clips));
    assert_eq!((&motion.morphs, motion.vertices(0)), (&whole.morphs, None));
    assert!(motion.deformed_all(&motion.scenes[0].drawables).unwrap().is_empty());

    let vertices = with(Parts { vertices: true, ..Parts::NODES });
    assert!(vertices.rigs.is_empty() && vertices.skins.is_empty() && vertices.animations.is_empty());
    let (found, all) = (vertices.vertices(0).unwrap(), whole.vertices(0).unwrap());
    assert_eq!((&found.positions, &found.indices), (&all.positions, &all.indices));
    assert!(all.is_deformed() && !found.is_deformed());
    assert_eq!((found.joints.len(), found.targets.len()), (0, 0));
    assert!(vertices.deformed_all(&vertices.scenes[0].drawables).unwrap().is_empty());
}

#[test]
fn clips_have_the_tracks_and_channels_of_the_file() {
    let Import { imported, .. } = load(&man());
    let [nod, smile] = &imported.clips[..] else { panic!("{:?}", imported.clips) };
    assert_eq!((nod.animation, nod.rig, nod.name.as_deref()), (0, 0, Some("nod")));
    assert_eq!((smile.animation, smile.rig, smile.name.as_deref()), (1, 0, None));
    assert_eq!((nod.clip.duration(), smile.clip.duration()), (2.0, 1.0));
    let turned = nod.clip.rotation(2).unwrap();
    assert_eq!((turned.interpolation(), turned.times()), (Interpolation::Linear, &[0.0, 2.0][..]));
    assert!(turned.sample(2.0).abs_diff_eq(Quat::from_rotation_x(core::f32::consts::FRAC_PI_2), 1e-4));
    assert_eq!(nod.clip.translation(1).unwrap().interpolation(), Interpolation::Step);
    assert_eq!(nod.clip.translation(1).unwrap().sample(1.9), Vec3::new(0.0, 1.0, 0.0));
    assert_eq!(nod.clip.scale(1), None);
    // A clip that does not animate the weights leaves them at rest.
    let weights = |clip: &hedgerow_gltf::anim::RawClip, time| {
        let mut weights = [f32::NAN; 2];
        clip.sample_channels(time, &mut weights).unwrap();
        weights
    };
    assert_eq!(weights(&nod.clip, 1.0), [0.0, 0.25]);
    assert_eq!(weights(&smile.clip, 0.0), [0.0, 1.0]);
    assert_eq!(weights(&smile.clip, 1.0), [1.0, 0.5]);
    // After the first key, the curve of the first weight rises by 4 per second.
    assert_eq!(weights(&smile.clip, 0.5), [0.5 + 4.0 / 8.0, 0.75]);
    assert_eq!([0, 1].map(|channel| smile.clip.channel_name(channel)), ["smile", "frown"]);
}

#[test]
fn a_pose_moves_nodes_vertices_and_boxes_alike() {
    let Import { mut scene, imported, .. } = load(&man());
    let rig = &imported.rigs[0];
    let mut player = imported.play(0).unwrap();
    player.seek(2.0);
    player.apply(&mut scene).unwrap();
    let drawable = &imported.scenes[0].drawables[0];
    let mut body = imported.deformed(drawable).unwrap().unwrap();
    body.follow(&player, &mut scene).unwrap();
    scene.update();
    let head = rig.places[0].node(2).unwrap();
    // The yard is at x = 10, the hip has stepped to y = 5 and the head is 2 above.
    assert!((scene.world(head).unwrap().translation() - Vec3::new(10.0, 7.0, 0.0)).length() < 1e-3);

    let mut skinned = vec![[0.0_f32; 3]; 3];
    body.skin(SkinOutput::new(&mut skinned[..])).unwrap();
    let mut by_vertex = vec![Vec3::NAN; 3];
    let order = body.mesh().permutation();
    order.iter().zip(&skinned).for_each(|(&vertex, &place)| by_vertex[vertex as usize] = place.into());
    // Vertex 0 follows the hip, 4 up. Vertex 2 is moved by a quarter of the second target, and follows the head.
    assert!((by_vertex[0] - Vec3::new(0.0, 5.0, 0.0)).length() < 1e-3, "{by_vertex:?}");
    assert!((by_vertex[2] - Vec3::new(0.0, 7.5, 0.0)).length() < 1e-3, "{by_vertex:?}");
    let bounds = scene.get(drawable.handle).unwrap().bounds().unwrap();
    assert!(by_vertex.iter().all(|&it| bounds.contains_box(&Aabb::new(it + 10.0 * Vec3::X, it + 10.0 * Vec3::X))));

    let wrong = rig.apply(&Pose::new(3), &mut scene);
    assert_eq!(wrong, Err(CharacterError::Pose(SkeletonError::JointCount { expected: 4, found: 3 }.into())));
    scene.remove(head).unwrap();
    assert!(matches!(player.apply(&mut scene), Err(CharacterError::Scene(Error::StaleHandle(_)))));
    scene.remove(drawable.handle).unwrap();
    let gone = body.follow(&player, &mut scene);
    assert_eq!(gone, Err(CharacterError::Scene(Error::StaleHandle(drawable.handle))));
}

#[test]
fn a_skinned_mesh_is_drawn_by_a_node_of_its_own_below_the_base_of_its_rig() {
    let mut small = man();
    small.put("/nodes/4/scale", json!([-1, 0.01, 0.01]));
    let Import { mut scene, imported, .. } = load(&small);
    let (drawable, base) = (imported.scenes[0].drawables[0].handle, imported.rigs[0].places[0].base);
    assert_eq!((scene.parent(drawable), imported.index_of(drawable)), (Some(base), Some(4)));
    assert_eq!(scene.get(imported.node(4).unwrap()).unwrap().drawable(), None);
    scene.update();
    let mut draws = DrawList::new();
    scene.draw_list(&mut draws);
    assert_eq!((draws.commands()[0].node, draws.matrices()), (drawable, &[*scene.world(base).unwrap()][..]));
    assert!(!draws.commands()[0].is_mirrored());

    // The nodes are the group of the scene, five nodes, and the drawable's.
    let few = |most| hedgerow_gltf::ImportOptions::new().with_max_nodes(most).from_slice(&small.glb(), None);
    assert_eq!(few(7).unwrap().scene.len(), 8);
    assert_eq!(few(6).unwrap_err().kind(), &ImportErrorKind::TooManyNodes { nodes: 7, most: 6 });
}

#[test]
fn a_skinned_mesh_is_hidden_where_the_node_with_the_mesh_is() {
    use Visibility::{Hidden, Inherited};
    // The base; the man, between base and body; the hip, a sibling of the body; the body.
    for (node, own, visible) in [(0, Inherited, false), (1, Hidden, false), (2, Inherited, true), (4, Hidden, false)] {
        let mut small = man();
        small.json["nodes"][node]["extensions"] = json!({"KHR_node_visibility": {"visible": false}});
        let Import { mut scene, imported, .. } = load(&small);
        scene.update();
        let drawn = scene.get(imported.scenes[0].drawables[0].handle).unwrap();
        assert_eq!((drawn.own_visibility(), drawn.is_visible()), (own, visible), "node {node}");
    }
}

#[test]
fn a_character_in_two_scenes_moves_in_both() {
    let mut small = man();
    small.json["scenes"] = json!([{"nodes": [0]}, {"nodes": []}, {"nodes": [0]}]);
    let mut import = load(&small);
    let rig = &import.imported.rigs[0];
    assert!(rig.places.iter().map(|place| place.scene).eq([0, 2]));
    let mut pose = Pose::rest(&rig.skeleton);
    pose.set(0, Transform::from_xyz(0.0, 0.0, 9.0));
    rig.apply(&pose, &mut import.scene).unwrap();
    import.scene.update();
    for place in &rig.places {
        assert_eq!(import.scene.world(place.node(0).unwrap()).unwrap().translation(), Vec3::new(10.0, 0.0, 9.0));
    }
}

/// Copies a subtree, and returns the map from nodes to copies.
pub(crate) fn copies(scene: &mut Scene, node: NodeHandle, place: NodeHandle) -> NodeMap<NodeHandle> {
    let originals: Vec<_> = scene.get(node).unwrap().descendants().map(|node| node.handle()).collect();
    let tree = scene.copy_tree(node).unwrap();
    originals.into_iter().zip(scene.insert_tree(place, &tree).unwrap()).collect()
}

#[test]
fn copies_of_a_character_are_posed_by_themselves() {
    let Import { mut scene, imported, .. } = load(&man());
    let (rig, root) = (&imported.rigs[0], scene.root());
    let place = &rig.places[0];
    // The yard with everything in it, and the man alone below the root.
    let yard = copies(&mut scene, place.base, root);
    let man = copies(&mut scene, place.node(0).unwrap(), root);
    let top = yard[place.base];
    let copied = [&yard, &man].map(|map| place.of_copy(map, &scene).unwrap());
    let drawable = &imported.scenes[0].drawables[0];
    let body = imported.deformed(drawable).unwrap().unwrap();
    assert_eq!([&yard, &man].map(|map| Some(body.of_copy(map)?.node())), [Some(yard[drawable.handle]), None]);
    assert_eq!(copied.each_ref().map(|copy| copy.base), [top, root]);
    let mut pose = Pose::rest(&rig.skeleton);
    pose.set(1, Transform::from_xyz(0.0, 4.0, 0.0));
    rig.apply_at(&copied, &pose, &mut scene).unwrap();
    scene.update();
    let heads = [place, &copied[0], &copied[1]].map(|place| scene.world(place.node(2).unwrap()).unwrap().translation());
    assert_eq!(heads, [Vec3::new(10.0, 3.0, 0.0), Vec3::new(10.0, 6.0, 0.0), Vec3::new(0.0, 6.0, 0.0)]);
    let elsewhere = scene.insert(root, hedgerow::Node::group()).unwrap();
    let none = copies(&mut scene, elsewhere, root);
    assert_eq!(place.of_copy(&none, &scene), None);
    // The copy of the hip alone does not match the rig's model matrices.
    let hip = copies(&mut scene, place.node(1).unwrap(), elsewhere);
    assert_eq!(place.of_copy(&hip, &scene), None);
}

#[test]
fn joints_without_a_common_ancestor_hang_from_a_joint_that_is_no_node() {
    let mut small = man();
    small.json["nodes"][2]["children"] = json!([]);
    small.json["scenes"] = json!([{"nodes": [0, 3]}]);
    let import = load(&small);
    let rig = &import.imported.rigs[0];
    assert!(rig.skeleton.names().eq(["", "yard", "man", "hip", "body", "head"]));
    assert_eq!((rig.node_of(0), rig.joint_of(3)), (None, Some(5)));
    assert_eq!(rig.places[0].base, import.imported.scenes[0].group);
    assert_eq!(rig.places[0].nodes().len(), 5);
}

#[test]
fn what_is_not_imported_is_listed() {
    let mut small = man();
    // A pointer into a material, as in an extension, and weights of a node without a mesh.
    small.json["animations"][0]["channels"][0]["target"] =
        json!({"path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": "/materials/0"}}});
    small.json["animations"][1]["channels"][0]["target"]["node"] = json!(0);
    small.json["nodes"][0]["skin"] = json!(0);
    let Import { imported, .. } = load(&small);
    assert_eq!(
        imported.skipped,
        [
            Skipped::Channel { animation: 0, channel: 0 },
            Skipped::Channel { animation: 1, channel: 0 },
            Skipped::Animation { animation: 1 },
            Skipped::Skin { node: 0 },
        ]
    );
    let [nod] = &imported.clips[..] else { panic!("{:?}", imported.clips) };
    assert_eq!((nod.clip.rotation(1), nod.clip.channels()), (None, 0));
    assert!(nod.clip.translation(0).is_some());
}

#[test]
fn an_animation_of_a_single_moment_is_a_clip_of_a_second() {
    let mut small = man();
    let (time, place) = (small.floats("SCALAR", &[0.0]), small.floats("VEC3", &[1.0, 2.0, 3.0]));
    small.json["animations"] = json!([{"samplers": [{"input": time, "output": place}],
        "channels": [{"sampler": 0, "target": {"node": 3, "path": "translation"}}]}]);
    let Import { imported, .. } = load(&small);
    assert_eq!(imported.clips[0].clip.duration(), 1.0);
    // On its own, the mesh node is not a joint: no animation morphs it.
    assert!(imported.rigs[0].skeleton.names().eq(["hip", "head"]));
    assert_eq!(imported.clips[0].clip.translation(1).unwrap().sample(0.5), Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(imported.morphs[0].channels, None);
}

#[test]
fn keys_that_make_no_sense_are_refused_by_name() {
    let times = |keys: &'static [f32]| {
        |small: &mut GltfFile| {
            let times = small.floats("SCALAR", keys);
            small.json["animations"][0]["samplers"][0]["input"] = json!(times);
        }
    };
    let prefix = "animation 0 \"nod\": channels[0]: ";
    assert_eq!(
        refusal(times(&[0.0, 1.0, 2.0])),
        format!("{prefix}3 keys need 3 values, 1 per key, but the track has 2; add or drop values")
    );
    let weights = |small: &mut GltfFile| small.json["animations"][1]["samplers"][0]["interpolation"] = json!("LINEAR");
    assert_eq!(
        refusal(weights),
        "animation 1: channels[0]: 2 keys need 4 values, 2 per key, but the track has 12; add or drop values"
    );
}

/// A JSON pointer, the value to put there, and the error of the import.
const BROKEN: &[(&str, &str, &str)] = &[
    (
        "/animations/0/channels/1/target/node",
        "9",
        r#"animation 0 "nod": channels[1].target.node is 9, but the file has 5 of these"#,
    ),
    (
        "/animations/0/channels/1/sampler",
        "2",
        r#"animation 0 "nod": channels[1].sampler is 2, but the file has 2 of these"#,
    ),
    (
        "/animations/0/samplers/1/input",
        "99",
        r#"animation 0 "nod": samplers[1].input is 99, but the file has 14 of these"#,
    ),
    ("/animations/0/samplers/0/input", "0", "accessor 0: it is read as numbers and must be of type SCALAR"),
    ("/animations/0/samplers/0/output", "0", "accessor 0: it is read as vectors and must be of type VEC4"),
    ("/skins/0/joints/1", "7", r#"skin 0 "bones": joints[1] is 7, but the file has 5 of these"#),
    ("/skins/0/skeleton", "7", r#"skin 0 "bones": skeleton is 7, but the file has 5 of these"#),
    ("/skins/0/joints", "[2, 3, 1]", r#"skin 0 "bones": inverseBindMatrices has 2 elements where 3 are needed"#),
    ("/skins/0/inverseBindMatrices", "0", "accessor 0: it is read as matrices and must be of type MAT4"),
    (
        "/nodes/2/matrix",
        "[1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]",
        r#"node 2 "hip": matrix: it shears, but its node is in a rig; export the file again without shear"#,
    ),
    ("/nodes/4/weights", "[1e39, 0]", r#"node 4 "body": weights must be finite"#),
    (
        "/meshes/0/primitives/0/attributes/JOINTS_0",
        "3",
        "accessor 3: it is read as indices and must be unsigned integers",
    ),
    (
        "/meshes/0/primitives/0/attributes/NORMAL",
        "9",
        "mesh 0: primitives[0].attributes.NORMAL has 2 elements where 3 are needed",
    ),
    (
        "/meshes/0/primitives/0/targets/1/POSITION",
        "77",
        "mesh 0: primitives[0].targets[1].POSITION is 77, but the file has 14 of these",
    ),
    ("/meshes/0/primitives/0/mode", "7", "mesh 0: primitives[0].mode: it must be a number from 0 to 6"),
    (
        "/accessors/1/count",
        "1000000000000",
        "accessor 1: it has no buffer view and more elements than the file has bytes; give it data",
    ),
    ("/accessors/0/count", "2", "mesh 0: primitives[0].attributes.JOINTS_0 has 3 elements where 2 are needed"),
];

#[test]
fn characters_that_make_no_sense_are_refused_by_name() {
    for &(at, value, expected) in BROKEN {
        assert_eq!(refusal(|small| small.put(at, serde_json::from_str(value).unwrap())), expected, "{at}");
    }
    let bind = refusal(|small| {
        let binds = small.floats("MAT4", &[f32::NAN; 32]);
        small.json["skins"] = json!([{"joints": []}, small.json["skins"][0]]);
        small.json["skins"][1]["inverseBindMatrices"] = json!(binds);
    });
    assert_eq!(bind, "skin 1 \"bones\": inverseBindMatrices must be finite");
    let uneven = refusal(|small| {
        let plain = json!({"attributes": {"POSITION": 0}});
        small.json["meshes"][0]["primitives"].as_array_mut().unwrap().push(plain);
    });
    let expected = "mesh 0: primitives[1].targets: all primitives of a mesh must have the same number of morph targets";
    assert_eq!(uneven, expected);
}

#[test]
fn a_small_file_that_describes_a_huge_one_is_refused() {
    let mut small = man();
    small.json["meshes"][0]["primitives"][0]["targets"] = json!(vec![json!({}); 20_000]);
    small.json["meshes"][0]["weights"] = json!(vec![0; 20_000]);
    small.json["nodes"][4]["weights"] = json!(null);
    let nodes = small.json["nodes"].as_array_mut().unwrap();
    nodes.extend(vec![json!({"mesh": 0}); 20_000]);
    let error = hedgerow_gltf::from_slice(&small.glb(), None).unwrap_err().to_string();
    assert!(error.starts_with("node ") && error.contains("raise ImportOptions::with_max_bytes"), "{error}");
}

#[test]
fn a_morphed_mesh_with_joints_at_a_node_without_a_skin_is_morphed_alone() {
    let mut small = man();
    small.json["nodes"][4].as_object_mut().unwrap().remove("skin");
    // Ignored values are not checked.
    let weights = small.floats("VEC4", &[-1.0; 12]);
    small.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] = json!(weights);
    let mut import = load(&small);
    let data = import.imported.vertices(0).unwrap();
    assert_eq!((data.influences, data.joints.len(), data.weights.len()), (0, 0, 0));
    let mut body = import.imported.deformed(&import.imported.scenes[0].drawables[0]).unwrap().unwrap();
    let mut morphed = vec![[0.0_f32; 3]; body.mesh().len()];
    body.skin(SkinOutput::new(&mut morphed[..])).unwrap();
    let last = body.mesh().permutation().iter().position(|&vertex| vertex == 2).unwrap();
    assert_eq!(morphed[last], [0.0, 3.0, -0.5], "the second target moves it by -2, at a quarter");
    assert_eq!((body.palette().matrices(), Some(body.node())), (&[Mat34::IDENTITY][..], import.imported.node(4)));
    play(&mut import);
}

#[test]
fn a_mesh_of_two_nodes_of_which_one_has_a_skin_is_laid_out_for_both() {
    let mut small = man();
    small.json["nodes"].as_array_mut().unwrap().push(json!({"name": "statue", "mesh": 0}));
    small.json["scenes"] = json!([{"nodes": [0, 5]}]);
    let mut import = load(&small);
    let drawables: Vec<_> =
        import.imported.scenes[0].drawables.iter().map(|drawable| (drawable.node, drawable.skin)).collect();
    assert_eq!(drawables, [(4, Some(0)), (5, None)]);
    let data = import.imported.vertices(0).unwrap();
    let statue = data.without_joints();
    assert_eq!((data.influences, statue.influences), (4, 0));
    assert_eq!((&statue.positions, &statue.targets), (&data.positions, &data.targets));
    play(&mut import);
    // Without targets, nothing deforms the statue.
    let primitive = small.json["meshes"][0]["primitives"][0].as_object_mut().unwrap();
    primitive.remove("targets");
    small.json["meshes"][0].as_object_mut().unwrap().remove("weights");
    small.json["nodes"][4].as_object_mut().unwrap().remove("weights");
    small.json["animations"].as_array_mut().unwrap().pop();
    let Import { imported, .. } = load(&small);
    let deformed = imported.scenes[0].drawables.iter().map(|it| imported.deformed(it).unwrap().is_some());
    assert!(deformed.eq([true, false]));
}

#[test]
fn a_chain_of_more_joints_than_a_skeleton_has_is_refused() {
    let nodes: Vec<_> = (1..70_000).map(|child| json!({"children": [child]})).chain([json!({})]).collect();
    let refused = refusal(|small| {
        small.json["meshes"] = json!([]);
        small.json["animations"] = json!([]);
        small.json["nodes"] = json!(nodes);
        small.json["skins"][0]["joints"] = json!([69_999, 0]);
    });
    let expected = "node 0: its rig: 70000 joints are more than the 65,535 that a skeleton can number; split it";
    assert_eq!(refused, expected);
}

#[test]
fn a_character_with_any_byte_changed_never_panics() {
    let whole = man().glb();
    let (mut sound, mut refused) = (0, 0);
    for at in 0..whole.len() {
        for value in [[0, b'9', b'"', 0x7F, 0xFF][at % 5], whole[at] ^ 1] {
            let mut changed = whole.clone();
            changed[at] = value;
            match hedgerow_gltf::from_slice(&changed, None) {
                Err(_) => refused += 1,
                Ok(mut import) => {
                    sound += 1;
                    play(&mut import);
                }
            }
        }
    }
    assert!(sound > 1000 && refused > 1000, "{sound} {refused}");
}

fn play(import: &mut Import) {
    let imported = &import.imported;
    let played = (0..imported.animations.len()).filter_map(|animation| imported.play(animation).ok());
    for mut player in played.chain([imported.at_rest()]) {
        player.seek(0.7);
        // The scene detects overflows.
        let applied = player.apply(&mut import.scene);
        assert!(matches!(applied, Ok(()) | Err(CharacterError::Scene(_))), "{applied:?}");
        for drawable in imported.scenes.iter().flat_map(|scene| &scene.drawables) {
            let Some(mut body) = imported.deformed(drawable).unwrap() else { continue };
            body.follow(&player, &mut import.scene).unwrap();
            let skinned = body.skin(SkinOutput::new(&mut vec![[0.0_f32; 3]; body.mesh().len()][..]));
            assert!(skinned.is_ok() || body.weights().iter().any(|weight| weight.abs() > 1e6), "{skinned:?}");
        }
    }
    import.scene.update();
}
