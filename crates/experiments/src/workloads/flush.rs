//! Empties the caches between two iterations.

use std::hint::black_box;

/// More than the caches of common machines hold.
const BYTES: usize = 128 << 20;

/// Memory that is written to, so that the caches hold it and nothing else.
#[derive(Clone, Debug)]
pub struct Flush {
    words: Vec<u64>,
    round: u64,
}

impl Flush {
    /// Takes the memory; a hundredth of it where nothing is measured.
    pub fn new(measures: bool) -> Self {
        let bytes = if measures { BYTES } else { BYTES / 100 };
        Self { words: vec![0; bytes / 8], round: 0 }
    }

    /// Writes to every cache line of it.
    pub fn flush(&mut self) {
        self.round += 1;
        for line in self.words.chunks_mut(8) {
            line[0] = self.round;
        }
        black_box(&mut self.words);
    }
}
