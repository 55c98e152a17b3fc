//! The tables of a scene, and the steps that keep them.

use crate::bins::{Batch, Bins, Call, MeshArgs};
use crate::culling::Kept;
use crate::deform::Palettes;
use crate::error::Error;
use crate::items::{List, Output, SHORTEST, Written};
use crate::layout::{Bounds, Command, Instance, MAX_VIEWS, NONE, Occluder, Views};
use crate::ranges::Ranges;
use crate::step::{Buffer, Items, Step};
use crate::tlas::{Tlas, TlasInstance};
use bytemuck::{bytes_of, cast_slice};
use core::fmt;
use core::ops::Range;
use hedgerow::changes::{DrawableMirror, DrawableStep, MatrixMirror, MirrorStep};
use hedgerow::visit::ListedDrawable;
use hedgerow::{Mat34, NodeHandle, Scene};

/// Returns the key of a drawable; `None` leaves it out.
type KeyOf = Box<dyn Fn(&ListedDrawable) -> Option<u32> + Send + Sync>;

/// Keeps the drawables of a scene in buffers: matrices, instances, bounds, and commands that draw them.
///
/// [`sync`](Self::sync) yields the steps that bring the buffers up to the scene's last update, in proportion to what
/// changed. It knows no graphics library: `hedgerow-wgpu` executes the steps with wgpu. A drawable keeps its slot while
/// it lives and its slice is not laid out anew; each sync tells all that moved.
///
/// ```
/// use hedgerow::{Aabb, Drawable, Node, Scene, Transform};
/// use hedgerow_gpu::{Buffer, GpuScene, MeshArgs, Step};
///
/// let mut scene = Scene::new();
/// let ball = Node::transform(Transform::from_xyz(1.0, 0.0, 0.0)).with_drawable(Drawable::new(7, Aabb::cube(1.0)));
/// let ball = scene.insert(scene.root(), ball)?;
///
/// let mut tables = GpuScene::new().without_compute(); // vectors of bytes stand for a device here
/// tables.set_mesh(7, MeshArgs { index_count: 36, first_index: 0, base_vertex: 0 });
/// // Each frame:
/// scene.update();
/// let mut buffers: [Vec<u8>; Buffer::ALL.len()] = Default::default();
/// tables.sync(&scene, |step| match step {
///     Step::Resize { buffer, bytes, .. } => buffers[buffer as usize].resize(bytes as usize, 0),
///     Step::Write { buffer, offset, bytes } => buffers[buffer as usize][offset as usize..][..bytes.len()].copy_from_slice(bytes),
///     _ => unreachable!("there are no passes, and no previous matrices to copy to"),
/// })?;
/// let slot = tables.slot(&scene, ball).unwrap();
/// // With `bytemuck`, whose traits all records have. A `Vec<u8>` may not be aligned for them.
/// let bytes = &buffers[Buffer::Instances as usize][slot * Buffer::Instances.stride()..][..Buffer::Instances.stride()];
/// let instance: hedgerow_gpu::layout::Instance = bytemuck::pod_read_unaligned(bytes);
/// assert_eq!(instance.mesh, 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// An option (`with_…` and `without_…`) that is set after a sync lets the next one write everything.
pub struct GpuScene {
    key: KeyOf,
    previous: bool,
    /// The length of the shortest run of items that is written, not scattered: 1 without compute shaders.
    shortest: usize,
    /// Whether commands have their first instance.
    first_instance: bool,
    pub(crate) views: u32,
    /// With occlusion, whether nearer depths are greater.
    pub(crate) occlusion: Option<bool>,
    pub(crate) max_buffer_size: u64,
    matrices: MatrixMirror,
    drawables: DrawableMirror,
    pub(crate) bins: Bins,
    pub(crate) palettes: Palettes,
    pub(crate) ranges: Ranges,
    pub(crate) kept: Kept,
    pub(crate) tlas: Option<Tlas>,
    /// What the tables have at each slot.
    slots: Vec<Slot>,
    /// The matrices that the last sync wrote, if previous ones are kept.
    written: Written,
    /// The number of the scene of the last sync.
    scene: Option<u64>,
    /// Whether a sync has begun and not ended.
    pub(crate) open: bool,
    /// The number of bytes of each buffer whose contents do not stay.
    pub(crate) fitted: [u64; Buffer::ALL.len()],
    buffers: Buffers,
}

