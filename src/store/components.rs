//! The components that few nodes have, each in a [`Side`], all listed in one table.

use crate::bytes::{self, BytesError, Reader, Writer, ensure};
use crate::fallible;
use crate::store::Usage;
use crate::store::record::{Has, Record, RecordId};
use crate::store::side::{Side, Value};
use crate::{Aabb, Drawable, Layers, Local, ViewRange};
use glam::Vec3;
use hedgerow_math::Mat34;
use std::collections::TryReserveError;

/// A component as snapshots write it.
trait Saved: Clone + PartialEq {
    fn write(&self, out: &mut Writer);

    fn read(from: &mut Reader<'_>) -> Result<Self, BytesError>;

    /// Returns whether a loaded value is as a scene keeps it.
    fn is_kept(&self) -> bool {
        true
    }

    /// Returns the number of bytes that a value owns outside of itself.
    fn owned_bytes(&self) -> usize {
        0
    }

    /// Returns whether another value has the same bits: 0.0 and −0.0 differ.
    fn has_bits_of(&self, other: &Self) -> bool {
        self == other
    }

    fn try_copy(&self) -> Result<Self, TryReserveError> {
        Ok(self.clone())
    }
}

/// Returns whether a record has the same bits, or no value, in two tables.
fn agree<T: Saved>(one: Option<&T>, other: Option<&T>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.has_bits_of(other),
        (one, other) => one.is_none() && other.is_none(),
    }
}

fn usage<T: Value + Saved>(side: &Side<T>) -> Usage {
    let owned: usize = side.iter().map(|(_, value)| value.owned_bytes()).sum();
    let live = side.len();
    Usage { live, live_bytes: live * size_of::<T>() + owned, allocated_bytes: side.bytes() + owned }
}

