//! Groups of drawables with the same material and mesh, each for one call of a renderer.
//!
//! A *kind* is a combination of key, material, mesh and winding; each kind has a number. The groups store the number of
//! each command's kind, segment by segment, so only commands of segments that were listed again are looked up. Then a
//! counting sort orders the instances, in two passes over these numbers.

use crate::DrawList;
use crate::handle::mixed;
use crate::pass::draw::{DrawCommand, Segment};
use crate::store::{NIL, SliceId};
use core::ops::Range;

/// Drawables drawn by one instanced call. 28 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DrawGroup {
    /// The key of all instances; 0 if the list was grouped without keys. See [`DrawList::group_by_key`].
    pub key: u32,
    /// The material of all instances.
    pub material: Option<u32>,
    /// The mesh of all instances.
    pub mesh: u32,
    /// Whether the world matrices mirror, so that the winding of front faces is reversed.
    pub mirrored: bool,
    /// The index of the first instance in [`DrawGroups::instances`].
    pub first: u32,
    /// The number of instances; at least 1.
    pub count: u32,
}

impl DrawGroup {
    /// Returns the range of indices in [`DrawGroups::instances`].
    #[must_use]
    pub const fn range(&self) -> Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }
}

/// Commands grouped by material, mesh and winding, as ranges of one index array; see [`DrawList::group`].
///
/// Reuse the groups every frame, so that they only allocate when the list grows and only look up commands that were
/// listed again. They take 12 bytes per drawable.
#[derive(Clone, Debug, Default)]
pub struct DrawGroups {
    groups: Vec<DrawGroup>,
    instances: Vec<u32>,
    /// The revision of the commands from which the groups were made.
    revision: u64,
    /// Whether the groups were made with the caller's keys.
    keyed: bool,
    kinds: Kinds,
    /// The number of each command's kind; [`NIL`] for a command that is left out.
    numbers: Vec<u32>,
    /// The segments that the numbers are for.
    known: Vec<Known>,
    /// Scratch buffers: for each slice number the index in `known_before`, and the previous `numbers` and `known`.
    places: Vec<u32>,
    numbers_before: Vec<u32>,
    known_before: Vec<Known>,
    /// For each kind, the number of its commands; later, the index of its next instance.
    counts: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    slice: SliceId,
    stamp: u64,
    start: usize,
    len: usize,
}

/// A kind as a number of 98 bits, which sorts like the groups. From the highest bits down: the caller's key, the
/// material (none first), the mesh, the winding.
type Kind = u128;

const MESH_SHIFT: u32 = 1;
const MATERIAL_SHIFT: u32 = MESH_SHIFT + 32;
const KEY_SHIFT: u32 = MATERIAL_SHIFT + 33;

fn kind_of(command: &DrawCommand, key: u32) -> Kind {
    let material = command.material().map_or(0, |material| Kind::from(material) + 1);
    let winding = Kind::from(command.is_mirrored());
    Kind::from(key) << KEY_SHIFT | material << MATERIAL_SHIFT | Kind::from(command.mesh) << MESH_SHIFT | winding
}

#[derive(Clone, Debug, Default)]
struct Kinds {
    kinds: Vec<Kind>,
    /// An open hash table, at most half full.
    table: Vec<Entry>,
    /// The numbers in the order of their kinds. The next sort adds new numbers.
    order: Vec<u32>,
}

/// A kind and its number, adjacent so that one access reads both. In an empty entry, the number is [`NIL`]. 32 bytes.
#[derive(Clone, Copy, Debug)]
struct Entry {
    kind: Kind,
    number: u32,
}

impl Entry {
    const EMPTY: Self = Self { kind: 0, number: NIL };
}

impl Kinds {
    const EMPTY: Self = Self { kinds: Vec::new(), table: Vec::new(), order: Vec::new() };

