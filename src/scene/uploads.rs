//! Matrix arrays for upload: what changed in them with the last update.

use crate::scene::Scene;
use crate::store::{MatrixSlot, Runs, SliceView};
use crate::{Mat34, NodeHandle};
use core::iter::FusedIterator;
use core::ops::Range;

/// Ranges with fewer clean slots than this between them are joined: another copy costs more than these bytes.
const GAP: usize = 32;

/// The matrix array of one slice, and what changed in it with the last update.
#[derive(Clone, Copy, Debug)]
pub struct Upload<'s> {
    slice: SliceView<'s>,
    number: u32,
    whole: bool,
}

impl<'s> Upload<'s> {
    /// The number of the slice. It is small, belongs to the slice while the slice exists, and may be reused later.
    #[must_use]
    pub fn slice(&self) -> u32 {
        self.number
    }

    /// Changes whenever the array gets a new layout, and is never equal to that of another slice of the scene: discard
    /// a copy of the array with another number. Other scenes, including clones and loaded ones, count separately: keep
    /// copies for each.
    #[must_use]
    pub fn layout(&self) -> u64 {
        self.slice.layout()
    }

    /// Changes with every edit of the slice except setting transforms: then query each stored [`MatrixSlot`] of its
    /// nodes again.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.slice.version()
    }

    /// All matrices of the slice, by slot. Slot 0 is what the slice inherits; the contents of holes are undefined.
    #[must_use]
    pub fn matrices(&self) -> &'s [Mat34] {
        self.slice.transforms().worlds()
    }

    /// Whether the layout of the array is new: then all of it must be uploaded, as a single range.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.whole
    }

    /// The slots that changed, as ranges in ascending order; ranges may include a few unchanged slots.
    #[must_use]
    pub fn ranges(&self) -> DirtyRanges<'s> {
        let transforms = self.slice.transforms();
        let runs = transforms.swept().runs(transforms.len()).filter(|_| !self.whole);
        DirtyRanges { next: runs.is_none().then_some(0..transforms.len()), runs }
    }
}

/// Ranges of slots; see [`Upload::ranges`].
#[derive(Clone, Debug)]
pub struct DirtyRanges<'s> {
    next: Option<Range<usize>>,
    /// `None` for a single range.
    runs: Option<Runs<'s>>,
}

impl Iterator for DirtyRanges<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let mut range = self.next.take().or_else(|| self.runs.as_mut()?.next())?;
        for run in self.runs.iter_mut().flatten() {
            if run.start - range.end >= GAP {
                self.next = Some(run);
                break;
            }
            range.end = run.end;
        }
        Some(range)
    }
}

impl FusedIterator for DirtyRanges<'_> {}

impl Scene {
    /// The matrix arrays that the last update changed, each with the changed ranges, for upload.
    ///
    /// World matrices are stored in one array for each slice, ready for a GPU. To mirror them, keep a copy of each
    /// array and its [`layout`](Upload::layout). After each update, copy the ranges, copy all of an array whose layout
    /// is new, and drop the arrays listed by [`Scene::dropped_arrays`]. This is always available. Empty if an update
    /// had nothing to do. Runs in **O(slices that changed)**; the ranges of each take O(its slots ÷ 64 + ranges).
    ///
    /// ```
    /// use hedgerow::{Mat34, Node, Scene, Transform};
    /// use std::collections::HashMap;
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// let mut copies: HashMap<u32, (u64, Vec<Mat34>)> = HashMap::new();
    /// for x in 0..3 {
    ///     scene.set_local(car, Transform::from_xyz(x as f32, 0.0, 0.0))?;
    ///     scene.update();
    ///     for dropped in scene.dropped_arrays() {
    ///         copies.remove(dropped);
    ///     }
    ///     for upload in scene.uploads() {
    ///         let (layout, copy) = copies.entry(upload.slice()).or_default();
    ///         *layout = upload.layout();
    ///         copy.resize(upload.matrices().len(), Mat34::IDENTITY);
    ///         upload.ranges().for_each(|range| copy[range.clone()].copy_from_slice(&upload.matrices()[range]));
    ///     }
    /// }
    /// let at = scene.matrix_slot(car).unwrap();
    /// assert_eq!(copies[&at.slice].1[at.slot as usize].translation().x, 2.0);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn uploads(&self) -> impl Iterator<Item = Upload<'_>> {
        self.store.changed_slices().map(|(number, slice, whole)| Upload { slice, number, whole })
    }

    /// Every matrix array, reported as new, for users that begin to mirror them later. Runs in **O(slices)**.
    pub fn all_uploads(&self) -> impl Iterator<Item = Upload<'_>> {
        let store = &self.store;
        store.slice_numbers().map(|number| Upload { slice: store.view(number), number, whole: true })
    }

    /// The numbers of slices that were removed between the last two updates and not reused. Some may never have been
    /// reported, if they were added and removed between updates.
    #[must_use]
    pub fn dropped_arrays(&self) -> &[u32] {
        self.store.dropped_slices()
    }

    /// Where the world matrix of a node, its own or that of the nearest transform above, is stored among the arrays of
    /// [`Scene::uploads`]; `None` for a stale handle. Runs in **O(1)**.
    #[must_use]
    pub fn matrix_slot(&self, node: NodeHandle) -> Option<MatrixSlot> {
        let at = self.store.resolve(node)?;
        Some(MatrixSlot { slice: at.slice, slot: self.store.transform_slot_at(at) })
    }
}
