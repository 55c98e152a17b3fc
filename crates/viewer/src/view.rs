//! The view of a camera or a shadow cascade as the processor lists it: draws, groups and slots.

use crate::stage::{Alpha, Stage};
use hedgerow::draw::{DrawCommand, DrawGroups, DrawOrder, depth_key};
use hedgerow::glam::Vec3;
use hedgerow::{DrawList, NodeHandle, Scene};

/// A view, kept from frame to frame.
#[derive(Clone, Debug)]
pub struct View {
    /// The visible draws.
    pub list: DrawList,
    /// The draws in groups, if the device does not cull; groups with [`Alpha::Blend`] are not drawn.
    pub groups: DrawGroups,
    /// The blended draws, from back to front.
    pub order: DrawOrder,
    /// The slots of draws in the scene's tables.
    pub slots: Vec<u32>,
}

impl View {
    /// Returns an empty view. Its list has matrices only if `relative` is set; otherwise the scene's tables have them.
    #[must_use]
    pub fn new(relative: bool) -> Self {
        let list = if relative { DrawList::new() } else { DrawList::new().without_matrices() };
        Self { list, groups: DrawGroups::new(), order: DrawOrder::new(), slots: Vec::new() }
    }

    /// Groups the draws, if `grouped`. Orders blended draws if given `eye`: the camera's position and direction in matrix
    /// space.
    pub fn arrange(&mut self, stage: &Stage, scene: &Scene, grouped: bool, eye: Option<(Vec3, Vec3)>) {
        if grouped {
            self.list.group(&mut self.groups);
        } else {
            self.groups = DrawGroups::new();
        }
        let Some((eye, forward)) = eye else { return };
        let blends = |command: &DrawCommand| stage.surfaces[stage.surface(command.material())].alpha == Alpha::Blend;
        let relative = self.list.relative_matrices();
        self.list.order_by_key(&mut self.order, |index, command| {
            blends(command).then(|| {
                let matrix = relative.get(index).or_else(|| scene.world(command.node));
                let depth = matrix.map_or(0.0, |matrix| forward.dot(matrix.translation() - eye));
                u64::from(!depth_key(depth))
            })
        });
    }

    /// Finds the slots of all draws.
    pub fn find_slots(&mut self, slot: impl Fn(NodeHandle) -> Option<usize>) {
        let nodes = self.draws().map(|draw| self.list.commands()[draw as usize].node);
        self.slots = nodes.map(|node| slot(node).unwrap_or(0) as u32).collect();
    }

    /// Returns all draws: those in groups, then those in order.
    pub fn draws(&self) -> impl Iterator<Item = u32> {
        self.groups.instances().iter().chain(self.order.indices()).copied()
    }
}

/// Returns the number of triangles, lines and points that a list draws.
#[must_use]
pub fn primitives(stage: &Stage, list: &DrawList) -> usize {
    let of_mesh = |mesh: u32| stage.meshes.get(mesh as usize).map_or(0, |mesh| mesh.indices.len() / 3);
    list.commands().iter().map(|command| of_mesh(command.mesh)).sum()
}
