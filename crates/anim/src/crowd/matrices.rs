//! Model matrices and palettes of a crowd.

use super::{Crowd, InstanceHandle, LANES, levels};
use crate::crowd::kernels::{self, Output};
use crate::skin::Palette;
use crate::threads::{Chunks, ChunksMut, Rooms, each_part};
use crate::transform_lanes::JointLanes;
use crate::{Error, Mat34, Skin, skeleton::SkeletonError};
use core::convert::Infallible;

impl Crowd {
    /// Computes the model matrices of all instances, one instance after the other, in the order of
    /// [`Crowd::instances`]. Replaces the contents of `models`.
    ///
    /// Runs in **O(instances × joints)**. With the feature `rayon`, the threads of the current pool share the work; the
    /// bits are the same.
    pub fn models(&self, models: &mut Vec<Mat34>) {
        self.all(Output::Models, models);
    }

    /// Computes the palettes of all instances for a skin, one instance after the other, in the order of
    /// [`Crowd::instances`]. A palette has a matrix for each joint of the skin, in the skin's order: the model matrix
    /// times the inverse bind matrix. Replaces the contents of `palettes`. [`Crowd::palette_range`] returns the range
    /// of an instance.
    ///
    /// Runs in **O(instances × joints)**, on several threads like [`Crowd::models`].
    ///
    /// # Errors
    /// [`SkinError::Models`](crate::skin::SkinError::Models) if the skin uses joints that the skeleton does not have.
    /// `palettes` is unchanged then.
    pub fn palettes(&self, skin: &Skin, palettes: &mut Vec<Mat34>) -> Result<(), Error> {
        skin.expect_models(self.skeleton.len())?;
        self.all(Output::of(skin), palettes);
        Ok(())
    }

    /// Computes the model matrices of up to sixteen instances at a time, in the scratch buffer `room`. Calls `visit`
    /// for each instance, in the order of [`Crowd::instances`], while the instance's matrices are in the cache.
    ///
    /// With a thousand characters, this is faster than [`Crowd::models`], which writes all matrices to memory.
    ///
    /// # Errors
    /// The first error that `visit` returns. After an error, `visit` is not called again.
    pub fn each_models<E>(
        &self,
        room: &mut Vec<Mat34>,
        mut visit: impl FnMut(InstanceHandle, &[Mat34]) -> Result<(), E>,
    ) -> Result<(), E> {
        self.each(Output::Models, room, |_, instance, models| visit(instance, models))
    }

