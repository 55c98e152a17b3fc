//! Primitives compressed with `KHR_draco_mesh_compression`.
//!
//! The streams of primitives are decoded before vertices are read. The decoded bytes become another buffer, and the
//! primitive's accessors are changed to read from that buffer. Decoded data is therefore checked like any other data.

use crate::error::{ImportError, ImportErrorKind, Item, ItemKind, check_index};
use crate::file::{Budget, Buffers};
use crate::mesh::{Deforms, has_declared_bounds};
use draco_core::{DataType, DecodeLimits, DecoderBuffer, ErrorKind, Mesh, MeshDecoder, PointAttribute, PointIndex};
use gltf::json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use gltf::json::buffer::{Buffer, View};
use gltf::json::mesh::{Mode, Primitive, Semantic};
use gltf::json::validation::{Checked, USize64};
use gltf::json::{Index, Root};
use hedgerow_math::internal::fallible;
use serde_json::Value;

const EXTENSION: &str = "KHR_draco_mesh_compression";

/// A stream may decode to at most an eighth of the remaining budget. This leaves room for the decoder's scratch memory:
/// about six bytes for each decoded byte.
const PART_OF_BUDGET: u64 = 8;

/// Decodes all compressed primitives if `all` is set, else only those whose boxes must be computed. The ranges of the
/// file must have been checked.
///
/// # Errors
/// Returns an error if a stream is invalid, lacks an attribute that the extension names, or exceeds the budget.
pub(crate) fn decode<'a>(
    mut root: Root,
    mut buffers: Buffers<'a>,
    budget: &Budget,
    all: bool,
    deforms: &[Deforms],
) -> Result<(Root, Buffers<'a>), ImportError> {
    // Indices in the file are checked against this number, which does not include the views added below.
    let views = root.buffer_views.len();
    for (mesh, deforms) in deforms.iter().enumerate() {
        for number in 0..root.meshes[mesh].primitives.len() {
            let source = Source { root: &root, mesh, number };
            let primitive = &root.meshes[mesh].primitives[number];
            let Some(json) = primitive.extensions.as_ref().and_then(|all| all.others.get(EXTENSION)) else { continue };
            let names = source.names(json, primitive)?;
            let view = source.view(json, views)?;
            let of_positions = primitive.attributes.get(&Checked::Valid(Semantic::Positions));
            let is_read = all || deforms.moves(primitive);
            if !is_read && of_positions.is_none_or(|&it| has_declared_bounds(&root, &buffers, it.value())) {
                continue;
            }
            let decoded = source.decode(buffers.view(&root, view)?, &names, budget)?;
            buffers.push(decoded.insert_into(&mut root, mesh, number));
        }
    }
    Ok((root, buffers))
}

/// A compressed primitive.
struct Source<'a> {
    root: &'a Root,
    mesh: usize,
    number: usize,
}

/// An attribute of a primitive, and its id in the stream.
type Name = (Checked<Semantic>, u32);

