//! Repairs keys that a track refuses.

use glam::Quat;
use hedgerow_anim::raw::Interpolation;

/// Repaired keys, possibly none.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Keys<const N: usize> {
    pub(super) times: Vec<f32>,
    pub(super) values: Vec<[f32; N]>,
    /// The number of keys left out because of invalid numbers or a duplicate time.
    pub(super) dropped: usize,
    /// Whether times or the order of keys changed.
    pub(super) moved: bool,
}

/// Returns repaired keys. Each key has [`Interpolation::values_per_key`] values; values of four numbers are rotations.
///
/// Zero rotations and keys that are not finite are left out; other keys are sorted. Of several keys at the same time,
/// the first and last stay as a jump; the first moves to the previous `f32` time. Keys before time zero are removed.
///
/// Runs in **O(keys · log keys)**.
pub(super) fn mended<const N: usize>(times: &[f32], values: &[[f32; N]], interpolation: Interpolation) -> Keys<N> {
    let per_key = interpolation.values_per_key();
    let of_key = |key: usize| &values[key * per_key..(key + 1) * per_key];
    let value = |key: usize| &of_key(key)[per_key / 2];
    let is_sound = |key: &usize| {
        let finite = of_key(*key).as_flattened().iter().chain([&times[*key]]).all(|number| number.is_finite());
        finite && (N != 4 || value(*key).iter().any(|number| *number != 0.0))
    };
    let mut order: Vec<usize> = (0..times.len()).filter(is_sound).collect();
    let mut keys = Keys { dropped: times.len() - order.len(), ..Keys::default() };
    if !order.is_sorted_by(|&a, &b| times[a] <= times[b]) {
        order.sort_by(|&a, &b| times[a].total_cmp(&times[b]));
        keys.moved = true;
    }
    for run in order.chunk_by(|&a, &b| times[a] == times[b]) {
        let (first, last) = (run[0], run[run.len() - 1]);
        let (time, before) = (times[first], times[first].next_down());
        // Two values at one time are a jump. The old value needs a time just before it, which a key may already have.
        let is_jump = value(first) != value(last) && keys.times.last().is_none_or(|&end| end < before);
        if is_jump {
            keys.times.push(before);
            keys.values.extend(of_key(first));
        }
        // −0.0 becomes 0.0.
        keys.times.push(time + 0.0);
        keys.values.extend(of_key(last));
        keys.moved |= is_jump;
        keys.dropped += run.len() - 1 - usize::from(is_jump);
    }
    let negative = keys.times.partition_point(|&time| time < 0.0);
    if negative > 0 {
        keys.cut(negative, interpolation);
    }
    keys
}

impl<const N: usize> Keys<N> {
    /// Replaces the first `negative` keys, whose times are negative, by a key at time zero.
    fn cut(&mut self, negative: usize, interpolation: Interpolation) {
        let per_key = interpolation.values_per_key();
        let last = negative - 1;
        // After the last key, a track keeps its value.
        let mut start = self.values[last * per_key..negative * per_key].to_vec();
        if let Some(&end) = self.times.get(negative) {
            let span = end - self.times[last];
            let next = &self.values[negative * per_key..(negative + 1) * per_key];
            start = between(&start, next, -self.times[last] / span, span, interpolation);
        }
        // If a key is at zero already, no key is added.
        let stands = self.times.get(negative) != Some(&0.0);
        self.times.drain(..negative);
        self.values.drain(..negative * per_key);
        if stands {
            self.times.insert(0, 0.0);
            self.values.splice(0..0, start);
        }
        self.moved = true;
    }
}