    /// Like [`Crowd::each_models`], but computes the palettes of a skin, for example to skin each instance immediately.
    ///
    /// ```
    /// # use hedgerow_anim::{Crowd, Error, Pose, SkeletonBuilder, Skin, SkinnedMesh, Transform, skin::SkinOutput};
    /// # let mut builder = SkeletonBuilder::new();
    /// # builder.joint("root", None, Transform::IDENTITY);
    /// # let (skeleton, _) = builder.build()?;
    /// let skin = Skin::at_rest(&skeleton)?;
    /// let mesh = SkinnedMesh::builder(&[[0.0; 3]]).build(&skin)?;
    /// let mut crowd = Crowd::new(&skeleton);
    /// let (first, second) = (crowd.insert(&Pose::rest(&skeleton))?, crowd.insert(&Pose::rest(&skeleton))?);
    /// let (mut room, mut positions, mut seen) = (Vec::new(), [[1.0_f32; 3]], Vec::new());
    /// crowd.each_palette(&skin, &mut room, |instance, palette| -> Result<(), Error> {
    ///     mesh.skin(palette, SkinOutput::new(&mut positions[..]))?;
    ///     seen.push((instance, positions[0]));
    ///     Ok(())
    /// })?;
    /// assert_eq!(seen, [(first, [0.0; 3]), (second, [0.0; 3])]);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Crowd::palettes`] and of [`Crowd::each_models`].
    pub fn each_palette<E: From<Error>>(
        &self,
        skin: &Skin,
        room: &mut Vec<Mat34>,
        mut visit: impl FnMut(InstanceHandle, Palette<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        skin.expect_models(self.skeleton.len()).map_err(Error::from)?;
        self.each(Output::of(skin), room, |_, instance, palette| visit(instance, Palette::new(palette, skin.id())))
    }

    /// Like [`Crowd::each_models`], but on the threads of the current pool if the feature `rayon` is on. `items` has
    /// one item of your own for each instance, in the order of [`Crowd::instances`]. `visit` can write to the item.
    ///
    /// # Errors
    /// [`SkeletonError::ItemCount`] unless there are as many items as instances. If `visit` fails, the error of the
    /// first failed instance is returned; `visit` may have been called for any later instance.
    pub fn par_each_models<T: Send, E: From<Error> + Send>(
        &self,
        items: &mut [T],
        room: &mut Vec<Mat34>,
        visit: impl Fn(InstanceHandle, &mut T, &[Mat34]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.par_each(Output::Models, items, room, visit)
    }

    /// Like [`Crowd::par_each_models`], but computes the palettes of a skin.
    ///
    /// ```
    /// # use hedgerow_anim::{Crowd, Error, Pose, SkeletonBuilder, Skin, SkinnedMesh, Transform, skin::SkinOutput};
    /// # let mut builder = SkeletonBuilder::new();
    /// # builder.joint("root", None, Transform::IDENTITY);
    /// # let (skeleton, _) = builder.build()?;
    /// let skin = Skin::at_rest(&skeleton)?;
    /// let mesh = SkinnedMesh::builder(&[[0.0; 3]]).build(&skin)?;
    /// let mut crowd = Crowd::new(&skeleton);
    /// for _ in 0..40 {
    ///     crowd.insert(&Pose::rest(&skeleton))?;
    /// }
    /// let (mut room, mut positions) = (Vec::new(), vec![[[1.0_f32; 3]]; crowd.len()]);
    /// crowd.par_each_palette(&skin, &mut positions, &mut room, |_, own, palette| -> Result<(), Error> {
    ///     mesh.skin(palette, SkinOutput::new(&mut own[..]))
    /// })?;
    /// assert_eq!(positions, [[[0.0; 3]]; 40]);
    /// crowd.par_each_models(&mut positions, &mut room, |_, own, models| -> Result<(), Error> {
    ///     own[0] = models[0].transform_point([0.0, 2.0, 0.0].into()).into();
    ///     Ok(())
    /// })?;
    /// assert_eq!(positions, [[[0.0, 2.0, 0.0]]; 40]);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Crowd::palettes`] and of [`Crowd::par_each_models`].
    pub fn par_each_palette<T: Send, E: From<Error> + Send>(
        &self,
        skin: &Skin,
        items: &mut [T],
        room: &mut Vec<Mat34>,
        visit: impl Fn(InstanceHandle, &mut T, Palette<'_>) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        skin.expect_models(self.skeleton.len()).map_err(Error::from)?;
        let visit = |instance, item: &mut T, palette: &[Mat34]| visit(instance, item, Palette::new(palette, skin.id()));
        self.par_each(Output::of(skin), items, room, visit)
    }

    /// Computes the model matrix of one joint of one instance, from the local transforms of the joint and its
    /// ancestors.
    ///
    /// Runs in **O(depth of the joint)**. For a few joints, such as a hand that holds something, this is faster than
    /// computing all joints.
    ///
    /// # Errors
    /// The errors of [`Crowd::get`].
    pub fn model(&self, instance: InstanceHandle, joint: u16) -> Result<Mat34, Error> {
        let place = self.place(instance)?;
        self.skeleton.expect_joint(joint)?;
        let parents = self.skeleton.parents();
        let local = |joint: usize| self.joint(place, joint).get(place % LANES).to_matrix();
        let mut joint = usize::from(joint);
        let mut model = local(joint);
        while joint > 0 {
            joint = usize::from(parents[joint]);
            // Parents have lower numbers, so the climb ends at joint 0.
            model = local(joint) * model;
        }
        Ok(model)
    }

    fn all(&self, output: Output<'_>, out: &mut Vec<Mat34>) {
        let joints = self.skeleton.len();
        let block = LANES * output.matrices(joints);
        out.resize(self.len() * output.matrices(joints), Mat34::IDENTITY);
        if out.is_empty() {
            return;
        }
        let parts = (Chunks { items: &self.lanes, size: joints }, ChunksMut { items: out, size: block });
        let written: Result<(), Infallible> = each_part(parts, LANES * joints, |(lanes, out)| {
            let mut levels = levels(&self.depths);
            for (lanes, out) in lanes.items.chunks_exact(joints).zip(out.items.chunks_mut(block)) {
                kernels::models(lanes, &self.depths, output, &mut levels, out);
            }
            Ok(())
        });
        // The error type has no values.
        match written {
            Ok(()) => {}
        }
    }

    fn each<E>(
        &self,
        output: Output<'_>,
        room: &mut Vec<Mat34>,
        visit: impl FnMut(usize, InstanceHandle, &[Mat34]) -> Result<(), E>,
    ) -> Result<(), E> {
        room.resize(LANES.min(self.len()) * output.matrices(self.skeleton.len()), Mat34::IDENTITY);
        self.show(output, &self.lanes, self.places.owners(), room, visit)
    }

    fn par_each<T: Send, E: From<Error> + Send>(
        &self,
        output: Output<'_>,
        items: &mut [T],
        room: &mut Vec<Mat34>,
        visit: impl Fn(InstanceHandle, &mut T, &[Mat34]) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        self.expect_items(items.len())?;
        let joints = self.skeleton.len();
        let work = (self.len().div_ceil(LANES), LANES * joints);
        let rooms = Rooms::new(room, LANES * output.matrices(joints), Mat34::IDENTITY, work);
        let lanes = Chunks { items: &self.lanes, size: joints };
        let owners = Chunks { items: self.places.owners(), size: LANES };
        let parts = (lanes, (owners, ChunksMut { items, size: LANES }));
        each_part(parts, LANES * joints, |(lanes, (owners, items))| {
            rooms.with(Mat34::IDENTITY, |room| {
                let visit =
                    |index: usize, instance, matrices: &[Mat34]| visit(instance, &mut items.items[index], matrices);
                self.show(output, lanes.items, owners.items, room, visit)
            })
        })
    }

    /// Computes block after block in `room`, and calls `visit` with the index and the matrices of each instance.
    fn show<E>(
        &self,
        output: Output<'_>,
        lanes: &[JointLanes],
        owners: &[InstanceHandle],
        room: &mut [Mat34],
        mut visit: impl FnMut(usize, InstanceHandle, &[Mat34]) -> Result<(), E>,
    ) -> Result<(), E> {
        let joints = self.skeleton.len();
        let stride = output.matrices(joints);
        let mut levels = levels(&self.depths);
        for (block, (lanes, owners)) in lanes.chunks_exact(joints).zip(owners.chunks(LANES)).enumerate() {
            let out = &mut room[..owners.len() * stride];
            kernels::models(lanes, &self.depths, output, &mut levels, out);
            for (lane, &instance) in owners.iter().enumerate() {
                visit(block * LANES + lane, instance, &out[lane * stride..(lane + 1) * stride])?;
            }
        }
        Ok(())
    }

    pub(super) fn expect_items(&self, found: usize) -> Result<(), Error> {
        let expected = self.len();
        if found == expected { Ok(()) } else { Err(SkeletonError::ItemCount { expected, found }.into()) }
    }
}
