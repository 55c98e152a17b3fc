//! The byte formats of skins and skinned meshes: a header, then lists without gaps.
//!
//! ```text
//! skin     header         see `file_header`                         32 B
//!          count          number of joints, u32                      4 B
//!          inverse binds  twelve floats each                        48 B a joint
//!          joints         u16                                        2 B a joint
//!
//! mesh     header         see `file_header`                         32 B
//!          counts         see `Counts`                              56 B
//!          joint boxes    least and greatest corner                 24 B a joint
//!          positions      three floats each                         12 B a vertex
//!          normals        if present, three floats each             12 B a vertex
//!          tangents       if present, four floats each              16 B a vertex
//!          permutation    u32                                        4 B a vertex
//!          influences     of vertices with one, two, three, four, then eight influences:
//!                         joints u16, weights except the last        2, 8, 14, 20 or 44 B a vertex
//!          indices        u32                                        4 B an index
//!          targets        see `write_target`
//! ```
//!
//! Numbers are little-endian. Vertices are in the mesh's order, without the padding of blocks.

mod wire;

use crate::skin::influence::{COUNTS, MOST_IF_ASKED};
use crate::skin::kernels::{Block, Influences, LANES, Lanes};
use crate::skin::morph::{Target, Targets};
use crate::skin::{Pruned, Skin, SkinError, SkinId, SkinnedMesh, SkinnedMeshBuilder};
use crate::{Aabb, Error, Mat34};
use glam::Vec3;
use hedgerow_math::internal::fallible;
use hedgerow_math::internal::file_header::{Broken, Format, Kind};
use std::collections::TryReserveError;
use wire::{Reader, Writer};

const SKIN: Format = Format::new(Kind::Skin, 3, 3);
const MESH: Format = Format::new(Kind::SkinnedMesh, 3, 3);

impl Skin {
    /// Returns the skin as bytes, from which [`Skin::from_bytes`] restores the same skin. Runs in **O(joints)**.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        out.count(self.len());
        self.inverse_binds().iter().for_each(|matrix| out.floats(matrix.rows.as_flattened()));
        self.joints().iter().for_each(|&joint| out.short(joint));
        out.finish(SKIN)
    }

    /// Restores a skin from the bytes of [`Skin::to_bytes`].
    ///
    /// Any bytes are safe, because everything is validated, and a failed allocation is an error. Runs in **O(bytes)**.
    ///
    /// ```
    /// use hedgerow_anim::{Mat34, Skin};
    ///
    /// let skin = Skin::new(vec![2, 0], vec![Mat34::IDENTITY; 2])?;
    /// assert_eq!(Skin::from_bytes(&skin.to_bytes())?, skin);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// A [`SkinError`] if the bytes are not valid.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut from = Reader::new(body(SKIN, "skin", bytes)?);
        let count = from.count()?;
        if count > Self::MAX_JOINTS {
            return Err(SkinError::TooManyJoints { joints: count }.into());
        }
        let matrix = |rows: [f32; 12]| Mat34 { rows: [0, 4, 8].map(|at| [0, 1, 2, 3].map(|step| rows[at + step])) };
        let inverse_binds = fallible::collected(from.floats(count)?.map(matrix)).map_err(SkinError::from)?;
        let joints = fallible::collected(from.shorts(count)?).map_err(SkinError::from)?;
        from.finish()?;
        Self::new(joints, inverse_binds)
    }
}

/// The counts at the start of a mesh's bytes, in the order of [`write`](Self::write).
struct Counts {
    skin: SkinId,
    joints: usize,
    groups: [usize; COUNTS.len()],
    normals: bool,
    tangents: bool,
    indices: usize,
    targets: usize,
    pruned: Pruned,
}

impl Counts {
    const NORMALS: u32 = 1;
    const TANGENTS: u32 = 2;

