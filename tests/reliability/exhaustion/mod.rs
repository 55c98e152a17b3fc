//! Functions that return an error if the allocator refuses do so at every allocation and under every memory limit,
//! without a leak. A scene reports the memory that it takes (`taken`).
//!
//! A list that grows without a check aborts the process and this test.

mod taken;

use hedgerow::glam::{DVec3, Vec3, Vec4};
use hedgerow::{
    Aabb, Drawable, Error, Keep, Layers, Mat34, Node, NodeHandle, Place, Scene, SceneConfig, Transform, Tree,
    checkpoints::Checkpoints,
    draw::{DrawCommand, DrawList},
    query::{Filter, Frustum, LocalRay, Pickable, Ray, Touch, TriangleHit},
    snapshot::{LoadOptions, SaveOptions, SnapshotError},
};
use hedgerow_mesh::{TriangleTree, TriangleTreeError};
use hedgerow_testkit::memory::{REMAINING, with_every_limit, with_every_refusal};
use hedgerow_testkit::triangles::sphere;
use std::io::{self, Read};

/// Returns a scene with everything that a snapshot contains: stale handles, shear, translations in double precision,
/// user data, names, and detached subtrees.
fn scene(config: SceneConfig, nodes: usize) -> Scene {
    let mut scene = Scene::with_config(config).expect("the configuration makes sense");
    let mut made: Vec<NodeHandle> = vec![scene.root()];
    for number in 0..nodes {
        let parent = made[number / 3];
        let place = Transform::from_xyz(1.0, 2.0, 3.0);
        let mut node = if number % 4 == 0 { Node::group() } else { Node::transform(place) };
        if number % 3 == 0 {
            node = node.with_drawable(Drawable::new(7, Aabb::cube(1.0))).with_material(3);
        }
        if number % 7 == 0 {
            node = node.with_layers(Layers::new(5));
        }
        let name = format!("node {number}");
        made.push(
            scene.insert(parent, if number % 5 == 0 { node.with_name(&name) } else { node }).expect("a plain insert"),
        );
    }
    let mut shear = Mat34::IDENTITY;
    shear.rows[0][1] = 0.5;
    for &node in made.iter().skip(2).step_by(9) {
        if scene.local(node).is_some() {
            scene.set_local(node, shear).expect("the node has a transform");
        }
    }
    for &node in made.iter().skip(1).step_by(11) {
        scene.edit(node).expect("a live node").set_user_data(5);
        if scene.local(node).is_some() {
            scene
                .edit(node)
                .expect("the node has a transform")
                .set_translation_f64(DVec3::splat(1e7 + 0.1))
                .expect("the node has a transform");
        }
    }
    scene.update();
    let leaves = made.len() * 2 / 3;
    for &node in made[leaves..].iter().step_by(3) {
        scene.remove(node).expect("a leaf");
    }
    for &node in &made[nodes / 40 + 2..nodes / 40 + 6] {
        scene.reparent(node, Place::Detached, Keep::Local).expect("a branch");
    }
    for &node in &made[nodes / 40 + 7..nodes / 40 + 9] {
        scene.remove(node).expect("a branch");
    }
    scene
}

/// A reader that returns few bytes at a time, so that the total length is unknown.
struct Dripping<'b>(&'b [u8]);

impl Read for Dripping<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let few = to.len().min(self.0.len() / 8 + 7);
        self.0.read(&mut to[..few])
    }
}

/// Returns configurations that need different memory for a load, with numbers of nodes.
fn configs() -> [(SceneConfig, usize); 5] {
    let plain = SceneConfig::DEFAULT;
    let told = SceneConfig { bounds: true, changes: true, ..plain };
    let small = SceneConfig { max_nodes: 32, ..told };
    [(plain, 300), (told, 300), (small, 300), (SceneConfig { max_nodes: 8, ..told }, 300), (told, 5000)]
}

/// Before its update, a load requests all memory of that update at once.
#[test]
fn a_load_returns_an_error_whatever_memory_it_lacks() {
    for (config, nodes) in configs() {
        let scene = scene(config, nodes);
        let bytes = scene.to_bytes();
        let (mut loaded, limits) = with_every_limit(|| Scene::from_bytes(&bytes));
        assert!(limits > 10, "{limits}");
        assert_eq!(loaded.validate(), Ok(()));
        assert_eq!(loaded.to_bytes(), bytes);
        loaded.update();
        assert_eq!(loaded.validate(), Ok(()));
        let (loaded, _) = with_every_limit(|| LoadOptions::default().read(Dripping(&bytes[..])));
        assert_eq!(loaded.to_bytes(), bytes);
    }
}

