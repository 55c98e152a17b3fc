// Copies the matrices that a list names to the buffer of previous matrices. The list is that of a scatter, which may
// have its items still.

@group(0) @binding(0) var<storage, read> list: array<u32>;
@group(0) @binding(1) var<storage, read> matrices: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> previous: array<vec4f>;

@compute @workgroup_size(64)
fn settle_matrices(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let at = id.y * groups.x * 64u + id.x;
    if at >= list[0] { return; }
    let first = 3u * list[2u + at];
    for (var row = first; row < first + 3u; row += 1u) {
        previous[row] = matrices[row];
    }
}
