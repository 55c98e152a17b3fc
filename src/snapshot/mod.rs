//! Scenes and subtrees as bytes.
//!
//! | what | write | read |
//! |---|---|---|
//! | a whole scene, every handle kept | [`Scene::save`], [`Scene::save_to`] a file or socket | [`Scene::load`], [`Scene::load_from`] |
//! | the same without what is detached | [`Scene::save_with`] and [`SaveOptions`] | the same |
//! | a whole scene, with another configuration | | [`Scene::load_with`] |
//! | a node and all below it, with new handles | [`Scene::save_subtree`] | [`Scene::load_subtree`] |
//!
//! ```
//! use hedgerow::{Node, Scene};
//!
//! let mut scene = Scene::new();
//! let tree = scene.insert(scene.root(), Node::group().named("tree"))?;
//! let bytes = scene.save();
//! scene.remove(tree)?;
//!
//! let loaded = Scene::load(&bytes)?;
//! assert_eq!(loaded.name(tree), Some("tree"), "the handle is good in the scene that was saved");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The format
//!
//! ```text
//! header    magic "hedgerow" │ version │ kind │ length in bytes u64 │ checksum u64                        32 B
//! scene     records, free ones included, and components: `src/store/image.rs`
//! subtree   nodes and their components: `src/snapshot/subtree.rs`
//! ```
//!
//! The checksum, over all but itself, finds damage that would go unseen, such as another colour. It is XXH3 with 64
//! bits. A valid checksum is not trusted: all content is validated.

mod error;
mod subtree;

pub use error::SnapshotError;

use crate::fallible;
use crate::record::{Reader, Writer};
use crate::store::Image;
use crate::{Scene, SceneConfig};
use hedgerow_math::internal::file_header::{self, Broken, Kind};
use std::io::{self, Read, Write};

/// The version that is written, and the only one that is read.
const VERSION: u32 = 7;

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

/// What [`Scene::save_with`] writes of a scene. By default all of it, as [`Scene::save`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveOptions {
    /// Whether detached subtrees are written. Without them, their handles are stale in the loaded scene. Default true.
    pub detached: bool,
}

impl Default for SaveOptions {
    fn default() -> Self {
        Self { detached: true }
    }
}

impl Scene {
    /// The scene as bytes, from which [`Scene::load`] makes the same scene: every handle refers to the same node.
    ///
    /// Nothing that an update derives is written, so it makes no difference whether edits wait for one. Runs in
    /// **O(nodes + records of removed nodes)**.
    ///
    /// # Panics
    /// If a name has 4 GiB or more.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 0.0, 0.0)).named("car"))?;
    /// let loaded = Scene::load(&scene.save())?;
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

    /// The scene as bytes, like [`Scene::save`], without what the options leave out.
    ///
    /// Works on a copy of the scene, which takes **O(nodes)** of time and memory besides.
    ///
    /// ```
    /// use hedgerow::snapshot::SaveOptions;
    /// use hedgerow::{Node, Place, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let kept = scene.insert(scene.root(), Node::group())?;
    /// let deleted = scene.insert(Place::Detached, Node::group())?;   // in the history of an editor, say
    ///
    /// let loaded = Scene::load(&scene.save_with(SaveOptions { detached: false }))?;
    /// assert!(loaded.contains(kept) && !loaded.contains(deleted));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn save_with(&self, options: SaveOptions) -> Vec<u8> {
        if options == SaveOptions::default() {
            return self.save();
        }
        let mut copy = self.clone();
        for node in self.detached_roots() {
            copy.remove(node).expect("the root of a detached subtree");
        }
        copy.save()
    }

    /// Writes the bytes of [`Scene::save`] to a file or elsewhere, in one piece.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn save_to(&self, mut to: impl Write) -> io::Result<()> {
        to.write_all(&self.save())
    }

    /// The scene from which [`Scene::save`] made these bytes, after an update.
    ///
    /// The scene has the configuration that was saved, and the same edits give the same handles as in the scene that was
    /// saved. Any bytes are safe: what is not exactly a scene, down to the last link, is refused, and allocation is
    /// bounded by input size. Runs in **O(bytes)**.
    ///
    /// # Errors
    /// [`SnapshotError`] says what is wrong with the bytes, or that there is no memory for the scene. What the update
    /// takes is asked for as a whole, right before it; if the allocator refuses less than that during the update, the
    /// process ends.
    pub fn load(bytes: &[u8]) -> Result<Self, SnapshotError> {
        Self::read(bytes, None)
    }

    fn read(bytes: &[u8], config: Option<SceneConfig>) -> Result<Self, SnapshotError> {
        let mut from = Reader::new(body_of(Kind::Scene, bytes)?);
        let image = Image::read(&mut from)?;
        from.finish()?;
        Ok(Self::restored(image.into_store(config)?))
    }

    /// The scene from which [`Scene::save`] made these bytes, with another configuration. Handles stay.
    ///
    /// Runs in **O(bytes)**.
    ///
    /// # Errors
    /// Those of [`Scene::load`]; [`SnapshotError::Scene`] with [`Error::InvalidConfig`](crate::Error::InvalidConfig).
    ///
    /// ```
    /// use hedgerow::{Scene, SceneConfig};
    ///
    /// let bytes = Scene::new().save();
    /// let scene = Scene::load_with(&bytes, SceneConfig { bounds: true, ..SceneConfig::DEFAULT })?;
    /// assert!(scene.config().bounds);
    /// # Ok::<(), hedgerow::snapshot::SnapshotError>(())
    /// ```
    pub fn load_with(bytes: &[u8], config: SceneConfig) -> Result<Self, SnapshotError> {
        Self::read(bytes, Some(config.checked()?))
    }

    /// Reads to the end and loads the result: see [`Scene::load`].
    ///
    /// # Errors
    /// [`SnapshotError::Read`] with the kind of the reader's error; those of [`Scene::load`].
    pub fn load_from(from: impl Read) -> Result<Self, SnapshotError> {
        Self::load(&fallible::read_whole(from).map_err(SnapshotError::Read)?)
    }
}
