//! World transforms in double precision, as spaces that nodes are placed in.
//!
//! Most transforms only move, turn and scale uniformly. Such a space is stored as translation, rotation and scale, so
//! composing spaces and placing nodes take no matrix, inverse or decomposition. All other spaces are matrices.

use crate::{Error, Local, NodeHandle, Transform};
use glam::{DAffine3, DMat3, DQuat, DVec3, Vec3};
use hedgerow_math::internal::invert_wide;

/// Makes the error that says why no local transform below a parent gives a node its world transform.
pub(crate) type Fault = fn(NodeHandle) -> Error;

/// The world transform of a node, and the inverse data for the local transforms of its children.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Space {
    Even(EvenSpace),
    Other(OtherSpace),
}

impl Space {
    /// The space of a node without a transform at or above it.
    pub(crate) const WORLD: Self =
        Self::Even(EvenSpace { rotation: DQuat::IDENTITY, translation: DVec3::ZERO, scale: 1.0 });

    /// Returns the space of a child with this local transform.
    #[inline]
    pub(crate) fn below(&self, local: Local) -> Self {
        if let (Self::Even(space), Local::Transform(transform)) = (self, local)
            && let Some(below) = space.below(&transform)
        {
            return Self::Even(below);
        }
        let above = match self {
            Self::Even(space) => space.to_other(),
            Self::Other(space) => *space,
        };
        above.below(&local.to_wide())
    }

    /// Returns the local transform that places a child at the checked `world`.
    #[inline]
    pub(crate) fn local_at(&self, world: Local) -> Result<Local, Fault> {
        match self {
            Self::Even(space) => space.local_at(world),
            Self::Other(space) => space.local_at(world),
        }
    }
}

/// The limit of |rotation|² − 1 for a unit rotation that was rounded to single precision.
const UNIT: f64 = 1e-5;

/// Normalises a rotation that was a unit in single precision to a unit in double precision.
#[inline]
fn unit(rotation: DQuat) -> DQuat {
    let off = rotation.length_squared() - 1.0;
    // The series of the inverse root. Its next term is below double precision.
    if off.abs() <= UNIT { rotation * (1.0 - off * (0.5 - 0.375 * off)) } else { rotation.normalize() }
}

/// A space that only moves, turns, and scales uniformly, by a positive scale.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EvenSpace {
    rotation: DQuat,
    translation: DVec3,
    scale: f64,
}

impl EvenSpace {
    /// Returns the space of a child with this local transform, if that space is even, too.
    #[inline]
    fn below(&self, local: &Transform) -> Option<Self> {
        let Vec3 { x, y, z } = local.scale;
        let scale = self.scale * f64::from(x);
        // The volume must be a normal number, as in other spaces.
        let even = (x == y) & (y == z) & (x > 0.0) & (scale * scale * scale).is_normal();
        even.then(|| Self {
            rotation: unit(self.rotation * unit(local.rotation.as_dquat())),
            translation: self.translation + self.rotation * (local.translation.as_dvec3() * self.scale),
            scale,
        })
    }

    #[inline(always)]
    fn local_at(&self, world: Local) -> Result<Local, Fault> {
        if let Local::Transform(transform) = world
            && let Some(local) = self.even_at(&transform)
        {
            return Ok(Local::Transform(local));
        }
        self.to_other().local_at(world)
    }

    /// Returns the local transform of a child that does not shear in the world. `None` if [`OtherSpace`] must decide.
    #[inline(always)]
    pub(crate) fn even_at(&self, world: &Transform) -> Option<Transform> {
        // The inverse of an even space, without one of a matrix.
        let (back, factor) = (self.rotation.conjugate(), self.scale.recip());
        let translation = back * ((world.translation.as_dvec3() - self.translation) * factor);
        let scales = world.scale.as_dvec3() * factor;
        let local = Transform {
            translation: translation.as_vec3(),
            rotation: (back * unit(world.rotation.as_dquat())).as_quat(),
            scale: scales.as_vec3(),
        };
        // Normal numbers keep all digits of single precision, and zero is exact.
        let (least, most) = (f64::from(f32::MIN_POSITIVE), translation.abs().max_element());
        let kept = (scales.abs().min_element() >= least) & ((most >= least) | (most == 0.0));
        (kept & local.is_plain()).then_some(local)
    }

