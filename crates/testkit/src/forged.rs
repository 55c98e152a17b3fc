//! Changes of bytes.

/// The number of bytes that describe a change.
pub const BEND_BYTES: usize = 8;

/// Changes bytes in one way: a bit, a byte, a 32-bit number, a piece moved, removed or doubled, or the end cut off.
pub fn bend(bytes: &mut Vec<u8>, how: [u8; BEND_BYTES]) {
    let [kind, a0, a1, a2, b0, b1, b2, value] = how;
    let at = |bytes: &[u8], [x, y, z]: [u8; 3]| {
        usize::try_from(u32::from_le_bytes([x, y, z, 0])).map_or(0, |place| place % bytes.len().max(1))
    };
    let (a, b) = (at(bytes, [a0, a1, a2]), at(bytes, [b0, b1, b2]));
    if bytes.is_empty() {
        return;
    }
    let word = |place: usize| (place / 4 * 4).min(bytes.len().saturating_sub(4));
    match kind % 8 {
        0 => bytes[a] ^= 1 << (value % 8),
        1 => bytes[a] = value,
        2 => {
            let numbers = [0, 1, 2, u32::MAX, u32::MAX - 1, 1 << 31, u32::from(value), 1 << (value % 32)];
            let number = numbers[usize::from(value % 8)];
            let (from, to) = (word(a), (word(a) + 4).min(bytes.len()));
            bytes[from..to].copy_from_slice(&number.to_le_bytes()[..to - from]);
        }
        // Numbers close to the old one or from other places are likely links and slots.
        3 => {
            let (from, to) = (word(a), (word(a) + 4).min(bytes.len()));
            if let Ok(number) = bytes[from..to].try_into() {
                let number = u32::from_le_bytes(number).wrapping_add(u32::from(value % 3)).wrapping_sub(1);
                bytes[from..to].copy_from_slice(&number.to_le_bytes());
            }
        }
        4 => {
            let length = 4.min(bytes.len() - a.max(b));
            bytes.copy_within(a..a + length, b);
        }
        5 => {
            let length = usize::from(value).min(bytes.len() - a.max(b));
            bytes.copy_within(a..a + length, b);
        }
        6 => {
            let end = (a + usize::from(value)).min(bytes.len());
            let piece: Vec<u8> = bytes.drain(a..end).collect();
            if b1 & 1 == 0 {
                let b = b.min(bytes.len());
                bytes.splice(b..b, piece.iter().chain(&piece).copied());
            }
        }
        _ => bytes.truncate(a),
    }
}
