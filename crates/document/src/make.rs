//! Patches of the library, made in the scene, too.

use crate::document::Document;
use crate::error::Error;
use crate::expand::{ByNumber, Expansion};
use crate::library::{MOST_NODES, is_root};
use crate::patch::{Entry, Patch};
use crate::places::Places;
use crate::structure::Structure;
use crate::value::{Field, Value};
use hedgerow::edit::Change;
use hedgerow::{Keep, Node, NodeHandle, Scene, Tree};
use std::collections::{BTreeMap, BTreeSet};

/// The places that a patch may move, and those whose use it may change.
#[derive(Default)]
struct Touched {
    places: Vec<u32>,
    uses: BTreeSet<u32>,
}

impl Document {
    /// Applies a patch to the library and the scene, and updates the scene, which has no edits since the last step.
    ///
    /// If the scene refuses an edit, which it does only if it has no room, all is as before, with new handles.
    pub(crate) fn make(&mut self, scene: &mut Scene, patch: &Patch) -> Result<(), Error> {
        let of_open = |entry: &&Entry| *entry.key.definition == *self.name;
        let mut roots = patch.entries().iter().filter(of_open).filter(|entry| changes_root(entry));
        if let Some(entry) = roots.clone().next()
            && !roots.any(|entry| is_root(entry.after.as_ref()))
        {
            let why = "the definition is open in a scene and must keep a root; open another one first";
            return Err(Error::Invalid { key: entry.key.clone(), why });
        }
        self.library.check(patch)?;
        // A use, or a definition that was missing, may bring very many nodes.
        let brings = |entry: &Entry| {
            entry.after.as_ref().is_some_and(|value| value.uses().is_some())
                || changes_root(entry) && is_root(entry.after.as_ref())
        };
        if patch.entries().iter().any(brings) && self.library.most_nodes(&self.name, patch) > MOST_NODES {
            return Err(hedgerow::Error::CapacityOverflow.into());
        }
        let made = if !self.renews_root(patch) {
            self.follow_patch(scene, patch)
        } else {
            let nodes = scene.get(self.root).into_iter().flat_map(|root| root.descendants()).skip(1);
            let nodes = nodes.map(|node| node.handle());
            let had = nodes.filter_map(|node| Some((self.path(scene, node)?, node))).collect();
            self.library.make(patch);
            self.places = Places::default();
            let Self { library, places, root, definition, .. } = self;
            Structure::new(library, places, scene, *root).remake_all(*definition, had)
        };
        match made {
            Ok(()) => self.library.keep_ids(patch),
            Err(_) => {
                self.library.make(&patch.inverse());
                self.fill(scene)?;
            }
        }
        // Readers of changes never hear of a node that enters and leaves between two updates.
        scene.update();
        self.reader = crate::document::reader(scene);
        made
    }

    /// Returns whether a definition in use loses its root, or gets one or another. Then a path through a node that uses
    /// it names another node or none, wherever it is stated.
    fn renews_root(&self, patch: &Patch) -> bool {
        let Self { library, places, name, .. } = self;
        let is_here = |user: &str| library.number(user).is_some_and(|user| !places.instances_of(user).is_empty());
        let is_used = |of: &str| *of == **name || library.users(of).into_iter().any(is_here);
        patch.entries().iter().any(|entry| changes_root(entry) && is_used(&entry.key.definition))
    }

    fn follow_patch(&mut self, scene: &mut Scene, patch: &Patch) -> Result<(), Error> {
        self.make_room(scene, patch);
        let mut touched = Touched::default();
        self.touch(patch, |entry| entry.before.is_some(), &mut touched);
        self.library.make(patch);
        self.touch(patch, |entry| entry.after.is_some(), &mut touched);
        self.set_components(scene, patch)?;
        let Self { library, places, root, .. } = self;
        Structure::new(library, places, scene, *root).follow(touched.places, &touched.uses)
    }

    /// Makes all nodes below the root anew.
    pub(crate) fn fill(&mut self, scene: &mut Scene) -> Result<(), Error> {
        self.places = Places::default();
        let children: Vec<NodeHandle> = scene.children(self.root).collect();
        scene.remove_many(&children).map_err(|refused| refused.error)?;
        let Self { library, places, root: at, name, .. } = self;
        let most = usize::try_from(library.most_nodes(name, &Patch::EMPTY)).unwrap_or(0).min(1 << 20);
        places.places.reserve(most);
        let mut expansion = Expansion::new(library, places);
        let root = expansion.begin(self.definition).ok_or(Error::NoRoot)?;
        let (mut tree, mut first, mut list) = (Tree::with_capacity(most), Node::group(), Vec::new());
        expansion.expand(root, &mut list, |parent, node| match parent {
            None => first = node,
            Some(parent) => _ = tree.push(parent.checked_sub(1), node),
        });
        let handles = scene.insert_tree(*at, &tree).map_err(|refused| refused.error)?;
        scene.edit(*at)?.set_node(first)?;
        for (&place, node) in list.iter().zip([*at].into_iter().chain(handles)) {
            places.put(library, scene, place, node);
        }
        places.places.shrink_to_fit();
        places.instances.shrink_to_fit();
        Ok(())
    }

