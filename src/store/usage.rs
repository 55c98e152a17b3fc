//! The memory use of the storage, in records and bytes.

use crate::record::Record;
use crate::store::columns::{
    Column, Component, EachColumn, EachComponent, STORAGES, Storage, each_column, each_component,
};
use crate::store::{LinearAllocator, Slice, SliceBoxes, Store, Tables};
use core::convert::Infallible;

/// Entries and bytes of one kind of record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Records in use.
    pub live: usize,
    /// The bytes of the records in use.
    pub live_bytes: usize,
    /// The bytes allocated for records of this kind.
    pub allocated_bytes: usize,
}

impl Usage {
    fn add(&mut self, slots: &LinearAllocator, record: usize, allocated: usize) {
        self.live += slots.live() as usize;
        self.live_bytes += slots.live() as usize * record;
        self.allocated_bytes += allocated;
    }
}

impl Store {
    /// The memory use of all slices, in the order of [`Storage::ALL`].
    pub(crate) fn usages(&self) -> [Usage; STORAGES] {
        let mut usages = [Usage::default(); STORAGES];
        for slice in self.slices.iter().filter(|slice| slice.lives) {
            let bytes = slice.bytes_by_storage();
            for (usage, storage) in usages.iter_mut().zip(Storage::ALL) {
                let slot = storage.slot_bytes() + bytes.beside_slot[storage as usize];
                usage.add(storage.of(slice), slot, bytes.allocated[storage as usize]);
            }
            usages[Storage::Names as usize].live_bytes += slice.names.text_bytes;
        }
        usages
    }

    /// The memory use of world boxes.
    pub(crate) fn box_usage(&self) -> Usage {
        let mut usage = Usage::default();
        for slice in self.slices.iter().filter(|slice| slice.lives && slice.boxes.is_some()) {
            usage.add(&slice.shapes.slots, SliceBoxes::BYTES, slice.box_bytes());
        }
        usage
    }

    /// The memory use of the entries of this many handles.
    pub(crate) fn table_usage(&self, handles: usize) -> Usage {
        Usage {
            live: handles,
            live_bytes: handles * Tables::ENTRY_BYTES,
            allocated_bytes: self.tables.allocated_bytes(),
        }
    }

    /// How many slots are holes.
    pub(crate) fn count_holes(&self) -> usize {
        let holes = |slice: &Slice| Storage::ALL.iter().map(|s| s.of(slice).holes().count() as usize).sum::<usize>();
        self.slices.iter().filter(|slice| slice.lives).map(holes).sum()
    }

    /// How many world matrices of nodes are not finite.
    pub(crate) fn count_overflowed(&self) -> usize {
        let overflowed = |slice: &Slice| {
            let transforms = &slice.transforms;
            transforms.slots.iter().skip(1).filter(|&slot| !transforms.worlds[slot as usize].is_finite()).count()
        };
        self.slices.iter().filter(|slice| slice.lives).map(overflowed).sum()
    }

    /// How many nodes are out of order, from the share of each slice.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    pub(crate) fn count_disordered(&self) -> f64 {
        let disordered = |slice: &Slice| f64::from(slice.disorder()) * slice.nodes() as f64;
        self.slices.iter().filter(|slice| slice.lives).map(disordered).sum()
    }
}

/// Adds up the bytes of arrays, and of what stands beside them.
struct Bytes<'s> {
    slice: &'s Slice,
    /// What is allocated, by storage.
    allocated: [usize; STORAGES],
    /// What each slot has beside the arrays, by storage.
    beside_slot: [usize; STORAGES],
}

impl Bytes<'_> {
    fn add<T>(&mut self, column: &Column<T>) {
        self.allocated[column.storage as usize] += (column.of)(self.slice).capacity() * size_of::<T>();
    }
}

impl EachColumn for Bytes<'_> {
    type Error = Infallible;

    fn column<T: Record>(&mut self, column: &Column<T>) -> Result<(), Infallible> {
        self.add(column);
        Ok(())
    }

    fn names(&mut self, column: &Column<Box<str>>) -> Result<(), Infallible> {
        self.add(column);
        Ok(())
    }
}

impl EachComponent for Bytes<'_> {
    type Error = Infallible;

    fn component<C: Component>(&mut self) -> Result<(), Infallible> {
        let component = C::of(self.slice);
        self.allocated[C::STORAGE as usize] += component.bytes_beside();
        self.beside_slot[C::STORAGE as usize] = component.slot_bytes_beside();
        Ok(())
    }
}

impl Slice {
    /// The bytes of all arrays and their companions.
    pub(in crate::store) fn allocated_bytes(&self) -> usize {
        self.bytes_by_storage().allocated.iter().sum::<usize>() + self.box_bytes()
    }

    /// The bytes of world boxes.
    pub(in crate::store) fn box_bytes(&self) -> usize {
        self.boxes.as_ref().map_or(0, |boxes| boxes.allocated_bytes())
    }

    /// The bytes of the arrays of each storage, and of what stands beside them but boxes.
    fn bytes_by_storage(&self) -> Bytes<'_> {
        let mut bytes = Bytes { slice: self, allocated: [0; STORAGES], beside_slot: [0; STORAGES] };
        let Ok(()) = each_column(&mut bytes);
        let Ok(()) = each_component(&mut bytes);
        for (allocated, storage) in bytes.allocated.iter_mut().zip(Storage::ALL) {
            *allocated += storage.of(self).holes().bytes();
        }
        let lists = self.children.capacity() + self.marked_children.capacity() + self.candidates_below.capacity();
        bytes.allocated[Storage::Rows as usize] += self.portal_rows.bytes() + lists * size_of::<u32>();
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aabb, Node, Scene, SceneConfig, Shape, Transform, Visibility};

    #[test]
    fn a_slot_takes_its_arrays_and_its_history_where_there_is_one() {
        for (changes, histories) in [(false, [0; STORAGES]), (true, [0, 60, 8, 0, 0, 0])] {
            let mut scene = Scene::with_config(SceneConfig { changes, ..SceneConfig::DEFAULT }).unwrap();
            let whole = Node::transform(Transform::IDENTITY)
                .with_visibility(Visibility::layers(1))
                .with_material(3)
                .with_shape(Shape::new(7, Aabb::cube(1.0)))
                .named("name");
            let top = scene.insert(scene.root(), whole).unwrap();
            (0..9).for_each(|_| _ = scene.insert(top, whole).unwrap());
            let usages = scene.store.usages();
            for ((usage, storage), history) in usages.iter().zip(Storage::ALL).zip(histories) {
                let text = if storage == Storage::Names { 10 * "name".len() } else { 0 };
                let expected = usage.live * (storage.slot_bytes() + history) + text;
                assert_eq!((usage.live_bytes, usage.live >= 10), (expected, true), "{storage:?}");
            }
        }
    }

    #[test]
    fn room_that_is_made_is_room_for_what_stands_beside_the_arrays() {
        let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT }).unwrap();
        let node = Node::transform(Transform::IDENTITY)
            .with_visibility(Visibility::layers(1))
            .with_material(3)
            .with_shape(Shape::new(7, Aabb::cube(1.0)));
        let top = scene.insert(scene.root(), node).unwrap();
        scene.update();
        let allocated = |scene: &Scene| scene.store.usages().map(|usage| usage.allocated_bytes);
        let before = allocated(&scene);
        scene.try_reserve(top, 1000).unwrap();
        let with_room = allocated(&scene);
        assert_ne!(with_room, before);
        (0..1000).for_each(|_| _ = scene.insert(top, node).unwrap());
        assert_eq!(allocated(&scene), with_room);
    }
}
