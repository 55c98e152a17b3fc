//! The data of a slice besides its arrays.

use crate::record::structures;
use crate::store::Slice;
use crate::store::columns::{STORAGES, Storage};

/// The data of a slice besides its arrays, and the lengths of the arrays.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Head {
    /// Bits of [`Head::FLAGS`]. Without the first one, the other fields are ignored.
    pub(super) flags: u32,
    pub(super) first_top: u32,
    pub(super) last_top: u32,
    pub(super) misplaced: u32,
    pub(super) storages: [Extent; STORAGES],
    /// How many sheared transforms follow.
    pub(super) sheared: u32,
    /// How many remainders of translations in double precision follow.
    pub(super) remainders: u32,
    /// How many slices are attached below.
    pub(super) children: u32,
    /// How many metadata tables the slice owns, and how many of them are on its list of open tables.
    pub(super) tables: u32,
    pub(super) open_tables: u32,
}

/// The extent of an allocator.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) end: u32,
    pub(super) capacity: u32,
    /// How many holes there are. If there are any, their bits follow: `end` bits in whole words of 64.
    pub(super) holes: u32,
}

structures! {
    Head {
        flags: u32, first_top: u32, last_top: u32, misplaced: u32, storages: [Extent; STORAGES],
        sheared: u32, remainders: u32, children: u32, tables: u32, open_tables: u32
    };
    Extent { end: u32, capacity: u32, holes: u32 };
}

impl Head {
    pub(super) const LIVES: u32 = 1;
    pub(super) const READ: u32 = 2;
    pub(super) const EDITED: u32 = 4;
    pub(super) const FLAGS: u32 = 7;

    /// The head of a slice, without its metadata tables.
    pub(super) fn of(slice: &Slice) -> Self {
        let count = |list: usize| u32::try_from(list).expect("nodes, and so slices, number less than 2^31");
        if !slice.lives {
            return Self::default();
        }
        let flag = |flag: bool, bit: u32| if flag { bit } else { 0 };
        let extent = |storage: Storage| {
            let slots = storage.of(slice);
            Extent { end: slots.end(), capacity: slots.capacity(), holes: slots.holes().count() }
        };
        Self {
            flags: Self::LIVES | flag(slice.read, Self::READ) | flag(slice.edited, Self::EDITED),
            first_top: slice.first_top,
            last_top: slice.last_top,
            misplaced: slice.misplaced,
            storages: Storage::ALL.map(extent),
            sheared: count(slice.transforms.sheared.len()),
            remainders: count(slice.transforms.sheared.remainders().len()),
            children: count(slice.children.len()),
            tables: 0,
            open_tables: 0,
        }
    }
}
