//! What an import can refuse, and the thing in the file that it is about.

use crate::Error;
use crate::anim::{clip::ClipError, skeleton::SkeletonError, skin::SkinError};
use core::fmt;
use gltf::json::Root;
use std::io;
use std::path::PathBuf;

/// A refused import. The scene that the file was to go to is as before.
///
/// [`ImportError::kind`] says what is wrong.
///
/// ```
/// use hedgerow::import::{self, ImportErrorKind, ItemKind};
///
/// let lost = br#"{"asset": {"version": "2.0"}, "nodes": [{"name": "wheel", "mesh": 7}]}"#;
/// let Err(error) = import::from_slice(lost, None) else { unreachable!() };
/// assert_eq!(error.to_string(), "node 0 \"wheel\": mesh is 7, but the file has 0 of these");
/// let ImportErrorKind::IndexOutOfRange { item, .. } = error.kind() else { unreachable!() };
/// assert_eq!((item.kind, item.index), (ItemKind::Node, 0));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ImportError {
    kind: Box<ImportErrorKind>,
}

/// Why a glTF file cannot be imported.
///
/// Every variant names the thing in the file that is at fault, by its glTF index and its name where it has one.
///
/// ```
/// use hedgerow::import::{self, ImportErrorKind};
///
/// let Err(error) = import::from_slice(br#"{"asset": {"version": "1.0"}}"#, None) else {
///     unreachable!()
/// };
/// assert_eq!(error.kind(), &ImportErrorKind::Version("1.0".to_owned()));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ImportErrorKind {
    /// The scene refuses: the parent's handle is stale, or there is no room.
    Scene(Error),
    /// The file itself cannot be read.
    Read {
        /// Where it was looked for.
        path: PathBuf,
        /// What the system says.
        reason: io::ErrorKind,
    },
    /// A binary file (GLB) ends before its header or one of its chunks does.
    Truncated {
        /// How many bytes the file or its chunk says that it has, at least.
        expected: u64,
        /// How many there are.
        found: u64,
    },
    /// A binary file (GLB) is not built of a JSON chunk and at most one BIN chunk.
    Container(String),
    /// The JSON cannot be read as glTF; the text says where.
    Json(String),
    /// The file is of a glTF version other than 2.0, or needs one.
    Version(String),
    /// The file cannot be understood without this extension.
    UnsupportedExtension(String),
    /// The data of a buffer cannot be had.
    Buffer {
        /// The buffer.
        item: Item,
        /// What is wrong with it.
        problem: BufferProblem,
    },
    /// A thing names another by an index that is not in the file.
    IndexOutOfRange {
        /// The thing that holds the index.
        item: Item,
        /// Where in the thing the index stands.
        field: String,
        /// The index.
        index: usize,
        /// How many things of the named kind the file has.
        count: usize,
    },
    /// A node is the child of two nodes, twice a child of one, or in a scene's list although it has a parent.
    TwoParents {
        /// The node.
        item: Item,
        /// The two nodes or scenes that list it; the same twice where one lists it twice.
        parents: [Item; 2],
    },
    /// A node lies below itself.
    Cycle(Item),
    /// A number that must be finite is not.
    NotFinite {
        /// The thing that the number belongs to.
        item: Item,
        /// Where in the thing it stands.
        field: String,
    },
    /// A node's rotation is the zero quaternion, which has no direction.
    NotRotation(Item),
    /// The last row of a node's matrix is not 0, 0, 0, 1.
    NotAffine(Item),
    /// A buffer view or an accessor reaches past the end of what it looks into.
    OutOfBounds {
        /// The buffer view or the accessor.
        item: Item,
        /// How many bytes of the buffer or the buffer view it needs.
        expected: u128,
        /// How many bytes that has.
        found: u64,
    },
    /// An accessor describes data that glTF does not allow.
    Accessor {
        /// The accessor.
        item: Item,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The file has more mesh primitives or materials than a `u32` can number.
    TooMany(ItemKind),
    /// The scenes of the file come to more nodes than are made of one of its size.
    TooManyNodes {
        /// How many nodes they come to, groups of scenes and shape nodes included.
        nodes: u64,
        /// How many are made at most; see [`ImportOptions::max_nodes`](super::ImportOptions::max_nodes).
        most: u64,
    },
    /// The names of the nodes, each as often as its node is made, are longer than a file of its size may have them.
    NamesTooLong {
        /// How many bytes they come to.
        bytes: u64,
        /// How many there may be.
        most: u64,
    },
    /// A list has more or fewer elements than what it belongs to asks for.
    Count {
        /// The thing that the list belongs to.
        item: Item,
        /// Where in the thing it stands.
        field: String,
        /// How many elements it should have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A thing says what glTF does not allow.
    Invalid {
        /// The thing.
        item: Item,
        /// Where in it that stands.
        field: String,
        /// What is wrong there, and what would be right.
        problem: &'static str,
    },
    /// The matrix of a node that belongs to a rig shears or flattens, so that no translation, rotation and scale are the
    /// same.
    NotTransform(Item),
    /// Nodes do not make a skeleton.
    Skeleton {
        /// The first of the nodes.
        item: Item,
        /// Why not.
        error: SkeletonError,
    },
    /// A skin cannot be made.
    Skin {
        /// The skin.
        item: Item,
        /// Why not.
        error: SkinError,
    },
    /// The keys of an animation cannot be played.
    Clip {
        /// The animation.
        item: Item,
        /// Which of its channels it is.
        field: String,
        /// Why not.
        error: ClipError,
    },
}

/// Why the data of a buffer cannot be had.
///
/// ```
/// use hedgerow::import::{self, BufferProblem, ImportErrorKind};
///
/// // Bytes in memory have no folder in which `car.bin` could be looked for.
/// let text = br#"{"asset": {"version": "2.0"}, "buffers": [{"uri": "car.bin", "byteLength": 4}]}"#;
/// let Err(error) = import::from_slice(text, None) else { unreachable!() };
/// let ImportErrorKind::Buffer { problem, .. } = error.kind() else { unreachable!() };
/// assert_eq!(problem, &BufferProblem::NoFolder);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BufferProblem {
    /// It has no URI, and is not the binary chunk of a GLB.
    NoData,
    /// It is a file beside the glTF, but no folder was given.
    NoFolder,
    /// Its URI is neither a `data:` URI nor a relative path.
    UnsupportedUri,
    /// Its `data:` URI cannot be decoded.
    InvalidDataUri,
    /// Its file cannot be read.
    Read {
        /// Where it was looked for.
        path: PathBuf,
        /// What the system says.
        reason: io::ErrorKind,
    },
    /// It has fewer bytes than the glTF says.
    Short {
        /// How many bytes the glTF says.
        expected: u64,
        /// How many there are.
        found: u64,
    },
}

