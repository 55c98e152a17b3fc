//! The palettes and morph weights of drawables, and the steps that keep them.

use crate::error::Error;
use crate::items::{List, Output, Written};
use crate::scene::{GpuScene, short};
use crate::step::{Buffer, Step};
use bytemuck::cast_slice;
use core::ops::Range;
use hedgerow::data::NodeMap;
use hedgerow::{Mat34, NodeHandle, Scene};
use std::collections::BTreeMap;

/// The bits of a matrix, or of twelve weights.
type Item = [u32; 12];

/// All palettes. Each has a span of consecutive items: weights, then matrices. Nobody has item 0, so that an instance
/// with 0 has no palette.
#[derive(Default)]
pub(crate) struct Palettes {
    spans: NodeMap<Span>,
    items: Vec<Item>,
    /// Items to write; some are listed more than once.
    dirty: Vec<u32>,
    /// Spans that were not there at the last sync: they begin without motion.
    fresh: Vec<Range<u32>>,
    /// Nodes whose span changed, and whose instance may not know it.
    moved: Vec<NodeHandle>,
    /// Nodes with a palette that may not be drawn. Each sync looks after them, since no step tells when they are removed.
    undrawn: Vec<NodeHandle>,
    /// What was set for nodes whose record a later node's palette has. A restored checkpoint may have brought them back.
    refused: BTreeMap<NodeHandle, (Vec<Mat34>, Vec<f32>)>,
    /// The first items of spans that are not in use, by length; and the sum of their lengths.
    unused: (BTreeMap<u32, Vec<u32>>, usize),
    /// What the last sync wrote, if previous palettes are kept.
    written: Written,
    /// The number of syncs.
    syncs: u64,
}

#[derive(Clone, Copy)]
struct Span {
    first: u32,
    /// The number of items with weights.
    weights: u32,
    len: u32,
    /// Whether the instance of the drawable names it.
    in_instance: bool,
    /// The number of syncs before it was last set.
    set_after: u64,
}

impl Span {
    /// The item of the first joint.
    const fn joint(self) -> u32 {
        self.first + self.weights
    }

    const fn range(self) -> Range<u32> {
        self.first..self.first + self.len
    }
}

impl GpuScene {
    /// Sets what deforms a node's drawable: the palette of its skin, and the weights of its morph targets. Takes effect
    /// with the next sync. Only matrices with other bits than before are uploaded, so a character that stands still costs
    /// nothing, whether you call this for it or not.
    ///
    /// Shaders read them by the functions of [`SKIN`](crate::SKIN). A palette goes with its node, even if the node was
    /// detached first. The first sync of another scene, also of a clone or a loaded one, removes all palettes that were not
    /// set since the sync before.
    ///
    /// Each matrix takes 48 bytes here and on the GPU, and so do twelve weights: their number is rounded up to a multiple of
    /// twelve. A new palette has no motion in its first frame, nor has one of another length or another rounded number of
    /// weights; [previous ones](Self::with_previous) are copied on the GPU. Runs in **O(joints + weights)**.
    ///
    /// A palette stays at its place in the buffer. A new one is named in its instance by a write of 4 bytes. If more than
    /// half of the buffer is free and no free part has the length of a new palette, all move together: they are uploaded
    /// again, have no motion in that frame, and each gets such a write.
    ///
    /// With `hedgerow-character`, call it for each `Deformed` after `Deformed::follow`, with `node()`, `palette().matrices()`
    /// and `weights()`.
    ///
    /// ```
    /// use hedgerow::{Aabb, Drawable, Mat34, Node, Scene};
    /// use hedgerow_gpu::{Buffer, GpuScene, MeshArgs, Step};
    ///
    /// let mut scene = Scene::new();
    /// let guard = scene.insert(scene.root(), Node::drawable(Drawable::new(0, Aabb::cube(1.0))))?;
    /// scene.update();
    /// let mut tables = GpuScene::new();
    /// tables.set_mesh(0, MeshArgs::default());
    /// tables.set_palette(guard, &[Mat34::IDENTITY; 20], &[0.5, 0.0]);
    /// let mut uploaded = 0;
    /// for _frame in 0..3 {
    ///     tables.sync(&scene, |step| match step {
    ///         Step::Write { buffer: Buffer::Palettes, bytes, .. } => uploaded += bytes.len(),
    ///         Step::List { buffer: Buffer::PaletteList, indices, .. } => uploaded += 48 * indices.len(),
    ///         _ => {}
    ///     })?;
    /// }
    /// assert_eq!(uploaded, 48 * (20 + 1), "once, and two weights take a matrix");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_palette(&mut self, node: NodeHandle, palette: &[Mat34], weights: &[f32]) {
        self.palettes.set(node, palette, weights);
    }

    /// Removes what deforms a node's drawable, and returns whether there was anything. Palettes of removed nodes are gone with
    /// the next sync.
    pub fn remove_palette(&mut self, node: NodeHandle) -> bool {
        self.palettes.remove(node)
    }
}

