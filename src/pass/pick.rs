//! Finds the drawables along a ray, nearest box first, and ends where the caller's limit ends.

use crate::Aabb;
use crate::pass::cull::{Sieve, ones};
use crate::pass::draw::{DrawCommand, VisibleDraw, WideSlice, WideWorlds};
use crate::store::{SliceBoxes, SliceId, SliceView, Store};
use core::cmp::Ordering;
use glam::{DAffine3, DVec3};
use hedgerow_math::internal as simd;
use hedgerow_math::internal::BLOCK;
use hedgerow_math::{Boxes, Frustum, LocalRay, Ray};
use std::collections::BinaryHeap;

/// A box that the ray enters: of a slice, of a block of 64 drawables, or of a drawable.
#[derive(Clone, Copy, Debug)]
struct Step {
    near: f64,
    slice: SliceId,
    what: What,
}

#[derive(Clone, Copy, Debug)]
enum What {
    Slice,
    Block(u16),
    Drawable(u16),
}

/// The nearest step is the greatest.
impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        other.near.total_cmp(&self.near)
    }
}

impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Eq for Step {}

impl PartialEq for Step {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

/// The boxes of a slice, relative to a point.
pub(crate) struct Around<'b> {
    /// The point, relative to that of the ray.
    pub(crate) origin: DVec3,
    pub(crate) drawables: &'b Boxes,
    pub(crate) blocks: &'b Boxes,
    /// The box around all.
    pub(crate) own: &'b Aabb,
}

/// A drawable, and its world transform, relative to the eye if there is one.
pub(crate) struct Met<'s> {
    slice: SliceView<'s>,
    slot: usize,
    pub(crate) world: DAffine3,
}

impl Met<'_> {
    /// Returns the command that draws it with its own mesh.
    pub(crate) fn command(&self) -> DrawCommand {
        VisibleDraw::of(self.slice, self.slot, 0).command
    }
}

/// A ray, and where its boxes are: in the scene, or in composed worlds around an eye.
struct Cast<'r> {
    ray: &'r Ray,
    wide: Option<(&'r WideWorlds, DVec3)>,
}

impl Store {
    /// Calls `met` with the drawables whose boxes a ray enters and the sieve admits, nearest first. `met` returns the
    /// limit from then on. `wide` has worlds in double precision that match the scene, and the eye that the ray starts
    /// from.
    pub(crate) fn find_along<'s>(
        &'s self,
        ray: &Ray,
        wide: Option<(&WideWorlds, DVec3)>,
        sieve: Sieve,
        mut met: impl FnMut(Met<'s>) -> f64,
    ) {
        let cast = Cast { ray, wide };
        let mut limit = f64::from(ray.length());
        // Boxes in single precision may be off by some units in the last place, and distances of hits are exact.
        let margin = f64::from(ray.origin().abs().max_element()) * 1e-6;
        let mut steps = BinaryHeap::with_capacity(64);
        cast.slices(self, |near, slice| steps.push(Step { near, slice, what: What::Slice }));
        while let Some(Step { near, slice: id, what }) = steps.pop() {
            let end = limit * (1.0 + 1e-6) + margin;
            if near > end {
                break;
            }
            let slice = self.view(id);
            let Some(boxes) = cast.boxes(slice) else { continue };
            match what {
                What::Slice => {
                    for first in (0..boxes.blocks.len()).step_by(BLOCK) {
                        cast.enter(&boxes, boxes.blocks, first / BLOCK, u64::MAX, end, |at, near| {
                            steps.push(Step { near, slice: id, what: What::Block(short(first + at)) });
                        });
                    }
                }
                What::Block(block) => {
                    let block = usize::from(block);
                    let live = slice.drawables().live_word(block);
                    cast.enter(&boxes, boxes.drawables, block, live, end, |at, near| {
                        steps.push(Step { near, slice: id, what: What::Drawable(short(block * BLOCK + at)) });
                    });
                }
                What::Drawable(slot) => {
                    let slot = usize::from(slot);
                    let record = &slice.drawables().records()[slot];
                    if sieve.admits(self, record) {
                        limit = met(Met { slice, slot, world: cast.world(slice, record.slot.into()) });
                    }
                }
            }
        }
    }

