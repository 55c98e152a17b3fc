// Copies items to the places that a list names. A list has the number of its indices, the number of words of an item,
// the indices, and the items.

@group(0) @binding(0) var<storage, read> list: array<u32>;
@group(0) @binding(1) var<storage, read_write> items: array<u32>;

@compute @workgroup_size(64)
fn scatter_items(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let at = id.y * groups.x * 64u + id.x;
    if at >= list[0] { return; }
    let words = list[1];
    let place = list[2u + at] * words;
    let origin = 2u + list[0] + at * words;
    for (var word = 0u; word < words; word += 1u) {
        items[place + word] = list[origin + word];
    }
}
