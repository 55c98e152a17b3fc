//! Poses sixteen instances of a crowd at a time.

use super::{Crowd, InstanceHandle, LANES};
use crate::clip::ClipNumber;
use crate::crowd::kernels;
use crate::threads::{Chunks, ChunksMut, Rooms, each_part};
use crate::transform_lanes::JointLanes;
use crate::{Error, Pose, Skeleton};

impl Crowd {
    /// Calls `change` with every instance's pose, in the order of [`Crowd::instances`].
    ///
    /// Joints that `change` does not write keep their transforms. Each pose remembers its clip, so
    /// [`Player::sample`](crate::Player::sample) writes only animated parts.
    ///
    /// Runs in **O(instances × joints)**. Sixteen poses take a fifth of the time of sixteen calls of
    /// [`Crowd::set_pose`]. Characters that own their poses need no crowd: see [`Skeleton::each_palette`].
    ///
    /// # Errors
    /// The first error that `change` returns. After an error, `change` is not called again, and the sixteen instances
    /// of the failed group stay unchanged.
    ///
    /// # Panics
    /// Panics if `change` replaces a pose with a pose that has a different number of joints.
    ///
    /// ```
    /// # use hedgerow_anim::{Crowd, Error, Pose, SkeletonBuilder, Transform};
    /// # let mut builder = SkeletonBuilder::new();
    /// # builder.joint("root", None, Transform::IDENTITY);
    /// # let (skeleton, _) = builder.build()?;
    /// let mut crowd = Crowd::new(&skeleton);
    /// let first = crowd.insert(&Pose::rest(&skeleton))?;
    /// crowd.change_poses(|_, pose| -> Result<(), Error> {
    ///     pose.set(0, Transform::from_xyz(0.0, 2.0, 0.0)); // or sample a player, with `?`
    ///     Ok(())
    /// })?;
    /// assert_eq!(crowd.get(first, 0)?.translation.y, 2.0);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn change_poses<E>(
        &mut self,
        mut change: impl FnMut(InstanceHandle, &mut Pose) -> Result<(), E>,
    ) -> Result<(), E> {
        self.shown.resize_with(LANES.max(self.shown.len()), Pose::default);
        let Self { skeleton, lanes, shows, places, shown, .. } = self;
        let blocks = Blocks { skeleton, lanes, shows, owners: places.owners() };
        blocks.change(&mut shown[..LANES], |_, instance, pose| change(instance, pose))
    }

    /// Like [`Crowd::change_poses`], but on the threads of the current pool if the feature `rayon` is on. `items` has
    /// one item of your own for each instance, such as a player, in the order of [`Crowd::instances`]. When you remove
    /// an instance, call [`Vec::swap_remove`] on the items.
    ///
    /// ```
    /// # use hedgerow_anim::{ClipBuilder, Crowd, Error, Player, Pose, RawClip, SkeletonBuilder, Transform};
    /// # let mut builder = SkeletonBuilder::new();
    /// # builder.joint("root", None, Transform::IDENTITY);
    /// # let (skeleton, _) = builder.build()?;
    /// # let (clip, _) = ClipBuilder::new().build(&RawClip::new(1.0, 1)?)?;
    /// let mut crowd = Crowd::new(&skeleton);
    /// let mut players = Vec::new();
    /// for _ in 0..40 {
    ///     crowd.insert(&Pose::rest(&skeleton))?;
    ///     players.push(Player::new(&clip));
    /// }
    /// crowd.par_change_poses(&mut players, |_, player, pose| -> Result<(), Error> {
    ///     player.advance(1.0 / 60.0);
    ///     player.sample(pose)
    /// })?;
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`SkeletonError::ItemCount`](crate::skeleton::SkeletonError::ItemCount) unless there are as many items as
    /// instances. If `change` fails, the error of the first failed instance is returned. Its group of sixteen is
    /// unchanged; any other group may be changed.
    ///
    /// # Panics
    /// Panics if `change` replaces a pose with a pose that has a different number of joints.
    pub fn par_change_poses<T: Send, E: From<Error> + Send>(
        &mut self,
        items: &mut [T],
        change: impl Fn(InstanceHandle, &mut T, &mut Pose) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.expect_items(items.len())?;
        let Self { skeleton, lanes, shows, places, shown, .. } = self;
        let joints = skeleton.len();
        let rooms = Rooms::new(shown, LANES, Pose::default(), (places.len().div_ceil(LANES), LANES * joints));
        let lanes = ChunksMut { items: lanes, size: joints };
        let of_instances = (ChunksMut { items: shows, size: LANES }, Chunks { items: places.owners(), size: LANES });
        let parts = (lanes, (of_instances, ChunksMut { items, size: LANES }));
        each_part(parts, LANES * joints, |(lanes, ((shows, owners), items))| {
            let blocks = Blocks { skeleton, lanes: lanes.items, shows: shows.items, owners: owners.items };
            rooms.with(Pose::default(), |shown| {
                blocks.change(shown, |index, instance, pose| change(instance, &mut items.items[index], pose))
            })
        })
    }
}

struct Blocks<'c> {
    skeleton: &'c Skeleton,
    lanes: &'c mut [JointLanes],
    shows: &'c mut [Option<ClipNumber>],
    owners: &'c [InstanceHandle],
}

impl Blocks<'_> {
    /// Calls `change` with each instance's index and pose, and stores the changed poses.
    fn change<E>(
        self,
        shown: &mut [Pose],
        mut change: impl FnMut(usize, InstanceHandle, &mut Pose) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { skeleton, lanes, shows, owners } = self;
        let poses: &mut [Pose; LANES] = shown.first_chunk_mut().expect("a pose for each lane");
        let joints = skeleton.len();
        let mut index = 0;
        let of_blocks = shows.chunks_mut(LANES).zip(owners.chunks(LANES));
        for (lanes, (shows, owners)) in lanes.chunks_exact_mut(joints).zip(of_blocks) {
            // `change` may have replaced scratch poses of the previous block.
            poses.iter_mut().filter(|pose| !pose.is_for(skeleton)).for_each(|pose| *pose = Pose::rest(skeleton));
            kernels::take_poses(lanes, &mut poses.each_mut().map(Pose::blocks_mut));
            for ((pose, &shows), &instance) in poses.iter_mut().zip(&*shows).zip(owners) {
                pose.set_shows(shows);
                change(index, instance, pose)?;
                assert!(pose.len() == joints, "{joints} joints became {} in the pose of {instance:?}", pose.len());
                index += 1;
            }
            kernels::put_poses(&poses.each_ref().map(Pose::blocks), lanes);
            shows.iter_mut().zip(&*poses).for_each(|(shows, pose)| *shows = pose.shows_on(skeleton));
        }
        Ok(())
    }
}
