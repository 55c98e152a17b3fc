//! Edits that move a subtree or set its world transform.

use super::components;
use super::oracle::{Oracle, Refusals};
use super::tree::Tree;
use super::world::{World, agrees, regularity, skew, widen_matrix};
use super::{Check, Mismatch};
use hedgerow::glam::{DVec3, Vec3};
use hedgerow::{Error, Keep, Local, Mat34, NodeHandle, Place, Scene, Transform, edit::LocalForm};

/// The length above which local translations are reset, so that sizes stay bounded over a long run.
const WILD: f64 = 1e4;
/// The regularity below which rounding decides whether a parent is singular.
const UNSURE: f64 = 1e-5;

impl Oracle {
    /// Moves a subtree. Returns whether it moved to another slice.
    pub fn reparent(&mut self, handle: NodeHandle, place: Place, keep: Keep) -> Check<Option<bool>> {
        let mut refusals = Refusals::default();
        self.movable(handle, &mut refusals);
        self.free(place, self.tree.find(handle), &mut refusals);
        if place == Place::Detached {
            return self.move_out(handle, keep, refusals, |scene| scene.reparent(handle, place, keep));
        }
        self.move_to(handle, place, keep, refusals, |scene| scene.reparent(handle, place, keep))
    }

    /// Attaches a subtree, usually a detached one, to a place. Returns whether it moved to another slice.
    pub fn attach_subtree(&mut self, handle: NodeHandle, place: Place, keep: Keep) -> Check<Option<bool>> {
        let moved = self.reparent(handle, place, keep)?;
        self.counts.subtrees += usize::from(moved.is_some());
        Ok(moved)
    }

    /// Makes a move after its place and node were checked.
    fn move_to(
        &mut self,
        handle: NodeHandle,
        place: Place,
        keep: Keep,
        mut refusals: Refusals,
        edit: impl FnOnce(&mut Scene) -> Result<Option<LocalForm>, Error>,
    ) -> Check<Option<bool>> {
        let (index, parent) = (self.tree.find(handle), self.tree.parent_at(place));
        if let (Some(index), Some(parent)) = (index, parent)
            && self.tree.is_within(parent, index)
        {
            refusals.errors.push(Error::WouldCycle { node: handle, parent: self.tree.handle(parent) });
        }
        let fine = refusals.errors.is_empty();
        let crossed = fine && self.is_apart(index.unwrap_or(Tree::ROOT), place.anchor());
        let move_of = match (index, parent) {
            (Some(index), Some(parent)) if fine => {
                Some((index, parent, self.judge(index, parent, keep, &mut refusals)))
            }
            _ => None,
        };
        let answer = self.attempt(refusals, edit)?;
        let (Some(form), Some((index, parent, wanted))) = (answer, move_of) else {
            return Ok(None);
        };
        self.tree.shift(index, place);
        match wanted {
            None => {
                let expected = self.tree.at(index).local.map(|kept| form_of(&kept.local));
                ensure!(form == expected, "returned {form:?} for a local transform kept, {expected:?}");
            }
            Some(wanted) => {
                self.take_local(index, &self.tree.world(parent), &wanted, form)?;
                self.tame(index)?;
            }
        }
        Ok(Some(crossed || self.is_apart(index, place.anchor())))
    }

    /// Returns the world transform to keep, if any. Adds a refusal if the new parent does not allow it.
    pub fn judge(&self, index: usize, parent: usize, keep: Keep, refusals: &mut Refusals) -> Option<World> {
        if self.tree.at(index).anchored {
            return None;
        }
        self.judge_space(index, Some(parent), keep, refusals)
    }

    /// Does the same as `judge` for a transform that becomes relative to `to`, or to the world.
    fn judge_space(&self, index: usize, to: Option<usize>, keep: Keep, refusals: &mut Refusals) -> Option<World> {
        let above = |space: Option<usize>| space.and_then(|space| self.tree.transform_above(space));
        if keep == Keep::Local || above(self.tree.space(index)) == above(to) {
            return None;
        }
        let Some(parent) = to else { return Some(self.tree.world(index)) };
        self.judge_parent(parent, refusals);
        // If both parents have the same transform, no inverse is needed.
        let (from, to) = (self.above(index), self.tree.world(parent));
        if from.matrix.abs_diff_eq(to.matrix, 1e-9) {
            refusals.unsure = true;
        }
        Some(self.tree.world(index))
    }

    /// Makes the local transform of a node relative to the world, or to its parent again.
    pub fn set_anchored(&mut self, handle: NodeHandle, anchored: bool, keep: Keep) -> Check {
        let mut refusals = Refusals::default();
        let index = self.live(handle, &mut refusals);
        let changes = index.filter(|&index| self.tree.at(index).anchored != anchored);
        let wanted = changes.and_then(|index| {
            let to = self.tree.at(index).parent.filter(|_| !anchored);
            self.judge_space(index, to, keep, &mut refusals)
        });
        let edit = |scene: &mut Scene| scene.edit(handle)?.set_anchored(anchored, keep).map(|_| ());
        let (Some(()), Some(index)) = (self.attempt(refusals, edit)?, index) else { return Ok(()) };
        self.tree.at_mut(index).anchored = anchored;
        if let Some(wanted) = wanted {
            let form = self.scene.local(handle).map(|local| form_of(&local));
            self.take_local(index, &self.above(index), &wanted, form)?;
            self.tame(index)?;
        }
        Ok(())
    }

