//! Replaces invalid numbers of vertices.

use super::Topology;
use glam::Vec3;
use hedgerow::Aabb;

/// Returns the box around all points; `None` if a number is not finite.
pub(super) fn box_of(points: &[[f32; 3]]) -> Option<Aabb> {
    // Blocks of four points: the compiler vectorises this loop.
    let (blocks, rest) = points.as_chunks::<4>();
    let (mut low, mut high, mut bad) = ([f32::INFINITY; 12], [f32::NEG_INFINITY; 12], [false; 12]);
    for block in blocks {
        for (lane, &number) in block.as_flattened().iter().enumerate() {
            // Comparisons instead of `min`, whose rules for NaN take more instructions.
            low[lane] = if number < low[lane] { number } else { low[lane] };
            high[lane] = if number > high[lane] { number } else { high[lane] };
            bad[lane] |= !number.is_finite();
        }
    }
    if bad.contains(&true) || !rest.as_flattened().iter().all(|number| number.is_finite()) {
        return None;
    }
    let corner = |numbers: &[f32], lane: usize| Vec3::from_slice(&numbers[3 * lane..]);
    let blocks = (0..4).map(|lane| Aabb { min: corner(&low, lane), max: corner(&high, lane) });
    let rest = Aabb::from_points(rest.iter().copied().map(Vec3::from_array));
    Some(blocks.fold(rest, |all, block| all.merge(&block)))
}

/// Replaces each point that is not finite by the finite point before it, else by the first finite point, else by zero.
/// Returns the box of all points and the number of replacements.
pub(super) fn points(points: &mut [[f32; 3]]) -> (Aabb, usize) {
    if let Some(bounds) = box_of(points) {
        return (bounds, 0);
    }
    let is_finite = |point: &[f32; 3]| point.iter().all(|number| number.is_finite());
    let mut last = points.iter().copied().find(is_finite).unwrap_or_default();
    let mut count = 0;
    for point in &mut *points {
        if is_finite(point) {
            last = *point;
        } else {
            *point = last;
            count += 1;
        }
    }
    (box_of(points).unwrap_or(Aabb::EMPTY), count)
}

/// Replaces vectors that are not finite, and returns how many were replaced.
pub(super) fn vectors<const N: usize>(vectors: &mut [[f32; N]], by: [f32; N]) -> usize {
    if vectors.as_flattened().iter().fold(true, |all, number| all & number.is_finite()) {
        return 0;
    }
    let bad = vectors.iter_mut().filter(|vector| !vector.iter().all(|number| number.is_finite()));
    bad.map(|vector| *vector = by).count()
}

/// Replaces weights that are negative or not finite by zero, and returns how many were replaced.
pub(super) fn weights(weights: &mut [f32]) -> usize {
    let is_bad = |weight: f32| (weight < 0.0) | !weight.is_finite();
    if !weights.iter().fold(false, |any, &weight| any | is_bad(weight)) {
        return 0;
    }
    weights.iter_mut().filter(|weight| is_bad(**weight)).map(|weight| *weight = 0.0).count()
}

/// Returns how many vertices have only zero weights.
pub(super) fn without_weight(weights: &[f32], influences: usize) -> usize {
    weights.chunks_exact(influences).filter(|of_vertex| of_vertex.iter().sum::<f32>() == 0.0).count()
}

/// Sets to zero the joints whose number is `limit` or more, and their weights. Returns how many joints were changed.
pub(super) fn joints(joints: &mut [u16], weights: &mut [f32], limit: usize) -> usize {
    // Nearly all meshes end here.
    if usize::from(joints.iter().copied().fold(0, u16::max)) < limit {
        return 0;
    }
    let bad = joints.iter_mut().zip(weights).filter(|(joint, _)| usize::from(**joint) >= limit);
    bad.map(|(joint, weight)| (*joint, *weight) = (0, 0.0)).count()
}

/// Returns how many indices are `limit` or more.
pub(super) fn bad_indices(indices: &[u32], limit: usize) -> usize {
    let is_bad = |index: u32| index as usize >= limit;
    // Nearly all files end here; the compiler vectorises the maximum.
    if indices.is_empty() || !is_bad(indices.iter().copied().fold(0, u32::max)) {
        return 0;
    }
    indices.iter().filter(|&&index| is_bad(index)).count()
}

/// Sets to 0 all indices of each triangle or line of a list, of `size` indices, that has an index of `limit` or more.
pub(super) fn list(indices: &mut [u32], limit: usize, size: usize) {
    let bad = indices.chunks_mut(size).filter(|of_one| bad_indices(of_one, limit) > 0);
    bad.for_each(|of_one| of_one.fill(0));
}

