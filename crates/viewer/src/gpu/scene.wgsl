// Instanced meshes: placed by a matrix, deformed if they have a figure, lit by a sun with shadows. Before it are functions
// of hedgerow-gpu, `ROW`, and the struct `Draw` with the function `rows`, which returns the matrix of a draw.

struct View {
    view_projection: mat4x4<f32>,
    // Subtracted from translations: the camera's position, or zero if matrices are relative.
    eye: vec4<f32>,
}

@group(0) @binding(0) var<uniform> view: View;
// Lists in rows of ROW texels. Positions and normals of morph targets, target by target for each vertex:
@group(0) @binding(1) var deltas: texture_2d<f32>;
// Eight colours for each figure, in sRGB; alpha is 0 if it has none:
@group(0) @binding(2) var coats: texture_2d<f32>;

struct Material {
    colour: vec4<f32>,
    emissive: vec4<f32>,
    // Metallic factor, roughness, normal scale, alpha cutoff.
    numbers: vec4<f32>,
    // Whether the surface is unlit, has a normal map, and keeps alpha; the fourth is unused.
    flags: vec4<u32>,
    // Two rows for each texture; the last number of the second row is the set of coordinates.
    transforms: array<vec4<f32>, 8>,
}

@group(2) @binding(0) var<uniform> material: Material;
@group(2) @binding(1) var colour_texture: texture_2d<f32>;
@group(2) @binding(2) var colour_sampler: sampler;
@group(2) @binding(3) var metal_texture: texture_2d<f32>;
@group(2) @binding(4) var metal_sampler: sampler;
@group(2) @binding(5) var emissive_texture: texture_2d<f32>;
@group(2) @binding(6) var emissive_sampler: sampler;
@group(2) @binding(7) var normal_texture: texture_2d<f32>;
@group(2) @binding(8) var normal_sampler: sampler;

struct Lamp {
    // Position relative to the camera; range.
    place: vec4<f32>,
    colour: vec4<f32>,
    // Direction, and the cosine at which the cone begins to fade.
    direction: vec4<f32>,
    // The cosine at which the cone ends; -2 without a cone.
    cone: vec4<f32>,
}

struct Light {
    cascades: array<mat4x4<f32>, 3>,
    ends: vec4<f32>,
    texels: vec4<f32>,
    sun: vec4<f32>,
    sun_colour: vec4<f32>,
    zenith: vec4<f32>,
    horizon: vec4<f32>,
    ground: vec4<f32>,
    forward: vec4<f32>,
    // Exposure, haze, number of lamps, whether there are shadows.
    numbers: vec4<f32>,
    unprojection: mat4x4<f32>,
    lamps: array<Lamp, 16>,
}

@group(3) @binding(0) var<uniform> light: Light;
@group(3) @binding(1) var shadow_texture: texture_depth_2d_array;
@group(3) @binding(2) var shadow_sampler: sampler_comparison;

struct VertexIn {
    @location(0) place: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) first: vec2<f32>,
    @location(3) second: vec2<f32>,
    @location(4) colour: vec4<f32>,
}

struct Skin {
    @location(9) joints: vec4<u32>,
    @location(10) more_joints: vec4<u32>,
    @location(11) weights: vec4<f32>,
    @location(12) more_weights: vec4<f32>,
    // The first delta, the number of targets, and whether figures deform it.
    @location(13) morph: vec3<u32>,
}

struct VertexOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) first: vec2<f32>,
    @location(3) second: vec2<f32>,
    @location(4) colour: vec4<f32>,
}

fn placed(in: VertexIn, draw: Draw, place: vec3<f32>, normal: vec3<f32>, colour: vec4<f32>) -> VertexOut {
    let matrix = rows(draw);
    // Subtract first: small translations keep precision.
    let away = vec3<f32>(matrix[0].w, matrix[1].w, matrix[2].w) - view.eye.xyz;
    var out: VertexOut;
    out.place = vec4<f32>(place, 0.0) * matrix + away;
    out.normal = hg_turned(matrix, normal);
    out.clip = view.view_projection * vec4<f32>(out.place, 1.0);
    out.first = in.first;
    out.second = in.second;
    out.colour = colour;
    return out;
}

@vertex
fn still(in: VertexIn, draw: Draw) -> VertexOut {
    return placed(in, draw, in.place, in.normal, in.colour);
}

fn place_of(entry: u32) -> vec2<u32> {
    return vec2<u32>(entry % ROW, entry / ROW);
}

