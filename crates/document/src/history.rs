//! The steps of a document, which are taken back also after others have changed the library.

use crate::error::Error;
use crate::library::Library;
use crate::merge::Crossed;
use crate::operations::Draft;
use crate::patch::{Entry, Patch};
use crate::path::Path;
use crate::value::Field;
use std::sync::Arc;

/// The steps of a [`Document`](crate::Document): those that were done, and those that were undone.
///
/// Steps are patches of the library, not of a definition, so a history outlives its document: take it from one, and
/// give it to the next whose library is equal, by [`Document::history_mut`](crate::Document::history_mut).
#[derive(Clone, Debug, Default)]
pub struct History {
    done: Vec<Step>,
    undone: Vec<Step>,
}

/// A step of a [`History`].
#[derive(Clone, Debug)]
pub struct Step {
    patch: Patch,
    label: Option<Box<str>>,
    /// All that was made between it and the step above it.
    since: Vec<Patch>,
    /// If what others stated may have kept part of it from being taken back: the step as it was made first, and all
    /// that was made between that and `since`.
    whole: Option<(Patch, Patch)>,
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
    /// Returns the patch that made the step; of an undone step, the patch that took it back.
    #[must_use]
    pub const fn patch(&self) -> &Patch {
        &self.patch
    }

    /// Returns what [`Document::set_label`](crate::Document::set_label) said of the step.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        self.label.as_deref()
    }

    /// The step's patch and all that was made since.
    fn patches(&self) -> impl DoubleEndedIterator<Item = &Patch> {
        core::iter::once(&self.patch).chain(&self.since)
    }

    fn add(&mut self, patches: impl IntoIterator<Item = Patch>) {
        self.since.extend(patches.into_iter().filter(|patch| !patch.is_empty()));
        if self.since.len() >= MOST_PATCHES
            && let Ok(joined) = Patch::join(&self.since)
        {
            self.since.clear();
            self.since.extend(Some(joined).filter(|joined| !joined.is_empty()));
        }
    }
}

/// Returns the entries of a patch that state places and uses.
fn structure(patch: &Patch) -> impl Iterator<Item = &Entry> {
    patch.entries().iter().filter(|entry| entry.key.field.is_structure())
}

/// Returns the patch that takes back the first of some steps, up to the last. What was stated since stays. A redo takes
/// back what the undo made; an undo takes back the whole step.
fn back(steps: &[Step], way: Way, library: &Library) -> Result<Option<Patch>, Error> {
    let [step, later @ ..] = steps else { return Ok(None) };
    let whole = step.whole.as_ref().filter(|_| matches!(way, Way::Undo));
    let (whole, rest) = whole.map_or((&step.patch, None), |(whole, rest)| (whole, Some(rest)));
    let mut back = whole.inverse();
    let later = later.iter().flat_map(Step::patches);
    let since = Patch::join(rest.into_iter().chain(&step.since).chain(later))?;
    if since.is_empty() {
        return Ok(Some(back));
    }
    // A node that is back already is the same node, not another with its id.
    back.retain(|entry| {
        let inserts = |entry: &Entry| entry.key.field == Field::Place && entry.before.is_none();
        !(inserts(entry) && since.get(&entry.key).is_some_and(inserts))
    });
    let mut base = library.clone();
    base.apply(&since.inverse())?;
    Ok(Some(Crossed::new(&base, &since, &back)?.last))
}

impl History {
    /// Returns the steps that were done, oldest first. [`Document::undo`](crate::Document::undo) takes back the last.
    #[must_use]
    pub fn done(&self) -> &[Step] {
        &self.done
    }

    /// Returns the steps that were undone. [`Document::redo`](crate::Document::redo) makes the last again.
    #[must_use]
    pub fn undone(&self) -> &[Step] {
        &self.undone
    }

    /// Adds a step that was made, if it changed anything.
    pub(crate) fn push(&mut self, patch: Patch) {
        if patch.is_empty() {
            return;
        }
        self.undone.clear();
        self.done.push(Step { patch, label: None, since: Vec::new(), whole: None });
    }

