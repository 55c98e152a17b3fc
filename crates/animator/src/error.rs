//! The errors of the crate.

use core::fmt;
use hedgerow_anim::Skeleton;
use hedgerow_anim::skeleton::SkeletonError;
use hedgerow_math::internal::file_header::Unread;

/// The reason why a machine cannot be built, or why bytes are not the state of an animator.
///
/// ```
/// use hedgerow_anim::{SkeletonBuilder, Transform};
/// use hedgerow_animator::{Error, MachineBuilder};
///
/// let mut joints = SkeletonBuilder::new();
/// joints.joint("root", None, Transform::IDENTITY);
/// let refused = MachineBuilder::new(&joints.build()?.0).build();
/// assert_eq!(refused.unwrap_err(), Error::NoLayer);
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The machine has no layer.
    NoLayer,
    /// A layer has no state.
    NoState {
        /// The name of the layer.
        layer: String,
    },
    /// A handle is that of another machine.
    Unknown(&'static str),
    /// There are more items than a machine has numbers for.
    TooMany {
        /// The items.
        what: &'static str,
        /// The greatest number.
        most: usize,
    },
    /// The clips of a blend space have no places, or two have the same place or almost, or those in a plane are all on a
    /// line.
    Places {
        /// The name of the state.
        state: String,
    },
    /// A number is out of its range.
    Number {
        /// The number.
        what: &'static str,
        /// Where it belongs to.
        of: String,
    },
    /// A clip does not have the markers of its sync group in the same order as the other clips, or more than eight.
    Markers {
        /// The name of the state.
        state: String,
    },
    /// A state of a sync group does not loop.
    SyncOnce {
        /// The name of the state.
        state: String,
    },
    /// A one-shot has no clip, so it would not end, or no state to go back to.
    OneShot {
        /// The name of the state.
        state: String,
    },
    /// Root motion has another duration than its clip.
    RootMotion {
        /// The name of the state.
        state: String,
    },
    /// A transition leads from one layer to another.
    Across {
        /// The name of the state that it leads to.
        state: String,
    },
    /// No joints are paired for retargeting, two pairs name the same joint of the target, or none names the hips.
    Pairs,
    /// A clip, a mask or a pose has a different number of joints or channels.
    Anim(hedgerow_anim::Error),
    /// The bytes do not start with the header of an animator.
    NotAnAnimator,
    /// The bytes are newer than the crate, or older than its first release.
    Version {
        /// The version of the bytes.
        found: u32,
        /// The newest version that this crate reads.
        newest: u32,
    },
    /// There are more or fewer bytes than the header states.
    Length {
        /// The number of bytes that the header states.
        expected: u64,
        /// The number of bytes present.
        found: u64,
    },
    /// The checksum does not match, so the bytes are damaged.
    Checksum,
    /// The bytes are the state of another machine.
    OtherMachine,
    /// The content is invalid, although the checksum is right.
    Invalid(&'static str),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoLayer => write!(f, "the machine has no layer; add one before its states"),
            Self::NoState { layer } => write!(f, "layer \"{layer}\" has no state; add one, or Motion::none()"),
            Self::Unknown(what) => write!(f, "{what} is that of another machine; use the handles of this builder"),
            Self::TooMany { what, most } => write!(f, "a machine has at most {most} {what}"),
            Self::Places { state } => write!(
                f,
                "state \"{state}\" has no clips, or several at one place, or all on a line of a plane; give each clip a \
                 place of its own"
            ),
            Self::Number { what, of } => write!(f, "the {what} of \"{of}\" is out of range or not finite"),
            Self::Markers { state } => write!(
                f,
                "a clip of state \"{state}\" does not have one to eight markers of its sync group in the order of the other \
                 clips; add these events to the clip"
            ),
            Self::SyncOnce { state } => write!(f, "state \"{state}\" is in a sync group and does not loop"),
            Self::OneShot { state } => write!(
                f,
                "one-shot \"{state}\" has no clip, or is the first state of its layer; give it a clip, and add the state that \
                 it goes back to before it"
            ),
            Self::RootMotion { state } => write!(
                f,
                "root motion of state \"{state}\" is not as long as its clip; extract it from the same animation"
            ),
            Self::Across { state } => write!(f, "a transition to state \"{state}\" comes from another layer"),
            Self::Pairs => {
                write!(
                    f,
                    "there are no pairs, two pairs name the same target joint, or none names the hips; give each joint one partner"
                )
            }
            Self::Anim(error) => error.fmt(f),
            Self::NotAnAnimator => write!(f, "the bytes are not the state of an animator"),
            &Self::Version { found, newest } => write!(f, "the animator's {}", Unread { found, newest }),
            Self::Length { expected, found } => {
                write!(f, "the header states {expected} bytes, but there are {found}; pass all bytes and no others")
            }
            Self::Checksum => write!(f, "the checksum does not match; the bytes are damaged"),
            Self::OtherMachine => {
                write!(f, "the bytes are the state of another machine; pass the machine that made them")
            }
            Self::Invalid(violation) => write!(f, "the bytes are invalid: {violation}"),
        }
    }
}

impl core::error::Error for Error {}

impl From<hedgerow_anim::Error> for Error {
    fn from(error: hedgerow_anim::Error) -> Self {
        Self::Anim(error)
    }
}

/// Returns an error unless the skeleton has a joint.
pub(crate) fn expect_joint(skeleton: &Skeleton, joint: u16) -> Result<(), Error> {
    let joints = skeleton.len();
    if usize::from(joint) < joints {
        Ok(())
    } else {
        Err(skeleton_error(SkeletonError::UnknownJoint { joint, joints }))
    }
}

/// Returns an error unless there are as many items as joints.
pub(crate) fn expect_joints(expected: usize, found: usize) -> Result<(), Error> {
    if expected == found { Ok(()) } else { Err(skeleton_error(SkeletonError::JointCount { expected, found })) }
}

fn skeleton_error(error: SkeletonError) -> Error {
    Error::Anim(error.into())
}
