//! Trees, as lists of parents and local transforms. Every parent comes before its children.

use crate::town;
use fastrand::Rng;
use hedgerow::Transform;
use hedgerow::glam::{Quat, Vec3};
use hedgerow_experiments::workloads::{RIG, Recipe, Topology};
use std::path::Path;

/// The greatest depth of a tree, as in Bevy's stress test. Bevy's update recurses by depth, too.
const DEEPEST: usize = 2500;
/// The depth of a broom, which is small because Bevy's first update climbs from each node to the root.
const HANDLE: usize = 250;
/// The number of children per node in `wide`, as in Bevy's stress test.
const WIDE: usize = 500;

/// A tree that all peers build.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub name: &'static str,
    /// The parent of each node. The first node is the root, whose entry is 0.
    pub parents: Vec<u32>,
    pub locals: Vec<Transform>,
}

impl Shape {
    pub(crate) fn len(&self) -> usize {
        self.parents.len()
    }

    /// Returns a tree whose transforms come from a fixed random sequence: positions within ten units, any rotation,
    /// scales within 10 % of 1.
    fn of(name: &'static str, parents: Vec<u32>) -> Self {
        let mut rng = Rng::with_seed(17);
        let locals = (0..parents.len()).map(|_| transform(&mut rng)).collect();
        Self { name, parents, locals }
    }
}

fn transform(rng: &mut Rng) -> Transform {
    let mut signed = || 2.0 * rng.f32() - 1.0;
    let [x, y, z] = core::array::from_fn(|_| 10.0 * signed());
    let [a, b, c] = core::array::from_fn(|_| core::f32::consts::PI * signed());
    let scale = core::array::from_fn(|_| 1.0 + 0.1 * signed());
    Transform {
        translation: Vec3::new(x, y, z),
        rotation: Quat::from_rotation_x(a) * Quat::from_rotation_y(b) * Quat::from_rotation_z(c),
        scale: Vec3::from_array(scale),
    }
}

/// The names of all shapes, in the order of measurement.
pub(crate) const NAMES: &[&str] =
    &["random", "8-ary", "wide", "uneven", "rigs", "interleaved", "flat", "broom", "chain", "town"];

/// Returns the shape of this name with about `nodes` nodes; `None` for a town without a file.
///
/// - `random`: each node below a random earlier one, as in the thesis.
/// - `8-ary`: eight children per node, level by level.
/// - `wide`: a root, its children and grandchildren; with 250,501 nodes in all, each inner node has 500 children.
/// - `uneven`: Bevy's *non-uniform* tree: one side is deeper, with up to eight children per node.
/// - `rigs`: humanoids of 68 joints below the root, one after the other.
/// - `interleaved`: the same, but all first joints are inserted before all second joints, and so on.
/// - `flat`: all nodes below the root.
/// - `broom`: a chain of at most 250, with all other nodes at its end.
/// - `chain`: each node below the previous one; at most 2,500 nodes.
/// - `town`: copies of a glTF file's nodes, as many as fit.
///
/// # Errors
/// An error if the file cannot be read, or if there is no shape of this name.
pub(crate) fn shape(name: &str, nodes: usize, file: Option<&Path>) -> Result<Option<Shape>, String> {
    let rigs = nodes.div_ceil(RIG as usize).max(1);
    Ok(Some(match name {
        "random" => Shape::of("random", of_recipe(Topology::Random, nodes)),
        "8-ary" => Shape::of("8-ary", of_recipe(Topology::EightAry, nodes)),
        "wide" => Shape::of("wide", wide(nodes)),
        "uneven" => Shape::of("uneven", uneven(nodes)),
        "rigs" => Shape::of("rigs", of_recipe(Topology::Humanoids, rigs * RIG as usize + 1)),
        "interleaved" => Shape::of("interleaved", interleaved(rigs)),
        "flat" => Shape::of("flat", of_recipe(Topology::Flat, nodes)),
        "broom" => Shape::of("broom", broom(nodes)),
        "chain" => Shape::of("chain", of_recipe(Topology::Chain, nodes.min(DEEPEST))),
        "town" => match file {
            None => return Ok(None),
            Some(file) => {
                let (parents, locals) = town::read(file, nodes)?;
                Shape { name: "town", parents, locals }
            }
        },
        _ => return Err(format!("unknown shape {name}; the shapes are: {}", NAMES.join(", "))),
    }))
}

