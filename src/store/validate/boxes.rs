//! Checks world boxes.

use crate::store::Store;

impl Store {
    /// Checks world boxes, if the scene keeps any: one for each child, and for each shape that is not stale the one
    /// that its present matrix gives. This also holds in a slice that waits for the update, since its dirty slots were
    /// not swept yet.
    pub(in crate::store) fn validate_boxes(&self, number: u32) -> Result<(), String> {
        let slice = self.slice(number);
        let Some(boxes) = slice.boxes.as_deref() else {
            ensure!(!self.config.bounds, "slice {number} has no boxes");
            return Ok(());
        };
        ensure!(self.config.bounds, "slice {number} has boxes, which the scene is not to keep");
        ensure!(boxes.children.len() == slice.children.len(), "slice {number}: not a box for each child");
        for (at, &child) in slice.children.iter().enumerate() {
            let below = &self.slice(child).boxes;
            let right = below.as_ref().is_some_and(|below| boxes.children.get(at) == Some(below.whole()));
            ensure!(self.slice(child).marked || right, "slice {number}: the box of its child {child} is out of date");
        }
        let (shapes, worlds) = (&slice.shapes, &slice.transforms.worlds);
        for slot in shapes.slots.iter() {
            if boxes.is_stale(slot) {
                ensure!(slice.marked, "slice {number} is not marked, and the box of shape {slot} waits for the update");
                continue;
            }
            let record = &shapes.records[slot as usize];
            let right = shapes.bounds[slot as usize].transformed(&worlds[record.transform as usize]);
            ensure!(
                boxes.shapes.get(slot as usize) == Some(right),
                "slice {number}: the box of shape {slot} is out of date"
            );
            let known = right.is_empty() || boxes.nodes.get(slot as usize) == Some(&record.node);
            ensure!(known, "slice {number}: the box of shape {slot} is known for another node's");
        }
        for (block, &present) in boxes.present.iter().enumerate() {
            let stale = boxes.stale_words().get(block).copied().unwrap_or(0);
            ensure!(present & stale == 0, "slice {number}: a box of block {block} is present and out of date");
            let (mut about, mut seen) = (crate::Aabb::EMPTY, 0);
            for (slot, bit) in (block * 64..boxes.shapes.len()).zip((0..64).map(|bit| 1_u64 << bit)) {
                let bounds = boxes.shapes.get(slot).unwrap_or(crate::Aabb::EMPTY);
                seen |= if bounds.is_empty() { 0 } else { bit };
                about = if present & bit == 0 { about } else { about.merge(&bounds) };
            }
            ensure!(present == seen & !stale, "slice {number}: the boxes of block {block} are miscounted");
            let noted = boxes.blocks.get(block).unwrap_or(crate::Aabb::EMPTY);
            let holds = noted.merge(&about) == noted && boxes.own.merge(&noted) == boxes.own;
            ensure!(holds, "slice {number}: the box of block {block} does not hold its shapes");
            ensure!(slice.marked || noted == about, "slice {number}: the box of block {block} is too wide");
        }
        if !slice.marked {
            let end = shapes.slots.end() as usize;
            ensure!(boxes.is_current() && boxes.shapes.len() == end, "slice {number} is not marked and has old boxes");
            let own = boxes.blocks.merged(0..boxes.blocks.len());
            ensure!(boxes.own == own, "slice {number}: the box of its shapes is out of date");
        }
        Ok(())
    }
}
