//! Copies of nodes with their uses and overrides, and where they go.

use crate::error::Error;
use crate::library::{Definition, Library};
use crate::operations::{Draft, invalid};
use crate::order::{self, Order, Rank};
use crate::patch::Patch;
use crate::path::{Path, joined};
use crate::resolve::Route;
use crate::value::{At, Field, Spot, Value};
use core::cmp::Reverse;
use hedgerow::Place;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A node that belongs to a copy by itself, and not by the instance that it is in.
pub(crate) struct Member {
    pub(crate) route: Route,
    order: Order,
    /// The member whose node the parent is, or is inside of, and the ids that lead from there.
    parent: (usize, Vec<u64>),
}

/// A gap among the children of a node, where new ones go; the first gets the order, if there is one.
pub(crate) struct Gap {
    definition: u32,
    parent: Path,
    siblings: Vec<(Path, Option<Order>)>,
    start: usize,
    order: Option<Order>,
}

impl Library {
    /// Copies nodes and all below them to a library of their own, which [`paste`](Self::paste) takes.
    ///
    /// It has a definition of the same name, whose root is a new group with the copies below it, in the order of
    /// `paths`; and all definitions that they use. Uses stay uses, with their overrides. A node of an instance becomes
    /// an own node, with all that any level states for it. A path below another one is left out, and so is one that
    /// leads to no node of the tree. Runs in **O(statements about the nodes · levels · log statements)**, and in
    /// O(statements) of the used definitions.
    #[must_use]
    pub fn copy(&self, definition: &str, paths: &[Path]) -> Self {
        let mut copy = Self::new();
        let Ok(number) = self.defined(definition) else { return copy };
        let located = paths.iter().filter_map(|path| self.locate(number, path.ids()));
        let mut tops: Vec<Route> = located.collect();
        let given: BTreeSet<Path> = tops.iter().map(|route| route.path(0)).collect();
        let mut seen = BTreeSet::new();
        tops.retain(|route| {
            let path = route.path(0);
            let above = self.ancestors(number, &path);
            above.is_some_and(|above| !above.iter().any(|path| given.contains(path))) && seen.insert(path)
        });
        let mut members = Vec::new();
        for (place, top) in tops.into_iter().enumerate() {
            let first = members.len();
            let mut more = self.subtree(top);
            more.iter_mut().for_each(|member| member.parent.0 += first);
            // The number of the copy itself stands for the root.
            more[0].parent = (usize::MAX, Vec::new());
            more[0].order = Order::from(f64::from(u32::try_from(place).unwrap_or(u32::MAX)));
            members.extend(more);
        }
        // The copies come first. Then new ids ascend as siblings do, so that equal orders stay in order.
        let mut sorted: Vec<usize> = (0..members.len()).collect();
        sorted.sort_by_key(|&index| {
            let Member { route, order, parent } = &members[index];
            (parent.0 != usize::MAX, rank(*order, &route.ids))
        });
        let mut ids = vec![0; members.len()];
        sorted.iter().zip(1..).for_each(|(&index, id)| ids[index] = id);

        let mut draft = Draft::new(&copy);
        let name: Arc<str> = definition.into();
        draft.state_new(&name, 0.into(), Value::Place(Some(Spot::ROOT)));
        for (Member { route, order, parent: (above, rest) }, &new) in members.iter().zip(&ids) {
            let parent = ids.get(*above).map_or(Path::from(0), |&above| joined(&[above], rest));
            draft.state_new(&name, new.into(), Value::Place(Some(Spot { parent: Some(parent), order: *order })));
            for ((path, _), value) in self.flattened(route.scope(), route.id(), &new.into()) {
                draft.state_new(&name, path, value);
            }
        }
        // The definitions that they use.
        let mut ahead: Vec<Arc<str>> =
            draft.map.values().filter_map(|(_, after)| after.as_ref()?.uses().cloned()).collect();
        let mut done = BTreeSet::new();
        while let Some(name) = ahead.pop() {
            if done.insert(name.clone()) {
                for (path, value) in self.stated(&name) {
                    ahead.extend(value.uses().cloned());
                    draft.state_new(&name, path, value.clone());
                }
            }
        }
        let patch = draft.finish();
        copy.make(&patch);
        copy.keep_ids(&patch);
        copy
    }

