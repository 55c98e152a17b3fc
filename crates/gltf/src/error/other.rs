//! Files that are not glTF.

/// The kind of a file that is not glTF, guessed from its first bytes.
///
/// ```
/// use hedgerow_gltf::{ImportErrorKind, OtherFile};
///
/// let Err(error) = hedgerow_gltf::from_slice(b"<!DOCTYPE html><title>404</title>", None) else { unreachable!() };
/// assert_eq!(error.kind(), &ImportErrorKind::NotGltf(OtherFile::Html));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum OtherFile {
    /// An empty file.
    #[error("the file is empty; download it again")]
    Empty,
    /// A Git LFS pointer: the file itself was not fetched.
    #[error("the file is a pointer of Git LFS to the model; run `git lfs pull`, or download it")]
    GitLfsPointer,
    /// HTML or XML, such as the page around a download.
    #[error("the file is HTML or XML, not glTF: perhaps the page around a download; download the model itself")]
    Html,
    /// A zip archive.
    #[error("the file is a zip archive; unpack it, and import the .gltf or .glb file that is in it")]
    Zip,
    /// Text that is not JSON.
    #[error("the file is text, but not JSON; glTF is JSON, or a GLB")]
    Text,
    /// Other data.
    #[error("the file is neither a GLB nor JSON; convert it to glTF")]
    Binary,
}

impl OtherFile {
    /// Returns the kind of a file that is neither a GLB nor JSON; `None` if it may be a GLB or JSON.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        let text = bytes.trim_ascii_start();
        match text {
            [] => Some(Self::Empty),
            [b'{' | b'[', ..] => None,
            [b'<', ..] => Some(Self::Html),
            [b'P', b'K', 3, 4, ..] => Some(Self::Zip),
            _ if is_lfs_pointer(bytes) => Some(Self::GitLfsPointer),
            _ if bytes.iter().any(|&byte| byte < b' ' && !byte.is_ascii_whitespace()) => Some(Self::Binary),
            _ => Some(Self::Text),
        }
    }
}

/// Returns whether bytes are the text of a Git LFS pointer.
pub(crate) fn is_lfs_pointer(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"version https://git-lfs")
}
