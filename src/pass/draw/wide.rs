//! World transforms of a scene in double precision, kept from frame to frame: 96 bytes a transform slot, and 24 a shape
//! slot where they are culled.
//!
//! What a slice holds depends on its local transforms and on what it inherits. It is composed again where either may
//! have changed: after a sweep, after an edit, and while something in it waits for an update. Then only the slots that
//! the last sweep computed are composed, if nothing else happened.

use crate::store::{At, SliceView, Store};
use crate::{Aabb, Mat34};
use core::ops::Range;
use glam::{DAffine3, DVec3, Vec3, Vec4};
use hedgerow_math::internal::BLOCK;
use hedgerow_math::{Boxes, Frustum};

/// World transforms by slice number.
#[derive(Clone, Debug, Default)]
pub(crate) struct WideWorlds {
    slices: Vec<WideSlice>,
    /// The scene, its versions and its updates that all of them match, if nothing waited for an update then.
    moment: Option<(u64, u64, u64, u64)>,
    scene: u64,
    /// Whether boxes are kept too.
    boxes: bool,
}

/// The world transforms of one slice, and boxes of its shapes.
#[derive(Clone, Debug, Default)]
pub(crate) struct WideSlice {
    /// What the slice inherits, and what its slots were composed from.
    base: DAffine3,
    composed: Option<Composed>,
    slots: Vec<DAffine3>,
    /// Whether the last refresh composed any slot again.
    changed: bool,
    boxes: WideBoxes,
}

/// What a slice was composed from.
#[derive(Clone, Copy, Debug)]
struct Composed {
    base: DAffine3,
    version: u64,
    /// The edits of bounds that the boxes include.
    bounds_set: u64,
    /// The last update that the slots include.
    updates: u64,
    /// Whether something in the slice waited for an update, so that it must be composed again.
    waits: bool,
    boxes: bool,
}

/// The boxes of the shapes of a slice, relative to an origin in double precision, and of blocks of 64 of them. Rounded
/// outwards, so that each contains the box in double precision.
#[derive(Clone, Debug)]
struct WideBoxes {
    origin: DVec3,
    shapes: Boxes,
    blocks: Boxes,
    own: Aabb,
}

impl WideWorlds {
    pub(crate) const EMPTY: Self = Self { slices: Vec::new(), moment: None, scene: 0, boxes: false };

    /// Brings everything in step with the present local transforms; keeps boxes too if `boxes` is set. Returns whether
    /// any slice may have changed; each tells whether it did.
    ///
    /// Runs in **O(1)** if nothing changed, else in **O(slices + slots that changed, or of slices that were edited)**.
    pub(crate) fn refresh(&mut self, store: &Store, boxes: bool) -> bool {
        let now = (store.scene_number(), store.versions(), store.updates(), store.bounds_set());
        let boxes = boxes | self.boxes;
        if self.moment == Some(now) && self.boxes == boxes && !store.view(At::ROOT.slice).is_marked() {
            return false;
        }
        if self.scene != now.0 {
            self.slices.iter_mut().for_each(|slice| slice.composed = None);
        }
        (self.moment, self.scene, self.boxes) = (None, now.0, boxes);
        self.slices.resize_with(store.slice_end(), WideSlice::default);
        let mut next = Some(At::ROOT.slice);
        while let Some(number) = next {
            let slice = store.view(number);
            let wide = &mut self.slices[number as usize];
            wide.changed = wide.refresh(slice, store.updates(), boxes);
            if wide.changed {
                let mut slots = core::mem::take(&mut wide.slots);
                for &child in slice.children() {
                    let portal = store.view(child).portal().row;
                    self.slices[child as usize].base = slots[slice.rows().transform(portal) as usize];
                }
                core::mem::swap(&mut self.slices[number as usize].slots, &mut slots);
            }
            next = store.slice_after(number, true);
        }
        self.moment = (!store.view(At::ROOT.slice).is_marked()).then_some(now);
        true
    }

    /// A slice that was part of the scene when this was refreshed.
    #[inline]
    pub(crate) fn slice(&self, number: u32) -> Option<&WideSlice> {
        self.slices.get(number as usize)
    }
}