    fn write(&self, out: &mut Writer) {
        out.count(self.joints);
        self.groups.into_iter().for_each(|vertices| out.count(vertices));
        out.word(if self.normals { Self::NORMALS } else { 0 } | if self.tangents { Self::TANGENTS } else { 0 });
        out.count(self.indices);
        out.count(self.targets);
        // This is at most the number of vertices, which fits 32 bits.
        out.count(self.pruned.vertices);
        out.floats(&[self.pruned.largest_weight, self.pruned.largest_sum]);
        self.skin.words().into_iter().for_each(|word| out.word(word));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, SkinError> {
        let joints = from.count()?;
        let mut groups = [0; COUNTS.len()];
        for vertices in &mut groups {
            *vertices = from.count()?;
        }
        let flags = from.word()?;
        let (indices, targets, vertices) = (from.count()?, from.count()?, from.count()?);
        let [largest_weight, largest_sum] = from.float_array()?;
        let skin = SkinId::from_words([from.word()?, from.word()?]);
        if flags > Self::NORMALS | Self::TANGENTS {
            return Err(SkinError::Malformed("unknown flags"));
        }
        if joints > Skin::MAX_JOINTS {
            return Err(SkinError::TooManyJoints { joints });
        }
        let all = groups.iter().try_fold(0, |sum: usize, &count| sum.checked_add(count)).unwrap_or(usize::MAX);
        if all > SkinnedMeshBuilder::MAX_VERTICES {
            return Err(SkinError::TooManyVertices { vertices: all });
        }
        let part = |number: f32| (0.0..=1.0).contains(&number);
        if vertices > all || !part(largest_weight) || !part(largest_sum) {
            return Err(SkinError::Malformed("invalid pruning data"));
        }
        let (normals, tangents) = (flags & Self::NORMALS != 0, flags & Self::TANGENTS != 0);
        if all == 0 && (normals || tangents) {
            return Err(SkinError::Malformed("unknown flags"));
        }
        let pruned = Pruned { vertices, largest_weight, largest_sum };
        Ok(Self { skin, joints, groups, normals, tangents, indices, targets, pruned })
    }

    fn vertices(&self) -> usize {
        self.groups.iter().sum()
    }

    fn blocks(&self) -> usize {
        self.groups.iter().map(|vertices| vertices.div_ceil(LANES)).sum()
    }

    /// Returns the place of each vertex in the streams: block · 16 + lane, in ascending order.
    fn places(&self) -> Result<Vec<u32>, TryReserveError> {
        let mut places = fallible::with_capacity(self.vertices())?;
        let mut start = 0;
        for vertices in self.groups {
            places.extend((start..).take(vertices));
            start += u32::try_from(vertices.next_multiple_of(LANES)).expect("there are at most MAX_VERTICES");
        }
        Ok(places)
    }
}

impl SkinnedMesh {
    /// Returns the mesh as bytes, from which [`SkinnedMesh::from_bytes`] restores the same mesh.
    ///
    /// Runs in **O(vertices + indices + deltas)**.
    ///
    /// # Panics
    /// Panics if there are 2³² or more indices or morph targets.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let counts = Counts {
            skin: self.skin,
            joints: self.joints,
            groups: self.influence_counts(),
            normals: !self.normals.is_empty(),
            tangents: !self.tangents.is_empty(),
            indices: self.indices.len(),
            targets: self.targets.len(),
            pruned: self.pruned,
        };
        let places = fallible::or_abort(counts.places());
        let mut out = Writer::new();
        counts.write(&mut out);
        for bounds in &self.joint_bounds {
            out.floats(&bounds.min.to_array());
            out.floats(&bounds.max.to_array());
        }
        write_stream(&mut out, &self.positions, &places);
        write_stream(&mut out, &self.normals, &places);
        if counts.tangents {
            for &place in &places {
                out.floats(&of_place(&self.tangents, place));
                out.floats(&[lane(&self.signs, place)]);
            }
        }
        self.permutation.iter().for_each(|&vertex| out.word(vertex));
        for group in &self.groups {
            for vertex in 0..group.vertices() {
                group.joints_of_vertex(vertex).for_each(|joint| out.short(joint));
                group.weights_of_vertex(vertex).for_each(|weight| out.floats(&[weight]));
            }
        }
        self.indices.iter().for_each(|&index| out.word(index));
        self.targets.iter().for_each(|target| write_target(&mut out, target, &places));
        out.finish(MESH)
    }

    /// Restores a mesh from the bytes of [`SkinnedMesh::to_bytes`].
    ///
    /// Any bytes are safe, because everything is validated, and a failed allocation is an error. Allocation is bounded
    /// by the size of the input. Runs in **O(bytes)**.
    ///
    /// ```
    /// use hedgerow_anim::{Skin, SkinnedMesh};
    ///
    /// let corners = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let mesh = SkinnedMesh::builder(&corners).indices(&[0, 1, 2]).build(&Skin::rigid())?;
    /// assert_eq!(SkinnedMesh::from_bytes(&mesh.to_bytes())?, mesh);
    /// # Ok::<(), hedgerow_anim::Error>(())
    /// ```
    ///
    /// # Errors
    /// A [`SkinError`] if the bytes are not valid.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::read(bytes).map_err(Error::from)
    }

    fn read(bytes: &[u8]) -> Result<Self, SkinError> {
        let mut from = Reader::new(body(MESH, "skinned mesh", bytes)?);
        let counts = Counts::read(&mut from)?;
        let (vertices, blocks) = (counts.vertices(), counts.blocks());
        let bounds = from.floats(counts.joints)?;
        let corner = |[x, y, z]: [f32; 3]| Vec3::new(x, y, z);
        let bounds = bounds.map(|[a, b, c, d, e, f]: [f32; 6]| Aabb { min: corner([a, b, c]), max: corner([d, e, f]) });
        let joint_bounds = fallible::collected(bounds)?;

        // Each list is read before memory is allocated for it, so wrong counts allocate nothing.
        let all_positions = from.floats::<3>(vertices)?;
        let all_normals = from.floats::<3>(if counts.normals { vertices } else { 0 })?;
        let all_tangents = from.floats::<4>(if counts.tangents { vertices } else { 0 })?;
        let permutation = fallible::collected(from.words(vertices)?)?;
        check_permutation(&permutation)?;
        let places = counts.places()?;
        let positions = blocks_of("positions", all_positions.clone(), &places, blocks)?;
        let normals = blocks_of("normals", all_normals, &places, if counts.normals { blocks } else { 0 })?;
        let some_blocks = if counts.tangents { blocks } else { 0 };
        let directions = all_tangents.clone().map(|[x, y, z, _]| [x, y, z]);
        let tangents = blocks_of("tangents", directions, &places, some_blocks)?;
        let mut signs = fallible::filled(some_blocks, Lanes::default())?;
        for (vertex, ([.., sign], &place)) in all_tangents.zip(&places).enumerate() {
            if !sign.is_finite() {
                return Err(SkinError::NotFinite { what: "tangents", vertex });
            }
            signs[place as usize / LANES].0[place as usize % LANES] = sign;
        }

        let groups = read_groups(&mut from, &counts)?;
        if bounds_of(&groups, all_positions, counts.joints)? != joint_bounds {
            return Err(SkinError::Malformed("joint boxes disagree with the vertices"));
        }
        let indices = fallible::collected(from.words(counts.indices)?)?;
        if let Some(place) = indices.iter().position(|&index| index as usize >= vertices) {
            return Err(SkinError::Index { place, index: indices[place], vertices });
        }
        let mut targets = Targets::default();
        for _ in 0..counts.targets {
            targets.add(read_target(&mut from, &counts, &places, blocks)?)?;
        }
        from.finish()?;
        let Counts { skin, joints, pruned, .. } = counts;
        Ok(Self {
            skin,
            joints,
            groups,
            positions,
            normals,
            tangents,
            signs,
            targets,
            permutation,
            indices,
            joint_bounds,
            pruned,
        })
    }
}

