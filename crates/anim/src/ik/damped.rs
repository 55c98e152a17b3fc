//! Damped least squares: turns of all joints at once that lessen the distance to a goal.

use super::limit::{Bound, arc};
use super::math::{M, Number, Q, V};

/// The joints of a chain and the ways in which they may turn: memory of a solver, without a state between solves.
#[derive(Clone, Debug)]
pub(super) struct Damped {
    links: Vec<Link>,
    /// One for each hinge, three for each other joint.
    ways: Vec<Way>,
    count: usize,
}

/// A joint with the bone to the next. A turn is a rotation, with the angle of a hinge.
#[derive(Clone, Copy, Debug, Default)]
struct Link {
    /// In the joint's space and in lengths of the chain.
    bone: V<f64>,
    now: (Q<f64>, f64),
    /// Before the last step.
    before: (Q<f64>, f64),
    /// The best of all starts.
    best: (Q<f64>, f64),
    /// For a cone, the bone's direction and [its basis](super::limit::Cone::basis).
    direction: V,
    basis: [Q<f64>; 4],
    /// The rotation and the place of its space, without its own turn, in the goal's axes and from the goal.
    above: Q<f64>,
    place: V<f64>,
}

/// A way in which a joint may turn.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
    /// In the space of the joint's parent.
    axis: V<f64>,
    /// What a radian adds to the error: a column of the Jacobian matrix.
    column: [f64; 6],
    /// The radians of this step, and their limits.
    turn: f64,
    least: f64,
    most: f64,
    is_stopped: bool,
}

/// The goal, in the space of the start joint's parent, relative to the start joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    /// In lengths of the chain.
    pub(super) place: V<f64>,
    pub(super) rotation: Q<f64>,
    /// Along and about the goal's axes.
    pub(super) weights: [V<f64>; 2],
    /// The end's rotation in the space of its parent.
    pub(super) end: Q<f64>,
}

/// How far the end is from the goal.
#[derive(Clone, Copy, Debug)]
struct Error<const N: usize> {
    /// Along and about the goal's axes, with weights.
    rows: [f64; N],
    square: f64,
    /// Where weights are above 0: the distance in lengths of the chain, or the angle if it is greater.
    left: f64,
}

/// The longest step of one joint in a round, in radians.
const STEP: f64 = 0.6;

impl Damped {
    pub(super) fn new(joints: usize) -> Self {
        Self { links: vec![Link::default(); joints], ways: vec![Way::default(); 3 * joints], count: 0 }
    }

    /// Sets the bones and rotations to start from, within the limits. `total` is the chain's length.
    pub(super) fn read(&mut self, bones: impl Iterator<Item = (V, Q)>, bounds: &[Bound], total: f32) {
        for ((link, (bone, posed)), bound) in self.links.iter_mut().zip(bones).zip(bounds) {
            link.bone = bone.all(1.0_f64) * (1.0 / f64::from(total));
            link.now.0 = posed.all(1.0_f64).unit();
            match bound {
                Bound::Free => {}
                Bound::Hinge(hinge) => link.now = hinge.turn(hinge.angle(link.now.0)),
                Bound::Cone(cone) => {
                    link.direction = bone.unit_or(V::X);
                    link.basis = cone.basis(link.direction);
                    link.now.0 = cone.nearest(link.now.0, &link.basis);
                }
            }
            link.best = link.now;
        }
    }

    /// Returns the rotations that were found.
    pub(super) fn rotations(&self) -> impl Iterator<Item = Q> {
        self.links.iter().map(|link| link.best.0.first())
    }

    /// Finds rotations from the pose, then from other starts while the goal is not reached. Returns the distance that
    /// is left, or the angle if it is greater.
    #[inline(always)]
    pub(super) fn solve<const N: usize>(
        &mut self,
        bounds: &[Bound],
        target: &Target,
        (rounds, starts): (u32, u32),
        enough: f64,
    ) -> f64 {
        let (mut best, is_stuck) = self.descend::<N>(bounds, target, rounds, enough);
        self.links.iter_mut().for_each(|link| link.best = link.now);
        for start in u32::from(!is_stuck)..=starts {
            if best.left <= enough {
                break;
            }
            if start == 0 {
                // Where a straight chain points at its goal, turns gain nothing, but from beside it they do.
                for (share, way) in spread(1).zip(&mut self.ways[..self.count]) {
                    way.turn = (0.1 * (share - 0.5)).clamp(way.least, way.most);
                }
                self.turn(bounds);
            } else {
                for (share, (link, bound)) in spread(start).zip(self.links.iter_mut().zip(bounds)) {
                    if let Bound::Hinge(hinge) = bound {
                        link.now = hinge.turn(hinge.at(share));
                    }
                }
            }
            let (found, _) = self.descend::<N>(bounds, target, rounds, enough);
            // Poses that are as good would change places from frame to frame.
            if found.square < 0.98 * best.square || found.left <= enough {
                best = found;
                self.links.iter_mut().for_each(|link| link.best = link.now);
            }
        }
        best.left
    }

