//! The counted operations, by name. Each is repeated on a warm scene.
//!
//! A warm scene is a random tree built by single inserts and updated once. [`FEW`] nodes are one slice, [`MANY`] are
//! several. Every repetition picks a node by [`Dice`](crate::dice::Dice); the count of [`NOTHING`], which only picks,
//! is subtracted. Kernels run on lists of their own.

mod animate;
mod edits;
mod ik;
mod kernels;
mod passes;
mod reads;
mod whole;

use crate::warm::{FEW, MANY};

/// A repeated operation.
pub(crate) struct Operation {
    /// The name in arguments and in the file of limits.
    pub(crate) name: &'static str,
    /// A short description.
    pub(crate) about: &'static str,
    /// The number of nodes in the scene.
    pub(crate) nodes: u32,
    /// The number of nodes in one repetition, by which the count is divided.
    pub(crate) each: u32,
    /// Whether each repetition picks a node, which is not counted.
    pub(crate) picks: bool,
    /// The repetitions in the two runs.
    pub(crate) times: [u32; 2],
    /// Runs this number of repetitions.
    pub(crate) run: fn(u32),
}

impl Operation {
    /// Returns an operation on one node of a scene, repeated 10,000 more times in the second run.
    const fn single(name: &'static str, about: &'static str, nodes: u32, run: fn(u32)) -> Self {
        Self { name, about, nodes, each: 1, picks: true, times: [2_000, 12_000], run }
    }

    /// Returns a step of one character, repeated 1,000 more times in the second run.
    const fn step(name: &'static str, about: &'static str, run: fn(u32)) -> Self {
        Self { name, about, nodes: kernels::SHARE, each: 1, picks: false, times: [200, 1_200], run }
    }

    /// Returns an operation on many nodes, repeated ten more times in the second run.
    const fn whole(name: &'static str, about: &'static str, nodes: u32, each: u32, run: fn(u32)) -> Self {
        Self { name, about, nodes, each, picks: true, times: [2, 12], run }
    }

    /// Returns an operation that builds a scene, repeated once more in the second run.
    const fn build(name: &'static str, about: &'static str, nodes: u32, run: fn(u32)) -> Self {
        Self { name, about, nodes, each: nodes, picks: true, times: [1, 2], run }
    }

    /// Returns a kernel operation, counted per 64 items and repeated ten more times in the second run.
    const fn kernel(name: &'static str, about: &'static str, run: fn(u32)) -> Self {
        let each = kernels::COUNT / kernels::SHARE;
        Self { name, about, nodes: kernels::COUNT, each, picks: false, times: [2, 12], run }
    }
}

/// The operation that only picks a node.
pub(crate) const NOTHING: Operation = Operation::single("nothing", "pick a node", FEW, reads::nothing);

