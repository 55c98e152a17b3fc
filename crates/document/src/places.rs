//! Which node of a scene is which node of a definition.
//!
//! ```text
//! places     of each instance, one for each slot of its definition, and an eighth in reserve            4 B each
//!            a place holds a node's record, or the instance of the definition that the node uses
//! instances  first place │ definition │ instance and slot of the use                                      16 B
//! tags       in the scene, of each node: its innermost place                                             4 B each
//! ```
//!
//! A node with a use is the root of what it uses, so it has a place in both instances. The inner one has the record;
//! the outer one says which instance that is.

use crate::library::Library;
use crate::path::{Path, joined};
use hedgerow::internal::{node_of_record, record, set_tag, tag};
use hedgerow::{NodeHandle, Scene};
use std::collections::{BTreeMap, BTreeSet};

/// A place without a node, and an end of a list.
pub(crate) const NONE: u32 = u32::MAX;
/// The bit of a place that holds an instance.
const INNER: u32 = 1 << 31;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Instance {
    start: u32,
    /// [`NONE`] if the instance is gone.
    pub(crate) definition: u32,
    /// The instance that has the use; [`NONE`] for the document itself.
    pub(crate) outer: u32,
    /// The slot of the use.
    pub(crate) slot: u32,
}

/// The places of all instances of a document; instance 0 is the document itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    pub(crate) places: Vec<u32>,
    /// In the order of their first places.
    pub(crate) instances: Vec<Instance>,
    /// The number of places of instances that are gone.
    gone: usize,
}

fn index(number: usize) -> u32 {
    u32::try_from(number).ok().filter(|&number| number < INNER).expect("a scene has fewer nodes")
}

/// Returns the number of places for so many slots.
fn with_reserve(slots: usize) -> usize {
    slots + slots / 8
}

impl Places {
    /// Adds the instance that a node uses, or that of the document, with empty places.
    pub(crate) fn add(&mut self, library: &Library, definition: u32, at: Option<(u32, u32)>) -> u32 {
        let number = self.add_with(definition, at.unwrap_or((NONE, 0)), library.at(definition).slots());
        if let Some((outer, slot)) = at {
            let place = self.place(outer, slot);
            self.places[place as usize] = INNER | number;
        }
        number
    }

    fn add_with(&mut self, definition: u32, (outer, slot): (u32, u32), slots: usize) -> u32 {
        let (start, number) = (index(self.places.len()), index(self.instances.len()));
        // The document itself gets most new nodes.
        let spare = if outer == NONE && number == 0 { 16 } else { 0 };
        self.places.resize(self.places.len() + with_reserve(slots) + spare, NONE);
        self.instances.push(Instance { start, definition, outer, slot });
        number
    }

    pub(crate) fn instance(&self, number: u32) -> &Instance {
        &self.instances[number as usize]
    }

    /// Returns the place of the node that uses an instance; `None` for the document itself.
    pub(crate) fn use_place(&self, instance: u32) -> Option<u32> {
        let Instance { outer, slot, .. } = *self.instance(instance);
        (outer != NONE).then(|| self.place(outer, slot))
    }

    /// Returns the instances of a definition.
    pub(crate) fn instances_of(&self, definition: u32) -> Vec<u32> {
        // No definition contains itself, so that of the document has no other instance.
        if self.instances.first().is_some_and(|first| first.definition == definition) {
            return vec![0];
        }
        let of = |(_, instance): &(u32, &Instance)| instance.definition == definition;
        (0..).zip(&self.instances).filter(of).map(|(number, _)| number).collect()
    }

    /// Returns the instance that a place belongs to.
    pub(crate) fn instance_at(&self, place: u32) -> u32 {
        self.instance_near(0, place)
    }

    /// Returns the instance that a place belongs to. Finds those soon after `near` faster.
    pub(crate) fn instance_near(&self, near: u32, place: u32) -> u32 {
        let starts_before = |instance: &Instance| instance.start <= place;
        let (mut low, mut high) = (near as usize, self.instances.len());
        if near == 0 || !self.instances.get(low).is_some_and(starts_before) {
            low = 0;
        } else {
            let mut step = 1;
            while let Some(next) = self.instances.get(low + step) {
                if !starts_before(next) {
                    high = low + step;
                    break;
                }
                (low, step) = (low + step, 2 * step);
            }
        }
        index(low + self.instances[low..high].partition_point(starts_before) - 1)
    }

    /// Returns the place of a slot.
    pub(crate) fn place(&self, instance: u32, slot: u32) -> u32 {
        self.instances[instance as usize].start + slot
    }

    /// Returns an instance and a slot of its definition.
    pub(crate) fn split(&self, place: u32) -> (u32, u32) {
        let instance = self.instance_at(place);
        (instance, place - self.instances[instance as usize].start)
    }

