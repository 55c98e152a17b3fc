//! From a definition to its tree.

use crate::error::Error;
use crate::library::{Library, MOST_NODES, Slot};
use crate::order::Rank;
use crate::overrides::found;
use crate::patch::{Key, Patch};
use crate::path::Path;
use crate::places::{Instance, NONE, Places};
use crate::resolve::{Scope, stays};
use crate::value::{Field, Value};
use core::cmp::Reverse;
use core::hash::BuildHasherDefault;
use core::ops::Range;
use hedgerow::internal::HandleHasher;
use hedgerow::{Node, NodeHandle, Scene, Tree};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Why a statement of a definition has no effect now. It is kept, and has one again when its reason goes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The node is not there, or its override would move it out of its instance.
    Unused(Key),
    /// The node's parent is gone. Give it another parent, or unstate it.
    Orphan(Key),
    /// The node's parents lead back to the node. Give one of them another parent.
    Circle(Key),
    /// The library does not have the used definition: the use is its node alone.
    Missing {
        /// The use.
        key: Key,
        /// The definition that it names.
        definition: Arc<str>,
    },
}

/// A place's node among its siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Sibling {
    pub(crate) rank: Rank,
    pub(crate) place: u32,
}

/// A library with the places of a document; it remembers what most nodes of the same definition ask again.
pub(crate) struct Expansion<'l> {
    pub(crate) library: &'l Library,
    pub(crate) places: &'l mut Places,
    /// The scopes from the document's inwards to the one that was asked for last.
    way: Vec<Scope>,
    /// Memory for the rest of a way, from its end outwards.
    unknown: Vec<u32>,
    /// The instance whose place was asked for last, and its places.
    last: (u32, Range<u32>),
    /// By definition and slot.
    patterns: ByNumber<(u32, u32), Pattern<'l>>,
    /// Of each definition that was expanded, an instance.
    first: ByNumber<u32, u32>,
    buffers: Buffers,
}

/// A map by numbers.
pub(crate) type ByNumber<K, V> = HashMap<K, V, BuildHasherDefault<HandleHasher>>;

/// Memory for the walk of an expansion, used again by the next one.
#[derive(Default)]
struct Buffers {
    ahead: Vec<Ahead>,
    aliases: Vec<Alias>,
    below: Vec<(Sibling, Scope)>,
    instances: Vec<u32>,
}

/// A place whose node comes next.
struct Ahead {
    place: u32,
    scope: Scope,
    parent: Option<usize>,
}

/// A node in one of the instances whose root it is, or in its own.
struct Alias {
    scope: Scope,
    slot: u32,
    id: u64,
}

/// What an own node expands to wherever no outer definition states anything of it, and its own nothing inside of it.
struct Pattern<'l> {
    node: Node<'l>,
    /// The definition that it uses and the slot of its root, then what that root uses, and so on.
    used: Vec<(u32, u32)>,
    /// The nodes below, in order: of each, the number of these uses around it, and its slot.
    below: Vec<(u32, u32)>,
}

impl<'l> Expansion<'l> {
    pub(crate) fn new(library: &'l Library, places: &'l mut Places) -> Self {
        Self {
            library,
            places,
            way: Vec::new(),
            unknown: Vec::new(),
            last: (0, 0..0),
            patterns: HashMap::default(),
            first: HashMap::default(),
            buffers: Buffers::default(),
        }
    }

    /// Returns the scope of an instance. Those around it that are also around the last one are known.
    fn scope(&mut self, number: u32) -> &Scope {
        let mut at = number;
        // An outer instance is made before those inside it, so its number is less.
        loop {
            while self.way.pop_if(|last| last.number > at).is_some() {}
            if self.way.last().is_some_and(|last| last.number == at) {
                break;
            }
            let Instance { definition, outer, .. } = *self.places.instance(at);
            if outer == NONE {
                self.way.push(Scope { number: at, ..Scope::top(definition) });
                break;
            }
            self.unknown.push(at);
            at = outer;
        }
        while let Some(number) = self.unknown.pop() {
            let Instance { definition, slot, .. } = *self.places.instance(number);
            let around = &self.way[self.way.len() - 1];
            let id = self.library.at(around.definition).slot(slot).id;
            self.way.push(self.library.entered(around, id, definition, number));
        }
        &self.way[self.way.len() - 1]
    }

