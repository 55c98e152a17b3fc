//! A use becomes own nodes, and own nodes a use.

use crate::copies::arranged;
use crate::error::Error;
use crate::library::Library;
use crate::operations::{Draft, invalid};
use crate::order::Order;
use crate::patch::{Key, Patch};
use crate::path::{Path, joined};
use crate::resolve::{Route, Scope, stays};
use crate::value::{Field, Spot, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Nodes of a definition get other paths, because one gets another use.
struct Change<'c> {
    definition: u32,
    /// The node that gets another use.
    id: u64,
    /// The definition inside of which the nodes are.
    within: u32,
    /// Returns the new path of a path of the definition.
    renamed: &'c dyn Fn(&[u64]) -> Path,
    /// Returns whether nothing can be stated for a path any more.
    goes: &'c dyn Fn(&[u64]) -> bool,
}

/// Of each definition that has one, an override that may be about other nodes after a change; inner ones first.
type Doubts = Vec<(u32, Key)>;

impl Library {
    /// Returns the patch that takes the use from an own node. The nodes of what it uses become own nodes of the
    /// definition, with new ids, and so new handles in documents; the tree stays as it is. Uses among them stay uses,
    /// with all their overrides; if the used definition is a variant, the node gets the variant's use.
    ///
    /// What the definition and its users state follows the nodes. Nodes that are not there go, with all that is stated
    /// about them; but if a user of the definition moves a node or swaps a use inside, they stay, as own nodes without
    /// a parent. Runs in **O(nodes below + statements of the used definition · log statements)**, and in O(statements)
    /// of each user. If the definition or a user places nodes of its own among the unpacked ones, the library is copied
    /// once; the trees of those whose overrides may be about other nodes then are compared.
    ///
    /// # Errors
    /// [`Error::NoDefinition`]; [`Error::NoIds`]. [`Error::Invalid`] if the path is no own node with a use that is
    /// there, and for an override of a use, or of a place, by which a tree would become another one.
    pub fn unpack(&self, definition: &str, path: &Path) -> Result<Patch, Error> {
        let number = self.defined(definition)?;
        let outer = self.at(number);
        let Some(id) = path.own().filter(|_| self.ancestors(number, path).is_some()) else {
            let why = "only an own node that is there can be unpacked; unpack the use around it";
            return invalid(definition, path, Field::Use, why);
        };
        let used = self.enter(&Scope::top(number), id);
        let Some((used, root)) = used.and_then(|used| Some((used, self.at(used).root()?))) else {
            return invalid(definition, path, Field::Use, "the node uses no definition; name one that does");
        };
        // No node ever gets this id: it stands for parents that are not there.
        let nowhere = self.next_id(definition);
        if !self.has_ids(definition) {
            return Err(Error::NoIds);
        }
        let users = self.all_users(number);
        // A user may show what this definition does not.
        let shows = |user: &u32, path: &Path, value: &Value| {
            let inside =
                || self.split(*user, path, number).is_some_and(|(_, inside)| inside.len() > 1 && inside[0] == id);
            matches!(value, Value::Use(_) | Value::Place(Some(_))) && inside()
        };
        let all = users.iter().any(|user| self.at(*user).stated().any(|(path, value)| shows(user, &path, value)));
        let places = self.expanded(number, outer.slot_of(id), |_, _| {})?;
        // Whether a node is there; none if no definition has it.
        let is_there = |inner: &[u64]| match places.find(self, 0, joined(&[id], inner).ids()) {
            _ if all || inner == [root] => Some(true),
            place => place.map(|place| places.record(self, place).is_some()),
        };
        let inner = self.at(used).nodes().filter(|&inner| inner != root && is_there(&[inner]) == Some(true));
        let ids: BTreeMap<u64, u64> = inner.zip(nowhere + 1..).collect();
        let named = |inner: &[u64]| match inner {
            [first, rest @ ..] if *first == root => joined(&[id], rest),
            [first, rest @ ..] => joined(&[ids.get(first).copied().unwrap_or(nowhere)], rest),
            [] => path.clone(),
        };
        let renamed = |name: &[u64]| if name[0] == id { named(&name[1..]) } else { joined(name, &[]) };
        // Nobody outside states fields of the root of what the node uses.
        let goes = |name: &[u64]| match name {
            [first, inner] if *first == id && *inner == root => true,
            [first, inner, ..] => *first == id && *inner != root && !ids.contains_key(inner),
            _ => false,
        };
        let mut draft = Draft::new(self);
        draft.state(number, path.clone(), Field::Use, None);
        let users = [&[number], &users[..]].concat();
        let change = Change { definition: number, id, within: used, renamed: &renamed, goes: &goes };
        let (influenced, doubts) = self.rename_inside(&mut draft, &users, &change);
        for (inner, value) in self.at(used).stated() {
            let (name, field) = (named(inner.ids()), value.field());
            let has_name = inner.ids()[0] == root || ids.contains_key(&inner.ids()[0]);
            let value = match (is_there(inner.ids()), value) {
                _ if !has_name
                    || draft.get(&Key { definition: outer.name.clone(), path: name.clone(), field }).is_some() =>
                {
                    continue;
                }
                (Some(true), value) => value.with_parent(|parent| named(parent.ids())),
                // Without a place, it would be where the definition beneath places it.
                (Some(false), Value::Place(_)) => Value::Place(None),
                _ => continue,
            };
            draft.state(number, name, field, Some(value));
        }
        self.keep_order(&mut draft, influenced, &change);
        let inside = ids.keys().copied().chain([root]);
        let moved = inside.map(|inner| (outer.name.clone(), Path::from([id, inner]), named(&[inner]))).collect();
        self.unless_doubted(Patch { moved, ..draft.finish() }, &doubts)
    }

