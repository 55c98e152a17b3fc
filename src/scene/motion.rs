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
use crate::scene::{NodeRef, Scene};
use crate::store::{RecordId, Store, WideLocal};
use crate::wide::split;
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

/// What the last frame showed, for motion vectors.
#[derive(Clone, Debug, Default)]
struct Drawn {
    /// Reads which nodes moved since the last frame.
    reader: ChangeReader,
    /// The world matrices of all nodes.
    shown: NodeMap<Mat34>,
    /// The nodes that may have been shown elsewhere than the scene has them.
    blended: Vec<NodeHandle>,
    /// Nodes whose jump since was cut.
    cuts: Vec<NodeHandle>,
    /// While a frame is shown: the matrices that the feed recalls otherwise.
    recalled: Vec<(NodeHandle, Mat34)>,
}

impl Drawn {
    /// Returns the product of the matrix that the last frame showed of a node's parent and the node's local transform.
    fn placed(&self, store: &Store, id: RecordId) -> Mat34 {
        let of = |above| *self.shown.get(store.nodes.handle(above)).unwrap_or(store.world_at(above));
        let above = store.nodes.local_parent(id).map_or(Mat34::IDENTITY, of);
        if store.nodes.has_transform(id) { above * store.nodes.chain_local(id).to_matrix() } else { above }
    }

    /// Records cuts of nodes that have another place below their parents than in the last frame.
    fn cut(&mut self, store: &Store, nodes: &[NodeHandle]) {
        for &node in nodes {
            let known = self.shown.get(node).zip(store.nodes.resolve(node));
            // A cut matters only where the picture would show motion.
            if known.is_some_and(|(shown, id)| !shown.same_bits(&self.placed(store, id))) {
                self.cuts.push(node);
            }
        }
        // Nodes may be cut several times between two steps.
        self.cuts.sort_unstable();
        self.cuts.dedup();
    }

    /// Makes the matrices of the last frame the scene's previous ones, and takes over the present ones.
    fn show(&mut self, scene: &mut Scene, blends: bool) {
        let store = &scene.store;
        // The list holds the nodes of the last blended frame; those of this frame are appended.
        let before = self.blended.len();
        if blends {
            store.list_swept(&mut self.blended);
        }
        for at in 0..self.cuts.len() {
            let Some(top) = store.nodes.resolve(self.cuts[at]) else { continue };
            let mut next = Some(top);
            while let Some(id) = next {
                // What is anchored does not hang on its parent, and keeps its motion.
                let hangs = id == top || !store.nodes.is_anchored(id);
                let (node, placed) = (store.nodes.handle(id), self.placed(store, id));
                if let Some(shown) = self.shown.get_mut(node).filter(|_| hangs) {
                    *shown = placed;
                    self.blended.push(node);
                }
                next = store.nodes.next_in_subtree(top, id, hangs);
            }
        }
        self.cuts.clear();
        let Self { reader, shown, blended, recalled, .. } = self;
        recalled.clear();
        if let Ok(told) = scene.changes(reader) {
            // Changes were lost, so every shown matrix is compared.
            if told.is_whole() {
                blended.extend(shown.keys());
            }
            // Nodes that left come first: after a restore, an earlier node may have the record again.
            for &node in told.left().iter().chain(&*blended).chain(told.moved()).chain(told.entered()) {
                let Some(id) = store.nodes.resolve(node).filter(|&id| !store.nodes.is_outside(id)) else {
                    // Removed or detached nodes are not drawn, and have no motion when they return.
                    shown.remove(node);
                    continue;
                };
                let world = store.world_at(id);
                let was = shown.insert(node, *world).filter(|(of, was)| *of == node && !was.same_bits(world));
                recalled.extend(was);
            }
        }
        blended.drain(..before);
        // The store looks recalled matrices up by binary search.
        recalled.sort_unstable_by_key(|&(node, _)| node);
        scene.store.swap_recalled(recalled, true);
    }
}

/// A local transform that is not a matrix, with the rounding error of its translation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pose {
    local: PackedTransform,
    remainder: Vec3,
}

