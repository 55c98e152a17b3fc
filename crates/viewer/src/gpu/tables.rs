//! Tables that vertex shaders index: matrices, palettes, records of figures. A table is a storage buffer, or a texture
//! if vertex shaders cannot read storage buffers: see `buffers.wgsl` and `textures.wgsl`.

use super::{Gpu, buffers};
use std::ops::Range;

/// Texels in a row of a texture, as in `textures.wgsl`; every device supports this width.
const ROW: u32 = 2048;
/// Bytes in a texel: four words.
pub(super) const TEXEL: u64 = 16;
const ROW_BYTES: u32 = ROW * TEXEL as u32;

/// A growing table on the device.
pub(super) struct Table {
    label: &'static str,
    pub(super) place: Place,
}

pub(super) enum Place {
    Buffer(wgpu::Buffer),
    /// A texture, filled row by row.
    Texture(wgpu::Texture, wgpu::TextureView),
}

/// A rectangle of consecutive texels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rectangle {
    /// The number of texels that precede it in the range.
    before: u32,
    /// Column and row of its first texel.
    origin: [u32; 2],
    size: [u32; 2],
}

impl Table {
    pub(super) fn new(gpu: &Gpu, label: &'static str) -> Self {
        Self { label, place: Place::new(gpu, label, 0) }
    }

    /// Returns a constant table.
    pub(super) fn filled(gpu: &Gpu, label: &'static str, bytes: &[u8]) -> Self {
        let place = Place::new(gpu, label, bytes.len() as u64);
        match &place {
            Place::Buffer(buffer) if !bytes.is_empty() => gpu.queue.write_buffer(buffer, 0, bytes),
            Place::Buffer(_) => {}
            Place::Texture(texture, _) => {
                let mut bytes = bytes.to_vec();
                bytes.resize(bytes.len().next_multiple_of(TEXEL as usize), 0);
                for rectangle in rectangles(texels(0, bytes.len())) {
                    let (to, extent) = rectangle.of(texture);
                    gpu.queue.write_texture(to, &bytes, rectangle.layout(0), extent);
                }
            }
        }
        Self { label, place }
    }

    /// Makes room for `size` bytes. Returns whether the storage was replaced by an empty one.
    pub(super) fn fit(&mut self, gpu: &Gpu, size: usize) -> bool {
        let size = size as u64;
        let rows = |rows: u32| u64::from(ROW_BYTES) * u64::from(rows);
        let limits = gpu.device.limits();
        let (room, most) = match &self.place {
            Place::Buffer(buffer) => (buffer.size(), limits.max_buffer_size),
            Place::Texture(texture, _) => (rows(texture.height()), rows(limits.max_texture_dimension_2d)),
        };
        if room < size {
            // If this size is too large, the device reports the error.
            self.place = Place::new(gpu, self.label, (size + size / 4).min(most).max(size));
        }
        room < size
    }

    /// Returns the resource to bind.
    pub(super) fn resource(&self) -> wgpu::BindingResource<'_> {
        match &self.place {
            Place::Buffer(buffer) => buffer.as_entire_binding(),
            Place::Texture(_, view) => wgpu::BindingResource::TextureView(view),
        }
    }
}

impl Place {
    fn new(gpu: &Gpu, label: &str, size: u64) -> Self {
        if !gpu.reads_textures() {
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
            return Self::Buffer(buffers::new(gpu, label, size, usage));
        }
        let rows = u32::try_from(size.div_ceil(u64::from(ROW_BYTES)).max(1)).unwrap_or(u32::MAX);
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some(label),
            size: wgpu::Extent3d { width: ROW, height: rows, depth_or_array_layers: 1 },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba32Uint,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let view = texture.create_view(&Default::default());
        Self::Texture(texture, view)
    }
}

impl Rectangle {
    /// Returns the layout of the rectangle's bytes in a buffer in which the range begins at `offset`.
    pub(super) fn layout(self, offset: u64) -> wgpu::TexelCopyBufferLayout {
        let offset = offset + TEXEL * u64::from(self.before);
        wgpu::TexelCopyBufferLayout { offset, bytes_per_row: Some(ROW_BYTES), rows_per_image: None }
    }

    /// Returns the location and extent of the rectangle in a texture.
    pub(super) fn of(self, texture: &wgpu::Texture) -> (wgpu::TexelCopyTextureInfo<'_>, wgpu::Extent3d) {
        let [x, y] = self.origin;
        let [width, height] = self.size;
        let to = wgpu::TexelCopyTextureInfo { origin: wgpu::Origin3d { x, y, z: 0 }, ..texture.as_image_copy() };
        (to, wgpu::Extent3d { width, height, depth_or_array_layers: 1 })
    }
}

/// Returns the texels of a range of bytes, which must begin and end at the edges of texels.
pub(super) fn texels(offset: u64, bytes: usize) -> Range<u32> {
    let end = offset + bytes as u64;
    debug_assert!(offset.is_multiple_of(TEXEL) && end.is_multiple_of(TEXEL), "{offset}..{end}");
    let number = |bytes: u64| u32::try_from(bytes / TEXEL).expect("what does not fit was refused by the device");
    number(offset)..number(end)
}

/// Returns the rectangles that cover a range of texels: the end of a row, whole rows, and the beginning of a row.
pub(super) fn rectangles(texels: Range<u32>) -> impl Iterator<Item = Rectangle> {
    let mut first = texels.start;
    std::iter::from_fn(move || {
        let left = texels.end.checked_sub(first).filter(|&left| left > 0)?;
        let origin = [first % ROW, first / ROW];
        let is_whole = origin[0] == 0 && left >= ROW;
        let size = if is_whole { [ROW, left / ROW] } else { [left.min(ROW - origin[0]), 1] };
        let rectangle = Rectangle { before: first - texels.start, origin, size };
        first += size[0] * size[1];
        Some(rectangle)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_cover_each_texel_of_a_range_once() {
        for (texels, count) in [
            (7..7, 0),
            (7..8, 1),
            (0..ROW, 1),
            (0..3 * ROW, 1),
            (ROW - 1..ROW + 1, 2),
            (5..3 * ROW, 2),
            (2 * ROW..4 * ROW + 1, 2),
            (ROW + 2000..5 * ROW + 9, 3),
        ] {
            let found: Vec<Rectangle> = rectangles(texels.clone()).collect();
            assert_eq!(found.len(), count, "{texels:?}: {found:?}");
            let mut next = texels.start;
            for Rectangle { before, origin: [x, y], size: [width, height] } in found {
                assert_eq!((texels.start + before, ROW * y + x), (next, next), "{texels:?}");
                assert!(x + width <= ROW && (height == 1 || width == ROW), "{texels:?}");
                next += width * height;
            }
            assert_eq!(next, texels.end, "{texels:?}");
        }
    }

    #[test]
    fn the_shader_has_rows_as_long() {
        assert!(include_str!("textures.wgsl").contains(&format!("const ROW: u32 = {ROW}u;")));
    }
}
