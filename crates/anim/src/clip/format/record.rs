//! Records: the keys in the stream that one block of lanes needs at the same time.

use crate::clip::Precision;
use crate::sampling::{NUMBERS, Word};

/// The number of padding bytes after the last group, so that loads of whole vectors may read past the group's end.
pub(crate) const PADDING: usize = 64;

/// The head of a record.
///
/// ```text
/// block u16 │ lanes u8 │ time u16 or u32 │ x of each lane │ y of each lane │ z of each lane
/// ```
///
/// `lanes` has a bit for each lane with a key. Times and numbers are stored as the XOR with the lane's key two places
/// earlier. The XOR of times is the same for all lanes of a record. A block of single numbers has only x.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<W> {
    pub(crate) block: u16,
    pub(crate) lanes: u8,
    pub(crate) time: W,
}

impl<W: Word> Record<W> {
    /// The size of the head, in bytes.
    pub(crate) const HEAD: usize = 3 + W::BYTES;

    /// Reads the head at the start of the bytes.
    #[inline]
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let head = bytes.get(..Self::HEAD)?;
        Some(Self { block: u16::read(head), lanes: head[2], time: W::read(&head[3..]) })
    }

    /// Appends a record; `numbers` has an entry for each lane, in ascending order.
    pub(crate) fn write(self, numbers: &[[W; NUMBERS]], single: bool, bytes: &mut Vec<u8>) {
        debug_assert_eq!(numbers.len(), self.lanes.count_ones() as usize);
        self.block.write(bytes);
        bytes.push(self.lanes);
        self.time.write(bytes);
        for number in 0..Self::numbers(single) {
            numbers.iter().for_each(|key| key[number].write(bytes));
        }
    }

    /// Looks up the number of keys in a table, because some machines have no instruction that counts bits.
    #[inline]
    pub(crate) fn keys(&self) -> usize {
        usize::from(KEYS[usize::from(self.lanes)])
    }

    /// Returns the size of a record with this many keys, in bytes.
    #[inline]
    pub(crate) const fn bytes(keys: usize, single: bool) -> usize {
        Self::HEAD + Self::numbers(single) * keys * W::BYTES
    }

    /// Returns how many numbers a key has.
    #[inline]
    pub(crate) const fn numbers(single: bool) -> usize {
        if single { 1 } else { NUMBERS }
    }
}

impl Precision {
    /// Returns the size of a record with these lanes, in bytes.
    pub(in crate::clip) fn record_bytes(self, lanes: u8, single: bool) -> u32 {
        let keys = lanes.count_ones() as usize;
        let bytes = match self {
            Self::Compact => Record::<u16>::bytes(keys, single),
            Self::Tight => Record::<u32>::bytes(keys, single),
        };
        u32::try_from(bytes).expect("a head and eight keys")
    }
}

/// The number of lanes in each set.
static KEYS: [u8; 256] = {
    let mut keys = [0; 256];
    let mut lanes = 1;
    while lanes < 256 {
        keys[lanes] = keys[lanes / 2] + if lanes % 2 == 1 { 1 } else { 0 };
        lanes += 1;
    }
    keys
};
