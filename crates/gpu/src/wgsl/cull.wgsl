// Lists the drawables that views see, each in the command of its bin, level and winding. Before it runs, the commands are
// a copy of the template, which draws nothing. If there are view ranges, `cull_ranges` runs first.

struct Bounds { center: vec3f, matrix: u32, half: vec3f, bin: u32 }
struct Bin { commands: vec2u, firsts: vec2u, distances: vec4f, levels: vec4u }
struct Command {
    index_count: u32, instance_count: atomic<u32>, first_index: u32, base_vertex: i32, first_instance: u32,
}
// The second half is what culling keeps, one bit for each view: whether the eye was beyond each limit, in which views that
// is known, and which views show what is in the range.
struct Range {
    matrix: u32, near: f32, far: f32, above: u32,
    beyond_near: u32, beyond_far: u32, known: u32, shown: u32,
}
struct View { planes: array<vec4f, 6>, origin: vec3f, layers: u32, eye: vec3f, scale: f32 }
struct Views {
    count: u32, slots: u32, commands: u32, capacity: u32,
    ranges: u32, known: u32, margin: f32, epoch: u32,
    words: u32, hidden: u32, second: u32,
    @align(16) views: array<View, 32>,
}

@group(0) @binding(0) var<uniform> all: Views;
@group(0) @binding(1) var<storage, read> matrices: array<vec4f>;
@group(0) @binding(2) var<storage, read> instances: array<array<u32, 9>>;
@group(0) @binding(3) var<storage, read> bounds: array<Bounds>;
@group(0) @binding(4) var<storage, read> bins: array<Bin>;
@group(0) @binding(5) var<storage, read_write> commands: array<Command>;
@group(0) @binding(6) var<storage, read_write> visible: array<u32>;
@group(0) @binding(7) var<storage, read_write> ranges: array<Range>;
// By record: the generation, the number of the culling that wrote it, then four bits a view. They are 0 if the drawable was
// not listed, else its level and 1. With occlusion, then by slot: the bin in view 0, or 0 if it is not in there, and whether
// it was seen last in the lowest bit.
@group(0) @binding(8) var<storage, read_write> kept: array<u32>;

// The words of an instance.
const LAYERS = 3u;
const GENERATION = 5u;
const RECORD = 6u;
const RANGE = 8u;
// 2^-20. The planes are moved outwards by half of it already; the other half is for the center and the half size, which
// are rounded here. With half of it, drawables a thousand kilometres from the origin are missed that the CPU lists.
const TOLERANCE = 9.5367431640625e-7;
// Greater distances count as this one. The distances of unused levels are greater.
const FARTHEST = 1e37;

fn sum(v: vec3f) -> f32 { return abs(v.x) + abs(v.y) + abs(v.z); }

// Squares of greater numbers may be infinite.
fn length_of(v: vec3f, scale: f32) -> f32 {
    return min(length(clamp(v, vec3f(-1e18), vec3f(1e18))) * scale, FARTHEST);
}

@compute @workgroup_size(64)
fn cull_ranges(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let at = id.y * groups.x * 64u + id.x;
    // Nobody has range 0.
    if at == 0u || at >= all.ranges { return; }
    let range = ranges[at];
    let known = range.known & all.known;
    let place = vec3f(matrices[3u * range.matrix].w, matrices[3u * range.matrix + 1u].w, matrices[3u * range.matrix + 2u].w);
    var beyond_near = 0u;
    var beyond_far = 0u;
    var detailed = 0u;
    var shown = 0u;
    for (var view = 0u; view < all.count; view += 1u) {
        let bit = 1u << view;
        let scale = all.views[view].scale;
        if scale <= 0.0 { shown |= bit; continue; }
        detailed |= bit;
        let eye = all.views[view].eye;
        let distance = length_of(place - eye, scale);
        let slack = TOLERANCE * (sum(place) + sum(eye)) * scale;
        // An eye that was not beyond a limit stays so up to the margin.
        let near = range.near * select(1.0, all.margin, (known & ~range.beyond_near & bit) != 0u);
        let far = range.far * select(1.0, all.margin, (known & ~range.beyond_far & bit) != 0u);
        // Within rounding, what is in the range on one side of a limit is in it: also as long as that is remembered.
        if distance + slack >= near { beyond_near |= bit; }
        if range.far <= FARTHEST && distance - slack >= far { beyond_far |= bit; }
    }
    shown |= beyond_near & ~beyond_far;
    ranges[at].beyond_near = beyond_near;
    ranges[at].beyond_far = beyond_far;
    ranges[at].known = detailed;
    ranges[at].shown = shown;
}

// The views in which a range holds, and all ranges above it.
fn views_in(range: u32) -> u32 {
    var shown = 0xffffffffu;
    for (var at = range; at != 0u; at = ranges[at].above) { shown &= ranges[at].shown; }
    return shown;
}

fn count_levels(bin: Bin, distance: f32) -> u32 {
    return dot(select(vec4u(), vec4u(1u), vec4f(distance) >= bin.distances), vec4u(1u));
}