    /// Returns the patch that pastes what was [copied](Self::copy), from any library: the nodes below the root of the
    /// one definition of `from` that no other uses. They come one after another from a spot or a place on, before the
    /// next sibling, with new ids: of what `copy` returned, the copied nodes get those from [`next_id`](Self::next_id)
    /// on, in their order. Siblings get other orders only if there is no room.
    ///
    /// The definitions that they use come along by name. If the name has other contents here, or is used without being
    /// there, the pasted definition gets a new name: the first of "name 2", "name 3" and so on that is free or has these
    /// contents. Runs in **O(statements of `from` · log statements + siblings)**, and in O(definitions) for each new
    /// name.
    ///
    /// # Errors
    /// [`Error::NoDefinition`]. [`Error::Invalid`] if it is no spot or place beside nodes that are there, and
    /// if `from` has several such definitions, or one whose root has a use. [`apply`](Self::apply) refuses the patch if
    /// the definition would contain itself.
    pub fn paste(&self, definition: &str, at: impl Into<At>, from: &Self) -> Result<Patch, Error> {
        let number = self.defined(definition)?;
        let gap = self.gap(number, &at.into())?;
        let parent = &gap.parent;
        let mut tops = from.definitions().filter(|name| from.users(name).is_empty());
        let (top, None) = (tops.next(), tops.next()) else {
            let why = "several definitions are used by no other; paste what `copy` returned";
            return invalid(definition, parent, Field::Place, why);
        };
        let mut draft = Draft::new(self);
        let Some(top) = top else { return Ok(Patch::new()) };
        let top = from.at(from.defined(top)?);
        let root = top.root().unwrap_or(0);
        if top.get(&root.into(), Field::Use).is_some() {
            let why = "the root has a use; place the definition instead";
            return invalid(top.name.clone(), &root.into(), Field::Use, why);
        }
        let names = self.bring(&mut draft, from, top);
        let (first, nodes) = (self.next_id(definition), top.nodes().filter(|&id| id != root));
        let ids: BTreeMap<u64, u64> = nodes.zip(first..).collect();
        // A parent that is not there stays so.
        let nowhere = first + ids.len() as u64;
        let renamed = |path: &Path| match path.ids()[0] {
            id if id == root => parent.clone(),
            id => joined(&[ids.get(&id).copied().unwrap_or(nowhere)], &path.ids()[1..]),
        };
        for (path, value) in top.stated().filter(|(path, _)| ids.contains_key(&path.ids()[0])) {
            let value = with_name(value, &names).with_parent(renamed);
            draft.state(number, renamed(&path), value.field(), Some(value));
        }
        let children = from.children_of(from.defined(&top.name)?, &root.into());
        let pasted: Vec<Path> = children.iter().map(|(path, _)| renamed(path)).collect();
        gap.fill(&mut draft, &pasted);
        Ok(draft.finish())
    }

    /// Returns where new nodes come among siblings.
    pub(crate) fn gap(&self, definition: u32, at: &At) -> Result<Gap, Error> {
        let parent = match at {
            At::Spot(spot) => spot.parent.clone(),
            At::Place(Place::Before(node) | Place::After(node)) => {
                self.ancestors(definition, node).and_then(|above| above.first().cloned())
            }
            At::Place(Place::FirstChildOf(node) | Place::LastChildOf(node) | Place::Child(node, _)) => {
                Some(node.clone())
            }
            At::Place(Place::Detached) => None,
        };
        let located = parent.as_ref().and_then(|parent| self.locate(definition, parent.ids()));
        let parent_path = located.map(|route| route.path(0));
        let siblings = parent_path.as_ref().map(|parent| self.children_of(definition, parent)).unwrap_or_default();
        let of = |node: &Path| {
            let node = self.locate(definition, node.ids())?.path(0);
            siblings.iter().position(|(path, _)| *path == node)
        };
        let start = match at {
            At::Spot(spot) => Some(siblings.partition_point(|&(_, order)| order <= spot.order)),
            At::Place(Place::Before(node)) => of(node),
            At::Place(Place::After(node)) => of(node).map(|index| index + 1),
            At::Place(Place::FirstChildOf(_)) => Some(0),
            At::Place(Place::Child(_, index)) => Some(*index).filter(|&index| index <= siblings.len()),
            At::Place(_) => Some(siblings.len()),
        };
        let (Some(parent), Some(start)) = (parent_path, start) else {
            return self.no_such_place(definition, parent);
        };
        let order = if let At::Spot(spot) = at { Some(spot.order) } else { None };
        let siblings = siblings.into_iter().map(|(path, order)| (path, Some(order))).collect();
        Ok(Gap { definition, parent, siblings, start, order })
    }

