//! The active array as bytes: a jump frame has the words of all its blocks, little-endian, in the order of memory.

use crate::sampling::{Active, LANES, NUMBERS, Word};

impl<W: Word> Active<W> {
    /// Bytes of eight lanes in a jump frame.
    pub(crate) const BYTES: usize = 2 * (1 + NUMBERS) * LANES * W::BYTES;

    /// Appends what a jump frame says.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        self.pairs.as_flattened().as_flattened().iter().for_each(|word| word.write(bytes));
    }
}
