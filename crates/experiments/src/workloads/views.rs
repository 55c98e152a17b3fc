//! A camera and the shadow cascades of what it sees.

use hedgerow::glam::{DVec3, Mat4, Vec3, Vec4};
use hedgerow::{math::Error, query::Frustum};

/// Where each cascade ends, in shares of what the camera sees.
const ENDS: [f32; ViewsOfTown::COUNT - 1] = [0.06, 0.25, 1.0];
/// How far away things are that cast shadows, in metres.
const REACH: f32 = 60.0;
/// Towards the sun.
const SUN: Vec3 = Vec3::new(-0.62, 0.62, 0.40);

/// What one camera and its cascades look at: the camera first, then the nearest cascade.
#[derive(Clone, Copy, Debug)]
pub struct ViewsOfTown {
    /// In the space of the town.
    pub frusta: [Frustum; Self::COUNT],
    /// The same around the eye.
    pub around_eye: [Frustum; Self::COUNT],
    /// Where the camera is.
    pub eye: DVec3,
}

impl ViewsOfTown {
    /// The camera and its cascades.
    pub const COUNT: usize = 4;

    /// The views of each of these cameras, from places of the town to clip space with depths from 0 to 1.
    ///
    /// # Errors
    /// For a camera that is not one.
    pub fn all(cameras: &[Mat4]) -> Result<Vec<Self>, Error> {
        cameras.iter().map(Self::of).collect()
    }

    fn of(camera: &Mat4) -> Result<Self, Error> {
        let back = camera.inverse();
        let sides = [(-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0)];
        let corners = |depth: f32| sides.map(|(x, y)| back.project_point3(Vec3::new(x, y, depth)));
        let (near, far) = (corners(0.0), corners(1.0));
        // The near plane is close to it.
        let eye = near.iter().sum::<Vec3>() / near.len() as f32;
        let mut begin = 0.0;
        let mut planes = [planes_of(camera); Self::COUNT];
        for (planes, end) in planes[1..].iter_mut().zip(ENDS) {
            let along = |share: f32| near.iter().zip(&far).map(move |(near, far)| near.lerp(*far, share));
            *planes = planes_around(along(begin).chain(along(end)));
            begin = end;
        }
        let moved =
            |planes: [Vec4; 6]| planes.map(|plane| plane.truncate().extend(plane.w + plane.truncate().dot(eye)));
        let camera = Frustum::from_planes(planes[0])?;
        let mut views = Self { frusta: [camera; Self::COUNT], around_eye: [camera; Self::COUNT], eye: eye.as_dvec3() };
        for (at, planes) in planes.into_iter().enumerate() {
            views.frusta[at] = Frustum::from_planes(planes)?;
            views.around_eye[at] = Frustum::from_planes(moved(planes))?;
        }
        Ok(views)
    }
}

/// The planes of a camera, all of whose normals lead inwards.
fn planes_of(camera: &Mat4) -> [Vec4; 6] {
    let [x, y, z, w] = core::array::from_fn(|row| camera.row(row));
    [w + x, w - x, w + y, w - y, z, w - z]
}

/// The planes of a box along the sun's rays around some places, with all that casts shadows there.
fn planes_around(places: impl Iterator<Item = Vec3> + Clone) -> [Vec4; 6] {
    let sun = SUN.normalize();
    let right = Vec3::Y.cross(sun).normalize();
    let axes = [right, sun.cross(right), sun];
    let [x, y, z] = axes.map(|axis| {
        let along = places.clone().map(|place| axis.dot(place));
        let (low, high) = along.fold((f32::MAX, f32::MIN), |(low, high), at| (low.min(at), high.max(at)));
        (axis, low, high)
    });
    let pair = |(axis, low, high): (Vec3, f32, f32)| [axis.extend(-low), (-axis).extend(high)];
    let [[a, b], [c, d], [e, f]] = [pair(x), pair(y), pair((z.0, z.1, z.2 + REACH))];
    [a, b, c, d, e, f]
}
