//! Textures to draw pictures into and to read back.

use super::Gpu;
use crate::failure::{Failure, Result};
use crate::picture::Picture;

/// The format of pictures that are read back.
pub const PICTURE: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

/// Returns a texture of a format, to draw a picture into and to copy the picture from.
#[must_use]
pub fn canvas(gpu: &Gpu, [width, height]: [u32; 2], format: wgpu::TextureFormat) -> wgpu::Texture {
    gpu.target(format, [width, height, 1], 1, wgpu::TextureUsages::COPY_SRC)
}

/// Reads a canvas of the format [`PICTURE`] back.
pub fn read(gpu: &Gpu, canvas: &wgpu::Texture) -> Result<Picture> {
    let (width, height) = (canvas.width(), canvas.height());
    let row = (4 * width).next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
    let buffer = gpu.buffer("picture", u64::from(row) * u64::from(height), usage);
    let mut encoder = gpu.device.create_command_encoder(&Default::default());
    encoder.copy_texture_to_buffer(
        canvas.as_image_copy(),
        wgpu::TexelCopyBufferInfo {
            buffer: &buffer,
            layout: wgpu::TexelCopyBufferLayout { offset: 0, bytes_per_row: Some(row), rows_per_image: None },
        },
        canvas.size(),
    );
    gpu.queue.submit([encoder.finish()]);
    // Whether it was mapped is what the range says.
    buffer.map_async(wgpu::MapMode::Read, .., |_| {});
    gpu.wait()?;
    let what = "the picture cannot be read back from the graphics device";
    let bytes = buffer.get_mapped_range(..).map_err(|error| Failure::while_doing(what, error))?;
    let mut colours = Vec::with_capacity((width * height) as usize);
    for row in bytes.chunks_exact(row as usize) {
        colours.extend(row[..4 * width as usize].as_chunks::<4>().0.iter().map(|&[r, g, b, _]| [r, g, b]));
    }
    Ok(Picture { size: [width, height], colours })
}
