//! The spaces that the nodes of a batch are placed in, each computed once, and which slots the batch sets.

use super::LocalSlot;
use crate::Local;
use crate::store::columns::{At, NIL};
use crate::store::space::{EvenSpace, OtherSpace, PlaceFault, Space};
use crate::store::{Slices, Store};
use hedgerow_math::internal::PackedTransform;
use smallvec::SmallVec;

/// Transform slots that a batch sets: a bit for each slot of the slices concerned.
#[derive(Clone, Debug, Default)]
pub(super) struct ListedSlots {
    /// For each slice the number of its first word; [`NIL`] for slices that are not concerned.
    first_words: Vec<u32>,
    words: Vec<u64>,
    concerned: Vec<u32>,
}

impl ListedSlots {
    /// Forgets all slots, and makes room for so many slices.
    pub(super) fn restart(&mut self, slices: usize) {
        for slice in self.concerned.drain(..) {
            self.first_words[slice as usize] = NIL;
        }
        self.words.clear();
        if self.first_words.len() < slices {
            self.first_words.resize(slices, NIL);
        }
    }

    /// Adds a slot. Returns whether it was added before.
    #[inline]
    pub(super) fn insert(&mut self, slice: u32, slot: u32, slices: &Slices) -> bool {
        let mut first = self.first_words[slice as usize];
        if first == NIL {
            first = self.open(slice, slices);
        }
        let word = &mut self.words[(first + slot / u64::BITS) as usize];
        let bit = 1 << (slot % u64::BITS);
        let twice = *word & bit != 0;
        *word |= bit;
        twice
    }

    #[cold]
    fn open(&mut self, slice: u32, slices: &Slices) -> u32 {
        let first = u32::try_from(self.words.len()).expect("a word for 64 slots, which are numbered in 31 bits");
        let words = slices[slice as usize].transforms.slots.end().div_ceil(u64::BITS);
        self.words.resize((first + words) as usize, 0);
        self.first_words[slice as usize] = first;
        self.concerned.push(slice);
        first
    }

    pub(super) fn contains(&self, slice: u32, slot: u32) -> bool {
        let first = self.first_words[slice as usize];
        first != NIL && self.words[(first + slot / u64::BITS) as usize] >> (slot % u64::BITS) & 1 == 1
    }

    fn bytes(&self) -> usize {
        (self.first_words.capacity() + self.concerned.capacity()) * size_of::<u32>()
            + self.words.capacity() * size_of::<u64>()
    }
}

/// A space as it is kept: 72 bytes, for few are of another kind.
#[derive(Clone, Copy, Debug)]
enum Kept {
    /// With the place of the same space as matrices among the others; [`NIL`] until a node needs it.
    Even(EvenSpace, u32),
    /// Its place among the spaces of other kinds.
    Other(u32),
}

/// Spaces by slice and slot, found by hashing. All are forgotten when the next batch begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Spaces {
    /// Where each space is in `spaces`, at a place that its key leads to or behind it; [`NIL`] where there is none. A
    /// power of two, less than half of it taken.
    table: Vec<u32>,
    spaces: Vec<(u64, Kept)>,
    /// Spaces as matrices.
    others: Vec<OtherSpace>,
}

const _: () = assert!(size_of::<Kept>() <= 80);

/// The number of an item of a list.
fn number(place: usize) -> u32 {
    u32::try_from(place).expect("slots are numbered in 31 bits")
}

/// The key of a slot of a slice.
fn key_of((slice, slot): (u32, u32)) -> u64 {
    u64::from(slice) << 32 | u64::from(slot)
}

impl Spaces {
    pub(super) fn restart(&mut self) {
        self.table.clear();
        self.table.resize(256, NIL);
        self.spaces.clear();
        self.others.clear();
    }

