//! The people of the town: characters that walk along streets and carry lamps. Their skeletons play clips, and their
//! boxes follow their poses.

use crate::dice::Dice;
use crate::parts::{Material, Mesh};
use crate::puppet::{self, Gait, Lists, PuppetMesh, Rig};
use crate::town::{BLOCKS, PITCH, Street};
use hedgerow::glam::Quat;
use hedgerow::{Aabb, Drawable, Mat34, Node, NodeHandle, Scene, Transform};
use hedgerow_anim::skin::Skin;
use hedgerow_anim::{Clip, Player, Pose};
use hedgerow_character::{CharacterError, JointBounds, Sockets};
use std::f32::consts::PI;
use std::sync::Arc;

/// Frames per second.
const RATE: f32 = 60.0;
/// The distance of people from the middle of the street, in metres.
const PAVEMENT: f32 = 5.0;

/// All people, and buffers kept from frame to frame.
pub(crate) struct People {
    body: Body,
    walkers: Vec<Walker>,
    lamps: Sockets,
    palette: Vec<Mat34>,
    moves: Vec<(NodeHandle, Transform)>,
}

/// The data shared by all people.
pub(crate) struct Body {
    pub(crate) rig: Rig,
    /// The skin that numbers the joints of palettes.
    pub(crate) skin: Skin,
    bounds: JointBounds,
}

/// A person `along` metres down a street. The speed (m/s) is negative for people who walk back on the other side.
pub(crate) struct Walker {
    pub(crate) node: NodeHandle,
    player: Player<Arc<Clip>>,
    pub(crate) pose: Pose,
    pub(crate) models: Vec<Mat34>,
    /// The box of the pose.
    pub(crate) bounds: Aabb,
    along: f32,
    pub(crate) speed: f32,
}

impl People {
    /// Puts `count` people on the streets. They have separate random numbers, so the rest of the town is the same
    /// without them.
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
            let node = scene.insert(street.node, node.with_material(coat as u32).with_name("person"))?;
            let lamp = Mesh::HandLamp.at(0.0, 0.0, 0.0).with_material(Material::Light as u32).with_name("lamp");
            let lamp = scene.insert(node, lamp)?;
            people.lamps.insert(scene, lamp, number, hand, Transform::from_xyz(0.0, -0.25, 0.0))?;
            people.walkers.push(Walker { node, player, pose, models: Vec::new(), bounds: Aabb::EMPTY, along, speed });
        }
        Ok(people)
    }

    /// Returns the shared data and all people, to step each separately.
    pub(crate) fn parts(&mut self) -> (&Body, &mut [Walker]) {
        (&self.body, &mut self.walkers)
    }

    pub(crate) fn len(&self) -> usize {
        self.walkers.len()
    }

    /// Plays a frame of all people: skeletons, nodes, boxes and lamps.
    pub(crate) fn frame(&mut self, scene: &mut Scene) -> Result<(), CharacterError> {
        self.step()?;
        self.place(scene)
    }

    /// Steps all people.
    fn step(&mut self) -> Result<(), CharacterError> {
        let Self { body, walkers, palette, .. } = self;
        walkers.iter_mut().try_for_each(|walker| body.step(walker, palette))
    }

    /// Sets nodes, boxes and lamps after the last step.
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
    /// Steps one person, and writes the palette: a matrix for each joint of the skin. Uses no scene, so another thread
    /// may edit the scene meanwhile.
    pub(crate) fn step(&self, walker: &mut Walker, palette: &mut [Mat34]) -> Result<(), CharacterError> {
        walker.player.advance(RATE.recip());
        walker.player.sample(&mut walker.pose)?;
        walker.pose.to_models(&self.rig.skeleton, &mut walker.models)?;
        walker.bounds = self.bounds.of_pose(self.skin.palette_into(&walker.models, palette)?, &[])?;
        walker.walk();
        Ok(())
    }
}

impl Walker {
    /// Walks on, and turns round at the end of the street.
    fn walk(&mut self) {
        let length = BLOCKS as f32 * PITCH;
        self.along += self.speed / RATE;
        if !(0.0..=length).contains(&self.along) {
            self.along = self.along.clamp(0.0, length);
            self.speed = -self.speed;
        }
    }
}

/// Returns the place of a person on a street; the direction decides the side.
fn walker_place(along: f32, speed: f32) -> Transform {
    let (side, heading) = if speed < 0.0 { (-PAVEMENT, PI) } else { (PAVEMENT, 0.0) };
    Transform::from_xyz(side, 0.0, along).with_rotation(Quat::from_rotation_y(heading))
}
