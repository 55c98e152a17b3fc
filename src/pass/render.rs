//! The render pass: what to draw, as two arrays.

use crate::pass::draw::{Cache, Listing, Motion, Relative};
use crate::store::Store;
use crate::unique::unique_number;
use crate::visit::{Flow, SliceView, SliceVisitor};
use crate::{Mat34, NodeHandle, Visibility};
use core::fmt;
use glam::DVec3;

/// One shape to draw: 24 bytes without padding, which a shader can read as they are.
///
/// ```text
/// node  u64 (its lower half first) │ mesh  u32 │ material  u32 │ flags  u32: 1 mirrored, 2 has a material │ zero  u32
/// ```
///
/// With the feature `bytemuck` a list of commands is uploaded without a copy:
///
/// ```
/// # #[cfg(feature = "bytemuck")] {
/// # use hedgerow::{Aabb, DrawList, Node, Scene, Shape};
/// # let mut scene = Scene::new();
/// # scene.insert(scene.root(), Node::shape(Shape::new(7, Aabb::cube(1.0)))).unwrap();
/// # scene.update();
/// let mut list = DrawList::new();
/// scene.draw_list(&mut list);
/// let commands: &[u8] = bytemuck::cast_slice(list.commands());
/// let matrices: &[u8] = bytemuck::cast_slice(list.matrices());
/// assert_eq!((commands.len(), matrices.len()), (24 * list.len(), 48 * list.len()));
/// # }
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
#[cfg_attr(feature = "bytemuck", derive(bytemuck::NoUninit))]
#[repr(C)]
pub struct DrawCommand {
    /// The node that has the shape.
    pub node: NodeHandle,
    /// The shape's mesh.
    pub mesh: u32,
    /// Zero where there is none.
    material: u32,
    flags: u32,
    zero: u32,
}

const _: () = assert!(size_of::<DrawCommand>() == 24);

impl DrawCommand {
    const MIRRORED: u32 = 1;
    const HAS_MATERIAL: u32 = 2;

    /// A command for a shape.
    #[inline]
    #[must_use]
    pub const fn new(node: NodeHandle, mesh: u32, material: Option<u32>, mirrored: bool) -> Self {
        let (material, flags) = match material {
            Some(material) => (material, Self::HAS_MATERIAL),
            None => (0, 0),
        };
        Self { node, mesh, material, flags: flags | if mirrored { Self::MIRRORED } else { 0 }, zero: 0 }
    }

    /// The material that holds at the node.
    #[inline]
    #[must_use]
    pub const fn material(&self) -> Option<u32> {
        if self.flags & Self::HAS_MATERIAL != 0 { Some(self.material) } else { None }
    }

    /// Whether the world matrix mirrors, so that front faces are wound the other way.
    #[inline]
    #[must_use]
    pub const fn is_mirrored(&self) -> bool {
        self.flags & Self::MIRRORED != 0
    }

    /// Says whether the world matrix mirrors; returns whether that changed.
    #[inline]
    pub(crate) fn set_mirrored(&mut self, mirrored: bool) -> bool {
        let flags = self.flags & !Self::MIRRORED | u32::from(mirrored);
        core::mem::replace(&mut self.flags, flags) != flags
    }
}

impl fmt::Debug for DrawCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DrawCommand")
            .field("node", &self.node)
            .field("mesh", &self.mesh)
            .field("material", &self.material())
            .field("mirrored", &self.is_mirrored())
            .finish()
    }
}

