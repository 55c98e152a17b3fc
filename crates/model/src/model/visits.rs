//! Visitors that write between updates, and nodes that move through detached subtrees.

use super::Check;
use super::components::local_faults;
use super::op::{Change, End, Op, Target, Visit, Where};
use super::oracle::Oracle;
use super::tree::Tree;
use hedgerow::{
    Keep, Local, NodeHandle, Place, Transform,
    visit::{Flow, SliceViewMut, SliceVisitorMut, TransformPass},
};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Sets local transforms and runs the transform pass, slice by slice, by the settings of a visit.
struct Writer {
    visit: Visit,
    /// The transforms to give to nodes.
    locals: HashMap<NodeHandle, Transform>,
    /// The number of slices shown, up to 255.
    met: u8,
    /// Nodes whose transform was set.
    set: Vec<NodeHandle>,
    /// Whether the pass visited any slice.
    computes: bool,
    refused: bool,
}

impl SliceVisitorMut for Writer {
    fn slice_mut(&mut self, mut slice: SliceViewMut<'_>) -> Flow {
        for row in 0..slice.view().rows().len() {
            let rows = slice.view().rows();
            let (Some(node), Some(slot)) = (rows.node(row), rows.own_transform(row)) else { continue };
            if let Some(&local) = self.locals.get(&node) {
                match slice.set_local(slot, local) {
                    Ok(()) => self.set.push(node),
                    Err(_) => self.refused = true,
                }
            }
        }
        if self.met < self.visit.computes || self.visit.computes == u8::MAX {
            self.computes = true;
            let pass = if self.visit.everything { TransformPass::everything() } else { TransformPass::dirty() };
            let _ = { pass }.slice_mut(slice);
        }
        self.met = self.met.saturating_add(1);
        match self.visit.end {
            End::Prunes(met) if met == self.met => Flow::Prune,
            End::Breaks(met) if met == self.met => Flow::Break,
            // If a panic aborts the program, there is nothing to compare.
            End::Panics(met) if met == self.met && cfg!(panic = "unwind") => resume_unwind(Box::new("half way")),
            _ => Flow::Continue,
        }
    }
}

impl Oracle {
    /// Shows the slices to a visitor that writes. The visit ends with an update if the pass visited any slice.
    pub fn visit_slices(&mut self, visit: Visit) -> Check {
        let chosen = |node: NodeHandle| {
            let mixed = (node.to_bits() ^ u64::from(visit.seed)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40;
            visit.share > 0 && mixed % 8 < u64::from(visit.share)
        };
        let entries = self.tree.live().iter().map(|&index| self.tree.at(index));
        let locals = entries.filter(|entry| entry.local.is_some() && chosen(entry.handle));
        let locals: HashMap<NodeHandle, Transform> = locals.map(|entry| (entry.handle, visit.transform)).collect();
        let mut writer = Writer { visit, locals, met: 0, set: Vec::new(), computes: false, refused: false };
        let seen = self.seen_by_cameras();
        let shown = catch_unwind(AssertUnwindSafe(|| self.scene.visit_slices_mut(&mut writer)));
        let ends = |met: u8| writer.met == met;
        let expected = match visit.end {
            End::Panics(met) if ends(met) && cfg!(panic = "unwind") => None,
            End::Breaks(met) if ends(met) => Some(Flow::Break),
            _ => Some(Flow::Continue),
        };
        ensure!(shown.ok() == expected, "a visit {visit:?} that met {} slices did not end as it was to", writer.met);
        let given = Local::Transform(visit.transform);
        let mut faults = Vec::new();
        local_faults(&given, &mut faults);
        let wrong = if faults.is_empty() { writer.refused } else { !writer.set.is_empty() };
        ensure!(!wrong, "a visitor was to be refused for {faults:?}, and was for some: {}", writer.refused);
        self.visited = writer.computes && expected.is_some();
        ensure!(self.visited || self.seen_by_cameras() == seen, "boxes are not as of the last update");
        for node in writer.set {
            if let Some(index) = self.tree.find(node) {
                self.adopt(index, &given)?;
            }
        }
        Ok(())
    }

    /// Moves a node below a detached one, changes the detached one, and attaches both.
    pub fn detour(
        &mut self,
        node: NodeHandle,
        by: NodeHandle,
        change: Change,
        to: Where,
        keep: Keep,
    ) -> Check<Option<bool>> {
        // If `by` is not detached, this step only detaches it.
        let is_detached = self.tree.find(by).is_some_and(|index| self.tree.is_detached_root(index));
        if !is_detached {
            return self.detach_subtree(by);
        }
        let to = match self.tree.place(to) {
            place
                if place
                    .anchor()
                    .and_then(|anchor| self.tree.find(anchor))
                    .is_none_or(|anchor| self.is_below(anchor, by)) =>
            {
                Place::LastChildOf(self.tree.handle(Tree::ROOT))
            }
            place => place,
        };
        let crossed = self.reparent(node, Place::LastChildOf(by), Keep::Local)?;
        let target = Target::Bits(by.to_bits());
        match change {
            Change::Nothing => {}
            Change::Transform(transform) => self.component(&Op::SetLocal(target, transform))?,
            Change::NoTransform => self.component(&Op::RemoveTransform(target))?,
            Change::Layers(layers) => self.component(&Op::SetLayers(target, layers))?,
            Change::Visibility(visibility) => self.component(&Op::SetVisibility(target, visibility))?,
        }
        let back = self.attach_subtree(by, to, keep)?;
        Ok(crossed.or(back))
    }

    /// Returns whether a node is the node of `top` or below it.
    fn is_below(&self, index: usize, top: NodeHandle) -> bool {
        self.tree.find(top).is_some_and(|top| self.tree.is_within(index, top))
    }
}
