//! Accessors: checks their ranges, and reads their numbers.

use super::Buffers;
use crate::error::{ImportError, ImportErrorKind, Item, ItemKind, WarningKind, Warnings, check_index};
use gltf::json::accessor::{Accessor, ComponentType, Type};
use gltf::json::buffer::View;
use gltf::json::validation::Checked;
use gltf::json::{Index, Root};
use hedgerow::Mat34;

/// The problem with the indices of a sparse accessor.
pub(crate) const SPARSE_ORDER: &str = "the indices of a sparse accessor must rise and be below its count";

/// Checks that every buffer view lies within its buffer, and every accessor within its views. Lists violations as
/// warnings; reading a faulty view or accessor returns an error.
pub(crate) fn check(root: &Root, buffers: &Buffers<'_>, warnings: &Warnings) -> Result<(), ImportError> {
    for (index, view) in root.buffer_views.iter().enumerate() {
        let item = || Item::of(root, ItemKind::BufferView, index);
        check_index(Some(view.buffer), root.buffers.len(), item, || "buffer".to_owned())?;
        if buffers.present(root, index).1.is_some() {
            warnings.fault(item, || "byteLength".to_owned(), WarningKind::Length)?;
        }
        #[cfg(feature = "meshopt")]
        match crate::meshopt::Description::of(root, index) {
            Err(error) if warnings.is_strict() => return Err(error),
            Err(_) => warnings.note(item, || "extensions".to_owned(), WarningKind::LeftOut),
            Ok(_) => {}
        }
    }
    for index in 0..root.accessors.len() {
        match Layout::of(root, buffers, index) {
            Err(error) if warnings.is_strict() => return Err(error),
            Err(_) => warnings.note(|| Item::of(root, ItemKind::Accessor, index), String::new, WarningKind::LeftOut),
            Ok(_) => {}
        }
    }
    Ok(())
}

/// The layout of an accessor's elements, with every range checked.
pub(crate) struct Layout {
    pub(crate) kind: Type,
    pub(crate) component: ComponentType,
    pub(crate) count: u64,
    /// If `None`, elements that no sparse value replaces are zero.
    pub(crate) base: Option<Span>,
    pub(crate) sparse: Option<Sparse>,
}

