//! Feet that stand on what is below them, and heads that look at the camera: after a clip, by inverse kinematics, for
//! skeletons whose joints have names that say so.

use super::figures::Figures;
use super::levels::STAND_INS;
use super::surfaces::{Ground, Trees};
use super::{FRAME, Play, Stage};
use crate::failure::Result;
use hedgerow::glam::{DAffine3, DVec3, Mat3, Quat, Vec3};
use hedgerow::{Aabb, Mat34};
use hedgerow_anim::ik::{Aim, AimChain, Feet, Look, Rig, TwoBone};
use hedgerow_anim::{Pose, Skeleton};
use std::collections::HashMap;

/// How far a head turns from its parent's direction, in radians.
const CONE: f32 = 1.1;
/// The share of a look by the two joints below the head.
const SHARES: [f32; 2] = [0.35, 0.15];
/// A node that goes further in a frame has jumped, in metres.
const JUMP: f64 = 1.0;

/// The switches, and what is kept from frame to frame.
#[derive(Default)]
pub(super) struct Limbs {
    /// Whether feet stand on the ground, and whether heads look at the camera.
    pub(super) switches: [bool; 2],
    /// By figure: feet have a state.
    solvers: HashMap<usize, Solvers>,
    models: Vec<Mat34>,
    palette: Vec<Mat34>,
}

struct Solvers {
    feet: Option<Feet>,
    look: Option<AimChain>,
    /// Where the node was.
    place: DVec3,
}

impl Solvers {
    /// Returns the solvers of a skeleton that stands in a node with this transform.
    fn new(skeleton: &Skeleton, world: &DAffine3) -> Result<Self> {
        let mut models = Vec::new();
        Pose::rest(skeleton).to_models(skeleton, &mut models)?;
        let model = |joint: u16| &models[usize::from(joint)];
        let above = |joint: u16| Some(skeleton.parents()[usize::from(joint)]).filter(|&it| it != Skeleton::NO_PARENT);
        let is = |joint: u16, words: &[&str]| {
            let name = skeleton.name(joint).to_lowercase();
            words.iter().any(|word| name.contains(word))
        };
        // Toes may be named after their foot, so the topmost joint of a name is meant.
        let named = |words: &'static [&'static str]| {
            let count = u16::try_from(skeleton.len()).unwrap_or(u16::MAX);
            (0..count).filter(move |&joint| is(joint, words) && !above(joint).is_some_and(|above| is(above, words)))
        };
        let up = (world.matrix3.transpose() * DVec3::Y).normalize_or(DVec3::Y).as_vec3();
        let size = world.matrix3.determinant().abs().cbrt().max(1e-9) as f32;
        let (mut legs, mut pelvis) = (Vec::new(), None);
        for ankle in named(&["foot", "ankle"]) {
            let chain = above(ankle).and_then(|knee| Some((knee, above(knee)?, above(above(knee)?)?)));
            let Some((knee, hip, top)) = chain.filter(|chain| pelvis.is_none_or(|pelvis| pelvis == chain.2)) else {
                continue;
            };
            pelvis = Some(top);
            let heel = model(ankle).translation().dot(up).max(0.0);
            legs.push((TwoBone::new(skeleton, [hip, knee, ankle])?, heel));
        }
        let feet = pelvis.map(|pelvis| Feet::new(skeleton, pelvis, &legs)).transpose()?;
        let feet = feet.map(|feet| feet.with_up(up).with_step(0.4 / size).with_speed(1.5 / size));
        // Models face +Z.
        let front = Quat::from_rotation_arc(Vec3::Y, up) * Vec3::Z;
        let look = named(&["head"]).next().map(|head| {
            let into = |joint: u16, way: Vec3| {
                let rows = model(joint).rows.map(|[x, y, z, _]| Vec3::new(x, y, z));
                (Mat3::from_cols_array_2d(&rows.map(|row| row.to_array())).transpose().inverse() * way)
                    .normalize_or_zero()
            };
            let tip = Aim::new(head, into(head, front)).with_up(into(head, up));
            let tip = above(head).map_or(tip, |neck| tip.with_cone(into(neck, front), CONE));
            let below: Vec<u16> =
                std::iter::successors(above(head), |&joint| above(joint)).take(SHARES.len()).collect();
            let shares: Vec<(u16, f32)> = below.into_iter().zip(SHARES).rev().collect();
            AimChain::new(skeleton, &shares, tip)
        });
        Ok(Self { feet, look: look.transpose()?, place: world.translation })
    }
}

