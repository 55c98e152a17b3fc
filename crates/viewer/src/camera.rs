//! Cameras.

use crate::failure::Result;
use hedgerow::glam::{DVec3, Mat4, Vec2, Vec3, Vec4};
use hedgerow::query::{Frustum, Ray};

/// A camera: position in double precision, direction and lens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The position.
    pub eye: DVec3,
    /// The view direction, of unit length.
    pub forward: Vec3,
    /// An approximate upward direction.
    pub up: Vec3,
    /// The lens.
    pub lens: Lens,
}

/// The projection of a camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Lens {
    /// Perspective: the vertical field of view in radians, and the distance of the near plane.
    Perspective(f32, f32),
    /// Orthographic: half the height, and the distance of the far plane.
    Orthographic(f32, f32),
}

impl Camera {
    /// Returns a camera at `eye` that looks at `target`; `angle` is the vertical field of view in radians.
    #[must_use]
    pub fn looking(eye: DVec3, target: DVec3, angle: f32) -> Self {
        let way = (target - eye).as_vec3();
        let near = (0.002 * way.length()).clamp(0.001, 0.2);
        let forward = way.try_normalize().unwrap_or(Vec3::NEG_Z);
        Self { eye, forward, up: Self::above(forward), lens: Lens::Perspective(angle, near) }
    }

    /// Returns an upward direction that is not along the view.
    #[must_use]
    pub fn above(forward: Vec3) -> Vec3 {
        if forward.y.abs() > 0.999 { Vec3::NEG_Z } else { Vec3::Y }
    }

    /// Returns the matrix from camera-relative positions to clip space. Depth goes from 1 (near) to 0 (far).
    #[must_use]
    pub fn view_projection(&self, aspect: f32) -> Mat4 {
        let back = -self.forward;
        let right = self.up.cross(back).try_normalize().unwrap_or(Vec3::X);
        let up = back.cross(right);
        let view = Mat4::from_cols(right.extend(0.0), up.extend(0.0), back.extend(0.0), Vec4::W).transpose();
        let projection = match self.lens {
            Lens::Perspective(angle, near) => {
                let focus = (0.5 * angle).tan().recip();
                Mat4::from_cols(
                    Vec4::new(focus / aspect, 0.0, 0.0, 0.0),
                    Vec4::new(0.0, focus, 0.0, 0.0),
                    Vec4::new(0.0, 0.0, 0.0, -1.0),
                    Vec4::new(0.0, 0.0, near, 0.0),
                )
            }
            Lens::Orthographic(half, far) => Mat4::from_cols(
                Vec4::new((half * aspect).recip(), 0.0, 0.0, 0.0),
                Vec4::new(0.0, half.recip(), 0.0, 0.0),
                Vec4::new(0.0, 0.0, far.recip(), 0.0),
                Vec4::new(0.0, 0.0, 1.0, 1.0),
            ),
        };
        projection * view
    }

    /// Returns the view frustum relative to the camera.
    pub fn relative_frustum(&self, aspect: f32) -> Result<Frustum> {
        Ok(Frustum::from_view_projection(&self.view_projection(aspect))?)
    }

    /// Returns the view frustum in world space.
    pub fn frustum(&self, aspect: f32) -> Result<Frustum> {
        let view_projection = self.view_projection(aspect) * Mat4::from_translation(-self.eye.as_vec3());
        Ok(Frustum::from_view_projection(&view_projection)?)
    }

    /// Returns the ray through a point of the picture, in normalised device coordinates, relative to the camera.
    pub fn ray(&self, aspect: f32, place: Vec2) -> Result<Ray> {
        Ok(Ray::from_ndc(&self.view_projection(aspect), place)?)
    }

    /// Returns the frustum of a rectangle between two points of the picture, in normalised device coordinates, relative to
    /// the camera.
    pub fn rectangle(&self, aspect: f32, [a, b]: [Vec2; 2]) -> Result<Frustum> {
        Ok(Frustum::from_view_projection_rect(&self.view_projection(aspect), a.min(b), a.max(b))?)
    }
}
