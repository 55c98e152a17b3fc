//! The keys that one block of lanes needs at the same time, in the stream.

use super::Width;
use crate::sampling::{NUMBERS, Word};
use core::marker::PhantomData;

/// What has to follow a group of records, so that vectors may be loaded past its end.
pub(crate) const PADDING: usize = 64;

/// The head of a record.
///
/// ```text
/// block u16 │ lanes u8 │ time u16 or u32 │ x of each lane │ y of each lane │ z of each lane
/// ```
///
/// One bit of `lanes` for each lane that has a key here, in ascending order. The time is the same for all, and so are
/// the bits in which it differs from the last time but one. Blocks of single numbers have no y and z.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Record<W> {
    pub(crate) block: u16,
    pub(crate) lanes: u8,
    pub(crate) time: W,
}

impl<W: Word> Record<W> {
    /// Bytes of the head.
    pub(crate) const HEAD: usize = 3 + W::BYTES;

    /// Reads the head that the bytes begin with.
    #[inline]
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let head = bytes.get(..Self::HEAD)?;
        Some(Self { block: u16::read(head), lanes: head[2], time: W::read(&head[3..]) })
    }

    /// Appends a record; `numbers` are those of the lanes in ascending order.
    pub(crate) fn write(self, numbers: &[[W; NUMBERS]], single: bool, bytes: &mut Vec<u8>) {
        debug_assert_eq!(numbers.len(), self.lanes.count_ones() as usize);
        self.block.write(bytes);
        bytes.push(self.lanes);
        self.time.write(bytes);
        for number in 0..Self::numbers(single) {
            numbers.iter().for_each(|key| key[number].write(bytes));
        }
    }

    /// How many keys it has. Where the next record begins waits for this, and not every machine of the target counts
    /// bits.
    #[inline]
    pub(crate) fn keys(&self) -> usize {
        usize::from(KEYS[usize::from(self.lanes)])
    }

    /// Bytes of a record with this many keys.
    #[inline]
    pub(crate) const fn bytes(keys: usize, single: bool) -> usize {
        Self::HEAD + Self::numbers(single) * keys * W::BYTES
    }

    /// How many numbers a key has.
    #[inline]
    pub(crate) const fn numbers(single: bool) -> usize {
        if single { 1 } else { NUMBERS }
    }
}

impl Width {
    /// Bytes of a record with these lanes.
    pub(in crate::clip) fn record_bytes(self, lanes: u8, single: bool) -> u32 {
        let keys = lanes.count_ones() as usize;
        let bytes = match self {
            Self::Compact => Record::<u16>::bytes(keys, single),
            Self::Tight => Record::<u32>::bytes(keys, single),
        };
        u32::try_from(bytes).expect("a head and eight keys")
    }
}

/// The records of a group, each with the words of its numbers, up to the first that is not whole.
#[derive(Debug)]
pub(crate) struct Records<'b, W> {
    bytes: &'b [u8],
    singles: usize,
    word: PhantomData<W>,
}

impl<'b, W: Word> Records<'b, W> {
    /// The records that these bytes are; blocks from `singles` on have one number a key.
    #[inline]
    pub(crate) const fn new(bytes: &'b [u8], singles: usize) -> Self {
        Self { bytes, singles, word: PhantomData }
    }

    /// Whether no bytes are left.
    pub(crate) const fn is_done(&self) -> bool {
        self.bytes.is_empty()
    }
}

impl<'b, W: Word> Iterator for Records<'b, W> {
    type Item = (Record<W>, &'b [u8]);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let head = Record::<W>::read(self.bytes)?;
        let end = Record::<W>::bytes(head.keys(), usize::from(head.block) >= self.singles);
        let words = self.bytes.get(Record::<W>::HEAD..end)?;
        self.bytes = &self.bytes[end..];
        Some((head, words))
    }
}

/// Where the words of one lane lie in the records of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LanePlace {
    block: usize,
    lane: usize,
    /// In bytes from the beginning of the record: the first word of the lane where all lanes have a key.
    first: usize,
    /// Bytes from one number to the next there.
    stride: usize,
}

impl LanePlace {
    /// The place of a lane of a block whose keys have three numbers, given the lanes that have a track.
    #[inline]
    pub(crate) fn new<W: Word>(block: usize, lane: usize, live: u8) -> Self {
        let lane = lane % 8;
        let first = Record::<W>::HEAD + before(live, lane) * W::BYTES;
        Self { block, lane, first, stride: usize::from(KEYS[usize::from(live)]) * W::BYTES }
    }

    /// In which bits the lane's key differs from the last but one, given a group from the record of its block on, which
    /// has all lanes. `None` where the bytes are too few.
    #[inline]
    pub(crate) fn in_full<W: Word>(self, record: &[u8]) -> Option<W::Key> {
        let last = record.get(self.first + 2 * self.stride..)?;
        if last.len() < W::BYTES {
            return None;
        }
        let number = |number: usize| W::read(&record[self.first + number * self.stride..]);
        Some(W::pack([W::read(&record[3..]), number(0), number(1), W::read(last)]))
    }

    /// The same in any group, given the records from that of its block on, or from one before. `None` if the group has
    /// no key of the lane.
    pub(crate) fn find<W: Word>(self, mut records: &[u8]) -> Option<W::Key> {
        loop {
            let head = Record::<W>::read(records)?;
            let block = usize::from(head.block);
            if block > self.block {
                return None;
            }
            // Blocks of channels come after all others.
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

/// How many lanes of a set come before one.
#[inline]
fn before(lanes: u8, lane: usize) -> usize {
    usize::from(KEYS[usize::from(lanes & ((1 << lane) - 1))])
}

/// For each set of lanes, how many it has.
static KEYS: [u8; 256] = {
    let mut keys = [0; 256];
    let mut lanes = 1;
    while lanes < 256 {
        keys[lanes] = keys[lanes / 2] + if lanes % 2 == 1 { 1 } else { 0 };
        lanes += 1;
    }
    keys
};
