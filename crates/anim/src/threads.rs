//! Work shared among the threads of the current pool (feature `rayon`). Parts write to separate places, so results have
//! the same bits for any number of threads.
#![cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "one thread does all blocks as they are"))]

#[cfg(feature = "rayon")]
use hedgerow_math::internal::sharing::{WORTH_SHARING, is_worth_sharing};
use std::sync::{Mutex, PoisonError};

/// The approximate number of joints in a task.
#[cfg(feature = "rayon")]
const GRAIN: usize = 4096;

/// Lists that are split together, block by block.
pub(crate) trait Blocks: Sized + Send {
    fn blocks(&self) -> usize;

    /// Splits into the first `blocks` blocks and the remaining blocks.
    fn split_at(self, blocks: usize) -> (Self, Self);
}

/// A list in blocks of this size; the last block may be shorter.
pub(crate) struct Chunks<'a, T> {
    pub(crate) items: &'a [T],
    pub(crate) size: usize,
}

/// A list in blocks of this size; the last block may be shorter.
pub(crate) struct ChunksMut<'a, T> {
    pub(crate) items: &'a mut [T],
    pub(crate) size: usize,
}

impl<T: Sync> Blocks for Chunks<'_, T> {
    fn blocks(&self) -> usize {
        self.items.len().div_ceil(self.size)
    }

    fn split_at(self, blocks: usize) -> (Self, Self) {
        let size = self.size;
        let (first, last) = self.items.split_at((blocks * size).min(self.items.len()));
        (Self { items: first, size }, Self { items: last, size })
    }
}

impl<T: Send> Blocks for ChunksMut<'_, T> {
    fn blocks(&self) -> usize {
        self.items.len().div_ceil(self.size)
    }

    fn split_at(self, blocks: usize) -> (Self, Self) {
        let (size, length) = (self.size, self.items.len());
        let (first, last) = self.items.split_at_mut((blocks * size).min(length));
        (Self { items: first, size }, Self { items: last, size })
    }
}

impl<A: Blocks, B: Blocks> Blocks for (A, B) {
    fn blocks(&self) -> usize {
        self.0.blocks()
    }

    fn split_at(self, blocks: usize) -> (Self, Self) {
        let ((a, c), (b, d)) = (self.0.split_at(blocks), self.1.split_at(blocks));
        ((a, b), (c, d))
    }
}

/// Calls `work` with all blocks in one or several parts; each block has `joints` joints. Returns the error of the first
/// part that failed.
pub(crate) fn each_part<B: Blocks, E: Send>(
    all: B,
    joints: usize,
    work: impl Fn(B) -> Result<(), E> + Sync,
) -> Result<(), E> {
    #[cfg(feature = "rayon")]
    if is_worth_sharing(all.blocks() * joints, WORTH_SHARING) {
        return share(all, (GRAIN / joints.max(1)).max(1), &work);
    }
    let _ = joints;
    work(all)
}

#[cfg(feature = "rayon")]
fn share<B: Blocks, E: Send>(part: B, most: usize, work: &(impl Fn(B) -> Result<(), E> + Sync)) -> Result<(), E> {
    let blocks = part.blocks();
    if blocks <= most {
        return work(part);
    }
    let (first, last) = part.split_at(blocks / 2);
    let (first, last) = rayon::join(|| share(first, most, work), || share(last, most, work));
    first.and(last)
}

/// Returns the greatest number of parts that [`each_part`] works on at a time.
fn tasks(blocks: usize, joints: usize) -> usize {
    #[cfg(feature = "rayon")]
    if is_worth_sharing(blocks * joints, WORTH_SHARING) {
        return rayon::current_num_threads().min(blocks);
    }
    let _ = (blocks, joints);
    1
}

/// Scratch buffers in a caller's list, one for each thread, reused from call to call.
pub(crate) struct Rooms<'r, T> {
    free: Mutex<Vec<&'r mut [T]>>,
    length: usize,
}

impl<'r, T: Clone> Rooms<'r, T> {
    /// Creates rooms of this length for [`each_part`] with `blocks` blocks of `joints` joints. Grows the list if it is
    /// too short.
    pub(crate) fn new(list: &'r mut Vec<T>, length: usize, fill: T, (blocks, joints): (usize, usize)) -> Self {
        let needed = length * tasks(blocks, joints);
        if list.len() < needed {
            list.resize(needed, fill);
        }
        Self { free: Mutex::new(list.chunks_exact_mut(length.max(1)).collect()), length }
    }

    /// Calls `work` with a free room, whose contents are unspecified.
    pub(crate) fn with<R>(&self, fill: T, work: impl FnOnce(&mut [T]) -> R) -> R {
        let lock = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = lock().pop();
        // All rooms may be taken, because a thread that waits within `work` may start another part.
        let Some(room) = taken else { return work(&mut vec![fill; self.length]) };
        let result = work(room);
        lock().push(room);
        result
    }
}
