//! What a caller holds of an instance, and where it leads.

use slotmap::SlotMap;

slotmap::new_key_type! {
    /// A handle to an instance of a [`Crowd`](crate::Crowd), valid until the instance is removed. It takes 8 bytes, and
    /// so does its `Option`.
    ///
    /// It is a key of [`slotmap`]: keep your own data for each instance in a `slotmap::SecondaryMap`. The feature
    /// `serde` reads and writes it. Slots are reused indefinitely, so after 2³¹ instances in the same slot a stale
    /// handle may refer to another instance.
    pub struct InstanceHandle;
}

/// The place of each instance, and the instance at each place.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    places: SlotMap<InstanceHandle, u32>,
    /// The instance at each place.
    owners: Vec<InstanceHandle>,
}

impl Places {
    /// The number of instances; places are the smaller numbers.
    pub(super) const fn len(&self) -> usize {
        self.owners.len()
    }

    /// The place of an instance, if it still exists.
    #[inline]
    pub(super) fn find(&self, handle: InstanceHandle) -> Option<usize> {
        self.places.get(handle).map(|&place| place as usize)
    }

    /// Adds a handle for one more instance, at the last place.
    ///
    /// # Panics
    /// If there are 2³² - 2 instances.
    pub(super) fn push(&mut self) -> InstanceHandle {
        let place = u32::try_from(self.owners.len()).expect("fewer than 2^32 instances");
        let handle = self.places.insert(place);
        self.owners.push(handle);
        handle
    }

    /// Removes the instance at a place, where the last instance then goes.
    pub(super) fn swap_remove(&mut self, place: usize) {
        self.places.remove(self.owners.swap_remove(place));
        if let Some(&moved) = self.owners.get(place) {
            self.places[moved] = u32::try_from(place).expect("places were numbered by u32");
        }
    }

    /// Frees room for instances that there are not; slots of handles stay.
    pub(super) fn shrink_to_fit(&mut self) {
        self.owners.shrink_to_fit();
    }

    /// All handles, by place.
    pub(super) fn owners(&self) -> &[InstanceHandle] {
        &self.owners
    }
}
