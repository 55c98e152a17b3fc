//! Whole tasks as patches of a library.

use crate::error::Error;
use crate::library::Library;
use crate::order::Order;
use crate::patch::{Changes, Entry, Key, Patch};
use crate::path::{Path, joined};
use crate::resolve::stays;
use crate::value::{At, Field, Spot, Value};
use hedgerow::{Node, Tree};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A library with changes on top of it: a patch in the making.
pub(crate) struct Draft<'l> {
    pub(crate) library: &'l Library,
    pub(crate) map: Changes,
}

impl<'l> Draft<'l> {
    pub(crate) fn new(library: &'l Library) -> Self {
        Self { library, map: Changes::new() }
    }

    /// States a value, or unstates it; a later call for the same key replaces an earlier one.
    pub(crate) fn set(&mut self, key: Key, value: Option<Value>) {
        let before = self.library.get(&key);
        self.map.entry(key).or_insert_with(|| (before.cloned(), None)).1 = value;
    }

    /// States or unstates a value of a definition that the library has.
    pub(crate) fn state(&mut self, definition: u32, path: Path, field: Field, value: Option<Value>) {
        self.set(Key { definition: self.library.at(definition).name.clone(), path, field }, value);
    }

    /// States a value of a definition that the library need not have.
    pub(crate) fn state_new(&mut self, definition: &Arc<str>, path: Path, value: Value) {
        self.set(Key { definition: definition.clone(), path, field: value.field() }, Some(value));
    }

    /// Returns what is stated after the patch.
    pub(crate) fn get(&self, key: &Key) -> Option<&Value> {
        self.map.get(key).map_or_else(|| self.library.get(key), |(_, after)| after.as_ref())
    }

    /// Unstates all that a definition states, if the library has it.
    fn replace(&mut self, definition: &Arc<str>) {
        for (path, value) in self.library.stated(definition) {
            self.set(Key { definition: definition.clone(), path, field: value.field() }, None);
        }
    }

    /// Unstates all about these own nodes of a definition, and inside them.
    pub(crate) fn remove(&mut self, definition: u32, nodes: impl IntoIterator<Item = u64>) {
        let stated = self.library.at(definition);
        for (path, value) in nodes.into_iter().flat_map(|id| stated.stated_from(&id.into())) {
            self.state(definition, path, value.field(), None);
        }
    }

    pub(crate) fn finish(self) -> Patch {
        Patch::of_map(self.map)
    }

    /// Returns the patch with values as a scene keeps them.
    fn checked(self) -> Result<Patch, Error> {
        Patch::from_entries(self.map.into_iter().map(|(key, (before, after))| Entry { key, before, after }).collect())
    }

    /// Makes a node use a definition, and states the components that another node has.
    fn state_use(&mut self, definition: &Arc<str>, id: u64, uses: &str, node: &Node<'_>) {
        for value in core::iter::once(Value::Use(Some(uses.into()))).chain(Value::components(node)) {
            self.state_new(definition, id.into(), value);
        }
    }
}

/// Refuses a statement.
pub(crate) fn invalid<T>(
    definition: impl Into<Arc<str>>,
    path: &Path,
    field: Field,
    why: &'static str,
) -> Result<T, Error> {
    Err(Error::Invalid { key: Key::new(definition, path.clone(), field), why })
}