    /// Returns the patch that makes a new definition of an own node and all own nodes below it. The node becomes its
    /// use, and keeps its place, its local transform and whether that is relative to the world. Ids stay, and all trees
    /// stay as they are. The nodes below get longer paths, and so new handles in documents.
    ///
    /// Statements of other definitions about the nodes get longer paths. Runs in **O(statements about the nodes · log
    /// statements)**, and in O(statements) of each user; if a user places nodes among them, the library is copied once.
    ///
    /// # Errors
    /// [`Error::NoDefinition`]. [`Error::Invalid`] if the path is no own node that is there, if a definition has the
    /// name or uses it, and for overrides, as for [`unpack`](Self::unpack).
    pub fn extract(&self, definition: &str, path: &Path, name: &str) -> Result<Patch, Error> {
        let number = self.defined(definition)?;
        let outer = self.at(number);
        let Some(id) = path.own().filter(|_| self.ancestors(number, path).is_some()) else {
            return invalid(definition, path, Field::Place, "the path is no own node that is there; name one");
        };
        self.free(name)?;
        if !self.users(name).is_empty() {
            let why = "there are uses of the name, which would show the nodes; choose another";
            return invalid(name, path, Field::Place, why);
        }
        let members = self.subtree(Route::own(number, id));
        let moved: BTreeSet<u64> = members.iter().map(|member| member.route.id()).collect();
        let renamed = |inner: &[u64]| match inner {
            [first] if *first == id => path.clone(),
            [first, ..] if moved.contains(first) => joined(&[id], inner),
            _ => joined(inner, &[]),
        };
        let mut draft = Draft::new(self);
        let users = self.all_users(number);
        let change = Change { definition: number, id, within: number, renamed: &renamed, goes: &|_| false };
        let (influenced, doubts) = self.rename_inside(&mut draft, &users, &change);
        let new: Arc<str> = name.into();
        for (stated, value) in moved.iter().flat_map(|&inner| outer.stated_from(&inner.into())) {
            let field = value.field();
            if stated != *path || !matches!(field, Field::Place | Field::Local | Field::Anchored) {
                draft.state_new(&new, stated.clone(), value.clone());
                draft.state(number, stated, field, None);
            }
        }
        draft.state_new(&new, path.clone(), Value::Place(Some(Spot::ROOT)));
        draft.state(number, path.clone(), Field::Use, Some(Value::Use(Some(new))));
        self.keep_order(&mut draft, influenced, &change);
        let inside = [id].into_iter().chain(moved.into_iter().filter(|&inner| inner != id));
        let moved = inside.map(|inner| (outer.name.clone(), inner.into(), Path::from([id, inner]))).collect();
        self.unless_doubted(Patch { moved, ..draft.finish() }, &doubts)
    }

