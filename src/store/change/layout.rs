//! Which matrix arrays changed, and when: for users who keep copies of them, and for readers of changes.

use crate::store::change::Numbers;
use crate::store::work;
use crate::store::{Slice, Slices, Store};
use std::collections::TryReserveError;

/// A log shorter than this is not weeded out.
const FEW: usize = 64;

/// In which frame each slice last changed, and the slices whose arrays got a new layout since the last update.
///
/// A frame is an update that had anything to tell. Every layout has its own number, so a copy of one is never mistaken
/// for another one, in the same slice or in a slice that reuses its number.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Layouts {
    /// The last layout number that was issued.
    pub(in crate::store) issued: u64,
    /// The value of `issued` at the last update.
    pub(in crate::store) told: u64,
    /// Slices with a new layout since the last update; others may be listed too.
    pub(in crate::store) relaid: Numbers,
    /// Numbers of slices that were removed since the last update; some are in use again.
    pub(in crate::store) gone: Numbers,
    /// Slices that changed or were removed, each with the frame, in ascending order of frames. An entry counts if the
    /// slice has the same frame in [`Slice::told_in`]; others are weeded out, so this has at most twice as many entries
    /// as there are slices, or a few.
    pub(in crate::store) log: Vec<(u64, u32)>,
    /// The length at which the log is weeded out.
    limit: usize,
}

impl Layouts {
    /// The number of the newest layout that the last update knew of.
    pub(in crate::store) fn told(&self) -> u64 {
        self.told
    }

    /// Whether there is anything to tell.
    pub(in crate::store) fn is_waiting(&self) -> bool {
        !self.relaid.is_empty() || !self.gone.is_empty()
    }

    /// Notes that a slice changed with the update of this frame.
    pub(in crate::store) fn list(&mut self, frame: u64, number: u32, slice: &mut Slice) {
        if core::mem::replace(&mut slice.told_in, frame) != frame {
            self.log.push((frame, number));
        }
    }

    /// The numbers of the slices that changed or were removed after a frame, each once.
    pub(in crate::store) fn since(&self, frame: u64, slices: &Slices) -> impl Iterator<Item = u32> + Clone {
        let start = self.log.partition_point(|&(told, _)| told <= frame);
        self.log[start..].iter().filter(|entry| counts(entry, slices)).map(|&(_, number)| number)
    }

    /// Removes the entries of the log that do not count.
    pub(in crate::store) fn weed_out(&mut self, slices: &Slices) {
        work::slices(self.log.len());
        self.log.retain(|entry| counts(entry, slices));
        self.limit = 2 * self.log.len();
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        self.relaid.bytes() + self.gone.bytes() + self.log.capacity() * size_of::<(u64, u32)>()
    }
}

/// Whether an entry is the last one of its slice. Records of slices that no longer exist are freed only after their
/// other entries were weeded out.
fn counts(&(frame, number): &(u64, u32), slices: &Slices) -> bool {
    slices.get(number as usize).is_none_or(|slice| slice.told_in == frame)
}

impl Store {
    /// Makes room to list every slice.
    pub(in crate::store) fn reserve_layouts(&mut self) -> Result<(), TryReserveError> {
        self.layouts.relaid.try_reserve(self.slices.len())
    }

    /// Notes that the slots of a slice have moved.
    pub(in crate::store) fn note_layout(&mut self, number: u32) {
        let Self { slices, layouts, .. } = self;
        layouts.issued += 1;
        let before = core::mem::replace(&mut slices[number as usize].layout, layouts.issued);
        if before <= layouts.told {
            layouts.relaid.add(number);
        }
    }

    /// Notes that a slice was removed.
    pub(in crate::store) fn note_gone(&mut self, number: u32) {
        self.layouts.gone.add(number);
    }

    /// Lists what edits noted since the last update, in the frame of this one.
    pub(in crate::store) fn begin_layouts(&mut self) {
        let Self { slices, layouts, frames, .. } = self;
        layouts.told = layouts.issued;
        if layouts.log.len() >= layouts.limit.max(FEW) {
            layouts.weed_out(slices);
        }
        if !layouts.is_waiting() {
            return;
        }
        let relaid = core::mem::take(&mut layouts.relaid);
        for number in relaid.iter() {
            if let Some(slice) = slices.get_mut(number as usize).filter(|slice| slice.is_in_use()) {
                layouts.list(*frames, number, slice);
            }
        }
        let mut gone = core::mem::take(&mut layouts.gone);
        for number in gone.distinct() {
            match slices.get_mut(number as usize) {
                Some(slice) if slice.is_in_use() => {}
                Some(slice) => layouts.list(*frames, number, slice),
                None => layouts.log.push((*frames, number)),
            }
        }
        layouts.relaid = relaid.emptied();
        layouts.gone = gone.emptied();
    }
}

#[cfg(test)]
mod tests {
    use crate::{Node, NodeHandle, Scene, SceneConfig, Transform};

    #[test]
    fn the_log_stays_short_however_many_updates_there_are_and_is_weeded_out_rarely() {
        const SLICES: usize = 100;
        let mut scene = Scene::with_config(SceneConfig::DEFAULT).unwrap();
        let node = Node::transform(Transform::IDENTITY);
        let tops: Vec<NodeHandle> = (0..SLICES)
            .map(|_| {
                let top = scene.insert(scene.root(), node).unwrap();
                scene.isolate(top).unwrap();
                top
            })
            .collect();
        scene.update();
        let mut turn = 0.0;
        let mut move_some = |scene: &mut Scene, count: usize| {
            turn += 1.0;
            tops[..count].iter().for_each(|&top| scene.set_local(top, Transform::from_xyz(turn, 0.0, 0.0)).unwrap());
            scene.update();
            scene.store.layouts.log.len()
        };
        // Each update adds an entry for each slice, after which none of the earlier ones counts.
        for _ in 0..200 {
            let len = move_some(&mut scene, SLICES);
            assert!(len <= 3 * (SLICES + 1), "{len} entries");
        }
        // One entry each: the log is gone through whenever it has doubled.
        let mut weeded = 0;
        let mut before = scene.store.layouts.log.len();
        for _ in 0..1000 {
            let len = move_some(&mut scene, 1);
            assert!(len <= 3 * (SLICES + 1), "{len} entries");
            weeded += usize::from(len <= before);
            before = len;
        }
        assert!((1..=1000 / SLICES + 2).contains(&weeded), "weeded out {weeded} times");
        scene.validate().unwrap();
    }
}
