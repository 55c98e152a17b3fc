//! Variants of a file, determined by a number.

use crate::checksum::{HEADER, set_checksum};

/// Numbers that make trouble as lengths, counts, indices and floats.
const NUMBERS: [u32; 14] = [
    0,
    1,
    2,
    255,
    0xFFFF,
    1 << 16,
    i32::MAX as u32,
    1 << 31,
    u32::MAX - 1,
    u32::MAX,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0x0000_0001,
];

/// Returns the random numbers of a variant.
pub fn dice(number: usize, variant: u64) -> fastrand::Rng {
    fastrand::Rng::with_seed(variant.wrapping_mul(0x9E37_79B9) ^ number as u64)
}

/// Returns the number of changes of a variant. The first variant is the file itself.
pub fn changes(variant: u64, dice: &mut fastrand::Rng) -> usize {
    if variant == 0 { 0 } else { 1 + dice.usize(..3) }
}

/// Returns a variant of a file, with pieces of other files. If files have a checksum, three of four variants have a
/// valid one, so that later checks are reached.
pub fn bytes(files: &[Vec<u8>], number: usize, variant: u64, sealed: bool) -> Vec<u8> {
    let mut dice = dice(number, variant);
    let mut bytes = files[number].clone();
    for _ in 0..changes(variant, &mut dice) {
        change(&mut bytes, files, &mut dice, sealed);
    }
    if sealed && variant % 4 != 3 {
        set_checksum(&mut bytes);
    }
    if !sealed && bytes.len() >= 12 && bytes.starts_with(b"glTF") && variant % 4 != 3 {
        let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
        bytes[8..12].copy_from_slice(&length.to_le_bytes());
    }
    bytes
}

fn change(bytes: &mut Vec<u8>, files: &[Vec<u8>], dice: &mut fastrand::Rng, sealed: bool) {
    // Sealing rewrites the header.
    let start = if sealed && dice.u8(..8) > 0 { HEADER.min(bytes.len()) } else { 0 };
    if bytes.len() <= start {
        return;
    }
    // Half of the changes are near the start, where counts are.
    let end = if dice.bool() { bytes.len() } else { (start + 256).min(bytes.len()) };
    let at = dice.usize(start..end);
    let word = (at / 4 * 4).max(start);
    match dice.u8(..9) {
        0 => bytes[at] ^= 1 << dice.u8(..8),
        1 => bytes[at] = dice.u8(..),
        2 if word + 4 <= bytes.len() => {
            let number = NUMBERS[dice.usize(..NUMBERS.len())];
            bytes[word..word + 4].copy_from_slice(&number.to_le_bytes());
        }
        3 if word + 4 <= bytes.len() => {
            let near = u32::from_le_bytes([bytes[word], bytes[word + 1], bytes[word + 2], bytes[word + 3]]);
            let near = near.wrapping_add(dice.u32(..5)).wrapping_sub(2);
            bytes[word..word + 4].copy_from_slice(&near.to_le_bytes());
        }
        // Digits are the numbers of a JSON file.
        4 => {
            let digit = (at..bytes.len()).find(|&place| bytes[place].is_ascii_digit());
            if let Some(place) = digit {
                bytes[place] = b'0' + dice.u8(..10);
                if dice.u8(..4) == 0 {
                    let many = [b'9'; 9];
                    bytes.splice(place..=place, many);
                }
            }
        }
        5 => bytes.truncate(at),
        6 => {
            let end = (at + dice.usize(..200)).min(bytes.len());
            let piece: Vec<u8> = bytes.drain(at..end).collect();
            if dice.bool() {
                let to = dice.usize(start.min(bytes.len())..=bytes.len());
                bytes.splice(to..to, piece.iter().chain(&piece).copied());
            }
        }
        7 => {
            let other = &files[dice.usize(..files.len())];
            if !other.is_empty() {
                let from = dice.usize(..other.len());
                let piece = &other[from..(from + dice.usize(..400)).min(other.len())];
                let end = (at + piece.len()).min(bytes.len());
                bytes.splice(at..end, piece.iter().copied());
            }
        }
        _ => {
            let length = 4.min(bytes.len() - at);
            let to = dice.usize(start..=bytes.len() - length);
            bytes.copy_within(at..at + length, to);
        }
    }
}
