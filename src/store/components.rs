//! The components that few nodes have, each a [`Side`], named once in one table.

use crate::fallible;
use crate::record::{self, BytesError, Reader, Writer, ensure};
use crate::store::Usage;
use crate::store::record::{Has, Record, RecordId};
use crate::store::side::{Side, Value};
use crate::{Aabb, Drawable, Layers, ViewRange};
use glam::Vec3;
use hedgerow_math::Mat34;

/// A component as snapshots write it.
trait Saved: Sized {
    fn write(&self, out: &mut Writer);

    fn read(from: &mut Reader<'_>) -> Result<Self, BytesError>;

    /// Whether a node can have it.
    fn is_sound(&self) -> bool;

    /// The bytes that a value owns elsewhere.
    fn owned_bytes(&self) -> usize {
        0
    }
}

/// The memory use of a component.
fn usage<T: Value + Saved>(side: &Side<T>) -> Usage {
    let owned: usize = side.iter().map(|(_, value)| value.owned_bytes()).sum();
    let live = side.len();
    Usage { live, live_bytes: live * size_of::<T>() + owned, allocated_bytes: side.bytes() + owned }
}

/// Makes [`Components`] of a table: field, type of a value, bit of [`Has`], and what is where no value is.
macro_rules! components {
    ($($(#[$doc:meta])* $field:ident: $type:ty = $bit:ident, $unset:expr;)*) => {
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

        impl Components {
            /// The bits of all components.
            pub(crate) const ALL: Has = Has($(Has::$bit.0)|*);

            /// Removes everything that a node has.
            pub(crate) fn remove_all(&mut self, id: RecordId, has: Has) {
                $(if has.has(Has::$bit) {
                    self.$field.remove(id);
                })*
            }

            /// How many values there are of each, with its name and its bit.
            pub(crate) fn counts(&self) -> impl Iterator<Item = (&'static str, Has, usize)> {
                [$((stringify!($field), Has::$bit, self.$field.len())),*].into_iter()
            }

            /// The memory use of all but names.
            pub(crate) fn usage(&self) -> Usage {
                let all = [$(usage(&self.$field)),*].into_iter().fold(Usage::default(), Usage::plus);
                all.minus(self.name_usage())
            }

            /// The memory use of names and their texts.
            pub(crate) fn name_usage(&self) -> Usage {
                usage(&self.name)
            }

            /// Gives back memory that is unused.
            pub(crate) fn shrink(&mut self) {
                $(self.$field.shrink();)*
            }

            /// Whether what a record says that it has is there, and no more.
            pub(crate) fn agree_with(&self, id: RecordId, record: &Record) -> bool {
                true $(&& record.has.has(Has::$bit) == self.$field.get(id).is_some())*
            }

            /// Writes all values, by component and record.
            pub(crate) fn write(&self, out: &mut Writer) {
                $(self.$field.iter().for_each(|(_, value)| Saved::write(value, out));)*
            }

            /// Reads what [`Self::write`] wrote, given what records have, in ascending order.
            ///
            /// # Errors
            /// [`BytesError`].
            pub(crate) fn read(from: &mut Reader<'_>, nodes: &[(RecordId, Has)]) -> Result<Self, BytesError> {
                let mut components = Self::default();
                $(for &(id, _) in nodes.iter().filter(|(_, has)| has.has(Has::$bit)) {
                    let value = <$type as Saved>::read(from)?;
                    ensure!(Saved::is_sound(&value), concat!("a component is none that a node can have: ", stringify!($field)));
                    components.$field.try_insert(id, value)?;
                })*
                Ok(components)
            }
        }
    };
}

components! {
    /// Mesh and bounds of what is drawn.
    drawable: Drawable = DRAWABLE, Self::new(0, Aabb::EMPTY);
    /// The node's own layers.
    layers: Layers = LAYERS, Self::ALL;
    range: ViewRange = RANGE, Self::UNSET;
    name: Box<str> = NAME, Self::default();
    /// A number of the user's, which is not 0.
    user_data: u32 = USER_DATA, 0;
    /// The local transform, where it shears or is flat.
    matrix: Mat34 = MATRIX, Self::IDENTITY;
    /// What single precision loses of the translation; not zero.
    remainder: Vec3 = REMAINDER, Self::ZERO;
}

/// Components of a fixed length in bytes, with what makes them sound.
macro_rules! saved {
    ($($type:ty: $sound:expr;)*) => {
        $(impl Saved for $type {
            fn write(&self, out: &mut Writer) {
                out.one(*self);
            }

            fn read(from: &mut Reader<'_>) -> Result<Self, BytesError> {
                from.one()
            }

            fn is_sound(&self) -> bool {
                let sound: fn(&Self) -> bool = $sound;
                sound(self)
            }
        })*
    };
}

saved! {
    Drawable: record::Record::is_sound;
    u32: |&user_data| user_data != 0;
    Mat34: Self::is_finite;
    // Whether it fits the translation is seen where both are known.
    Vec3: |&lost| lost != Self::ZERO && lost.is_finite();
}

record::structures! {
    Drawable { mesh: u32, bounds: Aabb } if |drawable| drawable.bounds.is_sound();
}

impl Saved for ViewRange {
    fn write(&self, out: &mut Writer) {
        out.array(&self.ends());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, BytesError> {
        Self::of_ends([from.one()?, from.one()?]).ok_or_else(|| BytesError::invalid("a range has no distances"))
    }

    fn is_sound(&self) -> bool {
        true
    }
}

impl Saved for Layers {
    fn write(&self, out: &mut Writer) {
        out.one(self.mask());
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, BytesError> {
        from.one().map(Self::new)
    }

    fn is_sound(&self) -> bool {
        true
    }
}

impl Saved for Box<str> {
    fn write(&self, out: &mut Writer) {
        out.text(self);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, BytesError> {
        Ok(fallible::text(from.text()?)?)
    }

    fn is_sound(&self) -> bool {
        true
    }

    fn owned_bytes(&self) -> usize {
        self.len()
    }
}