/// The visible shapes of a scene, as commands and matrices of the same index.
///
/// If it is kept from frame to frame, it allocates only while the scene grows, and
/// [`Scene::draw_list`](crate::Scene::draw_list) lists only what changed since the list was last filled from the same
/// scene. It may be used with several scenes in turn, skip frames or be cleared: it notices, and is then filled from
/// scratch.
///
/// The order is deterministic: slices are in the tree order of [`Scene::visit_slices`](crate::Scene::visit_slices), and
/// shapes within a slice in the order of the shape column. That is depth-first order after the slice was reconstituted,
/// and near it otherwise. ([`Visitor`](crate::visit::Visitor) uses strict order.) Source: the thesis, section 4.3.2.
#[derive(Clone, Debug)]
pub struct DrawList {
    pub(crate) listing: Listing,
    layers: u32,
    /// Changes whenever commands do. No two lists have the same revision unless one is a clone of the other; 0 only for
    /// empty lists.
    pub(crate) revision: u64,
    cache: Cache,
    relative: Relative,
    motion: Option<Motion>,
}

impl DrawList {
    /// An empty list for what is visible on any layer.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            listing: Listing::EMPTY,
            layers: u32::MAX,
            revision: 0,
            cache: Cache::EMPTY,
            relative: Relative::EMPTY,
            motion: None,
        }
    }

    /// An empty list for what is visible on one of these layers only.
    ///
    /// ```
    /// use hedgerow::{Aabb, DrawList, Node, Scene, Shape, Visibility};
    ///
    /// let mut scene = Scene::new();
    /// let (world, minimap) = (Visibility::layers(1), Visibility::layers(2));
    /// scene.insert(scene.root(), Node::shape(Shape::new(7, Aabb::cube(1.0))).with_visibility(world))?;
    /// scene.insert(scene.root(), Node::shape(Shape::new(8, Aabb::cube(1.0))).with_visibility(minimap))?;
    /// scene.update();
    ///
    /// let mut list = DrawList::new().on_layers(minimap);
    /// scene.draw_list(&mut list);
    /// assert_eq!(list.len(), 1);
    /// assert_eq!(list.commands()[0].mesh, 8);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn on_layers(mut self, layers: Visibility) -> Self {
        self.set_layers(layers);
        self
    }

    /// Makes the list hold what is visible on one of these layers, from the next time it is filled.
    pub fn set_layers(&mut self, layers: Visibility) {
        self.layers = layers.mask();
    }

    /// The layers of which a shape must be visible on one to be listed.
    #[must_use]
    pub fn layers(&self) -> Visibility {
        Visibility::layers(self.layers)
    }

    /// The same list, also with the matrices of the update before, for motion vectors: see
    /// [`DrawList::previous_matrices`]. Takes 48 more bytes for each shape, and the time to copy the matrices of what
    /// moved in the last two updates.
    ///
    /// ```
    /// use hedgerow::{Aabb, DrawList, Node, Scene, SceneConfig, Shape, Transform};
    ///
    /// let mut scene = Scene::with_config(SceneConfig { changes: true, ..SceneConfig::DEFAULT })?;
    /// let car = Node::transform(Transform::IDENTITY).with_shape(Shape::new(7, Aabb::cube(1.0)));
    /// let car = scene.insert(scene.root(), car)?;
    /// let mut list = DrawList::new().with_motion();
    /// let mut frame = |scene: &mut Scene| {
    ///     scene.update();
    ///     scene.draw_list(&mut list);
    ///     let previous = list.previous_matrices().unwrap_or(list.matrices());
    ///     (previous[0].translation().x, list.matrices()[0].translation().x)
    /// };
    /// assert_eq!(frame(&mut scene), (0.0, 0.0));
    /// scene.set_local(car, Transform::from_xyz(3.0, 0.0, 0.0))?;
    /// assert_eq!(frame(&mut scene), (0.0, 3.0));
    /// assert_eq!(frame(&mut scene), (3.0, 3.0), "what does not move any more is at rest");
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn with_motion(mut self) -> Self {
        if self.motion.is_none() {
            self.motion = Some(Motion::EMPTY);
            self.cache.forget();
        }
        self
    }

    /// What to draw.
    #[must_use]
    pub fn commands(&self) -> &[DrawCommand] {
        &self.listing.commands
    }

    /// Where to draw it: the world matrices of the commands, ready for upload.
    #[must_use]
    pub fn matrices(&self) -> &[Mat34] {
        &self.listing.matrices
    }

    /// Where each command's node was before, in the order of the commands: its
    /// [`Scene::previous_world`](crate::Scene::previous_world). For nodes that are new or did not move in the last
    /// update, this is the present matrix. This holds however many frames the list skipped: only the update before the
    /// last matters, not when the list was last filled. Fill the list between an update and the next edits.
    ///
    /// `None` if the previous matrices are unknown: in a list without [`DrawList::with_motion`]; for a scene that was
    /// not made with [`SceneConfig::changes`](crate::SceneConfig::changes); and after a [`RenderPass`] or
    /// [`DrawList::clear`] wrote to the list. To treat everything as at rest then, use [`DrawList::matrices`] instead.
    /// [`Scene::cull`](crate::Scene::cull) fills them in too, as [`Scene::draw_list`](crate::Scene::draw_list) does.
    #[must_use]
    pub fn previous_matrices(&self) -> Option<&[Mat34]> {
        self.motion.as_ref()?.matrices()
    }

    /// The matrices relative to a camera if the list was last filled by
    /// [`Scene::draw_list_relative`](crate::Scene::draw_list_relative), else none: an empty slice.
    #[must_use]
    pub fn relative_matrices(&self) -> &[Mat34] {
        &self.relative.matrices
    }

    /// How many shapes are listed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.listing.len()
    }

    /// Whether nothing is listed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.listing.len() == 0
    }

    /// Empties the list and keeps its memory.
    pub fn clear(&mut self) {
        self.written().clear();
    }

    /// The arrays, for code that writes to them without the cache.
    pub(crate) fn written(&mut self) -> &mut Listing {
        self.cache.forget();
        self.relative.matrices.clear();
        if let Some(motion) = &mut self.motion {
            motion.forget();
        }
        self.revision = unique_number().get();
        &mut self.listing
    }

    /// Updates the list to what listing the scene from scratch would give.
    pub(crate) fn refresh(&mut self, store: &Store) {
        self.relative.matrices.clear();
        let refreshed = self.cache.refresh(&mut self.listing, store, self.layers);
        if refreshed.commands {
            self.revision = unique_number().get();
        }
        if let Some(motion) = &mut self.motion {
            motion.refresh(&self.listing, self.cache.segments(), store, refreshed.listed);
        }
    }

    /// Sets the previous matrices of the listed nodes to the results of `previous`, if the list keeps any.
    pub(crate) fn ask_previous<'m>(&mut self, previous: impl Fn(NodeHandle) -> Option<&'m Mat34>) {
        if let Some(motion) = &mut self.motion {
            motion.ask(&self.listing, previous);
        }
    }

    /// Like [`Self::refresh`], and computes matrices relative to a camera.
    pub(crate) fn refresh_relative(&mut self, store: &Store, camera: DVec3) {
        self.refresh(store);
        self.relative.fill(store, camera, self.cache.segments(), &self.listing.slots);
    }
}

impl Default for DrawList {
    fn default() -> Self {
        Self::new()
    }
}

/// Adds the shapes of each visited slice to a draw list.
///
/// Use it to list part of a scene, or several scenes together. Nothing is cached, and
/// [`Scene::draw_list`](crate::Scene::draw_list) fills the list from scratch afterwards.
#[derive(Debug)]
pub struct RenderPass<'l> {
    listing: &'l mut Listing,
    layers: u32,
}

impl<'l> RenderPass<'l> {
    /// The pass that lists what is visible on the list's layers.
    #[must_use]
    pub fn new(list: &'l mut DrawList) -> Self {
        Self { layers: list.layers, listing: list.written() }
    }

    /// The pass that lists what is visible on one of these layers.
    #[must_use]
    pub fn on_layers(self, layers: Visibility) -> Self {
        Self { layers: layers.mask(), ..self }
    }
}

impl SliceVisitor for RenderPass<'_> {
    fn slice(&mut self, slice: SliceView<'_>) -> Flow {
        self.listing.add(slice, self.layers);
        Flow::Continue
    }
}
