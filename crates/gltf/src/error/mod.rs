//! The errors of an import, each with its item in the file.

mod item;
mod other;
mod warning;

pub(super) use item::{Field, check_finite, check_index};
pub use item::{Item, ItemKind};
pub use other::OtherFile;
pub(super) use other::is_lfs_pointer;
pub(super) use warning::Warnings;
pub use warning::{Warning, WarningKind};

use hedgerow::Error;
use hedgerow_character::CharacterError;
use std::io;
use std::path::PathBuf;

/// A refused import. The target scene is unchanged.
///
/// [`ImportError::kind`] says what is wrong.
///
/// ```
/// use hedgerow_gltf::{ImportErrorKind, ItemKind};
///
/// let lost = br#"{"asset": {"version": "2.0"}, "nodes": [{"name": "wheel", "mesh": 7}]}"#;
/// let Err(error) = hedgerow_gltf::from_slice(lost, None) else { unreachable!() };
/// assert_eq!(error.to_string(), "node 0 \"wheel\": mesh is 7, but the file has 0 of these");
/// let ImportErrorKind::IndexOutOfRange { item, .. } = error.kind() else { unreachable!() };
/// assert_eq!((item.kind, item.index), (ItemKind::Node, 0));
/// ```
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}")]
pub struct ImportError {
    kind: Box<ImportErrorKind>,
}

/// Why a glTF file cannot be imported.
///
/// Every variant identifies the item at fault by its glTF index, and by its name if the item has one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ImportErrorKind {
    /// The scene refuses new nodes: the parent's handle is stale, or the scene is full.
    #[error(transparent)]
    Scene(Error),
    /// The file itself cannot be read.
    #[error("{path} cannot be read: {reason}")]
    Read {
        /// The path.
        path: PathBuf,
        /// The error of the operating system.
        reason: io::ErrorKind,
    },
    /// The file is not glTF.
    #[error("{0}")]
    NotGltf(OtherFile),
    /// A binary file (GLB) ends inside its header or inside a chunk.
    #[error("the file is cut off: {found} bytes where at least {expected} are needed; download it again")]
    Truncated {
        /// The minimum length of the file in bytes, as stated by the header of the file or of the chunk.
        expected: u64,
        /// The number of bytes present.
        found: u64,
    },
    /// A binary file (GLB) has an invalid header, or its first chunk is not JSON.
    #[error("the file is not a binary glTF: {0}")]
    Container(String),
    /// The JSON cannot be read as glTF; the text names the item, the field and the position.
    #[error("the file cannot be read as glTF: {0}")]
    Json(String),
    /// The file has or requires a glTF version other than 2.0.
    #[error("the file has glTF version {0:?}; convert it to 2.0, or look for a newer download")]
    Version(String),
    /// The file requires this extension, which is not supported, and which
    /// [`ImportOptions::with_extensions`](super::ImportOptions::with_extensions) does not name.
    #[error(
        "the file requires the extension {0}, which is not supported; name it in ImportOptions::with_extensions if your program handles it, or look for a download without it"
    )]
    UnsupportedExtension(String),
    /// The file requires an extension that this crate reads only with a feature, and the feature is off.
    #[error("the file requires the extension {extension}; turn on the feature {feature:?} of hedgerow-gltf to read it")]
    FeatureOff {
        /// The extension.
        extension: &'static str,
        /// The feature of `hedgerow-gltf` that reads the extension.
        feature: &'static str,
    },
    /// The data of a buffer is not available.
    #[error("{item}: {problem}")]
    Buffer {
        /// The buffer.
        item: Item,
        /// What is wrong with it.
        problem: BufferProblem,
    },
    /// An item refers to another item by an index that is not in the file.
    #[error("{item}: {field} is {index}, but the file has {count} of these")]
    IndexOutOfRange {
        /// The item that holds the index.
        item: Item,
        /// The field with the index.
        field: String,
        /// The index.
        index: usize,
        /// How many items of the referenced kind the file has.
        count: usize,
    },
    /// A node is a child of two nodes.
    #[error("{item} is listed by {} and by {}, but a node can have only one parent", .parents[0], .parents[1])]
    TwoParents {
        /// The node.
        item: Item,
        /// The two nodes that list it as a child.
        parents: [Item; 2],
    },
    /// A node is its own ancestor.
    #[error("{0} lies below itself")]
    Cycle(Item),
    /// A number is not finite.
    #[error("{item}: {field} must be finite")]
    NotFinite {
        /// The item with the number.
        item: Item,
        /// The field with the number.
        field: String,
    },
    /// A buffer view or an accessor exceeds the buffer or view that it refers to.
    #[error("{item} needs {expected} bytes of its {}, which has {found}", .item.container())]
    OutOfBounds {
        /// The buffer view or the accessor.
        item: Item,
        /// How many bytes the buffer or view must have.
        expected: u128,
        /// How many bytes the buffer or view has.
        found: u64,
    },
    /// An accessor describes data that glTF forbids.
    #[error("{item}: {problem}")]
    Accessor {
        /// The accessor.
        item: Item,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// Compressed geometry cannot be decoded.
    #[error("{item}: {field}: the compressed data cannot be decoded: {problem}; get or export the file again")]
    Compressed {
        /// The buffer view or the mesh.
        item: Item,
        /// The field that names the compressed data.
        field: String,
        /// What is wrong with the data.
        problem: String,
    },
    /// Mesh ids or material numbers, counted from the first number in the [`ImportOptions`](super::ImportOptions),
    /// exceed 32 bits.
    #[error("the file has more {0} entries than 32 bits can number; begin with a lower number, or split it")]
    TooMany(ItemKind),
    /// The scenes of the file have more nodes than allowed for the file's size.
    #[error(
        "the scenes of the file have {nodes} nodes, but a file of this size may have {most}; let scenes share less, or raise ImportOptions::with_max_nodes"
    )]
    TooManyNodes {
        /// How many nodes the scenes have, including their group nodes and drawable nodes.
        nodes: u64,
        /// The greatest number allowed; see [`ImportOptions::with_max_nodes`](super::ImportOptions::with_max_nodes).
        most: u64,
    },
    /// The total length of the names of inserted nodes is greater than allowed for the file's size.
    #[error(
        "the names of the nodes take {bytes} bytes, but a file of this size may have {most}; shorten them, or raise ImportOptions::with_max_nodes"
    )]
    NamesTooLong {
        /// The total number of bytes.
        bytes: u64,
        /// The greatest number allowed.
        most: u64,
    },
    /// Parsed JSON, nodes, scenes, vertices, keys, weights and images take more memory than allowed for the file's
    /// size. Data that is read several times counts each time.
    #[error(
        "{item}: with it {bytes} bytes are made of the file, but a file of this size may make {most}; raise ImportOptions::with_max_bytes if it is trusted"
    )]
    TooManyBytes {
        /// The item at which the limit is exceeded.
        item: Item,
        /// The number of bytes up to and including this item.
        bytes: u64,
        /// The greatest number allowed; see [`ImportOptions::with_max_bytes`](super::ImportOptions::with_max_bytes).
        most: u64,
    },
    /// There is no memory for the data of an item.
    #[error("{0}: out of memory for its data; free some, or leave out parts by ImportOptions::with_parts")]
    AllocationFailed(Item),
    /// A list has too many or too few elements.
    #[error("{item}: {field} has {found} elements where {expected} are needed")]
    Count {
        /// The item with the list.
        item: Item,
        /// The field with the list.
        field: String,
        /// How many elements it should have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// An item has a value that glTF forbids.
    #[error("{item}: {field}: {problem}")]
    Invalid {
        /// The item.
        item: Item,
        /// The field with the value.
        field: String,
        /// The problem, and the expected value.
        problem: &'static str,
    },
    /// There is no animation with this index.
    #[error("animation {animation} is out of range of {count} imported ones; import motion, and count from 0")]
    NoAnimation {
        /// The index.
        animation: usize,
        /// The number of animations; 0 if [`Parts::motion`](super::Parts::motion) is not set.
        count: usize,
    },
    /// Nodes cannot form a skeleton, a skin cannot be made, keys cannot be played, or no player can be made because a
    /// clip or a rig of an [`Imported`](super::Imported) was replaced.
    #[error("{item}: {field}{}{error}", if field.is_empty() { "" } else { ": " })]
    Motion {
        /// The animation, the skin, or the first node of the rig.
        item: Item,
        /// The channel or the rig at fault; empty if the whole item is at fault.
        field: String,
        /// Why not.
        error: CharacterError,
    },
    /// The file has a fault that is a [`Warning`] unless the import is [strict](super::ImportOptions::strict).
    #[error("{0} unless ImportOptions::strict is set")]
    Strict(Warning),
}