    /// Returns the number of instances around an instance if none of their definitions states anything inside of it.
    /// Where one states something beside it, may return `None`, too.
    pub(crate) fn plain_depth(&mut self, instance: u32) -> Option<u32> {
        let (library, Instance { outer, slot, .. }) = (self.library, *self.places.instance(instance));
        if outer == NONE {
            return Some(0);
        }
        let around = self.scope(outer);
        let is_plain = around.outer.is_none() && !library.states_inside(around.definition, slot);
        is_plain.then_some(around.depth + 1)
    }

    /// Returns the instance and the slot of a place.
    fn split(&mut self, place: u32) -> (u32, u32) {
        if !self.last.1.contains(&place) {
            self.look_into(self.places.instance_near(self.last.0, place));
        }
        (self.last.0, place - self.last.1.start)
    }

    fn look_into(&mut self, instance: u32) {
        self.last = (instance, self.places.range(instance));
    }

    /// Returns the scope of a place, and the id of its node.
    pub(crate) fn node(&mut self, place: u32) -> (&Scope, u64) {
        let (library, (number, slot)) = (self.library, self.split(place));
        let scope = self.scope(number);
        (scope, library.at(scope.definition).slot(slot).id)
    }

    /// Returns where a place's node is stated: the place of its parent, and the node among its siblings. `None` if it
    /// is removed, or its parent is missing; the parent of the document's root is [`NONE`].
    pub(crate) fn spot(&mut self, place: u32) -> Option<(u32, Sibling)> {
        let (outer, parent, sibling) = self.stated(place)?;
        match parent {
            None => (sibling.rank.1 == Reverse(0)).then_some((NONE, sibling)),
            Some(parent) => Some((self.places.find(self.library, outer, parent.ids())?, sibling)),
        }
    }

    /// Returns a place's node among its siblings, if it is not removed.
    pub(crate) fn sibling(&mut self, place: u32) -> Option<Sibling> {
        Some(self.stated(place)?.2)
    }

    /// Returns the parent that is stated for a node, the instance from which it is named, and the sibling.
    fn stated(&mut self, place: u32) -> Option<(u32, Option<&'l Path>, Sibling)> {
        let (library, (number, slot)) = (self.library, self.split(place));
        let Slot { id, values } = library.at(self.places.instance(number).definition).slot(slot);
        let (outer, spot, depth) = match self.plain_depth(number) {
            Some(depth) => (number, found(values, Field::Place)?.spot()?, depth),
            None => {
                let scope = self.scope(number);
                let (outer, spot) = library.stated_place(scope, *id)?;
                (outer, spot, scope.depth)
            }
        };
        Some((outer, spot.parent.as_ref(), Sibling { rank: (spot.order, Reverse(depth), *id), place }))
    }

    /// Returns the outermost place of a node.
    pub(crate) fn of_node(&mut self, scene: &Scene, node: NodeHandle) -> Option<u32> {
        let place = self.places.innermost_of(scene, node)?;
        let (number, slot) = self.split(place);
        let (instance, slot) = self.places.outermost_of(self.library, number, slot);
        if instance != number {
            self.look_into(instance);
        }
        Some(self.last.1.start + slot)
    }

