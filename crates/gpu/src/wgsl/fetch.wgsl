// For shaders that draw. Put this text before your own, and bind the buffers at group 1. The slot of a drawable is an
// attribute of the vertex buffer that lists visible slots, which advances by instance.

@group(1) @binding(0) var<storage, read> hg_matrices: array<vec4f>;
@group(1) @binding(1) var<storage, read> hg_instances: array<array<u32, 9>>;
// The matrices again if the scene keeps no previous ones.
@group(1) @binding(2) var<storage, read> hg_previous_matrices: array<vec4f>;

fn hg_matrix(slot: u32) -> u32 { return hg_instances[slot][0]; }
// The finest mesh, if it has levels of detail.
fn hg_mesh(slot: u32) -> u32 { return hg_instances[slot][1]; }
// All bits are set if the drawable has no material.
fn hg_material(slot: u32) -> u32 { return hg_instances[slot][2]; }
fn hg_layers(slot: u32) -> u32 { return hg_instances[slot][3]; }
fn hg_user_data(slot: u32) -> u32 { return hg_instances[slot][4]; }
// The bits of the node's handle, the lower ones first: for picking.
fn hg_node(slot: u32) -> vec2u { return vec2u(hg_instances[slot][5], hg_instances[slot][6]); }

// A point in world space.
fn hg_world(matrix: u32, point: vec3f) -> vec3f {
    let local = vec4f(point, 1.0);
    let at = 3u * matrix;
    return vec3f(dot(hg_matrices[at], local), dot(hg_matrices[at + 1u], local), dot(hg_matrices[at + 2u], local));
}

// The same in the frame before, for motion vectors.
fn hg_previous_world(matrix: u32, point: vec3f) -> vec3f {
    let local = vec4f(point, 1.0);
    let at = 3u * matrix;
    return vec3f(
        dot(hg_previous_matrices[at], local),
        dot(hg_previous_matrices[at + 1u], local),
        dot(hg_previous_matrices[at + 2u], local),
    );
}

// A normal in world space, of any length: by cofactors, so it is right for uneven scales, shear and mirrors.
fn hg_normal(matrix: u32, normal: vec3f) -> vec3f {
    let x = hg_matrices[3u * matrix].xyz;
    let y = hg_matrices[3u * matrix + 1u].xyz;
    let z = hg_matrices[3u * matrix + 2u].xyz;
    let turned = vec3f(dot(cross(y, z), normal), dot(cross(z, x), normal), dot(cross(x, y), normal));
    return select(turned, -turned, dot(x, cross(y, z)) < 0.0);
}
