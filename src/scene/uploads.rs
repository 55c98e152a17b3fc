//! Matrix arrays for upload: what of them changed with the last update.

use crate::scene::Scene;
use crate::store::{Runs, SliceView};
use crate::{Mat34, NodeHandle};
use core::iter::FusedIterator;
use core::ops::Range;

/// Two ranges with fewer clean slots than this between them are told as one: a copy more costs more than these bytes.
const GAP: usize = 16;

/// Where the world matrix of a node lies; see [`Scene::matrix_slot`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::Pod, bytemuck::Zeroable))]
#[repr(C)]
pub struct MatrixSlot {
    /// The number of the slice; see [`Upload::slice`].
    pub slice: u32,
    /// The place in the slice's array.
    pub slot: u32,
}

/// The matrix array of one slice, and what of it changed with the last update.
#[derive(Clone, Copy, Debug)]
pub struct Upload<'s> {
    slice: SliceView<'s>,
    number: u32,
    whole: bool,
}

impl<'s> Upload<'s> {
    /// The number of the slice: small, its own as long as the slice lives, and another slice's later.
    #[must_use]
    pub fn slice(&self) -> u32 {
        self.number
    }

    /// Changes whenever the array is laid out anew, and is never that of another slice of the scene: a copy of the array with
    /// another number is of no use any more. Another scene, a clone or a loaded one too, counts by itself: copies are kept for
    /// each.
    #[must_use]
    pub fn layout(&self) -> u64 {
        self.slice.layout()
    }

    /// Changes with every edit of the slice other than setting transforms: who keeps a node's [`MatrixSlot`] asks for it
    /// anew then.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.slice.version()
    }

    /// All matrices of the slice, by slot. Slot 0 is what the slice inherits; holes hold whatever they held.
    #[must_use]
    pub fn matrices(&self) -> &'s [Mat34] {
        self.slice.transforms().worlds()
    }

    /// Whether the array has a layout that was not told before: all of it is to be uploaded, and that is the one range.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.whole
    }

    /// The slots that changed, as ranges in ascending order, with some in between that did not.
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
    /// None where one range is all there is.
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
    /// The matrix arrays that the last update changed, each with the ranges that changed, for upload.
    ///
    /// World matrices lie in one array a slice, ready for a GPU. Whoever keeps a copy of each array, with its
    /// [`layout`](Upload::layout), copies the ranges after each update, all of an array whose layout is new, and drops what
    /// [`Scene::dropped_arrays`] tells. Nothing has to be switched on. Where an update had nothing to do there are none.
    /// Computes in **O(slices that changed)**; the ranges of each in O(its slots ÷ 64 + ranges).
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

    /// Every matrix array as one that is new, for whoever begins to keep copies later on. Computes in **O(slices)**.
    pub fn all_uploads(&self) -> impl Iterator<Item = Upload<'_>> {
        let store = &self.store;
        store.slice_numbers().map(|number| Upload { slice: store.view(number), number, whole: true })
    }

    /// The numbers of slices that went before the last update, and after the one before it, and were not given to others.
    /// Some may never have been told of: what came and went in between.
    #[must_use]
    pub fn dropped_arrays(&self) -> &[u32] {
        self.store.dropped_slices()
    }

    /// Where the world matrix of a node lies among the arrays of [`Scene::uploads`], its own or that of the nearest
    /// transform above; `None` for a stale handle. Computes in **O(1)**.
    #[must_use]
    pub fn matrix_slot(&self, node: NodeHandle) -> Option<MatrixSlot> {
        let at = self.store.resolve(node)?;
        Some(MatrixSlot { slice: at.slice, slot: self.store.transform_slot_at(at) })
    }
}
