//! Node descriptions, and what nodes have besides, packed one after the other.

use crate::store::Additions;
use crate::{Aabb, Mat34};
use crate::{Error, Local, Node, Shape, Transform, Visibility};
use glam::Vec3;
use hedgerow_math::internal::PackedTransform;

/// A list of descriptions as a scene stores them. Each takes words only for the components that it has. Most fit into
/// one cache line, where a [`Node`] takes three; this matters because lists are read in another order than they are
/// written.
///
/// ```text
/// words ── [ transform 10 or matrix 12 │ visibility 1 │ material 1 │ mesh 1, bounds 6 │ name: start 2, length 1
///            │ additions: word 1, remainder 3 ]
/// ```
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeList {
    heads: Vec<Head>,
    words: Vec<u32>,
    /// All names, one after the other.
    names: String,
}

/// Which components a description has (the lowest bits), and where its words start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head(u64);

impl Head {
    const LOCAL: u64 = 1;
    const VISIBILITY: u64 = 1 << 1;
    const MATERIAL: u64 = 1 << 2;
    const SHAPE: u64 = 1 << 3;
    const NAME: u64 = 1 << 4;
    /// Set if the local transform is a matrix.
    const MATRIX: u64 = 1 << 5;
    /// Set if the node has something besides its description.
    const ADDITIONS: u64 = 1 << 6;
    const BITS: u32 = 7;

    #[inline]
    fn has(self, part: u64) -> bool {
        self.0 & part != 0
    }
}

impl NodeList {
    pub(crate) fn with_capacity(nodes: usize) -> Self {
        Self { heads: Vec::with_capacity(nodes), words: Vec::with_capacity(nodes * 8), names: String::new() }
    }

    pub(crate) fn len(&self) -> usize {
        self.heads.len()
    }

    pub(crate) fn clear(&mut self) {
        self.heads.clear();
        self.words.clear();
        self.names.clear();
    }

    /// Appends a description as a scene stores it. If a scene would refuse it, returns the error and appends a node
    /// without components.
    #[inline]
    pub(crate) fn push(&mut self, node: &Node<'_>) -> Result<(), Error> {
        if node.is_plain() {
            self.push_checked(node);
            return Ok(());
        }
        let checked = node.checked();
        self.push_checked(checked.as_ref().unwrap_or(&Node::group()));
        checked.map(drop)
    }

    /// Appends a description that a scene stores, or would store, unchanged.
    #[inline]
    pub(crate) fn push_checked(&mut self, node: &Node<'_>) {
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
        if let Some(visibility) = node.visibility {
            head |= Head::VISIBILITY;
            self.words.push(visibility.mask());
        }
        if let Some(material) = node.material {
            head |= Head::MATERIAL;
            self.words.push(material);
        }
        if let Some(Shape { mesh, bounds }) = &node.shape {
            head |= Head::SHAPE;
            let ([ax, ay, az], [bx, by, bz]) = (bounds.min.to_array(), bounds.max.to_array());
            let [ax, ay, az, bx, by, bz] = [ax, ay, az, bx, by, bz].map(f32::to_bits);
            self.words.extend_from_slice(&[*mesh, ax, ay, az, bx, by, bz]);
        }
        if let Some(name) = node.name {
            head |= Head::NAME;
            let (start, length) = (self.names.len(), u32::try_from(name.len()).expect("a name is shorter than 4 GiB"));
            #[expect(clippy::cast_possible_truncation, reason = "the two halves of a number")]
            self.words.extend([start as u32, (start as u64 >> 32) as u32, length]);
            self.names.push_str(name);
        }
        self.heads.push(Head(head));
    }

    /// Appends what the last node has besides its description.
    pub(crate) fn add(&mut self, additions: &Additions) {
        if let Some(head) = self.heads.last_mut()
            && additions.any()
        {
            head.0 |= Head::ADDITIONS;
            self.words.push(additions.word);
            self.words.extend(additions.remainder.to_array().map(f32::to_bits));
        }
    }

    /// The heads of all descriptions.
    pub(crate) fn heads(&self) -> &[Head] {
        &self.heads
    }

