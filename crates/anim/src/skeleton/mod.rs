//! Joints in depth-first order.

mod builder;
mod bytes;
mod error;
mod image;
#[cfg(test)]
mod tests;

pub use builder::{JointMap, SkeletonBuilder};
pub use error::SkeletonError;

use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};
use crate::{Error, Transform};
use core::fmt;
use core::ops::Range;
use image::{Layout, Line};
use std::sync::Arc;

/// The joints of a rig: their hierarchy, rest pose and names. Inverse bind matrices belong to a [`Skin`](crate::Skin).
///
/// Joints are numbered from 0, the root, in depth-first order: each comes after its parent, and each forms one range
/// with all joints below it. So one forward loop over [`Skeleton::parents`] computes model matrices from local
/// transforms, and a limb is a range.
///
/// Everything is in one shared allocation: 48 bytes for each joint, and its name. A clone is another reference to it.
/// Build one with a [`SkeletonBuilder`]. Source: S. Reinalter, *Adventures in data-oriented design*, part 2.
#[derive(Clone)]
pub struct Skeleton {
    /// See [`Layout`].
    lines: Arc<[Line]>,
    layout: Layout,
}

impl Skeleton {
    /// The entry of [`Skeleton::parents`] for joint 0, which has no parent.
    pub const NO_PARENT: u16 = u16::MAX;

    /// How many joints the skeleton has; at least one, at most 65,535.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it always has a joint")]
    pub fn len(&self) -> usize {
        self.layout.joints()
    }

    /// Each joint's parent, which has a lower number; [`Skeleton::NO_PARENT`] for joint 0.
    #[inline]
    #[must_use]
    pub fn parents(&self) -> &[u16] {
        image::view(&self.lines, self.layout.parents())
    }

    /// The range of the joint and all joints below it.
    ///
    /// # Panics
    /// If there is no such joint.
    #[must_use]
    pub fn subtree(&self, joint: u16) -> Range<u16> {
        joint..image::view(&self.lines, self.layout.ends())[usize::from(joint)]
    }

    /// Returns an error unless the joint exists.
    pub(crate) fn expect_joint(&self, joint: u16) -> Result<(), Error> {
        self.subtree_range(joint).map(|_| ())
    }

    /// The same as a range of indices, checked.
    pub(crate) fn subtree_range(&self, joint: u16) -> Result<Range<usize>, Error> {
        let ends: &[u16] = image::view(&self.lines, self.layout.ends());
        let end = ends.get(usize::from(joint)).ok_or(SkeletonError::UnknownJoint { joint, joints: self.len() })?;
        Ok(usize::from(joint)..usize::from(*end))
    }

    /// A joint's local transform at rest.
    ///
    /// # Panics
    /// If there is no such joint.
    #[must_use]
    pub fn rest(&self, joint: u16) -> Transform {
        assert!(usize::from(joint) < self.len(), "joint {joint} of a skeleton of {} joints", self.len());
        self.rest_blocks()[usize::from(joint) / LANES].get(usize::from(joint) % LANES)
    }

    /// A joint's name.
    ///
    /// # Panics
    /// If there is no such joint.
    #[must_use]
    pub fn name(&self, joint: u16) -> &str {
        core::str::from_utf8(self.name_bytes(usize::from(joint))).expect("names are checked when they come in")
    }

    /// All names, by joint.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.joints()).map(|joint| self.name(joint))
    }

    /// The first joint with this name.
    ///
    /// Runs in **O(joints)**, without hashing: keep the result.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u16> {
        (0..self.joints()).find(|&joint| self.name_bytes(usize::from(joint)) == name.as_bytes())
    }

    /// Whether both are references to the same allocation.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.lines, &other.lines)
    }

    /// How many joints the skeleton has.
    #[expect(clippy::cast_possible_truncation, reason = "a skeleton has at most 65,535 joints")]
    pub(crate) fn joints(&self) -> u16 {
        self.len() as u16
    }

    /// The rest pose, in blocks of eight joints; lanes past the last joint have the identity.
    pub(crate) fn rest_blocks(&self) -> &[PoseBlock] {
        image::view(&self.lines, self.layout.rest())
    }

    fn name_ends(&self) -> &[u32] {
        image::view(&self.lines, self.layout.name_ends())
    }

    fn name_bytes(&self, joint: usize) -> &[u8] {
        let ends = self.name_ends();
        let start = joint.checked_sub(1).map_or(0, |before| ends[before]);
        &image::bytes(&self.lines)[self.layout.text()][start as usize..ends[joint] as usize]
    }
}

impl PartialEq for Skeleton {
    /// Whether all joints are equal in every bit, including names.
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
            || image::bytes(&self.lines)[Line::BYTES..] == image::bytes(&other.lines)[Line::BYTES..]
                && self.layout == other.layout
    }
}

impl fmt::Debug for Skeleton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.names().zip(self.parents())).finish()
    }
}
