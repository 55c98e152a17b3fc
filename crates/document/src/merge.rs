//! Merges of two patches of the same library, and of patches that cross on their way.

use crate::error::Error;
use crate::library::{COUNTER, Library, is_root, writer_of};
use crate::operations::Draft;
use crate::order::Order;
use crate::patch::{Changes, Key, Moved, Patch};
use crate::path::{Path, joined};
use crate::value::{Field, Spot, Value};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Two patches as one: see [`Patch::merge`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merged {
    /// What both change. The library that both patches were made for accepts it.
    pub patch: Patch,
    /// The statements for which the patches disagree, sorted by key. All else of both is in the patch. To take theirs
    /// after all, apply [`Library::state`] of the key's definition, the key's path and the value, or
    /// [`unstate`](Library::unstate) if it is `None`.
    pub conflicts: Vec<Conflict>,
    /// Nodes of theirs with new ids.
    pub renumbered: Vec<Renumbered>,
}

/// A statement for which two patches disagree. `None` is unstated.
#[derive(Clone, Debug, PartialEq)]
pub struct Conflict {
    /// The statement; of a renumbered node, with its new id.
    pub key: Key,
    /// The value after our patch.
    pub ours: Option<Value>,
    /// The value after their patch.
    pub theirs: Option<Value>,
}

/// A node that was inserted by their patch with an id that ours gave to another node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renumbered {
    /// The node's definition.
    pub definition: Arc<str>,
    /// The id in their patch.
    pub from: u64,
    /// The id in the merged patch.
    pub to: u64,
}

/// The values before and after.
type Change = (Option<Value>, Option<Value>);

impl Patch {
    /// Joins two patches that were made for the same library, and returns what they disagree about. The
    /// [guide](crate#two-people-one-file) has an example.
    ///
    /// | the patches | result | conflict |
    /// |---|---|---|
    /// | state different keys, or a key alike | both | no |
    /// | state a key differently | ours | on the key |
    /// | one removes a node, the other changes it or puts nodes below it | the node stays, changed | on its place |
    /// | insert different nodes with one id | theirs gets a new id | no: it is in [`renumbered`](Merged::renumbered) |
    /// | together move nodes into a circle | theirs stays where it was | on its place |
    /// | together make a definition contain itself | ours | on the use |
    /// | give a definition different roots | ours; theirs stays where it was, or comes below it | on its place |
    ///
    /// If `base` accepts each of both, it accepts the result. Runs in **O(entries log statements)**, and in O(uses of
    /// all definitions) more for each use of theirs, and in O(ancestors) more for nodes that are moved or removed
    /// inside instances.
    ///
    /// # Errors
    /// [`Error::State`] if a statement of `base` is not as a patch expects.
    pub fn merge(base: &Library, ours: &Self, theirs: &Self) -> Result<Merged, Error> {
        let mut entries = ours.entries().iter().chain(theirs.entries());
        if let Some(entry) = entries.find(|entry| base.get(&entry.key) != entry.before.as_ref()) {
            return Err(Error::State(entry.key.clone()));
        }
        let side = |patch: &Self| {
            let change = |entry: &crate::Entry| (entry.key.clone(), (entry.before.clone(), entry.after.clone()));
            Draft { library: base, map: patch.entries().iter().map(change).collect() }
        };
        let (ours, mut theirs) = (side(ours), side(theirs));
        let renumbered = theirs.renumber(&ours)?;
        let (merged, conflicts) = (Draft::new(base), BTreeMap::new());
        let mut merge = Merge { merged, ours: &ours, theirs: &theirs, conflicts };
        merge.join();
        let roots = merge.settle_roots();
        merge.settle_circles(&roots);
        merge.settle_uses();
        let Merge { merged, conflicts, .. } = merge;
        let conflicts = conflicts.into_iter().map(|(key, [ours, theirs])| Conflict { key, ours, theirs }).collect();
        Ok(Merged { patch: merged.finish(), conflicts, renumbered })
    }
}

