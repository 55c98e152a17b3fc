//! Limits on what an import may make of a file.

use super::document::Document;
use super::error::{ImportError, ImportErrorKind};
use super::{Import, Imported, insert};
use crate::{Error, NodeHandle, Scene};
use std::fs;
use std::path::Path;

/// Limits on what an import may make of a file, to raise for files that the functions of [`import`](super) refuse.
///
/// ```
/// use hedgerow::import::{self, ImportErrorKind, ImportOptions};
/// use hedgerow::Error;
///
/// // Ten scenes show the same two nodes: with the scenes themselves that makes thirty.
/// let scenes = [r#"{"nodes": [0]}"#; 10].join(", ");
/// let text = format!(
///     r#"{{"asset": {{"version": "2.0"}}, "scenes": [{scenes}], "nodes": [{{"children": [1]}}, {{}}]}}"#
/// );
/// let few = ImportOptions::new().with_max_nodes(29);
/// let Err(error) = few.from_slice(text.as_bytes(), None) else { unreachable!() };
/// assert_eq!(error.kind(), &ImportErrorKind::TooManyNodes { nodes: 30, most: 29 });
/// assert_eq!(few.with_max_nodes(30).from_slice(text.as_bytes(), None)?.scene.len(), 31);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ImportOptions {
    /// The greatest number of nodes made of a file, including groups of scenes and shape nodes. `None` allows one node
    /// for each byte of its JSON, and at least 65,536. Their names may have 64 bytes for each node allowed.
    pub max_nodes: Option<usize>,
}

impl ImportOptions {
    /// The limits that the functions of [`import`](super) use.
    #[must_use]
    pub const fn new() -> Self {
        Self { max_nodes: None }
    }

    /// The same options with at most this many nodes, whatever the file's size: `usize::MAX` for a trusted file.
    #[must_use]
    pub const fn with_max_nodes(mut self, most: usize) -> Self {
        self.max_nodes = Some(most);
        self
    }

    /// Like [`import::load`](super::load).
    ///
    /// # Errors
    /// Those of [`import::load`](super::load).
    pub fn load(&self, path: impl AsRef<Path>) -> Result<Import, ImportError> {
        into_new(|scene, root| self.load_into(scene, root, path))
    }

    /// Like [`import::load_into`](super::load_into).
    ///
    /// # Errors
    /// Those of [`import::load_into`](super::load_into).
    pub fn load_into(
        &self,
        scene: &mut Scene,
        parent: NodeHandle,
        path: impl AsRef<Path>,
    ) -> Result<Imported, ImportError> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|error| {
            ImportError::from(ImportErrorKind::Read { path: path.to_owned(), reason: error.kind() })
        })?;
        self.from_slice_into(scene, parent, &bytes, path.parent())
    }

    /// Like [`import::from_slice`](super::from_slice).
    ///
    /// # Errors
    /// Those of [`import::from_slice`](super::from_slice).
    pub fn from_slice(&self, bytes: &[u8], base_dir: Option<&Path>) -> Result<Import, ImportError> {
        into_new(|scene, root| self.from_slice_into(scene, root, bytes, base_dir))
    }

    /// Like [`import::from_slice_into`](super::from_slice_into).
    ///
    /// # Errors
    /// Those of [`import::from_slice_into`](super::from_slice_into).
    pub fn from_slice_into(
        &self,
        scene: &mut Scene,
        parent: NodeHandle,
        bytes: &[u8],
        base_dir: Option<&Path>,
    ) -> Result<Imported, ImportError> {
        if !scene.contains(parent) {
            return Err(Error::StaleHandle(parent).into());
        }
        insert::insert(scene, parent, Document::read(bytes, base_dir, self)?)
    }
}

/// Runs an import into a new scene.
fn into_new(
    import: impl FnOnce(&mut Scene, NodeHandle) -> Result<Imported, ImportError>,
) -> Result<Import, ImportError> {
    let mut scene = Scene::new();
    let root = scene.root();
    let imported = import(&mut scene, root)?;
    Ok(Import { scene, imported })
}
