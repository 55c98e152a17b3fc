//! From a definition to its tree.

use crate::error::{Error, PatchError};
use crate::library::{Library, MOST_NODES};
use crate::order::Order;
use crate::patch::Key;
use crate::places::{NONE, Places};
use crate::resolve::{Chain, Stated, stays};
use crate::value::{Field, Spot, Value};
use core::cmp::{Ordering, Reverse};
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

/// A node among its siblings: they are sorted by order, then deeper ones first, then by path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sibling {
    pub(crate) order: Order,
    depth: u32,
    pub(crate) place: u32,
}

/// A library with the places of a document; it remembers what most nodes of the same definition ask again.
pub(crate) struct Expansion<'l> {
    pub(crate) library: &'l Library,
    pub(crate) places: &'l mut Places,
    /// Of instances.
    chains: ByNumber<u32, Rc<Chain>>,
    /// Of slots of definitions.
    own: ByNumber<(u32, u32), Rc<Own>>,
    /// The instance that was asked for last.
    last: Within,
    buffers: Buffers,
}

/// An instance among others.
#[derive(Clone, Default)]
struct Within {
    number: u32,
    places: Range<u32>,
    /// The number of instances around it.
    depth: u32,
    /// Whether no outer definition states anything of its nodes.
    plain: bool,
}

/// A map by numbers.
pub(crate) type ByNumber<K, V> = HashMap<K, V, BuildHasherDefault<HandleHasher>>;

/// Memory for the walk of an expansion, used again by the next one.
#[derive(Default)]
struct Buffers {
    ahead: Vec<Ahead>,
    aliases: Vec<(u32, u32, Rc<Own>)>,
    below: Vec<(Order, Reverse<u32>, u32)>,
}

/// What is the same of an own node wherever no outer definition states anything.
struct Own {
    /// The definition that the node uses, and the slot of its root.
    used: Option<(u32, u32)>,
    /// The own nodes below, in order.
    below: Vec<(Order, u32)>,
}

impl<'l> Expansion<'l> {
    pub(crate) fn new(library: &'l Library, places: &'l mut Places) -> Self {
        Self {
            library,
            places,
            chains: HashMap::default(),
            own: HashMap::default(),
            last: Within::default(),
            buffers: Buffers::default(),
        }
    }

    /// Returns the chain of an instance.
    pub(crate) fn chain(&mut self, instance: u32) -> Rc<Chain> {
        let chain = self.chains.entry(instance);
        chain.or_insert_with(|| Rc::new(self.places.chain(self.library, instance))).clone()
    }

    /// Returns the chain and the id of a place.
    pub(crate) fn at(&mut self, place: u32) -> (Rc<Chain>, u64) {
        let (instance, slot) = self.places.split(place);
        let chain = self.chain(instance);
        let id = self.library.at(chain.definition()).slot(slot).id;
        (chain, id)
    }

    /// Returns where a place's node is stated: the place of its parent, and the node among its siblings. `None` if it is
    /// removed, or its parent is missing; the parent of the document's root is [`NONE`].
    pub(crate) fn spot(&mut self, place: u32) -> Option<(u32, Sibling)> {
        let (outer, spot, sibling) = self.stated(place)?;
        match &spot.parent {
            None => (sibling.depth == 0).then_some((NONE, sibling)),
            Some(parent) => Some((self.places.find(self.library, outer, parent.ids())?, sibling)),
        }
    }

    /// Returns a place's node among its siblings, if it is not removed.
    pub(crate) fn sibling(&mut self, place: u32) -> Option<Sibling> {
        Some(self.stated(place)?.2)
    }

    /// Returns the spot that is stated for a node, the instance from which it names the parent, and the sibling.
    fn stated(&mut self, place: u32) -> Option<(u32, &'l Spot, Sibling)> {
        let library = self.library;
        let Within { number, ref places, depth, plain } = *self.within(place);
        let slot = place - places.start;
        let (outer, spot) = if plain {
            let definition = library.at(self.places.instance(number).definition);
            (number, definition.slot(slot).get(Field::Place)?.spot()?)
        } else {
            let chain = self.chain(number);
            let id = library.at(chain.definition()).slot(slot).id;
            let Stated::At(level, spot) = library.stated_place(&chain, id) else { return None };
            (chain.instances[level], spot)
        };
        Some((outer, spot, Sibling { order: spot.order, depth, place }))
    }

