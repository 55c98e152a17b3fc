//! Executes the steps of a sync: stages their bytes in one buffer, and encodes the copies from it.

use crate::pipelines::{Passes, part};
use bytemuck::cast_slice;
use core::ops::Range;
use hedgerow_gpu::Buffer;
use wgpu::{BufferUsages, CommandEncoder, Device, Queue};

/// The buffers of a scene, by number.
pub(crate) type Tables = [wgpu::Buffer; Buffer::ALL.len()];

/// The alignment of bindings within a buffer, and of lengths.
pub(crate) const ALIGN: usize = 256;
/// After so many bytes, what is staged is submitted before more is.
const CHUNK: usize = 32 << 20;

pub(crate) const TABLE: BufferUsages =
    BufferUsages::STORAGE.union(BufferUsages::COPY_DST).union(BufferUsages::COPY_SRC);
const STAGING: BufferUsages = TABLE.union(BufferUsages::UNIFORM);

/// What a sync uploads. The sync after it reads its lists of scattered items to settle them.
#[derive(Debug)]
pub(crate) struct Staging {
    bytes: Vec<u8>,
    buffer: wgpu::Buffer,
    /// The list of scattered items, by buffer.
    lists: [Range<u64>; Buffer::ALL.len()],
}

impl Staging {
    pub(crate) fn new(device: &Device) -> Self {
        Self { bytes: Vec::new(), buffer: make(device, "hedgerow staging", 0, STAGING), lists: Default::default() }
    }
}

/// A buffer that is read.
#[derive(Clone, Copy)]
enum Source {
    Staged,
    /// Staged by the sync before.
    Last,
    Table(Buffer),
}

/// What is encoded when all bytes are staged.
enum Copy {
    /// Copies so many bytes of a buffer to a table, each from an offset on.
    Bytes { from: (Source, u64), to: (Buffer, u64), bytes: u64 },
    /// Runs a pass over so many items, with parts of buffers as bindings; 0 bytes are all.
    Pass { settles: bool, bindings: Vec<(Source, u64, u64)>, count: u32 },
}

/// A sync at work.
pub(crate) struct Work<'w> {
    device: &'w Device,
    queue: &'w Queue,
    passes: &'w Passes,
    now: &'w mut Staging,
    last: &'w Staging,
    copies: Vec<Copy>,
    encoder: Option<CommandEncoder>,
}

impl<'w> Work<'w> {
    pub(crate) fn begin(
        (device, queue): (&'w Device, &'w Queue),
        passes: &'w Passes,
        [now, last]: &'w mut [Staging; 2],
    ) -> Self {
        core::mem::swap(now, last);
        now.bytes.clear();
        now.lists = Default::default();
        Self { device, queue, passes, now, last, copies: Vec::new(), encoder: None }
    }

    /// Copies the contents of a table that is replaced, before all other copies, which know the new buffer alone.
    pub(crate) fn keep(&mut self, old: &wgpu::Buffer, table: &wgpu::Buffer) {
        let encoder = self.encoder.get_or_insert_with(|| encoder(self.device));
        encoder.copy_buffer_to_buffer(old, 0, table, 0, Some(old.size()));
    }

    /// Stages bytes for a table, and returns them.
    pub(crate) fn write(&mut self, buffer: Buffer, offset: u64, bytes: &[u8]) -> &mut [u8] {
        let at = self.now.bytes.len();
        self.now.bytes.extend_from_slice(bytes);
        let from = (Source::Staged, at as u64);
        self.copies.push(Copy::Bytes { from, to: (buffer, offset), bytes: bytes.len() as u64 });
        &mut self.now.bytes[at..]
    }

    pub(crate) fn scatter(&mut self, buffer: Buffer, indices: &[u32], items: &[u8]) {
        // A binding has a greatest length.
        for (indices, items) in indices.chunks(1 << 20).zip(items.chunks(buffer.stride() << 20)) {
            let (bytes, count) = (&mut self.now.bytes, short(indices.len()));
            let uniform = stage_uniform(bytes, &[count, short(buffer.stride() / 4)]);
            let list = bytes.len() as u64;
            bytes.extend_from_slice(cast_slice(indices));
            self.now.lists[buffer as usize] = list..bytes.len() as u64;
            bytes.extend_from_slice(items);
            let source = (Source::Staged, list, bytes.len() as u64 - list);
            let bindings = vec![(Source::Staged, uniform, 16), source, (Source::Table(buffer), 0, 0)];
            self.copies.push(Copy::Pass { settles: false, bindings, count });
        }
    }

