//! Checksums that show that both sides computed the same.

use crate::baselines::Draws;
use hedgerow::Mat34;

/// A sum that does not depend on the order of items, and the number of items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checksum {
    /// The number of items added.
    pub count: u64,
    /// The wrapping sum of the items' hashes.
    pub sum: u64,
}

impl Checksum {
    /// Returns the sum of draws listed by a traversal of objects.
    pub(crate) fn of_draws(draws: &Draws) -> Self {
        let mut sum = Self::default();
        for (command, matrix) in draws.commands.iter().zip(&draws.matrices) {
            sum.add_draw(command.mesh, command.material, command.mirrored, matrix);
        }
        sum
    }

    /// Adds all bits of a draw except its node.
    pub(crate) fn add_draw(&mut self, mesh: u32, material: Option<u32>, mirrored: bool, matrix: &Mat34) {
        let material = material.map_or(u64::MAX, u64::from);
        self.add([u64::from(mesh) << 1 | u64::from(mirrored), material], matrix);
    }

    /// Returns the sum over all world matrices and the recipe ids of their nodes.
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
