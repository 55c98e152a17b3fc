//! The draw list compared with the model's, both sorted by node.

use super::Check;
use super::compare::same_bits;
use super::oracle::Oracle;
use super::spatial::camera;
use super::tree::Mask;
use super::world::World;
use hedgerow::{DrawList, Layers, NodeHandle, Scene, draw::RenderPass, query::CullView};

/// Kept draw lists, each filled at other steps, and one that is filled from scratch.
pub struct Lists {
    kept: [DrawList; 3],
    anew: DrawList,
    /// Lists with motion: filled after updates and at each step, after each update, after some updates, and by culling.
    moving: [DrawList; 4],
}

impl Lists {
    pub fn new() -> Self {
        let all = DrawList::new();
        let layered = all.clone().on_layers(Layers::new(0x83));
        let moving = [&all, &all, &layered, &all].map(|list| list.clone().with_motion());
        Self { kept: [all.clone(), layered, all.clone()], anew: all, moving }
    }
}

/// Checks that a kept list equals one filled from scratch.
fn compare_kept(scene: &Scene, kept: &mut DrawList, anew: &mut DrawList) -> Check {
    scene.draw_list(kept);
    anew.clear();
    scene.visit_slices(&mut RenderPass::new(anew).on_layers(kept.layers()));
    let (commands, expected) = (kept.commands(), anew.commands());
    ensure!(commands == expected, "a kept list holds {commands:?}, not {expected:?}");
    let same = |(a, b)| same_bits(a, b);
    let matrices = kept.matrices().len() == kept.len() && kept.matrices().iter().zip(anew.matrices()).all(same);
    ensure!(matrices, "a kept list holds {:?}, not {:?}", kept.matrices(), anew.matrices());
    Ok(())
}

/// Checks that a list has the previous matrices of its nodes.
fn compare_previous(scene: &Scene, list: &DrawList) -> Check {
    let Some(previous) = list.previous_matrices() else {
        ensure!(!scene.config().changes, "a list has no previous matrices");
        return Ok(());
    };
    ensure!(scene.config().changes, "a list has previous matrices where none are remembered");
    ensure!(previous.len() == list.len(), "{} previous matrices of {} draws", previous.len(), list.len());
    for (command, found) in list.commands().iter().zip(previous) {
        let expected = scene.get(command.node).and_then(|node| node.previous_world());
        let same = expected.is_some_and(|expected| same_bits(expected, found));
        ensure!(same, "{:?} is listed to have been at {found:?}, not {expected:?}", command.node);
    }
    Ok(())
}

/// A draw that the model expects.
struct Expected {
    node: NodeHandle,
    mesh: u32,
    material: Option<u32>,
    mirrored: Option<bool>,
}

impl Oracle {
    /// Compares kept lists with new lists, at each step or sometimes.
    pub fn compare_lists(&mut self) -> Check {
        let Lists { kept: [always, layered, rarely], anew, moving: [restless, ..] } = &mut self.lists;
        compare_kept(&self.scene, restless, anew)?;
        compare_kept(&self.scene, always, anew)?;
        if self.counts.steps.is_multiple_of(3) {
            compare_kept(&self.scene, layered, anew)?;
        }
        if self.counts.steps.is_multiple_of(7) {
            compare_kept(&self.scene, rarely, anew)?;
        }
        Ok(())
    }

    /// Compares the previous matrices of lists after an update, and the lists with each other.
    pub fn compare_motion(&mut self) -> Check {
        let Lists { anew, moving: [restless, steady, layered, culled], .. } = &mut self.lists;
        let scene = &self.scene;
        for list in [restless, steady] {
            compare_kept(scene, list, anew)?;
            compare_previous(scene, list)?;
        }
        if self.counts.updates.is_multiple_of(3) {
            compare_kept(scene, layered, anew)?;
            compare_previous(scene, layered)?;
        }
        // `culled` alternates between listing and culling. Each listing starts from scratch.
        if self.counts.updates.is_multiple_of(5) {
            compare_kept(scene, culled, anew)?;
            compare_previous(scene, culled)?;
        } else if scene.config().bounds && scene.config().changes {
            let refused = scene.cull(&mut [CullView::new(&camera(self.counts.steps as u64), culled)]).err();
            ensure!(refused.is_none(), "culling is refused: {refused:?}");
            compare_previous(scene, culled)?;
        }
        Ok(())
    }

    pub fn compare_draws(&mut self) -> Check {
        self.scene.draw_list(&mut self.list);
        let (commands, matrices) = (self.list.commands(), self.list.matrices());
        let len = self.list.len();
        let even = commands.len() == len && matrices.len() == len;
        ensure!(even, "{len} draws of {} commands and {} matrices", commands.len(), matrices.len());
        let mut order: Vec<usize> = (0..len).collect();
        order.sort_unstable_by_key(|&at| commands[at].node);
        let expected = self.expected();
        ensure!(expected.len() == len, "{len} draws are listed, not {}", expected.len());
        for (draw, &at) in expected.iter().zip(&order) {
            let command = &commands[at];
            let node = draw.node;
            ensure!(command.node == node, "{:?} is listed where {node:?} is to be", command.node);
            let same = command.mesh == draw.mesh && command.material() == draw.material;
            let (mesh, material) = (draw.mesh, draw.material);
            ensure!(same, "{command:?} is not of mesh {mesh} and material {material:?}");
            let matrix = &matrices[at];
            let world = self.scene.world(node).is_some_and(|world| same_bits(world, matrix));
            ensure!(world, "{node:?} is drawn with {matrix:?}, not with its world matrix");
            ensure!(command.is_mirrored() == matrix.is_mirrored(), "{command:?} with {matrix:?}");
            let mirrored = draw.mirrored.is_none_or(|mirrored| mirrored == command.is_mirrored());
            ensure!(mirrored, "{command:?}, and the model has it otherwise");
        }
        Ok(())
    }

    /// Returns the model's draws, from the worlds of the last comparison.
    fn expected(&self) -> Vec<Expected> {
        let mut inherited: Vec<(Mask, Option<u32>)> = Vec::with_capacity(self.met.len());
        let mut expected = Vec::new();
        for (next, world) in self.met[..self.attached].iter().zip(&self.worlds) {
            let entry = self.tree.at(next.index);
            let (mask, material) = inherited.get(next.parent).copied().unwrap_or((Mask::ALL, None));
            let (mask, material) = (mask.below(entry), entry.material.or(material));
            inherited.push((mask, material));
            if let Some(drawable) = entry.drawable
                && mask.layers() != 0
            {
                let mirrored = mirrored(world);
                expected.push(Expected { node: entry.handle, mesh: drawable.mesh, material, mirrored });
            }
        }
        expected.sort_unstable_by_key(|draw| draw.node);
        expected
    }
}

/// Returns whether the world transform mirrors, or `None` if single precision cannot decide.
fn mirrored(world: &World) -> Option<bool> {
    let m = &world.matrix.matrix3;
    let shortest = m.x_axis.length().min(m.y_axis.length()).min(m.z_axis.length());
    let certain = world.regularity() > 1e-2 && world.linear < 1e-3 * shortest && shortest > 1e-6;
    certain.then(|| m.determinant() < 0.0)
}
