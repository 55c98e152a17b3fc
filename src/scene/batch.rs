//! Many edits of one kind in one call.
//!
//! A batch is checked as a whole before anything changes, and then made in the order in which the nodes lie in storage,
//! with what the next edits are going to read asked for ahead. Edits in random places mostly wait for memory one after
//! another; those of a batch wait together.

use crate::scene::Scene;
use crate::simd::prefetch_whole;
use crate::store::{At, MAX_NODES, NIL, Need, Tour};
use crate::{Error, Local, Node, NodeHandle, Transform};

/// How many edits ahead an item itself is asked for: before the handle in it is looked at.
const ITEM_AHEAD: usize = 24;

/// How many items ahead the transform to be set is asked for.
const LOCAL_AHEAD: usize = 8;

/// A scene of no more nodes than this lies in the cache, wherever its edits go: they are made in the order given.
const NEAR: usize = 8192;

impl Scene {
    /// Inserts many nodes, each behind the last child of its parent, and appends their handles to `handles` in the order
    /// of `items`.
    ///
    /// The tree is then the same as after [`Scene::insert`] of one after another, siblings in the order of `items`; only
    /// which handle is whose may differ. Computes in amortised **O(n)** for n items, for many in random places of a large
    /// scene in about half the time of single inserts.
    ///
    /// # Errors
    /// [`Error::InBatch`] names the first item that is refused: [`Error::StaleHandle`] for its parent,
    /// [`Error::NotFinite`], [`Error::NotRotation`]. [`Error::CapacityOverflow`] where the scene may not have a number for
    /// each node: as every one of them might need a handle table of its own, a call takes as many nodes as there can still be
    /// tables, 2²⁴ less [`Stats::tables`](crate::Stats::tables). More than that go in several calls, or through
    /// [`SceneBuilder`](crate::SceneBuilder). The scene and `handles` are as before.
    ///
    /// ```
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
    /// assert_eq!(refused, Err(Error::InBatch { index: 1, error: Box::new(Error::StaleHandle(gone)) }));
    /// assert_eq!((scene.len(), handles.len()), (2, 2));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn insert_many(
        &mut self,
        items: &[(NodeHandle, Node<'_>)],
        handles: &mut Vec<NodeHandle>,
    ) -> Result<(), Error> {
        if items.len() > MAX_NODES - self.store.total_len() || !self.store.tables.can_open(items.len()) {
            return Err(Error::CapacityOverflow);
        }
        let check = |node: &Node<'_>| if node.is_plain() { Ok(()) } else { node.checked().map(drop) };
        let mut tour = self.tour(
            items,
            |item| item.0,
            |scene, (parent, node)| {
                let at = scene.at(*parent)?;
                check(node)?;
                Ok(at)
            },
        )?;
        let start = handles.len();
        handles.resize(start + items.len(), self.root());
        let made = &mut handles[start..];
        if self.store.total_len() <= NEAR {
            for (made, (parent, node)) in made.iter_mut().zip(items) {
                let handle = self.insert_described((*parent).into(), node, &Need::of(node), node.is_plain());
                *made = handle.expect("the batch was checked before");
            }
            self.store.tour = tour;
            return Ok(());
        }
        let order = tour.sorted(&self.store.slices);
        for (step, &item) in order.iter().enumerate() {
            let ahead = |steps: usize| order.get(step + steps).map(|&item| items[item as usize].0);
            if let Some(&item) = order.get(step + ITEM_AHEAD) {
                prefetch_whole(items, item as usize);
            }
            self.store.look_ahead(ahead, |slice, row, steps| {
                slice.prefetch_places(row, &items[order[step + steps] as usize].1);
            });
            let (parent, node) = &items[item as usize];
            let handle = self.insert_described((*parent).into(), node, &Need::of(node), node.is_plain());
            made[item as usize] = handle.expect("the batch was checked before");
        }
        self.store.tour = tour;
        Ok(())
    }

    /// Removes many nodes with all below them, and answers how many nodes that were.
    ///
    /// The list is a set: a node that is named twice, or lies below another of the list, goes once. Computes in **O(nodes
    /// removed + n)** for n handles, for many in random places of a large scene in about half the time of single removals.
    ///
    /// # Errors
    /// [`Error::InBatch`] names the first handle that is refused: [`Error::StaleHandle`] for one that was stale before the
    /// call, [`Error::RootIsFixed`]. The scene is as before.
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::group())?;
    /// let wheel = scene.insert(car, Node::group())?;
    /// assert_eq!(scene.remove_many(&[wheel, car, wheel])?, 2);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn remove_many(&mut self, nodes: &[NodeHandle]) -> Result<usize, Error> {
        let mut tour = self.tour(
            nodes,
            |&node| node,
            |scene, &node| match scene.at(node)? {
                At::ROOT => Err(Error::RootIsFixed),
                at => Ok(at),
            },
        )?;
        let mut removed = 0;
        if self.store.total_len() <= NEAR {
            removed += nodes.iter().map(|&node| self.remove_listed(node)).sum::<usize>();
            self.store.tour = tour;
            return Ok(removed);
        }
        let order = tour.sorted(&self.store.slices);
        for (step, &item) in order.iter().enumerate() {
            let ahead = |steps: usize| order.get(step + steps).map(|&item| nodes[item as usize]);
            self.store.look_ahead(ahead, |slice, row, _| {
                let row = slice.row(row);
                for neighbour in [row.previous, row.next].map(|beside| if beside == NIL { row.parent } else { beside })
                {
                    slice.prefetch_row(neighbour);
                }
            });
            removed += self.remove_listed(nodes[item as usize]);
        }
        self.store.tour = tour;
        Ok(removed)
    }

    /// Removes a node of a checked batch; answers how many nodes that were, none if it went with another one.
    #[inline]
    fn remove_listed(&mut self, node: NodeHandle) -> usize {
        match self.remove(node) {
            Err(Error::StaleHandle(_)) => 0,
            gone => gone.expect("the batch was checked before"),
        }
    }

    /// Sets the local transforms of many nodes that have one; the last one counts of a node that is named twice.
    ///
    /// Computes in **O(n)** for n items, for many in random places of a large scene in about half the time of
    /// [`Scene::set_local`] of one after another.
    ///
    /// # Errors
    /// [`Error::InBatch`] names the first item that is refused: [`Error::StaleHandle`], [`Error::NoTransform`],
    /// [`Error::NotFinite`], [`Error::NotRotation`]. The scene is as before.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// scene.set_transforms(&[(car, Transform::from_xyz(1.0, 0.0, 0.0)), (car, Transform::from_xyz(2.0, 0.0, 0.0))])?;
    /// scene.update();
    /// assert_eq!(scene.world(car).unwrap().translation().x, 2.0);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn set_transforms(&mut self, items: &[(NodeHandle, Transform)]) -> Result<(), Error> {
        let mut slots = core::mem::take(&mut self.store.order);
        slots.clear();
        let kept = slots.capacity();
        for (index, (node, transform)) in items.iter().enumerate() {
            self.store.look_ahead(|steps| items.get(index + steps).map(|item| item.0), |_, _, _| {});
            match self.slot_to_set(*node, transform) {
                Ok(slot) => slots.push(slot),
                Err(error) => {
                    slots.clear();
                    slots.shrink_to(kept);
                    self.store.order = slots;
                    return Err(Error::InBatch { index, error: Box::new(error) });
                }
            }
        }
        for (index, (&(number, slot), (_, transform))) in slots.iter().zip(items).enumerate() {
            if let Some(&(number, slot)) = slots.get(index + LOCAL_AHEAD) {
                prefetch_whole(&self.store.slice(number).transforms.locals, slot as usize);
            }
            let local = Local::Transform(transform.checked().expect("the batch was checked before"));
            self.store.slice_mut(number).transforms.set_local(slot, local);
            self.store.mark(number);
        }
        self.store.order = slots;
        Ok(())
    }

    /// The slice and the slot of the transform of a node that is to be given another one.
    #[inline]
    fn slot_to_set(&self, node: NodeHandle, transform: &Transform) -> Result<(u32, u32), Error> {
        let at = self.at(node)?;
        transform.checked()?;
        let slot = self.store.row(at).transform.as_own().ok_or(Error::NoTransform(node))?;
        Ok((at.slice, slot))
    }

    /// Checks the items of a batch in order, and answers a tour of the places where they are to be made.
    fn tour<I>(
        &mut self,
        items: &[I],
        handle: impl Fn(&I) -> NodeHandle,
        check: impl Fn(&Self, &I) -> Result<At, Error>,
    ) -> Result<Tour, Error> {
        let mut tour = core::mem::take(&mut self.store.tour).restart();
        let kept = tour.capacity();
        for (index, item) in items.iter().enumerate() {
            self.store.look_ahead_for_entries(|steps| items.get(index + steps).map(&handle));
            match check(self, item) {
                Ok(at) => tour.add(index, at),
                Err(error) => {
                    tour.shrink_to(kept);
                    self.store.tour = tour;
                    return Err(Error::InBatch { index, error: Box::new(error) });
                }
            }
        }
        Ok(tour)
    }
}
