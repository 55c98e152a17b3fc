//! What is drawn between two steps of a simulation: local transforms are blended, and taken back.

use crate::changes::{ChangeKinds, ChangeReader, Changes};
use crate::data::NodeMap;
use crate::node::remainder;
use crate::scene::{NodeRef, Scene};
use crate::store::{Store, WideLocal};
use crate::{Error, Local, Mat34, NodeHandle, Transform};
use core::ops::Deref;
use glam::Vec3;
use hedgerow_math::PackedTransform;

/// Shows a scene between the last two steps of a simulation.
///
/// Each step ends with [`Scene::update`] and [`Smooth::step`]; each frame draws what [`Smooth::blend`] returns. The
/// scene must [track changes](crate::SceneConfig::changes). It takes 52 bytes for each node with a transform, and 112
/// for each that the last step moved.
///
/// Local transforms are blended, not world matrices: a door turns on its hinge also halfway through a step. Translation
/// and scale go by straight lines, in double precision; rotations by the shorter arc and normalised sums (nlerp), which
/// for a turn of 30° within a step are at most 0.04° from an even speed, for 90° 0.92°. The bits are the same on every
/// machine.
///
/// | in the step, a node | between the steps it is |
/// |---|---|
/// | got another local transform | blended |
/// | was [cut](Self::cut), or got another parent | as after the step |
/// | had a [matrix](crate::Local) before or after, got or lost its transform | as after the step |
/// | entered the scene | as after the step |
/// | was edited after [`Smooth::step`] | as edited |
///
/// What is below a blended node moves with it. Only own transforms of nodes are blended, nothing else of them.
#[derive(Clone, Debug)]
pub struct Smooth {
    reader: ChangeReader,
    /// The scene of the last step.
    scene: u64,
    /// The local transforms after the last step, but for matrices.
    poses: NodeMap<Pose>,
    /// What the last step did.
    moves: Vec<Move>,
    /// Nodes that are not to be blended by the next step.
    cuts: Vec<NodeHandle>,
    motion: Option<Drawn>,
}

/// Where nodes were drawn.
#[derive(Clone, Debug, Default)]
struct Drawn {
    /// Nodes that the last step moved, or that entered.
    moved: Vec<NodeHandle>,
    /// Of these, and of all that moved since the last frame, the world matrices in that frame; in ascending order.
    worlds: Vec<(NodeHandle, Mat34)>,
    /// Nodes that are to be drawn as if they had not moved: they entered, or were cut since the last frame.
    fresh: Vec<NodeHandle>,
}

/// A local transform that is no matrix, with what single precision loses of its translation.
#[derive(Clone, Copy, Debug)]
struct Pose {
    local: PackedTransform,
    remainder: [f32; 3],
}

/// A local transform before and after a step.
#[derive(Clone, Copy, Debug)]
struct Move {
    node: NodeHandle,
    from: Pose,
    to: Pose,
}

impl Pose {
    #[inline]
    fn of(store: &Store, node: NodeHandle) -> Option<Self> {
        if let Some(local) = store.plain_local(node) {
            return Some(Self { local: local.into(), remainder: [0.0; 3] });
        }
        let WideLocal { local, remainder } = store.wide_local(store.resolve(node)?)?;
        local.transform().map(|local| Self { local: local.into(), remainder: remainder.to_array() })
    }

    fn set(&self, store: &mut Store, node: NodeHandle) {
        let local = Transform::from(self.local);
        if self.remainder == [0.0; 3] && store.set_plain(node, &local).is_some() {
            return;
        }
        if let Some(id) = store.resolve(node) {
            let local = Local::Transform(local);
            store.set_wide_local(id, WideLocal { local, remainder: Vec3::from_array(self.remainder) });
        }
    }

    fn has_bits_of(&self, other: &Self) -> bool {
        let bits = |&Self { local: PackedTransform { rotation, translation, scale }, remainder }: &Self| {
            (rotation.map(f32::to_bits), [translation, scale, remainder].map(|three| three.map(f32::to_bits)))
        };
        bits(self) == bits(other)
    }

