//! The edit queue: compares its effect on a second scene with single edits of the first.

use super::compare::same_bits;
use super::decode::{self, STEP_BYTES};
use super::op::{Op, Where};
use super::oracle::Oracle;
use super::{Check, Mismatch};
use hedgerow::edit::{Change, Edit, EditQueue, Queued, QueuedPlace, Target};
use hedgerow::{Drawable, Error, Keep, Local, NodeHandle, Scene, Transform};
use std::collections::HashMap;
use std::mem::discriminant;

/// A queue, and the results of its edits in the first scene.
#[derive(Default)]
struct Round {
    queue: EditQueue,
    /// The inserts that the first scene made.
    tickets: HashMap<NodeHandle, Queued>,
    /// The error of each edit that the first scene refused.
    refusals: Vec<Option<Error>>,
}

impl Round {
    fn target(&self, node: NodeHandle) -> Target {
        self.tickets.get(&node).map_or(Target::from(node), |&ticket| Target::from(ticket))
    }

    /// Records an edit, or returns `None` if a queue has no such edit. An insert returns its ticket.
    fn record(&mut self, oracle: &Oracle, op: &Op) -> Option<Option<Queued>> {
        let node = |target: &super::op::Target| self.target(oracle.tree.pick(*target));
        let place = |at: &Where| match *at {
            Where::First(anchor) => QueuedPlace::FirstChildOf(node(&anchor)),
            Where::Last(anchor) => QueuedPlace::LastChildOf(node(&anchor)),
            Where::Before(anchor) => QueuedPlace::Before(node(&anchor)),
            Where::After(anchor) => QueuedPlace::After(node(&anchor)),
            Where::Child(anchor, index) => QueuedPlace::Child(node(&anchor), index),
            Where::Detached => QueuedPlace::Detached,
        };
        let edit = match op {
            Op::Insert { at, node } => {
                let at = place(at);
                return Some(Some(self.queue.insert(at, *node)));
            }
            Op::Remove(target) => Edit::remove(node(target)),
            Op::Detach(target) => Edit::reparent(node(target), QueuedPlace::Detached, Keep::Local),
            Op::Attach { node: target, to, keep } | Op::Reparent { node: target, to, keep } => {
                Edit::reparent(node(target), place(to), *keep)
            }
            Op::SetLocal(target, local) => Edit::set_local(node(target), *local),
            Op::SetLocalMatrix(target, local) => Edit::set_local(node(target), *local),
            Op::SetNode(target, described) => Edit::change(node(target), *described),
            Op::SetTranslation(target, at) => Edit::change(node(target), Change::TranslationF64(*at)),
            Op::SetWorld(target, world) => Edit::change(node(target), Change::World(Local::from(*world))),
            Op::LookAt { node: looker, target, up } => {
                Edit::change(node(looker), Change::LookAt { target: *target, up: *up })
            }
            Op::SetAnchored { node: target, anchored, keep } => {
                Edit::change(node(target), Change::Anchored(*anchored, *keep))
            }
            Op::RemoveTransform(target) => Edit::change(node(target), Change::Local(None)),
            Op::AddMaterial(target, material) => Edit::change(node(target), Change::Material(Some(*material))),
            Op::RemoveMaterial(target) => Edit::change(node(target), Change::Material(None)),
            Op::AddDrawable(target, drawable) => Edit::change(node(target), Change::Drawable(Some(*drawable))),
            Op::SetMesh(target, mesh) => {
                let drawable = oracle.scene.get(oracle.tree.pick(*target))?.drawable()?;
                Edit::change(node(target), Change::Drawable(Some(Drawable { mesh: *mesh, ..drawable })))
            }
            Op::RemoveDrawable(target) => Edit::change(node(target), Change::Drawable(None)),
            Op::SetLayers(target, layers) => Edit::change(node(target), Change::Layers(*layers)),
            Op::SetVisibility(target, visibility) => Edit::change(node(target), Change::Visibility(*visibility)),
            Op::SetName(target, name) => Edit::change(node(target), Change::Name(name.map(Into::into))),
            _ => return None,
        };
        self.queue.push(edit);
        Some(None)
    }

    /// Records the sets by which the model resets large transforms to the identity.
    fn record_taming(&mut self, oracle: &Oracle, op: &Op, node: Option<NodeHandle>) {
        let computes = matches!(
            op,
            Op::SetWorld(..)
                | Op::LookAt { .. }
                | Op::Attach { keep: Keep::World, .. }
                | Op::Reparent { keep: Keep::World, .. }
                | Op::SetAnchored { keep: Keep::World, .. }
        );
        let is_identity = |node: &NodeHandle| oracle.scene.local(*node) == Some(Local::Transform(Transform::IDENTITY));
        if let Some(node) = node.filter(is_identity).filter(|_| computes) {
            let target = self.target(node);
            self.queue.push(Edit::set_local(target, Transform::IDENTITY));
            self.refusals.push(None);
        }
    }
}

/// The greatest number of edits in a queue.
const MOST_QUEUED: usize = 16;

