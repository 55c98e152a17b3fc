//! Repairs JSON that the parser refuses although glTF allows it or its meaning is plain.

use gltf::json::mesh::Semantic;
use gltf::json::validation::Checked;
use serde_json::Value;

/// The node index of a channel that moves no node.
pub(crate) const NO_NODE: u32 = u32::MAX;

/// Repaired JSON, and the faults that the parsed JSON does not show.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Repaired {
    pub(super) text: String,
    /// Whether unpaired surrogates were replaced.
    pub(super) lone_surrogates: bool,
    /// Whether a numeric version became text.
    pub(super) number_as_version: bool,
    /// The animation and the channel of each target with both a pointer and a node.
    pub(super) pointers: Vec<(usize, usize)>,
    /// The attributes that glTF does not have, by ascending mesh and primitive.
    pub(super) unknown: Vec<Unknown>,
}

/// The mesh, the primitive and the name of an attribute that glTF does not have.
pub(crate) type Unknown = (usize, usize, String);

/// Returns the repaired JSON.
///
/// - Integers written as `3.0` or `3e0` become `3`, except in `extras`, whose text is kept.
/// - An unpaired surrogate becomes U+FFFD.
/// - The target of an animation channel gets the node and path of its `KHR_animation_pointer`, if it has one. A target
///   without pointer and node, or with a pointer to something else, gets [`NO_NODE`].
/// - An enumeration that is a number instead of text, or text instead of a number, becomes an unknown value.
/// - A scene without a list of nodes gets an empty list.
///
/// Runs in **O(text)**. Invalid JSON stays invalid.
pub(super) fn repaired(text: &str) -> Repaired {
    let repaired = Repaired { text: String::with_capacity(text.len() + 64), ..Repaired::default() };
    let mut writer = Writer { text, at: 0, repaired };
    writer.all();
    writer.repaired
}

/// The greatest depth of nesting that is repaired, which is more than the parser accepts.
const MOST_DEPTH: usize = 200;

/// An object or an array that is open.
struct Open<'a> {
    /// The key in its parent; for an element of a list, the key of the list.
    key: &'a str,
    is_object: bool,
    is_empty: bool,
    /// Whether an object has the key `nodes`.
    has_nodes: bool,
    /// The number of objects and arrays in it so far.
    count: usize,
}

/// Returns whether the value of this key, in the innermost open object, is an enumeration: of text if `Some(true)`, of
/// numbers if `Some(false)`.
fn is_text(key: &str, open: &[Open<'_>]) -> Option<bool> {
    match (key, open) {
        ("interpolation", [_, animations, _, samplers, _]) => {
            (animations.key == "animations" && samplers.key == "samplers").then_some(true)
        }
        ("alphaMode", [_, list, _]) => (list.key == "materials").then_some(true),
        ("magFilter" | "minFilter" | "wrapS" | "wrapT", [_, list, _]) => (list.key == "samplers").then_some(false),
        _ => None,
    }
}

struct Writer<'a> {
    text: &'a str,
    at: usize,
    repaired: Repaired,
}

impl<'a> Writer<'a> {
    fn all(&mut self) {
        let mut open: Vec<Open<'a>> = Vec::new();
        let mut key = "";
        let bytes = self.text.as_bytes();
        // The parser refuses deeper JSON.
        while let Some(&byte) = bytes.get(self.at).filter(|_| open.len() < MOST_DEPTH) {
            if let Some(open) = open.last_mut().filter(|_| !matches!(byte, b'}' | b']') && !byte.is_ascii_whitespace())
            {
                open.is_empty = false;
            }
            match byte {
                b'"' => {
                    let start = self.at;
                    self.string();
                    let string = self.text[start..self.at].trim_matches('"');
                    if self.is_key() {
                        key = string;
                        if let Some(open) = open.last_mut() {
                            open.has_nodes |= key == "nodes";
                        }
                        match &open[..] {
                            _ if key == "extras" => self.copy_value(),
                            [_, animations, _, channels, _]
                                if key == "target" && (animations.key, channels.key) == ("animations", "channels") =>
                            {
                                if self.target() {
                                    self.repaired.pointers.push((animations.count - 1, channels.count - 1));
                                }
                            }
                            [_, meshes, _, primitives, _, of]
                                if of.key == "attributes"
                                    && (meshes.key, primitives.key) == ("meshes", "primitives") =>
                            {
                                self.attribute(meshes.count - 1, primitives.count - 1, start);
                            }
                            open => {
                                if let Some(is_text) = is_text(key, open) {
                                    self.enumeration(is_text);
                                }
                            }
                        }
                    }
                }
                b'{' | b'[' => {
                    let is_object = byte == b'{';
                    if let Some(parent) = open.last_mut() {
                        parent.count += 1;
                    }
                    open.push(Open { key, is_object, is_empty: true, has_nodes: false, count: 0 });
                    self.copy();
                }
                b'}' | b']' => {
                    let closed = open.pop();
                    // A scene is an object in the top-level list `scenes`.
                    if let Some(scene) = closed.filter(|it| it.is_object && it.key == "scenes" && !it.has_nodes)
                        && open.len() == 2
                    {
                        self.repaired.text.push_str(if scene.is_empty { "\"nodes\":[]" } else { ",\"nodes\":[]" });
                    }
                    // After a nested value, the next element of the enclosing list has that list's key.
                    key = open.last().map_or("", |open| open.key);
                    self.copy();
                }
                b'0'..=b'9' if matches!(key, "version" | "minVersion") && open.len() == 2 && open[1].key == "asset" => {
                    let version = self.text[self.at..].split([',', '}']).next().unwrap_or_default().trim_end();
                    let text = version.parse::<f64>().map(|number| format!("\"{number:?}\""));
                    self.repaired.text.push_str(text.as_deref().unwrap_or(version));
                    self.at += version.len();
                    self.repaired.number_as_version = true;
                }
                b'-' | b'0'..=b'9' => self.number(),
                _ => self.copy(),
            }
        }
        self.repaired.text.push_str(&self.text[self.at..]);
    }

