//! A side table for the user's own data, keyed by handle.

mod blocks;
mod iter;

pub use iter::{Drain, IntoIter, Iter, IterMut};

use crate::{NodeHandle, NodeRef, Scene};
use blocks::{Blocks, Entry};
use core::fmt;
use core::ops::{Index, IndexMut};

/// A map from [`NodeHandle`] to your own data, with lookups by array accesses instead of hashing.
///
/// Values are in blocks of 64 by record number, like the scene's own side data. A block is allocated at first use, so a
/// map is cheap if few nodes have a value. An entry is a generation (4 bytes) and a value. Inserting with a handle of
/// another scene or of arbitrary bits allocates at most 2 MB the first time, and at most 32 KB each further time.
///
/// The map does not know the scene. The value of a removed node stays, and can be read by the stale handle, until
///
/// - [`remove`](Self::remove), [`remove_stale`](Self::remove_stale) or another removal removes it, or
/// - a value is inserted for a later node with the same record number: [`insert`](Self::insert) returns the old value
///   with its handle, so that you can free resources that belong to the value.
///
/// The handle of the later node never reads the old value. Once the map has a value for the later node, the older
/// handle reads `None`, and inserting with it does nothing.
///
/// So a map is for the nodes of one scene. If nodes of two scenes have the same record number, they share one entry, in
/// which [`insert`](Self::insert) keeps the later generation. If handles have the same bits, they share one value.
///
/// Iteration is in the order of the handles, so it is the same from run to run.
///
/// ```
/// use hedgerow::{Node, Scene, data::NodeMap};
///
/// let mut scene = Scene::new();
/// let car = scene.insert(scene.root(), Node::group())?;
/// let mut speeds = NodeMap::new();
/// assert_eq!(speeds.insert(car, 13.9_f32), None);
/// assert_eq!(speeds.get(car), Some(&13.9));
///
/// scene.remove(car)?;
/// let tree = scene.insert(scene.root(), Node::group())?;
/// assert_eq!(speeds.get(tree), None);
/// assert_eq!(speeds.remove_stale(&scene), [(car, 13.9)]);
/// assert!(speeds.is_empty());
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone)]
pub struct NodeMap<V> {
    blocks: Blocks<V>,
    /// The number of values.
    len: usize,
}

