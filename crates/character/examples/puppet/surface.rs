//! The surface of the puppet's flesh as triangles.

use super::flesh::Flesh;
use hedgerow::glam::Vec3;

/// A closed surface: vertices, and triangles that are counter-clockwise from outside.
pub(crate) struct Surface {
    pub(crate) places: Vec<Vec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// The box around all flesh, and the width of a lattice cell, in metres.
const LOW: Vec3 = Vec3::new(-0.81, -0.05, -0.21);
const HIGH: Vec3 = Vec3::new(0.81, 1.89, 0.27);
const CELL: f32 = 0.035;
/// How often vertices are moved to the mean of their neighbours, to even out triangles.
const SMOOTHINGS: usize = 2;

impl Surface {
    /// Finds the surface on a lattice: a vertex in each cell that it crosses, and two triangles across each edge that
    /// it cuts.
    ///
    /// Source: S. Gibson, "Constrained elastic surface nets", 1998; here vertices are then moved onto the surface.
    pub(crate) fn of(flesh: &Flesh) -> Self {
        let lattice = Lattice::new(flesh);
        let mut surface = Self { places: Vec::new(), triangles: Vec::new() };
        let mut numbers = vec![None; lattice.corners.len()];
        for cell in lattice.cells() {
            if let Some(place) = lattice.place(cell) {
                numbers[cell] = Some(u32::try_from(surface.places.len()).expect("the lattice has fewer cells"));
                surface.places.push(place);
            }
        }
        for cell in lattice.cells() {
            for [along, u, v] in lattice.edges() {
                let (begins, ends) = (lattice.inside(cell), lattice.inside(cell + along));
                if begins == ends {
                    continue;
                }
                // Counter-clockwise as seen from the edge's end.
                let around = [cell - u - v, cell - v, cell, cell - u];
                let mut quad = around.map(|cell| numbers[cell].expect("the surface is in all four cells"));
                if ends {
                    quad.reverse();
                }
                surface.quad(quad);
            }
        }
        for _ in 0..SMOOTHINGS {
            surface.smooth(flesh);
        }
        surface
    }

    /// Adds two triangles, split along the shorter diagonal.
    fn quad(&mut self, [a, b, c, d]: [u32; 4]) {
        let span = |a: u32, b: u32| self.places[a as usize].distance_squared(self.places[b as usize]);
        let halves = if span(a, c) <= span(b, d) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
        self.triangles.extend(halves);
    }

    fn smooth(&mut self, flesh: &Flesh) {
        let mut sums = vec![(Vec3::ZERO, 0.0); self.places.len()];
        for &[a, b, c] in &self.triangles {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                // Each edge is met once in each direction.
                let sum = &mut sums[from as usize];
                *sum = (sum.0 + self.places[to as usize], sum.1 + 1.0);
            }
        }
        for (place, (sum, count)) in self.places.iter_mut().zip(sums) {
            *place = flesh.on_surface(place.lerp(sum / count, 0.5));
        }
    }
}

/// The corners of cells with their distances from the surface. A cell has the number of its lowest corner.
struct Lattice {
    /// Corners along each axis.
    size: [usize; 3],
    corners: Vec<(Vec3, f32)>,
}

impl Lattice {
    fn new(flesh: &Flesh) -> Self {
        let size =
            ((HIGH - LOW) / CELL).to_array().map(|cells| (0_u16..).take_while(|&n| f32::from(n) <= cells).count());
        let corner = |number: usize| {
            let steps = [number % size[0], number / size[0] % size[1], number / (size[0] * size[1])];
            let place = LOW + Vec3::from(steps.map(|steps| steps as f32)) * CELL;
            (place, flesh.distance(place))
        };
        Self { size, corners: (0..size.iter().product()).map(corner).collect() }
    }

    /// For each axis, returns the difference of corner numbers along that axis and along the two others.
    fn edges(&self) -> [[usize; 3]; 3] {
        let [x, y, z] = [1, self.size[0], self.size[0] * self.size[1]];
        [[x, y, z], [y, z, x], [z, x, y]]
    }

    /// Returns all cells; the surface keeps away from the border.
    fn cells(&self) -> impl Iterator<Item = usize> + use<> {
        let [x, y, z] = self.size;
        (0..z - 1).flat_map(move |k| (0..y - 1).flat_map(move |j| (0..x - 1).map(move |i| i + x * (j + y * k))))
    }

    fn inside(&self, corner: usize) -> bool {
        self.corners[corner].1 < 0.0
    }

    /// Returns the mean of the points at which the surface cuts the edges of a cell, if any.
    fn place(&self, cell: usize) -> Option<Vec3> {
        let (mut sum, mut count) = (Vec3::ZERO, 0.0);
        for [along, u, v] in self.edges() {
            for from in [cell, cell + u, cell + v, cell + u + v] {
                let ((begin, a), (end, b)) = (self.corners[from], self.corners[from + along]);
                if self.inside(from) != self.inside(from + along) {
                    sum += begin.lerp(end, a / (a - b));
                    count += 1.0;
                }
            }
        }
        (count > 0.0).then(|| sum / count)
    }
}
