//! Staging buffers. A buffer is reused after the device has read it, so a frame allocates no memory.

use super::{Gpu, buffers};

/// The alignment of writes: the size of a table's texel, in bytes.
const ALIGNMENT: usize = 16;

/// Mapped buffers that writes go to directly.
#[cfg(not(target_arch = "wasm32"))]
pub(super) struct Staging {
    /// The buffers written since the last submission.
    open: Vec<Chunk>,
    /// Earlier buffers that the device may still read.
    filled: Vec<wgpu::Buffer>,
    /// Mapped buffers ready to be written.
    ready: Vec<wgpu::Buffer>,
    /// The channel on which buffers come back when the device has read them.
    way: (std::sync::mpsc::Sender<wgpu::Buffer>, std::sync::mpsc::Receiver<wgpu::Buffer>),
    /// The most bytes ever written between two submissions: the size of new buffers.
    most: usize,
}

/// A buffer filled from its beginning.
#[cfg(not(target_arch = "wasm32"))]
struct Chunk {
    buffer: wgpu::Buffer,
    /// The memory; `None` after it was handed over, or if the device is lost.
    memory: Option<wgpu::BufferViewMut>,
    used: usize,
}

#[cfg(not(target_arch = "wasm32"))]
impl Default for Staging {
    fn default() -> Self {
        let way = std::sync::mpsc::channel();
        Self { open: Vec::new(), filled: Vec::new(), ready: Vec::new(), way, most: 0 }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Staging {
    /// Writes bytes, padded with zeros to a multiple of [`ALIGNMENT`]. Returns the buffer's number and the offset in
    /// it.
    pub(super) fn push(&mut self, gpu: &Gpu, bytes: &[u8]) -> (usize, u64) {
        let room = bytes.len().next_multiple_of(ALIGNMENT);
        let fits = |chunk: &Chunk| chunk.memory.as_ref().is_some_and(|memory| memory.len() - chunk.used >= room);
        if !self.open.last().is_some_and(fits) {
            let chunk = self.chunk(gpu, room);
            self.open.push(chunk);
        }
        let last = self.open.len() - 1;
        let Chunk { memory, used, .. } = &mut self.open[last];
        let begin = *used;
        *used += room;
        // There is no memory if the device is lost; the next check reports the loss.
        if let Some(memory) = memory {
            let end = begin + bytes.len();
            memory.slice(begin..end).copy_from_slice(bytes);
            memory.slice(end..begin + room).fill(0);
        }
        (last, begin as u64)
    }

    /// Returns a buffer with room for `room` bytes and for the expected rest of the frame.
    fn chunk(&mut self, gpu: &Gpu, room: usize) -> Chunk {
        let Self { filled, ready, way: (sender, receiver), most, .. } = self;
        for buffer in filled.drain(..) {
            let (sender, back) = (sender.clone(), buffer.clone());
            // Mapping completes when the device has read the buffer. If the device is lost, there is no receiver.
            buffer.map_async(wgpu::MapMode::Write, .., move |mapped| {
                if mapped.is_ok() {
                    let _ = sender.send(back);
                }
            });
        }
        ready.extend(receiver.try_iter());
        let size = room.max(*most) as u64;
        ready.retain(|buffer| buffer.size() >= size);
        let buffer = ready.pop().unwrap_or_else(|| {
            let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::MAP_WRITE;
            buffers::mapped(gpu, "staging", size.next_power_of_two(), usage)
        });
        let memory = buffer.get_mapped_range_mut(..).ok();
        Chunk { buffer, memory, used: 0 }
    }

    pub(super) fn finish(&mut self, _gpu: &Gpu) {
        for chunk in &mut self.open {
            if chunk.memory.take().is_some() {
                chunk.buffer.unmap();
            }
        }
    }

    pub(super) fn buffer(&self, number: usize) -> Option<&wgpu::Buffer> {
        self.open.get(number).map(|chunk| &chunk.buffer)
    }

    /// Starts over. Commands that copy the written bytes must be submitted before the next write.
    pub(super) fn clear(&mut self) {
        self.most = self.most.max(self.open.iter().map(|chunk| chunk.used).sum());
        self.filled.extend(self.open.drain(..).map(|chunk| chunk.buffer));
    }
}

/// One buffer for browsers, where mapped memory is itself a copy.
#[cfg(target_arch = "wasm32")]
#[derive(Default)]
pub(super) struct Staging {
    bytes: Vec<u8>,
    buffer: Option<wgpu::Buffer>,
    handed: usize,
}

#[cfg(target_arch = "wasm32")]
impl Staging {
    /// Writes bytes, padded with zeros to a multiple of [`ALIGNMENT`]. Returns the buffer's number, which is 0, and the
    /// offset in it.
    pub(super) fn push(&mut self, _gpu: &Gpu, bytes: &[u8]) -> (usize, u64) {
        let begin = self.bytes.len();
        self.bytes.extend_from_slice(bytes);
        self.bytes.resize(self.bytes.len().next_multiple_of(ALIGNMENT), 0);
        (0, begin as u64)
    }

    pub(super) fn finish(&mut self, gpu: &Gpu) {
        if self.handed == self.bytes.len() {
            return;
        }
        self.handed = self.bytes.len();
        let size = self.bytes.len() as u64;
        let buffer = self.buffer.take().filter(|buffer| buffer.size() >= size).unwrap_or_else(|| {
            let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
            buffers::new(gpu, "staging", size.next_power_of_two(), usage)
        });
        gpu.queue.write_buffer(&buffer, 0, &self.bytes);
        self.buffer = Some(buffer);
    }

    pub(super) fn buffer(&self, _number: usize) -> Option<&wgpu::Buffer> {
        self.buffer.as_ref()
    }

    /// Starts over. Commands that copy the written bytes must be submitted before the next bytes are handed over.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.handed = 0;
    }
}
