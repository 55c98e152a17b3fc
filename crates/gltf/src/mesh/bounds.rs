//! Bounding boxes of positions.

use crate::error::{ImportError, ImportErrorKind, Item, ItemKind, WarningKind};
use crate::file::{Layout, Reader, SPARSE_ORDER, read_index, scaled, with_number};
use glam::Vec3;
use gltf::json::Value;
use gltf::json::accessor::{Accessor, ComponentType, Type};
use gltf::json::mesh::Semantic;
use gltf::json::validation::Checked;
use hedgerow::Aabb;

/// Tolerances of a declared box: two fractions of its size, for stored and decoded positions, and a fraction of its
/// greatest coordinate. Exporters write few digits, or enlarge a decoded box by a step of 11-bit positions.
const SIZE_TOLERANCE: f32 = 1e-4;
const DECODED_TOLERANCE: f32 = 1e-3;
const NUMBER_TOLERANCE: f32 = 1e-6;

/// Returns the box of a mesh's positions: the accessor's `min` and `max` if valid, else the computed box if `measured`,
/// else an empty box. Lists a fault if `min` and `max` are no box. Expects that [`check`](crate::file::check) has passed.
pub(super) fn positions(
    reader: Reader<'_>,
    accessor: usize,
    (mesh, field): (usize, &str),
    measured: bool,
) -> Result<Aabb, ImportError> {
    let root = reader.root;
    let layout = Layout::of(root, reader.buffers, accessor)?;
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
    let fault = |kind| reader.warnings.fault(|| Item::of(root, ItemKind::Mesh, mesh), || field.to_owned(), kind);
    // Many files have neither, and nothing is lost.
    if json.min.is_some() || json.max.is_some() {
        fault(WarningKind::Bounds)?;
    }
    if !measured {
        return Ok(Aabb::EMPTY);
    }
    let item = || Item::of(root, ItemKind::Accessor, accessor);
    let found = with_number!(layout.component, json.normalized, read => measure(reader, &layout, item, read));
    let (found, bad) = found?.ok_or_else(|| refuse(SPARSE_ORDER))?;
    if bad > 0 {
        fault(WarningKind::Vertices { count: bad })?;
    }
    // If no position is finite, all become zero.
    Ok(if bad > 0 && found.is_empty() { Aabb::new(Vec3::ZERO, Vec3::ZERO) } else { found })
}

/// Returns the box of a primitive; `found` is the box computed from its positions. The result contains `found`, and the
/// declared box if this differs only by rounding. If the file has no positions, it is the declared box.
pub(super) fn agreed(reader: Reader<'_>, (mesh, number): (usize, usize), found: Aabb) -> Result<Aabb, ImportError> {
    let root = reader.root;
    let primitive = &root.meshes[mesh].primitives[number];
    let Some(accessor) = primitive.attributes.get(&Checked::Valid(Semantic::Positions)) else { return Ok(found) };
    let layout = Layout::of(root, reader.buffers, accessor.value())?;
    let Some(declared) = declared(&root.accessors[accessor.value()], &layout) else { return Ok(found) };
    let has_data = layout.base.is_some() || layout.sparse.is_some();
    if !has_data || layout.count == 0 {
        return Ok(declared);
    }
    let view = root.accessors[accessor.value()].buffer_view.map(|view| &root.buffer_views[view.value()]);
    let of_view = view.and_then(|view| Some(&view.extensions.as_ref()?.others));
    let mut others = of_view.into_iter().chain(primitive.extensions.as_ref().map(|it| &it.others));
    let is_decoded = others.any(|it| it.keys().any(|name| name.ends_with("_compression")));
    // Lossy compression moves vertices, but exporters keep the bounds of the originals.
    let size_tolerance = if is_decoded { DECODED_TOLERANCE } else { SIZE_TOLERANCE };
    let greatest = found.min.abs().max(found.max.abs()).max_element();
    let tolerance = size_tolerance * found.size().max_element() + NUMBER_TOLERANCE * greatest;
    let distance = (declared.min - found.min).abs().max((declared.max - found.max).abs()).max_element();
    // Merged, so that no vertex is outside by a rounding error.
    if distance <= tolerance {
        return Ok(declared.merge(&found));
    }
    let field = || format!("primitives[{number}].attributes.POSITION");
    reader.warnings.fault(|| Item::of(root, ItemKind::Mesh, mesh), field, WarningKind::Bounds)?;
    Ok(found)
}