    /// Lists a node in its own instance, then as the root of what it uses, and so on. Makes the instances that are
    /// missing.
    fn enter(&mut self, mut scope: Scope, mut slot: u32, aliases: &mut Vec<Alias>) {
        let library = self.library;
        aliases.clear();
        loop {
            let id = library.at(scope.definition).slot(slot).id;
            let inner = library.used(&scope, id).map(|(definition, root)| {
                let number = self.places.inner_or_new(library, (scope.number, slot), definition);
                (library.entered(&scope, id, definition, number), root)
            });
            aliases.push(Alias { scope, slot, id });
            let Some(next) = inner else { return };
            (scope, slot) = next;
        }
    }

    /// Describes a node, outer levels last.
    fn described(&self, aliases: &[Alias]) -> Node<'l> {
        let (library, mut node) = (self.library, Node::group());
        for Alias { scope, slot, id } in aliases.iter().rev() {
            library.at(scope.definition).slot(*slot).values.iter().for_each(|value| value.put(&mut node));
            let outer = library.outer_values(scope, *id).rev();
            outer.flat_map(|(_, values)| values).for_each(|value| value.put(&mut node));
        }
        node
    }

    /// Lists the nodes that are stated to be below a node, in order, with their scopes.
    fn list_below(&mut self, aliases: &[Alias], below: &mut Vec<(Sibling, Scope)>) {
        let library = self.library;
        below.clear();
        for Alias { scope, id, .. } in aliases {
            for (number, definition, parent) in library.parents(scope, *id) {
                for child in library.at(definition).children(&parent) {
                    let Some((instance, slot)) = self.places.locate(library, number, child.ids()) else { continue };
                    let (scope, id) = (self.scope(instance), child.last());
                    if let Some((by, spot)) = library.stated_place(scope, id)
                        && by == number
                        && !library.is_inner_root(scope, id)
                    {
                        let (rank, scope) = ((spot.order, Reverse(scope.depth), id), scope.clone());
                        below.push((Sibling { rank, place: self.places.place(instance, slot) }, scope));
                    }
                }
            }
        }
        below.sort_unstable_by_key(|(sibling, _)| *sibling);
    }

    /// Returns the value of a component of a node, given its outermost instance and slot, if no definition around
    /// another instance states it. The outer option is whether any definition does.
    pub(crate) fn shown_by(
        &mut self,
        instance: u32,
        (mut at, mut slot): (u32, u32),
        field: Field,
    ) -> Option<Option<&'l Value>> {
        let library = self.library;
        loop {
            let scope = self.scope(at);
            let id = library.at(scope.definition).slot(slot).id;
            if let Some((value, by)) = library.look(scope, id, field) {
                // The instance is on the way or inside its last one.
                return Some(Some(value).filter(|_| self.way[by as usize].number >= instance));
            }
            at = self.places.inner(self.places.place(at, slot))?;
            slot = library.at(self.places.instance(at).definition).root_slot?;
        }
    }

    /// Makes the instances that a place's node uses, and describes the node.
    pub(crate) fn describe(&mut self, place: u32) -> Node<'l> {
        let ((number, slot), mut aliases) = (self.split(place), Vec::new());
        let scope = self.scope(number).clone();
        self.enter(scope, slot, &mut aliases);
        self.described(&aliases)
    }

    /// Describes a node and all missing nodes below it, in depth-first order, each with the number of its parent, and
    /// makes their instances. Lists the innermost place of each.
    pub(crate) fn expand(&mut self, top: u32, list: &mut Vec<u32>, mut push: impl FnMut(Option<usize>, Node<'l>)) {
        list.clear();
        let (number, _) = self.split(top);
        let scope = self.scope(number).clone();
        let Buffers { mut ahead, mut aliases, mut below, mut instances } = core::mem::take(&mut self.buffers);
        ahead.push(Ahead { place: top, scope, parent: None });
        while let Some(Ahead { place, scope, parent }) = ahead.pop() {
            let (above, slot) = (Some(list.len()), place - self.places.place(scope.number, 0));
            if scope.outer.is_none()
                && let Some(pattern) = self.patterns.get(&(scope.definition, slot))
            {
                push(parent, pattern.node);
                instances.clear();
                instances.push(scope.number);
                let mut at = (scope.number, slot);
                for &(definition, root) in &pattern.used {
                    at = (self.places.inner_or_new(self.library, at, definition), root);
                    instances.push(at.0);
                }
                list.push(self.places.place(at.0, at.1));
                for &(inside, slot) in pattern.below.iter().rev() {
                    let (depth, number) = (scope.depth + inside, instances[inside as usize]);
                    let place = self.places.place(number, slot);
                    if place != top && self.places.record(self.library, place).is_none() {
                        let definition = self.places.instance(number).definition;
                        let scope = Scope { number, definition, depth, outer: None };
                        ahead.push(Ahead { place, scope, parent: above });
                    }
                }
                continue;
            }
            self.enter(scope, slot, &mut aliases);
            let node = self.described(&aliases);
            push(parent, node);
            self.list_below(&aliases, &mut below);
            self.learn(&aliases, node, &below);
            // A node that is there already moves below this one; the top is below itself if it is in a circle.
            let record = |place| self.places.record(self.library, place);
            let missing = |(Sibling { place, .. }, _): &_| *place != top && record(*place).is_none();
            let missing = below.drain(..).rev().filter(missing);
            ahead.extend(missing.map(|(Sibling { place, .. }, scope)| Ahead { place, scope, parent: above }));
            let Alias { scope, slot, .. } = &aliases[aliases.len() - 1];
            list.push(self.places.place(scope.number, *slot));
        }
        self.buffers = Buffers { ahead, aliases, below, instances };
    }

    /// Remembers what a node of a definition expands to, from the definition's second instance on.
    fn learn(&mut self, aliases: &[Alias], node: Node<'l>, below: &[(Sibling, Scope)]) {
        let Alias { scope: Scope { number, definition, depth, .. }, slot, .. } = aliases[0];
        let is_first = *self.first.entry(definition).or_insert(number) == number;
        if is_first || aliases.iter().any(|alias| alias.scope.outer.is_some()) {
            return;
        }
        let used = aliases[1..].iter().map(|alias| (alias.scope.definition, alias.slot)).collect();
        let slot_of = |sibling: &Sibling, scope: &Scope| sibling.place - self.places.place(scope.number, 0);
        let below = below.iter().map(|(sibling, scope)| (scope.depth - depth, slot_of(sibling, scope))).collect();
        self.patterns.insert((definition, slot), Pattern { node, used, below });
    }

    /// Makes the instance of the whole document, and returns the place of its root.
    pub(crate) fn begin(&mut self, definition: u32) -> Option<u32> {
        let root = self.library.at(definition).root_slot?;
        let top = self.places.add(self.library, definition, None);
        Some(self.places.place(top, root))
    }
}

