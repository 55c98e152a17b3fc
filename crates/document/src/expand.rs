//! From a definition to its tree.

use crate::error::{Error, PatchError};
use crate::library::{Library, MOST_NODES, Slot};
use crate::order::{Order, Rank};
use crate::overrides::found;
use crate::patch::Key;
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
use std::rc::Rc;
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
    /// Of instances that have others inside.
    scopes: ByNumber<u32, Scope>,
    /// The enclosing scope that was asked for last.
    around: Option<Scope>,
    /// Of slots of definitions.
    own: ByNumber<(u32, u32), Rc<Own>>,
    /// The instance that was asked for last, and its places.
    last: (Range<u32>, Scope),
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
    own: Rc<Own>,
}

/// What is the same of an own node wherever no outer definition states anything.
struct Own {
    id: u64,
    /// The definition that the node uses, and the slot of its root.
    used: Option<(u32, u32)>,
    /// The own nodes below, in order: of each, its order, its id and its slot.
    below: Vec<(Order, u64, u32)>,
    /// Whether there are only own nodes below, wherever no outer definition states anything.
    plain: bool,
}

impl<'l> Expansion<'l> {
    pub(crate) fn new(library: &'l Library, places: &'l mut Places) -> Self {
        Self {
            library,
            places,
            scopes: HashMap::default(),
            around: None,
            own: HashMap::default(),
            last: Default::default(),
            buffers: Buffers::default(),
        }
    }

    /// Returns the scope of an instance. Remembers those around it.
    fn scope(&mut self, number: u32) -> Scope {
        let Instance { definition, outer, slot, .. } = *self.places.instance(number);
        if outer == NONE {
            return Scope { number, ..Scope::top(definition) };
        }
        if self.around.as_ref().is_none_or(|around| around.number != outer) {
            let next = |&at: &u32| Some(self.places.instance(at).outer).filter(|outer| *outer != NONE);
            let unknown = core::iter::successors(Some(outer), next);
            let unknown: Vec<u32> = unknown.take_while(|at| !self.scopes.contains_key(at)).collect();
            for instance in unknown.into_iter().rev() {
                let scope = self.scope(instance);
                self.scopes.insert(instance, scope);
            }
            self.around = self.scopes.get(&outer).cloned();
        }
        let around = self.around.as_ref().expect("it is known now");
        self.library.entered(around, self.library.at(around.definition).slot(slot).id, definition, number)
    }

    /// Returns the scope and the slot of a place.
    fn at(&mut self, place: u32) -> (&Scope, u32) {
        if !self.last.0.contains(&place) {
            self.look_into(self.places.instance_near(self.last.1.number, place));
        }
        (&self.last.1, place - self.last.0.start)
    }

    fn look_into(&mut self, instance: u32) {
        self.last = (self.places.range(instance), self.scope(instance));
    }

    /// Returns the scope of a place, and the id of its node.
    pub(crate) fn node(&mut self, place: u32) -> (&Scope, u64) {
        let library = self.library;
        let (scope, slot) = self.at(place);
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
        let library = self.library;
        let (scope, slot) = self.at(place);
        let Slot { id, values } = library.at(scope.definition).slot(slot);
        let (outer, spot) = match scope.outer {
            None => (scope.number, found(values, Field::Place)?.spot()?),
            Some(_) => library.stated_place(scope, *id)?,
        };
        let rank = (spot.order, Reverse(scope.depth), *id);
        Some((outer, spot.parent.as_ref(), Sibling { rank, place }))
    }

    /// Returns the outermost place of a node.
    pub(crate) fn of_node(&mut self, scene: &Scene, node: NodeHandle) -> Option<u32> {
        let place = self.places.innermost_of(scene, node)?;
        let (&Scope { number, .. }, slot) = self.at(place);
        let (instance, slot) = self.places.outermost_of(self.library, number, slot);
        if instance != number {
            self.look_into(instance);
        }
        Some(self.last.0.start + slot)
    }

