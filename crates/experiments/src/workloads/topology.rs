//! Trees of transforms alone, in the shapes that engines test themselves on.

use super::rng::Rng;
use super::{Content, Recipe, RecipeNode};

/// The joints of one humanoid rig.
pub const RIG: u32 = 68;

/// The shape of a tree in which every node has a transform.
///
/// All but [`Random`](Self::Random) are those of the stress test `transform_hierarchy` of the engine Bevy, or near
/// them: its trees are 8 wide, its humanoids 4000 rigs of 68 joints, its chain 2,500 deep, its widest node has 500
/// children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Each node hangs below an earlier one chosen at random: the shape of the thesis's trees.
    Random,
    /// Eight children a node, level by level.
    EightAry,
    /// Rigs of [`RIG`] joints beside one another below the root, each in depth-first order.
    Humanoids,
    /// All nodes below the root.
    Flat,
    /// Each node below the one before.
    Chain,
    /// A chain each of whose nodes has a leaf beside the next one.
    Caterpillar,
    /// Groups of ten nodes, each with a child.
    Meshes,
}

impl Topology {
    /// What the shape is called in results.
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

    /// The parent of the node that is inserted as the `id`-th behind the root.
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
    /// A tree of that many nodes, the root among them, in which every node has a transform.
    pub fn transforms(topology: Topology, nodes: usize, seed: u64) -> Self {
        let (mut rng, rig) = (Rng::new(seed), rig());
        Self::of(nodes, |id| {
            let parent = topology.parent(id, &rig, &mut rng);
            RecipeNode { parent, content: Content::Transform(rng.transform()) }
        })
    }
}

/// A rig: the parent of each joint, the first of which is the rig's top.
///
/// A trunk of hips, three vertebrae, neck and head with its crown and eyes; two arms of shoulder, upper arm, forearm
/// and hand with five fingers of four; two legs of thigh, shin, foot, ball and toe.
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

/// Appends that many joints below one another, and returns which is the last.
fn limb(joints: &mut Vec<u32>, below: u32, length: u32) -> u32 {
    (0..length).fold(below, |parent, _| {
        joints.push(parent);
        u32::try_from(joints.len() - 1).expect("a rig is small")
    })
}