    /// Compares siblings.
    pub(crate) fn compare(&self, a: &Sibling, b: &Sibling) -> Ordering {
        let path = |sibling: &Sibling| self.places.path(self.library, sibling.place);
        let by_path = || if a.place == b.place { Ordering::Equal } else { path(a).cmp(&path(b)) };
        a.order.cmp(&b.order).then(b.depth.cmp(&a.depth)).then_with(by_path)
    }

    /// Returns the instance of a place.
    fn within(&mut self, place: u32) -> &Within {
        if !self.last.places.contains(&place) {
            self.look_into(self.places.instance_near(self.last.number, place));
        }
        &self.last
    }

    fn look_into(&mut self, number: u32) {
        let (mut depth, mut plain, mut instance) = (0, true, self.places.instance(number));
        while instance.outer != NONE {
            let outer = self.places.instance(instance.outer);
            plain &= self.library.at(outer.definition).slot(instance.slot).overrides == 0;
            (instance, depth) = (outer, depth + 1);
        }
        self.last = Within { number, places: self.places.range(number), depth, plain };
    }

    /// Returns the outermost place of a node.
    pub(crate) fn of_node(&mut self, scene: &Scene, node: NodeHandle) -> Option<u32> {
        let place = self.places.innermost_of(scene, node)?;
        let Within { number, ref places, .. } = *self.within(place);
        let slot = place - places.start;
        let (instance, slot) = self.places.outermost_of(self.library, number, slot);
        if instance != number {
            self.look_into(instance);
        }
        Some(self.last.places.start + slot)
    }

    fn own(&mut self, definition: u32, slot: u32) -> Rc<Own> {
        let library = self.library;
        let own = self.own.entry((definition, slot)).or_insert_with(|| {
            let definition = library.at(definition);
            let node = definition.slot(slot);
            let used =
                if let Some(Value::Use(Some(name))) = node.get(Field::Use) { library.number(name) } else { None };
            let used = used.and_then(|number| Some((number, library.at(number).root_slot()?)));
            let children = definition.children(&node.id.into());
            let slots = children.filter_map(|child| definition.slot_of(child.own()?));
            let mut below: Vec<(Order, u32)> = slots.map(|slot| (definition.slot(slot).order(), slot)).collect();
            below.sort_unstable_by_key(|&(order, slot)| (order, definition.slot(slot).id));
            Rc::new(Own { used, below })
        });
        own.clone()
    }

    /// Returns the places of a node, from its own to that of the root of the innermost definition that it uses.
    fn aliases(&self, mut place: u32) -> Vec<u32> {
        let mut aliases = vec![place];
        while let Some(inner) = self.places.inner(place) {
            place = self.places.root_place(self.library, inner).expect("a used definition has a root");
            aliases.push(place);
        }
        aliases
    }

    /// Returns the places of the nodes that are stated to be below a node, in order.
    pub(crate) fn children(&mut self, place: u32) -> Vec<u32> {
        let library = self.library;
        let mut found: Vec<Sibling> = Vec::new();
        for alias in self.aliases(place) {
            let (chain, id) = self.at(alias);
            for level in (0..=chain.depth()).rev() {
                let definition = library.at(chain.definitions[level]);
                if level < chain.depth() && !definition.has_overrides(chain.ids[level]) {
                    continue;
                }
                for child in definition.children(&chain.path(level, id)) {
                    let located = self.places.locate(library, chain.instances[level], child.ids());
                    let Some((instance, slot)) = located else { continue };
                    let at = self.places.place(instance, slot);
                    let (inner, id) = self.at(at);
                    let effective = !library.is_inner_root(&inner, id)
                        && matches!(library.stated_place(&inner, id), Stated::At(by, _) if by == level);
                    if effective {
                        found.extend(self.sibling(at));
                    }
                }
            }
        }
        found.sort_unstable_by(|a, b| self.compare(a, b));
        found.into_iter().map(|child| child.place).collect()
    }