    /// A description.
    pub(crate) fn node(&self, head: Head) -> Node<'_> {
        let mut words = self.words(head);
        let local = words.local().map(|local| match local {
            Packed::Transform(packed) => Local::Transform(packed.into()),
            Packed::Matrix(matrix) => Local::Matrix(matrix),
        });
        let (visibility, material) = (words.visibility(), words.material());
        let shape = words.shape().map(|(mesh, bounds)| Shape::new(mesh, bounds));
        Node { local, material, shape, visibility, name: words.name() }
    }

    /// What a node has besides its description, if there is anything.
    pub(crate) fn additions(&self, head: Head) -> Option<Additions> {
        if !head.has(Head::ADDITIONS) {
            return None;
        }
        let mut words = self.words(head);
        // They lie behind all that is read before.
        let _ = (words.local(), words.visibility(), words.material(), words.shape(), words.name());
        words.additions()
    }

    /// A description whose parts are read one by one.
    #[inline]
    pub(crate) fn words(&self, head: Head) -> Words<'_> {
        Words { head, rest: &self.words[start(head)..], names: &self.names }
    }
}

/// Where a description's words start.
#[inline]
fn start(head: Head) -> usize {
    usize::try_from(head.0 >> Head::BITS).expect("a place in a list that is in memory")
}

/// A local transform as a list stores it.
pub(crate) enum Packed {
    Transform(PackedTransform),
    Matrix(Mat34),
}

/// A description whose parts are read one after the other, in the order of these methods.
pub(crate) struct Words<'l> {
    head: Head,
    rest: &'l [u32],
    names: &'l str,
}

impl<'l> Words<'l> {
    #[inline]
    pub(crate) fn local(&mut self) -> Option<Packed> {
        if !self.head.has(Head::LOCAL) {
            return None;
        }
        if self.head.has(Head::MATRIX) {
            return Some(Packed::Matrix(Mat34 { rows: [self.numbers(), self.numbers(), self.numbers()] }));
        }
        let (translation, rotation, scale) = (self.numbers(), self.numbers(), self.numbers());
        Some(Packed::Transform(PackedTransform { translation, rotation, scale }))
    }

    #[inline]
    pub(crate) fn visibility(&mut self) -> Option<Visibility> {
        self.head.has(Head::VISIBILITY).then(|| Visibility::layers(self.next()))
    }

    #[inline]
    pub(crate) fn material(&mut self) -> Option<u32> {
        self.head.has(Head::MATERIAL).then(|| self.next())
    }

    /// The mesh and the bounds of the shape.
    #[inline]
    pub(crate) fn shape(&mut self) -> Option<(u32, Aabb)> {
        self.head.has(Head::SHAPE).then(|| {
            let mesh = self.next();
            let (min, max) = (self.numbers(), self.numbers());
            (mesh, Aabb { min: Vec3::from_array(min), max: Vec3::from_array(max) })
        })
    }

    #[inline]
    pub(crate) fn name(&mut self) -> Option<&'l str> {
        self.head.has(Head::NAME).then(|| {
            let [low, high, length] = [self.next(), self.next(), self.next()].map(u64::from);
            let start = high << 32 | low;
            let place = |at: u64| usize::try_from(at).expect("names lie in memory");
            &self.names[place(start)..place(start + length)]
        })
    }

    /// What the node has besides its description, if there is anything.
    #[inline]
    pub(crate) fn additions(&mut self) -> Option<Additions> {
        self.head.has(Head::ADDITIONS).then(|| {
            let word = self.next();
            Additions { word, remainder: Vec3::from_array(self.numbers()) }
        })
    }

    #[inline(always)]
    fn next(&mut self) -> u32 {
        let (&word, rest) = self.rest.split_first().expect("a description has the words that its head says");
        self.rest = rest;
        word
    }

    #[inline(always)]
    fn numbers<const N: usize>(&mut self) -> [f32; N] {
        let (words, rest) = self.rest.split_first_chunk().expect("a description has the words that its head says");
        self.rest = rest;
        words.map(f32::from_bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl NodeList {
        /// How many descriptions, words and bytes of names there are, and for how many there is room.
        fn lengths(&self) -> [[usize; 2]; 3] {
            let Self { heads, words, names } = self;
            [[heads.len(), heads.capacity()], [words.len(), words.capacity()], [names.len(), names.capacity()]]
        }
    }

    #[test]
    fn a_list_with_room_for_nodes_takes_them_without_growing() {
        let mut list = NodeList::with_capacity(100);
        let room = list.lengths().map(|[_, room]| room);
        (0..100).for_each(|_| list.push_checked(&Node::shape(Shape::new(7, Aabb::cube(1.0)))));
        assert!(list.heads.len() == 100 && list.lengths().map(|[_, room]| room) == room);
    }
}