/// The sparse elements of an accessor, which replace elements of its base.
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
    pub(crate) fn of(root: &Root, buffers: &Buffers<'_>, index: usize) -> Result<Self, ImportError> {
        let json: &Accessor = &root.accessors[index];
        let item = || Item::of(root, ItemKind::Accessor, index);
        let refuse = |problem| ImportErrorKind::Accessor { item: item(), problem }.into();
        let Checked::Valid(component) = json.component_type else {
            return Err(refuse("unknown component type"));
        };
        let Checked::Valid(kind) = json.type_ else {
            return Err(refuse("unknown type"));
        };
        let (component, count) = (component.0, json.count.0);
        let size = size(component, kind);
        let span = |view: Index<View>, offset: u64, count: u64, size: usize, field: &str| {
            check_index(Some(view), root.buffer_views.len(), item, || field.to_owned())?;
            let view_json = &root.buffer_views[view.value()];
            // A stride of zero means that the view states no stride.
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
            let (found, cut) = buffers.present(root, view.value());
            match usize::try_from(offset) {
                Ok(offset) if expected <= u128::from(found) => Ok(Span { view: view.value(), offset, stride }),
                _ => Err(cut.unwrap_or_else(|| ImportErrorKind::OutOfBounds { item: item(), expected, found }.into())),
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
                    return Err(refuse("unknown component type of the sparse indices"));
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

/// Returns the bytes of an element. The columns of a matrix begin at multiples of four bytes.
fn size(component: ComponentType, kind: Type) -> usize {
    let (columns, rows) = match kind {
        Type::Mat2 => (2, 2),
        Type::Mat3 => (3, 3),
        Type::Mat4 => (4, 4),
        _ => return component.size() * kind.multiplicity(),
    };
    columns * (rows * component.size()).next_multiple_of(4)
}

impl Span {
    pub(crate) fn view<'b>(&self, root: &Root, buffers: &'b Buffers<'_>) -> Result<&'b [u8], ImportError> {
        buffers.view(root, self.view)
    }

    /// Returns the offset of an element within the buffer view, in bytes.
    #[expect(clippy::cast_possible_truncation, reason = "the element was found to lie within a buffer in memory")]
    pub(crate) fn start(&self, index: u64) -> usize {
        self.offset + index as usize * self.stride
    }
}

/// Returns a column-major 4 × 4 matrix without its last row.
pub(crate) fn columns(m: &[f32; 16]) -> Mat34 {
    Mat34 { rows: core::array::from_fn(|r| [m[r], m[4 + r], m[8 + r], m[12 + r]]) }
}

/// For each component type, a function that reads a number from bytes. Normalised integers become fractions. Loops over
/// accessors are generic over the reading function.
pub(crate) mod number {
    pub(crate) fn i8(bytes: [u8; 1]) -> f32 {
        f32::from(i8::from_le_bytes(bytes))
    }

    pub(crate) fn u8(bytes: [u8; 1]) -> f32 {
        f32::from(bytes[0])
    }

    pub(crate) fn i16(bytes: [u8; 2]) -> f32 {
        f32::from(i16::from_le_bytes(bytes))
    }

    pub(crate) fn u16(bytes: [u8; 2]) -> f32 {
        f32::from(u16::from_le_bytes(bytes))
    }

    pub(crate) fn u32(bytes: [u8; 4]) -> f32 {
        u32::from_le_bytes(bytes) as f32
    }

    pub(crate) fn i8_fraction(bytes: [u8; 1]) -> f32 {
        (i8(bytes) / 127.0).max(-1.0)
    }

    pub(crate) fn u8_fraction(bytes: [u8; 1]) -> f32 {
        u8(bytes) / 255.0
    }

    pub(crate) fn i16_fraction(bytes: [u8; 2]) -> f32 {
        (i16(bytes) / 32767.0).max(-1.0)
    }

    pub(crate) fn u16_fraction(bytes: [u8; 2]) -> f32 {
        u16(bytes) / 65535.0
    }
}

/// Evaluates an expression with the function that reads a component type, which may be normalised.
macro_rules! with_number {
    ($component:expr, $normalized:expr, $read:ident => $body:expr) => {{
        use gltf::json::accessor::ComponentType;
        use $crate::file::number;
        macro_rules! with {
            ($function:expr) => {{
                let $read = $function;
                $body
            }};
        }
        match ($component, $normalized) {
            (ComponentType::F32, _) => with!(f32::from_le_bytes),
            (ComponentType::I8, false) => with!(number::i8),
            (ComponentType::I8, true) => with!(number::i8_fraction),
            (ComponentType::U8, false) => with!(number::u8),
            (ComponentType::U8, true) => with!(number::u8_fraction),
            (ComponentType::I16, false) => with!(number::i16),
            (ComponentType::I16, true) => with!(number::i16_fraction),
            (ComponentType::U16, false) => with!(number::u16),
            (ComponentType::U16, true) => with!(number::u16_fraction),
            (ComponentType::U32, _) => with!(number::u32),
        }
    }};
}
pub(crate) use with_number;

/// Returns the index at the start of `bytes`.
pub(crate) fn read_index(component: ComponentType, bytes: &[u8]) -> u64 {
    bytes[..component.size()].iter().rev().fold(0, |index, &byte| index << 8 | u64::from(byte))
}

/// Returns a stored number as the accessor's value: a fraction of the type's range if normalised.
pub(crate) fn scaled(component: ComponentType, stored: f32, normalized: bool) -> f32 {
    match component {
        ComponentType::I8 if normalized => (stored / 127.0).max(-1.0),
        ComponentType::U8 if normalized => stored / 255.0,
        ComponentType::I16 if normalized => (stored / 32767.0).max(-1.0),
        ComponentType::U16 if normalized => stored / 65535.0,
        _ => stored,
    }
}
