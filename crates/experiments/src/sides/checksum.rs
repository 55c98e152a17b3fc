//! Sums by which the two sides are found to have computed the same.

use crate::baselines::Draws;
use hedgerow::Mat34;

/// A sum over items that does not depend on their order, and how many there were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum {
    /// How many items were added.
    pub count: u64,
    /// The wrapping sum of the items' hashes.
    pub sum: u64,
}

impl Checksum {
    /// The sum of draws that a traversal of objects has listed.
    pub(crate) fn of_draws(draws: &Draws) -> Self {
        let mut sum = Self::default();
        for (command, matrix) in draws.commands.iter().zip(&draws.matrices) {
            sum.add_draw(command.mesh, command.material, command.mirrored, matrix);
        }
        sum
    }

    /// Adds a draw, all bits of it but which node it is of.
    pub(crate) fn add_draw(&mut self, mesh: u32, material: Option<u32>, mirrored: bool, matrix: &Mat34) {
        let material = material.map_or(u64::MAX, u64::from);
        self.add([u64::from(mesh) << 1 | u64::from(mirrored), material], matrix);
    }

    /// The sum of world matrices, each with the recipe id of its node.
    pub(crate) fn of_worlds(worlds: impl Iterator<Item = (usize, Mat34)>) -> Self {
        let mut sum = Self::default();
        worlds.for_each(|(id, matrix)| sum.add([id as u64, 0], &matrix));
        sum
    }

    fn add(&mut self, tag: [u64; 2], matrix: &Mat34) {
        let bits = matrix.rows.as_flattened().iter().map(|x| u64::from(x.to_bits()));
        let hash = tag.into_iter().chain(bits).fold(0x243f_6a88_85a3_08d3, |hash: u64, word| {
            let mixed = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ mixed >> 32
        });
        self.count += 1;
        self.sum = self.sum.wrapping_add(hash);
    }
}
