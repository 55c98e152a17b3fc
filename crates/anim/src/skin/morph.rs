//! Morph targets: deltas that are added to the bind pose before skinning.

use crate::blend::MAX_WEIGHT;
use crate::skin::SkinError;
use crate::skin::kernels::{self, Block, LANES, Streams};
use hedgerow_math::internal::fallible;
use std::collections::TryReserveError;

/// The deltas that a morph target adds to a mesh at weight 1. Empty lists add nothing.
///
/// ```
/// use hedgerow_anim::{Mat34, Skin, SkinnedMesh, skin::{MorphBuffer, MorphTarget, Palette, SkinOutput}};
///
/// let smile = MorphTarget { vertices: Some(&[1]), positions: &[[0.0, 2.0, 0.0]], ..MorphTarget::default() };
/// let skin = Skin::rigid(); // no joints, only the target
/// let mesh = SkinnedMesh::builder(&[[0.0; 3], [1.0, 0.0, 0.0]]).morph_target(smile).build(&skin)?;
///
/// let mut skinned = [[0.0_f32; 3]; 2];
/// let output = SkinOutput::new(&mut skinned[..]);
/// mesh.skin_morphed(Palette::of(&skin, &[Mat34::IDENTITY])?, &[0.5], &mut MorphBuffer::new(), output)?;
/// assert_eq!(skinned, [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]]);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MorphTarget<'a> {
    /// The vertices to which the deltas belong, as numbered in the builder's lists; `None` means all vertices in order.
    /// If a vertex is listed more than once, its deltas are summed.
    pub vertices: Option<&'a [u32]>,
    /// The deltas of positions.
    pub positions: &'a [[f32; 3]],
    /// The deltas of normals, ignored if the mesh has no normals.
    pub normals: &'a [[f32; 3]],
    /// The deltas of tangents, without the fourth number; they are ignored if the mesh has no tangents.
    pub tangents: &'a [[f32; 3]],
}

/// A reusable buffer for morphed vertices.
///
/// Takes 12 bytes per vertex for each list that a target changed: positions, normals and tangents. One buffer serves
/// any number of meshes in turn.
#[derive(Clone, Debug, Default)]
pub struct MorphBuffer {
    streams: [Vec<Block>; 3],
}

impl MorphBuffer {
    /// Creates an empty buffer.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// The morph targets of a mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Targets(Vec<Target>);

/// Deltas of positions, normals and tangents; a list is empty if all its deltas are zero.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Target {
    /// Deltas of some vertices.
    Sparse {
        /// The places of the vertices in the streams: block · 16 + lane, in ascending order.
        places: Vec<u32>,
        deltas: [Vec<[f32; 3]>; 3],
    },
    /// Deltas of all vertices, in blocks.
    Dense([Vec<Block>; 3]),
}

/// A target is sparse if fewer than 1 in `SPARSE` vertices have deltas, since a sparse delta costs several times more.
const SPARSE: usize = 6;
const NAMES: [&str; 3] = ["morph deltas of positions", "morph deltas of normals", "morph deltas of tangents"];

impl Targets {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Target> {
        self.0.iter()
    }

    /// Adds a target, which must have been made for the same mesh.
    pub(super) fn add(&mut self, target: Target) -> Result<(), TryReserveError> {
        fallible::push(&mut self.0, target)
    }

