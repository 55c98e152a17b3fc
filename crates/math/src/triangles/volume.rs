//! Boxes and frusta in the space of a mesh, and the exact test of triangles against them.

use crate::{Aabb, Frustum};
use glam::{DAffine3, DVec3, DVec4, Vec3};

/// The greatest number of planes, and of corners of a triangle that they cut.
const PLANES: usize = 6;
const CORNERS: usize = 3 + PLANES;

/// A convex volume in the space of a mesh, in double precision: the points inside up to six planes.
///
/// ```
/// use hedgerow_math::{Aabb, Frustum, LocalVolume, Touch, Transform};
/// use hedgerow_math::glam::{DVec3, Vec3, Vec4};
///
/// let right_of_4 = Frustum::from_planes([Vec4::new(1.0, 0.0, 0.0, -4.0), Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO, Vec4::ZERO])?;
/// let seen = LocalVolume::of_frustum(&right_of_4, Transform::from_xyz(3.0, 0.0, 0.0).to_matrix());
/// let corners = [Vec3::ZERO, Vec3::X * 2.0, Vec3::Y].map(Vec3::as_dvec3);
/// assert_eq!(seen.touch(corners), Touch::Part);
/// assert_eq!(LocalVolume::of_box(&Aabb::cube(2.0)).touch(corners), Touch::Whole);
/// assert_eq!(LocalVolume::of_box(&Aabb::EMPTY).touch(corners), Touch::None);
/// # Ok::<(), hedgerow_math::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LocalVolume {
    /// `[x, y, z, d]`: the points `p` with `x·p.x + y·p.y + z·p.z + d >= 0`.
    planes: [DVec4; PLANES],
    count: usize,
}

/// How much of something a volume contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Touch {
    /// Nothing.
    None,
    /// A part, or a point of the border.
    Part,
    /// Everything.
    Whole,
}

impl LocalVolume {
    /// Returns a box that is in the mesh's space already. An empty box contains nothing.
    #[must_use]
    pub fn of_box(bounds: &Aabb) -> Self {
        let mut volume = Self { planes: [DVec4::ZERO; PLANES], count: 0 };
        if bounds.is_empty() {
            volume.add(DVec4::NEG_W);
            return volume;
        }
        for axis in 0..3 {
            let mut normal = DVec3::ZERO;
            normal[axis] = 1.0;
            volume.add(normal.extend(-f64::from(bounds.min[axis])));
            volume.add((-normal).extend(f64::from(bounds.max[axis])));
        }
        volume
    }

    /// Returns a frustum of the world in the local space of a world transform, which need not have an inverse.
    ///
    /// If the frustum is relative to an eye, subtract the eye from the transform's translation first.
    #[must_use]
    pub fn of_frustum(frustum: &Frustum, world: impl Into<DAffine3>) -> Self {
        let (world, mut volume) = (world.into(), Self { planes: [DVec4::ZERO; PLANES], count: 0 });
        for &[x, y, z, d] in frustum.planes() {
            let (normal, d) = (Vec3::new(x, y, z).as_dvec3(), f64::from(d));
            volume.add((world.matrix3.transpose() * normal).extend(normal.dot(world.translation) + d));
        }
        volume
    }

    /// Returns the volume in a space whose points are `(p - center) * scale`.
    #[doc(hidden)]
    #[must_use]
    pub fn moved(mut self, center: DVec3, scale: f64) -> Self {
        for plane in &mut self.planes {
            let normal = plane.truncate();
            *plane = (normal / scale).extend(plane.w + normal.dot(center));
        }
        self
    }

    /// A plane at infinity, from an infinite box, has no effect. Nothing is inside of one without numbers.
    fn add(&mut self, plane: DVec4) {
        if plane.w != f64::INFINITY {
            self.planes[self.count] = plane;
            self.count += 1;
        }
    }

    /// Returns how much of a box touches: at least what is there, up to rounding. Never `Whole` for a box that is partly
    /// outside by more than rounding errors.
    #[doc(hidden)]
    #[must_use]
    pub fn touch_box(&self, min: DVec3, max: DVec3) -> Touch {
        let mut touch = Touch::Whole;
        for plane in &self.planes[..self.count] {
            let normal = plane.truncate();
            let [low, high] = [normal * min, normal * max];
            if low.max(high).element_sum() + plane.w < 0.0 {
                return Touch::None;
            }
            // NaN is not inside.
            let inside = low.min(high).element_sum() + plane.w >= 0.0;
            if !inside {
                touch = Touch::Part;
            }
        }
        touch
    }

    /// Returns how much of a triangle is in the volume, by cutting it with each plane.
    #[must_use]
    pub fn touch(&self, corners: [DVec3; 3]) -> Touch {
        let (mut polygon, mut count, mut touch) = ([DVec3::ZERO; CORNERS], 3, Touch::Whole);
        polygon[..3].copy_from_slice(&corners);
        for plane in &self.planes[..self.count] {
            let distance = |point: DVec3| plane.truncate().dot(point) + plane.w;
            let (before, mut kept) = (polygon, 0);
            let mut last = before[count - 1];
            let mut last_off = distance(last);
            for &point in &before[..count] {
                let off = distance(point);
                // The edge crosses the plane: keep the crossing.
                if (off >= 0.0) != (last_off >= 0.0) && kept < CORNERS {
                    polygon[kept] = last + (point - last) * (last_off / (last_off - off));
                    kept += 1;
                }
                if off >= 0.0 && kept < CORNERS {
                    polygon[kept] = point;
                    kept += 1;
                } else {
                    touch = Touch::Part;
                }
                (last, last_off) = (point, off);
            }
            if kept == 0 {
                return Touch::None;
            }
            count = kept;
        }
        touch
    }
}