    /// Refuses a place of which the parent, if there is one, is this.
    pub(crate) fn no_such_place<T>(&self, definition: u32, parent: Option<Path>) -> Result<T, Error> {
        let why = "the spot or place does not exist; name nodes of the definition that exist";
        invalid(self.at(definition).name.clone(), &parent.unwrap_or(0.into()), Field::Place, why)
    }

    /// States the definitions of a library that one of them uses, and returns the names that they get here.
    fn bring(&self, draft: &mut Draft<'_>, from: &Self, top: &Definition) -> BTreeMap<Arc<str>, Arc<str>> {
        let mut names: BTreeMap<Arc<str>, Arc<str>> = BTreeMap::new();
        let mut taken = BTreeSet::new();
        let mut ahead: Vec<(Arc<str>, bool)> = top.uses.keys().map(|name| (name.clone(), false)).collect();
        while let Some((name, ready)) = ahead.pop() {
            let Ok(found) = from.defined(&name).map(|number| from.at(number)) else { continue };
            if names.contains_key(&name) {
                continue;
            }
            if !ready {
                // Names inside it are decided first.
                ahead.push((name, true));
                ahead.extend(found.uses.keys().map(|inner| (inner.clone(), false)));
                continue;
            }
            let contents: Vec<(Path, Value)> =
                found.stated().map(|(path, value)| (path, with_name(value, &names))).collect();
            let mut new = name.clone();
            for number in 2_u32.. {
                let same = self.stated(&new).eq(contents.iter().map(|(path, value)| (path.clone(), value)));
                // Uses of a name that nothing has would show the definition.
                let free = self.defined(&new).is_err() && self.users(&new).is_empty();
                if !taken.contains(&new) && (same || free) {
                    break;
                }
                new = format!("{name} {number}").into();
            }
            for (path, value) in contents {
                draft.state_new(&new, path, value);
            }
            taken.insert(new.clone());
            names.insert(name, new);
        }
        names
    }

    /// Returns a node, and all nodes outside of its instance that are stated to be below it or inside it, and so on.
    /// The node must be in the tree.
    pub(crate) fn subtree(&self, top: Route) -> Vec<Member> {
        let mut members = vec![Member { route: top, order: Order::ZERO, parent: (0, Vec::new()) }];
        let mut at = 0;
        while at < members.len() {
            let route = members[at].route.clone();
            for (level, scope) in route.scopes.iter().enumerate() {
                let path = route.path(level);
                for (parent, child) in self.at(scope.definition).placed_below(&path) {
                    if child.starts_with(&path) {
                        continue;
                    }
                    if let Some((inner, order)) = self.placed_at(&route, level, child) {
                        let rest = parent.ids()[path.ids().len()..].to_vec();
                        members.push(Member { route: inner, order, parent: (at, rest) });
                    }
                }
            }
            at += 1;
        }
        members
    }