/// Defines [`Components`] from a table: field, type of a value, bit of [`Has`] with its number, and the value of an
/// unset entry.
macro_rules! components {
    ($($(#[$doc:meta])* $field:ident: $type:ty = $bit:ident($number:literal), $unset:expr;)*) => {
        impl Has {
            $($(#[$doc])* pub(crate) const $bit: Self = Self(1 << $number);)*
        }

        // Each component has a bit of its own, and none has a bit of a state.
        const _: () = assert!(Components::ALL.0 & !Has::RARE.0 == 0 && Components::ALL.0 == 0 $(+ Has::$bit.0)*);

        $(impl Value for $type {
            fn unset() -> Self {
                $unset
            }
        })*

        /// The side data of nodes.
        #[derive(Clone, Default, Debug)]
        pub(crate) struct Components {
            $($(#[$doc])* pub(crate) $field: Side<$type>,)*
        }

        /// Values of some records, or the lack of values, by component.
        #[derive(Default, Debug)]
        pub(crate) struct ComponentLog {
            $($field: Vec<(RecordId, Option<$type>)>,)*
        }

        impl ComponentLog {
            /// Adds the components `has` of a record that differ from those in `before`, where room is made for them.
            /// Returns whether there are any.
            pub(crate) fn add(
                &mut self,
                id: RecordId,
                has: Has,
                now: &Components,
                before: &mut Components,
            ) -> Result<bool, TryReserveError> {
                let mut differs = false;
                $(if has.has(Has::$bit) && !agree(now.$field.get(id), before.$field.get(id)) {
                    differs = true;
                    let value = now.$field.get(id).map(Saved::try_copy).transpose()?;
                    // Made now, since a swap, which comes when all is compared, may not fail.
                    if value.is_some() {
                        before.$field.make_room(id)?;
                    }
                    fallible::push(&mut self.$field, (id, value))?;
                })*
                Ok(differs)
            }

            pub(crate) fn clear(&mut self) {
                $(self.$field.clear();)*
            }

            pub(crate) fn shrink(&mut self) {
                $(self.$field.shrink_to_fit();)*
            }

            pub(crate) fn bytes(&self) -> usize {
                0 $(+ self.$field.capacity() * size_of::<(RecordId, Option<$type>)>()
                    + self.$field.iter().flat_map(|(_, value)| value).map(Saved::owned_bytes).sum::<usize>())*
            }
        }

        impl Components {
            /// Swaps values with those of a log.
            pub(crate) fn swap(&mut self, log: &mut ComponentLog) {
                $(for (id, value) in &mut log.$field {
                    // A second swap is the way back.
                    *value = self.$field.replace(*id, value.take());
                })*
            }

            /// Makes the components `has` of a record equal to those in another table.
            pub(crate) fn copy(&mut self, id: RecordId, has: Has, from: &Self) {
                // A value that agrees is left alone, so that names are not copied for nothing.
                $(if has.has(Has::$bit) && !agree(self.$field.get(id), from.$field.get(id)) {
                    self.$field.replace(id, from.$field.get(id).cloned());
                })*
            }

            /// The bits of all components.
            pub(crate) const ALL: Has = Has($(Has::$bit.0)|*);

            /// Removes all components of a node.
            pub(crate) fn remove_all(&mut self, id: RecordId, has: Has) {
                $(if has.has(Has::$bit) {
                    self.$field.remove(id);
                })*
            }

            /// Returns the name, the bit and the number of values of each component.
            pub(crate) fn counts(&self) -> impl Iterator<Item = (&'static str, Has, usize)> {
                [$((stringify!($field), Has::$bit, self.$field.len())),*].into_iter()
            }

            /// Returns the memory use of all components except names.
            pub(crate) fn usage(&self) -> Usage {
                let all = [$(usage(&self.$field)),*].into_iter().fold(Usage::default(), Usage::plus);
                all.minus(self.name_usage())
            }

            /// Returns the memory use of names and their texts.
            pub(crate) fn name_usage(&self) -> Usage {
                usage(&self.name)
            }

            /// Frees unused memory.
            pub(crate) fn shrink(&mut self) {
                $(self.$field.shrink();)*
            }

            /// Returns whether the node has exactly the components that its record states.
            pub(crate) fn agree_with(&self, id: RecordId, record: &Record) -> bool {
                true $(&& record.has.has(Has::$bit) == self.$field.get(id).is_some())*
            }

            /// Writes all values, component by component, in the order of records.
            pub(crate) fn write(&self, out: &mut Writer) {
                $(self.$field.iter().for_each(|(_, value)| Saved::write(value, out));)*
            }

            /// Reads what [`Self::write`] wrote. `nodes` has all nodes with their components, in ascending order.
            ///
            /// # Errors
            /// [`BytesError`].
            pub(crate) fn read(from: &mut Reader<'_>, nodes: &[(RecordId, Has)]) -> Result<Self, BytesError> {
                let mut components = Self::default();
                $(for &(id, _) in nodes.iter().filter(|(_, has)| has.has(Has::$bit)) {
                    let value = <$type as Saved>::read(from)?;
                    // An edit would have refused or normalised it, so no scene of ours has written it.
                    ensure!(value.is_kept(), concat!("not finite or not normalised: ", stringify!($field)));
                    components.$field.try_insert(id, value)?;
                })*
                Ok(components)
            }
        }
    };
}

components! {
    /// The mesh and the bounds of a drawable.
    drawable: Drawable = DRAWABLE(2), Self::new(0, Aabb::EMPTY);
    /// The node's own layers.
    layers: Layers = LAYERS(3), Self::ALL;
    /// The node's own [view range](crate::Node::view_range).
    range: ViewRange = RANGE(16), Self::UNSET;
    name: Box<str> = NAME(4), Self::default();
    /// A nonzero number of the user's own.
    user_data: u32 = USER_DATA(5), 0;
    /// The local transform if it shears or is flat.
    matrix: Mat34 = MATRIX(6), Self::IDENTITY;
    /// The rounding error of the translation in single precision, if it is not zero.
    remainder: Vec3 = REMAINDER(7), Self::ZERO;
}

/// Implements [`Saved`] for components of a fixed length in bytes, each with its check.
macro_rules! saved {
    ($($type:ty: $kept:expr;)*) => {
        $(impl Saved for $type {
            fn write(&self, out: &mut Writer) {
                out.one(*self);
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, BytesError> {
                from.one()
            }

            fn is_kept(&self) -> bool {
                let kept: fn(&Self) -> bool = $kept;
                kept(self)
            }

            fn has_bits_of(&self, other: &Self) -> bool {
                bytes::same(*self, *other)
            }
        })*
    };
}

saved! {
    Drawable: Self::is_kept;
    u32: |&user_data| user_data != 0;
    Mat34: |&matrix| Local::Matrix(matrix).is_kept();
    // Whether the remainder fits the translation is checked when both are known.
    Vec3: |&lost| lost != Self::ZERO && lost.is_finite();
}

bytes::structures! {
    Drawable { mesh: u32, bounds: Aabb };
}

impl Saved for ViewRange {
    fn write(&self, out: &mut Writer) {
        out.array(&self.ends());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, BytesError> {
        Self::of_ends([from.one()?, from.one()?]).ok_or_else(|| BytesError::invalid("a range has no distances"))
    }

    fn has_bits_of(&self, other: &Self) -> bool {
        bytes::same(self.ends(), other.ends())
    }
}

impl Saved for Layers {
    fn write(&self, out: &mut Writer) {
        out.one(self.mask());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, BytesError> {
        from.one().map(Self::new)
    }
}

impl Saved for Box<str> {
    fn write(&self, out: &mut Writer) {
        out.text(self);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, BytesError> {
        Ok(fallible::text(from.text()?)?)
    }

    fn owned_bytes(&self) -> usize {
        self.len()
    }

    fn try_copy(&self) -> Result<Self, TryReserveError> {
        fallible::text(self)
    }
}
