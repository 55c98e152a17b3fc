//! The table of statements, and the changes that it accepts.

use crate::error::Error;
use crate::overrides::{Overrides, TOP, found, replace};
use crate::patch::{Entry, Key, Patch};
use crate::path::Path;
use crate::value::{Field, Spot, Value};
use core::fmt;
use core::ops::RangeInclusive;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Definitions as one flat table: *(definition, path, field) → value*.
///
/// A level, a prefab and a variant are the same thing: a definition, a named set of statements with one root. A node
/// whose [`Field::Use`] names another definition *is* that definition's root, with its own stated fields in place of
/// the root's; the nodes below it are the definition's. A statement with a longer path overrides one of them. Nothing
/// else is stored: [`tree`](Self::tree) and [`Document`](crate::Document) read trees from it.
///
/// Calls that return a [`Patch`] compute a whole task; [`apply`](Self::apply) makes it. The
/// [guide](crate#prefabs-and-overrides) lists tasks and their calls.
///
/// Two libraries are equal if they state the same.
#[derive(Clone, Default)]
pub struct Library {
    /// By number. A name keeps its number, also when nothing is stated for it any more.
    definitions: Vec<Definition>,
    numbers: BTreeMap<Arc<str>, u32>,
    writer: u16,
}

/// The statements of one definition.
#[derive(Clone, Default)]
pub(crate) struct Definition {
    pub(crate) name: Arc<str>,
    /// Own nodes. A node keeps its slot while anything is stated for it.
    slots: Vec<Slot>,
    by_id: BTreeMap<u64, u32>,
    /// Slots that the next patch may use, and those that this patch freed.
    free: Vec<u32>,
    freed: Vec<u32>,
    /// Statements about nodes of used definitions.
    pub(crate) overrides: Overrides,
    /// The stated places: of each, the parent and the node.
    children: BTreeSet<(Path, Path)>,
    /// The number of statements.
    stated: usize,
    /// The own nodes without a parent; one, but while a patch is applied.
    roots: BTreeSet<u64>,
    /// The slot of the root.
    pub(crate) root_slot: Option<u32>,
    /// The definitions that statements name, and how often.
    pub(crate) uses: BTreeMap<Arc<str>, u32>,
    /// Of each writer, a number greater than those of all ids that were ever mentioned.
    next_ids: BTreeMap<u16, u64>,
}

/// An own node of a definition.
#[derive(Clone, Default)]
pub(crate) struct Slot {
    pub(crate) id: u64,
    /// What is stated, sorted by field.
    pub(crate) values: Vec<Value>,
}

/// The greatest number of nodes that a scene may have.
pub(crate) const MOST_NODES: u64 = 1 << 30;

/// The bits of an id below those of its writer.
const WRITER_BITS: u32 = 48;
pub(crate) const COUNTER: u64 = (1 << WRITER_BITS) - 1;
/// No new node gets a counter from here on, so ids that a program or a file chose there take none of those before.
const CHOSEN: u64 = 1 << (WRITER_BITS - 1);
/// So many ids after the next one are free, too: more than a step has new nodes.
const FREE: u64 = 1 << 32;

/// Returns the writer that gave an id.
pub(crate) fn writer_of(id: u64) -> u16 {
    u16::try_from(id >> WRITER_BITS).expect("16 bits are left")
}

impl Library {
    /// Creates a library without definitions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Gives new ids to this writer: its number in the upper 16 bits, then a counter below 2⁴⁷. Two writers with
    /// different numbers never give one id twice, so their patches merge without renumbering.
    pub fn set_writer(&mut self, writer: u16) {
        self.writer = writer;
    }

    /// Returns the names of all definitions, sorted.
    pub fn definitions(&self) -> impl Iterator<Item = &str> {
        self.all().map(|definition| &*definition.name)
    }

