//! Matrix arrays for upload: what changed in them since somebody last asked.

use crate::scene::Scene;
use crate::store::{MatrixSlot, Runs, SliceView, Store};
use crate::{Mat34, NodeHandle};
use core::iter::FusedIterator;
use core::ops::Range;

/// Ranges with fewer clean slots than this between them are joined: another copy costs more than these bytes.
const GAP: usize = 32;

/// Up to where somebody has read the matrix arrays of a scene; see [`Scene::uploads`].
///
/// A plain value, of which there may be any number: each sees every change once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UploadReader {
    /// `None` before the first read.
    seen: Option<Seen>,
}

/// The moment of the last read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seen {
    scene: u64,
    frame: u64,
    /// The newest layout.
    layout: u64,
}

impl UploadReader {
    /// A reader that has seen nothing.
    #[must_use]
    pub const fn new() -> Self {
        Self { seen: None }
    }
}

/// What a reader had not seen of the matrix arrays of a scene; see [`Scene::uploads`].
#[derive(Clone, Copy, Debug)]
pub struct Uploads<'s> {
    store: &'s Store,
    /// Where the reader was; `None` if it had seen nothing of this scene.
    seen: Option<Seen>,
}

impl<'s> Uploads<'s> {
    /// Whether the reader had seen nothing of this scene: then discard all copies. Every array is listed, as new.
    #[must_use]
    pub fn is_all(&self) -> bool {
        self.seen.is_none()
    }

    /// Whether no array changed and none was removed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none() && self.dropped().next().is_none()
    }

    /// The numbers of slices that were removed and not reused: discard their copies. Some may never have been reported,
    /// if they were added and removed between two reads.
    pub fn dropped(&self) -> impl Iterator<Item = u32> + Clone + 's {
        let store = self.store;
        self.seen.into_iter().flat_map(move |seen| store.dropped_since(seen.frame))
    }

    /// The arrays that changed, each with the changed ranges.
    pub fn iter(&self) -> impl Iterator<Item = Upload<'s>> + 's {
        let (store, seen) = (self.store, self.seen);
        let all = seen.is_none().then(|| store.slice_numbers()).into_iter().flatten();
        let whole = move |number| Upload { slice: store.view(number), number, part: Part::New };
        let changed = seen.into_iter().flat_map(move |seen| {
            store.slices_since(seen.frame).filter_map(move |(number, slice)| {
                let part = Part::of(slice, seen)?;
                Some(Upload { slice, number, part })
            })
        });
        all.map(whole).chain(changed)
    }
}

/// How much of an array changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// It has a new layout.
    New,
    /// Any slot may have.
    Whole,
    /// The slots of the last sweep.
    Swept,
}

impl Part {
    fn of(slice: SliceView<'_>, seen: Seen) -> Option<Self> {
        if slice.layout() > seen.layout {
            return Some(Self::New);
        }
        match slice.swept_since(seen.frame) {
            (false, _) => None,
            (true, false) => Some(Self::Whole),
            (true, true) => Some(Self::Swept),
        }
    }
}

/// The matrix array of one slice, and what changed in it.
#[derive(Clone, Copy, Debug)]
pub struct Upload<'s> {
    slice: SliceView<'s>,
    number: u32,
    part: Part,
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

    /// Whether the layout of the array is new to the reader: then all of it must be uploaded, as a single range.
    #[must_use]
    pub fn is_new(&self) -> bool {
        self.part == Part::New
    }

    /// The slots that changed, as ranges in ascending order; ranges may include a few unchanged slots. If several
    /// updates changed the array since the last read, this is a single range of all slots.
    #[must_use]
    pub fn ranges(&self) -> DirtyRanges<'s> {
        let transforms = self.slice.transforms();
        let runs = transforms.swept().runs(transforms.len()).filter(|_| self.part == Part::Swept);
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
    /// What a reader has not seen of the matrix arrays, as of the last update: the arrays that changed, each with the
    /// changed ranges, for upload. The reader then counts as having seen it.
    ///
    /// World matrices are stored in one array for each slice, ready for a GPU. To mirror them, keep a reader, and a
    /// copy of each array. After any number of updates, and before the next edits: discard all copies if
    /// [`Uploads::is_all`], and those that were [dropped](Uploads::dropped); then copy the [ranges](Upload::ranges) of
    /// each [changed array](Uploads::iter). This is always available, to any number of readers that read as often as
    /// they like. It has no limit: a reader that has not asked for long is told of each array at most once.
    ///
    /// Runs in **O(slices that changed)**, or in O(slices) for a reader that has seen nothing; the ranges of each array
    /// take O(its slots ÷ 64 + ranges).
    ///
    /// ```
    /// use hedgerow::changes::UploadReader;
    /// use hedgerow::{Mat34, Node, Scene, Transform};
    /// use std::collections::HashMap;
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// let mut reader = UploadReader::new();
    /// let mut copies: HashMap<u32, Vec<Mat34>> = HashMap::new();
    /// for x in 0..3 {
    ///     scene.set_local(car, Transform::from_xyz(x as f32, 0.0, 0.0))?;
    ///     scene.update();
    ///     let uploads = scene.uploads(&mut reader);
    ///     if uploads.is_all() {
    ///         copies.clear();
    ///     }
    ///     for dropped in uploads.dropped() {
    ///         copies.remove(&dropped);
    ///     }
    ///     for upload in uploads.iter() {
    ///         let copy = copies.entry(upload.slice()).or_default();
    ///         copy.resize(upload.matrices().len(), Mat34::IDENTITY);
    ///         upload.ranges().for_each(|range| copy[range.clone()].copy_from_slice(&upload.matrices()[range]));
    ///     }
    /// }
    /// let at = scene.matrix_slot(car).unwrap();
    /// assert_eq!(copies[&at.slice][at.slot as usize].translation().x, 2.0);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn uploads(&self, reader: &mut UploadReader) -> Uploads<'_> {
        let store = &self.store;
        let now = Seen { scene: store.scene_number(), frame: store.frames(), layout: store.newest_layout() };
        let seen = reader.seen.replace(now).filter(|seen| seen.scene == now.scene);
        Uploads { store, seen }
    }

    /// Where the world matrix of a node, its own or that of the nearest transform above, is stored among the arrays of
    /// [`Scene::uploads`]; `None` for a stale handle. Runs in **O(1)**.
    #[must_use]
    pub fn matrix_slot(&self, node: NodeHandle) -> Option<MatrixSlot> {
        let at = self.store.resolve(node)?;
        Some(MatrixSlot { slice: at.slice, slot: self.store.transform_slot_at(at) })
    }
}
