//! The bounding box of the positions that an accessor describes.

use crate::error::{ImportError, ImportErrorKind, Item, ItemKind};
use crate::file::{Buffers, Component, Layout, SPARSE_ORDER, Span};
use glam::Vec3;
use gltf::json::accessor::{Accessor, ComponentType, Type};
use gltf::json::{Root, Value};
use hedgerow::Aabb;

/// The box of the positions of `field` of a mesh: that of the accessor if it is valid, else computed from the data.
/// Expects that [`check`](crate::file::check) has passed.
pub(crate) fn positions(
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
    let item = || Item::of(root, ItemKind::Accessor, accessor);
    let measured = measure(root, buffers, &layout, json.normalized, item)?.ok_or_else(|| refuse(SPARSE_ORDER))?;
    if measured.is_finite() || layout.count == 0 {
        Ok(measured)
    } else {
        Err(ImportErrorKind::NotFinite { item: Item::of(root, ItemKind::Mesh, mesh), field: field.to_owned() }.into())
    }
}

/// Whether the box of the positions of an accessor is that which it states.
#[cfg(feature = "draco")]
pub(crate) fn are_declared(root: &Root, accessor: usize) -> bool {
    Layout::of(root, accessor).is_ok_and(|layout| declared(&root.accessors[accessor], &layout).is_some())
}

/// The box given by an accessor's `min` and `max`, if both are present, finite and in order.
fn declared(json: &Accessor, layout: &Layout) -> Option<Aabb> {
    let corner = |value: &Option<Value>| {
        let [x, y, z] = value.as_ref()?.as_array()?.as_slice() else { return None };
        let [x, y, z] = [x.as_f64()?, y.as_f64()?, z.as_f64()?];
        // They are given as stored, even if they are normalised.
        Some(narrowed([x, y, z]).map(|stored| layout.component.scaled(stored, json.normalized)))
    };
    let bounds = Aabb::new(corner(&json.min)?, corner(&json.max)?);
    (bounds.is_finite() && !bounds.is_empty()).then_some(bounds)
}

/// Rounds to single precision; what does not fit becomes infinite.
#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
fn narrowed(wide: [f64; 3]) -> Vec3 {
    Vec3::from_array(wide.map(|number| number as f32))
}

/// The box around all elements, or [`Aabb::INFINITE`] if one is not finite; `None` if the indices of a sparse accessor
/// are invalid.
fn measure(
    root: &Root,
    buffers: &Buffers<'_>,
    layout: &Layout,
    normalized: bool,
    item: impl FnOnce() -> Item,
) -> Result<Option<Aabb>, ImportError> {
    let position = |bytes: &[u8], span: &Span, index: u64| {
        Vec3::from_array(layout.component.numbers(&bytes[span.start(index)..], normalized))
    };
    let (mut bounds, mut finite) = (Aabb::EMPTY, true);
    let mut include = |point: Vec3| {
        finite &= point.is_finite();
        bounds = bounds.merge(&Aabb::new(point, point));
    };
    let mut replaced = Vec::new();
    if let Some(sparse) = &layout.sparse {
        // Each of them has bytes in a buffer.
        let count = usize::try_from(sparse.count).unwrap_or(usize::MAX);
        replaced.try_reserve_exact(count).map_err(|_| ImportErrorKind::AllocationFailed(item()))?;
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
