//! Properties defined by the user that nodes inherit as they inherit visibility: opacity, a time scale, a team.

use crate::NodeHandle;
use crate::scene::{NodeMap, Scene};
use crate::store::{At, Store};
use seen::Seen;
use std::collections::BTreeMap;

mod seen;

/// A property that each node computes from its parent's result and a value of its own.
///
/// Values of nodes ("locals") are set by handle. [`run`](Self::run) computes the result of every node: the parent's
/// result if the node has no local, else what the closure makes of the parent's result and the local. For the root, the
/// parent's result is the value given to [`new`](Self::new).
///
/// A run only computes what changed since the one before, and nodes below as far as results differ. Changes are locals
/// that were set or removed, and slices of the scene that were edited. Values of removed nodes are dropped. Results of
/// a detached subtree stay unchanged until it is attached again.
///
/// The property may be run on another scene, for example one that was loaded again. Then it computes everything, and
/// drops the locals of nodes that do not exist there. The run decides which scene the locals are for: if two nodes have
/// the same place in the handle tables, one in each scene, the local of the node in the scene being run counts. Two
/// nodes whose handles are equal in every bit are the same node to a property, so use one property for each scene if
/// you have several.
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
    /// Locals of nodes whose entry of `locals` is taken by another node. The next run finds out which of the two is
    /// gone or belongs to another scene.
    contested: BTreeMap<NodeHandle, T>,
    results: NodeMap<T>,
    /// Nodes whose local was set or removed since the last run; a node changed twice may be listed twice.
    changed: Vec<NodeHandle>,
    /// What the last run saw of the scene.
    seen: Seen<T>,
    /// The places of changed nodes, and rows on the way to them. Kept to save allocations.
    places: Vec<At>,
    rows: Vec<u32>,
}

impl<T: Clone + PartialEq, F: FnMut(&T, &T) -> T> Inherited<T, F> {
    /// A property with the result `above` above the root and `combine(parent's result, own local)` from the root on.
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

    /// Sets a node's own value and returns the one that it had. Takes effect at the next run. Runs in amortised
    /// **O(1)**, or in O(log nodes) if a node that is gone, or of another scene, had the same place in the handle
    /// tables.
    ///
    /// The value of a node that is not in the scene at the next run is dropped.
    pub fn set(&mut self, node: NodeHandle, local: T) -> Option<T> {
        self.changed.push(node);
        let aside = self.contested.remove(&node);
        if self.locals.holder(node).is_some_and(|other| other != node) {
            self.contested.insert(node, local);
            return aside;
        }
        self.locals.insert(node, local).map(|(_, before)| before).or(aside)
    }

    /// Removes a node's own value and returns it. From the next run on, the node has its parent's result. Runs in
    /// **O(1)**, or as [`set`](Self::set) does.
    pub fn remove(&mut self, node: NodeHandle) -> Option<T> {
        let local = self.locals.remove(node).or_else(|| self.contested.remove(&node));
        if local.is_some() {
            self.changed.push(node);
        }
        local
    }

    /// The node's own value.
    #[must_use]
    pub fn local(&self, node: NodeHandle) -> Option<&T> {
        self.locals.get(node).or_else(|| self.contested.get(&node))
    }

    /// The nodes' own values. If a node took the place in the handle tables of a node that is gone, or of another
    /// scene, its value appears here only after the next run.
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

    /// Updates the results to match the present scene. Returns how many results changed, including new ones.
    ///
    /// Runs in **O(1)** if nothing changed, else in **O(slices + nodes of slices that were edited + rows above changed
    /// locals in their slices + children of nodes whose results changed)**. The call stack is constant at any depth.
    /// Edited slices of detached subtrees count like others. If the closure panics, the next run computes everything.
    pub fn run(&mut self, scene: &Scene) -> usize {
        let store = &scene.store;
        let now = Some((store.scene_number(), store.versions()));
        let same_scene = self.seen.moment.map(|(scene, _)| scene) == now.map(|(scene, _)| scene);
        if self.seen.moment == now && self.changed.is_empty() {
            return 0;
        }
        self.seen.moment = None;
        if !same_scene {
            // It is not known here which nodes were removed since the last run, nor which were never in this scene.
            self.locals.retain_live(scene);
            self.results.clear();
            self.seen.slices.clear();
        }
        // At most one of the nodes that share an entry is in this scene.
        while let Some((node, local)) = self.contested.pop_first() {
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

    /// Fills `places` with the places of the changed nodes, slice by slice, and drops the values of removed nodes.
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

/// One run: the parts of the property, each borrowed on its own.
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
    /// Processes every slice in tree order, each after what it inherits is known.
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

    /// Processes one slice: all of it if it was edited; else from its top rows if what it inherits changed, and from
    /// each changed node.
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

    /// Walks from each changed row, starting with rows above others. So no row is computed before what it inherits, and
    /// none is computed twice with different results.
    fn walk_from_above(&mut self, number: u32, changed: &[At]) {
        let rows = self.store.view(number).rows();
        self.seen.rows_met.clear();
        for at in changed {
            // Climb to a row that was visited before, then go down again.
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

    /// Computes the results of a row and the rows below it in its slice: all of them, or as far as they change.
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
