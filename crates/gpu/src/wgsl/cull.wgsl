// Lists the drawables that views see, each in the command of its bin and winding. Before it runs, the commands are a copy
// of the template, which draws nothing.

struct Bounds { center: vec3f, matrix: u32, half: vec3f, bin: u32 }
struct Bin { commands: vec2u, firsts: vec2u }
struct Command {
    index_count: u32, instance_count: atomic<u32>, first_index: u32, base_vertex: i32, first_instance: u32,
}
struct View { planes: array<vec4f, 6>, layers: u32 }
struct Views { count: u32, slots: u32, commands: u32, room: u32, views: array<View, 32> }

@group(0) @binding(0) var<uniform> all: Views;
@group(0) @binding(1) var<storage, read> matrices: array<vec4f>;
@group(0) @binding(2) var<storage, read> instances: array<array<u32, 8>>;
@group(0) @binding(3) var<storage, read> bounds: array<Bounds>;
@group(0) @binding(4) var<storage, read> bins: array<Bin>;
@group(0) @binding(5) var<storage, read_write> commands: array<Command>;
@group(0) @binding(6) var<storage, read_write> visible: array<u32>;

// The word of an instance that has its layers.
const LAYERS = 3u;
// 2^-20. The planes are moved outwards by half of it already; the other half is for the center and the half size, which
// are rounded here. With half of it, drawables a thousand kilometres from the origin are missed that the CPU lists.
const TOLERANCE = 9.5367431640625e-7;

@compute @workgroup_size(64)
fn cull_drawables(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let slot = id.y * groups.x * 64u + id.x;
    if slot >= all.slots { return; }
    let box = bounds[slot];
    // A free slot is in bin 0.
    if box.bin == 0u { return; }
    let x = matrices[3u * box.matrix];
    let y = matrices[3u * box.matrix + 1u];
    let z = matrices[3u * box.matrix + 2u];
    let local = vec4f(box.center, 1.0);
    let center = vec3f(dot(x, local), dot(y, local), dot(z, local));
    let half = vec3f(dot(abs(x.xyz), box.half), dot(abs(y.xyz), box.half), dot(abs(z.xyz), box.half));
    let far = abs(center) + half;
    let slack = TOLERANCE * (far.x + far.y + far.z);
    let always = box.half.x < 0.0;
    // Mirrored triangles are wound the other way, and are drawn by other commands.
    let winding = select(0u, 1u, dot(x.xyz, cross(y.xyz, z.xyz)) < 0.0);
    let bin = bins[box.bin];
    var layers = 0u;
    var read = false;
    for (var view = 0u; view < all.count; view += 1u) {
        var touched = true;
        for (var plane = 0u; plane < 6u; plane += 1u) {
            let p = all.views[view].planes[plane];
            touched &= dot(p.xyz, center) + dot(abs(p.xyz), half) + p.w >= -slack;
        }
        if !(touched || always) { continue; }
        // Most drawables are in no view, so layers are read of the others only.
        if !read { layers = instances[slot][LAYERS]; read = true; }
        if (layers & all.views[view].layers) == 0u { continue; }
        let rank = atomicAdd(&commands[view * all.commands + bin.commands[winding]].instance_count, 1u);
        visible[view * all.room + bin.firsts[winding] + rank] = slot;
    }
}