/// Two patches of the same library, each as it is after the other. Where they disagree, the first wins.
pub(crate) struct Crossed {
    /// The first, to be made after the last.
    pub(crate) first: Patch,
    /// The last, to be made after the first.
    pub(crate) last: Patch,
    pub(crate) conflicts: Vec<Conflict>,
}

impl Crossed {
    pub(crate) fn new(base: &Library, first: &Patch, last: &Patch) -> Result<Self, Error> {
        let Merged { patch, conflicts, .. } = Patch::merge(base, first, last)?;
        Ok(Self { first: last.inverse().then(&patch)?, last: first.inverse().then(&patch)?, conflicts })
    }
}

fn key(definition: &Arc<str>, ids: &[u64], field: Field) -> Key {
    Key { definition: definition.clone(), path: joined(ids, &[]), field }
}

/// Returns the key of a node's place. Nodes are named by it below.
fn place(definition: &Arc<str>, ids: &[u64]) -> Key {
    key(definition, ids, Field::Place)
}

impl Draft<'_> {
    /// Returns the changes of a definition from an own node on.
    fn changes_from(&self, definition: &Arc<str>, id: u64) -> impl Iterator<Item = (&Key, &Change)> {
        let definition = definition.clone();
        self.map.range(place(&definition, &[id])..).take_while(move |(key, _)| key.definition == definition)
    }

    /// Returns the definition of each id of a path, as far as it leads anywhere.
    pub(crate) fn definitions(&self, definition: &Arc<str>, ids: &[u64]) -> Vec<Arc<str>> {
        let mut names = vec![definition.clone()];
        for end in 1..ids.len() {
            let stated = |(level, name)| self.get(&key(name, &ids[level..end], Field::Use));
            // Outer definitions state the use of what is the root of a used definition for that node.
            let skipped = if self.is_inner_root(&names, &ids[..end]) { end - 1 } else { 0 };
            let outer = names.iter().enumerate().skip(skipped);
            let Some(name) = outer.clone().find_map(stated).and_then(Value::uses) else { break };
            names.push(name.clone());
        }
        names
    }

    fn is_inner_root(&self, definitions: &[Arc<str>], ids: &[u64]) -> bool {
        let at = ids.len() - 1;
        at > 0 && is_root(self.get(&place(&definitions[at], &ids[at..])))
    }

    /// Returns whether a definition has a node with a path that does not end with the root of a used definition.
    pub(crate) fn has_node(&self, definition: &Arc<str>, path: &Path) -> bool {
        let (ids, names) = (path.ids(), self.definitions(definition, path.ids()));
        let is_own = |(name, &id): (&Arc<str>, &u64)| self.get(&place(name, &[id])).is_some();
        names.len() == ids.len() && names.iter().zip(ids).all(is_own) && !self.is_inner_root(&names, ids)
    }

    /// Renames a path of a definition if its node, or one around it, gets another path; returns whether it does.
    pub(crate) fn rename(&self, definition: &Arc<str>, path: &mut Path, (of, from, to): &Moved) -> bool {
        let at = self.definitions(definition, path.ids()).iter().position(|name| name == of);
        let Some((outside, inside)) = at.map(|at| path.ids().split_at(at)) else { return false };
        // The root of what a node uses has the node's path.
        let is_root = inside == from.ids() && (to.starts_with(from) || from.starts_with(to));
        let renamed = inside.starts_with(from.ids()) && !is_root;
        if renamed {
            *path = joined(&[outside, to.ids()].concat(), &inside[from.ids().len()..]);
        }
        renamed
    }

    /// Returns a node's parent: the outermost statement decides.
    fn parent(&self, node: &Key) -> Option<Key> {
        let ids = node.path.ids();
        let names = self.definitions(&node.definition, ids);
        let stated = |(level, name)| Some((level, name, self.get(&place(name, &ids[level..]))?));
        let (level, name, value) = names.iter().enumerate().find_map(stated)?;
        let inner = value.spot()?.parent.as_ref().map_or(&[][..], Path::ids);
        // The root of a used definition is the node with the use.
        let root = level > 0 && inner.len() == 1 && is_root(self.get(&place(name, inner)));
        let parent = [&ids[..level], if root { &[] } else { inner }].concat();
        (!parent.is_empty()).then(|| place(&node.definition, &parent))
    }

    /// Returns whether the patch removes a node.
    fn removes(&self, node: &Key) -> bool {
        self.map.get(node).is_some_and(|(_, after)| match after {
            Some(value) => value.spot().is_none(),
            None => node.path.own().is_some(),
        })
    }

    /// Returns the nodes that another patch removes and this one needs, because it changes them or nodes below them.
    fn needs(&self, other: &Self) -> BTreeSet<Key> {
        let mut ahead = Vec::new();
        for (key, (_, after)) in &self.map {
            let ids = key.path.ids();
            // What a removal takes along is no change.
            let removal = match after {
                None => self.removes(&place(&key.definition, &ids[..1])),
                Some(_) => key.field == Field::Place && self.removes(key),
            };
            if !removal && other.map.get(key).is_none_or(|(_, other)| other != after) {
                let parent = after.as_ref().and_then(Value::spot).and_then(|spot| spot.parent.as_ref());
                ahead.extend([ids].into_iter().chain(parent.map(Path::ids)).map(|ids| place(&key.definition, ids)));
            }
        }
        // Removing an own node removes those below it, too; removing a node of an instance is one statement.
        let inside = |key: &&Key| key.field == Field::Place && key.path.own().is_none() && other.removes(key);
        let inside: BTreeSet<_> = other.map.keys().filter(inside).map(|key| &key.definition).collect();
        let (mut seen, mut needed) = (BTreeSet::new(), BTreeSet::new());
        while let Some(node) = ahead.pop() {
            // What this patch removes, too, is not needed, whatever else it states about it.
            if !self.removes(&node) && seen.insert(node.clone()) {
                let (outer, removed) = (node.path.instance(), other.removes(&node));
                ahead.extend((!outer.is_empty()).then(|| place(&node.definition, outer)));
                ahead.extend(if removed || inside.contains(&node.definition) { self.parent(&node) } else { None });
                if removed {
                    needed.insert(node);
                }
            }
        }
        needed
    }

    /// Gives new ids to inserted nodes whose ids another patch gave to other nodes.
    fn renumber(&mut self, other: &Self) -> Result<Vec<Renumbered>, Error> {
        fn of_node<'s>(side: &'s Draft<'_>, key: &Key, id: u64) -> impl Iterator<Item = (&'s Key, &'s Change)> {
            side.changes_from(&key.definition, id).take_while(move |(key, _)| key.path.ids()[0] == id)
        }
        let clashes = |(key, (before, after)): &(&Key, &Change)| {
            let inserts = key.field == Field::Place && before.is_none() && after.is_some();
            let (Some(id), Some(theirs), true) = (key.path.own(), other.map.get(key), inserts) else {
                return false;
            };
            // Equal nodes are one, and so are roots: a definition has a single one.
            let one = is_root(after.as_ref()) && is_root(theirs.1.as_ref());
            !one && of_node(self, key, id).ne(of_node(other, key, id))
        };
        let clashes: Vec<Key> = self.map.iter().filter(clashes).map(|(key, _)| key.clone()).collect();
        if clashes.is_empty() {
            return Ok(Vec::new());
        }
        let (mut taken, mut next) = (BTreeSet::new(), BTreeMap::new());
        for (side, (key, (_, after))) in
            [&*self, other].into_iter().flat_map(|side| side.map.iter().map(move |change| (side, change)))
        {
            let parent = after.as_ref().and_then(Value::spot).and_then(|spot| spot.parent.as_ref());
            for ids in [Some(&key.path), parent].into_iter().flatten().map(Path::ids) {
                taken.extend(side.definitions(&key.definition, ids).into_iter().zip(ids.iter().copied()));
            }
        }
        let (mut ids, mut renumbered) = (BTreeMap::new(), Vec::new());
        for key in clashes {
            let (from, name) = (key.path.last(), key.definition.clone());
            let writer = writer_of(from);
            let first = || self.library.next_id_of(&name, writer);
            let next = next.entry((name.clone(), writer)).or_insert_with(first);
            while taken.contains(&(name.clone(), *next)) {
                *next += 1;
            }
            let to = *next;
            if to & COUNTER == COUNTER {
                return Err(Error::Invalid { key, why: "its writer has no ids left; give it another id" });
            }
            *next += 1;
            ids.insert((name, from), to);
            renumbered.push(Renumbered { definition: key.definition, from, to });
        }
        let moved = |definition: &Arc<str>, path: &Path| {
            let mut new = path.ids().to_vec();
            for (id, name) in new.iter_mut().zip(self.definitions(definition, path.ids())) {
                *id = ids.get(&(name, *id)).copied().unwrap_or(*id);
            }
            joined(&new, &[])
        };
        let mut changes = Changes::new();
        for (key, (_, after)) in &self.map {
            let after = after.as_ref().map(|value| value.with_parent(|parent| moved(&key.definition, parent)));
            let key = Key { path: moved(&key.definition, &key.path), ..key.clone() };
            let before = self.library.get(&key).cloned();
            changes.insert(key, (before, after));
        }
        self.map = changes;
        Ok(renumbered)
    }
}

