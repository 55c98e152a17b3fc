//! Writes a store as bytes.

use crate::Mat34;
use crate::record::{Record, Writer, count};
use crate::store::columns::{Column, EachColumn, Storage, each_column};
use crate::store::image::config::config_words;
use crate::store::image::head::Head;
use crate::store::{Slice, Store};
use bumpalo::Bump;
use core::convert::Infallible;

impl Store {
    /// Writes everything that is kept.
    pub(crate) fn write_image(&self, out: &mut Writer) {
        out.reserve(self.written_bytes());
        out.list(&config_words(&self.config));
        out.one(self.reconstitutions);
        self.tables.write(out);
        out.one(count(self.slices.len()));
        let mut arena = Bump::new();
        for (number, slice) in (0..).zip(self.slices.iter()) {
            self.write_slice(number, slice, &arena, out);
            arena.reset();
        }
        out.list(&self.edited.iter().copied().collect::<Vec<u32>>());
        out.list(&self.merge_candidates());
        out.list(&self.detached);
        out.list(&self.pending_free);
        self.words.write(&self.tables, out);
    }

    fn write_slice(&self, number: u32, slice: &Slice, arena: &Bump, out: &mut Writer) {
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
        let order = slice.depth_first_order(arena);
        let ranks: &mut [u32] = arena.alloc_slice_fill_copy(slice.rows.len(), 0);
        (0..).zip(order).for_each(|(rank, &(row, _))| ranks[row as usize] = rank);
        out.array(ranks);
        let Ok(()) = each_column(&mut WriteSlice { slice, out });
        let sheared = &slice.transforms.sheared;
        out.array(&sheared.slots().collect::<Vec<u32>>());
        out.array(&sheared.iter_from(0).map(|(_, matrix)| *matrix).collect::<Vec<Mat34>>());
        let remainders = sheared.remainders();
        out.array(&remainders.iter().map(|of| of.slot << 1 | u32::from(of.plain)).collect::<Vec<u32>>());
        for axis in 0..3 {
            out.array(&remainders.iter().map(|of| of.translation[axis].to_bits()).collect::<Vec<u32>>());
        }
        out.array(&slice.children);
        out.array(owned);
        out.array(&open);
    }

    /// About how many bytes will be written.
    fn written_bytes(&self) -> usize {
        let slice = |slice: &Slice| {
            let storages: usize = Storage::ALL.iter().map(|s| s.of(slice).end() as usize * s.slot_bytes()).sum();
            Head::BYTES + storages + slice.names.text_bytes
        };
        self.slices.iter().map(slice).sum::<usize>() + self.tables.allocated_bytes()
    }
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
