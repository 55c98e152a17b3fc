//! Radix sort.

use core::mem::{replace, swap};

/// The number of bits in a digit. The counts of one digit take 8 kB.
pub const DIGIT_BITS: u32 = 11;

/// The number of keys below which sorting by comparison is faster.
const FEW: usize = 1024;

/// The number of keys for each value of one digit.
pub type Counts = [u32; 1 << DIGIT_BITS];

/// Sorts keys by digit, from the lowest digit, with one stable pass per digit. Digits that all keys share are skipped.
/// `sorted` and `counts` are scratch buffers.
///
/// The digits are the upper bits of a key. The lower bits, such as an index, must ascend from key to key, so that the
/// result is in the order of whole keys.
///
/// Runs in **O(digits × (keys + values of a digit))**; for fewer than 1024 keys in O(keys · log keys).
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
