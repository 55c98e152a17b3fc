//! What a renderer draws in one call: the shapes with the same material and mesh.

use crate::radix::{self, Counts, DIGIT_BITS};
use crate::{DrawList, pass::DrawCommand};
use core::ops::Range;

/// Shapes drawn by one instanced call. 24 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DrawGroup {
    /// The material of all of them.
    pub material: Option<u32>,
    /// The mesh of all of them.
    pub mesh: u32,
    /// Whether the world matrices mirror, so that the winding of front faces is reversed.
    pub mirrored: bool,
    /// The index of the first in [`DrawGroups::instances`].
    pub first: u32,
    /// The number of instances; at least 1.
    pub count: u32,
}

impl DrawGroup {
    /// The range of indices in [`DrawGroups::instances`].
    #[must_use]
    pub const fn range(&self) -> Range<usize> {
        self.first as usize..self.first as usize + self.count as usize
    }
}

/// The commands of a draw list grouped by material, mesh and winding, as ranges of one index array; see
/// [`DrawList::group`].
///
/// If it is kept from frame to frame, it allocates only while the list grows.
#[derive(Clone, Debug, Default)]
pub struct DrawGroups {
    groups: Vec<DrawGroup>,
    instances: Vec<u32>,
    /// The commands from which the groups were made.
    revision: u64,
    /// Keys combined with the indices that they belong to, and memory to sort them. Kept to save allocations.
    keys: Vec<u128>,
    sorted: Vec<u128>,
    counts: Vec<Counts>,
}

/// A key has an index in the lowest bits, and above it what is sorted by: winding, mesh and material.
const INDEX_BITS: u32 = 32;
const MESH_SHIFT: u32 = INDEX_BITS + 1;
const MATERIAL_SHIFT: u32 = MESH_SHIFT + 32;
/// The 66 bits that are sorted by, in digits.
const DIGITS: usize = 6;

impl DrawGroups {
    /// No groups.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            groups: Vec::new(),
            instances: Vec::new(),
            revision: 0,
            keys: Vec::new(),
            sorted: Vec::new(),
            counts: Vec::new(),
        }
    }

    /// The groups: by material, none first, then by mesh, then by winding.
    #[must_use]
    pub fn groups(&self) -> &[DrawGroup] {
        &self.groups
    }

    /// Indices into the commands and matrices of the list, group by group; within a group in the list's order.
    #[must_use]
    pub fn instances(&self) -> &[u32] {
        &self.instances
    }

    /// Each group with its indices.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&DrawGroup, &[u32])> {
        self.groups.iter().map(|group| (group, &self.instances[group.range()]))
    }

    fn fill(&mut self, commands: &[DrawCommand]) {
        self.keys.clear();
        self.keys.extend((0..).zip(commands).map(|(index, command)| key(index, command)));
        // All keys share most digits, and keys are in the order of their indices.
        radix::sort(&mut self.keys, &mut self.sorted, &mut self.counts, DIGITS, digit_of);
        self.groups.clear();
        self.instances.clear();
        let mut last = None;
        for (place, &key) in (0..).zip(&self.keys) {
            let index = index_of(key);
            self.instances.push(index);
            if last != Some(key >> INDEX_BITS) {
                last = Some(key >> INDEX_BITS);
                let (material, mesh, mirrored) = parts(&commands[index as usize]);
                self.groups.push(DrawGroup { material, mesh, mirrored, first: place, count: 0 });
            }
            if let Some(group) = self.groups.last_mut() {
                group.count += 1;
            }
        }
    }
}

/// What commands are grouped by, from the first to the last.
const fn parts(command: &DrawCommand) -> (Option<u32>, u32, bool) {
    (command.material(), command.mesh, command.is_mirrored())
}

fn key(index: u32, command: &DrawCommand) -> u128 {
    let (material, mesh, mirrored) = parts(command);
    let material = material.map_or(0, |material| u128::from(material) + 1);
    let winding = u128::from(mirrored) << INDEX_BITS;
    material << MATERIAL_SHIFT | u128::from(mesh) << MESH_SHIFT | winding | u128::from(index)
}

