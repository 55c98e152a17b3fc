//! The vertices of meshes that are skinned or morphed.

use super::error::{ImportError, ImportErrorKind, Item, ItemKind};
use super::read::{Numbers, Reader, expect_count, expect_finite};
use super::{MeshIds, Skipped};
use gltf::json::accessor::Accessor;
use gltf::json::mesh::{Mode, MorphTarget, Primitive, Semantic};
use gltf::json::validation::Checked;
use gltf::json::{Index, Root};

/// The vertices of a primitive that is skinned or morphed, as plain arrays with an element for each vertex.
///
/// Normalised integers are converted to floats; everything else is as in the file.
///
/// ```
/// // A point at (0, 2, 0), and a morph target that moves it by as much.
/// let text = br#"{
///     "asset": {"version": "2.0"}, "nodes": [{"name": "flag", "mesh": 0}],
///     "meshes": [{"extras": {"targetNames": ["wave"]}, "weights": [0.5],
///         "primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0}]}]}],
///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 1, "bufferView": 0}],
///     "bufferViews": [{"buffer": 0, "byteLength": 12}],
///     "buffers": [{"byteLength": 12, "uri": "data:;base64,AAAAAAAAAEAAAAAA"}]
/// }"#;
/// let imported = hedgerow::import::from_slice(text, None)?.imported;
/// let flag = imported.mesh(0).expect("it has a morph target");
/// assert_eq!((flag.positions[0], flag.targets[0].positions[0]), ([0.0, 2.0, 0.0], [0.0, 2.0, 0.0]));
/// assert_eq!((flag.influences, flag.normals.len()), (0, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MeshData {
    /// Its mesh id; see [`MeshIds`].
    pub mesh: u32,
    /// What the vertices or indices, taken in order, draw.
    pub topology: Topology,
    /// The positions of the vertices, in the space in which skins are bound.
    pub positions: Vec<[f32; 3]>,
    /// Normals; empty if the file has none.
    pub normals: Vec<[f32; 3]>,
    /// Tangents, with the sign of the bitangent as the fourth number; empty if the file has none.
    pub tangents: Vec<[f32; 4]>,
    /// How many influences each vertex has: four for each set `JOINTS_n`, `WEIGHTS_n`; zero if no node has a skin for
    /// the mesh.
    pub influences: usize,
    /// The joints of all influences, one vertex after the other. They are numbered by the skin, not by the rig's
    /// skeleton: palettes come from [`Skin::palette`](crate::skin::Skin::palette) or are asked for with the skin.
    pub joints: Vec<u16>,
    /// The weights of all influences in the same order: finite and not negative, but their sum is not always 1.
    pub weights: Vec<f32>,
    /// The indices of the vertices to draw; empty if all are drawn in order.
    pub indices: Vec<u32>,
    /// What each morph target adds at weight 1.
    pub targets: Vec<MorphDeltas>,
}

/// What a morph target adds to the vertices of a [`MeshData`] at weight 1. Empty for what it does not change.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MorphDeltas {
    /// Added to positions.
    pub positions: Vec<[f32; 3]>,
    /// Added to normals.
    pub normals: Vec<[f32; 3]>,
    /// Added to tangents, except for the fourth number.
    pub tangents: Vec<[f32; 3]>,
}

/// What the vertices of a primitive, taken in order, draw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Topology {
    /// A point for each vertex.
    Points,
    /// A line for each two vertices.
    Lines,
    /// A line from each vertex to the next, and from the last to the first.
    LineLoop,
    /// A line from each vertex to the next.
    LineStrip,
    /// A triangle for each three vertices.
    #[default]
    Triangles,
    /// A triangle for each vertex with the two before it.
    TriangleStrip,
    /// A triangle for each vertex with the one before it and the first.
    TriangleFan,
}

