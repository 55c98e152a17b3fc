//! Inverse kinematics: limbs that reach goals, joints that aim, chains, and feet on uneven ground.
//!
//! | you want | use |
//! |---|---|
//! | an arm or a leg that reaches a place | [`TwoBone`] with a [`Goal`] |
//! | the same for many characters | [`TwoBone::solve_many`] |
//! | a head, an eye or a turret that points at a place | [`Aim`] with a [`Look`] |
//! | spine, neck and head that share the turn | [`AimChain`] |
//! | a tail, a tentacle or a finger, with limits of joints | [`Chain`], [`Limit`] |
//! | an arm of hinges whose tool reaches a pose, as a robot's | [`Chain`] with [`ChainGoal::pose`] |
//! | feet of a walk from flat ground on stairs and slopes | [`Feet`]; you cast the rays |
//!
//! Sample a clip, compute model matrices, join both in a [`Rig`], then solve. Solvers turn joints of the pose and keep
//! the matrices current:
//!
//! ```
//! use hedgerow_anim::ik::{Aim, End, Goal, Look, Pole, Reach, Rig, TwoBone};
//! use hedgerow_anim::{Error, Mat34, Player, Pose, Skeleton, glam::Vec3};
//!
//! /// Made once, for all characters.
//! struct Solvers {
//!     arm: TwoBone,
//!     head: Aim,
//! }
//!
//! fn frame(
//!     solvers: &Solvers,
//!     skeleton: &Skeleton,
//!     player: &mut Player<&hedgerow_anim::Clip>,
//!     (pose, models): (&mut Pose, &mut Vec<Mat34>),
//!     (handle, face): (Vec3, Vec3), // in the space of the model
//! ) -> Result<(), Error> {
//!     player.advance(1.0 / 60.0);
//!     player.sample(pose)?;
//!     pose.to_models(skeleton, models)?;
//!     let mut rig = Rig::new(skeleton, pose, models)?;
//!     solvers.head.solve(&mut rig, &Look { weight: 0.8, ..Look::at(face) });
//!     let goal = Goal { pole: Pole::Direction(Vec3::NEG_Y), end: End::Model, soften: 0.97, ..Goal::at(handle) };
//!     if solvers.arm.solve(&mut rig, &goal) == Reach::Far {
//!         // the hand is short of the handle
//!     }
//!     Ok(())
//! }
//! ```
//!
//! # What to know
//!
//! - Goals are in the space of the matrices. Solve from the root outwards: spine, then arms, then hands. Before a solve,
//!   only the matrix of the parent of its first joint must be current.
//! - `solve` computes the matrices below its first joint. For several limbs, `solve_locals` and one [`Rig::update`] do less.
//! - Weights fade solvers in and out. A weight of 0 keeps all bits of pose and matrices.
//! - After a solve, the pose [shows no clip](crate::Player::sample), so sampling into it next writes all joints. To avoid
//!   that, solve on a copy of the pose.
//! - Near a singular direction (see [`Pole`]) the side to which a limb bends turns fast. No solver without memory of
//!   previous frames avoids that; where the goal may go there, choose another pole.
//! - The distance at which a chain becomes straight is singular, too: [`Goal::soften`] removes the snap.
//! - Scales above a limb may be uneven or mirrored. Uneven scales inside are solved by approximation, or reported as
//!   [`Reach::Uneven`].
//! - [`Reach::Blocked`] means that nothing was changed, because no number would have been right.
//!
//! Given the same poses and matrices, results have the same bits on every machine: there are only sums, products,
//! quotients and square roots. [Model matrices](crate#the-same-bits-everywhere) differ between machines with and without
//! fused multiply-add.

// | file | what |
// |---|---|
// | `math` | vectors and rotations, of one number or of eight lanes, with the same bits everywhere |
// | `rig` | a pose with its model matrices |
// | `limb` | two bones: the quick path, for one limb or eight at a time |
// | `two_bone` | two bones: the general path; goals |
// | `aim` | joints that aim, chains of them |
// | `limit`, `chain`, `damped` | limits of joints; chains and FABRIK; damped least squares |
// | `feet` | legs, pelvis and soles on the ground |

mod aim;
mod chain;
mod damped;
mod feet;
mod limb;
mod limit;
mod math;
mod rig;
mod two_bone;

pub use aim::{Aim, AimChain, Look};
pub use chain::{Chain, ChainGoal};
pub use feet::{Contact, Feet};
pub use limit::Limit;
pub use rig::Rig;
pub use two_bone::{End, Goal, Job, Pole, Reach, TwoBone};
