//! Finds the drawables that shapes touch: tests boxes of slices, then of blocks, then of drawables, eight at a time.
//!
//! A walk tests several shapes at once, called *probes*. For each drawable it reports which probes touch the drawable.
//! The contents of a box that is entirely inside a probe are not tested again. The walk first lists the slices to
//! search, in the order of [`Scene::visit_slices`](crate::Scene::visit_slices). Then it searches the slices one by one,
//! or several at a time (`threads`), because no state is kept between slices.
//!
//! Boxes are those of the last update, except for nodes that were removed since.

use crate::Aabb;
use crate::pass::DrawList;
use crate::pass::detail::{DetailView, Filling, distance_in};
use crate::pass::draw::{Listing, VisibleDraw};
use crate::store::{DrawEntry, RecordId, SliceBoxes, SliceId, SliceView, Store, ones};
use hedgerow_math::internal as simd;
use hedgerow_math::internal::{BLOCK, BoxGroup, GROUP};
use hedgerow_math::{Boxes, Frustum, Ray, Sphere};
use smallvec::SmallVec;

/// The greatest number of probes in a walk.
pub(crate) const MOST_PROBES: usize = 32;

/// With the feature `rayon`, the least number of drawables that are worth a task of their own if listed as draws.
#[cfg(feature = "rayon")]
const DRAW_GRAIN: usize = 2048;

/// The number of groups of eight boxes that are tested at once.
const GROUPS: usize = BLOCK / GROUP;

/// A shape to test boxes against, in up to eight groups at a time; see `simd::boxes`.
pub trait Probe: Sync {
    /// Returns the boxes that the shape touches, one bit each.
    fn touched(&self, groups: &[BoxGroup]) -> u64;

    /// Returns the boxes that the shape touches, and the boxes that are entirely inside the shape, one bit each.
    fn touched_and_inside(&self, groups: &[BoxGroup]) -> (u64, u64) {
        (self.touched(groups), 0)
    }
}

impl Probe for Frustum {
    #[inline]
    fn touched(&self, groups: &[BoxGroup]) -> u64 {
        simd::boxes::in_frustum(groups, self).0
    }

    #[inline]
    fn touched_and_inside(&self, groups: &[BoxGroup]) -> (u64, u64) {
        simd::boxes::inside_frustum(groups, self)
    }
}

impl Probe for Aabb {
    fn touched(&self, groups: &[BoxGroup]) -> u64 {
        simd::boxes::in_box(groups, self).0
    }

    fn touched_and_inside(&self, groups: &[BoxGroup]) -> (u64, u64) {
        simd::boxes::in_box(groups, self)
    }
}

impl Probe for Sphere {
    fn touched(&self, groups: &[BoxGroup]) -> u64 {
        simd::boxes::in_sphere(groups, self)
    }
}

impl Probe for Ray {
    fn touched(&self, groups: &[BoxGroup]) -> u64 {
        simd::boxes::on_ray(groups, self)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sieve {
    /// The layers: a drawable must be visible on one of them.
    pub(crate) layers: u32,
    /// The drawable's node must be this node or a node below it.
    pub(crate) below: Option<RecordId>,
}

impl Sieve {
    #[inline]
    pub(crate) fn admits(self, store: &Store, record: &DrawEntry) -> bool {
        record.layers & self.layers != 0
            && self.below.is_none_or(|top| store.nodes.is_in_subtree(record.node.record(), top))
    }
}

pub(crate) struct Found<'s> {
    pub(crate) slice: SliceView<'s>,
    pub(super) slot: usize,
    /// The probes that touch the drawable, one bit each.
    pub(crate) probes: u32,
}

impl<'s> Found<'s> {
    #[inline]
    pub(crate) fn record(&self) -> &'s DrawEntry {
        &self.slice.drawables().records()[self.slot]
    }

    pub(crate) fn bounds(&self) -> Aabb {
        self.slice.boxes().and_then(|boxes| boxes.drawables.get(self.slot)).unwrap_or(Aabb::EMPTY)
    }
}

/// The probes that touch a box, and the probes that contain the whole box, one bit each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub(super) active: u32,
    pub(super) inside: u32,
}

/// For up to 64 boxes: which boxes each probe touches.
pub(super) struct Tests {
    touched: [u64; MOST_PROBES],
    pub(super) inside: [u64; MOST_PROBES],
    pub(super) any: u64,
}

