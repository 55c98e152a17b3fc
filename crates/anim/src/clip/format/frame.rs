//! Jump frames: the active array as bytes. These are the words of all blocks in memory order, little-endian.

use crate::sampling::{Active, LANES, NUMBERS, Word};

impl<W: Word> Active<W> {
    /// The size of a block in a jump frame, in bytes.
    pub(crate) const BYTES: usize = 2 * (1 + NUMBERS) * LANES * W::BYTES;

    /// Appends the block to a jump frame.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        self.pairs.as_flattened().as_flattened().iter().for_each(|word| word.write(bytes));
    }
}