    /// Returns the patch, unless an override of these definitions makes their tree, or one that contains it, another.
    fn unless_doubted(&self, patch: Patch, doubts: &[(u32, Key)]) -> Result<Patch, Error> {
        if doubts.is_empty() {
            return Ok(patch);
        }
        let (mut later, mut compared) = (self.clone(), BTreeSet::new());
        later.make(&patch);
        let tree = |library: &Self, user: u32| library.tree(&self.at(user).name);
        let outer =
            doubts.iter().flat_map(|(user, key)| self.all_users(*user).into_iter().map(move |user| (user, key)));
        let mut all = doubts.iter().map(|(user, key)| (*user, key)).chain(outer);
        match all.find(|&(user, _)| compared.insert(user) && tree(self, user) != tree(&later, user)) {
            None => Ok(patch),
            Some((_, key)) => {
                Err(Error::Invalid { key: key.clone(), why: "it would show other nodes then; unstate it first" })
            }
        }
    }

    /// Renames what definitions state about nodes whose paths change. Returns the nodes below which they state places
    /// and equal orders may come in another order.
    fn rename_inside(
        &self,
        draft: &mut Draft<'_>,
        users: &[u32],
        change: &Change<'_>,
    ) -> (Vec<(u32, BTreeSet<Path>)>, Doubts) {
        let Change { definition, id, within, renamed, goes } = *change;
        let is_root = self.at(definition).root() == Some(id);
        let (mut influenced, mut doubts) = (Vec::new(), Vec::new());
        let contain: BTreeSet<u32> = users.iter().copied().chain([definition]).collect();
        let leads = |of: &Value| of.uses().and_then(|of| self.number(of)).is_some_and(|of| contain.contains(&of));
        for &user in users {
            let (mut parents, mut moves, mut doubt) = (BTreeSet::new(), Vec::new(), None);
            let (stating, use_) = (self.at(user), Path::from(id));
            let placed = stating.placed_below(&use_).filter(|(_, child)| child.own().is_some());
            let placed = placed.filter_map(|(_, child)| Some((child.clone(), stating.get(child, Field::Place)?)));
            let stated: Vec<(Path, &Value)> = match user == definition {
                true => stating.stated_from(&use_).chain(placed).collect(),
                false => stating.stated().collect(),
            };
            for (path, value) in stated {
                let (field, mut place, mut stays_stated) = (value.field(), value.clone(), true);
                let mut new = path.clone();
                let at = self.split(user, &path, definition);
                // Whatever the node uses in any definition on the way.
                let uses = |(level, scope): (usize, &Scope)| {
                    self.at(scope.definition).get(&joined(&path.ids()[level..], &[]), Field::Use).is_some_and(leads)
                };
                let mut doubtful = field == Field::Use
                    && path.own().is_none()
                    && (at.is_some_and(|(_, inside)| inside == [id])
                        || self.locate(user, path.ids()).is_some_and(|at| at.scopes.iter().enumerate().any(uses)));
                if let Some((outside, inside)) = at {
                    stays_stated = !goes(inside);
                    new = joined(outside, renamed(inside).ids());
                }
                if let Value::Place(Some(spot)) = &mut place
                    && let Some(parent) = &mut spot.parent
                {
                    if let Some(route) = self.locate(user, parent.ids())
                        && self.innermost(&route).scopes.iter().any(|scope| scope.definition == within)
                    {
                        parents.insert(route.path(0));
                    }
                    if let Some((outside, inside)) = self.split(user, parent, definition) {
                        *parent = joined(outside, renamed(inside).ids());
                    } else if is_root && new != path && path.instance() == parent.ids() {
                        // The root is an instance now, which its own path names.
                        *parent = joined(new.instance(), &[]);
                    }
                    let stayed = value.spot().is_some_and(|spot| stays(path.instance(), spot));
                    let stays = stays(new.instance(), spot);
                    doubtful |= stayed && !stays;
                    // A place without effect must not get one, nor hide one.
                    stays_stated &= stayed || !stays && user != definition;
                } else if place == Value::Place(None) && new.own().is_some() {
                    // An own node that is not there: a user may bring it back.
                    place = Value::Place(Some(Spot::below(self.next_id(&stating.name), Order::ZERO)));
                }
                if doubtful {
                    doubt = Some((user, Key { definition: stating.name.clone(), path: path.clone(), field }));
                }
                if new != path || place != *value || !stays_stated {
                    moves.push((path, field, stays_stated.then_some(new), place));
                }
            }
            for (path, field, ..) in &moves {
                draft.state(user, path.clone(), *field, None);
            }
            for (_, field, new, value) in moves {
                if let Some(new) = new {
                    draft.state(user, new, field, Some(value));
                }
            }
            influenced.push((user, parents));
            doubts.extend(doubt);
        }
        (influenced, doubts)
    }

