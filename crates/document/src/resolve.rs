//! What a node's fields are: the outermost definition that states one decides.

use crate::library::Library;
use crate::path::{Path, joined};
use crate::value::{Field, Spot, Value};
use hedgerow::Node;
use std::collections::BTreeMap;
use std::sync::Arc;

/// An instance: the definitions from the outer one to its own, and the ids of the uses that lead there.
///
/// Level n is the definition `definitions[n]`. For it, the node `id` of the instance has the path `ids[n..]`, `id`.
#[derive(Clone, Debug, Default)]
pub(crate) struct Chain {
    pub(crate) ids: Vec<u64>,
    /// One more than there are ids.
    pub(crate) definitions: Vec<u32>,
    /// The numbers of the instances, if they have any.
    pub(crate) instances: Vec<u32>,
}

/// Where a node is stated to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stated<'l> {
    /// No definition has such a node.
    Nowhere,
    /// An override removes it.
    Removed,
    /// At a spot, whose parent is named from this level.
    At(usize, &'l Spot),
}

impl Chain {
    pub(crate) fn top(definition: u32) -> Self {
        Self { ids: Vec::new(), definitions: vec![definition], instances: Vec::new() }
    }

    /// The number of levels above the instance's own definition.
    pub(crate) fn depth(&self) -> usize {
        self.ids.len()
    }

    pub(crate) fn definition(&self) -> u32 {
        self.definitions[self.depth()]
    }

    /// Returns the path of a node of the instance for the definition of a level.
    pub(crate) fn path(&self, level: usize, id: u64) -> Path {
        joined(&self.ids[level..], &[id])
    }

    /// The instance of the definition that a node uses.
    pub(crate) fn entered(&self, id: u64, definition: u32) -> Self {
        let mut inner = self.clone();
        inner.ids.push(id);
        inner.definitions.push(definition);
        inner
    }
}

impl Library {
    /// Returns whether the node is the root of a used definition. Outer definitions state its fields for the use.
    pub(crate) fn is_inner_root(&self, chain: &Chain, id: u64) -> bool {
        chain.depth() > 0 && self.at(chain.definition()).root() == Some(id)
    }

    /// Returns the outer levels that may state something of a node, the outermost first.
    fn outer_levels(&self, chain: &Chain, id: u64) -> impl DoubleEndedIterator<Item = usize> {
        let levels = if self.is_inner_root(chain, id) { 0 } else { chain.depth() };
        (0..levels).filter(|&level| self.at(chain.definitions[level]).has_overrides(chain.ids[level]))
    }

    /// Returns the outermost statement of a field, and its level, without what the definition states that the node uses.
    pub(crate) fn look(&self, chain: &Chain, id: u64, field: Field) -> Option<(&Value, usize)> {
        let stated = |level: usize| self.at(chain.definitions[level]).get(&chain.path(level, id), field);
        let outer = self.outer_levels(chain, id).find_map(|level| Some((stated(level)?, level)));
        outer.or_else(|| Some((self.at(chain.definition()).get(&id.into(), field)?, chain.depth())))
    }

    /// Returns the name of the definition that a node uses.
    pub(crate) fn use_of(&self, chain: &Chain, id: u64) -> Option<&Arc<str>> {
        if let (Value::Use(uses), _) = self.look(chain, id, Field::Use)? { uses.as_ref() } else { None }
    }

    /// Returns the definition that a node uses; `None` also if the library does not have it.
    pub(crate) fn enter(&self, chain: &Chain, id: u64) -> Option<u32> {
        self.number(self.use_of(chain, id)?).filter(|&number| self.at(number).root().is_some())
    }

