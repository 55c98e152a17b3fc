//! Finds the shapes that something touches: goes from tree boxes to slices, from blocks to boxes, eight at a time.
//!
//! A walk tests several probes at once and reports for each shape which of them touch it. What is entirely inside a
//! probe is taken without further tests. First the walk finds the slices to search, in the tree order of
//! [`Scene::visit_slices`](crate::Scene::visit_slices). Then these are searched one by one, or several at a time
//! (`threads`): no state is kept between two slices.

use crate::Aabb;
use crate::NodeHandle;
use crate::pass::DrawList;
use crate::pass::draw::{Listing, Seen};
use crate::store::{At, BoxView, ShapeRecord, SliceView, Store};
use hedgerow_math::internal as simd;
use hedgerow_math::internal::{BLOCK, BoxGroup, GROUP};
use hedgerow_math::{Frustum, Ray, Sphere};
use smallvec::SmallVec;

/// The greatest number of probes in a walk.
pub(crate) const MOST_PROBES: usize = 32;

/// The least number of shapes to search that is worth a task of its own (feature `rayon`), if they are listed as draws.
#[cfg(feature = "rayon")]
const DRAW_GRAIN: usize = 2048;

/// How many groups of boxes, of blocks or of child slices, are tested at once.
const GROUPS: usize = BLOCK / GROUP;

/// What boxes are tested against, in up to eight groups at a time; see `simd::boxes`.
pub(crate) trait Probe: Sync {
    /// Which boxes are touched.
    fn touched(&self, groups: &[BoxGroup]) -> u64;

    /// Which boxes are touched, and for which of these everything inside is touched too.
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

/// A shape that is touched.
pub(crate) struct Found<'s> {
    pub(crate) slice: SliceView<'s>,
    slot: usize,
    /// The node's handle, as bits.
    node: u64,
    /// The probes that touch it, one bit each.
    pub(crate) probes: u32,
}

impl<'s> Found<'s> {
    /// The node that has the shape.
    #[inline]
    pub(crate) fn node(&self) -> Option<NodeHandle> {
        NodeHandle::from_bits(self.node)
    }

    #[inline]
    pub(crate) fn record(&self) -> &'s ShapeRecord {
        &self.slice.shapes().records()[self.slot]
    }

    /// The shape's world box.
    pub(crate) fn bounds(&self) -> Aabb {
        self.slice.shapes().world_box(self.slot)
    }
}

/// The probes that touch a box, and those that contain it entirely, one bit each.
#[derive(Clone, Copy, Debug)]
struct Touch {
    active: u32,
    inside: u32,
}

/// The result of each probe for up to 64 boxes.
struct Answers {
    touched: [u64; MOST_PROBES],
    inside: [u64; MOST_PROBES],
    /// The boxes that any probe touches.
    any: u64,
}

impl Answers {
    /// Tests the probes that are still undecided; probes that contain everything need no test.
    fn ask<P: Probe>(probes: &[P], touch: Touch, groups: &[BoxGroup]) -> Self {
        let mut answers = Self { touched: [0; MOST_PROBES], inside: [0; MOST_PROBES], any: 0 };
        for (index, probe) in probes.iter().enumerate().filter(|(index, _)| touch.active >> index & 1 != 0) {
            let (touched, inside) =
                if touch.inside >> index & 1 != 0 { (u64::MAX, u64::MAX) } else { probe.touched_and_inside(groups) };
            answers.touched[index] = touched;
            answers.inside[index] = inside;
            answers.any |= touched;
        }
        answers
    }

    /// The results for one box.
    fn of(&self, count: usize, at: usize) -> Touch {
        let bits = |words: &[u64; MOST_PROBES]| {
            words[..count].iter().enumerate().fold(0, |bits, (index, word)| bits | ((word >> at & 1) as u32) << index)
        };
        Touch { active: bits(&self.touched), inside: bits(&self.inside) }
    }
}

/// The set bits of a word, lowest first.
fn ones(mut word: u64) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let at = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        at
    })
}

/// Prefetches the lines of the block that is searched next: blocks are far apart, and each is too short for the
/// hardware prefetcher. If the whole block is inside the first probe, which is often the only one, its boxes are not
/// read.
#[inline]
fn prefetch_block(boxes: BoxView<'_>, block: usize, whole: bool) {
    if !whole {
        for group in boxes.shapes().block(block) {
            simd::prefetch(&group.min, 0);
            simd::prefetch(&group.min, 2);
            simd::prefetch(&group.max, 1);
        }
    }
    for slot in (block * BLOCK..(block + 1) * BLOCK).step_by(8) {
        simd::prefetch(boxes.nodes(), slot);
    }
}

