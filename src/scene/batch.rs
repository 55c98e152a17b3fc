//! Batches: many edits of one kind in one call.
//!
//! Each call checks its whole list before anything changes, except `set_locals`, which takes an iterator. Then the
//! edits are made one after another; removals and moves prefetch what later items will read.

use crate::error::BatchError;
use crate::handle::{ByHandle, ByRecord};
use crate::scene::{Keep, NodeRef, Place, Scene};
use crate::store::{Above, Position, RecordId, Store};
use crate::{Error, Local, NodeHandle};
use std::borrow::Cow;

/// The distance, in items, at which a record is prefetched.
const AHEAD: usize = 12;

/// Of the ancestors that [`Worlds`] walks down at once, one in this many is kept for later walks.
const KEPT: usize = 16;

/// Prefetches what the edit of a later item will read.
#[inline(always)]
fn look_ahead<T>(store: &Store, items: &[T], index: usize, node: impl Fn(&T) -> NodeHandle) {
    if let Some(ahead) = items.get(index + AHEAD) {
        store.nodes.prefetch(node(ahead).record());
    }
}

impl Scene {
    /// Removes many nodes with everything below them, and returns the number of nodes removed.
    ///
    /// The list is a set: a node that is listed twice, or is below another listed node, is removed once. Runs in
    /// **O(nodes removed + n log n)** for n handles, which a large scene sorts first.
    ///
    /// # Errors
    /// [`BatchError::item`] is the index of the first invalid handle: [`Error::StaleHandle`] if it was stale before the
    /// call, or [`Error::RootIsFixed`]. The scene is unchanged.
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::group())?;
    /// let wheel = scene.insert(car, Node::group())?;
    /// assert_eq!(scene.remove_many(&[wheel, car, wheel])?, 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn remove_many(&mut self, nodes: &[NodeHandle]) -> Result<usize, BatchError> {
        self.check_movable(nodes)?;
        // The list is a set. In the order of records, which is that of memory, a million nodes take two thirds of the
        // time, and later inserts find their records in order.
        let mut nodes = Cow::Borrowed(nodes);
        if self.store.nodes.pages.exceed_cache() {
            nodes.to_mut().sort_unstable();
        }
        let mut removed = 0;
        for (index, &node) in nodes.iter().enumerate() {
            // The record first, whose links then lead to those of its neighbours.
            look_ahead(&self.store, &nodes, index + AHEAD, |&node| node);
            if let Some(&near) = nodes.get(index + AHEAD) {
                self.store.nodes.prefetch_neighbours(near);
            }
            // A node may be below one that was removed just before.
            if let Some(id) = self.store.nodes.resolve(node) {
                removed += self.store.remove(id);
            }
        }
        Ok(removed)
    }

    /// Checks that all nodes of a list exist and that none is the root.
    fn check_movable(&self, nodes: &[NodeHandle]) -> Result<(), BatchError> {
        for (index, &node) in nodes.iter().enumerate() {
            match self.store.nodes.resolve(node) {
                None => return Err(BatchError::at(index, Error::StaleHandle(node))),
                Some(RecordId::ROOT) => return Err(BatchError::at(index, Error::RootIsFixed)),
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Sets the local transforms of many nodes. World matrices change at the next [`Scene::update`].
    ///
    /// Takes the items that an iterator yields, in order, each as [`Scene::set_local`] does and in any form, and
    /// collects none. Runs in **O(n)** for n items.
    ///
    /// # Errors
    /// [`BatchError::item`] is the index of the first item that fails: [`Error::StaleHandle`], [`Error::NotFinite`],
    /// [`Error::NotRotation`]. The items before it have been set, and no item after it is taken from the iterator.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let mut balls = Vec::new();
    /// for x in 0..3 {
    ///     balls.push((scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?, x as f32));
    /// }
    /// scene.set_locals(balls.iter().map(|&(ball, x)| (ball, Transform::from_xyz(x, 0.0, 0.0))))?;
    /// scene.update();
    /// assert_eq!(scene.world(balls[2].0).unwrap().translation().x, 2.0);
    ///
    /// // Handles and transforms in two lists:
    /// let (nodes, locals) = ([balls[0].0, balls[1].0], [Transform::IDENTITY; 2]);
    /// scene.set_locals(nodes.into_iter().zip(&locals))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_locals<L: Into<Local>>(
        &mut self,
        items: impl IntoIterator<Item = (NodeHandle, L)>,
    ) -> Result<(), BatchError> {
        for (item, (node, local)) in items.into_iter().enumerate() {
            self.set_local(node, local).map_err(|error| BatchError::at(item, error))?;
        }
        Ok(())
    }

    /// Sets the local transforms of many nodes so that the nodes get these world transforms, for example poses from a
    /// physics engine. A pose without scale resets the scale to 1.
    ///
    /// Pass full world transforms, in any form that converts to a [`Local`]. Nodes without a transform get one. Below a
    /// parent with a non-uniform scale, a rotated pose makes the local transform a matrix.
    /// [Anchored](crate::Node::anchored) nodes do not need this call: their local transforms are relative to the world
    /// (see [`guide::physics`](crate::guide::physics)).
    ///
    /// The result has the same bits as single calls of [`Scene::set_world`], ancestors first, whatever the order of
    /// `items`. A node may be listed along with its ancestors, whose new world transforms are used. If a node is listed
    /// twice, the last item counts. Unlisted nodes keep their local transforms, and move with their ancestors.
    ///
    /// Runs in **O(n + ancestors)** for n items. Each ancestor is visited once, and up to 15 of them again per item.
    ///
    /// # Errors
    /// [`BatchError::item`] is the index of an item that fails, and the scene is unchanged. First, all items are
    /// checked for [`Error::StaleHandle`], [`Error::NotFinite`] and [`Error::NotRotation`].
    /// Then the last item of each node is checked for [`Error::Singular`], [`Error::Overflow`] and
    /// [`Error::Underflow`], as in [`Scene::set_world`].
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let ship = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// let crate_on_deck = scene.insert(ship, Node::transform(Transform::IDENTITY))?;
    /// let poses = [
    ///     (crate_on_deck, Transform::from_xyz(12.0, 3.0, 0.0)),
    ///     (ship, Transform::from_xyz(10.0, 0.0, 0.0)),
    /// ];
    /// scene.set_worlds(&poses)?;
    /// scene.update();
    /// assert_eq!(scene.world(crate_on_deck).unwrap().translation().x, 12.0);
    /// assert_eq!(scene.local(crate_on_deck).unwrap().transform(), Some(Transform::from_xyz(2.0, 3.0, 0.0)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_worlds<W: Copy + Into<Local>>(&mut self, items: &[(NodeHandle, W)]) -> Result<(), BatchError> {
        let mut worlds = Worlds::default();
        worlds.listed.reserve(items.len());
        for (index, &(node, world)) in items.iter().enumerate() {
            look_ahead(&self.store, items, index, |item| item.0);
            // All items are checked before the first is set, so an error changes nothing.
            let placed = self.at(node).and_then(|id| Ok((id, world.into().checked_world()?)));
            let (id, world) = placed.map_err(|error| BatchError::at(index, error))?;
            // The last item of a node wins.
            worlds.listed.insert(id, Target::World(world));
        }
        for (index, &(node, _)) in items.iter().enumerate() {
            worlds.place(&self.store, node.record()).map_err(|error| BatchError::at(index, error))?;
        }
        for &(node, _) in items {
            // Removed, so that a node that is listed twice is set once.
            if let Some(Target::Local(local)) = worlds.listed.remove(&node.record()) {
                self.store.nodes.set_local(node.record(), local);
            }
        }
        Ok(())
    }

    /// Returns the nodes to move, copy or remove if you want to edit a whole selection: those that are not below
    /// another node of the list, each once, in depth-first order.
    ///
    /// Runs in **O(n + ancestors)** for n nodes. Each ancestor with listed nodes below several of its children takes
    /// O(children) more. Detached nodes come last, and take O(detached subtrees) more.
    ///
    /// # Errors
    /// [`Error::StaleHandle`]; [`BatchError::item`] is the index of the first stale handle.
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::group())?;
    /// let wheel = scene.insert(car, Node::group())?;
    /// let tyre = scene.insert(wheel, Node::group())?;
    /// let tree = scene.insert(scene.root(), Node::group())?;
    /// assert_eq!(scene.topmost(&[tyre, tree, car, tree])?, [car, tree]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn topmost(&self, nodes: &[NodeHandle]) -> Result<Vec<NodeHandle>, BatchError> {
        let mut marks: ByHandle<Mark> = ByHandle::with_capacity_and_hasher(nodes.len(), Default::default());
        let mut ahead = Vec::new();
        for (item, &node) in nodes.iter().enumerate() {
            let id = self.at(node).map_err(|error| BatchError::at(item, error))?;
            marks.insert(node, Mark::Listed);
            // Detached subtrees are visited only if a listed node is in one.
            if self.store.nodes.is_outside(id) && ahead.is_empty() {
                ahead.extend(self.detached().rev().map(NodeRef::handle));
            }
        }
        ahead.push(self.root());
        for &node in nodes {
            let mut below = node;
            // Stops at marked ancestors, so that all climbs together visit each ancestor about once.
            while let Some(above) = self.parent(below) {
                match marks.entry(above).or_insert(Mark::Above(None)) {
                    Mark::Listed | Mark::Fork => break,
                    // Another listed node climbed here through the same child.
                    Mark::Above(only) if *only == Some(below) => break,
                    Mark::Above(only @ None) => *only = Some(below),
                    mark => {
                        *mark = Mark::Fork;
                        break;
                    }
                }
                below = above;
            }
        }
        let mut topmost = Vec::new();
        while let Some(node) = ahead.pop() {
            match marks.get(&node) {
                Some(Mark::Listed) => topmost.push(node),
                // Only one child leads to listed nodes; its siblings are skipped.
                Some(&Mark::Above(only)) => ahead.extend(only),
                Some(Mark::Fork) => ahead.extend(self.children(node).rev()),
                None => {}
            }
        }
        Ok(topmost)
    }

    /// Moves many subtrees in one call. Only the final tree matters, so a parent and its child can be swapped, in any
    /// order.
    ///
    /// Each item is a node with its new place: below a node, beside a sibling that stays, or outside of the tree.
    /// [`Place::Child`] is not allowed, nor is [`Place::Before`] or [`Place::After`] a listed node. A plain handle
    /// stands for [`Place::LastChildOf`]. Siblings are in the order of `items`; if a node is listed twice, its last
    /// place counts.
    ///
    /// [`Place::Detached`] makes each listed node the root of its own detached subtree, even if an ancestor is listed
    /// too. To keep a selection together, pass only its [`Scene::topmost`] nodes.
    ///
    /// If single calls of [`Scene::reparent`] with these items would all succeed, the result is the same, but with
    /// [`Keep::World`] local transforms may differ in the last digits: they are computed from the world transforms
    /// before the call.
    ///
    /// Runs in **O(n log n)** for n items, and the next update in O(nodes moved). If a listed node has children, the
    /// call also takes O(ancestors of the new parents), each visited once. [`Keep::World`] adds O(ancestors) per item.
    ///
    /// # Errors
    /// [`BatchError::item`] is the index of an item that fails, and the scene is unchanged. Each check runs over all
    /// items before the next check begins, and stops at the first item that fails: [`Error::StaleHandle`] and
    /// [`Error::RootIsFixed`], [`Error::BesideDetached`], [`Error::PlaceInList`] for a place that is not allowed;
    /// [`Error::WouldCycle`] for a node that would become its own ancestor; with [`Keep::World`], [`Error::Singular`],
    /// [`Error::Overflow`] and [`Error::Underflow`] as in [`Scene::reparent`].
    ///
    /// ```
    /// use hedgerow::{Keep, Node, NodeRef, Place, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let root = scene.root();
    /// let above = scene.insert(root, Node::group())?;
    /// let below = scene.insert(above, Node::group())?;
    /// scene.reparent_many(&[(above, below), (below, root)], Keep::Local)?;
    /// assert_eq!(scene.parent(above), Some(below));
    /// assert_eq!(scene.parent(below), Some(root));
    ///
    /// scene.reparent_many(&[(above, Place::Detached), (below, Place::Detached)], Keep::Local)?;
    /// assert!(scene.detached().map(NodeRef::handle).eq([above, below]));
    ///
    /// let group = scene.insert(root, Node::group())?;
    /// let pair = [(); 2].map(|()| scene.insert(group, Node::group()).unwrap());
    /// let next = scene.insert(root, Node::group())?;
    /// scene.reparent_many(&pair.map(|node| (node, Place::Before(group))), Keep::World)?; // ungroup:
    /// scene.remove(group)?; // its children are where it was
    /// assert!(scene.children(root).eq([pair[0], pair[1], next]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reparent_many<P: Copy + Into<Place>>(
        &mut self,
        items: &[(NodeHandle, P)],
        keep: Keep,
    ) -> Result<(), BatchError> {
        // Each place is converted once, because a second call of the caller's `into` may return another place.
        let items: Vec<(NodeHandle, Place)> = items.iter().map(|&(node, place)| (node, place.into())).collect();
        self.make_moves(&items, keep)
    }

    fn make_moves(&mut self, items: &[(NodeHandle, Place)], keep: Keep) -> Result<(), BatchError> {
        let moves = self.plan_moves(items)?;
        // Computed before the first move, while world transforms are still those to keep.
        let mut kept = Vec::new();
        for &item in moves.iter().filter(|_| keep == Keep::World) {
            let (node, place) = items[item];
            let parent = self.parent_at(place).map(NodeHandle::record);
            kept.push((item, self.store.nodes.local_below(node.record(), parent)));
        }
        // Moves are not in the order of the list, but the error is that of its first invalid item.
        if let Some(&(item, Err(error))) = kept.iter().filter(|(_, local)| local.is_err()).min_by_key(|(item, _)| item)
        {
            return Err(BatchError::at(item, error));
        }
        for (index, &item) in moves.iter().enumerate() {
            look_ahead(&self.store, &moves, index, |&item| items[item].0);
            look_ahead(&self.store, &moves, index, |&item| items[item].1.anchor().unwrap_or(items[item].0));
            let id = items[item].0.record();
            let to = self.position(items[item].1, Some(id)).map_err(|error| BatchError::at(item, error))?;
            // A detached node that is detached again keeps its place among the others.
            if to != Position::DETACHED || !self.store.nodes.is_detached_top(id) {
                self.store.nodes.relocate(id, to);
            }
            if let Some(&(_, Ok(Some(local)))) = kept.get(index) {
                self.store.nodes.set_wide_local(id, local);
            }
        }
        Ok(())
    }

    /// Returns the parent at a place in a list of moves. The moves do not change it.
    fn parent_at(&self, place: Place) -> Option<NodeHandle> {
        match place {
            Place::Before(sibling) | Place::After(sibling) => self.parent(sibling),
            place => place.anchor(),
        }
    }

    /// Checks one item of a list of moves by itself.
    fn check_move(&self, node: NodeHandle, place: Place) -> Result<RecordId, Error> {
        let id = self.at(node)?;
        if id == RecordId::ROOT {
            return Err(Error::RootIsFixed);
        }
        match place {
            // Earlier moves may add or take children, so an index would mean another place.
            Place::Child(..) => Err(Error::PlaceInList(place)),
            place => self.position(place, Some(id)).map(|_| id),
        }
    }

    /// Checks a list of moves. Returns the indices of the items to apply. Each new parent moves before its children, so
    /// that no intermediate tree has a cycle. Siblings stay in the order of the list.
    fn plan_moves(&self, items: &[(NodeHandle, Place)]) -> Result<Vec<usize>, BatchError> {
        // For each node: the last item that moves the node or its nearest moved ancestor in the present tree.
        let mut movers: ByHandle<Option<usize>> = ByHandle::with_capacity_and_hasher(items.len(), Default::default());
        let mut climb = false;
        for (index, &(node, place)) in items.iter().enumerate() {
            look_ahead(&self.store, items, index, |item| item.0);
            let id = self.check_move(node, place).map_err(|error| BatchError::at(index, error))?;
            climb |= !self.store.nodes.is_leaf(id);
            movers.insert(node, Some(index));
        }
        for (index, &(_, place)) in items.iter().enumerate() {
            if let Place::Before(sibling) | Place::After(sibling) = place
                && movers.contains_key(&sibling)
            {
                return Err(BatchError::at(index, Error::PlaceInList(place)));
            }
        }
        let mut moves: Vec<usize> = (0..items.len()).filter(|&item| movers[&items[item].0] == Some(item)).collect();
        // For each item: the item that moves its new parent. If no listed node has children, no climb is needed.
        let mut above = vec![None; items.len()];
        let mut way = Vec::new();
        for &item in &moves {
            let mut at = self.parent_at(items[item].1);
            let mover = loop {
                let Some(node) = at else { break None };
                if let Some(&known) = movers.get(&node) {
                    break known;
                }
                // Nothing hangs below a moved node, so no ancestor moves.
                if !climb {
                    break None;
                }
                way.push(node);
                at = self.parent(node);
            };
            // Ancestors on the way get the answer, so that each is visited once.
            movers.extend(way.drain(..).map(|node| (node, mover)));
            above[item] = mover;
        }
        let ranks = ranks(&above, &moves).map_err(|item| {
            let (node, place) = items[item];
            BatchError::at(item, Error::WouldCycle { node, parent: self.parent_at(place).unwrap_or(node) })
        })?;
        // A node moves after the node that moves its new parent. The sort is stable: siblings keep the order of the
        // list.
        moves.sort_by_key(|&item| ranks[item]);
        Ok(moves)
    }
}

