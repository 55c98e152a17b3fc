//! The elements of accessors as arrays.

use super::accessor::{Layout, SPARSE_ORDER, read_index, with_number};
use super::{Buffers, Unknown};
use crate::ImportOptions;
use crate::error::{Field, ImportError, ImportErrorKind, Item, ItemKind, WarningKind, Warnings, check_index};
use crate::node::graph::Forest;
use gltf::json::Index;
use gltf::json::Root;
use gltf::json::accessor::{Accessor, ComponentType, Type};
use gltf::json::validation::Checked;
use hedgerow_math::internal::fallible;
use std::cell::Cell;

/// A reader of accessors, for a file that passed [`check`](super::check).
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) root: &'a Root,
    pub(crate) forest: &'a Forest,
    pub(crate) buffers: &'a Buffers<'a>,
    pub(crate) budget: &'a Budget,
    pub(crate) warnings: &'a Warnings,
    /// The attributes that glTF does not have, by ascending mesh and primitive.
    pub(crate) unknown: &'a [Unknown],
}

/// The default budget of an import is 64 times the size of the file, but at least this number of bytes.
const LEAST_BUDGET: u64 = 1 << 28;
const BUDGET_PER_BYTE: u64 = 64;

/// An accessor without a buffer view may always have this number of elements.
const LEAST_ELEMENTS: u64 = 1 << 16;

/// The bytes that an import may still allocate.
///
/// Without this limit, a file of a megabyte could allocate a terabyte. A few bytes of JSON make a node, an accessor may
/// have elements without any bytes, and many primitives, targets and channels may share one accessor.
pub(crate) struct Budget {
    most: u64,
    taken: Cell<u64>,
}

impl Budget {
    /// Returns the budget of a file; `bytes` is the size of the file and its buffers.
    pub(crate) fn most(bytes: u64, options: &ImportOptions) -> u64 {
        options.max_bytes.unwrap_or(bytes.saturating_mul(BUDGET_PER_BYTE).max(LEAST_BUDGET))
    }

    pub(crate) fn limited(most: u64) -> Self {
        Self { most, taken: Cell::new(0) }
    }

    /// Returns the whole budget and the remaining budget.
    #[cfg(feature = "draco")]
    pub(crate) fn most_and_left(&self) -> (u64, u64) {
        (self.most, self.most - self.taken.get())
    }

    /// Charges `count` values of a type to the budget. Returns an error if the budget is exceeded.
    pub(crate) fn take<T>(&self, count: usize, item: impl FnOnce() -> Item) -> Result<(), ImportError> {
        self.take_bytes((count as u64).saturating_mul(size_of::<T>() as u64), item)
    }

    /// Charges `bytes` to the budget. Returns an error if the budget is exceeded.
    pub(crate) fn take_bytes(&self, bytes: u64, item: impl FnOnce() -> Item) -> Result<(), ImportError> {
        self.taken.set(self.room(bytes, item)?);
        Ok(())
    }

    /// Returns the total with `bytes` more, without taking them. Returns an error if the budget is exceeded.
    pub(crate) fn room(&self, bytes: u64, item: impl FnOnce() -> Item) -> Result<u64, ImportError> {
        let bytes = bytes.saturating_add(self.taken.get());
        if bytes > self.most {
            return Err(ImportErrorKind::TooManyBytes { item: item(), bytes, most: self.most }.into());
        }
        Ok(bytes)
    }
}

/// The component types that an accessor may have.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Numbers {
    /// Floats.
    Floats,
    /// Floats, or normalised integers.
    Fractions,
    /// Floats, or integers of 8 or 16 bits (`KHR_mesh_quantization`).
    Quantised,
    /// Unsigned integers.
    Naturals,
    /// Floats, or integers of any size.
    All,
}

const NOT_NATURAL: &str = "it is read as indices and must be unsigned integers";