/// The thing in a glTF file that an [`ImportErrorKind`] is about.
///
/// ```
/// use hedgerow::import::{self, ImportErrorKind};
///
/// let knot = br#"{"asset": {"version": "2.0"}, "nodes": [{"name": "knot", "children": [0]}]}"#;
/// let Err(error) = import::from_slice(knot, None) else { unreachable!() };
/// let ImportErrorKind::Cycle(item) = error.kind() else { unreachable!() };
/// assert_eq!(item.to_string(), "node 0 \"knot\"");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// Its index among the things of its kind.
    pub index: usize,
    /// Its name, where it has one.
    pub name: Option<String>,
}

/// The kinds of things in a glTF file that an [`ImportErrorKind`] can be about.
///
/// ```
/// assert_eq!(hedgerow::import::ItemKind::BufferView.to_string(), "buffer view");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ItemKind {
    /// The file as a whole.
    File,
    /// A scene.
    Scene,
    /// A node.
    Node,
    /// A mesh.
    Mesh,
    /// A material.
    Material,
    /// An accessor.
    Accessor,
    /// A view into a buffer.
    BufferView,
    /// A buffer.
    Buffer,
    /// A skin.
    Skin,
    /// An animation.
    Animation,
}

impl Item {
    /// The thing of this kind and index in `root`, with its name.
    pub(super) fn of(root: &Root, kind: ItemKind, index: usize) -> Self {
        let name = match kind {
            ItemKind::File => None,
            ItemKind::Scene => root.scenes.get(index).and_then(|it| it.name.as_ref()),
            ItemKind::Node => root.nodes.get(index).and_then(|it| it.name.as_ref()),
            ItemKind::Mesh => root.meshes.get(index).and_then(|it| it.name.as_ref()),
            ItemKind::Material => root.materials.get(index).and_then(|it| it.name.as_ref()),
            ItemKind::Accessor => root.accessors.get(index).and_then(|it| it.name.as_ref()),
            ItemKind::BufferView => root.buffer_views.get(index).and_then(|it| it.name.as_ref()),
            ItemKind::Buffer => root.buffers.get(index).and_then(|it| it.name.as_ref()),
            ItemKind::Skin => root.skins.get(index).and_then(|it| it.name.as_ref()),
            ItemKind::Animation => root.animations.get(index).and_then(|it| it.name.as_ref()),
        };
        Self { kind, index, name: name.cloned() }
    }

    /// The node of this index.
    pub(super) fn node(root: &Root, index: usize) -> Self {
        Self::of(root, ItemKind::Node, index)
    }
}

