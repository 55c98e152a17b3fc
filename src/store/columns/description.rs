//! The arrays of a slice, listed in one place: every walk over all of them uses this description.
//!
//! To add an array, add an entry to [`each_column`]. Two companions that only some scenes have are not included: the
//! change history ([`Trace`](crate::store::change::Trace)) and the world boxes
//! ([`SliceBoxes`](crate::store::SliceBoxes)). Code that walks over the columns handles these separately.

use crate::record::Record;
use crate::store::Slice;
use crate::store::allocation::LinearAllocator;
use crate::store::columns::{Component, MaterialColumn, NameColumn, ShapeColumn, TransformColumn, VisibilityColumn};
use core::convert::Infallible;

/// How many allocators a slice has.
pub(in crate::store) const STORAGES: usize = 6;

/// Which of a slice's allocators hands out the slots of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) enum Storage {
    Rows,
    Transforms,
    Visibilities,
    Materials,
    Shapes,
    Names,
}

impl Storage {
    /// All storages, in the order of declaration, which is also that of a snapshot.
    pub(in crate::store) const ALL: [Self; STORAGES] =
        [Self::Rows, Self::Transforms, Self::Visibilities, Self::Materials, Self::Shapes, Self::Names];

    /// Those of components: their slots belong to rows.
    pub(in crate::store) const COMPONENTS: [Self; STORAGES - 1] =
        [Self::Transforms, Self::Visibilities, Self::Materials, Self::Shapes, Self::Names];

    /// Whether slot 0 is the base, which is always there.
    pub(in crate::store) fn has_base(self) -> bool {
        matches!(self, Self::Transforms | Self::Visibilities | Self::Materials)
    }

    /// Whether a parent's slot comes before those of its children.
    #[inline(always)]
    pub(in crate::store) fn is_ordered(self) -> bool {
        matches!(self, Self::Transforms | Self::Visibilities)
    }

    #[inline(always)]
    pub(in crate::store) fn of(self, slice: &Slice) -> &LinearAllocator {
        match self {
            Self::Rows => &slice.row_slots,
            Self::Transforms => &slice.transforms.slots,
            Self::Visibilities => &slice.visibilities.slots,
            Self::Materials => &slice.materials.slots,
            Self::Shapes => &slice.shapes.slots,
            Self::Names => &slice.names.slots,
        }
    }

    #[inline(always)]
    pub(in crate::store) fn of_mut(self, slice: &mut Slice) -> &mut LinearAllocator {
        match self {
            Self::Rows => &mut slice.row_slots,
            Self::Transforms => &mut slice.transforms.slots,
            Self::Visibilities => &mut slice.visibilities.slots,
            Self::Materials => &mut slice.materials.slots,
            Self::Shapes => &mut slice.shapes.slots,
            Self::Names => &mut slice.names.slots,
        }
    }

    /// The bytes of a slot in all arrays of the storage.
    #[inline]
    pub(in crate::store) fn slot_bytes(self) -> usize {
        /// Sums up the bytes of one storage.
        struct Sum(Storage, usize);

        impl Sum {
            fn add<T>(&mut self, column: &Column<T>) {
                self.1 += if column.storage == self.0 { size_of::<T>() } else { 0 };
            }
        }

        impl EachColumn for Sum {
            type Error = Infallible;

            fn column<T: Record>(&mut self, column: &Column<T>) -> Result<(), Infallible> {
                self.add(column);
                Ok(())
            }

            fn names(&mut self, column: &Column<Box<str>>) -> Result<(), Infallible> {
                self.add(column);
                Ok(())
            }
        }

        let mut sum = Sum(self, 0);
        let Ok(()) = each_column(&mut sum);
        sum.1
    }
}

/// One array of a slice, with a record for each slot of a storage.
pub(in crate::store) struct Column<T> {
    pub(in crate::store) storage: Storage,
    pub(in crate::store) of: fn(&Slice) -> &Vec<T>,
    pub(in crate::store) of_mut: fn(&mut Slice) -> &mut Vec<T>,
    /// The error message for a value that no scene stores.
    pub(in crate::store) unsound: &'static str,
}

/// An action on each array.
pub(in crate::store) trait EachColumn {
    /// The error that ends a walk early; [`Infallible`] for walks that cannot fail.
    type Error;

    /// Handles an array of records.
    fn column<T: Record>(&mut self, column: &Column<T>) -> Result<(), Self::Error>;

    /// Handles the array of names, whose records have no fixed length in bytes.
    fn names(&mut self, column: &Column<Box<str>>) -> Result<(), Self::Error>;
}

/// Calls `each` with every array, in the order of a snapshot; stops at the first error.
#[inline]
pub(in crate::store) fn each_column<E: EachColumn>(each: &mut E) -> Result<(), E::Error> {
    macro_rules! columns {
        ($($method:ident $storage:ident: $($field:ident).+, $unsound:literal;)*) => {
            $(each.$method(&Column {
                storage: Storage::$storage,
                of: |slice| &slice.$($field).+,
                of_mut: |slice| &mut slice.$($field).+,
                unsound: $unsound,
            })?;)*
        };
    }
    columns! {
        column Rows: rows, "a row is unsound";
        column Transforms: transforms.parents, "a link between transforms is unsound";
        column Transforms: transforms.locals, "a local transform is not finite, or its rotation no rotation";
        column Transforms: transforms.worlds, "a world matrix is unsound";
        column Visibilities: visibilities.parents, "a link between visibilities is unsound";
        column Visibilities: visibilities.locals, "a visibility is unsound";
        column Visibilities: visibilities.effective, "an effective visibility is unsound";
        column Materials: materials.values, "a material is unsound";
        column Shapes: shapes.records, "a shape is unsound";
        column Shapes: shapes.bounds, "the bounds of a shape are neither finite nor empty or infinite throughout";
        names Names: names.names, "a hole has a name";
    }
    Ok(())
}

/// Does something with each component.
pub(in crate::store) trait EachComponent {
    /// Why a walk ends early; [`Infallible`] for walks that do not.
    type Error;

    /// What is done with a component.
    fn component<C: Component>(&mut self) -> Result<(), Self::Error>;
}

/// Shows `each` every component, in the order of a snapshot; ends at the first error.
#[inline(always)]
pub(in crate::store) fn each_component<E: EachComponent>(each: &mut E) -> Result<(), E::Error> {
    each.component::<TransformColumn>()?;
    each.component::<VisibilityColumn>()?;
    each.component::<MaterialColumn>()?;
    each.component::<ShapeColumn>()?;
    each.component::<NameColumn>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_takes_the_bytes_that_the_first_page_says() {
        // A name is an address and a length; 16 bytes where these have 64 bits.
        let name = 2 * size_of::<usize>();
        assert_eq!(Storage::ALL.map(Storage::slot_bytes), [48, 92, 12, 8, 48, name]);
    }
}
