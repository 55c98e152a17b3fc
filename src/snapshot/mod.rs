//! Scenes as bytes. A [`Tree`](crate::Tree) has a byte format of its own.
//!
//! | content | write | read |
//! |---|---|---|
//! | a whole scene, with all handles | [`Scene::to_bytes`] | [`Scene::from_bytes`] |
//! | the same to a file or socket, without detached subtrees, with another configuration | [`SaveOptions`] | [`LoadOptions`] |
//! | a node and all below it, without handles: a [`Tree`](crate::Tree) | [`Tree::to_bytes`](crate::Tree::to_bytes) | [`Tree::from_bytes`](crate::Tree::from_bytes) |
//!
//! ```
//! use hedgerow::{Node, Scene};
//!
//! let mut scene = Scene::new();
//! let tree = scene.insert(scene.root(), Node::group().with_name("tree"))?;
//! let bytes = scene.to_bytes();
//! scene.remove(tree)?;
//!
//! let loaded = Scene::from_bytes(&bytes)?;
//! assert_eq!(loaded.get(tree).unwrap().name(), Some("tree"), "the handle is good in the scene that was saved");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Files that last
//!
//! Every byte format and every form of text, of this crate and of those beside it, has a number. Readers accept all numbers
//! from the first release on, for ever; writers write the newest. A file that is newer than the crate is refused with an
//! error that says so: [`SnapshotError::Version`]. Keep for years: libraries of `hedgerow-document`, [trees](crate::Tree),
//! text, clips, skeletons, skins and meshes. Scenes stay readable, too, but [handles](crate::NodeHandle) are for one run and
//! the next: they are equal in a scene that is loaded from the bytes that were saved, and mean nothing in any other, not
//! even in one from the same text. What refers to nodes for years uses ids of a library, names, or numbers of your own. In
//! the release that saved it, a loaded scene also gives the same handles to new nodes; another may give others.
//!
//! # The format
//!
//! ```text
//! header    magic "hedgerow" │ version │ kind │ length in bytes u64 │ checksum u64                        32 B
//! scene     records, free ones included, and components: `src/store/image.rs`
//! tree      nodes and their components: `src/tree/bytes.rs`
//! ```
//!
//! The checksum is the 64-bit XXH3 hash of what follows the header; its seed is this hash of the first 24 bytes. It
//! detects damage that validation does not notice, such as a changed material. Even if the checksum is valid, all content
//! is validated.

mod error;

pub use error::SnapshotError;

use crate::bytes::{Reader, Writer};
use crate::fallible;
use crate::store::Image;
use crate::{Scene, SceneConfig};
use hedgerow_math::internal::file_header::{Broken, Format, Kind};
use std::io::{self, Read, Write};

const SCENE: Format = Format::new(Kind::Scene, 14, 14);

/// Checks the header of bytes of this format, and returns the version and the body.
///
/// # Errors
/// A [`SnapshotError`] if the bytes are damaged, or of another kind or version.
pub fn body(format: Format, bytes: &[u8]) -> Result<(u32, &[u8]), SnapshotError> {
    format.body(bytes).map_err(|broken| match broken {
        Broken::Version { found, newest } => SnapshotError::Version { found, newest },
        Broken::Length { expected, found } => SnapshotError::Length { expected, found },
        Broken::Checksum => SnapshotError::Checksum,
        Broken::Kind(found) => Kind::ALL
            .into_iter()
            .find(|&(kind, _)| kind as u32 == found)
            .map_or(SnapshotError::NotASnapshot, |(_, found)| SnapshotError::Kind { found }),
        Broken::Magic => SnapshotError::NotASnapshot,
    })
}

/// Options for saving a scene. By default everything is written, as by [`Scene::to_bytes`].
///
/// ```
/// use hedgerow::snapshot::SaveOptions;
/// use hedgerow::{Node, Place, Scene};
///
/// let mut scene = Scene::new();
/// let kept = scene.insert(scene.root(), Node::group())?;
/// let deleted = scene.insert(Place::Detached, Node::group())?;   // in the history of an editor, say
///
/// let loaded = Scene::from_bytes(&SaveOptions { detached: false }.to_bytes(&scene))?;
/// assert!(loaded.contains(kept) && !loaded.contains(deleted));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaveOptions {
    /// Whether to write detached subtrees. If false, their handles are stale in the loaded scene. Default true.
    pub detached: bool,
}

