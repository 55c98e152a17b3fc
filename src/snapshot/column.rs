//! What of a slice is kept, said once: for writing, for reading and for checking.
//!
//! A new column is an entry of [`each_column`].

use crate::snapshot::record::{Record, structures};
use crate::store::{LinearAllocator, Slice};
use crate::{Aabb, Error, SceneConfig};

/// How many allocators a slice has.
pub(super) const STORAGES: usize = 6;

/// Which of a slice's allocators hands out the slots of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Storage {
    Rows,
    Transforms,
    Visibilities,
    Materials,
    Shapes,
    Names,
}

impl Storage {
    /// In the order of a head's fields.
    pub(super) const ALL: [Self; STORAGES] =
        [Self::Rows, Self::Transforms, Self::Visibilities, Self::Materials, Self::Shapes, Self::Names];

    /// Whether slot 0 is the base, which is always there.
    pub(super) fn has_base(self) -> bool {
        matches!(self, Self::Transforms | Self::Visibilities | Self::Materials)
    }

    /// The bytes that a slot takes in memory.
    pub(super) fn slot_bytes(self) -> usize {
        use crate::store::{MaterialColumn, NameColumn, Row, ShapeColumn, TransformColumn, VisibilityColumn};
        match self {
            Self::Rows => size_of::<Row>(),
            Self::Transforms => TransformColumn::BYTES,
            Self::Visibilities => VisibilityColumn::BYTES,
            Self::Materials => MaterialColumn::BYTES,
            Self::Shapes => ShapeColumn::BYTES,
            Self::Names => NameColumn::BYTES,
        }
    }

    pub(super) fn of(self, slice: &Slice) -> &LinearAllocator {
        match self {
            Self::Rows => &slice.row_slots,
            Self::Transforms => &slice.transforms.slots,
            Self::Visibilities => &slice.visibilities.slots,
            Self::Materials => &slice.materials.slots,
            Self::Shapes => &slice.shapes.slots,
            Self::Names => &slice.names.slots,
        }
    }

    pub(super) fn of_mut(self, slice: &mut Slice) -> &mut LinearAllocator {
        match self {
            Self::Rows => &mut slice.row_slots,
            Self::Transforms => &mut slice.transforms.slots,
            Self::Visibilities => &mut slice.visibilities.slots,
            Self::Materials => &mut slice.materials.slots,
            Self::Shapes => &mut slice.shapes.slots,
            Self::Names => &mut slice.names.slots,
        }
    }
}

/// One array of a slice, with a record for each slot of a storage.
pub(super) struct Column<T> {
    pub(super) storage: Storage,
    pub(super) of: fn(&Slice) -> &Vec<T>,
    pub(super) of_mut: fn(&mut Slice) -> &mut Vec<T>,
    /// What to say of a value that no scene keeps.
    pub(super) unsound: &'static str,
}

/// Does something with each column.
pub(super) trait EachColumn {
    fn column<T: Record>(&mut self, column: &Column<T>) -> Result<(), Error>;
}

/// Every array that is kept, in the order of the file.
#[inline]
pub(super) fn each_column(each: &mut impl EachColumn) -> Result<(), Error> {
    macro_rules! columns {
        ($($storage:ident: $($field:ident).+, $unsound:literal;)*) => {
            $(each.column(&Column {
                storage: Storage::$storage,
                of: |slice| &slice.$($field).+,
                of_mut: |slice| &mut slice.$($field).+,
                unsound: $unsound,
            })?;)*
        };
    }
    columns! {
        Rows: rows, "a row is unsound";
        Transforms: transforms.parents, "a link between transforms is unsound";
        Transforms: transforms.locals, "a local transform is not finite, or its rotation no rotation";
        Transforms: transforms.worlds, "a world matrix is unsound";
        Visibilities: visibilities.parents, "a link between visibilities is unsound";
        Visibilities: visibilities.locals, "a visibility is unsound";
        Visibilities: visibilities.effective, "an effective visibility is unsound";
        Materials: materials.values, "a material is unsound";
        Shapes: shapes.records, "a shape is unsound";
        Shapes: shapes.bounds, "the bounds of a shape are neither finite nor empty or infinite throughout";
    }
    Ok(())
}

/// What is kept of a slice beside its arrays, and how long these are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Head {
    /// Bits of [`Head::FLAGS`]; without the first the rest counts for nothing.
    pub(super) flags: u32,
    pub(super) first_top: u32,
    pub(super) last_top: u32,
    pub(super) misplaced: u32,
    pub(super) storages: [Extent; STORAGES],
    /// How many sheared transforms follow.
    pub(super) sheared: u32,
    /// How many slices hang below.
    pub(super) children: u32,
    /// How many metadata tables the slice owns, and how many of these are on its list of open ones.
    pub(super) tables: u32,
    pub(super) open_tables: u32,
}

/// The extent of an allocator.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) end: u32,
    pub(super) capacity: u32,
    /// How many holes there are. Only where there are any, their bits follow: `end` of them in whole words of 64.
    pub(super) holes: u32,
}

structures! {
    Head {
        flags: u32, first_top: u32, last_top: u32, misplaced: u32, storages: [Extent; STORAGES],
        sheared: u32, children: u32, tables: u32, open_tables: u32
    };
    Extent { end: u32, capacity: u32, holes: u32 };
}

impl Head {
    pub(super) const LIVES: u32 = 1;
    pub(super) const READ: u32 = 2;
    pub(super) const ISOLATED: u32 = 4;
    pub(super) const WORN: u32 = 8;
    pub(super) const FLAGS: u32 = 15;

    /// The head of a slice, but for what it has of metadata tables.
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
            flags: Self::LIVES
                | flag(slice.read, Self::READ)
                | flag(slice.isolated, Self::ISOLATED)
                | flag(slice.worn, Self::WORN),
            first_top: slice.first_top,
            last_top: slice.last_top,
            misplaced: slice.misplaced,
            storages: Storage::ALL.map(extent),
            sheared: count(slice.transforms.sheared.len()),
            children: count(slice.children.len()),
            tables: 0,
            open_tables: 0,
        }
    }
}

impl Slice {
    /// Marks all of a slice that was just read for the next update: whether what is derived is right is not checked, but
    /// computed anew.
    pub(super) fn mark_all(&mut self, config: &SceneConfig) {
        self.transforms.mark_all();
        self.visibilities.dirty = true;
        self.materials.dirty = true;
        self.marked = true;
        self.marked_children.clone_from(&self.children);
        if config.bounds {
            let boxes = self.boxes.insert(Box::default());
            boxes.touch_all(self.shapes.slots.end());
            self.children.iter().for_each(|_| boxes.children.push(Aabb::INFINITE));
        }
    }
}
