//! The kinds of files: how they are made, and how accepted ones are used.

use hedgerow::glam::DVec3;
use hedgerow::snapshot::LoadOptions;
use hedgerow::{Aabb, Drawable, Keep, Layers, Mat34, Node, Place, Scene, SceneConfig, Transform, Tree, ViewRange};
use hedgerow_anim::clip::{JumpSpacing, Precision};
use hedgerow_anim::skin::{MorphTarget, Skin, SkinnedMesh};
use hedgerow_anim::{Clip, ClipBuilder, Player, Pose, Skeleton, SkeletonBuilder};
use hedgerow_animator::{Animator, Fade, Machine};
use hedgerow_mesh::TriangleTree;
use hedgerow_testkit::clips::{Recipe, raw_clip};
use hedgerow_testkit::hostile::{Kind, bend};
use hedgerow_testkit::memory::end;
use hedgerow_testkit::model::loaded::live_on;
use hedgerow_testkit::triangles::{Soup, sphere};
use hedgerow_testkit::{Dice, drivers};
use std::sync::LazyLock;

pub(crate) const SAVED: &[Kind] = &[
    Kind {
        name: "snapshot",
        sealed: true,
        change: bend::bytes,
        // A node takes 16 bytes of the file. A slice, which may hold only eight nodes, allocates all rows.
        multiple: 200.0,
        // Records are allocated in pages.
        spare: 1 << 17,
        files: snapshots,
        read: read_snapshot,
    },
    Kind {
        name: "tree",
        sealed: true,
        change: bend::bytes,
        multiple: 8.0,
        spare: 1 << 12,
        files: trees,
        read: read_tree,
    },
    Kind {
        name: "skeleton",
        sealed: true,
        change: bend::bytes,
        multiple: 4.0,
        spare: 1 << 12,
        files: skeletons,
        read: read_skeleton,
    },
    Kind {
        name: "clip",
        sealed: true,
        change: bend::bytes,
        multiple: 2.0,
        spare: 1 << 12,
        files: clips,
        read: read_clip,
    },
    Kind {
        name: "skin",
        sealed: true,
        change: bend::bytes,
        multiple: 4.0,
        spare: 1 << 12,
        files: skins,
        read: read_skin,
    },
    Kind {
        name: "mesh",
        sealed: true,
        change: bend::bytes,
        multiple: 4.0,
        spare: 1 << 12,
        files: meshes,
        read: read_mesh,
    },
    Kind {
        name: "triangles",
        sealed: true,
        change: bend::bytes,
        multiple: 2.0,
        spare: 1 << 10,
        files: triangle_trees,
        read: read_triangle_tree,
    },
    Kind {
        name: "animator",
        sealed: true,
        change: bend::bytes,
        multiple: 2.0,
        // An animator has the layers of its machine, and the poses of a fade that is cut off.
        spare: 1 << 9,
        files: animators,
        read: read_animator,
    },
];

pub(super) fn scene(config: SceneConfig) -> Scene {
    let mut scene = Scene::with_config(config).expect("the configuration makes sense");
    let mut nodes = vec![scene.root()];
    let mut shear = Mat34::IDENTITY;
    shear.rows[0][1] = 0.5;
    for number in 0..120_u8 {
        let parent = nodes[usize::from(number) / 3];
        let mut node =
            if number % 4 == 0 { Node::group() } else { Node::transform(Transform::from_xyz(1.0, 2.0, 3.0)) };
        if number % 3 == 0 {
            node = node.with_drawable(Drawable::new(7, Aabb::cube(1.0))).with_material(3);
        }
        if number % 7 == 0 {
            node = node.with_layers(Layers::new(5));
        }
        if number % 11 == 0 {
            node = node.anchored().with_view_range(ViewRange::new(1.0, 9.0).expect("it is sound"));
        }
        nodes.push(
            scene.insert(parent, if number % 5 == 0 { node.with_name("name") } else { node }).expect("an insert"),
        );
    }
    for &node in nodes[2..].iter().step_by(9) {
        if scene.local(node).is_some() {
            scene.set_local(node, shear).expect("it has a transform");
        }
    }
    scene.update();
    for &node in nodes[90..].iter().step_by(3) {
        scene.remove(node).expect("a leaf");
    }
    scene.reparent(nodes[5], Place::Detached, Keep::Local).expect("a branch");
    scene
}

