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
use std::collections::{BinaryHeap, TryReserveError};

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
    /// limit from then on, and an error ends the search. `wide` has worlds in double precision that match the scene, and
    /// the eye that the ray starts from.
    pub(crate) fn find_along<'s>(
        &'s self,
        ray: &Ray,
        wide: Option<(&WideWorlds, DVec3)>,
        sieve: Sieve,
        mut met: impl FnMut(Met<'s>) -> Result<f64, TryReserveError>,
    ) -> Result<(), TryReserveError> {
        let cast = Cast { ray, wide };
        let mut limit = f64::from(ray.length());
        let mut steps = BinaryHeap::new();
        steps.try_reserve(BLOCK.max(self.slices.in_tree().len()))?;
        cast.slices(self, |near, slice| steps.push(Step { near, slice, what: What::Slice }));
        while let Some(Step { near, slice: id, what }) = steps.pop() {
            let end = limit * (1.0 + 1e-6);
            if near > end {
                break;
            }
            let slice = self.view(id);
            let Some(boxes) = cast.boxes(slice) else { continue };
            match what {
                What::Slice => {
                    steps.try_reserve(boxes.blocks.len())?;
                    for first in (0..boxes.blocks.len()).step_by(BLOCK) {
                        let around = (boxes.origin, boxes.own);
                        cast.enter(around, boxes.blocks, first / BLOCK, (u64::MAX, end), |at, near| {
                            steps.push(Step { near, slice: id, what: What::Block(short(first + at)) });
                        });
                    }
                }
                What::Block(block) => {
                    let block = usize::from(block);
                    let live = slice.drawables().live_word(block);
                    let Some(around) = boxes.blocks.get(block) else { continue };
                    let around = (boxes.origin, &around);
                    steps.try_reserve(BLOCK)?;
                    cast.enter(around, boxes.drawables, block, (live, end), |at, near| {
                        steps.push(Step { near, slice: id, what: What::Drawable(short(block * BLOCK + at)) });
                    });
                }
                What::Drawable(slot) => {
                    let slot = usize::from(slot);
                    let record = &slice.drawables().records()[slot];
                    if sieve.admits(self, record) {
                        limit = met(Met { slice, slot, world: cast.world(slice, record.slot.into()) })?;
                    }
                }
            }
        }
        Ok(())
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
            None => {
                let (order, boxes) = (store.slices.in_tree(), &store.slices.boxes);
                for (block, slices) in order.chunks(BLOCK).enumerate() {
                    let Some(around) = boxes.blocks.get(block) else { continue };
                    let (around, any) = ((DVec3::ZERO, &around), (u64::MAX, f64::INFINITY));
                    self.enter(around, &boxes.slices, block, any, |at, near| {
                        if let Some(&slice) = slices.get(at) {
                            each(near, slice);
                        }
                    });
                }
            }
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

    /// Returns what rounding may cost a test of boxes within `around`.
    fn slack(&self, around: &Aabb) -> f32 {
        (around.min.abs().max(around.max.abs()).max_element() + self.ray.origin().abs().max_element()) * SLACK
    }

    fn world(&self, slice: SliceView<'_>, slot: usize) -> DAffine3 {
        match self.wide.and_then(|(worlds, eye)| Some((worlds.slice(slice.id())?, eye))) {
            Some((wide, eye)) => wide.placed(eye, slot),
            None => slice.transforms().worlds()[slot].to_wide(),
        }
    }

    /// Calls `each` with the boxes of a block that the ray enters before `end`, of those in `mask`. They are relative to
    /// `origin`, and in the box `around`.
    fn enter(
        &self,
        (origin, around): (DVec3, &Aabb),
        boxes: &Boxes,
        block: usize,
        (mask, end): (u64, f64),
        mut each: impl FnMut(usize, f64),
    ) {
        let slack = self.slack(around);
        if self.wide.is_none() && slack.is_finite() {
            let ray = self.ray.up_to(rounded(end));
            let mut nears = [0.0; BLOCK];
            let touched = ray.map_or(0, |ray| simd::boxes::enter(boxes.block(block), &ray, slack, &mut nears));
            return ones(touched & mask).for_each(|at| each(at, nears[at].into()));
        }
        // The slice may be so far from the eye that single precision does not do; or some boxes are infinite.
        let boxes = ones(mask).map_while(|at| Some((at, boxes.get(block * BLOCK + at)?)));
        for (at, bounds) in boxes.filter(|(_, bounds)| !bounds.is_empty()) {
            let slack = if self.wide.is_some() { 0.0 } else { self.slack(&bounds) };
            let bounds = Aabb::new(bounds.min - slack, bounds.max + slack);
            let (near, far) = slabs(self.ray, origin, &bounds);
            if near <= far.min(end) {
                each(at, near);
            }
        }
    }
}

/// What a corner of a world box may be off by, as a share of the greatest coordinate. It is a sum of a translation and three
/// products. Each has at most four roundings, of 2⁻²⁴, and in all they may be eight times as great as their sum.
const SLACK: f32 = 1.0 / 524_288.0;

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
