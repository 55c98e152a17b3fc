//! The sources of buffers and images: memory, `data:` URIs, separate files.

use crate::error::{
    BufferProblem, ImportError, ImportErrorKind, Item, ItemKind, WarningKind, Warnings, is_lfs_pointer,
};
use base64::Engine as _;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use gltf::json::Root;
use hedgerow_math::internal::fallible;
use percent_encoding::percent_decode_str;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Base64 as in `data:` URIs, with or without padding.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Git LFS pointers have at most this number of bytes. Files of this size are read at once, larger ones when their
/// bytes are needed.
const MOST_OF_POINTER: u64 = 1024;

/// The buffers of a file. Their data exists, except for buffers that no view reads. If a buffer has fewer bytes than
/// the file states, the existing bytes can be read.
///
/// The size of an external file is checked at once, but one of more than 1,024 bytes is read only when its bytes
/// are first needed. If accessors state all bounds that the import needs, it is never read.
pub(crate) struct Buffers<'a> {
    buffers: Vec<Buffer<'a>>,
    #[cfg(feature = "meshopt")]
    compressed: crate::meshopt::Views<'a>,
}

/// A buffer. `length` is the number of bytes that the file states, or less if bytes are missing.
struct Buffer<'a> {
    length: usize,
    /// `None` if the buffer has neither a URI nor a binary chunk.
    source: Option<Source<'a>>,
}

/// Finds other files: [`in_folder`], or the closure that the caller of an import passes.
pub(crate) type Files<'f> = &'f mut dyn FnMut(Address<'_>) -> Result<Source<'static>, BufferProblem>;

/// The address of another file.
#[derive(Clone, Copy)]
pub(crate) struct Address<'u> {
    /// A percent-decoded path, or a URI with a scheme as it is in the file.
    pub(crate) text: &'u str,
    has_scheme: bool,
}

pub(crate) enum Source<'a> {
    /// Bytes in memory; a buffer has at least `length` bytes.
    Memory(Cow<'a, [u8]>),
    /// A file, kept in memory after the first read.
    File { path: PathBuf, content: OnceCell<Vec<u8>> },
}

impl<'a> Buffers<'a> {
    /// Finds the data of every buffer of `root`.
    pub(crate) fn open(
        root: &Root,
        mut blob: super::Blob<'a>,
        files: Files<'_>,
        warnings: &Warnings,
    ) -> Result<Self, ImportError> {
        let mut buffers = Vec::new();
        #[cfg(feature = "meshopt")]
        let is_fallback = crate::meshopt::fallbacks(root);
        for (index, buffer) in root.buffers.iter().enumerate() {
            #[cfg(feature = "meshopt")]
            // A fallback buffer is only for readers that cannot decompress, and its file may be missing.
            if is_fallback[index] {
                buffers.push(Buffer { length: 0, source: None });
                continue;
            }
            let refuse = |problem| ImportErrorKind::Buffer { item: Item::of(root, ItemKind::Buffer, index), problem };
            let source = match buffer.uri.as_deref() {
                // Only the first buffer can be the binary chunk.
                None => blob.take().filter(|_| index == 0).map(Source::Memory),
                Some(uri) => {
                    let (source, fault) = find(uri, files).map_err(refuse)?;
                    if let Some(kind) = fault {
                        warnings.fault(|| Item::of(root, ItemKind::Buffer, index), || "uri".to_owned(), kind)?;
                    }
                    Some(source)
                }
            };
            let Some(source) = source else {
                buffers.push(Buffer { length: 0, source: None });
                continue;
            };
            let expected = buffer.byte_length.0;
            let found = match &source {
                Source::Memory(bytes) => bytes.len() as u64,
                Source::File { path, .. } => measure(path).map_err(|error| refuse(unreadable(path, &error)))?,
            };
            let is_pointer = match &source {
                Source::Memory(bytes) => is_lfs_pointer(bytes),
                Source::File { path, .. } => {
                    // Pointers are tiny, so large files are not read just to look.
                    found <= MOST_OF_POINTER && fs::read(path).is_ok_and(|bytes| is_lfs_pointer(&bytes))
                }
            };
            if is_pointer {
                return Err(refuse(BufferProblem::GitLfsPointer).into());
            }
            let length = usize::try_from(expected.min(found)).map_err(|_| refuse(BufferProblem::AllocationFailed))?;
            if found < expected {
                let item = || Item::of(root, ItemKind::Buffer, index);
                warnings.fault(item, || "byteLength".to_owned(), WarningKind::Length)?;
            }
            buffers.push(Buffer { length, source: Some(source) });
        }
        Ok(Self {
            buffers,
            #[cfg(feature = "meshopt")]
            compressed: crate::meshopt::Views::of(root),
        })
    }

    /// Charges the decoding of compressed views to this budget from now on.
    #[cfg(feature = "meshopt")]
    pub(crate) fn within(mut self, budget: &'a super::Budget) -> Self {
        self.compressed.set_budget(budget);
        self
    }

