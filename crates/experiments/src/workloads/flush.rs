//! Emptying the caches between two iterations.

use std::hint::black_box;

/// A size larger than the caches of common machines.
const BYTES: usize = 128 << 20;

/// Memory that is written to evict everything else from the caches.
#[derive(Clone, Debug)]
pub struct Flush {
    words: Vec<u64>,
    round: u64,
}

impl Flush {
    /// Allocates the memory; a hundredth of it if nothing is measured.
    pub fn new(measures: bool) -> Self {
        let bytes = if measures { BYTES } else { BYTES / 100 };
        Self { words: vec![0; bytes / 8], round: 0 }
    }

    /// Writes to every cache line of the memory.
    pub fn flush(&mut self) {
        self.round += 1;
        for line in self.words.chunks_mut(8) {
            line[0] = self.round;
        }
        black_box(&mut self.words);
    }
}