fn words_at(slot: u32) -> u32 { return instances[slot][RECORD] * all.words; }

// The box of a drawable in world space. Mirrored triangles are wound the other way, and are drawn by other commands.
struct Place { center: vec3f, half: vec3f, far: f32, winding: u32 }

fn place_of(box: Bounds) -> Place {
    let x = matrices[3u * box.matrix];
    let y = matrices[3u * box.matrix + 1u];
    let z = matrices[3u * box.matrix + 2u];
    let local = vec4f(box.center, 1.0);
    let center = vec3f(dot(x, local), dot(y, local), dot(z, local));
    let half = vec3f(dot(abs(x.xyz), box.half), dot(abs(y.xyz), box.half), dot(abs(z.xyz), box.half));
    return Place(center, half, sum(center) + sum(half), select(0u, 1u, dot(x.xyz, cross(y.xyz, z.xyz)) < 0.0));
}

fn list_slot(view: u32, bin: u32, winding: u32, slot: u32) {
    let list = bins[bin];
    let rank = atomicAdd(&commands[view * all.commands + list.commands[winding]].instance_count, 1u);
    visible[view * all.capacity + list.firsts[winding] + rank] = slot;
}

@compute @workgroup_size(64)
fn cull_drawables(@builtin(global_invocation_id) id: vec3u, @builtin(num_workgroups) groups: vec3u) {
    let slot = id.y * groups.x * 64u + id.x;
    if slot >= all.slots { return; }
    var seen_last = false;
    if all.second != 0u {
        seen_last = (kept[all.hidden + slot] & 1u) != 0u;
        kept[all.hidden + slot] = 0u;
    }
    let box = bounds[slot];
    // A free slot is in bin 0.
    if box.bin == 0u { return; }
    let at_place = place_of(box);
    let center = at_place.center;
    let half = at_place.half;
    let far = at_place.far;
    let always = box.half.x < 0.0;
    let finest = bins[box.bin];
    let has_levels = finest.distances.x < FARTHEST;
    var layers = 0u;
    var shown = 0u;
    var before = array<u32, 4>();
    var after = array<u32, 4>();
    var read = false;
    for (var view = 0u; view < all.count; view += 1u) {
        let origin = all.views[view].origin;
        let place = center - origin;
        let slack = TOLERANCE * (far + sum(origin));
        var touched = true;
        for (var plane = 0u; plane < 6u; plane += 1u) {
            let p = all.views[view].planes[plane];
            touched &= dot(p.xyz, place) + dot(abs(p.xyz), half) + p.w >= -slack;
        }
        if !(touched || always) { continue; }
        // Most drawables are in no view, so the rest is read of the others only.
        if !read {
            read = true;
            layers = instances[slot][LAYERS];
            shown = views_in(instances[slot][RANGE]);
            let at = words_at(slot);
            if has_levels && kept[at] == instances[slot][GENERATION] && kept[at + 1u] == all.epoch - 1u {
                for (var word = 0u; word < all.words - 2u; word += 1u) { before[word] = kept[at + 2u + word]; }
            }
        }
        if (layers & all.views[view].layers) == 0u || (shown & (1u << view)) == 0u { continue; }
        var bin = box.bin;
        let scale = all.views[view].scale;
        if has_levels && scale > 0.0 {
            let eye = all.views[view].eye;
            let distance = select(length_of(max(abs(eye - center) - half, vec3f()), scale), 0.0, always);
            var level = count_levels(finest, distance);
            let bits = 4u * (view % 8u);
            let last = (before[view / 8u] >> bits) & 15u;
            // What was listed becomes coarser at the margin alone.
            if last > 0u { level = clamp(last - 1u, count_levels(finest, distance / all.margin), level); }
            if level > 0u { bin = finest.levels[level - 1u]; }
            if bin == 0u {
                // Nothing is drawn from there on. Within the rounding of the distance, the level before is.
                let nearer = max(distance - TOLERANCE * (far + sum(eye)) * scale, 0.0);
                var drawn = count_levels(finest, nearer);
                if last > 0u { drawn = clamp(last - 1u, count_levels(finest, nearer / all.margin), drawn); }
                if drawn == level { continue; }
                level = drawn;
                bin = box.bin;
                if level > 0u { bin = finest.levels[level - 1u]; }
            }
            after[view / 8u] |= (level + 1u) << bits;
        }
        if all.second != 0u && view == 0u {
            // `cull_hidden` decides about the others.
            kept[all.hidden + slot] = (bin << 1u) | u32(seen_last);
            if !seen_last { continue; }
        }
        list_slot(view, bin, at_place.winding, slot);
    }
    if any(vec4u(after[0], after[1], after[2], after[3]) != vec4u()) {
        let at = words_at(slot);
        kept[at] = instances[slot][GENERATION];
        kept[at + 1u] = all.epoch;
        for (var word = 0u; word < all.words - 2u; word += 1u) { kept[at + 2u + word] = after[word]; }
    }
}
