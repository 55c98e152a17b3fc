//! A property of the user's own that nodes inherit, as visibility is: opacity, time scale, a wetness, a team.

use crate::NodeHandle;
use crate::scene::{NodeMap, Scene};
use crate::store::{At, Store};
use seen::Seen;
use std::collections::BTreeMap;

mod seen;

/// A property that each node combines from its parent's and a value of its own.
///
/// Values of its own ("locals") are set by node; [`run`](Self::run) computes the result of every node, which is that of its
/// parent where the node says nothing, else what the closure makes of the parent's result and the local. For the root the
/// parent's result is what [`new`](Self::new) was given.
///
/// A run computes what changed since the one before, and what hangs below that as far as results differ: locals that were
/// set or removed, and slices of the scene that were edited. Values of nodes that are gone go with them; results of a
/// detached subtree stay as they were until it is attached again.
///
/// It may be run on another scene, as one that was loaded again: then it computes everything, and drops the locals of nodes
/// that are not there. Which scene locals are for is decided by the run: of two nodes that were given the same place in the
/// tables, one in each scene, the one counts that the scene has which is run on. Two whose handles are the same in every bit
/// are one node to it: give each scene a property of its own where both are at hand.
///
/// ```
/// use hedgerow::{Node, Scene, data::Inherited};
///
/// let mut scene = Scene::new();
/// let ghost = scene.insert(scene.root(), Node::group())?;
/// let hand = scene.insert(ghost, Node::group())?;
///
/// let mut opacity: Inherited<f32> = Inherited::new(1.0, |above, own| above * own);
/// opacity.set(ghost, 0.5);
/// opacity.set(hand, 0.5);
/// opacity.run(&scene);
/// assert_eq!(opacity.get(hand), Some(&0.25));
/// assert_eq!(opacity.get(scene.root()), Some(&1.0));
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Inherited<T, F = fn(&T, &T) -> T> {
    above: T,
    combine: F,
    locals: NodeMap<T>,
    /// Locals of nodes in whose entry of `locals` another node's is: which of them is gone, or of another scene, the next run
    /// finds out.
    contested: BTreeMap<NodeHandle, T>,
    results: NodeMap<T>,
    /// Nodes whose local was set or removed since the last run; one that was changed twice may stand here twice.
    changed: Vec<NodeHandle>,
    /// What the last run saw of the scene.
    seen: Seen<T>,
    /// The places of what changed, and rows on the way to these: kept to spare allocations.
    places: Vec<At>,
    rows: Vec<u32>,
}

impl<T: Clone + PartialEq, F: FnMut(&T, &T) -> T> Inherited<T, F> {
    /// A property whose results begin with `above` at the root, and are `combine(parent's result, own local)` from there
    /// on.
    #[must_use]
    pub fn new(above: T, combine: F) -> Self {
        Self {
            above,
            combine,
            locals: NodeMap::new(),
            contested: BTreeMap::new(),
            results: NodeMap::new(),
            changed: Vec::new(),
            seen: Seen::default(),
            places: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Sets a node's own value and returns the one that it had. Takes effect at the next run. Computes in amortised
    /// **O(1)**, and in O(log nodes) where a node that is gone, or of another scene, had the same place in the tables.
    ///
    /// The value of a node that is not in the scene of that run goes.
    pub fn set(&mut self, node: NodeHandle, local: T) -> Option<T> {
        self.changed.push(node);
        let aside = self.contested.remove(&node);
        if self.locals.holder(node).is_some_and(|other| other != node) {
            self.contested.insert(node, local);
            return aside;
        }
        self.locals.insert(node, local).or(aside)
    }

    /// Takes a node's own value away and returns it: from the next run on the node has its parent's result. Computes in
    /// **O(1)**, or as [`set`](Self::set) does.
    pub fn remove(&mut self, node: NodeHandle) -> Option<T> {
        let local = self.locals.remove(node).or_else(|| self.contested.remove(&node));
        if local.is_some() {
            self.changed.push(node);
        }
        local
    }

    /// The value that a node says itself.
    #[must_use]
    pub fn local(&self, node: NodeHandle) -> Option<&T> {
        self.locals.get(node).or_else(|| self.contested.get(&node))
    }

    /// All values that nodes say themselves; from the next run on also those of nodes in whose place in the tables there was
    /// the value of one that is gone, or of another scene.
    #[must_use]
    pub fn locals(&self) -> &NodeMap<T> {
        &self.locals
    }

    /// The result of a node as of the last run; `None` for nodes that were not in the scene then.
    #[must_use]
    pub fn get(&self, node: NodeHandle) -> Option<&T> {
        self.results.get(node)
    }

    /// The results of all nodes of the scene as of the last run.
    #[must_use]
    pub fn results(&self) -> &NodeMap<T> {
        &self.results
    }

    /// Brings the results in line with the scene as it is now. Answers how many results are others than before, new ones
    /// counted.
    ///
    /// Computes in **O(1)** where nothing changed, else in **O(slices + nodes of slices that were edited + rows above changed
    /// locals in their slices + children of nodes whose results changed)**, on a constant call stack whatever the depth.
    /// Slices of detached subtrees that were edited count like others.
    /// Should the closure panic, the next run computes everything.
    pub fn run(&mut self, scene: &Scene) -> usize {
        let store = &scene.store;
        let now = Some((store.scene_number(), store.versions()));
        let same_scene = self.seen.moment.map(|(scene, _)| scene) == now.map(|(scene, _)| scene);
        if self.seen.moment == now && self.changed.is_empty() {
            return 0;
        }
        self.seen.moment = None;
        if !same_scene {
            // What has gone since the last run is not known here; nor is what this scene never had.
            self.locals.retain_live(scene);
            self.results.clear();
            self.seen.slices.clear();
        }
        // At most one of those that share an entry is in this scene.
        for (node, local) in core::mem::take(&mut self.contested) {
            if store.resolve(node).is_some() {
                self.locals.replace(node, local);
            }
        }
        self.find_changed(store);
        let mut run = Run {
            store,
            above: &self.above,
            combine: &mut self.combine,
            locals: &mut self.locals,
            results: &mut self.results,
            seen: &mut self.seen,
            rows: &mut self.rows,
            different: 0,
        };
        run.all(&self.places);
        let different = run.different;
        self.seen.moment = now;
        different
    }

    /// Fills `places` with where the changed nodes are, slice by slice; drops the values of those that are gone.
    fn find_changed(&mut self, store: &Store) {
        self.places.clear();
        for &node in &self.changed {
            match store.resolve(node) {
                Some(at) => self.places.push(at),
                None => drop(self.locals.remove(node)),
            }
        }
        self.changed.clear();
        self.places.sort_unstable_by_key(|at| (at.slice, at.row));
        self.places.dedup();
    }
}

/// One run: the parts of the property, borrowed each on its own.
struct Run<'r, T, F> {
    store: &'r Store,
    above: &'r T,
    combine: &'r mut F,
    locals: &'r mut NodeMap<T>,
    results: &'r mut NodeMap<T>,
    seen: &'r mut Seen<T>,
    rows: &'r mut Vec<u32>,
    different: usize,
}

impl<T: Clone + PartialEq, F: FnMut(&T, &T) -> T> Run<'_, T, F> {
    /// Every slice in tree order, each after what it inherits is known.
    fn all(&mut self, places: &[At]) {
        self.seen.begin(self.store.slice_end());
        self.seen.hand_down(At::ROOT.slice, self.above);
        let mut next = Some(At::ROOT.slice);
        while let Some(number) = next {
            let start = places.partition_point(|at| at.slice < number);
            let end = places.partition_point(|at| at.slice <= number);
            self.slice(number, &places[start..end]);
            next = self.store.slice_after(number, true);
        }
        for at in places {
            self.seen.postpone(at.slice);
        }
        let Self { store, locals, results, seen, .. } = self;
        seen.list(store, |node| {
            locals.remove(node);
            results.remove(node);
        });
    }