    /// Returns where a node is, if it is not the root of a used definition.
    ///
    /// An override keeps a node in its instance: the parent's path is longer than that of the instance and begins with
    /// it, or equals it, which means the instance's root. Overrides with other places have no effect. The rule asks for
    /// the text of the statement alone; otherwise, whether a node is there could depend on itself.
    pub(crate) fn stated_place(&self, chain: &Chain, id: u64) -> Stated<'_> {
        let own = self.at(chain.definition()).get(&id.into(), Field::Place);
        let Some(own) = own.and_then(Value::spot) else { return Stated::Nowhere };
        for level in self.outer_levels(chain, id) {
            match self.at(chain.definitions[level]).get(&chain.path(level, id), Field::Place) {
                Some(Value::Place(None)) => return Stated::Removed,
                Some(Value::Place(Some(spot))) if stays(&chain.ids[level..], spot) => return Stated::At(level, spot),
                _ => {}
            }
        }
        Stated::At(chain.depth(), own)
    }

    /// Returns the instance of a path's node, and the node's id, without the roots of used definitions at the path's
    /// end; `None` if the path leads nowhere.
    pub(crate) fn locate(&self, definition: u32, ids: &[u64]) -> Option<(Chain, u64)> {
        let (&last, uses) = ids.split_last()?;
        let mut chain = Chain::top(definition);
        for &id in uses {
            let inner = self.enter(&chain, id).filter(|_| self.at(chain.definition()).node(id).is_some())?;
            chain = chain.entered(id, inner);
        }
        self.at(chain.definition()).node(last)?;
        let mut id = last;
        while self.is_inner_root(&chain, id) {
            chain.definitions.pop();
            id = chain.ids.pop().expect("an inner root has a use");
        }
        Some((chain, id))
    }

    /// Returns the instances whose root a node is, from its own outwards in: the node itself, then the root of what it
    /// uses, and so on.
    pub(crate) fn aliases(&self, chain: &Chain, id: u64) -> Vec<(Chain, u64)> {
        let mut aliases = vec![(chain.clone(), id)];
        loop {
            let (chain, id) = &aliases[aliases.len() - 1];
            let Some(inner) = self.enter(chain, *id) else { return aliases };
            let root = self.at(inner).root().expect("a definition that is entered has a root");
            let next = (chain.entered(*id, inner), root);
            aliases.push(next);
        }
    }

    /// Puts all that is stated of a node, outer levels last.
    pub(crate) fn put_all<'l>(&'l self, chain: &Chain, id: u64, node: &mut Node<'l>) {
        let definition = self.at(chain.definition());
        if let Some(slot) = definition.slot_of(id) {
            definition.slot(slot).values.iter().for_each(|value| value.put(node));
        }
        for level in self.outer_levels(chain, id).rev() {
            self.at(chain.definitions[level]).stated_of(&chain.path(level, id)).for_each(|value| value.put(node));
        }
    }

    /// Returns all that any level states of a node and of the nodes inside it, except its place, as statements of one
    /// definition that has the node as `new`. Places that have no effect are left out, since they would hide others.
    pub(crate) fn flattened(&self, chain: &Chain, id: u64, new: &Path) -> BTreeMap<(Path, Field), Value> {
        let mut flat = BTreeMap::new();
        for level in (0..=chain.depth()).rev() {
            let path = chain.path(level, id);
            for (inner, value) in self.at(chain.definitions[level]).stated_from(&path) {
                let renamed = |other: &Path| joined(new.ids(), &other.ids()[path.ids().len()..]);
                if inner == path && value.field() == Field::Place {
                    continue;
                }
                if value.spot().is_none_or(|spot| stays(inner.instance(), spot)) {
                    flat.insert((renamed(&inner), value.field()), value.with_parent(renamed));
                }
            }
        }
        flat
    }

    /// Returns the value of a field, and the level that states it: 0 is this definition, and each use inwards adds one.
    ///
    /// Fields other than the place and the use also come from the root of what the node uses. `None` if no level states
    /// the field, or if the path leads nowhere. Runs in **O(levels · log statements)**.
    ///
    /// ```
    /// use hedgerow_document::{Field, Library, Path, Spot, Value};
    /// use hedgerow::{Node, Tree};
    ///
    /// let mut library = Library::new();
    /// let (mut lamp, mut street) = (Tree::new(), Tree::new());
    /// lamp.push(None, Node::material(1));
    /// street.push(None, Node::group());
    /// library.apply(&library.define("lamp", &lamp)?)?;
    /// library.apply(&library.define("street", &street)?)?;
    /// library.apply(&library.place("street", Spot::below(0, 0.0), "lamp", Node::group().named("left"))?)?;
    ///
    /// let left = Path::from(1);
    /// assert_eq!(library.value("street", &left, Field::Name), Some((Value::Name(Some("left".into())), 0)));
    /// assert_eq!(library.value("street", &left, Field::Material), Some((Value::Material(Some(1)), 1)));
    /// # Ok::<(), hedgerow_document::PatchError>(())
    /// ```
    #[must_use]
    pub fn value(&self, definition: &str, path: &Path, field: Field) -> Option<(Value, usize)> {
        let (chain, id) = self.locate(self.number(definition)?, path.ids())?;
        match field {
            Field::Place => match self.stated_place(&chain, id) {
                Stated::Nowhere => None,
                Stated::Removed => self.look(&chain, id, field).map(|(_, level)| (Value::Place(None), level)),
                Stated::At(level, spot) => Some((Value::Place(Some(spot.clone())), level)),
            },
            Field::Use => self.look(&chain, id, field).map(|(value, level)| (value.clone(), level)),
            _ => self.component(&chain, id, field).map(|(value, level)| (value.clone(), level)),
        }
    }

    /// Returns the value of a field that may come from the root of what a node uses.
    pub(crate) fn component(&self, chain: &Chain, id: u64, field: Field) -> Option<(&Value, usize)> {
        if let Some(found) = self.look(chain, id, field) {
            return Some(found);
        }
        let aliases = self.aliases(chain, id);
        aliases[1..].iter().find_map(|(chain, id)| self.look(chain, *id, field))
    }
}

/// Returns whether an override that states a place keeps the node in its instance.
pub(crate) fn stays(instance: &[u64], spot: &Spot) -> bool {
    let parent = spot.parent.as_ref().map_or(&[][..], Path::ids);
    instance.is_empty() || parent.starts_with(instance)
}