/// So many steps of drawables are applied together.
const CHUNK: usize = 256;

/// Returns the slots that a step sets or frees.
fn slots_of(step: &DrawableStep) -> Range<usize> {
    match step {
        DrawableStep::Resize { .. } => 0..0,
        DrawableStep::Set { slot, .. } => *slot..slot + 1,
        DrawableStep::Free { slots } => slots.clone(),
    }
}

#[derive(Clone, Copy, Default)]
struct Slot {
    node: Option<NodeHandle>,
    matrix: u32,
    bin: u32,
}

/// Lists of a sync, whose memory the next one uses again.
#[derive(Default)]
struct Buffers {
    instances: List<Instance>,
    bounds: List<Bounds>,
    previous: List<Mat34>,
    /// Steps that are applied together, and what their slots had.
    steps: Vec<DrawableStep>,
    olds: Vec<Slot>,
}

impl Buffers {
    fn push(&mut self, slot: usize, instance: Instance, bounds: Bounds) {
        self.instances.push(short(slot), instance);
        self.bounds.push(short(slot), bounds);
    }
}

/// What a sync did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Synced {
    /// The number of matrices written.
    pub matrices: usize,
    /// The number of slots of drawables written.
    pub drawables: usize,
    /// The number of bytes written, with the indices of scattered items.
    pub bytes: u64,
    /// The number of steps. If there are none, the tables are as they were.
    pub steps: usize,
}

impl Default for GpuScene {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for GpuScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuScene").field("slots", &self.slots.len()).field("batches", &self.batches()).finish()
    }
}

impl GpuScene {
    /// Creates empty tables, for 4 views, with the limits of WebGPU.
    #[must_use]
    pub fn new() -> Self {
        Self {
            key: Box::new(|_| Some(0)),
            previous: false,
            shortest: SHORTEST,
            first_instance: true,
            views: 4,
            occlusion: None,
            max_buffer_size: 128 << 20,
            matrices: MatrixMirror::new(),
            drawables: DrawableMirror::new(),
            bins: Bins::new(),
            palettes: Palettes::default(),
            ranges: Ranges::new(),
            kept: Kept::new(),
            tlas: None,
            slots: Vec::new(),
            written: Written::default(),
            scene: None,
            open: false,
            fitted: [0; Buffer::ALL.len()],
            buffers: Buffers::default(),
        }
    }

    /// Sets the function that returns each drawable's key: whatever your pipelines and their bindings differ in, such
    /// as a kind of material. Drawables without a key are in the tables, but no command draws them: those that you draw
    /// by yourself, such as blended ones. It must return the same for the same drawable. The default is key 0 for all.
    #[must_use]
    pub fn with_key(mut self, key: impl Fn(&ListedDrawable) -> Option<u32> + Send + Sync + 'static) -> Self {
        self.key = Box::new(key);
        self.invalidate();
        self
    }

    /// Keeps previous matrices, too, for motion vectors: those of the last sync, also if several updates passed since.
    /// They take 48 bytes a matrix on the GPU, and are copied there: only a drawable that gets another slot or matrix
    /// index uploads one.
    ///
    /// That one is the scene's [`previous_world`](hedgerow::NodeRef::previous_world): after several updates, it is what
    /// the second-to-last of them showed, also for drawables that have the same matrix. If the scene does not track
    /// [changes](hedgerow::SceneConfig::changes), such drawables have no motion in that frame.
    ///
    /// A drawable without a local transform has no motion of its own: it shares the matrix and the previous matrix of
    /// its nearest ancestor with one, or the identity, which never moves. So reparenting such a drawable, or anchoring
    /// it, shows no motion.
    ///
    /// A sync that writes everything uploads a previous matrix for each drawable in this way: the first sync, one of
    /// another scene, and one after [`invalidate`](Self::invalidate) or an error. So a loaded scene shows no motion at
    /// first, and a clone that of its last update. Palettes show none then.
    #[must_use]
    pub fn with_previous(mut self) -> Self {
        self.previous = true;
        self.invalidate();
        self
    }

