//! The steps of a document, which are taken back also after others have changed the library.

use crate::error::PatchError;
use crate::library::Library;
use crate::merge::Crossed;
use crate::patch::Patch;

/// A document's steps: those that are done, and those that were taken back.
#[derive(Clone, Debug, Default)]
pub(crate) struct History {
    done: Vec<Step>,
    undone: Vec<Step>,
}

/// A patch that was made, and all that was made between it and the step above it.
#[derive(Clone, Debug)]
struct Step {
    patch: Patch,
    since: Vec<Patch>,
}

/// Whether the last step is taken back, or the last undone one is made again, which takes back what the undo made.
#[derive(Clone, Copy)]
pub(crate) enum Way {
    Undo,
    Redo,
}

/// The number of patches that are joined at the latest.
const MOST_PATCHES: usize = 64;

impl Step {
    fn add(&mut self, patches: impl IntoIterator<Item = Patch>) {
        self.since.extend(patches);
        if self.since.len() >= MOST_PATCHES
            && let Ok(joined) = Patch::join(&self.since)
        {
            self.since.clear();
            self.since.extend(Some(joined).filter(|joined| !joined.is_empty()));
        }
    }

    /// Returns the patch that takes the step back. What others have stated since stays.
    fn back(&self, library: &Library) -> Result<Patch, PatchError> {
        let back = self.patch.inverse();
        let since = Patch::join(&self.since)?;
        if since.is_empty() {
            return Ok(back);
        }
        let mut base = library.clone();
        base.apply(&since.inverse())?;
        Ok(Crossed::new(&base, &since, &back)?.last)
    }
}

impl History {
    /// Adds a step that was made.
    pub(crate) fn push(&mut self, patch: Patch) {
        self.undone.clear();
        self.done.push(Step { patch, since: Vec::new() });
    }

    /// Notes a patch that is no step.
    pub(crate) fn follow(&mut self, patch: &Patch) {
        for step in [self.done.last_mut(), self.undone.last_mut()].into_iter().flatten() {
            step.add([patch.clone()]);
        }
    }

    /// Returns the last step that was made.
    pub(crate) fn last(&self) -> Option<&Patch> {
        self.done.last().map(|step| &step.patch)
    }

    /// Returns the steps that are gone through, and those that are added to.
    fn sides(&mut self, way: Way) -> [&mut Vec<Step>; 2] {
        match way {
            Way::Undo => [&mut self.done, &mut self.undone],
            Way::Redo => [&mut self.undone, &mut self.done],
        }
    }

    /// Returns the patch that the next undo or redo makes.
    pub(crate) fn next(&mut self, way: Way, library: &Library) -> Result<Option<Patch>, PatchError> {
        let [from, _] = self.sides(way);
        from.last().map(|step| step.back(library)).transpose()
    }

    /// Notes that the next undo or redo was made.
    pub(crate) fn advance(&mut self, way: Way, made: Patch) {
        let [from, to] = self.sides(way);
        let Some(Step { patch, since }) = from.pop() else { return };
        // Usually the two cancel out.
        if let Some(below) = from.last_mut()
            && !(since.is_empty() && patch.inverse() == made)
        {
            below.add([patch].into_iter().chain(since).chain([made.clone()]));
        }
        to.push(Step { patch: made, since: Vec::new() });
    }

    /// Joins the last two steps.
    pub(crate) fn amend(&mut self) {
        if let [.., first, second] = &self.done[..]
            && self.undone.is_empty()
            && first.since.is_empty()
            && let Ok(patch) = first.patch.then(&second.patch)
        {
            let joined = Step { patch, since: second.since.clone() };
            self.done.truncate(self.done.len() - 2);
            if !joined.patch.is_empty() {
                self.done.push(joined);
            }
        }
    }

    /// Forgets all but the last `keep` steps that are done.
    pub(crate) fn forget(&mut self, keep: usize) {
        self.done.drain(..self.done.len().saturating_sub(keep));
    }
}
