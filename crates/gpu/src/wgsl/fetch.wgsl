fn hg_matrix(slot: u32) -> u32 { return hg_word(slot, 0u); }
// The finest mesh, if it has levels of detail.
fn hg_mesh(slot: u32) -> u32 { return hg_word(slot, 1u); }
// All bits are set if the drawable has no material.
fn hg_material(slot: u32) -> u32 { return hg_word(slot, 2u); }
fn hg_layers(slot: u32) -> u32 { return hg_word(slot, 3u); }
fn hg_user_data(slot: u32) -> u32 { return hg_word(slot, 4u); }
// The bits of the node's handle, the lower ones first: for picking.
fn hg_node(slot: u32) -> vec2u { return vec2u(hg_word(slot, 5u), hg_word(slot, 6u)); }

// A world matrix, as three rows: `vec4f(point, 1.0) * rows` is the point in world space. To draw relative to an eye,
// subtract it from the last numbers of the rows first: near the eye, that is exact.
fn hg_rows(matrix: u32) -> mat3x4f {
    return mat3x4f(hg_row(3u * matrix), hg_row(3u * matrix + 1u), hg_row(3u * matrix + 2u));
}
fn hg_previous_rows(matrix: u32) -> mat3x4f {
    return mat3x4f(hg_previous_row(3u * matrix), hg_previous_row(3u * matrix + 1u), hg_previous_row(3u * matrix + 2u));
}

// A point in world space; and in the frame before, for motion vectors.
fn hg_world(matrix: u32, point: vec3f) -> vec3f { return vec4f(point, 1.0) * hg_rows(matrix); }
fn hg_previous_world(matrix: u32, point: vec3f) -> vec3f { return vec4f(point, 1.0) * hg_previous_rows(matrix); }

// A normal in world space, of any length: by cofactors, so it is right for uneven scales, shear and mirrors.
fn hg_turned(rows: mat3x4f, normal: vec3f) -> vec3f {
    let x = rows[0].xyz;
    let y = rows[1].xyz;
    let z = rows[2].xyz;
    let turned = vec3f(dot(cross(y, z), normal), dot(cross(z, x), normal), dot(cross(x, y), normal));
    return select(turned, -turned, dot(x, cross(y, z)) < 0.0);
}
fn hg_normal(matrix: u32, normal: vec3f) -> vec3f { return hg_turned(hg_rows(matrix), normal); }
