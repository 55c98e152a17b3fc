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

// The texels of a workgroup: those of other threads are not read from the buffer before the next dispatch.
var<workgroup> tile: array<f32, 256>;

// Stores 16 squared texels of a level, and from them alone makes those of the next four, as far as there are any.
fn reduce_tile(first: u32, corner: vec2u, id: vec2u, own: f32) {
    var depth_of_texel = own;
    let ups = min(5u, occluder.count - first);
    for (var up = 0u; up < ups; up += 1u) {
        let level = occluder.levels[first + up];
        let side = 16u >> up;
        let made = !any(id >= vec2u(side));
        if up > 0u {
            // One side of the level before may be a single texel already.
            let last = min(vec2u(2u * side), occluder.levels[first + up - 1u].yz) - 1u;
            let a = min(2u * id, last);
            let b = min(2u * id + 1u, last);
            if made {
                depth_of_texel = farthest(vec4f(
                    tile[16u * a.y + a.x], tile[16u * a.y + b.x], tile[16u * b.y + a.x], tile[16u * b.y + b.x],
                ));
            }
            workgroupBarrier();
        }
        let texel = side * corner + id;
        if made {
            tile[16u * id.y + id.x] = depth_of_texel;
            if !any(texel >= level.yz) { pyramid[level.x + level.y * texel.y + texel.x] = depth_of_texel; }
        }
        workgroupBarrier();
    }
}

// Makes the first five levels.
@compute @workgroup_size(16, 16)
fn reduce_depth(@builtin(workgroup_id) corner: vec3u, @builtin(local_invocation_id) id: vec3u) {
    let texel = 16u * corner.xy + id.xy;
    let last = occluder.size - 1u;
    let a = min(2u * texel, last);
    let b = min(2u * texel + 1u, last);
    let own = farthest(occluder.sign * vec4f(
        textureLoad(depth, a, 0), textureLoad(depth, vec2u(b.x, a.y), 0),
        textureLoad(depth, vec2u(a.x, b.y), 0), textureLoad(depth, b, 0),
    ));
    reduce_tile(0u, corner.xy, id.xy, own);
}

// Makes five levels from the one before them.
fn reduce_level(first: u32, corner: vec2u, id: vec2u) {
    let finer = occluder.levels[first - 1u];
    let texel = 16u * corner + id;
    let last = finer.yz - 1u;
    reduce_tile(first, corner, id, farthest_at(finer, min(2u * texel, last), min(2u * texel + 1u, last)));
}

@compute @workgroup_size(16, 16)
fn reduce_sixth(@builtin(workgroup_id) corner: vec3u, @builtin(local_invocation_id) id: vec3u) {
    reduce_level(5u, corner.xy, id.xy);
}

@compute @workgroup_size(16, 16)
fn reduce_eleventh(@builtin(workgroup_id) corner: vec3u, @builtin(local_invocation_id) id: vec3u) {
    reduce_level(10u, corner.xy, id.xy);
}

@compute @workgroup_size(16, 16)
fn reduce_sixteenth(@builtin(workgroup_id) corner: vec3u, @builtin(local_invocation_id) id: vec3u) {
    reduce_level(15u, corner.xy, id.xy);
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
