//! The buffers, and what is to be done with them.

use crate::layout::{Bin, Bounds, Command, Instance, Occluder, Range as ViewRange, Views};
use crate::pass::Pass;
use core::ops::Range;
use hedgerow::Mat34;
use hedgerow::changes::Scattered;

/// A buffer that steps write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Buffer {
    /// World matrices: [`Mat34`], three rows of four numbers.
    Matrices,
    /// World matrices as they were before the last sync, at equal indices. Only in scenes [that keep
    /// them](crate::GpuScene::with_previous).
    Previous,
    /// Palettes, as [`Mat34`], each behind the weights of its morph targets. Empty if nothing is deformed.
    Palettes,
    /// The same as before the last sync, at equal indices. Only in scenes that keep previous matrices.
    PreviousPalettes,
    /// [`Instance`]s, by slot.
    Instances,
    /// [`Bounds`], by slot.
    Bounds,
    /// [`Bin`]s.
    Bins,
    /// [`Range`](ViewRange)s at even indices, each with what culling keeps of it behind it. Range 0 is unused.
    Ranges,
    /// What culling keeps of drawables from one time to the next: with levels of detail, by the record of the node; with
    /// occlusion, by slot. Empty without both.
    Kept,
    /// [`Command`]s of all lists, none of which draws anything: what [`Commands`](Self::Commands) are before a culling.
    Template,
    /// [`Views`], the uniform of a culling.
    Views,
    /// [`Command`]s as a culling left them, to draw indirectly, with [`GpuScene::calls`](crate::GpuScene::calls).
    Commands,
    /// The slots that views see, a `u32` each: a vertex buffer that advances by instance.
    Visible,
    /// [`Occluder`], the uniform of occlusion.
    Occluder,
    /// The farthest depths of each level, an `f32` each, row after row.
    Pyramid,
    /// The last [list](Step::List) of matrices.
    MatrixList,
    /// The last list of palettes.
    PaletteList,
    /// The last list of other items.
    RecordList,
}

impl Buffer {
    /// All buffers, in the order of their numbers.
    pub const ALL: [Self; 18] = [
        Self::Matrices,
        Self::Previous,
        Self::Palettes,
        Self::PreviousPalettes,
        Self::Instances,
        Self::Bounds,
        Self::Bins,
        Self::Ranges,
        Self::Kept,
        Self::Template,
        Self::Views,
        Self::Commands,
        Self::Visible,
        Self::Occluder,
        Self::Pyramid,
        Self::MatrixList,
        Self::PaletteList,
        Self::RecordList,
    ];

    /// Returns the number of bytes of an item.
    #[must_use]
    pub const fn stride(self) -> usize {
        match self {
            Self::Matrices | Self::Previous | Self::Palettes | Self::PreviousPalettes => size_of::<Mat34>(),
            Self::Instances => size_of::<Instance>(),
            Self::Bounds => size_of::<Bounds>(),
            Self::Bins => size_of::<Bin>(),
            Self::Ranges => size_of::<ViewRange>(),
            Self::Template | Self::Commands => size_of::<Command>(),
            Self::Views => size_of::<Views>(),
            Self::Occluder => size_of::<Occluder>(),
            Self::Kept | Self::Visible | Self::Pyramid => size_of::<u32>(),
            Self::MatrixList | Self::PaletteList | Self::RecordList => size_of::<u32>(),
        }
    }

    /// Returns the buffer with the list of items that are scattered to this one.
    pub(crate) const fn list(self) -> Self {
        match self {
            Self::Matrices => Self::MatrixList,
            Self::Palettes => Self::PaletteList,
            _ => Self::RecordList,
        }
    }

    /// Returns the number of bytes of a texel if the table is a texture: 4 or 16, unsigned words for
    /// [`FETCH_TEXTURES`](crate::FETCH_TEXTURES). Writes begin and end at texels.
    #[must_use]
    pub const fn texel(self) -> u32 {
        if self.stride().is_multiple_of(16) { 16 } else { 4 }
    }

    /// Returns whether the buffer is a uniform; all others are storage buffers.
    #[must_use]
    pub const fn is_uniform(self) -> bool {
        matches!(self, Self::Views | Self::Occluder)
    }

    /// Returns whether compute passes alone need the buffer. There is none [without
    /// them](crate::GpuScene::without_compute).
    #[must_use]
    pub const fn is_of_passes(self) -> bool {
        self as usize > Self::Instances as usize
    }
}

/// The number of texels in a row of a table in a texture; every device allows it.
pub const ROW: u32 = 2048;

/// Texels of a table in a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rectangle {
    /// The number of bytes of the write before it.
    pub before: u64,
    /// The first column and row.
    pub origin: [u32; 2],
    /// The numbers of columns and rows.
    pub size: [u32; 2],
}

