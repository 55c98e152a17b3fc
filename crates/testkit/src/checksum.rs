//! Valid checksums for bytes with invalid contents.

use twox_hash::XxHash3_64;

/// Where the body starts.
pub const HEADER: usize = 32;

/// Sets the length and the checksum as the format's documentation says, so that only the body can be wrong.
pub fn set_checksum(bytes: &mut [u8]) {
    if bytes.len() < HEADER {
        return;
    }
    let length = bytes.len() as u64;
    bytes[16..24].copy_from_slice(&length.to_le_bytes());
    let seed = XxHash3_64::oneshot(&bytes[..24]);
    let sum = XxHash3_64::oneshot_with_seed(seed, &bytes[HEADER..]);
    bytes[24..HEADER].copy_from_slice(&sum.to_le_bytes());
}