    /// The pose between this one, at `t` = 0, and another, at 1. The order of operations is fixed, for the same bits.
    fn towards(&self, to: &Self, t: f64) -> Self {
        if t == 0.0 {
            return *self;
        }
        let lerp = |from: f64, to: f64| from + (to - from) * t;
        let axes = [0, 1, 2];
        let wide = |pose: &Self, axis: usize| f64::from(pose.local.translation[axis]) + f64::from(pose.remainder[axis]);
        let place = axes.map(|axis| lerp(wide(self, axis), wide(to, axis)));
        let scale = axes.map(|axis| single(lerp(self.local.scale[axis].into(), to.local.scale[axis].into())));
        let translation = place.map(single);
        let (a, b) = (self.local.rotation.map(f64::from), to.local.rotation.map(f64::from));
        let rotation = if self.local.rotation == to.local.rotation {
            self.local.rotation
        } else {
            let dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
            let (s, t) = (1.0 - t, if dot < 0.0 { -t } else { t });
            let sum = [0, 1, 2, 3].map(|at| a[at] * s + b[at] * t);
            let length = (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2] + sum[3] * sum[3]).sqrt();
            sum.map(|number| single(number / length))
        };
        // What is in single precision at both ends stays so.
        let is_wide = self.remainder != [0.0; 3] || to.remainder != [0.0; 3];
        let lost = if is_wide { remainder(place.into(), translation.into()) } else { Vec3::ZERO };
        Self { local: PackedTransform { rotation, translation, scale }, remainder: lost.to_array() }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "between two numbers of single precision")]
fn single(number: f64) -> f32 {
    number as f32
}

impl Smooth {
    /// Begins with a scene as it is: nothing moves until the next step. Runs in **O(nodes)**.
    ///
    /// # Errors
    /// [`Error::NoChanges`] if the scene does not [track changes](crate::SceneConfig::changes).
    pub fn new(scene: &Scene) -> Result<Self, Error> {
        let reader = ChangeReader::of(scene).with_kinds(ChangeKinds::LOCAL | ChangeKinds::PARENT);
        let (poses, moves, cuts) = (NodeMap::new(), Vec::new(), Vec::new());
        let mut smooth = Self { reader, scene: 0, poses, moves, cuts, motion: None };
        if !scene.config().changes {
            return Err(Error::NoChanges);
        }
        smooth.begin(scene);
        Ok(smooth)
    }

    /// The same, with the matrices of the frame before for motion vectors: as long as a [`Blended`] is there,
    /// [`NodeRef::previous_world`](crate::NodeRef::previous_world) and
    /// [`DrawList::previous_matrices`](crate::DrawList::previous_matrices) are where nodes were in the [`Blended`]
    /// before, and no edge shows where steps end. A node that entered or was cut since, with all below it, has its
    /// present matrix.
    ///
    /// Without this, previous matrices are those before the last update: motion vectors of blended nodes are wrong.
    ///
    /// Exact if each step is one update. Takes 56 more bytes for each node that moved, parents' motion included, and
    /// O(n log n) for n of these in a step. Lists with motion are filled in O(drawables) in frames that follow a move.
    #[must_use]
    pub fn with_motion(mut self) -> Self {
        self.reader = self.reader.with_kinds(ChangeKinds::LOCAL | ChangeKinds::PARENT | ChangeKinds::WORLD);
        self.motion = Some(self.motion.unwrap_or_default());
        self
    }

    /// Takes up what a step changed. Call it right after the step's [`Scene::update`].
    ///
    /// Several updates since the last call count as one step. A scene that was loaded, as rollback does, is another
    /// scene, and so is one whose [history](crate::SceneConfig::change_history) ended: the first step of it blends
    /// nothing, and runs in O(nodes). Else runs in **O(slices + nodes of slices that changed)**, as
    /// [`Scene::changes`] does.
    ///
    /// # Errors
    /// [`Error::NoChanges`] if the scene does not track changes.
    pub fn step(&mut self, scene: &Scene) -> Result<(), Error> {
        let Self { reader, poses, moves, cuts, motion, .. } = self;
        let Changes::Since(changed) = scene.changes(reader)? else {
            self.begin(scene);
            return Ok(());
        };
        let store = &scene.store;
        moves.clear();
        for &node in changed.left().iter().chain(changed.removed()) {
            poses.remove(node);
        }
        let teleported = cuts.len();
        let reparented = changed.edited().iter().filter(|(_, kinds)| kinds.contains(ChangeKinds::PARENT));
        cuts.extend(reparented.map(|&(node, _)| node));
        for &node in &*cuts {
            poses.remove(node);
        }
        for &node in changed.locals() {
            let Some(to) = Pose::of(store, node) else {
                poses.remove(node);
                continue;
            };
            if let Some(pose) = poses.get_mut(node) {
                let from = core::mem::replace(pose, to);
                if !from.has_bits_of(&to) {
                    moves.push(Move { node, from, to });
                }
            } else {
                poses.insert(node, to);
            }
        }
        for &node in changed.entered().iter().chain(&*cuts) {
            Pose::of(store, node).map(|pose| poses.insert(node, pose));
        }
        if let Some(Drawn { moved, worlds, fresh }) = motion {
            moved.clear();
            moved.extend(changed.moved().iter().chain(changed.entered()));
            // Frames may be long in coming.
            worlds.retain(|&(node, _)| scene.contains(node));
            fresh.retain(|&node| scene.contains(node));
            // What is known of the last frame comes first, and holds.
            let before = |&node: &NodeHandle| Some((node, *store.previous_world(store.resolve(node)?)?));
            worlds.extend(changed.moved().iter().filter_map(before));
            in_order(worlds);
            let below = cuts[..teleported].iter().filter_map(|&node| scene.get(node));
            fresh.extend(below.flat_map(NodeRef::descendants).map(NodeRef::handle));
            fresh.extend(changed.entered());
            fresh.sort_unstable();
            fresh.dedup();
        }
        cuts.clear();
        Ok(())
    }

