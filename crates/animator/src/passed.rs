//! What the last step of an animator passed: events and root motion.

use crate::Animator;
use crate::machine::{Layer, State};
use hedgerow_anim::Transform;
use hedgerow_anim::clip::Event;
use hedgerow_anim::glam::{Quat, Vec3, Vec4};
use hedgerow_anim::player::Way;
use hedgerow_anim::root_motion::RootMotion;

/// The record of a step, which may consist of several parts, from change to change.
#[derive(Clone, Debug, Default)]
pub(crate) struct Passed {
    pub(crate) clips: Vec<PassedClip>,
    pub(crate) momenta: Vec<PassedMomentum>,
    pub(crate) parts: u16,
}

/// The way of a clip in a part of a step.
#[derive(Clone, Debug)]
pub(crate) struct PassedClip {
    pub(crate) part: u16,
    pub(crate) layer: u16,
    pub(crate) state: u16,
    pub(crate) clip: u16,
    /// Whether the clip has the greatest weight in its layer.
    pub(crate) leads: bool,
    pub(crate) weight: f32,
    /// The share of the root motion that is not momentum.
    pub(crate) moves: f32,
    pub(crate) way: Way,
}

/// Root motion that goes on from before a fade.
#[derive(Clone, Debug)]
pub(crate) struct PassedMomentum {
    pub(crate) part: u16,
    pub(crate) layer: u16,
    pub(crate) weight: f32,
    pub(crate) displacement: Vec3,
    /// The turn, as an axis times an angle.
    pub(crate) turn: Vec3,
}

impl Passed {
    pub(crate) fn clear(&mut self) {
        self.clips.clear();
        self.momenta.clear();
        self.parts = 0;
    }
}

/// An event that an animator has passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassedEvent<'m> {
    /// The event of the clip.
    pub event: Event<'m>,
    /// The weight of the clip at the end of the step: in its blend, times the state's, times the layer's.
    pub weight: f32,
    /// Whether the clip has the greatest weight in its layer. Of clips in step, only one leads, so a foot that comes down
    /// in all of them at once gives one leading event.
    pub leads: bool,
    /// The layer.
    pub layer: Layer,
    /// The state.
    pub state: State,
}

impl Animator {
    /// Returns the events that the last step passed, each exactly once, as
    /// [`Player::advance_events`](hedgerow_anim::Player::advance_events) does: layer by layer, clip by clip.
    ///
    /// A clip yields events while it has weight: a state that fades out does until the step in which its fade ends, with
    /// a weight that falls, and a pose that is held does not. Clips of a blend space without weight do not.
    ///
    /// Runs in **O(clips with weight × log events)**, and O(1) for each event.
    pub fn events(&self) -> impl Iterator<Item = PassedEvent<'_>> {
        self.passed.clips.iter().flat_map(|passed| {
            let &PassedClip { layer, state, clip, leads, weight, way, .. } = passed;
            let weight = weight * self.layers[usize::from(layer)].weight;
            let events = self.machine.0.clips[usize::from(clip)].clip.events_on(way);
            let passed = move |event| PassedEvent { event, weight, leads, layer: Layer(layer), state: State(state) };
            events.filter(move |_| weight > 0.0).map(passed)
        })
    }

    /// Returns the motion of the character in the last step: pass it to [`RootMotion::apply`].
    ///
    /// It is the blend of the clips' root motions by the weights of the pose at the end of the step; a clip without root
    /// motion stands still. A layer counts by its weight at the first joint. While a held or inertial fade takes the old
    /// state's place, its velocity goes on and fades out, so speed and turn do not jump.
    ///
    /// Runs in **O(clips with weight × log keys)**.
    #[must_use]
    pub fn root_motion(&self) -> Transform {
        (0..self.passed.parts)
            .fold(Transform::IDENTITY, |whole, part| RootMotion::apply(self.root_motion_of(part), whole))
    }

    fn root_motion_of(&self, part: u16) -> Transform {
        let (mut displacement, mut turn) = (Vec3::ZERO, Vec4::W);
        for ((number, layer), of) in (0..).zip(&self.layers).zip(&self.machine.0.layers) {
            let (mut sum, mut turns, mut total) = (Vec3::ZERO, Vec4::ZERO, 0.0);
            let mut add = |weight: f32, moved: Transform| {
                sum += moved.translation * weight;
                let rotation = Vec4::from(moved.rotation);
                turns += rotation * weight.copysign(rotation.w);
                total += weight;
            };
            let of_part = |(at, of): (u16, u16)| at == part && of == number;
            for passed in self.passed.clips.iter().filter(|passed| of_part((passed.part, passed.layer))) {
                let root = self.machine.0.clips[usize::from(passed.clip)].root.as_ref();
                add(passed.moves, root.map_or(Transform::IDENTITY, |root| along(root, &passed.way)));
            }
            for passed in self.passed.momenta.iter().filter(|passed| of_part((passed.part, passed.layer))) {
                let rotation = Quat::from_scaled_axis(passed.turn);
                add(passed.weight, Transform::from_translation(passed.displacement).with_rotation(rotation));
            }
            let amount = layer.weight * of.mask.as_ref().map_or(1.0, |mask| mask.get(0));
            if of.adds.is_some() {
                displacement += sum * amount;
                turn += (turns - Vec4::W * total) * amount;
            } else {
                displacement = displacement * (1.0 - total * amount) + sum * amount;
                turn = turn * (1.0 - total * amount) + turns * amount;
            }
        }
        Transform::from_translation(displacement).with_rotation(Quat::from_vec4(turn).normalize())
    }
}

/// Returns the root motion along a way.
pub(crate) fn along(root: &RootMotion, way: &Way) -> Transform {
    let rounds = if way.turns { 0 } else { i32::try_from(way.legs.saturating_sub(1)).unwrap_or(i32::MAX) };
    #[expect(clippy::cast_possible_truncation, reason = "clips have single precision")]
    root.between(way.from.0 as f32, way.to as f32, if way.rises { rounds } else { -rounds })
}
