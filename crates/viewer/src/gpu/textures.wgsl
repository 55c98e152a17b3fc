// Matrices and figures in textures, indexed by vertex shaders that cannot read storage buffers, as in WebGL 2. A
// table's bytes are in texels of four words, row by row.

// Texels in a row, as in tables.rs.
const ROW: u32 = 2048u;

@group(0) @binding(1) var matrices: texture_2d<u32>;
@group(0) @binding(2) var figures: texture_2d<u32>;
@group(0) @binding(3) var palettes: texture_2d<u32>;
@group(0) @binding(4) var influences: texture_2d<u32>;
@group(0) @binding(5) var deltas: texture_2d<u32>;
@group(0) @binding(6) var weights: texture_2d<u32>;
@group(0) @binding(7) var streams: texture_2d<u32>;

fn texel(at: u32) -> vec2<u32> {
    return vec2<u32>(at % ROW, at / ROW);
}

fn matrix_at(at: u32) -> mat3x4<f32> {
    return mat3x4<f32>(
        bitcast<vec4<f32>>(textureLoad(matrices, texel(3u * at), 0)),
        bitcast<vec4<f32>>(textureLoad(matrices, texel(3u * at + 1u), 0)),
        bitcast<vec4<f32>>(textureLoad(matrices, texel(3u * at + 2u), 0)),
    );
}

fn deform_at(figure: u32) -> Deform {
    let a = textureLoad(figures, texel(5u * figure), 0);
    let b = textureLoad(figures, texel(5u * figure + 1u), 0);
    let c = textureLoad(figures, texel(5u * figure + 2u), 0);
    return Deform(a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w, c.x, c.y, c.zw);
}

fn coat_at(figure: u32, cover: u32) -> u32 {
    return textureLoad(figures, texel(5u * figure + 3u + cover / 4u), 0)[cover % 4u];
}

fn palette_at(at: u32) -> mat3x4<f32> {
    return mat3x4<f32>(
        bitcast<vec4<f32>>(textureLoad(palettes, texel(3u * at), 0)),
        bitcast<vec4<f32>>(textureLoad(palettes, texel(3u * at + 1u), 0)),
        bitcast<vec4<f32>>(textureLoad(palettes, texel(3u * at + 2u), 0)),
    );
}

fn influence_at(at: u32) -> vec2<u32> {
    let two = textureLoad(influences, texel(at / 2u), 0);
    return select(two.xy, two.zw, at % 2u == 1u);
}

fn delta_at(at: u32) -> f32 {
    return bitcast<f32>(textureLoad(deltas, texel(at / 4u), 0)[at % 4u]);
}

fn weight_at(at: u32) -> f32 {
    return bitcast<f32>(textureLoad(weights, texel(at / 4u), 0)[at % 4u]);
}

fn stream_at(at: u32) -> f32 {
    return bitcast<f32>(textureLoad(streams, texel(at / 4u), 0)[at % 4u]);
}

