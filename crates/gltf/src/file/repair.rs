//! Repairs JSON that the parser refuses although glTF allows it or its meaning is plain.

use serde_json::Value;

/// The node index of a channel that moves no node.
pub(crate) const NO_NODE: u32 = u32::MAX;

/// Returns the repaired JSON, whether unpaired surrogates were replaced, and whether a numeric version became text.
///
/// - Integers written as `3.0` or `3e0` become `3`, except in `extras`, whose text is kept.
/// - An unpaired surrogate becomes U+FFFD.
/// - If the target of an animation channel has no node, it gets the node and path of its `KHR_animation_pointer`, or
///   [`NO_NODE`].
/// - A scene without a list of nodes gets an empty list.
///
/// Runs in **O(text)**. Invalid JSON stays invalid.
pub(super) fn repaired(text: &str) -> (String, bool, bool) {
    let out = String::with_capacity(text.len() + 64);
    let mut writer = Writer { text, at: 0, out, lone_surrogates: false, number_as_version: false };
    writer.all();
    (writer.out, writer.lone_surrogates, writer.number_as_version)
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
}

struct Writer<'a> {
    text: &'a str,
    at: usize,
    out: String,
    lone_surrogates: bool,
    number_as_version: bool,
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
                        if key == "extras" {
                            self.copy_value();
                        } else if key == "target" && open.iter().any(|open| open.key == "channels") {
                            self.target();
                        }
                    }
                }
                b'{' | b'[' => {
                    let is_object = byte == b'{';
                    open.push(Open { key, is_object, is_empty: true, has_nodes: false });
                    self.copy();
                }
                b'}' | b']' => {
                    let closed = open.pop();
                    // A scene is an object in the top-level list `scenes`.
                    if let Some(scene) = closed.filter(|it| it.is_object && it.key == "scenes" && !it.has_nodes)
                        && open.len() == 2
                    {
                        self.out.push_str(if scene.is_empty { "\"nodes\":[]" } else { ",\"nodes\":[]" });
                    }
                    // After a nested value, the next element of the enclosing list has that list's key.
                    key = open.last().map_or("", |open| open.key);
                    self.copy();
                }
                b'0'..=b'9' if matches!(key, "version" | "minVersion") && open.len() == 2 && open[1].key == "asset" => {
                    let version = self.text[self.at..].split([',', '}']).next().unwrap_or_default().trim_end();
                    let text = version.parse::<f64>().map(|number| format!("\"{number:?}\""));
                    self.out.push_str(text.as_deref().unwrap_or(version));
                    self.at += version.len();
                    self.number_as_version = true;
                }
                b'-' | b'0'..=b'9' => self.number(),
                _ => self.copy(),
            }
        }
        self.out.push_str(&self.text[self.at..]);
    }

    fn copy(&mut self) {
        if let Some(character) = self.text[self.at..].chars().next() {
            self.out.push(character);
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
                        self.out.push_str(&self.text[from..self.at]);
                        self.out.push('\u{FFFD}');
                        self.at += 6;
                        from = self.at;
                        self.lone_surrogates = true;
                    }
                    _ => self.at += 1 + self.text[self.at + 1..].chars().next().map_or(0, char::len_utf8),
                },
                _ => self.at += 1,
            }
        }
        self.out.push_str(&self.text[from..self.at]);
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
            Some(whole) => self.out.push_str(&format!("{whole:.0}")),
            None => self.out.push_str(number),
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

    /// Copies the target of a channel, and adds a node index if the target has none.
    fn target(&mut self) {
        let (start, out) = (self.at, self.out.len());
        self.copy_value();
        let mut target =
            match serde_json::from_str(self.text[start..self.at].trim_ascii_start().trim_start_matches(':')) {
                Ok(Value::Object(target)) => target,
                _ => return,
            };
        if !target.contains_key("node") {
            let pointer = target.get("extensions").and_then(|all| all.get("KHR_animation_pointer")?.get("pointer"));
            let (node, path) = pointer.and_then(Value::as_str).and_then(node_property).unwrap_or((NO_NODE, "pointer"));
            let (node, path) = (Value::from(node), Value::from(path));
            target.insert("node".to_owned(), node);
            target.insert("path".to_owned(), path);
        } else if let Some(node) = target.get("node").and_then(Value::as_f64).filter(|node| node.fract() == 0.0) {
            target.insert("node".to_owned(), serde_json::from_str(&format!("{node:.0}")).unwrap_or_default());
        }
        self.out.truncate(out);
        self.out.push(':');
        self.out.push_str(&Value::Object(target).to_string());
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
    use super::repaired;

    #[test]
    fn plain_json_is_copied() {
        for text in [
            r#"{"a": [1, -2, 1.5, 1e-3, "3.0", "\ud83d\ude00 \\ud83d é", {}, [], null], "scenes": [{"nodes": [0]}]}"#,
            r#"{"extras": {"a": [3.0, {"b": 1e2}]}, "b": {"extras": 3.0}, "c": {"extras": "3.0"}}"#,
            r#"{"animations": [{"channels": [{"target" : {"node":1,"path":"scale"}}]}], "target": {"path": "x"}}"#,
        ] {
            assert_eq!(repaired(text), (text.replace(" : ", ":"), false, false));
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
            (r#"{"channels":[{"target":{}}]}"#, r#"{"channels":[{"target":{"node":4294967295,"path":"pointer"}}]}"#),
            (r#"{"asset":{"version":2e0,"minVersion":2}}"#, r#"{"asset":{"version":"2.0","minVersion":"2.0"}}"#),
            (r#"{"channels":[{"target":{"node":2.0}}]}"#, r#"{"channels":[{"target":{"node":2}}]}"#),
        ] {
            assert_eq!(repaired(text).0, expected);
        }
        let pointer = |to: &str| {
            let target = format!(r#"{{"extensions":{{"KHR_animation_pointer":{{"pointer":"{to}"}}}}}}"#);
            let text = format!(r#"{{"channels":[{{"target":{target}}}]}}"#);
            let from = text.replace(r#""}}}}]"#, r#""}},"node":NODE,"path":"PATH"}}]"#);
            assert_ne!(from, text);
            (repaired(&text).0, from)
        };
        for (to, node, path) in [
            ("/nodes/7/weights", "7", "weights"),
            ("/nodes/x/scale", "4294967295", "pointer"),
            ("/materials/0/x", "4294967295", "pointer"),
        ] {
            let (found, expected) = pointer(to);
            assert_eq!(found, expected.replace("NODE", node).replace("PATH", path));
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