impl Numbers {
    /// Returns `None` if glTF allows the numbers; else the field at fault with its plain meaning, or an error.
    fn allow(
        self,
        of: ComponentType,
        normalized: bool,
        plain: bool,
    ) -> Result<Option<[&'static str; 2]>, &'static str> {
        let float = of == ComponentType::F32;
        let short = !float && of != ComponentType::U32;
        match self {
            Self::Floats if !float => Err("it is read as floats and must be of component type FLOAT"),
            Self::Fractions if short && !normalized && plain => Ok(Some(["normalized", "normalised"])),
            Self::Fractions if !(float || short && normalized) => {
                Err("it is read as fractions and must be floats or normalised integers of 8 or 16 bits")
            }
            Self::Quantised if !(float || short) => {
                Err("it is read as coordinates and must be floats or integers of 8 or 16 bits")
            }
            Self::Naturals if normalized => Err(NOT_NATURAL),
            Self::Naturals if float || matches!(of, ComponentType::I8 | ComponentType::I16) => {
                Ok(Some(["componentType", "integers"]))
            }
            _ => Ok(None),
        }
    }
}

impl<'a> Reader<'a> {
    /// Returns the names of the attributes of a primitive that glTF does not have.
    pub(crate) fn unknown_attributes(self, mesh: usize, primitive: usize) -> impl Iterator<Item = &'a str> {
        let start = self.unknown.partition_point(|it| (it.0, it.1) < (mesh, primitive));
        let of_primitive = self.unknown[start..].iter().take_while(move |it| (it.0, it.1) == (mesh, primitive));
        of_primitive.map(|(.., name)| name.as_str())
    }

    /// Returns the elements of `accessor`, `N` numbers each. `field` names the accessor in errors.
    pub(crate) fn arrays<const N: usize>(
        self,
        accessor: Index<Accessor>,
        numbers: Numbers,
        field: Field<'_>,
    ) -> Result<Vec<[f32; N]>, ImportError> {
        self.values(accessor, numbers, field, |numbers| numbers)
    }

    /// Returns the elements of `accessor`, each converted by `value`.
    pub(crate) fn values<const N: usize, V: Copy>(
        self,
        accessor: Index<Accessor>,
        numbers: Numbers,
        field: Field<'_>,
        value: impl Fn([f32; N]) -> V,
    ) -> Result<Vec<V>, ImportError> {
        let (kind, wrong) = match N {
            1 => (Type::Scalar, "it is read as numbers and must be of type SCALAR"),
            2 => (Type::Vec2, "it is read as vectors and must be of type VEC2"),
            3 => (Type::Vec3, "it is read as vectors and must be of type VEC3"),
            4 => (Type::Vec4, "it is read as vectors and must be of type VEC4"),
            _ => (Type::Mat4, "it is read as matrices and must be of type MAT4"),
        };
        let (layout, normalized) = self.layout(accessor, (kind, wrong), numbers, field)?;
        with_number!(layout.component, normalized, read => self.elements(accessor.value(), &layout, read, 0.0, value))
    }

