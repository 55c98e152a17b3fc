//! Vertices out of a file.

use super::{MeshData, MorphDeltas, Topology};
use crate::Skipped;
use crate::error::{ImportError, ImportErrorKind, Item, ItemKind};
use crate::file::{Numbers, Reader, expect_count, expect_finite};
use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;
use gltf::json::accessor::Accessor;
use gltf::json::mesh::{Mode, MorphTarget, Primitive, Semantic};
use gltf::json::validation::Checked;
use gltf::json::{Index, Root};
use hedgerow_math::internal::fallible;

/// What is to be read of what deforms a mesh.
#[derive(Clone, Copy)]
pub(super) struct Deformation {
    /// The least number of joints among the skins with which the mesh is drawn; `None` if it is drawn with none.
    pub(super) joints: Option<usize>,
    /// Whether morph targets are read.
    pub(super) targets: bool,
}

/// For each mesh, the least number of joints among the skins with which it is drawn. Lists skins of nodes without a
/// mesh, and of those whose meshes follow no joints.
pub(super) fn least_joints(root: &Root, skipped: &mut Vec<Skipped>) -> Vec<Option<usize>> {
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
    joints
}

/// Reads the vertices of a primitive, given by mesh, number and id, and checks that they match the skins with which it
/// is drawn. `None` if it has no positions. Lists attributes that are not read.
pub(super) fn vertices(
    reader: Reader<'_>,
    arena: &Bump,
    (mesh, number, id): (usize, usize, u32),
    of: Deformation,
    skipped: &mut Vec<Skipped>,
) -> Result<Option<MeshData>, ImportError> {
    let primitive = &reader.root.meshes[mesh].primitives[number];
    let source = Source { reader, arena, mesh, number, primitive };
    let Some(positions) = attribute(primitive, Semantic::Positions) else { return Ok(None) };
    let data = source.read(id, positions, of)?;
    source.check_joints(&data, of.joints)?;
    source.list_others(&data, skipped);
    Ok(Some(data))
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
    /// For lists that are only needed for a while.
    arena: &'a Bump,
    mesh: usize,
    number: usize,
    primitive: &'a Primitive,
}

