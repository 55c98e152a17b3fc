//! What changed, as instances of a top-level acceleration structure.

use crate::scene::{GpuScene, short};
use bytemuck::{Pod, Zeroable};
use hedgerow::visit::ListedDrawable;
use hedgerow::{NodeHandle, Scene};
use std::collections::{HashMap, HashSet};

/// An instance of a top-level acceleration structure (TLAS), as Vulkan and Direct3D 12 read it from a buffer. 64 bytes; zero
/// for a free slot, which makes it inactive.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
pub struct TlasInstance {
    /// The world matrix: three rows of four numbers.
    pub transform: [f32; 12],
    /// The slot in 24 bits, then the mask in 8.
    pub index_and_mask: u32,
    /// For your flags in the upper 8 bits, and an offset in a shader binding table; 0.
    pub offset_and_flags: u32,
    /// What [`set_blas`](GpuScene::set_blas) set for the mesh; 0 if nothing, which makes the instance inactive.
    pub blas: u64,
}

impl TlasInstance {
    /// The greatest number of slots, since an instance has 24 bits for its own.
    pub const MAX_SLOTS: usize = 1 << 24;

    /// Returns the slot, which shaders see as the custom index.
    #[must_use]
    pub const fn index(&self) -> u32 {
        self.index_and_mask & 0xff_ffff
    }

    /// Returns the first eight layers of the drawable; none if it is hidden. Rays with another mask do not hit it.
    #[must_use]
    pub fn mask(&self) -> u8 {
        self.index_and_mask.to_be_bytes()[0]
    }
}

/// Stands for no slot.
const NONE: u32 = u32::MAX;

/// The slots that changed, and which slots have which matrix.
#[derive(Default)]
pub(crate) struct Tlas {
    blas: HashMap<u32, u64>,
    /// Meshes that got another reference.
    changed: HashSet<u32>,
    /// The first slot with each matrix.
    heads: Vec<u32>,
    links: Vec<Link>,
    slots: Vec<u32>,
    instances: Vec<TlasInstance>,
}

/// A slot in the list of those with its matrix.
#[derive(Clone, Copy)]
struct Link {
    matrix: u32,
    before: u32,
    after: u32,
    mesh: u32,
    layers: u32,
}

impl Link {
    const FREE: Self = Self { matrix: NONE, before: NONE, after: NONE, mesh: 0, layers: 0 };
}

impl GpuScene {
    /// Keeps account of instances for ray tracing, which [`tlas`](Self::tlas) lists. Takes 24 bytes a drawable.
    #[must_use]
    pub fn with_tlas(mut self) -> Self {
        self.keep_tlas();
        self
    }

    /// Sets the bottom-level acceleration structure of a mesh, by its address on the device, or by a number of yours that is
    /// not 0. With the next sync, all drawables with the mesh are listed, in O(slots). The tables are then
    /// [`with_tlas`](Self::with_tlas).
    pub fn set_blas(&mut self, mesh: u32, blas: u64) {
        let tlas = self.keep_tlas();
        if tlas.blas.insert(mesh, blas) != Some(blas) {
            tlas.changed.insert(mesh);
        }
    }

    fn keep_tlas(&mut self) -> &mut Tlas {
        if self.tlas.is_none() {
            self.invalidate();
        }
        self.tlas.get_or_insert_default()
    }

