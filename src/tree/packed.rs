//! Node descriptions, packed one after the other.

use crate::record::{BytesError, ensure};
use crate::{Aabb, Drawable, Layers, Local, Mat34, Node, Transform, ViewRange, Visibility};
use glam::{DVec3, Vec3};
use hedgerow_math::internal::PackedTransform;
use std::collections::TryReserveError;

/// A list of descriptions as a scene stores them. A description has words only for its components. Most descriptions
/// fit into one cache line; a [`Node`] takes three. This matters because lists are not read in the order of writing.
///
/// ```text
/// words ── [ transform 10 or matrix 12 │ layers 1 │ material 1 │ mesh 1, bounds 6 │ user data 1
///            │ translation in double precision 6 │ range 2 │ name: length 1, start 2 ]
/// ```
#[derive(Clone, Debug, Default)]
pub(super) struct Packed {
    heads: Vec<Head>,
    words: Vec<u32>,
    /// All names, one after the other.
    names: String,
}

/// The components of a description, in the lowest bits, and the index of its first word.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Head(u64);

impl Head {
    const LOCAL: u64 = 1;
    const LAYERS: u64 = 1 << 1;
    const MATERIAL: u64 = 1 << 2;
    const DRAWABLE: u64 = 1 << 3;
    pub(super) const NAME: u64 = 1 << 4;
    const MATRIX: u64 = 1 << 5;
    const USER_DATA: u64 = 1 << 6;
    const TRANSLATION: u64 = 1 << 7;
    /// `HIDDEN` and `SHOWN` are the two bits of a [`Visibility`].
    const HIDDEN: u64 = 1 << 8;
    const SHOWN: u64 = 1 << 9;
    const ANCHORED: u64 = 1 << 10;
    const RANGE: u64 = 1 << 11;
    const BITS: u32 = 12;

    #[expect(clippy::cast_possible_truncation, reason = "the lowest bits")]
    pub(super) fn parts(self) -> u32 {
        self.0 as u32 & ((1 << Self::BITS) - 1)
    }

    /// Creates the head of a description that has these components and whose words start at 0.
    pub(super) fn of_parts(parts: u32) -> Self {
        Self(u64::from(parts))
    }

    /// Returns the number of words that a description with this head takes, without the words of its name.
    pub(super) fn words(self) -> usize {
        LENGTHS.iter().filter(|(part, _)| self.has(*part)).map(|(_, words)| words).sum()
    }

    /// Returns whether a description can have these components.
    pub(super) fn is_sound(self) -> bool {
        let whole = self.has(Self::LOCAL) || !self.has(Self::MATRIX | Self::TRANSLATION);
        self.0 >> Self::BITS == 0 && whole && !(self.has(Self::HIDDEN) && self.has(Self::SHOWN))
    }

    #[inline]
    pub(super) fn has(self, part: u64) -> bool {
        self.0 & part != 0
    }

    #[inline]
    fn start(self) -> usize {
        usize::try_from(self.0 >> Self::BITS).expect("a place in a list that is in memory")
    }
}

/// The number of words of each component; a matrix takes two more than a transform.
const LENGTHS: [(u64, usize); 8] = [
    (Head::LOCAL, 10),
    (Head::MATRIX, 2),
    (Head::LAYERS, 1),
    (Head::MATERIAL, 1),
    (Head::DRAWABLE, 7),
    (Head::USER_DATA, 1),
    (Head::TRANSLATION, 6),
    (Head::RANGE, 2),
];

/// The greatest number of words of a description, without the words of its name.
pub(super) const MOST_WORDS: usize = 30;

impl Packed {
    pub(super) fn with_capacity(nodes: usize) -> Self {
        Self { heads: Vec::with_capacity(nodes), words: Vec::with_capacity(nodes * 8), names: String::new() }
    }

    pub(super) fn clear(&mut self) {
        self.heads.clear();
        self.words.clear();
        self.names.clear();
    }

    #[inline]
    pub(super) fn push(&mut self, node: &Node<'_>) {
        let mut head = (self.words.len() as u64) << Head::BITS;
        match &node.local {
            Some(Local::Transform(Transform { translation, rotation, scale })) => {
                head |= Head::LOCAL;
                let ([tx, ty, tz], [qx, qy, qz, qw]) = (translation.to_array(), rotation.to_array());
                let [sx, sy, sz] = scale.to_array();
                self.words.extend_from_slice(&[tx, ty, tz, qx, qy, qz, qw, sx, sy, sz].map(f32::to_bits));
            }
            Some(Local::Matrix(matrix)) => {
                head |= Head::LOCAL | Head::MATRIX;
                self.words.extend(matrix.rows.as_flattened().iter().map(|number| number.to_bits()));
            }
            None => {}
        }
        head |= Head::HIDDEN * node.visibility as u64;
        head |= Head::ANCHORED * u64::from(node.anchored);
        if let Some(layers) = node.layers {
            head |= Head::LAYERS;
            self.words.push(layers.mask());
        }
        if let Some(material) = node.material {
            head |= Head::MATERIAL;
            self.words.push(material);
        }
        if let Some(Drawable { mesh, bounds }) = &node.drawable {
            head |= Head::DRAWABLE;
            let ([ax, ay, az], [bx, by, bz]) = (bounds.min.to_array(), bounds.max.to_array());
            let [ax, ay, az, bx, by, bz] = [ax, ay, az, bx, by, bz].map(f32::to_bits);
            self.words.extend_from_slice(&[*mesh, ax, ay, az, bx, by, bz]);
        }
        if node.user_data != 0 {
            head |= Head::USER_DATA;
            self.words.push(node.user_data);
        }
        if let Some(translation) = node.translation_f64 {
            head |= Head::TRANSLATION;
            self.words.extend(translation.to_array().into_iter().flat_map(|number| halves(number.to_bits())));
        }
        if let Some(range) = node.view_range {
            head |= Head::RANGE;
            self.words.extend_from_slice(&range.ends().map(f32::to_bits));
        }
        if let Some(name) = node.name {
            head |= Head::NAME;
            self.words.push(u32::try_from(name.len()).expect("a name is shorter than 4 GiB"));
            self.words.extend(halves(self.names.len() as u64));
            self.names.push_str(name);
        }
        self.heads.push(Head(head));
    }

