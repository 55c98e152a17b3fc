//! The camera of the pictures.

use hedgerow::glam::camera::rh;
use hedgerow::glam::{Vec2, Vec3};
use hedgerow::{math::Error, query::Frustum};

/// A perspective camera: x points right in the picture, y down.
pub(crate) struct Camera {
    eye: Vec3,
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    target: Vec3,
    /// The picture's size and focal length, in pixels.
    size: Vec2,
    focus: f32,
}

impl Camera {
    /// The distance of the near plane, in metres.
    pub(crate) const NEAR: f32 = 0.2;

    /// Returns a camera at `eye` that looks at `target`; `angle` is the vertical field of view in radians.
    pub(crate) fn new(eye: Vec3, target: Vec3, angle: f32, [width, height]: [usize; 2]) -> Self {
        let forward = (target - eye).normalize();
        let right = forward.cross(Vec3::Y).normalize();
        let size = Vec2::new(width as f32, height as f32);
        Self { eye, right, up: right.cross(forward), forward, target, size, focus: 0.5 * size.y / (0.5 * angle).tan() }
    }

    pub(crate) fn eye(&self) -> Vec3 {
        self.eye
    }

    /// Returns the pixel of a point, and the reciprocal of its depth as z; `None` if the point is nearer than the near
    /// plane.
    pub(crate) fn project(&self, point: Vec3) -> Option<Vec3> {
        let way = point - self.eye;
        let distance = way.dot(self.forward);
        (distance > Self::NEAR).then(|| {
            let scale = self.focus / distance;
            let x = 0.5 * self.size.x + way.dot(self.right) * scale;
            Vec3::new(x, 0.5 * self.size.y - way.dot(self.up) * scale, distance.recip())
        })
    }

    /// Returns the ray from the eye through a pixel, scaled to a depth of one metre.
    pub(crate) fn ray(&self, x: f32, y: f32) -> Vec3 {
        let (x, y) = ((x - 0.5 * self.size.x) / self.focus, (0.5 * self.size.y - y) / self.focus);
        self.forward + self.right * x + self.up * y
    }

    pub(crate) fn frustum(&self) -> Result<Frustum, Error> {
        let angle = 2.0 * (0.5 * self.size.y / self.focus).atan();
        let projection = rh::proj::directx::perspective_infinite_reverse(angle, self.size.x / self.size.y, Self::NEAR);
        let view = rh::view::look_at_mat4(self.eye, self.target, Vec3::Y);
        Frustum::from_view_projection(&(projection * view))
    }
}
