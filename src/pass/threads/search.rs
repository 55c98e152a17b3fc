//! Searches several slices at a time, for draws only, because one thread finds handles as fast as memory can be copied.

use crate::pass::DrawList;
use crate::pass::cull::{Found, Probe, Stop};
use crate::pass::detail::DetailView;
use crate::pass::draw::VisibleDraw;
use crate::store::Store;
use hedgerow_math::internal::sharing::is_worth_sharing;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelBridge, ParallelIterator};

/// The least number of tasks to share, because one thread finishes fewer before a second thread starts.
const WORTH_SHARING: usize = 4;

impl Store {
    /// Returns the results of `pick` for the drawables found in these slices, as lists in the order of the slices.
    /// Returns `None` if there is too little work to share. A task searches whole slices, about `grain` drawables.
    pub(in crate::pass) fn search<'s, P: Probe, T: Send>(
        &'s self,
        route: (&[Stop], usize),
        probes: &[P],
        layers: u32,
        pick: impl Fn(Found<'s>) -> Option<T> + Sync,
    ) -> Option<Vec<Vec<T>>> {
        let mut lists = Vec::new();
        self.search_into(route, probes, layers, pick, &mut lists).then_some(lists)
    }

    /// Like [`Self::search`], but reuses lists. Returns `false`, and does nothing, if there is too little work.
    pub(in crate::pass) fn search_into<'s, P: Probe, T: Send>(
        &'s self,
        (route, grain): (&[Stop], usize),
        probes: &[P],
        layers: u32,
        pick: impl Fn(Found<'s>) -> Option<T> + Sync,
        lists: &mut Vec<Vec<T>>,
    ) -> bool {
        let drawables = |stop: &Stop| self.view(stop.slice).drawables().len();
        if route.len() < 2 || !is_worth_sharing(route.iter().map(drawables).sum(), WORTH_SHARING * grain) {
            return false;
        }
        let mut seen = 0;
        let legs: Vec<&[Stop]> = route
            // Legs depend on the scene alone, not on the threads, so lists have the same order everywhere.
            .split_inclusive(|stop| {
                seen += drawables(stop);
                let full = seen >= grain;
                if full {
                    seen = 0;
                }
                full
            })
            .collect();
        lists.resize_with(legs.len(), Vec::new);
        legs.into_par_iter().zip(lists).for_each(|(leg, list)| {
            list.clear();
            self.look_into(leg, probes, layers, &mut |found| list.extend(pick(found)));
        });
        true
    }
}

/// Fills the list of each view with the draws that it sees, in the order of `seen`.
pub(in crate::pass) fn list_seen(
    store: &Store,
    seen: &[Vec<VisibleDraw>],
    details: &[Option<DetailView<'_>>],
    lists: &mut [&mut DrawList],
) {
    // Lists differ in length. The list that was longest before is filled first; each free thread takes the next list.
    let mut views: Vec<(usize, &mut &mut DrawList)> = lists.iter_mut().enumerate().collect();
    views.sort_by_key(|(_, list)| core::cmp::Reverse(list.len()));
    views.into_iter().par_bridge().for_each(|(view, list)| {
        let detail = details[view];
        let mut filling = list.begin_replacing(store, None, detail);
        for seen in seen.iter().flatten().filter(|seen| seen.views >> view & 1 != 0) {
            filling.push_seen((store, store.view(seen.slot.slice_id())), seen);
        }
        list.finish_replacing();
    });
}