@vertex
fn deformed(in: VertexIn, draw: Draw, skin: Skin) -> VertexOut {
    let user_data = hg_user_data(draw.slot);
    // The coarser levels of a figure are rigid.
    if user_data == 0u || skin.morph.z == 0u {
        return placed(in, draw, in.place, in.normal, in.colour);
    }
    var place = in.place;
    var normal = in.normal;
    for (var morph = 0u; morph < skin.morph.y; morph++) {
        let weight = hg_weight(draw.slot, morph);
        if weight != 0.0 {
            let at = skin.morph.x + 2u * morph;
            place += weight * textureLoad(deltas, place_of(at), 0).xyz;
            normal += weight * textureLoad(deltas, place_of(at + 1u), 0).xyz;
        }
    }
    if any(skin.weights != vec4<f32>()) {
        var matrix = hg_blend(draw.slot, skin.joints, skin.weights);
        if any(skin.more_weights != vec4<f32>()) {
            matrix += hg_blend(draw.slot, skin.more_joints, skin.more_weights);
        }
        place = vec4<f32>(place, 1.0) * matrix;
        normal = vec4<f32>(normal, 0.0) * matrix;
    }
    let coat = textureLoad(coats, place_of(8u * (user_data - 1u) + u32(in.second.x + 0.5)), 0);
    let colour = select(in.colour, vec4<f32>(pow(coat.rgb, vec3<f32>(2.2)), 1.0), coat.a > 0.0);
    return placed(in, draw, place, normal, colour);
}

fn texcoord(in: VertexOut, texture: u32) -> vec2<f32> {
    let x = material.transforms[2u * texture];
    let y = material.transforms[2u * texture + 1u];
    let start = vec3<f32>(select(in.first, in.second, y.w > 0.5), 1.0);
    return vec2<f32>(dot(x.xyz, start), dot(y.xyz, start));
}

// The fraction of sunlight that reaches `place`, filtered over 4 × 4 texels.
fn sunlit(place: vec3<f32>, normal: vec3<f32>) -> f32 {
    if light.numbers.w < 0.5 {
        return 1.0;
    }
    let depth = dot(place, light.forward.xyz);
    var cascade = 0;
    if depth > light.ends.x {
        cascade = 1;
    }
    if depth > light.ends.y {
        cascade = 2;
    }
    if depth > light.ends.z {
        return 1.0;
    }
    let texel = light.texels[cascade];
    let start = light.cascades[cascade] * vec4<f32>(place + normal * (1.6 * texel), 1.0);
    let at = vec2<f32>(0.5 + 0.5 * start.x, 0.5 - 0.5 * start.y);
    let step = light.texels.w;
    var sum = 0.0;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let to = at + step * vec2<f32>(f32(x), f32(y));
            sum += textureSampleCompareLevel(shadow_texture, shadow_sampler, to, cascade, start.z);
        }
    }
    return sum / 9.0;
}

// The light that a surface reflects: Lambert's law, and GGX with Smith's shadowing and Schlick's Fresnel term.
fn reflected(normal: vec3<f32>, eye: vec3<f32>, way: vec3<f32>, colour: vec3<f32>, f0: vec3<f32>, rough: f32) -> vec3<f32> {
    let facing = dot(normal, way);
    if facing <= 0.0 {
        return vec3<f32>(0.0);
    }
    let half = normalize(way + eye);
    let n_eye = max(dot(normal, eye), 1e-3);
    let n_half = max(dot(normal, half), 0.0);
    let alpha = max(rough * rough, 2e-3);
    let a2 = alpha * alpha;
    let spread = n_half * n_half * (a2 - 1.0) + 1.0;
    let distribution = a2 / (3.14159265 * spread * spread);
    let k = 0.5 * alpha;
    let visible = 0.25 / ((facing * (1.0 - k) + k) * (n_eye * (1.0 - k) + k));
    let fresnel = f0 + (1.0 - f0) * pow(1.0 - max(dot(way, half), 0.0), 5.0);
    return facing * (colour * (1.0 - fresnel) / 3.14159265 + min(distribution * visible, 60.0) * fresnel);
}

fn sky(way: vec3<f32>) -> vec3<f32> {
    let up = clamp(2.2 * way.y, 0.0, 1.0);
    let above = mix(light.horizon.rgb, light.zenith.rgb, sqrt(up));
    return mix(above, 0.6 * light.ground.rgb, smoothstep(0.0, 0.35, -way.y));
}

// Tone mapping: the ACES curve, K. Narkowicz's form of S. Hill's fit.
fn toned(colour: vec3<f32>) -> vec3<f32> {
    let x = colour * light.numbers.x;
    return clamp((x * (2.51 * x + 0.03)) / (x * (2.43 * x + 0.59) + 0.14), vec3<f32>(0.0), vec3<f32>(1.0));
}

fn leaning(in: VertexOut, normal: vec3<f32>) -> vec3<f32> {
    if material.flags.y == 0u {
        return normal;
    }
    // Tangents from screen-space derivatives of position and coordinates: C. Schüler, "Followup: normal mapping without
    // precomputed tangents", 2013.
    let at = texcoord(in, 3u);
    let dx = dpdx(in.place);
    let dy = dpdy(in.place);
    let ux = dpdx(at);
    let uy = dpdy(at);
    let across = cross(dy, normal);
    let down = cross(normal, dx);
    let tangent = across * ux.x + down * uy.x;
    let bitangent = across * ux.y + down * uy.y;
    let size = max(dot(tangent, tangent), dot(bitangent, bitangent));
    let lean = textureSample(normal_texture, normal_sampler, at).xyz * 2.0 - 1.0;
    if size <= 0.0 {
        return normal;
    }
    let scale = material.numbers.z * inverseSqrt(size);
    // The v axis points down.
    return normalize(scale * (tangent * lean.x - bitangent * lean.y) + normal * lean.z);
}

