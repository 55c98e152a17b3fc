//! Draws sorted by a key of the caller's, or by depth.

use crate::pass::draw::DrawCommand;
use crate::{DrawList, Mat34};
use glam::Vec3;
use hedgerow_math::internal::radix::{self, Counts, DIGIT_BITS};

/// Sorted indices into a draw list: see [`DrawList::order_by_key`].
///
/// An order that is reused every frame only allocates when the list grows. Takes 36 bytes per draw.
#[derive(Clone, Debug, Default)]
pub struct DrawOrder {
    indices: Vec<u32>,
    /// Keys with their indices, and memory to sort them. Reused to save allocations.
    keys: Vec<u128>,
    sorted: Vec<u128>,
    counts: Vec<Counts>,
}

/// The number of bits of the index. These are the lowest bits of a sort key; the caller's key is above them.
const INDEX_BITS: u32 = 32;
/// The number of digits in 64 bits.
const DIGITS: usize = 6;

impl DrawOrder {
    /// Creates an empty order.
    #[must_use]
    pub const fn new() -> Self {
        Self { indices: Vec::new(), keys: Vec::new(), sorted: Vec::new(), counts: Vec::new() }
    }

    /// Frees all memory except that of the indices.
    pub fn shrink_to_fit(&mut self) {
        self.indices.shrink_to_fit();
        *self = Self { indices: core::mem::take(&mut self.indices), ..Self::new() };
    }

    /// Returns indices into the commands, matrices and slots of the list, in sorted order.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }
}

/// The position and the direction of a camera, for sorting draws by depth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DepthView {
    /// The position of the camera, in the space of the matrices.
    pub eye: Vec3,
    /// The direction of view, a vector of any length.
    pub forward: Vec3,
}

impl DepthView {
    /// Returns the distance of a matrix's origin in front of the camera, times the length of `forward`.
    #[inline]
    #[must_use]
    pub fn depth(&self, matrix: &Mat34) -> f32 {
        self.forward.dot(matrix.translation() - self.eye)
    }
}

/// Converts a depth, or any other number, to a key with the same order: from the least to the greatest, −0 before 0,
/// NaN last or first depending on its sign.
///
/// Use it for keys of several parts, such as a pipeline above a depth:
///
/// ```
/// use hedgerow::draw::depth_key;
///
/// let key = |pipeline: u32, depth: f32| u64::from(pipeline) << 32 | u64::from(depth_key(depth));
/// assert!(key(1, 0.5) < key(1, 2.0) && key(1, 2.0) < key(2, -3.0));
/// let back_to_front = |depth: f32| !depth_key(depth);
/// assert!(back_to_front(9.0) < back_to_front(8.5));
/// ```
#[inline]
#[must_use]
pub const fn depth_key(depth: f32) -> u32 {
    let bits = depth.to_bits();
    // The bits of negative numbers sort backwards, so they are inverted to come before those of other numbers.
    if bits >> 31 == 0 { bits | 1 << 31 } else { !bits }
}

#[expect(clippy::cast_possible_truncation, reason = "there are few digits, and each is what the mask leaves")]
const fn digit_of(key: u128, digit: usize) -> usize {
    (key >> (INDEX_BITS + digit as u32 * DIGIT_BITS)) as usize & ((1 << DIGIT_BITS) - 1)
}

#[expect(clippy::cast_possible_truncation, reason = "the index is what the lowest bits are")]
const fn index_of(key: u128) -> u32 {
    key as u32
}

/// The bits of depth keys to invert.
const NEAREST_FIRST: u32 = 0;
/// See [`NEAREST_FIRST`].
const FARTHEST_FIRST: u32 = u32::MAX;

