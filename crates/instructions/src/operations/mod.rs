//! What is counted: each operation by its name, done so many times on a warm scene.
//!
//! A warm scene is a random tree that was built by single inserts and updated once. [`FEW`] nodes are one slice,
//! [`MANY`] are many. Every operation picks a node by [`Dice`](crate::dice::Dice) each time, as [`NOTHING`] does, whose
//! count is subtracted.

mod edits;
mod passes;
mod reads;
mod whole;

use crate::warm::{FEW, MANY};

/// Something that is done over and over.
pub(crate) struct Operation {
    /// By which it is asked for, and by which the limits know it.
    pub(crate) name: &'static str,
    /// What is done each time.
    pub(crate) about: &'static str,
    /// How many nodes the scene has.
    pub(crate) nodes: u32,
    /// How many nodes one time is about: what is counted is divided by this.
    pub(crate) each: u32,
    /// How many times it is done in the two runs that are compared.
    pub(crate) times: [u32; 2],
    /// Does it so many times.
    pub(crate) run: fn(u32),
}

impl Operation {
    /// An operation on one node of a scene, done 10,000 times between the two runs.
    const fn single(name: &'static str, about: &'static str, nodes: u32, run: fn(u32)) -> Self {
        Self { name, about, nodes, each: 1, times: [2_000, 12_000], run }
    }

    /// An operation on many nodes, done ten times between the two runs.
    const fn whole(name: &'static str, about: &'static str, nodes: u32, each: u32, run: fn(u32)) -> Self {
        Self { name, about, nodes, each, times: [2, 12], run }
    }

    /// An operation that builds a scene, done once more in the second run.
    const fn build(name: &'static str, about: &'static str, nodes: u32, run: fn(u32)) -> Self {
        Self { name, about, nodes, each: nodes, times: [1, 2], run }
    }
}

/// Picking a node and doing nothing with it.
pub(crate) const NOTHING: Operation = Operation::single("nothing", "pick a node", FEW, reads::nothing);

/// All operations, in the order of the table.
pub(crate) const ALL: &[Operation] = &[
    Operation::single("set-local", "set_local within one slice", FEW, edits::set_local),
    Operation::single("set-local-across", "set_local across many slices", MANY, edits::set_local_across),
    Operation::single("world", "world", FEW, reads::world),
    Operation::single("parent", "parent", FEW, reads::parent),
    Operation::single("insert-remove", "insert and remove a transform", FEW, edits::insert_remove),
    Operation::single("insert-remove-shape", "insert and remove a shape", FEW, edits::insert_remove_shape),
    Operation::single(
        "insert-remove-full",
        "insert and remove a transform, shape and material",
        FEW,
        edits::insert_remove_full,
    ),
    Operation::single("reparent-leaf", "reparent a leaf within one slice", FEW, edits::reparent_leaf),
    Operation::single("reparent-leaf-across", "reparent a leaf across many slices", MANY, edits::reparent_leaf_across),
    Operation::single("material", "replace a material", FEW, edits::material),
    Operation::single("set-update", "set_local and update", FEW, passes::set_update),
    Operation::single("set-local-changes", "set-local, with the change feed", FEW, edits::set_local_changes),
    Operation::single(
        "insert-remove-changes",
        "insert-remove, with the change feed",
        FEW,
        edits::insert_remove_changes,
    ),
    Operation::single(
        "reparent-leaf-changes",
        "reparent-leaf, with the change feed",
        FEW,
        edits::reparent_leaf_changes,
    ),
    Operation::single("set-local-bounds", "set-local, among shapes with boxes", FEW, edits::set_local_bounds),
    Operation::single(
        "insert-remove-bounds",
        "insert-remove, among shapes with boxes",
        FEW,
        edits::insert_remove_bounds,
    ),
    Operation::single(
        "insert-remove-shape-bounds",
        "insert-remove-shape, among shapes with boxes",
        FEW,
        edits::insert_remove_shape_bounds,
    ),
    Operation::single(
        "reparent-leaf-bounds",
        "reparent-leaf, among shapes with boxes",
        FEW,
        edits::reparent_leaf_bounds,
    ),
    Operation::whole("batch", "insert_many and remove_many of 1,000 leaves; a leaf", MANY, 1_000, whole::batch),
    Operation::build("build", "build by single inserts, splits included; a node", MANY, whole::build),
    Operation::single("update-clean", "update where nothing changed", MANY, passes::update_clean),
];