#[expect(clippy::cast_possible_truncation, reason = "the index is what the lowest bits are")]
const fn index_of(key: u128) -> u32 {
    key as u32
}

#[expect(clippy::cast_possible_truncation, reason = "there are few digits, and each is what the mask leaves")]
const fn digit_of(key: u128, digit: usize) -> usize {
    (key >> (INDEX_BITS + digit as u32 * DIGIT_BITS)) as usize & ((1 << DIGIT_BITS) - 1)
}

impl DrawList {
    /// Groups the commands by material, mesh and winding, for renderers that draw many instances in one call. Returns
    /// `false`, and does nothing, if the groups were made from these commands already, however much moved since.
    ///
    /// Runs in **O(shapes)**, or in O(1) if the commands are the same. The order is deterministic.
    ///
    /// # Panics
    /// For more than 2³² shapes.
    ///
    /// ```
    /// use hedgerow::{Aabb, DrawList, Node, Scene, Shape, draw::DrawGroups};
    ///
    /// let mut scene = Scene::new();
    /// for mesh in [7, 9, 7] {
    ///     scene.insert(scene.root(), Node::shape(Shape::new(mesh, Aabb::cube(1.0))).with_material(2))?;
    /// }
    /// scene.update();
    /// let (mut list, mut groups) = (DrawList::new(), DrawGroups::new());
    /// scene.draw_list(&mut list);
    /// list.group(&mut groups);
    /// let calls: Vec<_> = groups.iter().map(|(group, instances)| (group.mesh, instances)).collect();
    /// assert_eq!(calls, [(7, &[0, 2][..]), (9, &[1][..])]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn group(&self, groups: &mut DrawGroups) -> bool {
        let commands = self.commands();
        assert!(u32::try_from(commands.len()).is_ok(), "more shapes than 32 bits can number");
        let changed = groups.revision != self.revision;
        if changed {
            groups.revision = self.revision;
            groups.fill(commands);
        }
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeHandle;

    /// The expected groups, from a plain stable sort.
    fn expected(commands: &[DrawCommand]) -> Vec<(Option<u32>, u32, bool, Vec<u32>)> {
        let mut order: Vec<u32> = (0..u32::try_from(commands.len()).unwrap()).collect();
        let parts = |index: u32| parts(&commands[index as usize]);
        order.sort_by_key(|&index| parts(index));
        let runs = order.chunk_by(|&a, &b| parts(a) == parts(b));
        runs.map(|run| (parts(run[0]).0, parts(run[0]).1, parts(run[0]).2, run.to_vec())).collect()
    }

    #[test]
    fn groups_are_what_a_stable_sort_makes_of_any_ids() {
        let node = NodeHandle::from_bits(1).unwrap();
        let mut dice = fastrand::Rng::with_seed(5);
        let mut draw = |below: u64| dice.u64(..below);
        let mut groups = DrawGroups::new();
        for (count, ids) in [(0, 1), (1, 1), (500, 3), (3000, 70), (3000, 5000), (2000, u64::from(u32::MAX) + 1)] {
            let spread = u64::from(u32::MAX) / ids.min(u64::from(u32::MAX));
            let mut id = || u32::try_from(draw(ids) * spread.max(1) % (1 << 32)).unwrap();
            let mut commands = Vec::new();
            for at in 0..count {
                let material = (at % 5 != 0).then(&mut id);
                commands.push(DrawCommand::new(node, id(), material, at % 7 == 0));
            }
            commands.extend(
                commands.first().map(|first| DrawCommand::new(node, first.mesh, Some(u32::MAX), first.is_mirrored())),
            );
            groups.fill(&commands);
            let found: Vec<_> = groups
                .iter()
                .map(|(group, instances)| (group.material, group.mesh, group.mirrored, instances.to_vec()))
                .collect();
            assert_eq!(found, expected(&commands));
            assert_eq!(groups.instances().len(), commands.len());
        }
    }
}
