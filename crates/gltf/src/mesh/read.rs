//! Reads vertices.

use super::{MeshData, MorphDeltas, Topology, custom, mend};
use crate::Skipped;
use crate::error::{ImportError, ImportErrorKind, Item, ItemKind, WarningKind};
use crate::file::{Numbers, Reader, expect_count};
use gltf::json::accessor::{Accessor, ComponentType, GenericComponentType};
use gltf::json::mesh::{Mode, MorphTarget, Primitive, Semantic};
use gltf::json::validation::Checked;
use gltf::json::{Index, Root};
use hedgerow::Aabb;
use hedgerow_math::internal::fallible;

/// The values that replace normals and tangents that are not finite.
pub(super) const NORMAL: [f32; 3] = [0.0, 0.0, 1.0];
pub(super) const TANGENT: [f32; 4] = [1.0, 0.0, 0.0, 1.0];

/// The parts of a mesh's deformation that are read.
#[derive(Clone, Copy)]
pub(super) struct Deformation {
    /// The least number of joints of any skin that deforms the mesh; `None` if no skin does.
    pub(super) joints: Option<usize>,
    pub(super) targets: bool,
    /// Reads only the data that moves positions, for a box.
    pub(super) only: bool,
}

/// For each mesh, returns the number of joints of the smallest skin that deforms the mesh. Lists skins of nodes that
/// have no mesh, or whose mesh follows no joints.
pub(super) fn least_joints(root: &Root, skipped: &mut Vec<Skipped>) -> Vec<Option<usize>> {
    let mut joints: Vec<Option<usize>> = vec![None; root.meshes.len()];
    let follow = meshes_that_follow(root);
    for (node, json) in root.nodes.iter().enumerate() {
        let Some(skin) = json.skin else { continue };
        if let Some(mesh) = json.mesh {
            let count = root.skins[skin.value()].joints.len();
            let least = &mut joints[mesh.value()];
            *least = Some(least.map_or(count, |least| least.min(count)));
        }
        if !json.mesh.is_some_and(|mesh| follow[mesh.value()]) {
            skipped.push(Skipped::Skin { node });
        }
    }
    joints
}

/// Reads the vertices of a primitive, given by mesh, number and id, and repairs influences of joints that a skin lacks.
/// Returns vertices and box; `None` if the primitive has no positions. Lists attributes that are not read.
pub(super) fn vertices(
    reader: Reader<'_>,
    (mesh, number, id): (usize, usize, u32),
    of: Deformation,
    skipped: &mut Vec<Skipped>,
) -> Result<Option<(MeshData, Aabb)>, ImportError> {
    let primitive = &reader.root.meshes[mesh].primitives[number];
    let source = Source { reader, mesh, number, primitive };
    let Some(positions) = attribute(primitive, Semantic::Positions) else { return Ok(None) };
    let (mut data, bounds) = source.read(id, positions, of)?;
    if !of.only {
        source.others(&mut data, skipped)?;
    }
    Ok(Some((data, bounds)))
}

/// Returns, for each mesh, whether any primitive has joints and weights.
pub(crate) fn meshes_that_follow(root: &Root) -> Vec<bool> {
    root.meshes.iter().map(|mesh| mesh.primitives.iter().any(follows_joints)).collect()
}