    /// Has the next [`Smooth::step`] not blend a node's local transform: it jumps, as a teleport does. A stale handle
    /// does nothing. Runs in **O(1)**.
    ///
    /// [With motion](Self::with_motion), the node and all below it have no motion in the frame after.
    pub fn cut(&mut self, node: NodeHandle) {
        self.cuts.push(node);
    }

    /// The nodes that [`Smooth::blend`] blends, without those below that move along.
    ///
    /// For a program that draws from values of its own: readers of changes do not see what is blended.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = NodeHandle> {
        self.moves.iter().map(|at| at.node)
    }

    /// Sets blended local transforms and updates the scene, until the result is dropped: this restores the local
    /// transforms, in all bits, and updates again. `alpha` is 0 for the scene before the last step, 1 for that after
    /// it; what lies beyond counts as the nearer one, NaN as 0.
    ///
    /// Draw lists, culling and queries of [`Blended`] see the blended scene. Readers of changes, ones that ask in
    /// between included, see none of it. Edits that wait for an update are brought in by an ordinary one first. A scene
    /// that is not that of the last step is only updated.
    ///
    /// Takes two sets and two updates of the nodes that the last step moved, none with `alpha` = 1.
    pub fn blend<'s>(&'s mut self, scene: &'s mut Scene, alpha: f32) -> Blended<'s> {
        let store = &mut scene.store;
        if !store.has_all_edits() {
            store.update();
        }
        let t = if alpha > 0.0 { f64::from(alpha.min(1.0)) } else { 0.0 };
        let known = store.scene_number() == self.scene;
        if known {
            self.moves.retain(|Move { node, from, to }| {
                let stays = Pose::of(store, *node).is_some_and(|now| now.has_bits_of(to));
                if stays && t < 1.0 {
                    from.towards(to, t).set(store, *node);
                }
                stays
            });
        }
        let blends = known && t < 1.0 && !self.moves.is_empty();
        if blends {
            store.update_blended(true);
        }
        if let Some(Drawn { worlds, fresh, .. }) = self.motion.as_mut().filter(|_| known) {
            let present = |node| store.world(node).map(|world| (node, *world));
            worlds.splice(0..0, fresh.drain(..).filter_map(present));
            in_order(worlds);
            store.swap_recalled(worlds);
        }
        Blended { scene, smooth: self, known, blends }
    }

    /// Takes a scene as it is.
    fn begin(&mut self, scene: &Scene) {
        self.scene = scene.store.scene_number();
        self.poses.clear();
        self.moves.clear();
        self.cuts.clear();
        self.motion = self.motion.take().map(|_| Drawn::default());
        let root = scene.get(scene.root());
        for node in root.into_iter().flat_map(NodeRef::descendants).map(NodeRef::handle) {
            Pose::of(&scene.store, node).map(|pose| self.poses.insert(node, pose));
        }
    }
}

/// Puts matrices in the order of their nodes, of each the first.
fn in_order(worlds: &mut Vec<(NodeHandle, Mat34)>) {
    worlds.sort_by_key(|&(node, _)| node);
    worlds.dedup_by_key(|&mut (node, _)| node);
}

/// A scene between two steps, to read: see [`Smooth::blend`]. When it is dropped, the scene is as before, in all bits.
///
/// If it is leaked, by [`mem::forget`](core::mem::forget), the scene stays blended.
#[derive(Debug)]
#[must_use = "the scene is blended as long as this is there"]
pub struct Blended<'s> {
    scene: &'s mut Scene,
    smooth: &'s mut Smooth,
    /// Whether it is the scene of the last step, and whether there is anything to restore.
    known: bool,
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
        let Smooth { moves, motion, .. } = &mut *self.smooth;
        let store = &mut self.scene.store;
        if let Some(Drawn { moved, worlds, .. }) = motion.as_mut().filter(|_| self.known) {
            store.swap_recalled(worlds);
            worlds.clear();
            worlds.extend(moved.iter().filter_map(|&node| Some((node, *store.world(node)?))));
        }
        if self.blends {
            moves.iter().for_each(|Move { node, to, .. }| to.set(store, *node));
            store.update_blended(false);
        }
    }
}
