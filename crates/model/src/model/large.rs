//! Comparisons of trees with many nodes, which take time in proportion to the nodes.

use super::Check;
use super::oracle::Oracle;
use super::spatial::camera;
use hedgerow::{Aabb, Layers, NodeHandle, query::Filter, query::Frustum};

/// The number of nodes above which reads that walk up the tree are compared at [`SAMPLES`] nodes only.
const MANY: usize = 2_000;
/// The number of nodes compared in full if there are more than [`MANY`].
const SAMPLES: usize = 100;

impl Oracle {
    /// Returns whether reads that walk up the tree are compared at the node with this number on the walk.
    pub(super) fn is_sample(&self, number: usize, nodes: usize) -> bool {
        nodes <= MANY || number.is_multiple_of(nodes / SAMPLES) || number + 1 == nodes
    }

    /// Updates, and compares the tree, world matrices, boxes, draws, reported changes and queries.
    pub fn check(&mut self) -> Check {
        self.counts.steps += 1;
        self.scene.update();
        self.still = true;
        self.compare(true)?;
        self.compare_draws()?;
        self.compare_feed()?;
        let gone = self.tree.removed().iter().find(|&&node| self.scene.contains(node));
        ensure!(gone.is_none(), "{gone:?} was removed and is contained");
        self.compare_boxes()
    }

    /// Compares queries with tests of each box, and the box of the whole tree with all boxes.
    fn compare_boxes(&self) -> Check {
        if !self.scene.config().bounds {
            return Ok(());
        }
        let nodes = self.met[..self.attached].iter().map(|next| self.tree.handle(next.index));
        let boxes: Vec<(NodeHandle, Aabb)> =
            nodes.filter_map(|node| Some((node, self.scene.get(node)?.bounds()?))).collect();
        let all = boxes.iter().fold(Aabb::EMPTY, |all, (_, bounds)| all.merge(bounds));
        let found = self.scene.get(self.scene.root()).map(|root| root.subtree_bounds());
        ensure!(found == Some(all), "all is in {found:?}, not in {all:?}");
        let check = |found: &mut Vec<NodeHandle>, touches: &dyn Fn(&Aabb) -> bool| {
            let mut expected: Vec<_> =
                boxes.iter().filter(|(_, bounds)| touches(bounds)).map(|(node, _)| *node).collect();
            expected.sort_unstable();
            found.sort_unstable();
            ensure!(*found == expected, "{} nodes are found, not {}", found.len(), expected.len());
            Ok(())
        };
        for (frustum, found) in self.seen_by_cameras() {
            check(&mut found.unwrap_or_default(), &|bounds| frustum.touches(bounds))?;
        }
        // The box surrounds the last nodes.
        let Some((_, middle)) = boxes.last() else { return Ok(()) };
        let (part, mut found) = (Aabb::new(middle.min - 2.0, middle.max + 2.0), Vec::new());
        self.scene.query(&part, Filter::ALL, &mut found).expect("boxes are kept");
        check(&mut found, &|other| !Aabb::new(part.min.max(other.min), part.max.min(other.max)).is_empty())
    }

    /// Returns a few frusta and the nodes in them, if the scene keeps boxes.
    pub(super) fn seen_by_cameras(&self) -> [(Frustum, Option<Vec<NodeHandle>>); 3] {
        [0, 1, 2].map(|turn| {
            let (frustum, mut found) = (camera(self.counts.steps as u64 * 3 + turn), Vec::new());
            let done = self.scene.query(&frustum, Layers::ALL, &mut found);
            (frustum, done.ok().map(|()| found))
        })
    }
}
