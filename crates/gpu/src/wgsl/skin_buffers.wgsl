// For shaders that draw what joints or morph targets deform. Put this text behind that of `FETCH`, and bind two more
// buffers. All passes then see the same points: shadows, depth, colour, motion. Drawables without a palette are not
// deformed, so that one shader may draw both kinds.

@group(1) @binding(3) var<storage, read> hg_palettes: array<vec4f>;
// The palettes again if the scene keeps no previous ones.
@group(1) @binding(4) var<storage, read> hg_previous_palettes: array<vec4f>;

fn hg_palette_row(at: u32) -> vec4f { return hg_palettes[at]; }
fn hg_previous_palette_row(at: u32) -> vec4f { return hg_previous_palettes[at]; }

