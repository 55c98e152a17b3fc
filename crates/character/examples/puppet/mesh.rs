//! The puppet's mesh: vertices with influences, and triangles.

use super::fingers;
use super::flesh::{Cover, Flesh};
use super::rig::Rig;
use super::surface::Surface;
use hedgerow::glam::Vec3;

/// A closed mesh in the rest pose: the skin of the body, and ten fingers that begin inside it.
#[derive(Default)]
pub(crate) struct PuppetMesh {
    pub(crate) vertices: Vec<Vertex>,
    /// Triangles, counter-clockwise from outside.
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// A vertex at rest, in metres.
pub(crate) struct Vertex {
    pub(crate) place: Vec3,
    /// The outward normal, of unit length.
    pub(crate) normal: Vec3,
    pub(crate) cover: Cover,
    /// One to four joints with weights of sum 1, greatest first.
    pub(crate) influences: Vec<(u16, f32)>,
}

/// A vertex also follows limbs that are at most this many metres farther away than the nearest limb.
const REACH: f32 = 0.065;
/// The greatest number of joints of a vertex, and the least weight.
const MOST: usize = 4;
const LEAST: f32 = 0.05;

impl PuppetMesh {
    /// Grows skin around the rig.
    pub(crate) fn new(rig: &Rig) -> Self {
        let flesh = Flesh::new(rig);
        let surface = Surface::of(&flesh);
        let mut mesh = Self { vertices: Vec::new(), triangles: surface.triangles };
        for place in surface.places {
            let (influences, cover) = follow(rig, &flesh, place);
            mesh.push(Vertex { place, normal: flesh.outward(place), cover, influences });
        }
        for arm in &rig.body.arms {
            fingers::add(&mut mesh, rig, arm);
        }
        mesh
    }

    pub(super) fn next_vertex(&self) -> u32 {
        u32::try_from(self.vertices.len()).expect("the puppet has few vertices")
    }

    pub(super) fn push(&mut self, vertex: Vertex) -> u32 {
        let number = self.next_vertex();
        self.vertices.push(vertex);
        number
    }
}

/// Returns influences and cover of a vertex on the body: the joint of the nearest limb, and close joints whose limbs
/// are hardly farther away.
fn follow(rig: &Rig, flesh: &Flesh, place: Vec3) -> (Vec<(u16, f32)>, Cover) {
    let mut joints: Vec<(u16, f32)> = Vec::new();
    let (mut nearest, mut cover) = ((0, f32::INFINITY), Cover::Skin);
    for limb in &flesh.limbs {
        let distance = limb.distance(place);
        if distance < nearest.1 {
            (nearest, cover) = ((limb.joint, distance), limb.cover);
        }
        match joints.iter_mut().find(|(joint, _)| *joint == limb.joint) {
            Some((_, least)) => *least = least.min(distance),
            None => joints.push((limb.joint, distance)),
        }
    }
    joints.retain(|&(joint, _)| steps_between(rig, nearest.0, joint) <= 2);
    for (_, value) in &mut joints {
        let closeness = (1.0 - (*value - nearest.1) / REACH).max(0.0);
        *value = closeness * closeness;
    }
    joints.sort_by(|a, b| b.1.total_cmp(&a.1));
    joints.truncate(MOST);
    let sum: f32 = joints.iter().map(|(_, weight)| weight).sum();
    joints.retain(|(_, weight)| *weight > LEAST * sum);
    let sum: f32 = joints.iter().map(|(_, weight)| weight).sum();
    joints.iter_mut().for_each(|(_, weight)| *weight /= sum);
    (joints, cover)
}

/// Returns the number of bones between two joints.
fn steps_between(rig: &Rig, a: u16, b: u16) -> usize {
    let up = |joint: u16| std::iter::successors(Some(joint), |&joint| rig.parent(joint));
    for (above, joint) in up(a).enumerate() {
        if let Some(below) = up(b).position(|other| other == joint) {
            return above + below;
        }
    }
    usize::MAX
}
