//! Descriptions of nodes: inserts take them, and reads return them.

use crate::{Aabb, Error, Layers, Mat34, Transform, ViewRange, Visibility, wide};
use glam::{Affine3, Affine3A, DAffine3, DMat3, DVec3, Vec3};
use hedgerow_math::internal::{PackedTransform, keeps, keeps_translation, transform_from_wide};

/// Calls a macro with the components that are plain values: of each, its variant, its field of [`Node`], its type, the
/// method that sets it, and its name. From this table are made [`Change`](crate::edit::Change), the fields and values of
/// documents, packed trees, and the text of a node. A name, a local transform and whether it is anchored have other forms.
#[doc(hidden)]
#[macro_export]
macro_rules! __plain_components {
    ($make:ident) => {
        $make! {
            Material material: Option<u32>, set_material, "material";
            Drawable drawable: Option<$crate::Drawable>, set_drawable, "drawable";
            Visibility visibility: $crate::Visibility, set_visibility, "visibility";
            Layers layers: Option<$crate::Layers>, set_layers, "layers";
            ViewRange view_range: Option<$crate::ViewRange>, set_view_range, "range of distances";
            UserData user_data: u32, set_user_data, "user data";
        }
    };
}
#[doc(hidden)]
pub use crate::__plain_components as plain_components;

/// A drawable: a mesh of your own, and its bounding box in the node's local space.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Drawable {
    /// A number of your own for the mesh; the scene returns it in draw commands and never interprets it.
    pub mesh: u32,
    /// The mesh's bounds in the node's space. [`Aabb::INFINITE`] is always visible, [`Aabb::EMPTY`] never.
    pub bounds: Aabb,
}

impl Drawable {
    /// Creates a drawable with this mesh and these local bounds.
    #[inline]
    #[must_use]
    pub const fn new(mesh: u32, bounds: Aabb) -> Self {
        Self { mesh, bounds }
    }

    /// Returns whether the bounds are as a scene keeps them.
    pub(crate) fn is_kept(&self) -> bool {
        self.bounds.checked() == Ok(self.bounds)
    }
}

/// A local transform as a node stores it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Local {
    /// Translation, rotation and scale: the usual form.
    Transform(Transform),
    /// A matrix that translation, rotation and scale cannot express (it shears, or one of its axes is zero).
    Matrix(Mat34),
}

impl Local {
    /// Returns the local transform as a matrix, in either form.
    #[must_use]
    pub fn to_matrix(self) -> Mat34 {
        match self {
            Self::Transform(transform) => transform.to_matrix(),
            Self::Matrix(matrix) => matrix,
        }
    }

    /// Returns the translation, rotation and scale; `None` if the local transform is a matrix.
    #[must_use]
    pub fn transform(self) -> Option<Transform> {
        match self {
            Self::Transform(transform) => Some(transform),
            Self::Matrix(_) => None,
        }
    }
}

/// The form in which a node's local transform is stored after an edit: see [`Local`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LocalForm {
    /// Translation, rotation and scale.
    Transform,
    /// A 3×4 matrix, because the transform shears or is flat.
    Matrix,
}

/// The description of a node: any combination of components, all optional.
///
/// A description is `Copy` and borrows its name, so it can be used again after an insert that failed.
///
/// ```
/// use hedgerow::{Aabb, Drawable, Mat34, Node, Scene, Transform};
///
/// let mut scene = Scene::new();
/// let wheel = Node::transform(Transform::from_xyz(1.0, 0.3, 1.5))
///     .with_drawable(Drawable::new(7, Aabb::cube(0.3)))
///     .with_material(2)
///     .with_name("wheel_fl");
/// let handle = scene.insert(scene.root(), wheel)?;
/// assert_eq!(scene.get(handle).unwrap().to_node(), wheel);
///
/// let lamp = scene.insert(handle, Node::group().with_matrix(Mat34::IDENTITY).with_user_data(5))?;
/// assert_eq!(scene.get(lamp).unwrap().to_node(), Node::group().with_transform(Transform::IDENTITY).with_user_data(5));
/// # Ok::<(), hedgerow::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Node<'n> {
    /// The local transform. A node without a local transform has its parent's world transform, and costs nothing in the
    /// transform pass.
    pub local: Option<Local>,
    /// A number of your own for the node's material. Nodes below inherit it unless they have a material of their own.
    pub material: Option<u32>,
    /// The mesh to draw at the node.
    pub drawable: Option<Drawable>,
    /// Whether the node and the nodes below it are shown.
    pub visibility: Visibility,
    /// The layers of the node and everything below it.
    pub layers: Option<Layers>,
    /// The distances at which culling with [levels of detail](crate::query::DetailView) lists the node and everything
    /// below it. Distances are measured from the eye to the node's world position. A node without a transform has the
    /// position of its nearest ancestor with a transform. All other lists ignore ranges.
    pub view_range: Option<ViewRange>,
    /// The node's name. Siblings may have the same name.
    pub name: Option<&'n str>,
    /// A number of your own that the node's draws include as
    /// [`DrawCommand::user_data`](crate::draw::DrawCommand::user_data), such as an index of its colour, lightmap or
    /// skin palette in a buffer. 0 means none.
    pub user_data: u32,
    /// The translation in double precision, for example the origin of a city on a planet. It replaces the translation
    /// of `local`. When you read a node, this is `None` if single precision represents the translation exactly.
    pub translation_f64: Option<DVec3>,
    /// Whether the local transform is relative to the world instead of the parent: see
    /// [`Node::anchored`](Self::anchored).
    pub anchored: bool,
}