/// Returns an error unless each vertex occurs once.
fn check_permutation(permutation: &[u32]) -> Result<(), SkinError> {
    let mut met = fallible::filled(permutation.len(), false)?;
    let once = |&vertex: &u32| met.get_mut(vertex as usize).is_some_and(|met| !core::mem::replace(met, true));
    if permutation.iter().all(once) {
        Ok(())
    } else {
        Err(SkinError::Malformed("the vertex order is not a permutation"))
    }
}

/// The greatest rounding error in the sum of a vertex's weights.
const TOLERANCE: f32 = 1e-6;

fn read_groups(from: &mut Reader<'_>, counts: &Counts) -> Result<[Influences; COUNTS.len()], SkinError> {
    let mut groups = COUNTS.map(Influences::new);
    let mut vertex = 0;
    for (group, vertices) in groups.iter_mut().zip(counts.groups) {
        let influences = group.count();
        // Each vertex takes at least two bytes for each of its joints.
        from.expect(vertices, 2 * influences)?;
        group.try_reserve(vertices)?;
        for _ in 0..vertices {
            let (mut joints, mut weights) = ([0; MOST_IF_ASKED], [0.0; MOST_IF_ASKED]);
            for (place, joint) in joints.iter_mut().zip(from.shorts(influences)?) {
                *place = joint;
                if usize::from(joint) >= counts.joints {
                    return Err(SkinError::Joint { vertex, joint, joints: counts.joints });
                }
            }
            for (place, [weight]) in weights.iter_mut().zip(from.floats(influences - 1)?) {
                *place = weight;
                if !(0.0..=1.0).contains(&weight) {
                    return Err(SkinError::Weight { vertex, weight });
                }
            }
            if weights.iter().sum::<f32>() > 1.0 + TOLERANCE {
                return Err(SkinError::Malformed("the weights of a vertex exceed 1 in sum"));
            }
            group.push(&joints[..influences], &weights[..influences]);
            vertex += 1;
        }
    }
    Ok(groups)
}