/// All operations, in the order of the table.
pub(crate) const ALL: &[Operation] = &[
    Operation::single("set-local", "set_local", FEW, edits::set_local),
    Operation::single("modify-local", "modify_local", FEW, edits::modify_local),
    Operation::single("world", "world", FEW, reads::world),
    Operation::single("parent", "parent", FEW, reads::parent),
    Operation::single("insert-remove", "insert and remove a transform", FEW, edits::insert_remove),
    Operation::single("insert-remove-drawable", "insert and remove a drawable", FEW, edits::insert_remove_drawable),
    Operation::single(
        "insert-remove-full",
        "insert and remove a transform, drawable and material",
        FEW,
        edits::insert_remove_full,
    ),
    Operation::single("queue-drawable", "the same of a drawable, inserted by a queue", FEW, edits::queue_drawable),
    Operation::single("reparent-leaf", "reparent a leaf", FEW, edits::reparent_leaf),
    Operation::single("set-world", "set_world of a leaf", FEW, edits::set_world),
    Operation::single("set-anchored", "the same of an anchored leaf, by set_local", FEW, edits::set_anchored),
    Operation::single("material", "replace a material", FEW, edits::material),
    Operation::single("set-update", "set_local and update", FEW, passes::set_update),
    Operation::single("checkpoint", "set_local and a checkpoint of it", FEW, passes::checkpoint),
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
    Operation::single("set-local-bounds", "set-local, among drawables with boxes", FEW, edits::set_local_bounds),
    Operation::single(
        "insert-remove-bounds",
        "insert-remove, among drawables with boxes",
        FEW,
        edits::insert_remove_bounds,
    ),
    Operation::single(
        "insert-remove-drawable-bounds",
        "insert-remove-drawable, among drawables with boxes",
        FEW,
        edits::insert_remove_drawable_bounds,
    ),
    Operation::single(
        "reparent-leaf-bounds",
        "reparent-leaf, among drawables with boxes",
        FEW,
        edits::reparent_leaf_bounds,
    ),
    Operation::whole("batch", "1,000 inserts of leaves, and remove_many; a leaf", MANY, 1_000, whole::batch),
    Operation::whole(
        "frame-moves",
        "leaves moved all over the tree, one node in 100, and the update; a move",
        MANY,
        whole::SCATTERED,
        whole::frame_moves,
    ),
    Operation::whole(
        "frame-inserts",
        "leaves removed and inserted all over the tree, one node in 100, and the update; one of each",
        MANY,
        whole::SCATTERED,
        whole::frame_inserts,
    ),
    Operation::build("build", "build by single inserts; a node", MANY, whole::build),
    Operation::whole(
        "set-worlds",
        "set_worlds of 64 leaves below a chain of 4,096; a node",
        4_160,
        4_160,
        whole::set_worlds,
    ),
    Operation::whole(
        "apply-all-detached",
        "apply_all of an edit of each node of a detached chain, after a removal; a node",
        whole::CHAIN,
        whole::CHAIN,
        whole::apply_all_detached,
    ),
    Operation::whole("list-name", "draw_list with an eye and motion, after a name; all", MANY, 1, passes::list_name),
    Operation::whole("list-material", "the same after a material; all", MANY, 1, passes::list_material),
    Operation::whole("index", "boxes of scattered units sorted, and 500 queries; all", MANY, 1, passes::index),
    Operation::single("update-clean", "update where nothing changed", MANY, passes::update_clean),
    Operation::kernel("propagate-avx2", "world matrices of 64 slots, with AVX2", kernels::propagate_avx2),
    Operation::kernel("propagate-sse2", "world matrices of 64 slots, with SSE2", kernels::propagate_sse),
    Operation::kernel("dirty-avx2", "the same of dirty slots among 64, with AVX2", kernels::dirty_avx2),
    Operation::kernel("dirty-sse2", "the same of dirty slots among 64, with SSE2", kernels::dirty_sse),
    Operation::kernel("boxes-avx2", "64 boxes moved by matrices, with AVX2", kernels::boxes_avx2),
    Operation::kernel("boxes-sse2", "64 boxes moved by matrices, with SSE2", kernels::boxes_sse),
    Operation::kernel("cull-avx2", "2 × 64 boxes against a frustum, with AVX2", kernels::cull_avx2),
    Operation::kernel("cull-sse2", "2 × 64 boxes against a frustum, with SSE2", kernels::cull_sse),
    Operation::kernel("query-avx2", "64 boxes against a sphere, a box and a ray, with AVX2", kernels::query_avx2),
    Operation::kernel("query-sse2", "64 boxes against a sphere, a box and a ray, with SSE2", kernels::query_sse),
    Operation::kernel("sample-avx2", "a clip of 64 joints, 1/8 s on, with AVX2", kernels::sample_avx2),
    Operation::kernel("sample-sse2", "a clip of 64 joints, 1/8 s on, with SSE2", kernels::sample_sse),
    Operation::kernel("seek-avx2", "the same by jump frames, with AVX2", kernels::seek_avx2),
    Operation::kernel("seek-sse2", "the same by jump frames, with SSE2", kernels::seek_sse),
    Operation::kernel("blend-avx2", "a sum, a fade and a difference of 64 joints, with AVX2", kernels::blend_avx2),
    Operation::kernel("blend-sse2", "a sum, a fade and a difference of 64 joints, with SSE2", kernels::blend_sse),
    Operation::kernel("models-avx2", "model matrices of 64 joints, with AVX2", kernels::models_avx2),
    Operation::kernel("models-sse2", "model matrices of 64 joints, with SSE2", kernels::models_sse),
    Operation::kernel("palettes-avx2", "palettes of 64 joints, with AVX2", kernels::palettes_avx2),
    Operation::kernel("palettes-sse2", "palettes of 64 joints, with SSE2", kernels::palettes_sse),
    Operation::kernel("skin-avx2", "64 vertices with normals, with AVX2", kernels::skin_avx2),
    Operation::kernel("skin-sse2", "64 vertices with normals, with SSE2", kernels::skin_sse),
    Operation::kernel("morph-avx2", "64 vertices with a morph target, with AVX2", kernels::morph_avx2),
    Operation::kernel("morph-sse2", "64 vertices with a morph target, with SSE2", kernels::morph_sse),
    Operation::step("animator-advance", "a step of an animator with two layers", animate::advance),
    Operation::step(
        "animator-sample",
        "a step and a sample of this animator: three clips of 64 joints",
        animate::sample,
    ),
    Operation::step("by-hand-sample", "the same with players, a sum and a crossfade", animate::by_hand),
    Operation::step("ik-two-bones", "a limb that reaches a goal, with a pole", ik::two_bones),
    Operation { each: 8, ..Operation::step("ik-eight", "the same of eight at a time; a limb", ik::eight) },
    Operation::step("ik-aim", "a head that aims, with an offset", ik::aim),
    Operation::step("ik-chain", "twelve bones, eight rounds of FABRIK", ik::chain),
    Operation::step("ik-hinges", "twelve hinges that reach a place, from another", ik::hinges),
    Operation::step("ik-pose", "six hinges that reach a pose, one frame away", ik::pose),
];