/// Tasks as patches, which [`apply`](Self::apply) or [`Document::apply`](crate::Document::apply) makes.
///
/// ```
/// use hedgerow::{Node, Place, Tree};
/// use hedgerow_document::{Error, Field, Key, Library, Spot, Value};
///
/// let (mut library, mut lamp) = (Library::new(), Tree::new());
/// let foot = lamp.push(None, Node::material(1).with_name("lamp"));
/// lamp.push(Some(foot), Node::material(2).with_name("bulb"));
/// library.apply(&library.define("lamp", &lamp)?)?;
/// library.apply(&library.variant("red lamp", "lamp", Node::material(7))?)?;
/// library.apply(&library.define("street", &lamp)?)?; // nodes 0 and 1
/// library.apply(&library.place("street", Spot::below(0, 5.0), "red lamp", Node::group())?)?; // node 2
/// library.apply(&library.place("street", Place::Before(2.into()), "lamp", Node::group())?)?; // node 3
///
/// // An override of a bulb goes, alone or with all others of its instance, or goes to the prefab.
/// let bulb = [2, 0, 1].into();
/// library.apply(&library.state("street", [2, 0, 1], Value::Material(Some(9)))?)?;
/// let revert = library.revert("street", &2.into());
/// assert_eq!(revert, library.unstate("street", &bulb, &[Field::Material]));
/// library.apply(&library.push("street", &bulb, &[Field::Material], 2)?)?; // level 1 is the red lamp
/// assert_eq!(library.get(&Key::new("lamp", 1, Field::Material)), Some(&Value::Material(Some(9))));
///
/// // These change no tree.
/// let before = library.tree("street")?;
/// library.apply(&library.rename("lamp", "lantern")?)?;
/// library.apply(&library.unpack("street", &3.into())?)?;
/// library.apply(&library.extract("street", &3.into(), "post")?)?;
/// assert_eq!(library.tree("street")?, before);
/// assert_eq!((library.users("lantern"), library.users("post")), (vec!["red lamp"], vec!["street"]));
///
/// let copy = library.copy("street", &[2.into(), 3.into()]);
/// library.apply(&library.paste("street", Place::LastChildOf(0.into()), &copy)?)?;
/// assert_eq!(library.tree("street")?.len(), before.len() + 4);
/// # Ok::<(), Error>(())
/// ```
impl Library {
    /// Returns the patch that makes a definition of a tree, with the tree's numbers as ids, and siblings at the orders
    /// 0, 1, 2 and so on. What the name had before is replaced; overrides that others state hold where ids agree. Runs
    /// in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the tree has no root or several; [`Error::Value`] for a value that a scene refuses.
    pub fn define(&self, name: &str, tree: &Tree) -> Result<Patch, Error> {
        let (mut draft, mut children, mut roots) = (Draft::new(self), vec![0_u32; tree.len()], 0);
        let name: Arc<str> = name.into();
        draft.replace(&name);
        for (number, (parent, node)) in tree.iter().enumerate() {
            let spot = match parent {
                None => {
                    roots += 1;
                    Spot::ROOT
                }
                Some(parent) => {
                    // A parent that does not come before its child is refused with the tree.
                    let place = children.get_mut(parent).map_or(0, |count| core::mem::replace(count, *count + 1));
                    Spot::below(parent as u64, Order::from(f64::from(place)))
                }
            };
            for value in core::iter::once(Value::Place(Some(spot))).chain(Value::components(&node)) {
                draft.state_new(&name, (number as u64).into(), value);
            }
        }
        if roots != 1 {
            let why = "a definition has one root; push one node without a parent";
            return invalid(name, &0.into(), Field::Place, why);
        }
        draft.checked()
    }

    /// Returns the patch that makes a variant of a definition: a new definition whose root uses the other, and which
    /// states what `node` has, such as another material. Whatever the other has beside that shows. Runs in **O(log
    /// statements)**.
    ///
    /// # Errors
    /// [`Error::NoDefinition`]; [`Error::Invalid`] if the name is in use; [`Error::Value`] for a value that a scene
    /// refuses.
    pub fn variant(&self, name: &str, of: &str, node: Node<'_>) -> Result<Patch, Error> {
        self.defined(of)?;
        self.free(name)?;
        let (mut draft, name) = (Draft::new(self), name.into());
        draft.state_new(&name, 0.into(), Value::Place(Some(Spot::ROOT)));
        draft.state_use(&name, 0, of, &node);
        draft.checked()
    }

    /// Checks that no definition has a name.
    pub(crate) fn free(&self, name: &str) -> Result<(), Error> {
        match self.defined(name) {
            Ok(_) => invalid(name, &0.into(), Field::Place, "the name is in use; choose another"),
            Err(_) => Ok(()),
        }
    }

