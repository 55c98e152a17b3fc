//! Fallible allocation, which returns an error if the allocator refuses.
//!
//! Readers of bytes and methods named `try_…` use it. All other code grows its lists in the usual way, which aborts the
//! process if memory is short.

use core::hint::black_box;
use std::alloc::{Layout, handle_alloc_error};
use std::collections::TryReserveError;
use std::io::{ErrorKind, Read};
use std::sync::Arc;

/// Adds a value to a list.
#[inline]
pub fn push<T>(list: &mut Vec<T>, value: T) -> Result<(), TryReserveError> {
    list.try_reserve(1)?;
    list.push(value);
    Ok(())
}

/// Creates an empty list with room for exactly this many values.
#[inline]
pub fn with_capacity<T>(capacity: usize) -> Result<Vec<T>, TryReserveError> {
    let mut list = Vec::new();
    list.try_reserve_exact(capacity)?;
    Ok(list)
}

/// Returns a list of this many copies of a value.
pub fn filled<T: Copy>(len: usize, value: T) -> Result<Vec<T>, TryReserveError> {
    let mut list = with_capacity(len)?;
    list.resize(len, value);
    Ok(list)
}

/// Returns a copy of a list.
pub fn copied<T: Copy>(values: &[T]) -> Result<Vec<T>, TryReserveError> {
    let mut list = with_capacity(values.len())?;
    list.extend_from_slice(values);
    Ok(list)
}

/// Collects an iterator of known length into a list.
pub fn collected<T>(values: impl ExactSizeIterator<Item = T>) -> Result<Vec<T>, TryReserveError> {
    let mut list = with_capacity(values.len())?;
    list.extend(values);
    Ok(list)
}

/// Returns a copy of a text.
pub fn text(text: &str) -> Result<Box<str>, TryReserveError> {
    let mut copy = String::new();
    copy.try_reserve_exact(text.len())?;
    copy.push_str(text);
    Ok(copy.into_boxed_str())
}

/// The least and the greatest number of bytes prepared for one read.
const FEWEST_AHEAD: usize = 1 << 10;
const MOST_AHEAD: usize = 1 << 16;

/// Reads to the end and returns the bytes.
pub fn read_whole(from: impl Read) -> Result<Vec<u8>, ErrorKind> {
    let mut bytes = Vec::new();
    read_to_end(from, &mut bytes)?;
    Ok(bytes)
}

/// Reads to the end, appends the bytes to a list, and returns their number.
///
/// Every growth of the list is fallible. By contrast, [`Read::read_to_end`] allocates infallibly for the first bytes of
/// a reader of unknown length, and whenever the list is full.
pub fn read_to_end(mut from: impl Read, bytes: &mut Vec<u8>) -> Result<usize, ErrorKind> {
    let start = bytes.len();
    let mut end = start;
    let mut few = [0; 64];
    let result = loop {
        // From `end` on, the bytes are scratch space for the next read.
        let full = end == bytes.capacity();
        if end == bytes.len() {
            // Prepare no more bytes than were read so far, because a reused list may have far more room than needed.
            let step = (end - start).clamp(FEWEST_AHEAD, MOST_AHEAD);
            bytes.resize(bytes.capacity().min(end + step), 0);
        }
        // If the list is full, a few bytes are read first, so that the list need not grow at the end of the input.
        let read = if full { from.read(&mut few) } else { from.read(&mut bytes[end..]) };
        match read {
            Ok(0) => break Ok(end - start),
            Ok(read) if full => {
                if bytes.try_reserve(end.max(FEWEST_AHEAD)).is_err() {
                    break Err(ErrorKind::OutOfMemory);
                }
                bytes.extend_from_slice(&few[..read.min(few.len())]);
                end = bytes.len();
            }
            Ok(read) => end = bytes.len().min(end.saturating_add(read)),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => break Err(error.kind()),
        }
    };
    bytes.truncate(end);
    result
}

/// Allocates room for this many values, and frees it again.
///
/// Call `probe` right before an allocation that can only be infallible, such as an [`Arc`]. If memory is short, `probe`
/// returns an error. The process still aborts if another thread takes the memory in between.
pub fn probe<T>(values: usize) -> Result<(), TryReserveError> {
    // Keeps the compiler from removing the unused allocation.
    drop(black_box(with_capacity::<T>(values)?));
    Ok(())
}

/// Puts copies of a value in an [`Arc`], after a [`probe`].
pub fn shared_filled<T: Copy>(len: usize, value: T) -> Result<Arc<[T]>, TryReserveError> {
    // An `Arc` stores two counts before the values.
    let counts = (2 * size_of::<usize>()).div_ceil(size_of::<T>().max(1));
    probe::<T>(len.saturating_add(counts))?;
    // The iterator's length is known, so this is one allocation.
    Ok(core::iter::repeat_n(value, len).collect())
}

/// Unwraps an allocation. Aborts the process if the allocation failed, as `Vec` does.
#[inline]
pub fn or_abort<T>(made: Result<T, TryReserveError>) -> T {
    made.unwrap_or_else(|_| handle_alloc_error(Layout::new::<T>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_can_be_is_refused() {
        assert!(with_capacity::<u64>(usize::MAX / 8).is_err());
        assert!(filled(usize::MAX / 2, 0_u32).is_err());
        assert!(shared_filled(usize::MAX / 8, 0_u64).is_err());
        assert!(collected(core::iter::repeat_n(0_u64, usize::MAX / 8)).is_err());
    }

    #[test]
    fn a_reader_is_read_to_its_end_or_to_its_error() {
        /// Returns a few bytes at a time, is interrupted now and then, and fails at the end.
        #[derive(Default)]
        struct Odd {
            turn: usize,
            given: usize,
        }

        impl Read for Odd {
            fn read(&mut self, to: &mut [u8]) -> std::io::Result<usize> {
                self.turn += 1;
                match self.turn {
                    1000.. => Err(ErrorKind::BrokenPipe.into()),
                    turn if turn.is_multiple_of(3) => Err(ErrorKind::Interrupted.into()),
                    _ => {
                        let few = to.len().min(7);
                        to[..few].fill(5);
                        self.given += few;
                        Ok(few)
                    }
                }
            }
        }

        let long: Vec<u8> = (0..=u8::MAX).cycle().take(100_000).collect();
        assert_eq!(read_whole(&long[..]).as_ref(), Ok(&long));
        let (mut bytes, mut odd) = (vec![1, 2], Odd::default());
        assert_eq!(read_to_end(&mut odd, &mut bytes), Err(ErrorKind::BrokenPipe));
        assert!(bytes.len() == 2 + odd.given && odd.given > 4000);
        assert!(bytes.starts_with(&[1, 2, 5]) && bytes.ends_with(&[5]));
        assert_eq!(read_to_end(&[9][..], &mut bytes), Ok(1));
        assert_eq!(bytes.last(), Some(&9));
    }

    #[test]
    fn copies_are_what_was_copied() {
        assert_eq!(&*text("hedge").unwrap(), "hedge");
        assert_eq!(copied(&[1, 2]).unwrap(), [1, 2]);
        assert_eq!(collected([4, 5].into_iter()).unwrap(), [4, 5]);
        assert_eq!(&*shared_filled(2, 7).unwrap(), [7, 7]);
    }
}