/// Why the data of a buffer or an image is not available.
///
/// ```
/// use hedgerow_gltf::{BufferProblem, ImportErrorKind};
///
/// // The text is in memory, so there is no folder that could contain `car.bin`.
/// let text = br#"{"asset": {"version": "2.0"}, "buffers": [{"uri": "car.bin", "byteLength": 4}]}"#;
/// let Err(error) = hedgerow_gltf::from_slice(text, None) else { unreachable!() };
/// let ImportErrorKind::Buffer { problem, .. } = error.kind() else { unreachable!() };
/// assert_eq!(problem, &BufferProblem::NoFolder);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BufferProblem {
    /// It has neither a URI nor a buffer view, and is not the binary chunk of a GLB.
    #[error("it has neither a URI nor a binary chunk")]
    NoData,
    /// It is a separate file, but no folder was given.
    #[error("it is a file of its own; pass the folder that it is in")]
    NoFolder,
    /// The URI is neither a `data:` URI nor a relative path.
    #[error("only data: URIs and relative paths can be read")]
    UnsupportedUri,
    /// The `data:` URI cannot be decoded.
    #[error("its data: URI cannot be decoded")]
    InvalidDataUri,
    /// There is no memory for its bytes.
    #[error("out of memory for its bytes; free some")]
    AllocationFailed,
    /// It is shorter than the file states, and the missing bytes are needed.
    #[error("it has {found} bytes where the file states {stated}; download or export it again")]
    CutOff {
        /// How many bytes the file states.
        stated: u64,
        /// How many there are.
        found: u64,
    },
    /// It is a Git LFS pointer: its file was not fetched.
    #[error("it is a pointer of Git LFS; run `git lfs pull`, or download it")]
    GitLfsPointer,
    /// The file cannot be read.
    #[error("{path} cannot be read: {reason}")]
    Read {
        /// The path.
        path: PathBuf,
        /// The error of the operating system.
        reason: io::ErrorKind,
    },
    /// The closure passed to [`ImportOptions::from_slice_with`](super::ImportOptions::from_slice_with) returned an
    /// error.
    #[error("{uri:?} cannot be read: {reason}")]
    Resolver {
        /// The URI that the closure was called with.
        uri: String,
        /// The text of the closure's error.
        reason: String,
    },
}

impl ImportError {
    /// Returns the kind of the error, with the item in the file.
    #[must_use]
    pub fn kind(&self) -> &ImportErrorKind {
        &self.kind
    }
}

impl From<ImportErrorKind> for ImportError {
    fn from(kind: ImportErrorKind) -> Self {
        Self { kind: Box::new(kind) }
    }
}

impl From<Error> for ImportError {
    fn from(error: Error) -> Self {
        ImportErrorKind::Scene(error).into()
    }
}