impl Source<'_> {
    fn item(&self) -> Item {
        Item::of(self.root, ItemKind::Mesh, self.mesh)
    }

    fn field(&self, name: &str) -> String {
        format!("primitives[{}].extensions.{EXTENSION}{name}", self.number)
    }

    fn invalid(&self, name: &str, problem: &'static str) -> ImportError {
        ImportErrorKind::Invalid { item: self.item(), field: self.field(name), problem }.into()
    }

    fn fault(&self, problem: impl Into<String>) -> ImportError {
        ImportErrorKind::Compressed { item: self.item(), field: self.field(""), problem: problem.into() }.into()
    }

    /// Returns the attributes that the extension names.
    fn names(&self, json: &Value, primitive: &Primitive) -> Result<Vec<Name>, ImportError> {
        if primitive.mode != Checked::Valid(Mode::Triangles) {
            return Err(self.invalid("", "only primitives whose mode is TRIANGLES can be decoded"));
        }
        let accessors = primitive.attributes.values().chain(&primitive.indices);
        for accessor in accessors {
            let field = || format!("primitives[{}]", self.number);
            check_index(Some(*accessor), self.root.accessors.len(), || self.item(), field)?;
        }
        let Some(ids) = json.get("attributes").and_then(Value::as_object) else {
            return Err(self.invalid(".attributes", "it must be present and map names to numbers"));
        };
        let mut names = Vec::new();
        for semantic in primitive.attributes.keys() {
            let name = semantic.to_string();
            if let Some(id) = ids.get(&name) {
                let id = id.as_u64().and_then(|id| u32::try_from(id).ok());
                let problem = "it must be a number of 32 bits";
                names
                    .push((semantic.clone(), id.ok_or_else(|| self.invalid(&format!(".attributes.{name}"), problem))?));
            }
        }
        Ok(names)
    }

    /// Returns the index of the buffer view that holds the stream; `count` is the number of views.
    fn view(&self, json: &Value, count: usize) -> Result<usize, ImportError> {
        let index = json.get("bufferView").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
        match index.ok_or_else(|| self.invalid(".bufferView", "it must be present and a number"))? {
            index if index < count => Ok(index),
            index => {
                let (item, field) = (self.item(), self.field(".bufferView"));
                Err(ImportErrorKind::IndexOutOfRange { item, field, index, count }.into())
            }
        }
    }

    /// Decodes a stream, and extracts the attributes in `names`.
    fn decode(&self, stream: &[u8], names: &[Name], budget: &Budget) -> Result<Decoded, ImportError> {
        let (most, left) = budget.most_and_left();
        let limit = left / PART_OF_BUDGET;
        let limits = DecodeLimits::permissive().with_max_points(limit).with_max_faces(limit / 12);
        let limits = limits.with_max_decoded_bytes(limit);
        let mut mesh = Mesh::new();
        MeshDecoder::new().decode(&mut DecoderBuffer::new(stream).with_limits(limits), &mut mesh).map_err(|error| {
            match error.kind() {
                // The decoder stops at the limit, so the full size is unknown.
                ErrorKind::LimitExceeded => {
                    let bytes = most.saturating_add(1);
                    ImportErrorKind::TooManyBytes { item: self.item(), bytes, most }.into()
                }
                _ => self.fault(error.to_string()),
            }
        })?;
        let (points, faces) = (mesh.num_points(), mesh.num_faces());
        let mut attributes = Vec::with_capacity(names.len());
        for (semantic, id) in names {
            let attribute = mesh.attribute_by_unique_id(*id).ok_or_else(|| {
                self.fault(format!("it has no attribute with the id {id}, which {} names", semantic.to_string()))
            })?;
            let (component, kind) = layout(attribute)
                .ok_or_else(|| self.fault(format!("{} has a component type that glTF lacks", semantic.to_string())))?;
            attributes.push((semantic, attribute, component, kind));
        }
        let size = |component: ComponentType, kind: Type| component.size() * kind.multiplicity();
        let of_point: usize = attributes.iter().map(|&(.., component, kind)| size(component, kind)).sum();
        let sum = |of_point: u64| of_point.saturating_mul(points as u64).saturating_add(12 * faces as u64);
        let total = usize::try_from(sum(of_point as u64)).unwrap_or(usize::MAX);
        // Charge all decoded attributes, even unused ones, because any number of primitives may decode the same stream.
        let of_all = (0..mesh.num_attributes()).map(|id| mesh.attribute(id).byte_stride().unsigned_abs());
        let decoded = usize::try_from(sum(of_all.sum::<u64>())).unwrap_or(usize::MAX).saturating_add(stream.len());
        budget.take::<u8>(decoded.max(total), || self.item())?;
        let mut bytes = fallible::with_capacity(total).map_err(|_| ImportErrorKind::AllocationFailed(self.item()))?;
        bytes.extend(mesh.faces().iter().flatten().flat_map(|index| index.0.to_le_bytes()));
        let indices = Part { component: ComponentType::U32, kind: Type::Scalar, offset: 0, count: 3 * faces };
        let mut parts = Vec::with_capacity(names.len());
        for (semantic, attribute, component, kind) in attributes {
            let part = Part { component, kind, offset: bytes.len(), count: points };
            if !copy(attribute, points, size(component, kind), &mut bytes) {
                return Err(self.fault(format!("{} lacks values", semantic.to_string())));
            }
            parts.push((semantic.clone(), part));
        }
        Ok(Decoded { indices, attributes: parts, bytes })
    }
}

