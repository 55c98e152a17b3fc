//! Finds the drawables along a ray, nearest box first, and ends where the caller's limit ends.

use crate::Aabb;
use crate::pass::cull::Sieve;
use crate::pass::draw::{DrawCommand, VisibleDraw, WideSlice, WideWorlds};
use crate::store::{SliceBoxes, SliceId, SliceView, Store, ones};
use core::cmp::Ordering;
use glam::{DAffine3, DVec3};
use hedgerow_math::internal as simd;
use hedgerow_math::internal::{BLOCK, BoxGroup};
use hedgerow_math::{Boxes, Frustum, LocalRay, Ray};
use std::collections::{BinaryHeap, TryReserveError};

/// A box that the ray enters: of a slice, of a block of 64 drawables, or of a drawable.
#[derive(Clone, Copy, Debug)]
struct Step {
    /// The bits of the distance, rounded down. Those of numbers from zero on are in their order.
    near: u32,
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
        other.near.cmp(&self.near)
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
    /// The boxes around eight drawables each, if there are any.
    pub(crate) groups: Option<&'b Boxes>,
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
    /// The ray up to the limit, and somewhat further.
    ray: Ray,
    wide: Option<(&'r WideWorlds, DVec3)>,
    steps: BinaryHeap<Step>,
    /// The distances to the boxes of the last test.
    nears: [f32; BLOCK],
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
        let mut cast = Cast { ray: *ray, wide, steps: BinaryHeap::new(), nears: [0.0; BLOCK] };
        cast.steps.try_reserve(BLOCK)?;
        cast.slices(self)?;
        while let Some(Step { near, slice: id, what }) = cast.steps.pop() {
            if f32::from_bits(near) > cast.ray.length() {
                break;
            }
            let slice = self.view(id);
            let Some(boxes) = cast.boxes(slice) else { continue };
            let records = slice.drawables().records();
            match what {
                What::Slice => {
                    let slack = cast.slack(boxes.own);
                    for first in 0..boxes.blocks.blocks() {
                        let touched = cast.touched((boxes.origin, slack), (boxes.blocks, first), None);
                        cast.push(touched, |at| (id, What::Block(short(first * BLOCK + at))))?;
                    }
                }
                What::Block(block) => {
                    let block = usize::from(block);
                    let Some(around) = boxes.blocks.get(block) else { continue };
                    let place = (boxes.origin, cast.slack(&around));
                    let groups = boxes.groups.and_then(|groups| groups.groups().get(block));
                    let touched = cast.touched(place, (boxes.drawables, block), groups);
                    cast.push(touched & slice.drawables().live_word(block), |at| {
                        let slot = block * BLOCK + at;
                        // Worlds are far apart in memory, so each is asked for before its turn.
                        simd::prefetch_whole(slice.transforms().worlds(), records[slot].slot.into());
                        (id, What::Drawable(short(slot)))
                    })?;
                }
                What::Drawable(slot) => {
                    let slot = usize::from(slot);
                    let record = &records[slot];
                    if sieve.admits(self, record) {
                        let limit = met(Met { slice, slot, world: cast.world(slice, record.slot.into()) })?;
                        cast.ray = ray.up_to(rounded(limit * (1.0 + 1e-6))).unwrap_or(cast.ray);
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
            return self.find(core::slice::from_ref(frustum), sieve, |found| {
                let world = found.slice.transforms().worlds()[usize::from(found.record().slot)].to_wide();
                met(Met { slice: found.slice, slot: found.slot, world }, around(found.bounds(), DVec3::ZERO));
            });
        };
        worlds.find(self, (eye, frustum), sieve, |(slice, wide), slot, record| {
            let boxes = wide.around();
            let bounds = boxes.drawables.get(slot).unwrap_or(Aabb::EMPTY);
            let world = wide.placed(eye, record.slot.into());
            met(Met { slice, slot, world }, around(bounds, boxes.origin - eye));
        });
    }
}

impl<'r> Cast<'r> {
    /// Lists the slices whose boxes the ray enters.
    fn slices(&mut self, store: &'r Store) -> Result<(), TryReserveError> {
        let (order, boxes) = (store.slices.in_tree(), &store.slices.boxes);
        match self.wide {
            None => {
                for (block, slices) in order.chunks(BLOCK).enumerate() {
                    let Some(around) = boxes.blocks.get(block) else { continue };
                    let place = (DVec3::ZERO, self.slack(&around));
                    let touched = self.touched(place, (&boxes.slices, block), None);
                    self.push(touched, |at| (slices[at], What::Slice))?;
                }
            }
            Some((worlds, eye)) => {
                for &number in order {
                    let Some(boxes) = worlds.slice(number).map(WideSlice::around) else { continue };
                    let (near, far) = slabs(&self.ray, boxes.origin - eye, boxes.own);
                    if near <= far {
                        self.nears[0] = below(near);
                        self.push(1, |_| (number, What::Slice))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Lists the boxes that the last test has found.
    fn push(&mut self, touched: u64, step: impl Fn(usize) -> (SliceId, What)) -> Result<(), TryReserveError> {
        self.steps.try_reserve(touched.count_ones() as usize)?;
        for at in ones(touched) {
            let (slice, what) = step(at);
            self.steps.push(Step { near: self.nears[at].to_bits(), slice, what });
        }
        Ok(())
    }

    fn boxes<'b>(&self, slice: SliceView<'b>) -> Option<Around<'b>>
    where
        'r: 'b,
    {
        match self.wide {
            None => {
                let SliceBoxes { drawables, groups, blocks, own, .. } = slice.boxes()?;
                Some(Around { origin: DVec3::ZERO, drawables, groups: Some(groups), blocks, own })
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

    /// Returns which boxes of a block the ray enters. They are relative to `origin`, and rounding may cost a test `slack`.
    /// `around` has boxes around those of each group.
    #[inline]
    fn touched(
        &mut self,
        (origin, slack): (DVec3, f32),
        (boxes, block): (&Boxes, usize),
        around: Option<&BoxGroup>,
    ) -> u64 {
        if self.wide.is_none() && slack.is_finite() {
            return simd::boxes::enter((boxes.block(block), around), &self.ray, slack, &mut self.nears);
        }
        // The slice may be so far from the eye that single precision does not do; or some boxes are infinite.
        let mut touched = 0;
        for at in 0..BLOCK {
            let Some(bounds) = boxes.get(block * BLOCK + at).filter(|bounds| !bounds.is_empty()) else { continue };
            let slack = if self.wide.is_some() { 0.0 } else { self.slack(&bounds) };
            let bounds = Aabb::new(bounds.min - slack, bounds.max + slack);
            let (near, far) = slabs(&self.ray, origin, &bounds);
            if near <= far.min(self.ray.length().into()) {
                self.nears[at] = below(near);
                touched |= 1 << at;
            }
        }
        touched
    }
}

/// What a corner of a world box may be off by, as a share of the greatest coordinate. It is a sum of a translation and
/// three products. Each has at most four roundings, of 2⁻²⁴, and in all they may be eight times as great as their sum.
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

/// Returns a distance in single precision that is less by no more than rounding, and not a negative zero.
fn below(near: f64) -> f32 {
    rounded(near * (1.0 - 1e-7)).abs()
}

#[expect(clippy::cast_possible_truncation, reason = "the end has a margin that exceeds rounding")]
fn rounded(end: f64) -> f32 {
    end as f32
}
