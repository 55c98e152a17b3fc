//! Kernels that run at the machine's best level, chosen at run time.
//!
//! Every level evaluates the same expressions in the same order, without fused multiply-add: the same inputs give the
//! same bits on each. Where fusing gains much, in [`crowd`], [`pose`] and [`skinning`], the topic says so and states by how much
//! its levels differ.

pub(crate) mod blend;
pub(crate) mod crowd;
pub(crate) mod pose;
pub(crate) mod sampling;
pub(crate) mod skinning;