    fn own(&mut self, definition: u32, slot: u32) -> Rc<Own> {
        let library = self.library;
        let own = self.own.entry((definition, slot)).or_insert_with(|| {
            let (number, definition) = (definition, library.at(definition));
            let node = definition.slot(slot);
            let used = library.used(&Scope::top(number), node.id);
            let (mut below, mut plain) = (Vec::new(), true);
            for child in definition.children(&node.id.into()) {
                match child.own() {
                    Some(id) => below.extend(definition.slot_of(id).map(|at| (definition.slot(at).order(), id, at))),
                    None => plain = false,
                }
            }
            below.sort_unstable();
            Rc::new(Own { id: node.id, used, below, plain })
        });
        own.clone()
    }

    /// Lists a node in its own instance, then as the root of what it uses, and so on. Makes the instances that are
    /// missing.
    fn enter(&mut self, mut scope: Scope, mut slot: u32, aliases: &mut Vec<Alias>) {
        aliases.clear();
        loop {
            let own = self.own(scope.definition, slot);
            let used = match scope.outer {
                None => own.used,
                Some(_) => self.library.used(&scope, own.id),
            };
            let inner = used.map(|(definition, root)| {
                let inner = self.places.inner(self.places.place(scope.number, slot));
                let add = || self.places.add(self.library, definition, Some((scope.number, slot)));
                (self.library.entered(&scope, own.id, definition, inner.unwrap_or_else(add)), root)
            });
            aliases.push(Alias { scope, slot, own });
            let Some(next) = inner else { return };
            (scope, slot) = next;
        }
    }

    /// Describes a node, outer levels last.
    fn described(&self, aliases: &[Alias]) -> Node<'l> {
        let (library, mut node) = (self.library, Node::group());
        for Alias { scope, slot, own } in aliases.iter().rev() {
            library.at(scope.definition).slot(*slot).values.iter().for_each(|value| value.put(&mut node));
            if scope.outer.is_some() {
                let outer = library.outer_values(scope, own.id).rev();
                outer.flat_map(|(_, values)| values).for_each(|value| value.put(&mut node));
            }
        }
        node
    }

    /// Lists the nodes that are stated to be below a node, in order, with their scopes.
    fn list_below(&mut self, aliases: &[Alias], below: &mut Vec<(Sibling, Scope)>) {
        let library = self.library;
        below.clear();
        for Alias { scope, own, .. } in aliases {
            if scope.outer.is_none() && own.plain {
                below.extend(own.below.iter().map(|&(order, id, slot)| {
                    let rank = (order, Reverse(scope.depth), id);
                    (Sibling { rank, place: self.places.place(scope.number, slot) }, scope.clone())
                }));
                continue;
            }
            for (number, definition, parent) in library.parents(scope, own.id) {
                for child in library.at(definition).children(&parent) {
                    let Some((instance, slot)) = self.places.locate(library, number, child.ids()) else { continue };
                    let (scope, id) = (self.scope(instance), child.last());
                    if let Some((by, spot)) = library.stated_place(&scope, id)
                        && by == number
                        && !library.is_inner_root(&scope, id)
                    {
                        let rank = (spot.order, Reverse(scope.depth), id);
                        below.push((Sibling { rank, place: self.places.place(instance, slot) }, scope));
                    }
                }
            }
        }
        below.sort_unstable_by_key(|(sibling, _)| *sibling);
    }

    fn aliases(&mut self, place: u32) -> Vec<Alias> {
        let (scope, slot) = self.at(place);
        let (scope, mut aliases) = (scope.clone(), Vec::new());
        self.enter(scope, slot, &mut aliases);
        aliases
    }

    /// Returns the nodes that are stated to be below a place's node, in order.
    pub(crate) fn children(&mut self, place: u32) -> Vec<Sibling> {
        let (aliases, mut below) = (self.aliases(place), Vec::new());
        self.list_below(&aliases, &mut below);
        below.into_iter().map(|(sibling, _)| sibling).collect()
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
            let Slot { id, values } = library.at(scope.definition).slot(slot);
            if let Some((value, by)) = library.look_among(&scope, *id, values, field) {
                let shows = by >= if at == instance { scope.depth } else { self.scope(instance).depth };
                return Some(Some(value).filter(|_| shows));
            }
            at = self.places.inner(self.places.place(at, slot))?;
            slot = library.at(self.places.instance(at).definition).root_slot()?;
        }
    }

    /// Makes the instances that a place's node uses, and describes the node.
    pub(crate) fn describe(&mut self, place: u32) -> Node<'l> {
        let aliases = self.aliases(place);
        self.described(&aliases)
    }

    /// Describes a node and all missing nodes below it, in depth-first order, each with the number of its parent, and
    /// makes their instances. Returns the innermost place of each.
    pub(crate) fn expand(
        &mut self,
        top: u32,
        mut push: impl FnMut(Option<usize>, Node<'l>),
    ) -> Result<Vec<u32>, Error> {
        let mut places = Vec::new();
        let scope = self.at(top).0.clone();
        let Buffers { mut ahead, mut aliases, mut below } = core::mem::take(&mut self.buffers);
        ahead.push(Ahead { place: top, scope, parent: None });
        while let Some(Ahead { place, scope, parent }) = ahead.pop() {
            if places.len() as u64 >= MOST_NODES {
                return Err(Error::Scene(hedgerow::Error::CapacityOverflow));
            }
            let slot = place - self.places.place(scope.number, 0);
            self.enter(scope, slot, &mut aliases);
            push(parent, self.described(&aliases));
            self.list_below(&aliases, &mut below);
            // A node that is there already moves below this one.
            let missing = |(sibling, _): &(Sibling, Scope)| self.places.record(self.library, sibling.place).is_none();
            let (number, missing) = (Some(places.len()), below.drain(..).rev().filter(missing));
            ahead.extend(missing.map(|(Sibling { place, .. }, scope)| Ahead { place, scope, parent: number }));
            let Alias { scope, slot, .. } = &aliases[aliases.len() - 1];
            places.push(self.places.place(scope.number, *slot));
        }
        self.buffers = Buffers { ahead, aliases, below };
        Ok(places)
    }

    /// Makes the instance of the whole document, and returns the place of its root.
    pub(crate) fn begin(&mut self, definition: u32) -> Option<u32> {
        let root = self.library.at(definition).root_slot()?;
        let top = self.places.add(self.library, definition, None);
        Some(self.places.place(top, root))
    }
}