    fn clear(&mut self) {
        self.kinds.clear();
        self.order.clear();
        self.table.fill(Entry::EMPTY);
    }

    #[inline]
    fn number(&mut self, kind: Kind) -> u32 {
        // At most half full, so that probing stays short.
        if self.table.len() < 2 * self.kinds.len() + 2 {
            self.grow();
        }
        let place = self.place(kind);
        match self.table[place].number {
            NIL => self.add(kind, place),
            number => number,
        }
    }

    /// Returns the index in the table where a kind is, or where it would be inserted.
    #[inline]
    fn place(&self, kind: Kind) -> usize {
        // The length is a power of two.
        let mask = self.table.len() - 1;
        let mut place = hash(kind) & mask;
        loop {
            let entry = &self.table[place];
            if entry.kind == kind || entry.number == NIL {
                return place;
            }
            place = (place + 1) & mask;
        }
    }

    #[cold]
    fn add(&mut self, kind: Kind, place: usize) -> u32 {
        let number = u32::try_from(self.kinds.len()).expect("there are fewer kinds than drawables");
        self.kinds.push(kind);
        self.table[place] = Entry { kind, number };
        number
    }

    #[cold]
    fn grow(&mut self) {
        // At most a quarter full after growth, so that growth is rare.
        let len = (4 * self.kinds.len()).next_power_of_two().max(256);
        self.table.clear();
        self.table.resize(len, Entry::EMPTY);
        for (number, at) in (0..).zip(0..self.kinds.len()) {
            let kind = self.kinds[at];
            let place = self.place(kind);
            self.table[place] = Entry { kind, number };
        }
    }

    fn sort(&mut self) {
        let Self { kinds, order, .. } = self;
        // New kinds only appear at the end; without new ones the order holds.
        if order.len() < kinds.len() {
            let first = u32::try_from(order.len()).expect("there are fewer kinds than drawables");
            order.extend((first..).take(kinds.len() - order.len()));
            order.sort_unstable_by_key(|&number| kinds[number as usize]);
        }
    }
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the halves of a kind, and a hash")]
fn hash(kind: Kind) -> usize {
    mixed(kind as u64 ^ ((kind >> 64) as u64).rotate_left(29)) as usize
}

impl DrawGroups {
    /// Creates an empty set of groups.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            groups: Vec::new(),
            instances: Vec::new(),
            revision: 0,
            keyed: false,
            kinds: Kinds::EMPTY,
            numbers: Vec::new(),
            known: Vec::new(),
            places: Vec::new(),
            numbers_before: Vec::new(),
            known_before: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// Returns the groups, sorted by key (if they have keys), then by material (none first), mesh and winding.
    #[must_use]
    pub fn groups(&self) -> &[DrawGroup] {
        &self.groups
    }

    /// Returns indices into the list's commands, matrices and slots, group by group. Within a group, indices ascend.
    #[must_use]
    pub fn instances(&self) -> &[u32] {
        &self.instances
    }

    /// Returns each group with its indices.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&DrawGroup, &[u32])> {
        self.groups.iter().map(|group| (group, &self.instances[group.range()]))
    }

    /// Removes all groups and keeps their memory. The next call groups from scratch.
    pub fn clear(&mut self) {
        self.groups.clear();
        self.instances.clear();
        self.revision = 0;
        self.numbers.clear();
        self.known.clear();
        self.kinds.clear();
    }

    /// Frees all memory except that of the groups. The next call groups from scratch.
    pub fn shrink_to_fit(&mut self) {
        self.groups.shrink_to_fit();
        self.instances.shrink_to_fit();
        let (groups, instances) = (core::mem::take(&mut self.groups), core::mem::take(&mut self.instances));
        *self = Self { groups, instances, revision: self.revision, keyed: self.keyed, ..Self::new() };
    }

