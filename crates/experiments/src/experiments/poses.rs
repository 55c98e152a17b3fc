//! Poses that come from elsewhere, for many nodes at once: from a physics engine, or from a queue of edits.
//!
//! Cases, each in nanoseconds a node, on scenes with so many bodies:
//!
//! - `worlds/shared`: `set_worlds` for all bodies in shuffled order, which hang below twenty rooms, turned and scaled;
//! - `worlds/own`: the same where each body has a parent of its own, which is turned;
//! - `worlds/matrices`: as `worlds/shared`, with places that are matrices;
//! - `queue`: local transforms of all bodies below the rooms, recorded in shuffled order, and applied.
//!
//! Compared with is `set_world` one by one for the first three, and `set_transforms` for the last. An update follows
//! each round, and is not timed. Both ways must set the same to the bit.

use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::sides::{Packed, Side};
use crate::{Case, Outcome, Unit};
use hedgerow::edit::EditQueue;
use hedgerow::glam::{Quat, Vec3};
use hedgerow::{Mat34, Node, NodeHandle, Scene, Transform};
use std::time::Duration;

const SIZES: Sizes<&[usize]> = Sizes { full: &[20_000, 200_000], short: &[20_000], tiny: &[300] };
const ROOMS: usize = 20;
const PACE: Pace = Pace::timed(7, 101, Duration::from_millis(800));

/// Runs the experiment.
///
/// # Errors
/// Where both ways do not come to the same, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    let cases = [
        ("worlds/shared", What::Shared, "one by one"),
        ("worlds/own", What::Own, "one by one"),
        ("worlds/matrices", What::Matrices, "one by one"),
        ("queue", What::Queue, "a batch"),
    ];
    for &nodes in SIZES.at(front.scale()) {
        for (name, what, baseline) in cases {
            let ways = [Packed::NAME, baseline];
            let rounds = Rounds { nodes, per: nodes, parts: [name], ways: &ways, pace: PACE, lasts: None };
            if let Some(figures) = front.rounds(&rounds, &mut Poses::new(what, nodes))? {
                front.report(
                    &Case::new(name, nodes, Unit::Time, baseline).against_itself(),
                    figures[0][0],
                    figures[1][0],
                )?;
            }
        }
    }
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum What {
    Shared,
    Own,
    Matrices,
    Queue,
}

/// The same scene twice, and what its bodies are given.
struct Poses {
    what: What,
    scenes: [Scene; 2],
    items: Vec<(NodeHandle, Transform)>,
    /// The same as matrices, where these are measured.
    matrices: Vec<(NodeHandle, Mat34)>,
    queue: EditQueue,
    round: usize,
}

impl Poses {
    fn new(what: What, bodies: usize) -> Self {
        let mut scene = Scene::new();
        let turned = |at: usize| {
            let scale = if at.is_multiple_of(2) { 1.0 } else { 2.0 };
            Transform::from_xyz(at as f32, 0.0, 1.0)
                .with_rotation(Quat::from_rotation_y(at as f32))
                .with_scale(Vec3::splat(scale))
        };
        let root = scene.root();
        let mut add = |parent: NodeHandle, local: Transform| {
            scene.insert(parent, Node::transform(local)).expect("a live parent takes a finite node")
        };
        let rooms: Vec<NodeHandle> = (0..ROOMS).map(|room| add(root, turned(room))).collect();
        let made = (0..bodies).map(|body| {
            let room = rooms[body % ROOMS];
            let parent = if what == What::Own { add(room, turned(body)) } else { room };
            add(parent, Transform::IDENTITY)
        });
        let made: Vec<NodeHandle> = made.collect();
        // Steps of a prime meet each place once.
        let shuffled = (0..bodies).map(|step| made[step * 1_000_003 % bodies]);
        let items = shuffled.map(|body| (body, Transform::IDENTITY)).collect();
        scene.update();
        Self { what, scenes: [scene.clone(), scene], items, matrices: Vec::new(), queue: EditQueue::new(), round: 0 }
    }
}

impl Trial<1> for Poses {
    fn begin(&mut self) {
        self.round += 1;
        for (place, (_, pose)) in self.items.iter_mut().enumerate() {
            let turn = (self.round + place) as f32;
            *pose = Transform::from_xyz(turn % 100.0, 1.0, turn % 7.0).with_rotation(Quat::from_rotation_x(turn));
        }
        if self.what == What::Matrices {
            self.matrices.clear();
            self.matrices.extend(self.items.iter().map(|&(body, pose)| (body, pose.to_matrix())));
        }
        self.scenes.iter_mut().for_each(Scene::update);
    }

    fn prepare(&mut self, way: usize) {
        if self.what == What::Queue && way == 0 {
            self.items.iter().for_each(|&(node, local)| self.queue.set_local(node, local));
        }
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let Self { what, scenes, items, matrices, queue, .. } = self;
        let scene = &mut scenes[way];
        let good = "bodies have transforms, and rooms have inverses";
        [match (*what, way) {
            (What::Queue, 0) => nanoseconds(|| assert!(queue.apply(scene).iter().all(Result::is_ok), "{good}")),
            (What::Queue, _) => nanoseconds(|| scene.set_transforms(items).expect(good)),
            (What::Matrices, 0) => nanoseconds(|| scene.set_worlds(matrices).expect(good)),
            (What::Matrices, _) => nanoseconds(|| {
                for &(node, pose) in &*matrices {
                    scene.set_world(node, pose).expect(good);
                }
            }),
            (_, 0) => nanoseconds(|| scene.set_worlds(items).expect(good)),
            _ => nanoseconds(|| {
                for &(node, pose) in &*items {
                    scene.set_world(node, pose).expect(good);
                }
            }),
        }]
    }

    fn check(&mut self) -> Outcome {
        let [ours, theirs] = &self.scenes;
        let same = self.items.iter().all(|&(node, _)| ours.local(node) == theirs.local(node));
        if same { Ok(()) } else { Err("both ways do not set the same local transforms".into()) }
    }
}
