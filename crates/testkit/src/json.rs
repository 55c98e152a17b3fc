//! Changes that keep JSON well-formed.

use serde_json::{Value, json};

/// The number of bytes that describe a change.
pub const CHANGE_BYTES: usize = 8;

/// Changes one value: removes it, or replaces it by one of another type, from another place, or near it.
pub fn change(document: &mut Value, how: &[u8; CHANGE_BYTES]) {
    let [kind, a, b, c, d, e, x, y] = *how;
    let (at, from) = (usize::from(u16::from_le_bytes([a, b])), usize::from(u16::from_le_bytes([c, d])));
    let number = usize::from(u16::from_le_bytes([x, y]));
    let paths = paths(document);
    if paths.is_empty() {
        return;
    }
    let path = paths[at % paths.len()].clone();
    let copied = document.pointer(&paths[from % paths.len()]).cloned().unwrap_or(Value::Null);
    let odd = [
        json!(0),
        json!(1),
        json!(-1),
        json!(255),
        json!(65_535),
        json!(4_294_967_295_u32),
        json!(u64::MAX),
        json!(1e39),
        json!(-0.5),
        json!(1e-30),
        json!(null),
        json!(true),
        json!([]),
        json!({}),
        json!("TRIANGLES"),
        json!("\u{0}ä"),
    ];
    let Some(value) = document.pointer_mut(&path) else { return };
    match kind % 10 {
        0 => {
            let (above, name) = path.rsplit_once('/').unwrap_or_default();
            match document.pointer_mut(above) {
                Some(Value::Object(object)) => drop(object.remove(&name.replace("~1", "/").replace("~0", "~"))),
                Some(Value::Array(list)) => {
                    drop(name.parse().ok().filter(|&at| at < list.len()).map(|at: usize| list.remove(at)));
                }
                _ => {}
            }
        }
        1 | 2 => *value = odd[usize::from(e) % odd.len()].clone(),
        3 => *value = json!(number % 32),
        4 => *value = copied,
        5 => match value {
            Value::Array(list) if list.len() < 64 => list.push(copied),
            Value::Object(object) if object.len() < 64 => drop(object.insert(e.to_string(), copied)),
            _ => {}
        },
        6 => {
            if let Value::Array(list) = value {
                list.truncate(number % 8);
            }
        }
        7 => {
            if let Some(old) = value.as_i64() {
                *value = json!(old.wrapping_add(i64::from(e % 9) - 4));
            }
        }
        _ => {
            if let Some(old) = value.as_f64() {
                *value = json!(old * [-1.0, 2.0, 0.5, 1e10, 1e-10, 1e38][usize::from(e) % 6]);
            }
        }
    }
}

/// Returns the paths of all values in a document, except the path of the whole.
fn paths(document: &Value) -> Vec<String> {
    let mut paths = Vec::new();
    let mut open = vec![(String::new(), document)];
    while let Some((path, value)) = open.pop() {
        match value {
            Value::Array(list) => {
                open.extend(list.iter().enumerate().map(|(at, value)| (format!("{path}/{at}"), value)));
            }
            Value::Object(object) => open.extend(
                object
                    .iter()
                    .map(|(name, value)| (format!("{path}/{}", name.replace('~', "~0").replace('/', "~1")), value)),
            ),
            _ => {}
        }
        if !path.is_empty() {
            paths.push(path);
        }
    }
    paths
}