@fragment
fn lit(in: VertexOut, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let base = material.colour * in.colour * textureSample(colour_texture, colour_sampler, texcoord(in, 0u));
    let metal = textureSample(metal_texture, metal_sampler, texcoord(in, 1u));
    let glow = material.emissive.rgb * textureSample(emissive_texture, emissive_sampler, texcoord(in, 2u)).rgb;
    var normal = normalize(in.normal);
    normal = select(-normal, normal, front);
    normal = leaning(in, normal);
    if base.a < material.numbers.w {
        discard;
    }
    let alpha = select(1.0, base.a, material.flags.z != 0u);
    if material.flags.x != 0u {
        return vec4<f32>(toned(base.rgb / max(light.numbers.x, 0.01)), alpha);
    }
    let metallic = clamp(material.numbers.x * metal.b, 0.0, 1.0);
    let rough = clamp(material.numbers.y * metal.g, 0.04, 1.0);
    let f0 = mix(vec3<f32>(0.04), base.rgb, metallic);
    let colour = base.rgb * (1.0 - metallic);
    let eye = normalize(-in.place);

    var sum = glow;
    let share = sunlit(in.place, normal);
    sum += share * light.sun_colour.rgb * 3.14159265 * reflected(normal, eye, light.sun.xyz, colour, f0, rough);
    for (var number = 0u; number < u32(light.numbers.z); number++) {
        let lamp = light.lamps[number];
        let to = lamp.place.xyz - in.place;
        let squared = max(dot(to, to), 1e-4);
        let way = to * inverseSqrt(squared);
        var power = 1.0 / squared;
        if lamp.place.w > 0.0 {
            let ratio = squared / (lamp.place.w * lamp.place.w);
            let fade = clamp(1.0 - ratio * ratio, 0.0, 1.0);
            power *= fade;
        }
        if lamp.cone.x > -1.5 {
            power *= smoothstep(lamp.cone.x, max(lamp.direction.w, lamp.cone.x + 1e-4), dot(lamp.direction.xyz, -way));
        }
        sum += power * lamp.colour.rgb * reflected(normal, eye, way, colour, f0, rough);
    }
    // Diffuse and mirrored sky.
    let around = mix(light.ground.rgb, mix(light.horizon.rgb, light.zenith.rgb, 0.5), 0.5 + 0.5 * normal.y);
    let mirrored = mix(sky(reflect(-eye, normal)), around, rough);
    let grazing = pow(1.0 - max(dot(normal, eye), 0.0), 5.0);
    let reflective = f0 + (max(vec3<f32>(1.0 - rough), f0) - f0) * grazing;
    sum += around * colour * 0.9 + mirrored * reflective;

    let clear = exp(-length(in.place) * light.numbers.y);
    sum = mix(light.horizon.rgb, sum, clear);
    return vec4<f32>(toned(sum), alpha);
}

// Shadow pass with alpha cutoff.
@fragment
fn cut(in: VertexOut) {
    let alpha = (material.colour * in.colour * textureSample(colour_texture, colour_sampler, texcoord(in, 0u))).a;
    if alpha < material.numbers.w {
        discard;
    }
}

struct SkyOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec2<f32>,
}

@vertex
fn sky_corner(@builtin(vertex_index) index: u32) -> SkyOut {
    var out: SkyOut;
    out.at = vec2<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    out.clip = vec4<f32>(out.at, 0.0, 1.0);
    return out;
}

@fragment
fn sky_colour(in: SkyOut) -> @location(0) vec4<f32> {
    let near = light.unprojection * vec4<f32>(in.at, 1.0, 1.0);
    let further = light.unprojection * vec4<f32>(in.at, 0.5, 1.0);
    let way = normalize(further.xyz / further.w - near.xyz / near.w);
    return vec4<f32>(toned(sky(way)), 1.0);
}

struct LineOut {
    @builtin(position) clip: vec4<f32>,
    @location(0) colour: vec3<f32>,
}

// The end of a line, relative to the camera.
@vertex
fn line_end(@location(0) place: vec3<f32>, @location(1) colour: vec4<f32>) -> LineOut {
    var clip = view.view_projection * vec4(place, 1.0);
    if colour.a > 0.5 {
        // Depth 1 is the near plane, so nothing hides the line.
        clip.z = clip.w;
    }
    return LineOut(clip, colour.rgb);
}

@fragment
fn line_colour(in: LineOut) -> @location(0) vec4<f32> {
    return vec4(in.colour, 1.0);
}