/// Returns the key at the fraction `t` between two keys that are `span` seconds apart.
fn between<const N: usize>(
    from: &[[f32; N]],
    to: &[[f32; N]],
    t: f32,
    span: f32,
    interpolation: Interpolation,
) -> Vec<[f32; N]> {
    let mix = |number: &dyn Fn(usize) -> f32| core::array::from_fn(number);
    match interpolation {
        Interpolation::Step => from.to_vec(),
        Interpolation::Linear if N == 4 => {
            let [a, b] = [from[0], to[0]].map(|rotation| Quat::from_slice(&rotation).normalize());
            let rotation = a.slerp(b, t).to_array();
            vec![mix(&|axis| rotation[axis])]
        }
        Interpolation::Linear => vec![mix(&|axis| from[0][axis] + (to[0][axis] - from[0][axis]) * t)],
        // After the new key, the curve is the same polynomial.
        Interpolation::Cubic => {
            let (t2, t3) = (t * t, t * t * t);
            let ends = |axis: usize| (from[1][axis], from[2][axis] * span, to[0][axis] * span, to[1][axis]);
            let value = mix(&|axis| {
                let (a, out, into, b) = ends(axis);
                a * (2.0 * t3 - 3.0 * t2 + 1.0)
                    + out * (t3 - 2.0 * t2 + t)
                    + b * (3.0 * t2 - 2.0 * t3)
                    + into * (t3 - t2)
            });
            let tangent = mix(&|axis| {
                let (a, out, into, b) = ends(axis);
                let slope =
                    (a - b) * (6.0 * t2 - 6.0 * t) + out * (3.0 * t2 - 4.0 * t + 1.0) + into * (3.0 * t2 - 2.0 * t);
                slope / span
            });
            vec![tangent, value, tangent]
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hedgerow_anim::raw::Track;

    fn linear(times: &[f32], values: &[f32]) -> Keys<1> {
        let values: Vec<[f32; 1]> = values.iter().map(|&value| [value]).collect();
        mended(times, &values, Interpolation::Linear)
    }

    #[test]
    fn keys_of_one_time_make_a_jump() {
        let half = 0.5_f32.next_down();
        let keys = linear(&[0.0, 0.5, 0.5, 0.5, 1.0], &[0.0, 1.0, 9.0, 5.0, 6.0]);
        assert_eq!((keys.times, keys.dropped, keys.moved), (vec![0.0, half, 0.5, 1.0], 1, true));
        assert_eq!(keys.values, [[0.0], [1.0], [5.0], [6.0]]);
        let keys = linear(&[0.0, 0.5, 0.5, 1.0], &[0.0, 1.0, 1.0, 2.0]);
        assert_eq!((keys.times, keys.dropped, keys.moved), (vec![0.0, 0.5, 1.0], 1, false));
        // A jump at time zero is impossible.
        let keys = linear(&[0.0, 0.0, 1.0], &[3.0, 4.0, 5.0]);
        assert_eq!((keys.times, keys.values), (vec![0.0, 1.0], vec![[4.0], [5.0]]));
    }

    #[test]
    fn what_is_before_zero_is_cut_off() {
        let keys = linear(&[-0.125, 0.0, 1.0], &[0.0, 1.0, 2.0]);
        assert_eq!((keys.times, keys.values), (vec![0.0, 1.0], vec![[1.0], [2.0]]));
        let keys = linear(&[-3.0, -1.0, 3.0], &[9.0, 4.0, 8.0]);
        assert_eq!((keys.times, keys.values, keys.moved), (vec![0.0, 3.0], vec![[5.0], [8.0]], true));
        let keys = linear(&[-3.0, -1.0], &[9.0, 4.0]);
        assert_eq!((keys.times, keys.values), (vec![0.0], vec![[4.0]]));
        let keys = mended(&[-1.0, 1.0], &[[3.0], [4.0]], Interpolation::Step);
        assert_eq!((keys.times, keys.values), (vec![0.0, 1.0], vec![[3.0], [4.0]]));
        let turn = core::f32::consts::FRAC_1_SQRT_2;
        let keys = mended(&[-1.0, 1.0], &[[0.0, 0.0, 0.0, 2.0], [0.0, 0.0, -turn, -turn]], Interpolation::Linear);
        let eighth = Quat::from_rotation_z(core::f32::consts::FRAC_PI_4);
        assert!(Quat::from_array(keys.values[0]).angle_between(eighth) < 1e-3);
    }

    #[test]
    fn a_cubic_curve_that_is_cut_is_the_same_behind_the_cut() {
        let values = [[9.0], [1.0], [-3.0], [2.0], [5.0], [9.0]];
        let keys = mended(&[-0.5, 1.5], &values, Interpolation::Cubic);
        let [whole, cut] = [(vec![0.0, 2.0], values.to_vec()), (keys.times, keys.values)]
            .map(|(times, values)| Track::cubic(times, values.into_iter().map(|[value]| value).collect()).unwrap());
        for time in [0.0, 0.25, 0.75, 1.0, 1.5] {
            assert!((whole.sample(time + 0.5) - cut.sample(time)).abs() < 1e-5, "{time}");
        }
    }
}