/// Returns whether an accessor states a valid box.
#[cfg(feature = "draco")]
pub(crate) fn are_declared(root: &gltf::json::Root, buffers: &crate::file::Buffers<'_>, accessor: usize) -> bool {
    Layout::of(root, buffers, accessor).is_ok_and(|layout| declared(&root.accessors[accessor], &layout).is_some())
}

/// Returns the box given by an accessor's `min` and `max`, if both are present, finite and in order.
fn declared(json: &Accessor, layout: &Layout) -> Option<Aabb> {
    let corner = |value: &Option<Value>| {
        let [x, y, z] = value.as_ref()?.as_array()?.as_slice() else { return None };
        let [x, y, z] = [x.as_f64()?, y.as_f64()?, z.as_f64()?];
        // `min` and `max` are stored values, not fractions, even if the accessor is normalised.
        Some(narrowed([x, y, z]).map(|stored| scaled(layout.component, stored, json.normalized)))
    };
    let bounds = Aabb::new(corner(&json.min)?, corner(&json.max)?);
    (bounds.is_finite() && !bounds.is_empty()).then_some(bounds)
}

/// Rounds to single precision; numbers beyond its range become infinite.
#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
fn narrowed(wide: [f64; 3]) -> Vec3 {
    Vec3::from_array(wide.map(|number| number as f32))
}

/// Returns the box of all finite elements, and the number of elements that are not finite; `None` if the indices of a
/// sparse accessor are invalid.
fn measure<const S: usize>(
    Reader { root, buffers, .. }: Reader<'_>,
    layout: &Layout,
    item: impl FnOnce() -> Item,
    read: impl Fn([u8; S]) -> f32,
) -> Result<Option<(Aabb, usize)>, ImportError> {
    let (mut bounds, mut bad) = (Aabb::EMPTY, 0);
    let mut include = |bytes: &[u8]| {
        let numbers: &[[u8; S]; 3] = bytes.as_chunks().0.first_chunk().expect("the element lies within its view");
        let point = Vec3::from_array(core::array::from_fn(|axis| read(numbers[axis])));
        if point.is_finite() {
            bounds = bounds.merge(&Aabb::new(point, point));
        } else {
            bad += 1;
        }
    };
    let mut replaced = Vec::new();
    if let Some(sparse) = &layout.sparse {
        // Each sparse element has bytes in a buffer, so the number of elements fits in a `usize`.
        let count = usize::try_from(sparse.count).unwrap_or(usize::MAX);
        replaced.try_reserve_exact(count).map_err(|_| ImportErrorKind::AllocationFailed(item()))?;
        let (indices, values) = (sparse.indices.view(root, buffers)?, sparse.values.view(root, buffers)?);
        for number in 0..sparse.count {
            let index = read_index(sparse.index_type, &indices[sparse.indices.start(number)..]);
            if index >= layout.count || replaced.last().is_some_and(|&last| last >= index) {
                return Ok(None);
            }
            replaced.push(index);
            include(&values[sparse.values.start(number)..]);
        }
    }
    match &layout.base {
        Some(span) => {
            let bytes = span.view(root, buffers)?;
            let mut replaced = replaced.into_iter().peekable();
            for index in 0..layout.count {
                if replaced.next_if_eq(&index).is_none() {
                    include(&bytes[span.start(index)..]);
                }
            }
        }
        // Elements that nothing stores are zero.
        None if (replaced.len() as u64) < layout.count => bounds = bounds.merge(&Aabb::new(Vec3::ZERO, Vec3::ZERO)),
        None => {}
    }
    Ok(Some((bounds, bad)))
}
