//! Estimates the memory of parsed JSON before it is parsed.

/// An upper bound on the bytes that a JSON object and the item made from it take, including growth of lists. The worst
/// case is a copied map with one entry.
const OBJECT: u64 = 1280;
/// The additional bytes of a material.
pub(super) const MATERIAL: u64 = 3584;
/// An upper bound of the bytes of a list.
const LIST: u64 = 512;

/// Returns an upper bound on the bytes that parsed JSON and its items take. If the bound is at most `most`, the
/// additional bytes of [materials](MATERIAL) are not included.
///
/// Numbers and strings are not counted. They take up to 81 times their size in the file if they are in extensions, and
/// less than 10 times elsewhere.
pub(super) fn of(json: &[u8], most: u64) -> u64 {
    let (mut objects, mut lists) = (0, 0);
    for chunk in json.chunks(255) {
        // The counts in a chunk of 255 bytes fit in a byte each, so the compiler vectorises the loop.
        let (mut of_objects, mut of_lists) = (0_u8, 0_u8);
        for &byte in chunk {
            of_objects += u8::from(byte == b'{');
            of_lists += u8::from(byte == b'[');
        }
        objects += u64::from(of_objects);
        lists += u64::from(of_lists);
    }
    let plain = objects * OBJECT + lists * LIST;
    // Nearly all files pass even if every object counts as a material.
    if plain + objects * MATERIAL <= most {
        return plain;
    }
    let all = plain + materials(json) * MATERIAL;
    if all <= most { plain } else { all }
}

/// Returns how many objects there are in a list of materials.
fn materials(json: &[u8]) -> u64 {
    let (mut depth, mut count, mut of_materials) = (0_usize, 0, false);
    let mut rest = json;
    while let [byte, behind @ ..] = rest {
        rest = behind;
        match byte {
            b'"' => {
                let mut length = 0;
                while length < rest.len() && rest[length] != b'"' {
                    length += 1 + usize::from(rest[length] == b'\\');
                }
                let string = &rest[..length.min(rest.len())];
                rest = rest.get(length + 1..).unwrap_or_default();
                if depth == 1 && rest.trim_ascii_start().starts_with(b":") {
                    of_materials = string == b"materials";
                }
            }
            b'{' | b'[' => {
                depth += 1;
                count += u64::from(of_materials && depth == 3 && *byte == b'{');
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::{LIST, MATERIAL, OBJECT, of};

    #[test]
    fn objects_lists_and_materials_have_a_weight() {
        let text = br#"{"nodes": [{"name": "{\"materials\": [{}]}"}], "materials" : [{"a": {}}, {}]}"#;
        assert_eq!(of(text, 0), 7 * OBJECT + 3 * LIST + 2 * MATERIAL);
        assert_eq!(of(text, u64::MAX), 7 * OBJECT + 3 * LIST);
        of(b"{\"\\", 0);
    }
}
