//! Animation state machines.

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
mod sample;
mod scratch;

pub use animator::Animator;
pub use builder::{LayerOptions, MachineBuilder};
pub use condition::{Condition, Transition};
pub use error::Error;
pub use fade::{Curve, Fade};
pub use hedgerow_anim as anim;
pub use machine::{Layer, Machine, Parameter, State, SyncGroup, Trigger};
pub use motion::{Motion, MotionClip};
pub use passed::PassedEvent;
