//! Building a skeleton from joints in any order.

use super::image::{self, Layout, Line};
use super::{Skeleton, SkeletonError};
use crate::transform_lanes::{POSE_LANES as LANES, PoseBlock};
use crate::{Error, Transform};
use core::ops::Index;
use hedgerow_math::internal::fallible;
use std::sync::Arc;

/// Collects joints for a [`Skeleton`], in any order: a parent may come after its children.
///
/// ```
/// use hedgerow_anim::{SkeletonBuilder, Transform};
///
/// let mut builder = SkeletonBuilder::new();
/// let hand = builder.joint("hand", Some(1), Transform::from_xyz(0.3, 0.0, 0.0));
/// let arm = builder.joint("arm", None, Transform::IDENTITY);
/// let (skeleton, map) = builder.build()?;
/// assert_eq!((map[hand], map[arm]), (1, 0));
/// assert_eq!(skeleton.parents()[1], 0);
/// assert_eq!(skeleton.find("hand"), Some(1));
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SkeletonBuilder {
    joints: Vec<Joint>,
}

#[derive(Clone, Debug)]
struct Joint {
    name: String,
    parent: Option<u16>,
    rest: Transform,
}

impl SkeletonBuilder {
    /// Creates a builder without joints.
    #[must_use]
    pub const fn new() -> Self {
        Self { joints: Vec::new() }
    }

    /// Adds a joint and returns its number. Joints are numbered from 0 in the order of the calls.
    ///
    /// `parent` is the number of a joint, which may be added later. `rest` is the joint's local transform in the rest
    /// pose; `build` normalises its rotation. Names may be empty and may repeat. [`SkeletonBuilder::build`] reports all
    /// errors. If there are too many joints, the last number repeats.
    pub fn joint(&mut self, name: impl Into<String>, parent: Option<u16>, rest: Transform) -> u16 {
        let number = u16::try_from(self.joints.len()).unwrap_or(u16::MAX);
        self.joints.push(Joint { name: name.into(), parent, rest });
        number
    }

    /// Builds the skeleton, and returns it with the map from the builder's numbers to joints. Siblings keep their
    /// order.
    ///
    /// Runs in **O(joints)**, without recursion.
    ///
    /// # Errors
    /// A [`SkeletonError`]: no joints or too many joints, a parent that does not exist, more than one root, a cycle,
    /// numbers that are not finite, a zero rotation; [`SkeletonError::AllocationFailed`].
    pub fn build(&self) -> Result<(Skeleton, JointMap), Error> {
        let count = self.joints.len();
        if count == 0 {
            return Err(SkeletonError::NoJoints.into());
        }
        let joints = u16::try_from(count).map_err(|_| SkeletonError::TooManyJoints(count))?;
        let text = self.joints.iter().map(|joint| joint.name.len()).sum::<usize>();
        let text = u32::try_from(text).map_err(|_| SkeletonError::LongNames)?;
        let order = self.depth_first()?;

        let mut map = JointMap { joints: vec![0; count] };
        (0..=u16::MAX).zip(&order).for_each(|(joint, &pushed)| map.joints[usize::from(pushed)] = joint);
        let parents: Vec<u16> = order
            .iter()
            .map(|&pushed| self.joints[usize::from(pushed)].parent.map_or(Skeleton::NO_PARENT, |parent| map[parent]))
            .collect();

        let layout = Layout::new(joints, text);
        let mut shared = fallible::shared_filled(layout.lines(), Line::ZERO).map_err(SkeletonError::from)?;
        let lines = Arc::get_mut(&mut shared).expect("nobody else has it yet");
        let counts = image::view_mut(lines, Layout::COUNTS);
        counts.copy_from_slice(&[u32::from(joints), text]);
        image::view_mut(lines, layout.parents()).copy_from_slice(&parents);
        image::view_mut(lines, layout.ends()).copy_from_slice(&subtree_ends(&parents)?);
        image::view_mut(lines, layout.rest()).fill(PoseBlock::IDENTITY);
        let mut end = 0;
        for (joint, &pushed) in order.iter().enumerate() {
            let Joint { name, rest, .. } = &self.joints[usize::from(pushed)];
            let rest = rest.checked().map_err(|error| match error {
                hedgerow_math::Error::NotRotation => SkeletonError::NotRotation { joint: pushed },
                _ => SkeletonError::NotFinite { joint: pushed },
            })?;
            let blocks: &mut [PoseBlock] = image::view_mut(lines, layout.rest());
            blocks[joint / LANES].set(joint % LANES, &rest);
            let start = layout.text().start + end;
            end += name.len();
            image::bytes_mut(lines)[start..][..name.len()].copy_from_slice(name.as_bytes());
            image::view_mut(lines, layout.name_ends())[joint] = u32::try_from(end).expect("the text was measured");
        }
        Ok((Skeleton { lines: shared, layout }, map))
    }

