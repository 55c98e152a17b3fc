//! What sampling needs beside an animator's state: players of clips, which are kept, and scratch memory, which is shared.

use crate::machine::Parts;
use hedgerow_anim::blend::PoseSum;
use hedgerow_anim::{Clip, Player, Pose};
use std::sync::{Arc, PoisonError};

/// The number of players that an animator keeps, unless one sample needs more.
const MOST_PLAYERS: usize = 8;

/// The players of the clips that were sampled last. They only save time: a sample depends on nothing but its time.
#[derive(Debug, Default)]
pub(crate) struct Players {
    kept: Vec<Kept>,
    count: u32,
    /// The count when the present sample began.
    began: u32,
}

#[derive(Debug)]
struct Kept {
    clip: u16,
    /// When it was used last, as a count.
    used: u32,
    player: Player<Arc<Clip>>,
}

impl Players {
    /// Begins a sample.
    pub(crate) const fn begin(&mut self) {
        self.began = self.count;
    }

    /// Returns a player of a clip, at a time in seconds.
    #[inline(always)]
    pub(crate) fn at(&mut self, machine: &Parts, clip: u16, time: f64) -> &Player<Arc<Clip>> {
        self.count = self.count.wrapping_add(1);
        let place = self.kept.iter().position(|kept| kept.clip == clip).unwrap_or_else(|| self.make(machine, clip));
        let kept = &mut self.kept[place];
        kept.used = self.count;
        #[expect(clippy::cast_possible_truncation, reason = "clips have single precision")]
        kept.player.seek(time as f32);
        &kept.player
    }

    /// Makes a player, in place of the one that was not used for longest if there are many. Returns its place.
    #[cold]
    fn make(&mut self, machine: &Parts, clip: u16) -> usize {
        let player = Player::new(Arc::clone(&machine.clips[usize::from(clip)].clip));
        let kept = Kept { clip, used: self.count, player };
        let age = |place: &usize| self.count.wrapping_sub(self.kept[*place].used);
        let oldest = (0..self.kept.len()).max_by_key(age).unwrap_or_default();
        // A sample with many clips keeps a player for each, or the next one would make all of them again.
        if self.kept.len() < MOST_PLAYERS || age(&oldest) < self.count.wrapping_sub(self.began) {
            self.kept.push(kept);
            return self.kept.len() - 1;
        }
        self.kept[oldest] = kept;
        oldest
    }
}

/// Poses and sums of one sampling thread.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// A pose for each clip, which shows it: so a sample only writes what moves.
    pub(crate) poses: Vec<Option<Pose>>,
    /// The pose of a layer with several clips.
    pub(crate) layer: Pose,
    pub(crate) sum: PoseSum,
    pub(crate) difference: Pose,
    pub(crate) channels: Vec<f32>,
    pub(crate) clip_channels: Vec<f32>,
}

impl Scratch {
    fn new(machine: &Parts) -> Self {
        Self {
            poses: vec![None; machine.clips.len()],
            sum: PoseSum::new(machine.rest.len()),
            layer: machine.rest.clone(),
            difference: machine.rest.clone(),
            channels: machine.rest_channels.clone(),
            clip_channels: machine.rest_channels.clone(),
        }
    }
}

/// Scratch memory from the machine's pool, if any is needed.
pub(crate) struct Lease<'m> {
    machine: &'m Parts,
    scratch: Option<Box<Scratch>>,
}

impl<'m> Lease<'m> {
    pub(crate) const fn new(machine: &'m Parts) -> Self {
        Self { machine, scratch: None }
    }

    pub(crate) fn get(&mut self) -> &mut Scratch {
        self.scratch.get_or_insert_with(|| {
            let free = self.machine.pool.lock().unwrap_or_else(PoisonError::into_inner).pop();
            free.unwrap_or_else(|| Box::new(Scratch::new(self.machine)))
        })
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        if let Some(scratch) = self.scratch.take() {
            self.machine.pool.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Animator, LayerOptions, MachineBuilder};
    use hedgerow_anim::{ClipBuilder, Pose, RawClip, SkeletonBuilder, Transform};

    #[test]
    fn a_sample_of_many_clips_keeps_all_their_players() {
        let mut joints = SkeletonBuilder::new();
        joints.joint("root", None, Transform::IDENTITY);
        let (skeleton, _) = joints.build().unwrap();
        let clip = || ClipBuilder::new().build(&RawClip::new(1.0, 1).unwrap()).unwrap().0;
        let mut m = MachineBuilder::new(&skeleton);
        for layer in 0..12 {
            let options = LayerOptions::default().weight(if layer < 11 { 1.0 } else { 0.0 });
            let layer = m.layer("layer", options);
            for _ in 0..2 {
                m.state(layer, "state", clip());
            }
        }
        let machine = m.build().unwrap();
        let (mut animator, mut pose) = (Animator::new(&machine), Pose::rest(&skeleton));
        for _ in 0..3 {
            animator.sample(&mut pose).unwrap();
            let mut clips: Vec<u16> = animator.players.kept.iter().map(|kept| kept.clip).collect();
            clips.sort_unstable();
            assert_eq!(clips, (0..11).map(|layer| 2 * layer).collect::<Vec<_>>());
        }
    }
}
