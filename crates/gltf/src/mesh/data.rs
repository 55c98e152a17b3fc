//! Vertices as plain arrays.

use super::VertexAttribute;

/// The vertices of a primitive, as plain arrays with an element for each vertex.
///
/// Integers are converted to floats, normalised integers to fractions. Positions are finite. In a skinned or morphed
/// mesh, normals and tangents are also finite: see [`WarningKind::Vertices`](crate::WarningKind::Vertices). Values of
/// other attributes need not be finite. All lists are contiguous and can be uploaded as bytes.
///
/// ```
/// use hedgerow_gltf::ImportOptions;
///
/// // A point at (0, 2, 0), and a morph target that moves it by (0, 2, 0).
/// let text = br#"{
///     "asset": {"version": "2.0"}, "nodes": [{"name": "flag", "mesh": 0}],
///     "meshes": [{"extras": {"targetNames": ["wave"]}, "weights": [0.5],
///         "primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 0}]}]}],
///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 1, "bufferView": 0}],
///     "bufferViews": [{"buffer": 0, "byteLength": 12}],
///     "buffers": [{"byteLength": 12, "uri": "data:;base64,AAAAAAAAAEAAAAAA"}]
/// }"#;
/// let imported = ImportOptions::new().with_eight_influences().from_slice(text, None)?.imported;
/// let flag = imported.vertices(0).expect("it has positions");
/// assert_eq!((flag.positions[0], flag.targets[0].positions[0]), ([0.0, 2.0, 0.0], [0.0, 2.0, 0.0]));
/// assert_eq!((flag.influences, flag.normals.len()), (0, 0));
/// assert!(flag.is_deformed() && flag.eight_influences);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct MeshData {
    /// The mesh id; see [`MeshIds`](super::MeshIds).
    pub id: u32,
    /// The kind of primitive that the vertices or indices draw, in order.
    pub topology: Topology,
    /// Positions, in the node's space or, if the mesh has a skin, in the bind space.
    pub positions: Vec<[f32; 3]>,
    /// Normals; empty if the file has none.
    pub normals: Vec<[f32; 3]>,
    /// Tangents, with the sign of the bitangent as the fourth number; empty if the file has none.
    pub tangents: Vec<[f32; 4]>,
    /// The sets of texture coordinates, `TEXCOORD_0` first; indexed by [`TextureRef`](crate::material::TextureRef).
    pub texcoords: Vec<Vec<[f32; 2]>>,
    /// The sets of linear colours, `COLOR_0` first; alpha is 1 if the file has none.
    pub colors: Vec<Vec<[f32; 4]>>,
    /// Whether [`to_skinned_mesh`](Self::to_skinned_mesh) keeps the eight greatest influences of a vertex, not four.
    pub eight_influences: bool,
    /// The number of influences per vertex: four for each pair `JOINTS_n`, `WEIGHTS_n`; 0 if no skin deforms the mesh.
    pub influences: usize,
    /// The joints of all influences, vertex by vertex. Their numbers are those of the skin, not of the rig's skeleton.
    /// [`Skin::palette`](hedgerow_anim::skin::Skin::palette) returns palettes with the same numbering.
    pub joints: Vec<u16>,
    /// The weights of all influences, in the order of `joints`. They are finite and not negative, but need not sum
    /// to 1. A vertex whose weights are all zero follows its first joint.
    pub weights: Vec<f32>,
    /// The indices of the vertices to draw; empty if all are drawn in order.
    pub indices: Vec<u32>,
    /// The deltas of each morph target at weight 1.
    pub targets: Vec<MorphDeltas>,
    /// An application's own attributes, whose names begin with an underscore.
    pub attributes: Vec<VertexAttribute>,
}

impl MeshData {
    /// Returns whether joints or morph targets move the vertices.
    #[must_use]
    pub const fn is_deformed(&self) -> bool {
        self.influences > 0 || !self.targets.is_empty()
    }

    /// Returns the triangles of lists, strips and fans as vertex indices, with counter-clockwise front faces. Empty for
    /// points and lines.
    ///
    /// ```
    /// use hedgerow_gltf::{MeshData, Topology};
    ///
    /// let mut strip = MeshData::default();
    /// strip.topology = Topology::TriangleStrip;
    /// strip.indices = vec![4, 5, 6, 7];
    /// assert!(strip.triangles().eq([[4, 5, 6], [5, 7, 6]]));
    /// strip.topology = Topology::TriangleFan;
    /// assert!(strip.triangles().eq([[5, 6, 4], [6, 7, 4]]));
    /// ```
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = [u32; 3]> {
        let listed = !self.indices.is_empty();
        let count = if listed { self.indices.len() } else { self.positions.len() };
        let number = match self.topology {
            Topology::Triangles => count / 3,
            Topology::TriangleStrip | Topology::TriangleFan => count.saturating_sub(2),
            _ => 0,
        };
        (0..number).map(move |at| {
            let corners = match self.topology {
                Topology::TriangleStrip => [at, at + 1 + at % 2, at + 2 - at % 2],
                Topology::TriangleFan => [at + 1, at + 2, 0],
                _ => [3 * at, 3 * at + 1, 3 * at + 2],
            };
            corners.map(|at| if listed { self.indices[at] } else { u32::try_from(at).unwrap_or(u32::MAX) })
        })
    }
}

/// The deltas of a morph target at weight 1, for the vertices of a [`MeshData`]. Unchanged attributes have empty lists.
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

/// The kind of primitive that vertices draw, in order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Topology {
    /// A point for each vertex.
    Points,
    /// A line for every two vertices.
    Lines,
    /// A line from each vertex to the next, and from the last to the first.
    LineLoop,
    /// A line from each vertex to the next.
    LineStrip,
    /// A triangle for every three vertices.
    #[default]
    Triangles,
    /// A triangle of each vertex and the two before it.
    TriangleStrip,
    /// A triangle of each vertex, the vertex before it and the first vertex.
    TriangleFan,
}