    /// Calls `met` with the drawables whose boxes touch a frustum and that the sieve admits, and with their boxes. `wide` is
    /// that of [`Self::find_along`].
    pub(crate) fn find_within<'s>(
        &'s self,
        frustum: &Frustum,
        wide: Option<(&WideWorlds, DVec3)>,
        sieve: Sieve,
        mut met: impl FnMut(Met<'s>, [DVec3; 2]),
    ) {
        let around = |bounds: Aabb, origin: DVec3| [bounds.min, bounds.max].map(|corner| corner.as_dvec3() + origin);
        let Some((worlds, eye)) = wide else {
            let mut all = Vec::new();
            self.find(core::slice::from_ref(frustum), sieve, &mut all, |found| found);
            for found in all {
                let world = found.slice.transforms().worlds()[usize::from(found.record().slot)].to_wide();
                met(Met { slice: found.slice, slot: found.slot, world }, around(found.bounds(), DVec3::ZERO));
            }
            return;
        };
        worlds.find(self, (eye, frustum), sieve, |(slice, wide), slot, record| {
            let boxes = wide.around();
            let bounds = boxes.drawables.get(slot).unwrap_or(Aabb::EMPTY);
            let world = wide.placed(eye, record.slot.into());
            met(Met { slice, slot, world }, around(bounds, boxes.origin - eye));
        });
    }
}

impl Cast<'_> {
    /// Calls `each` with the slices whose boxes the ray enters.
    fn slices(&self, store: &Store, mut each: impl FnMut(f64, SliceId)) {
        match self.wide {
            None => store.route(core::slice::from_ref(self.ray), |stop| {
                if let Some(boxes) = store.view(stop.slice).boxes() {
                    each(simd::boxes::distance(&boxes.own, self.ray).into(), stop.slice);
                }
            }),
            Some((worlds, eye)) => {
                for &number in store.slices.in_tree() {
                    let Some(boxes) = worlds.slice(number).map(WideSlice::around) else { continue };
                    let (near, far) = slabs(self.ray, boxes.origin - eye, boxes.own);
                    if near <= far {
                        each(near, number);
                    }
                }
            }
        }
    }

    fn boxes<'b>(&'b self, slice: SliceView<'b>) -> Option<Around<'b>> {
        match self.wide {
            None => {
                let SliceBoxes { drawables, blocks, own, .. } = slice.boxes()?;
                Some(Around { origin: DVec3::ZERO, drawables, blocks, own })
            }
            Some((worlds, eye)) => {
                let boxes = worlds.slice(slice.id())?.around();
                Some(Around { origin: boxes.origin - eye, ..boxes })
            }
        }
    }

    fn world(&self, slice: SliceView<'_>, slot: usize) -> DAffine3 {
        match self.wide.and_then(|(worlds, eye)| Some((worlds.slice(slice.id())?, eye))) {
            Some((wide, eye)) => wide.placed(eye, slot),
            None => slice.transforms().worlds()[slot].to_wide(),
        }
    }

    /// Calls `each` with the boxes of a block that the ray enters before `end`, of those in `mask`.
    fn enter(
        &self,
        around: &Around<'_>,
        boxes: &Boxes,
        block: usize,
        mask: u64,
        end: f64,
        mut each: impl FnMut(usize, f64),
    ) {
        let bounds = |at: usize| boxes.get(block * BLOCK + at);
        if self.wide.is_none() {
            let touched = self.ray.up_to(rounded(end)).map_or(0, |ray| simd::boxes::on_ray(boxes.block(block), &ray));
            for (at, bounds) in ones(touched & mask).map_while(|at| Some((at, bounds(at)?))) {
                each(at, simd::boxes::distance(&bounds, self.ray).into());
            }
            return;
        }
        // The slice may be so far from the eye that single precision does not do.
        for (at, bounds) in ones(mask).map_while(|at| Some((at, bounds(at)?))) {
            let (near, far) = slabs(self.ray, around.origin, &bounds);
            if near <= far.min(end) {
                each(at, near);
            }
        }
    }
}

/// Returns where a ray enters and leaves a box whose corners are relative to `origin`.
fn slabs(ray: &Ray, origin: DVec3, bounds: &Aabb) -> (f64, f64) {
    let ray = LocalRay { origin: ray.origin().as_dvec3() - origin, direction: ray.direction().as_dvec3() };
    ray.slabs(bounds.min.as_dvec3(), bounds.max.as_dvec3())
}

/// Converts a slot or block of a slice, of which there are less than 2¹⁶.
fn short(at: usize) -> u16 {
    u16::try_from(at).expect("a slice has at most 65,536 drawables")
}

#[expect(clippy::cast_possible_truncation, reason = "the end has a margin that exceeds rounding")]
fn rounded(end: f64) -> f32 {
    end as f32
}
