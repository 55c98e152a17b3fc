//! The inputs and outputs of skinning.

use core::ops::Range;

/// One number for each vertex of a block: a cache line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(64))]
pub(crate) struct Lanes(pub(crate) [f32; super::LANES]);

/// The coordinates x, y and z of the vertices of a block: three cache lines.
pub(crate) type Block = [Lanes; 3];

/// The vertices of a mesh in its bind pose; each run is padded to whole blocks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Streams<'a> {
    pub(crate) positions: &'a [Block],
    /// The normals: as many blocks as positions, or no blocks.
    pub(crate) normals: &'a [Block],
    /// The tangents: as many blocks as positions, or no blocks.
    pub(crate) tangents: &'a [Block],
    /// The signs of the bitangents, as many blocks as tangents.
    pub(crate) signs: &'a [Lanes],
}

/// The destination of skinned points or directions: packed, or padded to four floats each.
///
/// Convert a slice of either kind with `into()`. Stores are fastest if the slice is aligned to a cache line (64 bytes).
#[derive(Debug)]
pub enum VertexStream<'a> {
    /// Three floats each, 12 bytes: the format of most vertex buffers.
    Packed(&'a mut [[f32; 3]]),
    /// Four floats each, 16 bytes: the format of storage buffers. The fourth is 1 for positions and 0 for normals.
    Padded(&'a mut [[f32; 4]]),
}

impl VertexStream<'_> {
    /// Returns the number of vertices that fit.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Packed(places) => places.len(),
            Self::Padded(places) => places.len(),
        }
    }

    /// Returns whether no vertex fits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the places of a range.
    pub(crate) fn part(&mut self, range: Range<usize>) -> VertexStream<'_> {
        match self {
            Self::Packed(places) => VertexStream::Packed(&mut places[range]),
            Self::Padded(places) => VertexStream::Padded(&mut places[range]),
        }
    }
}

impl<'a> VertexStream<'a> {
    /// Splits into the places before `middle` and the places from `middle` on.
    pub(crate) fn split_at(self, middle: usize) -> (Self, Self) {
        match self {
            Self::Packed(places) => {
                let (first, last) = places.split_at_mut(middle);
                (Self::Packed(first), Self::Packed(last))
            }
            Self::Padded(places) => {
                let (first, last) = places.split_at_mut(middle);
                (Self::Padded(first), Self::Padded(last))
            }
        }
    }
}

impl<'a> From<&'a mut [[f32; 3]]> for VertexStream<'a> {
    fn from(places: &'a mut [[f32; 3]]) -> Self {
        Self::Packed(places)
    }
}

impl<'a> From<&'a mut [[f32; 4]]> for VertexStream<'a> {
    fn from(places: &'a mut [[f32; 4]]) -> Self {
        Self::Padded(places)
    }
}

impl<'a> From<&'a mut Vec<[f32; 3]>> for VertexStream<'a> {
    fn from(places: &'a mut Vec<[f32; 3]>) -> Self {
        Self::Packed(places)
    }
}

impl<'a> From<&'a mut Vec<[f32; 4]>> for VertexStream<'a> {
    fn from(places: &'a mut Vec<[f32; 4]>) -> Self {
        Self::Padded(places)
    }
}

/// The output arrays for the vertices of runs; `None` for normals or tangents that are not requested.
#[derive(Debug)]
pub(crate) struct Sinks<'a> {
    pub(crate) positions: VertexStream<'a>,
    pub(crate) normals: Option<VertexStream<'a>>,
    pub(crate) tangents: Option<&'a mut [[f32; 4]]>,
}

impl<'a> Sinks<'a> {
    /// Splits into the places before `middle` and the places from `middle` on.
    pub(crate) fn split_at(self, middle: usize) -> (Self, Self) {
        let (positions, positions_behind) = self.positions.split_at(middle);
        let (normals, normals_behind) = self.normals.map(|normals| normals.split_at(middle)).unzip();
        let (tangents, tangents_behind) = self.tangents.map(|tangents| tangents.split_at_mut(middle)).unzip();
        (
            Self { positions, normals, tangents },
            Self { positions: positions_behind, normals: normals_behind, tangents: tangents_behind },
        )
    }

    /// Returns the places of a range.
    #[cfg_attr(not(target_arch = "x86_64"), expect(dead_code, reason = "portable kernels write all runs in one go"))]
    pub(super) fn part(&mut self, range: Range<usize>) -> Sinks<'_> {
        Sinks {
            positions: self.positions.part(range.clone()),
            normals: self.normals.as_mut().map(|normals| normals.part(range.clone())),
            tangents: self.tangents.as_deref_mut().map(|tangents| &mut tangents[range]),
        }
    }
}
