// Lists of near pairs by cells, which repeat in space: each cell has a chain of its particles.

// slots of a particle's pairs; edge of a cell (h); numbers of cells less one along each
// axis, powers of two less one; gap up to which a pair is near (h)
struct Grid { particles: u32, slots: u32, pad: u32, cell: u32, mask: vec3<u32>, skin: f32 }

@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> poses: array<Pose>;
@group(0) @binding(2) var<storage, read> surfaces: array<Surface>;
@group(0) @binding(3) var<storage, read_write> heads: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> chain: array<u32>;
@group(0) @binding(5) var<storage, read> bonds: array<vec4<u32>>;
// contact distances of pairs that were bonded nearer than their radii: first ranges of particles, and whether bonds surround them, then
// entries
@group(0) @binding(6) var<storage, read> short_bonds: array<vec4<u32>>;
// other particle, slot of the bond, and contact distance in h, whole and part; stretch (m), and friction limit (N), negative if it slid
@group(0) @binding(7) var<storage, read_write> pairs: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> springs: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read_write> new_pairs: array<vec4<u32>>;
@group(0) @binding(10) var<storage, read_write> new_springs: array<vec4<f32>>;
// position, and numbers of pairs, and of those without bonds in the upper half
@group(0) @binding(11) var<storage, read_write> anchors: array<vec4<i32>>;
@group(0) @binding(12) var<storage, read_write> status: Status;
@group(0) @binding(13) var<storage, read> slices: array<u32>;
// whether any bond of a particle is broken
@group(0) @binding(14) var<storage, read> broken: array<u32>;

fn cell_of(at: vec3<i32>) -> vec3<u32> {
    return (bitcast<vec3<u32>>(at) ^ vec3<u32>(0x80000000u)) / grid.cell;
}

fn index_of(cell: vec3<u32>) -> u32 {
    let c = cell & grid.mask;
    return c.x + (grid.mask.x + 1u) * (c.y + (grid.mask.y + 1u) * c.z);
}

@compute @workgroup_size(64)
fn clear(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let cell = id.x + id.y * groups.x * 64u;
    if cell < arrayLength(&heads) { atomicStore(&heads[cell], NONE); }
}

@compute @workgroup_size(64)
fn link(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.x + id.y * groups.x * 64u;
    if i >= grid.particles || surfaces[i].size == 0.0f { return; }
    chain[i] = atomicExchange(&heads[index_of(cell_of(poses[i].at))], i);
}

fn new_pair(i: u32, j: u32) -> vec4<u32> {
    var bond = NONE;
    for (var s = slices[i / 64u]; s < slices[i / 64u + 1u] && bond == NONE; s++) {
        let place = s * 64u + i % 64u;
        if (bonds[place].w & (OTHER | TOUCHING)) == j { bond = place; }
    }
    let key = j | select(BONDED, 0u, bond == NONE);
    for (var k = short_bonds[i].x; k < short_bonds[i].y; k++) {
        if short_bonds[k].x == j { return vec4<u32>(key, bond, short_bonds[k].yz); }
    }
    let part = surfaces[i].part + surfaces[j].part;
    return vec4<u32>(key, bond, bitcast<u32>(surfaces[i].radius + surfaces[j].radius), bitcast<u32>(part));
}

fn is_surrounded(i: u32) -> bool {
    return short_bonds[i].z != 0u && broken[i] == 0u;
}

// Sorts `count` new pairs of a particle: no lists are so long that a comb is not good enough.
fn sort(i: u32, count: u32) {
    var gap = count;
    var swapped = true;
    while gap > 1u || swapped {
        gap = max(gap * 10u / 13u, 1u);
        swapped = false;
        for (var s = gap; s < count; s++) {
            let a = (s - gap) * grid.particles + i;
            let b = s * grid.particles + i;
            let pair = new_pairs[a];
            if pair.x <= new_pairs[b].x { continue; }
            new_pairs[a] = new_pairs[b];
            new_pairs[b] = pair;
            swapped = true;
        }
    }
}

// Slot of the pair with `j` between two sorted ones of new pairs, if there is one.
fn find(i: u32, j: u32, first: u32, end: u32) -> u32 {
    var low = first;
    var high = end;
    while low < high {
        let middle = (low + high) / 2u;
        let is_below = (new_pairs[middle * grid.particles + i].x & OTHER) < j;
        low = select(low, middle + 1u, is_below);
        high = select(middle, high, is_below);
    }
    let place = low * grid.particles + i;
    return select(NONE, place, low < end && (new_pairs[place].x & OTHER) == j);
}

// The list of each particle, sorted, those without bonds first, with the springs of the old one.
@compute @workgroup_size(64)
fn list(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.x + id.y * groups.x * 64u;
    if i >= grid.particles { return; }
    if i == 0u { status.built = poses[i].step; }
    let at = poses[i].at;
    let radius = surfaces[i].radius;
    let surrounded = is_surrounded(i);
    var found = 0u;
    var loose = 0u;
    for (var k = 0u; k < 27u && surfaces[i].size > 0.0f; k++) {
        let cell = cell_of(at) + vec3<u32>(k % 3u, k / 3u % 3u, k / 9u) - 1u;
        for (var j = atomicLoad(&heads[index_of(cell)]); j != NONE; j = chain[j]) {
            let reach = f32(radius + surfaces[j].radius) + grid.skin;
            if j == i || length(vec3<f32>(poses[j].at - at)) >= reach { continue; }
            let pair = new_pair(i, j);
            if surrounded && pair.y == NONE && is_surrounded(j) { continue; }
            found += 1u;
            if found > grid.slots { continue; }
            let place = (found - 1u) * grid.particles + i;
            new_pairs[place] = pair;
            new_springs[place] = vec4<f32>();
            loose += u32(pair.y == NONE);
        }
    }
    if found > grid.slots { atomicMax(&status.slots, found); }
    let count = min(found, grid.slots);
    sort(i, count);
    for (var s = 0u; s < (u32(anchors[i].w) & 0xffffu); s++) {
        let old = s * grid.particles + i;
        let touched = pairs[old].x & TOUCHES;
        if touched == 0u && springs[old].w == 0.0f { continue; }
        let j = pairs[old].x & OTHER;
        let place = min(find(i, j, 0u, loose), find(i, j, loose, count));
        if place == NONE { continue; }
        new_pairs[place].x |= touched;
        new_springs[place] = springs[old];
    }
    for (var s = 0u; s < count; s++) {
        let place = s * grid.particles + i;
        pairs[place] = new_pairs[place];
        springs[place] = new_springs[place];
    }
    anchors[i] = vec4<i32>(at, i32(count | loose << 16u));
}