fn snapshots() -> Vec<Vec<u8>> {
    let small = SceneConfig { max_nodes: 32, bounds: true, changes: true, ..SceneConfig::DEFAULT };
    [SceneConfig::DEFAULT, small].map(|config| scene(config).to_bytes()).to_vec()
}

fn read_snapshot(bytes: &[u8]) -> bool {
    let loaded = Scene::from_bytes(bytes);
    end();
    assert_eq!(loaded.is_ok(), LoadOptions::default().read(bytes).is_ok());
    loaded.map(|scene| live_on(scene).unwrap()).is_ok()
}

fn trees() -> Vec<Vec<u8>> {
    let mut scene = scene(SceneConfig::DEFAULT);
    let branch = scene.get(scene.root()).unwrap().first_child().expect("a child").handle();
    for node in [branch, scene.get(branch).unwrap().last_child().expect("a child").handle()] {
        scene.edit(node).expect("it lives").set_user_data(7);
        if scene.local(node).is_some() {
            scene
                .edit(node)
                .expect("it has a transform")
                .set_translation_f64(DVec3::splat(1e7 + 0.1))
                .expect("it has a transform");
        }
    }
    let mut several = Tree::new();
    for number in 0..9_u8 {
        several.push(number.checked_sub(4).map(usize::from), Node::material(number.into()).with_name("several"));
    }
    vec![scene.copy_tree(branch).expect("it lives").to_bytes(), several.to_bytes()]
}

fn read_tree(bytes: &[u8]) -> bool {
    let read = Tree::from_bytes(bytes);
    end();
    let Ok(tree) = read else { return false };
    assert_eq!(tree.to_bytes(), bytes);
    let mut scene = Scene::new();
    let nodes = scene.insert_tree(scene.root(), &tree).expect("a tree that was read is sound");
    assert!(
        nodes
            .iter()
            .zip(tree.iter())
            .all(|(&node, (_, described))| scene.get(node).map(|node| node.to_node()) == Some(described))
    );
    live_on(scene).unwrap();
    true
}

fn skeleton() -> Skeleton {
    let mut builder = SkeletonBuilder::new();
    for joint in 0..20_u8 {
        let parent = (joint > 0).then(|| u16::from(joint - 1) / 2);
        builder.joint(format!("joint {joint}"), parent, Transform::from_xyz(0.0, 1.0, f32::from(joint)));
    }
    builder.build().expect("a tree").0
}

fn skeletons() -> Vec<Vec<u8>> {
    vec![skeleton().to_bytes()]
}

fn read_skeleton(bytes: &[u8]) -> bool {
    let skeleton = Skeleton::from_bytes(bytes);
    end();
    skeleton.map(|skeleton| drivers::skeleton::live_on(&skeleton, bytes)).is_ok()
}

/// Returns clips with all kinds of tracks, in words of 16 and of 32 bits.
fn clips() -> Vec<Vec<u8>> {
    let mut raw = raw_clip(&Recipe { joints: 13, channels: 3, keys: 12, frames: false }, &mut Dice::with_seed(1));
    raw.add_event(0.25, 1, "step").expect("a time in the clip");
    let clip = |precision| {
        let builder = ClipBuilder::new().precision(precision).jump_frames(JumpSpacing::Bytes(500));
        builder.build(&raw).expect("a clip").0.to_bytes().to_vec()
    };
    [Precision::Compact, Precision::Tight].map(clip).to_vec()
}

/// Plays a clip forward, backward and with seeks.
fn use_clip(clip: &Clip) {
    let mut pose = Pose::new(clip.joints());
    let mut channels = vec![0.0; clip.channels()];
    let mut player = Player::new(clip);
    let duration = clip.duration();
    for at in [0.3, 0.9, -0.5, 5.0, -9.0, 0.0] {
        player.advance(at * duration);
        player.sample(&mut pose).expect("a pose of the clip's joints");
        player.sample_channels(&mut channels).expect("the clip's channels");
        player.seek((at * 0.37).abs() * duration);
        player.sample_over(&mut pose).expect("a pose of the clip's joints");
    }
    if clip.joints() > 0 {
        let _ = clip.sample_joint(0.4 * duration, 0, Transform::IDENTITY);
    }
}

