//! Drawing between two steps of a simulation: see [`guide::fixed_steps`](crate::guide::fixed_steps).
//!
//! ```
//! use hedgerow::motion::Smooth;
//! use hedgerow::{Node, Scene, SceneConfig, Transform};
//!
//! let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
//! let cart = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
//! scene.update();
//! let mut smooth = Smooth::new(&scene)?;
//! let (mut due, mut seen) = (0.0, Vec::new());
//! for frame in [0.025, 0.025, 0.03] {
//!     due += frame;
//!     while due >= 0.02 {
//!         due -= 0.02;
//!         scene.modify_local(cart, |local| local.translation.x += 1.0)?; // the simulation
//!         scene.update();
//!         smooth.step(&scene)?;
//!     }
//!     let shown = smooth.blend(&mut scene, due / 0.02); // a scene to draw
//!     seen.push((shown.world(cart).unwrap().translation().x * 4.0).round() / 4.0);
//! }
//! assert_eq!(seen, [0.25, 1.5, 3.0], "one step late: 0.025 s are 1.25 steps");
//! assert_eq!(scene.world(cart).unwrap().translation().x, 4.0);
//! # Ok::<(), hedgerow::Error>(())
//! ```

use crate::changes::{ChangeKinds, ChangeReader};
use crate::data::NodeMap;
use crate::node::remainder;
use crate::scene::{NodeRef, Scene};
use crate::store::{Store, WideLocal};
use crate::{Error, Local, Mat34, NodeHandle, Transform};
use core::ops::Deref;
use glam::{DVec3, Vec3};
use hedgerow_math::PackedTransform;

/// Interpolates a scene between the last two steps of a simulation. A step may consist of several updates.
///
/// Local transforms are blended, not world matrices: halfway through a step, a door is still on its hinge. Translation
/// and scale are interpolated linearly, in double precision. Rotations take the shorter arc by normalised sums (nlerp):
/// at most 0.04° from constant speed in a turn of 30°, and 0.92° in a turn of 90°. The bits are the same everywhere.
///
/// | in the step, a node | is shown |
/// |---|---|
/// | got another local transform | blended, and nodes below move along |
/// | was [cut](Self::cut), entered, got another parent, had a [matrix](crate::Local), got or lost its transform | as after the step |
/// | was edited after [`Smooth::step`] | as edited |
#[derive(Clone, Debug)]
pub struct Smooth {
    reader: ChangeReader,
    /// The number of the scene at the last step.
    scene: u64,
    /// The local transforms after the last step, except matrices.
    poses: NodeMap<Pose>,
    /// The nodes that the last step set, each with its pose before and after it.
    moves: Vec<(NodeHandle, [Pose; 2])>,
    /// Nodes that the next step does not blend.
    cuts: Vec<NodeHandle>,
    drawn: Option<Drawn>,
}

/// World matrices in the last frame, for motion vectors.
#[derive(Clone, Debug, Default)]
struct Drawn {
    /// Nodes that moved or entered in the last step.
    moved: Vec<NodeHandle>,
    /// World matrices in the last frame, in ascending order: those of `moved`, and of all nodes that moved since.
    worlds: Vec<(NodeHandle, Mat34)>,
    /// Nodes that entered or were cut since the last frame, which the next frame draws without motion.
    fresh: Vec<NodeHandle>,
}

/// A local transform that is not a matrix, with the rounding error of its translation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pose {
    local: PackedTransform,
    remainder: Vec3,
}

impl Pose {
    fn of(store: &Store, node: NodeHandle) -> Option<Self> {
        if let Some(local) = store.plain_local(node) {
            return Some(Self { local: local.into(), remainder: Vec3::ZERO });
        }
        let WideLocal { local, remainder } = store.wide_local(store.resolve(node)?)?;
        local.transform().map(|local| Self { local: local.into(), remainder })
    }

    fn set(&self, store: &mut Store, node: NodeHandle) {
        let (local, remainder) = (Transform::from(self.local), self.remainder);
        if remainder == Vec3::ZERO && store.set_plain(node, &local).is_some() {
            return;
        }
        if let Some(id) = store.resolve(node) {
            store.set_wide_local(id, WideLocal { local: Local::Transform(local), remainder });
        }
    }

