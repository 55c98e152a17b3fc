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

/// Sets to zero the weights of joints whose number is `limit` or more, and returns how many weights were changed. If
/// all weights of a vertex are then zero and the number of its first joint is `limit` or more, that number becomes 0.
pub(super) fn joints(joints: &mut [u16], weights: &mut [f32], influences: usize, limit: usize) -> usize {
    if usize::from(joints.iter().copied().fold(0, u16::max)) < limit {
        return 0;
    }
    let mut count = 0;
    for (joints, weights) in joints.chunks_exact_mut(influences).zip(weights.chunks_exact_mut(influences)) {
        let before = count;
        for (&joint, weight) in joints.iter().zip(&mut *weights) {
            if *weight > 0.0 && usize::from(joint) >= limit {
                *weight = 0.0;
                count += 1;
            }
        }
        if usize::from(joints[0]) >= limit && weights.iter().all(|&weight| weight == 0.0) {
            joints[0] = 0;
            count = count.max(before + 1);
        }
    }
    count
}

/// Replaces indices of `vertices` or more, and returns how many were replaced. In lists, all indices of the triangle or
/// line become 0; in other topologies, the index becomes the previous index. Either has no area.
pub(super) fn indices(indices: &mut Vec<u32>, vertices: usize, topology: Topology) -> usize {
    let is_bad = |index: u32| index as usize >= vertices;
    if !is_bad(indices.iter().copied().fold(0, u32::max)) || indices.is_empty() {
        return 0;
    }
    let count = indices.iter().filter(|&&index| is_bad(index)).count();
    if vertices == 0 {
        indices.clear();
        return count;
    }
    let size = match topology {
        Topology::Triangles => 3,
        Topology::Lines => 2,
        _ => 1,
    };
    let mut last = 0;
    for of_one in indices.chunks_mut(size) {
        if of_one.iter().any(|&index| is_bad(index)) {
            of_one.fill(if size > 1 { 0 } else { last });
        }
        last = of_one[0];
    }
    count
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
        assert_eq!(joints(&mut of, &mut list, 2, 9), 1);
        assert_eq!((of, list), ([0, 7, 0, 9, 9, 1], [0.5, 0.5, 0.0, 0.0, 0.0, 1.0]));
        let (mut of, mut list) = ([9, 0], [0.0, 0.0]);
        assert_eq!((joints(&mut of, &mut list, 2, 1), of), (1, [0, 0]));
    }

    #[test]
    fn what_has_an_index_too_many_has_no_area() {
        for (topology, vertices, expected) in [
            (Topology::Triangles, 5, vec![0, 1, 2, 0, 0, 0, 4, 4]),
            (Topology::Lines, 5, vec![0, 1, 0, 0, 0, 0, 4, 4]),
            (Topology::TriangleStrip, 5, vec![0, 1, 2, 2, 2, 3, 4, 4]),
            (Topology::Points, 0, vec![]),
        ] {
            let mut list = vec![0, 1, 2, 9, 5, 3, 4, 4];
            assert_eq!(indices(&mut list, vertices, topology), if vertices == 0 { 8 } else { 2 });
            assert_eq!(list, expected, "{topology:?}");
        }
    }
}
