//! From a definition to its tree.

use crate::error::{Error, PatchError};
use crate::library::Library;
use crate::order::Order;
use crate::patch::Key;
use crate::path::Path;
use crate::places::{Instance, NONE, Places};
use crate::resolve::{Chain, Stated, stays};
use crate::value::{Field, Value};
use core::cmp::Reverse;
use hedgerow::{Node, Tree};
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

/// The place among siblings: order, then deeper paths, then ids.
pub(crate) type SiblingKey = (Order, Reverse<usize>, Path);

/// A library with the places of a document; it remembers the chains of instances.
pub(crate) struct Expansion<'l> {
    pub(crate) library: &'l Library,
    pub(crate) places: &'l mut Places,
    chains: HashMap<u32, Rc<Chain>>,
}

impl<'l> Expansion<'l> {
    pub(crate) fn new(library: &'l Library, places: &'l mut Places) -> Self {
        Self { library, places, chains: HashMap::new() }
    }

    /// Returns the chain of an instance.
    pub(crate) fn chain(&mut self, instance: u32) -> Rc<Chain> {
        let chain = self.chains.entry(instance);
        chain.or_insert_with(|| Rc::new(self.places.chain(self.library, instance))).clone()
    }

    /// Returns the chain and the id of a place.
    pub(crate) fn at(&mut self, place: u32) -> (Rc<Chain>, u64) {
        let instance = self.places.instance_at(place);
        (self.chain(instance), self.places.id(self.library, place))
    }