impl Pose {
    fn of(store: &Store, node: NodeHandle) -> Option<Self> {
        if let Some(local) = store.nodes.plain_local(node) {
            return Some(Self { local: local.into(), remainder: Vec3::ZERO });
        }
        let WideLocal { local, remainder } = store.nodes.wide_local(store.nodes.resolve(node)?)?;
        local.transform().map(|local| Self { local: local.into(), remainder })
    }

    fn set(&self, store: &mut Store, node: NodeHandle) {
        let (local, remainder) = (Transform::from(self.local), self.remainder);
        // Nearly all nodes take this way, which needs no side data.
        if remainder == Vec3::ZERO && store.nodes.set_plain(node, &local).is_some() {
            return;
        }
        if let Some(id) = store.nodes.resolve(node) {
            store.nodes.set_wide_local(id, WideLocal { local: Local::Transform(local), remainder });
        }
    }

    /// Returns a blend of two poses: this pose if `t` is 0, the other if `t` is 1.
    fn towards(&self, other: &Self, t: f32) -> Self {
        // The start of a step is exact.
        if t == 0.0 {
            return *self;
        }
        let (from, to) = (&self.local, &other.local);
        let wide = |at: [f32; 3]| Vec3::from_array(at).as_dvec3();
        let lerp = |from: DVec3, to: DVec3| from + (to - from) * f64::from(t);
        let [start, end] = [self, other].map(|pose| wide(pose.local.translation) + pose.remainder.as_dvec3());
        let (place, scale) = (lerp(start, end), lerp(wide(from.scale), wide(to.scale)).as_vec3().to_array());
        // Summed in a fixed order, to get the same bits on every machine.
        let dot = |a: &[f32; 4], b: &[f32; 4]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
        let (a, b) = (&from.rotation, &to.rotation);
        // q and −q are the same rotation; the nearer one gives the shorter way.
        let (s, t) = (1.0 - t, if dot(a, b) < 0.0 { -t } else { t });
        let sum = [0, 1, 2, 3].map(|at| a[at] * s + b[at] * t);
        let length = dot(&sum, &sum).sqrt();
        // Normalising an unchanged rotation would change its last bits.
        let rotation = if a == b { *a } else { sum.map(|number| number / length) };
        // A translation that is in single precision at both ends stays in single precision.
        let narrow = self.remainder == Vec3::ZERO && other.remainder == Vec3::ZERO;
        let (rounded, remainder) = if narrow { (place.as_vec3(), Vec3::ZERO) } else { split(place) };
        Self { local: PackedTransform { rotation, translation: rounded.to_array(), scale }, remainder }
    }
}

impl Smooth {
    /// Starts from the scene as it is. Fill the scene before: a node that enters later is shown as after the step in
    /// which it entered, and blended from the next one on.
    ///
    /// Runs in **O(nodes)**, and takes about 60 bytes for each node with a transform.
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

    /// Adds motion vectors from frame to frame: in a [`Blended`], [`NodeRef::previous_world`] and
    /// [`DrawList::previous_matrices`](crate::DrawList::previous_matrices) have all bits of what the previous
    /// [`Blended`] showed, whatever steps, updates and edits came in between. A node that it did not show has its
    /// current matrix; so have all nodes if it was of another scene. For jumps, see [`cut`](Self::cut).
    ///
    /// Without this call, they return the matrices before the last update, which are wrong for blended nodes. Takes 64
    /// bytes for each node. A [`Blended`] takes as long as [`Scene::changes`] and O(n log n) more for n nodes that
    /// moved since the previous one, the first O(nodes); filling lists with motion takes O(drawables).
    #[must_use]
    pub fn with_motion(mut self) -> Self {
        let reader = ChangeReader::new().with_kinds(ChangeKinds::WORLD);
        self.drawn = Some(Drawn { reader, ..Drawn::default() });
        self
    }

