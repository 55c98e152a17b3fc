//! Building a tree, and refitting it to moved positions.

use super::node::{Bounds, CHILDREN, Child, Node};
use super::{DEPTH, Frame, LEAF, MOST, TriangleTree, TriangleTreeError};
use hedgerow_math::Triangles;
use hedgerow_math::glam::{Vec3, Vec4};

/// The number of bins that triangles are sorted into for a split.
const BINS: usize = 16;
/// Lists with fewer triangles are sorted into half as many bins.
const FEW: usize = 32;

/// The box of a triangle, 32 bytes. The triangle's number is in the fourth lane of `min`, which no arithmetic changes.
/// Numbers below 2³⁰ are no NaN as floats.
#[derive(Clone, Copy)]
struct Item(Bounds);

impl Item {
    #[inline(always)]
    fn triangle(&self) -> u32 {
        self.0.min.w.to_bits()
    }

    /// Returns twice the middle of the box.
    #[inline(always)]
    fn middle(&self) -> Vec4 {
        self.0.min + self.0.max
    }

    /// Returns a lane of it. Loads only this lane of the box, where indexing a vector branches.
    #[inline(always)]
    fn middle_on(&self, axis: usize) -> f32 {
        let lane = |end: &Vec4| AsRef::<[f32; 4]>::as_ref(end)[axis];
        lane(&self.0.min) + lane(&self.0.max)
    }
}

/// A range of the items, the box around them, and the box around their middles.
#[derive(Clone, Copy)]
struct Part {
    from: usize,
    to: usize,
    bounds: Bounds,
    middles: Bounds,
}

impl Part {
    const EMPTY: Self = Self { from: 0, to: 0, bounds: Bounds::EMPTY, middles: Bounds::EMPTY };

    fn of(items: &[Item], from: usize, to: usize) -> Self {
        let mut part = Self { from, to, ..Self::EMPTY };
        items[from..to].iter().for_each(|item| part.add(item));
        part
    }

    #[inline(always)]
    fn add(&mut self, item: &Item) {
        self.bounds.merge(&item.0);
        self.middles.merge(&Bounds { min: item.middle(), max: item.middle() });
    }

    /// Appends the items after this part.
    #[inline(always)]
    fn append(&mut self, next: &Self) {
        self.to += next.len();
        self.bounds.merge(&next.bounds);
        self.middles.merge(&next.middles);
    }

    fn len(&self) -> usize {
        self.to - self.from
    }
}

impl TriangleTree {
    /// Builds a tree over the triangles of a mesh. Triangles without area are never hit, but count for all else.
    ///
    /// # Errors
    /// [`TriangleTreeError::UnknownVertex`], [`TriangleTreeError::NotFinite`] and
    /// [`TriangleTreeError::TooManyTriangles`].
    pub fn build(mesh: Triangles<'_>) -> Result<Self, TriangleTreeError> {
        if mesh.indices.len() > MOST {
            return Err(TriangleTreeError::TooManyTriangles(mesh.indices.len()));
        }
        let frame = frame(mesh)?;
        let scale = frame.scale();
        let mut items: Vec<Item> = (0..)
            .zip(corners(mesh))
            .map(|(triangle, corners)| {
                let mut bounds = Bounds::of(corners.map(|corner| frame.place(corner, scale)));
                bounds.min.w = f32::from_bits(triangle);
                Item(bounds)
            })
            .collect();
        let mut nodes = Vec::with_capacity(items.len() / 8 + 1);
        let mut order = Vec::with_capacity(items.len());
        let mut waiting = Vec::new();
        if !items.is_empty() {
            nodes.push(Node::EMPTY);
            waiting.push((0, 0, Part::of(&items, 0, items.len())));
        }
        while let Some((at, depth, part)) = waiting.pop() {
            let (parts, count) = divide(part, may_be_uneven(part.len(), depth), &mut items);
            let parts = &parts[..count];
            let mut node = Node { node: to_u32(nodes.len()), triangle: to_u32(order.len()), ..Node::EMPTY };
            node.children = count.to_le_bytes()[0];
            let (mut inner, mut listed) = (0, 0);
            for (tag, part) in node.tags.iter_mut().zip(parts) {
                if part.len() <= LEAF {
                    *tag = Node::leaf_tag(part.len(), listed);
                    listed += part.len();
                    let first = order.len();
                    order.extend(items[part.from..part.to].iter().map(Item::triangle));
                    order[first..].sort_unstable();
                } else {
                    *tag = Node::INNER | inner;
                    inner += 1;
                    waiting.push((nodes.len(), depth + 1, *part));
                    nodes.push(Node::EMPTY);
                }
            }
            let boxes: [Bounds; CHILDREN] =
                core::array::from_fn(|n| parts.get(n).map_or(Bounds::EMPTY, |part| part.bounds));
            node.set_boxes(&boxes[..count]);
            nodes[at] = node;
        }
        nodes.shrink_to_fit();
        Ok(Self { nodes, order, frame })
    }

