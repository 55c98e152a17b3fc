// For shaders that draw crowds with baked palettes. Put this text before your own; it needs no other.

// Of each clip: where its matrices begin, joints, frames, frames a second. Behind all clips: three rows a matrix.
@group(2) @binding(0) var<storage, read> hg_baked: array<vec4f>;

// The time in a clip that repeats.
fn hg_repeat(clip: u32, seconds: f32) -> f32 {
    let duration = (hg_baked[clip].z - 1.0) / hg_baked[clip].w;
    if duration <= 0.0 { return 0.0; }
    return seconds - duration * floor(seconds / duration);
}

// The sum of weighted matrices of joints at a time in a clip, as three rows: `vec4f(point, 1.0) * matrix` is the posed
// point. The weights of a vertex must sum to 1. Sums of two clips are fades. For motion vectors, call it with the time of
// the frame before, too.
fn hg_baked_blend(clip: u32, seconds: f32, joints: vec4u, weights: vec4f) -> mat3x4f {
    let last = hg_baked[clip].z - 1.0;
    let at = clamp(seconds * hg_baked[clip].w, 0.0, last);
    let frames = vec2u(vec2f(floor(at), min(floor(at) + 1.0, last)));
    let shares = vec2f(1.0 - fract(at), fract(at));
    var sum = mat3x4f();
    for (var number = 0u; number < 4u; number += 1u) {
        if weights[number] == 0.0 { continue; }
        for (var side = 0u; side < 2u; side += 1u) {
            let matrix = u32(hg_baked[clip].x) + 3u * (frames[side] * u32(hg_baked[clip].y) + joints[number]);
            let rows = mat3x4f(hg_baked[matrix], hg_baked[matrix + 1u], hg_baked[matrix + 2u]);
            sum += weights[number] * shares[side] * rows;
        }
    }
    return sum;
}
