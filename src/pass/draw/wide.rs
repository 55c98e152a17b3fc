//! World transforms of a scene in double precision, which are kept from frame to frame. They take 96 bytes per
//! transform slot; for culling, 24 bytes per drawable slot are added.
//!
//! The world transforms of a slice depend on its local transforms and its imports. A refresh recomposes the slots that
//! the last update computed, the slots below changed imports, and all slots of a slice with a new layout.

use crate::pass::cull::{Probe, Sieve};
use crate::pass::detail;
use crate::pass::pick::Around;
use crate::pass::{Change, Computed, SliceCursor};
use crate::store::{DrawEntry, RowSet, SliceId, SliceView, Store, ones};
use crate::{Aabb, Mat34};
use glam::{DAffine3, DVec3, Vec3, Vec4};
use hedgerow_math::internal::{BLOCK, BoxGroup};
use hedgerow_math::{Boxes, Frustum, Sphere};
use std::collections::TryReserveError;

#[derive(Clone, Debug, Default)]
pub(crate) struct WideWorlds {
    slices: Vec<WideSlice>,
    cursor: SliceCursor,
    boxes: bool,
}

/// The world transforms of one slice, and boxes of its drawables.
#[derive(Clone, Debug, Default)]
pub(crate) struct WideSlice {
    slots: Vec<DAffine3>,
    /// Whether the last refresh recomposed any slot.
    changed: bool,
    boxes: WideBoxes,
}

/// The boxes of a slice's drawables and of blocks of 64 drawables, relative to an origin in double precision. Each is
/// rounded outwards, so that it contains the box in double precision.
#[derive(Clone, Debug)]
struct WideBoxes {
    origin: DVec3,
    drawables: Boxes,
    blocks: Boxes,
    own: Aabb,
}

impl WideWorlds {
    pub(crate) const EMPTY: Self = Self { slices: Vec::new(), cursor: SliceCursor::new(), boxes: false };

    /// Updates everything to match the last update of a scene, including boxes if `boxes` is set. Returns whether any
    /// slice changed; each slice stores whether it changed. After an error, the next refresh computes everything.
    ///
    /// Runs in **O(1)** after no update, else in **O(slices + changed slots + slots of slices with a new layout)**, and
    /// in O(imports) more if a slot or any row changed; with boxes also in O(drawables of edited slices).
    pub(crate) fn refresh(&mut self, store: &Store, boxes: bool) -> Result<bool, TryReserveError> {
        let Self { slices, cursor, boxes: known } = self;
        cursor.try_reserve(store)?;
        slices.try_reserve(store.slices.end().saturating_sub(slices.len()))?;
        // Boxes are kept from the first query on; until then no list pays for them.
        let begins = boxes && !core::mem::replace(known, boxes | *known);
        let boxes = *known;
        let mut look = cursor.look(store);
        // A slice that is kept while its subtree moves has imports with other sources, though nothing above it changed.
        let (mut any, placed) = (false, look.has_other_rows());
        if begins || !look.is_still() {
            while let Some(number) = look.gone() {
                // The number may already be that of another slice.
                slices[number.index()] = WideSlice::default();
            }
            slices.resize_with(store.slices.end(), WideSlice::default);
            // In order, because a slice imports from slices before it.
            for &number in store.slices.in_tree() {
                let slice = store.view(number);
                let change = look.at(slice);
                // Imports change only with a slice above.
                if change == Change::NOTHING && !any && !placed && !begins {
                    slices[number.index()].changed = false;
                    continue;
                }
                // Taken out, so that the other slices can be read meanwhile.
                let mut wide = core::mem::take(&mut slices[number.index()]);
                wide.refresh(slice, change, (slices, any || placed), boxes.then_some(begins))?;
                any |= wide.changed;
                slices[number.index()] = wide;
            }
        }
        look.finish();
        Ok(any)
    }