    /// Follows moved positions. Build a new tree if the shape has become another: triangles stay in their leaves, so
    /// rays take longer the more it differs from the one that the tree was built for.
    ///
    /// Boxes are tight again.
    ///
    /// Runs in **O(n)**, about a fifth of the time of building. After an error the tree is as before.
    ///
    /// # Errors
    /// [`TriangleTreeError::OtherMesh`], [`TriangleTreeError::UnknownVertex`] and [`TriangleTreeError::NotFinite`].
    ///
    /// ```
    /// # use hedgerow_mesh::glam::DVec3;
    /// # use hedgerow_mesh::{Faces, LocalRay, TriangleTree, Triangles};
    /// let (mut positions, indices) = ([[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0, 1, 2]]);
    /// let mut tree = TriangleTree::build(Triangles::new(&positions, &indices))?;
    /// positions.iter_mut().for_each(|position| position[2] += 7.0);
    /// let moved = Triangles::new(&positions, &indices);
    /// tree.refit(moved)?;
    /// let ray = LocalRay { origin: DVec3::new(0.2, 0.2, 0.0), direction: DVec3::Z };
    /// assert_eq!(tree.cast(moved, &ray, 100.0, Faces::Both).map(|hit| hit.t), Some(7.0));
    /// # Ok::<(), hedgerow_mesh::TriangleTreeError>(())
    /// ```
    pub fn refit(&mut self, mesh: Triangles<'_>) -> Result<(), TriangleTreeError> {
        if mesh.indices.len() != self.len() {
            return Err(TriangleTreeError::OtherMesh { expected: self.len(), found: mesh.indices.len() });
        }
        self.frame = frame(mesh)?;
        let scale = self.frame.scale();
        let mut whole = vec![Bounds::EMPTY; self.nodes.len()];
        // Children come after their parent.
        for (at, node) in self.nodes.iter_mut().enumerate().rev() {
            let mut boxes = [Bounds::EMPTY; CHILDREN];
            for (bounds, &tag) in boxes.iter_mut().zip(&node.tags[..usize::from(node.children)]) {
                match node.child(tag) {
                    Child::Node(child) => *bounds = whole[child as usize],
                    Child::Leaf(range) => {
                        for corners in self.order[range].iter().filter_map(|&triangle| mesh.corners(triangle)) {
                            bounds.merge(&Bounds::of(corners.map(|corner| self.frame.place(corner, scale))));
                        }
                    }
                }
                whole[at].merge(bounds);
            }
            node.set_boxes(&boxes[..usize::from(node.children)]);
        }
        Ok(())
    }
}

/// Returns the corners of all triangles of a mesh that was checked.
fn corners(mesh: Triangles<'_>) -> impl Iterator<Item = [Vec3; 3]> {
    mesh.indices.iter().map(move |vertices| vertices.map(|vertex| mesh.positions[vertex as usize].into()))
}

/// Checks all triangles, and returns the space of their boxes.
fn frame(mesh: Triangles<'_>) -> Result<Frame, TriangleTreeError> {
    let mut all = Bounds::EMPTY;
    for triangle in 0..to_u32(mesh.indices.len()) {
        let corners = mesh.corners(triangle).ok_or(TriangleTreeError::UnknownVertex { triangle })?;
        if !corners.iter().all(|corner| corner.is_finite()) {
            return Err(TriangleTreeError::NotFinite { triangle });
        }
        all.merge(&Bounds::of(corners));
    }
    Ok(if mesh.indices.is_empty() { Frame::EMPTY } else { Frame::of(&all) })
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).expect("at most 2^30 triangles, and fewer nodes")
}

