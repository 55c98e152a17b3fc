//! Model matrices and palettes of a crowd.

use super::{Crowd, InstanceHandle, LANES};
use crate::math::JointLanes;
use crate::simd::crowd::{self, Level};
use crate::{Error, Mat34};
use smallvec::{SmallVec, smallvec};

/// So many depths need no allocation; deeper skeletons make one a call.
const USUAL_LEVELS: usize = 24;

impl Crowd {
    /// Computes the model matrices of all joints of all instances: of instance after instance, in the order of
    /// [`Crowd::instances`]. `models` is given as many as there are.
    ///
    /// Computes in **O(instances × joints)**.
    pub fn models(&self, models: &mut Vec<Mat34>) {
        self.all(None, models);
    }

    /// Computes the palettes of all instances: as [`Crowd::models`], each times its joint's inverse bind matrix.
    pub fn palettes(&self, palettes: &mut Vec<Mat34>) {
        self.all(Some(self.skeleton.inverse_binds()), palettes);
    }

    /// The model matrix of one joint of one instance, from the local transforms of what is above it.
    ///
    /// Computes in **O(depth of the joint)**, which for a few joints (where something is held, say) is less than computing all.
    ///
    /// # Errors
    /// As [`Crowd::get`].
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
        blocks.zip(out.chunks_mut(LANES * joints)).fold(self.levels(), |mut levels, (lanes, out)| {
            self.block(lanes, binds, &mut levels, out);
            levels
        });
    }

    fn levels(&self) -> SmallVec<[Level; USUAL_LEVELS]> {
        smallvec![Level::ZERO; self.levels]
    }

    fn block(&self, lanes: &[JointLanes], binds: Option<&[Mat34]>, levels: &mut [Level], out: &mut [Mat34]) {
        crowd::models(lanes, &self.depths, binds, levels, out);
    }
}
