//! An application's own attributes of vertices.

use crate::error::{Field, ImportError};
use crate::file::{Numbers, Reader};
use gltf::json::Index;
use gltf::json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use gltf::json::validation::Checked;

/// A vertex attribute whose name begins with an underscore, and whose meaning the application defines.
///
/// ```
/// use hedgerow_gltf::AttributeValues;
///
/// // Two points, with the numbers 7 and 9.
/// let text = br#"{
///     "asset": {"version": "2.0"}, "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "_ID": 1}}]}],
///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 2},
///         {"componentType": 5123, "type": "SCALAR", "count": 2, "bufferView": 0}],
///     "bufferViews": [{"buffer": 0, "byteLength": 4}], "buffers": [{"byteLength": 4, "uri": "data:,%07%00%09%00"}]
/// }"#;
/// let imported = hedgerow_gltf::from_slice(text, None)?.imported;
/// let id = &imported.vertices(0).unwrap().attributes[0];
/// assert_eq!((id.name.as_str(), &id.values), ("_ID", &AttributeValues::Integers { width: 1, numbers: vec![7, 9] }));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct VertexAttribute {
    /// The name, with the underscore.
    pub name: String,
    /// The values, one vertex after the other.
    pub values: AttributeValues,
}

/// The values of a [`VertexAttribute`]: one to four numbers for each vertex.
#[derive(Clone, Debug, PartialEq)]
pub enum AttributeValues {
    /// Floats; signed and normalised integers are converted to floats.
    Floats {
        /// How many numbers a vertex has.
        width: usize,
        /// The numbers of all vertices.
        numbers: Vec<f32>,
    },
    /// Unsigned integers.
    Integers {
        /// How many numbers a vertex has.
        width: usize,
        /// The numbers of all vertices.
        numbers: Vec<u32>,
    },
}

impl AttributeValues {
    /// Returns the number of vertices.
    #[must_use]
    pub fn vertices(&self) -> usize {
        match self {
            Self::Floats { width, numbers } => numbers.len() / width,
            Self::Integers { width, numbers } => numbers.len() / width,
        }
    }
}

/// Returns the values of an accessor; `None` for matrices.
pub(super) fn values(
    reader: Reader<'_>,
    accessor: Index<Accessor>,
    field: Field<'_>,
) -> Result<Option<AttributeValues>, ImportError> {
    let json = reader.root.accessors.get(accessor.value());
    let read = match json.map(|json| json.type_) {
        Some(Checked::Valid(Type::Scalar)) => of_width::<1>,
        Some(Checked::Valid(Type::Vec2)) => of_width::<2>,
        Some(Checked::Valid(Type::Vec3)) => of_width::<3>,
        Some(Checked::Valid(Type::Vec4)) => of_width::<4>,
        _ => return Ok(None),
    };
    let unsigned = [ComponentType::U8, ComponentType::U16, ComponentType::U32];
    let is_integer = json.is_some_and(|json| match json.component_type {
        Checked::Valid(GenericComponentType(component)) => !json.normalized && unsigned.contains(&component),
        Checked::Invalid => false,
    });
    read(reader, accessor, field, is_integer).map(Some)
}

fn of_width<const N: usize>(
    reader: Reader<'_>,
    accessor: Index<Accessor>,
    field: Field<'_>,
    is_integer: bool,
) -> Result<AttributeValues, ImportError> {
    if is_integer {
        let numbers = reader.integers(accessor, field, |numbers: [u32; N]| numbers)?;
        return Ok(AttributeValues::Integers { width: N, numbers: numbers.into_flattened() });
    }
    let numbers: Vec<[f32; N]> = reader.arrays(accessor, Numbers::All, field)?;
    Ok(AttributeValues::Floats { width: N, numbers: numbers.into_flattened() })
}