/// Each branch has a quarter of a slice's nodes, and therefore begins another slice.
#[test]
fn a_load_returns_an_error_whatever_memory_it_lacks_for_many_small_slices() {
    let drawable = Drawable::new(7, Aabb::cube(1.0));
    for (max_nodes, branches) in [(8, 500), (64, 60), (1024, 6)] {
        for told in [false, true] {
            let config = SceneConfig { max_nodes, bounds: told, changes: told, ..SceneConfig::DEFAULT };
            let mut scene = Scene::with_config(config).expect("the configuration makes sense");
            for _ in 0..branches {
                let node = Node::transform(Transform::IDENTITY).with_drawable(drawable).with_layers(Layers::new(3));
                let top = scene.insert(scene.root(), node).expect("a plain insert");
                for _ in 1..max_nodes / 4 {
                    scene.insert(top, node).expect("a plain insert");
                }
            }
            let bytes = scene.to_bytes();
            let (loaded, _) = with_every_limit(|| Scene::from_bytes(&bytes));
            assert!(loaded.stats().slices >= branches, "{} slices", loaded.stats().slices);
            assert_eq!(loaded.to_bytes(), bytes);
        }
    }
}

#[test]
fn a_tree_is_read_or_refused_with_an_error() {
    let scene = scene(SceneConfig::DEFAULT, 300);
    let tree = scene.copy_tree(scene.root()).expect("the root lives");
    let bytes = tree.to_bytes();
    let (read, allocations) = with_every_refusal(|| Tree::from_bytes(&bytes));
    assert!(read == tree && read.to_bytes() == bytes);
    assert_eq!(allocations, 3, "all parents, descriptions and components at once");
}

#[test]
fn bytes_that_are_no_scene_are_refused_without_memory_too() {
    let bytes = scene(SceneConfig { bounds: true, changes: true, ..SceneConfig::DEFAULT }, 100).to_bytes();
    for length in (0..bytes.len()).step_by(97) {
        let refused = Scene::from_bytes(&bytes[..length]).map(drop);
        assert!(refused.is_err(), "{refused:?}");
    }
}

#[test]
fn a_tree_over_triangles_is_read_or_refused_with_an_error() {
    let tree = TriangleTree::build(sphere(300).mesh()).expect("sound triangles");
    let bytes = tree.to_bytes();
    let out_of_memory = |error| match error {
        TriangleTreeError::AllocationFailed => SnapshotError::AllocationFailed,
        other => panic!("{other}"),
    };
    let (read, allocations) = with_every_refusal(|| TriangleTree::from_bytes(&bytes).map_err(out_of_memory));
    assert!(read == tree && allocations == 4, "{allocations}");
}

#[test]
fn a_pick_is_made_or_refused_with_an_error() {
    let mut scene = scene(SceneConfig { bounds: true, ..SceneConfig::DEFAULT }, 3000);
    scene.update();
    let ray = Ray::new(Vec3::splat(-1.0), Vec3::new(1.0, 2.0, 3.0)).expect("a sound ray");
    let middle = |_: &DrawCommand, ray: &LocalRay, _| {
        let (t, weights) = (-ray.origin.dot(ray.direction) / ray.direction.length_squared(), [1.0, 0.0, 0.0]);
        Some(TriangleHit { t, triangle: 0, barycentric: weights, normal: DVec3::X, front: true })
    };
    let (picks, allocations) = with_every_refusal(|| {
        let mut picks = Vec::new();
        scene.pick_all(&ray, Filter::ALL, middle, &mut picks).map(|()| picks)
    });
    assert!(picks.len() > 64 && allocations > 4, "{} picks, {allocations}", picks.len());
    let (nearest, _) = with_every_refusal(|| scene.pick(&ray, Filter::ALL, middle));
    assert_eq!(nearest, picks.first().copied());

    // A list with an eye composes the worlds of all slices. After a refusal it begins anew.
    let watching = || {
        let mut list = DrawList::new();
        list.set_eye(ray.origin().as_dvec3());
        list
    };
    let from_eye = Ray::new(Vec3::ZERO, ray.direction()).expect("a sound ray");
    let (count, allocations) = with_every_refusal(|| {
        let (mut list, mut picks) = (watching(), Vec::new());
        let mut pick =
            || scene.pick_all(&from_eye, Filter::ALL.in_list(&mut list), middle, &mut picks).map(|()| picks.len());
        pick().inspect_err(|_| assert!(pick().expect("there is memory") > 64))
    });
    assert!(count > 64 && allocations > 8, "{count} picks, {allocations}");

    let everything = Frustum::from_planes([Vec4::ZERO; 6]).expect("sound planes");
    for with_eye in [false, true] {
        let (count, allocations) = with_every_refusal(|| {
            let (mut list, mut selected) = (watching(), Vec::new());
            let what = Pickable { filter: Filter::ALL, list: with_eye.then_some(&mut list) };
            scene.select(&everything, what, |_, _| Touch::Whole, &mut selected).map(|()| selected.len())
        });
        assert!(count > 64 && allocations > 4, "{count} selected, {allocations}");
    }
}