    /// Lets each sync resize, write and copy alone, and not the buffers [of passes](Buffer::is_of_passes): for devices
    /// without compute shaders. There are more steps then if few things changed.
    ///
    /// ```
    /// use hedgerow_gpu::{GpuScene, Step};
    ///
    /// let mut tables = GpuScene::new().without_compute();
    /// # let scene = hedgerow::Scene::new();
    /// tables.sync(&scene, |step| assert!(!matches!(step, Step::List { .. } | Step::Dispatch { .. })))?;
    /// # Ok::<(), hedgerow_gpu::Error>(())
    /// ```
    #[must_use]
    pub fn without_compute(mut self) -> Self {
        self.shortest = 1;
        self.invalidate();
        self
    }

    /// Writes 0 as the first instance of all commands, for devices whose indirect commands have none. There are more
    /// [calls](Self::calls) then: one for each command.
    #[must_use]
    pub const fn without_first_instance(mut self) -> Self {
        self.first_instance = false;
        self.invalidate();
        self
    }

    /// Sets the number of views that are culled at once: at least 1, and at most [`MAX_VIEWS`].
    #[must_use]
    pub fn with_views(mut self, views: usize) -> Self {
        self.views = u32::try_from(views.clamp(1, MAX_VIEWS)).unwrap_or(1);
        self.invalidate();
        self
    }

    /// Sets the greatest number of bytes of a buffer; the default is 128 MiB, which every device with WebGPU has.
    #[must_use]
    pub const fn with_max_buffer_size(mut self, bytes: u64) -> Self {
        self.max_buffer_size = bytes;
        self
    }

    /// Returns the greatest number of bytes of a buffer.
    #[must_use]
    pub const fn max_buffer_size(&self) -> u64 {
        self.max_buffer_size
    }

    /// Sets where the triangles of a mesh are. A mesh must be set before a drawable that has it is synced, and may be
    /// set again.
    pub fn set_mesh(&mut self, mesh: u32, args: MeshArgs) {
        self.bins.set_mesh(mesh, args);
    }

    /// Removes a mesh, and returns where its triangles were. The next sync returns [`Error::UnknownMesh`] if a drawable
    /// with a key has the mesh still, itself or as a coarser level.
    pub fn remove_mesh(&mut self, mesh: u32) -> Option<MeshArgs> {
        self.bins.remove_mesh(mesh)
    }

    /// Returns the batches of each view, sorted by key; of each, first those drawables that are not mirrored. There are
    /// none after a sync that failed, nor [without compute shaders](Self::without_compute).
    #[must_use]
    pub fn batches(&self) -> &[Batch] {
        if self.open { &[] } else { self.bins.batches() }
    }

    /// Returns the greatest number of views.
    #[must_use]
    pub const fn views(&self) -> usize {
        self.views as usize
    }

    /// Returns the number of commands of a view, and the capacity of its list of visible slots.
    #[must_use]
    pub fn sizes(&self) -> (u32, u32) {
        if self.open { (0, 0) } else { self.bins.sizes() }
    }

