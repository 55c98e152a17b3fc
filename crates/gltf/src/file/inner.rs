//! The extensions of objects that are no items of an import, such as samplers, channels and texture references.

use super::source::is_read_here;
use crate::Extensions;
use core::fmt;
use serde::de::{DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

/// The lists whose elements are items: each has its own `extensions` in an import.
const ITEMS: [&str; 8] = ["animations", "cameras", "images", "materials", "meshes", "nodes", "scenes", "skins"];

/// Returns the extensions of all other objects in the JSON of a file, with the JSON pointer of each object, in the
/// order of the file, and the bytes of all pointers. Returns an empty list if the JSON is invalid, has more than 127
/// levels besides extras, or has pointers of more than `most` bytes.
///
/// Runs in **O(text + pointers)**.
pub(super) fn extensions(json: &str, most: u64) -> (Vec<(String, Extensions)>, u64) {
    let mut search = Search { most, ..Search::default() };
    if json.contains("\"extensions\"") {
        let parsed = (&mut search).deserialize(&mut serde_json::Deserializer::from_str(json));
        if parsed.is_err() {
            search.found = Vec::new();
        }
    }
    (search.found, search.bytes)
}

#[derive(Default)]
struct Search {
    /// The JSON pointer of the value that is being read.
    path: String,
    /// Whether the value is the `extensions` of an item. Their JSON is with the item, except for those that are read as
    /// Rust types: the objects in these are searched.
    is_of_item: bool,
    found: Vec<(String, Extensions)>,
    /// The bytes of the pointers in `found`, and their limit: a long key may be in many of them.
    bytes: u64,
    most: u64,
}

impl Search {
    /// Appends a name to the path. Returns the length of the path before.
    fn enter(&mut self, name: &str) -> usize {
        let before = self.path.len();
        self.path.push('/');
        self.path.push_str(&name.replace('~', "~0").replace('/', "~1"));
        before
    }

    /// Returns whether the value has its own `extensions` in an import.
    fn is_item(&self) -> bool {
        let mut parts = self.path.split('/').skip(1);
        match [(); 6].map(|()| parts.next()) {
            [None, ..] => true,
            [Some("textures"), Some(_), None, ..] => true,
            [Some(list), Some(_), None, ..] => ITEMS.contains(&list),
            [Some("meshes"), Some(_), Some("primitives"), Some(_), None, ..] => true,
            [Some("extensions"), Some("KHR_lights_punctual"), Some("lights"), Some(_), None, ..] => true,
            _ => false,
        }
    }
}

impl<'de> DeserializeSeed<'de> for &mut Search {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

macro_rules! visit_nothing_in {
    ($($visit:ident: $of:ty),*) => { $(fn $visit<E>(self, _: $of) -> Result<(), E> { Ok(()) })* };
}

/// Reads a value and collects the extensions in it.
impl<'de> Visitor<'de> for &mut Search {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let of_item = core::mem::take(&mut self.is_of_item);
        while let Some(key) = map.next_key::<String>()? {
            if key == "extras" || (of_item && !is_read_here(&key)) {
                map.next_value::<IgnoredAny>()?;
            } else if key != "extensions" || self.is_item() {
                let before = self.enter(&key);
                self.is_of_item = key == "extensions";
                map.next_value_seed(&mut *self)?;
                self.is_of_item = false;
                self.path.truncate(before);
            } else if let Value::Object(mut extensions) = map.next_value()? {
                extensions.retain(|name, _| !is_read_here(name));
                if !extensions.is_empty() {
                    self.bytes = self.bytes.saturating_add(self.path.len() as u64);
                    if self.bytes > self.most {
                        return Err(A::Error::custom("the pointers take too many bytes"));
                    }
                    self.found.push((self.path.clone(), extensions));
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        for index in 0_usize.. {
            let before = self.enter(&index.to_string());
            let element = list.next_element_seed(&mut *self)?;
            self.path.truncate(before);
            if element.is_none() {
                break;
            }
        }
        Ok(())
    }

    visit_nothing_in! { visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::extensions;

    #[test]
    fn each_object_that_is_no_item_is_listed_by_its_place() {
        let (mine, others) =
            (r#""extensions":{"ACME_a":{"extensions":{"ACME_b":1}}}"#, r#""extras":{"extensions":{}}"#);
        let json = format!(
            r#"{{{mine},{others},"asset":{{{mine}}},"samplers":[{{}},{{{mine}}}],
            "materials":[{{"extensions":{{"ACME_a":{{{mine}}},"KHR_materials_volume":{{"thicknessTexture":{{{mine}}}}}}},
                "normalTexture":{{"scale":0.5,{mine},"name":"a/~\n"}}}}],
            "animations":[{{{mine},"channels":[{{{mine},"target":{{"path":null,{mine}}}}}]}}],
            "meshes":[{{"primitives":[{{{mine},"a/~b":{{{mine}}}}}]}}],"textures":[{{{mine},"a":[true,-1,1.5]}}],
            "bufferViews":[{{"extensions":{{"KHR_texture_transform":{{}}}}}}]}}"#
        );
        let (found, bytes) = extensions(&json, 200);
        let places: Vec<&str> = found.iter().map(|(place, _)| place.as_str()).collect();
        let expected = [
            "/asset",
            "/samplers/1",
            "/materials/0/extensions/KHR_materials_volume/thicknessTexture",
            "/materials/0/normalTexture",
            "/animations/0/channels/0",
            "/animations/0/channels/0/target",
            "/meshes/0/primitives/0/a~1~0b",
        ];
        assert_eq!(places, expected);
        assert_eq!(bytes, places.concat().len() as u64);
        assert_eq!(extensions(&json, bytes), (found.clone(), bytes));
        let (refused, more) = extensions(&json, bytes - 1);
        assert!(refused.is_empty() && more == bytes);
        assert!(found.iter().all(|(_, of)| of["ACME_a"]["extensions"]["ACME_b"] == 1));
        assert_eq!(extensions(&json[1..], 200).0, []);
        assert_eq!(extensions(r#"{"extensions": 7}"#, 200), (Vec::new(), 0));
    }
}