#[test]
fn room_is_reserved_or_refused_with_an_error() {
    for (config, nodes) in configs() {
        let scene = scene(config, nodes);
        let inner = scene.get(scene.root()).unwrap().first_child().expect("the root has children").handle();
        for parent in [scene.root(), inner] {
            let mut kept = scene.clone();
            with_every_refusal(|| {
                let before = REMAINING.replace(0);
                let mut scene = kept.clone();
                REMAINING.set(before);
                scene.try_reserve(parent, 1000).map(|()| scene)
            });
            // After any refusal, the contents of the scene are unchanged.
            for number in 1..40 {
                // A snapshot does not contain reserved memory.
                let bytes = |scene: &Scene| SaveOptions { detached: true }.to_bytes(scene);
                let (mut scene, before) = (kept.clone(), bytes(&kept));
                REMAINING.set(number);
                let refused = scene.try_reserve(parent, 1000);
                REMAINING.set(0);
                assert!(
                    bytes(&scene) == before,
                    "allocation {number} is refused, and the scene is another one: {refused:?}"
                );
                assert_eq!(scene.validate(), Ok(()));
                scene.insert(parent, Node::transform(Transform::from_translation(Vec3::X))).expect("it goes on");
                scene.update();
                assert_eq!(scene.validate(), Ok(()));
            }
            kept.try_reserve(parent, 1000).expect("there is memory");
            kept.insert(parent, Node::transform(Transform::from_translation(Vec3::X))).expect("there is room");
            assert_eq!(kept.validate(), Ok(()));
        }
    }
}

/// Whatever allocation is refused, the next call saves all that the refused one should have.
#[test]
fn a_checkpoint_that_lacks_memory_is_refused_and_loses_nothing() {
    let mut plain = scene(SceneConfig::DEFAULT, 300);
    let (_, limits) = with_every_limit(|| Checkpoints::new(&mut plain, 4));
    assert!(limits > 0);
    let mut refusals = 0;
    for number in 1.. {
        let mut scene = scene(SceneConfig { changes: true, ..SceneConfig::DEFAULT }, 300);
        let mut checkpoints = Checkpoints::new(&mut scene, 4).expect("there is memory");
        checkpoints.save(&mut scene, 0).expect("there is memory");
        let first = scene.to_bytes();
        let nodes: Vec<NodeHandle> =
            scene.get(scene.root()).expect("the root").descendants().skip(1).map(|node| node.handle()).collect();
        scene.remove(nodes[70]).expect("a node");
        for _ in 0..700 {
            scene
                .insert(scene.root(), Node::drawable(Drawable::new(1, Aabb::cube(1.0))).with_name("new"))
                .expect("room");
        }
        scene.edit(nodes[1]).expect("a node").set_name("another").set_layers(Layers::new(2));
        scene.update();
        scene.reparent(nodes[2], Place::Detached, Keep::Local).expect("a node");
        let second = scene.to_bytes();
        REMAINING.set(number);
        let saved = checkpoints.save(&mut scene, 1);
        let is_refused = REMAINING.replace(0) == 0;
        assert_eq!(saved, if is_refused { Err(Error::AllocationFailed) } else { Ok(()) }, "allocation {number}");
        if is_refused {
            refusals += 1;
            assert!(checkpoints.frames().eq([0]));
            checkpoints.save(&mut scene, 1).expect("there is memory");
        }
        scene.clear();
        for (frame, bytes) in [(1, second), (0, first)] {
            checkpoints.restore(&mut scene, frame).expect("it was saved");
            assert!(scene.to_bytes() == bytes, "frame {frame} where allocation {number} was refused");
        }
        if !is_refused {
            break;
        }
    }
    assert!(refusals > 10, "{refusals}");
}