impl<'n> Node<'n> {
    /// Creates a node without components: a group.
    #[inline]
    #[must_use]
    pub const fn group() -> Self {
        Self {
            local: None,
            material: None,
            drawable: None,
            visibility: Visibility::Inherited,
            layers: None,
            view_range: None,
            name: None,
            user_data: 0,
            translation_f64: None,
            anchored: false,
        }
    }

    /// Creates a node with a local transform: the thesis's `TransformNode`.
    #[inline]
    #[must_use]
    pub const fn transform(transform: Transform) -> Self {
        Self { local: Some(Local::Transform(transform)), ..Self::group() }
    }

    /// Creates a node with a material: the thesis's `MaterialNode`.
    #[inline]
    #[must_use]
    pub const fn material(material: u32) -> Self {
        Self { material: Some(material), ..Self::group() }
    }

    /// Creates a node with a drawable: the thesis's `ShapeNode`.
    #[inline]
    #[must_use]
    pub const fn drawable(drawable: Drawable) -> Self {
        Self { drawable: Some(drawable), ..Self::group() }
    }

    /// Returns the node with a local transform. Removes a double-precision translation, so add that afterwards.
    #[inline]
    #[must_use]
    pub const fn with_transform(self, transform: Transform) -> Self {
        Self { local: Some(Local::Transform(transform)), translation_f64: None, ..self }
    }

    /// Returns the node with a matrix as its local transform. A scene stores it as translation, rotation and scale if
    /// these can express it, else as the matrix. Removes a double-precision translation, so add that afterwards.
    #[inline]
    #[must_use]
    pub const fn with_matrix(self, matrix: Mat34) -> Self {
        Self { local: Some(Local::Matrix(matrix)), translation_f64: None, ..self }
    }

    /// Returns the node with a material of its own. A node's own material wins over its parent's.
    #[inline]
    #[must_use]
    pub const fn with_material(self, material: u32) -> Self {
        Self { material: Some(material), ..self }
    }

    /// Returns the node with a drawable.
    #[inline]
    #[must_use]
    pub const fn with_drawable(self, drawable: Drawable) -> Self {
        Self { drawable: Some(drawable), ..self }
    }

    /// Returns the node with this visibility. A [shown](Visibility::Shown) node is visible below a hidden one.
    #[inline]
    #[must_use]
    pub const fn with_visibility(self, visibility: Visibility) -> Self {
        Self { visibility, ..self }
    }

    /// Returns the node with layers of its own. It is visible only on those that it shares with all its ancestors.
    #[inline]
    #[must_use]
    pub const fn with_layers(self, layers: Layers) -> Self {
        Self { layers: Some(layers), ..self }
    }

    /// Returns the node with a range of distances. Only culling with levels of detail heeds it: see
    /// [`view_range`](Self::view_range).
    #[inline]
    #[must_use]
    pub const fn with_view_range(self, range: ViewRange) -> Self {
        Self { view_range: Some(range), ..self }
    }

    /// Returns the node with a name.
    #[inline]
    #[must_use]
    pub const fn with_name(self, name: &'n str) -> Self {
        Self { name: Some(name), ..self }
    }

    /// Returns the node with user data.
    #[inline]
    #[must_use]
    pub const fn with_user_data(self, user_data: u32) -> Self {
        Self { user_data, ..self }
    }

