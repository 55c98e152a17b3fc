//! The records in slots as bytes.

use crate::record::{Record, structures};
use crate::store::columns::{Occupant, Row, ShapeRecord, Slot};

structures! {
    Row {
        occupant: Occupant, parent: u32, first_child: u32, last_child: u32, next: u32, previous: u32,
        transform: Slot, visibility: Slot, material: Slot, shape: u32, name: u32
    };
    ShapeRecord { node: u64, mesh: u32, transform: u32, visibility: u32, material: u32 };
}

impl Record for Occupant {
    const BYTES: usize = u64::BYTES;

    #[inline]
    fn encode(self, bytes: &mut [u8]) {
        self.to_bits().encode(bytes);
    }

    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        Self::from_bits(u64::decode(bytes))
    }
}

impl Record for Slot {
    const BYTES: usize = u32::BYTES;

    #[inline]
    fn encode(self, bytes: &mut [u8]) {
        self.to_bits().encode(bytes);
    }

    #[inline]
    fn decode(bytes: &[u8]) -> Self {
        Self::from_bits(u32::decode(bytes))
    }
}