/// The influences of all vertices: how many each has, their joints and their weights.
type Influences = (usize, Vec<u16>, Vec<f32>);

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
    fn read(&self, id: u32, positions: Index<Accessor>, of: Deformation) -> Result<MeshData, ImportError> {
        let topology = self.topology()?;
        let name = || self.field("attributes.POSITION");
        let positions = self.reader.arrays(positions, Numbers::Quantised, (self.item(), &name))?;
        let positions = expect_finite(positions, (self.item(), &name))?;
        let count = positions.len();
        let (influences, joints, weights) =
            if of.joints.is_some() { self.influences(count)? } else { Influences::default() };
        let targets = if of.targets { self.targets(count)? } else { Vec::new() };
        let finite = influences > 0 || !targets.is_empty();
        let of_vertices = |semantic| attribute(self.primitive, semantic);
        Ok(MeshData {
            id,
            topology,
            normals: self.coordinates(of_vertices(Semantic::Normals), count, finite, "attributes.NORMAL")?,
            tangents: self.coordinates(of_vertices(Semantic::Tangents), count, finite, "attributes.TANGENT")?,
            texcoords: self.sets(|set| self.texcoords(set, count))?,
            colors: self.sets(|set| self.colors(set, count))?,
            influences,
            joints,
            weights,
            indices: self.indices(count)?,
            targets,
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

    /// The elements of an accessor, which must be one for each vertex, and finite if asked for; none if there is no
    /// accessor.
    fn coordinates<const N: usize>(
        &self,
        accessor: Option<Index<Accessor>>,
        count: usize,
        finite: bool,
        name: &str,
    ) -> Result<Vec<[f32; N]>, ImportError> {
        let Some(accessor) = accessor else { return Ok(Vec::new()) };
        let field = || self.field(name);
        let read = self.reader.arrays(accessor, Numbers::Quantised, (self.item(), &field))?;
        let read = expect_count(read, count, (self.item(), &field))?;
        if finite { expect_finite(read, (self.item(), &field)) } else { Ok(read) }
    }

    /// All sets of an attribute up to the first that is missing.
    fn sets<T>(&self, read: impl Fn(u32) -> Result<Option<Vec<T>>, ImportError>) -> Result<Vec<Vec<T>>, ImportError> {
        (0..).map_while(|set| read(set).transpose()).collect()
    }

    fn texcoords(&self, set: u32, count: usize) -> Result<Option<Vec<[f32; 2]>>, ImportError> {
        let Some(accessor) = attribute(self.primitive, Semantic::TexCoords(set)) else { return Ok(None) };
        self.coordinates(Some(accessor), count, false, &format!("attributes.TEXCOORD_{set}")).map(Some)
    }

    fn colors(&self, set: u32, count: usize) -> Result<Option<Vec<[f32; 4]>>, ImportError> {
        let Some(accessor) = attribute(self.primitive, Semantic::Colors(set)) else { return Ok(None) };
        let field = || self.field(&format!("attributes.COLOR_{set}"));
        let read = if self.reader.has_four(accessor) {
            self.reader.arrays(accessor, Numbers::Fractions, (self.item(), &field))?
        } else {
            let opaque = |[red, green, blue]: [f32; 3]| [red, green, blue, 1.0];
            self.reader.values(accessor, Numbers::Fractions, (self.item(), &field), opaque)?
        };
        expect_count(read, count, (self.item(), &field)).map(Some)
    }

    /// Combines all sets of joints and weights, vertex by vertex.
    #[expect(clippy::cast_possible_truncation, reason = "joints of more than 16 bits are refused before")]
    fn influences(&self, count: usize) -> Result<Influences, ImportError> {
        let mut joints: BumpVec<'_, BumpVec<'_, [u32; 4]>> = BumpVec::new_in(self.arena);
        let mut weights: BumpVec<'_, BumpVec<'_, [f32; 4]>> = BumpVec::new_in(self.arena);
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
            let list = BumpVec::new_in(self.arena);
            let read = self.reader.integers(of_joints, (self.item(), &field), list, |joints: [u32; 4]| joints)?;
            if read.as_flattened().iter().any(|&joint| joint > u32::from(u16::MAX)) {
                return Err(self.invalid(&names[0], "a joint has more than 16 bits; a skin has no such joint"));
            }
            joints.push(expect_count(read, count, (self.item(), &field))?);
            let field = || self.field(&names[1]);
            let read = self.reader.arrays_in(self.arena, of_weights, Numbers::Fractions, (self.item(), &field))?;
            let read = expect_finite(expect_count(read, count, (self.item(), &field))?, (self.item(), &field))?;
            if read.as_flattened().iter().any(|&weight| weight < 0.0) {
                return Err(self.invalid(&names[1], "a weight is negative; bind the mesh again"));
            }
            weights.push(read);
        }
        let sets = joints.len();
        let (mut all_joints, mut all_weights) = (self.room(4 * sets * count)?, self.room(4 * sets * count)?);
        for vertex in 0..count {
            for set in 0..sets {
                all_joints.extend(joints[set][vertex].map(|joint| joint as u16));
                all_weights.extend(weights[set][vertex]);
            }
        }
        Ok((4 * sets, all_joints, all_weights))
    }

    /// An empty list for so many values, as long as the file may make so many, and there is memory for them.
    fn room<T>(&self, count: usize) -> Result<Vec<T>, ImportError> {
        self.reader.budget.take::<T>(count, || self.item())?;
        fallible::with_capacity(count).map_err(|_| ImportErrorKind::AllocationFailed(self.item()).into())
    }

    fn indices(&self, count: usize) -> Result<Vec<u32>, ImportError> {
        let Some(accessor) = self.primitive.indices else { return Ok(Vec::new()) };
        let field = || self.field("indices");
        let indices = self.reader.integers(accessor, (self.item(), &field), Vec::new(), |[index]: [u32; 1]| index)?;
        match indices.iter().any(|&index| index as usize >= count) {
            true => Err(self.invalid("indices", "an index names a vertex that the primitive does not have")),
            false => Ok(indices),
        }
    }

    fn targets(&self, count: usize) -> Result<Vec<MorphDeltas>, ImportError> {
        let read = |(target, json): (usize, &MorphTarget)| {
            let name = |part: &str| format!("targets[{target}].{part}");
            Ok(MorphDeltas {
                positions: self.coordinates(json.positions, count, true, &name("POSITION"))?,
                normals: self.coordinates(json.normals, count, true, &name("NORMAL"))?,
                tangents: self.coordinates(json.tangents, count, true, &name("TANGENT"))?,
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

    /// Lists the attributes that have no place in the arrays.
    fn list_others(&self, data: &MeshData, skipped: &mut Vec<Skipped>) {
        for semantic in self.primitive.attributes.keys() {
            let is_read = match semantic {
                Checked::Valid(Semantic::TexCoords(set)) => (*set as usize) < data.texcoords.len(),
                Checked::Valid(Semantic::Colors(set)) => (*set as usize) < data.colors.len(),
                Checked::Valid(Semantic::Extras(_)) | Checked::Invalid => false,
                _ => true,
            };
            if !is_read {
                let (mesh, primitive, name) = (self.mesh, self.number, semantic.to_string());
                skipped.push(Skipped::Attribute { mesh, primitive, name });
            }
        }
    }
}
