//! The byte format: a header, the frame, the nodes, the order of triangles.

use super::node::{CHILDREN, Child, Node};
use super::{DEPTH, Frame, MOST, TriangleTree, TriangleTreeError};
use hedgerow_math::glam::Vec3;
use hedgerow_math::internal::fallible;
use hedgerow_math::internal::file_header::{Broken, Format, HEADER_BYTES, Kind};

const TREE: Format = Format::new(Kind::TriangleTree, 1, 1);

/// The size of the counts and the frame.
const FRAME_BYTES: usize = 32;
const NODE_BYTES: usize = size_of::<Node>();

impl TriangleTree {
    /// Returns the tree as bytes, for [`TriangleTree::from_bytes`]. The mesh is not in them.
    ///
    /// ```text
    /// header 32 B │ triangles 4, nodes 4, centre 12, half extents 12 │ nodes 80 B each │ triangles 4 B each
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let length = HEADER_BYTES + FRAME_BYTES + self.nodes.len() * NODE_BYTES + self.order.len() * 4;
        let mut bytes = Vec::with_capacity(length);
        bytes.resize(HEADER_BYTES, 0);
        let mut word = |word: u32| bytes.extend_from_slice(&word.to_le_bytes());
        [self.order.len(), self.nodes.len()]
            .into_iter()
            .for_each(|count| word(u32::try_from(count).unwrap_or(u32::MAX)));
        [self.frame.center, self.frame.half].into_iter().flat_map(|v| v.to_array()).for_each(|x| word(x.to_bits()));
        for node in &self.nodes {
            node.origin.iter().for_each(|x| bytes.extend_from_slice(&x.to_bits().to_le_bytes()));
            bytes.extend_from_slice(&node.step);
            bytes.push(node.children);
            bytes.extend_from_slice(&node.node.to_le_bytes());
            bytes.extend_from_slice(&node.triangle.to_le_bytes());
            bytes.extend_from_slice(&node.tags);
            node.low.iter().chain(&node.high).for_each(|ends| bytes.extend_from_slice(ends));
        }
        self.order.iter().for_each(|triangle| bytes.extend_from_slice(&triangle.to_le_bytes()));
        TREE.write_header(&mut bytes);
        bytes
    }

    /// Restores a tree from the bytes of [`TriangleTree::to_bytes`]. Use it with its own mesh only: with another,
    /// results are wrong.
    ///
    /// Any bytes are safe, since all content is validated, but whether the boxes fit a mesh cannot be checked without
    /// it. A failed allocation returns an error. Runs in **O(bytes)**.
    ///
    /// ```
    /// # use hedgerow_mesh::{TriangleTree, Triangles};
    /// let mesh = Triangles::new(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    /// let tree = TriangleTree::build(mesh)?;
    /// assert_eq!(TriangleTree::from_bytes(&tree.to_bytes())?, tree);
    /// # Ok::<(), hedgerow_mesh::TriangleTreeError>(())
    /// ```
    ///
    /// # Errors
    /// A [`TriangleTreeError`] if the bytes are not a valid tree.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, TriangleTreeError> {
        let (_, body) = TREE.body(bytes).map_err(|broken| match broken {
            Broken::Magic | Broken::Kind(_) => TriangleTreeError::NotATree,
            Broken::Version { found, newest } => TriangleTreeError::Version { found, newest },
            Broken::Length { expected, found } => TriangleTreeError::Length { expected, found },
            Broken::Checksum => TriangleTreeError::Checksum,
        })?;
        let invalid = TriangleTreeError::Invalid;
        let (head, body) = body.split_first_chunk::<FRAME_BYTES>().ok_or(invalid("the data is truncated"))?;
        let [triangles, count, rest @ ..]: [u32; FRAME_BYTES / 4] = words(head);
        let [x, y, z, half_x, half_y, half_z] = rest.map(f32::from_bits);
        let frame = Frame { center: Vec3::new(x, y, z), half: Vec3::new(half_x, half_y, half_z) };
        let nodes_end = (count as usize).checked_mul(NODE_BYTES);
        let end =
            nodes_end.zip((triangles as usize).checked_mul(4)).and_then(|(nodes, order)| nodes.checked_add(order));
        let (Some(nodes_end), true) = (nodes_end, end == Some(body.len())) else {
            return Err(invalid("its arrays disagree with its length"));
        };
        let (nodes, order) = body.split_at(nodes_end);
        let nodes = fallible::collected(nodes.as_chunks::<NODE_BYTES>().0.iter().map(read_node))?;
        let order = fallible::collected(order.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)))?;
        let tree = Self { nodes, order, frame };
        tree.check()?;
        Ok(tree)
    }

    /// Checks all content, and returns the first violation.
    fn check(&self) -> Result<(), TriangleTreeError> {
        let ensure = |holds, violation| if holds { Ok(()) } else { Err(TriangleTreeError::Invalid(violation)) };
        let Frame { center, half } = self.frame;
        ensure(center.is_finite() && half.is_finite() && half.min_element() >= 0.0, "its size is not finite")?;
        ensure(self.order.len() <= MOST && self.nodes.is_empty() == self.order.is_empty(), "its counts disagree")?;
        // A node is below one other, which comes before it. The first has nothing above it.
        let mut depths = fallible::filled(self.nodes.len(), None)?;
        if let Some(first) = depths.first_mut() {
            *first = Some(0);
        }
        let mut listed = fallible::filled(self.order.len(), false)?;
        for (at, node) in self.nodes.iter().enumerate() {
            let depth: u32 = depths[at].ok_or(TriangleTreeError::Invalid("a node is below none before it"))?;
            let (used, unused) = node.tags.split_at_checked(usize::from(node.children)).unwrap_or_default();
            ensure(!used.is_empty(), "a node has no children, or more than eight")?;
            ensure(unused.iter().all(|&tag| tag == Node::NONE), "a child is not counted")?;
            let sound =
                node.origin.iter().all(|x| x.abs() <= 4.0) && node.step.iter().all(|&step| step < Node::STEP_END);
            ensure(sound, "a box is not finite")?;
            for &tag in used {
                match node.child(tag) {
                    Child::Node(child) => {
                        let place =
                            depths.get_mut(child as usize).filter(|place| child as usize > at && place.is_none());
                        let place =
                            place.ok_or(TriangleTreeError::Invalid("a node is no child of one other before it"))?;
                        ensure(depth < DEPTH, "it is too deep")?;
                        *place = Some(depth + 1);
                    }
                    Child::Leaf(range) => {
                        let places = listed.get_mut(range).filter(|places| places.iter().all(|&taken| !taken));
                        places
                            .ok_or(TriangleTreeError::Invalid("two leaves overlap, or one ends past the end"))?
                            .fill(true);
                    }
                }
            }
        }
        ensure(listed.iter().all(|&taken| taken), "a triangle is in no leaf")?;
        listed.fill(false);
        for &triangle in &self.order {
            let place = listed.get_mut(triangle as usize).filter(|place| !**place);
            *place.ok_or(TriangleTreeError::Invalid("a triangle is out of range, or there twice"))? = true;
        }
        Ok(())
    }
}

fn words<const BYTES: usize, const WORDS: usize>(bytes: &[u8; BYTES]) -> [u32; WORDS] {
    core::array::from_fn(|n| bytes.as_chunks::<4>().0.get(n).map_or(0, |&word| u32::from_le_bytes(word)))
}

fn read_node(bytes: &[u8; NODE_BYTES]) -> Node {
    let [x, y, z, steps, node, triangle] = words(bytes);
    let [a, b, c, children] = steps.to_le_bytes();
    let ends = |at: usize| core::array::from_fn(|axis| core::array::from_fn(|n| bytes[at + CHILDREN * axis + n]));
    Node {
        origin: [x, y, z].map(f32::from_bits),
        step: [a, b, c],
        children,
        node,
        triangle,
        tags: core::array::from_fn(|n| bytes[24 + n]),
        low: ends(32),
        high: ends(56),
    }
}