/// A merge in progress.
struct Merge<'m, 'b> {
    merged: Draft<'b>,
    ours: &'m Draft<'b>,
    theirs: &'m Draft<'b>,
    conflicts: BTreeMap<Key, [Option<Value>; 2]>,
}

impl Merge<'_, '_> {
    fn conflict(&mut self, key: &Key) {
        let values = [self.ours, self.theirs].map(|side| side.get(key).cloned());
        self.conflicts.insert(key.clone(), values);
    }

    /// Takes all of ours, then what ours does not change, but no removals of nodes that the other side needs.
    fn join(&mut self) {
        let sides = [(self.ours, self.theirs.needs(self.ours)), (self.theirs, self.ours.needs(self.theirs))];
        for (side, needed) in sides {
            for (key, change) in &side.map {
                let stays = match change.1 {
                    None => needed.contains(&place(&key.definition, &key.path.ids()[..1])),
                    Some(_) => needed.contains(key),
                };
                let other = self.merged.map.get(key);
                if needed.contains(key) || !stays && other.is_some_and(|other| other.1 != change.1) {
                    self.conflict(key);
                }
                if !stays {
                    self.merged.map.entry(key.clone()).or_insert_with(|| change.clone());
                }
            }
        }
    }

    /// Takes a place back: the node stays where it was. It comes below the root if it was nowhere, or the root itself.
    fn take_back(&mut self, node: &Key, root: Option<&Path>) {
        self.conflict(node);
        let before = self.merged.library.get(node).cloned();
        let stood = before.as_ref().and_then(Value::spot).is_some_and(|spot| spot.parent.is_some());
        match root.filter(|&root| !stood && node.path.own().is_some() && *root != node.path) {
            None => _ = self.merged.map.remove(node),
            Some(root) => {
                let order = self.merged.get(node).and_then(Value::spot).map_or(Order::ZERO, |spot| spot.order);
                let below = Value::Place(Some(Spot { parent: Some(root.clone()), order }));
                self.merged.map.insert(node.clone(), (before, Some(below)));
            }
        }
    }

