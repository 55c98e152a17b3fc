//! Edits of one node of a scene: methods that set, change and remove its components.

use crate::node::{OwnedNode, plain_components};
use crate::scene::{NodeRef, Scene};
use crate::store::{RecordId, WideLocal};
use crate::{Drawable, Error, IntoLocal, Keep, Layers, Local, Node, NodeHandle, Transform, ViewRange, Visibility};
use core::cmp::Ordering;
use core::fmt;
use glam::{DAffine3, DMat3, DVec3, Vec3};
use hedgerow_math::internal::look_rotation;

/// A node of a scene, for editing: see [`Scene::edit`].
///
/// Each method edits the node immediately and returns it, so that calls can be chained. An edit that fails changes
/// nothing. `None` removes a component. Edits without a note on their cost run in amortised **O(1)**.
///
/// ```
/// use hedgerow::{Aabb, Drawable, Node, Scene, ViewRange};
///
/// let mut scene = Scene::new();
/// let lamp = scene.insert(scene.root(), Node::material(3))?;
/// scene.edit(lamp)?.set_name("lamp").set_material(5).set_drawable(Drawable::new(7, Aabb::cube(1.0)))?;
///
/// let mut node = scene.edit(lamp)?;
/// node.set_view_range(ViewRange::new(0.0, 50.0)?);
/// assert!(node.as_ref().view_range().is_some());
/// let drawable = node.as_ref().drawable().expect("set above");
/// node.set_drawable(Drawable { bounds: Aabb::INFINITE, ..drawable })?.set_material(None).set_view_range(None);
/// assert_eq!(scene.get(lamp).unwrap().to_node(), Node::drawable(Drawable::new(7, Aabb::INFINITE)).with_name("lamp"));
/// # Ok::<(), hedgerow::Error>(())
/// ```
pub struct NodeMut<'s> {
    scene: &'s mut Scene,
    id: RecordId,
}

macro_rules! changes {
    ($($variant:ident $field:ident: $type:ty, $set:ident, $name:literal;)*) => {
        /// A change of a node as a value, for [`NodeMut::change`] and [`Edit`](crate::edit::Edit). `None` removes a
        /// component.
        ///
        /// A [`Node`] converts to a change of all components, [`Change::Node`].
        #[derive(Clone, Debug, PartialEq)]
        #[non_exhaustive]
        pub enum Change {
            /// [`NodeMut::set_local`].
            Local(Option<Local>),
            /// [`Scene::set_world`].
            World(Local),
            /// [`NodeMut::look_at`].
            LookAt {
                /// The point at which the node's −Z axis will point, in world space.
                target: Vec3,
                /// The direction of the node's +Y axis, as far as possible, in world space.
                up: Vec3,
            },
            /// [`NodeMut::set_translation_f64`].
            TranslationF64(DVec3),
            /// [`NodeMut::set_anchored`].
            Anchored(bool, Keep),
            /// [`NodeMut::set_name`].
            Name(Option<Box<str>>),
            $(#[doc = concat!("[`NodeMut::", stringify!($set), "`].")]
            $variant($type),)*
            /// [`NodeMut::set_node`].
            Node(OwnedNode),
        }

        impl NodeMut<'_> {
            /// Makes a change, as [`Self::change`] does.
            pub(super) fn make(&mut self, change: &Change) -> Result<&mut Self, Error> {
                match *change {
                    Change::Local(local) => return self.set_local(local),
                    Change::World(world) => _ = self.scene.set_world(self.handle(), world)?,
                    Change::LookAt { target, up } => return self.look_at(target, up),
                    Change::TranslationF64(translation) => return self.set_translation_f64(translation),
                    Change::Anchored(anchored, keep) => return self.set_anchored(anchored, keep),
                    Change::Name(ref name) => return Ok(self.set_name(name.as_deref())),
                    $(Change::$variant($field) => {
                        let Node { $field, .. } = Node { $field, ..Node::group() }.kept()?;
                        self.scene.store.nodes.$set(self.id, $field);
                    })*
                    Change::Node(ref node) => return self.set_node(node.as_node()),
                }
                Ok(self)
            }

            /// Sets the plain components to those of a checked description.
            fn set_plain_components(&mut self, node: &Node<'_>) {
                $(self.scene.store.nodes.$set(self.id, node.$field);)*
            }
        }
    };
}
plain_components!(changes);

