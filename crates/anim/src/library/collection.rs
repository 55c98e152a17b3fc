//! Values of one kind, by keys and names.

use core::ops::Index;
use hedgerow_math::internal::fallible;
use slotmap::{Key, SlotMap};
use std::collections::TryReserveError;
use std::sync::Arc;

/// Values of one kind in a [`Library`](super::Library), each with a key and optionally a name.
///
/// Names need not be unique. Access by key runs in **O(1)**, [`find`](Self::find) by name in **O(values)**.
#[derive(Debug)]
pub struct Collection<K: Key, V> {
    items: SlotMap<K, Item<V>>,
}

#[derive(Debug)]
struct Item<V> {
    name: Option<Box<str>>,
    value: Arc<V>,
}

impl<K: Key, V> Collection<K, V> {
    /// Adds a value with a name, or with `None` for no name. Runs in amortised **O(1)**.
    ///
    /// # Panics
    /// Panics if there are 2³² - 2 values.
    ///
    /// ```
    /// use hedgerow_anim::{Skin, library::Library};
    /// use std::sync::Arc;
    ///
    /// let mut library = Library::new();
    /// let shared = Arc::new(Skin::default());
    /// let named = library.skins.insert("coat", shared.clone());
    /// let unnamed = library.skins.insert(None, Skin::default());
    /// assert_eq!((library.skins.name(named), library.skins.name(unnamed)), (Some("coat"), None));
    /// assert!(Arc::ptr_eq(&library.skins[named], &shared));
    /// ```
    pub fn insert<'n>(&mut self, name: impl Into<Option<&'n str>>, value: impl Into<Arc<V>>) -> K {
        self.items.insert(Item { name: name.into().map(Box::from), value: value.into() })
    }

    /// Creates an empty collection, which already allocates one slot. Returns an error if the allocation fails.
    pub(super) fn try_new() -> Result<Self, TryReserveError> {
        fallible::probe::<(Item<V>, u64)>(1)?;
        Ok(Self::default())
    }

    /// Adds a value, or returns an error if the allocation fails.
    pub(super) fn try_insert(&mut self, name: Option<&str>, value: V) -> Result<K, TryReserveError> {
        let name = name.map(fallible::text).transpose()?;
        let value = fallible::shared(value)?;
        self.items.try_reserve(1)?;
        Ok(self.items.insert(Item { name, value }))
    }

    /// Returns the value of a key, or `None` for a stale key. [`Index`] panics instead.
    #[must_use]
    pub fn get(&self, key: K) -> Option<&Arc<V>> {
        self.items.get(key).map(|item| &item.value)
    }

    /// Returns the name of a value, or `None` if the value has no name or the key is stale.
    #[must_use]
    pub fn name(&self, key: K) -> Option<&str> {
        self.items.get(key)?.name.as_deref()
    }

    /// Changes or removes the name of a value. Returns false for a stale key.
    pub fn rename<'n>(&mut self, key: K, name: impl Into<Option<&'n str>>) -> bool {
        let item = self.items.get_mut(key);
        item.map(|item| item.name = name.into().map(Box::from)).is_some()
    }

    /// Replaces the value of a key and returns the old value. Does nothing and returns `None` for a stale key.
    #[must_use = "this is the old value, or `None` if nothing was replaced; drop it with `_ =`"]
    pub fn replace(&mut self, key: K, value: impl Into<Arc<V>>) -> Option<Arc<V>> {
        self.items.get_mut(key).map(|item| core::mem::replace(&mut item.value, value.into()))
    }

    /// Removes a value and returns it, or `None` for a stale key. Other references to the value keep it alive.
    pub fn remove(&mut self, key: K) -> Option<Arc<V>> {
        self.items.remove(key).map(|item| item.value)
    }

    /// Returns whether there is a value for this key.
    #[must_use]
    pub fn contains(&self, key: K) -> bool {
        self.items.contains_key(key)
    }

    /// Returns the key of the first value with this name, in the order of [`iter`](Self::iter). Runs in **O(values)**,
    /// so keep the key.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<K> {
        self.items.iter().find_map(|(key, item)| (item.name.as_deref() == Some(name)).then_some(key))
    }

    /// Returns all values with their keys and names, in the order of insertion as long as nothing is removed. The byte
    /// format preserves the order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (K, Option<&str>, &Arc<V>)> {
        self.items.iter().map(|(key, item)| (key, item.name.as_deref(), &item.value))
    }

    /// Returns all keys, in the order of [`iter`](Self::iter).
    pub fn keys(&self) -> impl ExactSizeIterator<Item = K> {
        self.items.keys()
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether the collection has no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Removes all values.
    pub fn clear(&mut self) {
        self.items.clear();
    }
}

impl<K: Key, V> Index<K> for Collection<K, V> {
    type Output = Arc<V>;

    /// # Panics
    /// Panics if the key is stale.
    fn index(&self, key: K) -> &Arc<V> {
        self.get(key).expect("the key names a value of the library")
    }
}

impl<K: Key, V: PartialEq> PartialEq for Collection<K, V> {
    /// Compares values, names and order, but not keys.
    fn eq(&self, other: &Self) -> bool {
        let values = |(_, name, value)| (name, value);
        self.iter().map(values).eq(other.iter().map(values))
    }
}

impl<K: Key, V> Default for Collection<K, V> {
    fn default() -> Self {
        Self { items: SlotMap::with_key() }
    }
}

impl<K: Key, V> Clone for Collection<K, V> {
    /// Copies all references, with the same keys.
    fn clone(&self) -> Self {
        Self { items: self.items.clone() }
    }
}

impl<V> Clone for Item<V> {
    fn clone(&self) -> Self {
        Self { name: self.name.clone(), value: self.value.clone() }
    }
}
