//! What a renderer does with a scene in a frame, with all that it keeps, beside doing it anew.
//!
//! A town of 100,000 shapes, built depth first, in which something happens from frame to frame; timed is what follows
//! the update, in nanoseconds a shape of the town.
//!
//! - `town`: 1000 parts move, and eight houses are torn down and built again: kept are a draw list without matrices,
//!   its groups, and a buffer with all matrices, with the place in it of every instance. On the other side lists with
//!   matrices, groups and a buffer are made from nothing.
//! - `camera`: nothing but the camera moves: a kept list with matrices relative to it, against a new one.
//! - `sight`: the same, culled: a kept list of what a camera sees, with matrices relative to it, in nanoseconds a shape
//!   listed.

use crate::clock::nanoseconds;
use crate::front::{Front, Sizes};
use crate::rounds::{Pace, Rounds, Trial};
use crate::workloads::Town;
use crate::{Case, Outcome, Unit};
use hedgerow::changes::{MatrixMirror, MirrorStep};
use hedgerow::draw::DrawGroups;
use hedgerow::glam::camera::rh;
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::{Aabb, DrawList, Mat34, Node, NodeHandle, Shape, Transform, Visibility, query::Frustum};
use std::time::Duration;

/// The parts of a house: 10,000 houses.
const PARTS: Sizes<u32> = Sizes { full: 10, short: 10, tiny: 1 };
const MOVED: usize = 1000;
const HOUSES: usize = 8;
const BUDGET: Duration = Duration::from_millis(1500);
const MAX_FRAMES: usize = 301;
const MIN_FRAMES: usize = 15;
const ANEW: &str = "everything made anew";

/// Runs the experiment.
///
/// # Errors
/// Where the sides differ, or the report cannot be written.
pub fn run<F: Front>(front: &mut F) -> Outcome {
    let town = Town::new(PARTS.at(front.scale()), 3);
    let (shapes, parts) = (town.nodes.len(), PARTS.at(front.scale()) as usize);
    let sides = [Side::default(), Side { anew: true, ..Side::default() }];
    let mut frames = Frames { town, parts, frame: 0, sides };
    play(front, "town", shapes, shapes, &mut frames)?;
    let mut cameras = Cameras { town: &frames.town, frame: 0, frustum: None, lists: Default::default() };
    play(front, "camera", shapes, shapes, &mut cameras)?;
    let mut sight = Cameras { frustum: Some(straight_on()?), ..cameras };
    let seen = sight.seen();
    play(front, "sight", shapes, seen, &mut sight)
}

fn play<F: Front>(front: &mut F, name: &str, nodes: usize, per: usize, trial: &mut impl Trial<1>) -> Outcome {
    let rounds = Rounds {
        nodes,
        per,
        parts: [name],
        ways: &["hedgerow", ANEW],
        pace: Pace { alternates: true, ..Pace::timed(MIN_FRAMES, MAX_FRAMES, BUDGET) },
        lasts: None,
    };
    if let Some(figures) = front.rounds(&rounds, trial)? {
        let case = Case::new(name, nodes, Unit::Time, ANEW).against_itself();
        front.report(&case, figures[0][0], figures[1][0])?;
    }
    Ok(())
}

/// A town in which something happens.
struct Frames {
    town: Town,
    parts: usize,
    frame: usize,
    sides: [Side; 2],
}

/// What one side has.
#[derive(Default)]
struct Side {
    anew: bool,
    list: DrawList,
    groups: DrawGroups,
    mirror: MatrixMirror,
    buffer: Vec<Mat34>,
    instances: Vec<u32>,
}

impl Frames {
    fn turn_out(&mut self, house: usize) {
        let Self { town, parts, .. } = self;
        let first = house * *parts;
        let Some(home) = town.scene.parent(town.nodes[first]) else { return };
        for at in 0..*parts {
            let old = town.nodes[first + at];
            let local = town.scene.local(old).and_then(|local| local.transform()).unwrap_or(Transform::IDENTITY);
            town.scene.remove(old).expect("a live part");
            let mesh = u32::try_from(at).expect("a house has few parts");
            let part = Node::transform(local).with_shape(Shape::new(mesh, Aabb::cube(0.5))).with_material(mesh % 7);
            town.nodes[first + at] = town.scene.insert(home, part).expect("a live house");
        }
    }
}