    pub(crate) fn settle(&mut self, from: Buffer, to: Buffer, ranges: &[Range<u32>], indices: &[u32]) {
        for range in ranges {
            let [at, end] = [range.start, range.end].map(|index| u64::from(index) * from.stride() as u64);
            self.copies.push(Copy::Bytes { from: (Source::Table(from), at), to: (to, at), bytes: end - at });
        }
        if indices.is_empty() {
            return;
        }
        let (bytes, count) = (&mut self.now.bytes, short(indices.len()));
        let uniform = stage_uniform(bytes, &[count]);
        // The list is on the device still, unless it was uploaded in parts.
        let (kept, len) = (&self.last.lists[from as usize], 4 * u64::from(count));
        let list = if kept.end - kept.start == len {
            (Source::Last, kept.start, len)
        } else {
            bytes.extend_from_slice(cast_slice(indices));
            (Source::Staged, bytes.len() as u64 - len, len)
        };
        let tables = [from, to].map(|buffer| (Source::Table(buffer), 0, 0));
        let bindings = [(Source::Staged, uniform, 16), list].into_iter().chain(tables).collect();
        self.copies.push(Copy::Pass { settles: true, bindings, count });
    }

    /// Submits what is staged if it is much.
    pub(crate) fn submit_chunk(&mut self, tables: &Tables) {
        if self.now.bytes.len() > CHUNK {
            self.submit(tables);
            self.now.bytes.clear();
            self.now.lists = Default::default();
        }
    }

    /// Uploads what is staged, and submits the copies.
    pub(crate) fn submit(&mut self, tables: &Tables) {
        if self.copies.is_empty() && self.encoder.is_none() {
            return;
        }
        let Self { device, queue, passes, now, last, copies, encoder: open } = self;
        now.bytes.resize(now.bytes.len().next_multiple_of(4), 0);
        if now.buffer.size() < now.bytes.len() as u64 {
            now.buffer = make(device, "hedgerow staging", now.bytes.len() as u64 * 5 / 4, STAGING);
        }
        let mut encoder = open.take().unwrap_or_else(|| encoder(device));
        queue.write_buffer(&now.buffer, 0, &now.bytes);
        let buffer = |source: Source| match source {
            Source::Staged => &now.buffer,
            Source::Last => &last.buffer,
            Source::Table(buffer) => &tables[buffer as usize],
        };
        for copy in copies.drain(..) {
            match copy {
                Copy::Bytes { from: (from, at), to: (to, offset), bytes } => {
                    encoder.copy_buffer_to_buffer(buffer(from), at, &tables[to as usize], offset, Some(bytes));
                }
                Copy::Pass { settles, bindings, count } => {
                    let run = if settles { &passes.settle } else { &passes.scatter };
                    let bindings =
                        bindings.into_iter().map(|(source, offset, bytes)| part(buffer(source), offset, bytes));
                    let group = run.bind(device, bindings);
                    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                    run.run(&mut pass, &[&group], count);
                }
            }
        }
        queue.submit([encoder.finish()]);
    }
}

/// Appends a uniform, and aligns what follows for a binding. Returns where the uniform is.
fn stage_uniform(bytes: &mut Vec<u8>, words: &[u32]) -> u64 {
    let aligned = |bytes: &Vec<u8>| bytes.len().next_multiple_of(ALIGN);
    let from = aligned(bytes);
    bytes.resize(from, 0);
    bytes.extend_from_slice(cast_slice(words));
    bytes.resize(aligned(bytes), 0);
    from as u64
}

fn encoder(device: &Device) -> CommandEncoder {
    device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("hedgerow") })
}

pub(crate) fn make(device: &Device, label: &str, bytes: u64, usage: BufferUsages) -> wgpu::Buffer {
    let size = bytes.max(1).next_multiple_of(ALIGN as u64);
    device.create_buffer(&wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false })
}

pub(crate) fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
