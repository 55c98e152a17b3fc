//! Properties of your own that nodes inherit as they inherit visibility: opacity, a time scale, a team.

use crate::NodeHandle;
use crate::pass::{Look, SliceCursor};
use crate::scene::{NodeMap, Scene};
use crate::store::{RowSet, SliceId, Store};
use crate::visit::SliceView;

/// A property whose result for each node is computed from the parent's result and the node's own value.
///
/// You set values of nodes ("locals") by handle. [`run`](Self::run) computes the result of every node. If the node has
/// a local, the closure combines the parent's result and the local; otherwise the node gets the parent's result. For
/// the root, the parent's result is the value passed to [`new`](Self::new).
///
/// Results are for the tree at the last [`Scene::update`], so call `run` after the update. A node that was inserted
/// since has no result, a moved node inherits from its old parent, and a removed node no longer has a result.
///
/// A run recomputes only nodes whose local was set or removed since the previous run, and nodes of slices that were
/// edited. From these it continues downwards as far as results differ. Values of removed nodes are dropped. Results of
/// a detached subtree stay unchanged until it is attached again.
///
/// You may run the property on another scene, for example on one that was loaded again. Then the run computes
/// everything, and drops the locals of nodes that do not exist there; set locals in the loaded scene after that run.
/// Handles of two scenes may have the same bits or share an entry of a [`NodeMap`]: use one property per scene.
///
/// ```
/// use hedgerow::{Node, Scene, data::Inherited};
///
/// let mut scene = Scene::new();
/// let ghost = scene.insert(scene.root(), Node::group())?;
/// let hand = scene.insert(ghost, Node::group())?;
/// scene.update();
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
    results: NodeMap<T>,
    /// Nodes whose local was set or removed since the last run, or earlier if the node had no row at that run.
    changed: Vec<NodeHandle>,
    cursor: SliceCursor,
    /// By slice number.
    slices: Vec<SliceState<T>>,
}

/// The state of a slice at the last run.
#[derive(Clone, Debug)]
struct SliceState<T> {
    nodes: Vec<NodeHandle>,
    /// The results of the nodes that the imports copy.
    imports: Vec<T>,
}

const CURSOR: SliceCursor = SliceCursor::new().with_detached().without_transforms();

impl<T: Clone + PartialEq, F: FnMut(&T, &T) -> T> Inherited<T, F> {
    /// Creates a property. `above` is the value that the root inherits; `combine(parent's result, own local)` computes
    /// the result of a node that has a local.
    #[must_use]
    pub fn new(above: T, combine: F) -> Self {
        Self {
            above,
            combine,
            locals: NodeMap::new(),
            results: NodeMap::new(),
            changed: Vec::new(),
            cursor: CURSOR,
            slices: Vec::new(),
        }
    }

    /// Sets a node's own value and returns the old one. Takes effect at the next run, which drops the value if the node
    /// is not in the scene. The value of a stale handle is dropped at once if a later node with the same record number
    /// has one. Runs in amortised **O(1)**.
    pub fn set(&mut self, node: NodeHandle, local: T) -> Option<T> {
        self.note(node);
        let (displaced, before) = self.locals.insert(node, local)?;
        // After a restore, the displaced node may be the one that lives; its result must follow.
        if displaced != node {
            self.note(displaced);
        }
        (displaced == node && self.locals.contains_key(node)).then_some(before)
    }

    /// Removes a node's own value and returns it. The next run gives the node its parent's result. Runs in **O(1)**.
    pub fn remove(&mut self, node: NodeHandle) -> Option<T> {
        let local = self.locals.remove(node);
        if local.is_some() {
            self.note(node);
        }
        local
    }

