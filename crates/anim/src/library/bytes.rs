//! The byte format of a library: a header, then all values, each in its own byte format.
//!
//! ```text
//! header   see `file_header`                                                                  32 B
//! counts   skeletons, clips, skins, skinned meshes: u32                                       16 B
//! values   in this order, each: length of its name u32, `u32::MAX` if it has no name; length of
//!          its bytes u64; the name in UTF-8; the result of its `to_bytes`, with its own header
//! ```
//!
//! Little-endian, without alignment.

use super::{Collection, Library, LibraryError};
use crate::skeleton::SkeletonError;
use crate::skin::SkinError;
use crate::{Clip, Error, Skeleton, Skin, SkinnedMesh};
use hedgerow_math::internal::fallible;
use hedgerow_math::internal::file_header::{self, Broken, HEADER_BYTES, Kind};
use slotmap::Key;
use std::io::{self, Read, Write};

/// The only version that is written and read.
pub(super) const VERSION: u32 = 1;

/// The name length that marks a value without a name.
const NO_NAME: u32 = u32::MAX;

const CUT_OFF: LibraryError = LibraryError::Invalid("it is cut off");

impl Library {
    /// Returns the library as bytes. [`Library::from_bytes`] restores values, names and order.
    ///
    /// Runs in **O(bytes)**.
    ///
    /// # Panics
    /// Panics if a name is 4 GiB or longer.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let Self { skeletons, clips, skins, meshes } = self;
        let mut out = vec![0; HEADER_BYTES];
        for count in [skeletons.len(), clips.len(), skins.len(), meshes.len()] {
            out.extend_from_slice(&u32::try_from(count).expect("keys number fewer than 2^32").to_le_bytes());
        }
        write(&mut out, skeletons, |skeleton, out| out.extend_from_slice(&skeleton.to_bytes()));
        write(&mut out, clips, |clip, out| out.extend_from_slice(clip.to_bytes()));
        write(&mut out, skins, |skin, out| out.extend_from_slice(&skin.to_bytes()));
        write(&mut out, meshes, |mesh, out| out.extend_from_slice(&mesh.to_bytes()));
        file_header::write_header(Kind::Library, VERSION, &mut out);
        out
    }

    /// Writes [`Library::to_bytes`] to a file or elsewhere, in one call.
    ///
    /// # Errors
    /// Any error of the writer.
    pub fn write_to(&self, mut to: impl Write) -> io::Result<()> {
        to.write_all(&self.to_bytes())
    }

    /// Restores a library from the bytes of [`Library::to_bytes`]. All values get new keys, so find values by name, or
    /// by their unchanged order in [`Collection::iter`].
    ///
    /// Any bytes are safe, because all content is validated, and a failed allocation returns an error. Allocates
    /// O(bytes). Runs in **O(bytes)**.
    ///
    /// # Errors
    /// [`Error::Library`] with a [`LibraryError`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let body = file_header::checked_body(Kind::Library, VERSION, bytes).map_err(|broken| match broken {
            Broken::Magic | Broken::Kind(_) => LibraryError::NotALibrary,
            Broken::Version(version) => LibraryError::Version(version),
            Broken::Length { expected, found } => LibraryError::Length { expected, found },
            Broken::Checksum => LibraryError::Checksum,
        })?;
        let mut from = Reader(body);
        let [skeletons, clips, skins, meshes] = [from.word()?, from.word()?, from.word()?, from.word()?];
        let library = Self {
            skeletons: from.read(skeletons, |number, bytes| {
                Skeleton::from_bytes(bytes).map_err(|error| match error {
                    Error::Skeleton(SkeletonError::AllocationFailed) => LibraryError::AllocationFailed,
                    Error::Skeleton(error) => LibraryError::Skeleton { number, error },
                    _ => LibraryError::Invalid("a skeleton"),
                })
            })?,
            clips: from.read(clips, |number, bytes| {
                Clip::from_bytes(fallible::copied(bytes)?).map_err(|error| match error {
                    Error::Clip(error) => LibraryError::Clip { number, error },
                    _ => LibraryError::Invalid("a clip"),
                })
            })?,
            skins: from.read(skins, |number, bytes| {
                Skin::from_bytes(bytes).map_err(|error| match error {
                    Error::Skin(SkinError::AllocationFailed) => LibraryError::AllocationFailed,
                    Error::Skin(error) => LibraryError::Skin { number, error },
                    _ => LibraryError::Invalid("a skin"),
                })
            })?,
            meshes: from.read(meshes, |number, bytes| {
                SkinnedMesh::from_bytes(bytes).map_err(|error| match error {
                    Error::Skin(SkinError::AllocationFailed) => LibraryError::AllocationFailed,
                    Error::Skin(error) => LibraryError::Mesh { number, error },
                    _ => LibraryError::Invalid("a skinned mesh"),
                })
            })?,
        };
        if from.0.is_empty() {
            Ok(library)
        } else {
            Err(LibraryError::Invalid("something follows its last value").into())
        }
    }

    /// Reads to the end and restores a library: see [`Library::from_bytes`].
    ///
    /// # Errors
    /// [`LibraryError::Read`] with the kind of the reader's error, or an error of [`Library::from_bytes`].
    pub fn read_from(from: impl Read) -> Result<Self, Error> {
        Self::from_bytes(&fallible::read_whole(from).map_err(LibraryError::Read)?)
    }
}

fn write<K: Key, V>(out: &mut Vec<u8>, values: &Collection<K, V>, write: impl Fn(&V, &mut Vec<u8>)) {
    for (_, name, value) in values.iter() {
        let length = name.map(|name| u32::try_from(name.len()).ok().filter(|&length| length != NO_NAME));
        let length = length.map_or(NO_NAME, |length| length.expect("a name of less than 4 GiB"));
        out.extend_from_slice(&length.to_le_bytes());
        let place = out.len();
        out.extend_from_slice(&[0; 8]);
        out.extend_from_slice(name.unwrap_or("").as_bytes());
        let start = out.len();
        write(value, out);
        let bytes = (out.len() - start) as u64;
        out[place..place + 8].copy_from_slice(&bytes.to_le_bytes());
    }
}

/// The bytes that were not read yet.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, length: usize) -> Result<&'b [u8], LibraryError> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(CUT_OFF)?;
        self.0 = rest;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u32, LibraryError> {
        let word = self.take(4)?.first_chunk().ok_or(CUT_OFF)?;
        Ok(u32::from_le_bytes(*word))
    }

    /// Reads values one by one, so that memory is bounded by the size of the input.
    fn read<K: Key, V>(
        &mut self,
        count: u32,
        read: impl Fn(usize, &[u8]) -> Result<V, LibraryError>,
    ) -> Result<Collection<K, V>, LibraryError> {
        let mut values = Collection::try_new()?;
        for number in 0..count as usize {
            let name = self.word()?;
            let length = self.take(8)?.first_chunk().map(|length| u64::from_le_bytes(*length));
            let length = length.and_then(|length| usize::try_from(length).ok()).ok_or(CUT_OFF)?;
            let name = if name == NO_NAME {
                None
            } else {
                let name = core::str::from_utf8(self.take(name as usize)?);
                Some(name.map_err(|_| LibraryError::Invalid("a name is not UTF-8"))?)
            };
            let value = read(number, self.take(length)?)?;
            values.try_insert(name, value)?;
        }
        Ok(values)
    }
}