    fn copy(&mut self) {
        if let Some(character) = self.text[self.at..].chars().next() {
            self.repaired.text.push(character);
            self.at += character.len_utf8();
        }
    }

    /// Returns whether a colon follows.
    fn is_key(&self) -> bool {
        self.text[self.at..].trim_ascii_start().starts_with(':')
    }

    /// Copies a string, replacing unpaired surrogates by U+FFFD.
    fn string(&mut self) {
        let bytes = self.text.as_bytes();
        let mut from = self.at;
        self.at += 1;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.at += 1;
                    break;
                }
                b'\\' => match (self.unit(self.at), self.unit(self.at + 6)) {
                    (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => self.at += 12,
                    (Some(0xD800..0xE000), _) => {
                        self.repaired.text.push_str(&self.text[from..self.at]);
                        self.repaired.text.push('\u{FFFD}');
                        self.at += 6;
                        from = self.at;
                        self.repaired.lone_surrogates = true;
                    }
                    _ => self.at += 1 + self.text[self.at + 1..].chars().next().map_or(0, char::len_utf8),
                },
                _ => self.at += 1,
            }
        }
        self.repaired.text.push_str(&self.text[from..self.at]);
    }

    /// Returns the code unit of the `\u` escape at `at`.
    fn unit(&self, at: usize) -> Option<u32> {
        let digits = self.text.get(at..at + 6)?.strip_prefix("\\u")?;
        u32::from_str_radix(digits, 16).ok()
    }

    /// Copies a number; writes a whole number as an integer.
    fn number(&mut self) {
        let is_of_number = |byte: &u8| matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9');
        let rest = &self.text[self.at..];
        let length = rest.bytes().take_while(is_of_number).count();
        let number = &rest[..length];
        let is_float = number.contains(['.', 'e', 'E']);
        // Larger integers are not exact in an `f64`.
        let whole = number.parse::<f64>().ok().filter(|it| is_float && it.fract() == 0.0 && it.abs() < 9e15);
        match whole {
            Some(whole) => self.repaired.text.push_str(&format!("{whole:.0}")),
            None => self.repaired.text.push_str(number),
        }
        self.at += length;
    }

    /// Copies the colon and the value after it; repairs only unpaired surrogates.
    fn copy_value(&mut self) {
        let mut depth = 0_usize;
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'"' => {
                    self.string();
                    if depth == 0 {
                        return;
                    }
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth <= 1 => {
                    // The end of the value or of the enclosing object.
                    if depth == 1 {
                        self.copy();
                    }
                    return;
                }
                b'}' | b']' => depth -= 1,
                b',' if depth == 0 => return,
                _ => {}
            }
            self.copy();
        }
    }

    /// Lists an attribute that glTF does not have; its name, in quotes, is the text from `start` on.
    fn attribute(&mut self, mesh: usize, primitive: usize, start: usize) {
        let name: Option<String> = serde_json::from_str(&self.text[start..self.at]).ok();
        // `semantic` fails for no text.
        let semantic = |name: &String| serde_json::from_value(Value::from(name.as_str())).unwrap_or(Checked::Invalid);
        if let Some(name) = name.filter(|name| semantic(name) == Checked::<Semantic>::Invalid) {
            self.repaired.unknown.push((mesh, primitive, name));
        }
    }

    /// Copies the value of an enumeration; replaces a value of the wrong type by one that is unknown.
    fn enumeration(&mut self, is_text: bool) {
        let value = self.text[self.at..].trim_ascii_start().trim_start_matches(':').trim_ascii_start();
        let is_right = match value.as_bytes() {
            [b'"', ..] => is_text,
            [b'-' | b'0'..=b'9', ..] => !is_text,
            _ => false,
        };
        if !is_right {
            let out = self.repaired.text.len();
            self.copy_value();
            self.repaired.text.truncate(out);
            self.repaired.text.push_str(if is_text { ":\"\"" } else { ":0" });
        }
    }

    /// Copies the target of a channel, and sets its node and path to those of its pointer. Returns whether it had a
    /// node beside a pointer.
    fn target(&mut self) -> bool {
        let (start, out) = (self.at, self.repaired.text.len());
        self.copy_value();
        let mut target =
            match serde_json::from_str(self.text[start..self.at].trim_ascii_start().trim_start_matches(':')) {
                Ok(Value::Object(target)) => target,
                _ => return false,
            };
        let pointer = target.get("extensions").and_then(|all| all.get("KHR_animation_pointer")?.get("pointer"));
        let has_node = target.contains_key("node");
        let is_beside = has_node && pointer.is_some();
        if !has_node || is_beside {
            let (node, path) = pointer.and_then(Value::as_str).and_then(node_property).unwrap_or((NO_NODE, "pointer"));
            let (node, path) = (Value::from(node), Value::from(path));
            target.insert("node".to_owned(), node);
            target.insert("path".to_owned(), path);
        } else if let Some(node) = target.get("node").and_then(Value::as_f64).filter(|node| node.fract() == 0.0) {
            target.insert("node".to_owned(), serde_json::from_str(&format!("{node:.0}")).unwrap_or_default());
        }
        self.repaired.text.truncate(out);
        self.repaired.text.push(':');
        self.repaired.text.push_str(&Value::Object(target).to_string());
        is_beside
    }
}

