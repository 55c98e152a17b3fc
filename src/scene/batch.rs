//! Batches: many edits of one kind in one call.
//!
//! A list is checked as a whole before anything changes. Then its edits are made, most kinds in the order in which the
//! nodes lie in storage, and what the next edits will read is prefetched. What an iterator gives is set as it comes.
//! Single edits in random places mostly wait for memory one after another; those of a batch wait together.

use crate::error::BatchError;
use crate::handle::ByHandle;
use crate::scene::{Keep, Scene};
use crate::store::{At, LocalSlot, MAX_NODES, Store};
use crate::{Error, Local, Node, NodeHandle, Transform, node::LocalForm};
use core::borrow::Borrow;
use smallvec::SmallVec;

/// How many transforms are taken from an iterator before the first of them is set: 4 KB.
const TAKEN: usize = 64;

impl Scene {
    /// Inserts many nodes, each as the last child of its parent, and appends their handles to `handles` in the order of
    /// `items`.
    ///
    /// The tree is the same as after one [`Scene::insert`] after another, with siblings in the order of `items`; only
    /// which node gets which handle may differ. Runs in amortised **O(n)** for n items. Many inserts in random places
    /// of a large scene take about half the time of single ones.
    ///
    /// # Errors
    /// [`BatchError::item`] names the first item that is refused: [`Error::StaleHandle`] for its parent,
    /// [`Error::NotFinite`], [`Error::NotRotation`]. [`Error::CapacityOverflow`] if the scene may run out of handle
    /// tables: since every node might need a table of its own, a call takes at most 2²⁴ less
    /// [`Stats::tables`](crate::stats::Stats::tables) nodes. For more, make several calls, or use
    /// [`SceneBuilder`](crate::edit::SceneBuilder). The scene and `handles` are unchanged.
    ///
    /// ```
    /// use hedgerow::edit::BatchError;
    /// use hedgerow::{Error, Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let root = scene.root();
    /// let mut handles = Vec::new();
    /// scene.insert_many(&[(root, Node::group()), (root, Node::material(2))], &mut handles)?;
    /// assert!(scene.children(root).eq(handles.iter().copied()));
    ///
    /// let gone = handles[0];
    /// scene.remove(gone)?;
    /// let refused = scene.insert_many(&[(root, Node::group()), (gone, Node::group())], &mut handles);
    /// assert_eq!(refused, Err(BatchError { item: Some(1), error: Error::StaleHandle(gone) }));
    /// assert_eq!((scene.len(), handles.len()), (2, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn insert_many(
        &mut self,
        items: &[(NodeHandle, Node<'_>)],
        handles: &mut Vec<NodeHandle>,
    ) -> Result<(), BatchError> {
        if items.len() > MAX_NODES - self.store.total_len() || !self.store.can_open_tables(items.len()) {
            return Err(Error::CapacityOverflow.into());
        }
        self.store.insert_many(items, handles, |store, parent, node| {
            let at = store.resolve(parent).ok_or(Error::StaleHandle(parent))?;
            if !node.is_plain() {
                node.checked()?;
            }
            Ok(at)
        })
    }

    /// Removes many nodes with everything below them, and returns the number of nodes removed.
    ///
    /// The list is a set: a node that is listed twice, or is below another listed node, is removed once. Runs in
    /// **O(nodes removed + n)** for n handles. Many removals in random places of a large scene take about half the time
    /// of single ones.
    ///
    /// # Errors
    /// [`BatchError::item`] names the first handle that is refused: [`Error::StaleHandle`] for one that was stale
    /// before the call, [`Error::RootIsFixed`]. The scene is unchanged.
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
        self.store.remove_many(nodes, |store, node| match store.resolve(node) {
            None => Err(Error::StaleHandle(node)),
            Some(At::ROOT) => Err(Error::RootIsFixed),
            Some(at) => Ok(at),
        })
    }