    /// Returns the node with a translation in double precision. The node must also have a local transform.
    ///
    /// ```
    /// use hedgerow::glam::DVec3;
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let place = DVec3::new(6_371_000.125, 0.0, 0.0);
    /// let mut scene = Scene::new();
    /// let city = Node::transform(Transform::IDENTITY).with_translation_f64(place);
    /// let city = scene.insert(scene.root(), city)?;
    /// assert_eq!(scene.get(city).unwrap().world_f64().translation, place);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn with_translation_f64(self, translation: DVec3) -> Self {
        Self { translation_f64: Some(translation), ..self }
    }

    /// Anchors the node in the world: its local transform is relative to the world instead of the parent.
    ///
    /// Without a local transform, its world transform is the identity. The nodes below it move along with it.
    ///
    /// Only the parent's transform has no effect. The parent's visibility, material and layers still apply to the node,
    /// and the node is still moved and removed with its parent. [`Scene::set_local`](crate::Scene::set_local) then sets
    /// the world transform of a physics body, particle or camera, without inverting the parent's transform. Other
    /// engines call such a node *top level* or *absolute*. [`NodeMut::set_anchored`](crate::NodeMut::set_anchored)
    /// anchors or releases a node of a scene.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let lorry = scene.insert(scene.root(), Node::transform(Transform::from_xyz(5.0, 0.0, 0.0)))?;
    /// let barrel = scene.insert(lorry, Node::transform(Transform::from_xyz(0.0, 1.0, 0.0)).anchored())?;
    /// scene.update();
    /// assert_eq!(scene.world(barrel).unwrap().translation().to_array(), [0.0, 1.0, 0.0]);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[inline]
    #[must_use]
    pub const fn anchored(self) -> Self {
        Self { anchored: true, ..self }
    }

    /// Returns true only if a scene stores the description unchanged. If false, `checked` decides.
    #[inline]
    pub(crate) fn is_plain(&self) -> bool {
        let local = match &self.local {
            None => true,
            Some(Local::Transform(transform)) => transform.is_plain(),
            Some(Local::Matrix(_)) => false,
        };
        local
            && self.translation_f64.is_none()
            && self.drawable.as_ref().is_none_or(|drawable| drawable.bounds.is_plain())
    }

    /// Returns whether the node has more than a transform and a material.
    #[inline(always)]
    pub(crate) fn has_rare_parts(&self) -> bool {
        let matrix = matches!(self.local, Some(Local::Matrix(_)));
        // Without branches: the compiler knows most parts of a description, and folds the rest into one test.
        let numbers = self.user_data | self.visibility as u32 | u32::from(self.anchored);
        let listed = self.layers.is_some() | self.name.is_some() | self.view_range.is_some() | (numbers != 0);
        matrix | self.drawable.is_some() | listed | self.translation_f64.is_some()
    }

    /// Returns the description as a scene keeps it: rotations are normalised, a matrix is one that shears or is flat,
    /// an empty box is [`Aabb::EMPTY`], and a translation in double precision rounds to the local one and differs from
    /// it. All edits and all text go through this; bytes with other values are refused.
    ///
    /// # Errors
    /// [`Error::NotFinite`], [`Error::NotRotation`], or [`Error::NoLocal`] for a translation in double precision alone.
    #[cold]
    pub fn checked(mut self) -> Result<Self, Error> {
        if let Some(wide) = self.translation_f64 {
            let (rounded, remainder) = wide::split(wide);
            if !rounded.is_finite() {
                return Err(Error::NotFinite("a translation"));
            }
            self.local = Some(self.local.ok_or(Error::NoLocal)?.with_translation(rounded));
            // A translation that single precision holds is kept as such, in one form only.
            self.translation_f64 = (remainder != Vec3::ZERO).then(|| wide::join(rounded, remainder));
        }
        if let Some(local) = &mut self.local {
            *local = local.checked()?;
        }
        if let Some(drawable) = &mut self.drawable {
            drawable.bounds = drawable.bounds.checked()?;
        }
        Ok(self)
    }

    /// Returns the description as a scene keeps it: see [`Self::checked`].
    #[inline]
    pub(crate) fn kept(self) -> Result<Self, Error> {
        if self.is_plain() { Ok(self) } else { self.checked() }
    }

    /// Returns whether the description is as a scene keeps it, to the bit.
    pub(crate) fn is_kept(&self) -> bool {
        let local = match (self.local, self.translation_f64) {
            (local, None) => local.is_none_or(|local| local.is_kept()),
            (None, Some(_)) => false,
            (Some(local), Some(wide)) => {
                let (rounded, remainder) = wide::split(wide);
                // Zeros differ by their sign, too.
                let same = rounded.to_array().map(f32::to_bits) == local.translation().to_array().map(f32::to_bits)
                    && wide::join(rounded, remainder).to_array().map(f64::to_bits) == wide.to_array().map(f64::to_bits);
                same && remainder != Vec3::ZERO && local.is_kept()
            }
        };
        local && self.drawable.is_none_or(|drawable| drawable.is_kept())
    }

    /// Returns the part of the translation that rounding to single precision loses.
    pub(crate) fn remainder(&self) -> Vec3 {
        self.translation_f64.map_or(Vec3::ZERO, |wide| wide::split(wide).1)
    }
}

