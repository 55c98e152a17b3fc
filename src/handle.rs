//! Handles: 8-byte names for nodes that stay valid however their node moves.

use core::fmt;
use core::hash::{BuildHasherDefault, Hasher};
use core::num::NonZeroU64;
use std::collections::HashMap;

/// How many bits of a handle are the index within its metadata table.
const INDEX_BITS: u32 = 12;
/// How many bits of a handle are its generation.
const GENERATION_BITS: u32 = 28;

/// The greatest number of entries in one metadata table.
pub(crate) const MAX_TABLE_ENTRIES: u32 = 1 << INDEX_BITS;
/// The greatest number of metadata tables in a scene.
pub(crate) const MAX_TABLES: u32 = 1 << (64 - INDEX_BITS - GENERATION_BITS);

/// The greatest number of metadata tables that a scene opens. Unit tests lower it to come to its end.
#[cfg(not(test))]
pub(crate) const fn most_tables() -> u32 {
    MAX_TABLES
}

#[cfg(test)]
pub(crate) fn most_tables() -> u32 {
    MOST_TABLES.get()
}

#[cfg(test)]
thread_local! {
    pub(crate) static MOST_TABLES: core::cell::Cell<u32> = const { core::cell::Cell::new(MAX_TABLES) };
}

/// The greatest generation of an index; when it is freed, the index is retired.
pub(crate) const MAX_GENERATION: u32 = (1 << GENERATION_BITS) - 1;

/// A stable, copyable name for one node of one [`Scene`](crate::Scene).
///
/// A handle is 8 bytes, and so is `Option<NodeHandle>`. It stays valid through every edit that keeps its node:
/// reconstitution, reparenting, moves to another slice. Once the node is removed, the handle is *stale*: edits return
/// [`Error::StaleHandle`](crate::Error::StaleHandle), queries return `None`, and it never refers to a later node. An
/// index is reused at most 2²⁸ − 1 times and then retired, so this holds without exception.
///
/// A handle is checked at each use, and memory safety never depends on it. So one that comes from another scene, or
/// from arbitrary bits, is harmless. But it may refer to a node of this scene whose bits coincide: keep the handles of
/// different scenes apart.
///
/// Handles are ordered by (slice table, index, generation): a total order that is the same from run to run, and means
/// nothing for the tree. Source: the thesis, section 4.4.5 (slice index and internal index), plus a generation.
///
/// ```
/// use hedgerow::{Node, NodeHandle, Scene, Transform};
///
/// let mut scene = Scene::new();
/// let node = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
/// assert_eq!(size_of::<Option<NodeHandle>>(), 8);
/// assert_eq!(NodeHandle::from_bits(node.to_bits()), Some(node));
///
/// scene.remove(node)?;
/// assert!(!scene.contains(node));
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::NoUninit))]
#[repr(transparent)]
pub struct NodeHandle(NonZeroU64);

impl NodeHandle {
    /// Packs table (24 bits), index (12 bits) and generation (28 bits, from 1), starting with the highest bits.
    #[inline]
    pub(crate) fn new(table: u32, index: u32, generation: u32) -> Self {
        debug_assert!(table < MAX_TABLES && index < MAX_TABLE_ENTRIES);
        debug_assert!((1..=MAX_GENERATION).contains(&generation));
        let place = u64::from(table) << INDEX_BITS | u64::from(index);
        let bits = place << GENERATION_BITS | u64::from(generation);
        Self(NonZeroU64::new(bits).expect("a generation is at least 1"))
    }

    /// The handle as 64 bits, for the user's own files or for foreign code.
    #[inline]
    #[must_use]
    pub fn to_bits(self) -> u64 {
        self.0.get()
    }

    /// The handle with these bits, or `None` where no handle can have them (a generation of 0).
    ///
    /// Any bits are safe; see the type's documentation for what a foreign handle may refer to.
    #[inline]
    #[must_use]
    pub fn from_bits(bits: u64) -> Option<Self> {
        NonZeroU64::new(bits).map(Self).filter(|handle| handle.generation() != 0)
    }

    /// The metadata table: the upper 24 bits.
    #[inline]
    pub(crate) fn table(self) -> u32 {
        (self.to_bits() >> (INDEX_BITS + GENERATION_BITS)) as u32
    }

    /// The entry within the table: the middle 12 bits.
    #[inline]
    pub(crate) fn index(self) -> u32 {
        low_bits(self.to_bits() >> GENERATION_BITS) & (MAX_TABLE_ENTRIES - 1)
    }

    /// The generation, below the lowest four bits of the index: what is compared with an entry of the table.
    #[inline]
    pub(crate) fn low_bits(self) -> u32 {
        low_bits(self.to_bits())
    }

    /// The generation: the lower 28 bits, never 0.
    #[inline]
    pub(crate) fn generation(self) -> u32 {
        low_bits(self.to_bits()) & MAX_GENERATION
    }
}

/// The lower half.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the lower half is what is asked for")]
fn low_bits(bits: u64) -> u32 {
    bits as u32
}

impl fmt::Debug for NodeHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NodeHandle({}:{} v{})", self.table(), self.index(), self.generation())
    }
}