    /// Makes room for the own nodes that a patch adds to definitions.
    fn make_room(&mut self, scene: &mut Scene, patch: &Patch) {
        let mut more: BTreeMap<u32, usize> = BTreeMap::new();
        let mut last = None;
        for Entry { key, .. } in patch.entries().iter().filter(|entry| entry.after.is_some()) {
            if let (Some(id), Some(number)) = (key.path.own(), self.library.number(&key.definition))
                && last.replace((number, id)) != Some((number, id))
                && self.library.at(number).slot_of(id).is_none()
            {
                *more.entry(number).or_default() += 1;
            }
        }
        self.places.make_room(&self.library, scene, &more, &mut BTreeSet::new());
    }

    /// Finds the places of entries about structure, in all instances.
    fn touch(&mut self, patch: &Patch, which: impl Fn(&Entry) -> bool, touched: &mut Touched) {
        let Self { library, places, .. } = self;
        for entries in patch.entries().chunk_by(|a, b| a.key.definition == b.key.definition) {
            let Some(number) = library.number(&entries[0].key.definition) else { continue };
            let structural: Vec<&Entry> =
                entries.iter().filter(|entry| entry.key.field.is_structure() && which(entry)).collect();
            if structural.is_empty() {
                continue;
            }
            for instance in places.instances_of(number) {
                for entry in &structural {
                    let Some(at) = places.locate(library, instance, entry.key.path.ids()) else { continue };
                    let (place, is_root) = (places.place(at.0, at.1), places.outermost_of(library, at.0, at.1) != at);
                    match entry.key.field {
                        Field::Place if !is_root => touched.places.push(place),
                        Field::Use if !is_root || entry.key.path.own().is_some() => _ = touched.uses.insert(place),
                        _ => {}
                    }
                }
            }
        }
    }

    /// Sets the components that a patch states or unstates, wherever no outer definition states them.
    fn set_components(&mut self, scene: &mut Scene, patch: &Patch) -> Result<(), Error> {
        let Self { library, places, .. } = self;
        let mut expansion = Expansion::new(library, places);
        let mut of = (u32::MAX, Vec::new());
        let is_component = |entry: &&Entry| Field::COMPONENTS.contains(&entry.key.field);
        for Entry { key, after, .. } in patch.entries().iter().filter(is_component) {
            let Some(number) = library.number(&key.definition) else { continue };
            if of.0 != number {
                of = (number, expansion.places.instances_of(number));
            }
            let group = Value::of(&Node::group(), key.field);
            // What shows in instances inside of which no outer definition states anything: by the use at most one
            // instance further out. Of more uses, some may differ until the structure follows, or have statements.
            let mut plain = ByNumber::default();
            let own = key.path.own().and_then(|id| library.at(number).slot_of(id));
            for &instance in &of.1 {
                let located = match own {
                    Some(slot) => Some((instance, slot)),
                    None => expansion.places.locate(library, instance, key.path.ids()),
                };
                let Some((inner, slot)) = located else { continue };
                let top = expansion.places.outermost_of(library, inner, slot);
                // A path that ends with the root of what a node uses has no effect.
                if own.is_none() && top != (inner, slot) {
                    continue;
                }
                let place = expansion.places.place(inner, slot);
                let Some(node) = expansion.places.node(library, scene, place) else { continue };
                // What is used here may differ until the structure follows, too.
                let decides = after.is_some() || expansion.places.inner(place).is_none();
                let user = (expansion.places.instance(top.0).definition, top.1);
                let is_near = top.0 == inner || expansion.places.instance(inner).outer == top.0;
                let is_plain = decides && is_near && expansion.plain_depth(inner).is_some();
                let value = plain.get(&user).filter(|_| is_plain).copied().unwrap_or_else(|| {
                    let shown = expansion.shown_by(instance, top, key.field).unwrap_or(group.as_ref());
                    is_plain.then(|| plain.insert(user, shown));
                    shown
                });
                if let Some(value) = value {
                    set(scene, node, value)?;
                }
            }
        }
        Ok(())
    }
}

/// Returns whether an entry makes a node a root, or a root another node.
fn changes_root(entry: &Entry) -> bool {
    is_root(entry.before.as_ref()) != is_root(entry.after.as_ref())
}

/// Sets a component of a node.
fn set(scene: &mut Scene, node: NodeHandle, value: &Value) -> Result<(), hedgerow::Error> {
    let mut edit = scene.edit(node)?;
    if let Some(change) = change(value) {
        edit.change(change)?;
    }
    // A translation in double precision replaces that of the local transform.
    if let Value::Local(Some(local)) = value
        && let Some(translation) = local.translation_f64
    {
        edit.set_translation_f64(translation)?;
    }
    Ok(())
}

macro_rules! changes {
    ($($variant:ident $field:ident: $type:ty, $set:ident, $name:literal;)*) => {
        /// Returns the change that sets a component, without a translation in double precision.
        fn change(value: &Value) -> Option<Change> {
            Some(match value {
                Value::Local(local) => Change::Local(local.as_ref().map(|value| value.local)),
                Value::Anchored(anchored) => Change::Anchored(*anchored, Keep::Local),
                Value::Name(name) => Change::Name(name.clone()),
                $(Value::$variant(value) => Change::$variant(*value),)*
                Value::Place(_) | Value::Use(_) | Value::Own(..) => return None,
            })
        }
    };
}
hedgerow::internal::plain_components!(changes);