    /// Returns the calls that draw a [batch](Self::batches) of a view, or of the [list](Self::lists) of that number:
    /// one, or one for each command [without first instances](Self::without_first_instance).
    ///
    /// # Panics
    /// Panics if there are fewer lists.
    pub fn calls(&self, view: u32, batch: &Batch) -> impl Iterator<Item = Call> + use<'_> {
        assert!(view < self.lists(), "view {view} is not culled; ask for more by `with_views`");
        let ((commands, capacity), Range { start, end }) = (self.sizes(), batch.commands.clone());
        let count = if self.first_instance { end - start } else { 1 };
        (start..end).step_by(count.max(1) as usize).map(move |command| {
            // With first instances, the list is bound from its beginning in every view, since they include it.
            let of_list = self.bins.commands().get(command as usize).filter(|_| !self.first_instance);
            let first = of_list.map_or(0, |command| u64::from(view * capacity + command.first_instance));
            let commands = u64::from(view * commands + command) * size_of::<Command>() as u64;
            Call { visible: 4 * first, commands, count }
        })
    }

    /// Returns the number of slots, those in use and free ones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns whether there are no slots yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the slot of a node's drawable as of the last sync; `None` if it has none. Runs in **O(1)**.
    #[must_use]
    pub fn slot(&self, scene: &Scene, node: NodeHandle) -> Option<usize> {
        self.drawables.index(scene, node)
    }

    /// Returns the node whose drawable has a slot: of a pixel that was picked, for example.
    #[must_use]
    pub fn node(&self, slot: usize) -> Option<NodeHandle> {
        self.slots.get(slot)?.node
    }

    /// Returns whether the scene keeps previous matrices.
    #[must_use]
    pub const fn has_previous(&self) -> bool {
        self.previous
    }

    /// Calls `step` with all that is needed to bring the buffers up to the scene's last update. Call it between an
    /// update and the next edits; updates may be skipped. Another scene, also a clone or a loaded one, is written as a
    /// whole, and begins without what the tables know of nodes: palettes, levels of detail, what was seen.
    ///
    /// Runs in **O(1)** without steps if nothing changed, else in **O(slices + what changed)**, in O(nodes with a view
    /// range) more if anything but transforms changed, and in O(keys · meshes) if commands are arranged anew. Palettes
    /// of nodes that are not drawn take O(1) each.
    ///
    /// # Errors
    /// [`Error::UnknownMesh`], [`Error::TooLarge`]. The next call then writes everything, as does the next one after a
    /// panic of `step`.
    pub fn sync(&mut self, scene: &Scene, mut step: impl FnMut(Step<'_>)) -> Result<Synced, Error> {
        let is_another = self.scene.replace(scene.number()) != Some(scene.number());
        self.palettes.begin(scene, is_another);
        // If the last call failed, nobody knows what the buffers have. What is kept of nodes says nothing of another
        // scene.
        if core::mem::replace(&mut self.open, true) || is_another {
            self.forget();
        }
        let mut out = self.output(&mut step);
        self.try_sync(scene, &mut out)?;
        (self.open, self.fitted) = (false, out.fitted);
        if out.done.steps > 0 {
            self.kept.culled = None;
        }
        Ok(out.done)
    }

    pub(crate) fn output<'s>(&self, step: &'s mut dyn FnMut(Step<'_>)) -> Output<'s> {
        let Self { shortest, previous, max_buffer_size: max, fitted, .. } = *self;
        Output { step, done: Synced::default(), shortest, previous, max, fitted }
    }

    /// Lets the next sync write everything: for other buffers, such as those of a new device after the old one was
    /// lost. Until then there are no batches. Palettes stay; levels of detail and what was seen begin anew.
    pub const fn invalidate(&mut self) {
        self.open = true;
    }

    /// Returns whether the device has compute shaders.
    const fn computes(&self) -> bool {
        self.shortest > 1
    }

    pub(crate) fn forget(&mut self) {
        self.matrices = MatrixMirror::new();
        self.drawables = DrawableMirror::new();
        for slot in self.slots.drain(..) {
            self.bins.leave(slot.bin);
            self.palettes.free(slot.node);
        }
        self.bins.arrange_anew();
        self.palettes.forget();
        self.ranges = Ranges::new();
        self.kept.forget();
        self.written = Written::default();
        self.fitted = Default::default();
        if let Some(tlas) = &mut self.tlas {
            tlas.clear(true);
        }
    }

    fn try_sync(&mut self, scene: &Scene, out: &mut Output<'_>) -> Result<(), Error> {
        if let Some(tlas) = &mut self.tlas {
            tlas.clear(false);
        }
        let moved = self.sync_matrices(scene, out)?;
        self.ranges.read(scene, &self.matrices, moved);
        self.read_drawables(scene, out)?;
        let Buffers { instances, bounds, previous, .. } = &mut self.buffers;
        if let Some(tlas) = &mut self.tlas {
            tlas.finish(scene, instances.indices(), self.slots.len(), |slot| self.slots[slot].node);
        }
        previous.flush(Buffer::Previous, out, None)?;
        instances.flush(Buffer::Instances, out, None)?;
        bounds.flush(Buffer::Bounds, out, None)?;
        for node in self.palettes.take_moved(scene, |node| self.drawables.index(scene, node).is_some()) {
            if let Some(slot) = self.drawables.index(scene, node) {
                let offset = (slot * Buffer::Instances.stride() + core::mem::offset_of!(Instance, deform)) as u64;
                let deform = self.palettes.deform_of(node);
                out.run(Step::Write { buffer: Buffer::Instances, offset, bytes: bytes_of(&deform) });
            }
        }
        self.palettes.sync(out)?;
        self.ranges.write(out)?;
        if self.computes() {
            self.resize_kept(out)?;
        }
        self.arrange(out)
    }

    /// Returns whether matrices have other indices.
    fn sync_matrices(&mut self, scene: &Scene, out: &mut Output<'_>) -> Result<bool, Error> {
        let computes = self.computes();
        let Self { matrices, written, tlas, .. } = self;
        written.settle(Buffer::Matrices, Buffer::Previous, out)?;
        let (buffer, stride) = (Buffer::Matrices, Buffer::Matrices.stride() as u64);
        let mut result = Ok(());
        let run = |next: MirrorStep<'_>| match next {
            MirrorStep::Resize { len } => {
                for buffer in [buffer, Buffer::Previous].into_iter().take(1 + usize::from(out.previous)) {
                    result = result.and(out.resize(buffer, len as u64 * stride, out.previous));
                }
            }
            MirrorStep::Write { first, matrices } => {
                if let Some(tlas) = tlas {
                    (first..first + matrices.len()).for_each(|matrix| tlas.note_moved(matrix));
                }
                if result.is_ok() {
                    out.write(buffer, short(first), cast_slice(matrices), Some(written));
                }
            }
        };
        let (stats, scattered) = if computes {
            let (stats, scattered) = matrices.scatter(scene, run);
            (stats, Some(scattered))
        } else {
            (matrices.sync(scene, run), None)
        };
        result?;
        out.done.matrices = stats.matrices;
        if let Some(scattered) = scattered.filter(|scattered| !scattered.indices().is_empty()) {
            let indices = scattered.indices();
            if let Some(tlas) = tlas {
                indices.iter().for_each(|&matrix| tlas.note_moved(matrix as usize));
            }
            out.scatter(buffer, indices, Items::of_matrices(scattered), Some(written))?;
        }
        Ok(stats.moved)
    }

    fn read_drawables(&mut self, scene: &Scene, out: &mut Output<'_>) -> Result<(), Error> {
        let Self { drawables, matrices, bins, palettes, tlas, ranges, kept, slots, key, previous, buffers, .. } = self;
        buffers.instances.clear();
        buffers.bounds.clear();
        buffers.previous.clear();
        let (before, mut resized, mut failed) = (slots.len(), None, None);
        let (mut steps, mut olds) = (core::mem::take(&mut buffers.steps), core::mem::take(&mut buffers.olds));
        steps.clear();
        let mut apply = |slots: &mut [Slot], steps: &mut Vec<DrawableStep>| {
            // These slots are far apart. Their cache lines arrive together if nothing else is done meanwhile.
            olds.clear();
            steps.iter().for_each(|next| olds.extend_from_slice(slots.get(slots_of(next)).unwrap_or(&[])));
            let mut old = olds.iter().copied();
            for next in steps.drain(..) {
                let DrawableStep::Set { slot, matrix, drawable } = next else {
                    for (slot, freed) in slots_of(&next).zip(&mut old) {
                        slots[slot] = Slot::default();
                        bins.leave(freed.bin);
                        palettes.free(freed.node);
                        if let Some(tlas) = tlas {
                            tlas.set(slot, None);
                        }
                        buffers.push(slot, Instance::default(), Bounds::default());
                    }
                    continue;
                };
                let (old, mesh) = (old.next().unwrap_or_default(), drawable.drawable.mesh);
                let shown = key(&drawable).filter(|_| !drawable.drawable.bounds.is_empty());
                let bin = match shown.map(|key| bins.find(key, mesh)) {
                    None => 0,
                    Some(Ok(bin)) => bin,
                    Some(Err(mesh)) => {
                        failed.get_or_insert(Error::UnknownMesh { mesh, node: drawable.node });
                        0
                    }
                };
                slots[slot] = Slot { node: Some(drawable.node), matrix, bin };
                if old.node != Some(drawable.node) {
                    palettes.free(old.node);
                }
                if old.bin != bin {
                    bins.leave(old.bin);
                    bins.enter(bin);
                }
                if *previous && (old.node, old.matrix) != (Some(drawable.node), matrix) {
                    // Nodes that inherit a transform share its matrix, and where that was. The identity never moves.
                    let mut up = core::iter::successors(scene.get(drawable.node), |node| node.parent());
                    let owner = up.find(|node| node.local().is_some() || node.is_anchored());
                    let owner = owner.filter(|node| node.local().is_some());
                    let world = owner.map(|node| *node.previous_world().unwrap_or(node.world()));
                    buffers.previous.push(matrix, world.unwrap_or(Mat34::IDENTITY));
                }
                if let Some(tlas) = tlas {
                    tlas.set(slot, Some((matrix, &drawable)));
                }
                let bits = drawable.node.to_bits();
                let instance = Instance {
                    matrix,
                    mesh,
                    material: drawable.material.unwrap_or(NONE),
                    layers: drawable.layers.mask(),
                    user_data: drawable.user_data,
                    node: [low(bits), high(bits)],
                    deform: palettes.deform_of(drawable.node),
                    range: ranges.index(drawable.ranged),
                };
                kept.records = kept.records.max(instance.node[1] as usize + 1);
                buffers.push(slot, instance, Bounds::new(&drawable.drawable.bounds, matrix, bin));
            }
        };
        drawables.sync(scene, matrices, |next| match next {
            DrawableStep::Resize { len } => {
                apply(slots, &mut steps);
                resized = Some(len);
                // A table that shrinks has only free slots there.
                slots.resize(len, Slot::default());
            }
            next => {
                steps.push(next);
                if steps.len() == CHUNK {
                    apply(slots, &mut steps);
                }
            }
        });
        apply(slots, &mut steps);
        (buffers.steps, buffers.olds) = (steps, olds);
        if let Some(len) = resized {
            if tlas.is_some() && len > TlasInstance::MAX_SLOTS {
                return Err(Error::TooManyInstances { slots: len });
            }
            for buffer in [Buffer::Instances, Buffer::Bounds] {
                out.resize(buffer, (len * buffer.stride()) as u64, true)?;
            }
            // Slots that were freed at the end of a table that shrank.
            buffers.instances.truncate(len);
            buffers.bounds.truncate(len);
            // A buffer may have anything in the slots that it did not have before.
            for slot in (before..len).filter(|&slot| slots[slot].node.is_none()) {
                buffers.push(slot, Instance::default(), Bounds::default());
            }
        }
        buffers.previous.dedup();
        out.done.drawables = buffers.instances.len();
        failed.map_or(Ok(()), Err)
    }

    fn arrange(&mut self, out: &mut Output<'_>) -> Result<(), Error> {
        if let Err((bin, mesh)) = self.bins.sweep() {
            let user = self.slots.iter().find(|slot| self.bins.draws(slot.bin, bin)).and_then(|slot| slot.node);
            return user.map_or(Ok(()), |node| Err(Error::UnknownMesh { mesh, node }));
        }
        if !self.computes() {
            return Ok(());
        }
        let lists = self.lists();
        let Some(bins) = self.bins.arrange(self.max_buffer_size / 4 / u64::from(lists)) else { return Ok(()) };
        out.fit(Buffer::Bins, size_of_val(&bins[..]) as u64, false)?;
        out.run(Step::Write { buffer: Buffer::Bins, offset: 0, bytes: cast_slice(&bins) });
        let (_, capacity) = self.bins.sizes();
        out.fit(Buffer::Visible, 4 * u64::from(capacity) * u64::from(lists), false)?;
        let all = (0..lists).flat_map(|list| self.bins.commands().iter().map(move |command| (list, *command)));
        let placed = |(list, command): (u32, Command)| {
            let first_instance = if self.first_instance { command.first_instance + list * capacity } else { 0 };
            Command { first_instance, ..command }
        };
        let commands: Vec<Command> = all.map(placed).collect();
        let bytes = cast_slice(&commands);
        out.fit(Buffer::Template, bytes.len() as u64, false)?;
        out.fit(Buffer::Commands, bytes.len() as u64, false)?;
        if !bytes.is_empty() {
            out.run(Step::Write { buffer: Buffer::Template, offset: 0, bytes });
        }
        out.fit(Buffer::Views, size_of::<Views>() as u64, false)?;
        if self.has_occlusion() {
            out.fit(Buffer::Occluder, size_of::<Occluder>() as u64, false)?;
        }
        Ok(())
    }
}

/// Narrows an index: no scene has 2³² nodes.
pub(crate) fn short(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half")]
const fn low(bits: u64) -> u32 {
    bits as u32
}

pub(crate) const fn high(bits: u64) -> u32 {
    low(bits >> 32)
}
