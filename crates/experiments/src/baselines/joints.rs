//! Joints as in the source: first as objects with children, then flattened.
//!
//! Source: S. Reinalter, *Adventures in data-oriented design*, part 2: "Initial implementation" and "A data-oriented
//! approach". Both use 4×4 matrices. Local poses are transforms, as sampling writes them, and are converted on the fly.

use hedgerow::Transform;
use hedgerow::glam::Mat4;
use hedgerow_anim::Skeleton;

#[inline]
fn matrix(local: &Transform) -> Mat4 {
    Mat4::from_scale_rotation_translation(local.scale, local.rotation, local.translation)
}

/// A character's joints.
pub trait Joints {
    /// Computes all global poses, from the root down.
    fn local_to_global(&mut self);

    /// Returns the global poses, in joint order.
    fn globals(&self) -> impl Iterator<Item = Mat4>;

    /// Multiplies each global pose by the joint's inverse bind matrix.
    fn palette(&self, inverse_binds: &[Mat4], palette: &mut [Mat4]) {
        for ((to, global), inverse_bind) in palette.iter_mut().zip(self.globals()).zip(inverse_binds) {
            *to = global * *inverse_bind;
        }
    }
}

/// A joint with its children.
#[derive(Clone, Debug)]
struct Joint {
    local: Transform,
    global: Mat4,
    children: Vec<usize>,
}

/// A character as an array of joints with children.
#[derive(Clone, Debug)]
pub struct Character {
    joints: Vec<Joint>,
}

impl Character {
    /// Creates the joints of a skeleton in this pose.
    pub fn new(skeleton: &Skeleton, locals: &[Transform]) -> Self {
        let joint = |&local| Joint { local, global: Mat4::IDENTITY, children: Vec::new() };
        let mut joints: Vec<_> = locals.iter().map(joint).collect();
        for (child, &parent) in skeleton.parents().iter().enumerate().skip(1) {
            joints[usize::from(parent)].children.push(child);
        }
        assert!(!joints.is_empty(), "a character has a root");
        Self { joints }
    }

    /// As in the source, nothing is checked on the way.
    fn descend(joints: &mut [Joint], joint: usize, parent: &Mat4) {
        // SAFETY: each joint number is a valid index: 0 in a list that is not empty, or a child stored by `new`.
        let one = unsafe { joints.get_unchecked_mut(joint) };
        let global = *parent * matrix(&one.local);
        one.global = global;
        let children: *const [usize] = &raw const *one.children;
        // SAFETY: the list of children is a heap block that nothing changes while it is walked.
        for &child in unsafe { &*children } {
            Self::descend(joints, child, &global);
        }
    }
}

impl Joints for Character {
    fn local_to_global(&mut self) {
        Self::descend(&mut self.joints, 0, &Mat4::IDENTITY);
    }

    fn globals(&self) -> impl Iterator<Item = Mat4> {
        self.joints.iter().map(|joint| joint.global)
    }
}

/// A character as arrays in depth-first order.
#[derive(Clone, Debug)]
pub struct Flattened {
    hierarchy: Vec<u16>,
    locals: Vec<Transform>,
    globals: Vec<Mat4>,
}

impl Flattened {
    /// Creates the joints of a skeleton in this pose.
    pub fn new(skeleton: &Skeleton, locals: &[Transform]) -> Self {
        let (globals, hierarchy) = (vec![Mat4::IDENTITY; locals.len()], skeleton.parents().to_vec());
        assert_eq!(hierarchy.len(), locals.len(), "a transform for each joint");
        let sorted = (0..).zip(&hierarchy).skip(1).all(|(joint, &parent): (usize, _)| usize::from(parent) < joint);
        assert!(sorted, "parents come first");
        Self { hierarchy, locals: locals.to_vec(), globals }
    }
}

impl Joints for Flattened {
    fn local_to_global(&mut self) {
        let Self { hierarchy, locals, globals } = self;
        globals[0] = matrix(&locals[0]);
        for joint in 1..globals.len() {
            // SAFETY: `new` checked that all arrays have the same length, and that parents come before their joints.
            unsafe {
                let parent = usize::from(*hierarchy.get_unchecked(joint));
                let global = *globals.get_unchecked(parent) * matrix(locals.get_unchecked(joint));
                *globals.get_unchecked_mut(joint) = global;
            }
        }
    }

    fn globals(&self) -> impl Iterator<Item = Mat4> {
        self.globals.iter().copied()
    }
}
