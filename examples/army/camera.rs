//! Where the picture is seen from.

use hedgerow::glam::camera::rh;
use hedgerow::glam::{Vec2, Vec3};
use hedgerow::{math::Error, query::Frustum};

/// A camera with straight perspective: x goes to the right of the picture, y down.
pub(crate) struct Camera {
    eye: Vec3,
    right: Vec3,
    up: Vec3,
    forward: Vec3,
    target: Vec3,
    /// The picture's size, and how many pixels away the picture would be if its pixels were in space.
    size: Vec2,
    focus: f32,
}

impl Camera {
    /// What is nearer than this is not seen, in metres.
    pub(crate) const NEAR: f32 = 0.2;

    /// Returns a camera at a place that looks at another; `angle` is how much it sees from top to bottom, in radians.
    pub(crate) fn new(eye: Vec3, target: Vec3, angle: f32, [width, height]: [usize; 2]) -> Self {
        let forward = (target - eye).normalize();
        let right = forward.cross(Vec3::Y).normalize();
        let size = Vec2::new(width as f32, height as f32);
        Self { eye, right, up: right.cross(forward), forward, target, size, focus: 0.5 * size.y / (0.5 * angle).tan() }
    }

    pub(crate) fn eye(&self) -> Vec3 {
        self.eye
    }

    /// Returns where a point is in the picture, and the reciprocal of its distance, which is larger for what is nearer;
    /// `None` for what is too near or behind the camera.
    pub(crate) fn project(&self, point: Vec3) -> Option<Vec3> {
        let way = point - self.eye;
        let distance = way.dot(self.forward);
        (distance > Self::NEAR).then(|| {
            let scale = self.focus / distance;
            let x = 0.5 * self.size.x + way.dot(self.right) * scale;
            Vec3::new(x, 0.5 * self.size.y - way.dot(self.up) * scale, distance.recip())
        })
    }

    /// Returns the way from the eye through a point of the picture, as long as it takes to get one metre forward.
    pub(crate) fn ray(&self, x: f32, y: f32) -> Vec3 {
        let (x, y) = ((x - 0.5 * self.size.x) / self.focus, (0.5 * self.size.y - y) / self.focus);
        self.forward + self.right * x + self.up * y
    }

    /// Returns what it sees.
    pub(crate) fn frustum(&self) -> Result<Frustum, Error> {
        let angle = 2.0 * (0.5 * self.size.y / self.focus).atan();
        let projection = rh::proj::directx::perspective_infinite_reverse(angle, self.size.x / self.size.y, Self::NEAR);
        let view = rh::view::look_at_mat4(self.eye, self.target, Vec3::Y);
        Frustum::from_view_projection(&(projection * view))
    }
}