/// Returns the length of each item's chain in `above`. The error is the least item of a cycle.
fn ranks(above: &[Option<usize>], items: &[usize]) -> Result<Vec<usize>, usize> {
    const UNKNOWN: usize = usize::MAX;
    const ON_THE_WAY: usize = UNKNOWN - 1;
    let mut ranks = vec![UNKNOWN; above.len()];
    let (mut way, mut refused) = (Vec::new(), None);
    for &item in items {
        let mut at = Some(item);
        let mut rank = loop {
            let Some(item) = at else { break 0 };
            match ranks[item] {
                UNKNOWN => {
                    // Meeting this mark again means a cycle.
                    ranks[item] = ON_THE_WAY;
                    way.push(item);
                    at = above[item];
                }
                ON_THE_WAY => {
                    let cycle = way.iter().rev().scan(false, |done, &on| {
                        let open = !core::mem::replace(done, on == item);
                        open.then_some(on)
                    });
                    // The first item of the list in any cycle is reported.
                    refused = cycle.chain(refused).min();
                    break 0;
                }
                known => break known + 1,
            }
        };
        for item in way.drain(..).rev() {
            ranks[item] = rank;
            rank += 1;
        }
    }
    refused.map_or(Ok(ranks), Err)
}

/// Where [`Scene::topmost`] finds listed nodes.
#[derive(Clone, Copy, Debug)]
enum Mark {
    Listed,
    /// Below this child only.
    Above(Option<NodeHandle>),
    /// Below several children.
    Fork,
}

