//! Accessors: checks that they lie within their buffers, and reads the numbers that they describe.

use super::Buffers;
use crate::error::{ImportError, ImportErrorKind, Item, ItemKind, check_index};
use gltf::json::accessor::{Accessor, ComponentType, Type};
use gltf::json::buffer::View;
use gltf::json::validation::Checked;
use gltf::json::{Index, Root};
use hedgerow::Mat34;

/// The problem with the indices of a sparse accessor.
pub(crate) const SPARSE_ORDER: &str = "the indices of a sparse accessor must rise and be below its count";

/// Checks that every buffer view lies within its buffer, and every accessor within its buffer views.
pub(crate) fn check(root: &Root) -> Result<(), ImportError> {
    for (index, view) in root.buffer_views.iter().enumerate() {
        let item = || Item::of(root, ItemKind::BufferView, index);
        check_index(Some(view.buffer), root.buffers.len(), item, || "buffer".to_owned())?;
        let expected = u128::from(view.byte_offset.unwrap_or_default().0) + u128::from(view.byte_length.0);
        let found = root.buffers[view.buffer.value()].byte_length.0;
        if expected > u128::from(found) {
            return Err(ImportErrorKind::OutOfBounds { item: item(), expected, found }.into());
        }
        #[cfg(feature = "meshopt")]
        crate::meshopt::Description::of(root, index)?;
    }
    (0..root.accessors.len()).try_for_each(|index| Layout::of(root, index).map(|_| ()))
}

/// What an accessor describes, with every range checked.
pub(crate) struct Layout {
    pub(crate) kind: Type,
    pub(crate) component: ComponentType,
    pub(crate) count: u64,
    /// `None`: all elements are zero unless a sparse value replaces them.
    pub(crate) base: Option<Span>,
    pub(crate) sparse: Option<Sparse>,
}

/// The elements of an accessor that replace those of its base.
pub(crate) struct Sparse {
    pub(crate) count: u64,
    pub(crate) index_type: ComponentType,
    pub(crate) indices: Span,
    pub(crate) values: Span,
}

/// A run of elements within one buffer view.
pub(crate) struct Span {
    view: usize,
    offset: usize,
    pub(crate) stride: usize,
}

impl Layout {
    /// Reads the description of an accessor of `root` and checks its indices and ranges.
    pub(crate) fn of(root: &Root, index: usize) -> Result<Self, ImportError> {
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
            // A stride of zero means none.
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
    pub(crate) fn view<'b>(&self, root: &Root, buffers: &'b Buffers<'_>) -> Result<&'b [u8], ImportError> {
        buffers.view(root, self.view)
    }

    /// Where an element starts within the buffer view.
    #[expect(clippy::cast_possible_truncation, reason = "the element was found to lie within a buffer in memory")]
    pub(crate) fn start(&self, index: u64) -> usize {
        self.offset + index as usize * self.stride
    }
}

/// A matrix of sixteen numbers, column by column, without its last row.
pub(crate) fn columns(m: &[f32; 16]) -> Mat34 {
    Mat34 { rows: core::array::from_fn(|r| [m[r], m[4 + r], m[8 + r], m[12 + r]]) }
}

/// Reading numbers of a component type.
pub(crate) trait Component {
    /// The number at the start of `bytes`.
    fn number(self, bytes: &[u8]) -> f32;
    /// The `N` numbers at the start of `bytes`, scaled as the accessor demands.
    fn numbers<const N: usize>(self, bytes: &[u8], normalized: bool) -> [f32; N];
    /// The index at the start of `bytes`.
    fn read_index(self, bytes: &[u8]) -> u64;
    /// The unsigned integer at the start of `bytes`.
    fn read_natural(self, bytes: &[u8]) -> u32;
    /// A number scaled as the accessor demands: a fraction of the type's range if it is normalised.
    fn scaled(self, stored: f32, normalized: bool) -> f32;
}

impl Component for ComponentType {
    fn number(self, b: &[u8]) -> f32 {
        match self {
            Self::I8 => f32::from(b[0].cast_signed()),
            Self::U8 => f32::from(b[0]),
            Self::I16 => f32::from(i16::from_le_bytes([b[0], b[1]])),
            Self::U16 => f32::from(u16::from_le_bytes([b[0], b[1]])),
            Self::U32 => u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as f32,
            Self::F32 => f32::from_le_bytes([b[0], b[1], b[2], b[3]]),
        }
    }

    fn numbers<const N: usize>(self, bytes: &[u8], normalized: bool) -> [f32; N] {
        let size = self.size();
        core::array::from_fn(|axis| self.scaled(self.number(&bytes[axis * size..][..size]), normalized))
    }

    fn read_index(self, bytes: &[u8]) -> u64 {
        bytes[..self.size()].iter().rev().fold(0, |index, &byte| index << 8 | u64::from(byte))
    }

    fn read_natural(self, bytes: &[u8]) -> u32 {
        bytes[..self.size()].iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
    }

    fn scaled(self, stored: f32, normalized: bool) -> f32 {
        match self {
            Self::I8 if normalized => (stored / 127.0).max(-1.0),
            Self::U8 if normalized => stored / 255.0,
            Self::I16 if normalized => (stored / 32767.0).max(-1.0),
            Self::U16 if normalized => stored / 65535.0,
            _ => stored,
        }
    }
}