/// Copies the name.
impl From<Node<'_>> for Change {
    fn from(node: Node<'_>) -> Self {
        Self::Node(node.into())
    }
}

/// Shows the handle.
impl fmt::Debug for NodeMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NodeMut").field("handle", &self.handle()).finish_non_exhaustive()
    }
}

impl NodeMut<'_> {
    /// Returns the node's handle.
    #[must_use]
    pub fn handle(&self) -> NodeHandle {
        self.scene.store.nodes.handle(self.id)
    }

    /// Returns the node, for reading.
    #[must_use]
    pub fn as_ref(&self) -> NodeRef<'_> {
        NodeRef::new(self.scene, self.id)
    }

    /// Sets the local transform, or removes it with `None`; see [`IntoLocal`]. World matrices change at the next
    /// [`Scene::update`].
    ///
    /// Without a local transform, the node has the world transform of its parent.
    ///
    /// ```
    /// # let mut scene = hedgerow::Scene::new();
    /// # let node = scene.root();
    /// scene.edit(node)?.set_local(hedgerow::Transform::IDENTITY)?.set_local(None)?;
    /// assert_eq!(scene.local(node), None);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// [`Scene::set_local`] does the same and is faster. If the node gets or loses its transform, the next update
    /// reconstitutes its slice, in O(nodes of the slice).
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::NotRotation`].
    pub fn set_local(&mut self, local: impl IntoLocal) -> Result<&mut Self, Error> {
        match local.into_local() {
            Some(local) => self.scene.store.nodes.set_local(self.id, local.checked()?),
            None => drop(self.scene.store.nodes.remove_local(self.id)),
        }
        Ok(self)
    }

    /// Sets or removes the node's own material, which wins over its parent's. Nodes below inherit it unless they have a
    /// material of their own.
    ///
    /// The next update propagates the change, in O(nodes of the affected slices).
    pub fn set_material(&mut self, material: impl Into<Option<u32>>) -> &mut Self {
        self.scene.store.nodes.set_material(self.id, material.into());
        self
    }

    /// Anchors the node in the world, or releases it. The local transform of an [anchored](Node::anchored) node is
    /// relative to the world instead of the parent.
    ///
    /// With [`Keep::World`], the node stays where it is: its local transform is computed as in [`Scene::reparent`], in
    /// **O(ancestors)**. With [`Keep::Local`], the local transform stays. If the node already has this state, nothing
    /// changes; otherwise the next update reconstitutes the node's slice, in O(nodes of the slice).
    ///
    /// ```
    /// use hedgerow::{Keep, Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let lorry = scene.insert(scene.root(), Node::transform(Transform::from_xyz(5.0, 0.0, 0.0)))?;
    /// let barrel = scene.insert(lorry, Node::transform(Transform::from_xyz(0.0, 1.0, 0.0)))?;
    /// scene.edit(barrel)?.set_anchored(true, Keep::World)?; // it rolls off: physics moves it from now on
    /// scene.set_local(lorry, Transform::from_xyz(9.0, 0.0, 0.0))?;
    /// scene.update();
    /// assert_eq!(scene.world(barrel).unwrap().translation().to_array(), [5.0, 1.0, 0.0]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// With [`Keep::World`]: [`Error::Singular`], [`Error::Overflow`], [`Error::Underflow`], as in [`Scene::reparent`].
    pub fn set_anchored(&mut self, anchored: bool, keep: Keep) -> Result<&mut Self, Error> {
        let store = &mut self.scene.store;
        if store.nodes.is_anchored(self.id) == anchored {
            return Ok(self);
        }
        // Fallible, so before the first change.
        let kept = match keep {
            Keep::World => store.nodes.local_in(self.id, store.nodes.parent(self.id).filter(|_| !anchored))?,
            Keep::Local => None,
        };
        store.nodes.set_anchored(self.id, anchored);
        if let Some(local) = kept {
            store.nodes.set_wide_local(self.id, local);
        }
        Ok(self)
    }

    /// Sets or removes the drawable. If the node gets or loses its drawable, the next update reconstitutes its slice,
    /// in O(nodes of the slice).
    ///
    /// # Errors
    /// [`Error::NotFinite`] for bounds that have NaN or are partly infinite.
    pub fn set_drawable(&mut self, drawable: impl Into<Option<Drawable>>) -> Result<&mut Self, Error> {
        let checked = |drawable: Drawable| Ok::<_, Error>(Drawable { bounds: drawable.bounds.checked()?, ..drawable });
        self.scene.store.nodes.set_drawable(self.id, drawable.into().map(checked).transpose()?);
        Ok(self)
    }

    /// Hides the node and the nodes below it, shows it, or lets it inherit visibility. A node below that is set to be
    /// [shown](Visibility::Shown) stays visible.
    ///
    /// Its layers stay the same.
    ///
    /// The next update propagates the change, in O(nodes of the affected slices).
    pub fn set_visibility(&mut self, visibility: Visibility) -> &mut Self {
        self.scene.store.nodes.set_visibility(self.id, visibility);
        self
    }

    /// Sets or removes the node's own layers. It is visible only on those that it shares with all its ancestors.
    ///
    /// The next update propagates the change, in O(nodes of the affected slices).
    pub fn set_layers(&mut self, layers: impl Into<Option<Layers>>) -> &mut Self {
        self.scene.store.nodes.set_layers(self.id, layers.into());
        self
    }

    /// Sets or removes the [view range](Node::view_range). Only culling with levels of detail heeds it.
    pub fn set_view_range(&mut self, range: impl Into<Option<ViewRange>>) -> &mut Self {
        self.scene.store.nodes.set_view_range(self.id, range.into());
        self
    }

    /// Sets or removes the name. Runs in amortised **O(length of the name)**.
    pub fn set_name<'n>(&mut self, name: impl Into<Option<&'n str>>) -> &mut Self {
        self.scene.store.nodes.set_name(self.id, name.into());
        self
    }

    /// Sets a number of your own that the node's draws include as [`DrawCommand::user_data`](crate::draw::DrawCommand),
    /// such as an index of its colour, lightmap or skin palette in a buffer.
    ///
    /// If the number changes, reused draw lists list the node's slice again. The number is part of the [`Node`]
    /// description. It stays with the node when the node is moved, and is dropped when the node is removed. If no node
    /// has user data, nothing is stored; otherwise each block of 64 nodes with user data takes 264 bytes.
    ///
    /// ```
    /// use hedgerow::{Aabb, DrawList, Drawable, Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// let car = scene.insert(scene.root(), Node::drawable(Drawable::new(7, Aabb::cube(1.0))))?;
    /// scene.edit(car)?.set_user_data(0x00_80_ff);
    /// scene.update();
    /// let mut list = DrawList::new();
    /// scene.draw_list(&mut list);
    /// assert_eq!(list.commands()[0].user_data, 0x00_80_ff);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn set_user_data(&mut self, user_data: u32) -> &mut Self {
        self.scene.store.nodes.set_user_data(self.id, user_data);
        self
    }

    /// Sets the node's components to those of a description, and removes components that the description lacks.
    ///
    /// With the result of an earlier [`NodeRef::to_node`], this restores the node. Takes as long as the single edits.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let lamp = scene.insert(scene.root(), Node::material(3).with_name("lamp"))?;
    /// let saved = Node { name: None, ..scene.get(lamp).expect("just inserted").to_node() };
    /// scene.set_local(lamp, Transform::from_xyz(0.0, 4.0, 0.0))?;
    /// scene.edit(lamp)?.set_material(5).set_node(saved.with_name("lamp"))?;
    /// assert_eq!(scene.get(lamp).unwrap().to_node(), Node::material(3).with_name("lamp"));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::NotRotation`], [`Error::NoLocal`]. The node is unchanged.
    pub fn set_node(&mut self, description: Node<'_>) -> Result<&mut Self, Error> {
        let description = description.checked()?;
        let store = &mut self.scene.store;
        store.nodes.set_anchored(self.id, description.anchored);
        match description.local {
            Some(local) => store.nodes.set_wide_local(self.id, WideLocal { local, remainder: description.remainder() }),
            None => drop(store.nodes.remove_local(self.id)),
        }
        self.set_plain_components(&description);
        Ok(self.set_name(description.name))
    }

    /// Sets the translation of a node in double precision, for example the origin of a planet, or of a city on a
    /// planet. Rotation and scale stay the same. A node without a transform gets one.
    ///
    /// The translation and its rounding error are both stored in single precision. Their sum has 48 of the 53 bits of
    /// double precision: it is exact to 10⁻⁷ m at 10⁷ m. [`NodeRef::world_f64`] and lists
    /// [with an eye](crate::DrawList::set_eye) use the exact translation. World matrices, boxes and [`Scene::local`]
    /// use the rounded translation. The exact translation is preserved by moves, copies, snapshots and text, and by
    /// [`Scene::modify_local`] and [`look_at`](Self::look_at) if these do not change the translation. Moves with
    /// [`Keep::World`] preserve as much as they can. All other ways to set the local transform round the translation.
    ///
    /// Runs in **O(1)**. If the translation was rounded, later changes of the local transform take a little longer.
    ///
    /// # Errors
    /// [`Error::NotFinite`] for a translation that is not finite in single precision.
    ///
    /// ```
    /// use hedgerow::glam::DVec3;
    /// use hedgerow::{Aabb, DrawList, Drawable, Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let city = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// let lamp = Node::transform(Transform::from_xyz(0.0, 3.0, 0.0)).with_drawable(Drawable::new(7, Aabb::cube(0.2)));
    /// scene.insert(city, lamp)?;
    /// let place = DVec3::new(6_371_000.125, 0.25, -42.0);
    /// scene.edit(city)?.set_translation_f64(place)?;
    /// scene.update();
    ///
    /// let mut list = DrawList::new();
    /// list.set_eye(place);
    /// scene.draw_list(&mut list);
    /// assert_eq!(list.relative_matrices()[0].translation().to_array(), [0.0, 3.0, 0.0]);
    /// assert_eq!(scene.get(city).unwrap().translation_f64(), Some(place));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn set_translation_f64(&mut self, translation: DVec3) -> Result<&mut Self, Error> {
        let parts = crate::wide::split(translation);
        if !parts.0.is_finite() {
            return Err(Error::NotFinite("a translation"));
        }
        self.scene.store.nodes.set_wide_translation(self.id, parts);
        Ok(self)
    }

    /// Sets the local transform so that [`NodeRef::world_f64`] becomes `world`. The translation is as precise as in
    /// [`set_translation_f64`](Self::set_translation_f64); everything else is in single precision. A node without a
    /// transform gets one. [`Scene::set_world`] is faster, and precise enough near the origin.
    ///
    /// Runs in **O(ancestors)**. If the translation was rounded, later changes of the local transform take longer.
    ///
    /// # Errors
    /// The errors of [`Scene::set_world`].
    ///
    /// ```
    /// use hedgerow::glam::DVec3;
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let planet = scene.insert(scene.root(), Node::transform(Transform::from_xyz(0.0, 9e6, 0.0)))?;
    /// let marker = scene.insert(planet, Node::transform(Transform::IDENTITY))?;
    /// let mut world = scene.get(marker).unwrap().world_f64();
    /// world.translation += DVec3::new(6_371_000.125, 0.0, 0.0);
    /// scene.edit(marker)?.set_world_f64(world)?;
    /// assert_eq!(scene.get(marker).unwrap().world_f64(), world);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn set_world_f64(&mut self, world: DAffine3) -> Result<&mut Self, Error> {
        let store = &mut self.scene.store;
        if !world.is_finite() {
            return Err(Error::NotFinite("a world transform"));
        }
        let local = store.nodes.wide_local_for(self.id, &world)?;
        store.nodes.set_wide_local(self.id, local);
        Ok(self)
    }

    /// Sets the world transform, as [`Scene::set_world`] does. The [anchored](crate::Node::anchored) nodes below move
    /// along: each keeps its place relative to this node. For example, a ship moves with the crates on its deck. An
    /// anchored node without a local transform gets one. Nodes that are not anchored keep their local transforms.
    ///
    /// Runs in **O(subtree + ancestors)**.
    ///
    /// # Errors
    /// The errors of [`Scene::set_world`], for each node that is moved; [`Error::Singular`] if the current world
    /// transform is singular. Nothing is moved then.
    ///
    /// ```
    /// use hedgerow::glam::Vec3;
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let ship = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// let cargo = scene.insert(ship, Node::transform(Transform::from_xyz(0.0, 2.0, 0.0)).anchored())?;
    /// scene.edit(ship)?.carry_to(Transform::from_xyz(50.0, 0.0, 0.0))?;
    /// assert_eq!(scene.get(cargo).unwrap().fresh_world().translation(), Vec3::new(50.0, 2.0, 0.0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn carry_to(&mut self, world: impl Into<Local>) -> Result<&mut Self, Error> {
        let store = &mut self.scene.store;
        let local = store.nodes.local_for(self.id, world.into().checked_world()?)?;
        // Computed from the old world transforms, so before the node is set.
        let carried = store.nodes.carried(self.id, local)?;
        store.nodes.set_local(self.id, local);
        carried.into_iter().for_each(|(id, local)| store.nodes.set_wide_local(id, local));
        Ok(self)
    }

    /// Rotates a node so that its −Z axis points at `target` and its +Y axis towards `up`, both in world space. A model
    /// whose front is +Z, as in glTF, then needs half a turn about its own Y axis: `local.rotation *=
    /// Quat::from_rotation_y(PI)`.
    ///
    /// A node without a transform gets one. Translation and scale stay the same, as do the mirroring and shear of a
    /// local transform that is a matrix.
    ///
    /// If `up` is zero or parallel to the direction, any perpendicular axis is used. Runs in **O(ancestors)**.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform, glam::Vec3};
    ///
    /// let mut scene = Scene::new();
    /// let eye = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// scene.edit(eye)?.look_at(Vec3::X, Vec3::Y)?;
    /// let rotation = scene.get(eye).and_then(|node| node.transform()).unwrap().rotation;
    /// assert!((rotation * Vec3::NEG_Z).abs_diff_eq(Vec3::X, 1e-6));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotFinite`]; [`Error::NotRotation`] if the target is the node's position;
    /// [`Error::Singular`] if the parent's world transform is singular; [`Error::Overflow`] if rotated axes overflow.
    pub fn look_at(&mut self, target: Vec3, up: Vec3) -> Result<&mut Self, Error> {
        let store = &mut self.scene.store;
        let local = store.nodes.local(self.id).unwrap_or(Transform::IDENTITY.into());
        let inverse = match store.nodes.local_parent(self.id) {
            Some(parent) => {
                store.nodes.wide_world(parent).inverse().ok_or_else(|| Error::Singular(store.nodes.handle(parent)))?
            }
            None => DAffine3::IDENTITY,
        };
        if !(target.is_finite() && up.is_finite()) {
            return Err(Error::NotFinite("a target or an up direction"));
        }
        let translation = local.translation();
        // Affine maps keep lines straight, so it is enough to point at the target in the parent's space.
        let (here, there) = (translation.as_dvec3(), inverse.transform_point3(target.as_dvec3()));
        let towards = there - here;
        // A distance that single precision cannot distinguish from zero has no direction.
        if towards.length() <= 1e-6 * (here.length() + there.length()) {
            return Err(Error::NotRotation);
        }
        // A direction: it turns with the space, but does not move.
        let up = inverse.transform_vector3(up.as_dvec3());
        let rotation = |scale| look_rotation(towards, up, scale).ok_or(Error::NotRotation);
        let turned = match local {
            Local::Transform(local) => Transform { rotation: rotation(local.scale)?, ..local }.into(),
            Local::Matrix(matrix) => {
                // A matrix keeps its scale and shear; only its rotation is replaced.
                let mut wide = matrix.to_wide();
                wide.matrix3 = DMat3::from_quat(rotation(Vec3::ONE)?.as_dquat().normalize()) * unturned(&wide.matrix3);
                Local::from_wide(&wide).ok_or_else(|| Error::Overflow(store.nodes.handle(self.id)))?
            }
        };
        store.nodes.set_local_in_place(self.id, turned.checked()?);
        Ok(self)
    }

    /// Applies a change that is given as a value, for example from a queue or an undo history.
    ///
    /// Takes as long as the corresponding method.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, edit::Change};
    ///
    /// let mut scene = Scene::new();
    /// let lamp = scene.insert(scene.root(), Node::group())?;
    /// for change in [Change::Material(Some(3)), Change::Name(Some("lamp".into()))] {
    ///     scene.edit(lamp)?.change(change)?;
    /// }
    /// assert_eq!(scene.get(lamp).unwrap().to_node(), Node::material(3).with_name("lamp"));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of the corresponding method. The node is unchanged.
    pub fn change(&mut self, change: Change) -> Result<&mut Self, Error> {
        self.make(&change)
    }

    /// Sorts the children with a comparison function. The sort is stable.
    ///
    /// Runs in **O(n log n)** comparisons for n children. If they are already in order, nothing changes. Otherwise they
    /// are relinked in O(n); the order of draws stays the same. If `compare` panics, nothing has changed.
    ///
    /// ```
    /// use hedgerow::{Node, Scene};
    ///
    /// let mut scene = Scene::new();
    /// for name in ["oak", "ash", "elm"] {
    ///     scene.insert(scene.root(), Node::group().with_name(name))?;
    /// }
    /// scene.edit(scene.root())?.sort_children_by(|a, b| a.name().cmp(&b.name()));
    /// let root = scene.get(scene.root()).unwrap();
    /// assert!(root.children().filter_map(|node| node.name()).eq(["ash", "elm", "oak"]));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn sort_children_by(&mut self, mut compare: impl FnMut(NodeRef<'_>, NodeRef<'_>) -> Ordering) -> &mut Self {
        let before: Vec<RecordId> = self.as_ref().children().map(NodeRef::id).collect();
        // Sorted apart, so that a panic of `compare` leaves the links as they were.
        let mut sorted = before.clone();
        sorted.sort_by(|&a, &b| compare(NodeRef::new(self.scene, a), NodeRef::new(self.scene, b)));
        // An unchanged order is no edit.
        if sorted != before {
            self.scene.store.nodes.order_children(self.id, &sorted);
        }
        self
    }
}