impl Tests {
    /// Tests the active probes. A probe that contains the enclosing box also contains these boxes, so no test is run.
    pub(super) fn run<P: Probe>(probes: &[P], touch: Touch, groups: &[BoxGroup]) -> Self {
        let mut tests = Self { touched: [0; MOST_PROBES], inside: [0; MOST_PROBES], any: 0 };
        for (index, probe) in probes.iter().enumerate().filter(|(index, _)| touch.active >> index & 1 != 0) {
            let (touched, inside) =
                if touch.inside >> index & 1 != 0 { (u64::MAX, u64::MAX) } else { probe.touched_and_inside(groups) };
            tests.touched[index] = touched;
            tests.inside[index] = inside;
            tests.any |= touched;
        }
        tests
    }

    fn of(&self, count: usize, at: usize) -> Touch {
        let bits = |words: &[u64; MOST_PROBES]| {
            words[..count].iter().enumerate().fold(0, |bits, (index, word)| bits | ((word >> at & 1) as u32) << index)
        };
        Touch { active: bits(&self.touched), inside: bits(&self.inside) }
    }
}

/// Prefetches the cache lines of the next block. Blocks are far apart, and too short for the hardware prefetcher.
/// `whole` means that the block is inside the first probe, often the only one; the block's boxes are then not read.
#[inline]
fn prefetch_block(slice: SliceView<'_>, boxes: &SliceBoxes, block: usize, whole: bool) {
    if !whole {
        simd::prefetch_many(boxes.drawables.block(block), 0, GROUPS);
    }
    simd::prefetch_many(slice.drawables().records(), block * BLOCK, BLOCK);
}

/// A slice to search, and the probes that touch its box.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) slice: SliceId,
    touch: Touch,
}

/// The slices to search, in order. Reused to save allocations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    route: Vec<Stop>,
    #[cfg(feature = "rayon")]
    seen: Vec<Vec<VisibleDraw>>,
}

impl Walk {
    pub(crate) const EMPTY: Self = Self {
        route: Vec::new(),
        #[cfg(feature = "rayon")]
        seen: Vec::new(),
    };
}

