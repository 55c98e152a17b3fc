//! Matrices of characters that own their poses, computed for sixteen characters at a time.

use super::{LANES, depths, levels};
use crate::crowd::kernels::{self, Level, Output};
use crate::skin::Palette;
use crate::threads::{ChunksMut, Rooms, each_part};
use crate::transform_lanes::PoseBlock;
use crate::{Error, Mat34, Pose, Skeleton, Skin};
use core::borrow::Borrow;
use smallvec::SmallVec;

impl Skeleton {
    /// Computes the model matrices of many characters that own their poses, sixteen characters at a time in the scratch
    /// buffer `room`. Calls `visit` with the matrices of each character while they are in the cache.
    ///
    /// `pose` is called once for each character, and may compute the pose, for example by sampling a player. The
    /// closure returns the pose, by reference or by value, and an item for `visit`, such as an index or the other parts
    /// of the character. `visit` is called in the same order.
    ///
    /// Runs in **O(characters × joints)**. With sixteen characters or more, model matrices take about as long as with
    /// [`Pose::to_models`]. Palettes take up to a third less time than with `to_models` and [`Skin::palette`].
    ///
    /// ```
    /// # use hedgerow_anim::{Error, Pose, SkeletonBuilder, Transform};
    /// # let mut builder = SkeletonBuilder::new();
    /// # builder.joint("root", None, Transform::from_xyz(0.0, 2.0, 0.0));
    /// # let (skeleton, _) = builder.build()?;
    /// let poses = vec![Pose::rest(&skeleton); 20];
    /// let (mut room, mut heights) = (Vec::new(), vec![0.0; 20]);
    /// skeleton.each_models(0..20, |number| Ok((&poses[number], number)), &mut room, |number, models| {
    ///     heights[number] = models[0].translation().y;
    ///     Ok::<(), Error>(())
    /// })?;
    /// assert_eq!(heights, [2.0; 20]);
    ///
    /// let mut characters: Vec<_> = poses.iter().zip(&mut heights).collect();
    /// skeleton.par_each_models(&mut characters, |(pose, height)| Ok((*pose, height)), &mut room, |height, models| {
    ///     **height += models[0].translation().y;
    ///     Ok::<(), Error>(())
    /// })?;
    /// assert_eq!(heights, [4.0; 20]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// [`SkeletonError::JointCount`](crate::skeleton::SkeletonError::JointCount) if a pose and the skeleton have
    /// different numbers of joints, or the first error that a closure returns. By then, all earlier groups of sixteen
    /// were visited. If `visit` failed, the earlier characters of the same group were visited, too. If `pose` failed,
    /// no character of that group was visited.
    pub fn each_models<C, P: Borrow<Pose>, D, E: From<Error>>(
        &self,
        characters: impl IntoIterator<Item = C>,
        pose: impl FnMut(C) -> Result<(P, D), E>,
        room: &mut Vec<Mat34>,
        visit: impl FnMut(D, &[Mat34]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each(Output::Models, characters, pose, room, visit)
    }

    /// Like [`Skeleton::each_models`], but computes the palettes of a skin, for example to skin vertices.
    ///
    /// ```
    /// # use hedgerow_anim::{ClipBuilder, RawClip, SkeletonBuilder, Transform};
    /// use hedgerow_anim::{Clip, Error, Player, Pose, Skin, SkinnedMesh, skin::SkinOutput};
    ///
    /// struct Character<'c> {
    ///     player: Player<&'c Clip>,
    ///     pose: Pose,
    ///     positions: Vec<[f32; 3]>,
    /// }
    /// # let mut builder = SkeletonBuilder::new();
    /// # builder.joint("root", None, Transform::IDENTITY);
    /// # let (skeleton, _) = builder.build()?;
    /// # let (walk, _) = ClipBuilder::new().build(&RawClip::new(1.0, 1)?)?;
    /// # let skin = Skin::at_rest(&skeleton)?;
    /// # let mesh = SkinnedMesh::builder(&[[0.0; 3]]).build(&skin)?;
    ///
    /// let character = || Character {
    ///     player: Player::new(&walk),
    ///     pose: Pose::rest(&skeleton),
    ///     positions: vec![[1.0; 3]; mesh.len()],
    /// };
    /// let mut characters: Vec<_> = (0..20).map(|_| character()).collect();
    /// let mut room = Vec::new();
    /// skeleton.each_palette(
    ///     &skin,
    ///     &mut characters,
    ///     |character| -> Result<_, Error> {
    ///         character.player.advance(1.0 / 60.0);
    ///         character.player.sample(&mut character.pose)?;
    ///         Ok((&character.pose, &mut character.positions))
    ///     },
    ///     &mut room,
    ///     |positions, palette| mesh.skin(palette, SkinOutput::new(&mut positions[..])),
    /// )?;
    /// assert!(characters.iter().all(|character| character.positions == [[0.0; 3]]));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Skeleton::each_models`], and [`SkinError::Models`](crate::skin::SkinError::Models) if the skin
    /// uses joints that the skeleton does not have.
    pub fn each_palette<C, P: Borrow<Pose>, D, E: From<Error>>(
        &self,
        skin: &Skin,
        characters: impl IntoIterator<Item = C>,
        pose: impl FnMut(C) -> Result<(P, D), E>,
        room: &mut Vec<Mat34>,
        mut visit: impl FnMut(D, Palette<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        skin.expect_models(self.len()).map_err(Error::from)?;
        let visit = |data, palette: &[Mat34]| visit(data, Palette::new(palette, skin.id()));
        self.each(Output::of(skin), characters, pose, room, visit)
    }

    /// Like [`Skeleton::each_models`], with the same bits, but on the threads of the current pool if the feature
    /// `rayon` is on. Closures run on any thread and in any order, but a character's `pose` runs before its `visit`.
    ///
    /// # Errors
    /// The errors of [`Skeleton::each_models`]. If several groups of sixteen fail, returns the error of the first group
    /// that failed. Later groups may have been visited.
    pub fn par_each_models<'c, C: Send, P: Borrow<Pose>, D, E: From<Error> + Send>(
        &self,
        characters: &'c mut [C],
        pose: impl Fn(&'c mut C) -> Result<(P, D), E> + Sync,
        room: &mut Vec<Mat34>,
        visit: impl Fn(D, &[Mat34]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.par_each(Output::Models, characters, pose, room, visit)
    }

    /// Like [`Skeleton::par_each_models`], but computes the palettes of a skin. The example of
    /// [`Skeleton::each_palette`] works with this method too.
    ///
    /// # Errors
    /// The errors of [`Skeleton::par_each_models`], and [`SkinError::Models`](crate::skin::SkinError::Models) if the
    /// skin uses joints that the skeleton does not have.
    pub fn par_each_palette<'c, C: Send, P: Borrow<Pose>, D, E: From<Error> + Send>(
        &self,
        skin: &Skin,
        characters: &'c mut [C],
        pose: impl Fn(&'c mut C) -> Result<(P, D), E> + Sync,
        room: &mut Vec<Mat34>,
        visit: impl Fn(D, Palette<'_>) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        skin.expect_models(self.len()).map_err(Error::from)?;
        let visit = |data, palette: &[Mat34]| visit(data, Palette::new(palette, skin.id()));
        self.par_each(Output::of(skin), characters, pose, room, visit)
    }

    fn each<C, P: Borrow<Pose>, D, E: From<Error>>(
        &self,
        output: Output<'_>,
        characters: impl IntoIterator<Item = C>,
        pose: impl FnMut(C) -> Result<(P, D), E>,
        room: &mut Vec<Mat34>,
        visit: impl FnMut(D, &[Mat34]) -> Result<(), E>,
    ) -> Result<(), E> {
        let length = LANES * output.matrices(self.len());
        if room.len() < length {
            room.resize(length, Mat34::IDENTITY);
        }
        let depths = depths(self);
        Groups { skeleton: self, depths: &depths, output }.show(characters.into_iter(), pose, room, visit)
    }

    fn par_each<'c, C: Send, P: Borrow<Pose>, D, E: From<Error> + Send>(
        &self,
        output: Output<'_>,
        characters: &'c mut [C],
        pose: impl Fn(&'c mut C) -> Result<(P, D), E> + Sync,
        room: &mut Vec<Mat34>,
        visit: impl Fn(D, &[Mat34]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let depths = depths(self);
        let groups = Groups { skeleton: self, depths: &depths, output };
        let work = (characters.len().div_ceil(LANES), LANES * self.len());
        let rooms = Rooms::new(room, LANES * output.matrices(self.len()), Mat34::IDENTITY, work);
        let parts = ChunksMut { items: characters, size: LANES };
        each_part(parts, LANES * self.len(), |part| {
            rooms.with(Mat34::IDENTITY, |room| groups.show(part.items.iter_mut(), &pose, room, &visit))
        })
    }
}

/// The inputs that all groups of sixteen characters share.
struct Groups<'s> {
    skeleton: &'s Skeleton,
    depths: &'s [u16],
    output: Output<'s>,
}

impl Groups<'_> {
    /// Computes the matrices of sixteen characters at a time in `room`, and calls `visit` for each character.
    fn show<C, P: Borrow<Pose>, D, E: From<Error>>(
        &self,
        mut characters: impl Iterator<Item = C>,
        mut pose: impl FnMut(C) -> Result<(P, D), E>,
        room: &mut [Mat34],
        mut visit: impl FnMut(D, &[Mat34]) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { skeleton, depths, output } = self;
        // A group is shown before the next is posed, so that its matrices are still in the cache.
        let stride = output.matrices(skeleton.len());
        let mut levels: SmallVec<[Level; super::USUAL_LEVELS]> = levels(depths);
        let mut poses: SmallVec<[P; LANES]> = SmallVec::new();
        let mut others: SmallVec<[D; LANES]> = SmallVec::new();
        loop {
            for character in characters.by_ref().take(LANES) {
                let (pose, other) = pose(character)?;
                let borrowed: &Pose = pose.borrow();
                skeleton.expect_count(borrowed.len())?;
                poses.push(pose);
                others.push(other);
            }
            if poses.is_empty() {
                return Ok(());
            }
            // Lanes without a character get the rest pose; their results are not used.
            let mut blocks: [&[PoseBlock]; LANES] = [skeleton.rest_blocks(); LANES];
            for (blocks, pose) in blocks.iter_mut().zip(&poses) {
                let pose: &Pose = pose.borrow();
                *blocks = pose.blocks();
            }
            let out = &mut room[..poses.len() * stride];
            kernels::models_of_poses(&blocks, depths, *output, &mut levels, out);
            poses.clear();
            for (lane, other) in others.drain(..).enumerate() {
                visit(other, &out[lane * stride..(lane + 1) * stride])?;
            }
        }
    }
}
