//! Clips at points of a plane, triangulated.

use hedgerow_anim::glam::{DVec2, DVec3};

/// The greatest number of points.
pub(crate) const MOST_POINTS: usize = 64;

/// A Delaunay triangulation of points.
#[derive(Debug)]
pub(crate) struct Plane {
    points: Vec<DVec2>,
    /// The corners of each triangle, counterclockwise.
    triangles: Vec<[u16; 3]>,
    /// The edges that border one triangle.
    outline: Vec<[u16; 2]>,
}

impl Plane {
    /// Triangulates points; returns `None` if they are all on a line, or one is too near to another, or to a line between
    /// others, to have a triangle.
    ///
    /// Each axis is scaled by its own extent, so that it does not matter in which units the parameters are.
    /// A triangle belongs to the triangulation if no other point is in its circle, which is the case if no other point
    /// is below its plane when all points are lifted to a paraboloid. Points on one circle would make several
    /// triangulations at once, so each point is lifted by a little more or less. Runs in **O(points⁴)**.
    pub(crate) fn new(points: &[[f32; 2]]) -> Option<Self> {
        let points: Vec<DVec2> = points.iter().map(|&point| point.map(f64::from).into()).collect();
        let low = points.iter().copied().reduce(DVec2::min)?;
        let size = points.iter().copied().reduce(DVec2::max)? - low;
        let lifted = |number: usize| {
            let place = (points[number] - low) / size;
            // Squared, because in a grid, differences of numbers are equal, too.
            let scattered = ((number * number) as f64 * 0.618_033_988_749_895).fract();
            place.extend(place.length_squared() + 1e-7 * scattered)
        };
        let lifted: Vec<DVec3> = (0..points.len()).map(lifted).collect();
        let across =
            |[a, b, c]: [usize; 3]| (lifted[b] - lifted[a]).truncate().perp_dot((lifted[c] - lifted[a]).truncate());
        let is_free = |[a, b, c]: [usize; 3]| {
            let [p, q, r] = [a, b, c].map(|corner| lifted[corner]);
            let below = (q - p).cross(r - p);
            let others = (0..lifted.len()).filter(|other| ![a, b, c].contains(other));
            others.map(|other| below.dot(lifted[other] - p)).all(|height| height > 0.0)
        };
        let mut triangles = Vec::new();
        for a in 0..points.len() {
            for b in a + 1..points.len() {
                if points[a] == points[b] {
                    return None;
                }
                for c in b + 1..points.len() {
                    let corners = if across([a, b, c]) > 0.0 { [a, b, c] } else { [a, c, b] };
                    // Thinner than rounding means on a line.
                    if across(corners) > 1e-7 && is_free(corners) {
                        triangles.push(corners);
                    }
                }
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "a plane has at most 64 points")]
        let triangles: Vec<_> = triangles.into_iter().map(|corners| corners.map(|corner| corner as u16)).collect();
        let edges = |&[a, b, c]: &[u16; 3]| [[a, b], [b, c], [c, a]];
        let all: Vec<_> = triangles.iter().flat_map(edges).collect();
        let outline = all.iter().copied().filter(|&[a, b]| !all.contains(&[b, a])).collect();
        let placed = (0..points.len()).all(|number| all.iter().any(|edge| usize::from(edge[0]) == number));
        placed.then_some(Self { points, triangles, outline })
    }

