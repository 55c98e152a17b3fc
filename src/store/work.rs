//! How much work calls make (feature `counters`): rows touched and slices visited.
//!
//! Times say little on a machine that does other things. What a loop goes through is the same on each.

use core::cell::Cell;
use core::ops::{Add, Sub};
#[cfg(feature = "rayon")]
use std::sync::{Mutex, PoisonError};

/// How much work calls made (feature `counters`). Shows what an operation costs on a tree of your own, and tests can
/// assert that it does not grow with the scene: unlike times, the counts are the same in each run.
///
/// With the feature, loops of edits, updates and lookups by links add to a counter of their thread; without, nothing is
/// counted and nothing is slower. Culling, drawing and visitors are not counted, nor is what prepares an update to be
/// shared among threads of rayon; what these compute counts for the thread that called it.
///
/// ```
/// use hedgerow::stats::Work;
/// use hedgerow::{Node, Scene, Transform};
///
/// let mut scene = Scene::new();
/// let top = scene.insert(scene.root(), Node::group())?;
/// let wheels: Vec<_> =
///     (0..1000).map(|_| scene.insert(top, Node::transform(Transform::IDENTITY)).unwrap()).collect();
/// scene.update();
///
/// // Nothing moved, and the update looks at nothing.
/// let (work, ()) = Work::of(|| scene.update());
/// assert_eq!(work, Work::default());
///
/// // One of a thousand moves: its slice is visited, and that of the root above it, and one matrix computed.
/// scene.set_local(wheels[500], Transform::from_xyz(1.0, 0.0, 0.0))?;
/// let (work, ()) = Work::of(|| scene.update());
/// assert_eq!((work.slices, work.rows), (2, 1));
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "counters"), expect(unreachable_pub, reason = "public with the feature"))]
#[non_exhaustive]
pub struct Work {
    /// Rows, or slots of components, that loops went through; more than once, where several loops did.
    pub rows: u64,
    /// Slices that loops came to, and portals between them that were passed.
    pub slices: u64,
}

impl Work {
    /// Calls `call`. Returns what scenes did in it on this thread, and for it on others; and its result.
    #[cfg(feature = "counters")]
    pub fn of<T>(call: impl FnOnce() -> T) -> (Self, T) {
        let before = WORK.get();
        let result = call();
        (WORK.get() - before, result)
    }

    /// Adds to what this thread did.
    #[inline(always)]
    fn count(self) {
        if COUNTS {
            WORK.set(WORK.get() + self);
        }
    }
}

impl Add for Work {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { rows: self.rows + other.rows, slices: self.slices + other.slices }
    }
}

impl Sub for Work {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self { rows: self.rows - before.rows, slices: self.slices - before.slices }
    }
}

const COUNTS: bool = cfg!(feature = "counters");

thread_local! {
    /// What this thread did since it began.
    static WORK: Cell<Work> = const { Cell::new(Work { rows: 0, slices: 0 }) };
}

/// Counts rows, or slots, that a loop goes through.
#[inline(always)]
pub(in crate::store) fn rows(count: usize) {
    Work { rows: count as u64, slices: 0 }.count();
}

/// Counts rows, or slots, that a loop found marked.
#[inline(always)]
pub(in crate::store) fn marked_rows(marks: &[u64]) {
    if COUNTS {
        rows(marks.iter().map(|word| word.count_ones() as usize).sum());
    }
}

/// Counts slices that a loop goes through.
#[inline(always)]
pub(in crate::store) fn slices(count: usize) {
    Work { rows: 0, slices: count as u64 }.count();
}

/// What tasks did for the thread that shared them out.
#[cfg(feature = "rayon")]
#[derive(Debug, Default)]
pub(in crate::store) struct Tasks(Mutex<Work>);

#[cfg(feature = "rayon")]
impl Tasks {
    /// Runs a task. What it does counts for these tasks instead of for its thread, which may be the one that waits.
    #[inline(always)]
    pub(in crate::store) fn run(&self, task: impl FnOnce()) {
        if !COUNTS {
            return task();
        }
        let before = WORK.get();
        task();
        let done = WORK.replace(before) - before;
        let mut sum = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *sum = *sum + done;
    }

    /// Counts for this thread what the tasks did.
    pub(in crate::store) fn count(self) {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner).count();
    }
}