impl Default for SaveOptions {
    fn default() -> Self {
        Self { detached: true }
    }
}

impl SaveOptions {
    /// Returns the scene as bytes, like [`Scene::to_bytes`], without the parts that the options exclude.
    ///
    /// Runs in **O(nodes + records of removed nodes)**. If anything is excluded, the scene is copied first.
    ///
    /// # Panics
    /// Panics if a name is 4 GiB or longer.
    #[must_use]
    pub fn to_bytes(self, scene: &Scene) -> Vec<u8> {
        if self.detached {
            return scene.to_bytes();
        }
        // A clone has the same handles, so the bytes keep them.
        let mut copy = scene.clone();
        for node in scene.detached() {
            copy.remove(node.handle()).expect("the root of a detached subtree");
        }
        copy.to_bytes()
    }

    /// Writes the bytes to a file or elsewhere, in one piece.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write(self, scene: &Scene, mut to: impl Write) -> io::Result<()> {
        to.write_all(&self.to_bytes(scene))
    }
}

/// Options for loading a scene. By default the scene gets the saved configuration, as with [`Scene::from_bytes`].
///
/// ```
/// use hedgerow::snapshot::{LoadOptions, SaveOptions};
/// use hedgerow::{Scene, SceneConfig};
///
/// let mut file = Vec::new();
/// SaveOptions::default().write(&Scene::new(), &mut file)?;
/// let config = SceneConfig { bounds: true, ..SceneConfig::DEFAULT };
/// let scene = LoadOptions { config: Some(config) }.read(&file[..])?;
/// assert!(scene.config().bounds);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// The configuration of the loaded scene. It does not affect handles. Default `None`: the saved configuration.
    pub config: Option<SceneConfig>,
}

impl LoadOptions {
    /// Loads a scene from bytes, like [`Scene::from_bytes`].
    ///
    /// # Errors
    /// The errors of [`Scene::from_bytes`]; [`SnapshotError::Scene`] with
    /// [`Error::InvalidConfig`](crate::Error::InvalidConfig).
    pub fn from_bytes(self, bytes: &[u8]) -> Result<Scene, SnapshotError> {
        // The configuration first: reading a large scene in vain takes long.
        let config = self.config.map(SceneConfig::checked).transpose()?;
        let mut from = Reader::new(body(SCENE, bytes)?.1);
        let image = Image::read(&mut from)?;
        from.finish()?;
        Ok(Scene::restored(image.into_store(config)?))
    }

    /// Reads to the end and loads the result.
    ///
    /// # Errors
    /// [`SnapshotError::Read`] with the kind of the reader's error, and the errors of [`LoadOptions::from_bytes`].
    pub fn read(self, from: impl Read) -> Result<Scene, SnapshotError> {
        self.from_bytes(&fallible::read_whole(from).map_err(SnapshotError::Read)?)
    }
}

impl Scene {
    /// Returns the scene as bytes. [`Scene::from_bytes`] restores the same scene: every handle refers to the same node.
    ///
    /// Every later version reads the bytes, but handles are for one run and the next: see
    /// [files that last](crate::snapshot#files-that-last). Edits since the last update are included; derived data is not.
    /// Runs in **O(nodes + records of removed nodes)**.
    ///
    /// # Panics
    /// Panics if a name is 4 GiB or longer.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1.0, 0.0, 0.0)).with_name("car"))?;
    /// let loaded = Scene::from_bytes(&scene.to_bytes())?;
    /// assert_eq!(loaded.get(car).unwrap().name(), Some("car"));
    /// assert_eq!(loaded.world(car).unwrap().translation().x, 1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        self.store.write_image(&mut out);
        out.into_file(SCENE)
    }

    /// Restores a scene from the bytes of [`Scene::to_bytes`] of [this or an older
    /// release](crate::snapshot#files-that-last), and updates it.
    ///
    /// The scene has the saved configuration, and the same edits give the same handles as in the saved scene. Draws and
    /// results of queries may come in another order, on which a replay must not depend.
    ///
    /// Any bytes are safe, because everything is validated, and the size of the input bounds allocation. Runs in
    /// **O(bytes)**.
    ///
    /// # Errors
    /// A [`SnapshotError`] if the bytes are not valid, or if there is not enough memory for the scene. A test
    /// allocation checks for enough memory. If an allocation still fails in the update, the process aborts.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SnapshotError> {
        LoadOptions::default().from_bytes(bytes)
    }
}
