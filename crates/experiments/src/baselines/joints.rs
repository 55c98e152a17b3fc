//! Joints as the seed has them: first as objects with children, then flattened.
//!
//! Source: S. Reinalter, *Adventures in data-oriented design*, part 2: "Initial implementation" and "A data-oriented
//! approach". Both use 4×4 matrices. Local poses are such matrices, as in the seed, or transforms that are converted on
//! the way, as sampling leaves them.

use hedgerow::glam::Mat4;
use hedgerow::{
    Transform,
    anim::{Skeleton, Skin},
};

/// What a joint's local pose is kept as.
pub trait LocalPose: Copy {
    /// From a transform.
    fn new(transform: &Transform) -> Self;

    /// The 4×4 matrix.
    fn matrix(&self) -> Mat4;
}

impl LocalPose for Mat4 {
    fn new(transform: &Transform) -> Self {
        transform.matrix()
    }

    #[inline]
    fn matrix(&self) -> Mat4 {
        *self
    }
}

impl LocalPose for Transform {
    fn new(transform: &Transform) -> Self {
        *transform
    }

    #[inline]
    fn matrix(&self) -> Mat4 {
        Mat4::from_scale_rotation_translation(self.scale, self.rotation, self.translation)
    }
}

/// A joint with its children.
#[derive(Clone, Debug)]
struct Joint<L> {
    local: L,
    global: Mat4,
    children: Vec<usize>,
}

/// A character as an array of joints with children.
#[derive(Clone, Debug)]
pub struct Character<L> {
    joints: Vec<Joint<L>>,
    palette: Vec<Mat4>,
}

impl<L: LocalPose> Character<L> {
    /// The joints of a skeleton in this pose.
    ///
    /// # Panics
    /// Panics unless there are as many transforms as joints, and at least one.
    #[must_use]
    pub fn new(skeleton: &Skeleton, locals: &[Transform]) -> Self {
        let joint = |local| Joint { local: L::new(local), global: Mat4::IDENTITY, children: Vec::new() };
        let mut joints: Vec<_> = locals.iter().map(joint).collect();
        for (child, &parent) in skeleton.parents().iter().enumerate().skip(1) {
            joints[usize::from(parent)].children.push(child);
        }
        assert!(!joints.is_empty(), "a character has a root");
        let palette = vec![Mat4::IDENTITY; joints.len()];
        Self { joints, palette }
    }

    /// Computes all global poses, from the root down.
    pub fn local_to_global(&mut self) {
        Self::descend(&mut self.joints, 0, &Mat4::IDENTITY);
    }

    /// As in the source, nothing is checked on the way.
    fn descend(joints: &mut [Joint<L>], joint: usize, parent: &Mat4) {
        // SAFETY: numbers of joints are those that `new` gave to children, which are places in this list, and 0 of a
        // list that is not empty.
        let one = unsafe { joints.get_unchecked_mut(joint) };
        let global = *parent * one.local.matrix();
        one.global = global;
        let children: *const [usize] = &raw const *one.children;
        // SAFETY: the list of children is a heap block that nothing changes while it is walked.
        for &child in unsafe { &*children } {
            Self::descend(joints, child, &global);
        }
    }

    /// Multiplies each global pose by the joint's inverse bind matrix, to a place that others may have used before.
    pub fn palette_to(&self, inverse_binds: &[Mat4], palette: &mut [Mat4]) {
        for ((to, joint), inverse_bind) in palette.iter_mut().zip(&self.joints).zip(inverse_binds) {
            *to = joint.global * *inverse_bind;
        }
    }

    /// Multiplies each global pose by the joint's inverse bind matrix.
    pub fn palette(&mut self, inverse_binds: &[Mat4]) {
        for ((to, joint), inverse_bind) in self.palette.iter_mut().zip(&self.joints).zip(inverse_binds) {
            *to = joint.global * *inverse_bind;
        }
    }

    /// The global poses, by joint.
    pub fn globals(&self) -> impl Iterator<Item = Mat4> {
        self.joints.iter().map(|joint| joint.global)
    }

    /// What [`Character::palette`] computed, by joint.
    #[must_use]
    pub fn palette_matrices(&self) -> &[Mat4] {
        &self.palette
    }
}

/// A character as arrays in depth-first order.
#[derive(Clone, Debug)]
pub struct Flattened<L> {
    hierarchy: Vec<u16>,
    locals: Vec<L>,
    globals: Vec<Mat4>,
}

impl<L: LocalPose> Flattened<L> {
    /// The joints of a skeleton in this pose.
    ///
    /// # Panics
    /// Panics unless there is a transform for each joint.
    #[must_use]
    pub fn new(skeleton: &Skeleton, locals: &[Transform]) -> Self {
        let locals: Vec<L> = locals.iter().map(L::new).collect();
        let (globals, hierarchy) = (vec![Mat4::IDENTITY; locals.len()], skeleton.parents().to_vec());
        assert_eq!(hierarchy.len(), locals.len(), "a transform for each joint");
        let sorted = (0..).zip(&hierarchy).skip(1).all(|(joint, &parent): (usize, _)| usize::from(parent) < joint);
        assert!(sorted, "parents come first");
        Self { hierarchy, locals, globals }
    }

    /// Computes all global poses, from the first joint on.
    pub fn local_to_global(&mut self) {
        Self::sweep(&self.hierarchy, &self.locals, &mut self.globals);
    }

    /// The same to a place that others may have used before.
    ///
    /// # Panics
    /// Unless there is a place for each joint.
    pub fn local_to_global_in(&self, globals: &mut [Mat4]) {
        assert_eq!(globals.len(), self.locals.len(), "a place for each joint");
        Self::sweep(&self.hierarchy, &self.locals, globals);
    }

    /// All arrays are as long as `globals`.
    #[inline]
    fn sweep(hierarchy: &[u16], locals: &[L], globals: &mut [Mat4]) {
        globals[0] = locals[0].matrix();
        for joint in 1..globals.len() {
            // SAFETY: `new` checked that the two first arrays are as long as one another, and that every parent comes
            // before its joint; both callers have a third one of that length.
            unsafe {
                let parent = usize::from(*hierarchy.get_unchecked(joint));
                let global = *globals.get_unchecked(parent) * locals.get_unchecked(joint).matrix();
                *globals.get_unchecked_mut(joint) = global;
            }
        }
    }

    /// Multiplies each global pose by the joint's inverse bind matrix.
    pub fn palette(&self, inverse_binds: &[Mat4], palette: &mut [Mat4]) {
        multiply(&self.globals, inverse_binds, palette);
    }

    /// The global poses, by joint.
    #[must_use]
    pub fn globals(&self) -> &[Mat4] {
        &self.globals
    }
}

/// Multiplies each global pose by the joint's inverse bind matrix.
pub fn multiply(globals: &[Mat4], inverse_binds: &[Mat4], palette: &mut [Mat4]) {
    for ((to, global), inverse_bind) in palette.iter_mut().zip(globals).zip(inverse_binds) {
        *to = *global * *inverse_bind;
    }
}

/// The inverse bind matrices of a skin, 4×4.
#[must_use]
pub fn inverse_binds(skin: &Skin) -> Vec<Mat4> {
    skin.inverse_binds().iter().map(|&matrix| matrix.into()).collect()
}
