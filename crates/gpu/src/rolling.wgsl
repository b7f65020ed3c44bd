// Rolling friction at the end of a step, a thread a particle: an impulse on spins by what the forces leave of them.

@group(0) @binding(16) var<storage, read> spins: array<Spin>;
@group(0) @binding(17) var<storage, read_write> next_poses: array<Pose>;
@group(0) @binding(18) var<storage, read_write> next_motions: array<Motion>;
@group(0) @binding(19) var<storage, read_write> works: array<Works>;

// Torque on a side with another of this coefficient, spin, number of contacts, and 1/J. The contacts of a particle stop it together.
fn roll(i: u32, coefficient: f32, w: vec3<f32>, rolls: f32, by_inertia: f32, normal: f32, arm: f32) -> vec3<f32> {
    let give = (motions[i].by_inertia + by_inertia) / uniforms.rate;
    if give == 0.0f { return vec3<f32>(); }
    return rolling(surfaces[i].rolling, coefficient, normal, arm, spins[i].w - w, max(spins[i].rolls, rolls) * give);
}

fn roll_other(i: u32, place: u32, now: Pose) -> vec3<f32> {
    let pair = pairs[place];
    if (pair.x & TOUCHES) == 0u || pair.y != NONE && (bonds[pair.y].w & BROKEN) == 0u { return vec3<f32>(); }
    let j = pair.x & OTHER;
    let reach = bitcast<i32>(pair.z);
    let gap = beyond(poses[j].at - now.at, poses[j].part - now.part, reach, bitcast<f32>(pair.w)) * uniforms.h;
    let spring = pair_spring(surfaces[i], surfaces[j], f32(reach) * uniforms.h, surfaces[i].mass);
    let arm = min(surfaces[i].size, surfaces[j].size);
    let push = pair_push(spring, -gap);
    return roll(i, surfaces[j].rolling, spins[j].w, spins[j].rolls, motions[j].by_inertia, push, arm);
}

fn roll_solid(i: u32, k: u32, now: Pose) -> vec3<f32> {
    let own = surfaces[i];
    let place = places[now.step * solids[k].moves * uniforms.solids + k];
    let gap = nearest(solids[k], place, now, own).gap * uniforms.h;
    if gap >= 0.0f { return vec3<f32>(); }
    let spring = Spring(own.wall_k, own.wall_size, own.wall_softening, 0.0f, own.wall_tangential, 0.0f, 0.0f);
    let torque = roll(i, own.rolling, place.spin, 0.0f, 0.0f, pair_push(spring, -gap), own.size);
    // what the wall works, less what the particle takes, is dissipated
    let work = dot(torque, place.spin) / uniforms.rate;
    works[i].friction += work;
    works[i].walls += work;
    return torque;
}

@compute @workgroup_size(64)
fn turn_less(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.x + id.y * groups.x * 64u;
    if i >= uniforms.particles || spins[i].rolls == 0.0f { return; }
    let now = poses[i];
    var torque = vec3<f32>();
    let end = select(u32(anchors[i].w) >> 16u, u32(anchors[i].w) & 0xffffu, broken[i] != 0u);
    for (var s = 0u; s < end; s++) { torque += roll_other(i, s * uniforms.particles + i, now); }
    for (var k = 0u; k < uniforms.solids; k++) { torque += roll_solid(i, k, now); }
    let impulse = torque / uniforms.rate;
    let change = impulse * motions[i].by_inertia;
    let work = dot(impulse, spins[i].w + 0.5f * change);
    works[i].friction -= work;
    if motions[i].by_inertia == 0.0f { works[i].work -= work; return; }
    works[i].numerical += dot(spins[i].by, change);
    let w = next_motions[i].w + change;
    next_motions[i].w = w;
    if now.step < uniforms.steps { next_poses[i].q = turned(now.q, exponential(w * (0.5f / uniforms.rate))); }
}
