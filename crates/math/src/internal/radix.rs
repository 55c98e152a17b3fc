//! Radix sort.

use core::mem::{replace, swap};

/// How many bits a digit has: its counts take 8 KB.
pub const DIGIT_BITS: u32 = 11;

/// Fewer keys than this are sorted faster by comparisons, which also need no counts.
const FEW: usize = 1024;

/// How many keys have each value of one digit.
pub type Counts = [u32; 1 << DIGIT_BITS];

/// Sorts keys by one digit after the other, from the lowest, with a stable sort for each. Digits that all keys share
/// are skipped. `sorted` and `counts` are scratch buffers.
///
/// The digits are the upper bits of a key. The bits below them, such as an index, must ascend from key to key: then the
/// result is in the order of whole keys, which is how a few keys are sorted, by comparison.
///
/// Runs in **O(digits × (keys + values of a digit))**; for few keys in O(keys · log keys).
pub fn sort<K: Copy + Default + Ord>(
    keys: &mut Vec<K>,
    sorted: &mut Vec<K>,
    counts: &mut Vec<Counts>,
    digits: usize,
    digit_of: impl Fn(K, usize) -> usize,
) {
    let Some(&first) = keys.first() else { return };
    if keys.len() < FEW {
        keys.sort_unstable();
        return;
    }
    counts.clear();
    counts.resize(digits, [0; 1 << DIGIT_BITS]);
    for &key in &*keys {
        for (digit, counts) in counts.iter_mut().enumerate() {
            counts[digit_of(key, digit)] += 1;
        }
    }
    sorted.clear();
    sorted.resize(keys.len(), K::default());
    for (digit, counts) in counts.iter_mut().enumerate() {
        if counts[digit_of(first, digit)] as usize == keys.len() {
            continue;
        }
        let mut start = 0;
        for count in &mut *counts {
            start += replace(count, start);
        }
        for &key in &*keys {
            let place = &mut counts[digit_of(key, digit)];
            sorted[*place as usize] = key;
            *place += 1;
        }
        swap(keys, sorted);
    }
}