    /// Returns the size on the heap, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let target = |target: &Target| match target {
            Target::Sparse { places, deltas } => {
                size_of_val(&places[..]) + deltas.iter().map(|deltas| size_of_val(&deltas[..])).sum::<usize>()
            }
            Target::Dense(deltas) => deltas.iter().map(|deltas| size_of_val(&deltas[..])).sum(),
        };
        size_of_val(&self.0[..]) + self.0.iter().map(target).sum::<usize>()
    }

    /// Adds a target for vertices at these places in streams of `blocks` blocks. `present` has a flag for each stream.
    pub(super) fn push(
        &mut self,
        target: &MorphTarget<'_>,
        places: &[u32],
        blocks: usize,
        present: [bool; 3],
    ) -> Result<(), SkinError> {
        let expected = target.vertices.map_or(places.len(), <[u32]>::len);
        let mut lists = [target.positions, target.normals, target.tangents];
        for (what, list) in NAMES.into_iter().zip(lists) {
            if !list.is_empty() && list.len() != expected {
                return Err(SkinError::Length { what, expected, found: list.len() });
            }
        }
        if let Some(vertices) = target.vertices {
            let missing = vertices.iter().position(|&vertex| vertex as usize >= places.len());
            if let Some(place) = missing {
                return Err(SkinError::Index { place, index: vertices[place], vertices: places.len() });
            }
        }
        let vertex = |at: usize| target.vertices.map_or(at, |vertices| vertices[at] as usize);
        for (what, list) in NAMES.into_iter().zip(lists) {
            if let Some(at) = list.iter().position(|delta| !delta.iter().all(|x| x.is_finite())) {
                return Err(SkinError::NotFinite { what, vertex: vertex(at) });
            }
        }
        for (list, present) in lists.iter_mut().zip(present) {
            // Streams that move nothing are dropped, and cost nothing later.
            if !present || list.iter().all(|delta| *delta == [0.0; 3]) {
                *list = &[];
            }
        }
        let moves = |at: &usize| lists.iter().any(|list| list.get(*at).is_some_and(|delta| *delta != [0.0; 3]));
        let mut moved: Vec<(u32, usize)> = (0..expected).filter(moves).map(|at| (places[vertex(at)], at)).collect();
        // In the order of places, for ascending writes.
        moved.sort_unstable();
        self.0.push(if moved.len() < places.len() / SPARSE {
            Target::Sparse {
                places: moved.iter().map(|&(place, _)| place).collect(),
                deltas: lists.map(|list| {
                    if list.is_empty() { Vec::new() } else { moved.iter().map(|&(_, at)| list[at]).collect() }
                }),
            }
        } else {
            Target::Dense(lists.map(|list| {
                if list.is_empty() {
                    return Vec::new();
                }
                let mut deltas = vec![Block::default(); blocks];
                for &(place, at) in &moved {
                    add(&mut deltas, place, list[at], 1.0);
                }
                deltas
            }))
        });
        Ok(())
    }

    /// Returns an error unless there is a weight for each target, from -[`MAX_WEIGHT`] to [`MAX_WEIGHT`].
    pub(super) fn check(&self, weights: &[f32]) -> Result<(), SkinError> {
        let (expected, found) = (self.len(), weights.len());
        if expected != found {
            return Err(SkinError::Length { what: "morph weights", expected, found });
        }
        match weights.iter().position(|weight| !(-MAX_WEIGHT..=MAX_WEIGHT).contains(weight)) {
            Some(target) => Err(SkinError::MorphWeight { target, weight: weights[target] }),
            None => Ok(()),
        }
    }

    /// Returns the bind pose with the weighted targets added in order. Copies only the streams that change.
    pub(super) fn morph<'s>(&self, weights: &[f32], bind: Streams<'s>, buffer: &'s mut MorphBuffer) -> Streams<'s> {
        let mut moved = [false; 3];
        for (target, &weight) in self.0.iter().zip(weights).filter(|(_, weight)| **weight != 0.0) {
            let sources = [bind.positions, bind.normals, bind.tangents];
            for (stream, (source, moved)) in sources.into_iter().zip(&mut moved).enumerate() {
                if target.is_empty(stream) {
                    continue;
                }
                let to = &mut buffer.streams[stream];
                // The bind pose is copied only when a target moves the stream.
                if !*moved {
                    to.clear();
                    to.extend_from_slice(source);
                    *moved = true;
                }
                target.add(stream, weight, to);
            }
        }
        let [positions, normals, tangents] = &buffer.streams;
        Streams {
            positions: if moved[0] { positions } else { bind.positions },
            normals: if moved[1] { normals } else { bind.normals },
            tangents: if moved[2] { tangents } else { bind.tangents },
            signs: bind.signs,
        }
    }
}

impl Target {
    /// Returns whether the target has no deltas for a stream.
    fn is_empty(&self, stream: usize) -> bool {
        match self {
            Self::Sparse { deltas, .. } => deltas[stream].is_empty(),
            Self::Dense(deltas) => deltas[stream].is_empty(),
        }
    }

    /// Adds the deltas, times the weight, to a stream.
    fn add(&self, stream: usize, weight: f32, to: &mut [Block]) {
        match self {
            Self::Sparse { places, deltas } => {
                for (&place, &delta) in places.iter().zip(&deltas[stream]) {
                    add(to, place, delta, weight);
                }
            }
            Self::Dense(deltas) => kernels::add_scaled(to, &deltas[stream], weight),
        }
    }
}

/// Adds a delta, times the weight, to one vertex.
fn add(to: &mut [Block], place: u32, delta: [f32; 3], weight: f32) {
    let (block, lane) = (place as usize / LANES, place as usize % LANES);
    for (row, delta) in to[block].iter_mut().zip(delta) {
        row.0[lane] += weight * delta;
    }
}