impl WideSlice {
    /// Composes what may have changed. Returns whether anything may have.
    fn refresh(&mut self, slice: SliceView<'_>, updates: u64, boxes: bool) -> bool {
        let transforms = slice.transforms();
        let now = Composed {
            base: self.base,
            version: slice.version(),
            bounds_set: slice.bounds_set(),
            updates,
            waits: transforms.waits(),
            boxes,
        };
        let before = self.composed.replace(now);
        let same = before.filter(|before| {
            !before.waits && !now.waits && (before.version, before.base, before.boxes) == (now.version, now.base, boxes)
        });
        let Some(before) = same else {
            transforms.compose_wide(&self.base, &mut self.slots);
            if boxes {
                self.boxes.begin(slice, &self.slots);
                self.boxes.refresh(slice, &self.slots, |_| true);
            }
            return true;
        };
        let same_bounds = before.bounds_set == now.bounds_set;
        if slice.swept_in() <= before.updates {
            if boxes && !same_bounds {
                self.boxes.refresh(slice, &self.slots, |_| true);
            }
            return false;
        }
        // Only the last sweep's slots are known.
        let runs = transforms.swept().runs(transforms.len()).filter(|_| slice.swept_in() == before.updates + 1);
        match runs {
            Some(runs) => {
                runs.for_each(|run: Range<usize>| transforms.compose_wide_run(run, &mut self.slots));
                if boxes {
                    self.boxes.refresh(slice, &self.slots, |slot| !same_bounds || transforms.swept().contains(slot));
                }
            }
            None => {
                transforms.compose_wide(&self.base, &mut self.slots);
                if boxes {
                    self.boxes.refresh(slice, &self.slots, |_| true);
                }
            }
        }
        true
    }

    /// Whether the last refresh of all worlds composed any slot again.
    pub(crate) fn changed(&self) -> bool {
        self.changed
    }

    /// The translation of a slot.
    #[inline]
    pub(crate) fn translation(&self, slot: u32) -> DVec3 {
        self.slots[slot as usize].translation
    }

    /// The matrix of a slot with the camera as its origin.
    #[inline]
    pub(crate) fn relative_to(&self, camera: DVec3, slot: u32) -> Mat34 {
        let DAffine3 { matrix3, translation } = self.slots[slot as usize];
        // Both are large and their difference is small, so subtract before rounding.
        Mat34::from_wide(&DAffine3 { matrix3, translation: translation - camera })
    }

    /// Adds the slots of the shapes that touch a frustum around the camera, in ascending order.
    pub(crate) fn cull(&self, camera: DVec3, frustum: &Frustum, found: &mut Vec<u32>) {
        let WideBoxes { origin, shapes, blocks, own } = &self.boxes;
        if own.is_empty() {
            return;
        }
        let Some(frustum) = moved(frustum, origin - camera) else {
            // Too far apart for single precision: everything may be visible.
            return found.extend(
                (0..)
                    .zip(0..shapes.len())
                    .filter_map(|(slot, at)| shapes.get(at).is_some_and(|bounds| !bounds.is_empty()).then_some(slot)),
            );
        };
        if frustum.touches(own) {
            for block in 0..shapes.blocks() {
                if blocks.get(block).is_some_and(|bounds| frustum.touches(&bounds)) {
                    shapes.cull_blocks(block..block + 1, &frustum, found);
                }
            }
        }
    }
}

/// A frustum around the camera as one around another origin; `by` is where that is, seen from the camera. `None` if
/// single precision cannot hold it.
fn moved(frustum: &Frustum, by: DVec3) -> Option<Frustum> {
    let mut planes = [Vec4::ZERO; 6];
    for (to, &[x, y, z, d]) in planes.iter_mut().zip(frustum.planes()) {
        let distance = f64::from(d) + DVec3::new(x.into(), y.into(), z.into()).dot(by);
        *to = Vec4::new(x, y, z, outwards(distance));
    }
    Frustum::from_planes(planes).ok()
}

impl Default for WideBoxes {
    fn default() -> Self {
        Self { origin: DVec3::ZERO, shapes: Boxes::new(), blocks: Boxes::new(), own: Aabb::EMPTY }
    }
}

impl WideBoxes {
    /// Begins anew, with the place of the first shape as the origin: the others are often near it.
    fn begin(&mut self, slice: SliceView<'_>, slots: &[DAffine3]) {
        let shapes = slice.shapes();
        let len = shapes.len();
        let first = (0..len).find(|&slot| shapes.live_word(slot / BLOCK) >> (slot % BLOCK) & 1 != 0);
        self.origin = first.map_or(DVec3::ZERO, |slot| slots[shapes.records()[slot].transform as usize].translation);
        self.shapes.clear();
        self.shapes.resize(len);
        self.blocks.clear();
        self.blocks.resize(len.div_ceil(BLOCK));
    }

    /// Computes the boxes of shapes whose transform slot is among these, and those around them.
    fn refresh(&mut self, slice: SliceView<'_>, slots: &[DAffine3], changed: impl Fn(u32) -> bool) {
        let shapes = slice.shapes();
        for (block, records) in shapes.records().chunks(BLOCK).enumerate() {
            let (live, mut any) = (shapes.live_word(block), false);
            for (at, record) in records.iter().enumerate().filter(|(at, _)| live >> at & 1 != 0) {
                if changed(record.transform) {
                    let slot = block * BLOCK + at;
                    let bounds = wide_box(shapes.bounds(slot), &slots[record.transform as usize], self.origin);
                    self.shapes.set(slot, bounds);
                    any = true;
                }
            }
            if any {
                self.blocks.set(block, self.shapes.merged(block * BLOCK..(block + 1) * BLOCK));
            }
        }
        self.own = self.blocks.merged(0..self.blocks.len());
    }
}

