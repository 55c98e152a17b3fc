// Lines with positions relative to the camera.

@group(0) @binding(0) var<uniform> view_projection: mat4x4<f32>;

struct End {
    @builtin(position) clip: vec4<f32>,
    @location(0) colour: vec3<f32>,
}

@vertex
fn end(@location(0) place: vec3<f32>, @location(1) colour: vec4<f32>) -> End {
    var clip = view_projection * vec4(place, 1.0);
    if colour.a > 0.5 {
        // Depth 1 is the near plane, so nothing hides the line.
        clip.z = clip.w;
    }
    return End(clip, colour.rgb);
}

@fragment
fn plain(in: End) -> @location(0) vec4<f32> {
    return vec4(in.colour, 1.0);
}