    /// Iterates over the definitions that have a root, sorted by name.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Definition> {
        self.numbers.values().map(|&number| self.at(number)).filter(|definition| definition.root().is_some())
    }

    /// Returns the definitions that use this one in any statement, sorted.
    #[must_use]
    pub fn users(&self, definition: &str) -> Vec<&str> {
        let uses = |&(_, number): &(&Arc<str>, &u32)| self.at(*number).uses.contains_key(definition);
        self.numbers.iter().filter(uses).map(|(name, _)| &**name).collect()
    }

    /// Returns all statements of a definition: own nodes by id, then overrides by path; of each node, by field.
    pub fn stated(&self, definition: &str) -> impl Iterator<Item = (Path, &Value)> {
        self.number(definition).into_iter().flat_map(|number| self.at(number).stated())
    }

    /// Returns what a definition states about a node, by field: what an inspector shows in bold. Runs in **O(log
    /// statements)** for the first.
    pub fn stated_of(&self, definition: &str, path: &Path) -> impl Iterator<Item = &Value> {
        self.number(definition).into_iter().flat_map(move |number| self.at(number).stated_of(path))
    }

    /// Returns a statement. Runs in **O(log statements)**.
    #[must_use]
    pub fn get(&self, key: &Key) -> Option<&Value> {
        self.at(self.number(&key.definition)?).get(&key.path, key.field)
    }

    /// Returns all statements with their keys, sorted by definition.
    pub(crate) fn statements(&self) -> impl Iterator<Item = (Key, &Value)> {
        self.numbers.iter().flat_map(|(name, &number)| {
            let key = |path, value: &Value| Key { definition: name.clone(), path, field: value.field() };
            self.at(number).stated().map(move |(path, value)| (key(path, value), value))
        })
    }

    /// Returns the number of a name that was ever mentioned.
    pub(crate) fn number(&self, definition: &str) -> Option<u32> {
        self.numbers.get(definition).copied()
    }

    pub(crate) fn at(&self, number: u32) -> &Definition {
        &self.definitions[number as usize]
    }

    pub(crate) fn at_mut(&mut self, number: u32) -> &mut Definition {
        &mut self.definitions[number as usize]
    }

    /// Returns the number of a definition that has a root.
    pub(crate) fn defined(&self, name: &str) -> Result<u32, Error> {
        let found = self.number(name).filter(|&number| self.at(number).root().is_some());
        found.ok_or_else(|| Error::NoDefinition(name.into()))
    }

    /// Returns the id that the next new node of a definition gets. Add 1 for each further one. No statement names it or
    /// one of the next 2³², or has named one since the library was read, so no override without effect gets one, and
    /// none that an undo brings back. Runs in **O(definitions · log overrides)**.
    #[must_use]
    pub fn next_id(&self, definition: &str) -> u64 {
        self.next_id_of(definition, self.writer)
    }

    /// Returns the next id of a writer.
    pub(crate) fn next_id_of(&self, definition: &str, writer: u16) -> u64 {
        let number = self.number(definition);
        let next_ids = number.map(|number| &self.at(number).next_ids);
        let counter = next_ids.and_then(|next_ids| next_ids.get(&writer)).copied().unwrap_or(0);
        let first = u64::from(writer) << WRITER_BITS;
        let (mut next, end) = (first | counter, first | (CHOSEN - FREE));
        let others = || (0..).zip(&self.definitions).filter(|(other, _)| Some(*other) != number);
        let named =
            |ids: RangeInclusive<u64>| others().filter_map(|(_, of)| of.overrides.last_inner_id(ids.clone())).max();
        while next < end
            && let Some(last) = named(next..=next + FREE)
        {
            next = last + 1;
        }
        // Without ids that are left, one that every library refuses.
        if next < end { next } else { first | COUNTER }
    }

    /// Returns whether a definition has ids for more nodes.
    pub(crate) fn has_ids(&self, definition: &str) -> bool {
        self.next_id(definition) & COUNTER != COUNTER
    }

    /// Raises the next id of its writer to at least `next`, as a file says.
    pub(crate) fn begin_ids_at(&mut self, definition: &str, next: u64) {
        let number = self.number_or_new(&definition.into());
        // No id of a writer is less than its first one.
        if next & COUNTER > 0 {
            self.at_mut(number).mention(next - 1);
        }
    }

    fn number_or_new(&mut self, name: &Arc<str>) -> u32 {
        *self.numbers.entry(name.clone()).or_insert_with(|| {
            self.definitions.push(Definition::new(name.clone()));
            u32::try_from(self.definitions.len() - 1).expect("names fit into memory")
        })
    }

    /// Makes all changes of a patch, or none. Runs in **O(entries log statements)**, and in O(uses of all definitions)
    /// more if it states a use.
    ///
    /// # Errors
    /// [`Error::State`] if a statement is not as the patch's `before` says. [`Error::Use`] if a definition
    /// would contain itself. [`Error::Invalid`] if a definition would have no root or two.
    pub fn apply(&mut self, patch: &Patch) -> Result<(), Error> {
        self.check(patch)?;
        self.make(patch);
        self.keep_ids(patch);
        Ok(())
    }

    /// Gives the ids that a patch states to no other node. So two libraries that make the same patches give the same
    /// ids, and what a call takes back again leaves no trace.
    pub(crate) fn keep_ids(&mut self, patch: &Patch) {
        for entries in patch.entries().chunk_by(|a, b| a.key.definition == b.key.definition) {
            let number = self.number_or_new(&entries[0].key.definition);
            let definition = self.at_mut(number);
            for Entry { key, after, .. } in entries {
                after.iter().for_each(|value| definition.mention_all(&key.path, value));
            }
            // No file has the ids of a definition that is gone.
            if definition.stated == 0 {
                definition.next_ids.clear();
            }
        }
    }

    /// Makes all changes of a patch that was checked, without its ids.
    pub(crate) fn make(&mut self, patch: &Patch) {
        self.definitions.iter_mut().for_each(Definition::release);
        // What is unstated comes last, so that no node loses its slot for a moment.
        for states in [true, false] {
            for Entry { key, after, .. } in patch.entries().iter().filter(|entry| entry.after.is_some() == states) {
                let number = self.number_or_new(&key.definition);
                self.at_mut(number).state(&key.path, key.field, after.clone());
            }
        }
    }

    /// Checks a whole patch before anything is stated, so that a refused one moves no node to another slot.
    pub(crate) fn check(&self, patch: &Patch) -> Result<(), Error> {
        for entry in patch.entries() {
            if self.get(&entry.key) != entry.before.as_ref() {
                return Err(Error::State(entry.key.clone()));
            }
            check(entry)?;
        }
        self.check_roots(patch)?;
        self.check_circles(patch).map_err(|circle| {
            let mut stated =
                patch.entries().iter().filter_map(|entry| Some((&entry.key, entry.after.as_ref()?.uses()?)));
            let closing = stated.find(|(key, uses)| circle.contains(*uses) && circle.contains(&key.definition));
            let (key, uses) = closing.expect("a library without the patch has no circle");
            Error::Use { key: key.clone(), uses: uses.clone() }
        })
    }

    /// Checks that each definition has one root after a patch, or no statement at all.
    fn check_roots(&self, patch: &Patch) -> Result<(), Error> {
        for entries in patch.entries().chunk_by(|a, b| a.key.definition == b.key.definition) {
            let key = &entries[0].key;
            let definition = self.number(&key.definition).map(|number| self.at(number));
            let (mut roots, mut stated) = definition.map_or((0, 0), |of| (of.roots.len(), of.stated));
            for Entry { before, after, .. } in entries {
                roots = roots + usize::from(is_root(after.as_ref())) - usize::from(is_root(before.as_ref()));
                stated = stated + usize::from(after.is_some()) - usize::from(before.is_some());
            }
            let why = match (roots, stated) {
                (1, _) | (0, 0) => continue,
                (0, _) => "the definition has no root; state one place without a parent",
                _ => "the definition has two roots; give all but one a parent",
            };
            return Err(Error::Invalid { key: key.clone(), why });
        }
        Ok(())
    }

    /// Returns the definitions of a circle of uses that a patch would close.
    pub(crate) fn check_circles(&self, patch: &Patch) -> Result<(), BTreeSet<Arc<str>>> {
        let uses = |entry: &&Entry| entry.after.as_ref().is_some_and(|value| value.uses().is_some());
        let starts = patch.entries().iter().filter(uses).map(|entry| &*entry.key.definition);
        let circle = self.most_nodes_of(starts, patch).map(drop);
        circle.map_err(|circle| circle.into_iter().map(Arc::from).collect())
    }

    /// Returns how many nodes these definitions, and all that they use, expand to at most after a patch; or the
    /// definitions of a circle of uses. Runs in O(uses of all definitions).
    fn most_nodes_of<'a>(
        &'a self,
        starts: impl IntoIterator<Item = &'a str>,
        patch: &'a Patch,
    ) -> Result<BTreeMap<&'a str, u64>, BTreeSet<&'a str>> {
        // How many own nodes each has more, and how much more often it names others.
        let mut changed: BTreeMap<&str, (u64, BTreeMap<&str, i64>)> = BTreeMap::new();
        for Entry { key, before, after } in patch.entries() {
            let (own, uses) = changed.entry(&key.definition).or_default();
            *own += u64::from(before.is_none() && key.field == Field::Place && key.path.own().is_some());
            for (value, change) in [(before, -1), (after, 1)] {
                if let Some(name) = value.as_ref().and_then(Value::uses) {
                    *uses.entry(name).or_default() += change;
                }
            }
        }
        let entered = |name: &'a str| {
            let (mut own, mut uses) = changed.get(name).cloned().unwrap_or_default();
            if let Some(definition) = self.number(name).map(|number| self.at(number)) {
                own += definition.by_id.len() as u64;
                definition.uses.iter().for_each(|(of, &count)| *uses.entry(of).or_default() += i64::from(count));
            }
            let uses = uses.into_iter().filter_map(|(of, count)| Some((of, u64::try_from(count).ok()?)));
            (name, own, uses.filter(|(_, count)| *count > 0).collect::<Vec<_>>())
        };
        // `None` while those are counted that a definition uses.
        let (mut counts, mut way) = (BTreeMap::<&str, Option<u64>>::new(), Vec::new());
        for start in starts {
            if !counts.contains_key(start) {
                counts.insert(start, None);
                way.push(entered(start));
            }
            while let Some((name, count, ahead)) = way.last_mut() {
                let Some(&(next, times)) = ahead.last() else {
                    counts.insert(*name, Some(*count));
                    way.pop();
                    continue;
                };
                match counts.get(next) {
                    Some(Some(inside)) => {
                        *count = count.saturating_add(inside.saturating_mul(times));
                        ahead.pop();
                    }
                    Some(None) => {
                        return Err(way.iter().map(|(name, ..)| *name).skip_while(|name| *name != next).collect());
                    }
                    None => {
                        counts.insert(next, None);
                        way.push(entered(next));
                    }
                }
            }
        }
        Ok(counts.into_iter().filter_map(|(name, count)| Some((name, count?))).collect())
    }

    /// Returns how many nodes a definition expands to at most after a patch, which closes no circle of uses.
    pub(crate) fn most_nodes(&self, definition: &str, patch: &Patch) -> u64 {
        self.most_nodes_of([definition], patch).map_or(u64::MAX, |counts| counts[definition])
    }
}

