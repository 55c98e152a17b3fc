//! Trees as bytes.
//!
//! ```text
//! header    like a scene's, of another kind                                                            32 B
//! count     of nodes u32                                                                                4 B
//! nodes     the number of the parent or NIL u32 │ which components u32                             8 B a node
//! parts     of each node: its components, as `src/tree/packed.rs` orders them
//! ```

use crate::Node;
use crate::bytes::{BytesError, Encode, Reader, Writer, count, ensure};
use crate::snapshot::{self, SnapshotError};
use crate::store::NIL;
use crate::tree::Tree;
use crate::tree::packed::read_node;
use hedgerow_math::internal::file_header::{Format, Kind};

const TREE: Format = Format::new(Kind::Tree, 14, 14);

impl Tree {
    /// Returns the tree as bytes, that can be [kept for years](crate::snapshot#files-that-last). [`Tree::from_bytes`] restores an equal tree.
    /// Runs in **O(nodes)**.
    ///
    /// If a scene would reject the tree, [`Tree::from_bytes`] rejects the bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let heads = self.nodes.heads();
        let mut out = Writer::new();
        out.one(count(heads.len()));
        out.many(self.parents.iter().zip(heads).map(|(&parent, head)| [parent, head.parts()]));
        out.array(self.nodes.as_bytes());
        out.into_file(TREE)
    }

    /// Restores a tree from the bytes of [`Tree::to_bytes`], of this and any earlier [release](crate::snapshot#files-that-last).
    ///
    /// Any bytes are safe: everything is validated, so a scene accepts the tree, and allocation is bounded by the size
    /// of the input. Runs in **O(bytes)**.
    ///
    /// # Errors
    /// A [`SnapshotError`] if the bytes are not valid, or if there is no memory for the tree.
    ///
    /// ```
    /// use hedgerow::{Node, Place, Scene, Tree};
    ///
    /// let mut world = Scene::new();
    /// let mut region = |name| world.insert(world.root(), Node::group().with_name(name)).unwrap();
    /// let [west, east] = ["west", "east"].map(&mut region);
    /// let house = world.insert(west, Node::group().with_name("house"))?;
    ///
    /// let file = world.copy_tree(west)?.to_bytes();      // out of sight,
    /// world.remove(west)?;
    /// let nodes = world.insert_tree(Place::Before(east), &Tree::from_bytes(&file)?)?; // and back
    /// assert_eq!(world.get(nodes[1]).unwrap().name(), Some("house"));
    /// assert!(!world.contains(house));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let nodes = Nodes::of_bytes(bytes)?;
        let mut tree = Self::new();
        tree.parents.try_reserve_exact(nodes.heads.len())?;
        // Components take as many bytes in memory as in the file, so memory is bounded by the input.
        tree.nodes.try_reserve(nodes.heads.len(), nodes.from.len())?;
        for node in nodes {
            let (parent, node) = node?;
            tree.nodes.push(&node);
            tree.parents.push(parent);
        }
        Ok(tree)
    }
}

/// The nodes of a tree's bytes, each checked as it is read: its parent's number or `NIL`, and its description. After
/// the last, an error if more bytes follow.
pub struct Nodes<'b> {
    number: u32,
    heads: core::slice::ChunksExact<'b, u8>,
    from: Reader<'b>,
}

impl<'b> Nodes<'b> {
    /// Checks the header and the checksum.
    ///
    /// # Errors
    /// A [`SnapshotError`] if the bytes are damaged, or are no tree.
    pub fn of_bytes(bytes: &'b [u8]) -> Result<Self, SnapshotError> {
        let mut from = Reader::new(snapshot::body(TREE, bytes)?.1);
        let count = from.one()?;
        let heads = from.take(count, <[u32; 2]>::BYTES)?.chunks_exact(<[u32; 2]>::BYTES);
        Ok(Self { number: 0, heads, from })
    }

    #[inline]
    fn read(&mut self, head: &[u8]) -> Result<(u32, Node<'b>), BytesError> {
        let [parent, parts] = Encode::decode(head);
        ensure!(parent == NIL || parent < self.number, "a node comes before its parent");
        self.number += 1;
        Ok((parent, read_node(&mut self.from, parts)?))
    }
}

impl<'b> Iterator for Nodes<'b> {
    type Item = Result<(u32, Node<'b>), SnapshotError>;

    fn next(&mut self) -> Option<Self::Item> {
        let node = match self.heads.next() {
            Some(head) => self.read(head),
            None => Err(core::mem::replace(&mut self.from, Reader::new(&[])).finish().err()?),
        };
        Some(node.map_err(SnapshotError::from))
    }
}