    /// Returns where a place's node is stated: the place of its parent, and the key among siblings. `None` if it is
    /// removed, or its parent is missing; the parent of the document's root is [`NONE`].
    pub(crate) fn spot(&mut self, place: u32) -> Option<(u32, SiblingKey)> {
        let (chain, id) = self.at(place);
        let Stated::At(level, spot) = self.library.stated_place(&chain, id) else { return None };
        let key = (spot.order, Reverse(chain.depth()), chain.path(0, id));
        match &spot.parent {
            None => (chain.depth() == 0).then_some((NONE, key)),
            Some(parent) => Some((self.places.find(self.library, chain.instances[level], parent.ids())?, key)),
        }
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
        let mut found: Vec<(SiblingKey, u32)> = Vec::new();
        for alias in self.aliases(place) {
            let (chain, id) = self.at(alias);
            for level in (0..=chain.depth()).rev() {
                let definition = library.at(chain.definitions[level]);
                if level < chain.depth() && !definition.has_overrides(chain.ids[level]) {
                    continue;
                }
                for child in definition.children(&chain.path(level, id)) {
                    let found_at = self.places.find_stated(library, chain.instances[level], child.ids());
                    let Some(at) = found_at else { continue };
                    let (inner, id) = self.at(at);
                    let effective = !library.is_inner_root(&inner, id)
                        && matches!(library.stated_place(&inner, id), Stated::At(by, _) if by == level);
                    if effective {
                        let order = self.spot(at).expect("its place is stated").1;
                        found.push((order, at));
                    }
                }
            }
        }
        found.sort_unstable();
        found.into_iter().map(|(_, at)| at).collect()
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
        let plain = self.is_plain(self.places.instance_at(top));
        let (mut aliases, mut below) = (Vec::new(), Vec::new());
        let mut ahead = vec![Ahead { place: top, instance: self.places.instance_at(top), parent: None, plain }];
        while let Some(Ahead { place, instance, parent, plain }) = ahead.pop() {
            if places.len() >= MOST {
                return Err(Error::Scene(hedgerow::Error::CapacityOverflow));
            }
            let number = Some(places.len());
            if plain && self.enter_plain(place, instance, &mut aliases) {
                let mut node = Node::group();
                below.clear();
                for &(instance, slot) in aliases.iter().rev() {
                    let definition = library.at(self.places.instance(instance).definition);
                    let slot = definition.slot(slot);
                    slot.values.iter().for_each(|value| value.put(&mut node));
                    for child in
                        definition.children(&slot.id.into()).filter_map(|child| definition.slot_of(child.own()?))
                    {
                        // A node that is there already moves below this one.
                        let place = self.places.place(instance, child);
                        if self.places.record(library, place).is_none() {
                            let child = definition.slot(child);
                            below.push((child.order(), Reverse(instance), child.id, place));
                        }
                    }
                }
                push(parent, node);
                let (last, last_slot) = aliases[aliases.len() - 1];
                places.push(self.places.place(last, last_slot));
                // An inner instance is made after the outer one.
                below.sort_unstable();
                let children = below.iter().rev();
                ahead.extend(children.map(|&(_, Reverse(instance), _, place)| Ahead {
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
                    let instance = self.places.instance_at(child);
                    ahead.push(Ahead { place: child, instance, parent: number, plain: self.is_plain(instance) });
                }
            }
        }
        Ok(places)
    }

    /// Returns whether no outer definition states anything of the nodes of an instance.
    fn is_plain(&self, mut instance: u32) -> bool {
        loop {
            let Instance { outer, slot, .. } = *self.places.instance(instance);
            if outer == NONE {
                return true;
            }
            if self.library.at(self.places.instance(outer).definition).slot(slot).overrides > 0 {
                return false;
            }
            instance = outer;
        }
    }

    /// Makes the instances that a node of a plain instance uses, and lists the instances and slots of which it is the node.
    /// Returns false, and makes none, if a definition states something inside of them, or if they are there.
    fn enter_plain(&mut self, place: u32, instance: u32, aliases: &mut Vec<(u32, u32)>) -> bool {
        let library = self.library;
        let used = |definition: u32, slot: u32| match library.at(definition).slot(slot).get(Field::Use) {
            Some(Value::Use(Some(uses))) => {
                let number = library.number(uses)?;
                Some((number, library.at(number).root_slot()?))
            }
            _ => None,
        };
        let slot = place - self.places.place(instance, 0);
        let mut at = Some((self.places.instance(instance).definition, slot));
        while let Some((definition, slot)) = at {
            if library.at(definition).slot(slot).overrides > 0 {
                return false;
            }
            at = used(definition, slot);
        }
        if self.places.inner(place).is_some() {
            return false;
        }
        aliases.clear();
        aliases.push((instance, slot));
        let (mut instance, mut slot) = (instance, slot);
        while let Some((definition, root)) = used(self.places.instance(instance).definition, slot) {
            instance = self.places.add(library, definition, Some((instance, slot)));
            slot = root;
            aliases.push((instance, slot));
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

/// No scene has more nodes.
const MOST: usize = 1 << 30;

impl Library {
    /// Returns the nodes that a definition expands to, in depth-first order. Runs in **O(nodes · levels)**.
    ///
    /// # Errors
    /// [`PatchError::NoDefinition`]; [`PatchError::Document`] if there are more than 2³⁰ nodes.
    pub fn tree(&self, definition: &str) -> Result<Tree, PatchError> {
        Ok(self.expanded(definition)?.0)
    }

    fn expanded(&self, name: &str) -> Result<(Tree, Places, Vec<u32>), PatchError> {
        let missing = || PatchError::NoDefinition(name.into());
        if self.most_nodes(name) > MOST as u64 {
            return Err(Error::Scene(hedgerow::Error::CapacityOverflow).into());
        }
        let (mut places, mut tree) = (Places::default(), Tree::new());
        let mut expansion = Expansion::new(self, &mut places);
        let root = expansion.begin(self.number(name).ok_or_else(missing)?).ok_or_else(missing)?;
        let list = expansion.expand(root, |parent, node| _ = tree.push(parent, node))?;
        Ok((tree, places, list))
    }

    /// Returns the statements of a definition that have no effect now, and why. Runs in **O(nodes · levels)**.
    #[must_use]
    pub fn notes(&self, definition: &str) -> Vec<Note> {
        let Ok((_, mut places, list)) = self.expanded(definition) else { return Vec::new() };
        let present: HashSet<u32> = list.into_iter().map(|place| places.outermost(self, place)).collect();
        let mut expansion = Expansion::new(self, &mut places);
        let name: Arc<str> = definition.into();
        let mut notes = Vec::new();
        for (path, value) in self.stated(definition) {
            let key = Key { definition: name.clone(), path: path.clone(), field: value.field() };
            let number = self.number(definition).expect("it was expanded");
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