    /// Returns the id of a place's node in its definition.
    pub(crate) fn id(&self, library: &Library, place: u32) -> u64 {
        let (instance, slot) = self.split(place);
        library.at(self.instance(instance).definition).slot(slot).id
    }

    /// Returns the instance that a place's node is the use of.
    pub(crate) fn inner(&self, place: u32) -> Option<u32> {
        let held = self.places[place as usize];
        (held != NONE && held & INNER != 0).then_some(held & !INNER)
    }

    /// Returns the instance that a node uses, given the node's own instance and slot, and adds it if it is missing.
    pub(crate) fn inner_or_new(&mut self, library: &Library, at: (u32, u32), definition: u32) -> u32 {
        self.inner(self.place(at.0, at.1)).unwrap_or_else(|| self.add(library, definition, Some(at)))
    }

    /// Returns the place that holds the record of a place's node.
    pub(crate) fn innermost(&self, library: &Library, mut place: u32) -> u32 {
        while let Some(inner) = self.inner(place)
            && let Some(root) = library.at(self.instance(inner).definition).root_slot
        {
            place = self.place(inner, root);
        }
        place
    }

    /// Returns the place of a node that is not the root of a used definition.
    pub(crate) fn outermost(&self, library: &Library, place: u32) -> u32 {
        let (instance, slot) = self.split(place);
        let (instance, slot) = self.outermost_of(library, instance, slot);
        self.place(instance, slot)
    }

    /// Returns the instance and the slot of the use of which a node is the root, and so on outwards.
    pub(crate) fn outermost_of(&self, library: &Library, mut instance: u32, mut slot: u32) -> (u32, u32) {
        loop {
            let Instance { definition, outer, slot: outer_slot, .. } = *self.instance(instance);
            if outer == NONE || library.at(definition).root_slot != Some(slot) {
                return (instance, slot);
            }
            (instance, slot) = (outer, outer_slot);
        }
    }

    /// Returns the record of a place's node, as of the last step.
    pub(crate) fn record(&self, library: &Library, place: u32) -> Option<u32> {
        Some(self.places[self.innermost(library, place) as usize]).filter(|&held| held & INNER == 0)
    }

    /// Returns the node of a place.
    pub(crate) fn node(&self, library: &Library, scene: &Scene, place: u32) -> Option<NodeHandle> {
        let innermost = self.innermost(library, place);
        let held = Some(self.places[innermost as usize]).filter(|&held| held & INNER == 0)?;
        node_of_record(scene, held).filter(|&node| tag(scene, node) == Some(innermost))
    }

    /// Returns the outermost place of a node.
    pub(crate) fn of_node(&self, library: &Library, scene: &Scene, node: NodeHandle) -> Option<u32> {
        Some(self.outermost(library, self.innermost_of(scene, node)?))
    }

    /// Returns the place that holds a node's record.
    pub(crate) fn innermost_of(&self, scene: &Scene, node: NodeHandle) -> Option<u32> {
        tag(scene, node).filter(|&place| self.places.get(place as usize) == Some(&record(node)))
    }

    /// Returns the outermost place of the node that a record had at the last step, though it may be gone.
    pub(crate) fn of_record(&self, library: &Library, record: u32, tag: u32) -> Option<u32> {
        (self.places.get(tag as usize) == Some(&record)).then(|| self.outermost(library, tag))
    }

    /// Puts a node at a place.
    pub(crate) fn put(&mut self, library: &Library, scene: &mut Scene, place: u32, node: NodeHandle) {
        let innermost = self.innermost(library, place);
        self.places[innermost as usize] = record(node);
        set_tag(scene, node, Some(innermost));
    }

    /// Takes a node from its place; the instance that it uses, if any, is gone with all places in it.
    pub(crate) fn clear(&mut self, place: u32) {
        let mut ahead = vec![place];
        while let Some(place) = ahead.pop() {
            if let Some(inner) = self.inner(place) {
                ahead.extend(self.range(inner));
                self.gone += self.room(inner) as usize;
                self.instances[inner as usize].definition = NONE;
            }
            self.places[place as usize] = NONE;
        }
    }

    /// Returns whether a place's instance is gone.
    pub(crate) fn is_gone(&self, place: u32) -> bool {
        self.instance(self.instance_at(place)).definition == NONE
    }

    /// Returns the places of an instance.
    pub(crate) fn range(&self, instance: u32) -> core::ops::Range<u32> {
        let start = self.instance(instance).start;
        start..start + self.room(instance)
    }

    /// Moves what a place holds to another.
    pub(crate) fn shift(&mut self, library: &Library, scene: &mut Scene, from: u32, to: u32) {
        let held = core::mem::replace(&mut self.places[from as usize], NONE);
        self.places[to as usize] = held;
        if let Some(inner) = self.inner(to) {
            let (outer, slot) = self.split(to);
            debug_assert!(outer < inner, "an outer instance is made before those inside it");
            (self.instances[inner as usize].outer, self.instances[inner as usize].slot) = (outer, slot);
        } else if let Some(node) = node_of_record(scene, held) {
            set_tag(scene, node, Some(to));
        }
        debug_assert!(self.places[self.innermost(library, to) as usize] != NONE, "a place that moves has a node");
    }

