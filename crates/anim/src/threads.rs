//! Work that is shared among the threads of the current pool (feature `rayon`), in parts that are written to separate
//! places: results are identical to the bit for any number of threads.
#![cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "one thread does all blocks as they are"))]

use std::sync::{Mutex, PoisonError};

/// With fewer joints than this, one thread finishes before another has started.
#[cfg(feature = "rayon")]
const WORTH_SHARING: usize = 16_384;
/// A task is about this many joints.
#[cfg(feature = "rayon")]
const GRAIN: usize = 4096;
/// A caller outside the pool hands over all of its work, and waits for threads that may sleep. That needs this many
/// times as much work to pay off.
#[cfg(feature = "rayon")]
const OUTSIDE: usize = 4;

/// Whether this much work is worth sharing, if `least` is enough for a thread of the pool, and there are threads to
/// share it with.
#[cfg(feature = "rayon")]
pub(crate) fn is_worth_sharing(amount: usize, least: usize) -> bool {
    let least = if rayon::current_thread_index().is_some() { least } else { OUTSIDE * least };
    amount >= least && rayon::current_num_threads() > 1
}

/// Lists that belong together, block by block.
pub(crate) trait Blocks: Sized + Send {
    /// How many blocks there are.
    fn blocks(&self) -> usize;

    /// The first so many blocks, and the others.
    fn split_at(self, blocks: usize) -> (Self, Self);
}

/// A list in blocks of this size; the last one may be shorter.
pub(crate) struct Chunks<'a, T> {
    pub(crate) items: &'a [T],
    pub(crate) size: usize,
}

/// A list in blocks of this size; the last one may be shorter.
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

/// Calls `work` with all blocks, of this many joints each, in one part or several. Returns the error of the first part
/// that has one.
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

/// How many parts [`each_part`] works on at a time, at most.
fn tasks(blocks: usize, joints: usize) -> usize {
    #[cfg(feature = "rayon")]
    if is_worth_sharing(blocks * joints, WORTH_SHARING) {
        return rayon::current_num_threads().min(blocks);
    }
    let _ = (blocks, joints);
    1
}

/// Parts of a caller's list to work in, one for each thread, which stay from call to call.
pub(crate) struct Rooms<'r, T> {
    free: Mutex<Vec<&'r mut [T]>>,
    length: usize,
}

impl<'r, T: Clone> Rooms<'r, T> {
    /// Rooms of this length for what [`each_part`] makes of so many blocks of so many joints; a list that is too short
    /// is filled up.
    pub(crate) fn new(list: &'r mut Vec<T>, length: usize, fill: T, (blocks, joints): (usize, usize)) -> Self {
        let needed = length * tasks(blocks, joints);
        if list.len() < needed {
            list.resize(needed, fill);
        }
        Self { free: Mutex::new(list.chunks_exact_mut(length.max(1)).collect()), length }
    }

    /// Calls `work` with a room of its own, with anything in it.
    pub(crate) fn with<R>(&self, fill: T, work: impl FnOnce(&mut [T]) -> R) -> R {
        let lock = || self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = lock().pop();
        // A thread that waits within `work` may begin another part meanwhile.
        let Some(room) = taken else { return work(&mut vec![fill; self.length]) };
        let result = work(room);
        lock().push(room);
        result
    }
}
