//! Node descriptions as bytes, packed one after the other: in trees and in files.

use crate::bytes::{BytesError, Encode, Reader, Writer, ensure};
use crate::node::plain_components;
use crate::{Drawable, Layers, Local, Node, ViewRange, Visibility};
use glam::DVec3;
use hedgerow_math::internal::PackedTransform;
use std::collections::TryReserveError;

/// A list of descriptions as a scene stores them. A description has bytes only for its components. Most descriptions
/// fit into one cache line; a [`Node`] takes three. This matters because lists are not read in the order of writing.
///
/// ```text
/// bytes ── [ transform 40 or matrix 48 │ translation in double precision 24
///            │ material 4 │ mesh 4, bounds 24 │ visibility 4 │ layers 4 │ range 8 │ user data 4
///            │ name: length 4, text ]
/// ```
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    heads: Vec<Head>,
    bytes: Writer,
}

/// The components of a description, in the lowest bits, and the index of its first byte.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Head(u64);

macro_rules! parts {
    ($($variant:ident $field:ident: $type:ty, $set:ident, $name:literal;)*) => {
        /// A component of a description. Its number is its bit in a mask.
        #[derive(Clone, Copy)]
        enum Part {
            Local,
            /// The local transform is a matrix.
            Matrix,
            Translation,
            Anchored,
            Name,
            $($variant,)*
        }

        impl Head {
            /// The bits of all components.
            const MASK: u32 = (2 << Part::Name as u32) - 1 $(| 1 << Part::$variant as u32)*;
            const BITS: u32 = Self::MASK.count_ones();
        }

        /// Returns the mask of a node's components.
        #[inline]
        fn parts(node: &Node<'_>) -> u32 {
            let bit = |part: Part, has: bool| u32::from(has) << part as u32;
            bit(Part::Local, node.local.is_some())
                | bit(Part::Matrix, matches!(node.local, Some(Local::Matrix(_))))
                | bit(Part::Translation, node.translation_f64.is_some())
                | bit(Part::Anchored, node.anchored)
                | bit(Part::Name, node.name.is_some())
                $(| bit(Part::$variant, node.$field.to_bytes().is_some()))*
        }

        /// Appends the components of a node.
        #[inline]
        fn write(out: &mut Writer, node: &Node<'_>) {
            match node.local {
                Some(Local::Transform(transform)) => out.one(PackedTransform::from(transform)),
                Some(Local::Matrix(matrix)) => out.one(matrix),
                None => {}
            }
            if let Some(translation) = node.translation_f64 {
                out.one(translation.to_array());
            }
            $(if let Some(record) = node.$field.to_bytes() {
                out.one(record);
            })*
            if let Some(name) = node.name {
                out.text(name);
            }
        }

        /// Reads the bytes that [`write()`] appended for a node with these components. A plain component without a valid
        /// value is left out.
        #[inline]
        fn read<'b>(from: &mut Reader<'b>, parts: u32) -> Result<Node<'b>, BytesError> {
            let has = |part: Part| parts & 1 << part as u32 != 0;
            let mut node = Node::group();
            if has(Part::Matrix) {
                node.local = Some(Local::Matrix(from.one()?));
            } else if has(Part::Local) {
                node.local = Some(Local::Transform(from.one::<PackedTransform>()?.into()));
            }
            if has(Part::Translation) {
                node.translation_f64 = Some(DVec3::from_array(from.one()?));
            }
            node.anchored = has(Part::Anchored);
            $(if has(Part::$variant) {
                node.$field = Plain::of(from.one()?);
            })*
            if has(Part::Name) {
                node.name = Some(from.text()?);
            }
            Ok(node)
        }
    };
}
plain_components!(parts);

/// A component as bytes.
trait Plain: Copy {
    type Bytes: Encode;

    /// Returns the value as it is written; `None` if the node does not have the component.
    fn to_bytes(self) -> Option<Self::Bytes>;

    /// Returns the value that was written so, or that of a node without the component if it cannot have been written.
    fn of(bytes: Self::Bytes) -> Self;
}

/// Implements [`Plain`] by two functions.
macro_rules! plain {
    ($($type:ty as $bytes:ty: |$value:ident| $to:expr, |$read:ident| $of:expr;)*) => {
        $(impl Plain for $type {
            type Bytes = $bytes;

            #[inline(always)]
            fn to_bytes(self) -> Option<$bytes> {
                let $value = self;
                $to
            }

            #[inline(always)]
            fn of($read: $bytes) -> Self {
                $of
            }
        })*
    };
}

