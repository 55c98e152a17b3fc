//! The fields of a node, and their values.

#[cfg(feature = "serde")]
use crate::Error;
use crate::edit::Change;
use crate::node::plain_components;
use crate::{Drawable, Keep, Local, Node, wide};
use glam::Vec3;

/// The place of a node in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Spot {
    /// The id of the parent; `None` for a root.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub parent: Option<u64>,
    /// The id of the previous sibling; `None` for the first.
    #[cfg_attr(feature = "serde", serde(default, skip_serializing_if = "Option::is_none"))]
    pub after: Option<u64>,
}

macro_rules! values {
    ($($variant:ident $field:ident: $type:ty, $set:ident, $name:literal;)*) => {
        /// A field of a node that a patch can change.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
        #[non_exhaustive]
        pub enum Field {
            /// The place in the tree, if the node is in the tree.
            Place,
            /// The local transform, with its translation in double precision.
            Local,
            /// Whether the local transform is relative to the world.
            Anchored,
            /// The name.
            Name,
            $(#[doc = concat!("The ", $name, ".")]
            $variant,)*
        }

        impl Field {
            /// All fields, in the order of entries.
            pub const ALL: [Self; 4 + [$($name),*].len()] =
                [Self::Place, Self::Local, Self::Anchored, Self::Name, $(Self::$variant),*];
        }

        /// The value of a field.
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        #[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
        #[non_exhaustive]
        pub enum Value {
            /// [`Field::Place`]; `None` if the node is not in the tree.
            Place(Option<Spot>),
            /// [`Field::Local`]. In text it is `{"local": …}`, whose translation may be in double precision.
            #[cfg_attr(feature = "serde", serde(with = "crate::tree::local::value"))]
            Local {
                /// [`Node::local`].
                local: Option<Local>,
                /// [`Node::translation_f64`] minus the local translation, which single precision represents exactly.
                remainder: Option<[f32; 3]>,
            },
            /// [`Field::Anchored`].
            Anchored(bool),
            /// [`Field::Name`].
            Name(Option<Box<str>>),
            $(#[doc = concat!("[`Field::", stringify!($variant), "`].")]
            $variant($type),)*
        }

        impl Value {
            /// Returns the field of the value.
            #[must_use]
            pub fn field(&self) -> Field {
                match self {
                    Self::Place(_) => Field::Place,
                    Self::Local { .. } => Field::Local,
                    Self::Anchored(_) => Field::Anchored,
                    Self::Name(_) => Field::Name,
                    $(Self::$variant(_) => Field::$variant,)*
                }
            }

            /// Returns a component of a node; `Place(None)` for its place.
            pub(super) fn of(node: &Node<'_>, field: Field) -> Self {
                match field {
                    Field::Place => Self::Place(None),
                    Field::Local => {
                        let remainder = node.translation_f64.map(|_| node.remainder().to_array());
                        Self::Local { local: node.local, remainder }
                    }
                    Field::Anchored => Self::Anchored(node.anchored),
                    Field::Name => Self::Name(node.name.map(Into::into)),
                    $(Field::$variant => Self::$variant(node.$field),)*
                }
            }

            pub(super) fn put<'v>(&'v self, node: &mut Node<'v>) {
                match self {
                    Self::Place(_) => {}
                    Self::Local { local, remainder } => {
                        let rounded = local.map_or(Vec3::ZERO, |local| local.translation());
                        node.local = *local;
                        node.translation_f64 = remainder.map(|lost| wide::join(rounded, lost.into()));
                    }
                    Self::Anchored(anchored) => node.anchored = *anchored,
                    Self::Name(name) => node.name = name.as_deref(),
                    $(Self::$variant(value) => node.$field = *value,)*
                }
            }

            /// Returns the change that sets the component, without the translation in double precision; `None` for a
            /// place.
            pub(super) fn change(&self) -> Option<Change> {
                Some(match self {
                    Self::Place(_) => return None,
                    Self::Local { local, .. } => Change::Local(*local),
                    Self::Anchored(anchored) => Change::Anchored(*anchored, Keep::Local),
                    Self::Name(name) => Change::Name(name.clone()),
                    $(Self::$variant(value) => Change::$variant(*value),)*
                })
            }
        }
    };
}
plain_components!(values);

impl Value {
    pub(super) fn components(node: &Node<'_>) -> impl Iterator<Item = Self> {
        Field::ALL[1..].iter().map(|&field| Self::of(node, field))
    }

    pub(super) fn alone(&self) -> Node<'_> {
        let mut node = Node::group();
        self.put(&mut node);
        node
    }

    /// Returns whether a node without components has this value.
    pub(super) fn is_default(&self) -> bool {
        self.same(&Self::of(&Node::group(), self.field()))
    }

    /// Returns the value as a scene keeps it.
    #[cfg(feature = "serde")]
    pub(super) fn checked(&self) -> Result<Self, Error> {
        match self {
            Self::Place(_) => Ok(self.clone()),
            value => Ok(Self::of(&value.alone().checked()?, self.field())),
        }
    }

    /// Returns whether the value is as a scene keeps it, to the bit.
    pub(super) fn is_kept(&self) -> bool {
        let node = self.alone();
        node.is_plain() || node.is_kept() && self.same(&Self::of(&node, self.field()))
    }

    /// Returns the ids that the value refers to.
    pub(super) fn ids(&self) -> [Option<u64>; 2] {
        if let Self::Place(Some(spot)) = self { [spot.parent, spot.after] } else { [None; 2] }
    }

    pub(super) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Local { local: a, remainder: c }, Self::Local { local: b, remainder: d }) => {
                a.map(local_bits) == b.map(local_bits) && c.map(bits) == d.map(bits)
            }
            (Self::Drawable(a), Self::Drawable(b)) => {
                let all = |drawable: Drawable| {
                    (drawable.mesh, [drawable.bounds.min, drawable.bounds.max].map(|at| bits(at.to_array())))
                };
                a.map(all) == b.map(all)
            }
            _ => self == other,
        }
    }
}

/// Returns the form of a local transform, and its numbers.
fn local_bits(local: Local) -> (bool, [[u32; 4]; 3]) {
    match local {
        Local::Matrix(matrix) => (true, matrix.to_bits()),
        Local::Transform(transform) => {
            let ([x, y, z], [a, b, c]) = (transform.translation.to_array(), transform.scale.to_array());
            (false, [[x, y, z, 0.0], transform.rotation.to_array(), [a, b, c, 0.0]].map(bits))
        }
    }
}

fn bits<const N: usize>(numbers: [f32; N]) -> [u32; N] {
    numbers.map(f32::to_bits)
}
