// The same as the text with buffers, for devices whose vertex shaders read none, such as WebGL 2: bind the textures at group
// 1. A table fills texel after texel, row after row: one of four words for 16 bytes, and one of a word for 4 bytes of an
// instance.

@group(1) @binding(0) var hg_matrices: texture_2d<u32>;
@group(1) @binding(1) var hg_instances: texture_2d<u32>;
@group(1) @binding(2) var hg_previous_matrices: texture_2d<u32>;

fn hg_texel(at: u32) -> vec2u { return vec2u(at % 2048u, at / 2048u); }
fn hg_word(slot: u32, word: u32) -> u32 { return textureLoad(hg_instances, hg_texel(9u * slot + word), 0).x; }
fn hg_row(at: u32) -> vec4f { return bitcast<vec4f>(textureLoad(hg_matrices, hg_texel(at), 0)); }
fn hg_previous_row(at: u32) -> vec4f { return bitcast<vec4f>(textureLoad(hg_previous_matrices, hg_texel(at), 0)); }

