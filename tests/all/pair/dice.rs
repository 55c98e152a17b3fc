//! Random nodes, places and transforms.

use super::{Pair, Where};
use fastrand::Rng;
use hedgerow::Transform;
use hedgerow::glam::{Quat, Vec3};

/// Random numbers, the same in every run. Source: G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number
/// generators", 2014.
pub(crate) struct Dice(Rng);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Rng::with_seed(seed))
    }

    /// Returns a number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0.usize(..end)
    }

    /// Returns a transform that does not scale, or none for a third of the nodes.
    pub(crate) fn local(&mut self) -> Option<Transform> {
        (self.below(3) > 0).then(|| self.transform())
    }

    /// Returns a transform that does not scale.
    pub(crate) fn transform(&mut self) -> Transform {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let mut number = || self.below(2001) as f32 / 1000.0 - 1.0;
        let (x, y, z, angle) = (number(), number(), number(), number());
        let rotation = if x > 0.0 { Quat::from_rotation_y(angle) } else { Quat::from_rotation_z(angle) };
        Transform { translation: Vec3::new(x, y, z), rotation, scale: Vec3::ONE }
    }

    /// Returns a live node other than the root.
    pub(crate) fn live(&mut self, pair: &Pair) -> usize {
        loop {
            let node = 1 + self.below(pair.ever() - 1);
            if pair.is_live(node) {
                return node;
            }
        }
    }

    /// Returns a place below a node, or beside it unless it is the root.
    pub(crate) fn place(&mut self, node: usize) -> Where {
        match self.below(6) {
            0 => Where::First(node),
            1 => Where::Before(node),
            2 => Where::After(node),
            _ => Where::Last(node),
        }
    }
}
