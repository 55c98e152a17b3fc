//! Searches several slices at a time.

use crate::pass::cull::{Found, Probe, Stop};
use crate::store::Store;
use crate::threads::is_worth_sharing;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// With fewer tasks than this, one thread finishes before another has started.
const WORTH_SHARING: usize = 4;

impl Store {
    /// Appends to the list what `pick` makes of the shapes found in these slices, in the order of the slices. Returns
    /// `false` where that is too little work to share, and has done nothing then.
    ///
    /// Handles are found nearly as fast as they are copied. So there is one part for each thread, the first of which
    /// goes into the list itself.
    pub(in crate::pass) fn gather<'s, P: Probe, T: Send>(
        &'s self,
        (route, grain): (&[Stop], usize),
        probes: &[P],
        layers: u32,
        pick: &(impl Fn(Found<'s>) -> Option<T> + Sync),
        list: &mut Vec<T>,
    ) -> bool {
        let shapes = self.shapes_in(route);
        let is_shared = route.len() >= 2 && is_worth_sharing(shapes, WORTH_SHARING * grain);
        if is_shared {
            let parts = rayon::current_num_threads().min(shapes / grain);
            self.gather_parts((route, parts), probes, layers, pick, list);
        }
        is_shared
    }

    fn gather_parts<'s, P: Probe, T: Send>(
        &'s self,
        (route, parts): (&[Stop], usize),
        probes: &[P],
        layers: u32,
        pick: &(impl Fn(Found<'s>) -> Option<T> + Sync),
        list: &mut Vec<T>,
    ) {
        if parts < 2 || route.len() < 2 {
            return self.look_into(route, probes, layers, &mut |found| list.extend(pick(found)));
        }
        let here = parts.div_ceil(2);
        let share = self.shapes_in(route) * here / parts;
        let mut seen = 0;
        let place = route.iter().position(|stop| {
            seen += self.view(stop.slice).shapes().len();
            seen >= share
        });
        let (left, right) = route.split_at(place.map_or(route.len() / 2, |place| place + 1).min(route.len() - 1));
        let ((), behind) = rayon::join(
            || self.gather_parts((left, here), probes, layers, pick, list),
            || {
                let mut behind = Vec::with_capacity(self.shapes_in(right));
                self.gather_parts((right, parts - here), probes, layers, pick, &mut behind);
                behind
            },
        );
        list.extend(behind);
    }

    /// How many shapes these slices have.
    fn shapes_in(&self, route: &[Stop]) -> usize {
        route.iter().map(|stop| self.view(stop.slice).shapes().len()).sum()
    }

    /// What `pick` makes of the shapes found in these slices, as lists in the order of the slices. `None` if there is
    /// too little work to share. A task searches slices with about `grain` shapes.
    pub(in crate::pass) fn search<'s, P: Probe, T: Send>(
        &'s self,
        (route, grain): (&[Stop], usize),
        probes: &[P],
        layers: u32,
        pick: impl Fn(Found<'s>) -> Option<T> + Sync,
    ) -> Option<Vec<Vec<T>>> {
        let shapes = |stop: &Stop| self.view(stop.slice).shapes().len();
        if route.len() < 2 || !is_worth_sharing(self.shapes_in(route), WORTH_SHARING * grain) {
            return None;
        }
        let mut seen = 0;
        let legs: Vec<&[Stop]> = route
            .split_inclusive(|stop| {
                seen += shapes(stop);
                let full = seen >= grain;
                if full {
                    seen = 0;
                }
                full
            })
            .collect();
        let look = |leg: &[Stop]| {
            let mut list = Vec::new();
            self.look_into(leg, probes, layers, &mut |found| {
                if let Some(picked) = pick(found) {
                    list.push(picked);
                }
            });
            list
        };
        Some(legs.into_par_iter().map(look).collect())
    }
}
