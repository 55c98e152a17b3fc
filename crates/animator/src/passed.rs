//! What the last step of an animator passed: events and root motion.

use crate::Animator;
use crate::machine::{Layer, Member, State};
use crate::pace::Taken;
use hedgerow_anim::Transform;
use hedgerow_anim::clip::Event;
use hedgerow_anim::glam::{DVec4, Quat, Vec3, Vec4};
use hedgerow_anim::player::Way;
use hedgerow_anim::root_motion::RootMotion;
use hedgerow_math::internal::sines::sin_cos;
use smallvec::SmallVec;

/// What a layer passed in a part of a step: parts are from change to change.
#[derive(Clone, Debug)]
pub(crate) struct Passed {
    pub(crate) part: u16,
    pub(crate) layer: u16,
    pub(crate) weight: f32,
    /// The steps of the current state and of the one before, with their mean shares.
    pub(crate) taken: [(Option<Taken>, f32); 2],
    /// The share of the root motion that is that of the clips.
    pub(crate) moves: f32,
    /// Root motion that goes on from before a fade: its weight, the displacement, and the turn as an axis times an angle.
    pub(crate) momentum: Option<(f32, Vec3, Vec3)>,
}

/// The way of a clip in a part of a step.
struct PassedClip {
    state: u16,
    clip: u16,
    weight: f32,
    way: Way,
}

impl Passed {
    /// Returns the clips that have weight.
    fn clips(&self, animator: &Animator) -> SmallVec<[PassedClip; 6]> {
        let (mut clips, machine) = (SmallVec::new(), &*animator.machine.0);
        for &(taken, share) in &self.taken {
            let Some(taken) = taken.filter(|_| share > 0.0) else { continue };
            let state = &machine.states[usize::from(taken.state)];
            state.mix(&animator.passed_parameters, |&Member { clip, ref knots, duration }, weight| {
                let way = taken.way(knots, duration);
                clips.push(PassedClip { state: taken.state, clip, weight: weight * share, way });
            });
        }
        clips
    }
}

/// An event that an animator has passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassedEvent<'m> {
    /// The event of the clip.
    pub event: Event<'m>,
    /// The weight of the clip in the step: in its blend, times the state's, times the layer's. While a fade goes on, the
    /// state's is the mean of the part of the step in which the event is.
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
    /// A clip yields events while it has weight: a state that fades out does until its fade ends, with a weight that
    /// falls, and a pose that is held does not. Clips of a blend space without weight do not.
    ///
    /// Runs in **O(clips with weight × log events)**, and O(1) for each event.
    pub fn events(&self) -> impl Iterator<Item = PassedEvent<'_>> {
        self.passed.iter().flat_map(move |passed| {
            let (clips, layer) = (passed.clips(self), Layer(passed.layer));
            let heaviest = (0..clips.len()).reduce(|a, b| if clips[b].weight > clips[a].weight { b } else { a });
            clips.into_iter().enumerate().flat_map(move |(number, PassedClip { state, clip, weight, way })| {
                let (leads, weight) = (Some(number) == heaviest, weight * passed.weight);
                let events = self.machine.0.clips[usize::from(clip)].clip.events_on(way).filter(move |_| weight > 0.0);
                events.map(move |event| PassedEvent { event, weight, leads, layer, state: State(state) })
            })
        })
    }

    /// Returns the motion of the character in the last step: pass it to [`RootMotion::apply`].
    ///
    /// It is the blend of the clips' root motions by their weights in the step, the mean ones while a fade goes on; a clip
    /// without root motion stands still. A layer counts by its weight at the first joint. While a held or inertial fade
    /// takes the old state's place, its velocity goes on and fades out, so speed and turn do not jump.
    ///
    /// Runs in **O(clips with weight × log keys)**.
    #[must_use]
    pub fn root_motion(&self) -> Transform {
        let parts = self.passed.chunk_by(|a, b| a.part == b.part);
        parts.fold(Transform::IDENTITY, |whole, part| RootMotion::apply(self.root_motion_of(part), whole))
    }

    fn root_motion_of(&self, part: &[Passed]) -> Transform {
        let (mut displacement, mut turn) = (Vec3::ZERO, Vec4::W);
        for (passed, of) in part.iter().zip(&self.machine.0.layers) {
            let (mut sum, mut turns, mut total) = (Vec3::ZERO, Vec4::ZERO, 0.0);
            let mut add = |weight: f32, moved: Transform| {
                sum += moved.translation * weight;
                let rotation = Vec4::from(moved.rotation);
                turns += rotation * weight.copysign(rotation.w);
                total += weight;
            };
            for PassedClip { clip, weight, way, .. } in passed.clips(self) {
                let root = self.machine.0.clips[usize::from(clip)].root.as_ref();
                add(weight * passed.moves, root.map_or(Transform::IDENTITY, |root| along(root, &way)));
            }
            if let Some((weight, displacement, turn)) = passed.momentum {
                let (axis, angle) = (turn.as_dvec3(), turn.as_dvec3().length());
                let (sine, cosine) = sin_cos(0.5 * angle);
                let turn = if angle > 0.0 { (axis * (sine / angle)).extend(cosine) } else { DVec4::W };
                add(weight, Transform::from_translation(displacement).with_rotation(Quat::from_vec4(turn.as_vec4())));
            }
            let amount = passed.weight * of.mask.as_ref().map_or(1.0, |mask| mask.get(0));
            if of.adds.is_some() {
                displacement += sum * amount;
                turn += (turns - Vec4::W * total) * amount;
            } else {
                displacement = displacement * (1.0 - total * amount) + sum * amount;
                turn = turn * (1.0 - total * amount) + turns * amount;
            }
        }
        // In double precision, which is not computed with the machine's vectors, so that bits are the same.
        let rotation = Quat::from_vec4(turn.as_dvec4().try_normalize().unwrap_or(DVec4::W).as_vec4());
        Transform::from_translation(displacement).with_rotation(rotation)
    }
}

/// Returns the root motion along a way.
fn along(root: &RootMotion, way: &Way) -> Transform {
    let rounds = if way.turns { 0 } else { i32::try_from(way.legs.saturating_sub(1)).unwrap_or(i32::MAX) };
    #[expect(clippy::cast_possible_truncation, reason = "clips have single precision")]
    root.between(way.from.0 as f32, way.to as f32, if way.rises { rounds } else { -rounds })
}