    /// Returns the patch that places a definition in another: a new node that uses it, with the components of `node`
    /// stated. Its id is [`next_id`](Self::next_id). Siblings get other orders only if there is no room. Runs in
    /// **O(log statements)** at a [`Spot`], in O(siblings · log statements) at a [`Place`](hedgerow::Place).
    ///
    /// # Errors
    /// [`Error::NoDefinition`] for either name; [`Error::Value`] for a value that a scene refuses; [`Error::Invalid`]
    /// unless the nodes that the spot or place names exist.
    pub fn place(&self, definition: &str, at: impl Into<At>, uses: &str, node: Node<'_>) -> Result<Patch, Error> {
        let number = self.defined(definition)?;
        self.defined(uses)?;
        let (id, mut draft) = (self.next_id(definition), Draft::new(self));
        match at.into() {
            At::Spot(spot) => {
                if spot.parent.as_ref().is_none_or(|parent| self.locate(number, parent.ids()).is_none()) {
                    return self.no_such_place(number, spot.parent);
                }
                draft.state(number, id.into(), Field::Place, Some(Value::Place(Some(spot))));
            }
            at => self.gap(number, &at)?.fill(&mut draft, &[id.into()]),
        }
        draft.state_use(&self.at(number).name, id, uses, &node);
        draft.checked()
    }

    /// Returns the patch that states a value in place of what is stated. Runs in **O(log statements)**.
    ///
    /// # Errors
    /// [`Error::Value`] for a value that a scene refuses.
    pub fn state(&self, definition: &str, path: impl Into<Path>, value: Value) -> Result<Patch, Error> {
        let mut draft = Draft::new(self);
        draft.state_new(&definition.into(), path.into(), value);
        draft.checked()
    }

    /// Returns the patch that unstates fields of a node, so that the values beneath show: reverts overrides. Fields
    /// that are not stated are left out. Unstating the place of an own node removes it, with all that is stated about
    /// it, inside it and below it. Runs in **O(statements about the nodes)**.
    #[must_use]
    pub fn unstate(&self, definition: &str, path: &Path, fields: &[Field]) -> Patch {
        let (Some(number), mut draft) = (self.number(definition), Draft::new(self)) else { return Patch::new() };
        match path.own().filter(|_| fields.contains(&Field::Place)) {
            Some(id) => draft.remove(number, self.at(number).own_below(path, |_| true).into_iter().chain([id])),
            None => fields.iter().for_each(|&field| draft.state(number, path.clone(), field, None)),
        }
        draft.finish()
    }

    /// Returns the patch that reverts an instance: unstates all overrides inside a node, and removes the nodes that the
    /// definition added there. Of an own node, what it states itself stays; of an overridden one, that is reverted,
    /// too.
    ///
    /// Its entries are the list of what the instance overrides: [`Entry::before`] is the override, and an own node's
    /// place is an added node. [`Patch::retain`] leaves some of them as they are. Runs in **O(statements about the
    /// nodes)**.
    #[must_use]
    pub fn revert(&self, definition: &str, path: &Path) -> Patch {
        let (Some(number), mut draft) = (self.number(definition), Draft::new(self)) else { return Patch::new() };
        let stated = self.at(number);
        let overrides = stated.stated_from(path).filter(|(path, _)| path.own().is_none());
        overrides.for_each(|(path, value)| draft.state(number, path, value.field(), None));
        // Below an own node without a use, nothing is of an instance.
        if path.own().is_none() || matches!(stated.get(path, Field::Use), Some(Value::Use(Some(_)))) {
            draft.remove(number, stated.own_below(path, |id| path.own() != Some(id)));
        }
        draft.finish()
    }