/// Returns the node and the property of a pointer; `None` if the property is neither a transform nor weights.
fn node_property(pointer: &str) -> Option<(u32, &str)> {
    let (node, property) = pointer.strip_prefix("/nodes/")?.split_once('/')?;
    let is_known = ["translation", "rotation", "scale", "weights"].contains(&property);
    let node = node.parse().ok().filter(|&node| is_known && node != NO_NODE)?;
    Some((node, property))
}

#[cfg(test)]
mod tests {
    use super::{Repaired, repaired};

    #[test]
    fn plain_json_is_copied() {
        for text in [
            r#"{"a": [1, -2, 1.5, 1e-3, "3.0", "\ud83d\ude00 \\ud83d é", {}, [], null], "scenes": [{"nodes": [0]}]}"#,
            r#"{"extras": {"a": [3.0, {"b": 1e2}]}, "b": {"extras": 3.0}, "c": {"extras": "3.0"}}"#,
            r#"{"animations": [{"channels": [{"target" : {"node":1,"path":"scale"}}]}], "target": {"path": "x"}}"#,
        ] {
            assert_eq!(repaired(text), Repaired { text: text.replace(" : ", ":"), ..Repaired::default() });
        }
    }

    #[test]
    fn integers_surrogates_targets_and_scenes_are_repaired() {
        for (text, expected) in [
            ("[3.0, -0.0, 1e2, 3.6E1, 1e400, 1.0e16]", "[3, -0, 100, 36, 1e400, 1.0e16]"),
            (r#"["n\ud83d", "\udc00\ud83dx"]"#, "[\"n\u{FFFD}\", \"\u{FFFD}\u{FFFD}x\"]"),
            (
                r#"{"scenes":[{},{"name":"a"},{"nodes":[]}]}"#,
                r#"{"scenes":[{"nodes":[]},{"name":"a","nodes":[]},{"nodes":[]}]}"#,
            ),
            (r#"{"asset":{"version":2e0,"minVersion":2}}"#, r#"{"asset":{"version":"2.0","minVersion":"2.0"}}"#),
            (
                r#"{"materials":[{"alphaMode": 1},{"alphaMode":"MASK"}]}"#,
                r#"{"materials":[{"alphaMode":""},{"alphaMode":"MASK"}]}"#,
            ),
            (r#"{"samplers":[{"wrapS": "x","wrapT":2.0}]}"#, r#"{"samplers":[{"wrapS":0,"wrapT":2}]}"#),
            (
                r#"{"animations":[{"samplers":[{"interpolation" : 0},{"interpolation":null}]}]}"#,
                r#"{"animations":[{"samplers":[{"interpolation":""},{"interpolation":""}]}]}"#,
            ),
        ] {
            assert_eq!(repaired(text).text, expected);
        }
    }

    #[test]
    fn what_is_no_json_ends() {
        for text in [
            "",
            "{",
            "}",
            "]]",
            "\"",
            "\"\\",
            "\"\\u",
            "\"\\ud83",
            "{\"extras\"",
            "{\"extras\":",
            "-",
            "ä",
            "\"\\ä",
            "[[[",
        ] {
            repaired(text);
        }
    }
}