    /// Adds a refusal if the parent has no inverse. Near the limit, both outcomes are allowed.
    fn judge_parent(&self, parent: usize, refusals: &mut Refusals) {
        let handle = self.tree.handle(parent);
        let world = self.tree.world(parent);
        if self.tree.is_flat(parent) {
            refusals.errors.push(Error::Singular(handle));
        } else if world.regularity() < UNSURE {
            refusals.errors.push(Error::Singular(handle));
            refusals.unsure = true;
        }
    }

    /// Moves a node out of the tree. The root of a detached subtree is unchanged.
    fn move_out(
        &mut self,
        handle: NodeHandle,
        keep: Keep,
        refusals: Refusals,
        edit: impl FnOnce(&mut Scene) -> Result<Option<LocalForm>, Error>,
    ) -> Check<Option<bool>> {
        let index = self.tree.find(handle);
        let parent = index.and_then(|index| self.tree.at(index).parent);
        let space = index.and_then(|index| self.tree.space(index));
        let keeps = keep == Keep::World && space.is_some_and(|space| self.tree.transform_above(space).is_some());
        let wanted = index.filter(|_| keeps).map(|index| self.tree.world(index));
        let (Some(form), Some(index)) = (self.attempt(refusals, edit)?, index) else {
            return Ok(None);
        };
        if parent.is_none() {
            return Ok(Some(false));
        }
        self.counts.subtrees += 1;
        self.tree.detach(index);
        match wanted {
            None => {
                let expected = self.tree.at(index).local.map(|kept| form_of(&kept.local));
                ensure!(form == expected, "returned {form:?} for a local transform kept, {expected:?}");
            }
            Some(wanted) => {
                self.take_local(index, &World::IDENTITY, &wanted, form)?;
                self.tame(index)?;
            }
        }
        Ok(Some(true))
    }

    /// Adopts the local transform that the scene computed, after checking the resulting world transform.
    pub fn take_local(&mut self, index: usize, above: &World, wanted: &World, form: Option<LocalForm>) -> Check {
        let handle = self.tree.handle(index);
        let had = self.tree.at(index).local.is_some();
        let kept = self.scene.local(handle);
        ensure!(form == kept.map(|local| form_of(&local)), "returned {form:?}, and it keeps {kept:?}");
        let Some(local) = kept else {
            // A node without a transform gets none only if the new parent has the same transform.
            ensure!(!had, "the local transform is gone");
            let same = agrees(&wanted.matrix, &rounded(above), wanted.linear + 1e-5, wanted.shift + 1e-4);
            ensure!(same, "{handle:?} has no transform below another parent, so its world is not kept");
            return Ok(());
        };
        self.check_world(above, wanted, &local)?;
        self.keep_moved(index, Some(local));
        Ok(())
    }

    /// Adopts the local transform of a node that kept its world, and what is left of its translation in double
    /// precision.
    pub(super) fn keep_moved(&mut self, index: usize, local: Option<Local>) {
        let found = self.scene.get(self.tree.handle(index)).and_then(|node| node.translation_f64());
        let rounded = local.map(|local| local.to_matrix().translation());
        self.tree.keep(index, local);
        self.tree.at_mut(index).precise = found.filter(|found| rounded.is_some_and(|at| is_nearest(at, *found)));
    }

    /// Checks that a local transform computed by the scene gives the wanted world transform.
    pub(super) fn check_world(&self, above: &World, wanted: &World, local: &Local) -> Check {
        if above.regularity() < UNSURE {
            return Ok(());
        }
        let (exact, linear, shift) = above.local_for(wanted);
        let world = above.matrix * super::world::widen(local);
        let off = world.to_cols_array_2d();
        let want = wanted.matrix.to_cols_array_2d();
        for c in 0..4 {
            let bound = if c < 3 { linear } else { shift };
            for r in 0..3 {
                let by = (off[c][r] - want[c][r]).abs();
                ensure!(by <= bound, "the world is {world:?}, not {:?}: {by} above {bound}", wanted.matrix);
            }
        }
        let sheared = skew(&exact.matrix3);
        let certain = above.linear < 1e-4 && above.regularity() > 1e-2 && regularity(&exact.matrix3) > 1e-2;
        let is_matrix = matches!(local, Local::Matrix(_));
        ensure!(!certain || sheared < 1e-3 || is_matrix, "sheared by {sheared}, yet kept as {local:?}");
        Ok(())
    }

    /// Returns a node whose world transform can be set, and adds what the scene refuses of it.
    fn live_in_space(&self, handle: NodeHandle, refusals: &mut Refusals) -> Option<usize> {
        let index = self.live(handle, refusals)?;
        if let Some(parent) = self.tree.space(index) {
            self.judge_parent(parent, refusals);
        }
        Some(index)
    }