    /// States places in users of a definition, until the children of nodes come in the order that they have now.
    fn keep_order(&self, draft: &mut Draft<'_>, influenced: Vec<(u32, BTreeSet<Path>)>, change: &Change<'_>) {
        let mut later = None;
        for (user, parents) in influenced {
            let name = |path: &Path| match self.split(user, path, change.definition) {
                Some((_, inside)) if (change.goes)(inside) => None,
                Some((outside, inside)) => Some(joined(outside, (change.renamed)(inside).ids())),
                None => Some(path.clone()),
            };
            for parent in parents {
                let Some(above) = name(&parent) else { continue };
                let later = later.get_or_insert_with(|| {
                    let mut later = self.clone();
                    later.make(&Patch::of_map(draft.map.clone()));
                    later
                });
                let orders: BTreeMap<Path, Order> = later.children_of(user, &above).into_iter().collect();
                let names = self.children_of(user, &parent).into_iter().filter_map(|(node, _)| name(&node));
                // Those that are nowhere in the tree have no place any more.
                let list: Vec<_> = names.filter_map(|node| Some((node.clone(), Some(*orders.get(&node)?)))).collect();
                for (node, place) in arranged(&above, &list) {
                    later.at_mut(user).state(&node, Field::Place, Some(place.clone()));
                    draft.state(user, node, Field::Place, Some(place));
                }
            }
        }
    }

    /// Returns the ids that lead into a definition, as the path's own definition sees it, and those of a node in it.
    fn split<'p>(&self, from: u32, path: &'p Path, definition: u32) -> Option<(&'p [u64], &'p [u64])> {
        let through = Draft::new(self).definitions(&self.at(from).name, path.ids());
        let at = through.iter().position(|name| *name == self.at(definition).name)?;
        Some(path.ids().split_at(at))
    }

    /// Returns all definitions that contain this one, inner ones first.
    fn all_users(&self, definition: u32) -> Vec<u32> {
        let (mut users, mut ring) = (Vec::new(), BTreeSet::from([definition]));
        loop {
            let users_of = |&inner: &u32| self.users(&self.at(inner).name);
            ring = ring.iter().flat_map(users_of).filter_map(|user| self.number(user)).collect();
            if ring.is_empty() {
                return users;
            }
            // A user of these, too, comes later.
            users.retain(|user| !ring.contains(user));
            users.extend(&ring);
        }
    }
}