    /// Returns the paths that nodes of a definition have now which had this one before or after a step.
    pub(crate) fn names(&self, library: &Library, definition: &Arc<str>, path: &Path) -> Vec<Path> {
        let mut all = Vec::new();
        for steps in [&self.done, &self.undone] {
            let first = steps.iter().position(|step| !step.patch.moved.is_empty()).unwrap_or(steps.len());
            let patches = || steps[first..].iter().flat_map(Step::patches);
            // The library as it was before these steps, then after each patch.
            let mut library = Draft::new(library);
            for Entry { key, before, .. } in patches().rev().flat_map(structure) {
                library.set(key.clone(), before.clone());
            }
            // Each with the definitions that it leads through. If it leads through others, it names another node.
            let mut names: Vec<(Path, Vec<Arc<str>>)> = Vec::new();
            for (number, patch) in steps[first..].iter().flat_map(|step| step.patches().enumerate()) {
                if library.has_node(definition, path) {
                    names.push((path.clone(), library.definitions(definition, path.ids())));
                }
                names.dedup();
                let moved = if number == 0 { &patch.moved[..] } else { &[] };
                for (name, through) in &mut names {
                    if moved.iter().fold(false, |renamed, moved| library.rename(definition, name, moved) | renamed) {
                        through.clear();
                    }
                }
                for Entry { key, after, .. } in structure(patch) {
                    library.set(key.clone(), after.clone());
                }
                names.retain_mut(|(name, through)| {
                    let now = library.definitions(definition, name.ids());
                    if through.is_empty() {
                        through.clone_from(&now);
                    }
                    through.starts_with(&now)
                });
            }
            all.extend(names.into_iter().map(|(name, _)| name));
        }
        all
    }

    /// Notes a patch that is no step.
    pub(crate) fn follow(&mut self, patch: &Patch) {
        for step in [self.done.last_mut(), self.undone.last_mut()].into_iter().flatten() {
            step.add([patch.clone()]);
        }
    }

    pub(crate) fn set_label(&mut self, label: Box<str>) {
        if let Some(step) = self.done.last_mut() {
            step.label = Some(label);
        }
    }

    /// Returns the patch that the next undo or redo makes.
    pub(crate) fn next(&self, way: Way, library: &Library) -> Result<Option<Patch>, Error> {
        let from = if matches!(way, Way::Undo) { &self.done } else { &self.undone };
        back(&from[from.len().saturating_sub(1)..], way, library)
    }

    /// Returns the patch that takes back a step that was done, whatever was made since.
    pub(crate) fn back(&self, number: usize, library: &Library) -> Result<Option<Patch>, Error> {
        back(self.done.get(number..).unwrap_or_default(), Way::Undo, library)
    }

    /// Notes that the next undo or redo was made.
    pub(crate) fn advance(&mut self, way: Way, made: Patch) {
        let Self { done, undone } = self;
        let (from, to) = if matches!(way, Way::Undo) { (done, undone) } else { (undone, done) };
        let Some(mut step) = from.pop() else { return };
        let inverse = step.patch.inverse();
        // Usually the two cancel out.
        if step.whole.is_some() || !step.since.is_empty() || inverse != made {
            let later: Vec<Patch> = step.since.drain(..).chain([made.clone()]).collect();
            // An undo takes back no more than the redo before it made.
            let undone = || matches!(way, Way::Undo).then(|| (step.patch.clone(), Patch::new()));
            step.whole = step.whole.take().or_else(undone).and_then(|(whole, rest)| {
                let rest = Patch::join([&rest].into_iter().chain(&later)).ok()?;
                Some((whole, rest))
            });
            if let Some(below) = from.last_mut() {
                below.add([step.patch].into_iter().chain(later));
            }
        }
        step.patch = Patch { moved: inverse.moved, ..made };
        to.push(step);
    }

    /// Joins the last two steps.
    pub(crate) fn amend(&mut self) {
        if let [.., first, second] = &mut self.done[..]
            && self.undone.is_empty()
            && first.since.is_empty()
            && first.whole.is_none()
            && let Ok(patch) = first.patch.then(&second.patch)
        {
            let label = second.label.take().or(first.label.take());
            // After a swap, the paths of the second may lead elsewhere than before the first.
            let swaps = |Entry { key, before, .. }: &Entry| match before {
                Some(value) => value.uses().is_some(),
                None => key.field == Field::Use && key.path.own().is_none(),
            };
            let swapped = first.patch.entries().iter().any(swaps);
            let moved = [&first.patch.moved[..], if swapped { &[] } else { &second.patch.moved }].concat();
            let patch = Patch { moved, ..patch };
            let joined = Step { patch, label, since: core::mem::take(&mut second.since), whole: None };
            self.done.truncate(self.done.len() - 2);
            if !joined.patch.is_empty() {
                self.done.push(joined);
            } else if let Some(below) = self.done.last_mut() {
                below.add(joined.since);
            }
        }
    }

    /// Forgets all but the last `keep` steps that are done.
    pub(crate) fn forget(&mut self, keep: usize) {
        self.done.drain(..self.done.len().saturating_sub(keep));
    }
}