/// Returns whether a list on this level may be split into any parts: even if one of them is nearly the whole list, it can
/// be halved three times on each of the levels below.
fn may_be_uneven(len: usize, depth: u32) -> bool {
    // On the last level but one, all parts must be leaves.
    let below = (DEPTH - depth).saturating_sub(1);
    len as u64 <= (LEAF as u64) << (3 * below)
}

/// Divides a list into up to eight parts, always the part with the largest surface. Returns the parts and their number.
fn divide(whole: Part, sorted: bool, items: &mut [Item]) -> ([Part; CHILDREN], usize) {
    let (mut parts, mut count) = ([whole; CHILDREN], 1);
    while count < CHILDREN {
        let largest = (0..count).filter(|&n| parts[n].len() > LEAF).max_by(|&a, &b| {
            let size = |n: usize| if sorted { parts[n].bounds.area() } else { parts[n].len() as f32 };
            size(a).total_cmp(&size(b))
        });
        let Some(n) = largest else { break };
        let Part { from, to, .. } = parts[n];
        let halves = if sorted { split(&parts[n], &mut items[from..to]) } else { None };
        // Items that cannot be told apart by their middles are halved.
        [parts[n], parts[count]] = halves.unwrap_or_else(|| {
            let at = from + (to - from) / 2;
            [Part::of(items, from, at), Part::of(items, at, to)]
        });
        count += 1;
    }
    (parts, count)
}

/// Sorts items into two parts so that the sum of count times surface is least, with bins along the axis on which the
/// middles spread most. Returns the parts; `None` if there is no such split.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a conversion saturates")]
fn split(whole: &Part, items: &mut [Item]) -> Option<[Part; 2]> {
    let spread = (whole.middles.max - whole.middles.min).truncate();
    let axis = spread.max_position();
    let used = if items.len() < FEW { BINS / 2 } else { BINS };
    let (start, scale) = (whole.middles.min[axis], used as f32 * 0.9999 / spread[axis]);
    if !(scale.is_finite() && scale > 0.0) {
        return None;
    }
    // Below `used`, since the scale is a little less; the remainder only saves a check.
    let bin = |item: &Item| usize::from(((item.middle_on(axis) - start) * scale) as u8) % BINS;
    let mut bins = [Part::EMPTY; BINS];
    for item in &*items {
        let bin = &mut bins[bin(item)];
        bin.add(item);
        bin.to += 1;
    }
    let mut above = [0.0_f32; BINS];
    let (mut bounds, mut count) = (Bounds::EMPTY, 0);
    for n in (1..used).rev() {
        bounds.merge(&bins[n].bounds);
        count += bins[n].len();
        above[n] = bounds.area() * count as f32;
    }
    let (mut best, mut cost) = (0, f32::INFINITY);
    (bounds, count) = (Bounds::EMPTY, 0);
    for n in 1..used {
        bounds.merge(&bins[n - 1].bounds);
        count += bins[n - 1].len();
        let this = bounds.area() * count as f32 + above[n];
        if count > 0 && count < items.len() && this < cost {
            (best, cost) = (n, this);
        }
    }
    if best == 0 {
        return None;
    }
    // A partition without branches: each item changes places with the first of the second part, which grows or moves on.
    let mut low = 0;
    for at in 0..items.len() {
        let first = bin(&items[at]) < best;
        items.swap(low, at);
        low += usize::from(first);
    }
    let part = |bins: &[Part], from| {
        let mut part = Part { from, to: from, ..Part::EMPTY };
        bins.iter().for_each(|bin| part.append(bin));
        part
    };
    let [low_part, high_part] = [part(&bins[..best], whole.from), part(&bins[best..used], whole.from + low)];
    debug_assert_eq!((low_part.len(), high_part.len()), (low, items.len() - low));
    Some([low_part, high_part])
}
