//! Draws in arrays, one behind the other, with a list of their boxes: what is written where there is no hierarchy.

use crate::workloads::Town;
use hedgerow::draw::DrawCommand;
use hedgerow::glam::{Affine3A, DAffine3, DMat3, DVec3};
use hedgerow::query::{Boxes, Frustum};
use hedgerow::{Mat34, NodeHandle};

/// All draws of a town.
#[derive(Clone, Debug)]
pub struct Drawables {
    boxes: Boxes,
    commands: Vec<DrawCommand>,
    matrices: Vec<Mat34>,
    /// World matrices in double precision, if they are kept.
    wide: Vec<DAffine3>,
}

/// Where draws are listed: commands, and matrices of the same index.
type Lists<'l> = (&'l mut Vec<DrawCommand>, &'l mut Vec<Mat34>);

impl Drawables {
    /// The draws of a town as it is now.
    ///
    /// # Panics
    /// If the town's nodes are gone.
    #[must_use]
    pub fn of_town(town: &Town) -> Self {
        let command = |&node: &NodeHandle| {
            let shape = town.scene.shape(node).expect("a shape");
            DrawCommand::new(node, shape.mesh, town.scene.material(node), false)
        };
        Self {
            boxes: town.bounds.iter().copied().collect(),
            commands: town.nodes.iter().map(command).collect(),
            matrices: town.nodes.iter().map(|&node| *town.scene.world(node).expect("a live node")).collect(),
            wide: Vec::new(),
        }
    }

    /// Keeps the world matrices as they are now, in double precision. The boxes stay where they are.
    ///
    /// # Panics
    /// If the town's nodes are gone.
    pub fn keep_wide(&mut self, town: &Town) {
        self.wide = town.nodes.iter().map(|&node| town.scene.world_f64(node).expect("a live node")).collect();
    }

    /// Lists the draws whose boxes touch a frustum.
    #[inline(never)]
    pub fn list(&self, frustum: &Frustum, indices: &mut Vec<u32>, (commands, matrices): Lists<'_>) {
        self.find(frustum, indices, commands);
        matrices.clear();
        matrices.extend(indices.iter().map(|&index| self.matrices[index as usize]));
    }

    /// The same, with matrices around the eye.
    #[inline(never)]
    pub fn list_relative(
        &self,
        frustum: &Frustum,
        eye: DVec3,
        indices: &mut Vec<u32>,
        (commands, matrices): Lists<'_>,
    ) {
        self.find(frustum, indices, commands);
        matrices.clear();
        matrices.extend(indices.iter().map(|&index| {
            let DAffine3 { matrix3: DMat3 { x_axis, y_axis, z_axis }, translation } = self.wide[index as usize];
            let [x, y, z, w] = [x_axis, y_axis, z_axis, translation - eye].map(|column| column.as_vec3a());
            Mat34::from(Affine3A::from_cols(x, y, z, w))
        }));
    }

    fn find(&self, frustum: &Frustum, indices: &mut Vec<u32>, commands: &mut Vec<DrawCommand>) {
        indices.clear();
        commands.clear();
        self.boxes.cull(frustum, indices);
        commands.extend(indices.iter().map(|&index| self.commands[index as usize]));
    }
}
