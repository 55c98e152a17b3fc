//! Tables in buffers: writes the bytes of steps to mapped memory, and encodes what reads them.

use crate::pipelines::{Pass, bind, module};
use bytemuck::{bytes_of, cast_slice};
use core::{iter, num::NonZero};
use hedgerow_gpu::{Buffer, SCATTER, SETTLE, Step};
use wgpu::util::StagingBelt;
use wgpu::{BindGroup, BindingResource, BufferUsages, CommandEncoder, Device, Queue, WriteOnly};

/// The alignment of bindings within a buffer, and of lengths.
pub(crate) const ALIGN: usize = 256;
/// The length of a chunk of mapped memory; a longer write gets one for itself.
const CHUNK: u64 = 2 << 20;
/// After a sync that wrote more, its mapped memory is given up.
const MOST: usize = 32 << 20;
/// The most indices of a list; with items, it fits in a chunk. A longer list is written in parts.
const LONGEST: usize = 1 << 15;

pub(crate) const TABLE: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::COPY_DST).union(BufferUsages::COPY_SRC);

#[derive(Debug)]
pub(crate) struct Buffers {
    device: Device,
    scatter: Pass,
    settle: Pass,
    pub(crate) tables: [wgpu::Buffer; Buffer::ALL.len()],
    /// Mapped memory, whose chunks come back when the device has read them.
    belt: StagingBelt,
    /// The lists of this sync, and those of the last one, which a settle step reads.
    lists: [Lists; 2],
    encoder: Option<CommandEncoder>,
    /// The number of bytes that this sync wrote.
    written: usize,
}

#[derive(Debug)]
struct Lists {
    buffer: wgpu::Buffer,
    end: usize,
    /// The last list that was scattered to each table.
    scattered: [Option<Scattered>; Buffer::ALL.len()],
}

#[derive(Debug)]
struct Scattered {
    at: usize,
    /// The number of indices; 0 if this sync has none.
    count: usize,
    /// The lists from there on, and the table: most frames use it again.
    group: BindGroup,
}

impl Lists {
    fn new(device: &Device) -> Self {
        let buffer = make(device, "hedgerow lists", 0, TABLE);
        Self { buffer, end: 0, scattered: Default::default() }
    }

    /// Binds a list, and what follows it.
    fn bind(&self, at: usize) -> BindingResource<'_> {
        let (offset, size) = (at as u64, NonZero::new(self.buffer.size() - at as u64));
        BindingResource::Buffer(wgpu::BufferBinding { buffer: &self.buffer, offset, size })
    }
}

impl Buffers {
    pub(crate) fn new(device: &Device) -> Self {
        let pass = |entry, source| Pass::new(device, (entry, &module(device, source)), &[], &[]);
        Self {
            device: device.clone(),
            scatter: pass("scatter_items", SCATTER),
            settle: pass("settle_matrices", SETTLE),
            tables: Buffer::ALL.map(|buffer| make(device, &format!("hedgerow {buffer:?}"), 0, TABLE)),
            belt: StagingBelt::new(device.clone(), CHUNK),
            lists: [(); 2].map(|()| Lists::new(device)),
            encoder: None,
            written: 0,
        }
    }

    /// Begins a sync.
    pub(crate) fn begin(&mut self) {
        self.lists.swap(0, 1);
        self.lists[0].end = 0;
        self.lists[0].scattered.iter_mut().flatten().for_each(|list| list.count = 0);
        self.written = 0;
    }