impl Store {
    /// Calls `each` with each drawable that a probe touches and the sieve admits. Allocates nothing.
    ///
    /// Uses the boxes of the last update.
    pub(crate) fn find<'s, P: Probe>(&'s self, probes: &[P], sieve: Sieve, mut each: impl FnMut(Found<'s>)) {
        // Layers are tested below, so only the subtree is left to test.
        let everywhere = sieve.below.is_none();
        self.route(probes, |Stop { slice, touch }| {
            find_drawables(self.view(slice), probes, touch, sieve.layers, &mut |found: Found<'s>| {
                if everywhere || sieve.admits(self, found.record()) {
                    each(found);
                }
            });
        });
    }

    /// Like [`Self::find`], for draws: lists the drawables themselves.
    pub(crate) fn find_draws<P: Probe>(&self, probe: &P, layers: u32, walk: &mut Walk, listing: &mut Listing) {
        let probes = core::slice::from_ref(probe);
        let route = &mut walk.route;
        route.clear();
        self.route(probes, |stop| route.push(stop));
        #[cfg(feature = "rayon")]
        if let Some(found) =
            self.search((&*route, DRAW_GRAIN), probes, layers, |found| Some((found.slice, found.record())))
        {
            listing.list_found(self, found);
            return;
        }
        listing.clear();
        self.look_into(route, probes, layers, &mut |found| listing.push(found.slice, found.record()));
    }

    /// Like [`Self::find_draws`], for several probes in one walk, each with its own sieve and list. The command of a
    /// drawable is made once, even if several probes touch the drawable.
    pub(crate) fn find_views<P: Probe>(
        &self,
        probes: &[P],
        sieves: &[Sieve],
        details: &[Option<DetailView<'_>>],
        walk: &mut Walk,
        lists: &mut [&mut DrawList],
    ) {
        walk.route.clear();
        self.route(probes, |stop| walk.route.push(stop));
        // The walk skips what no view can show.
        let any = sieves.iter().fold(0, |any, sieve| any | sieve.layers);
        // If all sieves have the same layers and no other condition, `look_into` applies them.
        let alike = sieves.iter().all(|&sieve| sieve == Sieve { layers: any, below: None });
        let see = |found: Found<'_>| {
            let record = found.record();
            let mut views = found.probes;
            if !alike {
                let seen = ones(views.into()).filter(|&view| sieves[view].admits(self, record));
                views = seen.fold(0, |all, view| all | 1 << view);
            }
            (views != 0).then(|| VisibleDraw::of(found.slice, found.slot, views))
        };
        #[cfg(feature = "rayon")]
        if self.search_into((&walk.route, DRAW_GRAIN), probes, any, see, &mut walk.seen) {
            return crate::pass::threads::list_seen(self, &walk.seen, details, lists);
        }
        // The draws of a single view are written directly to its list.
        if let ([sieve], [list], &[detail]) = (sieves, &mut *lists, details) {
            let mut filling = list.begin_replacing(self, None, detail);
            self.look_into(&walk.route, probes, any, &mut |found| {
                let Found { slice, slot, .. } = found;
                if alike || sieve.admits(self, found.record()) {
                    filling.push((self, slice), found.record(), |eye| distance_in(slice, slot, eye));
                }
            });
            return list.finish_replacing();
        }
        let mut fillings: SmallVec<[Filling<'_>; MOST_PROBES]> =
            lists.iter_mut().zip(details).map(|(list, &detail)| list.begin_replacing(self, None, detail)).collect();
        self.look_into(&walk.route, probes, any, &mut |found| {
            let slice = found.slice;
            if let Some(seen) = see(found) {
                ones(seen.views.into()).for_each(|view| fillings[view].push_seen((self, slice), &seen));
            }
        });
        drop(fillings);
        lists.iter_mut().for_each(|list| list.finish_replacing());
    }

    /// Calls `stop`, in order, with each slice whose box a probe touches.
    pub(super) fn route<P: Probe>(&self, probes: &[P], mut stop: impl FnMut(Stop)) {
        debug_assert!(probes.len() <= MOST_PROBES);
        // One bit a probe. Without probes the shift would be by 32, which overflows.
        let active = u32::MAX.checked_shr(u32::BITS - u32::try_from(probes.len()).unwrap_or(u32::BITS)).unwrap_or(0);
        let (order, boxes) = (self.slices.in_tree(), &self.slices.boxes);
        each_touched(&boxes.blocks, probes, Touch { active, inside: 0 }, |block, touch, _| {
            let slices = order[block * BLOCK..].iter().take(BLOCK);
            let tests = Tests::run(probes, touch, boxes.slices.block(block));
            for (at, &slice) in slices.enumerate().filter(|(at, _)| tests.any >> at & 1 != 0) {
                stop(Stop { slice, touch: tests.of(probes.len(), at) });
            }
        });
    }

    /// Calls `found` with the drawables of these slices that a probe touches.
    pub(super) fn look_into<'s, P: Probe>(
        &'s self,
        route: &[Stop],
        probes: &[P],
        layers: u32,
        found: &mut impl FnMut(Found<'s>),
    ) {
        for &Stop { slice, touch } in route {
            find_drawables(self.view(slice), probes, touch, layers, found);
        }
    }
}

/// Calls `each` for each box that a probe touches, with the box's index and the probes. `each` also gets the index of
/// the next touched box in the same 64 boxes, and whether the first probe contains this next box.
pub(super) fn each_touched<P: Probe>(
    boxes: &Boxes,
    probes: &[P],
    touch: Touch,
    mut each: impl FnMut(usize, Touch, Option<(usize, bool)>),
) {
    for (first, groups) in (0..).step_by(BLOCK).zip(boxes.groups().chunks(GROUPS)) {
        let tests = Tests::run(probes, touch, groups);
        let last = boxes.len() - first;
        // The last word has bits of boxes past the end.
        let end = if last >= BLOCK { u64::MAX } else { (1 << last) - 1 };
        let mut touched = ones(tests.any & end).peekable();
        while let Some(at) = touched.next() {
            // The next box is passed along so that its cache lines arrive while this one is searched.
            let next = touched.peek().map(|&next| (first + next, tests.inside[0] >> next & 1 != 0));
            each(first + at, tests.of(probes.len(), at), next);
        }
    }
}

/// Calls `found` with the slice's drawables that a probe touches.
fn find_drawables<'s, P: Probe>(
    slice: SliceView<'s>,
    probes: &[P],
    touch: Touch,
    layers: u32,
    found: &mut impl FnMut(Found<'s>),
) {
    let Some(boxes) = slice.boxes() else { return };
    each_touched(&boxes.blocks, probes, touch, |block, touch, next| {
        if let Some((next, whole)) = next {
            prefetch_block(slice, boxes, next, whole);
        }
        find_in_block(slice, boxes, block, probes, touch, layers, found);
    });
}