    pub(super) fn heads(&self) -> &[Head] {
        &self.heads
    }

    #[inline]
    pub(super) fn node(&self, head: Head) -> Node<'_> {
        let mut words = Words(&self.words[head.start()..]);
        let mut node = words.node(head);
        if head.has(Head::NAME) {
            let (length, start) = (words.next(), words.whole());
            let place = |at: u64| usize::try_from(at).expect("names lie in memory");
            node.name = Some(&self.names[place(start)..place(start + u64::from(length))]);
        }
        node
    }

    /// Returns the words of a description, without the words of its name.
    pub(super) fn words(&self, head: Head) -> &[u32] {
        &self.words[head.start()..][..head.words()]
    }

    /// Reserves room for this many more descriptions, words and bytes of names.
    pub(super) fn try_reserve(&mut self, [heads, words, names]: [usize; 3]) -> Result<(), TryReserveError> {
        self.heads.try_reserve(heads)?;
        self.words.try_reserve(words)?;
        self.names.try_reserve(names)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the two halves of a number")]
fn halves(number: u64) -> [u32; 2] {
    [number as u32, (number >> 32) as u32]
}

pub(super) struct Words<'l>(pub(super) &'l [u32]);

impl Words<'_> {
    #[inline]
    fn node(&mut self, head: Head) -> Node<'static> {
        let mut node = Node::group();
        if head.has(Head::MATRIX) {
            node.local = Some(Local::Matrix(Mat34 { rows: [self.numbers(), self.numbers(), self.numbers()] }));
        } else if head.has(Head::LOCAL) {
            let (translation, rotation, scale) = (self.numbers(), self.numbers(), self.numbers());
            node.local = Some(Local::Transform(PackedTransform { translation, rotation, scale }.into()));
        }
        if head.has(Head::HIDDEN) {
            node.visibility = Visibility::Hidden;
        } else if head.has(Head::SHOWN) {
            node.visibility = Visibility::Shown;
        }
        node.anchored = head.has(Head::ANCHORED);
        if head.has(Head::LAYERS) {
            node.layers = Some(Layers::new(self.next()));
        }
        if head.has(Head::MATERIAL) {
            node.material = Some(self.next());
        }
        if head.has(Head::DRAWABLE) {
            let (mesh, min, max) = (self.next(), self.numbers(), self.numbers());
            node.drawable = Some(Drawable::new(mesh, Aabb { min: Vec3::from_array(min), max: Vec3::from_array(max) }));
        }
        if head.has(Head::USER_DATA) {
            node.user_data = self.next();
        }
        if head.has(Head::TRANSLATION) {
            let numbers = [self.whole(), self.whole(), self.whole()].map(f64::from_bits);
            node.translation_f64 = Some(DVec3::from_array(numbers));
        }
        if head.has(Head::RANGE) {
            node.view_range = ViewRange::of_ends(self.numbers());
        }
        node
    }

    /// Reads a description. Checks that it is as a scene keeps it, and that its components are those in `head`.
    pub(super) fn checked_node(&mut self, head: Head) -> Result<Node<'static>, BytesError> {
        let node = self.node(head);
        ensure!(head.has(Head::RANGE) == node.view_range.is_some(), "a range has no distances");
        ensure!(head.has(Head::USER_DATA) == (node.user_data != 0), "the user data is none");
        ensure!(node.is_kept(), "a value is not finite or not normalised");
        Ok(node)
    }

    #[inline(always)]
    fn array<const N: usize>(&mut self) -> [u32; N] {
        let (words, rest) = self.0.split_first_chunk().expect("a description has the words that its head says");
        self.0 = rest;
        *words
    }

    #[inline(always)]
    fn next(&mut self) -> u32 {
        let [word] = self.array();
        word
    }

    #[inline(always)]
    fn whole(&mut self) -> u64 {
        let [low, high] = self.array().map(u64::from);
        high << 32 | low
    }

    #[inline(always)]
    fn numbers<const N: usize>(&mut self) -> [f32; N] {
        self.array().map(f32::from_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Packed {
        /// Returns the length and the capacity of the descriptions, words and names.
        fn lengths(&self) -> [[usize; 2]; 3] {
            let Self { heads, words, names } = self;
            [[heads.len(), heads.capacity()], [words.len(), words.capacity()], [names.len(), names.capacity()]]
        }
    }

    #[test]
    fn a_list_with_room_for_nodes_takes_them_without_growing() {
        let mut list = Packed::with_capacity(100);
        let room = list.lengths().map(|[_, room]| room);
        (0..100).for_each(|_| list.push(&Node::drawable(Drawable::new(7, Aabb::cube(1.0)))));
        assert!(list.heads.len() == 100 && list.lengths().map(|[_, room]| room) == room);
    }
}