    /// Calls `each` with the drawables that touch a volume around the camera and that the sieve admits, by slot. The
    /// world transforms must match the scene.
    pub(crate) fn find<'s>(
        &self,
        store: &'s Store,
        (camera, volume): (DVec3, &impl Movable),
        sieve: Sieve,
        mut each: impl FnMut((SliceView<'s>, &WideSlice), usize, &DrawEntry),
    ) {
        for &number in store.slices.in_tree() {
            let (Some(wide), slice) = (self.slice(number), store.view(number)) else { continue };
            wide.cull(camera, volume, |drawable| {
                let record = &slice.drawables().records()[drawable];
                if sieve.admits(store, record) {
                    each((slice, wide), drawable, record);
                }
            });
        }
    }

    /// Returns a slice that was part of the scene at the last refresh.
    #[inline]
    pub(crate) fn slice(&self, id: SliceId) -> Option<&WideSlice> {
        self.slices.get(id.index())
    }
}

impl WideSlice {
    /// Recomposes changed slots. `others` has the slices from which this slice imports; they must be up to date.
    /// `above` says whether imports may have changed. `boxes` says whether all boxes are computed; `None` if
    /// none are kept.
    fn refresh(
        &mut self,
        slice: SliceView<'_>,
        change: Change,
        (others, above): (&[Self], bool),
        boxes: Option<bool>,
    ) -> Result<(), TryReserveError> {
        let transforms = slice.transforms();
        let mut changed = RowSet::EMPTY;
        match change.slots {
            Computed::None => {}
            Computed::Last => changed = *transforms.swept(),
            Computed::All => changed.fill(transforms.len()),
        }
        self.slots.try_reserve(transforms.len().saturating_sub(self.slots.len()))?;
        self.slots.resize(transforms.len(), DAffine3::IDENTITY);
        // Imports change only with a slice above, or with their places.
        if above || change.moved {
            self.import(slice, others, !change.moved, &mut changed);
        }
        self.changed = false;
        for run in changed.runs(transforms.len()) {
            transforms.compose_wide(run, &mut self.slots);
            self.changed = true;
        }
        let Some(begins) = boxes else { return Ok(()) };
        if begins || change.rows {
            self.boxes.begin(slice, &self.slots)?;
            self.boxes.refresh(slice, &self.slots, |_| true);
        } else if self.changed {
            self.boxes.refresh(slice, &self.slots, |slot| changed.contains(slot));
        }
        Ok(())
    }

    /// Copies the imports of the slice. Adds changed imports, and all slots below them, to `changed`.
    fn import(&mut self, slice: SliceView<'_>, others: &[Self], known: bool, changed: &mut RowSet) {
        let transforms = slice.transforms();
        let mut any = false;
        for (import, source) in slice.sources().enumerate() {
            let world = match source.and_then(|(source, slot)| others.get(source.index())?.slots.get(slot)) {
                Some(world) => *world,
                // The import has no source, or its source was removed after all nodes below the import moved away.
                None if known => continue,
                None => crate::Local::Matrix(transforms.worlds()[import]).to_wide(),
            };
            if self.slots[import] != world {
                self.slots[import] = world;
                changed.insert(import);
                any = true;
            }
        }
        // Parents have lower slots, so one pass marks everything below a changed import.
        for (slot, &parent) in transforms.parents().iter().enumerate().skip(slice.imports()).filter(|_| any) {
            if changed.contains(parent as usize) {
                changed.insert(slot);
            }
        }
    }

    pub(crate) fn changed(&self) -> bool {
        self.changed
    }

    #[inline]
    pub(crate) fn translation(&self, slot: u32) -> DVec3 {
        self.slots[slot as usize].translation
    }

    /// Returns the translation of a slot; `None` if the slice is outside of the tree.
    pub(crate) fn position(&self, slot: u32) -> Option<DVec3> {
        self.slots.get(slot as usize).map(|world| world.translation)
    }

    #[inline]
    pub(crate) fn relative_to(&self, camera: DVec3, slot: u32) -> Mat34 {
        // Both numbers are large and their difference is small, so subtract before rounding.
        Mat34::from_wide(&self.placed(camera, slot as usize))
    }

    /// Returns the world transform of a slot with a translation relative to the camera.
    #[inline]
    pub(crate) fn placed(&self, camera: DVec3, slot: usize) -> DAffine3 {
        let DAffine3 { matrix3, translation } = self.slots[slot];
        DAffine3 { matrix3, translation: translation - camera }
    }

    /// Returns the boxes of the slice's drawables.
    pub(crate) fn around(&self) -> Around<'_> {
        let WideBoxes { origin, drawables, blocks, own } = &self.boxes;
        Around { origin: *origin, drawables, groups: None, blocks, own }
    }

    pub(crate) fn distance(&self, drawable: usize, eye: DVec3) -> f64 {
        let WideBoxes { origin, drawables, .. } = &self.boxes;
        drawables.get(drawable).map_or(0.0, |bounds| detail::distance(&bounds, eye - origin))
    }