    fn base_root(&self, definition: &str) -> Option<Path> {
        self.merged.library.number(definition).and_then(|number| self.merged.library.at(number).root()).map(Path::from)
    }

    /// Leaves one root to each definition, ours if it has one. Returns the roots of definitions whose root may change.
    fn settle_roots(&mut self) -> BTreeMap<Arc<str>, Path> {
        let mut roots: BTreeMap<Arc<str>, BTreeSet<Path>> = BTreeMap::new();
        for (key, (before, after)) in &self.merged.map {
            if is_root(before.as_ref()) || is_root(after.as_ref()) {
                roots.entry(key.definition.clone()).or_default().insert(key.path.clone());
            }
        }
        let mut kept = BTreeMap::new();
        for (definition, mut paths) in roots {
            let node = |path: &Path| place(&definition, path.ids());
            let base = self.base_root(&definition);
            paths.extend(base.clone());
            paths.retain(|path| is_root(self.merged.get(&node(path))));
            let ours = paths.iter().find(|path| is_root(self.ours.get(&node(path))));
            let Some(keep) = ours.or(paths.first()).cloned() else {
                // The definition goes, unless one side needs a statement of it.
                let stated = self.merged.library.stated(&definition).count();
                let changes = || self.merged.changes_from(&definition, 0).map(|(_, change)| change);
                let stated = stated + changes().filter(|(_, after)| after.is_some()).count();
                if let Some(root) = base.filter(|_| stated > changes().filter(|(before, _)| before.is_some()).count()) {
                    self.take_back(&node(&root), None);
                }
                continue;
            };
            for path in paths.iter().filter(|path| **path != keep) {
                self.take_back(&node(path), Some(&keep));
            }
            kept.insert(definition, keep);
        }
        kept
    }