    /// Records the changes of a step. Call it right after the step's [`Scene::update`].
    ///
    /// Takes as long as [`Scene::changes`]. The first step of another scene, and a step with more changes than the
    /// [history](crate::SceneConfig::change_history) keeps, blends nothing and runs in O(nodes). A loaded scene
    /// counts as another scene; a restored [checkpoint](crate::checkpoints) is a step like any other.
    ///
    /// # Errors
    /// [`Error::NoChanges`] if the scene does not track changes.
    pub fn step(&mut self, scene: &Scene) -> Result<(), Error> {
        let Self { reader, poses, moves, cuts, drawn, .. } = self;
        let changed = scene.changes(reader)?;
        if let Some(drawn) = drawn {
            drawn.cut(&scene.store, cuts);
        }
        // Without the poses of the last step, nothing can be blended.
        if changed.is_whole() {
            self.begin(scene);
            return Ok(());
        }
        let store = &scene.store;
        moves.clear();
        // Below another parent, the old local transform means another place.
        let reparented = changed.edited().iter().filter(|(_, kinds)| kinds.contains(ChangeKinds::PARENT));
        cuts.extend(reparented.map(|&(node, _)| node));
        // A node outside of the tree has no pose to blend from when it returns.
        cuts.retain(|&node| store.nodes.resolve(node).is_some_and(|id| !store.nodes.is_outside(id)));
        for &node in changed.left().iter().chain(changed.removed()).chain(&*cuts) {
            poses.remove(node);
        }
        for &node in changed.locals().iter().chain(changed.entered()).chain(&*cuts) {
            let Some(to) = Pose::of(store, node) else {
                poses.remove(node);
                continue;
            };
            // A reused record has another handle, and an equal pose needs no blending.
            let before = poses.insert(node, to).filter(|&(before, from)| before == node && from != to);
            moves.extend(before.map(|(_, from)| (node, [from, to])));
        }
        cuts.clear();
        Ok(())
    }

    /// Excludes a node from blending in the step that the next [`Smooth::step`] records: call it for a teleport.
    ///
    /// Runs in **O(1)**; with motion vectors, the next frame takes O(nodes below) more. That step ignores a handle that
    /// is stale by then.
    ///
    /// With motion vectors, such a jump is no motion: in the next frame, the node and what hangs on it have previous
    /// matrices as if the previous frame had shown them with their present parents and local transforms. So a filter
    /// neither smears the jump nor misses the motion of the ship on which it happened. A node that is still where the
    /// last frame showed it below its parent has not jumped. What is anchored below does not hang on the node.
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
        if !scene.store.is_settled() {
            scene.update();
        }
        if scene.store.scene_number() != self.scene {
            self.begin(scene);
        }
        let store = &mut scene.store;
        // NaN becomes 0.
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
            // Moves whose node was set by the caller since are dropped: the caller wins.
            self.moves[kept] = (node, [from, to]);
            kept += 1;
        }
        self.moves.truncate(kept);
        let blends = t < 1.0 && !self.moves.is_empty();
        if blends {
            store.update_unseen(false);
        }
        if let Some(drawn) = &mut self.drawn {
            drawn.show(scene, blends);
        }
        Blended { scene, smooth: self, blends }
    }

    /// Starts from a scene with nothing to blend.
    fn begin(&mut self, scene: &Scene) {
        self.reader = ChangeReader::of(scene).with_kinds(ChangeKinds::LOCAL | ChangeKinds::PARENT);
        if self.scene != scene.store.scene_number() {
            self.scene = scene.store.scene_number();
            if let Some(drawn) = &mut self.drawn {
                drawn.shown.clear();
            }
        }
        self.moves.clear();
        self.cuts.clear();
        self.poses.clear();
        // The first step blends from the present poses.
        for node in scene.get(scene.root()).into_iter().flat_map(NodeRef::descendants).map(NodeRef::handle) {
            if let Some(pose) = Pose::of(&scene.store, node) {
                _ = self.poses.insert(node, pose);
            }
        }
    }
}

/// Prefetches the record of a later move.
#[inline(always)]
fn prefetch(store: &Store, moves: &[(NodeHandle, [Pose; 2])], at: usize) {
    if let Some((ahead, _)) = moves.get(at + 16) {
        store.nodes.prefetch(ahead.record());
    }
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
        if let Some(Drawn { recalled, .. }) = drawn {
            store.swap_recalled(recalled, false);
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
