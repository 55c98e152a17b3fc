//! Looking into several slices at a time.

use crate::pass::cull::{Found, Probe, Stop};
use crate::pass::threads::several_threads;
use crate::slice::Store;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

/// With fewer shapes than this in the slices to look into, one thread is done before another has begun.
const WORTH_SHARING: usize = 32_768;
/// A task looks into slices of about this many shapes.
const GRAIN: usize = 8192;

impl Store {
    /// What `pick` makes of the shapes that looking into these slices finds, as lists that follow one another in the order
    /// of the slices; `None` if that is too little to be shared.
    pub(in crate::pass) fn search<'s, P: Probe, T: Send>(
        &'s self,
        route: &[Stop],
        probes: &[P],
        layers: u32,
        pick: impl Fn(Found<'s>) -> Option<T> + Sync,
    ) -> Option<Vec<Vec<T>>> {
        if route.len() < 2 || !several_threads() {
            return None;
        }
        let shapes = |stop: &Stop| self.slice(stop.slice).shapes.slots.end() as usize;
        if route.iter().map(shapes).sum::<usize>() < WORTH_SHARING {
            return None;
        }
        let mut seen = 0;
        let legs: Vec<&[Stop]> = route
            .chunk_by(|stop, _| {
                seen += shapes(stop);
                let full = seen >= GRAIN;
                if full {
                    seen = 0;
                }
                !full
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
