//! The compute passes: their shaders, and what they bind.

use crate::step::{Buffer, Step};

/// A compute pass, which [`Step::Dispatch`] runs. Its shader needs no more than the default limits of WebGPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pass {
    /// Copies the items of the buffer's last list to the places that it names.
    Scatter(Buffer),
    /// Copies the items that the buffer's last list names to the buffer of previous ones.
    Settle(Buffer),
    /// Finds out which view ranges hold in which views.
    CullRanges,
    /// Lists the drawables that views see.
    CullDrawables,
    /// Makes the first five levels of the pyramid. Group 1 binds the depth at 0: a depth texture with one sample.
    ReduceDepth,
    /// Makes the next five levels from the fifth.
    ReduceSixth,
    /// Makes the next five levels from the tenth.
    ReduceEleventh,
    /// Makes the last level from the fifteenth.
    ReduceSixteenth,
    /// Lists the drawables that view 0 sees and did not see last.
    CullHidden,
}

/// A buffer that a [`Pass`] binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The number of the binding in group 0.
    pub number: u32,
    /// The buffer: a whole one.
    pub buffer: Buffer,
    /// Whether it is bound to be read and written; otherwise it is read.
    pub written: bool,
}

impl Pass {
    /// All passes.
    pub const ALL: [Self; 15] = [
        Self::Scatter(Buffer::Matrices),
        Self::Scatter(Buffer::Previous),
        Self::Scatter(Buffer::Palettes),
        Self::Scatter(Buffer::Instances),
        Self::Scatter(Buffer::Bounds),
        Self::Scatter(Buffer::Ranges),
        Self::Settle(Buffer::Matrices),
        Self::Settle(Buffer::Palettes),
        Self::CullRanges,
        Self::CullDrawables,
        Self::ReduceDepth,
        Self::ReduceSixth,
        Self::ReduceEleventh,
        Self::ReduceSixteenth,
        Self::CullHidden,
    ];

    /// Returns the text of the shader in WGSL, which several passes may share.
    #[must_use]
    pub const fn shader(self) -> &'static str {
        match self {
            Self::Scatter(_) => include_str!("wgsl/scatter.wgsl"),
            Self::Settle(_) => include_str!("wgsl/settle.wgsl"),
            Self::CullRanges | Self::CullDrawables => include_str!("wgsl/cull.wgsl"),
            Self::ReduceDepth | Self::ReduceSixth | Self::ReduceEleventh | Self::ReduceSixteenth | Self::CullHidden => {
                concat!(include_str!("wgsl/cull.wgsl"), include_str!("wgsl/occlusion.wgsl"))
            }
        }
    }

    /// Returns the name of the entry point, which no other shader has.
    #[must_use]
    pub const fn entry_point(self) -> &'static str {
        match self {
            Self::Scatter(_) => "scatter_items",
            Self::Settle(_) => "settle_matrices",
            Self::CullRanges => "cull_ranges",
            Self::CullDrawables => "cull_drawables",
            Self::ReduceDepth => "reduce_depth",
            Self::ReduceSixth => "reduce_sixth",
            Self::ReduceEleventh => "reduce_eleventh",
            Self::ReduceSixteenth => "reduce_sixteenth",
            Self::CullHidden => "cull_hidden",
        }
    }

    /// Returns what the pass binds: all that its entry point uses in group 0.
    #[must_use]
    pub fn bindings(self) -> Vec<Binding> {
        use Buffer::{Bins, Bounds, Commands, Instances, Kept, Matrices, MatrixList, Occluder, PaletteList};
        use Buffer::{Palettes, Previous, PreviousPalettes, Pyramid, Ranges, Views, Visible};
        let buffers: &[Buffer] = match self {
            Self::Scatter(to) => &[to.list(), to],
            Self::Settle(Palettes) => &[PaletteList, Palettes, PreviousPalettes],
            Self::Settle(_) => &[MatrixList, Matrices, Previous],
            _ => &[Views, Matrices, Instances, Bounds, Bins, Commands, Visible, Ranges, Kept, Occluder, Pyramid],
        };
        // The numbers, and the first that may be written.
        let (used, first): (&[u32], u32) = match self {
            Self::Scatter(_) => (&[0, 1], 1),
            Self::Settle(_) => (&[0, 1, 2], 2),
            Self::CullRanges => (&[0, 1, 7], 5),
            Self::CullDrawables => (&[0, 1, 2, 3, 4, 5, 6, 7, 8], 5),
            Self::ReduceDepth | Self::ReduceSixth | Self::ReduceEleventh | Self::ReduceSixteenth => (&[9, 10], 5),
            Self::CullHidden => (&[0, 1, 3, 4, 5, 6, 8, 9, 10], 5),
        };
        let bound = used.iter().map(|&number| (number, buffers[number as usize]));
        bound
            .map(|(number, buffer)| Binding { number, buffer, written: number >= first && !buffer.is_uniform() })
            .collect()
    }

    /// Returns the step that runs so many threads, in workgroups of 64, of which a dimension has at most 65,535.
    pub(crate) fn over(self, threads: u32) -> Step<'static> {
        let all = threads.div_ceil(64);
        let rows = all.div_ceil(65_535).max(1);
        Step::Dispatch { pass: self, workgroups: [all.div_ceil(rows), rows] }
    }
}
