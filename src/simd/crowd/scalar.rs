//! The kernel for any machine.

use super::{LANES, Level};
use crate::math::{JointLanes, Mat34};

/// See [`models`](super::models).
pub(super) fn models(
    joints: &[JointLanes],
    depths: &[u16],
    binds: Option<&[Mat34]>,
    levels: &mut [Level],
    out: &mut [Mat34],
) {
    let live = out.len() / joints.len();
    for (joint, (lanes, &depth)) in joints.iter().zip(depths).enumerate() {
        for lane in 0..live.min(LANES) {
            let mut model = lanes.get(lane).to_matrix();
            if depth > 0 {
                model = read(&levels[usize::from(depth) - 1], lane) * model;
            }
            write(&mut levels[usize::from(depth)], lane, &model);
            out[lane * joints.len() + joint] = binds.map_or(model, |binds| model * binds[joint]);
        }
    }
}

fn read(level: &Level, lane: usize) -> Mat34 {
    Mat34 { rows: core::array::from_fn(|row| core::array::from_fn(|column| level.0[4 * row + column][lane])) }
}

fn write(level: &mut Level, lane: usize, matrix: &Mat34) {
    level.0.iter_mut().zip(matrix.rows.as_flattened()).for_each(|(vector, &number)| vector[lane] = number);
}
