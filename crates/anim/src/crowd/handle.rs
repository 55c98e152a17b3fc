//! Handles of instances, and their places in the crowd.

use slotmap::SlotMap;

slotmap::new_key_type! {
    /// A handle to an instance of a [`Crowd`](crate::Crowd), valid until the instance is removed. A handle or an
    /// `Option` of a handle takes 8 bytes.
    ///
    /// Handles are keys of [`slotmap`], so keep your data for each instance in a `slotmap::SecondaryMap`. The feature
    /// `serde` reads and writes handles. After 2³¹ reuses of a slot, a stale handle may refer to another instance.
    pub struct InstanceHandle;
}

/// The place of each instance, and the instance at each place.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    places: SlotMap<InstanceHandle, u32>,
    owners: Vec<InstanceHandle>,
}

impl Places {
    /// Returns the number of instances. Places are numbered from 0.
    pub(super) const fn len(&self) -> usize {
        self.owners.len()
    }

    /// Returns the place of an instance, or `None` if the handle is stale.
    #[inline]
    pub(super) fn find(&self, handle: InstanceHandle) -> Option<usize> {
        self.places.get(handle).map(|&place| place as usize)
    }

    /// Adds an instance at the last place and returns its handle.
    ///
    /// # Panics
    /// Panics if there are 2³² - 2 instances.
    pub(super) fn push(&mut self) -> InstanceHandle {
        let place = u32::try_from(self.owners.len()).expect("fewer than 2^32 instances");
        let handle = self.places.insert(place);
        self.owners.push(handle);
        handle
    }

    pub(super) fn swap_remove(&mut self, place: usize) {
        self.places.remove(self.owners.swap_remove(place));
        if let Some(&moved) = self.owners.get(place) {
            self.places[moved] = u32::try_from(place).expect("places were numbered by u32");
        }
    }

    /// Frees the spare capacity of the list of instances, but not the handle slots.
    pub(super) fn shrink_to_fit(&mut self) {
        self.owners.shrink_to_fit();
    }

    pub(super) fn owners(&self) -> &[InstanceHandle] {
        &self.owners
    }
}
