//! Many instances of one skeleton, processed sixteen at a time.

mod characters;
mod handle;
pub(crate) mod kernels;
mod matrices;
mod posing;

pub use handle::InstanceHandle;

use crate::clip::ClipNumber;
use crate::transform_lanes::{CROWD_LANES as LANES, JointLanes};
use crate::{Error, Pose, Skeleton, Skin, Transform, skeleton::SkeletonError};
use core::ops::Range;
use handle::Places;
use kernels::Level;
use smallvec::{SmallVec, smallvec};

/// Characters that share a skeleton. Their model matrices or palettes are computed together.
///
/// Sixteen instances form a block, in which each number of each joint is a SIMD vector of sixteen floats. An 8-byte
/// [`InstanceHandle`] gives access to a single instance. The handle is a key of [`slotmap`], so keep other data for
/// each instance, such as a player, in a `SecondaryMap`.
///
/// ```
/// use hedgerow_anim::{Crowd, Pose, SkeletonBuilder, Skin, Transform};
///
/// let mut builder = SkeletonBuilder::new();
/// builder.joint("body", None, Transform::from_xyz(0.0, 1.0, 0.0));
/// builder.joint("head", Some(0), Transform::from_xyz(0.0, 0.5, 0.0));
/// let (skeleton, _) = builder.build()?;
///
/// let mut crowd = Crowd::new(&skeleton);
/// crowd.reserve(2);
/// let mut pose = Pose::rest(&skeleton);
/// let first = crowd.insert(&pose)?;
/// pose.set(0, Transform::from_xyz(7.0, 1.0, 0.0));
/// let second = crowd.insert(&pose)?;
///
/// let (skin, mut palettes) = (Skin::at_rest(&skeleton)?, Vec::new());
/// crowd.palettes(&skin, &mut palettes)?;
/// let of_second = &palettes[crowd.palette_range(second, &skin).expect("it is there")];
/// assert_eq!(of_second[1].translation().to_array(), [7.0, 0.0, 0.0]);
/// crowd.remove(first)?;
/// assert_eq!(crowd.get(second, 0)?.translation.x, 7.0);
/// crowd.set_pose(second, &Pose::rest(&skeleton))?;
/// crowd.set(second, 1, Transform::from_xyz(0.0, 0.75, 0.0))?;
/// assert_eq!(crowd.model(second, 1)?.translation().y, 1.75);
/// assert_eq!(crowd.pose(second)?.get(1).translation.y, 0.75);
///
/// let mut names = hedgerow_anim::slotmap::SecondaryMap::new();
/// names.insert(second, "Grace");
/// assert_eq!((names.get(first), names.get(second)), (None, Some(&"Grace")));
/// # Ok::<(), hedgerow_anim::Error>(())
/// ```
///
/// # Memory
///
/// A crowd takes 20 bytes for each instance, and 40 bytes for each joint of each instance, rounded up to whole blocks.
/// Matrices are not stored: [`Crowd::models`] and [`Crowd::palettes`] write to the caller's arrays, character after
/// character, as skinning and uploads expect.
#[derive(Clone, Debug)]
pub struct Crowd {
    skeleton: Skeleton,
    /// The depth of each joint below the root.
    depths: Box<[u16]>,
    /// All joints of block 0, then all joints of block 1, and so on. Lanes without an instance have the identity.
    lanes: Vec<JointLanes>,
    /// The clip that each instance shows, indexed by place.
    shows: Vec<Option<ClipNumber>>,
    places: Places,
    /// Scratch poses of [`Crowd::change_poses`], kept to save allocations.
    shown: Vec<Pose>,
}

impl Crowd {
    /// Creates a crowd without instances.
    #[must_use]
    pub fn new(skeleton: &Skeleton) -> Self {
        Self {
            skeleton: skeleton.clone(),
            depths: depths(skeleton),
            lanes: Vec::new(),
            shows: Vec::new(),
            places: Places::default(),
            shown: Vec::new(),
        }
    }

    /// Returns the skeleton of all instances.
    #[must_use]
    pub const fn skeleton(&self) -> &Skeleton {
        &self.skeleton
    }

    /// Returns the number of instances.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns whether the crowd has no instances.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reserves memory for this many more instances.
    pub fn reserve(&mut self, additional: usize) {
        let blocks = (self.len() + additional).div_ceil(LANES);
        self.lanes.reserve((blocks * self.skeleton.len()).saturating_sub(self.lanes.len()));
        self.shows.reserve(additional);
    }

    /// Frees unused memory, except for 12 bytes for each handle slot.
    pub fn shrink_to_fit(&mut self) {
        self.lanes.shrink_to_fit();
        self.shows.shrink_to_fit();
        self.places.shrink_to_fit();
        self.shown = Vec::new();
    }

    /// Returns whether the handle refers to an instance of this crowd.
    #[must_use]
    pub fn contains(&self, instance: InstanceHandle) -> bool {
        self.places.find(instance).is_some()
    }

    /// Returns all instances, in the order of [`Crowd::models`] and [`Crowd::palettes`].
    pub fn instances(&self) -> impl ExactSizeIterator<Item = InstanceHandle> {
        self.places.owners().iter().copied()
    }

    /// Returns the range of an instance's matrices in the results of [`Crowd::models`]. It is valid until any instance
    /// is removed.
    #[must_use]
    pub fn range(&self, instance: InstanceHandle) -> Option<Range<usize>> {
        let start = self.places.find(instance)? * self.skeleton.len();
        Some(start..start + self.skeleton.len())
    }

