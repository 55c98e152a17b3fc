//! A Ferris wheel simulated in ten steps per second, and drawn between steps.

use super::geometry::Mesh;
use super::{Play, Stage, town};
use crate::failure::Result;
use crate::parts::Material;
use hedgerow::glam::{DVec3, Quat, Vec3};
use hedgerow::motion::{Blended, Smooth};
use hedgerow::{Aabb, Drawable, Node, NodeHandle, Scene, SceneConfig, Transform};
use std::f32::consts::TAU;

/// The duration of a step, in frames and in seconds.
const FRAMES: usize = 6;
const STEP: f32 = FRAMES as f32 * super::FRAME;
const GONDOLAS: u8 = 12;
const SECTOR: f32 = TAU / GONDOLAS as f32;
const RADIUS: f32 = 8.0;
/// The speed in radians per second: a gondola moves 0.7 m in a step.
const SPIN: f32 = 0.9;

/// The wheel, and its blend between the last two steps.
pub(super) struct Wheel {
    node: NodeHandle,
    gondolas: Vec<NodeHandle>,
    smooth: Smooth,
    frame: usize,
    /// Whether frames blend the last two steps instead of showing only the last step.
    pub(super) blends: bool,
}

/// Returns a solid with its middle at `at`, turned around z by `turn`.
fn solid(mesh: u32, material: Material, at: Vec3, size: Vec3, turn: f32) -> Node<'static> {
    let place = Transform::from_translation(at).with_rotation(Quat::from_rotation_z(turn)).with_scale(size);
    Node::transform(place).with_drawable(Drawable::new(mesh, Aabb::cube(0.5))).with_material(material as u32)
}

/// Returns a wheel on a lawn.
pub(super) fn stage() -> Result<Stage> {
    let mut scene = Scene::with_config(SceneConfig { bounds: true, changes: true, ..SceneConfig::DEFAULT })?;
    let (root, at) = (scene.root(), Vec3::new);
    scene.insert(root, solid(0, Material::Grass, at(0.0, -0.1, 0.0), at(160.0, 0.2, 160.0), 0.0).with_name("lawn"))?;
    for (lean, z) in [(-0.3, -1.6), (0.3, -1.6), (-0.3, 1.6), (0.3, 1.6)] {
        scene.insert(root, solid(0, Material::Oak, at(5.0 * lean, 5.0, z), at(0.5, 10.5, 0.4), lean))?;
    }
    let node = scene.insert(root, Node::transform(Transform::from_xyz(0.0, 10.0, 0.0)).with_name("wheel"))?;
    let mut gondolas = Vec::new();
    for number in 0..GONDOLAS {
        let frame = Transform::from_rotation(Quat::from_rotation_z(f32::from(number) * SECTOR));
        let frame = scene.insert(node, Node::transform(frame))?;
        // The gondola hangs at its origin.
        let hook = Transform::from_xyz(0.0, RADIUS, 0.0);
        let gondola = scene.insert(frame, Node::transform(hook).with_name("gondola"))?;
        let colour = [Material::Red, Material::Blue, Material::Pine][usize::from(number) % 3];
        for (parent, mesh, material, place, size) in [
            (frame, 0, Material::Steel, at(0.0, 4.0, -1.1), at(0.15, RADIUS, 0.15)),
            (frame, 0, Material::Steel, at(0.0, 4.0, 1.1), at(0.15, RADIUS, 0.15)),
            (frame, 0, Material::White, at(0.0, RADIUS, -1.1), at(4.3, 0.25, 0.2)),
            (frame, 0, Material::White, at(0.0, RADIUS, 1.1), at(4.3, 0.25, 0.2)),
            (gondola, 1, colour, at(0.0, -0.4, 0.0), at(2.1, 0.9, 1.9)),
            (gondola, 0, Material::Glass, at(0.0, -1.2, 0.0), at(1.6, 0.8, 1.4)),
            (gondola, 0, colour, at(0.0, -2.0, 0.0), at(1.8, 0.9, 1.6)),
        ] {
            scene.insert(parent, solid(mesh, material, place, size, 0.0))?;
        }
        gondolas.push(gondola);
    }
    turn(&mut scene, node, &gondolas, 0.0)?;
    scene.update();
    let wheel = Wheel { node, gondolas, smooth: Smooth::new(&scene)?, frame: 0, blends: true };
    let meshes = [[1.0; 2], [0.3; 2]].map(|narrow| Mesh::block(Aabb::cube(0.5), narrow));
    let view = [DVec3::new(11.0, 5.0, 25.0), DVec3::new(0.0, 8.6, 0.0)];
    let play = Play::Wheel(Some(Box::new(wheel)));
    Ok(town::painted("ten steps a second", scene, meshes.into(), play, view))
}

/// Turns the wheel to its angle at a time, and swings the gondolas.
fn turn(scene: &mut Scene, wheel: NodeHandle, gondolas: &[NodeHandle], time: f32) -> Result<()> {
    scene.modify_local(wheel, |local| local.rotation = Quat::from_rotation_z(SPIN * time))?;
    for (number, &gondola) in (0_u8..).map(f32::from).zip(gondolas) {
        let angle = 0.25 * (2.5 * time + 1.7 * number).sin() - SPIN * time - SECTOR * number;
        scene.modify_local(gondola, |local| local.rotation = Quat::from_rotation_z(angle))?;
    }
    Ok(())
}

impl Wheel {
    /// Plays a frame, with a step if one is due. Returns the number of nodes set.
    pub(super) fn frame(&mut self, scene: &mut Scene, number: usize) -> Result<usize> {
        self.frame = number;
        if !number.is_multiple_of(FRAMES) {
            return Ok(0);
        }
        // Edits since the last step were shown at once. They get a step of their own, so that frames do not blend them.
        scene.update();
        self.smooth.step(scene)?;
        turn(scene, self.node, &self.gondolas, (number / FRAMES + 1) as f32 * STEP)?;
        scene.update();
        self.smooth.step(scene)?;
        Ok(1 + self.gondolas.len())
    }

    /// Returns the scene to show.
    pub(super) fn blend<'s>(&'s mut self, scene: &'s mut Scene) -> Blended<'s> {
        let passed = (self.frame % FRAMES) as f32 / FRAMES as f32;
        self.smooth.blend(scene, if self.blends { passed } else { 1.0 })
    }
}
