// For shaders that draw. Put this text before your own, and bind the buffers at group 1. The slot of a drawable is an
// attribute of the vertex buffer that lists visible slots, which advances by instance.

@group(1) @binding(0) var<storage, read> hg_matrices: array<vec4f>;
@group(1) @binding(1) var<storage, read> hg_instances: array<array<u32, 9>>;
// The matrices again if the scene keeps no previous ones.
@group(1) @binding(2) var<storage, read> hg_previous_matrices: array<vec4f>;

fn hg_word(slot: u32, word: u32) -> u32 { return hg_instances[slot][word]; }
fn hg_row(at: u32) -> vec4f { return hg_matrices[at]; }
fn hg_previous_row(at: u32) -> vec4f { return hg_previous_matrices[at]; }

