//! Tables in buffers: writes the bytes of steps to mapped memory, and encodes what reads them.

use crate::pipelines::{Pass, bind, module};
use bytemuck::{bytes_of, cast_slice};
use core::{iter, num::NonZero, ops::Range};
use hedgerow_gpu::{Buffer, SCATTER, SETTLE, Step};
use wgpu::util::StagingBelt;
use wgpu::{BindingResource, BufferUsages, CommandEncoder, Device, Queue};

/// The alignment of bindings within a buffer, and of lengths.
pub(crate) const ALIGN: usize = 256;
/// The length of a chunk of mapped memory. A longer step is written in parts.
const CHUNK: usize = 2 << 20;
/// After a sync that wrote more, its mapped memory is given up.
const MOST: usize = 32 << 20;

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
    /// Whether this sync replaced a table.
    pub(crate) replaced: bool,
}

#[derive(Debug)]
struct Lists {
    buffer: wgpu::Buffer,
    end: usize,
    /// The indices of scattered items, by table.
    indices: [Range<usize>; Buffer::ALL.len()],
}

impl Buffers {
    pub(crate) fn new(device: &Device) -> Self {
        let pass = |entry, source| Pass::new(device, (entry, &module(device, source)), &[], &[]);
        let lists = || make(device, "hedgerow lists", 0, TABLE);
        Self {
            device: device.clone(),
            scatter: pass("scatter_items", SCATTER),
            settle: pass("settle_matrices", SETTLE),
            tables: Buffer::ALL.map(|buffer| make(device, &format!("hedgerow {buffer:?}"), 0, TABLE)),
            belt: StagingBelt::new(device.clone(), CHUNK as u64),
            lists: [(); 2].map(|()| Lists { buffer: lists(), end: 0, indices: Default::default() }),
            encoder: None,
            written: 0,
            replaced: false,
        }
    }

    /// Begins a sync.
    pub(crate) fn begin(&mut self) {
        self.lists.swap(0, 1);
        (self.lists[0].end, self.lists[0].indices) = (0, Default::default());
        (self.written, self.replaced) = (0, false);
    }

    pub(crate) fn run(&mut self, step: Step<'_>) {
        let descriptor = wgpu::CommandEncoderDescriptor { label: Some("hedgerow") };
        let encoder = self.encoder.get_or_insert_with(|| self.device.create_command_encoder(&descriptor));
        match step {
            Step::Resize { buffer, bytes, keep } => {
                let table = &mut self.tables[buffer as usize];
                if table.size() < bytes {
                    let new = make(&self.device, &format!("hedgerow {buffer:?}"), bytes, TABLE);
                    let old = core::mem::replace(table, new);
                    self.replaced = true;
                    if keep {
                        encoder.copy_buffer_to_buffer(&old, 0, table, 0, Some(old.size()));
                    }
                }
            }
            Step::Write { buffer, mut offset, bytes } => {
                for bytes in bytes.chunks(CHUNK) {
                    write(&mut self.belt, encoder, &self.tables[buffer as usize], offset, &[bytes]);
                    self.written += bytes.len();
                    offset += bytes.len() as u64;
                }
            }
            Step::Scatter { buffer, indices, items } => {
                let (stride, words) = (buffer.stride(), buffer.stride() / 4);
                let most = CHUNK / (stride + 8);
                for (indices, items) in indices.chunks(most).zip(items.chunks(most * stride)) {
                    let list =
                        self.list(&[bytes_of(&[short(indices.len()), short(words)]), cast_slice(indices), items]);
                    self.dispatch(0, list.clone(), &[buffer], short(indices.len()));
                    self.lists[0].indices[buffer as usize] = list.start..list.end - items.len();
                }
            }
            Step::Settle { from, to, ranges, indices } => {
                let [source, target] = [from, to].map(|buffer| &self.tables[buffer as usize]);
                for range in ranges {
                    let [at, end] = [range.start, range.end].map(|index| u64::from(index) * from.stride() as u64);
                    encoder.copy_buffer_to_buffer(source, at, target, at, Some(end - at));
                }
                // The list is on the device still, unless it was written in parts.
                let (last, count) = (self.lists[1].indices[from as usize].clone(), indices.len());
                if last.len() == 4 * (2 + count) {
                    self.dispatch(1, last, &[from, to], short(count));
                } else if count > 0 {
                    let list = self.list(&[bytes_of(&[short(count), 0]), cast_slice(indices)]);
                    self.dispatch(0, list, &[from, to], short(count));
                }
            }
        }
    }

    /// Writes a list, and returns where it is.
    fn list(&mut self, parts: &[&[u8]]) -> Range<usize> {
        let (lists, len) = (&mut self.lists[0], parts.iter().map(|part| part.len()).sum::<usize>());
        let mut at = lists.end.next_multiple_of(ALIGN);
        if lists.buffer.size() < (at + len) as u64 {
            // Passes that are encoded already read the buffer before. The limit may be no multiple of the alignment, to
            // which lengths are rounded up.
            let most = self.device.limits().max_buffer_size / ALIGN as u64 * ALIGN as u64;
            let bytes = (2 * lists.buffer.size()).min(most).max(len as u64);
            lists.buffer = make(&self.device, "hedgerow lists", bytes, TABLE);
            (at, lists.indices) = (0, Default::default());
        }
        lists.end = at + len;
        if let Some(encoder) = &mut self.encoder {
            write(&mut self.belt, encoder, &lists.buffer, at as u64, parts);
        }
        self.written += len;
        at..at + len
    }

    /// Runs a pass with a list of this sync (0) or the last (1), and with whole tables: scatters to one, or settles
    /// from one to another.
    fn dispatch(&mut self, lists: usize, list: Range<usize>, tables: &[Buffer], threads: u32) {
        let pass = if tables.len() == 1 { &self.scatter } else { &self.settle };
        let (buffer, size) = (&self.lists[lists].buffer, NonZero::new(list.len() as u64));
        let list = BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: list.start as u64, size });
        let tables = tables.iter().map(|&table| self.tables[table as usize].as_entire_binding());
        let group = bind(&self.device, &pass.layout, &iter::once(list).chain(tables).collect::<Vec<_>>());
        if let Some(encoder) = &mut self.encoder {
            pass.run(&mut encoder.begin_compute_pass(&Default::default()), &[&group], threads);
        }
    }

    /// Submits what is encoded.
    pub(crate) fn submit(&mut self, queue: &Queue) {
        if let Some(encoder) = self.encoder.take() {
            self.belt.finish_and_recall_on_submit(&encoder);
            queue.submit([encoder.finish()]);
        }
        if self.written > MOST {
            self.belt = StagingBelt::new(self.device.clone(), CHUNK as u64);
        }
    }
}

/// Writes parts to a buffer, one behind another.
fn write(belt: &mut StagingBelt, encoder: &mut CommandEncoder, to: &wgpu::Buffer, offset: u64, parts: &[&[u8]]) {
    let len = parts.iter().map(|part| part.len() as u64).sum();
    let Some(len) = NonZero::new(len) else { return };
    let (mut view, mut at) = (belt.write_buffer(encoder, to, offset, len), 0);
    for part in parts {
        view.slice(at..at + part.len()).copy_from_slice(part);
        at += part.len();
    }
}

pub(crate) fn make(device: &Device, label: &str, bytes: u64, usage: BufferUsages) -> wgpu::Buffer {
    let size = bytes.max(1).next_multiple_of(ALIGN as u64);
    device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
}

/// Narrows a number: no table has 2³² items.
pub(crate) fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