    /// Returns the points around a place with their weights; those with weight 0 do not count.
    pub(crate) fn mix(&self, at: [f64; 2]) -> [(u16, f32); 3] {
        let mut mix = [(0, 0.0); 3];
        let at = DVec2::from(at);
        let shares = |corners: &[u16; 3]| {
            let [a, b, c] = corners.map(|corner| self.points[usize::from(corner)]);
            let area = (b - a).perp_dot(c - a);
            [(b, c), (c, a), (a, b)].map(|(from, to)| (to - from).perp_dot(at - from) / area)
        };
        let least = |corners: &[u16; 3]| shares(corners).into_iter().fold(f64::INFINITY, f64::min);
        let inmost = self.triangles.iter().max_by(|a, b| least(a).total_cmp(&least(b)));
        // On an edge, rounding may put a place just outside of both triangles.
        let (corners, weights) = match inmost.filter(|corners| least(corners) > -1e-9) {
            Some(corners) => (&corners[..], shares(corners)),
            None => {
                let near = |edge: &[u16; 2]| {
                    let [from, to] = edge.map(|end| self.points[usize::from(end)]);
                    let way = to - from;
                    let share = ((at - from).dot(way) / way.length_squared()).clamp(0.0, 1.0);
                    ((from + way * share).distance_squared(at), share)
                };
                let Some(edge) = self.outline.iter().min_by(|a, b| near(a).0.total_cmp(&near(b).0)) else {
                    return mix;
                };
                let (_, share) = near(edge);
                (&edge[..], [1.0 - share, share, 0.0])
            }
        };
        #[expect(clippy::cast_possible_truncation, reason = "weights have single precision")]
        let weights = weights.map(|weight| weight as f32);
        for ((to, &corner), weight) in mix.iter_mut().zip(corners).zip(weights) {
            *to = (corner, weight.max(0.0));
        }
        mix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangles_cover_the_hull_once_and_circles_are_free() {
        let mut dice = fastrand::Rng::with_seed(7);
        for round in 0..24 {
            // Random points, or those of a grid, of which many are on circles and lines.
            // Of 32 bits, so that all machines draw the same.
            let count = dice.u32(3..20) as usize;
            let random: Vec<[f32; 2]> = (0..count).map(|_| [dice.f32(), 100.0 * dice.f32()]).collect();
            let grid: Vec<[f32; 2]> = (0..20).map(|at| [(at % 5) as f32 * 0.1, (at / 5) as f32 * 0.3]).collect();
            let points = if round % 2 == 0 { random } else { grid[..6 + count % 15].to_vec() };
            let plane = Plane::new(&points);
            let Some(plane) = plane else { panic!("{points:?}") };
            // Euler: a triangulation of n points, of which h are on the outline, has 2 n - h - 2 triangles.
            assert_eq!(plane.triangles.len(), 2 * points.len() - plane.outline.len() - 2, "{points:?}");
            for (number, point) in points.iter().enumerate() {
                let mix = plane.mix(point.map(f64::from));
                assert!(mix.iter().any(|&(at, weight)| usize::from(at) == number && weight > 0.999_99), "{mix:?}");
            }
            // Weights have no jump: where they change by much from step to step, a shorter step changes them by less.
            let [from, to] = [(); 2].map(|()| [3.0 * dice.f64() - 1.0, 300.0 * dice.f64() - 100.0]);
            let weights = |share: f64| {
                let at = [0, 1].map(|axis| from[axis] + (to[axis] - from[axis]) * share);
                let mut weights = vec![0.0_f32; points.len()];
                plane.mix(at).iter().for_each(|&(number, weight)| weights[usize::from(number)] += weight);
                assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                weights
            };
            let change = |begin: f64, end: f64| {
                let pairs = weights(begin).into_iter().zip(weights(end));
                pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
            };
            for step in 0..1000 {
                let [mut begin, mut end] = [step, step + 1].map(|step| f64::from(step) / 1000.0);
                for _ in 0..30 {
                    let middle = (begin + end) / 2.0;
                    if change(begin, middle) > change(middle, end) {
                        end = middle;
                    } else {
                        begin = middle;
                    }
                    if change(begin, end) < 0.01 {
                        break;
                    }
                }
                assert!(change(begin, end) < 0.01, "a jump at {begin} in round {round}");
            }
        }
        // Turns, and speeds in other units: the clip in the middle keeps its place.
        let points = [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [-1.0, 50_000.0], [0.0, 50_000.0], [1.0, 50_000.0]];
        let plane = Plane::new(&points).unwrap();
        assert!(points.iter().zip(0..).all(|(point, number)| plane.mix(point.map(f64::from)).contains(&(number, 1.0))));
        assert!(Plane::new(&[[0.0, 0.0], [1e-9, 0.0], [1.0, 0.0], [0.0, 1.0]]).is_none(), "in no triangle");
        assert!(Plane::new(&[[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]]).is_none(), "on a line");
        assert!(Plane::new(&[[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 1.0]]).is_none(), "twice");
    }
}
