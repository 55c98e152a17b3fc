//! Repaired faults of a file.

use super::{ImportError, ImportErrorKind, Item};
use core::fmt;
use std::cell::RefCell;

/// A fault that the import repaired, listed in [`Imported::warnings`](crate::Imported::warnings). If
/// [`ImportOptions::strict`](crate::ImportOptions::strict) is set, a fault is an error.
///
/// ```
/// use hedgerow_gltf::{ImportOptions, WarningKind};
///
/// // The scene lists the wheel, which has a parent that is in no scene.
/// let text = br#"{
///     "asset": {"version": "2.0"}, "scenes": [{"nodes": [1]}], "nodes": [{"children": [1]}, {"name": "wheel"}]
/// }"#;
/// let imported = hedgerow_gltf::from_slice(text, None)?.imported;
/// let [warning] = &imported.warnings[..] else { unreachable!() };
/// assert_eq!(warning.kind, WarningKind::ListsChild);
/// assert_eq!(warning.to_string(), "scene 0: nodes[0]: it has a parent; it becomes a root of the scene");
/// assert!(ImportOptions::new().strict().from_slice(text, None).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Warning {
    /// The item with the fault.
    pub item: Item,
    /// The field at fault; empty if the whole item is at fault.
    pub field: String,
    /// The fault and its repair.
    pub kind: WarningKind,
}

/// The kinds of faults and their repairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum WarningKind {
    /// The text begins with a byte order mark, which is ignored.
    #[error("its text begins with a byte order mark; it is ignored")]
    ByteOrderMark,
    /// Text is not valid Unicode: U+FFFD replaces each invalid part.
    #[error("its text is not valid Unicode; U+FFFD stands for each fault")]
    Text,
    /// Base64 contains white space, which is ignored.
    #[error("the base64 has white space; it is ignored")]
    WhiteSpace,
    /// A path has backslashes, which are read as slashes.
    #[error("the path has backslashes; they are read as slashes")]
    Backslash,
    /// A scene lists a node whose parent is not in the scene: the node becomes a root of the scene.
    #[error("it has a parent; it becomes a root of the scene")]
    ListsChild,
    /// A scene lists a node twice, or lists a node and its ancestor: the node is inserted only once.
    #[error("duplicate; inserted once")]
    ListedAgain,
    /// `min` and `max` of positions are no box, or differ from the data: the box is computed from the data.
    #[error("min and max differ from the positions; the box is computed")]
    Bounds,
    /// Vertices have numbers that are not finite. An invalid position becomes that of the previous vertex. Invalid
    /// normals become +z, invalid tangents +x, and invalid morph deltas zero.
    #[error("vertices are not finite ({count}); they are replaced")]
    Vertices {
        /// How many vertices.
        count: usize,
    },
    /// Weights of joints are negative or not finite: they become zero.
    #[error("weights are negative or not finite ({count}); they are zero")]
    Weights {
        /// How many weights.
        count: usize,
    },
    /// Vertices have only zero weights: they follow their first joint.
    #[error("vertices have no weight ({count}); they follow their first joint")]
    NoWeights {
        /// How many vertices.
        count: usize,
    },
    /// Vertices name joints that a skin of the mesh lacks, with or without weight: joint and weight become 0.
    #[error("joints of vertices are out of range ({count}); joint and weight become 0")]
    Joints {
        /// How many influences.
        count: usize,
    },
    /// Indices refer to missing vertices, or restart a strip, fan or loop. A strip, fan or loop becomes a
    /// [list](crate::Topology) without the triangles or lines of such indices, and restarts as in WebGL 2. In a list,
    /// these triangles or lines become degenerate.
    #[error("indices are out of range, or restart ({count}); their triangles or lines are not drawn")]
    Indices {
        /// How many indices.
        count: usize,
    },
    /// Instances have numbers that are not finite, or a rotation of zero: these instances are left out.
    #[error("instances have no transform ({count}); they are left out")]
    Instances {
        /// How many instances.
        count: usize,
    },
    /// Keys are left out because numbers are not finite, rotations are zero, or more than two keys have the same time.
    #[error("keys are not finite, zero rotations, or share a time with others ({count}); they are left out")]
    KeysDropped {
        /// How many keys.
        count: usize,
    },
    /// The times of keys are not in ascending order, or some times are negative: keys are sorted and cut at time zero.
    /// If several keys have the same time, the value jumps from the first key to the last.
    #[error("times do not rise, or begin before zero; keys are sorted, and begin at zero")]
    KeysMoved,
    /// A channel has no usable keys, and is left out.
    #[error("it has no usable key; it is left out")]
    NoKeys,
    /// An animated node has a matrix, which is decomposed into translation, rotation and scale.
    #[error("it is animated and has a matrix; the matrix is decomposed")]
    AnimatedMatrix,
    /// glTF does not allow the value, but its meaning is plain.
    #[error("glTF does not allow this value; it is read as {meant}")]
    Invalid {
        /// The value as it is read.
        meant: &'static str,
    },
    /// A buffer or a buffer view states more bytes than exist, but nothing reads the missing bytes.
    #[error("declared length exceeds the data; the bytes present were enough")]
    Length,
    /// A node lists a child twice, or two channels have the same target: the first listing and the last channel are
    /// used.
    #[error("duplicate; ignored")]
    Twice,
    /// An unusable item is left out:
    ///
    /// - invalid accessors and compressed buffer views that nothing reads;
    /// - joints without weights, and weights without joints;
    /// - a default scene and textures of materials that the file lacks;
    /// - skins without joints: nothing is drawn with them;
    /// - instances of a mesh that follows a skin.
    #[error("it cannot be used; it is left out")]
    LeftOut,
    /// Only the finest level of detail of a node (`MSFT_lod`) is imported. A coarser level has children, has a screen
    /// coverage that is not smaller, or differs in transform, skin or number of primitives. This is not a fault:
    /// [`ImportOptions::strict`](crate::ImportOptions::strict) accepts it.
    #[error("it has levels of detail (MSFT_lod); only the first is imported")]
    LevelsOfDetail,
    /// The list is full: it holds at most 1,000 warnings, or fewer if items have long names.
    #[error("{count} more warnings are not listed")]
    More {
        /// The number of unlisted warnings.
        count: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { item, field, kind } = self;
        match field.as_str() {
            "" => write!(f, "{item}: {kind}"),
            field => write!(f, "{item}: {field}: {kind}"),
        }
    }
}

