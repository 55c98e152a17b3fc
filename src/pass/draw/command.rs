//! One drawable to draw.

use crate::NodeHandle;
use core::fmt;

/// A draw of one drawable: 24 bytes without padding, which a shader can read directly.
///
/// ```text
/// node  u64 (its lower half first) │ mesh  u32 │ material  u32 │ flags  u32 │ user data  u32
/// ```
///
/// The flags are the sum of 1 if the draw is mirrored, 2 if it has a material, and 4 times its [`level`](Self::level).
///
/// [`DrawList::slots`](crate::DrawList::slots) has the location of each command's matrix. With the feature `bytemuck` a
/// list of commands can be uploaded without a copy:
///
/// ```
/// # #[cfg(feature = "bytemuck")] {
/// # use hedgerow::{Aabb, DrawList, Node, Scene, Drawable};
/// # let mut scene = Scene::new();
/// # scene.insert(scene.root(), Node::drawable(Drawable::new(7, Aabb::cube(1.0)))).unwrap();
/// # scene.update();
/// let mut list = DrawList::new();
/// scene.draw_list(&mut list);
/// let commands: &[u8] = bytemuck::cast_slice(list.commands());
/// let matrices: &[u8] = bytemuck::cast_slice(list.matrices());
/// assert_eq!((commands.len(), matrices.len()), (24 * list.len(), 48 * list.len()));
/// let changed = list.commands()[0].with_user_data(4);
/// assert_eq!((changed.user_data, changed.level(), changed.is_mirrored()), (4, 0, false));
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::NoUninit))]
#[repr(C)]
pub struct DrawCommand {
    /// The node that has the drawable.
    pub node: NodeHandle,
    /// The drawable's mesh, or the mesh of its [`level`](Self::level).
    pub mesh: u32,
    /// The material; 0 if there is none.
    material: u32,
    flags: u32,
    /// The node's [user data](crate::Node::user_data), or 0.
    pub user_data: u32,
}

const _: () = assert!(size_of::<DrawCommand>() == 24);

impl DrawCommand {
    const MIRRORED: u32 = 1;
    const HAS_MATERIAL: u32 = 2;
    const LEVEL: u32 = 4;

    /// Creates a command for a drawable, with the user data 0.
    #[inline]
    #[must_use]
    pub const fn new(node: NodeHandle, mesh: u32, material: Option<u32>, mirrored: bool) -> Self {
        let (material, flags) = match material {
            Some(material) => (material, Self::HAS_MATERIAL),
            None => (0, 0),
        };
        Self { node, mesh, material, flags: flags | if mirrored { Self::MIRRORED } else { 0 }, user_data: 0 }
    }

    /// Returns the command with user data.
    #[inline]
    #[must_use]
    pub const fn with_user_data(self, user_data: u32) -> Self {
        Self { user_data, ..self }
    }

    /// Returns the node's effective material.
    #[inline]
    #[must_use]
    pub const fn material(&self) -> Option<u32> {
        if self.flags & Self::HAS_MATERIAL != 0 { Some(self.material) } else { None }
    }

    /// Returns whether the world matrix mirrors, so that front faces are wound the other way.
    #[inline]
    #[must_use]
    pub const fn is_mirrored(&self) -> bool {
        self.flags & Self::MIRRORED != 0
    }

    /// Returns the level of detail: 0 for the drawable's own mesh.
    #[inline]
    #[must_use]
    pub const fn level(&self) -> u32 {
        self.flags / Self::LEVEL
    }

    #[inline]
    pub(crate) const fn set_level(&mut self, mesh: u32, level: u32) {
        (self.mesh, self.flags) = (mesh, self.flags % Self::LEVEL + level * Self::LEVEL);
    }

    /// Sets whether the world matrix mirrors. Returns whether that changed.
    #[inline]
    pub(crate) fn set_mirrored(&mut self, mirrored: bool) -> bool {
        let flags = self.flags & !Self::MIRRORED | u32::from(mirrored);
        core::mem::replace(&mut self.flags, flags) != flags
    }
}

impl fmt::Debug for DrawCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DrawCommand")
            .field("node", &self.node)
            .field("mesh", &self.mesh)
            .field("material", &self.material())
            .field("mirrored", &self.is_mirrored())
            .field("level", &self.level())
            .field("user_data", &self.user_data)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_with_all_that_it_says() {
        let node = NodeHandle::from_bits(1).unwrap();
        let shown = format!("{:?}", DrawCommand::new(node, 7, None, true).with_user_data(5));
        let kept = "mesh: 7, material: None, mirrored: true, level: 0, user_data: 5";
        let expected = format!("DrawCommand {{ node: {node:?}, {kept} }}");
        assert_eq!(shown, expected);
    }
}