    /// Adds the data of a buffer that the caller adds to `root`.
    #[cfg(feature = "draco")]
    pub(crate) fn push(&mut self, bytes: Vec<u8>) {
        self.buffers.push(Buffer { length: bytes.len(), source: Some(Source::Memory(Cow::Owned(bytes))) });
    }

    /// Returns how many bytes of a buffer view exist, and an error if some are missing.
    pub(crate) fn present(&self, root: &Root, index: usize) -> (u64, Option<ImportError>) {
        let view = &root.buffer_views[index];
        let (buffer, offset, length) =
            (view.buffer.value(), view.byte_offset.unwrap_or_default().0, view.byte_length.0);
        let Buffer { length: found, source } = &self.buffers[buffer];
        let found = source.as_ref().map_or(root.buffers[buffer].byte_length.0, |_| *found as u64);
        let expected = u128::from(offset) + u128::from(length);
        let item = || Item::of(root, ItemKind::BufferView, index);
        let error = || match root.buffers[buffer].byte_length.0 {
            stated if expected <= u128::from(stated) => self.cut_off(root, buffer),
            _ => ImportErrorKind::OutOfBounds { item: item(), expected, found }.into(),
        };
        (length.min(found.saturating_sub(offset)), (expected > u128::from(found)).then(error))
    }

    /// Returns the error for a buffer of `root` that is shorter than the file states.
    pub(crate) fn cut_off(&self, root: &Root, index: usize) -> ImportError {
        let (stated, found) = (root.buffers[index].byte_length.0, self.buffers[index].length as u64);
        let (item, problem) = (Item::of(root, ItemKind::Buffer, index), BufferProblem::CutOff { stated, found });
        ImportErrorKind::Buffer { item, problem }.into()
    }

    /// Returns the existing bytes of a buffer view of `root`.
    #[expect(clippy::cast_possible_truncation, reason = "they are in memory")]
    pub(crate) fn view(&self, root: &Root, index: usize) -> Result<&[u8], ImportError> {
        #[cfg(feature = "meshopt")]
        if let Some(bytes) = self.compressed.get(root, self, index)? {
            return Ok(bytes);
        }
        let view = &root.buffer_views[index];
        let bytes = self.bytes(root, view.buffer.value())?;
        let start = view.byte_offset.unwrap_or_default().0.min(bytes.len() as u64) as usize;
        Ok(&bytes[start..][..self.present(root, index).0 as usize])
    }

    /// Returns the total number of bytes of all buffers.
    pub(crate) fn total(&self) -> u64 {
        self.buffers.iter().fold(0, |total, buffer| total.saturating_add(buffer.length as u64))
    }

    /// Returns the bytes of a buffer of `root`, up to the stated length. The first call reads the file.
    pub(crate) fn bytes(&self, root: &Root, index: usize) -> Result<&[u8], ImportError> {
        let Buffer { length, source } = &self.buffers[index];
        let refuse = |problem| ImportErrorKind::Buffer { item: Item::of(root, ItemKind::Buffer, index), problem };
        let bytes = match source.as_ref().ok_or_else(|| refuse(BufferProblem::NoData))? {
            Source::Memory(bytes) => &bytes[..*length],
            Source::File { path, content } => match content.get() {
                Some(bytes) => bytes,
                None => {
                    let bytes = read(path, *length).map_err(|error| refuse(unreadable(path, &error)))?;
                    content.get_or_init(|| bytes)
                }
            },
        };
        Ok(bytes)
    }
}

/// Returns the source of a URI's data, and the fault of the URI if there is one. `data:` URIs are decoded here; `files`
/// finds all other data.
pub(crate) fn find(uri: &str, files: Files<'_>) -> Result<(Source<'static>, Option<WarningKind>), BufferProblem> {
    // A colon after a slash, a query or a fragment is not the end of a scheme (RFC 3986, 4.2).
    let scheme_end = uri.find([':', '/', '?', '#']).filter(|&end| uri.as_bytes()[end] == b':');
    if let Some(end) = scheme_end {
        return match uri[..end].eq_ignore_ascii_case("data") {
            true => decode(&uri[end + 1..]).map(|(bytes, fault)| (Source::Memory(Cow::Owned(bytes)), fault)),
            false => Ok((files(Address { text: uri, has_scheme: true })?, None)),
        };
    }
    let path = percent_decode_str(uri).decode_utf8().map_err(|_| BufferProblem::UnsupportedUri)?;
    // Exporters on Windows write backslashes between folders; names rarely contain backslashes.
    let (path, fault) = match path.contains('\\') {
        true => (Cow::Owned(path.replace('\\', "/")), Some(WarningKind::Backslash)),
        false => (path, None),
    };
    Ok((files(Address { text: &path, has_scheme: false })?, fault))
}