    /// Makes the instances that a place's node uses, and describes the node.
    pub(crate) fn describe(&mut self, place: u32) -> Node<'l> {
        let library = self.library;
        let (mut at, mut aliases) = (place, Vec::new());
        loop {
            let (chain, id) = self.at(at);
            let inner = library.enter(&chain, id);
            aliases.push((chain, id));
            let Some(inner) = inner else { break };
            let instance = self.places.inner(at).unwrap_or_else(|| {
                let at = self.places.split(at);
                self.places.add(library, inner, Some(at))
            });
            at = self.places.root_place(library, instance).expect("a used definition has a root");
        }
        let mut node = Node::group();
        for (chain, id) in aliases.iter().rev() {
            library.put_all(chain, *id, &mut node);
        }
        node
    }

    /// Describes a node and all missing nodes below it, in depth-first order, each with the number of its parent, and makes
    /// their instances. Returns the innermost place of each.
    pub(crate) fn expand(
        &mut self,
        top: u32,
        mut push: impl FnMut(Option<usize>, Node<'l>),
    ) -> Result<Vec<u32>, Error> {
        let library = self.library;
        let mut places = Vec::new();
        let Within { number: instance, plain, .. } = *self.within(top);
        let Buffers { mut ahead, mut aliases, mut below } = core::mem::take(&mut self.buffers);
        ahead.clear();
        ahead.push(Ahead { place: top, instance, parent: None, plain });
        while let Some(Ahead { place, instance, parent, plain }) = ahead.pop() {
            if places.len() as u64 >= MOST_NODES {
                return Err(Error::Scene(hedgerow::Error::CapacityOverflow));
            }
            let number = Some(places.len());
            if plain && self.enter_plain(place, instance, &mut aliases) {
                let mut node = Node::group();
                below.clear();
                for (instance, slot, own) in aliases.iter().rev() {
                    let definition = library.at(self.places.instance(*instance).definition);
                    definition.slot(*slot).values.iter().for_each(|value| value.put(&mut node));
                    for &(order, child) in &own.below {
                        // A node that is there already moves below this one.
                        let place = self.places.place(*instance, child);
                        if self.places.record(library, place).is_none() {
                            below.push((order, Reverse(*instance), place));
                        }
                    }
                }
                push(parent, node);
                let (last, last_slot, _) = &aliases[aliases.len() - 1];
                places.push(self.places.place(*last, *last_slot));
                // An inner instance is made after the outer one. Each has its nodes in order already.
                below.sort_by_key(|&(order, instance, _)| (order, instance));
                let children = below.iter().rev();
                ahead.extend(children.map(|&(_, Reverse(instance), place)| Ahead {
                    place,
                    instance,
                    parent: number,
                    plain,
                }));
                continue;
            }
            push(parent, self.describe(place));
            places.push(self.places.innermost(library, place));
            for child in self.children(place).into_iter().rev() {
                if self.places.record(library, child).is_none() {
                    let Within { number: instance, plain, .. } = *self.within(child);
                    ahead.push(Ahead { place: child, instance, parent: number, plain });
                }
            }
        }
        self.buffers = Buffers { ahead, aliases, below };
        Ok(places)
    }

    /// Makes the instances that a node of a plain instance uses, and lists the instances and slots of which it is the node.
    /// Returns false, and makes none, if a definition states something inside of them, or if they are there.
    fn enter_plain(&mut self, place: u32, instance: u32, aliases: &mut Vec<(u32, u32, Rc<Own>)>) -> bool {
        let (library, definition) = (self.library, self.places.instance(instance).definition);
        let mut at = Some((definition, place - self.places.place(instance, 0)));
        aliases.clear();
        while let Some((definition, slot)) = at {
            if library.at(definition).slot(slot).overrides > 0 {
                return false;
            }
            let own = self.own(definition, slot);
            at = own.used;
            aliases.push((instance, slot, own));
        }
        if self.places.inner(place).is_some() {
            return false;
        }
        for number in 1..aliases.len() {
            let (outer, slot, own) = &aliases[number - 1];
            let (definition, _) = own.used.expect("an alias follows a use");
            aliases[number].0 = self.places.add(library, definition, Some((*outer, *slot)));
        }
        true
    }

    /// Makes the instance of the whole document, and returns the place of its root.
    pub(crate) fn begin(&mut self, definition: u32) -> Option<u32> {
        let root = self.library.at(definition).root_slot()?;
        let top = self.places.add(self.library, definition, None);
        Some(self.places.place(top, root))
    }
}