    /// Lessens the error from the present rotations on. Returns it, and whether rounds stopped because they gain
    /// nothing.
    #[inline(always)]
    fn descend<const N: usize>(
        &mut self,
        bounds: &[Bound],
        target: &Target,
        rounds: u32,
        enough: f64,
    ) -> (Error<N>, bool) {
        let (mut error, mut damping, mut is_new) = (self.measure::<N>(target), 0.1, true);
        for _ in 0..rounds {
            if error.left <= enough {
                break;
            }
            if is_new {
                self.linearise(bounds, target);
            }
            // By the error's square, because a sure step is long only near the goal.
            self.step(&error.rows, damping * error.square + 1e-12);
            self.links.iter_mut().for_each(|link| link.before = link.now);
            self.turn(bounds);
            let next = self.measure::<N>(target);
            let gain = 1.0 - next.square / error.square;
            is_new = gain > 0.0;
            if is_new {
                error = next;
                damping *= 0.25;
            } else {
                self.links.iter_mut().for_each(|link| link.now = link.before);
                damping *= 8.0;
            }
            if gain.abs() < 1e-4 {
                return (error, true);
            }
        }
        (error, false)
    }

    /// Computes the places of all joints, and how far the end is from the goal.
    #[inline(always)]
    fn measure<const N: usize>(&mut self, target: &Target) -> Error<N> {
        // In the goal's axes, where its weights are.
        let back = target.rotation.inverse();
        let (mut above, mut place) = (back, back * target.place * -1.0);
        for link in &mut self.links {
            (link.above, link.place) = (above, place);
            above = above * link.now.0;
            place = place + above * link.bone;
        }
        let mut ways = [place * -1.0, V::ZERO.all(0.0)];
        if N > 3 {
            ways[1] = turn_left(above * target.end, target.weights[1]);
        }
        let (mut rows, mut left) = ([0.0; N], 0.0_f64);
        for ((three, way), weight) in rows.chunks_exact_mut(3).zip(ways).zip(target.weights) {
            let weighted = way.scaled(weight);
            three.copy_from_slice(&[weighted.x, weighted.y, weighted.z]);
            left = left.max((way - free(way, weight)).square().sqrt());
        }
        let square = rows.iter().map(|row| row * row).sum();
        Error { rows, square, left }
    }

    /// Computes the ways in which the joints may turn, and what each adds.
    #[inline(always)]
    fn linearise(&mut self, bounds: &[Bound], target: &Target) {
        let last = self.links.len() - 1;
        let end = self.links[last];
        let end = end.place + end.above * (end.now.0 * end.bone);
        let ([along, about], mut count) = (target.weights, 0);
        for (link, bound) in self.links.iter().zip(bounds) {
            let mut add = |axis: V<f64>, least: f64, most: f64| {
                let turned = link.above * axis;
                let (place, turn) = (turned.cross(end - link.place).scaled(along), turned.scaled(about));
                let column = [place.x, place.y, place.z, turn.x, turn.y, turn.z];
                self.ways[count] =
                    Way { axis, column, least: least.max(-STEP), most: most.min(STEP), ..Way::default() };
                count += 1;
            };
            match bound {
                Bound::Hinge(hinge) => add(hinge.axis, hinge.least - link.now.1, hinge.most - link.now.1),
                Bound::Free => M::IDENTITY.0.into_iter().for_each(|axis| add(axis.all(1.0), -STEP, STEP)),
                Bound::Cone(cone) => {
                    let step = |turns| if turns { STEP } else { 0.0 };
                    for (axis, [back, on]) in cone.axes(link.now.0, &link.basis, link.direction) {
                        add(axis, -step(back), step(on));
                    }
                }
            }
        }
        self.count = count;
    }

