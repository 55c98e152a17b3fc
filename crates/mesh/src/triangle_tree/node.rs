//! A node: eight children whose boxes are bytes.

use super::LEAF;
use core::ops::Range;
use hedgerow_math::glam::{Vec3, Vec4};

/// The number of children of a node.
pub(super) const CHILDREN: usize = 8;

/// A box in the space of the tree. Four lanes each, so that vectors are used on all machines; the fourth means nothing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) min: Vec4,
    pub(super) max: Vec4,
}

impl Bounds {
    pub(super) const EMPTY: Self = Self { min: Vec4::INFINITY, max: Vec4::NEG_INFINITY };

    #[inline(always)]
    pub(super) fn of([a, b, c]: [Vec3; 3]) -> Self {
        Self { min: a.min(b).min(c).extend(0.0), max: a.max(b).max(c).extend(0.0) }
    }

    #[inline(always)]
    pub(super) fn merge(&mut self, other: &Self) {
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Returns half the surface of the box; zero if it is empty.
    #[inline(always)]
    pub(super) fn area(&self) -> f32 {
        let size = (self.max - self.min).max(Vec4::ZERO);
        size.x * size.y + size.y * size.z + size.z * size.x
    }
}

/// A node, 80 bytes.
///
/// ```text
/// origin 12 │ steps 3, children 1 │ first node 4 │ first triangle 4 │ tags 8 │ low ends 24 │ high ends 24
/// ```
///
/// A tag is 0x80 + n for the node `node + n`; for a leaf of `count` triangles from `triangle + n` on, it is
/// `(count - 1) * 32 + n`; for no child, [`Node::NONE`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(super) struct Node {
    pub(super) origin: [f32; 3],
    /// The exponent of a step's size on each axis, as in the bits of a float.
    pub(super) step: [u8; 3],
    pub(super) children: u8,
    pub(super) node: u32,
    pub(super) triangle: u32,
    pub(super) tags: [u8; CHILDREN],
    pub(super) low: [[u8; CHILDREN]; 3],
    pub(super) high: [[u8; CHILDREN]; 3],
}

/// What a child is.
pub(super) enum Child {
    Node(u32),
    /// A range of the order of triangles.
    Leaf(Range<usize>),
}

impl Node {
    pub(super) const NONE: u8 = 0xff;
    pub(super) const INNER: u8 = 0x80;
    /// The least sum of an exponent that is more than any step of a sound tree.
    pub(super) const STEP_END: u8 = 130;
    pub(super) const EMPTY: Self = Self {
        origin: [0.0; 3],
        step: [0; 3],
        children: 0,
        node: 0,
        triangle: 0,
        tags: [Self::NONE; CHILDREN],
        low: [[255; CHILDREN]; 3],
        high: [[0; CHILDREN]; 3],
    };

    /// Returns the tag of a leaf.
    #[expect(clippy::cast_possible_truncation, reason = "at most four triangles, after at most 28")]
    pub(super) fn leaf_tag(count: usize, from: usize) -> u8 {
        debug_assert!((1..=LEAF).contains(&count) && from < 32);
        ((count - 1) << 5 | from) as u8
    }

    #[inline(always)]
    pub(super) fn child(&self, tag: u8) -> Child {
        if tag & Self::INNER != 0 {
            return Child::Node(self.node.wrapping_add(u32::from(tag & 7)));
        }
        // Bytes may have any number, which no mesh has on machines of 32 bits.
        let from = (self.triangle as usize).saturating_add(usize::from(tag & 31));
        Child::Leaf(from..from.saturating_add(usize::from(tag >> 5) + 1))
    }

    /// Returns the children with their boxes.
    pub(super) fn all(&self) -> impl Iterator<Item = (Child, [Vec3; 2])> + '_ {
        (0..usize::from(self.children)).map(|n| (self.child(self.tags[n]), self.bounds(n)))
    }

    /// Stores the boxes of the children, rounded outwards.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "places are from 0 to 255")]
    pub(super) fn set_boxes(&mut self, boxes: &[Bounds]) {
        let mut whole = Bounds::EMPTY;
        boxes.iter().for_each(|bounds| whole.merge(bounds));
        for axis in 0..3 {
            let origin = whole.min[axis];
            let size = f64::from(whole.max[axis]) - f64::from(origin);
            // The least power of two with which 254 steps suffice.
            let mut exponent = (((size / 254.0) as f32).to_bits() >> 23).clamp(1, 250) as u8;
            while size > 254.0 * f64::from(power(exponent)) {
                exponent += 1;
            }
            let steps = 1.0 / f64::from(power(exponent));
            (self.origin[axis], self.step[axis]) = (origin, exponent);
            for (n, bounds) in boxes.iter().enumerate() {
                let place = |x: f32| (f64::from(x) - f64::from(origin)) * steps;
                // Conversions cut off, and nothing is below zero: so the low end is rounded down.
                let (low, high) = (place(bounds.min[axis]), place(bounds.max[axis]));
                self.low[axis][n] = low as u8;
                self.high[axis][n] = high as u8 + u8::from(f64::from(high as u8) < high);
            }
        }
    }

    /// Returns the corners of a child's box.
    pub(super) fn bounds(&self, n: usize) -> [Vec3; 2] {
        let step = self.step.map(power);
        [&self.low, &self.high].map(|ends| {
            Vec3::from_array([0, 1, 2].map(|axis| self.origin[axis] + f32::from(ends[axis][n]) * step[axis]))
        })
    }
}

/// Returns a power of two from its exponent, as in the bits of a float.
#[inline(always)]
pub(super) fn power(exponent: u8) -> f32 {
    f32::from_bits(u32::from(exponent) << 23)
}
