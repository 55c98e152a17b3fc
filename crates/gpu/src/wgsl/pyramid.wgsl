// Makes the pyramid of the farthest depths. Its first level has a texel for two pixels squared, in both directions a power of
// two of them, so that each further level has exactly half of it, whatever the size of the picture. Texels beyond the picture
// have depths of its border.

@group(0) @binding(0) var depth: texture_depth_2d;
@group(0) @binding(0) var finer: texture_2d<f32>;
@group(0) @binding(1) var level: texture_storage_2d<r32float, write>;

// Whether nearer depths are greater.
override REVERSED: bool;

fn farthest(depths: vec4f) -> f32 {
    let pairs = select(max(depths.xy, depths.zw), min(depths.xy, depths.zw), REVERSED);
    return select(max(pairs.x, pairs.y), min(pairs.x, pairs.y), REVERSED);
}

@compute @workgroup_size(8, 8)
fn reduce_depth(@builtin(global_invocation_id) id: vec3u) {
    if any(id.xy >= textureDimensions(level)) { return; }
    let last = textureDimensions(depth) - 1u;
    let a = min(2u * id.xy, last);
    let b = min(2u * id.xy + 1u, last);
    textureStore(level, id.xy, vec4f(farthest(vec4f(
        textureLoad(depth, a, 0), textureLoad(depth, vec2u(b.x, a.y), 0),
        textureLoad(depth, vec2u(a.x, b.y), 0), textureLoad(depth, b, 0),
    ))));
}

@compute @workgroup_size(8, 8)
fn reduce_level(@builtin(global_invocation_id) id: vec3u) {
    if any(id.xy >= textureDimensions(level)) { return; }
    // One side may be a single texel already.
    let last = textureDimensions(finer) - 1u;
    let a = min(2u * id.xy, last);
    let b = min(2u * id.xy + 1u, last);
    textureStore(level, id.xy, vec4f(farthest(vec4f(
        textureLoad(finer, a, 0).r, textureLoad(finer, vec2u(b.x, a.y), 0).r,
        textureLoad(finer, vec2u(a.x, b.y), 0).r, textureLoad(finer, b, 0).r,
    ))));
}