    /// Returns the slots that the last sync changed, ascending, and what is in them now: what moved, came, went, or got other
    /// layers or another mesh. Copy it to a table of [`len`](Self::len) instances. Nothing is listed after a still frame or
    /// a sync that failed. Listing takes O(what changed), and nothing unless the scene was made [`with_tlas`](Self::with_tlas).
    ///
    /// Mirrored instances need no flag, since rays see winding in the space of the mesh. What is skinned needs a structure
    /// of its own for each node: put its reference into your copy, by [`node`](Self::node).
    ///
    /// ```
    /// use hedgerow::{Aabb, Drawable, Node, Scene, Transform};
    /// use hedgerow_gpu::{GpuScene, MeshArgs, TlasInstance};
    ///
    /// let mut scene = Scene::new();
    /// let ball = Node::transform(Transform::from_xyz(1.0, 0.0, 0.0)).with_drawable(Drawable::new(7, Aabb::cube(1.0)));
    /// let ball = scene.insert(scene.root(), ball)?;
    /// let mut tables = GpuScene::new().with_tlas();
    /// tables.set_mesh(7, MeshArgs { index_count: 36, first_index: 0, base_vertex: 0 });
    /// tables.set_blas(7, 0xb1a5_0000);
    /// let mut instances: Vec<TlasInstance> = Vec::new();
    /// for frame in 0..2 {
    ///     scene.set_local(ball, Transform::from_xyz(frame as f32, 0.0, 0.0))?;
    ///     scene.update();
    ///     tables.sync(&scene, |_step| {})?;
    ///     instances.resize(tables.len(), TlasInstance::default());
    ///     let (slots, changed) = tables.tlas();
    ///     for (&slot, instance) in slots.iter().zip(changed) {
    ///         // On a GPU: write 64 bytes to the buffer that the TLAS is built from.
    ///         instances[slot as usize] = *instance;
    ///     }
    /// }
    /// let instance = instances[tables.slot(&scene, ball).unwrap()];
    /// assert_eq!((instance.transform[3], instance.blas), (1.0, 0xb1a5_0000));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn tlas(&self) -> (&[u32], &[TlasInstance]) {
        let tlas = self.tlas.as_ref().filter(|_| !self.open);
        tlas.map_or((&[], &[]), |tlas| (&tlas.slots, &tlas.instances))
    }
}

impl Tlas {
    /// Forgets what changed last; and everything but references, if nobody knows what the tables have.
    pub(crate) fn clear(&mut self, all: bool) {
        self.slots.clear();
        self.instances.clear();
        if all {
            self.heads.clear();
            self.links.clear();
        }
    }

    /// Lists the slots with a matrix that was computed.
    pub(crate) fn note_moved(&mut self, matrix: usize) {
        let used = |slot: u32| (slot != NONE).then_some(slot);
        let head = self.heads.get(matrix).and_then(|&slot| used(slot));
        self.slots.extend(core::iter::successors(head, |&slot| used(self.links[slot as usize].after)));
    }

    /// Puts a slot into the list of its matrix, or into none.
    pub(crate) fn set(&mut self, slot: usize, drawable: Option<(u32, &ListedDrawable)>) {
        if slot >= self.links.len() {
            self.links.resize(slot + 1, Link::FREE);
        }
        let Link { matrix, before, after, .. } = core::mem::replace(&mut self.links[slot], Link::FREE);
        if matrix != NONE {
            match before {
                NONE => self.heads[matrix as usize] = after,
                _ => self.links[before as usize].after = after,
            }
            if after != NONE {
                self.links[after as usize].before = before;
            }
        }
        let Some((matrix, drawable)) = drawable else { return };
        if matrix as usize >= self.heads.len() {
            self.heads.resize(matrix as usize + 1, NONE);
        }
        let after = core::mem::replace(&mut self.heads[matrix as usize], short(slot));
        if after != NONE {
            self.links[after as usize].before = short(slot);
        }
        let (mesh, layers) = (drawable.drawable.mesh, drawable.layers.mask());
        self.links[slot] = Link { matrix, before: NONE, after, mesh, layers };
    }

    /// Lists the slots that were set or freed, and those that have another reference; then what all of them have now.
    pub(crate) fn finish(
        &mut self,
        scene: &Scene,
        set: &[u32],
        len: usize,
        node: impl Fn(usize) -> Option<NodeHandle>,
    ) {
        let Self { blas, changed, links, slots, instances, .. } = self;
        slots.extend_from_slice(set);
        if !changed.is_empty() {
            slots.extend((0..).zip(&*links).filter(|(_, link)| changed.contains(&link.mesh)).map(|(slot, _)| slot));
            changed.clear();
        }
        slots.sort_unstable();
        slots.dedup();
        // A table that became shorter has only free slots at its end.
        slots.truncate(slots.partition_point(|&slot| (slot as usize) < len));
        instances.extend(slots.iter().map(|&slot| {
            let world = node(slot as usize).and_then(|node| scene.world(node));
            let Some((world, link)) = world.zip(links.get(slot as usize)) else { return TlasInstance::default() };
            TlasInstance {
                transform: bytemuck::cast(*world),
                index_and_mask: slot | link.layers << 24,
                offset_and_flags: 0,
                blas: blas.get(&link.mesh).copied().unwrap_or(0),
            }
        }));
    }
}