/// Finds a file by its path from a folder. A glTF file may name other files by relative paths only.
pub(crate) fn in_folder(folder: Option<&Path>, address: Address<'_>) -> Result<Source<'static>, BufferProblem> {
    if address.has_scheme || address.text.starts_with('/') || Path::new(address.text).is_absolute() {
        return Err(BufferProblem::UnsupportedUri);
    }
    let path = folder.ok_or(BufferProblem::NoFolder)?.join(address.text);
    Ok(Source::File { path, content: OnceCell::new() })
}

/// Decodes a `data:` URI without its scheme.
fn decode(uri: &str) -> Result<(Vec<u8>, Option<WarningKind>), BufferProblem> {
    const SUFFIX: &[u8] = b";base64";
    let (media_type, data) = uri.split_once(',').ok_or(BufferProblem::InvalidDataUri)?;
    let media_type = media_type.as_bytes();
    let suffix = media_type.len().checked_sub(SUFFIX.len()).map_or(&[][..], |at| &media_type[at..]);
    if !suffix.eq_ignore_ascii_case(SUFFIX) {
        return Ok((percent_decoded(data)?, None));
    }
    let data = if data.contains('%') { Cow::Owned(percent_decoded(data)?) } else { Cow::Borrowed(data.as_bytes()) };
    // Reserve first, so that decoding does not allocate.
    let mut bytes = room_for(base64::decoded_len_estimate(data.len()))?;
    if BASE64.decode_vec(&data, &mut bytes).is_ok() {
        return Ok((bytes, None));
    }
    bytes.clear();
    let mut dense = room_for(data.len())?;
    dense.extend(data.iter().filter(|byte| !byte.is_ascii_whitespace()));
    // White space was not the fault.
    if dense.len() == data.len() {
        return Err(BufferProblem::InvalidDataUri);
    }
    BASE64.decode_vec(&dense, &mut bytes).map_err(|_| BufferProblem::InvalidDataUri)?;
    Ok((bytes, Some(WarningKind::WhiteSpace)))
}

/// Replaces each percent sign and the two digits after it by the byte that they encode.
fn percent_decoded(text: &str) -> Result<Vec<u8>, BufferProblem> {
    let mut bytes = room_for(text.len())?;
    bytes.extend(percent_decode_str(text));
    Ok(bytes)
}

fn room_for(bytes: usize) -> Result<Vec<u8>, BufferProblem> {
    fallible::with_capacity(bytes).map_err(|_| BufferProblem::AllocationFailed)
}

/// Returns the length of a file in bytes, or an error if it is not a readable regular file.
fn measure(path: &Path) -> io::Result<u64> {
    // Check before opening, because opening a pipe waits for its other end.
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    File::open(path).map(|_| metadata.len())
}

pub(crate) fn read_whole(path: &Path) -> Result<Vec<u8>, BufferProblem> {
    measure(path).and_then(|_| fs::read(path)).map_err(|error| unreadable(path, &error))
}

/// Returns the first `length` bytes of a file.
fn read(path: &Path, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = fallible::with_capacity(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
    fallible::read_to_end(File::open(path)?.take(length as u64), &mut bytes)?;
    if bytes.len() == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn unreadable(path: &Path, error: &io::Error) -> BufferProblem {
    match error.kind() {
        io::ErrorKind::OutOfMemory => BufferProblem::AllocationFailed,
        reason => BufferProblem::Read { path: path.to_owned(), reason },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn memory(uri: &str) -> Result<Vec<u8>, BufferProblem> {
        find(uri, &mut |address| in_folder(None, address)).map(|(source, _)| match source {
            Source::Memory(bytes) => bytes.into_owned(),
            Source::File { path, .. } => panic!("a file: {}", path.display()),
        })
    }

    #[test]
    fn data_uris_decode_with_and_without_padding_and_percent_signs() {
        for uri in [
            "data:application/octet-stream;base64,AQIDBA==",
            "data:application/gltf-buffer;base64,AQIDBA",
            "DATA:;BASE64,AQIDBA%3D%3D",
            "data:,%01%02%03%04",
        ] {
            assert_eq!(memory(uri), Ok(vec![1, 2, 3, 4]), "{uri}");
        }
    }

    #[test]
    fn broken_data_uris_are_refused() {
        for uri in ["data:", "data:;base64", "data:;base64,A", "data:;base64,ä", "data:;base64,AQ ID\nA"] {
            assert_eq!(memory(uri), Err(BufferProblem::InvalidDataUri), "{uri}");
        }
    }

    #[test]
    fn paths_are_decoded_and_stay_relative() {
        let folder = Path::new("models");
        let mut files = |address: Address<'_>| in_folder(Some(folder), address);
        for (uri, expected, fault) in [
            ("my%20car.bin", "my car.bin", None),
            ("./a:b.bin", "./a:b.bin", None),
            ("a%3Ab.bin", "a:b.bin", None),
            ("a dir\\x.bin", "a dir/x.bin", Some(WarningKind::Backslash)),
        ] {
            let Ok((Source::File { path, .. }, found)) = find(uri, &mut files) else { panic!("not a file") };
            assert_eq!((path, found), (folder.join(expected), fault));
        }
        for uri in
            ["/dev/zero", "%2Fdev%2Fzero", "file:///dev/zero", "https://example.org/car.bin", "\\\\a\\b", "C:\\a"]
        {
            assert_eq!(find(uri, &mut files).err(), Some(BufferProblem::UnsupportedUri), "{uri}");
        }
    }
}