    /// Returns the range of an instance's palette in the results of [`Crowd::palettes`]. It is valid until any instance
    /// is removed.
    #[must_use]
    pub fn palette_range(&self, instance: InstanceHandle, skin: &Skin) -> Option<Range<usize>> {
        let start = self.places.find(instance)? * skin.len();
        Some(start..start + skin.len())
    }

    /// Adds an instance with a pose.
    ///
    /// Runs in amortised **O(joints)**.
    ///
    /// # Errors
    /// [`SkeletonError::JointCount`] if the pose and the skeleton have different numbers of joints.
    pub fn insert(&mut self, pose: &Pose) -> Result<InstanceHandle, Error> {
        self.skeleton.expect_count(pose.len())?;
        if self.len().is_multiple_of(LANES) {
            self.lanes.resize(self.lanes.len() + self.skeleton.len(), JointLanes::IDENTITY);
        }
        let handle = self.places.push();
        self.shows.push(None);
        self.write(self.len() - 1, pose);
        Ok(handle)
    }

    /// Removes an instance and moves the last instance into its lane.
    ///
    /// Runs in **O(joints)**.
    ///
    /// # Errors
    /// [`SkeletonError::StaleInstance`] if there is no such instance.
    pub fn remove(&mut self, instance: InstanceHandle) -> Result<(), Error> {
        let place = self.place(instance)?;
        let last = self.len() - 1;
        for joint in 0..self.skeleton.len() {
            let transform = self.joint(last, joint).get(last % LANES);
            self.joint_mut(place, joint).set(place % LANES, &transform);
            self.joint_mut(last, joint).set(last % LANES, &Transform::IDENTITY);
        }
        self.places.swap_remove(place);
        self.shows.swap_remove(place);
        self.lanes.truncate(last.div_ceil(LANES) * self.skeleton.len());
        Ok(())
    }

    /// Replaces all local transforms of an instance.
    ///
    /// Runs in **O(joints)**. Writing ten cache lines per joint is slower than computing the matrices. To pose all
    /// instances every frame, use [`Crowd::change_poses`].
    ///
    /// # Errors
    /// [`SkeletonError::StaleInstance`] if there is no such instance, [`SkeletonError::JointCount`] if the pose and the
    /// skeleton have different numbers of joints.
    pub fn set_pose(&mut self, instance: InstanceHandle, pose: &Pose) -> Result<(), Error> {
        let place = self.place(instance)?;
        self.skeleton.expect_count(pose.len())?;
        self.write(place, pose);
        Ok(())
    }

    /// Returns all local transforms of an instance.
    ///
    /// # Errors
    /// [`SkeletonError::StaleInstance`] if there is no such instance.
    pub fn pose(&self, instance: InstanceHandle) -> Result<Pose, Error> {
        let place = self.place(instance)?;
        let mut pose = Pose::rest(&self.skeleton);
        let first = place / LANES * self.skeleton.len();
        kernels::take_pose(&self.lanes[first..first + pose.len()], place % LANES, pose.blocks_mut());
        pose.set_shows(self.shows[place]);
        Ok(pose)
    }

    /// Returns the local transform of one joint of an instance.
    ///
    /// # Errors
    /// [`SkeletonError::StaleInstance`] if there is no such instance, [`SkeletonError::UnknownJoint`] if the skeleton
    /// has no such joint.
    pub fn get(&self, instance: InstanceHandle, joint: u16) -> Result<Transform, Error> {
        let place = self.place(instance)?;
        self.skeleton.expect_joint(joint)?;
        Ok(self.joint(place, usize::from(joint)).get(place % LANES))
    }

    /// Replaces the local transform of one joint of an instance, like [`Pose::set`], without checks.
    ///
    /// # Errors
    /// The errors of [`Crowd::get`].
    pub fn set(&mut self, instance: InstanceHandle, joint: u16, transform: Transform) -> Result<(), Error> {
        let place = self.place(instance)?;
        self.skeleton.expect_joint(joint)?;
        self.shows[place] = None;
        self.joint_mut(place, usize::from(joint)).set(place % LANES, &transform);
        Ok(())
    }

    fn write(&mut self, place: usize, pose: &Pose) {
        let joints = self.skeleton.len();
        let first = place / LANES * joints;
        kernels::put_pose(pose.blocks(), place % LANES, &mut self.lanes[first..first + joints]);
        self.shows[place] = pose.shows_on(&self.skeleton);
    }

    fn place(&self, instance: InstanceHandle) -> Result<usize, Error> {
        self.places.find(instance).ok_or(SkeletonError::StaleInstance(instance).into())
    }

    /// Returns a joint's lanes in the block that contains a place.
    #[inline]
    fn joint(&self, place: usize, joint: usize) -> &JointLanes {
        &self.lanes[place / LANES * self.skeleton.len() + joint]
    }

    #[inline]
    fn joint_mut(&mut self, place: usize, joint: usize) -> &mut JointLanes {
        &mut self.lanes[place / LANES * self.skeleton.len() + joint]
    }
}

/// Returns the depth of each joint below the root.
fn depths(skeleton: &Skeleton) -> Box<[u16]> {
    let mut depths: Box<[u16]> = vec![0; skeleton.len()].into();
    for (joint, &parent) in skeleton.parents().iter().enumerate().skip(1) {
        depths[joint] = depths[usize::from(parent)] + 1;
    }
    depths
}

/// The number of levels that need no allocation. Deeper skeletons allocate in each call.
const USUAL_LEVELS: usize = 24;

/// Returns a scratch matrix for each depth.
fn levels(depths: &[u16]) -> SmallVec<[Level; USUAL_LEVELS]> {
    smallvec![Level::SCRATCH; depths.iter().max().map_or(0, |&deepest| usize::from(deepest) + 1)]
}
