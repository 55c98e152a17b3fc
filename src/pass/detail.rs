//! Levels of detail: listing a view chooses a mesh for each drawable, and leaves out subtrees that are not in range.

use crate::pass::draw::{DrawCommand, Listing, VisibleDraw};
use crate::store::{DrawEntry, RecordId, SliceView, Store};
use crate::{Aabb, Error, NodeHandle};
use glam::{DVec3, Vec3};

/// The greatest number of coarser levels of a mesh.
const MOST: usize = 4;

/// Coarser meshes by distance, for any number of meshes: see [the guide](crate::guide::levels_of_detail).
///
/// It is a plain value outside the scene; views borrow it, and several scenes may share it.
#[derive(Clone, Debug)]
pub struct LevelsOfDetail {
    /// In ascending order.
    meshes: Vec<u32>,
    coarser: Vec<Coarser>,
    margin: f32,
}

/// The levels of a mesh. Unused distances are NaN, so that nothing is beyond them.
#[derive(Clone, Copy, Debug)]
struct Coarser {
    from: [f32; MOST],
    meshes: [Option<u32>; MOST],
}

impl Coarser {
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "a distance beyond single precision is beyond all levels")]
    fn levels(&self, distance: f64) -> u32 {
        // NaN compares false, so unused levels are never counted.
        let distance = distance as f32;
        self.from.iter().map(|&from| u32::from(distance >= from)).sum()
    }
}

impl LevelsOfDetail {
    /// Creates a table without levels, and with a [margin](Self::with_margin) of 1.1.
    #[must_use]
    pub const fn new() -> Self {
        Self { meshes: Vec::new(), coarser: Vec::new(), margin: 1.1 }
    }

    /// Returns the table with another margin, which prevents flicker at the limits. A drawable becomes coarser at
    /// `margin` times the distance of the level, and finer again at the distance itself.
    ///
    /// # Errors
    /// [`Error::InvalidDistances`] unless the margin is finite and at least 1.
    pub fn with_margin(self, margin: f32) -> Result<Self, Error> {
        if !(margin >= 1.0 && margin.is_finite()) {
            return Err(Error::InvalidDistances("a margin must be finite and at least 1"));
        }
        Ok(Self { margin, ..self })
    }

    /// Returns the margin.
    #[must_use]
    pub const fn margin(&self) -> f32 {
        self.margin
    }

