//! Poses sixteen characters at a time: into the lanes of a crowd, or directly to matrices.

use super::{Crowd, InstanceHandle, LANES, depths, levels};
use crate::clip::ClipNumber;
use crate::crowd::kernels;
use crate::transform_lanes::{JointLanes, PoseBlock};
use crate::{Error, Mat34, Pose, Skeleton};
use smallvec::SmallVec;

impl Crowd {
    /// Calls `change` with every instance's pose, in the order of [`Crowd::instances`].
    ///
    /// What `change` does not write stays the same. Each pose remembers which clip it shows, so that
    /// [`Player::sample`](crate::Player::sample) only writes what moves.
    ///
    /// Runs in **O(instances × joints)**. Sixteen poses are transposed at once, in both directions, in a fifth of the
    /// time of sixteen calls of [`Crowd::set_pose`]. Characters that own their poses need no crowd: see
    /// [`Skeleton::each_palette`].
    ///
    /// # Panics
    /// If `change` replaces a pose with one that has another number of joints.
    ///
    /// ```
    /// # use hedgerow_anim::{Crowd, Mat34, Pose, SkeletonBuilder, Transform};
    /// # let mut builder = SkeletonBuilder::new();
    /// # builder.joint("root", None, Transform::IDENTITY, Mat34::IDENTITY);
    /// # let (skeleton, _) = builder.build()?;
    /// let mut crowd = Crowd::new(&skeleton);
    /// let first = crowd.insert(&Pose::rest(&skeleton))?;
    /// crowd.change_poses(|_, pose| pose.set(0, Transform::from_xyz(0.0, 2.0, 0.0)));
    /// assert_eq!(crowd.get(first, 0)?.translation.y, 2.0);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    pub fn change_poses(&mut self, mut change: impl FnMut(InstanceHandle, &mut Pose)) {
        let skeleton = &self.skeleton;
        self.shown.resize_with(LANES, Pose::default);
        let mut instances = self.places.handles();
        for (lanes, shows) in self.lanes.chunks_exact_mut(skeleton.len()).zip(self.shows.chunks_mut(LANES)) {
            change_block(skeleton, lanes, shows, &mut self.shown, &mut instances, &mut change);
        }
    }
}

/// Calls `change` with the poses of a block, for as many instances as are left, and stores the results.
fn change_block(
    skeleton: &Skeleton,
    lanes: &mut [JointLanes],
    shows: &mut [Option<ClipNumber>],
    poses: &mut [Pose],
    instances: &mut impl Iterator<Item = InstanceHandle>,
    mut change: impl FnMut(InstanceHandle, &mut Pose),
) {
    let poses: &mut [Pose; LANES] = poses.first_chunk_mut().expect("a pose for each lane");
    // `change` may have put other poses in the place of those of the block before.
    poses.iter_mut().filter(|pose| !pose.is_for(skeleton)).for_each(|pose| *pose = Pose::rest(skeleton));
    kernels::take_poses(lanes, &mut poses.each_mut().map(Pose::blocks_mut));
    let joints = lanes.len();
    // Lanes without an instance have no entry in `shows`.
    for ((pose, &shows), instance) in poses.iter_mut().zip(&*shows).zip(instances) {
        pose.set_shows(shows);
        change(instance, pose);
        assert!(pose.len() == joints, "{joints} joints became {} in the pose of {instance:?}", pose.len());
    }
    kernels::put_poses(&poses.each_ref().map(Pose::blocks), lanes);
    shows.iter_mut().zip(poses).for_each(|(shows, pose)| *shows = pose.shows_on(skeleton));
}

impl Skeleton {
    /// Computes the model matrices of many characters that own their poses, sixteen at a time, in `room`, and calls
    /// `visit` while they are in the cache.
    ///
    /// `pose` is called once for each character and returns its pose. It may make the pose, for example by sampling a
    /// player. `visit` is then called with the character and its matrices, in the same order.
    ///
    /// Runs in **O(characters × joints)**. With sixteen characters or more, models take as long as single calls of
    /// [`Pose::to_models`], and palettes two thirds as long as these and [`Skeleton::palette`].
    ///
    /// # Errors
    /// [`SkeletonError::JointCount`](crate::skeleton::SkeletonError::JointCount) if a pose has another number of joints
    /// than the skeleton. The groups of sixteen before its own were visited, none after.
    pub fn each_models<C>(
        &self,
        characters: impl IntoIterator<Item = C>,
        pose: impl FnMut(&mut C) -> &Pose,
        room: &mut Vec<Mat34>,
        visit: impl FnMut(C, &[Mat34]),
    ) -> Result<(), Error> {
        self.each(characters, pose, None, room, visit)
    }

    /// Like [`Skeleton::each_models`], with palettes: a whole frame of characters, from players to skinned vertices.
    ///
    /// ```
    /// # use hedgerow_anim::{Crowd, Mat34, Pose, SkeletonBuilder, Transform};
    /// # let mut builder = SkeletonBuilder::new();
    /// # builder.joint("root", None, Transform::IDENTITY, Mat34::IDENTITY);
    /// # let (skeleton, _) = builder.build()?;
    /// struct Character {
    ///     pose: Pose,
    ///     height: f32,
    /// }
    ///
    /// let mut characters: Vec<_> = (0..20).map(|_| Character { pose: Pose::rest(&skeleton), height: 0.0 }).collect();
    /// let mut room = Vec::new();
    /// skeleton.each_palette(
    ///     &mut characters,
    ///     |character| {
    ///         // Here a player would be sampled into the pose …
    ///         character.pose.set(0, Transform::from_xyz(0.0, 2.0, 0.0));
    ///         &character.pose
    ///     },
    ///     &mut room,
    ///     // … and a mesh skinned with the palette.
    ///     |character, palette| character.height = palette[0].translation().y,
    /// )?;
    /// assert!(characters.iter().all(|character| character.height == 2.0));
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Skeleton::each_models`].
    pub fn each_palette<C>(
        &self,
        characters: impl IntoIterator<Item = C>,
        pose: impl FnMut(&mut C) -> &Pose,
        room: &mut Vec<Mat34>,
        visit: impl FnMut(C, &[Mat34]),
    ) -> Result<(), Error> {
        self.each(characters, pose, Some(self.inverse_binds()), room, visit)
    }

    fn each<C>(
        &self,
        characters: impl IntoIterator<Item = C>,
        mut pose: impl FnMut(&mut C) -> &Pose,
        binds: Option<&[Mat34]>,
        room: &mut Vec<Mat34>,
        mut visit: impl FnMut(C, &[Mat34]),
    ) -> Result<(), Error> {
        let depths = depths(self);
        let mut levels = levels(&depths);
        let mut characters = characters.into_iter();
        let mut batch: SmallVec<[C; LANES]> = SmallVec::new();
        loop {
            batch.extend(characters.by_ref().take(LANES));
            if batch.is_empty() {
                return Ok(());
            }
            room.resize(batch.len() * self.len(), Mat34::IDENTITY);
            // The results of lanes without a character are not used.
            let mut poses: [&[PoseBlock]; LANES] = [self.rest_blocks(); LANES];
            for (lane, character) in poses.iter_mut().zip(&mut batch) {
                let pose = pose(character);
                self.expect_count(pose.len())?;
                *lane = pose.blocks();
            }
            kernels::models_of_poses(&poses, &depths, binds, &mut levels, room);
            batch
                .drain(..)
                .zip(room.chunks_exact(self.len()))
                .for_each(|(character, matrices)| visit(character, matrices));
        }
    }
}