/// The target of a listed node: its world transform, or its local transform once that is computed.
#[derive(Clone, Copy, Debug)]
enum Target {
    World(Local),
    Local(Local),
}

/// The targets of listed nodes, and what their children inherit.
#[derive(Default)]
struct Worlds {
    listed: ByRecord<Target>,
    above: ByRecord<Above>,
    way: Vec<RecordId>,
}

impl Worlds {
    /// Computes the local transform of a listed node, and of listed nodes above it.
    fn place(&mut self, store: &Store, id: RecordId) -> Result<(), Error> {
        let above = match store.nodes.local_parent(id) {
            Some(parent) => self.inherited(store, parent)?,
            None => Above::WORLD,
        };
        self.local(store, id, &above).map(drop)
    }

    /// Returns the world transform that a node's children inherit once all listed nodes are at their targets.
    fn inherited(&mut self, store: &Store, id: RecordId) -> Result<Above, Error> {
        let mut at = Some(id);
        let mut above = loop {
            let Some(id) = at else { break Above::WORLD };
            if let Some(&known) = self.above.get(&id) {
                break known;
            }
            self.way.push(id);
            at = store.nodes.local_parent(id);
        };
        while let Some(id) = self.way.pop() {
            if let Some(local) = self.local(store, id, &above)? {
                above = above.below(local);
            }
            // The last is the parent, which siblings share. Keeping all 256 bytes of each would take most of the time.
            if self.way.len().is_multiple_of(KEPT) {
                self.above.insert(id, above);
            }
        }
        Ok(above)
    }

    /// Returns the final local transform of a node that inherits `above`, or `None` if the node has none.
    fn local(&mut self, store: &Store, id: RecordId, above: &Above) -> Result<Option<Local>, Error> {
        // A node that is not listed keeps its local transform.
        let Some(target) = self.listed.get_mut(&id) else { return Ok(store.nodes.local(id)) };
        let local = match *target {
            Target::Local(local) => local,
            Target::World(world) => {
                above.local_at(world, || store.nodes.handle(store.nodes.local_parent(id).unwrap_or(id)))?
            }
        };
        *target = Target::Local(local);
        Ok(Some(local))
    }
}