/// Appends to `list` the triangles, lines or points of a strip, a fan, a loop or points that have no index of `limit`
/// or more, with their front faces as before. Returns the topology of the list. After the index `restart`, a new strip,
/// fan or loop begins, as in WebGL 2.
pub(super) fn listed(
    indices: &[u32],
    topology: Topology,
    (limit, restart): (usize, u32),
    list: &mut Vec<u32>,
) -> Topology {
    let mut push = |corners: &[u32]| {
        if bad_indices(corners, limit) == 0 {
            list.extend_from_slice(corners);
        }
    };
    for part in indices.split(|&index| index == restart) {
        match (topology, part) {
            (Topology::TriangleStrip, _) => {
                for (at, it) in part.windows(3).enumerate() {
                    // Every other triangle of a strip is turned, which keeps the winding.
                    push(&[it[0], it[1 + at % 2], it[2 - at % 2]]);
                }
            }
            (Topology::TriangleFan, [first, rim @ ..]) => rim.windows(2).for_each(|it| push(&[it[0], it[1], *first])),
            (Topology::LineStrip, _) => part.windows(2).for_each(&mut push),
            (Topology::LineLoop, [first, .., last]) => {
                part.windows(2).for_each(&mut push);
                push(&[*last, *first]);
            }
            (Topology::Points, _) => part.chunks(1).for_each(&mut push),
            _ => {}
        }
    }
    let (topology, size) = match topology {
        Topology::TriangleStrip | Topology::TriangleFan => (Topology::Triangles, 3),
        Topology::LineStrip | Topology::LineLoop => (Topology::Lines, 2),
        other => (other, 1),
    };
    // Without indices, all vertices would be drawn.
    if list.is_empty() {
        list.resize(size, 0);
    }
    topology
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAN: f32 = f32::NAN;

    #[test]
    fn points_get_the_place_of_a_finite_one() {
        let mut list: Vec<[f32; 3]> = (0..11_u8).map(|number| [f32::from(number), 1.0, -f32::from(number)]).collect();
        let bounds = Aabb::new(Vec3::new(0.0, 1.0, -10.0), Vec3::new(10.0, 1.0, 0.0));
        assert_eq!(points(&mut list), (bounds, 0));
        for (at, by) in [(0, 1), (1, 0), (5, 4), (8, 7), (10, 9)] {
            let mut bent = list.clone();
            bent[at][at % 3] = f32::INFINITY;
            assert_eq!(points(&mut bent).1, 1);
            assert_eq!(bent[at], list[by]);
        }
        let mut none = [[NAN; 3]; 9];
        assert_eq!(points(&mut none), (Aabb::new(Vec3::ZERO, Vec3::ZERO), 9));
        assert_eq!(points(&mut []), (Aabb::EMPTY, 0));
    }

    #[test]
    fn weights_and_joints_are_those_that_a_skin_can_follow() {
        let mut list = [1.0, -1e-9, NAN, f32::INFINITY, 0.0, 0.0];
        assert_eq!(weights(&mut list), 3);
        assert_eq!(list, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(without_weight(&list, 2), 2);
        let (mut of, mut list) = ([0, 7, 9, 9, 9, 1], [0.5, 0.5, 1.0, 0.0, 0.0, 1.0]);
        assert_eq!(joints(&mut of, &mut list, 9), 3);
        assert_eq!((of, list), ([0, 7, 0, 0, 0, 1], [0.5, 0.5, 0.0, 0.0, 0.0, 1.0]));
    }

    #[test]
    fn what_has_an_index_too_many_has_no_area() {
        for (size, expected) in [(3, [0, 1, 2, 0, 0, 0, 4, 4]), (2, [0, 1, 0, 0, 0, 0, 4, 4])] {
            let mut indices = [0, 1, 2, 9, 5, 3, 4, 4];
            assert_eq!(bad_indices(&indices, 5), 2);
            list(&mut indices, 5, size);
            assert_eq!(indices, expected);
        }
    }

    #[test]
    fn strips_fans_and_loops_are_listed_without_bad_indices() {
        use Topology::{LineLoop, LineStrip, Lines, Points, TriangleFan, TriangleStrip, Triangles};
        const R: u32 = 0xFF;
        for (topology, indices, expected, as_list) in [
            (TriangleStrip, &[0, 1, 2, R, 3, 4, 5][..], Triangles, &[0, 1, 2, 3, 4, 5][..]),
            (TriangleStrip, &[0, 1, 2, 9, 3, 4, 5], Triangles, &[0, 1, 2, 3, 4, 5]),
            // Every second triangle is wound the other way, counted from the last restart.
            (TriangleStrip, &[0, 1, 2, 3, R, 2, 3, 4, 5], Triangles, &[0, 1, 2, 1, 3, 2, 2, 3, 4, 3, 5, 4]),
            (TriangleStrip, &[9, 0, 1, 2], Triangles, &[0, 2, 1]),
            (TriangleFan, &[0, 1, 2, 9, 3, 4], Triangles, &[1, 2, 0, 3, 4, 0]),
            (TriangleFan, &[0, 1, 2, R, 3, 4, 5], Triangles, &[1, 2, 0, 4, 5, 3]),
            (LineStrip, &[0, 1, R, 2, 3, 9, 4, 5], Lines, &[0, 1, 2, 3, 4, 5]),
            (LineLoop, &[0, 1, 2, R, 3, 4, 5], Lines, &[0, 1, 1, 2, 2, 0, 3, 4, 4, 5, 5, 3]),
            (LineLoop, &[0, 1, 9, 2, R, 3, R], Lines, &[0, 1, 2, 0]),
            (Points, &[0, 9, R, 1], Points, &[0, 1]),
            // A list without indices would draw all vertices.
            (TriangleFan, &[9, 0, 1, 2], Triangles, &[0, 0, 0]),
            (LineStrip, &[R], Lines, &[0, 0]),
        ] {
            let mut list = Vec::new();
            assert_eq!(listed(indices, topology, (6, R), &mut list), expected);
            assert_eq!(list, as_list, "{topology:?} {indices:?}");
        }
    }
}