    fn depth_first(&self) -> Result<Vec<u16>, SkeletonError> {
        const NONE: u16 = u16::MAX;
        let count = self.joints.len();
        let (mut first_child, mut next, mut root) = (vec![NONE; count], vec![NONE; count], None);
        // Goes through the joints in reverse, so that each list begins with the first child.
        for (joint, taken) in (0..NONE).zip(&self.joints).rev() {
            match taken.parent {
                Some(parent) if usize::from(parent) >= count => {
                    return Err(SkeletonError::UnknownParent { joint, parent });
                }
                Some(parent) => {
                    next[usize::from(joint)] = core::mem::replace(&mut first_child[usize::from(parent)], joint);
                }
                None => {
                    if let Some(second) = root.replace(joint) {
                        return Err(SkeletonError::SecondRoot { root: joint, joint: second });
                    }
                }
            }
        }
        let mut order = Vec::with_capacity(count);
        let mut pending: Vec<u16> = root.into_iter().collect();
        while let Some(joint) = pending.pop() {
            order.push(joint);
            // The sibling comes after all descendants of this joint.
            let places = [next[usize::from(joint)], first_child[usize::from(joint)]];
            pending.extend(places.into_iter().filter(|&other| other != NONE));
        }
        if order.len() < count { Err(self.why_not_reached(&order)) } else { Ok(order) }
    }

    fn why_not_reached(&self, reached: &[u16]) -> SkeletonError {
        let mut met = vec![false; self.joints.len()];
        reached.iter().for_each(|&joint| met[usize::from(joint)] = true);
        // The parent of an unreached joint is also unreached, so climbing long enough enters a cycle.
        let mut numbered = (0..=u16::MAX).zip(&met);
        let (mut joint, _) = numbered.find(|&(_, &met)| !met).expect("some joint is not reached");
        while !core::mem::replace(&mut met[usize::from(joint)], true) {
            joint = self.joints[usize::from(joint)].parent.expect("a joint without a parent is reached");
        }
        SkeletonError::Cycle { joint }
    }
}

/// Returns the end of each joint's subtree: one past the last descendant. Joints are in depth-first order.
///
/// # Panics
/// Panics unless each joint except the first has a parent with a lower number.
pub(super) fn subtree_ends(parents: &[u16]) -> Result<Vec<u16>, SkeletonError> {
    let mut ends: Vec<u16> = fallible::filled(parents.len(), 1)?;
    for joint in (1..parents.len()).rev() {
        ends[usize::from(parents[joint])] += ends[joint];
    }
    (0..=u16::MAX).zip(&mut ends).for_each(|(joint, end)| *end += joint);
    Ok(ends)
}

/// A map from numbers of a [`SkeletonBuilder`] to joints of the skeleton: `map[number]` is the joint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JointMap {
    joints: Vec<u16>,
}

impl JointMap {
    /// Returns the joint with this number in the builder, or `None` if there is no such number.
    #[must_use]
    pub fn get(&self, number: u16) -> Option<u16> {
        self.joints.get(usize::from(number)).copied()
    }

    /// Returns all joints, by their numbers in the builder.
    #[must_use]
    pub fn as_slice(&self) -> &[u16] {
        &self.joints
    }
}

impl Index<u16> for JointMap {
    type Output = u16;

    fn index(&self, number: u16) -> &u16 {
        &self.joints[usize::from(number)]
    }
}