/// Returns the rectangles that cover a range of bytes, from texel to texel, of a table in a texture: the end of a row,
/// whole rows, and the beginning of a row.
///
/// ```
/// use hedgerow_gpu::{Buffer, ROW, rectangles};
///
/// let row = 16 * u64::from(ROW);
/// let found: Vec<_> = rectangles(Buffer::Matrices, row - 96..4 * row).collect();
/// assert_eq!([found[0].origin, found[0].size], [[ROW - 6, 0], [6, 1]]);
/// assert_eq!([found[1].origin, found[1].size], [[0, 1], [ROW, 3]]);
/// assert_eq!([found[0].before, found[1].before], [0, 96]);
/// ```
pub fn rectangles(buffer: Buffer, bytes: Range<u64>) -> impl Iterator<Item = Rectangle> {
    let texel = u64::from(buffer.texel());
    let narrow = |texels: u64| u32::try_from(texels).unwrap_or(u32::MAX);
    let (mut first, end) = (narrow(bytes.start / texel), narrow(bytes.end / texel));
    core::iter::from_fn(move || {
        let left = end.checked_sub(first).filter(|&left| left > 0)?;
        let (origin, before) = ([first % ROW, first / ROW], (u64::from(first) * texel).saturating_sub(bytes.start));
        let size = if origin[0] == 0 && left >= ROW { [ROW, left / ROW] } else { [left.min(ROW - origin[0]), 1] };
        first += size[0] * size[1];
        Some(Rectangle { before, origin, size })
    })
}

/// What to do with buffers. Execute steps in their order, so that each sees what those before it wrote, and before you
/// draw. A step may write what a dispatch before it reads, so let writes be copies from staging memory on the device's
/// time line, with barriers on both sides. What lists wrote stays until the next sync. If steps of a sync are never
/// executed, call [`invalidate`](crate::GpuScene::invalidate). Lists and dispatches are only for devices [with compute
/// shaders](crate::GpuScene::without_compute).
#[derive(Clone, Copy, Debug)]
pub enum Step<'s> {
    /// Make the buffer this long, at least. What new bytes have does not matter.
    Resize {
        /// The buffer.
        buffer: Buffer,
        /// The least number of bytes.
        bytes: u64,
        /// Whether the contents are kept; otherwise they do not matter.
        keep: bool,
    },
    /// Write bytes.
    Write {
        /// The buffer.
        buffer: Buffer,
        /// The first byte; a multiple of 4, as is the length.
        offset: u64,
        /// The bytes.
        bytes: &'s [u8],
    },
    /// Write a list to the beginning of a buffer: the number of indices, of words of an item, the indices, the items.
    List {
        /// [`Buffer::MatrixList`], [`Buffer::PaletteList`] or [`Buffer::RecordList`].
        buffer: Buffer,
        /// The indices of the items, none twice.
        indices: &'s [u32],
        /// The items, one for each index; without bytes if the list is of indices alone.
        items: Items<'s>,
    },
    /// Copy items to another buffer, to equal indices.
    Copy {
        /// The buffer that is read.
        from: Buffer,
        /// The buffer that changes.
        to: Buffer,
        /// Ranges of items, none of them empty.
        ranges: &'s [Range<u32>],
    },
    /// Run a compute pass.
    Dispatch {
        /// The pass.
        pass: Pass,
        /// The numbers of workgroups in the first two dimensions; the third has one.
        workgroups: [u32; 2],
    },
}

/// The items of a [`Step::List`]. Matrices are read from the scene as you iterate over them: write them straight to
/// mapped staging memory.
#[derive(Clone, Copy, Debug)]
pub struct Items<'s> {
    records: &'s [u8],
    stride: usize,
    matrices: Option<Scattered<'s>>,
    /// The matrices that are listed.
    part: (usize, usize),
}

impl<'s> Items<'s> {
    /// No items, for a list of indices.
    pub(crate) const NONE: Self = Self { records: &[], stride: 0, matrices: None, part: (0, 0) };

    pub(crate) const fn of_records(buffer: Buffer, records: &'s [u8]) -> Self {
        Self { records, stride: buffer.stride(), ..Self::NONE }
    }

    pub(crate) const fn of_matrices(matrices: Scattered<'s>) -> Self {
        let part = (0, matrices.indices().len());
        Self { stride: size_of::<Mat34>(), matrices: Some(matrices), part, ..Self::NONE }
    }

    /// Returns some of the items. Matrices before them are passed over one by one.
    pub(crate) fn part(self, first: usize, len: usize) -> Self {
        let records = self.records.get(first * self.stride..(first + len) * self.stride).unwrap_or_default();
        Self { records, part: (first, len), ..self }
    }

    /// Returns the number of bytes of an item; 0 if the list is of indices alone.
    #[must_use]
    pub const fn stride(&self) -> usize {
        self.stride
    }

    /// Returns the bytes of each item.
    pub fn iter(&self) -> impl Iterator<Item = &'s [u8]> + use<'s> {
        let (first, len) = self.part;
        let mut matrices = self.matrices.into_iter().flat_map(|matrices| matrices.matrices());
        if first > 0 {
            matrices.nth(first - 1);
        }
        let matrices = matrices.take(len).map(bytemuck::bytes_of);
        self.records.chunks_exact(self.stride.max(1)).chain(matrices)
    }
}
