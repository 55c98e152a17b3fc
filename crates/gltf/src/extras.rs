//! Extensions and extras of items.

use gltf::json::Extras as Json;
use serde_json::{Map, Value};

/// The JSON of an item's extensions, by name, except for extensions that the import supports. Indices in the JSON are
/// not checked; [`Imported::texture_ref`](crate::Imported::texture_ref) reads references to textures.
///
/// ```
/// let text = br#"{
///     "asset": {"version": "2.0"}, "extensionsUsed": ["VRM"], "extensions": {"VRM": {"meta": {"title": "Alicia"}}},
///     "nodes": [{"extensions": {"MY_door": {"locked": true}}}]
/// }"#;
/// let imported = hedgerow_gltf::from_slice(text, None)?.imported;
/// assert_eq!(imported.extensions["VRM"]["meta"]["title"], "Alicia");
/// assert_eq!(imported.nodes[0].extensions["MY_door"]["locked"], true);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub type Extensions = Map<String, Value>;

/// Returns the [`Extensions`] of an item in the parsed JSON if `$wanted`, else an empty map.
macro_rules! others {
    ($json:expr, $wanted:expr) => {
        match &$json.extensions {
            Some(extensions) if $wanted => extensions.others.clone(),
            _ => $crate::Extensions::new(),
        }
    };
}
pub(crate) use others;

/// Returns a natural number, even if it is written as `3.0`.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is whole and in range")]
pub(crate) fn natural(value: &Value) -> Option<u64> {
    let float = || value.as_f64().filter(|it| it.fract() == 0.0 && (0.0..9e15).contains(it)).map(|it| it as u64);
    value.as_u64().or_else(float)
}

/// The `extras` of an item: JSON of any form, which its author or exporter added.
///
/// The JSON is kept as text; [`value`](Self::value) parses it.
///
/// ```
/// let text = br#"{
///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}],
///     "nodes": [{"name": "door", "extras": {"locked": true, "key": "brass"}}]
/// }"#;
/// let imported = hedgerow_gltf::from_slice(text, None)?.imported;
/// let extras = &imported.nodes[0].extras;
/// assert_eq!(extras.text(), Some(r#"{"locked": true, "key": "brass"}"#));
/// assert_eq!(extras.value().unwrap()["key"], "brass");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Extras(Option<Box<str>>);

impl Extras {
    /// Returns the extras in the file if `wanted`, else empty extras.
    pub(super) fn read(json: &Json, wanted: bool) -> Self {
        Self(json.as_ref().filter(|_| wanted).map(|json| json.get().into()))
    }

    /// Returns whether the item has no extras.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Returns the JSON as it is in the file; `None` if the item has none.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.0.as_deref()
    }

    /// Returns the JSON as a value; `None` if the item has no extras, or if they nest more than 127 levels deep.
    ///
    /// Runs in **O(text)**.
    #[must_use]
    pub fn value(&self) -> Option<Value> {
        serde_json::from_str(self.text()?).ok()
    }
}