    /// Returns the same space in the form of matrices.
    #[cold]
    pub(crate) fn to_other(self) -> OtherSpace {
        let world =
            DAffine3::from_scale_rotation_translation(DVec3::splat(self.scale), self.rotation, self.translation);
        OtherSpace { world, inverse: Some(world.inverse()).filter(DAffine3::is_finite) }
    }
}

/// A space of any other kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OtherSpace {
    world: DAffine3,
    /// `None` if a transform at or above the node has no inverse, even if rounding hides this in the product, or if the
    /// product exceeds double precision.
    inverse: Option<DAffine3>,
}

/// Axes that deviate by at most this relative amount count as perpendicular and equally long. The limit is above the
/// rounding errors of double precision, and below the resolution of single precision.
const ALIKE: f64 = 1e-13;

impl OtherSpace {
    fn below(&self, local: &DAffine3) -> Space {
        let world = self.world * *local;
        // A flat matrix times another may round to one that has an inverse, so each factor counts.
        let regular = self.inverse.is_some() && world.matrix3.determinant().is_normal() && invert_wide(local).is_some();
        let inverse = regular.then(|| world.inverse()).filter(DAffine3::is_finite);
        match inverse.and_then(|_| even(&world)) {
            Some(space) => Space::Even(space),
            None => Space::Other(Self { world, inverse }),
        }
    }

    pub(crate) fn local_at(&self, world: Local) -> Result<Local, Fault> {
        let inverse = self.inverse.ok_or(Error::Singular as Fault)?;
        let place = world.to_wide();
        let wide = inverse * place;
        let local = Local::from_wide(&wide).ok_or(Error::Overflow as Fault)?;
        if local.keeps(&wide, &self.world, &place) { Ok(local) } else { Err(Error::Underflow) }
    }
}

/// Returns a matrix as an even space if it is one, so that children without shear in the world have no local shear.
fn even(world: &DAffine3) -> Option<EvenSpace> {
    let DMat3 { x_axis, y_axis, z_axis } = world.matrix3;
    let square = x_axis.length_squared();
    let off = |number: f64| number.abs() > square * ALIKE;
    let equal = !off(y_axis.length_squared() - square) && !off(z_axis.length_squared() - square);
    let perpendicular = !off(x_axis.dot(y_axis)) && !off(y_axis.dot(z_axis)) && !off(z_axis.dot(x_axis));
    let scale = square.sqrt();
    (equal && perpendicular && square.is_normal() && world.matrix3.determinant() > 0.0).then(|| EvenSpace {
        rotation: DQuat::from_mat3(&(world.matrix3 * scale.recip())).normalize(),
        translation: world.translation,
        scale,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_that_was_rounded_becomes_a_unit_of_the_same_direction() {
        for at in 0..400_u32 {
            let turn = DQuat::from_euler(glam::EulerRot::XYZ, f64::from(at), f64::from(at) * 0.7, 1.0);
            // Errors on both sides of the limit, and as small as the rounding of single precision.
            for off in [1.3e-5, -1.3e-5, 0.9 * UNIT, -0.9 * UNIT, 1e-6, -1e-7, 0.0] {
                let made = unit(turn * (1.0 + off).sqrt());
                assert!((made - turn).length() < 1e-15, "{off}: {made} of {turn}");
            }
        }
    }

    #[test]
    fn a_space_is_even_if_it_neither_shears_nor_stretches_nor_mirrors() {
        let turned = |scale: f64| {
            let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.3, -1.1, 2.0);
            DAffine3::from_scale_rotation_translation(DVec3::splat(scale), turn, DVec3::new(1.0, 2.0, 3.0))
        };
        for scale in [1e-3, 1.0, 40.0] {
            assert!(even(&turned(scale)).is_some_and(|space| (space.scale - scale).abs() < scale * 1e-12), "{scale}");
            for axis in 0..3 {
                for other in (0..3).filter(|&other| other != axis) {
                    // An axis that leans towards another one, with its length unchanged.
                    let mut sheared = turned(scale);
                    let leaning = sheared.matrix3.col(axis) + sheared.matrix3.col(other) * 1e-3;
                    *sheared.matrix3.col_mut(axis) = leaning.normalize() * scale;
                    assert!(even(&sheared).is_none(), "axis {axis} leans towards axis {other}");
                }
                for factor in [1.001, -1.0] {
                    let mut stretched = turned(scale);
                    *stretched.matrix3.col_mut(axis) *= factor;
                    assert!(even(&stretched).is_none(), "axis {axis} times {factor}");
                }
            }
        }
    }
}
