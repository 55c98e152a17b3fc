//! Searches several slices at a time, for draws. Handles are found as fast as they are copied, by one thread.

use crate::pass::cull::{Found, Probe, Stop};
use crate::store::Store;
use crate::threads::is_worth_sharing;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// With fewer tasks than this, one thread finishes before another has started.
const WORTH_SHARING: usize = 4;

impl Store {
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
        if route.len() < 2 || !is_worth_sharing(route.iter().map(shapes).sum(), WORTH_SHARING * grain) {
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
