//! Buffers that grow, and writes to them and to tables: all of a frame go through one staging buffer.

use super::Gpu;
use super::staging::Staging;
use super::tables::{Place, Rectangle, Table, rectangles, texels};

/// How many bytes were written in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uploaded {
    /// World matrices.
    pub matrices: usize,
    /// Places of draws' matrices, and words of draws.
    pub draws: usize,
    /// Palettes, weights, skinned vertices and records of figures.
    pub figures: usize,
    /// Cameras and lights.
    pub uniforms: usize,
    /// The number of writes.
    pub writes: usize,
}

impl Uploaded {
    /// All bytes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.matrices + self.draws + self.figures + self.uniforms
    }
}

/// The writes of a frame.
#[derive(Default)]
pub struct Buffers {
    bytes: Vec<u8>,
    /// Where the bytes of each write begin, and where they belong.
    copies: Vec<(u64, Target)>,
    staging: Option<wgpu::Buffer>,
    pool: Staging,
    /// How many of the bytes are in the staging buffer.
    staged: usize,
}

/// Where bytes belong.
enum Target {
    /// So many, from an offset on.
    Buffer(wgpu::Buffer, u64, u64),
    Texture(wgpu::Texture, Rectangle),
}

impl Buffers {
    /// Notes a write; the number of bytes is divisible by four. Returns that number.
    pub fn write(&mut self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> usize {
        if !bytes.is_empty() {
            let from = self.bytes.len() as u64;
            self.bytes.extend_from_slice(bytes);
            self.copies.push((from, Target::Buffer(buffer.clone(), offset, bytes.len() as u64)));
        }
        bytes.len()
    }

    /// Notes a write to a table; the offset is divisible by sixteen. Returns the number of bytes that are written,
    /// which is divisible by sixteen, too, where the table is a texture: zeros follow the bytes then.
    pub(super) fn write_table(&mut self, table: &Table, offset: u64, bytes: &[u8]) -> usize {
        match &table.place {
            Place::Buffer(buffer) => self.write(buffer, offset, bytes),
            Place::Texture(..) if bytes.is_empty() => 0,
            Place::Texture(texture, _) => {
                self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
                let from = self.bytes.len();
                self.bytes.extend_from_slice(bytes);
                self.bytes.resize(self.bytes.len().next_multiple_of(16), 0);
                let written = self.bytes.len() - from;
                let copy = |rectangle| (from as u64, Target::Texture(texture.clone(), rectangle));
                self.copies.extend(rectangles(texels(offset, written)).map(copy));
                written
            }
        }
    }

    /// Notes a write to a table of something to be changed on its way.
    pub(super) fn write_changed(
        &mut self,
        table: &Table,
        offset: u64,
        bytes: &[u8],
        change: impl FnOnce(&mut [u8]),
    ) -> usize {
        let written = self.write_table(table, offset, bytes);
        let from = self.bytes.len() - written;
        change(&mut self.bytes[from..]);
        written
    }

    /// How many writes were noted.
    #[must_use]
    pub fn writes(&self) -> usize {
        self.copies.len()
    }

    /// Forgets writes to a buffer that was replaced.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.copies.clear();
        self.staged = 0;
    }

    /// Hands the bytes to the device.
    pub fn stage(&mut self, gpu: &Gpu) {
        if self.staged == self.bytes.len() {
            return;
        }
        self.staging = Some(self.pool.fill(gpu, &self.bytes));
        self.staged = self.bytes.len();
    }

    /// Has all that was noted copied to where it belongs.
    pub fn flush(&mut self, gpu: &Gpu, encoder: &mut wgpu::CommandEncoder) {
        self.stage(gpu);
        if let Some(staging) = &self.staging {
            for (from, target) in self.copies.drain(..) {
                match target {
                    Target::Buffer(buffer, to, size) => {
                        encoder.copy_buffer_to_buffer(staging, from, &buffer, to, Some(size));
                    }
                    Target::Texture(texture, rectangle) => {
                        let (to, size) = rectangle.of(&texture);
                        let from = wgpu::TexelCopyBufferInfo { buffer: staging, layout: rectangle.layout(from) };
                        encoder.copy_buffer_to_texture(from, to, size);
                    }
                }
            }
        }
        self.clear();
    }
}

/// A buffer on the device.
pub(super) fn new(gpu: &Gpu, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let size = size.max(256).next_multiple_of(4);
    let descriptor = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
    gpu.device.create_buffer(&descriptor)
}

/// The same, mapped.
#[cfg(not(target_arch = "wasm32"))]
pub(super) fn mapped(gpu: &Gpu, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let size = size.max(256).next_multiple_of(4);
    let descriptor = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: true };
    gpu.device.create_buffer(&descriptor)
}

/// A buffer that is replaced when it is too small.
pub(super) struct Growing {
    label: &'static str,
    usage: wgpu::BufferUsages,
    pub(super) buffer: wgpu::Buffer,
}

impl Growing {
    pub(super) fn new(gpu: &Gpu, label: &'static str, usage: wgpu::BufferUsages) -> Self {
        let usage = usage | wgpu::BufferUsages::COPY_DST;
        Self { label, usage, buffer: new(gpu, label, 256, usage) }
    }

    /// Makes room for so many bytes. Returns whether the buffer is another one now, in which nothing is.
    pub(super) fn fit(&mut self, gpu: &Gpu, size: usize) -> bool {
        let size = size as u64;
        let small = self.buffer.size() < size;
        if small {
            self.buffer = new(gpu, self.label, size + size / 4, self.usage);
        }
        small
    }
}
