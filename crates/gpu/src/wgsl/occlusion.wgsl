// Lists what view 0 sees and did not see last, by the depth of what it saw last. Put this text behind that of `CULL`, and run
// it after these drawables are drawn and the pyramid is made.

struct Occlusion { matrix: mat4x4f, size: vec2u }
@group(1) @binding(0) var<uniform> occlusion: Occlusion;
// A texel of level n has the farthest depth of 2^(n + 1) pixels squared.
@group(1) @binding(1) var pyramid: texture_2d<f32>;

// Whether nearer depths are greater.
override REVERSED: bool;

// Whether a box is behind what is drawn, wherever it is in the picture.
fn is_hidden(center: vec3f, half: vec3f) -> bool {
    var low = vec2f(1e30);
    var high = vec2f(-1e30);
    var nearest = select(1e30, -1e30, REVERSED);
    for (var corner = 0u; corner < 8u; corner += 1u) {
        let side = vec3f(vec3u(corner, corner >> 1u, corner >> 2u) & vec3u(1u)) * 2.0 - 1.0;
        let clip = occlusion.matrix * vec4f(center + half * side, 1.0);
        // What is around the eye is seen.
        if clip.w <= 0.0 { return false; }
        let depth = clip.z / clip.w;
        low = min(low, vec2f(clip.x, -clip.y) / clip.w);
        high = max(high, vec2f(clip.x, -clip.y) / clip.w);
        nearest = select(min(nearest, depth), max(nearest, depth), REVERSED);
    }
    // A pixel more on each side, for rounding.
    let last = vec2f(occlusion.size) - 1.0;
    let first_pixel = vec2u(clamp(floor((low * 0.5 + 0.5) * vec2f(occlusion.size)) - 1.0, vec2f(), last));
    let last_pixel = vec2u(clamp(floor((high * 0.5 + 0.5) * vec2f(occlusion.size)) + 1.0, vec2f(), last));
    // The finest level at which two texels squared have all these pixels.
    var level = 1u;
    while any((last_pixel >> vec2u(level)) - (first_pixel >> vec2u(level)) > vec2u(1u)) { level += 1u; }
    let a = first_pixel >> vec2u(level);
    let b = last_pixel >> vec2u(level);
    let mip = level - 1u;
    let texels = vec4f(
        textureLoad(pyramid, a, mip).r, textureLoad(pyramid, vec2u(b.x, a.y), mip).r,
        textureLoad(pyramid, vec2u(a.x, b.y), mip).r, textureLoad(pyramid, b, mip).r,
    );
    // Depths are rounded: relatively if far ones are near 0, else to 2^-20.
    if REVERSED { return nearest * 1.00001 < min(min(texels.x, texels.y), min(texels.z, texels.w)); }
    return nearest - 9.5367431640625e-7 > max(max(texels.x, texels.y), max(texels.z, texels.w));
}

@compute @workgroup_size(64)
fn cull_hidden(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let slot = id.y * groups.x * 64u + id.x;
    // Without occlusion, nothing is kept of slots.
    if all.second == 0u || slot >= all.slots { return; }
    let at = all.hidden + slot;
    let bin = kept[at] >> 1u;
    if bin == 0u { return; }
    let seen_last = (kept[at] & 1u) != 0u;
    let box = bounds[slot];
    let place = place_of(box);
    let center = place.center - all.views[0].origin;
    // Vertices are rounded as the box is.
    let half = place.half + TOLERANCE * (place.far + sum(all.views[0].origin));
    let seen = box.half.x < 0.0 || !is_hidden(center, half);
    kept[at] = (bin << 1u) | u32(seen);
    if seen && !seen_last { list_slot(all.second, bin, place.winding, slot); }
}
