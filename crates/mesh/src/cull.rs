//! Culling: from boxes to lists of indices.

use crate::MeshSet;
use core::ops::Range;
use hedgerow_math::Frustum;

/// All frusta cull this many blocks of 64 boxes before the next blocks, so that 12 KiB stay in the first-level cache.
const NEAR: usize = 8;

/// The least number of sub-meshes in a task; these take about fifteen microseconds.
#[cfg(feature = "rayon")]
const GRAIN: usize = 16_384;

impl MeshSet {
    /// Lists the indices of all sub-meshes whose boxes touch the frustum, in ascending order. Replaces the contents of
    /// the list.
    ///
    /// Runs in **O(sub-meshes + holes)**, under a nanosecond per box. The test is [`Frustum::touches`]. With the
    /// feature `rayon`, large sets are culled on the threads of the current pool, with the same result.
    pub fn cull(&self, frustum: &Frustum, visible: &mut Vec<u32>) {
        visible.clear();
        #[cfg(feature = "rayon")]
        if hedgerow_math::internal::sharing::is_worth_sharing(self.ranges.len(), 2 * GRAIN) {
            self.cull_side_by_side(0..self.bounds.blocks(), frustum, visible);
            return;
        }
        self.bounds.cull_blocks(0..self.bounds.blocks(), frustum, visible);
    }

    /// Like [`cull`](Self::cull), for several frusta, such as the cascades of a shadow map. Replaces the contents of
    /// `visible` by one list for each frustum.
    ///
    /// Runs in **O(frusta · (sub-meshes + holes))** and reads the boxes once.
    ///
    /// ```
    /// use hedgerow_mesh::glam::Vec4;
    /// use hedgerow_mesh::{Aabb, Frustum, MeshSet, SubMesh};
    ///
    /// let mut set = MeshSet::new();
    /// set.insert(0, &[SubMesh::new(0..3, 0, Aabb::cube(1.0))])?;
    /// let beyond = |x: f32| {
    ///     let (plane, any) = (Vec4::new(1.0, 0.0, 0.0, -x), Vec4::ZERO);
    ///     Frustum::from_planes([plane, any, any, any, any, any])
    /// };
    /// let mut visible = Vec::new();
    /// set.cull_many(&[beyond(0.5)?, beyond(1.5)?], &mut visible);
    /// assert_eq!(visible, [vec![0], vec![]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cull_many(&self, frusta: &[Frustum], visible: &mut Vec<Vec<u32>>) {
        visible.resize_with(frusta.len(), Vec::new);
        visible.iter_mut().for_each(Vec::clear);
        let blocks = self.bounds.blocks();
        // Blocks outside, frusta inside: a block is read once, and is then in cache for all frusta.
        for first in (0..blocks).step_by(NEAR) {
            for (frustum, visible) in frusta.iter().zip(&mut *visible) {
                self.bounds.cull_blocks(first..blocks.min(first + NEAR), frustum, visible);
            }
        }
    }

    /// Splits the set into at most `most` chunks of nearly the same length, so that each can be culled on its own
    /// thread. The lists of all chunks, concatenated, equal the list of [`cull`](Self::cull).
    ///
    /// ```
    /// use hedgerow_mesh::glam::Vec4;
    /// use hedgerow_mesh::{Aabb, Frustum, MeshSet, SubMesh};
    ///
    /// let mut set = MeshSet::new();
    /// for mesh in 0..1000 {
    ///     set.insert(mesh, &[SubMesh::new(0..3, 0, Aabb::cube(1.0))])?;
    /// }
    /// let all = Frustum::from_planes([Vec4::ZERO; 6])?;
    /// let lists: Vec<Vec<u32>> = std::thread::scope(|scope| {
    ///     let cull = |chunk: hedgerow_mesh::MeshChunk<'_>| {
    ///         let mut visible = Vec::new();
    ///         chunk.cull(&all, &mut visible);
    ///         visible
    ///     };
    ///     let threads: Vec<_> = set.chunks(4).map(|chunk| scope.spawn(move || cull(chunk))).collect();
    ///     threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    /// });
    /// assert_eq!(lists.len(), 4);
    /// assert!(lists.concat().into_iter().eq(0..1000));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn chunks(&self, most: usize) -> impl ExactSizeIterator<Item = MeshChunk<'_>> {
        let blocks = self.bounds.blocks();
        let chunks = most.clamp(1, blocks.max(1));
        // The first chunks have one block more, so that lengths differ by one at most.
        let cut = move |chunk: usize| blocks / chunks * chunk + (blocks % chunks).min(chunk);
        (0..if blocks == 0 { 0 } else { chunks })
            .map(move |chunk| MeshChunk { set: self, blocks: cut(chunk)..cut(chunk + 1) })
    }

    /// Culls halves in parallel if there are enough blocks. The first half is listed directly in the caller's list,
    /// without a copy.
    #[cfg(feature = "rayon")]
    fn cull_side_by_side(&self, blocks: Range<usize>, frustum: &Frustum, visible: &mut Vec<u32>) {
        if blocks.len() * hedgerow_math::internal::BLOCK < 2 * GRAIN {
            self.bounds.cull_blocks(blocks, frustum, visible);
            return;
        }
        let middle = blocks.start + blocks.len() / 2;
        let mut behind = Vec::new();
        rayon::join(
            || self.cull_side_by_side(blocks.start..middle, frustum, visible),
            || self.cull_side_by_side(middle..blocks.end, frustum, &mut behind),
        );
        // In this order, so that indices ascend as with one thread.
        visible.extend_from_slice(&behind);
    }
}

/// A range of adjacent sub-meshes that can be culled separately: see [`MeshSet::chunks`].
#[derive(Clone, Debug)]
pub struct MeshChunk<'s> {
    set: &'s MeshSet,
    blocks: Range<usize>,
}

impl MeshChunk<'_> {
    /// Appends the indices of the chunk's sub-meshes whose boxes touch the frustum, in ascending order.
    ///
    /// Runs in **O(sub-meshes of the chunk)**.
    pub fn cull(&self, frustum: &Frustum, visible: &mut Vec<u32>) {
        self.set.bounds.cull_blocks(self.blocks.clone(), frustum, visible);
    }
}
