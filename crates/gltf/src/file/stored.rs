//! The numbers of accessors as they are in the file.

use super::Reader;
use super::accessor::Layout;
use crate::Extras;
use crate::error::{ImportError, ImportErrorKind};
use gltf::json::accessor::{ComponentType, Type};

/// An accessor with its numbers as they are in the file: quantised, and with 8, 16 or 32 bits. See
/// [`ImportOptions::with_accessors`](crate::ImportOptions::with_accessors).
///
/// The elements are contiguous: strides and padding are removed, sparse values replace others, and compressed data is
/// decoded.
///
/// ```
/// use hedgerow_gltf::{AccessorNumbers, ImportOptions};
///
/// // A point with two bytes as texture coordinates, which are fractions.
/// let text = br#"{
///     "asset": {"version": "2.0"},
///     "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}}]}],
///     "accessors": [{"componentType": 5126, "type": "VEC3", "count": 1},
///         {"componentType": 5121, "type": "VEC2", "count": 1, "bufferView": 0, "normalized": true}],
///     "bufferViews": [{"buffer": 0, "byteLength": 2}], "buffers": [{"byteLength": 2, "uri": "data:,%FF%00"}]
/// }"#;
/// let imported = ImportOptions::new().with_accessors().from_slice(text, None)?.imported;
/// let point = &imported.meshes[0].primitives[0];
/// let (name, accessor) = &point.accessors.attributes[1];
/// let stored = imported.accessors[*accessor].as_ref().expect("its data is in the file");
/// assert_eq!((name.as_str(), stored.width, stored.normalized), ("TEXCOORD_0", 2, true));
/// assert_eq!(stored.numbers, AccessorNumbers::U8(vec![255, 0]));
/// assert_eq!(point.vertices.as_ref().unwrap().texcoords[0], [[1.0, 0.0]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ImportedAccessor {
    /// The name, if any.
    pub name: Option<String>,
    /// How many elements it has.
    pub count: usize,
    /// How many numbers an element has: 1 to 4, or 4, 9 or 16 for a matrix, column by column.
    pub width: usize,
    /// Whether integers are fractions of the greatest value of their type.
    pub normalized: bool,
    /// The numbers of all elements.
    pub numbers: AccessorNumbers,
    /// The item's `extras`.
    pub extras: Extras,
}

/// The numbers of an [`ImportedAccessor`], by the component type in the file.
#[derive(Clone, Debug, PartialEq)]
pub enum AccessorNumbers {
    /// Component type 5120.
    I8(Vec<i8>),
    /// Component type 5121.
    U8(Vec<u8>),
    /// Component type 5122.
    I16(Vec<i16>),
    /// Component type 5123.
    U16(Vec<u16>),
    /// Component type 5125.
    U32(Vec<u32>),
    /// Component type 5126.
    F32(Vec<f32>),
}

/// The accessors of a primitive: indices into [`Imported::accessors`](crate::Imported::accessors).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PrimitiveAccessors {
    /// The attributes by name, such as `POSITION`. Of those whose names glTF does not allow, only the last is listed.
    pub attributes: Vec<(String, usize)>,
    /// The indices, if any.
    pub indices: Option<usize>,
    /// For each morph target, its `POSITION`, `NORMAL` and `TANGENT` by name; `TEXCOORD_n` and `COLOR_n` are left out.
    pub targets: Vec<Vec<(&'static str, usize)>>,
}

/// Reads all accessors of a file; `None` for one that is invalid or whose data is missing.
pub(crate) fn read(reader: Reader<'_>, extras: bool) -> Result<Vec<Option<ImportedAccessor>>, ImportError> {
    let all = (0..reader.root.accessors.len()).map(|index| match accessor(reader, index, extras) {
        Ok(accessor) => Ok(Some(accessor)),
        Err(error) => match error.kind() {
            ImportErrorKind::TooManyBytes { .. } | ImportErrorKind::AllocationFailed(_) => Err(error),
            // Nothing else may read this accessor; if something does, the import returns the error.
            _ => Ok(None),
        },
    });
    all.collect()
}

fn accessor(reader: Reader<'_>, index: usize, extras: bool) -> Result<ImportedAccessor, ImportError> {
    let json = &reader.root.accessors[index];
    let layout = Layout::of(reader.root, reader.buffers, index)?;
    reader.limit(&layout, index)?;
    macro_rules! numbers {
        ($number:ty) => {
            numbers(reader, index, &layout, <$number>::from_le_bytes)?
        };
    }
    Ok(ImportedAccessor {
        name: json.name.clone(),
        count: usize::try_from(layout.count).unwrap_or(usize::MAX),
        width: layout.kind.multiplicity(),
        normalized: json.normalized,
        numbers: match layout.component {
            ComponentType::I8 => AccessorNumbers::I8(numbers!(i8)),
            ComponentType::U8 => AccessorNumbers::U8(numbers!(u8)),
            ComponentType::I16 => AccessorNumbers::I16(numbers!(i16)),
            ComponentType::U16 => AccessorNumbers::U16(numbers!(u16)),
            ComponentType::U32 => AccessorNumbers::U32(numbers!(u32)),
            ComponentType::F32 => AccessorNumbers::F32(numbers!(f32)),
        },
        extras: Extras::read(&json.extras, extras),
    })
}

/// Returns the numbers of all elements, each read from `S` bytes.
fn numbers<const S: usize, T: Copy + Default>(
    reader: Reader<'_>,
    index: usize,
    layout: &Layout,
    read: impl Fn([u8; S]) -> T,
) -> Result<Vec<T>, ImportError> {
    macro_rules! elements {
        ($value:expr) => {
            reader.elements(index, layout, read, T::default(), $value)?.into_flattened()
        };
    }
    // The columns of a matrix begin at multiples of four bytes.
    Ok(match (layout.kind, S) {
        (Type::Scalar, _) => elements!(|of: [T; 1]| of),
        (Type::Vec2, _) => elements!(|of: [T; 2]| of),
        (Type::Vec3, _) => elements!(|of: [T; 3]| of),
        (Type::Mat2, 1) => elements!(|[a, b, _, _, c, d, _, _]: [T; 8]| [a, b, c, d]),
        (Type::Vec4 | Type::Mat2, _) => elements!(|of: [T; 4]| of),
        (Type::Mat3, 1 | 2) => {
            elements!(|[a, b, c, _, d, e, f, _, g, h, i, _]: [T; 12]| [a, b, c, d, e, f, g, h, i])
        }
        (Type::Mat3, _) => elements!(|of: [T; 9]| of),
        (Type::Mat4, _) => elements!(|of: [T; 16]| of),
    })
}
