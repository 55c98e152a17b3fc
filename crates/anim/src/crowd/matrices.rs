//! Model matrices and palettes of a crowd.

use super::{Crowd, InstanceHandle, LANES, levels};
use crate::crowd::kernels::{self, Level};
use crate::transform_lanes::JointLanes;
use crate::{Error, Mat34};

impl Crowd {
    /// Computes the model matrices of all joints of all instances, one instance after the other, in the order of
    /// [`Crowd::instances`]. `models` gets exactly this many.
    ///
    /// Runs in **O(instances × joints)**.
    pub fn models(&self, models: &mut Vec<Mat34>) {
        self.all(None, models);
    }

    /// Computes the palettes of all instances: like [`Crowd::models`], with each matrix multiplied by its joint's
    /// inverse bind matrix.
    pub fn palettes(&self, palettes: &mut Vec<Mat34>) {
        self.all(Some(self.skeleton.inverse_binds()), palettes);
    }

    /// Computes the model matrices of up to sixteen instances at a time, in `room`, and calls `visit` for each instance
    /// in the order of [`Crowd::instances`] while its matrices are in the cache. For matrices that are used once and at
    /// once.
    ///
    /// For a thousand characters this takes less time than [`Crowd::models`], whose results are written to memory.
    pub fn each_models(&self, room: &mut Vec<Mat34>, visit: impl FnMut(InstanceHandle, &[Mat34])) {
        self.each(None, room, visit);
    }

    /// Like [`Crowd::each_models`], with palettes: for example to skin each character before the next palettes are
    /// computed.
    ///
    /// ```
    /// # use hedgerow_anim::{Crowd, Mat34, Pose, SkeletonBuilder, Transform};
    /// # let mut builder = SkeletonBuilder::new();
    /// # builder.joint("root", None, Transform::IDENTITY, Mat34::IDENTITY);
    /// # let (skeleton, _) = builder.build()?;
    /// let mut crowd = Crowd::new(&skeleton);
    /// let (first, second) = (crowd.insert(&Pose::rest(&skeleton))?, crowd.insert(&Pose::rest(&skeleton))?);
    /// let (mut room, mut seen) = (Vec::new(), Vec::new());
    /// crowd.each_palette(&mut room, |instance, palette| {
    ///     assert_eq!(palette.len(), skeleton.len());
    ///     seen.push(instance);
    /// });
    /// assert_eq!(seen, [first, second]);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    pub fn each_palette(&self, room: &mut Vec<Mat34>, visit: impl FnMut(InstanceHandle, &[Mat34])) {
        self.each(Some(self.skeleton.inverse_binds()), room, visit);
    }

    fn each(&self, binds: Option<&[Mat34]>, room: &mut Vec<Mat34>, mut visit: impl FnMut(InstanceHandle, &[Mat34])) {
        let joints = self.skeleton.len();
        let mut levels = levels(&self.depths);
        let mut instances = self.instances();
        room.resize(LANES.min(self.len()) * joints, Mat34::IDENTITY);
        for lanes in self.lanes.chunks_exact(joints) {
            let out = &mut room[..LANES.min(instances.len()) * joints];
            self.block(lanes, binds, &mut levels, out);
            // Matrices come first in the zip: they end with the last instance, so none is lost.
            out.chunks_exact(joints).zip(&mut instances).for_each(|(matrices, instance)| visit(instance, matrices));
        }
    }

    /// The model matrix of one joint of one instance, from the local transforms of the joints above it.
    ///
    /// Runs in **O(depth of the joint)**. For a few joints, for example where something is held, this is faster than
    /// computing all.
    ///
    /// # Errors
    /// Those of [`Crowd::get`].
    pub fn model(&self, instance: InstanceHandle, joint: u16) -> Result<Mat34, Error> {
        let place = self.place(instance)?;
        self.skeleton.expect_joint(joint)?;
        let parents = self.skeleton.parents();
        let local = |joint: usize| self.joint(place, joint).get(place % LANES).to_matrix();
        let mut joint = usize::from(joint);
        let mut model = local(joint);
        while joint > 0 {
            joint = usize::from(parents[joint]);
            model = local(joint) * model;
        }
        Ok(model)
    }

    fn all(&self, binds: Option<&[Mat34]>, out: &mut Vec<Mat34>) {
        let joints = self.skeleton.len();
        out.resize(self.len() * joints, Mat34::IDENTITY);
        let blocks = self.lanes.chunks_exact(joints);
        blocks.zip(out.chunks_mut(LANES * joints)).fold(levels(&self.depths), |mut levels, (lanes, out)| {
            self.block(lanes, binds, &mut levels, out);
            levels
        });
    }

    fn block(&self, lanes: &[JointLanes], binds: Option<&[Mat34]>, levels: &mut [Level], out: &mut [Mat34]) {
        kernels::models(lanes, &self.depths, binds, levels, out);
    }
}