fn find_in_block<'s, P: Probe>(
    slice: SliceView<'s>,
    boxes: &SliceBoxes,
    block: usize,
    probes: &[P],
    touch: Touch,
    layers: u32,
    found: &mut impl FnMut(Found<'s>),
) {
    let drawables = slice.drawables();
    // Boxes are those of the last update; a drawable that was removed since is not live.
    let present = boxes.present[block] & drawables.live_word(block);
    let uniform = drawables.all_visible();
    // All layers show the whole slice, so only an empty set of layers hides it.
    if present == 0 || uniform && layers == 0 {
        return;
    }
    let touched = |index: usize| {
        // A probe that contains the block touches all its boxes; their cache lines are not read.
        let whole = touch.inside >> index & 1 != 0;
        if whole { present } else { probes[index].touched(boxes.drawables.block(block)) & present }
    };
    let first = block * BLOCK;
    let mut show = |at: usize, probes: u32| {
        let slot = first + at;
        if uniform || drawables.records()[slot].layers & layers != 0 {
            found(Found { slice, slot, probes });
        }
    };
    // With one probe, the usual case, the hits need not be merged.
    if touch.active.is_power_of_two() {
        ones(touched(touch.active.trailing_zeros() as usize)).for_each(|at| show(at, touch.active));
        return;
    }
    // For each drawable of the block, the probes that touch it.
    let mut touching = [0; BLOCK];
    let mut any = 0;
    for index in ones(touch.active.into()) {
        let word = touched(index);
        any |= word;
        ones(word).for_each(|at| touching[at] |= 1 << index);
    }
    ones(any).for_each(|at| show(at, touching[at]));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Drawable, Node, Scene, SceneConfig, Transform};
    use core::sync::atomic::{AtomicUsize, Ordering};
    use glam::Vec4;

    struct Counted {
        frustum: Frustum,
        asked: AtomicUsize,
    }

    impl Probe for Counted {
        fn touched(&self, groups: &[BoxGroup]) -> u64 {
            self.asked.fetch_add(1, Ordering::Relaxed);
            self.frustum.touched(groups)
        }

        fn touched_and_inside(&self, groups: &[BoxGroup]) -> (u64, u64) {
            self.asked.fetch_add(1, Ordering::Relaxed);
            self.frustum.touched_and_inside(groups)
        }
    }

    /// Returns the half-space to the right of a plane across the x axis.
    fn right_of(x: f32) -> Frustum {
        let (wall, any) = (Vec4::new(1.0, 0.0, 0.0, -x), Vec4::ZERO);
        Frustum::from_planes([wall, any, any, any, any, any]).unwrap()
    }

    #[test]
    fn probes_are_asked_about_what_is_undecided_alone() {
        let config = SceneConfig { bounds: true, max_nodes: 128, ..SceneConfig::DEFAULT };
        let mut scene = Scene::with_config(config).unwrap();
        // Two slices a kilometre apart along x, each with two blocks of drawables.
        for x in [0.0, 1000.0] {
            let top = scene.insert(scene.root(), Node::group()).unwrap();
            for _ in 0..100 {
                let place = Node::transform(Transform::from_xyz(x, 0.0, 0.0));
                scene.insert(top, place.with_drawable(Drawable::new(1, Aabb::cube(1.0)))).unwrap();
            }
        }
        scene.update();
        assert!(scene.slices().map(|slice| slice.drawables().len()).eq([100, 100]));
        // The probes touch, in this order: the second slice, half of its drawables, nothing, and everything.
        let probes =
            [500.0, 1000.0, 5000.0, -500.0].map(|x| Counted { frustum: right_of(x), asked: AtomicUsize::new(0) });
        let mut found = Vec::new();
        scene.store.find(&probes, Sieve { layers: u32::MAX, below: None }, |at| found.push(at.probes));
        assert_eq!(found, [[0b1000; 100], [0b1011; 100]].concat());
        // All probes test the box around both slices. Probes that cut this box test each slice; probes that cut the
        // second slice test its blocks and the boxes in both blocks.
        assert_eq!(probes.map(|probe| probe.asked.into_inner()), [2, 5, 1, 1]);
    }
}