    /// Lists a node as changed. Repeated entries are removed when the list is full.
    fn note(&mut self, node: NodeHandle) {
        // Repeated sets of few nodes must not grow the list: before it grows, it is freed of duplicates.
        if self.changed.len() == self.changed.capacity() {
            self.changed.sort_unstable();
            self.changed.dedup();
            // If few entries were repeated, the list doubles, so that the next sort comes later.
            if self.changed.len() * 2 > self.changed.capacity() {
                self.changed.reserve(self.changed.capacity());
            }
        }
        self.changed.push(node);
    }

    /// Returns the node's own value.
    #[must_use]
    pub fn local(&self, node: NodeHandle) -> Option<&T> {
        self.locals.get(node)
    }

    /// Returns the nodes' own values.
    #[must_use]
    pub fn locals(&self) -> &NodeMap<T> {
        &self.locals
    }

    /// Returns the result of a node as of the last run; `None` for nodes that were not in the tree then.
    #[must_use]
    pub fn get(&self, node: NodeHandle) -> Option<&T> {
        self.results.get(node)
    }

    /// Returns the results of all nodes as of the last run.
    #[must_use]
    pub fn results(&self) -> &NodeMap<T> {
        &self.results
    }

    /// Updates the results to the scene's last update. Returns the number of results that changed or are new.
    ///
    /// Runs in **O(1)** if nothing changed, else in **O(slices + rows of affected slices)**. A slice is affected if it
    /// was edited, or if the local of one of its nodes or an imported result changed. The closure is called for nodes
    /// of edited slices, for nodes whose local changed, and for children of nodes whose results changed. The depth of
    /// the call stack is constant. If the closure panics, the next run computes everything.
    pub fn run(&mut self, scene: &Scene) -> usize {
        let store = &scene.store;
        // If the closure panics, this cursor knows no scene.
        let mut cursor = core::mem::replace(&mut self.cursor, CURSOR);
        let mut look = cursor.look(store);
        let mut different = 0;
        if !(look.is_still() && self.changed.is_empty()) {
            different = self.run_changed(scene, &mut look);
        }
        look.finish();
        self.cursor = cursor;
        different
    }

    fn run_changed(&mut self, scene: &Scene, look: &mut Look<'_, '_>) -> usize {
        let store = &scene.store;
        if look.is_first() {
            // Locals of nodes that were removed since the last run, or that were never in this scene, must be dropped.
            self.locals.retain(|node, _| scene.contains(node));
            self.results.clear();
            self.slices.clear();
        }
        let end = store.slices.end().max(self.slices.len());
        self.slices.resize_with(end, || SliceState { nodes: Vec::new(), imports: Vec::new() });
        let places = self.take_changed(store);
        let mut different = 0;
        for &number in store.slices.in_tree() {
            // Places are sorted by slice, but slices come in depth-first order.
            let start = places.partition_point(|&(slice, _)| slice < number);
            let changed = places[start..].iter().take_while(|&&(slice, _)| slice == number);
            let slice = store.view(number);
            let everything = look.at(slice).rows;
            different += self.run_slice(store, &slice, everything, changed.map(|&(_, row)| row));
        }
        // In slices outside of the tree, and in slices that ended, only removed nodes matter.
        for number in 0..end {
            let slice = store.get_view(SliceId::at(number));
            if slice.is_none_or(|slice| slice.is_detached() && look.at(slice).rows) {
                self.list(store, number, slice.as_ref());
            }
        }
        different
    }

    /// Frees unused memory; call it after a scene has become smaller.
    pub fn shrink_to_fit(&mut self) {
        self.locals.shrink_to_fit();
        self.results.shrink_to_fit();
        self.changed.shrink_to_fit();
        for SliceState { nodes, imports, .. } in &mut self.slices {
            nodes.shrink_to_fit();
            imports.shrink_to_fit();
        }
    }