/// Returns whether a value is the place of a root.
pub(crate) fn is_root(value: Option<&Value>) -> bool {
    value.and_then(Value::spot).is_some_and(|spot| spot.parent.is_none())
}

/// Checks what an entry states by itself.
fn check(entry: &Entry) -> Result<(), Error> {
    let Entry { key, after, .. } = entry;
    let invalid = |why| Err(Error::Invalid { key: key.clone(), why });
    let parent = after.as_ref().and_then(Value::spot).and_then(|spot| spot.parent.as_ref());
    if key.path.ids().iter().chain(parent.into_iter().flat_map(Path::ids)).any(|id| id & COUNTER == COUNTER) {
        return invalid("an id is too large; use ids whose lower 48 bits are not all set");
    }
    match after {
        Some(Value::Place(None)) if key.path.own().is_some() => {
            invalid("only an override can remove a node; unstate an own node's place")
        }
        Some(Value::Place(Some(spot))) if spot.parent.is_none() && key.path.own().is_none() => {
            invalid("an override cannot make a node a root; state its parent")
        }
        _ => Ok(()),
    }
}

impl Definition {
    fn new(name: Arc<str>) -> Self {
        Self { name, ..Self::default() }
    }

    /// Returns the id of the root.
    pub(crate) fn root(&self) -> Option<u64> {
        self.roots.first().copied()
    }

