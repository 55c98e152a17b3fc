//! User closures and visitors that panic: the scene is unchanged and usable.

use super::Check;
use super::decode::STEP_BYTES;
use super::dump::dump;
use super::op::Target;
use super::oracle::Oracle;
use hedgerow::NodeRef;
use hedgerow::visit::{Flow, SliceView, SliceVisitor, Visitor};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// A countdown of calls; the last call panics, quietly.
struct Countdown(u8);

impl Countdown {
    fn step(&mut self) {
        match self.0 {
            0 => resume_unwind(Box::new("half way")),
            left => self.0 = left - 1,
        }
    }
}

impl Visitor for Countdown {
    fn enter(&mut self, _: &NodeRef<'_>) -> Flow {
        self.step();
        if self.0.is_multiple_of(5) { Flow::Prune } else { Flow::Continue }
    }

    fn leave(&mut self, _: &NodeRef<'_>) {
        self.step();
    }
}

impl SliceVisitor for Countdown {
    fn slice(&mut self, _: SliceView<'_>) -> Flow {
        self.step();
        if self.0.is_multiple_of(5) { Flow::Prune } else { Flow::Continue }
    }
}

impl Oracle {
    /// Runs user code that panics at a call chosen by the bytes of a step, and compares everything.
    pub fn interrupt(&mut self, bytes: &[u8; STEP_BYTES]) -> Check {
        if cfg!(not(panic = "unwind")) {
            return Ok(());
        }
        let node = self.tree.pick(Target::Live(u16::from_le_bytes([bytes[2], bytes[3]])));
        let mut countdown = Countdown(bytes[20] % 16);
        let before = dump(&self.scene);
        let Self { scene, .. } = self;
        let run = AssertUnwindSafe(|| match bytes[21] % 5 {
            0 => drop(scene.visit(node, &mut countdown)),
            1 => drop(scene.visit_slices(&mut countdown)),
            2 => {
                // The comparison keeps the present order, since the sort may also finish.
                let sort = |_: NodeRef<'_>, _: NodeRef<'_>| {
                    countdown.step();
                    core::cmp::Ordering::Equal
                };
                let _ = scene.edit(node).map(|mut node| _ = node.sort_children_by(sort));
            }
            3 => {
                let _ = scene.modify_local(node, |local| {
                    local.translation.x += 1.0;
                    resume_unwind(Box::new("half way"));
                });
            }
            _ => scene.get(node).into_iter().flat_map(|node| node.descendants()).for_each(|_| countdown.step()),
        });
        let _ = catch_unwind(run);
        ensure!(dump(&self.scene) == before, "a panic changed the scene");
        let Ok(()) = self.scene.validate() else {
            return Err(super::Mismatch(format!("{:?} after a panic", self.scene.validate())));
        };
        Ok(())
    }
}