fn of_recipe(topology: Topology, nodes: usize) -> Vec<u32> {
    Recipe::transforms(topology, nodes, 5).nodes().iter().map(|node| node.parent).collect()
}

fn narrow(id: usize) -> u32 {
    u32::try_from(id).expect("trees have less than 2^32 nodes")
}

fn wide(nodes: usize) -> Vec<u32> {
    // 1 + w + w² nodes.
    let width = (1..=WIDE).take_while(|width| 1 + width + width * width <= nodes).last().unwrap_or(1);
    let middle = core::iter::repeat_n(0, width);
    let leaves = (1..=width).flat_map(|above| core::iter::repeat_n(narrow(above), width));
    core::iter::once(0).chain(middle).chain(leaves).collect()
}

/// Returns the deepest uneven tree with at most `nodes` nodes. The subtree of a first child has one level fewer than
/// its parent's subtree; the subtree of each other child has one level fewer than its elder sibling's.
fn uneven(nodes: usize) -> Vec<u32> {
    fn grow(parents: &mut Vec<u32>, parent: u32, depth: usize) {
        for younger in 0..depth.min(8) {
            let child = narrow(parents.len());
            parents.push(parent);
            grow(parents, child, depth - younger - 1);
        }
    }
    let tree = |depth| {
        let mut parents = vec![0];
        grow(&mut parents, 0, depth);
        parents
    };
    (1..).map(tree).take_while(|parents| parents.len() <= nodes).last().unwrap_or_else(|| vec![0, 0])
}

/// Returns the rigs of [`Topology::Humanoids`] joint by joint.
fn interleaved(rigs: usize) -> Vec<u32> {
    let joints = RIG as usize;
    // Joint `j` of rig `r` is node `1 + j * rigs + r`.
    let one = of_recipe(Topology::Humanoids, joints + 1);
    let joint = |joint: usize| {
        let above = one[joint + 1];
        (0..rigs).map(move |rig| if above == 0 { 0 } else { narrow(1 + (above as usize - 1) * rigs + rig) })
    };
    core::iter::once(0).chain((0..joints).flat_map(joint)).collect()
}

fn broom(nodes: usize) -> Vec<u32> {
    let handle = HANDLE.min(nodes / 2);
    (0..nodes).map(|id| narrow(id.saturating_sub(1).min(handle))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(parents: &[u32]) -> Vec<usize> {
        let mut counts = vec![0; parents.len()];
        parents[1..].iter().for_each(|&parent| counts[parent as usize] += 1);
        counts
    }

    #[test]
    fn every_shape_has_parents_first_and_about_the_size_that_was_asked_for() {
        for name in NAMES.iter().filter(|&&name| name != "town") {
            let shape = shape(name, 4096, None).unwrap().unwrap();
            assert!((1..).zip(&shape.parents[1..]).all(|(id, &parent)| parent < id), "{name}");
            assert_eq!(shape.parents.len(), shape.locals.len());
            assert!((1500..=4200).contains(&shape.len()), "{name} has {}", shape.len());
        }
    }

    #[test]
    fn bevys_own_trees_have_its_sizes() {
        assert_eq!(wide(250_501).len(), 1 + 500 + 500 * 500);
        assert_eq!(counts(&wide(250_501)).iter().max(), Some(&500));
        // Two levels: a root with two children, the elder of which has one child.
        assert_eq!(uneven(5), [0, 0, 1, 0]);
        assert_eq!(counts(&uneven(300_000)).iter().max(), Some(&8));
    }

    #[test]
    fn interleaved_rigs_are_rigs() {
        let (rigs, parents) = (10, interleaved(10));
        let plain = of_recipe(Topology::Humanoids, rigs * RIG as usize + 1);
        let sorted = |parents: &[u32]| {
            let mut counts = counts(parents);
            counts.sort_unstable();
            counts
        };
        assert_eq!(sorted(&parents), sorted(&plain));
        assert!(parents[1..=rigs].iter().all(|&parent| parent == 0) && parents[rigs + 1] == 1);
    }

    #[test]
    fn a_broom_has_its_bristles_at_the_end_of_its_handle() {
        let parents = broom(10_000);
        assert_eq!(counts(&parents)[HANDLE], 10_000 - HANDLE - 1);
        assert_eq!(parents[..4], [0, 0, 1, 2]);
    }
}