    /// Calls `found` with the slots of the drawables that touch a volume around the camera, in ascending order.
    fn cull(&self, camera: DVec3, volume: &impl Movable, found: impl FnMut(usize)) {
        let WideBoxes { origin, drawables, blocks, own } = &self.boxes;
        // The slice has no drawable with a box.
        if own.is_empty() {
            return;
        }
        let Some(volume) = volume.moved(origin - camera) else {
            // If the origins are too far apart for single precision, everything may be visible.
            let all = 0..drawables.len();
            return all.filter(|&at| drawables.get(at).is_some_and(|bounds| !bounds.is_empty())).for_each(found);
        };
        let touches = |bounds: &Aabb| volume.touched(&[BoxGroup::of(bounds)]) != 0;
        // The box of the slice first: it rejects most slices with one test.
        if touches(own) {
            let touched = (0..drawables.blocks()).filter(|&at| blocks.get(at).is_some_and(|bounds| touches(&bounds)));
            touched
                .flat_map(|block| ones(volume.touched(drawables.block(block))).map(move |at| block * BLOCK + at))
                .for_each(found);
        }
    }
}

/// A volume that can be tested relative to another origin.
pub trait Movable: Probe + Copy {
    /// Returns the volume relative to an origin that is at `by`, rounded outwards. Returns `None` if single precision
    /// cannot represent the result.
    fn moved(&self, by: DVec3) -> Option<Self>;
}

impl Movable for Frustum {
    fn moved(&self, by: DVec3) -> Option<Self> {
        let mut planes = [Vec4::ZERO; 6];
        for (to, &[x, y, z, d]) in planes.iter_mut().zip(self.planes()) {
            // Only the distance of a plane changes; rounding it outwards keeps what touches the frustum.
            let distance = f64::from(d) + DVec3::new(x.into(), y.into(), z.into()).dot(by);
            *to = Vec4::new(x, y, z, outwards(distance));
        }
        Self::from_planes(planes).ok()
    }
}

impl Movable for Sphere {
    fn moved(&self, by: DVec3) -> Option<Self> {
        let center = self.center().as_dvec3() - by;
        let rounded = center.as_vec3();
        // The sphere grows by what its centre lost to rounding.
        let lost = (center - rounded.as_dvec3()).length();
        Self::new(rounded, outwards(f64::from(self.radius()) + lost)).ok()
    }
}

impl Movable for Aabb {
    fn moved(&self, by: DVec3) -> Option<Self> {
        let corner = |corner: DVec3| Vec3::from_array(corner.to_array().map(outwards));
        let (min, max) = (self.min.as_dvec3() - by, self.max.as_dvec3() - by);
        by.is_finite().then(|| Self::new(-corner(-min), corner(max)))
    }
}

impl Default for WideBoxes {
    fn default() -> Self {
        Self { origin: DVec3::ZERO, drawables: Boxes::new(), blocks: Boxes::new(), own: Aabb::EMPTY }
    }
}

impl WideBoxes {
    /// Starts from scratch, with the position of the first drawable as the origin; other drawables are often near.
    fn begin(&mut self, slice: SliceView<'_>, slots: &[DAffine3]) -> Result<(), TryReserveError> {
        let drawables = slice.drawables();
        let len = drawables.len();
        let first = (0..len).find(|&slot| drawables.live_word(slot / BLOCK) >> (slot % BLOCK) & 1 != 0);
        // Boxes near a drawable of the slice are small numbers, exact in single precision.
        self.origin = first.map_or(DVec3::ZERO, |slot| slots[usize::from(drawables.records()[slot].slot)].translation);
        for (boxes, len) in [(&mut self.drawables, len), (&mut self.blocks, len.div_ceil(BLOCK))] {
            boxes.clear();
            boxes.try_reserve(len)?;
            boxes.resize(len);
        }
        Ok(())
    }