/// A slice to search, and the result of the boxes above for everything below it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stop {
    pub(super) slice: u32,
    touch: Touch,
}

/// Slices to search; the first few without an allocation.
type Route = SmallVec<[Stop; 64]>;

/// The slices to search, in tree order, and those that a walk has yet to see. Kept to save allocations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    route: Vec<Stop>,
    pending: Vec<Stop>,
    /// What tasks found for several views.
    #[cfg(feature = "rayon")]
    seen: Vec<Vec<Seen>>,
}

impl Walk {
    pub(crate) const EMPTY: Self = Self {
        route: Vec::new(),
        pending: Vec::new(),
        #[cfg(feature = "rayon")]
        seen: Vec::new(),
    };
}

/// A list of stops, on the stack or kept.
trait Stops: core::ops::DerefMut<Target = [Stop]> {
    fn push(&mut self, stop: Stop);
    fn pop(&mut self) -> Option<Stop>;
    fn clear(&mut self);
}

impl Stops for Vec<Stop> {
    #[inline]
    fn push(&mut self, stop: Stop) {
        self.push(stop);
    }

    #[inline]
    fn pop(&mut self) -> Option<Stop> {
        self.pop()
    }

    fn clear(&mut self) {
        self.clear();
    }
}

impl Stops for Route {
    #[inline]
    fn push(&mut self, stop: Stop) {
        self.push(stop);
    }

    #[inline]
    fn pop(&mut self) -> Option<Stop> {
        self.pop()
    }

    fn clear(&mut self) {
        self.clear();
    }
}

impl Store {
    /// Lists what `pick` makes of every shape that some probe touches and that is visible on some of the layers.
    /// Replaces the contents of the list.
    ///
    /// Uses the world matrices of the last update. A shape affected by edits since is tested one by one; slices that
    /// wait for the update are searched whatever the boxes above say.
    pub(crate) fn find<'s, P: Probe, T>(
        &'s self,
        probes: &[P],
        layers: u32,
        list: &mut Vec<T>,
        pick: impl Fn(Found<'s>) -> Option<T>,
    ) {
        list.clear();
        let (mut route, mut pending) = (Route::new(), Route::new());
        self.route(probes, &mut route, &mut pending);
        self.look_into(&route, probes, layers, &mut |found| {
            if let Some(picked) = pick(found) {
                list.push(picked);
            }
        });
    }

    /// Like [`Self::find`], for draws: lists the shapes themselves.
    pub(crate) fn find_draws<P: Probe>(&self, probe: &P, layers: u32, walk: &mut Walk, listing: &mut Listing) {
        let probes = core::slice::from_ref(probe);
        let Walk { route, pending, .. } = walk;
        self.route(probes, route, pending);
        #[cfg(feature = "rayon")]
        if let Some(found) =
            self.search((route, DRAW_GRAIN), probes, layers, |found| Some((found.slice, found.record())))
        {
            listing.list_found(self, found);
            return;
        }
        listing.clear();
        self.look_into(route, probes, layers, &mut |found| listing.push(found.slice, found.record()));
    }