/// The box around a box that was transformed, seen from an origin, rounded outwards.
fn wide_box(bounds: &Aabb, world: &DAffine3, origin: DVec3) -> Aabb {
    if bounds.is_empty() {
        return Aabb::EMPTY;
    }
    let (min, max) = (bounds.min.as_dvec3(), bounds.max.as_dvec3());
    let center = world.transform_point3((min + max) * 0.5) - origin;
    let half = world.matrix3.abs() * ((max - min) * 0.5);
    let (low, high) = (center - half, center + half);
    if !(low.is_finite() && high.is_finite()) {
        return Aabb::INFINITE;
    }
    // Double precision rounds too: by far less than the next number in single precision is away, but for sums that
    // cancel.
    let slack = (world.translation.abs() + origin.abs() + half) * 1e-15;
    let corner = |corner: DVec3| Vec3::from_array(corner.to_array().map(outwards));
    Aabb::new(-corner(slack - low), corner(high + slack))
}

/// The least number in single precision that is not less.
fn outwards(number: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "what rounding loses is given back")]
    let rounded = number as f32;
    if f64::from(rounded) < number { rounded.next_up() } else { rounded }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DrawList, Node, NodeHandle, Scene, SceneConfig, Shape, Transform, Visibility};

    /// Two shapes, each in a slice of its own.
    fn apart() -> (Scene, [NodeHandle; 2]) {
        let mut scene = Scene::with_config(SceneConfig { min_nodes: 0, ..SceneConfig::DEFAULT }).unwrap();
        let nodes = [(); 2].map(|()| {
            let shape = Node::transform(Transform::IDENTITY).with_shape(Shape::new(1, Aabb::cube(1.0)));
            scene.insert(scene.root(), shape).unwrap()
        });
        scene.update();
        assert_eq!(scene.slice_count(), 3);
        (scene, nodes)
    }

    /// Moves the first of two, and returns which of their slices are composed again then.
    fn composed_again(
        scene: &mut Scene,
        nodes: [NodeHandle; 2],
        refresh: impl FnOnce(&Store) -> WideWorlds,
    ) -> [bool; 2] {
        scene.set_local(nodes[0], Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
        scene.update();
        let worlds = refresh(&scene.store);
        nodes.map(|node| worlds.slice(scene.matrix_slot(node).unwrap().slice).unwrap().changed())
    }

    #[test]
    fn what_did_not_move_is_not_composed_again() {
        let (mut scene, nodes) = apart();
        let mut worlds = WideWorlds::EMPTY;
        assert!(worlds.refresh(&scene.store, false));
        assert!(!worlds.refresh(&scene.store, false), "nothing happened");
        let composed = composed_again(&mut scene, nodes, |store| {
            assert!(worlds.refresh(store, false));
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
        worlds.refresh(&scene.store, false);
        let [moved, still] = [nodes[20], nodes[60]].map(|node| scene.matrix_slot(node).unwrap());
        assert_eq!(moved.slice, still.slice);
        // What nothing composes shows whether it was looked at.
        let odd = DAffine3::from_translation(DVec3::splat(7.0));
        worlds.slices[still.slice as usize].slots[still.slot as usize] = odd;
        scene.set_local(nodes[20], Transform::from_xyz(1.0, 0.0, 0.0)).unwrap();
        scene.update();
        assert!(worlds.refresh(&scene.store, false));
        let slots = &worlds.slices[still.slice as usize].slots;
        assert_eq!(slots[moved.slot as usize].translation, DVec3::X);
        assert_eq!(slots[still.slot as usize], odd);
    }

    #[test]
    fn a_list_keeps_what_it_composed_where_it_culls() {
        let (mut scene, nodes) = apart();
        let (everywhere, mut list) = (Frustum::from_planes([Vec4::ZERO; 6]).unwrap(), DrawList::new());
        scene.cull_relative(DVec3::ZERO, &everywhere, Visibility::VISIBLE, &mut list);
        assert_eq!(list.len(), 2);
        assert_eq!(composed_again(&mut scene, nodes, |store| list.take_worlds(store)), [true, false]);
    }

    #[test]
    fn a_box_whose_ends_cancel_out_contains_the_one_in_double_precision() {
        let mut dice = fastrand::Rng::with_seed(3);
        let mut angle = || dice.f64() * 6.0;
        // The corner at the minimum is near the origin: the difference of two large numbers.
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
    fn a_number_is_rounded_up_where_it_has_to_be_rounded() {
        for exact in [0.0, 1.0, -2.5, f32::MAX, f32::MIN_POSITIVE] {
            assert_eq!(outwards(f64::from(exact)).to_bits(), exact.to_bits());
        }
        assert_eq!(outwards(1.0 + 1e-12), 1.0_f32.next_up());
        assert_eq!(outwards(-1.0 - 1e-12), -1.0);
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
