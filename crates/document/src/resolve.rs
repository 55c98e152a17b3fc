//! What a node's fields are: the outermost definition that states one decides.

use crate::library::Library;
use crate::overrides::{TOP, found};
use crate::path::{Path, joined};
use crate::value::{Field, Spot, Value};
use core::iter::once;
use std::collections::BTreeMap;
use std::rc::Rc;

/// An instance of a definition, and what the definitions around it state inside of it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// The instance's number in a document; without one, its depth.
    pub(crate) number: u32,
    pub(crate) definition: u32,
    /// The number of instances around it.
    pub(crate) depth: u32,
    /// Those that state anything inside of it, the outermost first; `None` if none does.
    pub(crate) outer: Option<Rc<[Outer]>>,
}

/// What an outer definition states inside an instance, or about a node of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outer {
    /// The instance of the definition that states: its number, its definition, and its depth.
    pub(crate) number: u32,
    pub(crate) definition: u32,
    pub(crate) depth: u32,
    /// The number among the definition's overrides.
    at: u32,
}

/// The way to a node: ids from a definition inwards, each of a node in the scope of the same index.
///
/// For the definition of scope n, the node has the path `ids[n..]`.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) ids: Vec<u64>,
    pub(crate) scopes: Vec<Scope>,
}

impl Scope {
    /// The scope of an instance that has none around it.
    pub(crate) fn top(definition: u32) -> Self {
        Self { definition, ..Self::default() }
    }
}

impl Route {
    /// The way to an own node.
    pub(crate) fn own(definition: u32, id: u64) -> Self {
        Self { ids: vec![id], scopes: vec![Scope::top(definition)] }
    }

    /// The number of the node's innermost scope.
    pub(crate) fn depth(&self) -> usize {
        self.ids.len() - 1
    }

    pub(crate) fn id(&self) -> u64 {
        self.ids[self.depth()]
    }

    pub(crate) fn scope(&self) -> &Scope {
        &self.scopes[self.depth()]
    }

    /// Returns the node's path for the definition of a scope.
    pub(crate) fn path(&self, level: usize) -> Path {
        joined(&self.ids[level..], &[])
    }
}

impl Library {
    /// Returns whether the node is the root of a used definition. Outer definitions state its fields for the use.
    pub(crate) fn is_inner_root(&self, scope: &Scope, id: u64) -> bool {
        scope.depth > 0 && self.at(scope.definition).root() == Some(id)
    }

    /// Returns what outer definitions state about a node of an instance and inside of it, the outermost first.
    fn outer(&self, scope: &Scope, id: u64) -> impl DoubleEndedIterator<Item = Outer> {
        let outer = scope.outer.iter().flat_map(|outer| outer.iter());
        outer.filter_map(move |outer| {
            Some(Outer { at: self.at(outer.definition).overrides.inner(outer.at, id)?, ..*outer })
        })
    }