impl<V> NodeMap<V> {
    /// Creates an empty map. Allocates nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { blocks: Blocks::new(), len: 0 }
    }

    /// Returns the number of values, including those of stale handles. Runs in **O(1)**.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there is no value. Runs in **O(1)**.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns whether there is a value for exactly this handle. Runs in **O(1)**.
    #[must_use]
    pub fn contains_key(&self, handle: NodeHandle) -> bool {
        self.get(handle).is_some()
    }

    /// Returns the value for this handle. Runs in **O(1)**.
    #[must_use]
    pub fn get(&self, handle: NodeHandle) -> Option<&V> {
        let entry = self.blocks.slot(handle)?.as_ref()?;
        (entry.generation.get() == handle.generation()).then_some(&entry.value)
    }

    /// Returns the nearest node with a value, and the value: of a node and its ancestors. For example, finds the object
    /// to which a picked part belongs. Runs in **O(ancestors)**.
    ///
    /// ```
    /// # use hedgerow::{Node, Scene, data::NodeMap};
    /// # let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::group())?;
    /// let wheel = scene.insert(car, Node::group())?;
    /// let owners = NodeMap::from_iter([(car, "Ada")]);
    /// assert_eq!(owners.nearest(scene.get(wheel).unwrap()), Some((car, &"Ada")));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn nearest(&self, node: NodeRef<'_>) -> Option<(NodeHandle, &V)> {
        let of = |node: NodeRef<'_>| Some((node.handle(), self.get(node.handle())?));
        of(node).or_else(|| node.ancestors().find_map(of))
    }

    /// Returns the value for this handle, mutably. Runs in **O(1)**.
    ///
    /// ```
    /// # let scene = hedgerow::Scene::new();
    /// let mut map = hedgerow::data::NodeMap::from_iter([(scene.root(), 1)]);
    /// if let Some(value) = map.get_mut(scene.root()) {
    ///     *value += 1;
    /// }
    /// assert_eq!(map[scene.root()], 2);
    /// ```
    #[must_use]
    pub fn get_mut(&mut self, handle: NodeHandle) -> Option<&mut V> {
        let entry = self.blocks.slot_mut(handle)?.as_mut()?;
        (entry.generation.get() == handle.generation()).then_some(&mut entry.value)
    }

    /// Sets the value for this handle, and returns the displaced entry, if any, so that no value is dropped silently.
    ///
    /// The entry is this handle with its previous value, or the stale handle and the value of an *earlier* node with
    /// the same record number. That node was removed, so you can free resources that belong to the value. If the map
    /// has the value of a *later* node with the same record number, this handle is stale or belongs to another scene.
    /// Then nothing changes, and the given handle and value are returned. Runs in amortised **O(1)**.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, data::NodeMap};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::group())?;
    /// let mut bodies = NodeMap::new();
    /// assert_eq!(bodies.insert(car, 1), None);
    /// assert_eq!(bodies.insert(car, 2), Some((car, 1)));
    ///
    /// scene.remove(car)?;
    /// let tree = scene.insert(scene.root(), Node::group())?;
    /// assert_eq!(bodies.insert(tree, 3), Some((car, 2)), "body 2 belongs to nobody any more");
    /// assert_eq!(bodies.insert(car, 4), Some((car, 4)), "the tree wins");
    /// assert_eq!(bodies.get(tree), Some(&3));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use = "this is the displaced entry, if any: free what it owns, or drop it with `_ =`"]
    pub fn insert(&mut self, handle: NodeHandle, value: V) -> Option<(NodeHandle, V)> {
        if self.key_at(handle).is_some_and(|held| held.generation() > handle.generation()) {
            return Some((handle, value));
        }
        self.replace(handle, value)
    }

    /// Sets the value for this handle, whichever node's value is in the entry, and returns the replaced entry.
    pub(crate) fn replace(&mut self, handle: NodeHandle, value: V) -> Option<(NodeHandle, V)> {
        let before = self.blocks.slot_or_grow(handle).replace(Entry::new(handle, value));
        self.len += usize::from(before.is_none());
        before.map(|entry| (entry.handle(handle.record()), entry.value))
    }

    /// Returns the handle whose value is in this handle's entry: this handle, or that of a node with the same record.
    pub(crate) fn key_at(&self, handle: NodeHandle) -> Option<NodeHandle> {
        Some(self.blocks.slot(handle)?.as_ref()?.handle(handle.record()))
    }

    /// Returns the value for this handle. If there is none, makes and inserts one.
    ///
    /// Returns `None` only if the map has the value of a later node with the same record number, as with
    /// [`insert`](Self::insert); `make` is not called then. Drops the value of an earlier node with the same record
    /// number, which [`insert`](Self::insert) returns. Runs in amortised **O(1)**.
    ///
    /// ```
    /// # let scene = hedgerow::Scene::new();
    /// let mut visits = hedgerow::data::NodeMap::new();
    /// for _ in 0..3 {
    ///     if let Some(count) = visits.get_or_insert_with(scene.root(), || 0) {
    ///         *count += 1;
    ///     }
    /// }
    /// assert_eq!(visits[scene.root()], 3);
    /// ```
    #[doc(alias = "entry")]
    pub fn get_or_insert_with(&mut self, handle: NodeHandle, make: impl FnOnce() -> V) -> Option<&mut V> {
        let slot = self.blocks.slot_or_grow(handle);
        let held = slot.as_ref().map_or(0, |entry| entry.generation.get());
        if held > handle.generation() {
            return None;
        }
        if held != handle.generation() {
            let entry = Entry::new(handle, make());
            self.len += usize::from(held == 0);
            *slot = Some(entry);
        }
        slot.as_mut().map(|entry| &mut entry.value)
    }

    /// Removes the value for this handle and returns it. Runs in **O(1)**.
    ///
    /// ```
    /// # let scene = hedgerow::Scene::new();
    /// let mut map = hedgerow::data::NodeMap::from_iter([(scene.root(), "root")]);
    /// assert_eq!(map.remove(scene.root()), Some("root"));
    /// assert!(!map.contains_key(scene.root()));
    /// ```
    pub fn remove(&mut self, handle: NodeHandle) -> Option<V> {
        let slot = self.blocks.slot_mut(handle)?;
        let entry = slot.take_if(|entry| entry.generation.get() == handle.generation())?;
        self.len -= 1;
        Some(entry.value)
    }

    /// Drops every value for which `keep` returns false. Runs in **O(reach)**, as [`iter`](Self::iter) does.
    ///
    /// ```
    /// # let scene = hedgerow::Scene::new();
    /// let mut map = hedgerow::data::NodeMap::from_iter([(scene.root(), 7)]);
    /// map.retain(|_, value| *value % 2 == 0);
    /// assert!(map.is_empty());
    /// ```
    pub fn retain(&mut self, mut keep: impl FnMut(NodeHandle, &mut V) -> bool) {
        for (record, slot) in self.blocks.iter_mut() {
            if let Some(entry) = slot
                && !keep(entry.handle(record), &mut entry.value)
            {
                self.len -= 1;
                *slot = None;
            }
        }
    }

    /// Removes the values of nodes that are not in the scene, and returns them in the order of their handles. Values of
    /// another scene's nodes stay if nodes of this scene have the same handles. Takes as long as [`iter`](Self::iter).
    ///
    /// ```
    /// use hedgerow::{Node, Scene, data::NodeMap};
    ///
    /// let mut scene = Scene::new();
    /// let house = scene.insert(scene.root(), Node::group())?;
    /// let mut map = NodeMap::from_iter([(scene.root(), "root"), (house, "house")]);
    /// scene.remove(house)?;
    /// assert_eq!(map.remove_stale(&scene), [(house, "house")]);
    /// assert_eq!(map.keys().collect::<Vec<_>>(), [scene.root()]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn remove_stale(&mut self, scene: &Scene) -> Vec<(NodeHandle, V)> {
        let mut stale = Vec::new();
        for (record, slot) in self.blocks.iter_mut() {
            if let Some(entry) = slot.take_if(|entry| !scene.contains(entry.handle(record))) {
                self.len -= 1;
                stale.push((entry.handle(record), entry.value));
            }
        }
        stale
    }

    /// Drops all values and keeps the memory. Runs in **O(reach)**, as [`iter`](Self::iter) does.
    pub fn clear(&mut self) {
        self.drain();
    }

    /// Frees blocks without values. Runs in **O(reach)**, as [`iter`](Self::iter) does.
    pub fn shrink_to_fit(&mut self) {
        self.blocks.shrink_to_fit();
    }

    /// Removes all values, in the order of their handles, and keeps the memory.
    ///
    /// When the iterator is dropped, values that it has not yielded are dropped too; if the iterator is leaked, these
    /// values stay in the map. Runs in **O(reach)**, as [`iter`](Self::iter) does.
    ///
    /// ```
    /// # let scene = hedgerow::Scene::new();
    /// let mut map = hedgerow::data::NodeMap::from_iter([(scene.root(), "root")]);
    /// assert_eq!(map.drain().collect::<Vec<_>>(), [(scene.root(), "root")]);
    /// assert!(map.is_empty());
    /// ```
    pub fn drain(&mut self) -> Drain<'_, V> {
        Drain::new(self)
    }

    /// Iterates over all handles, including stale ones, and their values, in the order of the handles.
    ///
    /// Runs in **O(reach)**: 64 entries for each block in use, plus one step per 64 record numbers up to the greatest.
    ///
    /// ```
    /// # let scene = hedgerow::Scene::new();
    /// let map = hedgerow::data::NodeMap::from_iter([(scene.root(), "root")]);
    /// for (handle, name) in &map {
    ///     println!("{handle:?} is {name}");
    /// }
    /// ```
    pub fn iter(&self) -> Iter<'_, V> {
        Iter::new(self)
    }

    /// Iterates like [`iter`](Self::iter), with mutable values.
    pub fn iter_mut(&mut self) -> IterMut<'_, V> {
        IterMut::new(self)
    }

    /// Iterates over the handles of [`iter`](Self::iter).
    pub fn keys(&self) -> impl ExactSizeIterator<Item = NodeHandle> {
        self.iter().map(|(handle, _)| handle)
    }

    /// Iterates over the values of [`iter`](Self::iter).
    pub fn values(&self) -> impl ExactSizeIterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    /// Iterates over the values of [`iter_mut`](Self::iter_mut).
    pub fn values_mut(&mut self) -> impl ExactSizeIterator<Item = &mut V> {
        self.iter_mut().map(|(_, value)| value)
    }
}

impl<V> Default for NodeMap<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: fmt::Debug> fmt::Debug for NodeMap<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

impl<V: PartialEq> PartialEq for NodeMap<V> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.iter().eq(other)
    }
}

impl<V: Eq> Eq for NodeMap<V> {}

/// Panics if there is no value for the handle; [`NodeMap::get`] returns `None` instead.
impl<V> Index<NodeHandle> for NodeMap<V> {
    type Output = V;

    fn index(&self, handle: NodeHandle) -> &V {
        self.get(handle).expect("no value for this handle")
    }
}

/// Panics if there is no value for the handle; [`NodeMap::get_mut`] returns `None` instead.
impl<V> IndexMut<NodeHandle> for NodeMap<V> {
    fn index_mut(&mut self, handle: NodeHandle) -> &mut V {
        self.get_mut(handle).expect("no value for this handle")
    }
}