    /// Iterates over all coarser levels, by mesh: the mesh, the distance, and what is drawn from there on.
    ///
    /// ```
    /// let mut levels = hedgerow::query::LevelsOfDetail::new();
    /// levels.insert(7, &[(20.0, Some(8)), (60.0, None)])?;
    /// assert!(levels.iter().eq([(7, 20.0, Some(8)), (7, 60.0, None)]));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = (u32, f32, Option<u32>)> {
        self.meshes.iter().zip(&self.coarser).flat_map(|(&mesh, Coarser { from, meshes })| {
            let used = from.iter().zip(meshes).filter(|(from, _)| !from.is_nan());
            used.map(move |(&from, &coarser)| (mesh, from, coarser))
        })
    }

    /// Sets the coarser meshes of a mesh, each with the distance from which it is drawn. If the last mesh is `None`,
    /// nothing is drawn from there on.
    ///
    /// Replaces earlier levels; an empty list removes them. Runs in **O(meshes)**.
    ///
    /// ```
    /// let mut levels = hedgerow::query::LevelsOfDetail::new();
    /// levels.insert(7, &[(20.0, Some(8)), (60.0, Some(9)), (150.0, None)])?;
    /// assert!(levels.insert(1, &[(20.0, Some(2)), (10.0, Some(3))]).is_err());
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidDistances`] if there are more than four levels, a distance is negative or not finite, the
    /// distances do not ascend, or a level before the last has no mesh.
    pub fn insert(&mut self, mesh: u32, levels: &[(f32, Option<u32>)]) -> Result<(), Error> {
        let ascending = levels.is_sorted_by(|a, b| a.0 < b.0 && a.1.is_some());
        let sound = levels.iter().all(|level| level.0 >= 0.0 && level.0.is_finite());
        if levels.len() > MOST || !ascending || !sound {
            return Err(Error::InvalidDistances(
                "a mesh has up to four levels; distances are finite, at least 0, and ascend; only the last has no mesh",
            ));
        }
        let mut coarser = Coarser { from: [f32::NAN; MOST], meshes: [None; MOST] };
        for (at, &(from, mesh)) in levels.iter().enumerate() {
            (coarser.from[at], coarser.meshes[at]) = (from, mesh);
        }
        match (self.meshes.binary_search(&mesh), levels.is_empty()) {
            (Ok(at), false) => self.coarser[at] = coarser,
            (Ok(at), true) => {
                self.meshes.remove(at);
                self.coarser.remove(at);
            }
            (Err(at), false) => {
                self.meshes.insert(at, mesh);
                self.coarser.insert(at, coarser);
            }
            (Err(_), true) => {}
        }
        Ok(())
    }
}

impl Default for LevelsOfDetail {
    fn default() -> Self {
        Self::new()
    }
}

/// The levels of detail of a [`CullView`](crate::query::CullView), and the position that distances are measured from.
///
/// A drawable's distance is measured from the eye to the nearest point of its world box, times [`scale`](Self::scale).
/// Far from the origin, give the [list](crate::DrawList::set_eye) the same eye, so that distances are computed from
/// relative boxes and positions, and levels and view ranges are exact.
#[derive(Clone, Copy, Debug)]
pub struct DetailView<'l> {
    /// The coarser meshes; empty if only [view ranges](crate::Node::view_range) are needed.
    pub levels: &'l LevelsOfDetail,
    /// The eye's position in world space. For shadow maps, pass the camera's position.
    pub eye: DVec3,
    /// The factor by which distances are multiplied: finite and greater than 0. Default 1.
    ///
    /// With a vertical field of view fov, an object of radius r at a distance d covers the share s = r ÷ (d · tan(fov ÷
    /// 2)) of the screen's height. To draw a mesh at shares of s and less, set its distance to r ÷ s and the scale to
    /// tan(fov ÷ 2). Divide the scale by two for twice the resolution.
    pub scale: f32,
}

impl<'l> DetailView<'l> {
    /// Creates a view of these levels from a position, with the scale 1.
    #[must_use]
    pub fn new(levels: &'l LevelsOfDetail, eye: impl Into<DVec3>) -> Self {
        Self { levels, eye: eye.into(), scale: 1.0 }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        if !(self.eye.is_finite() && self.scale.is_finite()) {
            return Err(Error::NotFinite("the eye of a view with levels, and its scale,"));
        }
        let positive = self.scale > 0.0;
        positive.then_some(()).ok_or(Error::InvalidDistances("the scale of a view with levels must be greater than 0"))
    }
}

/// Returns the distance from a point to the nearest point of a box.
#[inline]
pub(crate) fn distance(bounds: &Aabb, eye: DVec3) -> f64 {
    // Single precision is exact enough, unless the square underflows or overflows.
    let near = eye.as_vec3();
    let square = (bounds.min - near).max(near - bounds.max).max(Vec3::ZERO).length_squared();
    if square.is_normal() {
        return square.sqrt().into();
    }
    // The square is zero, or exceeds single precision.
    (bounds.min.as_dvec3() - eye).max(eye - bounds.max.as_dvec3()).max(DVec3::ZERO).length()
}

/// What a list remembers to choose the next levels of detail. The present levels are in the list's commands.
#[derive(Clone, Debug)]
pub(crate) struct LevelMemory {
    /// The scene that is or was listed with levels of detail.
    scene: Option<u64>,
    /// For each record, the index of a command; valid only if the command is for the record's node.
    places: Vec<u32>,
    /// The nodes with ranges, by record, and whether the eye is beyond each limit: in this and in the previous view.
    limits: [Vec<(NodeHandle, [bool; 2])>; 2],
    /// Whether all ranges of a node and its ancestors hold, by record; `found` has the records for which this is known.
    shown: Vec<Shown>,
    found: Vec<RecordId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Unknown,
    Yes,
    No,
}

impl LevelMemory {
    pub(crate) const EMPTY: Self = Self {
        scene: None,
        places: Vec::new(),
        limits: [Vec::new(), Vec::new()],
        shown: Vec::new(),
        found: Vec::new(),
    };

    pub(crate) fn forget(&mut self) {
        self.scene = None;
    }

    /// Frees memory that is only needed while the list is filled.
    pub(crate) fn shrink_to_fit(&mut self) {
        (self.shown, self.found, self.limits[1]) = Default::default();
        self.places.shrink_to_fit();
    }

    /// Returns the index of each record's command, valid only if the command is for the record's node; `None` if the list
    /// was not filled with levels from this scene.
    pub(crate) fn places(&self, store: &Store) -> Option<&[u32]> {
        self.scene.filter(|&scene| scene == store.scene_number()).map(|_| &*self.places)
    }

    /// Stores the index of each listed command, if the list has levels of detail.
    pub(crate) fn remember(&mut self, commands: &[DrawCommand]) {
        if self.scene.is_none() {
            return;
        }
        for (index, command) in (0..).zip(commands) {
            let record = command.node.record().0 as usize;
            if record >= self.places.len() {
                self.places.resize(record + 1, 0);
            }
            self.places[record] = index;
        }
    }

    /// Begins a view. `before` has the commands of the last listing; `position` returns a node's position.
    pub(crate) fn choose<'c>(
        &'c mut self,
        store: &Store,
        view: DetailView<'c>,
        before: &'c [DrawCommand],
        position: impl Fn(RecordId) -> DVec3,
    ) -> Choice<'c> {
        let known = self.scene.replace(store.scene_number()) == Some(store.scene_number());
        // Only the records of the last view are reset: a full sweep would cost O(nodes) a view.
        self.found.drain(..).for_each(|id| self.shown[id.0 as usize] = Shown::Unknown);
        self.limits.swap(0, 1);
        let [limits, old] = &mut self.limits;
        limits.clear();
        for (id, range) in store.nodes.ranges() {
            // Scenes without ranges never allocate `shown`.
            if limits.is_empty() && self.shown.len() < store.nodes.record_end() {
                self.shown.resize(store.nodes.record_end(), Shown::Unknown);
            }
            let node = store.nodes.handle(id);
            let found = old.binary_search_by_key(&id, |(node, _)| node.record()).ok().filter(|_| known);
            // A reused record has another generation, so it has no memory.
            let was = found.map(|at| old[at]).filter(|then| then.0 == node);
            // Even a distance that double precision cannot hold is less than infinity.
            let distance = (position(id).distance(view.eye) * f64::from(view.scale)).min(f64::MAX);
            let beyond = |at: usize, limit: f32| {
                let stays = was.is_some_and(|(_, before)| !before[at]);
                distance >= f64::from(limit) * f64::from(if stays { view.levels.margin } else { 1.0 })
            };
            let [near, far] = range.ends();
            let beyond = [beyond(0, near), beyond(1, far)];
            // In range means: past the near limit, and not past the far one.
            if beyond != [true, false] {
                self.shown[id.0 as usize] = Shown::No;
                self.found.push(id);
            }
            limits.push((node, beyond));
        }
        let Self { places, shown, found, .. } = self;
        let ranged = !limits.is_empty();
        let (places, before): (&[u32], _) = if known { (places, before) } else { (&[], &[] as &[DrawCommand]) };
        Choice { view, places, before, ranged, shown, found, last: None }
    }
}

pub(crate) struct Choice<'c> {
    view: DetailView<'c>,
    places: &'c [u32],
    before: &'c [DrawCommand],
    ranged: bool,
    shown: &'c mut [Shown],
    found: &'c mut Vec<RecordId>,
    /// The last mesh that was looked up, and its levels, because the next drawable often has the same mesh.
    last: Option<(u32, Option<&'c Coarser>)>,
}

impl Choice<'_> {
    /// Returns the mesh to list for a node with this mesh, and its level; `None` if nothing is listed. `distance`
    /// returns the drawable's distance from an eye.
    #[inline]
    fn choose(
        &mut self,
        store: &Store,
        (node, mesh): (NodeHandle, u32),
        distance: impl FnOnce(DVec3) -> f64,
    ) -> Option<(u32, u32)> {
        // Ranges come first: a hidden subtree needs no level.
        if self.ranged && !self.is_in_range(store, node.record()) {
            return None;
        }
        let levels = self.view.levels;
        let coarser = match self.last {
            Some((last, coarser)) if last == mesh => coarser,
            _ => levels.meshes.binary_search(&mesh).ok().map(|at| &levels.coarser[at]),
        };
        self.last = Some((mesh, coarser));
        let Some(coarser) = coarser else { return Some((mesh, 0)) };
        let distance = distance(self.view.eye) * f64::from(self.view.scale);
        let mut level = coarser.levels(distance);
        let place = self.places.get(node.record().0 as usize);
        let before = place.and_then(|&place| self.before.get(place as usize));
        // The margin applies only towards coarser levels, so a drawable between both distances keeps its level.
        if let Some(before) = before.filter(|before| before.node == node) {
            level = before.level().clamp(coarser.levels(distance / f64::from(levels.margin)), level);
        }
        let Some(index) = level.checked_sub(1) else { return Some((mesh, 0)) };
        coarser.meshes[index as usize].map(|mesh| (mesh, level))
    }

    /// Returns whether all ranges of a node and its ancestors hold. Visits each node once per view.
    fn is_in_range(&mut self, store: &Store, id: RecordId) -> bool {
        let up = || core::iter::successors(Some(id), |&id| store.nodes.parent(id));
        // Stops at the nearest ancestor with a known answer, so each node is visited once a view.
        let known = up().map(|id| self.shown[id.0 as usize]).find(|&shown| shown != Shown::Unknown);
        let shown = known.unwrap_or(Shown::Yes);
        for id in up() {
            let place = &mut self.shown[id.0 as usize];
            if *place != Shown::Unknown {
                break;
            }
            *place = shown;
            self.found.push(id);
        }
        shown == Shown::Yes
    }
}

/// A list that is being filled, and the choice of its levels of detail, if it has any.
pub(crate) struct Filling<'f> {
    pub(crate) listing: &'f mut Listing,
    pub(crate) choice: Option<Choice<'f>>,
}

impl Filling<'_> {
    /// Adds a visible drawable at its level; returns whether it did. `distance` returns its distance from an eye.
    #[inline]
    fn add(
        &mut self,
        (store, node, mesh): (&Store, NodeHandle, u32),
        distance: impl FnOnce(DVec3) -> f64,
        add: impl FnOnce(&mut Listing),
    ) -> bool {
        let level = match &mut self.choice {
            Some(choice) => choice.choose(store, (node, mesh), distance),
            None => Some((mesh, 0)),
        };
        let Some((mesh, level)) = level else { return false };
        add(self.listing);
        if let Some(command) = self.listing.commands.last_mut().filter(|_| level > 0) {
            command.set_level(mesh, level);
        }
        true
    }

    /// Adds a visible drawable of a slice; returns whether it did. `distance` is the same as for [`Self::add`].
    #[inline]
    pub(crate) fn push(
        &mut self,
        (store, slice): (&Store, SliceView<'_>),
        record: &DrawEntry,
        distance: impl FnOnce(DVec3) -> f64,
    ) -> bool {
        self.add((store, record.node, record.mesh), distance, |listing| listing.push(slice, record))
    }

    /// Adds a drawable that was found for several views, with the distance of its box in the last update.
    #[inline]
    pub(crate) fn push_seen(&mut self, (store, slice): (&Store, SliceView<'_>), seen: &VisibleDraw) {
        let DrawCommand { node, mesh, .. } = seen.command;
        let distance = |eye| distance_in(slice, seen.drawable.into(), eye);
        self.add((store, node, mesh), distance, |listing| listing.push_seen(slice, seen));
    }
}

/// Returns the distance from a point to the box that a drawable of a slice had in the last update.
#[inline]
pub(crate) fn distance_in(slice: SliceView<'_>, drawable: usize, eye: DVec3) -> f64 {
    let bounds = slice.boxes().and_then(|boxes| boxes.drawables.get(drawable));
    bounds.map_or(0.0, |bounds| distance(&bounds, eye))
}
