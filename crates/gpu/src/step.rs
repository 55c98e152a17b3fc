//! What is to be done with buffers.

use crate::layout::{Bin, Bounds, Command, Instance, Range as ViewRange};
use core::ops::Range;
use hedgerow::Mat34;

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
}

/// The number of texels in a row of a table in a texture; every device allows it.
pub const ROW: u32 = 2048;

/// What to do with a buffer. Execute steps in their order, and before the passes that read the buffers.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// Write items to the places that a list names: with [`SCATTER`](crate::SCATTER). There are none in scenes
    /// [without](crate::GpuScene::without_scatter).
    Scatter {
        /// The buffer.
        buffer: Buffer,
        /// The indices of the items, none twice.
        indices: &'s [u32],
        /// The items, each as long as the buffer's [stride](Buffer::stride).
        items: &'s [u8],
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
