//! Decides which influences of a vertex are kept.

use crate::skin::SkinError;

/// The greatest number of influences kept for a vertex; `MOST_IF_ASKED` after `eight_influences`.
pub(super) const MOST: usize = 4;
pub(super) const MOST_IF_ASKED: usize = 8;
/// The numbers of influences in the groups of vertices. Vertices with five to seven are padded to eight.
pub(super) const COUNTS: [usize; 5] = [1, 2, 3, 4, MOST_IF_ASKED];
/// Influences below this fraction of a vertex's total weight are dropped, or below twice this if eight are kept.
///
/// The last weight is implied, and rounding changes it by up to three quarters of `LEAST`. So the last weight stays
/// positive, and no vertex leaves the box around the positions that its joints give it.
const LEAST: f64 = 1.0 / (1 << 23) as f64;

/// Statistics about dropped influences. Each vertex of a [`SkinnedMesh`](crate::SkinnedMesh) keeps up to four
/// influences, or up to [eight](crate::skin::SkinnedMeshBuilder::eight_influences).
///
/// The greatest weights are kept and scaled to a sum of 1. If a fraction `s` of a vertex's weight is dropped, the
/// vertex is off by `s · d`. `d` is the distance between its positions from the kept joints and from the dropped
/// joints. So no vertex is off by more than [`largest_sum`](Self::largest_sum) times the size of the skinned mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Pruned {
    /// The number of vertices with dropped influences.
    pub vertices: usize,
    /// The largest dropped weight, as a fraction of its vertex's total weight; 0 if no weight was dropped.
    pub largest_weight: f32,
    /// The largest sum of weights dropped from one vertex, as a fraction of the vertex's total weight.
    pub largest_sum: f32,
}

/// The influences of one vertex, in the form in which they are stored.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// Joints and weights, with the greatest weight first.
    found: Vec<(u16, f64)>,
    pub(super) joints: Vec<u16>,
    pub(super) weights: Vec<f32>,
}

impl Kept {
    /// Takes a vertex's joints and weights: drops zero weights, merges equal joints, keeps at most `most` of the
    /// greatest, and scales weights to a sum of 1. A vertex without weights follows its first joint.
    #[expect(clippy::cast_possible_truncation, reason = "weights are rounded to single precision in the end")]
    pub(super) fn take(
        &mut self,
        vertex: usize,
        (joints, weights): (&[u16], &[f32]),
        (limit, most): (usize, usize),
        pruned: &mut Pruned,
    ) -> Result<(), SkinError> {
        self.found.clear();
        let check = |joint: u16| {
            let known = usize::from(joint) < limit;
            if known { Ok(joint) } else { Err(SkinError::Joint { vertex, joint, joints: limit }) }
        };
        for (&joint, &weight) in joints.iter().zip(weights) {
            if !weight.is_finite() || weight < 0.0 {
                return Err(SkinError::Weight { vertex, weight });
            }
            if weight > 0.0 {
                let weight = f64::from(weight);
                match self.found.iter_mut().find(|found| found.0 == joint) {
                    Some(found) => found.1 += weight,
                    None => self.found.push((check(joint)?, weight)),
                }
            }
        }
        if self.found.is_empty() {
            self.found.push((check(joints.first().copied().unwrap_or(0))?, 1.0));
        }
        let descending = |a: &(u16, f64), b: &(u16, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        self.found.sort_unstable_by(descending);
        let whole = self.sum();
        // With more than four weights, more rounding errors add up.
        let least = if most > MOST { 2.0 * LEAST } else { LEAST };
        self.found.retain(|&(_, weight)| weight >= least * whole);
        if let Some(&(_, largest)) = self.found.get(most) {
            let dropped: f64 = self.found.drain(most..).map(|(_, weight)| weight).sum();
            pruned.vertices += 1;
            pruned.largest_weight = pruned.largest_weight.max((largest / whole) as f32);
            pruned.largest_sum = pruned.largest_sum.max((dropped / whole) as f32);
        }
        let whole = self.sum();
        self.joints.clear();
        self.weights.clear();
        self.joints.extend(self.found.iter().map(|&(joint, _)| joint));
        self.weights.extend(self.found.iter().map(|&(_, weight)| (weight / whole) as f32));
        if let Some(&last) = self.joints.get(MOST..).and_then(|more| more.last()) {
            // Inserts the padding before the last weight, which is implied.
            let at = self.joints.len() - 1;
            self.joints.resize(MOST_IF_ASKED, last);
            self.weights.splice(at..at, core::iter::repeat_n(0.0, MOST_IF_ASKED - at - 1));
        }
        Ok(())
    }

    fn sum(&self) -> f64 {
        self.found.iter().map(|&(_, weight)| weight).sum()
    }
}
