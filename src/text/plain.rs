//! Types whose form in text differs from their fields.

use crate::NodeHandle;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The 64 bits of [`NodeHandle::to_bits`].
impl Serialize for NodeHandle {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_bits().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for NodeHandle {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bits = u64::deserialize(deserializer)?;
        Self::from_bits(bits)
            .ok_or_else(|| D::Error::custom(format!("{bits} is not a handle: its generation is even or too large")))
    }
}
