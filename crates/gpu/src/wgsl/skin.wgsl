// The item of the first joint; 0 if nothing deforms the drawable.
fn hg_deform(slot: u32) -> u32 { return hg_word(slot, 7u); }

// The weight of a morph target; 0 if nothing deforms the drawable. Ask only for targets whose weights were set.
fn hg_weight(slot: u32, morph: u32) -> f32 {
    if hg_deform(slot) == 0u { return 0.0; }
    return hg_palette_row(3u * hg_deform(slot) - 1u - morph / 4u)[morph % 4u];
}
fn hg_previous_weight(slot: u32, morph: u32) -> f32 {
    if hg_deform(slot) == 0u { return 0.0; }
    return hg_previous_palette_row(3u * hg_deform(slot) - 1u - morph / 4u)[morph % 4u];
}

// Without a palette: the identity times the sum of the weights.
fn hg_still(weights: vec4f) -> mat3x4f {
    let sum = dot(weights, vec4f(1.0));
    return mat3x4f(sum, 0.0, 0.0, 0.0, 0.0, sum, 0.0, 0.0, 0.0, 0.0, sum, 0.0);
}

// The sum of weighted matrices of joints, as three rows: `vec4f(point, 1.0) * matrix` is the posed point. The weights of
// a vertex must sum to 1, also if nothing deforms the drawable. For vertices that follow eight joints, add two.
fn hg_blend(slot: u32, joints: vec4u, weights: vec4f) -> mat3x4f {
    let deform = hg_deform(slot);
    if deform == 0u { return hg_still(weights); }
    var sum = mat3x4f();
    for (var number = 0u; number < 4u; number += 1u) {
        if weights[number] == 0.0 { continue; }
        let at = 3u * (deform + joints[number]);
        sum += weights[number] * mat3x4f(hg_palette_row(at), hg_palette_row(at + 1u), hg_palette_row(at + 2u));
    }
    return sum;
}
fn hg_previous_blend(slot: u32, joints: vec4u, weights: vec4f) -> mat3x4f {
    let deform = hg_deform(slot);
    if deform == 0u { return hg_still(weights); }
    var sum = mat3x4f();
    for (var number = 0u; number < 4u; number += 1u) {
        if weights[number] == 0.0 { continue; }
        let at = 3u * (deform + joints[number]);
        let rows = mat3x4f(hg_previous_palette_row(at), hg_previous_palette_row(at + 1u), hg_previous_palette_row(at + 2u));
        sum += weights[number] * rows;
    }
    return sum;
}

// A point that follows joints, in world space; and in the frame before, for motion vectors. If nothing deforms the
// drawable, the weights do not matter.
fn hg_skin(slot: u32, joints: vec4u, weights: vec4f, point: vec3f) -> vec3f {
    if hg_deform(slot) == 0u { return hg_world(hg_matrix(slot), point); }
    return hg_world(hg_matrix(slot), vec4f(point, 1.0) * hg_blend(slot, joints, weights));
}
fn hg_previous_skin(slot: u32, joints: vec4u, weights: vec4f, point: vec3f) -> vec3f {
    if hg_deform(slot) == 0u { return hg_previous_world(hg_matrix(slot), point); }
    return hg_previous_world(hg_matrix(slot), vec4f(point, 1.0) * hg_previous_blend(slot, joints, weights));
}

// A normal that follows joints, in world space, of any length; as `SkinnedMesh` turns it, then by cofactors.
fn hg_skin_normal(slot: u32, joints: vec4u, weights: vec4f, normal: vec3f) -> vec3f {
    if hg_deform(slot) == 0u { return hg_normal(hg_matrix(slot), normal); }
    return hg_normal(hg_matrix(slot), vec4f(normal, 0.0) * hg_blend(slot, joints, weights));
}
