//! World transforms on demand, and edits in world space.

use crate::Mat34;
use crate::scene::Scene;
use crate::{Error, Local, NodeHandle, Transform, node::LocalForm};
use glam::{DAffine3, DMat3, DVec3, Vec3};
use hedgerow_math::internal::look_rotation;

impl Scene {
    /// The world matrix of a node as of now, including all edits since the last update. Equal in every bit to what
    /// [`Scene::update`] would compute.
    ///
    /// Runs in **O(ancestors)**.
    #[must_use]
    pub fn fresh_world(&self, node: NodeHandle) -> Option<Mat34> {
        self.store.resolve(node).map(|at| self.store.fresh_world(at))
    }

    /// The translation of a node's local transform in double precision; `None` for a node without a transform and for a
    /// stale handle.
    #[must_use]
    pub fn translation_f64(&self, node: NodeHandle) -> Option<DVec3> {
        self.store.wide_translation(self.store.resolve(node)?)
    }

    /// Sets the translation of a node that has a transform, in double precision: the origin of a city on a planet, or
    /// of a planet. Rotation and scale stay.
    ///
    /// What single precision loses of it is kept beside the transform, itself in single precision: the two together are
    /// exact to 10⁻⁷ m at 10⁷ m. It counts wherever double precision does: in
    /// [`Scene::world_f64`], [`Scene::draw_list_relative`] and [`Scene::cull_relative`]. World matrices and boxes use the
    /// rounded translation, and [`Scene::local`] returns it. It is kept wherever the node goes, in copies, snapshots
    /// and the readable form, and by [`Scene::modify_local`] and [`Scene::look_at`] where these leave the translation
    /// as it is. Moves with [`Keep::World`](crate::Keep::World) keep the place as exactly. Any other way to set the local
    /// transform rounds, and so does [`Scene::set_node`].
    ///
    /// Runs in **O(1)**. Where something is lost, later sets of this node's local transform take a little longer.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`]; [`Error::NotFinite`] for a translation that is not finite in
    /// single precision.
    ///
    /// ```
    /// use hedgerow::glam::DVec3;
    /// use hedgerow::{Aabb, DrawList, Node, Scene, Shape, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let city = scene.insert(scene.root(), Node::transform(Transform::IDENTITY))?;
    /// let lamp = Node::transform(Transform::from_xyz(0.0, 3.0, 0.0)).with_shape(Shape::new(7, Aabb::cube(0.2)));
    /// scene.insert(city, lamp)?;
    /// let place = DVec3::new(6_371_000.125, 0.25, -42.0);
    /// scene.set_translation_f64(city, place)?;
    /// scene.update();
    ///
    /// let mut list = DrawList::new();
    /// scene.draw_list_relative(place, &mut list);
    /// assert_eq!(list.relative_matrices()[0].translation().to_array(), [0.0, 3.0, 0.0]);
    /// assert_eq!(scene.translation_f64(city), Some(place));
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    pub fn set_translation_f64(&mut self, node: NodeHandle, translation: DVec3) -> Result<(), Error> {
        let at = self.at(node)?;
        if !translation.as_vec3().is_finite() {
            return Err(Error::NotFinite("a translation"));
        }
        if self.store.set_wide_translation(at, translation) { Ok(()) } else { Err(Error::NoTransform(node)) }
    }

    /// The world transform of a node as of now, in double precision: composed in double precision from the local
    /// transforms of the node and all its ancestors, including all edits since the last update.
    ///
    /// Exact to about 10⁻⁹ m at 10⁷ m, where single precision has whole metres. Runs in **O(ancestors with a
    /// transform)**.
    ///
    /// ```
    /// use hedgerow::{Node, Scene, Transform};
    ///
    /// let mut scene = Scene::new();
    /// let city = scene.insert(scene.root(), Node::transform(Transform::from_xyz(1e7, 0.0, 0.0)))?;
    /// let lamp = scene.insert(city, Node::transform(Transform::from_xyz(0.125, 0.0, 0.0)))?;
    /// assert_eq!(scene.world_f64(lamp).unwrap().translation.x, 1e7 + 0.125);
    /// # Ok::<(), hedgerow::Error>(())
    /// ```
    #[must_use]
    pub fn world_f64(&self, node: NodeHandle) -> Option<DAffine3> {
        self.store.resolve(node).map(|at| self.store.wide_world(at).world)
    }

    /// Sets the local transform of a node that has one so that its world transform becomes `world`, a [`Transform`] or
    /// a [`Mat34`]. Returns the form of the local transform.
    ///
    /// Runs in **O(ancestors)**, in double precision. It is [`Scene::world`] that becomes `world`:
    /// what [`Scene::set_translation_f64`] keeps beyond single precision, here and above, is left out.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`], [`Error::NotFinite`], also if numbers of the local transform or of
    /// the world matrix are too large for single precision, [`Error::NotRotation`]; [`Error::Singular`] below a flattened
    /// parent; [`Error::Underflow`] if the local transform is too small.
    pub fn set_world(&mut self, node: NodeHandle, world: impl Into<Local>) -> Result<LocalForm, Error> {
        let at = self.at(node)?;
        self.store.local(at).ok_or(Error::NoTransform(node))?;
        let local = self.store.local_for(at, world.into().checked_world()?)?;
        self.replace_local(node, local)?;
        Ok(local.form())
    }