    /// Takes back places of theirs that make a circle with ours.
    fn settle_circles(&mut self, roots: &BTreeMap<Arc<str>, Path>) {
        let [ours, theirs] = [self.ours, self.theirs].map(|side| {
            let placed = side.map.iter().filter(|(_, (_, after))| after.as_ref().and_then(Value::spot).is_some());
            placed.map(|(key, _)| key.clone()).collect::<BTreeSet<_>>()
        });
        let mut clear = BTreeSet::new();
        for node in theirs.difference(&ours).filter(|_| !ours.is_empty()) {
            let (mut way, mut at) = (BTreeSet::new(), Some(node.clone()));
            while let Some(above) = at.take_if(|above| !clear.contains(above) && !way.contains(above)) {
                at = self.merged.parent(&above);
                way.insert(above);
            }
            if at.as_ref() == Some(node) && !ours.is_disjoint(&way) {
                let root = roots.get(&node.definition).cloned().or_else(|| self.base_root(&node.definition));
                self.take_back(node, root.as_ref());
            } else if at.is_none_or(|at| clear.contains(&at)) {
                clear.append(&mut way);
            }
        }
    }

    /// Takes uses as ours has them until no definition contains itself.
    fn settle_uses(&mut self) {
        let changed = self.ours.map.keys().chain(self.theirs.map.keys());
        let mut other: Vec<(Key, Arc<str>)> = Vec::new();
        for key in changed.filter(|key| self.merged.get(key) != self.ours.get(key)) {
            if let Some(name) = self.merged.get(key).and_then(Value::uses) {
                other.push((key.clone(), name.clone()));
            }
        }
        // Taking one back may bring back a use of the base, so all others are tried again.
        while !other.is_empty()
            && let Err(circle) = self.merged.library.check_circles(&Patch::of_map(self.merged.map.clone()))
        {
            let closes = |(key, name): &(Key, Arc<str>)| circle.contains(&key.definition) && circle.contains(name);
            let Some(closes) = other.iter().position(closes) else { return };
            let (key, _) = other.swap_remove(closes);
            self.conflict(&key);
            match self.ours.map.get(&key) {
                Some(change) => _ = self.merged.map.insert(key, change.clone()),
                None => _ = self.merged.map.remove(&key),
            }
        }
    }
}

