// The same as the text with buffers, behind that of `FETCH_TEXTURES`.

@group(1) @binding(3) var hg_palettes: texture_2d<u32>;
@group(1) @binding(4) var hg_previous_palettes: texture_2d<u32>;

fn hg_palette_row(at: u32) -> vec4f { return bitcast<vec4f>(textureLoad(hg_palettes, hg_texel(at), 0)); }
fn hg_previous_palette_row(at: u32) -> vec4f { return bitcast<vec4f>(textureLoad(hg_previous_palettes, hg_texel(at), 0)); }