    /// Groups commands. `segments` has the segments of the commands, if they were listed slice by slice.
    fn fill(
        &mut self,
        commands: &[DrawCommand],
        segments: Option<&[Segment]>,
        key: impl Fn(&DrawCommand) -> Option<u32>,
    ) {
        // Start from scratch if too many kinds are unused.
        if self.kinds.kinds.len() > 1024 + 2 * self.groups.len() {
            self.numbers.clear();
            self.known.clear();
            self.kinds.clear();
        }
        self.number(commands, segments, key);
        self.kinds.sort();
        self.place();
    }

    /// Sets the kind's number of each command. Copies the numbers of unchanged segments.
    fn number(
        &mut self,
        commands: &[DrawCommand],
        segments: Option<&[Segment]>,
        key: impl Fn(&DrawCommand) -> Option<u32>,
    ) {
        core::mem::swap(&mut self.numbers, &mut self.numbers_before);
        core::mem::swap(&mut self.known, &mut self.known_before);
        let Self { kinds, numbers, known, places, numbers_before, known_before, .. } = self;
        numbers.clear();
        known.clear();
        let mut kind = |command: &DrawCommand| match key(command) {
            Some(key) => kinds.number(kind_of(command, key)),
            None => NIL,
        };
        // A culled list has no segments: every command is looked up.
        let Some(segments) = segments else { return numbers.extend(commands.iter().map(kind)) };
        places.clear();
        places.resize(known_before.iter().map(|known| known.slice.index() + 1).max().unwrap_or(0), NIL);
        for (place, known) in (0..).zip(&*known_before) {
            places[known.slice.index()] = place;
        }
        for segment in segments {
            let &Segment { slice, stamp, start, len, .. } = segment;
            let before = places.get(slice.index()).and_then(|&place| known_before.get(place as usize));
            // The stamp says that the commands are the same, so their numbers are copied without a look-up.
            match before.filter(|before| (before.stamp, before.len) == (stamp, len)) {
                Some(before) => numbers.extend_from_slice(&numbers_before[before.start..before.start + len]),
                None => numbers.extend(commands[start..start + len].iter().map(&mut kind)),
            }
            known.push(Known { slice, stamp, start, len });
        }
    }

