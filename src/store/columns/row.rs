//! The topology record of a node, or of a portal.

use crate::NodeHandle;
use crate::store::columns::Storage;

/// No row, no slot, no slice.
pub(crate) const NIL: u32 = u32::MAX;

/// The position of a row: the slice, and the row within it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct At {
    pub(crate) slice: u32,
    pub(crate) row: u32,
}

impl At {
    pub(in crate::store) const NONE: Self = Self { slice: NIL, row: NIL };
    /// The root's row, which stays first in a reconstitution.
    pub(crate) const ROOT: Self = Self { slice: 0, row: 0 };
}

impl Default for At {
    fn default() -> Self {
        Self::NONE
    }
}

/// The occupant of a row: a node, a portal to another slice, or none. 8 bytes.
///
/// A node is stored as its handle's bits. The lower 28 bits of a handle, the generation, are never 0. So bits with a
/// generation of 0 can stand for a portal, with the slice's number above them. The root's slice, 0, has no portal, so
/// all zeros mean vacant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct Occupant(u64);

impl Occupant {
    pub(in crate::store) const VACANT: Self = Self(0);

    #[inline]
    pub(in crate::store) fn node(handle: NodeHandle) -> Self {
        Self(handle.to_bits())
    }

    #[inline]
    pub(in crate::store) fn portal(slice: u32) -> Self {
        debug_assert_ne!(slice, 0, "the root's slice has no portal");
        Self(u64::from(slice) << 32)
    }

    #[inline]
    pub(in crate::store) fn as_node(self) -> Option<NodeHandle> {
        // The lower half of a portal is zero, and so is its generation.
        NodeHandle::from_bits(self.0)
    }

    /// The record as written to a snapshot.
    #[inline]
    pub(in crate::store) fn to_bits(self) -> u64 {
        self.0
    }

    /// The record of these bits, which may be invalid: neither a node nor a portal nor vacant.
    #[inline]
    pub(in crate::store) fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    #[inline]
    pub(in crate::store) fn as_portal(self) -> Option<u32> {
        let upper = (self.0 >> 32) as u32;
        (self.0 != 0 && u64::from(upper) << 32 == self.0).then_some(upper)
    }
}

/// An effective slot: the slot within the slice that a row uses for a property, its own or an inherited one. 4 bytes.
///
/// Slot 0 of an inherited column is the slice's base, which holds what the slice inherits through its portal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct Slot(u32);

impl Slot {
    const OWN: u32 = 1 << 31;
    /// Inherited from outside the slice.
    pub(in crate::store) const BASE: Self = Self(0);
    /// No slot. A row that lost its own slot has this until its effective slots are updated, so that the update sees a
    /// change.
    pub(in crate::store) const LOST: Self = Self(!Self::OWN);

    #[inline]
    pub(in crate::store) fn own(index: u32) -> Self {
        debug_assert!(index < Self::OWN);
        Self(index | Self::OWN)
    }

    #[inline]
    pub(in crate::store) fn inherited(index: u32) -> Self {
        debug_assert!(index < Self::OWN);
        Self(index)
    }

    /// The record as written to a snapshot.
    #[inline]
    pub(in crate::store) fn to_bits(self) -> u32 {
        self.0
    }

    /// The record of these bits.
    #[inline]
    pub(in crate::store) fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The slot, owned or inherited.
    #[inline]
    pub(in crate::store) fn index(self) -> u32 {
        self.0 & !Self::OWN
    }

    /// 1 if the row owns the slot, else 0; for code without branches.
    #[inline]
    pub(in crate::store) fn is_own(self) -> u32 {
        self.0 >> 31
    }

    /// The slot, if the row owns it.
    #[inline]
    pub(in crate::store) fn as_own(self) -> Option<u32> {
        (self.0 & Self::OWN != 0).then_some(self.index())
    }
}

/// One row: 48 bytes, so four rows share three cache lines.
///
/// ```text
///  0        8       12          16         20   24       28        32         36       40    44   48
///  occupant parent  first_child last_child next previous transform visibility material shape name
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(in crate::store) struct Row {
    pub(in crate::store) occupant: Occupant,
    /// The parent's row, or [`NIL`] for a top row of the slice.
    pub(in crate::store) parent: u32,
    pub(in crate::store) first_child: u32,
    pub(in crate::store) last_child: u32,
    pub(in crate::store) next: u32,
    pub(in crate::store) previous: u32,
    /// Effective slots. Those of a portal are what its slice inherits.
    pub(in crate::store) transform: Slot,
    pub(in crate::store) visibility: Slot,
    pub(in crate::store) material: Slot,
    /// The row's own shape, or [`NIL`]. Shapes are not inherited.
    pub(in crate::store) shape: u32,
    /// The row's own name, or [`NIL`].
    pub(in crate::store) name: u32,
}

const _: () = assert!(size_of::<Row>() == 48);

impl Row {
    /// The effective slots that the row's children inherit.
    #[inline]
    pub(in crate::store) fn inherited(&self) -> [Slot; 3] {
        [self.transform, self.visibility, self.material].map(|slot| Slot::inherited(slot.index()))
    }

    /// The row's own slot in a storage, if it has one.
    #[inline(always)]
    pub(in crate::store) fn own(&self, storage: Storage) -> Option<u32> {
        match storage {
            Storage::Rows => None,
            Storage::Transforms => self.transform.as_own(),
            Storage::Visibilities => self.visibility.as_own(),
            Storage::Materials => self.material.as_own(),
            Storage::Shapes => (self.shape != NIL).then_some(self.shape),
            Storage::Names => (self.name != NIL).then_some(self.name),
        }
    }

    /// Gives the row a slot of its own in a storage of components.
    #[inline(always)]
    pub(in crate::store) fn set_own(&mut self, storage: Storage, slot: u32) {
        match storage {
            Storage::Rows => {}
            Storage::Transforms => self.transform = Slot::own(slot),
            Storage::Visibilities => self.visibility = Slot::own(slot),
            Storage::Materials => self.material = Slot::own(slot),
            Storage::Shapes => self.shape = slot,
            Storage::Names => self.name = slot,
        }
    }

    /// A row without links and components.
    pub(in crate::store) fn new(occupant: Occupant) -> Self {
        Self {
            occupant,
            parent: NIL,
            first_child: NIL,
            last_child: NIL,
            next: NIL,
            previous: NIL,
            transform: Slot::BASE,
            visibility: Slot::BASE,
            material: Slot::BASE,
            shape: NIL,
            name: NIL,
        }
    }
}
