//! Skeletons and clips for both sides, and our side.

use crate::side::{CHARACTERS, Side};
use hedgerow::Mat34;
use hedgerow::glam::Quat;
use hedgerow_anim::{Clip, ClipBuilder, Player, Pose, RawClip, Skeleton, SkeletonBuilder, player::Playback};
use hedgerow_experiments::Failure;
use hedgerow_experiments::workloads::{JOINTS, TEST_CLIP_KEYS, rig, swaying};

/// A skeleton with a clip: for each joint 120 rotation keys at 30 per second, one translation and one scale.
pub(crate) struct Rig {
    /// The humanoid rig if it has [`JOINTS`] joints, else chains of four joints below a first joint.
    pub skeleton: Skeleton,
    /// The authored clip.
    pub clip: RawClip,
}

impl Rig {
    /// Returns a rig with `joints` joints.
    ///
    /// # Errors
    /// An error if `joints` is 0 or too great.
    pub(crate) fn new(joints: usize) -> Result<Self, Failure> {
        let skeleton = if joints == JOINTS { rig() } else { limbs(joints)? };
        Ok(Self { skeleton, clip: swaying(joints, TEST_CLIP_KEYS, 0.0) })
    }
}

fn limbs(joints: usize) -> Result<Skeleton, Failure> {
    let mut builder = SkeletonBuilder::new();
    for joint in 0..u16::try_from(joints)? {
        let parent = (joint > 0).then(|| if joint % 4 == 1 { 0 } else { joint - 1 });
        let rest = hedgerow::Transform::from_xyz(0.0, 0.1, 0.0).with_rotation(Quat::from_rotation_y(0.1));
        builder.joint(joint.to_string(), parent, rest);
    }
    Ok(builder.build()?.0)
}

/// Our side.
pub(crate) struct Ours<'c> {
    skeleton: &'c Skeleton,
    clip: Clip,
    poses: Vec<Pose>,
    models: Vec<Vec<Mat34>>,
    players: Vec<Player<Clip>>,
}

impl<'c> Ours<'c> {
    /// Compiles the clip with the default settings.
    ///
    /// # Errors
    /// An error if the clip is refused.
    pub(crate) fn new(rig: &'c Rig) -> Result<Self, Failure> {
        let (clip, _) = ClipBuilder::new().build(&rig.clip)?;
        let mut player = Player::new(clip.clone());
        player.set_playback(Playback::Loop);
        Ok(Self {
            skeleton: &rig.skeleton,
            poses: vec![Pose::rest(&rig.skeleton); CHARACTERS],
            models: vec![vec![Mat34::IDENTITY; rig.skeleton.len()]; CHARACTERS],
            players: vec![player; CHARACTERS],
            clip,
        })
    }
}

impl Side for Ours<'_> {
    fn seek(&mut self, character: usize, seconds: f32) {
        self.players[character].seek(seconds);
    }

    fn advance(&mut self, character: usize, seconds: f32) {
        self.players[character].advance(seconds);
    }

    fn sample(&mut self, character: usize) -> Result<(), Failure> {
        Ok(self.players[character].sample(&mut self.poses[character])?)
    }

    fn models(&mut self, character: usize) -> Result<(), Failure> {
        Ok(self.poses[character].to_models(self.skeleton, &mut self.models[character])?)
    }

    fn matrices(&self, character: usize) -> Vec<f32> {
        self.models[character].iter().flat_map(|model| model.rows.as_flattened().to_vec()).collect()
    }

    fn bytes(&self) -> usize {
        self.clip.stats().bytes
    }
}