/// One end of a connection over which two writers send each other the patches of a library that both change.
///
/// Patches that cross on their way are [merged](Patch::merge) at both ends, so both come to the same library, and
/// nobody waits for anybody. Messages must arrive in order, each once, as over TCP. A server has one link for each
/// client, and sends what it receives over one link on over all others.
///
/// Commit and send edits before you receive. Others may be refused, or become a step whose patch
/// [`follow`](crate::Document::follow) returns: send it, too.
///
/// Takes a second library, which shares nothing with the document's.
///
/// ```
/// use hedgerow::{Node, Tree};
/// use hedgerow_document::{Library, Link, Error, Spot};
///
/// let (mut server, mut node) = (Library::new(), Tree::new());
/// node.push(None, Node::group());
/// server.apply(&server.define("lamp", &node)?)?;
/// server.apply(&server.define("street", &node)?)?;
/// let mut client = server.clone();
/// (server.set_writer(1), client.set_writer(2));
/// let (mut to_client, mut to_server) = (Link::new(server.clone(), true), Link::new(client.clone(), false));
///
/// // Both place a lamp at the same time.
/// let place = |library: &Library| library.place("street", Spot::below(0, 1.0), "lamp", Node::group());
/// let (ours, theirs) = (place(&server)?, place(&client)?);
/// server.apply(&ours)?;
/// client.apply(&theirs)?;
/// let (down, up) = (to_client.send(ours), to_server.send(theirs));
///
/// server.apply(&to_client.receive(up)?.0)?;
/// client.apply(&to_server.receive(down)?.0)?;
/// assert_eq!(server, client);
/// assert_eq!(server.tree("street")?.len(), 3);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Link {
    /// What both ends have made, as far as this one knows.
    agreed: Library,
    /// Our patches that the other end may not have made yet, as they are after all that was received.
    sent: VecDeque<Patch>,
    /// The number of patches that were received since our last message.
    received: usize,
    wins: bool,
}

/// A patch on its way over a [`Link`].
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// The number of messages that its sender had received since the message before.
    pub received: usize,
    /// What the sender changed.
    pub patch: Patch,
}

impl Link {
    /// Creates an end of a connection. Both ends begin with the same library. Where patches disagree, those of the end
    /// that `wins` are kept: true at one end, false at the other.
    #[must_use]
    pub const fn new(library: Library, wins: bool) -> Self {
        Self { agreed: library, sent: VecDeque::new(), received: 0, wins }
    }

    /// Returns the number of our patches that the other end may not have made yet.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.sent.len()
    }

    /// Returns the message that tells the other end a patch, which was made here after all that was received.
    pub fn send(&mut self, patch: Patch) -> Message {
        self.sent.push_back(patch.clone());
        Message { received: core::mem::take(&mut self.received), patch }
    }

    /// Returns what a message of the other end changes here, and what it and pending patches of ours disagree about;
    /// [follow](crate::Document::follow) it.
    ///
    /// Runs in **O(entries)** if nothing is pending; otherwise copies the library, and merges the patch with each of
    /// ours that is.
    ///
    /// # Errors
    /// [`Error::Messages`], and those of [`Library::apply`], if a message was lost or belongs to another link.
    /// Then close the connection, and begin with a copy of the library: this end is of no use any more.
    pub fn receive(&mut self, message: Message) -> Result<(Patch, Vec<Conflict>), Error> {
        let Message { received, patch: mut theirs } = message;
        if received > self.sent.len() {
            return Err(Error::Messages { received, sent: self.sent.len() });
        }
        self.sent.drain(..received).try_for_each(|ours| self.agreed.apply(&ours))?;
        self.received += 1;
        let mut base = if self.sent.is_empty() { Library::new() } else { self.agreed.clone() };
        self.agreed.apply(&theirs)?;
        let mut conflicts = Vec::new();
        for ours in &mut self.sent {
            let [first, last] = if self.wins { [&*ours, &theirs] } else { [&theirs, &*ours] };
            let Crossed { mut first, mut last, conflicts: found } = Crossed::new(&base, first, last)?;
            base.apply(ours)?;
            if self.wins {
                core::mem::swap(&mut first, &mut last);
            }
            (theirs, *ours) = (first, last);
            conflicts.extend(found);
        }
        Ok((theirs, conflicts))
    }
}