/// Reads all primitives that a node draws with a skin or that have morph targets, and checks that they match these
/// skins.
pub(super) fn read(
    reader: Reader<'_>,
    mesh_ids: &MeshIds,
    skipped: &mut Vec<Skipped>,
) -> Result<Vec<MeshData>, ImportError> {
    let root = reader.root;
    // For each mesh, the least number of joints among the skins with which it is drawn.
    let mut joints: Vec<Option<usize>> = vec![None; root.meshes.len()];
    for (node, json) in root.nodes.iter().enumerate() {
        let Some(skin) = json.skin else { continue };
        match json.mesh.filter(|mesh| root.meshes[mesh.value()].primitives.iter().any(follows_joints)) {
            Some(mesh) => {
                let count = root.skins[skin.value()].joints.len();
                let least = &mut joints[mesh.value()];
                *least = Some(least.map_or(count, |least| least.min(count)));
            }
            None => skipped.push(Skipped::Skin { node }),
        }
    }
    let mut all = Vec::new();
    for (mesh, json) in root.meshes.iter().enumerate() {
        for (number, primitive) in json.primitives.iter().enumerate() {
            let source = Source { reader, mesh, number, primitive };
            let morphed = primitive.targets.as_ref().is_some_and(|targets| !targets.is_empty());
            let (Some(positions), Some(id)) = (attribute(primitive, Semantic::Positions), mesh_ids.id(mesh, number))
            else {
                continue;
            };
            if morphed || joints[mesh].is_some() && follows_joints(primitive) {
                let data = source.read(id, positions, joints[mesh].is_some())?;
                source.check_joints(&data, joints[mesh])?;
                all.push(data);
            }
        }
    }
    Ok(all)
}

fn follows_joints(primitive: &Primitive) -> bool {
    attribute(primitive, Semantic::Joints(0)).is_some()
}

fn attribute(primitive: &Primitive, semantic: Semantic) -> Option<Index<Accessor>> {
    primitive.attributes.get(&Checked::Valid(semantic)).copied()
}

/// A primitive whose accessors are being read.
struct Source<'a> {
    reader: Reader<'a>,
    mesh: usize,
    number: usize,
    primitive: &'a Primitive,
}