    /// One slice: all of it if it was edited, else from its tops on if what it inherits changed, and from each changed node.
    fn slice(&mut self, number: u32, changed: &[At]) {
        let version = self.store.view(number).version();
        let reached = self.seen.visit(number);
        if self.seen.slices[number as usize].version != version {
            self.walk_tops(number, true);
            self.seen.slices[number as usize].version = version;
            return;
        }
        if reached {
            self.walk_tops(number, false);
        }
        match changed {
            [] => {}
            [at] => self.walk(number, at.row, false),
            _ => self.walk_from_above(number, changed),
        }
    }

    /// Walks from every top row of a slice.
    fn walk_tops(&mut self, number: u32, everything: bool) {
        let rows = self.store.view(number).rows();
        for top in core::iter::successors(rows.first_top(), |&top| rows.next(top)) {
            self.walk(number, top, everything);
        }
    }

    /// Walks from each changed row, from one above another first: then none is computed before what it inherits, and none
    /// twice with another result.
    fn walk_from_above(&mut self, number: u32, changed: &[At]) {
        let rows = self.store.view(number).rows();
        self.seen.rows_met.clear();
        for at in changed {
            // Up to where somebody was before, then down again.
            let mut way = Some(at.row);
            while let Some(row) = way.filter(|&row| !self.seen.rows_met.contains(row)) {
                self.seen.rows_met.insert(row);
                self.rows.push(row);
                way = rows.above(row);
            }
            while let Some(row) = self.rows.pop() {
                if changed.binary_search_by_key(&row, |at| at.row).is_ok() {
                    self.walk(number, row, false);
                }
            }
        }
    }

    /// Computes the results of a row and of what hangs below it in its slice, everything or as far as they change.
    fn walk(&mut self, number: u32, top: u32, everything: bool) {
        let rows = self.store.view(number).rows();
        let mut next = Some(top);
        while let Some(row) = next {
            let parent = rows.above(row).and_then(|parent| rows.node(parent as usize));
            let above = match parent {
                Some(parent) => self.results.get(parent),
                None => self.seen.slices[number as usize].base.as_ref(),
            };
            let above = above.expect("what is above was computed before");
            let mut descend = everything;
            if let Some(child) = rows.portal(row) {
                let above = above.clone();
                self.seen.hand_down(child, &above);
            } else if let Some(node) = rows.node(row as usize) {
                let result = match self.locals.get(node) {
                    Some(local) => (self.combine)(above, local),
                    None => above.clone(),
                };
                if self.results.get(node) != Some(&result) {
                    self.results.insert(node, result);
                    self.different += 1;
                    descend = true;
                }
            }
            next = rows.next_in_subtree(top, row, descend);
        }
    }
}