impl Palettes {
    fn set(&mut self, node: NodeHandle, palette: &[Mat34], weights: &[f32]) {
        self.refused.remove(&node);
        let of_weights = short(weights.len().div_ceil(12));
        let len = of_weights + short(palette.len());
        let set_after = self.syncs;
        let held = self.spans.get_mut(node).filter(|held| (held.weights, held.len) == (of_weights, len));
        let span = match held {
            Some(held) => {
                held.set_after = set_after;
                *held
            }
            None if len == 0 => {
                self.remove(node);
                return;
            }
            None => {
                if let Some(held) = self.spans.remove(node) {
                    self.release(held);
                }
                let span = Span { first: self.allocate(len), weights: of_weights, len, in_instance: false, set_after };
                // It displaces nothing or the span of a removed node; an earlier node gets its own back.
                if let Some((_, displaced)) = self.spans.insert(node, span) {
                    self.release(displaced);
                }
                if !self.spans.contains_key(node) {
                    self.refused.insert(node, (palette.to_vec(), weights.to_vec()));
                    return;
                }
                self.moved.push(node);
                self.fresh.push(span.range());
                self.dirty.extend(span.range());
                span
            }
        };
        let Self { items, dirty, .. } = self;
        let mut write = |at: u32, item: Item| {
            let held = &mut items[at as usize];
            if *held != item {
                *held = item;
                dirty.push(at);
            }
        };
        // Backwards from the first joint, by four, so that a shader finds them without knowing how many there are.
        for (before, twelve) in (1..).zip(weights.chunks(12)) {
            let mut item = Item::default();
            for (at, weight) in twelve.iter().enumerate() {
                item[8 - at / 4 * 4 + at % 4] = weight.to_bits();
            }
            write(span.joint() - before, item);
        }
        for (at, &matrix) in (span.joint()..).zip(cast_slice::<Mat34, Item>(palette)) {
            write(at, matrix);
        }
    }

    fn remove(&mut self, node: NodeHandle) -> bool {
        let was_refused = self.refused.remove(&node).is_some();
        let Some(span) = self.spans.remove(node) else { return was_refused };
        self.release(span);
        self.moved.push(node);
        true
    }

    fn release(&mut self, span: Span) {
        self.unused.0.entry(span.len).or_default().push(span.first);
        self.unused.1 += span.len as usize;
    }

    /// Returns the first item of a span of this length.
    fn allocate(&mut self, len: u32) -> u32 {
        if let Some(first) = self.unused.0.get_mut(&len).and_then(Vec::pop) {
            self.unused.1 -= len as usize;
            return first;
        }
        if self.unused.1 > self.items.len() / 2 {
            self.pack();
        }
        let first = self.items.len().max(1);
        self.items.resize(first + len as usize, Item::default());
        short(first)
    }