/// Computes one box per joint: the box of the vertices that follow the joint.
fn bounds_of(
    groups: &[Influences],
    mut positions: impl Iterator<Item = [f32; 3]>,
    joints: usize,
) -> Result<Vec<Aabb>, SkinError> {
    let mut bounds = fallible::filled(joints, Aabb::EMPTY)?;
    for group in groups {
        for (vertex, position) in (0..group.vertices()).zip(&mut positions) {
            let position = Vec3::from_array(position);
            for joint in group.joints_of_vertex(vertex) {
                let bounds = &mut bounds[usize::from(joint)];
                *bounds = bounds.merge(&Aabb::new(position, position));
            }
        }
    }
    Ok(bounds)
}

/// Writes a morph target: its number of vertices or `u32::MAX` for all, and a bit for each stream with deltas. Then
/// come the vertices in ascending order (if not all) and the deltas: three floats for each stream and vertex.
fn write_target(out: &mut Writer, target: &Target, places: &[u32]) {
    let flags = |present: [bool; 3]| (0..).zip(present).map(|(stream, has)| u32::from(has) << stream).sum();
    match target {
        Target::Sparse { places: some, deltas } => {
            out.count(some.len());
            out.word(flags(deltas.each_ref().map(|deltas| !deltas.is_empty())));
            for place in some {
                out.count(places.binary_search(place).expect("a target is for vertices of its mesh"));
            }
            deltas.iter().flatten().for_each(|delta| out.floats(delta));
        }
        Target::Dense(deltas) => {
            out.word(u32::MAX);
            out.word(flags(deltas.each_ref().map(|deltas| !deltas.is_empty())));
            deltas.iter().for_each(|deltas| write_stream(out, deltas, places));
        }
    }
}

fn read_target(from: &mut Reader<'_>, counts: &Counts, places: &[u32], blocks: usize) -> Result<Target, SkinError> {
    const NAMES: [&str; 3] = ["morph deltas of positions", "morph deltas of normals", "morph deltas of tangents"];
    let (count, flags) = (from.word()?, from.word()?);
    let present = [0, 1, 2].map(|stream| flags >> stream & 1 != 0);
    if flags > 7 || present[1] && !counts.normals || present[2] && !counts.tangents {
        return Err(SkinError::Malformed("invalid streams of a morph target"));
    }
    let empty = count == 0 || count == u32::MAX && places.is_empty();
    if empty && flags != 0 {
        return Err(SkinError::Malformed("a morph target without deltas has streams"));
    }
    let lengths = |count: usize| present.map(|has| if has { count } else { 0 });
    if count == u32::MAX {
        let [a, b, c] = lengths(places.len());
        let lists = [from.floats(a)?, from.floats(b)?, from.floats(c)?];
        let mut deltas = [const { Vec::new() }; 3];
        for ((deltas, list), (what, length)) in deltas.iter_mut().zip(lists).zip(NAMES.into_iter().zip(lengths(blocks)))
        {
            *deltas = blocks_of(what, list, places, length)?;
        }
        return Ok(Target::Dense(deltas));
    }
    let vertices = fallible::collected(from.words(count as usize)?)?;
    if !vertices.is_sorted() || vertices.last().is_some_and(|&vertex| vertex as usize >= places.len()) {
        return Err(SkinError::Malformed("vertices of a morph target are unsorted or out of range"));
    }
    let mut deltas = [const { Vec::new() }; 3];
    for ((deltas, what), length) in deltas.iter_mut().zip(NAMES).zip(lengths(vertices.len())) {
        *deltas = fallible::collected(from.floats(length)?)?;
        if let Some(at) = deltas.iter().position(|delta: &[f32; 3]| !delta.iter().all(|x| x.is_finite())) {
            return Err(SkinError::NotFinite { what, vertex: vertices[at] as usize });
        }
    }
    let places = fallible::collected(vertices.iter().map(|&vertex| places[vertex as usize]))?;
    Ok(Target::Sparse { places, deltas })
}

