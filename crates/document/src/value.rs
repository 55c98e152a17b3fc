//! The fields of a node, and the values that a definition states for them.

use crate::order::Order;
use crate::path::Path;
use hedgerow::glam::DVec3;
use hedgerow::internal::plain_components;
use hedgerow::{Drawable, Local, Node, Place};
use std::sync::Arc;

/// Where a node is: below a parent, among siblings.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spot {
    /// The parent's path; `None` for the root of a definition. An override must name a parent in the node's own
    /// instance, by a path that begins with all ids of that instance: if definition 3 is a variant, the root of a part
    /// `3/0/2` is `3/0`, although [`Document::path`](crate::Document::path) calls that node `3`.
    pub parent: Option<Path>,
    /// The position among the parent's children.
    pub order: Order,
}

impl Spot {
    /// Returns the spot below a parent at an order.
    #[must_use]
    pub fn below(parent: impl Into<Path>, order: impl Into<Order>) -> Self {
        Self { parent: Some(parent.into()), order: order.into() }
    }

    /// The spot of a definition's root.
    pub const ROOT: Self = Self { parent: None, order: Order::ZERO };
}

/// Where new nodes go: to a spot, after siblings of equal order, or to a place beside nodes that are there. Both are
/// converted to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum At {
    /// Below a parent, at an order.
    Spot(Spot),
    /// As the first or last child of a node, or beside a sibling: see [`Document::path`](crate::Document::path).
    Place(Place<Path>),
}

impl From<Spot> for At {
    fn from(spot: Spot) -> Self {
        Self::Spot(spot)
    }
}

impl From<Place<Path>> for At {
    fn from(place: Place<Path>) -> Self {
        Self::Place(place)
    }
}

/// A local transform, with its translation in double precision if single precision does not have it: two fields of a
/// [`Node`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalValue {
    /// [`Node::local`].
    pub local: Local,
    /// [`Node::translation_f64`].
    pub translation_f64: Option<DVec3>,
}

macro_rules! values {
    ($($variant:ident $field:ident: $type:ty, $set:ident, $name:literal;)*) => {
        /// A field of a node.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Field {
            /// The place in the tree. An own node of a definition exists if its place is stated.
            Place,
            /// The definition that the node uses: the node is that definition's root.
            Use,
            /// The local transform, with its translation in double precision.
            Local,
            /// Whether the local transform is relative to the world.
            Anchored,
            /// The name.
            Name,
            $(#[doc = concat!("The ", $name, ".")]
            $variant,)*
            /// Data of your own, by a number of your own. It is in the library alone: scenes know nothing of it.
            Own(u16),
        }

        impl Field {
            /// The components of a scene's nodes.
            pub const COMPONENTS: [Self; 3 + [$($name),*].len()] =
                [Self::Local, Self::Anchored, Self::Name, $(Self::$variant),*];
        }

        /// The value of a field. "None" is a value, which an override may state; unstated is something else.
        #[derive(Clone, Debug)]
        #[non_exhaustive]
        pub enum Value {
            /// [`Field::Place`]; `None` if an override removes the node.
            Place(Option<Spot>),
            /// [`Field::Use`].
            Use(Option<Arc<str>>),
            /// [`Field::Local`].
            Local(Option<Box<LocalValue>>),
            /// [`Field::Anchored`].
            Anchored(bool),
            /// [`Field::Name`].
            Name(Option<Box<str>>),
            $(#[doc = concat!("[`Field::", stringify!($variant), "`].")]
            $variant($type),)*
            /// [`Field::Own`]: its number and its bytes.
            Own(u16, Option<Box<[u8]>>),
        }

        impl Value {
            /// Returns the field of the value.
            #[must_use]
            pub const fn field(&self) -> Field {
                match self {
                    Self::Place(_) => Field::Place,
                    Self::Use(_) => Field::Use,
                    Self::Local(_) => Field::Local,
                    Self::Anchored(_) => Field::Anchored,
                    Self::Name(_) => Field::Name,
                    $(Self::$variant(_) => Field::$variant,)*
                    Self::Own(number, _) => Field::Own(*number),
                }
            }

            /// Returns a component of a node; `None` if the field is none.
            #[must_use]
            pub fn of(node: &Node<'_>, field: Field) -> Option<Self> {
                Some(match field {
                    Field::Local => Self::Local(node.local.map(|local| {
                        Box::new(LocalValue { local, translation_f64: node.translation_f64 })
                    })),
                    Field::Anchored => Self::Anchored(node.anchored),
                    Field::Name => Self::Name(node.name.map(Into::into)),
                    $(Field::$variant => Self::$variant(node.$field),)*
                    Field::Place | Field::Use | Field::Own(_) => return None,
                })
            }

            /// Sets the component of a node, if the value is one.
            pub fn put<'v>(&'v self, node: &mut Node<'v>) {
                match self {
                    Self::Local(local) => {
                        node.local = local.as_ref().map(|value| value.local);
                        node.translation_f64 = local.as_ref().and_then(|value| value.translation_f64);
                    }
                    Self::Anchored(anchored) => node.anchored = *anchored,
                    Self::Name(name) => node.name = name.as_deref(),
                    $(Self::$variant(value) => node.$field = *value,)*
                    Self::Place(_) | Self::Use(_) | Self::Own(..) => {}
                }
            }
        }
    };
}
plain_components!(values);