impl Limbs {
    /// Forgets the previous frames, before poses that do not follow from them.
    pub(super) fn reset(&mut self) {
        self.solvers.values_mut().filter_map(|solvers| solvers.feet.as_mut()).for_each(Feet::reset);
    }

    /// Changes what a figure shows of a pose. `travel` is its velocity in its own space. Returns its model matrices and its
    /// box; `None` if it has no skeleton or is gone.
    fn react(
        &mut self,
        figures: &mut Figures,
        ground: &mut Ground<'_>,
        eye: DVec3,
        (number, pose, travel): (usize, &Pose, Vec3),
    ) -> Result<Option<(&[Mat34], Aabb)>> {
        let Self { switches: [feet, look], solvers, models, palette } = self;
        let Some((node, rigged)) = figures.rigged(number) else { return Ok(None) };
        let Some(world) = ground.scene.get(node).map(|node| node.world_f64()) else { return Ok(None) };
        let solvers = match solvers.entry(number) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => entry.insert(Solvers::new(&rigged.skeleton, &world)?),
        };
        let mut pose = pose.clone();
        pose.to_models(&rigged.skeleton, models)?;
        let mut rig = Rig::new(&rigged.skeleton, &mut pose, models)?;
        let jumped = std::mem::replace(&mut solvers.place, world.translation).distance(world.translation) > JUMP;
        if let Some(solver) = solvers.feet.as_mut().filter(|_| *feet) {
            if jumped {
                solver.reset();
            }
            solver.place(&mut rig, FRAME, travel, |at| ground.below(&world, at));
        }
        if let Some(solver) = solvers.look.as_ref().filter(|_| *look) {
            solver.solve(&mut rig, &Look::at(world.inverse().transform_point3(eye).as_vec3()));
        }
        palette.resize(rigged.skin.len(), Mat34::IDENTITY);
        rigged.skin.palette(models, palette)?;
        let bounds = figures.set_palette(number, palette)?;
        Ok(Some((&self.models, bounds)))
    }
}

impl Stage {
    /// Lets feet and heads of all figures react, if that is on.
    pub(super) fn react(&mut self) -> Result<()> {
        let Self { scene, meshes, figures, trees, limbs, play, eye, layers, .. } = self;
        if limbs.switches == [false; 2] {
            return Ok(());
        }
        let (trees, layers): (&mut Trees, _) = (trees, *layers & !STAND_INS);
        match play {
            Play::Town(life) => {
                let (_, walkers) = life.people.parts();
                for (number, walker) in walkers.iter_mut().enumerate() {
                    let travel = Vec3::Z * walker.speed.abs();
                    let ground = &mut Ground { scene, meshes, trees, layers };
                    if let Some((models, bounds)) =
                        limbs.react(figures, ground, *eye, (number, &walker.pose, travel))?
                    {
                        walker.models.copy_from_slice(models);
                        walker.bounds = bounds;
                    }
                }
            }
            Play::Army(army) => {
                for (number, character) in army.characters.iter_mut().enumerate() {
                    let travel = Vec3::Z * character.speed;
                    let ground = &mut Ground { scene, meshes, trees, layers };
                    if let Some((_, bounds)) = limbs.react(figures, ground, *eye, (number, &character.pose, travel))? {
                        character.bounds = bounds;
                    }
                }
            }
            Play::File(play) => {
                for (number, node, pose) in play.poses() {
                    let ground = &mut Ground { scene, meshes, trees, layers };
                    let reacted = limbs.react(figures, ground, *eye, (number, pose, Vec3::ZERO))?;
                    if let Some((_, bounds)) = reacted
                        && let Ok(mut node) = scene.edit(node)
                        && let Some(drawable) = node.as_ref().drawable()
                        && drawable.bounds != bounds
                    {
                        node.set_drawable(hedgerow::Drawable { bounds, ..drawable })?;
                    }
                }
            }
            Play::Prefabs(_) | Play::Wheel(_) => {}
        }
        Ok(())
    }
}