/// Writes three floats for each vertex, or nothing if the stream is empty.
fn write_stream(out: &mut Writer, stream: &[Block], places: &[u32]) {
    if !stream.is_empty() {
        places.iter().for_each(|&place| out.floats(&of_place(stream, place)));
    }
}

fn of_place(stream: &[Block], place: u32) -> [f32; 3] {
    stream[place as usize / LANES].map(|row| row.0[place as usize % LANES])
}

fn lane(lanes: &[Lanes], place: u32) -> f32 {
    lanes[place as usize / LANES].0[place as usize % LANES]
}

/// Puts a list into blocks. The list must be empty or have an item for each vertex.
fn blocks_of(
    what: &'static str,
    list: impl Iterator<Item = [f32; 3]>,
    places: &[u32],
    count: usize,
) -> Result<Vec<Block>, SkinError> {
    let mut blocks = fallible::filled(count, Block::default())?;
    for (vertex, (item, &place)) in list.zip(places).enumerate() {
        if !item.iter().all(|x| x.is_finite()) {
            return Err(SkinError::NotFinite { what, vertex });
        }
        for (row, number) in blocks[place as usize / LANES].iter_mut().zip(item) {
            row.0[place as usize % LANES] = number;
        }
    }
    Ok(blocks)
}

fn body<'b>(format: Format, what: &'static str, bytes: &'b [u8]) -> Result<&'b [u8], SkinError> {
    let body = format.body(bytes).map_err(|broken| match broken {
        Broken::Magic | Broken::Kind(_) => SkinError::WrongKind(what),
        Broken::Version { found, newest } => SkinError::Version { found, newest },
        Broken::Length { expected, found } => SkinError::FileLength { expected, found },
        Broken::Checksum => SkinError::Checksum,
    })?;
    Ok(body.1)
}

#[cfg(test)]
mod tests {
    use super::wire::CUT_OFF;
    use super::*;
    use crate::skin::MorphTarget;
    use hedgerow_math::internal::file_header::HEADER_BYTES;

    fn skin(joints: usize) -> Skin {
        Skin::new((0..).take(joints).collect(), vec![Mat34::IDENTITY; joints]).unwrap()
    }

    fn mesh(vertices: usize, with: usize) -> SkinnedMesh {
        let number = |at: usize| f32::from(u16::try_from(at * 7919 % 1000).unwrap()) / 100.0 - 5.0;
        let positions: Vec<[f32; 3]> = (0..vertices).map(|at| [number(at), number(at + 1), number(at + 2)]).collect();
        let normals: Vec<[f32; 3]> = (0..vertices).map(|at| [number(at + 3), 0.0, 1.0]).collect();
        let tangents: Vec<[f32; 4]> =
            (0..vertices).map(|at| [1.0, number(at), 0.0, if at % 2 == 0 { 1.0 } else { -1.0 }]).collect();
        let joints: Vec<u16> = (0..vertices * 5).map(|at| u16::try_from(at * 31 % 7).unwrap()).collect();
        let weights: Vec<f32> = (0..vertices * 5).map(|at| if at * 13 % 5 < at / 5 % 6 { 0.3 } else { 0.0 }).collect();
        let indices: Vec<u32> = (0..u32::try_from(vertices).unwrap()).rev().collect();
        let few: Vec<u32> = (0..u32::try_from(vertices).unwrap()).step_by(11).collect();
        let some = positions.iter().step_by(11).copied().collect::<Vec<_>>();
        let mut builder = SkinnedMesh::builder(&positions).influences(5, &joints, &weights).indices(&indices);
        if with & 8 != 0 {
            builder = builder.eight_influences();
        }
        if with & 1 != 0 {
            builder = builder.normals(&normals);
        }
        if with & 2 != 0 {
            builder = builder.tangents(&tangents);
        }
        if with & 4 != 0 {
            builder = builder
                .morph_target(MorphTarget {
                    vertices: Some(&few),
                    positions: &some,
                    normals: &some,
                    ..MorphTarget::default()
                })
                .morph_target(MorphTarget { positions: &normals, tangents: &positions, ..MorphTarget::default() })
                .morph_target(MorphTarget::default());
        }
        builder.build(&skin(7)).unwrap()
    }

