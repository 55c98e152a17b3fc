//! What a node has besides what its description tells: copies take it along.

use crate::store::Store;
use crate::store::record::RecordId;
use crate::store::world::WideLocal;
use glam::Vec3;

/// What a node has besides what a [`Node`](crate::Node) describes. Few nodes have any of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Additions {
    /// The number of the user's own that its draws carry; 0 if it has none.
    pub(crate) word: u32,
    /// What single precision loses of the translation of its local transform; zero if nothing.
    pub(crate) remainder: Vec3,
}

impl Additions {
    /// Whether there is anything.
    pub(crate) fn any(&self) -> bool {
        *self != Self::default()
    }

    /// Whether rounding a number in double precision to this translation can lose the remainder: in each direction at
    /// most half of what lies between two numbers in single precision.
    pub(crate) fn fits(remainder: Vec3, translation: Vec3) -> bool {
        let fits = |(lost, at): (f32, f32)| {
            let at = at.abs();
            let gap =
                if at < f32::MAX { f64::from(at.next_up()) - f64::from(at) } else { f64::from(at - at.next_down()) };
            f64::from(lost).abs() <= gap / 2.0
        };
        remainder.to_array().into_iter().zip(translation.to_array()).all(fits)
    }
}

impl Store {
    /// Gives a node that was just made what it has besides its description.
    pub(crate) fn add(&mut self, id: RecordId, additions: &Additions) {
        if additions.word != 0 {
            self.set_word(id, additions.word);
        }
        if let Some(local) = self.local(id).filter(|_| additions.remainder != Vec3::ZERO) {
            self.set_wide_local(id, WideLocal { local, remainder: additions.remainder });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[test]
    fn what_rounding_loses_fits_and_more_does_not() {
        for number in [0.0, 0.1, 1.0, 1.0 + 2_f64.powi(-24), 16_777_217.0, 6_371_000.123_456, -1e30, 3.4e38, 1e-42] {
            let whole = DVec3::splat(number);
            let rounded = whole.as_vec3();
            let lost = (whole - rounded.as_dvec3()).as_vec3();
            assert!(Additions::fits(lost, rounded), "{number}");
            let more = Vec3::new(0.0, (rounded.y.abs().next_up() - rounded.y.abs()).max(1e-45), 0.0);
            assert!(!Additions::fits(more, rounded), "{number}");
        }
        assert!(!Additions::fits(Vec3::NAN, Vec3::ONE));
        // Behind the greatest number comes none, and it is as far from the one before.
        let half = 2_f32.powi(103);
        assert!(Additions::fits(Vec3::splat(half), Vec3::splat(f32::MAX)));
        assert!(!Additions::fits(Vec3::splat(half.next_up()), Vec3::splat(f32::MAX)));
    }
}