    /// Where in the table a key is, or where it would be.
    #[inline]
    fn place_of(&self, key: u64) -> usize {
        let last = self.table.len() - 1;
        let mut place = (key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize & last;
        loop {
            let space = self.table[place];
            if space == NIL || self.spaces[space as usize].0 == key {
                return place;
            }
            place = (place + 1) & last;
        }
    }

    /// The number of a space that is known.
    #[inline]
    fn find(&self, key: u64) -> Option<u32> {
        let space = self.table[self.place_of(key)];
        (space != NIL).then_some(space)
    }

    /// A space by its number.
    #[inline]
    fn get(&self, space: u32) -> Space {
        match self.spaces[space as usize].1 {
            Kept::Even(space, _) => Space::Even(space),
            Kept::Other(place) => Space::Other(self.others[place as usize]),
        }
    }

    /// The local transform that places a node in a space, given by its number, at `world`, which is checked.
    #[inline]
    pub(super) fn local_at(&mut self, space: u32, world: Local) -> Result<Local, PlaceFault> {
        let place = match &mut self.spaces[space as usize].1 {
            Kept::Even(space, place) => {
                if let Local::Transform(transform) = world
                    && let Some(local) = space.even_at(&transform)
                {
                    return Ok(Local::Transform(local));
                }
                if *place == NIL {
                    *place = number(self.others.len());
                    self.others.push(space.to_other());
                }
                *place
            }
            Kept::Other(place) => *place,
        };
        self.others[place as usize].local_at(world)
    }

    /// Adds a space, and returns its number.
    fn insert(&mut self, key: u64, space: &Space) -> u32 {
        if self.spaces.len() * 2 >= self.table.len() {
            self.grow();
        }
        let kept = match *space {
            Space::Even(space) => Kept::Even(space, NIL),
            Space::Other(space) => {
                self.others.push(space);
                Kept::Other(number(self.others.len() - 1))
            }
        };
        let space = number(self.spaces.len());
        let place = self.place_of(key);
        self.table[place] = space;
        self.spaces.push((key, kept));
        space
    }

    #[cold]
    fn grow(&mut self) {
        let room = self.table.len() * 4;
        self.table.clear();
        self.table.resize(room, NIL);
        for space in 0..self.spaces.len() {
            let place = self.place_of(self.spaces[space].0);
            self.table[place] = number(space);
        }
    }

    /// The number of the space below a slot, where `local` returns the local transforms; `None` if it returns none.
    #[inline]
    pub(super) fn below(
        &mut self,
        store: &Store,
        at: (u32, u32),
        local: impl Fn((u32, u32)) -> Option<Local>,
    ) -> Option<u32> {
        match self.find(key_of(at)) {
            Some(space) => Some(space),
            None => self.compute(store, at, local),
        }
    }

    /// Computes the space below a slot from that of the nearest slot above it whose space is known.
    fn compute(
        &mut self,
        store: &Store,
        mut at: (u32, u32),
        local: impl Fn((u32, u32)) -> Option<Local>,
    ) -> Option<u32> {
        let mut way: SmallVec<[(u32, u32); 32]> = SmallVec::new();
        let mut space = loop {
            way.push(at);
            let (number, slot) = at;
            let slice = store.slice(number);
            at = if slot != 0 {
                (number, slice.transforms.parents[slot as usize])
            } else if slice.portal != At::NONE {
                (slice.portal.slice, store.row(slice.portal).transform.index())
            } else {
                break Space::WORLD;
            };
            if let Some(space) = self.find(key_of(at)) {
                break self.get(space);
            }
        };
        let mut last = None;
        for &at in way.iter().rev() {
            // The base stands for what is above the slice.
            if at.1 != 0 {
                space = space.below(local(at)?);
            }
            last = Some(self.insert(key_of(at), &space));
        }
        last
    }

    fn bytes(&self) -> usize {
        self.table.capacity() * size_of::<u32>()
            + self.spaces.capacity() * size_of::<(u64, Kept)>()
            + self.others.capacity() * size_of::<OtherSpace>()
    }
}

/// The lists of a batch that places nodes in the world. Kept to save allocations.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct WorldLists {
    pub(super) places: Vec<LocalSlot>,
    pub(super) locals: Vec<PackedTransform>,
    /// Local transforms that are matrices, by item.
    pub(super) matrices: Vec<(usize, Local)>,
    pub(super) listed: ListedSlots,
    pub(super) spaces: Spaces,
}

impl WorldLists {
    /// Empties all lists, in a store with so many slices.
    pub(super) fn restart(&mut self, slices: usize) {
        self.places.clear();
        self.locals.clear();
        self.matrices.clear();
        self.listed.restart(slices);
        self.spaces.restart();
    }

    pub(in crate::store) fn bytes(&self) -> usize {
        self.places.capacity() * size_of::<LocalSlot>()
            + self.locals.capacity() * size_of::<PackedTransform>()
            + self.matrices.capacity() * size_of::<(usize, Local)>()
            + self.listed.bytes()
            + self.spaces.bytes()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Node, Scene, Transform};

    #[test]
    fn the_spaces_above_siblings_are_computed_once_for_all_of_them() {
        let place = || Node::transform(Transform::from_xyz(1.0, 0.0, 0.0));
        let mut scene = Scene::new();
        let mut parent = scene.root();
        for _ in 0..20 {
            parent = scene.insert(parent, place()).unwrap();
        }
        let children = [(); 100].map(|()| scene.insert(parent, place()).unwrap());
        scene.set_worlds(&children.map(|child| (child, Transform::IDENTITY))).unwrap();
        assert_eq!(scene.local(children[99]), Some(Transform::from_xyz(-20.0, 0.0, 0.0).into()));
        let spaces = &scene.store.world_lists.spaces.spaces;
        assert!((20..=22).contains(&spaces.len()), "{} spaces: one a transform, and of the two bases", spaces.len());
    }
}
