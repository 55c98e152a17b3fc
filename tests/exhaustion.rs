//! Functions that return an error if the allocator refuses do so at every single allocation, and leak no memory.
//!
//! A list that grows without a check aborts the process, and this test with it.
#![allow(unsafe_code, reason = "an allocator that refuses cannot be told otherwise")]

use hedgerow::config::StoragePolicy;
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::{
    Aabb, Mat34, Node, NodeHandle, Scene, SceneConfig, Shape, Transform, Visibility,
    snapshot::{SaveOptions, SnapshotError},
};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io;

/// The system's allocator, which refuses one allocation of a thread on request, and counts what the thread has in use.
struct Refusing;

thread_local! {
    /// How many allocations are left, including the refused one; 0 refuses none.
    static REMAINING: Cell<usize> = const { Cell::new(0) };
    static IN_USE: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call is passed on unchanged or refused; `realloc` is the trait's own, which uses these two.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let remaining = REMAINING.get();
        REMAINING.set(remaining.saturating_sub(1));
        if remaining == 1 {
            return core::ptr::null_mut();
        }
        IN_USE.set(IN_USE.get().wrapping_add(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.set(IN_USE.get().wrapping_sub(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

/// Runs `attempt` with its first allocation refused, then with its second, until there are no more. Returns the final
/// result, and how many allocations there were.
fn with_every_refusal<T, E: Into<SnapshotError>>(mut attempt: impl FnMut() -> Result<T, E>) -> (T, usize) {
    for number in 1.. {
        let before = IN_USE.get();
        REMAINING.set(number);
        let result = attempt();
        let refused = REMAINING.replace(0) == 0;
        match result {
            Ok(made) if !refused => return (made, number - 1),
            // A list that asks for more than it needs may succeed with less.
            Ok(made) => drop(made),
            Err(error) => {
                let error = error.into();
                let out_of_memory = SnapshotError::Read(io::ErrorKind::OutOfMemory);
                assert!(refused, "allocation {number} was not refused: {error}");
                assert!(error == SnapshotError::AllocationFailed || error == out_of_memory, "{error}");
            }
        }
        assert_eq!(IN_USE.get(), before, "memory is lost where allocation {number} is refused");
    }
    unreachable!("the numbers do not end")
}

/// A scene with everything that a snapshot contains: holes, stale handles, more tables in a slice than usual, sheared
/// transforms, translations in double precision, words, names, slices that wait for maintenance, and subtrees that are
/// detached or wait to be freed.
fn scene(config: SceneConfig, nodes: usize) -> Scene {
    let mut scene = Scene::with_config(config).expect("the policy makes sense");
    let mut made: Vec<NodeHandle> = vec![scene.root()];
    for number in 0..nodes {
        let parent = made[number / 3];
        let place = Transform::from_xyz(1.0, 2.0, 3.0);
        let mut node = if number % 4 == 0 { Node::group() } else { Node::transform(place) };
        if number % 3 == 0 {
            node = node.with_shape(Shape::new(7, Aabb::cube(1.0))).with_material(3);
        }
        if number % 7 == 0 {
            node = node.with_visibility(Visibility::layers(5));
        }
        let name = format!("node {number}");
        made.push(
            scene.insert(parent, if number % 5 == 0 { node.named(&name) } else { node }).expect("a plain insert"),
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
        scene.set_word(node, 5).expect("a live node");
        if scene.local(node).is_some() {
            scene.set_translation_f64(node, DVec3::splat(1e7 + 0.1)).expect("the node has a transform");
        }
    }
    scene.update();
    let leaves = made.len() * 2 / 3;
    for &node in made[leaves..].iter().step_by(3) {
        scene.remove(node).expect("a leaf");
    }
    for &node in &made[nodes / 40 + 2..nodes / 40 + 6] {
        scene.detach(node).expect("a branch");
    }
    for &node in &made[nodes / 40 + 7..nodes / 40 + 9] {
        scene.remove_later(node).expect("a branch");
    }
    scene
}

/// Policies that differ in what a load must make room for.
fn policies() -> [(SceneConfig, usize); 6] {
    let plain = SceneConfig::DEFAULT;
    let told = SceneConfig { bounds: true, changes: true, ..plain };
    let small = SceneConfig {
        max_nodes: 32,
        min_nodes: 4,
        storage: StoragePolicy { max_table_entries: 8, ..told.storage },
        ..told
    };
    let large = SceneConfig { max_nodes: 1 << 20, ..told };
    [
        (plain, 300),
        (told, 300),
        (small, 300),
        (SceneConfig { storage: StoragePolicy { max_generation: 1, ..small.storage }, ..small }, 300),
        (large, 9000),
        (SceneConfig::THESIS, 300),
    ]
}

#[test]
fn a_load_returns_an_error_wherever_the_allocator_refuses() {
    for (config, nodes) in policies() {
        let scene = scene(config, nodes);
        let bytes = scene.save();
        let (mut loaded, allocations) = with_every_refusal(|| Scene::load(&bytes));
        assert!(allocations > 20, "{allocations}");
        assert_eq!(loaded.validate(), Ok(()));
        assert_eq!(loaded.save(), bytes);
        loaded.update();
        assert_eq!(loaded.validate(), Ok(()));
        let (loaded, _) = with_every_refusal(|| Scene::load_from(&bytes[..]));
        assert_eq!(loaded.save(), bytes);
    }
}

#[test]
fn bytes_that_are_no_scene_are_refused_without_memory_too() {
    let bytes = scene(SceneConfig { bounds: true, changes: true, ..SceneConfig::DEFAULT }, 100).save();
    for length in (0..bytes.len()).step_by(97) {
        let refused = Scene::load(&bytes[..length]).map(drop);
        assert!(refused.is_err(), "{refused:?}");
    }
}

#[test]
fn room_is_reserved_or_refused_with_an_error() {
    for (config, nodes) in policies() {
        let scene = scene(config, nodes);
        let inner = scene.first_child(scene.root()).expect("the root has children");
        for parent in [scene.root(), inner] {
            let mut kept = scene.clone();
            with_every_refusal(|| {
                let before = REMAINING.replace(0);
                let mut scene = kept.clone();
                REMAINING.set(before);
                scene.try_reserve(parent, 1000).map(|()| scene)
            });
            // Whatever was refused, what the scene holds is as it was.
            for number in 1..40 {
                // Room is no part of a compact snapshot.
                let bytes = |scene: &Scene| scene.save_with(SaveOptions { detached: true, compact: true });
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

/// A clip is its bytes: making one of them takes no memory but what finding out takes, and reading them says so where
/// the allocator refuses.
#[cfg(feature = "anim")]
#[test]
fn a_clip_is_read_or_refused_with_an_error() {
    use hedgerow::anim::{Clip, ClipBuilder, Error, RawClip, clip::ClipError, raw::Track};

    let mut raw = RawClip::new(1.0, 30).expect("thirty joints");
    for joint in 0..30 {
        let track = Track::linear(vec![0.0, 0.5, 1.0], vec![Vec3::ZERO, Vec3::ONE, Vec3::X]).expect("keys in order");
        raw.set_translation(joint, track).expect("the joint is there");
    }
    let (clip, _) = ClipBuilder::new().build(&raw).expect("a sound clip");
    let bytes = clip.to_bytes().to_vec();
    let boxed: Box<[u8]> = bytes.clone().into();
    REMAINING.set(1);
    let made = Clip::from_bytes(boxed);
    let untouched = REMAINING.replace(0) == 1;
    assert!(made.is_ok() && untouched, "making a clip of its bytes allocates");
    let mut refused = 0;
    loop {
        REMAINING.set(refused + 1);
        let read = Clip::read_from(&bytes[..]);
        if REMAINING.replace(0) > 0 {
            assert_eq!(read.expect("there is memory").to_bytes(), bytes);
            break;
        }
        let out_of_memory = Error::Clip(ClipError::Read(io::ErrorKind::OutOfMemory));
        // The last list may be cut to its length, which is no need.
        assert!(read.as_ref().is_ok_and(|clip| clip.to_bytes() == bytes) || read == Err(out_of_memory), "{read:?}");
        refused += 1;
    }
    assert!(refused > 0, "reading allocates");
}
