//! From a scene to bytes.

use crate::record::Record;
use crate::seal::HEADER_BYTES;
use crate::snapshot::column::Head;
use crate::snapshot::config::config_words;
use crate::store::{Column, EachColumn, Slice, Storage, Store, each_column};
use core::convert::Infallible;

/// Bytes that grow at their end.
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    /// A writer that leaves room for the header.
    pub(super) fn new() -> Self {
        Self { bytes: vec![0; HEADER_BYTES] }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Makes room for this many bytes.
    pub(super) fn reserve(&mut self, bytes: usize) {
        self.bytes.reserve(bytes);
    }

    pub(super) fn one<T: Record>(&mut self, record: T) {
        self.many(core::iter::once(record));
    }

    pub(super) fn array<T: Record>(&mut self, array: &[T]) {
        self.many(array.iter().copied());
    }

    pub(super) fn many<T: Record>(&mut self, records: impl ExactSizeIterator<Item = T>) {
        let start = self.bytes.len();
        self.bytes.resize(start + records.len() * T::BYTES, 0);
        for (record, bytes) in records.zip(self.bytes[start..].chunks_exact_mut(T::BYTES)) {
            record.encode(bytes);
        }
    }

    /// A list of numbers, with its length before it.
    pub(super) fn list(&mut self, numbers: &[u32]) {
        self.one(count(numbers.len()));
        self.array(numbers);
    }

    /// The lengths of all texts, then the texts.
    pub(super) fn texts<'t>(&mut self, texts: impl ExactSizeIterator<Item = &'t str> + Clone) {
        self.many(texts.clone().map(|text| count(text.len())));
        texts.for_each(|text| self.bytes.extend_from_slice(text.as_bytes()));
    }
}

/// A length as it is kept.
fn count(length: usize) -> u32 {
    u32::try_from(length).expect("a length below 2^32")
}

impl Store {
    /// Writes everything that is kept.
    pub(super) fn write(&self, out: &mut Writer) {
        out.reserve(self.written_bytes());
        out.list(&config_words(&self.config));
        out.one(self.reconstitutions);
        self.tables.write(out);
        out.one(count(self.slices.len()));
        let mut passing = Passing::default();
        for (number, slice) in (0..).zip(&self.slices) {
            self.write_slice(number, slice, &mut passing, out);
        }
        out.list(&self.worn.iter().copied().collect::<Vec<u32>>());
        out.list(&self.lonely);
        out.list(&self.detached);
        out.list(&self.doomed);
    }

    fn write_slice(&self, number: u32, slice: &Slice, passing: &mut Passing, out: &mut Writer) {
        let Passing { order, pending, ranks } = passing;
        let (owned, open) = self.tables.owned_by(number);
        let head = Head { tables: count(owned.len()), open_tables: count(open.len()), ..Head::of(slice) };
        out.one(head);
        if !slice.lives {
            return;
        }
        for storage in Storage::ALL {
            let slots = storage.of(slice);
            if slots.holes().count() > 0 {
                let words = slots.end().div_ceil(u64::BITS) as usize;
                slots.holes().words().take(words).for_each(|word| out.one(word));
            }
        }
        slice.depth_first_order(order, pending);
        ranks.clear();
        ranks.resize(slice.rows.len(), 0);
        (0..).zip(&*order).for_each(|(rank, &(row, _))| ranks[row as usize] = rank);
        out.array(ranks);
        let Ok(()) = each_column(&mut WriteSlice { slice, out });
        let sheared = &slice.transforms.sheared;
        out.many(sheared.keys().copied());
        out.many(sheared.values().copied());
        out.array(&slice.children);
        out.array(owned);
        out.array(&open);
    }

    /// About as many bytes as will be written.
    fn written_bytes(&self) -> usize {
        let slice = |slice: &Slice| {
            let storages: usize = Storage::ALL.iter().map(|s| s.of(slice).end() as usize * s.slot_bytes()).sum();
            Head::BYTES + storages + slice.names.text_bytes
        };
        self.slices.iter().map(slice).sum::<usize>() + self.tables.allocated_bytes()
    }
}

/// Lists that are kept from slice to slice, to spare allocations.
#[derive(Default)]
struct Passing {
    order: Vec<(u32, u32)>,
    pending: Vec<(u32, u32)>,
    ranks: Vec<u32>,
}

struct WriteSlice<'a> {
    slice: &'a Slice,
    out: &'a mut Writer,
}

impl EachColumn for WriteSlice<'_> {
    type Error = Infallible;

    fn column<T: Record>(&mut self, column: &Column<T>) -> Result<(), Infallible> {
        self.out.array((column.of)(self.slice));
        Ok(())
    }

    fn names(&mut self, column: &Column<Box<str>>) -> Result<(), Infallible> {
        self.out.texts((column.of)(self.slice).iter().map(|name| &**name));
        Ok(())
    }
}