    /// Encodes a step. Returns whether it replaces a table.
    pub(crate) fn run(&mut self, step: Step<'_>) -> bool {
        let mut replaced = false;
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("hedgerow") };
        let mut encoder = self.encoder.take().unwrap_or_else(|| self.device.create_command_encoder(&descriptor));
        match step {
            Step::Resize { buffer, bytes, keep } => {
                let table = &mut self.tables[buffer as usize];
                if table.size() < bytes {
                    let new = make(&self.device, &format!("hedgerow {buffer:?}"), bytes, TABLE);
                    let old = core::mem::replace(table, new);
                    replaced = true;
                    self.lists.iter_mut().for_each(|lists| lists.scattered[buffer as usize] = None);
                    if keep {
                        encoder.copy_buffer_to_buffer(&old, 0, table, 0, Some(old.size()));
                    }
                }
            }
            Step::Write { buffer, offset, bytes } => {
                if let Some(size) = NonZero::new(bytes.len() as u64) {
                    let table = &self.tables[buffer as usize];
                    self.belt.write_buffer(&mut encoder, table, offset, size).copy_from_slice(bytes);
                }
                self.written += bytes.len();
            }
            Step::Scatter { buffer, indices, items } => {
                let (table, mut items) = (buffer as usize, items.iter());
                for indices in indices.chunks(LONGEST) {
                    let (at, count) = (self.list(&mut encoder, indices, buffer.stride(), &mut items), indices.len());
                    let group = match self.lists[0].scattered[table].take() {
                        Some(last) if last.at == at => last.group,
                        _ => {
                            let resources = [self.lists[0].bind(at), self.tables[table].as_entire_binding()];
                            bind(&self.device, &self.scatter.layout, &resources)
                        }
                    };
                    dispatch(&mut encoder, &self.scatter, &group, count);
                    self.lists[0].scattered[table] = Some(Scattered { at, count, group });
                }
            }
            Step::Settle { from, to, ranges, indices } => {
                for range in ranges {
                    let [at, end] = [range.start, range.end].map(|index| u64::from(index) * from.stride() as u64);
                    let [source, target] = [from, to].map(|buffer| &self.tables[buffer as usize]);
                    encoder.copy_buffer_to_buffer(source, at, target, at, Some(end - at));
                }
                if !indices.is_empty() {
                    // The list is on the device still, unless it was written in parts.
                    let list = self.lists[1].scattered[from as usize].as_ref();
                    let (lists, at) = match list.filter(|list| list.count == indices.len()) {
                        Some(list) => (1, list.at),
                        None => (0, self.list(&mut encoder, indices, 0, iter::empty())),
                    };
                    let [source, target] = [from, to].map(|buffer| self.tables[buffer as usize].as_entire_binding());
                    let resources = [self.lists[lists].bind(at), source, target];
                    let group = bind(&self.device, &self.settle.layout, &resources);
                    dispatch(&mut encoder, &self.settle, &group, indices.len());
                }
            }
        }
        self.encoder = Some(encoder);
        replaced
    }

    /// Writes a list of indices, each with an item of so many bytes, and returns where it is.
    fn list<'i>(
        &mut self,
        encoder: &mut CommandEncoder,
        indices: &[u32],
        stride: usize,
        items: impl Iterator<Item = &'i [u8]>,
    ) -> usize {
        let (lists, head) = (&mut self.lists[0], 8 + size_of_val(indices));
        let len = head + indices.len() * stride;
        let mut at = lists.end.next_multiple_of(ALIGN);
        if lists.buffer.size() < (at + len) as u64 {
            // Passes that are encoded already read the buffer before. The limit may be no multiple of the alignment, to
            // which lengths are rounded up.
            let limits = self.device.limits();
            let most = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size) / ALIGN as u64 * ALIGN as u64;
            let bytes = (2 * lists.buffer.size()).min(most).max(len as u64);
            lists.buffer = make(&self.device, "hedgerow lists", bytes, TABLE);
            (at, lists.scattered) = (0, Default::default());
        }
        lists.end = at + len;
        self.written += len;
        if let Some(size) = NonZero::new(len as u64) {
            let mut view = self.belt.write_buffer(encoder, &lists.buffer, at as u64, size);
            view.slice(..8).copy_from_slice(bytes_of(&[short(indices.len()), short(stride / 4)]));
            view.slice(8..head).copy_from_slice(cast_slice(indices));
            let (to, items) = (view.slice(head..), items.take(indices.len()));
            match stride {
                48 => fill::<48>(to, items),
                36 => fill::<36>(to, items),
                32 => fill::<32>(to, items),
                _ => fill::<16>(to, items),
            }
        }
        at
    }

    /// Submits what is encoded.
    pub(crate) fn submit(&mut self, queue: &Queue) {
        if let Some(encoder) = self.encoder.take() {
            self.belt.finish_and_recall_on_submit(&encoder);
            queue.submit([encoder.finish()]);
        }
        if self.written > MOST {
            self.belt = StagingBelt::new(self.device.clone(), CHUNK);
        }
    }
}

/// Runs a pass over so many indices of a list.
fn dispatch(encoder: &mut CommandEncoder, pass: &Pass, group: &BindGroup, count: usize) {
    pass.run(&mut encoder.begin_compute_pass(&Default::default()), &[group], short(count));
}

/// Writes items of a constant length, which takes a few instructions each.
fn fill<'i, const N: usize>(to: WriteOnly<'_, [u8]>, items: impl Iterator<Item = &'i [u8]>) {
    to.into_chunks::<N>().0.write_iter(items.filter_map(|item| item.first_chunk().copied()));
}

pub(crate) fn make(device: &Device, label: &str, bytes: u64, usage: BufferUsages) -> wgpu::Buffer {
    let size = bytes.max(1).next_multiple_of(ALIGN as u64);
    device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
}

/// Narrows a number: no table has 2³² items.
pub(crate) fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
