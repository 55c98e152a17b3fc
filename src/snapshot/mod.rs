//! Scenes and subtrees as bytes.
//!
//! # The format
//!
//! Little-endian throughout, nothing aligned, fields in order with nothing between them. Numbers are `u32` unless said
//! otherwise; a *list* is a number and as many numbers; [`NIL`](crate::store::NIL) is 2³² − 1.
//!
//! ```text
//! header    magic "hedgerow" │ version │ kind │ length in bytes u64 │ checksum u64                        32 B
//! scene     policy: list │ reconstitutions u64
//!           tables: count, then of each: entries │ heads of its free list ×8 │ length of that │ entries 12 B
//!           the pool's open tables: list
//!           slices: count, then of each a head, and if it is in use its arrays
//!           slices that wait for maintenance: list │ small ones that wait for a partner: list
//!           topmost slices of detached subtrees: list │ of what waits to be freed: list
//! head      flags │ first and last top row │ misplaced │ for each of six storages: end │ capacity │ holes
//!           counts of sheared transforms, children, tables, open tables                                  104 B
//! arrays    the holes of each storage that has any, as words of 64 bits
//!           ranks 4 B (see `check`) and rows 48 B │ transforms: parents 4 B, locals 40 B, world matrices 48 B
//!           visibilities: parents, masks, effective masks, 4 B each │ materials 8 B
//!           shapes: records 24 B, bounds 24 B
//!           names: lengths, then texts in UTF-8 │ sheared transforms: slots, then matrices 48 B
//!           children │ tables │ open tables
//! ```
//!
//! Each row, slot and entry is where it was, so handles, stale ones and retired indices are kept, and what is edited later
//! goes the way it would have gone. Not kept are room reserved for slices to come, and marks: what is derived (world
//! matrices and the like) is as of the last update, is not checked, and is computed anew by the next.
//!
//! What the bytes say is not trusted. Lengths are held against the bytes that are there before anything is allocated; room
//! beyond is made for at most sixteen times the bytes. Every invariant is checked (see `check`). The checksum, over all but
//! itself, finds damage that would go unseen, such as another colour: `seal` says how it is made.
//!
//! The format of a subtree is told in `subtree`.

mod check;
mod column;
mod config;
mod error;
mod read;
mod subtree;
mod tables;
#[cfg(test)]
mod tests;
mod write;

pub use error::SnapshotError;

use crate::seal::{self, Broken, Kind};
use crate::snapshot::check::Nodes;
use crate::store::Store;
use crate::{Error, Scene};
use read::Reader;
use std::io::{self, Read, Write};
use write::Writer;

/// The version that is written, and the only one that is read.
const VERSION: u32 = 1;

/// The bytes of a writer, behind a header.
fn seal(kind: Kind, out: Writer) -> Vec<u8> {
    let mut bytes = out.into_bytes();
    seal::seal(kind, VERSION, &mut bytes);
    bytes
}

/// The body of a snapshot of this kind whose bytes are those that were written.
fn unseal(kind: Kind, bytes: &[u8]) -> Result<&[u8], SnapshotError> {
    seal::unseal(kind, VERSION, bytes).map_err(|broken| match broken {
        Broken::Version(version) => SnapshotError::Version(version),
        Broken::Length { expected, found } => SnapshotError::Length { expected, found },
        Broken::Checksum => SnapshotError::Checksum,
        Broken::Kind(found) if found == Kind::Scene as u32 || found == Kind::Subtree as u32 => {
            SnapshotError::Kind { whole: kind == Kind::Scene }
        }
        Broken::Magic | Broken::Kind(_) => SnapshotError::NotASnapshot,
    })
}

impl Scene {
    /// The scene as bytes, which [`Scene::load`] makes the same scene of: every handle names what it names here.
    ///
    /// Computes in **O(nodes)**.
    ///
    /// # Panics
    /// If a name has 4 GiB or more.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 0.0, 0.0)).named("car"))?;
    /// let mut loaded = Scene::load(&scene.save())?;
    /// loaded.update();
    /// assert_eq!(loaded.name(car), Some("car"));
    /// assert_eq!(loaded.world(car).unwrap().translation().x, 1.0);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer::new();
        self.store.write(&mut out);
        seal(Kind::Scene, out)
    }

    /// Writes [`Scene::save`]'s bytes to a file or elsewhere, in one piece.
    ///
    /// # Errors
    /// What the writer answers.
    pub fn save_to(&self, mut to: impl Write) -> io::Result<()> {
        to.write_all(&self.save())
    }

    /// The scene that [`Scene::save`] made these bytes of.
    ///
    /// Any bytes are safe: what is not exactly a scene, down to the last link, is refused, and takes no memory that its
    /// length is no measure of. World matrices are as they were saved until the first [`Scene::update`], which computes all.
    /// Computes in **O(bytes)**, by passes that go through memory in order.
    ///
    /// # Errors
    /// [`Error::Snapshot`] says what is wrong with the bytes; [`Error::AllocationFailed`].
    pub fn load(bytes: &[u8]) -> Result<Self, Error> {
        let mut from = Reader::new(unseal(Kind::Scene, bytes)?);
        let (store, Nodes { attached, detached, .. }) = Store::read(&mut from)?;
        from.finish()?;
        let scene = Self::restored(store, attached, detached);
        debug_assert_eq!(scene.validate(), Ok(()), "the check of a snapshot lets through what validate() refuses");
        Ok(scene)
    }

    /// Reads to the end and loads that: see [`Scene::load`].
    ///
    /// # Errors
    /// [`SnapshotError::Read`] with the kind of what the reader answers; those of [`Scene::load`].
    pub fn load_from(mut from: impl Read) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).map_err(|error| SnapshotError::Read(error.kind()))?;
        Self::load(&bytes)
    }
}
