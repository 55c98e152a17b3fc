//! World transforms on demand, and edits that are told in world space.

use crate::Mat34;
use crate::scene::Scene;
use crate::{Error, Local, NodeHandle, Transform, edit::LocalForm};
use glam::{DAffine3, DMat3, DVec3, Vec3};

impl Scene {
    /// The world matrix of a node as of now, whatever has been edited since the last update, to the bit what
    /// [`Scene::update`] would make it.
    ///
    /// Computes in **O(ancestors with a transform)**.
    #[must_use]
    pub fn fresh_world(&self, node: NodeHandle) -> Option<Mat34> {
        self.store.resolve(node).map(|at| self.store.fresh_world_at(at))
    }

    /// Sets the local transform of a node that has one so that its world transform becomes `world`, a [`Transform`] or a
    /// [`Mat34`], and answers the form that this took.
    ///
    /// Computes in **O(ancestors with a transform)**, in double precision.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`], [`Error::NotFinite`], [`Error::NotRotation`]; [`Error::Singular`]
    /// below a parent that is flattened, as that says; [`Error::Underflow`] where the local transform is too small.
    pub fn set_world(&mut self, node: NodeHandle, world: impl Into<Local>) -> Result<LocalForm, Error> {
        let at = self.at(node)?;
        self.store.local_slot(at).ok_or(Error::NoTransform(node))?;
        let world = match world.into() {
            Local::Transform(transform) => Local::Transform(transform.checked()?),
            Local::Matrix(matrix) if !matrix.is_finite() => return Err(Error::NotFinite("a world transform")),
            matrix @ Local::Matrix(_) => matrix,
        };
        let local = self.store.local_for(at, &world.to_wide())?;
        self.replace_local(node, local)?;
        Ok(local.form())
    }

    /// Turns a node that has a transform so that its −Z axis points at `target` and its +Y axis goes with `up`, both in
    /// world space. Translation and scale stay.
    ///
    /// Where `up` is zero or along the view, some axis across it takes its place. Computes in **O(ancestors with a
    /// transform)**. A node whose local transform is a matrix is given the translation and the column lengths of that.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`], [`Error::NotFinite`]; [`Error::NotRotation`] for the node's own
    /// place as target; [`Error::Singular`] below a parent that is flattened, as that says.
    pub fn look_at(&mut self, node: NodeHandle, target: Vec3, up: Vec3) -> Result<(), Error> {
        let inverse = self.inverse_above(node)?;
        if !(target.is_finite() && up.is_finite()) {
            return Err(Error::NotFinite("a target or an up direction"));
        }
        let local = match self.local(node).ok_or(Error::NoTransform(node))? {
            Local::Transform(transform) => transform,
            Local::Matrix(matrix) => {
                let wide = matrix.to_wide();
                let axes = wide.matrix3;
                let scale = DVec3::new(axes.x_axis.length(), axes.y_axis.length(), axes.z_axis.length());
                Transform { translation: matrix.translation(), scale: scale.as_vec3(), ..Transform::IDENTITY }
            }
        };
        // In the parent's space: an affine map keeps lines, so a node that points at the target there does so here.
        let (here, there) = (local.translation.as_dvec3(), inverse.transform_point3(target.as_dvec3()));
        let towards = there - here;
        // A distance that single precision cannot tell from none has no direction.
        if towards.length() <= 1e-6 * (here.length() + there.length()) {
            return Err(Error::NotRotation);
        }
        let back = (-towards).try_normalize().ok_or(Error::NotRotation)?;
        let up = inverse.transform_vector3(up.as_dvec3());
        let right = up.normalize_or_zero().cross(back);
        let right = if right.length_squared() > 1e-12 { right.normalize() } else { back.any_orthonormal_vector() };
        // A negative scale turns an axis around: it is to be turned the other way before.
        let sign = |scale: f32| if scale < 0.0 { -1.0 } else { 1.0 };
        let y = back.cross(right) * sign(local.scale.y);
        let z = back * sign(local.scale.z);
        let axes = DMat3::from_cols(y.cross(z), y, z);
        let rotation = glam::DQuat::from_mat3(&axes).normalize().as_quat();
        self.replace_local(node, Local::Transform(Transform { rotation, ..local }.checked()?))
    }

    /// The inverse of what a node that has a transform inherits, in double precision.
    fn inverse_above(&self, node: NodeHandle) -> Result<DAffine3, Error> {
        let at = self.at(node)?;
        if self.store.local_slot(at).is_none() {
            return Err(Error::NoTransform(node));
        }
        match self.store.parent(at) {
            Some(parent) => {
                self.store.wide_world(parent).inverse().ok_or_else(|| Error::Singular(self.store.handle(parent)))
            }
            None => Ok(DAffine3::IDENTITY),
        }
    }

    /// The local transform of a node, or `None` for a node without one.
    #[must_use]
    pub fn local(&self, node: NodeHandle) -> Option<Local> {
        self.store.local_at(self.store.resolve(node)?)
    }

    /// The world matrix of a node as of the last update: that of the nearest transform at or above it.
    ///
    /// Computes in **O(1)**. A transform added since that update counts as the identity or as what its node inherited.
    #[inline]
    #[must_use]
    pub fn world(&self, node: NodeHandle) -> Option<&Mat34> {
        self.store.world_of(node)
    }

    /// The world box of a node's shape by the last update's matrix, computed on demand in **O(1)**.
    ///
    /// Infinite and empty local bounds bypass the matrix; a box that overflows is infinite.
    #[must_use]
    pub fn world_bounds(&self, node: NodeHandle) -> Option<crate::Aabb> {
        self.store.world_bounds_at(self.store.resolve(node)?)
    }
}