fn read_clip(bytes: &[u8]) -> bool {
    let clip = Clip::from_bytes(bytes);
    end();
    clip.map(|clip| use_clip(&clip)).is_ok()
}

fn skin() -> Skin {
    Skin::at_rest(&skeleton()).expect("a skin")
}

fn skins() -> Vec<Vec<u8>> {
    vec![skin().to_bytes()]
}

fn read_skin(bytes: &[u8]) -> bool {
    let skin = Skin::from_bytes(bytes);
    end();
    skin.map(|skin| drivers::skin::live_on_skin(&skin, bytes)).is_ok()
}

fn mesh() -> SkinnedMesh {
    let positions: Vec<[f32; 3]> = (0..70_u8).map(|at| [f32::from(at), f32::from(at % 7), 1.0]).collect();
    let normals = vec![[0.0, 1.0, 0.0]; 70];
    let tangents = vec![[1.0, 0.0, 0.0, -1.0]; 70];
    let joints: Vec<u16> = (0..280).map(|at| at * 31 % 20).collect();
    let weights: Vec<f32> = (0..280_u16).map(|at| if at * 13 % 5 < at / 4 % 5 { 0.3 } else { 0.1 }).collect();
    let indices: Vec<u32> = (0..69).rev().collect();
    let moved = [[0.0, 1.0, 0.0]; 3];
    SkinnedMesh::builder(&positions)
        .normals(&normals)
        .tangents(&tangents)
        .influences(4, &joints, &weights)
        .indices(&indices)
        .morph_target(MorphTarget { vertices: Some(&[3, 9, 60]), positions: &moved, normals: &[], tangents: &[] })
        .build(&skin())
        .expect("a mesh")
}

fn meshes() -> Vec<Vec<u8>> {
    vec![mesh().to_bytes()]
}

fn read_mesh(bytes: &[u8]) -> bool {
    let mesh = SkinnedMesh::from_bytes(bytes);
    end();
    mesh.map(|mesh| drivers::skin::live_on(mesh, bytes)).is_ok()
}

fn soup() -> Soup {
    sphere(200)
}

/// Returns the trees over a closed mesh and over one triangle.
fn triangle_trees() -> Vec<Vec<u8>> {
    let one = Soup { indices: vec![[0, 1, 2]], ..soup() };
    [soup(), one].map(|soup| TriangleTree::build(soup.mesh()).expect("sound triangles").to_bytes()).to_vec()
}

fn read_triangle_tree(bytes: &[u8]) -> bool {
    let tree = TriangleTree::from_bytes(bytes);
    end();
    let Ok(tree) = tree else { return false };
    assert_eq!(tree.to_bytes(), bytes);
    drivers::triangles::live_on(tree, &soup(), &mut Dice::with_seed(1));
    true
}

static MACHINE: LazyLock<Machine> = LazyLock::new(|| drivers::animator::machine(&mut Dice::with_seed(1)));

/// Returns an animator at rest, in a fade between two states, in one from a held pose, and in an inertial one.
fn animators() -> Vec<Vec<u8>> {
    let mut animator = Animator::new(&MACHINE);
    let mut files = vec![animator.to_bytes()];
    for (state, fade) in [("line", Fade::from(0.5)), ("a", Fade::from(0.5)), ("line", Fade::inertial(0.5))] {
        animator.play(MACHINE.state(state).expect("it has the state"), fade);
        animator.advance(0.1);
        files.push(animator.to_bytes());
    }
    files
}

fn read_animator(bytes: &[u8]) -> bool {
    let animator = Animator::from_bytes(&MACHINE, bytes);
    end();
    let Ok(mut animator) = animator else { return false };
    assert_eq!(animator.to_bytes(), bytes);
    drivers::animator::live_on(&mut animator);
    true
}