    /// Like [`Self::find_draws`], for several probes in one walk, each with its layers and its list, whose contents are
    /// replaced. What is listed for a shape is made once, however many probes touch it.
    pub(crate) fn find_views<P: Probe>(
        &self,
        probes: &[P],
        layers: &[u32],
        walk: &mut Walk,
        lists: &mut [&mut DrawList],
    ) {
        self.route(probes, &mut walk.route, &mut walk.pending);
        let any = layers.iter().fold(0, |any, layers| any | layers);
        // All see the same of what `look_into` finds if their layers are the same.
        let alike = layers.iter().all(|&layers| layers == any);
        let see = |found: Found<'_>| {
            let record = found.record();
            let mut views = found.probes;
            if !alike {
                let mask = found.slice.visibilities().masks()[record.visibility as usize];
                views =
                    ones(views.into()).filter(|&view| mask & layers[view] != 0).fold(0, |all, view| all | 1 << view);
            }
            if views == 0 { None } else { Seen::of(found.slice, record, views) }
        };
        #[cfg(feature = "rayon")]
        if self.search_into((&walk.route, DRAW_GRAIN), probes, any, see, &mut walk.seen) {
            return crate::pass::threads::list_seen(self, &walk.seen, lists);
        }
        let mut listings: SmallVec<[&mut Listing; MOST_PROBES]> =
            lists.iter_mut().map(|list| list.begin_replacing()).collect();
        self.look_into(&walk.route, probes, any, &mut |found| {
            if let Some(seen) = see(found) {
                ones(seen.views.into()).for_each(|view| listings[view].push_seen(self, &seen));
            }
        });
        drop(listings);
        lists.iter_mut().for_each(|list| list.finish_replacing());
    }

    /// Lists the slices that may hold shapes that some probe touches.
    fn route<P: Probe>(&self, probes: &[P], route: &mut impl Stops, pending: &mut impl Stops) {
        debug_assert!(probes.len() <= MOST_PROBES);
        let all = Touch {
            active: u32::MAX.checked_shr(u32::BITS - u32::try_from(probes.len()).unwrap_or(u32::BITS)).unwrap_or(0),
            inside: 0,
        };
        route.clear();
        pending.clear();
        pending.push(Stop { slice: At::ROOT.slice, touch: all });
        while let Some(stop) = pending.pop() {
            route.push(stop);
            let slice = self.view(stop.slice);
            let first = pending.len();
            self.find_children(slice, probes, (stop.touch, all), pending);
            pending[first..].reverse();
        }
    }

    /// Calls `found` with the shapes of these slices that some probe touches.
    pub(super) fn look_into<'s, P: Probe>(
        &'s self,
        route: &[Stop],
        probes: &[P],
        layers: u32,
        found: &mut impl FnMut(Found<'s>),
    ) {
        for &Stop { slice, touch } in route {
            find_shapes(self.view(slice), probes, touch, layers, found);
        }
    }

    /// Lists the child slices that some probe touches or that wait for the update.
    fn find_children<P: Probe>(
        &self,
        slice: SliceView<'_>,
        probes: &[P],
        (touch, all): (Touch, Touch),
        pending: &mut impl Stops,
    ) {
        let Some(boxes) = slice.boxes() else { return };
        for (children, groups) in slice.children().chunks(BLOCK).zip(boxes.children().groups().chunks(GROUPS)) {
            let answers = Answers::ask(probes, touch, groups);
            if slice.is_marked() {
                for (at, &child) in children.iter().enumerate() {
                    let touch = if self.view(child).is_marked() { all } else { answers.of(probes.len(), at) };
                    if touch.active != 0 {
                        pending.push(Stop { slice: child, touch });
                    }
                }
            } else {
                let end = u64::MAX >> (BLOCK - children.len());
                let stop = |at| Stop { slice: children[at], touch: answers.of(probes.len(), at) };
                ones(answers.any & end).for_each(|at| pending.push(stop(at)));
            }
        }
    }
}

/// Calls `found` with the slice's own shapes that some probe touches.
fn find_shapes<'s, P: Probe>(
    slice: SliceView<'s>,
    probes: &[P],
    touch: Touch,
    layers: u32,
    found: &mut impl FnMut(Found<'s>),
) {
    let Some(boxes) = slice.boxes() else { return };
    if slice.is_marked() {
        find_stale(slice, boxes, probes, layers, found);
    }
    // If a slice has no slices below, the box above was that of its own shapes.
    let alone = boxes.children().is_empty() && !slice.is_marked();
    let touch =
        if alone { touch } else { Answers::ask(probes, touch, &[BoxGroup::of(boxes.own())]).of(probes.len(), 0) };
    if touch.active == 0 {
        return;
    }
    for (first, groups) in (0..).step_by(BLOCK).zip(boxes.blocks().groups().chunks(GROUPS)) {
        let answers = Answers::ask(probes, touch, groups);
        let last = boxes.present().len() - first;
        let end = if last >= BLOCK { u64::MAX } else { (1 << last) - 1 };
        let mut touched = ones(answers.any & end).peekable();
        while let Some(at) = touched.next() {
            if let Some(&next) = touched.peek() {
                let whole = answers.inside[0] >> next & 1 != 0;
                prefetch_block(boxes, first + next, whole);
            }
            find_in_block(slice, boxes, first + at, probes, answers.of(probes.len(), at), layers, found);
        }
    }
}