impl Library {
    /// Returns the definition that a node uses, and the slot of its root.
    fn used(&self, scope: &Scope, id: u64) -> Option<(u32, u32)> {
        let used = self.enter(scope, id)?;
        Some((used, self.at(used).root_slot?))
    }

    /// Returns the nodes that a definition expands to, in depth-first order. Runs in **O((nodes + ids of statements) ·
    /// log statements)**, however deep definitions are nested.
    ///
    /// # Errors
    /// [`Error::NoDefinition`]; [`Error::Scene`] if there are more than 2³⁰ nodes.
    pub fn tree(&self, definition: &str) -> Result<Tree, Error> {
        let (mut tree, number) = (Tree::new(), self.defined(definition)?);
        self.expanded(number, self.at(number).root_slot, |parent, node| _ = tree.push(parent, node))?;
        Ok(tree)
    }

    /// Expands an own node of a definition. Returns the places of the definition's nodes; those of nodes that are there
    /// hold a record.
    pub(crate) fn expanded(
        &self,
        definition: u32,
        slot: Option<u32>,
        push: impl FnMut(Option<usize>, Node<'_>),
    ) -> Result<Places, Error> {
        let name = &self.at(definition).name;
        if self.most_nodes(name, &Patch::EMPTY) > MOST_NODES {
            return Err(hedgerow::Error::CapacityOverflow.into());
        }
        let mut places = Places::default();
        let mut expansion = Expansion::new(self, &mut places);
        let (Some(_), Some(slot)) = (expansion.begin(definition), slot) else {
            return Err(Error::NoDefinition(name.clone()));
        };
        let mut list = Vec::new();
        expansion.expand(expansion.places.place(0, slot), &mut list, push);
        // Any record says that the node is there.
        list.into_iter().for_each(|place| places.places[place as usize] = 0);
        Ok(places)
    }

    /// Returns the statements of a definition that have no effect now, and why. Runs in **O((nodes + ids of
    /// statements) · log statements)**.
    #[must_use]
    pub fn notes(&self, definition: &str) -> Vec<Note> {
        let Ok(number) = self.defined(definition) else { return Vec::new() };
        let expanded = self.expanded(number, self.at(number).root_slot, |_, _| {});
        let Ok(mut places) = expanded else { return Vec::new() };
        let mut expansion = Expansion::new(self, &mut places);
        let name: Arc<str> = definition.into();
        let (mut notes, mut circles) = (Vec::new(), HashMap::new());
        for (path, value) in self.stated(definition) {
            let key = Key { definition: name.clone(), path: path.clone(), field: value.field() };
            let located = self.locate(number, path.ids()).filter(|route| route.ids.len() == path.ids().len());
            let place = located.and_then(|_| expansion.places.find(self, 0, path.ids()));
            let is_there = place.is_some_and(|place| expansion.places.record(self, place).is_some());
            let unused = Note::Unused(key.clone());
            match (place, value) {
                (Some(_), Value::Use(Some(uses))) if is_there => {
                    if self.number(uses).is_none_or(|number| self.at(number).root().is_none()) {
                        notes.push(Note::Missing { key, definition: uses.clone() });
                    }
                }
                (Some(_), Value::Place(None)) => {}
                (Some(_), Value::Place(Some(spot))) if !stays(path.instance(), spot) => notes.push(unused),
                (Some(_), _) if is_there => {}
                (Some(place), Value::Place(_)) if expansion.circles(place, &mut circles) => {
                    notes.push(Note::Circle(key));
                }
                (Some(_), Value::Place(_)) => notes.push(Note::Orphan(key)),
                _ => notes.push(unused),
            }
        }
        notes
    }
}

impl Expansion<'_> {
    /// Returns whether a place's parents lead back to it or to another circle. What is known of places saves walking
    /// the same parents for each of their orphans.
    fn circles(&mut self, place: u32, known: &mut HashMap<u32, bool>) -> bool {
        let (mut at, mut walked) = (place, HashSet::new());
        let circles = loop {
            if let Some(&circles) = known.get(&at) {
                break circles;
            }
            if !walked.insert(at) {
                break true;
            }
            at = match self.spot(at) {
                Some((parent, _)) if parent != NONE => parent,
                _ => break false,
            };
        };
        known.extend(walked.into_iter().map(|place| (place, circles)));
        circles
    }

    /// Returns whether the stated parents of a place, from this one on, end at a node that is in the scene.
    pub(crate) fn leads_to_node(&mut self, scene: &Scene, parent: Option<u32>) -> bool {
        let (mut next, mut seen) = (parent, HashSet::new());
        while let Some(at) = next.filter(|&at| at != NONE && seen.insert(at)) {
            if self.places.node(self.library, scene, at).is_some() {
                return true;
            }
            next = self.spot(at).map(|(parent, _)| parent);
        }
        false
    }
}

impl Field {
    /// Returns whether the field is of the tree's structure.
    pub(crate) const fn is_structure(self) -> bool {
        matches!(self, Self::Place | Self::Use)
    }
}
