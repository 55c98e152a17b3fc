//! Edits of many nodes compared with single edits, and translations in double precision.

use super::Check;
use super::components::{self, kept_wide};
use super::op::Target;
use super::oracle::{Oracle, Refusals};
use super::tree::Tree;
use super::world::{World, widen};
use hedgerow::edit::BatchError;
use hedgerow::glam::DVec3;
use hedgerow::{Error, Keep, Local, NodeHandle, Place, Transform};

impl Oracle {
    /// Sets world transforms, alternating between the two places. The result equals single calls with ancestors first.
    pub(super) fn set_worlds(&mut self, target: Target, places: [Local; 2], more: u8, seed: u8) -> Check {
        let nodes = self.pick_many(target, more, seed).into_iter().enumerate();
        let items: Vec<(NodeHandle, Local)> = nodes.map(|(turn, node)| (node, places[turn % 2])).collect();
        let refusals = Self::batch_refusals(&items, |&(node, place), refusals| {
            self.live(node, refusals);
            components::local_faults(&place, &mut refusals.errors);
        });
        if !refusals.is_empty() {
            return self.attempt(refusals, |scene| scene.set_worlds(&items)).map(drop);
        }
        // If several items name one node, the last one wins.
        let mut ordered: Vec<(usize, usize, Local)> = Vec::new();
        for (turn, &(node, place)) in items.iter().enumerate() {
            let is_last = items[turn + 1..].iter().all(|&(later, _)| later != node);
            if is_last && let Some(index) = self.tree.find(node) {
                let depth = core::iter::successors(Some(index), |&index| self.tree.at(index).parent).count();
                ordered.push((depth, index, place));
            }
        }
        ordered.sort_by_key(|&(depth, index, _)| (depth, index));
        let mut single = self.scene.clone();
        let one_by_one: Result<Vec<_>, Error> =
            ordered.iter().map(|&(_, index, place)| single.set_world(self.tree.handle(index), place)).collect();
        let done = match (self.scene.set_worlds(&items), one_by_one) {
            (Ok(()), Ok(_)) => true,
            (Err(BatchError { item: Some(item), error }), Err(_)) => {
                ensure!(item < items.len(), "item {item} of {} is refused for {error:?}", items.len());
                false
            }
            (batch, single) => return Err(super::Mismatch(format!("{batch:?} where one by one it is {single:?}"))),
        };
        self.counts.batches += usize::from(done);
        for (_, index, place) in ordered {
            let handle = self.tree.handle(index);
            let (now, before) = (self.scene.local(handle), self.tree.at(index).local.map(|kept| kept.local));
            if !done {
                ensure!(now == before, "{handle:?} keeps {now:?} after a refusal, not {before:?}");
                continue;
            }
            ensure!(now == single.local(handle), "{handle:?} keeps {now:?}, not {:?}", single.local(handle));
            let Some(local) = now else { return Err(super::Mismatch(format!("{handle:?} has lost its transform"))) };
            let is_unit = place.transform().is_none_or(|transform| transform.rotation.is_normalized());
            if is_unit {
                let wanted = World { matrix: widen(&place), linear: 1e-5, shift: 1e-5 };
                self.check_world(&self.above(index), &wanted, &local)?;
            }
            self.tree.keep(index, Some(local));
        }
        if done {
            items
                .iter()
                .filter_map(|&(node, _)| self.tree.find(node))
                .collect::<Vec<_>>()
                .into_iter()
                .try_for_each(|index| self.tame(index))?;
        }
        Ok(())
    }

    /// Detaches subtrees.
    pub(super) fn detach_many(&mut self, target: Target, more: u8, seed: u8) -> Check<Option<bool>> {
        let nodes = self.pick_many(target, more, seed);
        let refusals = Self::batch_refusals(&nodes, |&node, refusals| {
            if self.live(node, refusals) == Some(Tree::ROOT) {
                refusals.errors.push(Error::RootIsFixed);
            }
        });
        let items: Vec<_> = nodes.iter().map(|&node| (node, Place::Detached)).collect();
        if self.attempt(refusals, |scene| scene.reparent_many(&items, Keep::Local))?.is_none() {
            return Ok(None);
        }
        self.counts.batches += 1;
        for &node in &nodes {
            if let Some(index) = self.tree.find(node)
                && !self.tree.is_detached_root(index)
            {
                self.tree.detach(index);
            }
        }
        Ok(Some(true))
    }

    pub(super) fn set_translation(&mut self, handle: NodeHandle, translation: DVec3) -> Check {
        let mut refusals = Refusals::default();
        let index = self.live(handle, &mut refusals);
        if !translation.as_vec3().is_finite() {
            refusals.errors.push(Error::NotFinite("a translation"));
        }
        let done = self.attempt(refusals, |scene| {
            scene.edit(handle).and_then(|mut node| node.set_translation_f64(translation).map(|_| ()))
        })?;
        let (Some(()), Some(index)) = (done, index) else { return Ok(()) };
        let before = self.tree.at(index).local.map(|kept| kept.local);
        let translation = kept_wide(translation);
        let rounded = translation.as_vec3();
        let expected = match before.unwrap_or(Local::Transform(Transform::IDENTITY)) {
            Local::Transform(transform) => Local::Transform(transform.with_translation(rounded)),
            Local::Matrix(mut matrix) => {
                matrix.rows.iter_mut().zip(rounded.to_array()).for_each(|(row, part)| row[3] = part);
                Local::Matrix(matrix)
            }
        };
        let now = self.scene.local(handle);
        ensure!(now == Some(expected), "{handle:?} keeps {now:?}, not {expected:?}");
        self.tree.keep(index, now);
        self.tree.at_mut(index).precise = Some(translation);
        Ok(())
    }
}
