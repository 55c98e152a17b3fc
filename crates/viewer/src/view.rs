//! The view of a camera or a shadow cascade: draws, groups and matrix indices.

use crate::stage::{Alpha, Stage};
use hedgerow::changes::MatrixMirror;
use hedgerow::draw::{DrawCommand, DrawGroups, DrawOrder, depth_key};
use hedgerow::glam::{Affine3A, DAffine3, DMat3, Vec3};
use hedgerow::{DrawList, Mat34, Scene};
use std::ops::Range;

/// Two numbers per draw, in the order of drawing, and the ranges that changed since the last frame.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    /// The index of each draw's matrix in the buffer.
    pub matrices: Vec<u32>,
    /// The user data of each draw with a figure; unspecified for other draws.
    pub user_data: Vec<u32>,
    /// The changed ranges of `matrices`.
    pub changed_matrices: Vec<Range<usize>>,
    /// The changed ranges of `user_data`.
    pub changed_user_data: Vec<Range<usize>>,
}

/// A view, kept from frame to frame.
#[derive(Clone, Debug)]
pub struct View {
    /// The visible draws.
    pub list: DrawList,
    /// The draws in groups; groups with [`Alpha::Blend`] are not drawn.
    pub groups: DrawGroups,
    /// The blended draws, from back to front.
    pub order: DrawOrder,
    /// The draws in group order.
    pub grouped: Stream,
    /// The draws of `order`.
    pub ordered: Stream,
    /// The index of the list's first matrix in the buffer of relative matrices.
    pub first: u32,
}

impl View {
    /// Returns an empty view. Its list has matrices only if `relative` is set; otherwise a mirror has the matrices.
    #[must_use]
    pub fn new(relative: bool) -> Self {
        let list = if relative { DrawList::new() } else { DrawList::new().without_matrices() };
        Self {
            list,
            groups: DrawGroups::new(),
            order: DrawOrder::new(),
            grouped: Stream::default(),
            ordered: Stream::default(),
            first: 0,
        }
    }

    /// Groups the draws. Orders blended draws if given `eye`: the camera's position and direction in matrix space.
    pub fn arrange(&mut self, stage: &Stage, scene: &Scene, eye: Option<(Vec3, Vec3)>) {
        self.list.group(&mut self.groups);
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

    /// Updates the streams from the list, the groups and the order.
    pub fn index(&mut self, stage: &Stage, mirror: Option<&MatrixMirror>) {
        let Self { list, groups, order, grouped, ordered, first } = self;
        grouped.fill(list, groups.instances(), (mirror, *first), |set| {
            // Few draws have figures, so only groups of deformed meshes are visited.
            for group in groups.groups().iter().filter(|group| is_deformed(stage, group.mesh)) {
                for at in group.range() {
                    set(at, list.commands()[groups.instances()[at] as usize].user_data);
                }
            }
        });
        ordered.fill(list, order.indices(), (mirror, *first), |set| {
            for (at, &draw) in order.indices().iter().enumerate() {
                let command = &list.commands()[draw as usize];
                if is_deformed(stage, command.mesh) {
                    set(at, command.user_data);
                }
            }
        });
    }
}

/// Returns whether figures draw this mesh.
#[must_use]
pub fn is_deformed(stage: &Stage, mesh: u32) -> bool {
    stage.meshes.get(mesh as usize).is_some_and(|mesh| mesh.deformed)
}

impl Stream {
    fn fill(
        &mut self,
        list: &DrawList,
        order: &[u32],
        (mirror, first): (Option<&MatrixMirror>, u32),
        each_user_data: impl FnOnce(&mut dyn FnMut(usize, u32)),
    ) {
        let Self { matrices, user_data, changed_matrices, changed_user_data } = self;
        changed_matrices.clear();
        match mirror {
            Some(mirror) => mirror
                .instances(list, order, matrices, |first, changed| changed_matrices.push(first..first + changed.len())),
            None => {
                // Matrices follow the list's order, so a changed list changes nearly all indices.
                let same = matrices.len() == order.len()
                    && matrices.iter().zip(order).all(|(&matrix, &draw)| matrix == first + draw);
                if !same {
                    matrices.clear();
                    matrices.extend(order.iter().map(|&draw| first + draw));
                    changed_matrices.push(0..matrices.len());
                }
            }
        }
        changed_user_data.clear();
        let before = user_data.len();
        user_data.resize(order.len(), 0);
        if before < user_data.len() {
            changed_user_data.push(before..user_data.len());
        }
        // Entries of draws without figures are unused and keep their old values.
        each_user_data(&mut |at, number| {
            if user_data[at] != number {
                user_data[at] = number;
                match changed_user_data.last_mut() {
                    Some(range) if range.start <= at && at < range.end + 32 => range.end = range.end.max(at + 1),
                    _ => changed_user_data.push(at..at + 1),
                }
            }
        });
    }
}

/// Returns the number of triangles, lines and points that a list draws.
#[must_use]
pub fn primitives(stage: &Stage, list: &DrawList) -> usize {
    let of_mesh = |mesh: u32| stage.meshes.get(mesh as usize).map_or(0, |mesh| mesh.indices.len() / 3);
    list.commands().iter().map(|command| of_mesh(command.mesh)).sum()
}

/// Returns a transform in single precision.
#[must_use]
pub fn single(wide: &DAffine3) -> Mat34 {
    let DMat3 { x_axis, y_axis, z_axis } = wide.matrix3;
    let [x, y, z, w] = [x_axis, y_axis, z_axis, wide.translation].map(|column| column.as_vec3a());
    Mat34::from(Affine3A::from_cols(x, y, z, w))
}
