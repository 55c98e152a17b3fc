//! Morph weights of nodes, and the channels of a rig's clips that animate these weights.

use core::ops::Range;

/// A node whose mesh has morph targets.
///
/// If an animation changes the weights, all clips of the node's rig have channels for the weights, with the same
/// channel numbers in each clip. In clips that do not animate the weights, the channels have the rest weights.
///
/// ```
/// use hedgerow_character::{MorphChannels, MorphNode};
///
/// let mut flag = MorphNode::new(7, vec![0.5]);
/// flag.names = vec!["wave".to_owned()];
/// flag.channels = Some(MorphChannels::new(0, 0..1)); // the first channel of the first rig's clips
/// assert_eq!((flag.node, &flag.weights[..]), (7, &[0.5][..]));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MorphNode {
    /// The number of the node in its file, such as the glTF index; or a number of your own.
    pub node: usize,
    /// The rest weight of each target. Of a glTF file: from the node, else from the mesh, else 0.
    pub weights: Vec<f32>,
    /// The name of each target; empty if it has none. Of a glTF file: from `extras.targetNames` of the mesh.
    pub names: Vec<String>,
    /// The clip channels with the weights; `None` if no animation changes the weights.
    pub channels: Option<MorphChannels>,
}

/// The channels for a node's weights in the clips of a rig.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MorphChannels {
    /// The number of the rig in the list of rigs.
    pub rig: usize,
    /// The channels, one for each target.
    pub range: Range<usize>,
}

impl MorphNode {
    /// Creates a node with these rest weights, without names and channels.
    #[must_use]
    pub fn new(node: usize, weights: Vec<f32>) -> Self {
        Self { node, weights, names: Vec::new(), channels: None }
    }
}

impl MorphChannels {
    /// Names a range of the channels of a rig's clips.
    #[must_use]
    pub fn new(rig: usize, range: Range<usize>) -> Self {
        Self { rig, range }
    }
}
