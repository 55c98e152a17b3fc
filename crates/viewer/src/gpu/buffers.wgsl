// Matrices and figures in storage buffers, indexed by vertex shaders.

// The layout of `Deform` in renderer.rs.
struct Figure {
    deform: Deform,
    coat: array<vec4<u32>, 2>,
}

// World matrices in the scene's layout: three rows of four.
@group(0) @binding(1) var<storage, read> matrices: array<mat3x4<f32>>;
@group(0) @binding(2) var<storage, read> figures: array<Figure>;
@group(0) @binding(3) var<storage, read> palettes: array<mat3x4<f32>>;
@group(0) @binding(4) var<storage, read> influences: array<vec2<u32>>;
@group(0) @binding(5) var<storage, read> deltas: array<f32>;
@group(0) @binding(6) var<storage, read> weights: array<f32>;
@group(0) @binding(7) var<storage, read> streams: array<f32>;

fn matrix_at(at: u32) -> mat3x4<f32> {
    return matrices[at];
}

fn deform_at(figure: u32) -> Deform {
    return figures[figure].deform;
}

fn coat_at(figure: u32, cover: u32) -> u32 {
    return figures[figure].coat[cover / 4u][cover % 4u];
}

fn palette_at(at: u32) -> mat3x4<f32> {
    return palettes[at];
}

fn influence_at(at: u32) -> vec2<u32> {
    return influences[at];
}

fn delta_at(at: u32) -> f32 {
    return deltas[at];
}

fn weight_at(at: u32) -> f32 {
    return weights[at];
}

fn stream_at(at: u32) -> f32 {
    return streams[at];
}

