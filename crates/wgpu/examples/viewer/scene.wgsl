// Lambert's law with the shadow of one sun. The texts of `FETCH` and `SKIN` come before it.

struct Frame { camera: mat4x4f, light: mat4x4f, sun: vec4f }
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var<storage, read> colours: array<vec4f>;
// Group 1 has the scene. The shadow pass has no group 2, since it draws what is in it.
@group(2) @binding(0) var shadow_map: texture_depth_2d;
@group(2) @binding(1) var shadow_sampler: sampler_comparison;

struct Vertex {
    @location(0) point: vec3f, @location(1) normal: vec3f,
    @location(2) joints: vec4u, @location(3) weights: vec4f,
    @location(4) slot: u32,
}
struct Corner {
    @builtin(position) clip: vec4f,
    @location(0) point: vec3f, @location(1) normal: vec3f,
    @location(2) @interpolate(flat) colour: vec3f,
}

@vertex
fn shadow(vertex: Vertex) -> @builtin(position) vec4f {
    return frame.light * vec4f(hg_skin(vertex.slot, vertex.joints, vertex.weights, vertex.point), 1.0);
}

@vertex
fn corner(vertex: Vertex) -> Corner {
    let point = hg_skin(vertex.slot, vertex.joints, vertex.weights, vertex.point);
    let normal = hg_skin_normal(vertex.slot, vertex.joints, vertex.weights, vertex.normal);
    return Corner(frame.camera * vec4f(point, 1.0), point, normalize(normal), colours[hg_material(vertex.slot)].rgb);
}

@fragment
fn lit(corner: Corner, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    let normal = normalize(select(-corner.normal, corner.normal, front));
    // A point is compared a little above its surface, so that no surface shades itself.
    let place = frame.light * vec4f(corner.point + frame.sun.w * normal, 1.0);
    let at = vec2f(0.5 + 0.5 * place.x, 0.5 - 0.5 * place.y);
    let texel = 1.0 / vec2f(textureDimensions(shadow_map));
    var open = 0.0;
    for (var tap = 0; tap < 9; tap += 1) {
        let offset = vec2f(f32(tap % 3 - 1), f32(tap / 3 - 1)) * texel;
        open += textureSampleCompareLevel(shadow_map, shadow_sampler, at + offset, place.z) / 9.0;
    }
    // What the light does not see is in no shadow.
    if any(abs(place.xy) > vec2f(1.0)) || place.z > 1.0 { open = 1.0; }
    let sky = mix(vec3f(0.12, 0.10, 0.08), vec3f(0.20, 0.25, 0.32), 0.5 + 0.5 * normal.y);
    let sun = vec3f(0.75, 0.70, 0.60) * open * max(dot(normal, frame.sun.xyz), 0.0);
    return vec4f(corner.colour * (sky + sun), 1.0);
}