    /// Returns what outer definitions state about a node, the outermost first.
    pub(crate) fn outer_values<'l>(
        &'l self,
        scope: &Scope,
        id: u64,
    ) -> impl DoubleEndedIterator<Item = (Outer, &'l [Value])> {
        let outer = (scope.outer.is_some() && !self.is_inner_root(scope, id)).then(|| self.outer(scope, id));
        outer.into_iter().flatten().map(|outer| (outer, self.at(outer.definition).overrides.values(outer.at)))
    }

    /// Returns whether a definition states anything about a node inside the one that an own node uses.
    pub(crate) fn states_inside(&self, definition: u32, slot: u32) -> bool {
        let definition = self.at(definition);
        definition.overrides.inner(TOP, definition.slot(slot).id).is_some()
    }

    /// Returns the scope of the instance that a node uses.
    pub(crate) fn entered(&self, scope: &Scope, id: u64, definition: u32, number: u32) -> Scope {
        let Scope { number: around, definition: user, depth, .. } = *scope;
        let own = self.at(user).overrides.inner(TOP, id);
        let own = own.map(|at| Outer { number: around, definition: user, depth, at });
        let outer = (own.is_some() || scope.outer.is_some()).then(|| self.outer(scope, id).chain(own).collect());
        Scope { number, definition, depth: depth + 1, outer: outer.filter(|outer: &Rc<[Outer]>| !outer.is_empty()) }
    }

    /// Returns the outermost statement of a field, and its depth, ignoring the definition that the node
    /// uses.
    pub(crate) fn look<'l>(&'l self, scope: &Scope, id: u64, field: Field) -> Option<(&'l Value, u32)> {
        let mut outer = self.outer_values(scope, id);
        let outer = outer.find_map(|(outer, values)| Some((found(values, field)?, outer.depth)));
        outer.or_else(|| Some((self.at(scope.definition).get(&id.into(), field)?, scope.depth)))
    }

    /// Returns the definition that a node uses; `None` also if the library does not have it.
    pub(crate) fn enter(&self, scope: &Scope, id: u64) -> Option<u32> {
        self.defined(self.look(scope, id, Field::Use)?.0.uses()?).ok()
    }

    /// Returns where a node is, if it is not the root of a used definition, and the number of the instance from which
    /// its parent is named; `None` if no definition has such a node, or if it is removed.
    ///
    /// An override keeps a node in its instance: the parent's path is longer than that of the instance and begins with
    /// it, or equals it, which means the instance's root. Overrides with other places have no effect. The rule asks for
    /// the text of the statement alone; otherwise, whether a node is there could depend on itself.
    pub(crate) fn stated_place<'l>(&'l self, scope: &Scope, id: u64) -> Option<(u32, &'l Spot)> {
        let own = self.at(scope.definition).get(&id.into(), Field::Place)?.spot()?;
        for (outer, values) in self.outer_values(scope, id) {
            if let Some(place) = found(values, Field::Place) {
                let spot = place.spot()?;
                if stays(self.at(outer.definition).overrides.path(outer.at).instance(), spot) {
                    return Some((outer.number, spot));
                }
            }
        }
        Some((scope.number, own))
    }

    /// Returns the definitions that may state nodes to be below a node of an instance, with the numbers of their
    /// instances, and their paths of the node.
    pub(crate) fn parents(&self, scope: &Scope, id: u64) -> impl Iterator<Item = (u32, u32, Path)> {
        let parent = |outer: Outer| self.at(outer.definition).overrides.parent(outer.at).map(|path| (outer, path));
        let outer = self.outer(scope, id).filter_map(parent);
        let outer = outer.map(|(outer, path)| (outer.number, outer.definition, path));
        outer.chain(once((scope.number, scope.definition, id.into())))
    }

    /// Returns the way to a path's node, without the roots of used definitions at the path's end; `None` if the path
    /// leads nowhere.
    pub(crate) fn locate(&self, definition: u32, ids: &[u64]) -> Option<Route> {
        let mut route = Route { ids: ids.to_vec(), scopes: vec![Scope::top(definition)] };
        for (level, &id) in ids.iter().enumerate() {
            let scope = &route.scopes[level];
            self.at(scope.definition).node(id)?;
            if level + 1 < ids.len() {
                let inner = self.enter(scope, id)?;
                route.scopes.push(self.entered(scope, id, inner, scope.depth + 1));
            }
        }
        while self.is_inner_root(route.scope(), route.id()) {
            route.ids.pop();
            route.scopes.pop();
        }
        Some(route)
    }

    /// Returns the way to the innermost node that a node is: the root of what it uses, the root of what that uses, and
    /// so on.
    pub(crate) fn innermost(&self, route: &Route) -> Route {
        let mut route = route.clone();
        while let Some(inner) = self.enter(route.scope(), route.id()) {
            let (scope, root) = (route.scope(), self.at(inner).root());
            let scope = self.entered(scope, route.id(), inner, scope.depth + 1);
            route.ids.push(root.expect("a definition that is entered has a root"));
            route.scopes.push(scope);
        }
        route
    }

    /// Returns all that any level states of a node and of the nodes inside it, except its place, as statements of one
    /// definition that has the node as `new`. Places that have no effect are left out, since they would hide others.
    pub(crate) fn flattened(&self, scope: &Scope, id: u64, new: &Path) -> BTreeMap<(Path, Field), Value> {
        let mut flat = BTreeMap::new();
        let own = self.at(scope.definition);
        let mut add = |path: &Path, (inner, value): (Path, &Value)| {
            let renamed = |other: &Path| joined(new.ids(), &other.ids()[path.ids().len()..]);
            let is_place = inner == *path && value.field() == Field::Place;
            if !is_place && value.spot().is_none_or(|spot| stays(inner.instance(), spot)) {
                flat.insert((renamed(&inner), value.field()), value.with_parent(renamed));
            }
        };
        own.stated_from(&id.into()).for_each(|stated| add(&id.into(), stated));
        for outer in self.outer(scope, id).rev() {
            let overrides = &self.at(outer.definition).overrides;
            let path = overrides.path(outer.at);
            overrides.stated_from(outer.at).for_each(|stated| add(&path, stated));
        }
        flat
    }

    /// Returns the value of a field, and the level that states it: 0 is this definition, and each use inwards adds one.
    ///
    /// Fields other than the place and the use also come from the root of what the node uses. `None` if no level states
    /// the field, or if the path leads nowhere. Runs in **O(levels · log statements)**.
    #[must_use]
    pub fn value(&self, definition: &str, path: &Path, field: Field) -> Option<(Value, usize)> {
        let route = self.locate(self.number(definition)?, path.ids())?;
        let (scope, id) = (route.scope(), route.id());
        let found = match field {
            // A node that is located has a place, unless an override removes it.
            Field::Place => match self.stated_place(scope, id) {
                Some((level, spot)) => Some((Value::Place(Some(spot.clone())), level)),
                None => Some((Value::Place(None), self.look(scope, id, field)?.1)),
            },
            Field::Use => self.look(scope, id, field).map(|(value, level)| (value.clone(), level)),
            _ => {
                let inner = self.innermost(&route);
                let aliases = inner.scopes.iter().zip(inner.ids).skip(route.depth());
                let mut found = aliases.filter_map(|(scope, id)| self.look(scope, id, field));
                found.next().map(|(value, level)| (value.clone(), level))
            }
        };
        found.map(|(value, level)| (value, level as usize))
    }
}

/// Returns whether an override that states a place keeps the node in its instance.
pub(crate) fn stays(instance: &[u64], spot: &Spot) -> bool {
    let parent = spot.parent.as_ref().map_or(&[][..], Path::ids);
    instance.is_empty() || parent.starts_with(instance)
}
