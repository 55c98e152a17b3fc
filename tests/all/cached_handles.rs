//! Cached handles lead where the handles in them lead, whatever has happened to the scene since.

use hedgerow::edit::CachedHandle;
use hedgerow::{Error, Keep, Mat34, Node, NodeHandle, Scene, SceneConfig, Transform, Visibility};
use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

const TINY: SceneConfig =
    SceneConfig { min_nodes: 3, max_nodes: 24, initial_slice_max_num_nodes: 4, ..SceneConfig::DEFAULT };

const SHEAR: Mat34 = Mat34 { rows: [[1.0, 0.5, 0.0, 1.0], [0.0, 1.0, 0.0, 2.0], [0.0, 0.0, 1.0, 3.0]] };

fn at(x: f32) -> Transform {
    Transform::from_xyz(x, 0.0, 0.0)
}

/// A scene, the local transform that each of its nodes was given, if any, and one that was saved earlier.
#[derive(Clone)]
struct World {
    scene: Scene,
    locals: BTreeMap<NodeHandle, Option<Transform>>,
    saved: Option<Box<Self>>,
}

impl World {
    fn new() -> Self {
        let scene = Scene::with_config(TINY).unwrap();
        Self { locals: [(scene.root(), None)].into(), scene, saved: None }
    }

    /// One edit of any kind by the nodes themselves.
    fn edit(&mut self, dice: &mut fastrand::Rng, number: f32) {
        let Self { scene, locals, .. } = self;
        let live: Vec<NodeHandle> = locals.keys().copied().collect();
        let (node, other) = (live[dice.usize(..live.len())], live[dice.usize(..live.len())]);
        match dice.u8(..20) {
            0..=6 => {
                let (local, node) = match dice.u8(..4) {
                    0 => (None, Node::group()),
                    _ => (Some(at(number)), Node::transform(at(number))),
                };
                locals.insert(scene.insert(other, node).unwrap(), local);
            }
            7 | 8 => drop(scene.remove(node)),
            9 => drop(scene.remove_later(node)),
            10 | 11 => drop(scene.reparent(node, other, Keep::Local)),
            12 => drop(scene.detach(node)),
            13 => {
                if scene.remove_local(node).is_ok() {
                    locals.insert(node, None);
                }
            }
            14 => {
                // It has a local transform, which is none that a cached handle set.
                scene
                    .set_local(node, if dice.bool() { SHEAR.into() } else { hedgerow::Local::from(at(-1.0)) })
                    .unwrap();
                locals.insert(node, scene.local(node).unwrap().transform());
            }
            15 => drop(scene.set_visibility(node, Visibility::layers(3))),
            16 => scene.update(),
            17 => drop(scene.maintain(Duration::from_secs(60))),
            18 if dice.u8(..4) == 0 => match self.saved.take() {
                // Back to an earlier state, which counts its versions on from there.
                Some(earlier) if dice.bool() => *self = *earlier,
                Some(earlier) => *self = Self { saved: None, ..(*earlier).clone() },
                None => self.saved = Some(Box::new(self.clone())),
            },
            19 if dice.u8(..6) == 0 => *scene = Scene::load(&scene.save()).unwrap(),
            _ => scene.shrink_to_fit(),
        }
        let Self { scene, locals, .. } = self;
        locals.retain(|&node, _| scene.contains(node));
    }

    /// Compares what all cached handles lead to with what their handles do.
    fn compare(&self, cached: &mut [CachedHandle]) {
        for cached in cached {
            let expected = self.scene.world(cached.node());
            let world = self.scene.world_cached(cached);
            let same = world.zip(expected).is_some_and(|(a, b)| core::ptr::eq(a, b));
            assert!(same || (world, expected) == (None, None), "{cached:?} leads to {world:?}, not to {expected:?}");
        }
    }
}

#[test]
fn cached_handles_lead_where_their_handles_lead() {
    let (mut hits, mut stale) = (0, 0);
    for seed in 0..24 {
        let mut dice = fastrand::Rng::with_seed(seed);
        // Cached handles go from one scene to the other, too, where the same bits name other nodes.
        let mut worlds = [World::new(), World::new()];
        let mut cached: Vec<CachedHandle> = Vec::new();
        for step in 0..600_u16 {
            let world = &mut worlds[dice.usize(..2)];
            world.edit(&mut dice, step.into());
            let live: Vec<NodeHandle> = world.locals.keys().copied().collect();
            let newcomer = live[dice.usize(..live.len())].into();
            match cached.len() {
                0..40 => cached.push(newcomer),
                len => cached[dice.usize(..len)] = newcomer,
            }
            for _ in 0..3 {
                let len = cached.len();
                let by = &mut cached[dice.usize(..len)];
                let local = at(f32::from(step) + 0.5);
                match world.scene.set_local_cached(by, local) {
                    Ok(()) => {
                        assert!(
                            world.locals.insert(by.node(), Some(local)).is_some(),
                            "{by:?} set a node that is gone"
                        );
                        hits += 1;
                    }
                    Err(error) => {
                        assert_eq!(error, Error::StaleHandle(by.node()));
                        assert!(!world.locals.contains_key(&by.node()), "{by:?} is refused and lives");
                        stale += 1;
                    }
                }
            }
            if step % 4 == 0 {
                world.compare(&mut cached);
                for (&node, &local) in &world.locals {
                    let kept = world.scene.local(node).and_then(|local| local.transform());
                    assert_eq!(kept, local, "{node:?} was set by another's cached handle");
                }
                assert_eq!(world.scene.validate(), Ok(()));
            }
        }
    }
    assert!(hits > 10_000 && stale > 2_000, "{hits} sets and {stale} refusals");
}