impl Trial<1> for Frames {
    fn begin(&mut self) {
        let count = self.town.nodes.len();
        let (frame, houses) = (self.frame, count / self.parts);
        let pick = |at: usize, of: usize| (frame * 7919 + at * 104_729) % of;
        for at in 0..MOVED.min(count / 10) {
            let node: NodeHandle = self.town.nodes[pick(at, count)];
            let local = self.town.scene.local(node).and_then(|local| local.transform()).unwrap_or(Transform::IDENTITY);
            let lifted = Transform { translation: local.translation + Vec3::new(0.0, 0.01, 0.0), ..local };
            self.town.scene.set_local(node, lifted).expect("a live part");
        }
        for at in 0..HOUSES {
            self.turn_out(pick(at + 11, houses));
        }
        self.town.scene.update();
        self.frame += 1;
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let Self { town, sides, .. } = self;
        let side = &mut sides[way];
        let scene = &town.scene;
        [nanoseconds(|| {
            let Side { anew, list, groups, mirror, buffer, instances } = side;
            if *anew {
                list.clear();
                groups.clear();
                *mirror = MatrixMirror::new();
                instances.clear();
            } else if list.is_empty() {
                *list = DrawList::new().without_matrices();
            }
            scene.draw_list(list);
            list.group(groups);
            mirror.sync(scene, |step| match step {
                MirrorStep::Resize { len } => buffer.resize(len, Mat34::IDENTITY),
                MirrorStep::Write { first, matrices } => {
                    buffer[first..][..matrices.len()].copy_from_slice(matrices);
                }
            });
            mirror.instances(list, groups.instances(), instances, |_| {});
        })]
    }

    fn check(&mut self) -> Outcome {
        let [kept, anew] = &self.sides;
        let same = kept.list.commands() == anew.list.commands() && kept.groups.groups() == anew.groups.groups();
        let matrices =
            |side: &Side| -> Vec<Mat34> { side.instances.iter().map(|&at| side.buffer[at as usize]).collect() };
        if same && matrices(kept) == matrices(anew) {
            return Ok(());
        }
        Err("renderer: what was kept differs from what is new".into())
    }
}

/// A camera that looks along the ground.
fn straight_on() -> Result<Frustum, hedgerow::math::Error> {
    let view = rh::view::look_to_mat4(Vec3::ZERO, Vec3::new(0.8, 0.0, 0.6), Vec3::Y);
    Frustum::from_view_projection(&(rh::proj::directx::perspective(0.7, 16.0 / 9.0, 0.1, 420.0) * view))
}

/// A town that stays as it is, and a camera that drives through it.
struct Cameras<'t> {
    town: &'t Town,
    frame: u32,
    frustum: Option<Frustum>,
    lists: [DrawList; 2],
}

impl Cameras<'_> {
    fn place(&self) -> DVec3 {
        DVec3::new(600.0 + 0.1 * f64::from(self.frame % 100), 1.7, 600.0)
    }

    /// How many shapes the camera sees, at least 1.
    fn seen(&mut self) -> usize {
        self.play(0);
        self.lists[0].len().max(1)
    }
}

impl Trial<1> for Cameras<'_> {
    fn begin(&mut self) {
        self.frame += 1;
    }

    fn play(&mut self, way: usize) -> [f64; 1] {
        let place = self.place();
        let list = &mut self.lists[way];
        if way == 1 {
            *list = DrawList::new();
        }
        let (scene, frustum) = (&self.town.scene, &self.frustum);
        [nanoseconds(|| match frustum {
            Some(frustum) => scene.cull_relative(place, frustum, Visibility::VISIBLE, list),
            None => scene.draw_list_relative(place, list),
        })]
    }

    fn check(&mut self) -> Outcome {
        let [kept, anew] = &self.lists;
        let same = kept.commands() == anew.commands() && kept.relative_matrices() == anew.relative_matrices();
        if same { Ok(()) } else { Err("renderer: a kept list differs from one that is new".into()) }
    }
}
