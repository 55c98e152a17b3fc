//! Animation state machines for `hedgerow-anim`: blend spaces, fades, layers, steps in sync, events and root motion of
//! the blend; clips of other skeletons, and joints that swing.
//!
//! A [`Machine`] is built once and shared. Each character has a small [`Animator`]. The game sets parameters and fires
//! triggers; the machine decides which clips play, and how they pass into each other.
//!
//! # Example
//!
//! ```
//! use hedgerow_anim::glam::Vec3;
//! use hedgerow_anim::{ClipBuilder, Pose, RawClip, SkeletonBuilder, Transform, blend::JointMask, raw::Track};
//! use hedgerow_animator::{Animator, LayerOptions, MachineBuilder, Motion, Transition};
//!
//! let mut joints = SkeletonBuilder::new();
//! let hip = joints.joint("hip", None, Transform::IDENTITY);
//! joints.joint("arm", Some(hip), Transform::IDENTITY);
//! let (skeleton, _) = joints.build()?;
//! let clip = |seconds: f32, height: f32| {
//!     let mut raw = RawClip::new(seconds, 2)?;
//!     raw.set_translation(1, Track::linear(vec![0.0, seconds], vec![Vec3::ZERO, height * Vec3::Y])?)?;
//!     raw.add_event(0.5 * seconds, 0, "step")?;
//!     Ok::<_, hedgerow_anim::Error>(ClipBuilder::new().build(&raw)?.0)
//! };
//!
//! // Once: idle, a blend from walking to running, and a wave on the arm.
//! let mut m = MachineBuilder::new(&skeleton);
//! let (speed, base) = (m.parameter("speed", 0.0), m.layer("base", LayerOptions::default()));
//! let idle = m.state(base, "idle", clip(2.0, 0.1)?);
//! let go = m.state(base, "go", Motion::line(speed, [(1.5, clip(1.0, 0.2)?), (4.0, clip(0.6, 0.3)?)]));
//! m.transition(Transition::new(idle, go).when(speed.above(0.2)).fade(0.2));
//! m.transition(Transition::new(go, idle).when(speed.below(0.2)).fade(0.3));
//! let mut arm = JointMask::new(skeleton.len(), 0.0)?;
//! arm.set_subtree(&skeleton, 1, 1.0)?;
//! let arms = m.layer("arms", LayerOptions::masked(arm));
//! m.state(arms, "free", Motion::none());
//! let wave = m.one_shot(arms, "wave", clip(1.0, 2.0)?, 0.2);
//! let machine = m.build()?;
//!
//! // For each character:
//! let (mut animator, mut pose) = (Animator::new(&machine), Pose::rest(&skeleton));
//! animator.play(wave, 0.2);                                      // when it waves
//!
//! // Each frame:
//! animator.set(speed, 1.5);
//! animator.advance(0.5);
//! for step in animator.events().filter(|passed| passed.leads && passed.event.name == "step") {
//!     assert!(step.weight > 0.9);                                // play a sound
//! }
//! let _moved = animator.root_motion();                           // pass it to `RootMotion::apply`
//! animator.sample(&mut pose)?;                                   // only if it is seen
//! assert!((pose.get(1).translation.y - 1.0).abs() < 1e-3);
//! assert_eq!(animator.state(base), go);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//!
//! | subject | types |
//! |---|---|
//! | building the description | [`MachineBuilder`], [`LayerOptions`], [`Machine`] |
//! | what states play: clips, blend spaces on a line or in a plane | [`Motion`], [`MotionClip`] |
//! | when and how they change: parameters, triggers, phases, ends; crossfades and inertial fades | [`Transition`], [`Condition`], [`Fade`], [`Curve`] |
//! | walks and runs whose feet come down together | [`SyncGroup`] |
//! | one character: steps, samples, events, root motion, bytes | [`Animator`], [`PassedEvent`] |
//! | clips of one skeleton on another | [`Retarget`], [`RetargetOptions`] |
//! | hair, tails and straps that swing | [`Springs`], [`Spring`], [`Collider`], [`Swing`] |
//! | errors | [`Error`] |
//!
//! # What is promised
//!
//! - A step samples nothing, unless a fade begins that interrupts another or is inertial: then it samples the layer, once
//!   or four times. Sampling does not change the state, and has the same bits on every machine and on any threads.
//! - Steps are cut where conditions begin to hold and fades end, so states and events do not depend on the lengths of
//!   steps. Paces do, a little: speeds, blends, and the shares of states in step count as they are when a step begins.
//! - Each event of a clip that has weight comes exactly once. Poses and root motion do not jump where fades begin, as
//!   long as parameters do not.
//! - A clone, and bytes, are the whole state: for rollback and saved games.
//!
//! There is no graph of nodes and no expression language: what a parameter is, the game computes.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod advance;
mod animator;
mod builder;
mod bytes;
mod condition;
mod error;
mod fade;
mod inertia;
mod layer;
mod machine;
mod motion;
mod pace;
mod passed;
mod plane;
mod retarget;
mod sample;
mod scratch;
mod springs;

pub use animator::Animator;
pub use builder::{LayerOptions, MachineBuilder};
pub use condition::{Condition, Transition};
pub use error::Error;
pub use fade::{Curve, Fade};
pub use hedgerow_anim as anim;
pub use machine::{Layer, Machine, Parameter, State, SyncGroup, Trigger};
pub use motion::{Motion, MotionClip};
pub use passed::PassedEvent;
pub use retarget::{Retarget, RetargetOptions};
pub use springs::{Collider, Spring, Springs, Swing};

/// The example of the README, tested.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
