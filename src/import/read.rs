//! The elements of accessors as arrays.

use super::accessor::{Component, Layout, SPARSE_ORDER, Span};
use super::error::{ImportError, ImportErrorKind, Item, ItemKind};
use super::graph::check_index;
use super::source::Buffers;
use gltf::json::Index;
use gltf::json::Root;
use gltf::json::accessor::{Accessor, ComponentType, Type};
use std::cell::Cell;

/// A file whose accessors can be read, since [`accessor::check`](super::accessor::check) has passed.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a> {
    pub(super) root: &'a Root,
    pub(super) buffers: &'a Buffers<'a>,
    pub(super) budget: &'a Budget,
}

/// How many bytes may be made of a file: at least this many, or 256 times its buffers.
const LEAST_BUDGET: u64 = 1 << 30;
const BUDGET_PER_BYTE: u64 = 256;

/// How many more bytes may be made of data that a file uses repeatedly.
///
/// Any number of primitives, targets and channels may use one accessor, any number of nodes a mesh with many targets,
/// and accessors without a buffer view have elements but no bytes. So a file of a megabyte can describe a terabyte.
pub(super) struct Budget(Cell<u64>);

impl Budget {
    /// The budget of a file with this many bytes in its buffers.
    pub(super) fn of(bytes: u64) -> Self {
        Self::limited(bytes.saturating_mul(BUDGET_PER_BYTE).max(LEAST_BUDGET))
    }

    /// A budget of this many bytes.
    pub(super) fn limited(bytes: u64) -> Self {
        Self(Cell::new(bytes))
    }

    /// Subtracts what this many values of a type need. Returns the problem as an error if that is more than remains.
    pub(super) fn take<T>(&self, count: usize) -> Result<(), &'static str> {
        let bytes = (count as u64).checked_mul(size_of::<T>() as u64);
        let remaining = bytes.and_then(|bytes| self.0.get().checked_sub(bytes));
        remaining.map(|remaining| self.0.set(remaining)).ok_or(
            "with this, what the file names again and again comes to more than a gigabyte and 256 times its buffers; \
             split it into several files",
        )
    }
}

/// Where an accessor is named, for errors.
pub(super) type Field<'a> = (Item, &'a dyn Fn() -> String);

/// The component types that an accessor may have.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Numbers {
    /// Floats.
    Floats,
    /// Floats, or normalised integers.
    Fractions,
    /// Floats, or integers of 8 or 16 bits (`KHR_mesh_quantization`).
    Quantised,
    /// Unsigned integers.
    Naturals,
}

impl Numbers {
    fn allow(self, component: ComponentType, normalized: bool) -> Result<(), &'static str> {
        let float = component == ComponentType::F32;
        let short = !float && component != ComponentType::U32;
        match self {
            Self::Floats if !float => Err("it is read as floats and must be of component type FLOAT"),
            Self::Fractions if !(float || short && normalized) => {
                Err("it is read as fractions and must be floats or normalised integers of 8 or 16 bits")
            }
            Self::Quantised if !(float || short) => {
                Err("it is read as coordinates and must be floats or integers of 8 or 16 bits")
            }
            Self::Naturals if float || matches!(component, ComponentType::I8 | ComponentType::I16) || normalized => {
                Err("it is read as indices and must be unsigned integers")
            }
            _ => Ok(()),
        }
    }
}

impl<'a> Reader<'a> {
    /// The elements of `N` numbers each that `accessor`, named at `field`, describes.
    pub(super) fn arrays<const N: usize>(
        self,
        accessor: Index<Accessor>,
        numbers: Numbers,
        field: Field<'_>,
    ) -> Result<Vec<[f32; N]>, ImportError> {
        let kind = match N {
            1 => Type::Scalar,
            3 => Type::Vec3,
            4 => Type::Vec4,
            _ => Type::Mat4,
        };
        let wrong = match N {
            1 => "it is read as numbers and must be of type SCALAR",
            3 => "it is read as vectors and must be of type VEC3",
            4 => "it is read as vectors and must be of type VEC4",
            _ => "it is read as matrices and must be of type MAT4",
        };
        self.elements(accessor, (kind, wrong), numbers, field, [0.0; N], |layout, normalized, bytes| {
            layout.component.numbers(bytes, normalized)
        })
    }