#[test]
fn what_a_set_by_a_handle_refuses_is_refused() {
    let mut scene = Scene::new();
    let node = scene.insert(scene.root(), Node::transform(at(1.0))).unwrap();
    let mut cached = CachedHandle::new(node);
    for _ in 0..2 {
        let (nan, flat) =
            (at(f32::NAN), Transform { rotation: hedgerow::glam::Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..at(1.0) });
        for refused in [nan, flat] {
            assert_eq!(scene.set_local_cached(&mut cached, refused), scene.clone().set_local(node, refused));
            assert!(scene.set_local_cached(&mut cached, refused).is_err());
        }
        assert_eq!(scene.local(node), Some(at(1.0).into()));
        scene.set_local_cached(&mut cached, at(1.0)).unwrap();
    }
    // A matrix, and a transform in its place.
    scene.set_local_cached(&mut cached, SHEAR).unwrap();
    assert_eq!(scene.local(node), Some(SHEAR.into()));
    scene.set_local_cached(&mut cached, at(4.0)).unwrap();
    scene.update();
    assert_eq!(scene.world_cached(&mut cached).unwrap().translation().x, 4.0);
    assert_eq!(scene.validate(), Ok(()));
}

#[test]
fn a_group_is_given_its_first_transform() {
    let mut scene = Scene::new();
    let car = scene.insert(scene.root(), Node::transform(at(1.0))).unwrap();
    let group = scene.insert(car, Node::group()).unwrap();
    let mut cached = CachedHandle::new(group);
    scene.update();
    assert_eq!(scene.world_cached(&mut cached), scene.world(car));
    scene.set_local_cached(&mut cached, at(2.0)).unwrap();
    scene.update();
    assert_eq!(scene.local(car), Some(at(1.0).into()), "what it inherited is not its own");
    assert_eq!(scene.world_cached(&mut cached).unwrap().translation().x, 3.0);
}

#[test]
fn a_node_that_took_the_place_of_another_is_not_modified_by_its_cached_handle() {
    let mut scene = Scene::new();
    let car = scene.insert(scene.root(), Node::transform(at(1.0))).unwrap();
    let wheel = scene.insert(car, Node::transform(at(2.0))).unwrap();
    let mut cached = CachedHandle::new(wheel);
    scene.set_local_cached(&mut cached, at(2.0)).unwrap();
    scene.modify_local_cached(&mut cached, |local| local.translation.y = 5.0).unwrap();
    assert_eq!(scene.local(wheel), Some(Transform::from_xyz(2.0, 5.0, 0.0).into()));
    scene.remove(wheel).unwrap();
    let other = scene.insert(car, Node::transform(at(3.0))).unwrap();
    let slot = |node| scene.matrix_slot(node).unwrap();
    assert_ne!(slot(other), slot(car));
    let modified = scene.modify_local_cached(&mut cached, |local| local.translation.y = 6.0);
    assert_eq!(modified, Err(Error::StaleHandle(wheel)));
    assert_eq!(scene.local(other), Some(at(3.0).into()));
}

#[test]
fn what_it_remembers_does_not_count_where_handles_are_compared() {
    let mut scene = Scene::new();
    let node = scene.insert(scene.root(), Node::transform(at(1.0))).unwrap();
    let (fresh, mut used) = (CachedHandle::new(node), CachedHandle::from(node));
    scene.set_local_cached(&mut used, at(2.0)).unwrap();
    assert_eq!((fresh, NodeHandle::from(used), used.node()), (used, node, node));
    assert_eq!(HashSet::from([fresh, used]).len(), 1);
    let root = CachedHandle::new(scene.root());
    assert_eq!(root.cmp(&used), scene.root().cmp(&node));
    assert_eq!(root.partial_cmp(&used), scene.root().partial_cmp(&node));
    assert_ne!(root, used);
    let hasher = RandomState::new();
    assert_eq!(hasher.hash_one(used), hasher.hash_one(node));
    assert_ne!(hasher.hash_one(used), hasher.hash_one(root));
    assert_eq!(format!("{used:?}"), format!("CachedHandle({node:?})"));
}

#[cfg(feature = "serde")]
#[test]
fn it_is_written_as_its_handle() {
    let mut scene = Scene::new();
    let mut cached = CachedHandle::new(scene.insert(scene.root(), Node::transform(at(1.0))).unwrap());
    scene.set_local_cached(&mut cached, at(2.0)).unwrap();
    let text = serde_json::to_string(&cached).unwrap();
    assert_eq!(text, serde_json::to_string(&cached.node()).unwrap());
    let mut read: CachedHandle = serde_json::from_str(&text).unwrap();
    scene.set_local_cached(&mut read, at(3.0)).unwrap();
    assert_eq!((read, scene.local(cached.node())), (cached, Some(at(3.0).into())));
}
