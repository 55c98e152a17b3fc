//! Skinning on several threads (feature `rayon`).
//!
//! Tasks write separate ranges, and no vertex depends on another, so any number of threads gives the same bits.

use crate::Mat34;
use crate::skin::SkinnedMesh;
use crate::skin::batch::Part;
use crate::skin::kernels::{Influences, LANES, Sinks, Streams};
use core::ops::Range;

/// The greatest number of vertices per task. Smaller tasks would more often convert the palette to another layout.
const GRAIN: usize = 8192;

impl SkinnedMesh {
    /// Skins a range of vertices that starts at a block, on several threads.
    pub(super) fn share(&self, palette: &[Mat34], streams: Streams<'_>, range: Range<usize>, sinks: Sinks<'_>) {
        if range.len() > GRAIN
            && let middle = self.cut(range.start.midpoint(range.end))
            && range.start < middle
            && middle < range.end
        {
            let (before, behind) = sinks.split_at(middle - range.start);
            rayon::join(
                || self.share(palette, streams, range.start..middle, before),
                || self.share(palette, streams, middle..range.end, behind),
            );
        } else {
            self.skin_range(palette, streams, range, sinks);
        }
    }

    /// Returns the nearest start of a block at or before a vertex.
    fn cut(&self, vertex: usize) -> usize {
        let mut first = 0;
        for count in self.groups.each_ref().map(Influences::vertices) {
            if vertex < first + count {
                return first + (vertex - first) / LANES * LANES;
            }
            first += count;
        }
        first
    }
}

impl Part<'_> {
    /// Skins characters, in ascending order, on several threads.
    pub(super) fn share(mut self, visible: &[u32], sinks: Sinks<'_>) {
        if let &[one] = visible {
            let (mesh, palette, places, _) = self.take(one, sinks);
            mesh.share(palette, mesh.streams(), 0..mesh.len(), places);
        } else if self.count(visible) > GRAIN {
            let (first, last) = visible.split_at(visible.len() / 2);
            let (before, part, behind) = self.split_at(last[0], sinks);
            rayon::join(|| self.share(first, before), || part.share(last, behind));
        } else {
            self.skin(visible, sinks);
        }
    }
}