    /// Returns the nodes that are stated to be below a node, in order, with their orders.
    pub(crate) fn children_of(&self, definition: u32, parent: &Path) -> Vec<(Path, Order)> {
        let mut found: Vec<(Route, Order)> = Vec::new();
        let Some(route) = self.locate(definition, parent.ids()) else { return Vec::new() };
        let inner = self.innermost(&route);
        for (scope, &id) in inner.scopes.iter().zip(&inner.ids).skip(route.depth()) {
            for (level, stating, parent) in self.parents(scope, id) {
                let children = self.at(stating).children(&parent);
                found.extend(children.filter_map(|child| self.placed_at(&inner, level as usize, child)));
            }
        }
        found.sort_by_key(|(route, order)| rank(*order, &route.ids));
        found.into_iter().map(|(route, order)| (route.path(0), order)).collect()
    }

    /// Returns a node, if the place that the definition of a level states for it has effect.
    fn placed_at(&self, route: &Route, level: usize, node: &Path) -> Option<(Route, Order)> {
        let full = joined(&route.ids[..level], node.ids());
        let inner = self.locate(route.scopes[0].definition, full.ids())?;
        let (by, spot) = self.stated_place(inner.scope(), inner.id())?;
        (by as usize == level && inner.ids.len() == full.ids().len()).then_some((inner, spot.order))
    }

    /// Returns the nodes above a node, from its parent up to the root; `None` if the node is not in the tree.
    pub(crate) fn ancestors(&self, definition: u32, path: &Path) -> Option<Vec<Path>> {
        let mut route = self.locate(definition, path.ids())?;
        let (mut above, mut seen) = (Vec::new(), BTreeSet::new());
        loop {
            let (level, spot) = self.stated_place(route.scope(), route.id())?;
            let Some(parent) = &spot.parent else { return (route.depth() == 0).then_some(above) };
            route = self.locate(definition, joined(&route.ids[..level as usize], parent.ids()).ids())?;
            // The parents of a node that is not there may be a circle.
            if !seen.insert(route.path(0)) {
                return None;
            }
            above.push(route.path(0));
        }
    }
}

/// Returns the rank of a node with these ids.
fn rank(order: Order, ids: &[u64]) -> Rank {
    (order, Reverse(u32::try_from(ids.len()).unwrap_or(u32::MAX)), ids[ids.len() - 1])
}

impl Gap {
    /// States the places of new nodes, which come in this order, and of as few siblings as have no room.
    pub(crate) fn fill(&self, draft: &mut Draft<'_>, new: &[Path]) {
        let mut list = self.siblings.clone();
        let entering = new.iter().enumerate().map(|(number, path)| (path.clone(), self.order.filter(|_| number == 0)));
        list.splice(self.start..self.start, entering);
        if let (Some(first), Some(order)) = (new.first(), self.order) {
            draft.state(self.definition, first.clone(), Field::Place, Some(place(&self.parent, first, order)));
        }
        for (path, place) in arranged(&self.parent, &list) {
            draft.state(self.definition, path, Field::Place, Some(place));
        }
    }
}

/// Returns a value with the new name of a definition that it uses.
fn with_name(value: &Value, names: &BTreeMap<Arc<str>, Arc<str>>) -> Value {
    match value {
        Value::Use(Some(name)) => Value::Use(Some(names.get(name).unwrap_or(name).clone())),
        value => value.clone(),
    }
}

/// Returns places for as few siblings as possible, so that they come in this order. Those without an order get one.
pub(crate) fn arranged(parent: &Path, list: &[(Path, Option<Order>)]) -> Vec<(Path, Value)> {
    let key = |(path, order): &(Path, Option<Order>)| order.map(|order| rank(order, path.ids()));
    let orders = order::arranged(&list.iter().map(key).collect::<Vec<_>>(), [None; 2]);
    let orders =
        orders.unwrap_or_else(|| Order::spread(None, None, list.len()).into_iter().flatten().enumerate().collect());
    orders.into_iter().map(|(number, order)| (list[number].0.clone(), place(parent, &list[number].0, order))).collect()
}

/// Returns the place of a node below a parent. An override names its instance's root by the path of the instance.
fn place(parent: &Path, node: &Path, order: Order) -> Value {
    let instance = node.instance();
    let inside = parent.ids().starts_with(instance) && parent.ids().len() > instance.len();
    let parent = if inside { Some(parent.clone()) } else { Path::of(instance) };
    Value::Place(Some(Spot { parent, order }))
}
