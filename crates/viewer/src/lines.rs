//! Lines of a picture: boxes and view frustums.

use crate::camera::{Camera, Lens};
use bytemuck::{Pod, Zeroable};
use hedgerow::Aabb;
use hedgerow::glam::{DVec3, Vec2, Vec3};

/// The edges of a box. Bit i of a corner's number is the corner's side on axis i.
pub(crate) const EDGES: [[usize; 2]; 12] =
    [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];

/// Returns the corners of a box relative to `eye`.
pub(crate) fn corners(bounds: &Aabb, eye: DVec3) -> [Vec3; 8] {
    std::array::from_fn(|number| {
        let side = |axis: usize| if number >> axis & 1 == 0 { bounds.min[axis] } else { bounds.max[axis] };
        (Vec3::new(side(0), side(1), side(2)).as_dvec3() - eye).as_vec3()
    })
}

/// The end of a line: 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct End {
    /// The position relative to the camera.
    place: [f32; 3],
    /// The colour; alpha is 255 if the line is always visible.
    colour: [u8; 4],
}

/// The appearance of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ink {
    /// Red, green and blue, linear.
    pub colour: [u8; 3],
    /// Whether it is visible even behind surfaces.
    pub on_top: bool,
}

/// Lines with positions relative to a camera.
#[derive(Clone, Debug)]
pub struct LineList {
    eye: DVec3,
    pub(crate) ends: Vec<End>,
}

impl LineList {
    /// Returns an empty list for a camera at `eye`.
    #[must_use]
    pub fn new(eye: DVec3) -> Self {
        Self { eye, ends: Vec::new() }
    }

    /// Returns the number of lines.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len() / 2
    }

    /// Returns whether there are no lines.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds the edges of a box; adds nothing if the box is empty or infinite.
    pub fn bounds(&mut self, bounds: &Aabb, ink: Ink) {
        if bounds.is_empty() || !bounds.is_finite() {
            return;
        }
        self.edges(corners(bounds, self.eye), ink);
    }

    /// Adds the edges of a view frustum, up to a distance.
    pub fn frustum(&mut self, camera: &Camera, aspect: f32, reach: f32, ink: Ink) {
        let back = camera.view_projection(aspect).inverse();
        let away = (camera.eye - self.eye).as_vec3();
        let corner = |number: usize| {
            let side = |axis: usize| if number >> axis & 1 == 0 { -1.0 } else { 1.0 };
            let at = |depth| back.project_point3(Vec3::new(side(0), side(1), depth));
            let place = match (camera.lens, number >> 2) {
                (_, 0) => at(1.0),
                (Lens::Orthographic(..), _) => at(0.0),
                (Lens::Perspective(..), _) => {
                    let way = at(0.5);
                    way * (reach / way.dot(camera.forward))
                }
            };
            place + away
        };
        self.edges(std::array::from_fn(corner), ink);
    }

    /// Adds a line between two positions in the world.
    pub fn line(&mut self, ends: [DVec3; 2], ink: Ink) {
        let eye = self.eye;
        self.extend(ends.map(|end| (end - eye).as_vec3()), ink);
    }

    /// Adds a rectangle of the picture between two points in normalised device coordinates.
    pub fn rectangle(&mut self, camera: &Camera, aspect: f32, [a, b]: [Vec2; 2], ink: Ink) {
        let back = camera.view_projection(aspect).inverse();
        let away = (camera.eye - self.eye).as_vec3();
        let corners =
            [a, Vec2::new(b.x, a.y), b, Vec2::new(a.x, b.y)].map(|at| back.project_point3(at.extend(0.5)) + away);
        self.extend([0, 1, 1, 2, 2, 3, 3, 0].map(|corner: usize| corners[corner]), ink);
    }

    fn edges(&mut self, corners: [Vec3; 8], ink: Ink) {
        self.extend(EDGES.as_flattened().iter().map(|&at| corners[at]), ink);
    }

    fn extend(&mut self, ends: impl IntoIterator<Item = Vec3>, ink: Ink) {
        let [r, g, b] = ink.colour;
        let colour = [r, g, b, if ink.on_top { 255 } else { 0 }];
        self.ends.extend(ends.into_iter().map(|end| End { place: end.to_array(), colour }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INK: Ink = Ink { colour: [255, 0, 0], on_top: false };

    #[test]
    fn a_box_has_twelve_edges_each_along_an_axis() {
        let eye = DVec3::new(1e7, 0.0, 3.0);
        let mut list = LineList::new(eye);
        let bounds = Aabb::new(Vec3::new(1e7, 1.0, 2.0), Vec3::new(1e7 + 4.0, 3.0, 8.0));
        list.bounds(&bounds, INK);
        list.bounds(&Aabb::EMPTY, INK);
        assert_eq!(list.len(), 12);
        let mut lengths = Vec::new();
        for [from, to] in list.ends.as_chunks().0 {
            let way = Vec3::from(to.place) - Vec3::from(from.place);
            lengths.push(way.to_array().iter().filter(|part| **part != 0.0).sum::<f32>());
            assert_eq!(way.to_array().iter().filter(|part| **part != 0.0).count(), 1, "{from:?} {to:?}");
        }
        lengths.sort_by(f32::total_cmp);
        assert_eq!(lengths, [2.0, 2.0, 2.0, 2.0, 4.0, 4.0, 4.0, 4.0, 6.0, 6.0, 6.0, 6.0]);
    }

    #[test]
    fn a_rectangle_of_the_picture_has_its_corners_there() {
        for lens in [Lens::Perspective(0.8, 0.1), Lens::Orthographic(5.0, 90.0)] {
            let camera = Camera { lens, ..Camera::looking(DVec3::new(5.0, 6.0, 7.0), DVec3::ZERO, 0.8) };
            let mut list = LineList::new(camera.eye);
            let (a, b) = (Vec2::new(-0.5, 0.75), Vec2::new(0.25, -0.125));
            list.rectangle(&camera, 1.5, [a, b], INK);
            assert_eq!(list.len(), 4);
            for end in &list.ends {
                let at = camera.view_projection(1.5).project_point3(end.place.into());
                let is_corner = |x: f32, y: f32| (at.x - x).abs() < 1e-4 && (at.y - y).abs() < 1e-4;
                assert!([a.x, b.x].into_iter().any(|x| is_corner(x, a.y) || is_corner(x, b.y)), "{at}");
            }
        }
    }

    #[test]
    fn edges_of_a_frustum_lie_on_its_planes() {
        let camera = Camera::looking(DVec3::new(5.0, 6.0, 7.0), DVec3::new(0.0, 1.0, -9.0), 0.8);
        let mut list = LineList::new(DVec3::ZERO);
        list.frustum(&camera, 1.5, 40.0, INK);
        assert_eq!(list.len(), 12);
        for end in &list.ends {
            let place = Vec3::from(end.place) - camera.eye.as_vec3();
            let clip = camera.view_projection(1.5).project_point3(place);
            assert!((clip.x.abs() - 1.0).abs() < 1e-3 && (clip.y.abs() - 1.0).abs() < 1e-3, "{clip}");
            assert!(place.dot(camera.forward) < 40.1, "{place}");
        }
    }
}
