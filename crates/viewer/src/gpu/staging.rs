//! Buffers that bytes are handed to the device in. They are used again when the device has read them, so that a frame
//! needs no new memory.

use super::{Gpu, buffers};
#[cfg(not(target_arch = "wasm32"))]
use crate::threads;
#[cfg(not(target_arch = "wasm32"))]
use std::ops::Range;

/// Fewer bytes are copied before another thread has started.
#[cfg(not(target_arch = "wasm32"))]
const WORTH_SHARING: usize = 1 << 18;

/// Buffers that bytes are handed to the device in.
#[cfg(not(target_arch = "wasm32"))]
pub(super) struct Staging {
    /// Filled since the last time; the device may still read them.
    filled: Vec<wgpu::Buffer>,
    /// Mapped, and ready to be filled.
    ready: Vec<wgpu::Buffer>,
    /// Buffers on their way back.
    way: (std::sync::mpsc::Sender<wgpu::Buffer>, std::sync::mpsc::Receiver<wgpu::Buffer>),
}

#[cfg(not(target_arch = "wasm32"))]
impl Default for Staging {
    fn default() -> Self {
        Self { filled: Vec::new(), ready: Vec::new(), way: std::sync::mpsc::channel() }
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Staging {
    /// A buffer that begins with these bytes, to be copied from by commands that are submitted before the next call.
    pub(super) fn fill(&mut self, gpu: &Gpu, bytes: &[u8]) -> wgpu::Buffer {
        let Self { filled, ready, way: (sender, receiver) } = self;
        for buffer in filled.drain(..) {
            let (sender, back) = (sender.clone(), buffer.clone());
            // It is mapped when the device has read it; nobody waits for it if the device is lost.
            buffer.map_async(wgpu::MapMode::Write, .., move |mapped| {
                if mapped.is_ok() {
                    let _ = sender.send(back);
                }
            });
        }
        ready.extend(receiver.try_iter());
        let size = bytes.len() as u64;
        ready.retain(|buffer| buffer.size() >= size);
        let buffer = ready.pop().unwrap_or_else(|| {
            let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::MAP_WRITE;
            buffers::mapped(gpu, "staging", size.next_power_of_two(), usage)
        });
        let copy = |range: Range<usize>| {
            // Of a lost device, the next check tells.
            if let Ok(mut view) = buffer.get_mapped_range_mut(range.start as u64..range.end as u64) {
                view.copy_from_slice(&bytes[range]);
            }
        };
        if bytes.len() < WORTH_SHARING {
            copy(0..bytes.len());
        } else {
            let half = (bytes.len() / 2).next_multiple_of(wgpu::MAP_ALIGNMENT as usize);
            threads::join(|| copy(0..half), || copy(half..bytes.len()));
        }
        buffer.unmap();
        filled.push(buffer.clone());
        buffer
    }
}

/// In a browser, mapped memory is a copy itself: one buffer is written to.
#[cfg(target_arch = "wasm32")]
#[derive(Default)]
pub(super) struct Staging(Option<wgpu::Buffer>);

#[cfg(target_arch = "wasm32")]
impl Staging {
    /// A buffer that begins with these bytes, to be copied from by commands that are submitted before the next call.
    pub(super) fn fill(&mut self, gpu: &Gpu, bytes: &[u8]) -> wgpu::Buffer {
        let size = bytes.len() as u64;
        let buffer = self.0.take().filter(|buffer| buffer.size() >= size).unwrap_or_else(|| {
            let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
            buffers::new(gpu, "staging", size.next_power_of_two(), usage)
        });
        gpu.queue.write_buffer(&buffer, 0, bytes);
        self.0 = Some(buffer.clone());
        buffer
    }
}