    /// Computes the boxes of drawables whose transform slot changed, and of their blocks.
    fn refresh(&mut self, slice: SliceView<'_>, slots: &[DAffine3], changed: impl Fn(usize) -> bool) {
        let drawables = slice.drawables();
        for (block, records) in drawables.records().chunks(BLOCK).enumerate() {
            let (live, mut any) = (drawables.live_word(block), false);
            for (at, record) in records.iter().enumerate().filter(|(at, _)| live >> at & 1 != 0) {
                let transform = usize::from(record.slot);
                if changed(transform) {
                    let slot = block * BLOCK + at;
                    let bounds = wide_box(drawables.bounds(slot), &slots[transform], self.origin);
                    self.drawables.set(slot, bounds);
                    any = true;
                }
            }
            if any {
                self.blocks.set(block, self.drawables.merged(block * BLOCK..(block + 1) * BLOCK));
            }
        }
        self.own = self.blocks.merged(0..self.blocks.len());
    }
}

/// Transforms a box. Returns the box around the result, relative to an origin and rounded outwards.
fn wide_box(bounds: &Aabb, world: &DAffine3, origin: DVec3) -> Aabb {
    if bounds.is_empty() {
        return Aabb::EMPTY;
    }
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let center = world.transform_point3((min + max) * 0.5) - origin;
    // The absolute matrix maps half extents to those of the enclosing box (Arvo 1990).
    let half = world.matrix3.abs() * ((max - min) * 0.5);
    let (low, high) = (center - half, center + half);
    if !(low.is_finite() && high.is_finite()) {
        return Aabb::INFINITE;
    }
    // Double precision rounds far less than single precision, except in sums whose terms cancel.
    let slack = (world.translation.abs() + origin.abs() + half) * 1e-15;
    let corner = |corner: DVec3| Vec3::from_array(corner.to_array().map(outwards));
    // Rounding up the negated minimum rounds the minimum down.
    Aabb::new(-corner(slack - low), corner(high + slack))
}