    fn refusal(error: Error) -> SkinError {
        match error {
            Error::Skin(error) => error,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn bytes_make_the_same_mesh_and_that_the_same_bytes() {
        for vertices in [0, 1, 15, 16, 17, 100, 333] {
            for with in 0..16 {
                let mesh = mesh(vertices, with);
                let bytes = mesh.to_bytes();
                let again = SkinnedMesh::from_bytes(&bytes).unwrap();
                assert_eq!(again, mesh, "{vertices} vertices with {with}");
                assert_eq!(again.to_bytes(), bytes);
            }
        }
    }

    #[test]
    fn bytes_make_the_same_skin() {
        for joints in [0, 1, 80] {
            let matrix = crate::Transform::from_xyz(1.0, 2.0, 3.0).to_matrix();
            let skin = Skin::new((0..joints).rev().collect(), vec![matrix; usize::from(joints)]).unwrap();
            let bytes = skin.to_bytes();
            let again = Skin::from_bytes(&bytes).unwrap();
            assert_eq!((again.id(), &again), (skin.id(), &skin));
            let cut = Skin::from_bytes(&bytes[..bytes.len() - 1]).map_err(refusal);
            let (expected, found) = (bytes.len() as u64, bytes.len() as u64 - 1);
            assert_eq!(cut, Err(SkinError::FileLength { expected, found }));
            assert_eq!(SkinnedMesh::from_bytes(&bytes).map_err(refusal), Err(SkinError::WrongKind("skinned mesh")));
        }
    }

    #[test]
    fn each_thing_that_a_mesh_guarantees_is_checked() {
        let bytes = mesh(40, 7).to_bytes();
        let with = |at: usize, value: u32| {
            let mut bytes = bytes.clone();
            bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
            MESH.write_header(&mut bytes);
            SkinnedMesh::from_bytes(&bytes).map_err(refusal).unwrap_err()
        };
        let nan = f32::NAN.to_bits();
        let positions = HEADER_BYTES + 56 + 7 * 24;
        let (normals, tangents, permutation) = (positions + 40 * 12, positions + 40 * 24, positions + 40 * 40);
        let influences = permutation + 40 * 4;
        assert_eq!(with(HEADER_BYTES, 1 << 17), SkinError::TooManyJoints { joints: 1 << 17 });
        // The sum saturates if `usize` has 32 bits.
        let vertices = (u32::MAX as usize).saturating_add(40 - mesh(40, 7).influence_counts()[0]);
        assert_eq!(with(HEADER_BYTES + 4, u32::MAX), SkinError::TooManyVertices { vertices });
        assert_eq!(with(HEADER_BYTES + 24, 9), SkinError::Malformed("unknown flags"));
        assert_eq!(with(HEADER_BYTES + 28, u32::MAX), CUT_OFF);
        assert_eq!(with(HEADER_BYTES + 32, u32::MAX), CUT_OFF);
        assert_eq!(with(HEADER_BYTES + 36, 41), SkinError::Malformed("invalid pruning data"));
        assert_eq!(with(HEADER_BYTES + 56, 0), SkinError::Malformed("joint boxes disagree with the vertices"));
        assert_eq!(with(positions, nan), SkinError::NotFinite { what: "positions", vertex: 0 });
        assert_eq!(with(normals + 12, nan), SkinError::NotFinite { what: "normals", vertex: 1 });
        assert_eq!(with(tangents + 12, nan), SkinError::NotFinite { what: "tangents", vertex: 0 });
        assert_eq!(with(permutation, 40), SkinError::Malformed("the vertex order is not a permutation"));
        assert_eq!(
            with(permutation, u32::from_le_bytes(*bytes[permutation + 4..].first_chunk().unwrap())),
            SkinError::Malformed("the vertex order is not a permutation")
        );
        assert!(matches!(with(influences, 0x00ff_00ff), SkinError::Joint { vertex: 0, joint: 0xff, joints: 7 }));
    }
}