/// A [`Node`] that owns its name, for edits that are stored. Takes 64 bytes; a description with more than a transform
/// and a material has 250 bytes more, and its name.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnedNode(Owned);

/// The most frequent descriptions are not allocated, so that a queue of such inserts keeps its memory.
#[derive(Clone, Debug, PartialEq)]
enum Owned {
    Plain {
        local: Option<PackedTransform>,
        material: Option<u32>,
    },
    /// A description without its name, and the name.
    Other(Box<(Node<'static>, Option<Box<str>>)>),
}

impl OwnedNode {
    /// Returns the description, with its name.
    #[must_use]
    pub fn as_node(&self) -> Node<'_> {
        match &self.0 {
            Owned::Plain { local, material } => {
                let local = local.map(|local| Local::Transform(local.into()));
                Node { local, material: *material, ..Node::group() }
            }
            Owned::Other(other) => Node { name: other.1.as_deref(), ..other.0 },
        }
    }
}

/// Copies the name.
impl From<Node<'_>> for OwnedNode {
    fn from(node: Node<'_>) -> Self {
        if node.has_rare_parts() {
            return Self(Owned::Other(Box::new((Node { name: None, ..node }, node.name.map(Into::into)))));
        }
        let local = node.local.and_then(Local::transform).map(PackedTransform::from);
        Self(Owned::Plain { local, material: node.material })
    }
}

/// What [`NodeMut::set_local`](crate::NodeMut::set_local) takes: a [`Transform`], a matrix ([`Mat34`], [`Affine3A`],
/// [`Affine3`]), a [`Local`], or `None`, which removes the local transform. For a type of your own, implement it and
/// `From<T> for Local`, which [`Scene::set_local`](crate::Scene::set_local) and batches take.
///
/// Of options, only `Option<Local>` converts, so that the compiler knows the type of `None`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no local transform",
    note = "pass a `Transform`, a `Mat34`, an `Affine3A`, a `Local` or `None`",
    note = "of other types: `option.map(Local::from)`, `Mat34::try_from(mat4)?`"
)]
pub trait IntoLocal {
    /// Returns the local transform; `None` if there is none.
    fn into_local(self) -> Option<Local>;
}

impl IntoLocal for Option<Local> {
    #[inline(always)]
    fn into_local(self) -> Option<Local> {
        self
    }
}

impl IntoLocal for Local {
    #[inline(always)]
    fn into_local(self) -> Option<Local> {
        Some(self)
    }
}

/// Converts by way of another type.
macro_rules! local_from {
    ($($given:ty => $form:ident),*) => {$(
        impl From<$given> for Local {
            #[inline(always)]
            fn from(given: $given) -> Self {
                Self::$form(given.into())
            }
        }

        impl IntoLocal for $given {
            #[inline(always)]
            fn into_local(self) -> Option<Local> {
                Some(self.into())
            }
        }
    )*};
}

local_from!(Transform => Transform, Mat34 => Matrix, Affine3A => Matrix, Affine3 => Matrix);

/// Copies the transform.
impl From<&Transform> for Local {
    #[inline(always)]
    fn from(transform: &Transform) -> Self {
        Self::Transform(*transform)
    }
}

impl Local {
    /// Returns the local transform as a scene keeps it: with a unit rotation, and as a matrix only if necessary.
    pub(crate) fn checked(self) -> Result<Self, Error> {
        match self {
            Self::Transform(transform) => Ok(Self::Transform(transform.checked()?)),
            Self::Matrix(matrix) if !matrix.is_finite() => Err(Error::NotFinite("a local matrix")),
            Self::Matrix(matrix) => Ok(matrix.to_transform().map_or(self, Self::Transform)),
        }
    }

    /// Returns whether the local transform is as a scene keeps it.
    pub(crate) fn is_kept(&self) -> bool {
        matches!(self, Self::Transform(transform) if transform.is_plain()) || self.checked() == Ok(*self)
    }

    /// Returns the transform as a node's new world transform, with its rotation normalised.
    #[inline]
    pub(crate) fn checked_world(self) -> Result<Self, Error> {
        match self {
            Self::Transform(transform) => Ok(Self::Transform(transform.checked()?)),
            Self::Matrix(matrix) if !matrix.is_finite() => Err(Error::NotFinite("a world transform")),
            Self::Matrix(_) => Ok(self),
        }
    }