    /// Returns the patch that renames a definition, also wherever others state its name, in overrides, too. Uses of the
    /// new name, which led nowhere before, show the definition then. Runs in **O(statements of the definition and its
    /// users)**.
    ///
    /// # Errors
    /// [`Error::NoDefinition`]; [`Error::Invalid`] if the new name is in use.
    pub fn rename(&self, from: &str, to: &str) -> Result<Patch, Error> {
        self.defined(from)?;
        if from != to {
            self.free(to)?;
        }
        let (mut draft, from, to) = (Draft::new(self), Arc::from(from), Arc::from(to));
        draft.replace(&from);
        self.stated(&from).for_each(|(path, value)| draft.state_new(&to, path, value.clone()));
        for user in self.users(&from) {
            let uses = self.stated(user).filter(|(_, value)| value.uses() == Some(&from));
            uses.for_each(|(path, _)| draft.state_new(&user.into(), path, Value::Use(Some(to.clone()))));
        }
        Ok(draft.finish())
    }

    /// Returns the patch that moves statements about a node to the definition at a level, so that all its instances
    /// show them: applies overrides to the prefab.
    ///
    /// Level 0 is this definition, and each use inwards adds one, as for [`value`](Self::value). The value is that of
    /// the outermost statement; those between go. Fields that no definition outside of the level states are left out. A
    /// removal that comes to the node's own definition removes it there, with all below it. Runs in **O(fields · levels
    /// · log statements)**.
    ///
    /// # Errors
    /// [`Error::NoDefinition`]. [`Error::Invalid`] if the path leads nowhere, if the node has no such level, for a
    /// place whose parent the level cannot name, and for the place or the use of a node that would go into what the
    /// node itself uses.
    pub fn push(&self, definition: &str, path: &Path, fields: &[Field], level: usize) -> Result<Patch, Error> {
        let Some(route) = self.locate(self.defined(definition)?, path.ids()) else {
            return invalid(definition, path, Field::Place, "the path leads nowhere; name a node that is there");
        };
        // The node's name in each definition that may state something of it.
        let (inner, depth) = (self.innermost(&route), route.depth());
        let name = |level: usize| joined(&inner.ids[level..=level.max(depth)], &[]);
        let names: Vec<(u32, Path)> =
            inner.scopes.iter().enumerate().map(|(level, scope)| (scope.definition, name(level))).collect();
        let Some((target, name)) = names.get(level) else {
            return invalid(definition, path, Field::Place, "the node has no such level; see `Library::value`");
        };
        let mut draft = Draft::new(self);
        for &field in BTreeSet::from_iter(fields) {
            let stated = |(from, (outer, path)): (usize, &(u32, Path))| Some((from, self.at(*outer).get(path, field)?));
            let Some((from, value)) = names[..level].iter().enumerate().find_map(stated) else { continue };
            if field.is_structure() && level > depth {
                return invalid(definition, path, field, "a node's place and use cannot go into what the node uses");
            }
            let value = match value {
                Value::Place(None) if level == depth => {
                    // What an outer level has moved away from below it stays.
                    let path = |outer: usize, id| joined(&route.ids[outer..depth], &[id]);
                    let moved = |outer: usize, id| self.at(names[outer].0).get(&path(outer, id), field);
                    let goes = |id| (0..level).all(|outer| moved(outer, id).and_then(Value::spot).is_none());
                    names[..level].iter().for_each(|(outer, path)| draft.state(*outer, path.clone(), field, None));
                    draft.remove(*target, self.at(*target).own_below(name, goes).into_iter().chain([route.id()]));
                    break;
                }
                Value::Place(Some(spot)) => {
                    let parent = spot.parent.as_ref().map_or(&[][..], Path::ids).get(level - from..);
                    let parent = parent
                        .filter(|_| stays(&route.ids[from..depth], spot))
                        .map(|ids| Path::of(ids).or_else(|| self.at(*target).root().map(Path::from)));
                    let Some(parent) = parent else {
                        return invalid(definition, path, field, "the level cannot name the parent; choose another");
                    };
                    Some(Value::Place(Some(Spot { parent, order: spot.order })))
                }
                value => Some(value.clone()),
            };
            for (outer, path) in &names[..level] {
                draft.state(*outer, path.clone(), field, None);
            }
            draft.state(*target, name.clone(), field, value);
        }
        Ok(draft.finish())
    }
}