plain! {
    u32 as u32: |number| (number != 0).then_some(number), |number| number;
    Option<u32> as u32: |number| number, |number| Some(number);
    Option<Drawable> as Drawable: |drawable| drawable, |drawable| Some(drawable);
    Option<Layers> as u32: |layers| layers.map(Layers::mask), |mask| Some(Layers::new(mask));
    Option<ViewRange> as [f32; 2]: |range| range.map(ViewRange::ends), |ends| ViewRange::of_ends(ends);
    Visibility as u32: |visibility| (visibility as u32).to_bytes(), |number| match number {
        1 => Self::Hidden,
        2 => Self::Shown,
        _ => Self::Inherited,
    };
}

/// Reads the components of a node that has this mask. Checks that the node is as a scene keeps it.
#[inline]
pub(super) fn read_node<'b>(from: &mut Reader<'b>, mask: u32) -> Result<Node<'b>, BytesError> {
    let node = read(from, mask)?;
    ensure!(parts(&node) == mask, "unknown or invalid component");
    ensure!(node.is_kept(), "a value is not finite or not normalised");
    Ok(node)
}

impl Head {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "the lowest bits")]
    pub(super) fn parts(self) -> u32 {
        self.0 as u32 & Self::MASK
    }
}

impl Packed {
    pub(super) fn with_capacity(nodes: usize) -> Self {
        Self { heads: Vec::with_capacity(nodes), bytes: Writer::with_capacity(nodes * 32) }
    }

    pub(super) fn clear(&mut self) {
        self.heads.clear();
        self.bytes.clear();
    }

    #[inline]
    pub(super) fn push(&mut self, node: &Node<'_>) {
        self.heads.push(Head((self.bytes.as_bytes().len() as u64) << Head::BITS | u64::from(parts(node))));
        write(&mut self.bytes, node);
    }

    pub(super) fn heads(&self) -> &[Head] {
        &self.heads
    }

    #[inline]
    pub(super) fn node(&self, head: Head) -> Node<'_> {
        let start = usize::try_from(head.0 >> Head::BITS).expect("a position in a list that is in memory");
        read(&mut Reader::new(&self.bytes.as_bytes()[start..]), head.parts()).expect("a description as it was written")
    }

    /// Returns all descriptions, without their heads.
    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.as_bytes()
    }

    /// Reserves room for this many more descriptions and bytes.
    pub(super) fn try_reserve(&mut self, heads: usize, bytes: usize) -> Result<(), TryReserveError> {
        self.heads.try_reserve(heads)?;
        self.bytes.try_reserve(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Aabb;

    #[test]
    fn a_list_with_room_for_nodes_takes_them_without_growing() {
        let mut list = Packed::with_capacity(100);
        let room = |list: &Packed| [list.heads.as_ptr().addr(), list.as_bytes().as_ptr().addr()];
        let before = room(&list);
        (0..100).for_each(|_| list.push(&Node::drawable(Drawable::new(7, Aabb::cube(1.0)))));
        assert!(list.heads.len() == 100 && room(&list) == before);
    }

    #[test]
    fn a_component_is_read_only_if_it_can_have_been_written() {
        let read = |mask: u32, words: &[u32]| {
            let mut out = Writer::default();
            out.array(words);
            read_node(&mut Reader::new(out.as_bytes()), mask).is_ok()
        };
        let bit = |part: Part| 1 << part as u32;
        let [near, far] = [1.0_f32, 2.0].map(f32::to_bits);
        assert!(read(bit(Part::UserData), &[7]) && !read(bit(Part::UserData), &[0]));
        assert!(read(bit(Part::Visibility), &[2]) && !read(bit(Part::Visibility), &[0]));
        assert!(!read(bit(Part::Visibility), &[3]));
        assert!(read(bit(Part::ViewRange), &[near, far]) && !read(bit(Part::ViewRange), &[far, near]));
        assert!(read(bit(Part::Anchored), &[]) && !read(1 << Head::BITS, &[]));
        // A matrix or a translation in double precision without a local transform.
        assert!(!read(bit(Part::Matrix), &[near; 12]) && !read(bit(Part::Translation), &[0; 6]));
    }
}
