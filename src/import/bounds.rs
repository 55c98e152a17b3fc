//! Accessors: whether they lie within their buffers, and the box about the positions that one describes.

use super::error::{ImportError, ImportErrorKind, Item, ItemKind};
use super::graph::check_index;
use super::source::Buffers;
use crate::Aabb;
use glam::Vec3;
use gltf::json::accessor::{Accessor, ComponentType, Type};
use gltf::json::buffer::View;
use gltf::json::validation::Checked;
use gltf::json::{Index, Root, Value};

/// Checks that every buffer view lies within its buffer, and every accessor within its buffer views.
pub(super) fn check(root: &Root) -> Result<(), ImportError> {
    for (index, view) in root.buffer_views.iter().enumerate() {
        let item = || Item::of(root, ItemKind::BufferView, index);
        check_index(Some(view.buffer), root.buffers.len(), item, || "buffer".to_owned())?;
        let expected = u128::from(view.byte_offset.unwrap_or_default().0) + u128::from(view.byte_length.0);
        let found = root.buffers[view.buffer.value()].byte_length.0;
        if expected > u128::from(found) {
            return Err(ImportErrorKind::OutOfBounds { item: item(), expected, found }.into());
        }
    }
    (0..root.accessors.len()).try_for_each(|index| Layout::of(root, index).map(|_| ()))
}

/// The box about the positions of `field` of a mesh: what the accessor says where that makes sense, otherwise
/// what its data say. Expects that [`check`] has passed.
pub(super) fn positions(
    root: &Root,
    buffers: &Buffers<'_>,
    accessor: usize,
    mesh: usize,
    field: &str,
) -> Result<Aabb, ImportError> {
    let layout = Layout::of(root, accessor)?;
    let refuse =
        |problem| ImportErrorKind::Accessor { item: Item::of(root, ItemKind::Accessor, accessor), problem }.into();
    if layout.kind != Type::Vec3 {
        return Err(refuse("positions must be of type VEC3"));
    }
    if layout.component == ComponentType::U32 {
        return Err(refuse("positions must be floats or integers of 8 or 16 bits"));
    }
    let json = &root.accessors[accessor];
    if let Some(declared) = declared(json, &layout) {
        return Ok(declared);
    }
    let measured = measure(root, buffers, &layout, json.normalized)?
        .ok_or_else(|| refuse("the indices of a sparse accessor must rise and be below its count"))?;
    if measured.is_finite() || layout.count == 0 {
        Ok(measured)
    } else {
        Err(ImportErrorKind::NotFinite { item: Item::of(root, ItemKind::Mesh, mesh), field: field.to_owned() }.into())
    }
}

/// The box that an accessor's `min` and `max` say, where both are there, finite and in order.
fn declared(json: &Accessor, layout: &Layout) -> Option<Aabb> {
    let corner = |value: &Option<Value>| {
        let [x, y, z] = value.as_ref()?.as_array()?.as_slice() else { return None };
        let [x, y, z] = [x.as_f64()?, y.as_f64()?, z.as_f64()?];
        // They are given as stored, whether or not they stand for fractions.
        Some(layout.component.scaled(narrowed([x, y, z]), json.normalized))
    };
    let bounds = Aabb::new(corner(&json.min)?, corner(&json.max)?);
    (bounds.is_finite() && !bounds.is_empty()).then_some(bounds)
}

/// Rounds to single precision; what does not fit becomes infinite.
#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
fn narrowed(wide: [f64; 3]) -> Vec3 {
    Vec3::from_array(wide.map(|number| number as f32))
}

/// The box about all elements, or [`Aabb::INFINITE`] where one is not finite; `None` where the indices of a sparse
/// accessor make no sense.
fn measure(root: &Root, buffers: &Buffers<'_>, layout: &Layout, normalized: bool) -> Result<Option<Aabb>, ImportError> {
    let position = |bytes: &[u8], span: &Span, index: u64| {
        let at = span.start(index);
        layout.component.scaled(layout.component.read(&bytes[at..]), normalized)
    };
    let (mut bounds, mut finite) = (Aabb::EMPTY, true);
    let mut include = |point: Vec3| {
        finite &= point.is_finite();
        bounds = bounds.union(&Aabb::new(point, point));
    };
    let mut replaced = Vec::new();
    if let Some(sparse) = &layout.sparse {
        let (indices, values) = (sparse.indices.view(root, buffers)?, sparse.values.view(root, buffers)?);
        for number in 0..sparse.count {
            let index = sparse.index_type.read_index(&indices[sparse.indices.start(number)..]);
            if index >= layout.count || replaced.last().is_some_and(|&last| last >= index) {
                return Ok(None);
            }
            replaced.push(index);
            include(position(values, &sparse.values, number));
        }
    }
    match &layout.base {
        Some(span) => {
            let bytes = span.view(root, buffers)?;
            let mut replaced = replaced.into_iter().peekable();
            for index in 0..layout.count {
                if replaced.next_if_eq(&index).is_none() {
                    include(position(bytes, span, index));
                }
            }
        }
        None if (replaced.len() as u64) < layout.count => include(Vec3::ZERO),
        None => {}
    }
    Ok(Some(if finite { bounds } else { Aabb::INFINITE }))
}

/// What an accessor describes, with every range checked.
struct Layout {
    kind: Type,
    component: ComponentType,
    count: u64,
    /// `None`: all elements are zero where no sparse value replaces them.
    base: Option<Span>,
    sparse: Option<Sparse>,
}

