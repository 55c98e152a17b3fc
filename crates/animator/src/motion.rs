//! What a state plays: one clip, or a blend space.

use crate::machine::{Parameter, SyncGroup};
use crate::plane::Plane;
use hedgerow_anim::Clip;
use hedgerow_anim::player::Playback;
use hedgerow_anim::root_motion::RootMotion;
use std::sync::Arc;

/// A clip of a [`Motion`], with its root motion if it has any. Made from a [`Clip`], or from a clip and a
/// [`RootMotion`]; both may be in an [`Arc`].
#[derive(Clone, Debug)]
pub struct MotionClip {
    pub(crate) clip: Arc<Clip>,
    pub(crate) root: Option<Arc<RootMotion>>,
}

impl From<Clip> for MotionClip {
    fn from(clip: Clip) -> Self {
        Arc::new(clip).into()
    }
}

impl From<Arc<Clip>> for MotionClip {
    fn from(clip: Arc<Clip>) -> Self {
        Self { clip, root: None }
    }
}

impl<C: Into<Arc<Clip>>, R: Into<Arc<RootMotion>>> From<(C, R)> for MotionClip {
    fn from((clip, root): (C, R)) -> Self {
        Self { clip: clip.into(), root: Some(root.into()) }
    }
}

/// What a state plays: one clip, clips on a line or in a plane of parameters, or nothing.
///
/// It loops unless you call [`once`](Self::once). All clips of a blend space go through their cycle together, whatever
/// their durations.
#[derive(Clone, Debug)]
pub struct Motion {
    pub(crate) space: Space<Parameter, MotionClip>,
    pub(crate) playback: Playback,
    pub(crate) speed: f32,
    pub(crate) speed_by: Option<Parameter>,
    pub(crate) sync: Option<SyncGroup>,
}

#[derive(Clone, Debug)]
pub(crate) enum Space<P, C> {
    None,
    Clip(C),
    Line(P, Vec<(f32, C)>),
    Plane([P; 2], Vec<([f32; 2], C)>),
}

impl<C: Into<MotionClip>> From<C> for Motion {
    /// Plays one clip, in a loop.
    fn from(clip: C) -> Self {
        Self::of(Space::Clip(clip.into()))
    }
}

impl Motion {
    const fn of(space: Space<Parameter, MotionClip>) -> Self {
        Self { space, playback: Playback::Loop, speed: 1.0, speed_by: None, sync: None }
    }

    /// Plays nothing: layers below show through; in the first layer, joints rest.
    #[must_use]
    pub const fn none() -> Self {
        Self::of(Space::None)
    }

    /// Blends the two clips whose numbers are nearest to the parameter on either side. Outside, the first or last clip
    /// plays alone.
    ///
    /// Of clips with and without root motion, make all a [`MotionClip`] with `into`.
    ///
    /// The parameter also drives a state that fades out, so a jump of it jumps the pose: let it follow in some frames.
    /// Root motion is the mean of both clips' displacements for a mean duration: at 2.75, a walk of 1.5 m in 1 s and a run
    /// of 2.5 m in 0.625 s move 2 m in 0.8125 s, 2.46 m/s.
    #[must_use]
    pub fn line<C: Into<MotionClip>>(by: Parameter, clips: impl IntoIterator<Item = (f32, C)>) -> Self {
        Self::of(Space::Line(by, clips.into_iter().map(|(at, clip)| (at, clip.into())).collect()))
    }

    /// Blends the three clips around the point of the two parameters, by its place in their triangle. The points are
    /// triangulated (Delaunay) when the machine is built. Outside of all triangles, the nearest point of the outline
    /// counts.
    #[must_use]
    pub fn plane<C: Into<MotionClip>>(by: [Parameter; 2], clips: impl IntoIterator<Item = ([f32; 2], C)>) -> Self {
        Self::of(Space::Plane(by, clips.into_iter().map(|(at, clip)| (at, clip.into())).collect()))
    }

    /// Stops at the end.
    #[must_use]
    pub fn once(self) -> Self {
        self.playback(Playback::Clamp)
    }

    /// Sets what happens at the ends.
    #[must_use]
    pub fn playback(self, playback: Playback) -> Self {
        Self { playback, ..self }
    }

    /// Sets the speed, 1 by default. A negative speed plays backward, from the end.
    #[must_use]
    pub fn speed(self, speed: f32) -> Self {
        Self { speed, ..self }
    }

    /// Multiplies the speed by a parameter.
    #[must_use]
    pub fn speed_by(self, parameter: Parameter) -> Self {
        Self { speed_by: Some(parameter), ..self }
    }

    /// Keeps in step with all other states of the group: see [`MachineBuilder::sync_group`].
    ///
    /// [`MachineBuilder::sync_group`]: crate::MachineBuilder::sync_group
    #[must_use]
    pub fn sync(self, group: SyncGroup) -> Self {
        Self { sync: Some(group), ..self }
    }
}

/// The places of the members of a state.
#[derive(Debug)]
#[repr(u8)] // each step reads which it is, for each layer
pub(crate) enum Places {
    None,
    One,
    /// The parameter, and the place of each member, in ascending order.
    Line(usize, Vec<f32>),
    Plane([usize; 2], Plane),
}

/// Returns the last place that is not beyond a number, and the share of the next one.
#[inline(always)]
pub(crate) fn on_line(places: &[f32], at: f32) -> (usize, f32) {
    let (mut first, mut before) = (0, places[0]);
    for (number, &next) in places.iter().enumerate().skip(1) {
        if at.is_nan() || at < next {
            return (first, ((at - before) / (next - before)).max(0.0));
        }
        (first, before) = (number, next);
    }
    (first, 0.0)
}