    /// Returns a blend of two poses: this pose if `t` is 0, the other if `t` is 1.
    fn towards(&self, other: &Self, t: f32) -> Self {
        if t == 0.0 {
            return *self;
        }
        let (from, to) = (&self.local, &other.local);
        let wide = |at: [f32; 3]| Vec3::from_array(at).as_dvec3();
        let lerp = |from: DVec3, to: DVec3| from + (to - from) * f64::from(t);
        let [start, end] = [self, other].map(|pose| wide(pose.local.translation) + pose.remainder.as_dvec3());
        let (place, scale) = (lerp(start, end), lerp(wide(from.scale), wide(to.scale)).as_vec3().to_array());
        let rounded = place.as_vec3();
        // Summed in a fixed order, to get the same bits on every machine.
        let dot = |a: &[f32; 4], b: &[f32; 4]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
        let (a, b) = (&from.rotation, &to.rotation);
        let (s, t) = (1.0 - t, if dot(a, b) < 0.0 { -t } else { t });
        let sum = [0, 1, 2, 3].map(|at| a[at] * s + b[at] * t);
        let length = dot(&sum, &sum).sqrt();
        let rotation = if a == b { *a } else { sum.map(|number| number / length) };
        // A translation that is in single precision at both ends stays in single precision.
        let narrow = self.remainder == Vec3::ZERO && other.remainder == Vec3::ZERO;
        let remainder = if narrow { Vec3::ZERO } else { remainder(place, rounded) };
        Self { local: PackedTransform { rotation, translation: rounded.to_array(), scale }, remainder }
    }
}

impl Smooth {
    /// Starts from the scene as it is. Runs in **O(nodes)**, and takes about 60 bytes for each node with a transform.
    ///
    /// # Errors
    /// [`Error::NoChanges`] if the scene does not [track changes](crate::SceneConfig::changes).
    pub fn new(scene: &Scene) -> Result<Self, Error> {
        if !scene.config().changes {
            return Err(Error::NoChanges);
        }
        let (reader, poses) = (ChangeReader::new(), NodeMap::new());
        let mut smooth = Self { reader, scene: 0, poses, moves: Vec::new(), cuts: Vec::new(), drawn: None };
        smooth.begin(scene);
        Ok(smooth)
    }

    /// Adds motion vectors from frame to frame, which are exact if each step is one update. In a [`Blended`],
    /// [`NodeRef::previous_world`] and [`DrawList::previous_matrices`](crate::DrawList::previous_matrices) then return
    /// the matrices of the previous [`Blended`]. For nodes that entered or were cut since, and below, they are the
    /// current ones. Without this call, they return the matrices before the last update, which are wrong for blended
    /// nodes. A step takes O(n log n) more for n nodes that moved, and filling lists with motion takes O(drawables).
    #[must_use]
    pub fn with_motion(mut self) -> Self {
        self.drawn = Some(Drawn::default());
        let kinds = self.kinds();
        self.reader = self.reader.with_kinds(kinds);
        self
    }

    /// Records the changes of a step. Call it right after the step's [`Scene::update`].
    ///
    /// Takes as long as [`Scene::changes`]. The first step of another scene blends nothing and runs in O(nodes). A
    /// loaded scene, as in rollback, counts as another scene.
    ///
    /// # Errors
    /// [`Error::NoChanges`] if the scene does not track changes.
    pub fn step(&mut self, scene: &Scene) -> Result<(), Error> {
        let Self { reader, poses, moves, cuts, drawn, .. } = self;
        let changed = scene.changes(reader)?;
        if changed.is_whole() {
            self.begin(scene);
            return Ok(());
        }
        let store = &scene.store;
        moves.clear();
        let teleported = cuts.len();
        let reparented = changed.edited().iter().filter(|(_, kinds)| kinds.contains(ChangeKinds::PARENT));
        cuts.extend(reparented.map(|&(node, _)| node));
        for &node in changed.left().iter().chain(changed.removed()).chain(&*cuts) {
            poses.remove(node);
        }
        for &node in changed.locals().iter().chain(changed.entered()).chain(&*cuts) {
            let Some(to) = Pose::of(store, node) else {
                poses.remove(node);
                continue;
            };
            let before = poses.insert(node, to).filter(|&(before, from)| before == node && from != to);
            moves.extend(before.map(|(_, from)| (node, [from, to])));
        }
        if let Some(Drawn { moved, worlds, fresh }) = drawn {
            moved.clear();
            moved.extend(changed.moved().iter().chain(changed.entered()));
            let tops = cuts[..teleported].iter().filter_map(|&node| scene.get(node));
            fresh.extend(
                tops.flat_map(NodeRef::descendants).map(NodeRef::handle).chain(changed.entered().iter().copied()),
            );
            fresh.sort_unstable();
            fresh.dedup();
            // `in_order` keeps the first matrix of each node, which is that of the last frame.
            let before = |&node: &NodeHandle| Some((node, *store.previous_world(store.resolve(node)?)?));
            worlds.extend(changed.moved().iter().filter_map(before));
            in_order(worlds);
            // Many steps may run before the next frame, so removed nodes are dropped now.
            fresh.retain(|&node| scene.contains(node));
            worlds.retain(|&(node, _)| scene.contains(node));
        }
        cuts.clear();
        Ok(())
    }

