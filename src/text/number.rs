//! The number of a form in text.

use hedgerow_math::internal::file_header::Unread;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The number of a form in text, its first member: from 1, the first release's, to the newest, which is written.
///
/// Text without a number has form 1, whatever is newest: so text that people write lasts, too.
#[derive(Serialize)]
pub struct FormNumber<const NEWEST: u32>(u32);

impl<const NEWEST: u32> FormNumber<NEWEST> {
    /// The number that is written.
    pub const NEWEST: Self = Self(NEWEST);
}

impl<const NEWEST: u32> Default for FormNumber<NEWEST> {
    fn default() -> Self {
        Self(1)
    }
}

impl<'de, const NEWEST: u32> Deserialize<'de> for FormNumber<NEWEST> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = u32::deserialize(deserializer)?;
        let unread = || D::Error::custom(Unread { found, newest: NEWEST });
        (1..=NEWEST).contains(&found).then_some(Self(found)).ok_or_else(unread)
    }
}
