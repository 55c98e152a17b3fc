//! The id of the skin that a palette or mesh belongs to.

use crate::Mat34;
use crate::skin::SkinError;
use core::fmt;
use hedgerow_math::internal::fallible;
use hedgerow_math::internal::file_header::digest;

/// The id of a skin: a hash of its joints and inverse bind matrices, in order.
///
/// Equal skins have equal ids, in any process. Two different skins have the same id with a probability of 2⁻⁶⁴.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SkinId(u64);

impl SkinId {
    /// Computes the id of a skin.
    pub(super) fn of(joints: &[u16], inverse_binds: &[Mat34]) -> Result<Self, SkinError> {
        let mut bytes = fallible::with_capacity(joints.len() * (size_of::<u16>() + size_of::<Mat34>()))?;
        joints.iter().for_each(|joint| bytes.extend_from_slice(&joint.to_le_bytes()));
        for number in inverse_binds.iter().flat_map(|matrix| matrix.rows.as_flattened()) {
            // Negative zero becomes zero, since both are equal.
            bytes.extend_from_slice(&(number + 0.0).to_le_bytes());
        }
        Ok(Self(digest(&bytes)))
    }

    /// Returns the id as two words, the lower word first.
    #[expect(clippy::cast_possible_truncation, reason = "the two halves")]
    pub(super) const fn words(self) -> [u32; 2] {
        [self.0 as u32, (self.0 >> 32) as u32]
    }

    /// Restores an id from its [`words`](Self::words).
    pub(super) fn from_words([low, high]: [u32; 2]) -> Self {
        Self(u64::from(low) | u64::from(high) << 32)
    }
}

impl fmt::Debug for SkinId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SkinId({:016x})", self.0)
    }
}
