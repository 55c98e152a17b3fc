// Lists what view 0 sees and did not see last, by the depth of what it saw last. This text is behind that of culling.

// A level is its first texel in the pyramid, its width and its height.
struct Occluder { matrix: mat4x4f, size: vec2u, count: u32, sign: f32, levels: array<vec4u, 16> }
@group(0) @binding(9) var<uniform> occluder: Occluder;
// A texel of level n has the farthest depth of 2^(n + 1) pixels squared. The first level has a power of two of them in
// both directions, so that each further level has exactly half of it, whatever the size of the picture. Texels beyond
// the picture have depths of its border. If nearer depths are greater, all are times -1.
@group(0) @binding(10) var<storage, read_write> pyramid: array<f32>;
@group(1) @binding(0) var depth: texture_depth_2d;

fn farthest(depths: vec4f) -> f32 { return max(max(depths.x, depths.y), max(depths.z, depths.w)); }

// The farthest depth of the texels in two columns and two rows.
fn farthest_at(level: vec4u, a: vec2u, b: vec2u) -> f32 {
    let rows = level.x + level.y * vec2u(a.y, b.y);
    return farthest(vec4f(pyramid[rows.x + a.x], pyramid[rows.x + b.x], pyramid[rows.y + a.x], pyramid[rows.y + b.x]));
}

// Makes a texel of a level from the level before it.
fn reduce(number: u32, texel: vec2u) {
    let level = occluder.levels[number];
    if any(texel >= level.yz) { return; }
    // One side may be a single texel already.
    let finer = occluder.levels[number - 1u];
    let last = finer.yz - 1u;
    pyramid[level.x + level.y * texel.y + texel.x] =
        farthest_at(finer, min(2u * texel, last), min(2u * texel + 1u, last));
}

// A workgroup makes 16 squared texels of the first level, and from them alone those of the next four.
@compute @workgroup_size(16, 16)
fn reduce_depth(@builtin(workgroup_id) tile: vec3u, @builtin(local_invocation_id) id: vec3u) {
    let level = occluder.levels[0];
    let texel = 16u * tile.xy + id.xy;
    if !any(texel >= level.yz) {
        let last = occluder.size - 1u;
        let a = min(2u * texel, last);
        let b = min(2u * texel + 1u, last);
        pyramid[level.x + level.y * texel.y + texel.x] = farthest(occluder.sign * vec4f(
            textureLoad(depth, a, 0), textureLoad(depth, vec2u(b.x, a.y), 0),
            textureLoad(depth, vec2u(a.x, b.y), 0), textureLoad(depth, b, 0),
        ));
    }
    for (var number = 1u; number < 5u; number += 1u) {
        storageBarrier();
        let side = 16u >> number;
        if !any(id.xy >= vec2u(side)) { reduce(number, side * tile.xy + id.xy); }
    }
}

// One workgroup makes the rest, of which the first level has a texel for 64 pixels squared.
@compute @workgroup_size(16, 16)
fn reduce_levels(@builtin(local_invocation_id) id: vec3u) {
    for (var number = 5u; number < occluder.count; number += 1u) {
        let size = occluder.levels[number].yz;
        for (var y = id.y; y < size.y; y += 16u) {
            for (var x = id.x; x < size.x; x += 16u) { reduce(number, vec2u(x, y)); }
        }
        storageBarrier();
    }
}

// Whether a box is behind what is drawn, wherever it is in the picture.
fn is_hidden(center: vec3f, half: vec3f) -> bool {
    var low = vec2f(1e30);
    var high = vec2f(-1e30);
    var nearest = 1e30;
    for (var corner = 0u; corner < 8u; corner += 1u) {
        let side = vec3f(vec3u(corner, corner >> 1u, corner >> 2u) & vec3u(1u)) * 2.0 - 1.0;
        let clip = occluder.matrix * vec4f(center + half * side, 1.0);
        // What is around the eye is seen.
        if clip.w <= 0.0 { return false; }
        low = min(low, vec2f(clip.x, -clip.y) / clip.w);
        high = max(high, vec2f(clip.x, -clip.y) / clip.w);
        nearest = min(nearest, occluder.sign * clip.z / clip.w);
    }
    // A pixel more on each side, for rounding.
    let last = vec2f(occluder.size) - 1.0;
    let first_pixel = vec2u(clamp(floor((low * 0.5 + 0.5) * vec2f(occluder.size)) - 1.0, vec2f(), last));
    let last_pixel = vec2u(clamp(floor((high * 0.5 + 0.5) * vec2f(occluder.size)) + 1.0, vec2f(), last));
    // The finest level at which two texels squared have all these pixels.
    var level = 1u;
    while any((last_pixel >> vec2u(level)) - (first_pixel >> vec2u(level)) > vec2u(1u)) { level += 1u; }
    let far = farthest_at(occluder.levels[level - 1u], first_pixel >> vec2u(level), last_pixel >> vec2u(level));
    // Depths are rounded: relatively if far ones are near 0, else to 2^-20.
    if occluder.sign < 0.0 { return nearest * 1.00001 > far; }
    return nearest - 9.5367431640625e-7 > far;
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
