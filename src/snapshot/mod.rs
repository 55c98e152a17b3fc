//! Scenes and subtrees as bytes.
//!
//! # The format
//!
//! ```text
//! header    magic "hedgerow" │ version │ kind │ length in bytes u64 │ checksum u64                        32 B
//! scene     the image of the storage: told in `store/image`
//! subtree   nodes and their components: told in `subtree`
//! ```
//!
//! The checksum, over all but itself, finds damage that would go unseen, such as another colour. It is XXH3 with 64
//! bits: `file_header` says of what. What the bytes say is not trusted, though the checksum is right.

mod error;
mod subtree;

pub use error::SnapshotError;

use crate::Scene;
use crate::record::{Reader, Writer};
use crate::store::Store;
use hedgerow_math::internal::file_header::{self, Broken, Kind};
use std::io::{self, Read, Write};

/// The version that is written, and the only one that is read.
const VERSION: u32 = 4;

/// The bytes of a writer, after a header.
fn with_header(kind: Kind, out: Writer) -> Vec<u8> {
    let mut bytes = out.into_bytes();
    file_header::write_header(kind, VERSION, &mut bytes);
    bytes
}

/// The body of a snapshot of this kind, after its header was checked.
fn body_of(kind: Kind, bytes: &[u8]) -> Result<&[u8], SnapshotError> {
    file_header::checked_body(kind, VERSION, bytes).map_err(|broken| match broken {
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
    /// The scene as bytes, from which [`Scene::load`] makes the same scene: every handle refers to the same node.
    ///
    /// Runs in **O(nodes)**.
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
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let mut out = Writer::new();
        self.store.write_image(&mut out);
        with_header(Kind::Scene, out)
    }

    /// Writes the bytes of [`Scene::save`] to a file or elsewhere, in one piece.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn save_to(&self, mut to: impl Write) -> io::Result<()> {
        to.write_all(&self.save())
    }

    /// The scene from which [`Scene::save`] made these bytes.
    ///
    /// Any bytes are safe: what is not exactly a scene, down to the last link, is refused, and allocation is bounded by
    /// input size. World matrices are those that were saved until the first [`Scene::update`], which computes all of
    /// them. Runs in **O(bytes)**, in passes in memory order.
    ///
    /// # Errors
    /// [`SnapshotError`] says what is wrong with the bytes, or that there is no memory for the scene.
    pub fn load(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let mut from = Reader::new(body_of(Kind::Scene, bytes)?);
        let store = Store::read_image(&mut from)?;
        from.finish()?;
        Ok(Self::restored(store))
    }

    /// Reads to the end and loads the result: see [`Scene::load`].
    ///
    /// # Errors
    /// [`SnapshotError::Read`] with the kind of the reader's error; those of [`Scene::load`].
    pub fn load_from(mut from: impl Read) -> Result<Self, SnapshotError> {
        let mut bytes = Vec::new();
        from.read_to_end(&mut bytes).map_err(|error| SnapshotError::Read(error.kind()))?;
        Self::load(&bytes)
    }
}
