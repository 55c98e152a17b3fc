//! The item that an error is about, and two checks shared by all readers.

use super::{ImportError, ImportErrorKind};
use crate::node;
use core::fmt;
use gltf::json::{Index, Root};

/// The item in a glTF file that an [`ImportErrorKind`] is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Item {
    /// The kind.
    pub kind: ItemKind,
    /// The index among the items of its kind.
    pub index: usize,
    /// The name, if any.
    pub name: Option<String>,
}

/// The kinds of items in a glTF file that an [`ImportErrorKind`] can be about.
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
    /// A texture.
    Texture,
    /// An image.
    Image,
    /// A camera.
    Camera,
    /// A light.
    Light,
}

impl Item {
    pub(crate) fn file() -> Self {
        Self { kind: ItemKind::File, index: 0, name: None }
    }

    /// Returns the item of this kind and index in `root`, with its name.
    pub(crate) fn of(root: &Root, kind: ItemKind, index: usize) -> Self {
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
            ItemKind::Texture => root.textures.get(index).and_then(|it| it.name.as_ref()),
            ItemKind::Image => root.images.get(index).and_then(|it| it.name.as_ref()),
            ItemKind::Camera => root.cameras.get(index).and_then(|it| it.name.as_ref()),
            ItemKind::Light => node::lights(root).get(index).and_then(|it| it.name.as_ref()),
        };
        Self { kind, index, name: name.cloned() }
    }

    /// Returns what a buffer view or an accessor refers to.
    pub(super) fn container(&self) -> &'static str {
        if self.kind == ItemKind::Accessor { "buffer view" } else { "buffer" }
    }

    pub(crate) fn node(root: &Root, index: usize) -> Self {
        Self::of(root, ItemKind::Node, index)
    }
}

impl ItemKind {
    /// The names of an item of each kind, and of their list at the top level of a file.
    const NAMES: [(Self, &str, &str); 14] = [
        (Self::File, "file", ""),
        (Self::Scene, "scene", "scenes"),
        (Self::Node, "node", "nodes"),
        (Self::Mesh, "mesh", "meshes"),
        (Self::Material, "material", "materials"),
        (Self::Accessor, "accessor", "accessors"),
        (Self::BufferView, "buffer view", "bufferViews"),
        (Self::Buffer, "buffer", "buffers"),
        (Self::Skin, "skin", "skins"),
        (Self::Animation, "animation", "animations"),
        (Self::Texture, "texture", "textures"),
        (Self::Image, "image", "images"),
        (Self::Camera, "camera", "cameras"),
        (Self::Light, "light", ""),
    ];

    /// Returns the kind of the elements of a list at the top level of a file.
    pub(crate) fn of_list(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(.., list)| !name.is_empty() && *list == name).map(|(kind, ..)| *kind)
    }
}

impl fmt::Display for ItemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::NAMES.iter().find(|(kind, ..)| kind == self);
        f.write_str(name.map_or("item", |(_, name, _)| name))
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

/// An item and its field, for errors.
pub(crate) type Field<'a> = (Item, &'a dyn Fn() -> String);

/// Returns an error if an index is `count` or more.
pub(crate) fn check_index<T>(
    index: Option<Index<T>>,
    count: usize,
    holder: impl FnOnce() -> Item,
    field: impl FnOnce() -> String,
) -> Result<(), ImportError> {
    match index.map(|index| index.value()) {
        Some(index) if index >= count => {
            Err(ImportErrorKind::IndexOutOfRange { item: holder(), field: field(), index, count }.into())
        }
        _ => Ok(()),
    }
}

/// Returns an error if a number is not finite.
pub(crate) fn check_finite(numbers: &[f32], holder: impl FnOnce() -> Item, field: &str) -> Result<(), ImportError> {
    match numbers.iter().all(|number| number.is_finite()) {
        true => Ok(()),
        false => Err(ImportErrorKind::NotFinite { item: holder(), field: field.to_owned() }.into()),
    }
}