impl Value {
    /// Returns the values of the components that a node has.
    pub(crate) fn components(node: &Node<'_>) -> impl Iterator<Item = Self> {
        let group = Node::group();
        let stated =
            |field: &Field| Self::of(node, *field).filter(|value| Some(value) != Self::of(&group, *field).as_ref());
        Field::COMPONENTS.iter().filter_map(stated).collect::<Vec<_>>().into_iter()
    }

    /// Returns the value as a scene keeps it.
    pub(crate) fn checked(self) -> Result<Self, hedgerow::Error> {
        let mut node = Node::group();
        self.put(&mut node);
        match Self::of(&node.checked()?, self.field()) {
            Some(kept) => Ok(kept),
            None => Ok(self),
        }
    }

    /// Returns the value; with another parent, if it is a place that has one.
    pub(crate) fn with_parent(&self, renamed: impl FnOnce(&Path) -> Path) -> Self {
        match self {
            Self::Place(Some(Spot { parent: Some(parent), order })) => {
                Self::Place(Some(Spot { parent: Some(renamed(parent)), order: *order }))
            }
            value => value.clone(),
        }
    }

    /// Returns the definition that a value names.
    pub(crate) fn uses(&self) -> Option<&Arc<str>> {
        if let Self::Use(uses) = self { uses.as_ref() } else { None }
    }

    /// Returns the place of a value that is one.
    pub(crate) fn spot(&self) -> Option<&Spot> {
        if let Self::Place(spot) = self { spot.as_ref() } else { None }
    }
}

/// Compares numbers to the bit.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        if self.field() != other.field() {
            return false;
        }
        match (self, other) {
            (Self::Place(a), Self::Place(b)) => a == b,
            (Self::Use(a), Self::Use(b)) => a == b,
            (Self::Own(_, a), Self::Own(_, b)) => a == b,
            _ => {
                let (mut a, mut b) = (Node::group(), Node::group());
                self.put(&mut a);
                other.put(&mut b);
                same(&a, &b)
            }
        }
    }
}

/// Returns whether two descriptions are equal to the bit.
pub(crate) fn same(a: &Node<'_>, b: &Node<'_>) -> bool {
    let local = |node: &Node<'_>| (node.local.map(local_bits), wide_bits(node.translation_f64));
    let drawable = |drawable: Drawable| {
        let corners = [drawable.bounds.min, drawable.bounds.max].map(|corner| corner.to_array().map(f32::to_bits));
        (drawable.mesh, corners)
    };
    local(a) == local(b)
        && a.drawable.map(drawable) == b.drawable.map(drawable)
        && Node { local: None, drawable: None, translation_f64: None, ..*a }
            == Node { local: None, drawable: None, translation_f64: None, ..*b }
}

fn wide_bits(at: Option<DVec3>) -> Option<[u64; 3]> {
    at.map(|at| at.to_array().map(f64::to_bits))
}

/// Returns the form of a local transform, and its numbers.
fn local_bits(local: Local) -> (bool, [[u32; 4]; 3]) {
    match local {
        Local::Matrix(matrix) => (true, matrix.to_bits()),
        Local::Transform(transform) => {
            let ([x, y, z], [a, b, c]) = (transform.translation.to_array(), transform.scale.to_array());
            let rows = [[x, y, z, 0.0], transform.rotation.to_array(), [a, b, c, 0.0]];
            (false, rows.map(|row| row.map(f32::to_bits)))
        }
    }
}
