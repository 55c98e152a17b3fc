//! What is to be done with buffers.

use crate::layout::{Bin, Bounds, Command, Instance, Range as ViewRange};
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
    /// [`Command`]s of all views, none of which draws anything. Copy them to the indirect buffer before each culling.
    Template,
}

impl Buffer {
    /// All buffers, in the order of their numbers.
    pub const ALL: [Self; 10] = [
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
            Self::Kept => size_of::<u32>(),
            Self::Template => size_of::<Command>(),
        }
    }

    /// Returns the number of bytes of a texel if the table is a texture: 4 or 16, unsigned words for
    /// [`FETCH_TEXTURES`](crate::FETCH_TEXTURES). Writes begin and end at texels.
    #[must_use]
    pub const fn texel(self) -> u32 {
        if self.stride().is_multiple_of(16) { 16 } else { 4 }
    }

    /// Returns whether culling alone needs the buffer, on the device.
    #[must_use]
    pub const fn is_of_culling(self) -> bool {
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

/// What to do with a buffer. Execute steps in their order, and before the passes that read the buffers.
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
    /// Write items to the places that a list names: with [`SCATTER`](crate::SCATTER). There are none for devices
    /// [without compute shaders](crate::GpuScene::without_compute).
    Scatter {
        /// The buffer.
        buffer: Buffer,
        /// The indices of the items, none twice.
        indices: &'s [u32],
        /// The items, one for each index.
        items: Items<'s>,
    },
    /// Copy these matrices to the buffer of previous ones: with [`SETTLE`](crate::SETTLE). A sync may settle palettes twice:
    /// what the last one wrote, then those that are new.
    Settle {
        /// [`Buffer::Matrices`] or [`Buffer::Palettes`].
        from: Buffer,
        /// [`Buffer::Previous`] or [`Buffer::PreviousPalettes`].
        to: Buffer,
        /// Ranges of matrices, none of them empty; the list may be.
        ranges: &'s [Range<u32>],
        /// Single matrices: those of the last sync's [`Step::Scatter`] to `from`, so a device may have them still. May
        /// be empty.
        indices: &'s [u32],
    },
}

/// The items of a [`Step::Scatter`]. Matrices are read from the scene as you iterate over them: write them straight to
/// mapped memory.
#[derive(Clone, Copy, Debug)]
pub struct Items<'s> {
    records: &'s [u8],
    stride: usize,
    matrices: Option<Scattered<'s>>,
}

impl<'s> Items<'s> {
    pub(crate) const fn of_records(buffer: Buffer, records: &'s [u8]) -> Self {
        Self { records, stride: buffer.stride(), matrices: None }
    }

    pub(crate) const fn of_matrices(matrices: Scattered<'s>) -> Self {
        Self { records: &[], stride: size_of::<Mat34>(), matrices: Some(matrices) }
    }

    /// Returns the bytes of each item, as many as the buffer's [stride](Buffer::stride).
    pub fn iter(&self) -> impl Iterator<Item = &'s [u8]> + use<'s> {
        let matrices = self.matrices.into_iter().flat_map(|matrices| matrices.matrices());
        self.records.chunks_exact(self.stride).chain(matrices.map(bytemuck::bytes_of))
    }
}

impl Step<'_> {
    /// Returns the buffer that changes.
    #[must_use]
    pub const fn buffer(&self) -> Buffer {
        match *self {
            Self::Resize { buffer, .. } | Self::Write { buffer, .. } | Self::Scatter { buffer, .. } => buffer,
            Self::Settle { to, .. } => to,
        }
    }
}