    /// Moves all spans together.
    fn pack(&mut self) {
        let old = core::mem::replace(&mut self.items, vec![Item::default()]);
        for (node, span) in self.spans.iter_mut() {
            let range = span.range();
            *span = Span { first: short(self.items.len()), in_instance: false, ..*span };
            self.items.extend_from_slice(&old[range.start as usize..range.end as usize]);
            self.moved.push(node);
        }
        self.unused = Default::default();
        self.forget();
    }

    /// Lets the next sync write everything.
    pub(crate) fn forget(&mut self) {
        let all = 1..short(self.items.len());
        (self.dirty, self.written) = (all.clone().collect(), Default::default());
        self.fresh.clear();
        self.fresh.extend(Some(all).filter(|all| !all.is_empty()));
    }

    /// Returns the item of the first joint of a node, for its instance; 0 if nothing deforms it.
    pub(crate) fn deform_of(&mut self, node: NodeHandle) -> u32 {
        if self.spans.is_empty() {
            return 0;
        }
        self.spans.get_mut(node).map_or(0, |span| {
            span.in_instance = true;
            span.joint()
        })
    }

    /// Begins a sync. Of another scene, palettes that were set before the last sync are of other nodes.
    pub(crate) fn begin(&mut self, scene: &Scene, is_another: bool) {
        let mut refused = core::mem::take(&mut self.refused);
        refused.retain(|&node, _| scene.contains(node));
        if !refused.is_empty() {
            for (gone, span) in self.spans.remove_stale(scene) {
                self.release(span);
                self.moved.push(gone);
            }
        }
        for (node, (palette, weights)) in refused {
            self.set(node, &palette, &weights);
        }
        if is_another {
            let is_old = |(node, span): (_, &Span)| (span.set_after < self.syncs).then_some(node);
            for node in self.spans.iter().filter_map(is_old).collect::<Vec<_>>() {
                self.remove(node);
            }
        }
        self.syncs += 1;
    }

    /// Notes that a node's drawable has left its slot.
    pub(crate) fn free(&mut self, node: Option<NodeHandle>) {
        self.undrawn.extend(node.filter(|&node| self.spans.contains_key(node)));
    }

    /// Lets go of the palettes of removed nodes. Returns the nodes whose instance has another span, or none.
    pub(crate) fn take_moved(&mut self, scene: &Scene, is_drawn: impl Fn(NodeHandle) -> bool) -> Vec<NodeHandle> {
        let mut moved = core::mem::take(&mut self.moved);
        let mut undrawn = core::mem::take(&mut self.undrawn);
        undrawn.extend_from_slice(&moved);
        undrawn.sort_unstable();
        undrawn.dedup();
        undrawn.retain(|&node| {
            let stays = scene.contains(node) || !self.remove(node);
            stays && self.spans.contains_key(node) && !is_drawn(node)
        });
        self.undrawn = undrawn;
        self.moved.clear();
        moved.retain(|&node| self.spans.get(node).is_none_or(|span| !span.in_instance));
        moved
    }

    /// Brings the buffers up to date.
    pub(crate) fn sync(&mut self, out: &mut Output<'_>) -> Result<(), Error> {
        let (from, to) = (Buffer::Palettes, Buffer::PreviousPalettes);
        self.written.settle(from, to, out)?;
        for buffer in [from, to].into_iter().take(1 + usize::from(out.previous)) {
            out.fit(buffer, (self.items.len() * buffer.stride()) as u64, true)?;
        }
        self.dirty.sort_unstable();
        self.dirty.dedup();
        // Spans may have been moved together since an item was listed.
        let listed = self.dirty.drain(..).filter(|&at| (at as usize) < self.items.len());
        let mut items = List::default();
        listed.for_each(|at| items.push(at, self.items[at as usize]));
        items.flush(from, out, Some(&mut self.written))?;
        let fresh = core::mem::take(&mut self.fresh);
        if out.previous && !fresh.is_empty() {
            out.run(Step::Copy { from, to, ranges: &fresh });
        }
        Ok(())
    }
}