fn find_in_block<'s, P: Probe>(
    slice: SliceView<'s>,
    boxes: BoxView<'_>,
    block: usize,
    probes: &[P],
    touch: Touch,
    layers: u32,
    found: &mut impl FnMut(Found<'s>),
) {
    let present = boxes.present()[block];
    if present == 0 {
        // Edits may have removed the whole block, and shortened the records before it.
        return;
    }
    let touched = |index: usize| {
        let whole = touch.inside >> index & 1 != 0;
        if whole { present } else { probes[index].touched(boxes.shapes().block(block)) & present }
    };
    let (first, nodes) = (block * BLOCK, &boxes.nodes()[block * BLOCK..]);
    let masks = slice.visibilities().masks();
    // If no node has a visibility, all have the one that the slice inherits.
    let uniform = masks.len() == 1;
    if uniform && masks[0] & layers == 0 {
        return;
    }
    let mut show = |at: usize, probes: u32| {
        if uniform || masks[slice.shapes().records()[first + at].visibility as usize] & layers != 0 {
            found(Found { slice, slot: first + at, node: nodes[at], probes });
        }
    };
    if touch.active.is_power_of_two() {
        ones(touched(touch.active.trailing_zeros() as usize)).for_each(|at| show(at, touch.active));
        return;
    }
    // The probes that touch each shape.
    let mut touching = [0; BLOCK];
    let mut any = 0;
    for index in ones(touch.active.into()) {
        let word = touched(index);
        any |= word;
        ones(word).for_each(|at| touching[at] |= 1 << index);
    }
    ones(any).for_each(|at| show(at, touching[at]));
}

/// Calls `found` with the shapes whose boxes wait for the update.
#[cold]
fn find_stale<'s, P: Probe>(
    slice: SliceView<'s>,
    boxes: BoxView<'_>,
    probes: &[P],
    layers: u32,
    found: &mut impl FnMut(Found<'s>),
) {
    let (masks, shapes) = (slice.visibilities().masks(), slice.shapes());
    for (block, &word) in boxes.stale_words().iter().enumerate() {
        for at in ones(word & shapes.live_word(block)) {
            let slot = block * BLOCK + at;
            let record = &shapes.records()[slot];
            if masks[record.visibility as usize] & layers == 0 {
                continue;
            }
            let mut shape = Found { slice, slot, node: record.node, probes: 0 };
            let group = [BoxGroup::of(&shape.bounds())];
            let touch = |(index, probe): (usize, &P)| ((probe.touched(&group) & 1) as u32) << index;
            shape.probes = probes.iter().enumerate().map(touch).fold(0, |bits, bit| bits | bit);
            if shape.probes != 0 {
                found(shape);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Node, Scene, SceneConfig, Shape, Transform};
    use core::sync::atomic::{AtomicUsize, Ordering};
    use glam::Vec4;

    /// A frustum that counts how often it is asked about boxes.
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

    #[test]
    fn probes_are_asked_about_what_is_undecided_alone() {
        let config = SceneConfig { bounds: true, min_nodes: 0, ..SceneConfig::DEFAULT };
        let mut scene = Scene::with_config(config).unwrap();
        // Two slices, one below the other, a kilometre apart along x. Each has two blocks of shapes.
        let tops = [0.0, 1000.0].map(|x| {
            let top = scene.insert(scene.root(), Node::group()).unwrap();
            for _ in 0..100 {
                let place = Node::transform(Transform::from_xyz(x, 0.0, 0.0));
                scene.insert(top, place.with_shape(Shape::new(1, Aabb::cube(1.0)))).unwrap();
            }
            top
        });
        scene.reparent(tops[1], tops[0], crate::Keep::Local).unwrap();
        scene.update();
        assert_eq!(scene.slice_count(), 3);
        // These see the lower slice, nothing, and everything.
        let probes = [500.0, 5000.0, -500.0].map(|x| {
            let (wall, any) = (Vec4::new(1.0, 0.0, 0.0, -x), Vec4::ZERO);
            let frustum = Frustum::from_planes([wall, any, any, any, any, any]).unwrap();
            Counted { frustum, asked: AtomicUsize::new(0) }
        });
        let mut found = Vec::new();
        scene.store.find(&probes, u32::MAX, &mut found, |found| Some(found.probes));
        assert_eq!(found, [[0b100; 100], [0b101; 100]].concat());
        // All are asked about what is below the root, and about the root's own shapes. The first is asked about what is
        // below the upper slice and about its own shapes, too.
        assert_eq!(probes.map(|probe| probe.asked.into_inner()), [4, 2, 2]);
    }
}