impl Oracle {
    /// Plays single edits, batches and queues. Compares everything after each update and after every `every`-th step.
    pub fn run_batches(&mut self, steps: &[[u8; STEP_BYTES]], every: usize) -> Check {
        let mut rest = steps;
        while let Some((first, more)) = rest.split_first() {
            rest = more;
            let (number, step) = (self.counts.steps, decode::batch_step(first));
            let mut updated = false;
            if first[1] >= 192 {
                // The next steps go into a queue.
                let count = (1 + usize::from(first[1] % 16)).min(MOST_QUEUED).min(rest.len());
                let (round, more) = rest.split_at(count);
                rest = more;
                self.queue(round).map_err(|mismatch| Mismatch(format!("a queue at step {number}: {mismatch}")))?;
            } else {
                let done = self.edit(&step);
                updated = done.map_err(|mismatch| Mismatch(format!("step {number}, {step:?}: {mismatch}")))?;
            }
            // A queue takes several steps and may skip a multiple of `every`.
            if updated || self.counts.steps / every != number / every {
                let done = self.look(&step, updated);
                done.map_err(|mismatch| Mismatch(format!("step {number}, {step:?}: {mismatch}")))?;
            }
        }
        self.compare_stats()
    }

    /// Makes edits one by one, makes the same edits with a queue on a second scene, and compares both.
    pub fn queue(&mut self, steps: &[[u8; STEP_BYTES]]) -> Check {
        let mut twin = self.twin()?;
        let mut round = Round::default();
        for step in steps {
            let step = decode::step(step);
            let op = self.bounded(step.op);
            let node = match op {
                Op::SetWorld(target, _) | Op::LookAt { node: target, .. } => Some(self.tree.pick(target)),
                Op::Attach { node, .. } | Op::Reparent { node, .. } | Op::SetAnchored { node, .. } => {
                    Some(self.tree.pick(node))
                }
                _ => None,
            };
            let Some(ticket) = round.record(self, &op) else { continue };
            self.counts.steps += 1;
            self.note_op(&op);
            self.still &= op.keeps_structure();
            self.play(&op)?;
            round.refusals.push(self.refusal);
            if let (Some(ticket), None, Some(&index)) = (ticket, self.refusal, self.tree.live().last()) {
                round.tickets.insert(self.tree.handle(index), ticket);
            }
            if self.refusal.is_none() {
                round.record_taming(self, &op, node);
            }
        }
        let Round { mut queue, tickets, refusals } = round;
        let outcomes = queue.apply(&mut twin);
        ensure!(outcomes.len() == refusals.len(), "{} outcomes of {} edits", outcomes.len(), refusals.len());
        for (number, (outcome, refusal)) in outcomes.iter().zip(&refusals).enumerate() {
            let alike = match (outcome, refusal) {
                (Ok(_), None) => true,
                (Err(error), Some(refusal)) => discriminant(error) == discriminant(refusal),
                _ => false,
            };
            ensure!(alike, "edit {number} of a queue gave {outcome:?}, and {refusal:?} by itself");
        }
        let news = tickets.iter().map(|(&node, &ticket)| Some((node, queue.inserted(ticket)?)));
        let news: HashMap<NodeHandle, NodeHandle> =
            news.collect::<Option<_>>().ok_or_else(|| Mismatch("a queue does not know what it inserted".into()))?;
        self.compare_twin(&twin, &news)
    }

    /// Compares a second scene with this one. `news` maps nodes to other handles there.
    fn compare_twin(&self, twin: &Scene, news: &HashMap<NodeHandle, NodeHandle>) -> Check {
        if let Err(violation) = twin.validate() {
            return Err(Mismatch(format!("the second scene does not validate: {violation}")));
        }
        let there = |node: NodeHandle| news.get(&node).copied().unwrap_or(node);
        let sizes = [&self.scene, twin].map(|scene| (scene.len(), scene.stats().detached));
        ensure!(sizes[0] == sizes[1], "{sizes:?} nodes in the scene and the second one");
        for &index in self.tree.live() {
            let node = self.tree.handle(index);
            let other = there(node);
            let (content, expected) =
                (twin.get(other).map(|node| node.to_node()), self.scene.get(node).map(|node| node.to_node()));
            ensure!(content == expected, "{node:?} is {content:?} in the second scene, not {expected:?}");
            let (parent, expected) = (twin.parent(other), self.scene.parent(node).map(there));
            ensure!(parent == expected, "{node:?} is below {parent:?} in the second scene, not {expected:?}");
            let same = twin.children(other).eq(self.scene.children(node).map(there));
            ensure!(same, "{node:?} has other children in the second scene");
            let worlds =
                [twin.get(other).map(|node| node.fresh_world()), self.scene.get(node).map(|node| node.fresh_world())];
            let same = matches!(worlds, [Some(a), Some(b)] if same_bits(&a, &b));
            ensure!(same, "the worlds of {node:?} are {worlds:?}");
        }
        Ok(())
    }
}
