//! Whole tasks as patches of a library. They compute a patch; [`Library::apply`] or
//! [`Document::apply`](crate::Document::apply) makes it.

use crate::error::PatchError;
use crate::library::Library;
use crate::order::Order;
use crate::patch::{Entry, Key, Patch};
use crate::path::{Path, joined};
use crate::resolve::stays;
use crate::value::{At, Field, Spot, Value};
use hedgerow::{Node, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A patch in the making.
pub(crate) struct Draft<'l> {
    library: &'l Library,
    pub(crate) map: BTreeMap<Key, (Option<Value>, Option<Value>)>,
}

impl<'l> Draft<'l> {
    pub(crate) fn new(library: &'l Library) -> Self {
        Self { library, map: BTreeMap::new() }
    }

    /// States a value, or unstates it; a later call for the same key replaces an earlier one.
    pub(crate) fn state(&mut self, definition: u32, path: Path, field: Field, value: Option<Value>) {
        self.set(Key { definition: self.library.at(definition).name.clone(), path, field }, value);
    }

    /// States a value of a definition that the library need not have.
    pub(crate) fn state_new(&mut self, definition: &Arc<str>, path: Path, value: Value) {
        self.set(Key { definition: definition.clone(), path, field: value.field() }, Some(value));
    }

    fn set(&mut self, key: Key, value: Option<Value>) {
        let before = self.library.get(&key);
        self.map.entry(key).or_insert_with(|| (before.cloned(), None)).1 = value;
    }

    /// Returns what is stated after the patch.
    pub(crate) fn get(&self, definition: u32, path: &Path, field: Field) -> Option<&Value> {
        let definition = self.library.at(definition);
        let key = Key { definition: definition.name.clone(), path: path.clone(), field };
        self.map.get(&key).map_or_else(|| definition.get(path, field), |(_, after)| after.as_ref())
    }

    /// Unstates all about these own nodes of a definition, and inside them.
    pub(crate) fn remove(&mut self, definition: u32, nodes: impl IntoIterator<Item = u64>) {
        let stated = self.library.at(definition);
        for (path, value) in nodes.into_iter().flat_map(|id| stated.stated_from(&id.into())) {
            self.state(definition, path, value.field(), None);
        }
    }

    pub(crate) fn patch(&self) -> Patch {
        Patch::of_map(self.map.clone())
    }

    pub(crate) fn finish(self) -> Patch {
        Patch::of_map(self.map)
    }
}

/// Refuses a statement.
pub(crate) fn invalid<T>(
    definition: impl Into<Arc<str>>,
    path: &Path,
    field: Field,
    why: &'static str,
) -> Result<T, PatchError> {
    Err(PatchError::Invalid { key: Key::new(definition, path.clone(), field), why })
}

/// Returns the patch of a new node with a use and with the components of a node, given its place and those of others.
fn placed(name: &str, id: u64, places: Draft<'_>, uses: &str, node: &Node<'_>) -> Result<Patch, PatchError> {
    let values = core::iter::once(Value::Use(Some(uses.into()))).chain(Value::components(node));
    let entry = |value: Value| Entry { key: Key::new(name, id, value.field()), before: None, after: Some(value) };
    Patch::from_entries(places.finish().entries().iter().cloned().chain(values.map(entry)).collect())
}

