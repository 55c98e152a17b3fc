//! Tests that the kernels of all levels give the same bits.

use super::*;
use fastrand::Rng;
use hedgerow_math::internal::level::at_levels;

fn blocks(count: usize, dice: &mut Rng) -> Vec<PoseBlock> {
    let mut number = || 2.0 * dice.f32() - 1.0;
    let mut vector = || core::array::from_fn(|_| number());
    (0..count)
        .map(|_| PoseBlock {
            translation: core::array::from_fn(|_| vector()),
            rotation: core::array::from_fn(|_| vector()),
            scale: core::array::from_fn(|_| vector()),
        })
        .collect()
}

/// Runs all kernels on the same poses.
fn results(mask: Option<&[Weights]>, [pose, other, base]: &[Vec<PoseBlock>; 3]) -> Vec<Vec<PoseBlock>> {
    let (mut begun, mut begun_totals) = (base.clone(), vec![[7.0; LANES]; 5]);
    begin(&mut begun, &mut begun_totals, other, 0.7, mask);
    let (mut sum, mut totals) = (pose.clone(), vec![[0.5; LANES]; 5]);
    accumulate(&mut sum, &mut totals, other, 0.7, mask);
    totals[2][3] = 0.0;
    let mut averaged = base.clone();
    average(&sum, &totals, base, &mut averaged);
    assert_eq!(averaged[2].get(3), base[2].get(3), "a joint without weight");
    let (mut faded, mut added, mut apart) = (pose.clone(), pose.clone(), base.clone());
    fade(&mut faded, other, 0.3, mask);
    add(&mut added, other, 0.3, mask);
    difference(pose, other, &mut apart);
    let all_totals = [begun_totals, totals].map(|totals| {
        totals.iter().map(|&totals| PoseBlock { rotation: [totals; 4], ..PoseBlock::IDENTITY }).collect()
    });
    [begun, sum, averaged, faded, added, apart].into_iter().chain(all_totals).collect()
}

#[test]
fn every_level_gives_the_same_bits() {
    let mut dice = Rng::with_seed(3);
    let poses = [blocks(5, &mut dice), blocks(5, &mut dice), blocks(5, &mut dice)];
    let mask: Vec<Weights> = blocks(5, &mut dice).iter().map(|block| block.scale[0].map(f32::abs)).collect();
    for mask in [None, Some(&mask[..])] {
        let expected = results(mask, &poses);
        at_levels(|level| assert_eq!(results(mask, &poses), expected, "{level:?}"));
    }
}