    pub fn set_world(&mut self, handle: NodeHandle, matrix: Mat34) -> Check {
        let mut refusals = Refusals::default();
        let index = self.live_in_space(handle, &mut refusals);
        if let Some(fault) = components::matrix_fault(&matrix) {
            refusals.unsure = false;
            refusals.errors.push(fault);
        }
        let answer = self.attempt(refusals, |scene| scene.set_world(handle, matrix))?;
        let (Some(form), Some(index)) = (answer, index) else {
            return Ok(());
        };
        self.check_form(handle, Some(form))?;
        let above = self.above(index);
        let wanted = World { matrix: widen_matrix(&matrix), linear: 0.0, shift: 0.0 };
        let Some(local) = self.scene.local(handle) else {
            return Err(Mismatch(format!("{handle:?} has lost its transform")));
        };
        self.check_world(&above, &wanted, &local)?;
        self.tree.keep(index, Some(local));
        self.tame(index)
    }

    pub fn look_at(&mut self, handle: NodeHandle, target: Vec3, up: Vec3) -> Check {
        let mut refusals = Refusals::default();
        let index = self.live_in_space(handle, &mut refusals);
        if !target.is_finite() || !up.is_finite() {
            refusals.unsure = false;
            refusals.errors.push(Error::NotFinite("a point"));
        }
        let before = index.map(|index| self.tree.world(index));
        let far = before.is_some_and(|before| {
            (target.as_dvec3() - before.matrix.translation).length() > 1e-3 + 10.0 * before.shift
        });
        if refusals.errors.is_empty() && !far {
            refusals.errors.push(Error::NotRotation);
            refusals.unsure = true;
        }
        let answer = self
            .attempt(refusals, |scene| scene.edit(handle).and_then(|mut node| node.look_at(target, up).map(|_| ())))?;
        let (Some(()), Some(index), Some(before)) = (answer, index, before) else {
            return Ok(());
        };
        let Some(local) = self.scene.local(handle) else {
            return Err(Mismatch(format!("{handle:?} has lost its transform")));
        };
        let precise = self.tree.at(index).precise;
        self.tree.keep(index, Some(local));
        self.tree.at_mut(index).precise = precise;
        let after = self.tree.world(index);
        let moved = (after.matrix.translation - before.matrix.translation).length();
        let bound = 2.0 * (before.shift + after.shift) + 1e-6 * before.matrix.translation.length();
        ensure!(moved <= bound, "looking elsewhere moved it by {moved}, above {bound}");
        self.check_direction(index, &after, target)?;
        self.tame(index)
    }

    /// Checks that the negative z axis of a node points to a target.
    fn check_direction(&self, index: usize, after: &World, target: Vec3) -> Check {
        let way = target.as_dvec3() - after.matrix.translation;
        let axis = -after.matrix.matrix3.z_axis;
        let certain = way.length() > 0.1
            && axis.length() > 1e-2
            && self.above(index).regularity() > 1e-2
            && after.linear < 1e-3 * axis.length()
            && after.shift < 1e-3 * way.length();
        if certain {
            let along = axis.normalize().dot(way.normalize());
            ensure!(along > 0.999, "it is to look along {way}, and looks along {axis}");
        }
        Ok(())
    }

    /// Returns the world transform to which a node's local transform is relative.
    pub fn above(&self, index: usize) -> World {
        self.tree.space(index).map_or(World::IDENTITY, |parent| self.tree.world(parent))
    }

    /// Resets the local transform of a node to the identity if it became too large.
    pub fn tame(&mut self, index: usize) -> Check {
        let wild = self.tree.at(index).local.is_some_and(|kept| {
            let worst = regularity(&kept.wide.matrix3);
            kept.norm > WILD || kept.length > WILD || (kept.norm < 1.0 / WILD && !kept.flat) || worst < UNSURE
        });
        if wild {
            let handle = self.tree.handle(index);
            let done = self.scene.set_local(handle, Transform::IDENTITY);
            ensure!(done.is_ok(), "the identity was refused: {done:?}");
            self.tree.keep(index, Some(Local::Transform(Transform::IDENTITY)));
        }
        Ok(())
    }
}

pub fn form_of(local: &Local) -> LocalForm {
    match local {
        Local::Transform(_) => LocalForm::Transform,
        Local::Matrix(_) => LocalForm::Matrix,
    }
}

/// Returns whether `rounded` is a nearest single-precision value of a translation; a tie has two.
fn is_nearest(rounded: Vec3, translation: DVec3) -> bool {
    rounded.to_array().into_iter().zip(translation.to_array()).all(|(at, wide)| {
        let off = |at: f32| (f64::from(at) - wide).abs();
        off(at) <= off(at.next_up()).min(off(at.next_down()))
    })
}

/// Returns the world transform in single precision.
#[expect(clippy::cast_possible_truncation, reason = "rounding to single precision is what is asked for")]
fn rounded(world: &World) -> Mat34 {
    let columns = world.matrix.to_cols_array_2d();
    Mat34 { rows: core::array::from_fn(|r| core::array::from_fn(|c| columns[c][r] as f32)) }
}
