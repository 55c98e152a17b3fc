// Copies items of `words` words to the places that a list names. `source` has the list, then the items.

struct Scatter { count: u32, words: u32 }

@group(0) @binding(0) var<uniform> scatter: Scatter;
@group(0) @binding(1) var<storage, read> source: array<u32>;
@group(0) @binding(2) var<storage, read_write> items: array<u32>;

@compute @workgroup_size(64)
fn scatter_items(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let at = id.y * groups.x * 64u + id.x;
    if at >= scatter.count { return; }
    let place = source[at] * scatter.words;
    let origin = scatter.count + at * scatter.words;
    for (var word = 0u; word < scatter.words; word += 1u) {
        items[place + word] = source[origin + word];
    }
}
