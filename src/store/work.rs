//! How much work calls make (feature `counters`): rows touched and slices visited.
//!
//! Times say little on a machine that does other things. What a loop goes through is the same on each.

use core::cell::Cell;
use core::ops::{Add, Sub};
#[cfg(feature = "rayon")]
use std::sync::{Mutex, PoisonError};

/// How much work calls made (feature `counters`). Shows what an operation costs on a tree of your own, and tests can
/// assert that it does not grow with the scene. Unlike times, the counts depend on nothing but the calls and the number
/// of threads, save for maintenance that stops where its time is up.
///
/// With the feature, loops of edits, updates, maintenance and lookups by links add to a counter of their thread; without,
/// nothing is counted and nothing is slower. What threads of rayon compute in an update counts for the thread that called
/// it. Culling, draw lists, visitors and snapshots count little or nothing.
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
    /// Rows of nodes, items of batches, and slots of components that were computed. What several loops go through may
    /// count several times. Marks are not counted, of which one instruction looks at many.
    pub rows: u64,
    /// Slices that were looked at or listed, and steps from one slice to the next.
    pub slices: u64,
}

impl Work {
    /// Calls `call`, and returns the work of scenes in it, with its result.
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

/// Counts slots that a loop found marked, and computed.
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
#[derive(Debug)]
pub(in crate::store) struct Tasks {
    /// What the thread had done before.
    begun: Work,
    done: Mutex<Work>,
}

#[cfg(feature = "rayon")]
impl Tasks {
    /// Must be called by the thread that will wait for the tasks.
    pub(in crate::store) fn begin() -> Self {
        Self { begun: WORK.get(), done: Mutex::default() }
    }

    /// Runs a task. What it does counts for these tasks instead of for its thread, which may be the one that waits.
    #[inline(always)]
    pub(in crate::store) fn run(&self, task: impl FnOnce()) {
        let _task = COUNTS.then(|| Task { tasks: self, before: WORK.get() });
        task();
    }

    /// Counts for this thread what the tasks did, and nothing else: while it waited, it may have worked for others.
    pub(in crate::store) fn count(self) {
        if COUNTS {
            WORK.set(self.begun + self.done.into_inner().unwrap_or_else(PoisonError::into_inner));
        }
    }
}

/// A task that runs, or panics: either way it counts for the tasks, and not for its thread.
#[cfg(feature = "rayon")]
struct Task<'t> {
    tasks: &'t Tasks,
    before: Work,
}

#[cfg(feature = "rayon")]
impl Drop for Task<'_> {
    fn drop(&mut self) {
        let done = WORK.replace(self.before) - self.before;
        let mut sum = self.tasks.done.lock().unwrap_or_else(PoisonError::into_inner);
        *sum = *sum + done;
    }
}

#[cfg(all(test, feature = "counters", feature = "rayon"))]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_thread_counts_its_tasks_but_not_what_it_did_for_others_while_it_waited() {
        let (work, ()) = Work::of(|| {
            rows(1);
            let tasks = Tasks::begin();
            tasks.run(|| rows(10));
            slices(100);
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                tasks.run(|| {
                    rows(1000);
                    panic!("in a task");
                });
            }));
            assert!(panicked.is_err());
            assert_eq!(WORK.get() - tasks.begun, Work { rows: 0, slices: 100 }, "nothing of the tasks yet");
            tasks.count();
        });
        assert_eq!(work, Work { rows: 1011, slices: 0 });
    }
}
