//! Handles: 8-byte names of nodes, valid wherever the node moves.

use crate::store::RecordId;
use core::fmt;
use core::hash::{BuildHasherDefault, Hasher};
use core::num::NonZeroU64;
use std::collections::HashMap;

/// The greatest generation of a record. A record that is freed in this generation is never used again.
pub(crate) const MAX_GENERATION: u32 = (1 << 31) - 5;

/// A stable, copyable reference to a node of a [`Scene`](crate::Scene).
///
/// A handle holds a generation and the number of the node's record, which never moves. It takes 8 bytes, as does
/// `Option<NodeHandle>`. The handle stays valid through updates, maintenance, and all edits that do not remove its
/// node. Once the node is removed, the handle is *stale*: edits return
/// [`Error::StaleHandle`](crate::Error::StaleHandle), and queries return `None`. The handle never refers to a later
/// node, because a record is reused at most 2³⁰ times and then retired. A stale handle becomes valid again only if a
/// [checkpoint](crate::checkpoints) brings its node back.
///
/// Each use checks the handle, and memory safety never depends on handles. So a handle from another scene or from
/// arbitrary bits is harmless, but it may refer to a node of this scene whose handle has the same bits. Keep the
/// handles of different scenes apart.
///
/// Handles are ordered by (record, generation): a total order that is the same from run to run, but unrelated to the
/// tree. Source: the thesis, section 4.4.5 (a handle of the metadata), plus a generation.
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
    #[inline(always)]
    pub(crate) fn of_record(record: RecordId, generation: u32) -> Self {
        let bits = u64::from(record.number()) << 32 | u64::from(generation);
        Self(NonZeroU64::new(bits).expect("a generation is at least 1"))
    }

    /// Returns the handle as 64 bits, for files of your own or for foreign code.
    #[inline]
    #[must_use]
    pub fn to_bits(self) -> u64 {
        self.0.get()
    }

    /// Returns the handle with these bits if their generation is odd and below 2³¹, else `None`.
    ///
    /// Any bits are safe; see the type's documentation for what a foreign handle may refer to.
    #[inline]
    #[must_use]
    pub fn from_bits(bits: u64) -> Option<Self> {
        let handle = Self(NonZeroU64::new(bits)?);
        // Generations of live nodes are odd.
        (handle.generation() & 1 == 1 && handle.generation() <= MAX_GENERATION).then_some(handle)
    }

    /// Returns the upper 32 bits.
    #[inline(always)]
    pub(crate) fn record(self) -> RecordId {
        RecordId::from_number((self.0.get() >> 32) as u32)
    }

    /// Returns the lower 32 bits.
    #[inline(always)]
    pub(crate) fn generation(self) -> u32 {
        low_bits(self.0.get())
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the lower half is what is asked for")]
fn low_bits(bits: u64) -> u32 {
    bits as u32
}

impl fmt::Debug for NodeHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NodeHandle({}v{})", self.record().number(), self.generation())
    }
}

/// Writes record and generation in the shortest form: `17v3`.
///
/// ```
/// let root = hedgerow::Scene::new().root();
/// assert_eq!((format!("{root}"), format!("{root:?}")), ("0v1".into(), "NodeHandle(0v1)".into()));
/// ```
impl fmt::Display for NodeHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}v{}", self.record().number(), self.generation()))
    }
}

/// A map from handles to values that lives for one call.
pub(crate) type ByHandle<V> = HashMap<NodeHandle, V, BuildHasherDefault<HandleHasher>>;
/// A map from records to values that lives for one call.
pub(crate) type ByRecord<V> = HashMap<RecordId, V, BuildHasherDefault<HandleHasher>>;

/// Mixes bits by one multiplication. That is enough for handles and groups, whose bits differ already.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "both halves are folded into one")]
pub(crate) fn mixed(bits: u64) -> u64 {
    // 2⁶⁴ divided by the golden ratio, made odd: D. Knuth, The Art of Computer Programming, volume 3, section 6.4.
    let wide = u128::from(bits) * 0x9e37_79b9_7f4a_7c15;
    (wide >> 64) as u64 ^ wide as u64
}

/// Hashes a handle, or another number.
#[derive(Clone, Copy, Debug, Default)]
pub struct HandleHasher(u64);

impl Hasher for HandleHasher {
    #[inline]
    fn write_u64(&mut self, bits: u64) {
        self.0 = mixed(self.0 ^ bits);
    }

    #[inline]
    fn write_u32(&mut self, bits: u32) {
        self.write_u64(u64::from(bits));
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// The ticket of a queued insert, which stands for the node that will be inserted.
///
/// Later edits of the same queue can use the ticket to refer to the node. Edits of another queue can also use the
/// ticket if one of the queues is [appended](crate::edit::EditQueue::append) to the other; only the order of
/// application matters. A ticket is unique among all queues. If the insert failed, an edit that uses its ticket fails
/// with the same error. If the insert was not applied earlier in the same [`apply`](crate::edit::EditQueue::apply), the
/// edit fails with [`Error::UnknownTicket`](crate::Error::UnknownTicket). After `apply`, use the node's handle instead:
/// [`EditQueue::inserted`](crate::edit::EditQueue::inserted) returns it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Queued {
    pub(crate) round: NonZeroU64,
    /// The index of the insert among the edits of its round: the edits between two applications of the queue.
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
    fn both_parts_come_back_at_their_limits() {
        for (record, generation) in [(0, 1), (u32::MAX - 1, MAX_GENERATION), (5, 77)] {
            let handle = NodeHandle::of_record(RecordId::from_number(record), generation);
            assert_eq!((handle.record().number(), handle.generation()), (record, generation));
            assert_eq!(NodeHandle::from_bits(handle.to_bits()), Some(handle));
        }
    }

    #[test]
    fn a_handle_is_written_as_its_two_parts() {
        let handle = NodeHandle::of_record(RecordId::from_number(17), 3);
        assert_eq!((format!("{handle}"), format!("{handle:?}")), ("17v3".into(), "NodeHandle(17v3)".into()));
        assert_eq!((format!("{handle:>7}"), format!("{handle:<7}")), ("   17v3".into(), "17v3   ".into()));
    }

    /// A map picks a bucket by the lowest bits of a hash, and compares the highest seven.
    #[test]
    fn handles_of_a_scene_fall_into_all_buckets_of_a_map() {
        use core::hash::BuildHasher;
        let handle = |record, generation| NodeHandle::of_record(RecordId::from_number(record), generation);
        let new: &dyn Fn(u32) -> NodeHandle = &|at| handle(at, 1);
        let far_apart: &dyn Fn(u32) -> NodeHandle = &|at| handle(at * 1024, 1);
        let of_one_record: &dyn Fn(u32) -> NodeHandle = &|at| handle(7, 2 * at + 1);
        for handles in [new, far_apart, of_one_record] {
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
        assert_eq!(NodeHandle::from_bits(u64::MAX << 32), None);
        assert_eq!(NodeHandle::from_bits(6), None);
        assert_eq!(NodeHandle::from_bits(u64::MAX), None);
    }
}