/// Returns the component type and the element type of an attribute's accessor; `None` if glTF has no such type.
fn layout(attribute: &PointAttribute) -> Option<(ComponentType, Type)> {
    let component = match attribute.data_type() {
        DataType::Int8 => ComponentType::I8,
        DataType::Uint8 | DataType::Bool => ComponentType::U8,
        DataType::Int16 => ComponentType::I16,
        DataType::Uint16 => ComponentType::U16,
        DataType::Uint32 => ComponentType::U32,
        DataType::Float32 => ComponentType::F32,
        _ => return None,
    };
    let kind = match attribute.num_components() {
        1 => Type::Scalar,
        2 => Type::Vec2,
        3 => Type::Vec3,
        4 => Type::Vec4,
        _ => return None,
    };
    Some((component, kind))
}

/// Appends the attribute's value at each point; a value has `size` bytes. Returns `false` if values are missing.
fn copy(attribute: &PointAttribute, points: usize, size: usize, to: &mut Vec<u8>) -> bool {
    let values = attribute.buffer().data();
    if attribute.is_mapping_identity() {
        let all = points.checked_mul(size).and_then(|end| values.get(..end));
        to.extend(all.unwrap_or_default());
        return all.is_some();
    }
    (0..points).all(|point| {
        let Ok(point) = u32::try_from(point) else { return false };
        let start = (attribute.mapped_index(PointIndex(point)).0 as usize).checked_mul(size);
        let value = start.and_then(|start| values.get(start..start.checked_add(size)?));
        to.extend(value.unwrap_or_default());
        value.is_some()
    })
}

struct Decoded {
    indices: Part,
    attributes: Vec<(Checked<Semantic>, Part)>,
    bytes: Vec<u8>,
}

/// A range of the decoded bytes, and the fields of the accessor that reads it.
struct Part {
    component: ComponentType,
    kind: Type,
    offset: usize,
    count: usize,
}

impl Decoded {
    /// Adds a buffer that the primitive's accessors read from, and returns the buffer's bytes.
    fn insert_into(self, root: &mut Root, mesh: usize, number: usize) -> Vec<u8> {
        let byte_length = USize64::from(self.bytes.len());
        let buffer = Buffer { byte_length, name: None, uri: None, extensions: None, extras: None };
        let buffer = root.push(buffer);
        let old = root.meshes[mesh].primitives[number].indices;
        let indices = self.indices.insert_into(root, buffer, old);
        root.meshes[mesh].primitives[number].indices = Some(indices);
        for (semantic, part) in self.attributes {
            let old = root.meshes[mesh].primitives[number].attributes.get(&semantic).copied();
            let accessor = part.insert_into(root, buffer, old);
            root.meshes[mesh].primitives[number].attributes.insert(semantic, accessor);
        }
        self.bytes
    }
}

impl Part {
    /// Makes an accessor read this part of a buffer. Count and type come from the stream, because accessors in real
    /// files often describe the data before compression.
    fn insert_into(self, root: &mut Root, buffer: Index<Buffer>, old: Option<Index<Accessor>>) -> Index<Accessor> {
        let Self { component, kind, offset, count } = self;
        let view = root.push(View {
            buffer,
            byte_length: USize64::from(count * component.size() * kind.multiplicity()),
            byte_offset: Some(USize64::from(offset)),
            byte_stride: None,
            name: None,
            target: None,
            extensions: None,
            extras: None,
        });
        let json = old.map(|old| &root.accessors[old.value()]);
        let new = Accessor {
            buffer_view: Some(view),
            byte_offset: None,
            count: USize64::from(count),
            component_type: Checked::Valid(GenericComponentType(component)),
            extensions: None,
            extras: None,
            type_: Checked::Valid(kind),
            min: json.and_then(|json| json.min.clone()),
            max: json.and_then(|json| json.max.clone()),
            name: json.and_then(|json| json.name.clone()),
            normalized: json.is_some_and(|json| json.normalized),
            sparse: None,
        };
        let has_data = json.is_none_or(|json| json.buffer_view.is_some() || json.sparse.is_some());
        match old {
            // Replace the accessor in place, so that errors name its original index.
            Some(old) if !has_data => {
                root.accessors[old.value()] = new;
                old
            }
            // Other primitives may read the old accessor's data.
            _ => root.push(new),
        }
    }
}