/// The elements of an accessor that differ from its base.
struct Sparse {
    count: u64,
    index_type: ComponentType,
    indices: Span,
    values: Span,
}

/// A run of elements within one buffer view.
struct Span {
    view: usize,
    offset: usize,
    stride: usize,
}

impl Layout {
    /// Reads the description of an accessor of `root` and checks its indices and ranges.
    fn of(root: &Root, index: usize) -> Result<Self, ImportError> {
        let json: &Accessor = &root.accessors[index];
        let item = || Item::of(root, ItemKind::Accessor, index);
        let refuse = |problem| ImportErrorKind::Accessor { item: item(), problem }.into();
        let Checked::Valid(component) = json.component_type else {
            return Err(refuse("the component type is none of glTF's"));
        };
        let Checked::Valid(kind) = json.type_ else {
            return Err(refuse("the type is none of glTF's"));
        };
        let (component, count) = (component.0, json.count.0);
        let size = component.size() * kind.multiplicity();
        let span = |view: Index<View>, offset: u64, count: u64, size: usize, field: &str| {
            check_index(Some(view), root.buffer_views.len(), item, || field.to_owned())?;
            let view_json = &root.buffer_views[view.value()];
            // A stride of zero stands for none.
            let stride = view_json.byte_stride.map_or(0, |stride| stride.0);
            let stride = if stride == 0 { size } else { stride };
            if stride < size {
                return Err(refuse("the stride of its buffer view is less than the size of an element"));
            }
            let elements = match count.checked_sub(1) {
                Some(last) => u128::from(last) * stride as u128 + size as u128,
                None => 0,
            };
            let expected = u128::from(offset) + elements;
            let found = view_json.byte_length.0;
            match usize::try_from(offset) {
                Ok(offset) if expected <= u128::from(found) => Ok(Span { view: view.value(), offset, stride }),
                _ => Err(ImportErrorKind::OutOfBounds { item: item(), expected, found }.into()),
            }
        };
        let base = json
            .buffer_view
            .map(|view| span(view, json.byte_offset.unwrap_or_default().0, count, size, "bufferView"))
            .transpose()?;
        let sparse = match &json.sparse {
            None => None,
            Some(sparse) => {
                let Checked::Valid(index_type) = sparse.indices.component_type else {
                    return Err(refuse("the component type of the sparse indices is none of glTF's"));
                };
                let (count, index_type) = (sparse.count.0, index_type.0);
                let (at, offset) = (sparse.indices.buffer_view, sparse.indices.byte_offset.0);
                let indices = span(at, offset, count, index_type.size(), "sparse.indices.bufferView")?;
                let (at, offset) = (sparse.values.buffer_view, sparse.values.byte_offset.0);
                let values = span(at, offset, count, size, "sparse.values.bufferView")?;
                Some(Sparse { count, index_type, indices, values })
            }
        };
        Ok(Self { kind, component, count, base, sparse })
    }
}

impl Span {
    /// The bytes of the buffer view.
    #[expect(clippy::cast_possible_truncation, reason = "the view was found to lie within a buffer in memory")]
    fn view<'b>(&self, root: &Root, buffers: &'b Buffers<'_>) -> Result<&'b [u8], ImportError> {
        let view = &root.buffer_views[self.view];
        let bytes = buffers.bytes(root, view.buffer.value())?;
        let (offset, length) = (view.byte_offset.unwrap_or_default().0, view.byte_length.0);
        Ok(&bytes[offset as usize..(offset + length) as usize])
    }

    /// Where an element starts within the buffer view.
    #[expect(clippy::cast_possible_truncation, reason = "the element was found to lie within a buffer in memory")]
    fn start(&self, index: u64) -> usize {
        self.offset + index as usize * self.stride
    }
}

/// Reading numbers of a component type.
trait Component {
    /// The three numbers at the start of `bytes`.
    fn read(self, bytes: &[u8]) -> Vec3;
    /// The index at the start of `bytes`.
    fn read_index(self, bytes: &[u8]) -> u64;
    /// The numbers as the accessor means them: fractions of the type's range where it is normalised.
    fn scaled(self, stored: Vec3, normalized: bool) -> Vec3;
}

impl Component for ComponentType {
    fn read(self, bytes: &[u8]) -> Vec3 {
        let size = self.size();
        Vec3::from_array(core::array::from_fn(|axis| {
            let b = &bytes[axis * size..][..size];
            match self {
                Self::I8 => f32::from(b[0].cast_signed()),
                Self::U8 => f32::from(b[0]),
                Self::I16 => f32::from(i16::from_le_bytes([b[0], b[1]])),
                Self::U16 => f32::from(u16::from_le_bytes([b[0], b[1]])),
                Self::U32 => u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as f32,
                Self::F32 => f32::from_le_bytes([b[0], b[1], b[2], b[3]]),
            }
        }))
    }

    fn read_index(self, bytes: &[u8]) -> u64 {
        bytes[..self.size()].iter().rev().fold(0, |index, &byte| index << 8 | u64::from(byte))
    }

    fn scaled(self, stored: Vec3, normalized: bool) -> Vec3 {
        match self {
            Self::I8 if normalized => (stored / 127.0).max(Vec3::NEG_ONE),
            Self::U8 if normalized => stored / 255.0,
            Self::I16 if normalized => (stored / 32767.0).max(Vec3::NEG_ONE),
            Self::U16 if normalized => stored / 65535.0,
            _ => stored,
        }
    }
}