/// Rounds up to the next number in single precision.
fn outwards(number: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "what rounding loses is given back")]
    let rounded = number as f32;
    if f64::from(rounded) < number { rounded.next_up() } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::CullView;
    use crate::{DrawList, Drawable, Node, NodeHandle, Scene, SceneConfig, Transform};

    fn apart() -> (Scene, [NodeHandle; 2]) {
        let mut scene = Scene::with_config(SceneConfig { max_nodes: 8, ..SceneConfig::DEFAULT }).unwrap();
        let nodes = [(); 40].map(|()| {
            let drawable = Node::transform(Transform::IDENTITY).with_drawable(Drawable::new(1, Aabb::cube(1.0)));
            scene.insert(scene.root(), drawable).unwrap()
        });
        scene.update();
        let slices = [nodes[0], nodes[39]].map(|node| scene.get(node).unwrap().matrix_slot().unwrap().slice);
        assert_ne!(slices[0], slices[1]);
        (scene, [nodes[0], nodes[39]])
    }

    /// Moves the first of two nodes, and returns for each of their slices whether the refresh recomposes it.
    fn composed_again(
        scene: &mut Scene,
        nodes: [NodeHandle; 2],
        refresh: impl FnOnce(&Store) -> WideWorlds,
    ) -> [bool; 2] {
        scene.set_local(nodes[0], Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
        scene.update();
        let worlds = refresh(&scene.store);
        nodes.map(|node| worlds.slice(scene.get(node).unwrap().matrix_slot().unwrap().slice_id()).unwrap().changed())
    }

    #[test]
    fn what_did_not_move_is_not_composed_again() {
        let (mut scene, nodes) = apart();
        let mut worlds = WideWorlds::EMPTY;
        assert!(worlds.refresh(&scene.store, false).unwrap());
        assert!(!worlds.refresh(&scene.store, false).unwrap(), "nothing happened");
        let composed = composed_again(&mut scene, nodes, |store| {
            assert!(worlds.refresh(store, false).unwrap());
            worlds
        });
        assert_eq!(composed, [true, false]);
    }

    #[test]
    fn slots_that_the_last_sweep_left_as_they_are_are_not_composed_again() {
        let mut scene = Scene::new();
        let top = scene.insert(scene.root(), Node::group()).unwrap();
        let mut add = || scene.insert(top, Node::transform(Transform::IDENTITY)).unwrap();
        let nodes: Vec<NodeHandle> = (0..100).map(|_| add()).collect();
        scene.update();
        let mut worlds = WideWorlds::EMPTY;
        worlds.refresh(&scene.store, false).unwrap();
        let [moved, still] = [nodes[20], nodes[60]].map(|node| scene.get(node).unwrap().matrix_slot().unwrap());
        assert_eq!(moved.slice, still.slice);
        // If the slot is recomposed, this wrong value disappears.
        let odd = DAffine3::from_translation(DVec3::splat(7.0));
        worlds.slices[still.slice as usize].slots[still.slot as usize] = odd;
        scene.set_local(nodes[20], Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
        scene.update();
        assert!(worlds.refresh(&scene.store, false).unwrap());
        let slots = &worlds.slices[still.slice as usize].slots;
        assert_eq!(slots[moved.slot as usize].translation, DVec3::X);
        assert_eq!(slots[still.slot as usize], odd);
    }

    #[test]
    fn a_list_keeps_what_it_composed_where_it_culls() {
        let (mut scene, nodes) = apart();
        let (everywhere, mut list) = (Frustum::from_planes([Vec4::ZERO; 6]).unwrap(), DrawList::new());
        list.set_eye(DVec3::ZERO);
        scene.cull(&mut [CullView::new(&everywhere, &mut list)]).unwrap();
        assert_eq!(list.len(), 40);
        assert_eq!(composed_again(&mut scene, nodes, |store| list.take_worlds(store).unwrap()), [true, false]);
    }

    #[test]
    fn a_box_whose_ends_cancel_out_contains_the_one_in_double_precision() {
        let mut dice = fastrand::Rng::with_seed(3);
        let mut angle = || dice.f64() * 6.0;
        // The minimum of the transformed box is near the origin, because it is a difference of two large numbers.
        let bounds = Aabb::new(Vec3::ONE, Vec3::splat(1e10));
        for _ in 0..500 {
            let world = DAffine3::from_rotation_y(angle()) * DAffine3::from_rotation_x(angle());
            let found = wide_box(&bounds, &world, DVec3::ZERO);
            for corner in 0..8 {
                let part = |axis: usize| f64::from(if corner >> axis & 1 == 0 { bounds.min } else { bounds.max }[axis]);
                let point = world.transform_point3(DVec3::new(part(0), part(1), part(2)));
                let (min, max) = (found.min.as_dvec3(), found.max.as_dvec3());
                assert!(point.cmpge(min).all() && point.cmple(max).all(), "{point} in {min} to {max}");
            }
        }
    }

    #[test]
    fn a_box_that_double_precision_cannot_hold_is_infinite() {
        let bounds = Aabb::new(Vec3::ZERO, Vec3::splat(2.0));
        for (scale, holds) in [(1e300, true), (1.7e308, false)] {
            for side in [scale, -scale] {
                let world = DAffine3::from_scale(DVec3::new(side, 1.0, 1.0));
                assert_eq!(wide_box(&bounds, &world, DVec3::ZERO).min.y.is_finite(), holds, "scaled by {side}");
            }
        }
    }

    #[test]
    fn a_box_in_single_precision_contains_the_one_in_double_precision() {
        let mut dice = fastrand::Rng::with_seed(11);
        let mut number = |scale: f64| (dice.f64() - 0.5) * scale;
        for step in 0..2000 {
            let scale = [1.0, 1e4, 1e7, 1e12][step % 4];
            let mut world = DAffine3::from_rotation_y(number(6.0)) * DAffine3::from_rotation_x(number(6.0));
            world.translation = DVec3::new(number(scale), number(scale), number(scale));
            let origin = if step % 3 == 0 { world.translation + 1.5 } else { DVec3::new(number(scale), 0.0, 0.0) };
            let bounds = Aabb::new(Vec3::new(-1.0, -2.5, 0.25), Vec3::new(1.0, 3.0, 7.0));
            let found = wide_box(&bounds, &world, origin);
            for corner in 0..8 {
                let part = |axis: usize, bit: usize| {
                    f64::from(if corner >> bit & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] })
                };
                let point = world.transform_point3(DVec3::new(part(0, 0), part(1, 1), part(2, 2))) - origin;
                assert!(point.cmpge(found.min.as_dvec3()).all() && point.cmple(found.max.as_dvec3()).all());
            }
            let size = (found.max - found.min).as_dvec3();
            let far = (world.translation - origin).abs().max_element();
            assert!(size.max_element() < 13.0 + far * 1e-6, "{size} at {far}");
        }
        assert_eq!(wide_box(&Aabb::INFINITE, &DAffine3::IDENTITY, DVec3::ONE), Aabb::INFINITE);
        assert!(wide_box(&Aabb::EMPTY, &DAffine3::IDENTITY, DVec3::ONE).is_empty());
    }
}
