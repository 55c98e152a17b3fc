//! The people of the town: characters whose nodes walk along the streets, whose skeletons play clips, whose boxes
//! follow their poses, and who carry lamps in their hands.

use crate::dice::Dice;
use crate::parts::{Material, Mesh};
use crate::puppet::{self, Gait, Lists, PuppetMesh, Rig};
use crate::town::{BLOCKS, PITCH, Street};
use hedgerow::glam::Quat;
use hedgerow::{
    Aabb, Drawable, Mat34, Node, NodeHandle, Scene, Transform,
    anim::{Clip, Player, Pose},
    character::{CharacterError, JointBounds, Sockets},
    skin::Skin,
};
use std::f32::consts::PI;
use std::sync::Arc;

/// Frames a second.
const RATE: f32 = 60.0;
/// How far from the middle of the street people walk, in metres.
const PAVEMENT: f32 = 5.0;

/// All people, and what is kept from frame to frame.
pub(crate) struct People {
    body: Body,
    walkers: Vec<Walker>,
    lamps: Sockets,
    palette: Vec<Mat34>,
    moves: Vec<(NodeHandle, Transform)>,
}

/// What all people have in common.
pub(crate) struct Body {
    pub(crate) rig: Rig,
    /// By which joints are counted in palettes.
    pub(crate) skin: Skin,
    bounds: JointBounds,
}

/// Somebody on a street, so many metres down it; a negative speed, in metres a second, leads back on the other side.
pub(crate) struct Walker {
    pub(crate) node: NodeHandle,
    player: Player<Arc<Clip>>,
    pose: Pose,
    models: Vec<Mat34>,
    /// The box of the pose.
    bounds: Aabb,
    along: f32,
    speed: f32,
}

impl People {
    /// So many people come to the streets. They have dice of their own: the rest of the town is as it would be without
    /// them.
    pub(crate) fn new(scene: &mut Scene, streets: &[Street], count: u32, seed: u64) -> Result<Self, CharacterError> {
        let rig = Rig::new()?;
        let gaits = &Gait::ALL[..3];
        let clips = gaits.iter().map(|gait| puppet::clip(&rig, gait)).collect::<Result<Vec<_>, _>>()?;
        let hand = rig.skeleton.find("grip_r").expect("the puppet has hands");
        let skin = Lists::skin(&rig)?;
        let mut people = Self {
            walkers: Vec::new(),
            lamps: Sockets::new(),
            palette: vec![Mat34::IDENTITY; skin.len()],
            moves: Vec::new(),
            body: Body { bounds: Lists::new(&PuppetMesh::new(&rig)).bounds(&skin)?, skin, rig },
        };
        let mut dice = Dice::new(seed.rotate_left(32));
        for number in 0..count {
            let street = &streets[dice.below(streets.len())];
            let gait = dice.pick(&[0, 0, 0, 1, 2]);
            let along = dice.between(0.0, BLOCKS as f32 * PITCH);
            let speed = gaits[gait].speed() * dice.pick(&[-1.0, 1.0]);
            let (player, pose) =
                puppet::player(&people.body.rig, &clips[gait], dice.between(0.0, clips[gait].duration()));

            let coat = dice.pick(&[Material::Red, Material::Blue, Material::White]);
            let node = Node::transform(walker_place(along, speed)).with_drawable(Mesh::Person.drawable());
            let node = scene.insert(street.node, node.with_material(coat as u32).named("person"))?;
            let lamp = Mesh::HandLamp.at(0.0, 0.0, 0.0).with_material(Material::Light as u32).named("lamp");
            let lamp = scene.insert(node, lamp)?;
            people.lamps.insert(scene, lamp, number, hand, Transform::from_xyz(0.0, -0.25, 0.0))?;
            people.walkers.push(Walker { node, player, pose, models: Vec::new(), bounds: Aabb::EMPTY, along, speed });
        }
        Ok(people)
    }

    /// Returns what all have in common, and everybody: each can take a step by themselves.
    pub(crate) fn parts(&mut self) -> (&Body, &mut [Walker]) {
        (&self.body, &mut self.walkers)
    }

    /// Returns how many there are.
    pub(crate) fn len(&self) -> usize {
        self.walkers.len()
    }

    /// Everybody goes on: skeletons, nodes, boxes and lamps.
    pub(crate) fn frame(&mut self, scene: &mut Scene) -> Result<(), CharacterError> {
        self.step()?;
        self.place(scene)
    }

    /// Everybody takes a step.
    fn step(&mut self) -> Result<(), CharacterError> {
        let Self { body, walkers, palette, .. } = self;
        walkers.iter_mut().try_for_each(|walker| body.step(walker, palette))
    }

    /// Nodes, boxes and lamps follow the last step.
    pub(crate) fn place(&mut self, scene: &mut Scene) -> Result<(), CharacterError> {
        self.moves.clear();
        for walker in &self.walkers {
            let mut node = scene.edit(walker.node)?;
            let drawable = node.as_ref().drawable().expect("walkers are drawn");
            node.set_drawable(Drawable { bounds: walker.bounds, ..drawable })?;
            self.moves.push((walker.node, walker_place(walker.along, walker.speed)));
        }
        scene.set_locals(self.moves.iter().copied())?;
        self.lamps.follow_many(scene, |number| Some(&self.walkers[number as usize].models))?;
        Ok(())
    }
}

impl Body {
    /// Somebody takes a step, which needs no scene: another thread may edit it meanwhile. Writes their palette, which
    /// has a matrix for each joint of the skin.
    pub(crate) fn step(&self, walker: &mut Walker, palette: &mut [Mat34]) -> Result<(), CharacterError> {
        walker.player.advance(RATE.recip());
        walker.player.sample(&mut walker.pose)?;
        walker.pose.to_models(&self.rig.skeleton, &mut walker.models)?;
        walker.bounds = self.bounds.of_pose(self.skin.palette_into(&walker.models, palette)?)?;
        walker.walk();
        Ok(())
    }
}

impl Walker {
    /// Goes on, and turns round at the end of the street.
    fn walk(&mut self) {
        let length = BLOCKS as f32 * PITCH;
        self.along += self.speed / RATE;
        if !(0.0..=length).contains(&self.along) {
            self.along = self.along.clamp(0.0, length);
            self.speed = -self.speed;
        }
    }
}

/// Returns where somebody is on a street: on the side that leads where they go.
fn walker_place(along: f32, speed: f32) -> Transform {
    let (side, heading) = if speed < 0.0 { (-PAVEMENT, PI) } else { (PAVEMENT, 0.0) };
    Transform::from_xyz(side, 0.0, along).with_rotation(Quat::from_rotation_y(heading))
}