    /// The number of places of an instance.
    fn room(&self, instance: u32) -> u32 {
        let end = self.instances.get(instance as usize + 1).map_or_else(|| index(self.places.len()), |next| next.start);
        end - self.instance(instance).start
    }

    /// Makes room for so many more slots of definitions. If an instance has too little, all move, and `marked` places
    /// are renamed.
    pub(crate) fn make_room(
        &mut self,
        library: &Library,
        scene: &mut Scene,
        more: &BTreeMap<u32, usize>,
        marked: &mut BTreeSet<u32>,
    ) {
        let slots = |definition: u32| library.at(definition).slots() + more.get(&definition).copied().unwrap_or(0);
        let mut lacks = self.gone > self.places.len() / 4 + 64;
        for &definition in more.keys() {
            let (instances, slots) = (self.instances_of(definition), index(slots(definition)));
            lacks |= instances.into_iter().any(|instance| self.room(instance) < slots);
        }
        if lacks {
            self.rebuild(scene, slots, marked);
        }
    }

    /// Moves all instances together, each with an eighth of room in reserve, without those that are gone.
    fn rebuild(&mut self, scene: &mut Scene, slots: impl Fn(u32) -> usize, marked: &mut BTreeSet<u32>) {
        let mut new = Self::default();
        let live = |number: &u32| self.instance(*number).definition != NONE;
        let mut numbers = vec![NONE; self.instances.len()];
        let of = |number: u32| self.instance(number).definition;
        let all = || (0..index(self.instances.len())).filter(live);
        new.places.reserve_exact(all().map(|number| with_reserve(slots(of(number)))).sum());
        new.instances.reserve_exact(all().count());
        for number in all() {
            numbers[number as usize] = new.add_with(of(number), (NONE, 0), slots(of(number)));
        }
        for old in all() {
            let (instance, number) = (*self.instance(old), numbers[old as usize]);
            if instance.outer != NONE {
                let Instance { outer, slot, .. } = &mut new.instances[number as usize];
                (*outer, *slot) = (numbers[instance.outer as usize], instance.slot);
            }
            for slot in 0..self.room(old).min(new.room(number)) {
                let (held, place) = (self.places[(instance.start + slot) as usize], new.place(number, slot));
                new.places[place as usize] = match held {
                    NONE => NONE,
                    inner if inner & INNER != 0 => INNER | numbers[(inner & !INNER) as usize],
                    record => {
                        if let Some(node) = node_of_record(scene, record)
                            && tag(scene, node) == Some(instance.start + slot)
                        {
                            set_tag(scene, node, Some(place));
                        }
                        record
                    }
                };
            }
        }
        *marked = marked
            .iter()
            .map(|&place| self.split(place))
            .filter(|(old, _)| numbers[*old as usize] != NONE)
            .map(|(old, slot)| new.place(numbers[old as usize], slot))
            .collect();
        *self = new;
    }

    /// Returns the place of a node by its ids from an instance inwards.
    pub(crate) fn find(&self, library: &Library, instance: u32, ids: &[u64]) -> Option<u32> {
        let (instance, slot) = self.locate(library, instance, ids)?;
        let (instance, slot) = self.outermost_of(library, instance, slot);
        Some(self.place(instance, slot))
    }

    /// Returns the instance and the slot that ids name from an instance inwards; it may be the root of a used
    /// definition.
    pub(crate) fn locate(&self, library: &Library, mut instance: u32, ids: &[u64]) -> Option<(u32, u32)> {
        let (last, uses) = ids.split_last()?;
        for id in uses {
            let slot = library.at(self.instance(instance).definition).slot_of(*id)?;
            instance = self.inner(self.place(instance, slot))?;
        }
        Some((instance, library.at(self.instance(instance).definition).slot_of(*last)?))
    }

    /// Returns the ids that lead to a place, from the document inwards.
    pub(crate) fn path(&self, library: &Library, place: u32) -> Path {
        let (mut ids, mut at) = (Vec::new(), Some(self.split(place)));
        while let Some((instance, slot)) = at {
            let Instance { definition, outer, slot: use_slot, .. } = *self.instance(instance);
            ids.push(library.at(definition).slot(slot).id);
            at = (outer != NONE).then_some((outer, use_slot));
        }
        ids.reverse();
        joined(&ids, &[])
    }

    /// Iterates over all places that hold a record, with the record.
    pub(crate) fn held(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..).zip(&self.places).filter(|(_, held)| **held & INNER == 0).map(|(place, &held)| (place, held))
    }
}