/// Animation types, whose errors have their own types.
mod characters {
    use super::{REMAINING, with_every_limit, with_every_refusal};
    use hedgerow::Transform;
    use hedgerow::glam::Vec3;
    use hedgerow::snapshot::SnapshotError;
    use hedgerow_anim::raw::Track;
    use hedgerow_anim::skeleton::SkeletonError;
    use hedgerow_anim::skin::{MorphTarget, Skin, SkinError, SkinnedMesh};
    use hedgerow_anim::{Clip, ClipBuilder, Error, RawClip, Skeleton, SkeletonBuilder};

    /// Converts an error of failed allocation.
    fn out_of_memory(error: Error) -> SnapshotError {
        match error {
            Error::Skeleton(SkeletonError::AllocationFailed) | Error::Skin(SkinError::AllocationFailed) => {
                SnapshotError::AllocationFailed
            }
            other => panic!("{other}"),
        }
    }

    fn skeleton() -> Skeleton {
        let mut builder = SkeletonBuilder::new();
        for joint in 0..50 {
            let parent = (joint > 0).then(|| (joint - 1) / 2);
            builder.joint(format!("joint {joint}"), parent, Transform::from_xyz(0.0, 1.0, 0.0));
        }
        builder.build().expect("a tree").0
    }

    fn clip() -> Clip {
        let mut raw = RawClip::new(1.0, 30).expect("thirty joints");
        for joint in 0..30 {
            let values = vec![Vec3::ZERO, Vec3::ONE, Vec3::X];
            let track = Track::linear(vec![0.0, 0.5, 1.0], values).expect("keys in order");
            raw.set_translation(joint, track).expect("the joint is there");
        }
        ClipBuilder::new().build(&raw).expect("a sound clip").0
    }

    fn mesh(skin: &Skin) -> SkinnedMesh {
        let positions: Vec<[f32; 3]> = (0..70_u8).map(|at| [f32::from(at), 0.0, 1.0]).collect();
        let joints: Vec<u16> = (0..280).map(|at| at * 31 % 50).collect();
        let weights: Vec<f32> = (0..280_u16).map(|at| if at * 13 % 5 < at / 4 % 5 { 0.3 } else { 0.1 }).collect();
        let (all, some) = ([[0.0, 1.0, 0.0]; 70], [[0.0, 1.0, 0.0]; 3]);
        let dense = MorphTarget { vertices: None, positions: &all, normals: &[], tangents: &[] };
        SkinnedMesh::builder(&positions)
            .normals(&all)
            .tangents(&[[1.0, 0.0, 0.0, -1.0]; 70])
            .influences(4, &joints, &weights)
            .indices(&(0..69).collect::<Vec<u32>>())
            .morph_target(dense)
            .morph_target(MorphTarget { vertices: Some(&[3, 9, 60]), positions: &some, ..dense })
            .build(skin)
            .expect("a mesh")
    }

    #[test]
    fn a_clip_consists_of_its_bytes() {
        let clip = clip();
        let boxed: Box<[u8]> = clip.to_bytes().into();
        REMAINING.set(1);
        let made = Clip::from_bytes(boxed);
        let untouched = REMAINING.replace(0) == 1;
        assert!(made == Ok(clip) && untouched, "making a clip of its bytes allocates");
    }

    #[test]
    fn a_skin_and_a_mesh_are_read_or_refused_with_an_error() {
        let skin = Skin::at_rest(&skeleton()).expect("no joint is flat");
        let bytes = skin.to_bytes();
        let (read, allocations) = with_every_refusal(|| Skin::from_bytes(&bytes).map_err(out_of_memory));
        assert!(read == skin && allocations >= 3, "{allocations}");
        let mesh = mesh(&skin);
        let bytes = mesh.to_bytes();
        let (read, allocations) = with_every_refusal(|| SkinnedMesh::from_bytes(&bytes).map_err(out_of_memory));
        assert!(read == mesh && allocations >= 15, "{allocations}");
    }

    #[test]
    fn a_skeleton_is_read_or_refused_with_an_error() {
        let skeleton = skeleton();
        let bytes = skeleton.to_bytes();
        let (read, limits) = with_every_limit(|| Skeleton::from_bytes(&bytes).map_err(out_of_memory));
        assert!(read == skeleton && limits >= 2, "{limits}");
    }
}
