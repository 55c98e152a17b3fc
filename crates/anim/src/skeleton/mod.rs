//! Joints in depth-first order.

mod builder;
mod bytes;
mod error;
mod image;

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
/// Joints are numbered from 0, the root, in depth-first order. A joint comes after its parent, so one forward loop over
/// [`Skeleton::parents`] computes model matrices. A joint and its descendants form one range.
///
/// A skeleton is one shared allocation: the names, and 48 bytes for each joint. A clone is another reference to the
/// allocation. Build a skeleton with a [`SkeletonBuilder`]. Source: S. Reinalter, *Adventures in data-oriented design*,
/// part 2.
#[derive(Clone)]
pub struct Skeleton {
    /// The arrays at the places of [`Layout`].
    lines: Arc<[Line]>,
    layout: Layout,
}

impl Skeleton {
    /// The entry of [`Skeleton::parents`] for joint 0, which has no parent.
    pub const NO_PARENT: u16 = u16::MAX;

    /// Returns the number of joints, 1 to 65,535.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "it always has a joint")]
    pub fn len(&self) -> usize {
        self.layout.joints()
    }

    /// Returns the parent of each joint. A parent has a lower number; joint 0 has [`Skeleton::NO_PARENT`].
    #[inline]
    #[must_use]
    pub fn parents(&self) -> &[u16] {
        image::view(&self.lines, self.layout.parents())
    }

    /// Returns the range of a joint and its descendants.
    ///
    /// # Panics
    /// Panics if there is no such joint.
    #[must_use]
    pub fn subtree(&self, joint: u16) -> Range<u16> {
        joint..image::view(&self.lines, self.layout.ends())[usize::from(joint)]
    }

    pub(crate) fn expect_joint(&self, joint: u16) -> Result<(), Error> {
        self.subtree_range(joint).map(|_| ())
    }

    /// Returns [`subtree`](Self::subtree) as indices, or an error if the joint does not exist.
    pub(crate) fn subtree_range(&self, joint: u16) -> Result<Range<usize>, Error> {
        let ends: &[u16] = image::view(&self.lines, self.layout.ends());
        let end = ends.get(usize::from(joint)).ok_or(SkeletonError::UnknownJoint { joint, joints: self.len() })?;
        Ok(usize::from(joint)..usize::from(*end))
    }

    /// Returns a joint's local transform at rest.
    ///
    /// # Panics
    /// Panics if there is no such joint.
    #[must_use]
    pub fn rest(&self, joint: u16) -> Transform {
        assert!(usize::from(joint) < self.len(), "joint {joint} of a skeleton of {} joints", self.len());
        self.rest_blocks()[usize::from(joint) / LANES].get(usize::from(joint) % LANES)
    }

    /// Returns a joint's name.
    ///
    /// # Panics
    /// Panics if there is no such joint.
    #[must_use]
    pub fn name(&self, joint: u16) -> &str {
        core::str::from_utf8(self.name_bytes(usize::from(joint))).expect("names are checked when they come in")
    }

    /// Returns the names of all joints, in the order of joints.
    pub fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.joints()).map(|joint| self.name(joint))
    }

    /// Returns the first joint with this name.
    ///
    /// Runs in **O(joints)**, so keep the result.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<u16> {
        (0..self.joints()).find(|&joint| self.name_bytes(usize::from(joint)) == name.as_bytes())
    }

    /// Returns the number of joints.
    #[expect(clippy::cast_possible_truncation, reason = "a skeleton has at most 65,535 joints")]
    pub(crate) fn joints(&self) -> u16 {
        self.len() as u16
    }

    /// Returns the rest pose, in blocks of eight joints; lanes past the last joint hold the identity.
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
    /// Compares all joints and their names to the bit.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.lines, &other.lines)
            || image::bytes(&self.lines)[Line::BYTES..] == image::bytes(&other.lines)[Line::BYTES..]
                && self.layout == other.layout
    }
}

impl fmt::Debug for Skeleton {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.names().zip(self.parents())).finish()
    }
}
