// Decay of the vibrations inside pieces about their rigid motions: a workgroup has a chunk of a piece.

// members; chunks of the piece; its motion at the start of the block, of a point (h) and an angular velocity; rate (1/s), time from
// which it decays (s), unit of positions (m)
struct Chunk { members: vec2<u32>, chunks: vec2<u32>, centre: vec3<i32>, rate: f32, v: vec3<f32>, begin: f32, w: vec3<f32>, h: f32 }

@group(0) @binding(0) var<storage, read> chunks: array<Chunk>;
@group(0) @binding(1) var<storage, read> members: array<u32>;
@group(0) @binding(2) var<storage, read> poses: array<Pose>;
@group(0) @binding(3) var<storage, read> motions: array<Motion>;
@group(0) @binding(4) var<storage, read> works: array<Works>;
// by the number of steps: times since the change before, and since the start of the block, s
@group(0) @binding(5) var<storage, read> spans: array<vec2<f32>>;
@group(0) @binding(6) var<storage, read_write> sums: array<Moments>;
@group(0) @binding(7) var<storage, read_write> rests: array<Rest>;

// Columns: first moment and mass; momentum; angular momentum; second moments on the diagonal, and those beside it in the rows below
alias Moments = mat4x4<f32>;

// mass of a piece of which a bond broke in the block, beyond all others, kg
const BROKEN = 1e30f;

var<workgroup> parts: array<Moments, 64>;

// Sum over the threads.
fn total(k: u32, own: Moments) -> Moments {
    parts[k] = own;
    for (var n = 32u; n > 0u; n /= 2u) {
        workgroupBarrier();
        if k < n { parts[k] += parts[k + n]; }
    }
    workgroupBarrier();
    return parts[0];
}

// Place (m) and velocities of a particle relative to the motion at the start of the block.
struct Relative { r: vec3<f32>, v: vec3<f32>, w: vec3<f32> }

fn relative(i: u32, chunk: Chunk) -> Relative {
    let pose = poses[i];
    let moved = chunk.v * spans[pose.step].y;
    let r = (vec3<f32>(pose.at - chunk.centre) + pose.part) * chunk.h - moved;
    return Relative(r, motions[i].v - chunk.v - cross(chunk.w, r), motions[i].w - chunk.w);
}

fn moments(i: u32, chunk: Chunk) -> Moments {
    let own = relative(i, chunk);
    let m = 1.0f / motions[i].by_mass;
    let j = 1.0f / motions[i].by_inertia;
    let momentum = cross(own.r, own.v) * m + own.w * j;
    let diagonal = m * (dot(own.r, own.r) - own.r * own.r) + j;
    let beside = -m * own.r.yzx * own.r.zxy;
    let mass = select(m, BROKEN, works[i].broke != 0u);
    return Moments(vec4(own.r * m, mass), vec4(own.v * m, beside.x), vec4(momentum, beside.y), vec4(diagonal, beside.z));
}

@compute @workgroup_size(64)
fn sum(@builtin(local_invocation_index) k: u32, @builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let c = id.x + id.y * groups.x;
    if c >= arrayLength(&chunks) { return; }
    let chunk = chunks[c];
    var own = Moments();
    for (var s = chunk.members.x + k; s < chunk.members.y; s += 64u) { own += moments(members[s], chunk); }
    let all = total(k, own);
    if k == 0u { sums[c] = all; }
}

@compute @workgroup_size(64)
fn decay(@builtin(local_invocation_index) k: u32, @builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let c = id.x + id.y * groups.x;
    if c >= arrayLength(&chunks) { return; }
    let chunk = chunks[c];
    var own = Moments();
    for (var s = chunk.chunks.x + k; s < chunk.chunks.y; s += 64u) { own += sums[s]; }
    let all = total(k, own);
    let mass = all[0].w;
    let span = spans[poses[members[chunk.members.x]].step];
    let lost = 1.0f - exp(-chunk.rate * min(span.x, span.y - chunk.begin));
    if mass >= BROKEN || !(lost > 0.0f) { return; }
    // rigid motion: of the centre, and about it
    let centre = all[0].xyz / mass;
    let v = all[1].xyz / mass;
    let l = all[2].xyz - cross(centre, all[1].xyz);
    let diagonal = all[3].xyz - mass * (dot(centre, centre) - centre * centre);
    let beside = vec3(all[1].w, all[2].w, all[3].w) + mass * centre.yzx * centre.zxy;
    let scale = 1.0f / (diagonal.x + diagonal.y + diagonal.z);
    let x = vec3(diagonal.x, beside.z, beside.y) * scale;
    let y = vec3(beside.z, diagonal.y, beside.x) * scale;
    let z = vec3(beside.y, beside.x, diagonal.z) * scale;
    let w = vec3(dot(cross(y, z), l), dot(cross(z, x), l), dot(cross(x, y), l)) * (scale / dot(x, cross(y, z)));
    for (var s = chunk.members.x + k; s < chunk.members.y; s += 64u) {
        let i = members[s];
        let own = relative(i, chunk);
        let change = Pair(v + cross(w, own.r - centre) - own.v, w - own.w) * lost;
        rests[i] = Rest(rests[i].v + vec4(change[0], 1.0f), vec4(change[1], 0.0f));
    }
}