/// Table, index and generation, as short as they can be written: `3:17v2`.
///
/// ```
/// let root = hedgerow::Scene::new().root();
/// assert_eq!((format!("{root}"), format!("{root:?}")), ("0:0v1".into(), "NodeHandle(0:0 v1)".into()));
/// ```
impl fmt::Display for NodeHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}:{}v{}", self.table(), self.index(), self.generation()))
    }
}

/// Values by handle, for the length of one call.
pub(crate) type ByHandle<V> = HashMap<NodeHandle, V, BuildHasherDefault<HandleHasher>>;

/// Hashes handles by one multiplication: their bits differ already, mostly in the middle.
#[derive(Default)]
pub(crate) struct HandleHasher(u64);

impl Hasher for HandleHasher {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "both halves are folded into one")]
    fn write_u64(&mut self, bits: u64) {
        // 2⁶⁴ divided by the golden ratio, made odd: D. Knuth, The Art of Computer Programming, volume 3, section 6.4.
        let wide = u128::from(self.0 ^ bits) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (wide >> 64) as u64 ^ wide as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// The ticket of a queued insert: stands for the node that it will make.
///
/// Later edits of the same queue can refer to the node by it, and so can edits of queues that are
/// [appended](crate::edit::EditQueue::append) to it or that it is appended to. No ticket is ever issued twice, by any
/// queue, and it stays valid wherever its insert goes. Only the order of application matters. If the insert of a ticket
/// failed, an edit that uses the ticket fails with the same error. If that insert was not applied earlier in the same
/// call of [`EditQueue::apply`](crate::edit::EditQueue::apply), the edit fails with
/// [`Error::UnknownTicket`](crate::Error::UnknownTicket). So tickets are valid for one round of recording;
/// [`EditQueue::inserted`](crate::edit::EditQueue::inserted) returns the handle to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Queued {
    pub(crate) round: NonZeroU64,
    /// The insert's number among the edits, from the round's first.
    pub(crate) edit: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_and_its_option_are_eight_bytes() {
        assert_eq!(size_of::<NodeHandle>(), 8);
        assert_eq!(size_of::<Option<NodeHandle>>(), 8);
    }

    #[test]
    fn the_three_parts_come_back_at_their_limits() {
        for (table, index, generation) in
            [(0, 0, 1), (MAX_TABLES - 1, MAX_TABLE_ENTRIES - 1, MAX_GENERATION), (5, 4095, 77)]
        {
            let handle = NodeHandle::new(table, index, generation);
            assert_eq!((handle.table(), handle.index(), handle.generation()), (table, index, generation));
            assert_eq!(NodeHandle::from_bits(handle.to_bits()), Some(handle));
        }
    }

    #[test]
    fn a_handle_is_written_as_its_three_parts() {
        let handle = NodeHandle::new(3, 17, 2);
        assert_eq!((format!("{handle}"), format!("{handle:?}")), ("3:17v2".into(), "NodeHandle(3:17 v2)".into()));
        assert_eq!((format!("{handle:>8}"), format!("{handle:<8}")), ("  3:17v2".into(), "3:17v2  ".into()));
    }

    /// A map picks a bucket by the lowest bits of a hash, and compares the highest seven.
    #[test]
    fn handles_of_a_scene_fall_into_all_buckets_of_a_map() {
        use core::hash::BuildHasher;
        let of_one_table: fn(u32) -> NodeHandle = |at| NodeHandle::new(0, at, 1);
        let first_of_each: fn(u32) -> NodeHandle = |at| NodeHandle::new(at, 0, 1);
        let of_one_entry: fn(u32) -> NodeHandle = |at| NodeHandle::new(5, 7, at + 1);
        let of_small_tables: fn(u32) -> NodeHandle = |at| NodeHandle::new(at / 64, at % 64, 1);
        for handles in [of_one_table, first_of_each, of_one_entry, of_small_tables] {
            let (mut buckets, mut tops) = ([0; 4096], [0; 128]);
            for handle in (0..4096).map(handles) {
                let hash = BuildHasherDefault::<HandleHasher>::default().hash_one(handle);
                buckets[usize::try_from(hash % 4096).unwrap()] += 1;
                tops[usize::try_from(hash >> 57).unwrap()] += 1;
            }
            assert!(buckets.iter().all(|&count| count <= 8), "{:?} are in one bucket", buckets.iter().max());
            assert!(tops.iter().all(|&count| count <= 64), "{:?} look the same", tops.iter().max());
        }
        let of_bytes = |bytes: &[u8]| {
            let mut hasher = HandleHasher::default();
            hasher.write(bytes);
            hasher.finish()
        };
        assert!(of_bytes(&[1, 2]) != of_bytes(&[2, 1]) && of_bytes(&[1]) != of_bytes(&[2]));
    }

    #[test]
    fn bits_without_a_generation_are_no_handle() {
        assert_eq!(NodeHandle::from_bits(0), None);
        assert_eq!(NodeHandle::from_bits(u64::MAX << GENERATION_BITS), None);
    }
}
