//! Buffers that grow, and writes to them: all of a frame go through one staging buffer.

use super::Gpu;
use super::staging::Staging;

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
    copies: Vec<(wgpu::Buffer, u64, u64, u64)>,
    staging: Option<wgpu::Buffer>,
    pool: Staging,
    /// How many of the bytes are in the staging buffer.
    staged: usize,
}

impl Buffers {
    /// Notes a write; the number of bytes is divisible by four. Returns that number.
    pub fn write(&mut self, buffer: &wgpu::Buffer, offset: u64, bytes: &[u8]) -> usize {
        if !bytes.is_empty() {
            let from = self.bytes.len() as u64;
            self.bytes.extend_from_slice(bytes);
            self.copies.push((buffer.clone(), from, offset, bytes.len() as u64));
        }
        bytes.len()
    }

    /// Notes a write of something to be changed on its way.
    pub fn write_changed(
        &mut self,
        buffer: &wgpu::Buffer,
        offset: u64,
        bytes: &[u8],
        change: impl FnOnce(&mut [u8]),
    ) -> usize {
        let from = self.bytes.len();
        let written = self.write(buffer, offset, bytes);
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
            for (buffer, from, to, size) in self.copies.drain(..) {
                encoder.copy_buffer_to_buffer(staging, from, &buffer, to, Some(size));
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
