//! The kernels at both levels, to the bit.

use super::*;

/// Deterministic, unremarkable numbers from -1 to 1, as a pose of so many blocks.
fn blocks(count: usize, state: &mut u32) -> Vec<PoseBlock> {
    let mut number = || {
        *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from((*state >> 16) as u16) / 32_768.0 - 1.0
    };
    let mut vector = || core::array::from_fn(|_| number());
    (0..count)
        .map(|_| PoseBlock {
            translation: core::array::from_fn(|_| vector()),
            rotation: core::array::from_fn(|_| vector()),
            scale: core::array::from_fn(|_| vector()),
        })
        .collect()
}

#[test]
fn both_levels_give_the_same_bits() {
    let mut state = 3;
    let (pose, other, base) = (blocks(5, &mut state), blocks(5, &mut state), blocks(5, &mut state));
    let mask: Vec<Weights> = blocks(5, &mut state).iter().map(|block| block.scale[0].map(f32::abs)).collect();
    for mask in [None, Some(&mask[..])] {
        let (mut sums, mut totals) = ([pose.clone(), pose.clone()], [vec![[0.5; LANES]; 5], vec![[0.5; LANES]; 5]]);
        accumulate(&mut sums[0], &mut totals[0], &other, 0.7, mask);
        accumulate_lanes(&mut sums[1], &mut totals[1], &other, 0.7, mask);
        assert!(sums[0] == sums[1] && totals[0] == totals[1]);
        let (mut begun, mut begun_totals) =
            ([base.clone(), base.clone()], [vec![[9.0; LANES]; 5], vec![[7.0; LANES]; 5]]);
        begin(&mut begun[0], &mut begun_totals[0], &other, 0.7, mask);
        begin_lanes(&mut begun[1], &mut begun_totals[1], &other, 0.7, mask);
        assert!(begun[0] == begun[1] && begun_totals[0] == begun_totals[1]);
        totals[0][2][3] = 0.0;
        let mut out = [base.clone(), base.clone()];
        average(&sums[0], &totals[0], &base, &mut out[0]);
        average_lanes(&sums[0], &totals[0], &base, &mut out[1]);
        assert_eq!(out[0], out[1]);
        assert_eq!(out[0][2].get(3), base[2].get(3), "a joint without weight");
        let mut out = [pose.clone(), pose.clone()];
        fade(&mut out[0], &other, 0.3, mask);
        fade_lanes(&mut out[1], &other, 0.3, mask);
        assert_eq!(out[0], out[1]);
        let mut out = [pose.clone(), pose.clone()];
        add(&mut out[0], &other, 0.3, mask);
        add_lanes(&mut out[1], &other, 0.3, mask);
        assert_eq!(out[0], out[1]);
    }
    let mut out = [base.clone(), base.clone()];
    difference(&pose, &other, &mut out[0]);
    difference_lanes(&pose, &other, &mut out[1]);
    assert_eq!(out[0], out[1]);
}
