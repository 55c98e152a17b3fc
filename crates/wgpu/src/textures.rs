//! Tables in textures, for devices whose shaders read no storage buffers.

use core::ops::Range;
use hedgerow_gpu::{Buffer, ROW, Rectangle, Step, rectangles};
use wgpu::{CommandEncoder, Device, Extent3d, Queue, TexelCopyTextureInfo, TextureFormat, TextureUsages, TextureView};

#[derive(Debug)]
pub(crate) struct Textures {
    device: Device,
    /// Views of the tables that shaders read.
    pub(crate) tables: [TextureView; Buffer::Instances as usize + 1],
}

impl Textures {
    pub(crate) fn new(device: &Device) -> Self {
        let tables = core::array::from_fn(|number| make(device, Buffer::ALL[number], 1));
        Self { device: device.clone(), tables }
    }

    /// Executes a step. Returns whether it replaced a table.
    pub(crate) fn run(&mut self, queue: &Queue, step: Step<'_>) -> bool {
        match step {
            Step::Resize { buffer, bytes, keep } => {
                let rows = u32::try_from(bytes.div_ceil(row_of(buffer))).unwrap_or(u32::MAX);
                if self.tables[buffer as usize].texture().height() < rows {
                    let new = make(&self.device, buffer, rows);
                    let old = core::mem::replace(&mut self.tables[buffer as usize], new);
                    if keep {
                        let [from, to] =
                            [&old, &self.tables[buffer as usize]].map(|view| view.texture().as_image_copy());
                        self.submit(queue, |encoder| encoder.copy_texture_to_texture(from, to, old.texture().size()));
                    }
                    return true;
                }
            }
            Step::Write { buffer, offset, bytes } => {
                let bytes_per_row = Some(ROW * buffer.texel());
                for rectangle in rectangles(buffer, offset..offset + bytes.len() as u64) {
                    let (to, size) = self.place(buffer, &rectangle);
                    let offset = rectangle.before;
                    let layout = wgpu::TexelCopyBufferLayout { offset, bytes_per_row, rows_per_image: None };
                    queue.write_texture(to, bytes, layout, size);
                }
            }
            Step::Copy { from, to, ranges } => self.submit(queue, |encoder| {
                let stride = from.stride() as u64;
                let bytes = |range: &Range<u32>| u64::from(range.start) * stride..u64::from(range.end) * stride;
                for rectangle in ranges.iter().flat_map(|range| rectangles(from, bytes(range))) {
                    let [(from, size), (to, _)] = [from, to].map(|buffer| self.place(buffer, &rectangle));
                    encoder.copy_texture_to_texture(from, to, size);
                }
            }),
            // There are none without compute shaders.
            Step::List { .. } | Step::Dispatch { .. } => {}
        }
        false
    }

    fn place(&self, buffer: Buffer, rectangle: &Rectangle) -> (TexelCopyTextureInfo<'_>, Extent3d) {
        let ([x, y], [width, height]) = (rectangle.origin, rectangle.size);
        let origin = wgpu::Origin3d { x, y, z: 0 };
        let copy = TexelCopyTextureInfo { origin, ..self.tables[buffer as usize].texture().as_image_copy() };
        (copy, Extent3d { width, height, depth_or_array_layers: 1 })
    }

    /// Submits a copy by itself, since it reads what was written before it, and is done before later writes.
    fn submit(&self, queue: &Queue, copy: impl FnOnce(&mut CommandEncoder)) {
        let mut encoder = self.device.create_command_encoder(&Default::default());
        copy(&mut encoder);
        queue.submit([encoder.finish()]);
    }
}

/// Returns the number of bytes in a row of a table.
pub(crate) fn row_of(buffer: Buffer) -> u64 {
    u64::from(ROW) * u64::from(buffer.texel())
}

fn make(device: &Device, buffer: Buffer, rows: u32) -> TextureView {
    let texture = device.create_texture(&wgpu::TextureDescriptor {
        label: Some(&format!("hedgerow {buffer:?}")),
        size: Extent3d { width: ROW, height: rows, depth_or_array_layers: 1 },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: if buffer.texel() == 4 { TextureFormat::R32Uint } else { TextureFormat::Rgba32Uint },
        usage: TextureUsages::TEXTURE_BINDING | TextureUsages::COPY_DST | TextureUsages::COPY_SRC,
        view_formats: &[],
    });
    texture.create_view(&Default::default())
}
