//! Skeletons and clips for both sides, and our side.

use hedgerow::Mat34;
use hedgerow::glam::{Quat, Vec3};
use hedgerow_anim::{Clip, ClipBuilder, Player, Pose, RawClip, Skeleton, SkeletonBuilder, player::Playback};
use hedgerow_experiments::Failure;
use hedgerow_experiments::clock::nanoseconds;
use hedgerow_experiments::workloads::{JOINTS, TEST_CLIP_KEYS, rig, swaying};
use std::fmt::Write as _;

pub(crate) const JOBS: [&str; 5] = ["forward", "backward", "seek", "models", "crowd"];

// The same numbers as in driver.cc.
const FRAMES: usize = 238;
const REPEATS: usize = 8;
const SEEKS: usize = 256;
const CHARACTERS: usize = 100;
const FRAME: f32 = 1.0 / 60.0;

/// A skeleton with a clip: for each joint 120 rotation keys at 30 per second, one translation and one scale.
pub(crate) struct Rig {
    /// Returns the humanoid rig if it has `joints` joints, else chains of four joints below a first joint.
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

    /// Returns the number of joints and the duration; then each joint's parent (-1 for none) and rest transform; then
    /// each joint's keys: the number of translation keys and these keys, and likewise for rotations and scales. A key
    /// is a time and a value.
    pub(crate) fn to_text(&self) -> String {
        let mut text = format!("{} {}\n", self.skeleton.len(), self.clip.duration());
        let count = u16::try_from(self.skeleton.len()).expect("joints have 16 bits");
        let mut line = |numbers: &[f32]| {
            numbers.iter().for_each(|number| write!(text, "{number} ").expect("a text takes more"));
            text.push('\n');
        };
        for joint in 0..count {
            let rest = self.skeleton.rest(joint);
            let parent = self.skeleton.parents()[usize::from(joint)];
            line(&[if parent == Skeleton::NO_PARENT { -1.0 } else { f32::from(parent) }]);
            line(&rest.translation.to_array());
            line(&rest.rotation.to_array());
            line(&rest.scale.to_array());
        }
        for joint in 0..count {
            vectors(self.clip.translation(joint), &mut line);
            let rotation = self.clip.rotation(joint).expect("all joints turn");
            line(&[rotation.len() as f32]);
            for (time, value) in rotation.times().iter().zip(rotation.values()) {
                line(&[&[*time], &value.to_array()[..]].concat());
            }
            vectors(self.clip.scale(joint), &mut line);
        }
        text
    }
}

fn vectors(track: Option<&hedgerow_anim::raw::Track<Vec3>>, line: &mut impl FnMut(&[f32])) {
    let track = track.expect("all joints have one");
    line(&[track.len() as f32]);
    for (time, value) in track.times().iter().zip(track.values()) {
        line(&[&[*time], &value.to_array()[..]].concat());
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

/// Our side: the same jobs as the driver's.
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
        let mut players = vec![player; CHARACTERS];
        for (character, player) in players.iter_mut().enumerate() {
            player.seek(clip.duration() * character as f32 / CHARACTERS as f32);
        }
        Ok(Self {
            skeleton: &rig.skeleton,
            poses: vec![Pose::rest(&rig.skeleton); CHARACTERS],
            models: vec![vec![Mat34::IDENTITY; rig.skeleton.len()]; CHARACTERS],
            players,
            clip,
        })
    }

    /// Returns the clip's duration, in seconds.
    pub(crate) fn duration(&self) -> f32 {
        self.clip.duration()
    }

    /// Returns the size of the clip in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.clip.stats().bytes
    }

    /// Returns the model matrices at this time: three rows of four numbers for each joint.
    ///
    /// # Errors
    /// It never fails, because the pose and the skeleton have the same joints.
    pub(crate) fn models_at(&mut self, seconds: f32) -> Result<Vec<f32>, Failure> {
        let mut player = Player::new(&self.clip);
        player.seek(seconds);
        let (mut pose, mut models) = (Pose::rest(self.skeleton), Vec::new());
        player.sample(&mut pose)?;
        pose.to_models(self.skeleton, &mut models)?;
        Ok(models.iter().flat_map(|model| model.rows.as_flattened().to_vec()).collect())
    }

    /// Runs one turn of a job, and returns the nanoseconds per joint.
    ///
    /// # Errors
    /// An error if there is no such job.
    pub(crate) fn turn(&mut self, job: &str) -> Result<f64, Failure> {
        let mut outcome = Ok(0);
        let taken = nanoseconds(|| outcome = self.work(job));
        Ok(taken / (outcome? * self.skeleton.len()) as f64)
    }

    /// Runs a turn, and returns the number of poses.
    fn work(&mut self, job: &str) -> Result<usize, Failure> {
        let duration = self.clip.duration();
        let (player, pose) = (&mut self.players[0], &mut self.poses[0]);
        match job {
            "forward" | "backward" => {
                let step = if job == "forward" { FRAME } else { -FRAME };
                for _ in 0..REPEATS {
                    player.seek(if job == "forward" { 0.0 } else { duration });
                    for frame in 0..FRAMES {
                        if frame > 0 {
                            player.advance(step);
                        }
                        player.sample(pose)?;
                    }
                }
                Ok(REPEATS * FRAMES)
            }
            "seek" => {
                let mut state = 1_u32;
                for _ in 0..SEEKS {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    player.seek(duration * (state >> 8) as f32 / 16_777_216.0);
                    player.sample(pose)?;
                }
                Ok(SEEKS)
            }
            "models" => {
                for _ in 0..REPEATS * FRAMES {
                    pose.to_models(self.skeleton, &mut self.models[0])?;
                }
                Ok(REPEATS * FRAMES)
            }
            "crowd" => {
                for _ in 0..REPEATS {
                    let each = self.players.iter_mut().zip(&mut self.poses).zip(&mut self.models);
                    for ((player, pose), models) in each {
                        player.advance(FRAME);
                        player.sample(pose)?;
                        pose.to_models(self.skeleton, models)?;
                    }
                }
                Ok(REPEATS * CHARACTERS)
            }
            other => Err(format!("unknown job {other}").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rig_as_text_has_all_joints_and_keys() {
        for joints in [5, JOINTS] {
            let text = Rig::new(joints).unwrap().to_text();
            let numbers: Vec<f32> = text.split_whitespace().map(|number| number.parse().unwrap()).collect();
            // Each joint has a parent and ten numbers, three counts, two keys of four numbers, and rotation keys of
            // five numbers.
            assert_eq!(numbers.len(), 2 + joints * (11 + 3 + 8 + 5 * TEST_CLIP_KEYS));
            assert_eq!((numbers[0], numbers[2]), (joints as f32, -1.0));
        }
    }

    #[test]
    fn every_job_can_be_done() {
        let rig = Rig::new(5).unwrap();
        let mut ours = Ours::new(&rig).unwrap();
        assert!(JOBS.iter().all(|job| ours.turn(job).unwrap() > 0.0) && ours.turn("sleep").is_err());
        assert_eq!(ours.models_at(0.5).unwrap().len(), 5 * 12);
    }
}
