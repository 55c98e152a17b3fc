//! World transforms on demand, and edits that are told in world space.

use crate::math::{Mat34, PackedTransform, invert_wide, transform_from_wide};
use crate::scene::Scene;
use crate::store::{At, NIL, Store};
use crate::{Error, Local, LocalForm, NodeHandle, Transform};
use glam::{DAffine3, DMat3, DVec3, Vec3};
use smallvec::SmallVec;

/// Slices and transform slots from a node up to the root.
type Chain = SmallVec<[(u32, u32); 32]>;

impl Store {
    /// The transforms that make up the world transform of a node, its own first and the topmost last.
    fn transform_chain(&self, mut at: At) -> Chain {
        let mut chain = Chain::new();
        loop {
            let slice = self.slice(at.slice);
            let mut slot = slice.row(at.row).transform.index();
            while slot != 0 {
                chain.push((at.slice, slot));
                slot = slice.transforms.parents[slot as usize];
            }
            at = slice.portal;
            if at == At::NONE {
                return chain;
            }
        }
    }

    fn local_of(&self, (slice, slot): (u32, u32)) -> Local {
        self.slice(slice).transforms.local(slot)
    }
}

/// A world transform in double precision, and what it was composed of.
pub(crate) struct WideWorld<'s> {
    store: &'s Store,
    chain: Chain,
    pub(crate) world: DAffine3,
}

impl WideWorld<'_> {
    /// The inverse; `None` where some transform on the way up has none, which rounding would hide in their product.
    pub(crate) fn inverse(&self) -> Option<DAffine3> {
        let regular = |&link| invert_wide(&self.store.local_of(link).to_wide()).is_some();
        let inverse = || self.world.inverse();
        self.chain.iter().all(regular).then(inverse).filter(|inverse| inverse.is_finite())
    }
}

impl Scene {
    /// The world matrix of a node as of now, whatever has been edited since the last update, to the bit what
    /// [`Scene::update`] would make it.
    ///
    /// Computes in **O(ancestors with a transform)**.
    #[must_use]
    pub fn fresh_world(&self, node: NodeHandle) -> Option<Mat34> {
        let chain = self.store.transform_chain(self.store.resolve(node)?);
        let locals = chain.iter().rev().map(|&link| self.store.local_of(link).to_matrix());
        Some(locals.fold(Mat34::IDENTITY, |world, local| world * local))
    }

    /// The world transform of a node as of now, in double precision, by one walk up.
    pub(crate) fn wide_world(&self, at: At) -> WideWorld<'_> {
        let chain = self.store.transform_chain(at);
        let locals = chain.iter().rev().map(|&link| self.store.local_of(link).to_wide());
        let world = locals.fold(DAffine3::IDENTITY, |world, local| world * local);
        WideWorld { store: &self.store, chain, world }
    }

    /// Sets the local transform of a node that has one so that its world transform becomes `world`, a [`Transform`] or a
    /// [`Mat34`], and answers the form that this took.
    ///
    /// Computes in **O(ancestors with a transform)**, in double precision.
    ///
    /// # Errors
    /// [`Error::StaleHandle`], [`Error::NoTransform`], [`Error::NotFinite`], [`Error::NotRotation`]; [`Error::Singular`]
    /// below a parent that is scaled to zero.
    pub fn set_world(&mut self, node: NodeHandle, world: impl Into<Local>) -> Result<LocalForm, Error> {
        let inverse = self.inverse_above(node)?;
        let world = match world.into() {
            Local::Transform(transform) => Local::Transform(transform.checked()?),
            Local::Matrix(matrix) if !matrix.is_finite() => return Err(Error::NotFinite("a world transform")),
            matrix @ Local::Matrix(_) => matrix,
        };
        let local = Local::from_wide(&(inverse * world.to_wide()))?;
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
    /// place as target; [`Error::Singular`] below a parent that is scaled to zero.
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
        if self.store.row(at).transform.as_own().is_none() {
            return Err(Error::NoTransform(node));
        }
        match self.store.parent(at) {
            Some(parent) => self.wide_world(parent).inverse().ok_or_else(|| Error::Singular(self.store.handle(parent))),
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
    /// Computes in **O(1)**. A transform attached since that update counts as the identity or as what its node inherited.
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
        let at = self.store.resolve(node)?;
        let slice = self.store.slice(at.slice);
        let row = slice.row(at.row);
        (row.shape != NIL).then(|| {
            let world = &slice.transforms.worlds[row.transform.index() as usize];
            slice.shapes.bounds[row.shape as usize].transformed(world)
        })
    }
}

impl Local {
    /// The local transform in double precision.
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

    /// The form that expresses `wide`, rounded.
    pub(crate) fn from_wide(wide: &DAffine3) -> Result<Self, Error> {
        if let Some(transform) = transform_from_wide(wide) {
            return Ok(Self::Transform(transform.checked()?));
        }
        let matrix = Mat34::from_wide(wide);
        if matrix.is_finite() {
            Ok(Self::Matrix(matrix))
        } else {
            Err(Error::NotFinite("the local transform that this takes"))
        }
    }
}