impl Library {
    /// Returns the definition that a node uses, and the slot of its root.
    fn used(&self, scope: &Scope, id: u64) -> Option<(u32, u32)> {
        let used = self.enter(scope, id)?;
        Some((used, self.at(used).root_slot()?))
    }

    /// Returns the nodes that a definition expands to, in depth-first order. Runs in **O((nodes + ids of statements) ·
    /// log statements)**, however deep definitions are nested.
    ///
    /// # Errors
    /// [`PatchError::NoDefinition`]; [`PatchError::Document`] if there are more than 2³⁰ nodes.
    pub fn tree(&self, definition: &str) -> Result<Tree, PatchError> {
        let (mut tree, number) = (Tree::new(), self.defined(definition)?);
        self.expanded(number, self.at(number).root_slot(), |parent, node| _ = tree.push(parent, node))?;
        Ok(tree)
    }

    /// Expands an own node of a definition. Returns the places of the definition's nodes; those of nodes that are there
    /// hold a record.
    pub(crate) fn expanded(
        &self,
        definition: u32,
        slot: Option<u32>,
        push: impl FnMut(Option<usize>, Node<'_>),
    ) -> Result<Places, PatchError> {
        let name = &self.at(definition).name;
        if self.most_nodes(name) > MOST_NODES {
            return Err(Error::Scene(hedgerow::Error::CapacityOverflow).into());
        }
        let mut places = Places::default();
        let mut expansion = Expansion::new(self, &mut places);
        let (Some(_), Some(slot)) = (expansion.begin(definition), slot) else {
            return Err(PatchError::NoDefinition(name.clone()));
        };
        let list = expansion.expand(expansion.places.place(0, slot), push)?;
        places.hold(&list);
        Ok(places)
    }

    /// Returns the statements of a definition that have no effect now, and why. Runs in **O((nodes + ids of
    /// statements) · log statements)**.
    #[must_use]
    pub fn notes(&self, definition: &str) -> Vec<Note> {
        let Ok(number) = self.defined(definition) else { return Vec::new() };
        let expanded = self.expanded(number, self.at(number).root_slot(), |_, _| {});
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
}

impl Field {
    /// Returns whether the field is of the tree's structure.
    pub(crate) const fn is_structure(self) -> bool {
        matches!(self, Self::Place | Self::Use)
    }
}