impl Library {
    /// Returns the patch that makes a definition of a tree, with the tree's numbers as ids, and siblings at the orders
    /// 0, 1, 2 and so on. What the name had before is replaced; overrides that others state hold where ids agree. Runs
    /// in **O(nodes log nodes)**.
    ///
    /// # Errors
    /// [`PatchError::Invalid`] if the tree has no root or several; [`PatchError::Scene`] for a value that a scene
    /// refuses.
    ///
    /// ```
    /// use hedgerow::{Node, Tree};
    /// use hedgerow_document::{Library, PatchError};
    ///
    /// let (mut library, mut lamp) = (Library::new(), Tree::new());
    /// let foot = lamp.push(None, Node::material(1).named("lamp"));
    /// lamp.push(Some(foot), Node::group().named("bulb"));
    /// library.apply(&library.define("lamp", &lamp)?)?;
    /// assert_eq!(library.tree("lamp")?, lamp);
    /// # Ok::<(), PatchError>(())
    /// ```
    pub fn define(&self, name: &str, tree: &Tree) -> Result<Patch, PatchError> {
        let name: Arc<str> = name.into();
        let key = |number: usize, field| Key { definition: name.clone(), path: (number as u64).into(), field };
        let mut entries = self.replaced(&name);
        let mut children: Vec<u32> = vec![0; tree.len()];
        let mut roots = 0;
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
            entries.entry(key(number, Field::Place)).or_default().1 = Some(Value::Place(Some(spot)));
            for value in Value::components(&node) {
                let field = value.field();
                entries.entry(key(number, field)).or_default().1 = Some(value);
            }
        }
        if roots != 1 {
            let why = "a definition has one root; push one node without a parent";
            return invalid(name, &0.into(), Field::Place, why);
        }
        Patch::from_entries(entries.into_iter().map(|(key, (before, after))| Entry { key, before, after }).collect())
    }

    /// Returns a definition's statements, each to be unstated.
    fn replaced(&self, name: &Arc<str>) -> BTreeMap<Key, (Option<Value>, Option<Value>)> {
        let entry = |(path, value): (Path, &Value)| {
            (Key { definition: name.clone(), path, field: value.field() }, (Some(value.clone()), None))
        };
        self.stated(name).map(entry).collect()
    }

    /// Returns the patch that makes a variant of a definition: a new definition whose root uses the other, and which
    /// states what `node` has, such as another material. Whatever the other has beside that shows. Runs in **O(log
    /// statements)**.
    ///
    /// # Errors
    /// [`PatchError::NoDefinition`]; [`PatchError::Invalid`] if the name is in use; [`PatchError::Scene`] for a value
    /// that a scene refuses.
    ///
    /// ```
    /// use hedgerow::{Node, Tree};
    /// use hedgerow_document::{Library, PatchError};
    ///
    /// let (mut library, mut car) = (Library::new(), Tree::new());
    /// car.push(None, Node::material(1).named("car"));
    /// library.apply(&library.define("car", &car)?)?;
    /// library.apply(&library.variant("taxi", "car", Node::material(2))?)?;
    /// let taxi = library.tree("taxi")?;
    /// assert_eq!((taxi.get(0).unwrap().name, taxi.get(0).unwrap().material), (Some("car"), Some(2)));
    /// # Ok::<(), PatchError>(())
    /// ```
    pub fn variant(&self, name: &str, of: &str, node: Node<'_>) -> Result<Patch, PatchError> {
        self.defined(of)?;
        if self.defined(name).is_ok() {
            return invalid(name, &0.into(), Field::Place, "the name is in use; choose another");
        }
        let mut draft = Draft::new(self);
        draft.state_new(&name.into(), 0.into(), Value::Place(Some(Spot::ROOT)));
        placed(name, 0, draft, of, &node)
    }

    /// Returns the patch that places a definition in another: a new node that uses it, with the components of `node`
    /// stated. Its id is [`next_id`](Self::next_id). Siblings get other orders only if there is no room. Runs in
    /// **O(log statements)** at a [`Spot`], in O(siblings · log statements) at a [`Place`](hedgerow::Place).
    ///
    /// # Errors
    /// [`PatchError::NoDefinition`] for either name; [`PatchError::Scene`] for a value that a scene refuses;
    /// [`PatchError::Invalid`] unless the nodes that the spot or place names exist.
    ///
    /// ```
    /// use hedgerow::{Node, Place, Tree};
    /// use hedgerow_document::{Library, PatchError, Spot};
    ///
    /// let (mut library, mut group) = (Library::new(), Tree::new());
    /// group.push(None, Node::group());
    /// library.apply(&library.define("lamp", &group)?)?;
    /// library.apply(&library.define("street", &group)?)?;
    /// library.apply(&library.place("street", Spot::below(0, 0.0), "lamp", Node::group().named("left"))?)?;
    /// library.apply(&library.place("street", Place::Before(1.into()), "lamp", Node::group().named("first"))?)?;
    /// let street = library.tree("street")?;
    /// assert_eq!([1, 2].map(|node| street.get(node).unwrap().name), [Some("first"), Some("left")]);
    /// # Ok::<(), PatchError>(())
    /// ```
    pub fn place(&self, definition: &str, at: impl Into<At>, uses: &str, node: Node<'_>) -> Result<Patch, PatchError> {
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
        placed(definition, id, draft, uses, &node)
    }

    /// Returns the patch that states a value in place of what is stated. Runs in **O(log statements)**.
    ///
    /// # Errors
    /// [`PatchError::Scene`] for a value that a scene refuses.
    ///
    /// ```
    /// use hedgerow::{Node, Tree};
    /// use hedgerow_document::{Key, Field, Library, PatchError, Value};
    ///
    /// let (mut lamp, mut library) = (Tree::new(), Library::new());
    /// lamp.push(None, Node::material(1));
    /// library.apply(&library.define("lamp", &lamp)?)?;
    /// library.apply(&library.state("lamp", 0, Value::Material(Some(2)))?)?;
    /// assert_eq!(library.get(&Key::new("lamp", 0, Field::Material)), Some(&Value::Material(Some(2))));
    /// # Ok::<(), PatchError>(())
    /// ```
    pub fn state(&self, definition: &str, path: impl Into<Path>, value: Value) -> Result<Patch, PatchError> {
        let key = Key::new(definition, path, value.field());
        Patch::from_entries(vec![Entry { before: self.get(&key).cloned(), key, after: Some(value) }])
    }

    /// Returns the patch that unstates fields of a node, so that the values beneath show: reverts overrides. Fields
    /// that are not stated are left out. Unstating the place of an own node removes it, with all that is stated about
    /// it, inside it and below it. Runs in **O(statements about the nodes)**.
    ///
    /// ```
    /// use hedgerow::{Node, Tree};
    /// use hedgerow_document::{Field, Library, PatchError, Spot};
    ///
    /// let (mut library, mut tree) = (Library::new(), Tree::new());
    /// tree.push(None, Node::group().named("lamp"));
    /// library.apply(&library.define("lamp", &tree)?)?;
    /// library.apply(&library.define("street", &tree)?)?;
    /// library.apply(&library.place("street", Spot::below(0, 0.0), "lamp", Node::group().named("left"))?)?;
    /// library.apply(&library.unstate("street", &1.into(), &[Field::Name]))?;
    /// assert_eq!(library.tree("street")?.get(1).unwrap().name, Some("lamp"));
    /// # Ok::<(), PatchError>(())
    /// ```
    #[must_use]
    pub fn unstate(&self, definition: &str, path: &Path, fields: &[Field]) -> Patch {
        let (Some(number), mut draft) = (self.number(definition), Draft::new(self)) else { return Patch::new() };
        match path.own().filter(|_| fields.contains(&Field::Place)) {
            Some(id) => draft.remove(number, self.at(number).own_below(path, |_| true).into_iter().chain([id])),
            None => {
                let stated = self.at(number).stated_of(path).iter().map(Value::field);
                stated
                    .filter(|field| fields.contains(field))
                    .for_each(|field| draft.state(number, path.clone(), field, None));
            }
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
    ///
    /// ```
    /// use hedgerow::{Node, Tree};
    /// use hedgerow_document::{Library, PatchError, Path, Spot, Value};
    ///
    /// let (mut library, mut tree) = (Library::new(), Tree::new());
    /// let foot = tree.push(None, Node::material(1));
    /// tree.push(Some(foot), Node::material(2));
    /// library.apply(&library.define("lamp", &tree)?)?;
    /// library.apply(&library.define("street", &tree)?)?;
    /// library.apply(&library.place("street", Spot::below(0, 5.0), "lamp", Node::material(7))?)?; // node 2
    /// let placed = library.clone();
    /// library.apply(&library.state("street", [2, 1], Value::Material(Some(3)))?)?; // the bulb
    /// library.apply(&library.state("street", 3, Value::Place(Some(Spot::below([2, 1], 0.0))))?)?; // a node below it
    ///
    /// let revert = library.revert("street", &Path::from(2));
    /// assert_eq!(revert.entries().iter().map(|entry| entry.key.path.to_string()).collect::<Vec<_>>(), ["2/1", "3"]);
    /// library.apply(&revert)?;
    /// assert_eq!(library, placed);
    /// # Ok::<(), PatchError>(())
    /// ```
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

    /// Returns the patch that renames a definition, also wherever others state its name, in overrides, too. Runs in
    /// **O(statements of the definition and its users)**.
    ///
    /// # Errors
    /// [`PatchError::NoDefinition`]; [`PatchError::Invalid`] if the new name is in use.
    ///
    /// ```
    /// use hedgerow::{Node, Tree};
    /// use hedgerow_document::{Library, PatchError, Spot};
    ///
    /// let (mut library, mut tree) = (Library::new(), Tree::new());
    /// tree.push(None, Node::group());
    /// library.apply(&library.define("lamp", &tree)?)?;
    /// library.apply(&library.define("street", &tree)?)?;
    /// library.apply(&library.place("street", Spot::below(0, 0.0), "lamp", Node::group())?)?;
    /// library.apply(&library.rename("lamp", "lantern")?)?;
    /// assert_eq!(library.users("lantern"), ["street"]);
    /// # Ok::<(), PatchError>(())
    /// ```
    pub fn rename(&self, from: &str, to: &str) -> Result<Patch, PatchError> {
        self.defined(from)?;
        let (from, to): (Arc<str>, Arc<str>) = (from.into(), to.into());
        if self.defined(&to).is_ok() && from != to {
            let why = "the name is in use; choose another";
            return invalid(to, &0.into(), Field::Place, why);
        }
        let mut map = self.replaced(&from);
        for (key, (before, _)) in self.replaced(&from) {
            map.entry(Key { definition: to.clone(), ..key }).or_default().1 = before;
        }
        for user in self.users(&from) {
            let user: Arc<str> = user.into();
            for (path, value) in self.stated(&user) {
                if matches!(value, Value::Use(Some(name)) if *name == from) {
                    let key = Key { definition: user.clone(), path, field: Field::Use };
                    map.insert(key, (Some(value.clone()), Some(Value::Use(Some(to.clone())))));
                }
            }
        }
        Ok(Patch::of_map(map))
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
    /// [`PatchError::NoDefinition`]. [`PatchError::Invalid`] if the path leads nowhere, if the node has no such level,
    /// for a place whose parent the level cannot name, and for the place or the use of a node that would go into what
    /// the node itself uses.
    ///
    /// ```
    /// use hedgerow::{Node, Tree};
    /// use hedgerow_document::{Field, Library, PatchError, Spot, Value};
    ///
    /// let (mut library, mut tree) = (Library::new(), Tree::new());
    /// tree.push(None, Node::material(1));
    /// library.apply(&library.define("lamp", &tree)?)?;
    /// library.apply(&library.define("street", &tree)?)?;
    /// library.apply(&library.place("street", Spot::below(0, 0.0), "lamp", Node::material(7))?)?;
    /// library.apply(&library.push("street", &1.into(), &[Field::Material], 1)?)?;
    /// assert_eq!(library.value("lamp", &0.into(), Field::Material), Some((Value::Material(Some(7)), 0)));
    /// assert_eq!(library.value("street", &1.into(), Field::Material), Some((Value::Material(Some(7)), 1)));
    /// # Ok::<(), PatchError>(())
    /// ```
    pub fn push(&self, definition: &str, path: &Path, fields: &[Field], level: usize) -> Result<Patch, PatchError> {
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
                    let parent =
                        parent.filter(|_| stays(&route.ids[from..depth], spot)).map(|ids| match Path::try_from(ids) {
                            Err(_) => self.at(*target).root().map(Path::from),
                            Ok(inner) => Some(inner),
                        });
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
