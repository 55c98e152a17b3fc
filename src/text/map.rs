//! Node maps in text: maps from handles, as 64-bit numbers, to values.

use crate::NodeHandle;
use crate::scene::NodeMap;
use core::fmt;
use core::marker::PhantomData;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes a map from handles to values, in the order of the handles; each handle as the 64 bits of
/// [`NodeHandle::to_bits`]. Use it for values that are saved along with a snapshot, which keeps handles.
///
/// ```
/// use hedgerow::{Scene, data::NodeMap};
///
/// let scene = Scene::new();
/// let names = NodeMap::from_iter([(scene.root(), String::from("town"))]);
/// let text = serde_json::to_string(&names).unwrap();
/// let loaded = Scene::from_bytes(&scene.to_bytes())?;
/// let read: NodeMap<String> = serde_json::from_str(&text).unwrap();
/// assert_eq!(read[loaded.root()], "town");
/// # Ok::<(), hedgerow::snapshot::SnapshotError>(())
/// ```
impl<V: Serialize> Serialize for NodeMap<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

/// Inserts the entries in order, like [`NodeMap::insert`].
///
/// Any text is safe: an entry takes at most 32 KB and room for 64 values, however large its number, and all of them
/// 4 MB once. Handles of one scene are close together, and take far less.
impl<'de, V: Deserialize<'de>> Deserialize<'de> for NodeMap<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

struct Entries<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
    type Value = NodeMap<V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map from node handles")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<NodeMap<V>, A::Error> {
        let mut map = NodeMap::new();
        while let Some((node, value)) = entries.next_entry::<NodeHandle, V>()? {
            _ = map.insert(node, value);
        }
        Ok(map)
    }
}