impl fmt::Display for ItemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "file",
            Self::Scene => "scene",
            Self::Node => "node",
            Self::Mesh => "mesh",
            Self::Material => "material",
            Self::Accessor => "accessor",
            Self::BufferView => "buffer view",
            Self::Buffer => "buffer",
            Self::Skin => "skin",
            Self::Animation => "animation",
        })
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.kind, &self.name) {
            (ItemKind::File, _) => f.write_str("the file"),
            (kind, Some(name)) => write!(f, "{kind} {} {name:?}", self.index),
            (kind, None) => write!(f, "{kind} {}", self.index),
        }
    }
}

impl fmt::Display for BufferProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoData => f.write_str("it has no URI and there is no binary chunk for it"),
            Self::NoFolder => f.write_str("it is a file of its own; pass the folder that it is in"),
            Self::UnsupportedUri => f.write_str("only data: URIs and relative paths can be read"),
            Self::InvalidDataUri => f.write_str("its data: URI cannot be decoded"),
            Self::Read { path, reason } => write!(f, "{} cannot be read: {reason}", path.display()),
            Self::Short { expected, found } => {
                write!(f, "it has {found} bytes where {expected} are needed")
            }
        }
    }
}

impl fmt::Display for ImportErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, reason } => write!(f, "{} cannot be read: {reason}", path.display()),
            Self::Truncated { expected, found } => {
                write!(f, "the file is cut off: {found} bytes where at least {expected} are needed")
            }
            Self::Container(problem) => write!(f, "the file is no binary glTF: {problem}"),
            Self::Json(problem) => write!(f, "the file cannot be read as glTF: {problem}"),
            Self::Version(version) => {
                write!(f, "the file is of glTF version {version:?}; convert it to 2.0")
            }
            Self::UnsupportedExtension(name) => {
                write!(f, "the file requires the extension {name}, which is not supported; export it without")
            }
            Self::Buffer { item, problem } => write!(f, "{item}: {problem}"),
            Self::IndexOutOfRange { item, field, index, count } => {
                write!(f, "{item}: {field} is {index}, but the file has {count} of these")
            }
            Self::TwoParents { item, parents: [first, second] } if first == second => {
                write!(f, "{item} is listed twice by {first}")
            }
            Self::TwoParents { item, parents: [first, second] } => {
                write!(f, "{item} is listed by {first} and by {second}, but a node has one parent")
            }
            Self::Cycle(item) => write!(f, "{item} lies below itself"),
            Self::NotFinite { item, field } => write!(f, "{item}: {field} must be finite"),
            Self::NotRotation(item) => {
                write!(f, "{item}: the rotation is zero and has no direction")
            }
            Self::NotAffine(item) => {
                write!(f, "{item}: the last row of the matrix must be 0, 0, 0, 1")
            }
            Self::OutOfBounds { item, expected, found } => {
                write!(f, "{item} needs {expected} bytes of what it looks into, which has {found}")
            }
            Self::Accessor { item, problem } => write!(f, "{item}: {problem}"),
            Self::TooMany(kind) => {
                write!(f, "the file has more {kind} entries than 32 bits can number")
            }
            Self::TooManyNodes { nodes, most } => write!(
                f,
                "the scenes of the file come to {nodes} nodes, and at most {most} are made of one of its size; let scenes share less, or raise ImportOptions::max_nodes"
            ),
            Self::NamesTooLong { bytes, most } => write!(
                f,
                "the names of the nodes come to {bytes} bytes, and at most {most} are made of a file of this size; shorten them, or raise ImportOptions::max_nodes"
            ),
            Self::Count { item, field, expected, found } => {
                write!(f, "{item}: {field} has {found} elements where {expected} are needed")
            }
            Self::Invalid { item, field, problem } => write!(f, "{item}: {field}: {problem}"),
            Self::NotTransform(item) => write!(
                f,
                "{item} belongs to a rig, but its matrix shears or flattens; export it with translation, rotation and scale"
            ),
            Self::Skeleton { item, error } => write!(f, "{item} and what moves with it: {error}"),
            Self::Skin { item, error } => write!(f, "{item}: {error}"),
            Self::Clip { item, field, error } => write!(f, "{item}: {field}: {error}"),
            Self::Scene(error) => error.fmt(f),
        }
    }
}

impl ImportError {
    /// What is wrong with which thing in the file.
    ///
    /// ```
    /// use hedgerow::import::{self, ImportErrorKind};
    ///
    /// let Err(error) = import::from_slice(b"glTF, but cut off", None) else { unreachable!() };
    /// assert!(matches!(error.kind(), ImportErrorKind::Truncated { .. }));
    /// ```
    #[must_use]
    pub fn kind(&self) -> &ImportErrorKind {
        &self.kind
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl core::error::Error for ImportError {}

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
