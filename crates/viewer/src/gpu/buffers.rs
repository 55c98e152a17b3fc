//! Growing buffers, and writes to buffers and tables. All writes of a frame go through staging buffers.

use super::Gpu;
use super::staging::Staging;
use super::tables::{Place, Rectangle, TEXEL, Table, rectangles, texels};

/// The bytes written in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uploaded {
    /// World matrices.
    pub matrices: usize,
    /// Matrix indices and user data of draws.
    pub draws: usize,
    /// Palettes, weights, skinned vertices and records of figures.
    pub figures: usize,
    /// Cameras and lights.
    pub uniforms: usize,
    /// The number of writes.
    pub writes: usize,
}

impl Uploaded {
    /// Returns the total of all bytes.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.matrices + self.draws + self.figures + self.uniforms
    }
}

/// The writes of a frame.
pub struct Buffers {
    gpu: Gpu,
    staging: Staging,
    /// For each write: the staging buffer, the offset of the bytes, and the target.
    copies: Vec<(usize, u64, Target)>,
}

enum Target {
    /// A buffer, an offset and a number of bytes.
    Buffer(wgpu::Buffer, u64, u64),
    Texture(wgpu::Texture, Rectangle),
}

impl Buffers {
    /// Returns an empty list of writes for a device.
    #[must_use]
    pub fn new(gpu: &Gpu) -> Self {
        Self { gpu: gpu.clone(), staging: Staging::default(), copies: Vec::new() }
    }

    /// Queues a write; the number of bytes must be divisible by four. Returns the number of bytes.
    pub fn write(&mut self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> usize {
        if !bytes.is_empty() {
            let (staged, from) = self.staging.push(&self.gpu, bytes);
            self.copies.push((staged, from, Target::Buffer(buffer.clone(), offset, bytes.len() as u64)));
        }
        bytes.len()
    }

    /// Queues a write to a table; the offset must be divisible by 16. Returns the number of bytes written. If the table
    /// is a texture, zeros pad the bytes to a multiple of 16.
    pub(super) fn write_table(&mut self, table: &Table, offset: u64, bytes: &[u8]) -> usize {
        match &table.place {
            Place::Buffer(buffer) => self.write(buffer, offset, bytes),
            Place::Texture(..) if bytes.is_empty() => 0,
            Place::Texture(texture, _) => {
                let (staged, from) = self.staging.push(&self.gpu, bytes);
                let written = bytes.len().next_multiple_of(TEXEL as usize);
                let copy = |rectangle| (staged, from, Target::Texture(texture.clone(), rectangle));
                self.copies.extend(rectangles(texels(offset, written)).map(copy));
                written
            }
        }
    }

    /// Queues a write of bytes, and calls `change` on the queued copy.
    pub(super) fn write_changed(
        &mut self,
        table: &Table,
        offset: u64,
        bytes: &[u8],
        change: impl FnOnce(&mut [u8]),
    ) -> usize {
        let mut changed = bytes.to_vec();
        change(&mut changed);
        self.write_table(table, offset, &changed)
    }

    /// Returns the number of queued writes.
    #[must_use]
    pub fn writes(&self) -> usize {
        self.copies.len()
    }

    /// Hands the bytes of queued writes to the device.
    pub fn stage(&mut self) {
        self.staging.finish(&self.gpu);
    }

    /// Encodes copies of all queued writes to their targets. Submit the commands before the next write is queued.
    pub fn flush(&mut self, encoder: &mut wgpu::CommandEncoder) {
        self.stage();
        for (staged, from, target) in self.copies.drain(..) {
            let Some(staged) = self.staging.buffer(staged) else { continue };
            match target {
                Target::Buffer(buffer, to, size) => {
                    encoder.copy_buffer_to_buffer(staged, from, &buffer, to, Some(size));
                }
                Target::Texture(texture, rectangle) => {
                    let (to, size) = rectangle.of(&texture);
                    let from = wgpu::TexelCopyBufferInfo { buffer: staged, layout: rectangle.layout(from) };
                    encoder.copy_buffer_to_texture(from, to, size);
                }
            }
        }
        self.staging.clear();
    }
}

pub(super) fn new(gpu: &Gpu, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let size = size.max(256).next_multiple_of(4);
    let descriptor = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: false };
    gpu.device.create_buffer(&descriptor)
}

#[cfg(not(target_arch = "wasm32"))]
pub(super) fn mapped(gpu: &Gpu, label: &str, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let size = size.max(256).next_multiple_of(4);
    let descriptor = wgpu::BufferDescriptor { label: Some(label), size, usage, mapped_at_creation: true };
    gpu.device.create_buffer(&descriptor)
}

/// A buffer that is replaced if it is too small.
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

    /// Makes room for `size` bytes. Returns whether the buffer was replaced by an empty one.
    pub(super) fn fit(&mut self, gpu: &Gpu, size: usize) -> bool {
        let size = size as u64;
        let small = self.buffer.size() < size;
        if small {
            self.buffer = new(gpu, self.label, size + size / 4, self.usage);
        }
        small
    }
}
