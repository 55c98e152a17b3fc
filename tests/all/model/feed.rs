//! The change feed compared with the state of the model after the update before.

use super::Check;
use super::compare::same_bits;
use super::oracle::Oracle;
use hedgerow::changes::{ChangeReader, Changes, UploadReader};
use hedgerow::{Error, Mat34, NodeHandle, Scene, Visibility};
use std::collections::{BTreeMap, HashMap};

/// The state after an update: the world matrix and mask of each node, and a copy of each array with its layout.
pub(crate) struct Seen {
    nodes: BTreeMap<NodeHandle, (Mat34, u32)>,
    arrays: HashMap<u32, (u64, Vec<Mat34>)>,
    changes: ChangeReader,
    uploads: UploadReader,
}

impl Seen {
    /// What there is to see of a scene before its first update.
    pub(crate) fn new(scene: &Scene) -> Self {
        let mut changes = ChangeReader::new();
        let first = scene.changes(&mut changes);
        assert!(matches!(first, Ok(Changes::All) | Err(Error::NoChanges)), "a new reader is to read everything");
        Self { nodes: BTreeMap::new(), arrays: HashMap::new(), changes, uploads: UploadReader::new() }
    }

    /// Begins anew with the nodes of a scene that just began or ended to track changes: the reader that it has is told
    /// to read everything.
    pub(crate) fn begin_anew(&mut self, scene: &Scene) -> Check {
        self.nodes.clear();
        let told = scene.changes(&mut self.changes);
        ensure!(matches!(told, Ok(Changes::All) | Err(Error::NoChanges)), "an old reader is told of {told:?}");
        Ok(())
    }
}

impl Oracle {
    /// Compares everything reported about the last update.
    pub(crate) fn compare_feed(&mut self) -> Check {
        self.compare_uploads()?;
        if !self.scene.config().changes {
            let told = self.scene.changes(&mut self.seen.changes);
            ensure!(matches!(told, Err(Error::NoChanges)), "changes are told where they are not to be");
            return Ok(());
        }
        self.compare_changes()?;
        // Sometimes a second update, which has nothing to do: everything comes to rest.
        if self.counts.steps.is_multiple_of(3) {
            self.scene.update();
            ensure!(self.scene.uploads(&mut self.seen.uploads).is_empty(), "nothing changed, and there are uploads");
            self.compare_changes()?;
            self.compare_motion()?;
        }
        Ok(())
    }

    fn compare_changes(&mut self) -> Check {
        let (mut moved, mut masked, mut entered) = (Vec::new(), Vec::new(), Vec::new());
        let mut now = BTreeMap::new();
        // Detached nodes have left.
        for next in &self.met[..self.attached] {
            let handle = self.tree.handle(next.index);
            let (Some(world), Some(mask)) = (self.scene.world(handle), self.scene.visibility(handle)) else {
                return Err(super::Mismatch(format!("{handle:?} has no world or no visibility")));
            };
            let (world, mask) = (*world, Visibility::mask(mask));
            now.insert(handle, (world, mask));
            let previous = self.scene.previous_world(handle).copied();
            let before = self.seen.nodes.remove(&handle);
            let expected = before.map_or(world, |(world, _)| world);
            let same = previous.is_some_and(|previous| same_bits(&previous, &expected));
            ensure!(same, "the previous world of {handle:?} is {previous:?}, not {expected:?}");
            match before {
                None => entered.push(handle),
                Some((old_world, old_mask)) => {
                    moved.extend((!same_bits(&old_world, &world)).then_some(handle));
                    masked.extend((old_mask != mask).then_some(handle));
                }
            }
        }
        let left: Vec<_> = self.seen.nodes.keys().copied().collect();
        self.seen.nodes = now;
        let told = self.scene.changes(&mut self.seen.changes);
        let Ok(Changes::Since(changes)) = told else {
            return Err(super::Mismatch(format!("{told:?} is told to one who reads every update")));
        };
        let told = [
            ("moved", changes.moved(), moved),
            ("changed in visibility", changes.visibility(), masked),
            ("entered", changes.entered(), entered),
            ("left", changes.left(), left),
        ];
        for (what, told, mut expected) in told {
            let mut told = told.to_vec();
            told.sort_unstable();
            expected.sort_unstable();
            ensure!(told == expected, "{told:?} are told to have {what}, not {expected:?}");
        }
        Ok(())
    }

    /// Keeps copies of all arrays from what is reported about them, and compares these with every node's matrix.
    fn compare_uploads(&mut self) -> Check {
        let arrays = &mut self.seen.arrays;
        let uploads = self.scene.uploads(&mut self.seen.uploads);
        ensure!(uploads.is_all() == arrays.is_empty(), "everything is told again, or not the first time");
        for dropped in uploads.dropped() {
            arrays.remove(&dropped);
        }
        for upload in uploads.iter() {
            let matrices = upload.matrices();
            let (layout, copy) = arrays.entry(upload.slice()).or_default();
            let same = *layout == upload.layout();
            ensure!(same != upload.is_new(), "slice {} is new, or it is not", upload.slice());
            *layout = upload.layout();
            if !same {
                copy.clear();
            }
            copy.resize(matrices.len(), Mat34::IDENTITY);
            let mut end = 0;
            for range in upload.ranges() {
                ensure!(range.start >= end && range.end > range.start, "the ranges are out of order");
                end = range.end;
                copy[range.clone()].copy_from_slice(&matrices[range]);
            }
        }
        for &index in self.tree.live() {
            let handle = self.tree.handle(index);
            let place = self.scene.matrix_slot(handle);
            let copy = place.and_then(|place| arrays.get(&place.slice)?.1.get(place.slot as usize));
            let world = self.scene.world(handle);
            let same = copy.zip(world).is_some_and(|(copy, world)| same_bits(copy, world));
            ensure!(same, "the copy of the matrix of {handle:?} at {place:?} is {copy:?}, not {world:?}");
        }
        let all: Vec<_> = self
            .scene
            .uploads(&mut UploadReader::new())
            .iter()
            .map(|upload| (upload.slice(), upload.layout()))
            .collect();
        ensure!(all.len() == arrays.len(), "{} arrays are kept, and there are {}", arrays.len(), all.len());
        for (slice, layout) in all {
            let kept = arrays.get(&slice).map(|(layout, _)| *layout);
            ensure!(kept == Some(layout), "the layout of slice {slice} is {layout}, and {kept:?} is kept");
        }
        Ok(())
    }
}
