//! Trees of transform nodes, in the shapes of engines' own tests.

use super::rng::Rng;
use super::{Content, Recipe, RecipeNode};

/// The number of joints of a humanoid rig.
pub const RIG: u32 = 68;

/// The shape of a tree in which every node has a transform.
///
/// All but [`Random`](Self::Random) are close to shapes of Bevy's stress test `transform_hierarchy`: 8 children per
/// node, 4000 humanoid rigs of 68 joints, a chain 2,500 deep, and up to 500 children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Each node is below a random earlier one: the shape of the thesis's trees.
    Random,
    /// Eight children per node, level by level.
    EightAry,
    /// Rigs of [`RIG`] joints, all below the root, each in depth-first order.
    Humanoids,
    /// All nodes are children of the root.
    Flat,
    /// Each node is the child of the one before.
    Chain,
    /// A chain with an additional leaf at each node.
    Caterpillar,
    /// Groups of ten nodes, each with a child.
    Meshes,
}

impl Topology {
    /// Returns the name of the shape in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::EightAry => "8-ary",
            Self::Humanoids => "humanoids",
            Self::Flat => "flat",
            Self::Chain => "chain",
            Self::Caterpillar => "caterpillar",
            Self::Meshes => "meshes",
        }
    }

    fn parent(self, id: u32, rig: &[u32], rng: &mut Rng) -> u32 {
        let before = id - 1;
        match self {
            Self::Random => rng.below(id),
            Self::EightAry => before / 8,
            Self::Humanoids => match before % RIG {
                0 => 0,
                joint => id - joint + rig[joint as usize],
            },
            Self::Flat => 0,
            Self::Chain => before,
            Self::Caterpillar => before & !1,
            Self::Meshes => [0, id - before % 21, id.saturating_sub(10)][(before % 21).div_ceil(10) as usize],
        }
    }
}

impl Recipe {
    /// Creates a tree of `nodes` nodes, including the root, in which every node has a transform.
    pub fn transforms(topology: Topology, nodes: usize, seed: u64) -> Self {
        let (mut rng, rig) = (Rng::new(seed), rig());
        Self::of(nodes, |id| {
            let parent = topology.parent(id, &rig, &mut rng);
            RecipeNode { parent, content: Content::Transform(rng.transform()) }
        })
    }
}

/// Returns the parent of each joint of a rig. The first joint is the topmost.
///
/// A rig is a trunk (hips, three vertebrae, neck, head with crown and eyes), two arms (shoulder, upper arm, forearm,
/// hand with five fingers of four joints) and two legs (thigh, shin, foot, ball, toe).
fn rig() -> Vec<u32> {
    let mut joints = vec![0];
    let trunk = limb(&mut joints, 0, 4);
    let head = limb(&mut joints, trunk, 2);
    for _crown_or_eye in 0..3 {
        limb(&mut joints, head, 1);
    }
    for _side in 0..2 {
        let hand = limb(&mut joints, trunk, 4);
        for _finger in 0..5 {
            limb(&mut joints, hand, 4);
        }
    }
    let hips = 1;
    for _side in 0..2 {
        limb(&mut joints, hips, 5);
    }
    joints
}

/// Appends `length` joints, each below the one before, and returns the last.
fn limb(joints: &mut Vec<u32>, below: u32, length: u32) -> u32 {
    (0..length).fold(below, |parent, _| {
        joints.push(parent);
        u32::try_from(joints.len() - 1).expect("a rig is small")
    })
}