impl Scene {
    /// Returns a node for all edits except moves. Runs in **O(1)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`].
    #[inline]
    pub fn edit(&mut self, node: NodeHandle) -> Result<NodeMut<'_>, Error> {
        let id = self.at(node)?;
        Ok(NodeMut { scene: self, id })
    }
}

/// Returns a linear map without its rotation: lengths and angles stay, the Z axis is along +Z, and the Y axis is
/// between +Y and ±Z. A mirroring map has an X axis that points towards −X.
fn unturned(axes: &DMat3) -> DMat3 {
    let DMat3 { x_axis, y_axis, z_axis } = *axes;
    // An axis without a direction gets a direction that is perpendicular to the others.
    let first = |choices: [DVec3; 3]| choices.into_iter().find_map(|axis| axis.try_normalize());
    let any = |axis: DVec3| axis.try_normalize().map_or(DVec3::ZERO, |axis| axis.any_orthonormal_vector());
    let back = first([z_axis, x_axis.cross(y_axis), any(x_axis + y_axis)]).unwrap_or(DVec3::Z);
    let beside = |axis: DVec3| {
        let rest = axis - back * axis.dot(back);
        if rest.length() > 1e-12 * axis.length() { rest } else { DVec3::ZERO }
    };
    let up = first([beside(y_axis), back.cross(beside(x_axis)), any(back)]).unwrap_or(DVec3::Y);
    DMat3::from_cols(up.cross(back), up, back).transpose() * *axes
}