/// Returns whether a primitive has joints and weights, and so follows a node's skin.
pub(crate) fn follows_joints(primitive: &Primitive) -> bool {
    let set = |set| [Semantic::Joints(set), Semantic::Weights(set)].map(|it| attribute(primitive, it).is_some());
    (0..).map(set).take_while(|has| *has != [false; 2]).any(|has| has == [true; 2])
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

/// The influences of all vertices: the number of influences per vertex, the joints and the weights.
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

    /// Lists a fault of `count` elements, unless `count` is 0.
    fn fault(&self, count: usize, name: &str, kind: impl FnOnce(usize) -> WarningKind) -> Result<(), ImportError> {
        if count == 0 {
            return Ok(());
        }
        self.reader.warnings.fault(|| self.item(), || self.field(name), kind(count))
    }

    /// Reads the vertices. If no node with the mesh has a skin, joints and weights are ignored, as glTF demands.
    fn read(&self, id: u32, positions: Index<Accessor>, of: Deformation) -> Result<(MeshData, Aabb), ImportError> {
        let topology = if of.only { Topology::default() } else { self.topology()? };
        let name = || self.field("attributes.POSITION");
        let mut positions = self.reader.arrays(positions, Numbers::Quantised, (self.item(), &name))?;
        let (bounds, bad) = mend::points(&mut positions);
        self.fault(bad, "attributes.POSITION", |count| WarningKind::Vertices { count })?;
        let count = positions.len();
        let (influences, joints, weights) = match of.joints {
            Some(limit) => self.influences(count, limit)?,
            None => Influences::default(),
        };
        let targets = if of.targets { self.targets(count, of.only)? } else { Vec::new() };
        let mut data =
            MeshData { id, topology, positions, influences, joints, weights, targets, ..MeshData::default() };
        if of.only {
            return Ok((data, bounds));
        }
        // Numbers that are only drawn, not computed with, need not be finite.
        let finite = data.is_deformed() || self.reader.warnings.is_strict();
        let of_vertices = |semantic| attribute(self.primitive, semantic);
        let (normal, tangent) = (finite.then_some(NORMAL), finite.then_some(TANGENT));
        data.normals = self.coordinates(of_vertices(Semantic::Normals), count, normal, "attributes.NORMAL")?;
        data.tangents = self.coordinates(of_vertices(Semantic::Tangents), count, tangent, "attributes.TANGENT")?;
        data.texcoords = self.sets(|set| self.texcoords(set, count))?;
        data.colors = self.sets(|set| self.colors(set, count))?;
        (data.topology, data.indices) = self.indices(count, topology)?;
        Ok((data, bounds))
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

    /// Returns the elements of an accessor, one for each vertex, or an empty list if there is no accessor. `by`, if
    /// given, replaces elements that are not finite.
    fn coordinates<const N: usize>(
        &self,
        accessor: Option<Index<Accessor>>,
        count: usize,
        by: Option<[f32; N]>,
        name: &str,
    ) -> Result<Vec<[f32; N]>, ImportError> {
        let Some(accessor) = accessor else { return Ok(Vec::new()) };
        let field = || self.field(name);
        let read = self.reader.arrays(accessor, Numbers::Quantised, (self.item(), &field))?;
        let mut read: Vec<[f32; N]> = expect_count(read, count, (self.item(), &field))?;
        if let Some(by) = by {
            self.fault(mend::vectors(&mut read, by), name, |count| WarningKind::Vertices { count })?;
        }
        Ok(read)
    }

    /// Returns all sets of an attribute up to the first missing set.
    fn sets<T>(&self, read: impl Fn(u32) -> Result<Option<Vec<T>>, ImportError>) -> Result<Vec<Vec<T>>, ImportError> {
        (0..).map_while(|set| read(set).transpose()).collect()
    }

    fn texcoords(&self, set: u32, count: usize) -> Result<Option<Vec<[f32; 2]>>, ImportError> {
        let Some(accessor) = attribute(self.primitive, Semantic::TexCoords(set)) else { return Ok(None) };
        self.coordinates(Some(accessor), count, None, &format!("attributes.TEXCOORD_{set}")).map(Some)
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

    /// Combines all sets of joints and weights, vertex by vertex; `limit` is the number of joints of a skin.
    fn influences(&self, count: usize, limit: usize) -> Result<Influences, ImportError> {
        let mut sets = Vec::new();
        for set in 0.. {
            let names = [format!("attributes.JOINTS_{set}"), format!("attributes.WEIGHTS_{set}")];
            let semantics = [Semantic::Joints(set), Semantic::Weights(set)];
            let (of_joints, of_weights) = match semantics.map(|semantic| attribute(self.primitive, semantic)) {
                [None, None] => break,
                [Some(joints), Some(weights)] => (joints, weights),
                [joints, _] => {
                    self.fault(1, &names[usize::from(joints.is_none())], |_| WarningKind::LeftOut)?;
                    continue;
                }
            };
            let field = || self.field(&names[0]);
            // No skin has more than 2¹⁶ joints.
            let joints = |joints: [u32; 4]| joints.map(|joint| u16::try_from(joint).unwrap_or(u16::MAX));
            let joints = self.reader.integers(of_joints, (self.item(), &field), joints)?;
            let joints: Vec<[u16; 4]> = expect_count(joints, count, (self.item(), &field))?;
            let field = || self.field(&names[1]);
            let weights = self.reader.arrays(of_weights, Numbers::Fractions, (self.item(), &field))?;
            let mut weights: Vec<[f32; 4]> = expect_count(weights, count, (self.item(), &field))?;
            let bad = mend::weights(weights.as_flattened_mut());
            self.fault(bad, &names[1], |count| WarningKind::Weights { count })?;
            sets.push((joints, weights));
        }
        let influences = 4 * sets.len();
        let (mut joints, mut weights) = if sets.len() > 1 {
            let (mut joints, mut weights) = (self.room(influences * count)?, self.room(influences * count)?);
            for vertex in 0..count {
                for (of_joints, of_weights) in &sets {
                    joints.extend(of_joints[vertex]);
                    weights.extend(of_weights[vertex]);
                }
            }
            (joints, weights)
        } else {
            let (joints, weights) = sets.pop().unwrap_or_default();
            (joints.into_flattened(), weights.into_flattened())
        };
        if influences > 0 {
            let lost = mend::joints(&mut joints, &mut weights, limit);
            self.fault(lost, "attributes.JOINTS_0", |count| WarningKind::Joints { count })?;
            let without = mend::without_weight(&weights, influences);
            self.fault(without, "attributes.WEIGHTS_0", |count| WarningKind::NoWeights { count })?;
        }
        Ok((influences, joints, weights))
    }

    /// Returns an empty list with room for `count` values, or an error if the budget or memory is exceeded.
    fn room<T>(&self, count: usize) -> Result<Vec<T>, ImportError> {
        self.reader.budget.take::<T>(count, || self.item())?;
        fallible::with_capacity(count).map_err(|_| ImportErrorKind::AllocationFailed(self.item()).into())
    }

    /// Returns the indices, and their topology: a list in place of a strip, fan or loop that has bad indices.
    fn indices(&self, count: usize, topology: Topology) -> Result<(Topology, Vec<u32>), ImportError> {
        let Some(accessor) = self.primitive.indices else { return Ok((topology, Vec::new())) };
        let field = || self.field("indices");
        let mut read = self.reader.integers(accessor, (self.item(), &field), |[index]: [u32; 1]| index)?;
        let size = match topology {
            Topology::Triangles => Some(3),
            Topology::Lines => Some(2),
            _ => None,
        };
        let restart = match self.reader.root.accessors[accessor.value()].component_type {
            Checked::Valid(GenericComponentType(ComponentType::U8)) => u32::from(u8::MAX),
            Checked::Valid(GenericComponentType(ComponentType::U16)) => u32::from(u16::MAX),
            _ => u32::MAX,
        };
        // In a strip, fan or loop, the index `restart` names no vertex, even if there are so many.
        let limit = if size.is_some() { count } else { count.min(restart as usize) };
        let bad = mend::bad_indices(&read, limit);
        self.fault(bad, "indices", |count| WarningKind::Indices { count })?;
        match size {
            _ if bad == 0 => {}
            _ if count == 0 => read.clear(),
            Some(size) => mend::list(&mut read, limit, size),
            None => {
                let mut list = self.room(3 * read.len())?;
                let topology = mend::listed(&read, topology, (limit, restart), &mut list);
                return Ok((topology, list));
            }
        }
        Ok((topology, read))
    }

    /// Reads the morph targets, or only their position deltas.
    fn targets(&self, count: usize, only: bool) -> Result<Vec<MorphDeltas>, ImportError> {
        let zero = Some([0.0; 3]);
        let read = |(target, json): (usize, &MorphTarget)| {
            let name = |part: &str| format!("targets[{target}].{part}");
            let others = |accessor: Option<Index<Accessor>>| accessor.filter(|_| !only);
            Ok(MorphDeltas {
                positions: self.coordinates(json.positions, count, zero, &name("POSITION"))?,
                normals: self.coordinates(others(json.normals), count, zero, &name("NORMAL"))?,
                tangents: self.coordinates(others(json.tangents), count, zero, &name("TANGENT"))?,
            })
        };
        self.primitive.targets.iter().flatten().enumerate().map(read).collect()
    }

    /// Reads an application's own attributes, and lists attributes that [`MeshData`] cannot hold.
    fn others(&self, data: &mut MeshData, skipped: &mut Vec<Skipped>) -> Result<(), ImportError> {
        for (semantic, &accessor) in &self.primitive.attributes {
            let is_read = match semantic {
                Checked::Valid(Semantic::TexCoords(set)) => (*set as usize) < data.texcoords.len(),
                Checked::Valid(Semantic::Colors(set)) => (*set as usize) < data.colors.len(),
                Checked::Valid(Semantic::Extras(_)) => {
                    let name = semantic.to_string();
                    let field = || self.field(&format!("attributes.{name}"));
                    let values = custom::values(self.reader, accessor, (self.item(), &field))?;
                    let values = values.filter(|values| values.vertices() == data.positions.len());
                    let is_read = values.is_some();
                    data.attributes.extend(values.map(|values| custom::VertexAttribute { name, values }));
                    is_read
                }
                Checked::Invalid => {
                    for name in self.reader.unknown_attributes(self.mesh, self.number) {
                        skipped.push(self.skipped(name.to_owned()));
                    }
                    true
                }
                _ => true,
            };
            if !is_read {
                skipped.push(self.skipped(semantic.to_string()));
            }
        }
        Ok(())
    }

    fn skipped(&self, name: String) -> Skipped {
        Skipped::Attribute { mesh: self.mesh, primitive: self.number, name }
    }
}