    /// Returns the slices and rows of changed nodes, in ascending order. Drops the locals of removed nodes, and keeps
    /// nodes without a row for the next run.
    fn take_changed(&mut self, store: &Store) -> Vec<(SliceId, usize)> {
        let Self { changed, locals, .. } = self;
        let mut places = Vec::new();
        changed.sort_unstable();
        changed.dedup();
        changed.retain(|&node| {
            let Some(id) = store.nodes.resolve(node) else {
                locals.remove(node);
                return false;
            };
            let place = store.view_of(id).map(|(slice, row)| (slice.id(), row));
            places.extend(place);
            // A node without a row waits for the next update, and stays in the list.
            place.is_none()
        });
        places.sort_unstable();
        places
    }

    /// Lists the nodes of a slice, and drops the values of nodes that were listed before and are now removed.
    fn list(&mut self, store: &Store, number: usize, slice: Option<&SliceView<'_>>) {
        let Self { slices, locals, results, .. } = self;
        let nodes = &mut slices[number].nodes;
        for node in nodes.drain(..).filter(|&node| store.nodes.resolve(node).is_none()) {
            locals.remove(node);
            results.remove(node);
        }
        if let Some(slice) = slice {
            nodes.extend(slice.rows().nodes());
        }
    }

    /// Computes the results of a slice, parents first: all results if the slice was edited, else those of changed nodes
    /// and of nodes whose parents' results changed. Returns the number of results that differ.
    fn run_slice(
        &mut self,
        store: &Store,
        slice: &SliceView<'_>,
        everything: bool,
        changed: impl Iterator<Item = usize>,
    ) -> usize {
        let number = slice.id().index();
        if everything {
            self.list(store, number, Some(slice));
        }
        let Self { above, combine, locals, results, slices, .. } = self;
        let imports = &mut slices[number].imports;
        let (rows, count) = (slice.rows(), slice.imports());
        // The rows to compute, and the rows whose result differs.
        let (mut set, mut differs) = (RowSet::EMPTY, RowSet::EMPTY);
        changed.for_each(|row| set.insert(row));
        imports.truncate(count);
        for row in 0..count {
            let result = rows.import(row).and_then(|node| results.get(node));
            match (imports.get_mut(row), result) {
                // Until the update, a removed node hands down the same result as before.
                (Some(_), None) => {}
                (Some(known), Some(result)) if known == result => {}
                (Some(known), Some(result)) => {
                    known.clone_from(result);
                    differs.insert(row);
                }
                (None, result) => {
                    imports.push(result.unwrap_or(above).clone());
                    differs.insert(row);
                }
            }
        }
        // Nothing in this slice can differ.
        if !everything && set == RowSet::EMPTY && differs == RowSet::EMPTY {
            return 0;
        }
        let mut different = 0;
        for row in count..rows.len() {
            let Some(parent) = rows.parent(row) else { continue };
            // A row is computed if its local was set or its parent's result differs.
            if !everything && !set.contains(row) && !differs.contains(parent) {
                continue;
            }
            let Some(node) = rows.node(row) else { continue };
            let inherited = imports.get(parent).or_else(|| results.get(rows.node(parent)?));
            // The parent was removed after the node had moved away; the next update places the node.
            let Some(inherited) = inherited else { continue };
            let result = match locals.get(node) {
                Some(local) => combine(inherited, local),
                None => inherited.clone(),
            };
            // An equal result stops here: the rows below stay as they are.
            if results.get(node) != Some(&result) {
                _ = results.replace(node, result);
                differs.insert(row);
                different += 1;
            }
        }
        different
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Node;

    #[test]
    fn values_that_are_set_again_and_again_without_a_run_take_no_more_memory() {
        let mut scene = Scene::new();
        let nodes: Vec<NodeHandle> = (0..20).map(|_| scene.insert(scene.root(), Node::group()).unwrap()).collect();
        let mut property: Inherited<u32> = Inherited::new(0, |above, own| above + own);
        for round in 0..10_000 {
            for &node in &nodes {
                property.set(node, round);
            }
        }
        assert!(property.changed.capacity() <= 128, "{}", property.changed.capacity());
        scene.update();
        assert_eq!(property.run(&scene), 21);
    }
}