    /// Sets the local transforms of many nodes that have one. If a node is listed twice, the last one counts.
    ///
    /// Runs in **O(n)** for n items, which take as long as with [`Scene::set_locals`].
    ///
    /// # Errors
    /// [`BatchError::item`] names the first item that is refused: [`Error::StaleHandle`], [`Error::NoTransform`],
    /// [`Error::NotFinite`], [`Error::NotRotation`]. The scene is unchanged.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// scene.set_transforms(&[(car, Transform::from_xyz(1.0, 0.0, 0.0)), (car, Transform::from_xyz(2.0, 0.0, 0.0))])?;
    /// scene.update();
    /// assert_eq!(scene.world(car).unwrap().translation().x, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_transforms(&mut self, items: &[(NodeHandle, Transform)]) -> Result<(), BatchError> {
        self.store.set_many(items, |store, node, transform| {
            store.resolve(node).ok_or(Error::StaleHandle(node))?;
            transform.checked()?;
            store.local_slot_of(node).ok_or(Error::NoTransform(node))
        })
    }

    /// Sets the local transforms that an iterator gives, in its order, each like [`Scene::set_local`]: for frames that
    /// move many nodes.
    ///
    /// No list is made: items are taken a few dozen at a time, so that those in random places of a large scene wait for
    /// memory together. In scenes of some 260,000 nodes they take a third to two thirds less time than single
    /// [`Scene::set_local`] calls where one in a hundred is set, up to 45 % less where half are, and up to a third less
    /// where all are; in a scene that stays in the cache they take up to three times as long where half or all are set.
    /// References to transforms take less than transforms. Runs in **O(n)** for n items.
    ///
    /// # Errors
    /// [`BatchError::item`] names the first item that is refused: [`Error::StaleHandle`], [`Error::NotFinite`],
    /// [`Error::NotRotation`]. Unlike with [`Scene::set_transforms`], those before it have been set; those behind it
    /// have not, although up to 63 of them were taken from the iterator.
    ///
    /// If the iterator panics, some of the last 63 items that it gave have not been set.
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
    /// // Handles and transforms in lists of their own:
    /// let (nodes, locals) = ([balls[0].0, balls[1].0], [Transform::IDENTITY; 2]);
    /// scene.set_locals(nodes.into_iter().zip(&locals))?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_locals<T: Borrow<Transform>>(
        &mut self,
        items: impl IntoIterator<Item = (NodeHandle, T)>,
    ) -> Result<(), BatchError> {
        let mut items = items.into_iter().fuse();
        let mut taken = SmallVec::<[(NodeHandle, Transform); TAKEN]>::new();
        let mut before = 0;
        loop {
            taken.clear();
            for (node, local) in items.by_ref().take(TAKEN) {
                self.store.prefetch_entry(node);
                // The copy is read some dozens of items later, when it has long been written.
                taken.push((node, *local.borrow()));
            }
            if taken.is_empty() {
                return Ok(());
            }
            let mut rest = &taken[..];
            while !rest.is_empty() {
                rest = &rest[self.store.set_run(|at| rest.get(at).map(|(node, local)| (*node, local)))..];
                if let [(node, local), behind @ ..] = rest {
                    let item = before + taken.len() - rest.len();
                    self.set_local(*node, *local).map_err(|error| BatchError::at(item, error))?;
                    rest = behind;
                }
            }
            before += taken.len();
        }
    }

    /// Sets the local transforms of many nodes that have one so that each is at its place in the world afterwards: for
    /// poses that come from a physics engine. Places are [`Transform`]s or [`Mat34`](crate::Mat34)s, whole: a place
    /// without a scale gives the node a scale of 1, and below parents of uneven scale a rotated one makes the local
    /// transform a matrix. [`guide::physics`](crate::guide::physics) has a frame with both.
    ///
    /// The result is the same to the bit as that of one [`Scene::set_world`] after another, if nodes above others come
    /// first. The order of `items` does not matter: a node may be listed with nodes above it, whose places count as
    /// they will be. If a node is listed twice, the last one counts. Nodes that are not listed keep their local
    /// transforms, and move with those above them.
    ///
    /// Runs in **O(n)** for n items, in O(n log n) if a node is listed twice or below another, and in O(ancestors with
    /// a transform) for each different parent, whose inverse is computed once for places that are transforms and scaled
    /// evenly. Takes some 150 bytes an item, about 80 for each parent, and 4 for each slice, which are kept for the
    /// next call until [`Scene::shrink_to_fit`].
    ///
    /// # Errors
    /// [`BatchError::item`] names an item that is refused, and the scene is as before. First all items are checked for
    /// [`Error::StaleHandle`], [`Error::NoTransform`], [`Error::NotFinite`] and [`Error::NotRotation`], then those that
    /// count for [`Error::Singular`] below a flattened parent, [`Error::NotFinite`] and [`Error::Underflow`] as with
    /// [`Scene::set_world`].
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
        self.store.set_worlds(items, check_world, place_of)
    }

    /// [`Scene::set_worlds`], if that gives the same as setting one after the other in the order of the list, and all of
    /// them succeed. Else nothing is changed. Calls `each` with the form of each local transform, in order, and returns
    /// whether it was done.
    pub(in crate::scene) fn set_worlds_apart(
        &mut self,
        items: &[(NodeHandle, Transform)],
        each: impl FnMut(LocalForm),
    ) -> bool {
        self.store.set_worlds_apart(items, check_world, place_of, each)
    }

    /// Detaches many subtrees from the tree, each like [`Scene::detach`].
    ///
    /// The list is a set: a node that is listed twice is detached once. One that is below another listed node becomes
    /// the root of a detached subtree of its own; pass [`Scene::topmost`] of the list to keep such nodes where they
    /// are. Runs as one [`Scene::detach`] after another, but in the order in which nodes lie in storage.
    ///
    /// # Errors
    /// [`BatchError::item`] names the first handle that is refused: [`Error::StaleHandle`], [`Error::RootIsFixed`]. The
    /// scene is unchanged.
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::group())?;
    /// let wheel = scene.insert(car, Node::group())?;
    /// scene.detach_many(&scene.topmost(&[wheel, car])?)?;
    /// assert_eq!((scene.parent(car), scene.parent(wheel)), (None, Some(car)));
    /// scene.detach_many(&[wheel, car])?;
    /// assert_eq!(scene.parent(wheel), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn detach_many(&mut self, nodes: &[NodeHandle]) -> Result<(), BatchError> {
        self.store.detach_many(nodes, |store, node| match store.resolve(node) {
            None => Err(Error::StaleHandle(node)),
            Some(At::ROOT) => Err(Error::RootIsFixed),
            Some(at) => Ok(at),
        })
    }

    /// The nodes of a list that are not below another node of the list, in the order of the list, each once: what to
    /// move, copy or remove where a whole selection is meant.
    ///
    /// Runs in **O(n + ancestors)** for n nodes: each node above them is visited once.
    ///
    /// # Errors
    /// [`BatchError::item`] names the first handle that is stale, with [`Error::StaleHandle`].
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::group())?;
    /// let wheel = scene.insert(car, Node::group())?;
    /// let tyre = scene.insert(wheel, Node::group())?;
    /// let tree = scene.insert(scene.root(), Node::group())?;
    /// assert_eq!(scene.topmost(&[tyre, tree, car, tree])?, [tree, car]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn topmost(&self, nodes: &[NodeHandle]) -> Result<Vec<NodeHandle>, BatchError> {
        // Of each node that was come to, whether it is listed or below one that is.
        let mut covered: ByHandle<bool> = ByHandle::with_capacity_and_hasher(nodes.len(), Default::default());
        for (item, &node) in nodes.iter().enumerate() {
            if !self.contains(node) {
                return Err(BatchError::at(item, Error::StaleHandle(node)));
            }
            covered.insert(node, true);
        }
        let mut way = Vec::new();
        let mut topmost = Vec::new();
        let mut taken: ByHandle<()> = ByHandle::default();
        for &node in nodes {
            let mut above = self.parent(node);
            let found = loop {
                let Some(next) = above else { break false };
                if let Some(&known) = covered.get(&next) {
                    break known;
                }
                way.push(next);
                above = self.parent(next);
            };
            covered.extend(way.drain(..).map(|node| (node, found)));
            if !found && taken.insert(node, ()).is_none() {
                topmost.push(node);
            }
        }
        Ok(topmost)
    }

    /// Moves many nodes with everything below them, each to the last child of its new parent.
    ///
    /// `items` are nodes with their new parents. The tree is the same as after one [`Scene::reparent`] after another,
    /// with siblings in the order of `items`, if all of these succeed. A node that is listed twice only goes to its
    /// last place. Only the final tree matters: a parent and its child can be swapped in one call, in any order.
    ///
    /// With [`Keep::World`] local transforms are computed from the world transforms before the call. They may differ in
    /// the last digits from the results of single moves.
    ///
    /// Runs in **O(nodes moved)**, as [`Scene::reparent`] does. If a listed node has children, this also takes
    /// O(ancestors of the new parents), each visited once. [`Keep::World`] takes O(ancestors with a transform) for each
    /// item.
    ///
    /// # Errors
    /// [`BatchError::item`] names an item that is refused, and the scene is as before. The items are checked for one
    /// error after another, and the first item that fails a check is named: [`Error::StaleHandle`] and
    /// [`Error::RootIsFixed`]; [`Error::WouldCycle`] for a node that would become its own ancestor; with
    /// [`Keep::World`], [`Error::Singular`], [`Error::NotFinite`] and [`Error::Underflow`] as for [`Scene::reparent`].
    /// After these checks nothing is refused.
    ///
    /// ```
    /// use hedgerow::{Keep, Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let root = scene.root();
    /// let above = scene.insert(root, Node::group())?;
    /// let below = scene.insert(above, Node::group())?;
    /// scene.reparent_many(&[(above, below), (below, root)], Keep::Local)?;
    /// assert_eq!(scene.parent(above), Some(below));
    /// assert_eq!(scene.parent(below), Some(root));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn reparent_many(&mut self, items: &[(NodeHandle, NodeHandle)], keep: Keep) -> Result<(), BatchError> {
        self.store.move_many(items, keep == Keep::World, |store, node, parent| {
            let at = store.resolve(node).ok_or(Error::StaleHandle(node))?;
            if at == At::ROOT {
                return Err(Error::RootIsFixed);
            }
            store.resolve(parent).map(|_| at).ok_or(Error::StaleHandle(parent))
        })
    }
}

/// Where the node of an item keeps its local transform, if the item is in order.
#[inline]
fn check_world<W: Copy + Into<Local>>(store: &Store, node: NodeHandle, &world: &W) -> Result<LocalSlot, Error> {
    let slot = match store.local_slot_of(node) {
        Some(slot) => slot,
        None if store.resolve(node).is_none() => return Err(Error::StaleHandle(node)),
        None => return Err(Error::NoTransform(node)),
    };
    world.into().checked_world().map(|_| slot)
}

/// The place of an item that was checked.
#[inline]
fn place_of<W: Copy + Into<Local>>(&world: &W) -> Local {
    world.into().checked_world().expect("the batch was checked before")
}