    pub(crate) fn translation(&self) -> Vec3 {
        match self {
            Self::Transform(transform) => transform.translation,
            Self::Matrix(matrix) => matrix.translation(),
        }
    }

    pub(crate) fn with_translation(self, translation: Vec3) -> Self {
        match self {
            Self::Transform(transform) => Self::Transform(Transform { translation, ..transform }),
            Self::Matrix(mut matrix) => {
                for (row, part) in matrix.rows.iter_mut().zip(translation.to_array()) {
                    row[3] = part;
                }
                Self::Matrix(matrix)
            }
        }
    }

    pub(crate) fn form(self) -> LocalForm {
        match self {
            Self::Transform(_) => LocalForm::Transform,
            Self::Matrix(_) => LocalForm::Matrix,
        }
    }
}

impl Local {
    pub(crate) fn to_wide(self) -> DAffine3 {
        match self {
            Self::Transform(transform) => {
                let PackedTransform { translation, rotation, scale } = transform.into();
                let rotation = glam::DQuat::from_array(rotation.map(f64::from)).normalize();
                let vector = |v: [f32; 3]| DVec3::from_array(v.map(f64::from));
                DAffine3::from_scale_rotation_translation(vector(scale), rotation, vector(translation))
            }
            Self::Matrix(matrix) => matrix.to_wide(),
        }
    }

    /// Returns the simplest form that expresses `wide`, rounded; `None` if numbers are too large for single precision.
    pub(crate) fn from_wide(wide: &DAffine3) -> Option<Self> {
        if let Some(transform) = transform_from_wide(wide) {
            return transform.checked().ok().map(Self::Transform);
        }
        // Rounding may remove the shear, so the rounded matrix is checked again.
        Some(Mat34::from_wide(wide)).filter(Mat34::is_finite).and_then(|matrix| Self::Matrix(matrix).checked().ok())
    }

    /// Returns whether this local transform, which is `wide` rounded, maps `above` to `world` as precisely as single
    /// precision resolves positions and lengths. Returns false if its numbers are too small.
    pub(crate) fn keeps(self, wide: &DAffine3, above: &DAffine3, world: &DAffine3) -> bool {
        let DMat3 { x_axis, y_axis, z_axis } = wide.matrix3;
        let axes = [x_axis, y_axis, z_axis];
        let linear = match self {
            // Only the lengths of the axes must be kept, not each component.
            Self::Transform(_) => axes.iter().all(|axis| keeps(DVec3::splat(axis.length()))),
            Self::Matrix(_) => axes.iter().all(|axis| keeps(*axis)),
        };
        linear && keeps_translation(wide.translation, above, world.translation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owned_description_is_the_same_and_small() {
        assert!(size_of::<OwnedNode>() <= 64);
        let plain = Node::transform(Transform::from_xyz(1.0, -0.0, 3.0));
        let sheared = Node::group().with_matrix(Mat34 { rows: [[1.0, 0.5, 0.0, 0.0]; 3] });
        for node in [Node::group(), plain, plain.with_material(3), plain.with_name(""), sheared, sheared.anchored()] {
            assert_eq!(OwnedNode::from(node).as_node(), node);
        }
    }

    #[test]
    fn a_description_that_was_checked_is_kept() {
        let node = Node::transform(Transform::IDENTITY);
        let checked = |number| node.with_translation_f64(DVec3::splat(number)).checked();
        for number in [0.1, 1e7 + 0.1, -1e30, 1e-42, 1.0 + 2_f64.powi(-24), 1.0 + 2_f64.powi(-24) - 2_f64.powi(-52)] {
            let once = checked(number).unwrap();
            assert!(once.is_kept() && once.checked() == Ok(once), "{number}");
            // The translation in double precision replaces the local one.
            let near = Node { local: Some(Transform::from_xyz(1.0, -0.0, 0.0).into()), ..once };
            assert!(once.translation_f64.is_none() || !near.is_kept() && near.checked() == Ok(once), "{number}");
        }
        assert_eq!(checked(0.5), Ok(Node::transform(Transform::from_xyz(0.5, 0.5, 0.5))), "nothing is lost");
        for number in [f64::NAN, f64::INFINITY, 1e300] {
            assert_eq!(checked(number), Err(Error::NotFinite("a translation")));
        }
        // It would be rounded up to infinity.
        let most = f64::from(f32::MAX) + 2_f64.powi(103).next_down();
        assert_eq!(checked(most), Err(Error::NotFinite("a translation")));
        assert_eq!(Node::group().with_translation_f64(DVec3::ONE).checked(), Err(Error::NoLocal));
    }
}