impl DrawList {
    /// Sorts draws by a key of your own, the least first. Draws with equal keys stay in the list's order. `key` is
    /// called with the index and the command of each draw; draws for which it returns `None` are left out.
    ///
    /// Runs in **O(drawables + d × draws)**, where d is the number of 11-bit digits in which keys differ. So a 32-bit
    /// key costs half as much as a 64-bit key.
    ///
    /// # Panics
    /// Panics if there are more than 2³² drawables.
    ///
    /// ```
    /// use hedgerow::{Aabb, DrawList, Drawable, Keep, Node, Place, Scene, data::NodeMap, draw::DrawOrder};
    ///
    /// let mut scene = Scene::new();
    /// let panels = [7, 9, 2].map(|mesh| {
    ///     scene.insert(scene.root(), Node::drawable(Drawable::new(mesh, Aabb::cube(1.0)))).expect("a live parent")
    /// });
    /// scene.update();
    /// scene.reparent(panels[0], Place::LastChildOf(scene.root()), Keep::Local)?; // to the front
    /// scene.update();
    /// let (mut list, mut order) = (DrawList::new(), DrawOrder::new());
    /// scene.draw_list(&mut list);
    ///
    /// // A user interface is painted in the order of the tree. Number the nodes again if some enter or move.
    /// let nodes = scene.get(scene.root()).unwrap().descendants().map(|node| node.handle());
    /// let paint: NodeMap<u64> = nodes.zip(0..).collect();
    /// list.order_by_key(&mut order, |_, command| paint.get(command.node).copied());
    /// let painted = order.indices().iter().map(|&draw| list.commands()[draw as usize].node);
    /// assert!(painted.eq([panels[1], panels[2], panels[0]]));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn order_by_key(&self, order: &mut DrawOrder, key: impl Fn(usize, &DrawCommand) -> Option<u64>) {
        let commands = self.commands();
        assert!(u32::try_from(commands.len()).is_ok(), "more drawables than 32 bits can number");
        let DrawOrder { indices, keys, sorted, counts } = order;
        keys.clear();
        indices.clear();
        let keyed = (0_u32..).zip(commands).filter_map(|(index, command)| {
            key(index as usize, command).map(|key| u128::from(key) << INDEX_BITS | u128::from(index))
        });
        keys.extend(keyed);
        // Keys are in the order of their indices before sorting, so equal keys stay in the list's order.
        radix::sort(keys, sorted, counts, DIGITS, digit_of);
        indices.extend(keys.iter().map(|&key| index_of(key)));
    }

    /// Sorts draws by depth, the nearest first. This is the fastest order for opaque draws, since hidden fragments are
    /// then rarely shaded. Draws for which `takes` returns `false` are left out.
    ///
    /// The depth of a draw is the depth of its matrix's origin. If the list has [relative
    /// matrices](DrawList::relative_matrices), these are used, and the eye of the [`DepthView`] must be (0, 0, 0).
    /// Otherwise the [matrices](DrawList::matrices) are used.
    ///
    /// # Panics
    /// Panics for a list [without matrices](DrawList::without_matrices) of either kind, and for more than 2³²
    /// drawables. For such a list, pass [`depth_key`] of [`Scene::world`](crate::Scene::world) of the command's node to
    /// [`order_by_key`](DrawList::order_by_key).
    ///
    /// ```
    /// use hedgerow::glam::Vec3;
    /// use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, Transform, draw::{DepthView, DrawOrder}};
    ///
    /// let mut scene = Scene::new();
    /// for (z, material) in [(-3.0, 1), (-8.0, 2), (-5.0, 2), (-1.0, 1)] {
    ///     let node = Node::transform(Transform::from_xyz(0.0, 0.0, z)).with_material(material);
    ///     scene.insert(scene.root(), node.with_drawable(Drawable::new(1, Aabb::cube(1.0))))?;
    /// }
    /// scene.update();
    /// let (mut list, mut opaque, mut glass) = (DrawList::new(), DrawOrder::new(), DrawOrder::new());
    /// scene.draw_list(&mut list);
    /// let view = DepthView { eye: Vec3::ZERO, forward: Vec3::NEG_Z };
    /// assert_eq!(view.depth(&list.matrices()[0]), 3.0);
    /// list.order_front_to_back(&mut opaque, &view, |command| command.material() == Some(1));
    /// list.order_back_to_front(&mut glass, &view, |command| command.material() == Some(2));
    /// assert_eq!((opaque.indices(), glass.indices()), (&[3, 0][..], &[1, 2][..]));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn order_front_to_back(&self, order: &mut DrawOrder, view: &DepthView, takes: impl Fn(&DrawCommand) -> bool) {
        self.order_by_depth(order, view, NEAREST_FIRST, takes);
    }

    /// Sorts draws by depth, the farthest first, as transparent draws require. Otherwise like
    /// [`DrawList::order_front_to_back`].
    ///
    /// # Panics
    /// Panics in the same cases as [`DrawList::order_front_to_back`].
    pub fn order_back_to_front(&self, order: &mut DrawOrder, view: &DepthView, takes: impl Fn(&DrawCommand) -> bool) {
        self.order_by_depth(order, view, FARTHEST_FIRST, takes);
    }

    /// Sorts draws by the depths of their matrices, with these bits of each key inverted.
    fn order_by_depth(
        &self,
        order: &mut DrawOrder,
        view: &DepthView,
        turned: u32,
        takes: impl Fn(&DrawCommand) -> bool,
    ) {
        let relative = self.relative_matrices();
        // A list with an eye has exact depths only relative to it.
        let matrices = if relative.is_empty() { self.matrices() } else { relative };
        assert_eq!(matrices.len(), self.len(), "a list without matrices has no depths");
        self.order_by_key(order, |index, command| {
            takes(command).then(|| u64::from(depth_key(view.depth(&matrices[index])) ^ turned))
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_depth_is_how_far_before_the_camera_a_matrix_lies() {
        let view = DepthView { eye: Vec3::new(1.0, 2.0, 3.0), forward: Vec3::new(0.0, 0.0, -2.0) };
        for (x, z, depth) in [(1.0, -1.0, 8.0), (50.0, -1.0, 8.0), (1.0, 3.0, 0.0), (1.0, 4.0, -2.0)] {
            let matrix = Mat34 { rows: [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, 2.0], [0.0, 0.0, 1.0, z]] };
            assert_eq!(view.depth(&matrix), depth, "at {x} and {z}");
        }
    }

    #[test]
    fn depth_keys_sort_as_their_numbers() {
        let mut dice = fastrand::Rng::with_seed(7);
        let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::MIN_POSITIVE, f32::NAN, -f32::NAN, 1e-42];
        let mut numbers = special.to_vec();
        numbers.extend((0..500).map(|_| f32::from_bits(dice.u32(..))));
        for &a in &numbers {
            for &b in &numbers {
                assert_eq!(depth_key(a).cmp(&depth_key(b)), a.total_cmp(&b), "{a} and {b}");
            }
        }
    }
}
