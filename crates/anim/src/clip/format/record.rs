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

/// The position of a lane's words in the records of its block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LanePlace {
    block: usize,
    lane: usize,
    /// The offset of the lane's first word in a full record, in bytes.
    first: usize,
    /// The distance between the lane's numbers in a full record, in bytes.
    stride: usize,
}

impl LanePlace {
    /// Computes a lane's position; `live` is the set of lanes with a track. Keys of the block must have three numbers.
    #[inline]
    pub(crate) fn new<W: Word>(block: usize, lane: usize, live: u8) -> Self {
        let lane = lane % 8;
        let first = Record::<W>::HEAD + before(live, lane) * W::BYTES;
        Self { block, lane, first, stride: usize::from(KEYS[usize::from(live)]) * W::BYTES }
    }

    /// Returns the XOR of the lane's key with the key two places earlier, given the bytes from the start of the block's
    /// full record. Returns `None` if there are too few bytes.
    #[inline]
    pub(crate) fn in_full<W: Word>(self, record: &[u8]) -> Option<W::Key> {
        let last = record.get(self.first + 2 * self.stride..)?;
        if last.len() < W::BYTES {
            return None;
        }
        let number = |number: usize| W::read(&record[self.first + number * self.stride..]);
        Some(W::pack([W::read(&record[3..]), number(0), number(1), W::read(last)]))
    }

    /// Like [`in_full`](Self::in_full), but for any group: `records` starts at the record of the lane's block or at an
    /// earlier record. Returns `None` if the group has no key of the lane.
    pub(crate) fn find<W: Word>(self, mut records: &[u8]) -> Option<W::Key> {
        loop {
            let head = Record::<W>::read(records)?;
            let block = usize::from(head.block);
            // Records are in the order of blocks.
            if block > self.block {
                return None;
            }
            // Blocks of single numbers come last, so every key up to the lane's record has three numbers.
            let end = Record::<W>::bytes(head.keys(), false);
            if block < self.block || head.lanes >> self.lane & 1 == 0 {
                records = records.get(end..)?;
                continue;
            }
            let words = records.get(Record::<W>::HEAD..end)?;
            let before = before(head.lanes, self.lane);
            let number = |number: usize| W::read(&words[(number * head.keys() + before) * W::BYTES..]);
            return Some(W::pack([head.time, number(0), number(1), number(2)]));
        }
    }
}

/// Counts the lanes of a set that come before `lane`.
#[inline]
fn before(lanes: u8, lane: usize) -> usize {
    usize::from(KEYS[usize::from(lanes & ((1 << lane) - 1))])
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
