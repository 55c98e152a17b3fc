//! Handles of instances.

use core::fmt;

/// A name for an instance of a [`Crowd`](crate::Crowd). It never refers to another instance, even after the removal of
/// its own: 8 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceHandle {
    index: u32,
    generation: u32,
}

impl fmt::Debug for InstanceHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "InstanceHandle({}v{})", self.index, self.generation)
    }
}

/// The place of each instance, and the instance at each place.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    entries: Vec<Entry>,
    /// The index of the instance at each place.
    owners: Vec<u32>,
    /// Indices of removed instances, to be reused.
    free: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Odd while the instance exists, even before and after.
    generation: u32,
    place: u32,
}

impl Places {
    /// The number of instances; places are the smaller numbers.
    pub(super) const fn len(&self) -> usize {
        self.owners.len()
    }

    /// The place of an instance, if it still exists.
    #[inline]
    pub(super) fn find(&self, handle: InstanceHandle) -> Option<usize> {
        let entry = self.entries.get(handle.index as usize)?;
        (entry.generation == handle.generation && handle.generation % 2 == 1).then_some(entry.place as usize)
    }

    /// Adds a handle for one more instance, at the last place.
    ///
    /// # Panics
    /// If there are 2³² instances.
    pub(super) fn push(&mut self) -> InstanceHandle {
        let place = u32::try_from(self.owners.len()).expect("fewer than 2^32 instances");
        let index = self.free.pop().unwrap_or_else(|| {
            self.entries.push(Entry { generation: 0, place });
            u32::try_from(self.entries.len() - 1).expect("fewer than 2^32 instances")
        });
        self.owners.push(index);
        let entry = &mut self.entries[index as usize];
        *entry = Entry { generation: entry.generation + 1, place };
        InstanceHandle { index, generation: entry.generation }
    }

    /// Removes the instance at a place, where the last instance then goes.
    pub(super) fn swap_remove(&mut self, place: usize) {
        let index = self.owners.swap_remove(place);
        let entry = &mut self.entries[index as usize];
        // An index whose generations are used up is never reused.
        if let Some(next) = entry.generation.checked_add(1) {
            entry.generation = next;
            self.free.push(index);
        } else {
            entry.generation = 0;
        }
        if let Some(&moved) = self.owners.get(place) {
            self.entries[moved as usize].place = u32::try_from(place).expect("places were numbered by u32");
        }
    }

    /// All handles, by place.
    pub(super) fn handles(&self) -> impl ExactSizeIterator<Item = InstanceHandle> {
        self.owners.iter().map(|&index| InstanceHandle { index, generation: self.entries[index as usize].generation })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_whose_generations_are_used_up_is_never_given_again() {
        let mut places = Places::default();
        places.push();
        places.entries[0].generation = u32::MAX;
        let last = places.handles().next().unwrap();
        places.swap_remove(0);
        assert_eq!(places.find(last), None);
        let next = places.push();
        assert_eq!((next.index, places.find(next), places.find(last)), (1, Some(0), None));
    }
}