    /// Returns the number of slots.
    pub(crate) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Returns the slot of an id for which something is stated.
    pub(crate) fn slot_of(&self, id: u64) -> Option<u32> {
        self.by_id.get(&id).copied()
    }

    pub(crate) fn slot(&self, slot: u32) -> &Slot {
        &self.slots[slot as usize]
    }

    /// Returns the slot of an own node, whose place is stated.
    pub(crate) fn node(&self, id: u64) -> Option<u32> {
        self.slot_of(id).filter(|&slot| self.slot(slot).get(Field::Place).is_some())
    }

    /// Returns the ids of own nodes, ascending.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = u64> {
        let there = |&(_, &slot): &(&u64, &u32)| self.slot(slot).get(Field::Place).is_some();
        self.by_id.iter().filter(there).map(|(&id, _)| id)
    }

    pub(crate) fn get(&self, path: &Path, field: Field) -> Option<&Value> {
        found(self.stated_of(path), field)
    }

    pub(crate) fn stated(&self) -> impl Iterator<Item = (Path, &Value)> {
        let own = self.by_id.iter().flat_map(|(&id, &slot)| self.slot(slot).values.iter().map(move |v| (id.into(), v)));
        own.chain(self.overrides.stated_from(TOP))
    }

    /// Returns what is stated about a node, by field.
    pub(crate) fn stated_of(&self, path: &Path) -> &[Value] {
        match path.own() {
            Some(id) => self.slot_of(id).map_or(&[], |slot| &self.slot(slot).values),
            None => self.overrides.find(path.ids()).map_or(&[], |at| self.overrides.values(at)),
        }
    }

    /// Returns what is stated about a node and all nodes inside it.
    pub(crate) fn stated_from<'d>(&'d self, path: &Path) -> impl Iterator<Item = (Path, &'d Value)> + use<'d> {
        let own = path.own().map(|id| (Path::from(id), self.stated_of(path)));
        let own = own.into_iter().flat_map(|(path, values)| values.iter().map(move |value| (path.clone(), value)));
        own.chain(self.overrides.find(path.ids()).into_iter().flat_map(|at| self.overrides.stated_from(at)))
    }

    /// Returns the nodes that this definition states below a parent.
    pub(crate) fn children<'d>(&'d self, parent: &Path) -> impl Iterator<Item = &'d Path> + use<'d> {
        let same = parent.clone();
        self.placed_below(parent).take_while(move |(above, _)| **above == same).map(|(_, node)| node)
    }

    /// Returns the stated places whose parent is a node or inside it: of each, the parent and the node.
    pub(crate) fn placed_below<'d>(&'d self, top: &Path) -> impl Iterator<Item = (&'d Path, &'d Path)> + use<'d> {
        let top = top.clone();
        let places = self.children.range((top.clone(), Path::from(0))..);
        places.take_while(move |(parent, _)| parent.starts_with(&top)).map(|(parent, node)| (parent, node))
    }

    /// Returns the own nodes that are stated to be below a node or inside it, those below these, and so on, as far as
    /// they are `taken`.
    pub(crate) fn own_below(&self, top: &Path, taken: impl Fn(u64) -> bool) -> BTreeSet<u64> {
        let (mut found, mut ahead) = (BTreeSet::new(), vec![top.clone()]);
        while let Some(top) = ahead.pop() {
            let below = self.placed_below(&top).filter_map(|(_, child)| child.own());
            ahead.extend(below.filter(|&id| taken(id) && found.insert(id)).map(Path::from));
        }
        found
    }

    /// Lets the slots that earlier patches freed be used again.
    pub(crate) fn release(&mut self) {
        self.free.append(&mut self.freed);
    }

    /// States or unstates a value, without any check, and returns what was stated.
    pub(crate) fn state(&mut self, path: &Path, field: Field, value: Option<Value>) -> Option<Value> {
        if let Some(name) = value.as_ref().and_then(Value::uses) {
            *self.uses.entry(name.clone()).or_default() += 1;
        }
        let (place, states) = (value.as_ref().and_then(Value::spot).cloned(), value.is_some());
        let before = match path.own() {
            Some(id) => self.state_own(id, field, value),
            None => self.overrides.state(path, field, value),
        };
        self.stated = self.stated + usize::from(states) - usize::from(before.is_some());
        if let Some(name) = before.as_ref().and_then(Value::uses)
            && let Some(count) = self.uses.get_mut(name)
        {
            *count -= 1;
            if *count == 0 {
                self.uses.remove(name);
            }
        }
        if let Some(Spot { parent, .. }) = before.as_ref().and_then(Value::spot) {
            self.count_placed(parent.as_ref(), path, false);
        }
        if let Some(Spot { parent, .. }) = place {
            self.count_placed(parent.as_ref(), path, true);
        }
        if field == Field::Place {
            self.root_slot = self.root().and_then(|root| self.slot_of(root));
        }
        before
    }

    /// Notes that a node is stated to be below a parent, or no longer is.
    fn count_placed(&mut self, parent: Option<&Path>, node: &Path, placed: bool) {
        let Some(parent) = parent else {
            _ = if placed { self.roots.insert(node.last()) } else { self.roots.remove(&node.last()) };
            return;
        };
        let key = (parent.clone(), node.clone());
        _ = if placed { self.children.insert(key) } else { self.children.remove(&key) };
        if parent.own().is_none() {
            self.overrides.count_placed(parent, placed);
        }
    }

    fn state_own(&mut self, id: u64, field: Field, value: Option<Value>) -> Option<Value> {
        let slot = match self.by_id.get(&id) {
            Some(&slot) => slot,
            None if value.is_none() => return None,
            None => self.new_slot(id),
        };
        let values = &mut self.slots[slot as usize].values;
        let before = replace(values, field, value);
        if values.is_empty() {
            self.by_id.remove(&id);
            self.freed.push(slot);
        }
        before
    }

    fn new_slot(&mut self, id: u64) -> u32 {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            u32::try_from(self.slots.len() - 1).expect("statements fit into memory")
        });
        self.slots[slot as usize] = Slot { id, values: Vec::new() };
        self.by_id.insert(id, slot);
        slot
    }

    /// Returns the next ids that are greater than all ids that are mentioned.
    pub(crate) fn next_ids(&self) -> Vec<u64> {
        let mut fresh = Self::default();
        self.stated().for_each(|(path, value)| fresh.mention_all(&path, value));
        let raised =
            self.next_ids.iter().filter(|&(writer, next)| fresh.next_ids.get(writer).is_none_or(|used| used < next));
        raised.map(|(&writer, next)| u64::from(writer) << WRITER_BITS | next).collect()
    }

    /// Never gives these ids to new nodes.
    fn mention_all(&mut self, path: &Path, value: &Value) {
        self.mention(path.ids()[0]);
        if let Some(parent) = value.spot().and_then(|spot| spot.parent.as_ref()) {
            self.mention(parent.ids()[0]);
        }
    }

    fn mention(&mut self, id: u64) {
        if id & COUNTER < CHOSEN {
            let next = self.next_ids.entry(writer_of(id)).or_default();
            *next = (*next).max((id & COUNTER) + 1);
        }
    }
}

impl Slot {
    pub(crate) fn get(&self, field: Field) -> Option<&Value> {
        found(&self.values, field)
    }
}

impl PartialEq for Library {
    fn eq(&self, other: &Self) -> bool {
        self.statements().eq(other.statements())
    }
}

/// Writes the statements.
impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let statements = self.statements().map(|(key, value)| (format!("{key}"), value));
        f.write_str("Library ")?;
        f.debug_map().entries(statements).finish()
    }
}