/// A place whose node comes next.
struct Ahead {
    place: u32,
    instance: u32,
    parent: Option<usize>,
    /// Whether no outer definition states anything of the instance's nodes.
    plain: bool,
}

impl Library {
    /// Returns the nodes that a definition expands to, in depth-first order. Runs in **O(nodes · levels)**.
    ///
    /// # Errors
    /// [`PatchError::NoDefinition`]; [`PatchError::Document`] if there are more than 2³⁰ nodes.
    pub fn tree(&self, definition: &str) -> Result<Tree, PatchError> {
        let (mut tree, number) = (Tree::new(), self.defined(definition)?);
        self.expanded(number, self.at(number).root_slot(), |parent, node| _ = tree.push(parent, node))?;
        Ok(tree)
    }

    /// Expands an own node of a definition. Returns the places of the definition's nodes, and those of nodes that are there.
    pub(crate) fn expanded(
        &self,
        definition: u32,
        slot: Option<u32>,
        push: impl FnMut(Option<usize>, Node<'_>),
    ) -> Result<(Places, HashSet<u32>), PatchError> {
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
        let there = list.into_iter().map(|place| places.outermost(self, place)).collect();
        Ok((places, there))
    }

    /// Returns the statements of a definition that have no effect now, and why. Runs in **O(nodes · levels)**.
    #[must_use]
    pub fn notes(&self, definition: &str) -> Vec<Note> {
        let Ok(number) = self.defined(definition) else { return Vec::new() };
        let Ok((mut places, present)) = self.expanded(number, self.at(number).root_slot(), |_, _| {}) else {
            return Vec::new();
        };
        let mut expansion = Expansion::new(self, &mut places);
        let name: Arc<str> = definition.into();
        let mut notes = Vec::new();
        for (path, value) in self.stated(definition) {
            let key = Key { definition: name.clone(), path: path.clone(), field: value.field() };
            let located = self.locate(number, path.ids()).filter(|(chain, _)| chain.depth() + 1 == path.ids().len());
            let place = located.and_then(|_| expansion.places.find(self, 0, path.ids()));
            let unused = Note::Unused(key.clone());
            match (place, value) {
                (Some(place), Value::Use(Some(uses))) if present.contains(&place) => {
                    if self.number(uses).is_none_or(|number| self.at(number).root().is_none()) {
                        notes.push(Note::Missing { key, definition: uses.clone() });
                    }
                }
                (Some(_), Value::Place(None)) => {}
                (Some(_), Value::Place(Some(spot))) if !stays(path.instance(), spot) => notes.push(unused),
                (Some(place), _) if present.contains(&place) => {}
                (Some(place), Value::Place(_)) if expansion.circles(place) => notes.push(Note::Circle(key)),
                (Some(_), Value::Place(_)) => notes.push(Note::Orphan(key)),
                _ => notes.push(unused),
            }
        }
        notes
    }
}

impl Expansion<'_> {
    /// Returns whether a place's parents lead back to it or to another circle.
    fn circles(&mut self, place: u32) -> bool {
        let (mut at, mut seen) = (place, HashSet::new());
        while let Some((parent, _)) = self.spot(at) {
            if parent == NONE {
                return false;
            }
            if !seen.insert(at) {
                return true;
            }
            at = parent;
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