    /// Rotates a node that has a transform so that its −Z axis points at `target` and its +Y axis towards `up`, both in
    /// world space. Translation and scale stay, and so do mirror and shear of a local transform that is a matrix.
    ///
    /// If `up` is zero or parallel to the view, some perpendicular axis is used instead. Runs in **O(ancestors with a
    /// transform)**.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`], [`Error::NotFinite`]; [`Error::NotRotation`] if the target is
    /// the node's own position; [`Error::Singular`] below a flattened parent.
    pub fn look_at(&mut self, node: NodeHandle, target: Vec3, up: Vec3) -> Result<(), Error> {
        let inverse = self.inverse_above(node)?;
        if !(target.is_finite() && up.is_finite()) {
            return Err(Error::NotFinite("a target or an up direction"));
        }
        let local = self.local(node).ok_or(Error::NoTransform(node))?;
        let translation = local.translation();
        // Compute in the parent's space: an affine map keeps lines straight, so a node that points at the target there
        // also does so here.
        let (here, there) = (translation.as_dvec3(), inverse.transform_point3(target.as_dvec3()));
        let towards = there - here;
        // A distance that single precision cannot distinguish from zero has no direction.
        if towards.length() <= 1e-6 * (here.length() + there.length()) {
            return Err(Error::NotRotation);
        }
        let up = inverse.transform_vector3(up.as_dvec3());
        let rotation = |scale| look_rotation(towards, up, scale).ok_or(Error::NotRotation);
        let turned = match local {
            Local::Transform(local) => Transform { rotation: rotation(local.scale)?, ..local }.into(),
            Local::Matrix(matrix) => {
                let mut wide = matrix.to_wide();
                wide.matrix3 = DMat3::from_quat(rotation(Vec3::ONE)?.as_dquat().normalize()) * unturned(&wide.matrix3);
                Local::from_wide(&wide)?
            }
        };
        let precise = (translation, self.translation_f64(node));
        self.replace_local(node, turned.checked()?)?;
        self.keep_translation_f64(node, precise, translation)
    }

    /// Sets a translation in double precision again after the local transform was set, unless the translation `now` is
    /// another than it was `before`.
    pub(crate) fn keep_translation_f64(
        &mut self,
        node: NodeHandle,
        before: (Vec3, Option<DVec3>),
        now: Vec3,
    ) -> Result<(), Error> {
        match before {
            (rounded, Some(precise)) if rounded == now && rounded.as_dvec3() != precise => {
                self.set_translation_f64(node, precise)
            }
            _ => Ok(()),
        }
    }

    /// The inverse of the world transform that a node with a transform inherits, in double precision.
    fn inverse_above(&self, node: NodeHandle) -> Result<DAffine3, Error> {
        let at = self.at(node)?;
        if self.store.local(at).is_none() {
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
    #[inline]
    pub fn local(&self, node: NodeHandle) -> Option<Local> {
        match self.store.plain_local(node) {
            Some(local) => Some(Local::Transform(local)),
            None => self.store.local(self.store.resolve(node)?),
        }
    }

    /// The world matrix of a node as of the last update: that of the nearest transform at or above it.
    ///
    /// Runs in **O(1)**. The identity for a node that was inserted since then; one that was moved, or that got or lost a
    /// transform since, has the matrix that held for it then. [`Scene::fresh_world`] is as of now.
    #[inline]
    #[must_use]
    pub fn world(&self, node: NodeHandle) -> Option<&Mat34> {
        self.store.world(node)
    }

    /// The world box of a node's shape by the matrix of the last update, computed on demand in **O(1)**.
    ///
    /// Infinite and empty local bounds do not use the matrix; a box that overflows is infinite.
    #[must_use]
    pub fn world_bounds(&self, node: NodeHandle) -> Option<crate::Aabb> {
        self.store.world_bounds(self.store.resolve(node)?)
    }
}

/// A linear map without its rotation: the same lengths and angles, with +Z along +Z, and +Y between +Y and ±Z. A mirror
/// shows in the X axis.
fn unturned(axes: &DMat3) -> DMat3 {
    let DMat3 { x_axis, y_axis, z_axis } = *axes;
    // An axis that has no direction of its own gets one that the others leave free.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Node;

    #[test]
    fn a_matrix_that_looks_elsewhere_keeps_scale_mirror_and_shear() {
        let [x, y, z] = [Vec3::new(2.0, 0.5, -1.0), Vec3::new(3.0, 4.0, 0.25), Vec3::new(-1.0, 0.5, 7.0)];
        let zero = Vec3::ZERO;
        let all =
            [[x, y, z], [-x, y, z], [x, -y, -z], [x, y, zero], [x, zero, zero], [zero, y, zero], [zero; 3], [x, x, x]];
        for axes in all {
            let rows = [0, 1, 2].map(|row| [axes[0][row], axes[1][row], axes[2][row], 5.0]);
            let mut scene = Scene::new();
            let eye = scene.insert(scene.root(), Node::transform(Transform::IDENTITY)).unwrap();
            scene.set_local(eye, Mat34 { rows }).unwrap();
            scene.look_at(eye, Vec3::new(9.0, -3.0, 2.0), Vec3::Y).unwrap();
            let after = scene.local(eye).unwrap().to_matrix().to_wide();
            let before = Mat34 { rows }.to_wide();
            assert_eq!(after.translation, before.translation);
            // Lengths and angles are those of the products of axes.
            let inner = |axes: DMat3| axes.transpose() * axes;
            let off = inner(after.matrix3) - inner(before.matrix3);
            assert!(off.to_cols_array().iter().all(|number| number.abs() < 1e-4), "{axes:?}: {after:?}");
            let volume = after.matrix3.determinant() - before.matrix3.determinant();
            assert!(volume.abs() < 1e-3, "{axes:?} is mirrored");
            let towards = DVec3::new(4.0, -8.0, -3.0).normalize();
            let back = after.matrix3.z_axis;
            assert!((back + towards * back.length()).length() < 1e-5, "{axes:?} points back along {back}");
        }
    }
}