impl Source<'_> {
    fn item(&self) -> Item {
        let root: &Root = self.reader.root;
        Item::of(root, ItemKind::Mesh, self.mesh)
    }

    fn field(&self, name: &str) -> String {
        format!("primitives[{}].{name}", self.number)
    }

    fn invalid(&self, name: &str, problem: &'static str) -> ImportError {
        ImportErrorKind::Invalid { item: self.item(), field: self.field(name), problem }.into()
    }

    /// Reads the vertices. If no node has a skin for the mesh, its joints and weights are ignored, as glTF demands.
    fn read(&self, mesh: u32, positions: Index<Accessor>, skinned: bool) -> Result<MeshData, ImportError> {
        let topology = self.topology()?;
        let name = || self.field("attributes.POSITION");
        let positions = self.reader.arrays(positions, Numbers::Quantised, (self.item(), &name))?;
        let positions = expect_finite(positions, (self.item(), &name))?;
        let count = positions.len();
        let (influences, joints, weights) = if skinned { self.influences(count)? } else { Default::default() };
        Ok(MeshData {
            mesh,
            topology,
            normals: self.coordinates(attribute(self.primitive, Semantic::Normals), count, "attributes.NORMAL")?,
            tangents: self.coordinates(attribute(self.primitive, Semantic::Tangents), count, "attributes.TANGENT")?,
            influences,
            joints,
            weights,
            indices: self.indices(count)?,
            targets: self.targets(count)?,
            positions,
        })
    }

    fn topology(&self) -> Result<Topology, ImportError> {
        match self.primitive.mode {
            Checked::Valid(Mode::Points) => Ok(Topology::Points),
            Checked::Valid(Mode::Lines) => Ok(Topology::Lines),
            Checked::Valid(Mode::LineLoop) => Ok(Topology::LineLoop),
            Checked::Valid(Mode::LineStrip) => Ok(Topology::LineStrip),
            Checked::Valid(Mode::Triangles) => Ok(Topology::Triangles),
            Checked::Valid(Mode::TriangleStrip) => Ok(Topology::TriangleStrip),
            Checked::Valid(Mode::TriangleFan) => Ok(Topology::TriangleFan),
            Checked::Invalid => Err(self.invalid("mode", "it must be a number from 0 to 6")),
        }
    }

    /// The elements of an accessor, which must be one for each vertex and finite; none if there is no accessor.
    fn coordinates<const N: usize>(
        &self,
        accessor: Option<Index<Accessor>>,
        count: usize,
        name: &str,
    ) -> Result<Vec<[f32; N]>, ImportError> {
        let Some(accessor) = accessor else { return Ok(Vec::new()) };
        let field = || self.field(name);
        let read = self.reader.arrays(accessor, Numbers::Quantised, (self.item(), &field))?;
        expect_finite(expect_count(read, count, (self.item(), &field))?, (self.item(), &field))
    }

    /// Combines all sets of joints and weights, vertex by vertex. Also returns the number of influences of each vertex.
    #[expect(clippy::cast_possible_truncation, reason = "joints of more than 16 bits are refused before")]
    fn influences(&self, count: usize) -> Result<(usize, Vec<u16>, Vec<f32>), ImportError> {
        let mut joints: Vec<Vec<[u32; 4]>> = Vec::new();
        let mut weights: Vec<Vec<[f32; 4]>> = Vec::new();
        for set in 0.. {
            let names = [format!("attributes.JOINTS_{set}"), format!("attributes.WEIGHTS_{set}")];
            let semantics = [Semantic::Joints(set), Semantic::Weights(set)];
            let (of_joints, of_weights) = match semantics.map(|semantic| attribute(self.primitive, semantic)) {
                [None, None] => break,
                [Some(joints), Some(weights)] => (joints, weights),
                [None, _] => {
                    return Err(self.invalid(&names[1], "weights take joints; add the attribute, or drop this one"));
                }
                [_, None] => {
                    return Err(self.invalid(&names[0], "joints take weights; add the attribute, or drop this one"));
                }
            };
            let field = || self.field(&names[0]);
            let read = self.reader.integers(of_joints, (self.item(), &field))?;
            if read.as_flattened().iter().any(|&joint| joint > u32::from(u16::MAX)) {
                return Err(self.invalid(&names[0], "a joint has more than 16 bits; a skin has no such joint"));
            }
            joints.push(expect_count(read, count, (self.item(), &field))?);
            let field = || self.field(&names[1]);
            let read = self.reader.arrays(of_weights, Numbers::Fractions, (self.item(), &field))?;
            let read = expect_finite(expect_count(read, count, (self.item(), &field))?, (self.item(), &field))?;
            if read.as_flattened().iter().any(|&weight| weight < 0.0) {
                return Err(self.invalid(&names[1], "a weight is negative; bind the mesh again"));
            }
            weights.push(read);
        }
        let of_vertex = |vertex: usize| (0..joints.len()).map(move |set| (set, vertex));
        let all = || (0..count).flat_map(of_vertex);
        Ok((
            4 * joints.len(),
            all().flat_map(|(set, vertex)| joints[set][vertex]).map(|joint| joint as u16).collect(),
            all().flat_map(|(set, vertex)| weights[set][vertex]).collect(),
        ))
    }

    fn indices(&self, count: usize) -> Result<Vec<u32>, ImportError> {
        let Some(accessor) = self.primitive.indices else { return Ok(Vec::new()) };
        let field = || self.field("indices");
        let indices = self.reader.integers::<1>(accessor, (self.item(), &field))?.into_flattened();
        match indices.iter().any(|&index| index as usize >= count) {
            true => Err(self.invalid("indices", "an index names a vertex that the primitive does not have")),
            false => Ok(indices),
        }
    }

    fn targets(&self, count: usize) -> Result<Vec<MorphDeltas>, ImportError> {
        let read = |(target, json): (usize, &MorphTarget)| {
            let name = |part: &str| format!("targets[{target}].{part}");
            Ok(MorphDeltas {
                positions: self.coordinates(json.positions, count, &name("POSITION"))?,
                normals: self.coordinates(json.normals, count, &name("NORMAL"))?,
                tangents: self.coordinates(json.tangents, count, &name("TANGENT"))?,
            })
        };
        self.primitive.targets.iter().flatten().enumerate().map(read).collect()
    }

    /// Returns an error for vertices that follow a joint beyond those of a skin with which the mesh is drawn.
    fn check_joints(&self, data: &MeshData, joints: Option<usize>) -> Result<(), ImportError> {
        let (Some(limit), 1..) = (joints, data.influences) else { return Ok(()) };
        let of_vertices = data.joints.chunks(data.influences).zip(data.weights.chunks(data.influences));
        for (joints, weights) in of_vertices {
            let is_lost = |(&joint, &weight): (&u16, &f32)| weight > 0.0 && usize::from(joint) >= limit;
            let follows_none = weights.iter().all(|&weight| weight == 0.0);
            // Without weights, a vertex follows the first of its joints.
            if joints.iter().zip(weights).any(is_lost) || follows_none && usize::from(joints[0]) >= limit {
                let problem = "a vertex follows a joint that a skin of this mesh does not have; bind the mesh again";
                return Err(self.invalid("attributes.JOINTS_0", problem));
            }
        }
        Ok(())
    }
}
