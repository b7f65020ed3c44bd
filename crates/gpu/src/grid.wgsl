// Lists of near particles by cells, which repeat in space: each cell has a chain of its particles.

struct Grid {
    particles: u32,
    // slots of pairs of a particle, and of bonds that have no contacts
    slots: u32,
    bond_slots: u32,
    // edge of a cell, h
    cell: u32,
    // number of cells along each axis less one: powers of two, less one
    mask: vec3<u32>,
    // gap up to which a pair is near, h
    skin: f32,
}

@group(0) @binding(0) var<uniform> grid: Grid;
@group(0) @binding(1) var<storage, read> poses: array<Pose>;
@group(0) @binding(2) var<storage, read> surfaces: array<Surface>;
@group(0) @binding(3) var<storage, read_write> heads: array<atomic<u32>>;
@group(0) @binding(4) var<storage, read_write> chain: array<u32>;
@group(0) @binding(5) var<storage, read> bonds: array<vec4<u32>>;
// contact distances of pairs that were bonded nearer than their radii: first entries of particles, then entries
@group(0) @binding(6) var<storage, read> short_bonds: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> pairs: array<vec4<u32>>;
@group(0) @binding(8) var<storage, read_write> springs: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read_write> new_pairs: array<vec4<u32>>;
@group(0) @binding(10) var<storage, read_write> new_springs: array<vec4<f32>>;
// position, and number of pairs
@group(0) @binding(11) var<storage, read_write> anchors: array<vec4<i32>>;
@group(0) @binding(12) var<storage, read_write> status: Status;
@group(0) @binding(13) var<storage, read> clock: u32;

fn cell_of(at: vec3<i32>) -> vec3<u32> {
    return (bitcast<vec3<u32>>(at) ^ vec3<u32>(0x80000000u)) / grid.cell;
}

fn index_of(cell: vec3<u32>) -> u32 {
    let c = cell & grid.mask;
    return c.x + (grid.mask.x + 1u) * (c.y + (grid.mask.y + 1u) * c.z);
}

@compute @workgroup_size(64)
fn clear(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var cell = id.x; cell < arrayLength(&heads); cell += 64u * groups.x) { atomicStore(&heads[cell], NONE); }
}

@compute @workgroup_size(64)
fn link(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i >= grid.particles || surfaces[i].radius == 0 { return; }
    chain[i] = atomicExchange(&heads[index_of(cell_of(poses[i].at))], i);
}

// The pair's slot: other particle, slot of the bond, contact distance.
fn new_pair(i: u32, j: u32) -> vec4<u32> {
    var bond = NONE;
    for (var s = 0u; s < grid.bond_slots; s++) {
        let place = s * grid.particles + i;
        if bond == NONE && (bonds[place].w & INDEX) == j { bond = place; }
    }
    var reach = surfaces[i].radius + surfaces[j].radius;
    var part = surfaces[i].part + surfaces[j].part;
    for (var k = short_bonds[i].x; k < short_bonds[i].y; k++) {
        if short_bonds[k].x == j {
            reach = bitcast<i32>(short_bonds[k].y);
            part = bitcast<f32>(short_bonds[k].z);
        }
    }
    return vec4<u32>(j, bond, bitcast<u32>(reach), bitcast<u32>(part));
}

// The list of each particle, sorted, with the springs that were in the old one.
@compute @workgroup_size(64)
fn list(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i == 0u { status.built = clock; }
    if i >= grid.particles { return; }
    let at = poses[i].at;
    let radius = surfaces[i].radius;
    let count = u32(anchors[i].w);
    var found = 0u;
    let home = cell_of(at);
    for (var k = 0u; k < 27u && radius > 0; k++) {
        let cell = home + vec3<u32>(k % 3u, k / 3u % 3u, k / 9u) - vec3<u32>(1u);
        for (var j = atomicLoad(&heads[index_of(cell)]); j != NONE; j = chain[j]) {
            let reach = f32(radius + surfaces[j].radius) + grid.skin;
            if j == i || length(vec3<f32>(poses[j].at) - vec3<f32>(at)) > 2.0f * reach { continue; }
            if length(vec3<f32>(poses[j].at - at)) >= reach { continue; }
            found += 1u;
            if found > grid.slots { continue; }
            // insertion in order
            var s = found - 1u;
            for (; s > 0u && new_pairs[(s - 1u) * grid.particles + i].x > j; s--) {
                new_pairs[s * grid.particles + i] = new_pairs[(s - 1u) * grid.particles + i];
            }
            new_pairs[s * grid.particles + i] = new_pair(i, j);
        }
    }
    if found > grid.slots { atomicMax(&status.slots, found); }
    found = min(found, grid.slots);
    var old = 0u;
    for (var s = 0u; s < found; s++) {
        let place = s * grid.particles + i;
        let j = new_pairs[place].x;
        while old < count && (pairs[old * grid.particles + i].x & INDEX) < j { old++; }
        new_springs[place] = vec4<f32>();
        if old < count && (pairs[old * grid.particles + i].x & INDEX) == j {
            new_springs[place] = springs[old * grid.particles + i];
            new_pairs[place].x = pairs[old * grid.particles + i].x;
        }
    }
    for (var s = 0u; s < found; s++) {
        let place = s * grid.particles + i;
        pairs[place] = new_pairs[place];
        springs[place] = new_springs[place];
    }
    anchors[i] = vec4<i32>(at, i32(found));
}