    /// Excludes a node from blending in the step that the next [`Smooth::step`] records, for example after a teleport.
    /// Runs in **O(1)**; with motion vectors, the next step takes O(nodes below) more. Does nothing for a stale handle.
    pub fn cut(&mut self, node: NodeHandle) {
        self.cuts.push(node);
    }

    /// Returns the blended nodes, but not the nodes below that follow them, for programs that copy matrices themselves.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeHandle> {
        self.moves.iter().map(|&(node, _)| node)
    }

    /// Sets blended local transforms and updates the scene. When the result is dropped, all bits of the local
    /// transforms are restored, and the scene is updated again. Readers of changes do not notice either update.
    ///
    /// `alpha` is 0 for the scene before the last step, 1 for the scene after it. Other values are clamped; NaN counts
    /// as 0. An ordinary update first applies edits since the last update. Takes twice the time of setting and updating
    /// the nodes of the last step, or none if `alpha` is 1. If `scene` is another scene, blends nothing, in O(nodes).
    pub fn blend<'s>(&'s mut self, scene: &'s mut Scene, alpha: f32) -> Blended<'s> {
        if !scene.store.has_all_edits() {
            scene.update();
        }
        if scene.store.scene_number() != self.scene {
            self.begin(scene);
        }
        let store = &mut scene.store;
        let t = if alpha > 0.0 { alpha.min(1.0) } else { 0.0 };
        let mut kept = 0;
        for at in 0..self.moves.len() {
            prefetch(store, &self.moves, at);
            let (node, [from, to]) = self.moves[at];
            // Since 0.0 equals −0.0, take the scene's pose, whose signs the drop must restore.
            let Some(to) = Pose::of(store, node).filter(|&now| now == to) else { continue };
            if t < 1.0 {
                from.towards(&to, t).set(store, node);
            }
            self.moves[kept] = (node, [from, to]);
            kept += 1;
        }
        self.moves.truncate(kept);
        let blends = t < 1.0 && !self.moves.is_empty();
        if blends {
            store.update_unseen(false);
        }
        if let Some(Drawn { worlds, fresh, .. }) = &mut self.drawn {
            worlds.splice(0..0, fresh.drain(..).filter_map(|node| Some((node, *store.world(node)?))));
            in_order(worlds);
            store.swap_recalled(worlds);
        }
        Blended { scene, smooth: self, blends }
    }

    fn kinds(&self) -> ChangeKinds {
        let worlds = if self.drawn.is_some() { ChangeKinds::WORLD } else { ChangeKinds::NONE };
        ChangeKinds::LOCAL | ChangeKinds::PARENT | worlds
    }

    /// Starts from a scene with nothing to blend.
    fn begin(&mut self, scene: &Scene) {
        self.reader = ChangeReader::of(scene).with_kinds(self.kinds());
        self.scene = scene.store.scene_number();
        self.drawn = self.drawn.take().map(|_| Drawn::default());
        self.moves.clear();
        self.cuts.clear();
        self.poses.clear();
        for node in scene.get(scene.root()).into_iter().flat_map(NodeRef::descendants).map(NodeRef::handle) {
            Pose::of(&scene.store, node).map(|pose| self.poses.insert(node, pose));
        }
    }
}

/// Prefetches the record of a later move.
#[inline(always)]
fn prefetch(store: &Store, moves: &[(NodeHandle, [Pose; 2])], at: usize) {
    if let Some((ahead, _)) = moves.get(at + 16) {
        store.prefetch(ahead.record());
    }
}

/// Sorts matrices by node, and keeps the first of each node.
fn in_order(worlds: &mut Vec<(NodeHandle, Mat34)>) {
    worlds.sort_by_key(|&(node, _)| node);
    worlds.dedup_by_key(|&mut (node, _)| node);
}

/// A scene between two steps, to read: see [`Smooth::blend`]. If the value is leaked, the scene stays blended.
#[derive(Debug)]
#[must_use = "when it is dropped, the scene is blended no longer"]
pub struct Blended<'s> {
    scene: &'s mut Scene,
    smooth: &'s mut Smooth,
    /// Whether any local transform was blended.
    blends: bool,
}

impl Deref for Blended<'_> {
    type Target = Scene;

    fn deref(&self) -> &Scene {
        self.scene
    }
}

impl Drop for Blended<'_> {
    fn drop(&mut self) {
        let (store, Smooth { moves, drawn, .. }) = (&mut self.scene.store, &mut *self.smooth);
        if let Some(Drawn { moved, worlds, .. }) = drawn {
            store.swap_recalled(worlds);
            worlds.clear();
            worlds.extend(moved.iter().filter_map(|&node| Some((node, *store.world(node)?))));
        }
        if self.blends {
            for (at, (node, [_, to])) in moves.iter().enumerate() {
                prefetch(store, moves, at);
                to.set(store, *node);
            }
            store.update_unseen(true);
        }
    }
}