    /// The elements of `N` integers each.
    pub(super) fn integers<const N: usize>(
        self,
        accessor: Index<Accessor>,
        field: Field<'_>,
    ) -> Result<Vec<[u32; N]>, ImportError> {
        let kind = if N == 1 { Type::Scalar } else { Type::Vec4 };
        let wrong = if N == 1 {
            "it is read as indices and must be of type SCALAR"
        } else {
            "it is read as joints and must be of type VEC4"
        };
        self.elements(accessor, (kind, wrong), Numbers::Naturals, field, [0; N], |layout, _, bytes| {
            let size = layout.component.size();
            core::array::from_fn(|axis| layout.component.read_natural(&bytes[axis * size..]))
        })
    }

    /// The elements, each read from where its bytes start.
    fn elements<T: Copy>(
        self,
        accessor: Index<Accessor>,
        (kind, wrong): (Type, &'static str),
        numbers: Numbers,
        (holder, field): Field<'_>,
        zero: T,
        read: impl Fn(&Layout, bool, &[u8]) -> T,
    ) -> Result<Vec<T>, ImportError> {
        let Self { root, buffers, budget } = self;
        check_index(Some(accessor), root.accessors.len(), || holder, field)?;
        let index = accessor.value();
        let refuse = |problem| {
            ImportError::from(ImportErrorKind::Accessor { item: Item::of(root, ItemKind::Accessor, index), problem })
        };
        let (layout, normalized) = (Layout::of(root, index)?, root.accessors[index].normalized);
        if layout.kind != kind {
            return Err(refuse(wrong));
        }
        numbers.allow(layout.component, normalized).map_err(refuse)?;
        // An accessor without bytes may not have more elements than the file has bytes.
        if layout.base.is_none() && layout.count > buffers.total() {
            return Err(refuse("it has no buffer view and more elements than the file has bytes; give it data"));
        }
        budget.take::<T>(usize::try_from(layout.count).unwrap_or(usize::MAX)).map_err(refuse)?;
        let at = |bytes: &[u8], span: &Span, index: u64| read(&layout, normalized, &bytes[span.start(index)..]);
        let mut elements = match &layout.base {
            Some(span) => {
                let bytes = span.view(root, buffers)?;
                (0..layout.count).map(|index| at(bytes, span, index)).collect()
            }
            #[expect(clippy::cast_possible_truncation, reason = "that many bytes are in memory or in files")]
            None => vec![zero; layout.count as usize],
        };
        if let Some(sparse) = &layout.sparse {
            let (indices, values) = (sparse.indices.view(root, buffers)?, sparse.values.view(root, buffers)?);
            let mut next = 0;
            for number in 0..sparse.count {
                let index = sparse.index_type.read_index(&indices[sparse.indices.start(number)..]);
                let place = usize::try_from(index).ok().filter(|_| index >= next);
                let place = place.and_then(|place| elements.get_mut(place)).ok_or_else(|| refuse(SPARSE_ORDER))?;
                *place = at(values, &sparse.values, number);
                next = index + 1;
            }
        }
        Ok(elements)
    }
}

/// The elements, or an error that states how many are needed.
pub(super) fn expect_count<T>(
    elements: Vec<T>,
    expected: usize,
    (item, field): Field<'_>,
) -> Result<Vec<T>, ImportError> {
    if elements.len() == expected {
        Ok(elements)
    } else {
        Err(ImportErrorKind::Count { item, field: field(), expected, found: elements.len() }.into())
    }
}

/// The elements, or an error if a number is not finite.
pub(super) fn expect_finite<const N: usize>(
    elements: Vec<[f32; N]>,
    (item, field): Field<'_>,
) -> Result<Vec<[f32; N]>, ImportError> {
    if elements.as_flattened().iter().all(|number| number.is_finite()) {
        Ok(elements)
    } else {
        Err(ImportErrorKind::NotFinite { item, field: field() }.into())
    }
}