    /// Returns the elements of `accessor`; `value` converts the `N` integers of an element.
    pub(crate) fn integers<const N: usize, V: Copy>(
        self,
        accessor: Index<Accessor>,
        field: Field<'_>,
        value: impl Fn([u32; N]) -> V,
    ) -> Result<Vec<V>, ImportError> {
        let (kind, wrong) = match N {
            1 => (Type::Scalar, "it is read as indices and must be of type SCALAR"),
            2 => (Type::Vec2, "it is read as integers and must be of type VEC2"),
            3 => (Type::Vec3, "it is read as integers and must be of type VEC3"),
            _ => (Type::Vec4, "it is read as joints and must be of type VEC4"),
        };
        let (layout, _) = self.layout(accessor, (kind, wrong), Numbers::Naturals, field)?;
        let all_natural = Cell::new(true);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "others are refused")]
        let natural = |number: f32| {
            all_natural.set(all_natural.get() && number >= 0.0 && number.fract() == 0.0);
            number as u32
        };
        let list = match layout.component {
            ComponentType::U8 => self.elements(accessor.value(), &layout, |[byte]| u32::from(byte), 0, value),
            ComponentType::U16 => {
                self.elements(accessor.value(), &layout, |it| u32::from(u16::from_le_bytes(it)), 0, value)
            }
            ComponentType::U32 => self.elements(accessor.value(), &layout, u32::from_le_bytes, 0, value),
            other => {
                with_number!(other, false, read => {
                    self.elements(accessor.value(), &layout, |it| natural(read(it)), 0, value)
                })
            }
        }?;
        if all_natural.get() { Ok(list) } else { Err(self.refuse(accessor.value(), NOT_NATURAL)) }
    }

    /// Returns whether the elements of an accessor have four numbers instead of three.
    pub(crate) fn has_four(self, accessor: Index<Accessor>) -> bool {
        let accessor = self.root.accessors.get(accessor.value());
        accessor.is_some_and(|accessor| accessor.type_ == Checked::Valid(Type::Vec4))
    }

    /// Returns the accessor's layout and whether its integers are fractions, or an error if either is not as expected.
    fn layout(
        self,
        accessor: Index<Accessor>,
        (kind, wrong): (Type, &'static str),
        numbers: Numbers,
        (holder, field): Field<'_>,
    ) -> Result<(Layout, bool), ImportError> {
        let (Self { root, buffers, warnings, .. }, of_mesh) = (self, holder.kind == ItemKind::Mesh);
        check_index(Some(accessor), root.accessors.len(), || holder, field)?;
        let index = accessor.value();
        let (layout, normalized) = (Layout::of(root, buffers, index)?, root.accessors[index].normalized);
        if layout.kind != kind {
            return Err(self.refuse(index, wrong));
        }
        // In meshes and VEC4 accessors, integers are plainly meant as fractions.
        let meant = numbers.allow(layout.component, normalized, of_mesh || kind == Type::Vec4);
        if let Some([field, meant]) = meant.map_err(|problem| self.refuse(index, problem))? {
            let item = || Item::of(root, ItemKind::Accessor, index);
            warnings.fault(item, || field.to_owned(), WarningKind::Invalid { meant })?;
        }
        self.limit(&layout, index)?;
        Ok((layout, normalized || numbers == Numbers::Fractions))
    }

    /// Limits the number of elements of an accessor without bytes.
    pub(crate) fn limit(self, layout: &Layout, index: usize) -> Result<(), ImportError> {
        let is_limited = layout.base.is_none() && layout.count > self.buffers.total().max(LEAST_ELEMENTS);
        let problem = "it has no buffer view and more elements than the file has bytes; give it data";
        if is_limited { Err(self.refuse(index, problem)) } else { Ok(()) }
    }

    fn refuse(self, accessor: usize, problem: &'static str) -> ImportError {
        let item = Item::of(self.root, ItemKind::Accessor, accessor);
        ImportErrorKind::Accessor { item, problem }.into()
    }

    /// Returns the elements: each has `N` numbers, and each number is read from `S` bytes.
    #[expect(clippy::cast_possible_truncation, reason = "that many bytes are in memory or in files")]
    pub(crate) fn elements<const S: usize, const N: usize, C: Copy, T: Copy>(
        self,
        accessor: usize,
        layout: &Layout,
        read: impl Fn([u8; S]) -> C,
        zero: C,
        value: impl Fn([C; N]) -> T,
    ) -> Result<Vec<T>, ImportError> {
        let Self { root, buffers, budget, .. } = self;
        let count = usize::try_from(layout.count).unwrap_or(usize::MAX);
        let item = || Item::of(root, ItemKind::Accessor, accessor);
        budget.take::<T>(count, item)?;
        let mut list = fallible::with_capacity(count).map_err(|_| ImportErrorKind::AllocationFailed(item()))?;
        let numbers = |bytes: &[[u8; S]; N]| value(core::array::from_fn(|axis| read(bytes[axis])));
        let element = |bytes: &[u8]| {
            let of_element = bytes.as_chunks().0.first_chunk();
            numbers(of_element.expect("the element was found to lie within its view"))
        };
        match &layout.base {
            Some(span) if count > 0 => {
                let bytes = &span.view(root, buffers)?[span.start(0)..];
                if span.stride == S * N {
                    // Contiguous elements: the compiler vectorises this loop.
                    list.extend(bytes.as_chunks().0.as_chunks().0[..count].iter().map(numbers));
                } else {
                    list.extend(bytes.chunks(span.stride).take(count).map(element));
                }
            }
            Some(_) => {}
            None => list.extend(core::iter::repeat_n(value([zero; N]), count)),
        }
        if let Some(sparse) = &layout.sparse {
            let (indices, values) = (sparse.indices.view(root, buffers)?, sparse.values.view(root, buffers)?);
            let mut next = 0;
            for number in 0..sparse.count {
                let index = read_index(sparse.index_type, &indices[sparse.indices.start(number)..]);
                let place = list.get_mut(index as usize).filter(|_| index >= next);
                *place.ok_or_else(|| self.refuse(accessor, SPARSE_ORDER))? =
                    element(&values[sparse.values.start(number)..]);
                next = index + 1;
            }
        }
        Ok(list)
    }
}

/// Returns the elements, or an error if their number is not `count`.
pub(crate) fn expect_count<T>(
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