/// Limits of the list, in warnings and in bytes of names. A hostile file may have a fault for each of its bytes, and
/// each warning may repeat a long name.
const MOST: usize = 1000;
const MOST_BYTES: usize = 1 << 20;

/// Collects the warnings of an import.
pub(crate) struct Warnings {
    strict: bool,
    found: RefCell<Found>,
}

#[derive(Default)]
struct Found {
    list: Vec<Warning>,
    /// The bytes of names and fields in the list.
    bytes: usize,
    /// The number of unlisted warnings.
    more: usize,
}

impl Warnings {
    pub(crate) fn new(strict: bool) -> Self {
        Self { strict, found: RefCell::default() }
    }

    pub(crate) fn is_strict(&self) -> bool {
        self.strict
    }

    /// Lists a fault; returns an error if the import is strict.
    pub(crate) fn fault(
        &self,
        item: impl FnOnce() -> Item,
        field: impl FnOnce() -> String,
        kind: WarningKind,
    ) -> Result<(), ImportError> {
        if self.strict {
            return Err(ImportErrorKind::Strict(Warning { item: item(), field: field(), kind }).into());
        }
        self.note(item, field, kind);
        Ok(())
    }

    /// Lists a warning that is not a fault.
    pub(crate) fn note(&self, item: impl FnOnce() -> Item, field: impl FnOnce() -> String, kind: WarningKind) {
        let Found { list, bytes, more } = &mut *self.found.borrow_mut();
        if list.len() >= MOST || *bytes > MOST_BYTES {
            *more += 1;
            return;
        }
        let warning = Warning { item: item(), field: field(), kind };
        *bytes += warning.item.name.as_ref().map_or(0, String::len) + warning.field.len();
        list.push(warning);
    }

    /// Returns all warnings, in the order of detection.
    pub(crate) fn into_list(self) -> Vec<Warning> {
        let Found { mut list, more, .. } = self.found.into_inner();
        if more > 0 {
            let kind = WarningKind::More { count: more };
            list.push(Warning { item: Item::file(), field: String::new(), kind });
        }
        list
    }
}