    /// Computes the turns of a step: those that minimise the square of the error that they leave, and of themselves
    /// times the damping. What is beyond a limit stops there, and the others make up for it.
    #[inline(always)]
    #[expect(clippy::needless_range_loop, reason = "iterators that skip take twice the instructions")]
    fn step<const N: usize>(&mut self, error: &[f64; N], damping: f64) {
        let ways = &mut self.ways[..self.count];
        ways.iter_mut().for_each(|way| way.is_stopped = false);
        loop {
            let (mut matrix, mut rest) = ([[0.0; N]; N], *error);
            for way in &*ways {
                for row in 0..N {
                    if way.is_stopped {
                        rest[row] -= way.column[row] * way.turn;
                        continue;
                    }
                    for column in row..N {
                        matrix[row][column] += way.column[row] * way.column[column];
                    }
                }
            }
            (0..N).for_each(|row| matrix[row][row] += damping);
            solve_positive(&mut matrix, &mut rest);
            let mut is_done = true;
            for way in ways.iter_mut().filter(|way| !way.is_stopped) {
                let turn: f64 = way.column.iter().zip(&rest).map(|(a, b)| a * b).sum();
                way.turn = turn.at_least(way.least).at_most(way.most);
                way.is_stopped = way.turn != turn;
                is_done &= !way.is_stopped;
            }
            if is_done {
                return;
            }
        }
    }

    /// Turns the joints by a step.
    #[inline(always)]
    fn turn(&mut self, bounds: &[Bound]) {
        let mut ways = &self.ways[..self.count];
        for (link, bound) in self.links.iter_mut().zip(bounds) {
            let (own, others) = ways.split_at(if let Bound::Hinge(_) = bound { 1 } else { 3 });
            ways = others;
            if let Bound::Hinge(hinge) = bound {
                link.now = hinge.turn(link.now.1 + own[0].turn);
                continue;
            }
            let half = own.iter().fold(V::ZERO.all(0.0), |sum, way| sum + way.axis * (0.5 * way.turn));
            let turn = (Q { v: half, w: 1.0 } * link.now.0).unit();
            link.now.0 = if let Bound::Cone(cone) = bound { cone.nearest(turn, &link.basis) } else { turn };
        }
    }
}

/// Returns a share from 0 to 1 for each joint, so that starts are evenly spread in six dimensions. Source: M. Roberts,
/// "The unreasonable effectiveness of quasirandom sequences", 2018.
fn spread(start: u32) -> impl Iterator<Item = f64> {
    let steps = core::iter::successors(Some(f64::from(start)), |step| Some(step / 1.134_724_138_401_519_5));
    steps.skip(1).map(|step| (0.5 + step) - (0.5 + step).floor())
}

/// Returns the part of a vector along the axes without weight.
pub(super) fn free<T: Number>(v: V<T>, weights: V<T>) -> V<T> {
    let zero = v.x.all(0.0);
    let free = |weight: T, part: T| zero.if_less(weight, zero, part);
    V::new(free(weights.x, v.x), free(weights.y, v.y), free(weights.z, v.z))
}

/// Returns what is left to turn, as a rotation vector, where weights are above 0, given the rotation from the goal.
fn turn_left(from: Q<f64>, weights: V<f64>) -> V<f64> {
    // A turn about the axes without weight comes first, and does not count.
    let own = Q { v: free(from.v, weights), w: from.w };
    let square = own.dot(own);
    let from = if square > 1e-20 { from * own.inverse().times(square.over_root()) } else { from };
    let sine = from.v.square().sqrt();
    let half = arc(from.w.abs(), sine);
    let angle = if from.w < 0.0 { 2.0 * half } else { -2.0 * half };
    from.v * if sine > 1e-30 { angle / sine } else { 0.0 }
}

/// Solves a system of linear equations with a symmetric positive definite matrix, of which the upper half is read.
#[inline(always)]
#[expect(clippy::needless_range_loop, reason = "iterators that skip take twice the instructions")]
fn solve_positive<const N: usize>(matrix: &mut [[f64; N]; N], rest: &mut [f64; N]) {
    for at in 0..N {
        for row in at + 1..N {
            let share = matrix[at][row] / matrix[at][at];
            for column in row..N {
                matrix[row][column] -= share * matrix[at][column];
            }
            rest[row] -= share * rest[at];
        }
    }
    for row in (0..N).rev() {
        for column in row + 1..N {
            rest[row] -= matrix[row][column] * rest[column];
        }
        rest[row] /= matrix[row][row];
    }
}