    /// Counts the commands of each kind, makes a group of each kind in use, and puts the instances in their groups.
    fn place(&mut self) {
        let Self { groups, instances, kinds, numbers, counts, .. } = self;
        // A counting sort: counts, then first places, then places. It keeps the order of the list within a group.
        counts.clear();
        counts.resize(kinds.kinds.len(), 0);
        for &number in &*numbers {
            if number != NIL {
                counts[number as usize] += 1;
            }
        }
        groups.clear();
        let mut first = 0;
        for &number in &kinds.order {
            let count = core::mem::replace(&mut counts[number as usize], first);
            if count > 0 {
                groups.push(DrawGroup { first, count, ..group_of(kinds.kinds[number as usize]) });
                first += count;
            }
        }
        instances.resize(first as usize, 0);
        for (index, &number) in (0..).zip(&*numbers) {
            if number != NIL {
                let place = &mut counts[number as usize];
                instances[*place as usize] = index;
                *place += 1;
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the parts of a kind, each in its bits")]
fn group_of(kind: Kind) -> DrawGroup {
    let material = kind >> MATERIAL_SHIFT & ((1 << 33) - 1);
    DrawGroup {
        key: (kind >> KEY_SHIFT) as u32,
        material: (material != 0).then(|| (material.wrapping_sub(1)) as u32),
        mesh: (kind >> MESH_SHIFT) as u32,
        mirrored: kind & 1 != 0,
        first: 0,
        count: 0,
    }
}

impl DrawList {
    /// Groups the commands by material, mesh and winding, for renderers that draw many instances in one call. Returns
    /// `false`, and does nothing, if the groups were already made from these commands, even if matrices changed.
    ///
    /// Runs in **O(drawables)**, with a nanosecond or two for each, and a hash table lookup for each drawable of a
    /// slice that was listed again. Runs in O(1) if the commands are the same. The order is deterministic.
    ///
    /// # Panics
    /// Panics if there are more than 2³² drawables.
    ///
    /// ```
    /// use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, draw::DrawGroups};
    ///
    /// let mut scene = Scene::new();
    /// for mesh in [7, 9, 7] {
    ///     scene.insert(scene.root(), Node::drawable(Drawable::new(mesh, Aabb::cube(1.0))).with_material(2))?;
    /// }
    /// scene.update();
    /// let (mut list, mut groups) = (DrawList::new(), DrawGroups::new());
    /// scene.draw_list(&mut list);
    /// list.group(&mut groups);
    /// let calls: Vec<_> = groups.iter().map(|(group, instances)| (group.mesh, instances)).collect();
    /// assert_eq!(calls, [(7, &[0, 2][..]), (9, &[1][..])]);
    /// assert_eq!(groups.instances()[groups.groups()[1].range()], [1]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn group(&self, groups: &mut DrawGroups) -> bool {
        self.group_with(groups, false, |_| Some(0))
    }

    /// Like [`DrawList::group`], but groups first by a key of your own, such as the pipeline of a material, a lightmap
    /// or a pass. Commands for which `key` returns `None` are left out, for example transparent draws, which are drawn
    /// [by depth](DrawList::order_back_to_front).
    ///
    /// Commands with different keys are never in one group.
    ///
    /// The key must depend on the command alone. If the function changes, call [`DrawGroups::clear`] first.
    ///
    /// # Panics
    /// Panics if there are more than 2³² drawables.
    ///
    /// ```
    /// use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, draw::DrawGroups};
    ///
    /// let mut scene = Scene::new();
    /// for (mesh, lightmap) in [(7, 1), (7, 0), (9, 1)] {
    ///     let wall = scene.insert(scene.root(), Node::drawable(Drawable::new(mesh, Aabb::cube(1.0))))?;
    ///     scene.edit(wall)?.set_user_data(lightmap);
    /// }
    /// scene.update();
    /// let (mut list, mut groups) = (DrawList::new(), DrawGroups::new());
    /// scene.draw_list(&mut list);
    /// list.group_by_key(&mut groups, |command| Some(command.user_data));
    /// let calls: Vec<_> = groups.groups().iter().map(|group| (group.key, group.mesh)).collect();
    /// assert_eq!(calls, [(0, 7), (1, 7), (1, 9)]);
    ///
    /// let mut sevens = DrawGroups::new();
    /// list.group_by_key(&mut sevens, |command| (command.mesh == 7).then_some(0));
    /// assert_eq!(sevens.groups().len(), 1);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn group_by_key(&self, groups: &mut DrawGroups, key: impl Fn(&DrawCommand) -> Option<u32>) -> bool {
        self.group_with(groups, true, key)
    }

    fn group_with(&self, groups: &mut DrawGroups, keyed: bool, key: impl Fn(&DrawCommand) -> Option<u32>) -> bool {
        let commands = self.commands();
        assert!(u32::try_from(commands.len()).is_ok(), "more drawables than 32 bits can number");
        // Numbers that are copied would keep the keys of the other form.
        if groups.keyed != keyed {
            groups.clear();
            groups.keyed = keyed;
        }
        let changed = groups.revision != self.revision;
        if changed {
            // If the key function panics, the groups match no list.
            groups.revision = 0;
            groups.fill(commands, self.segments(), key);
            groups.revision = self.revision;
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeHandle;

    /// Returns the properties that commands are grouped by, in order.
    fn parts(command: &DrawCommand) -> (Option<u32>, u32, bool) {
        (command.material(), command.mesh, command.is_mirrored())
    }

    /// Returns the expected groups, from a plain stable sort.
    fn expected(commands: &[DrawCommand]) -> Vec<(Option<u32>, u32, bool, Vec<u32>)> {
        let mut order: Vec<u32> = (0..u32::try_from(commands.len()).unwrap()).collect();
        let parts = |index: u32| parts(&commands[index as usize]);
        order.sort_by_key(|&index| parts(index));
        let runs = order.chunk_by(|&a, &b| parts(a) == parts(b));
        runs.map(|run| (parts(run[0]).0, parts(run[0]).1, parts(run[0]).2, run.to_vec())).collect()
    }

    #[test]
    fn groups_are_what_a_stable_sort_makes_of_any_ids() {
        let node = NodeHandle::from_bits(1).unwrap();
        let mut dice = fastrand::Rng::with_seed(5);
        let mut draw = |below: u64| dice.u64(..below);
        let mut groups = DrawGroups::new();
        for (count, ids) in [(0, 1), (1, 1), (500, 3), (3000, 70), (3000, 5000), (2000, u64::from(u32::MAX) + 1)] {
            let spread = u64::from(u32::MAX) / ids.min(u64::from(u32::MAX));
            let mut id = || u32::try_from(draw(ids) * spread.max(1) % (1 << 32)).unwrap();
            let mut commands = Vec::new();
            for at in 0..count {
                let material = (at % 5 != 0).then(&mut id);
                commands.push(DrawCommand::new(node, id(), material, at % 7 == 0));
            }
            commands.extend(
                commands.first().map(|first| DrawCommand::new(node, first.mesh, Some(u32::MAX), first.is_mirrored())),
            );
            groups.fill(&commands, None, |_| Some(0));
            let found: Vec<_> = groups
                .iter()
                .map(|(group, instances)| (group.material, group.mesh, group.mirrored, instances.to_vec()))
                .collect();
            assert_eq!(found, expected(&commands));
            assert_eq!(groups.instances().len(), commands.len());
            assert!(2 * groups.kinds.kinds.len() <= groups.kinds.table.len(), "the table is at most half full");
        }
    }

    #[test]
    fn kinds_that_there_are_no_more_do_not_add_up() {
        let node = NodeHandle::from_bits(1).unwrap();
        let mut groups = DrawGroups::new();
        for round in 0..50 {
            let commands: Vec<_> = (0..500).map(|at| DrawCommand::new(node, round * 500 + at, None, false)).collect();
            groups.fill(&commands, None, |command| (command.mesh % 5 != 4).then_some(command.mesh % 3));
            assert_eq!((groups.groups().len(), groups.instances().len()), (400, 400));
            assert!(groups.groups().iter().all(|group| group.mesh % 5 != 4));
            assert!(groups.groups().iter().all(|group| group.key == group.mesh % 3));
            assert!(groups.kinds.kinds.len() <= 1024 + 2 * 500 + 500);
        }
    }

    #[test]
    fn hashes_of_numbers_that_follow_each_other_lie_apart() {
        let node = NodeHandle::from_bits(1).unwrap();
        let most = u32::MAX - 1;
        let kinds: [(&str, &dyn Fn(u32) -> Kind); 5] = [
            ("mesh", &|number| kind_of(&DrawCommand::new(node, number, Some(3), false), 0)),
            ("mesh without a material", &|number| kind_of(&DrawCommand::new(node, number, None, false), 0)),
            ("material", &|number| kind_of(&DrawCommand::new(node, 3, Some(number), false), 0)),
            ("key", &|number| kind_of(&DrawCommand::new(node, 3, Some(3), false), number)),
            ("key beside great numbers", &|number| kind_of(&DrawCommand::new(node, most, Some(most), true), number)),
        ];
        for (what, kind) in kinds {
            // A table for a thousand kinds.
            let mut places: Vec<usize> = (0..1000).map(|number| hash(kind(number)) & 2047).collect();
            places.sort_unstable();
            places.dedup();
            assert!(places.len() > 700, "{} places by {what}", places.len());
        }
    }
}
