//! The kernels for any machine.

use crate::Mat34;
use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};
use core::ops::Range;

/// See [`models`](super::models).
pub(super) fn models(blocks: &[PoseBlock], parents: &[u16], root: &Mat34, models: &mut [Mat34], range: Range<usize>) {
    for joint in range {
        let local = blocks[joint / LANES].get(joint % LANES).to_matrix();
        let above = if joint == 0 { *root } else { models[usize::from(parents[joint])] };
        models[joint] = above * local;
    }
}

/// See [`palette`](super::palette).
pub(super) fn palette(models: &[Mat34], inverse_binds: &[Mat34], palette: &mut [Mat34]) {
    for ((to, &model), &inverse_bind) in palette.iter_mut().zip(models).zip(inverse_binds) {
        *to = model * inverse_bind;
    }
}
