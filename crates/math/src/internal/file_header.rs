//! The header of every byte format of these crates: kind, version, length, and a checksum to detect damage.
//!
//! ```text
//! magic "hedgerow" 8 B │ version u32 │ kind u32 │ length in bytes u64 │ checksum u64
//! ```
//!
//! The checksum is the 64-bit XXH3 of the body, seeded with XXH3 of the header's first 24 bytes.
//!
//! Each format has one [`Format`], in the crate that writes and reads it. Crates are released one by one, so a list of all
//! versions here could differ from what a crate knows.

use core::fmt;
use twox_hash::XxHash3_64;

/// The first eight bytes of every byte format.
pub const MAGIC: [u8; 8] = *b"hedgerow";

/// The size of the header, in bytes.
pub const HEADER_BYTES: usize = 32;

/// The kind of content after a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Kind {
    /// A whole scene, including its handles.
    Scene = 1,
    /// Nodes with their parents, without handles.
    Tree = 2,
    /// The joints of a rig.
    Skeleton = 3,
    /// A compiled clip.
    Clip = 4,
    /// The joints that a mesh follows.
    Skin = 6,
    /// A mesh that follows joints.
    SkinnedMesh = 7,
    /// Definitions of documents.
    Library = 9,
    /// Changes of a library.
    LibraryPatch = 10,
    /// A tree over the triangles of a mesh.
    TriangleTree = 11,
    /// The state of an animator.
    Animator = 12,
}

impl Kind {
    /// All kinds, each of which has files in `tests/formats`, with the types that read them.
    pub const ALL: [(Self, &str); 10] = [
        (Self::Scene, "Scene"),
        (Self::Tree, "Tree"),
        (Self::Skeleton, "Skeleton"),
        (Self::Clip, "Clip"),
        (Self::Skin, "Skin"),
        (Self::SkinnedMesh, "SkinnedMesh"),
        (Self::Library, "Library"),
        (Self::LibraryPatch, "Patch"),
        (Self::TriangleTree, "TriangleTree"),
        (Self::Animator, "Animator"),
    ];
}

/// A byte format: its kind, and the versions that are read. Writers write the newest.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The kind of content.
    pub kind: Kind,
    /// The first version that was released.
    pub first: u32,
    /// The version that is written.
    pub newest: u32,
}

/// The reason why a header or a checksum was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The bytes do not start with the magic.
    Magic,
    /// The version is not read.
    Version { found: u32, newest: u32 },
    /// There are more or fewer bytes than the header states.
    Length { expected: u64, found: u64 },
    /// The checksum does not match, so the bytes are damaged.
    Checksum,
    /// The kind that was found instead of the expected kind.
    Kind(u32),
}

/// Why a version is not read, and what to do: the end of the error of every format.
#[derive(Clone, Copy, Debug)]
pub struct Unread {
    /// The version that was found.
    pub found: u32,
    /// The newest version that is read.
    pub newest: u32,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { found, newest } = self;
        if found > newest {
            write!(f, "version {found} is newer than this crate reads, which is up to {newest}; update the crate")
        } else {
            write!(f, "version {found} is older than the first release; make the file again")
        }
    }
}

impl Format {
    /// Creates a format with these versions, from the first that was released to the newest.
    #[must_use]
    pub const fn new(kind: Kind, first: u32, newest: u32) -> Self {
        assert!(first <= newest);
        Self { kind, first, newest }
    }

    /// Writes the header, with the newest version, over the first [`HEADER_BYTES`] bytes.
    pub fn write_header(self, bytes: &mut [u8]) {
        let length = bytes.len() as u64;
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&self.newest.to_le_bytes());
        bytes[12..16].copy_from_slice(&(self.kind as u32).to_le_bytes());
        bytes[16..24].copy_from_slice(&length.to_le_bytes());
        let sum = checksum(bytes);
        bytes[24..HEADER_BYTES].copy_from_slice(&sum.to_le_bytes());
    }

    /// Checks the header and the checksum, and returns the version, from the first to the newest, and the body.
    ///
    /// # Errors
    /// [`Broken`]: first the magic, then the kind, the version, the length and the checksum.
    pub fn body(self, bytes: &[u8]) -> Result<(u32, &[u8]), Broken> {
        let found = bytes.len() as u64;
        if bytes.get(..8).is_none_or(|magic| magic != MAGIC) {
            return Err(Broken::Magic);
        }
        let Some((header, body)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
            return Err(Broken::Length { expected: HEADER_BYTES as u64, found });
        };
        let half = |at: usize| u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
        let word = |at: usize| u64::from(half(at)) | u64::from(half(at + 4)) << 32;
        let Self { kind, first, newest } = self;
        let version = half(8);
        if half(12) != kind as u32 {
            return Err(Broken::Kind(half(12)));
        }
        if !(first..=newest).contains(&version) {
            return Err(Broken::Version { found: version, newest });
        }
        if word(16) != found {
            return Err(Broken::Length { expected: word(16), found });
        }
        if word(24) != checksum(bytes) {
            return Err(Broken::Checksum);
        }
        Ok((version, body))
    }
}

/// Returns the 64-bit XXH3 hash of bytes. Different bytes have the same hash with a probability of 2⁻⁶⁴.
#[must_use]
pub fn digest(bytes: &[u8]) -> u64 {
    XxHash3_64::oneshot(bytes)
}

/// Computes the checksum of all bytes, except those of the checksum itself.
///
/// It finds damage but not forgery, so readers still validate the content.
fn checksum(bytes: &[u8]) -> u64 {
    let (header, body) = bytes.split_at(HEADER_BYTES);
    XxHash3_64::oneshot_with_seed(XxHash3_64::oneshot(&header[..24]), body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_bit_anywhere_changes_the_checksum() {
        for length in [0, 1, 7, 8, 63, 64, 65, 200, 300] {
            let mut bytes: Vec<u8> = (0..=u8::MAX).cycle().step_by(7).take(HEADER_BYTES + length).collect();
            let sum = checksum(&bytes);
            for bit in (0..8 * bytes.len()).filter(|bit| !(8 * 24..8 * HEADER_BYTES).contains(bit)) {
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert_ne!(checksum(&bytes), sum, "bit {bit} of {length} bytes");
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }

    #[test]
    fn every_version_from_the_first_release_on_is_read_and_no_other_kind_or_version() {
        let mut bytes = [&[0; HEADER_BYTES][..], b"body"].concat();
        Format::new(Kind::Tree, 1, 3).write_header(&mut bytes);
        for (first, newest) in [(1, 3), (3, 3), (2, 4)] {
            assert_eq!(Format::new(Kind::Tree, first, newest).body(&bytes), Ok((3, &b"body"[..])));
        }
        for (first, newest) in [(1, 2), (4, 5)] {
            let refused = Format::new(Kind::Tree, first, newest).body(&bytes);
            assert_eq!(refused, Err(Broken::Version { found: 3, newest }));
        }
        // The kind is checked before the length and the version.
        assert_eq!(Format::new(Kind::Clip, 1, 1).body(&bytes[..HEADER_BYTES]), Err(Broken::Kind(2)));
    }
}
