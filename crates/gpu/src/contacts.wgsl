// Contacts of particles in a step, a thread a particle: forces at its end, tangential springs and energies.

// solid parts of walls; number of steps in the block; unit of positions (m), common motion in a step (h), inverse of the step (1/s)
struct Block { particles: u32, solids: u32, steps: u32, h: f32, drift: vec3<f32>, rate: f32 }
// contact in a step: unit normals and overlaps (m) at its start and end, radii (m), imaginary parts of rotations, and displacement of i
// over the other but for these (m)
struct Approach {
    n_0: vec3<f32>, n: vec3<f32>, overlaps: vec2<f32>, radii: vec2<f32>, turn_i: vec3<f32>, turn_j: vec3<f32>, moved: vec3<f32>,
}
// of the energy of a push
const DAMPING = 0u;
const FRICTION = 1u;
const WALLS = 2u;
const NUMERICAL = 3u;

@group(0) @binding(0) var<uniform> uniforms: Block;
@group(0) @binding(1) var<storage, read> poses: array<Pose>;
@group(0) @binding(2) var<storage, read> olds: array<Pose>;
@group(0) @binding(3) var<storage, read> motions: array<Motion>;
@group(0) @binding(4) var<storage, read> surfaces: array<Surface>;
@group(0) @binding(5) var<storage, read> bonds: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read_write> pairs: array<vec4<u32>>;
@group(0) @binding(7) var<storage, read_write> springs: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read> anchors: array<vec4<i32>>;
@group(0) @binding(9) var<storage, read_write> status: Status;
@group(0) @binding(10) var<storage, read_write> pushes: array<Push>;
// whether any bond of a particle is broken
@group(0) @binding(11) var<storage, read> broken: array<u32>;

var<private> push: Push;
var<private> is_last: bool;

// displacement in h
fn displacement(before: Pose, now: Pose) -> vec3<f32> {
    return vec3<f32>(now.at - before.at) + (now.part - before.part);
}

// imaginary part of the rotation
fn turn(before: Pose, now: Pose) -> vec3<f32> {
    return over(vec4<f32>(now.q - before.q) * UNIT, vec4<f32>(before.q) * UNIT).xyz;
}

// Adds a contact's forces to the particle's, and its energies to those of its first particle. The wall moved (m), too.
fn add(r: Touch, is_second: bool, c: Approach, wall: vec3<f32>) {
    let s = select(1.0f, -1.0f, is_second);
    push.force -= Pair(s * r.force, select(r.torque_i, r.torque_j, is_second));
    push.drag -= Pair(s * r.dashpot, select(r.drag_i, r.drag_j, is_second));
    push.correction -= s * r.correction * c.n;
    if is_second { return; }
    push.energy[FRICTION] += r.sliding;
    push.energy[NUMERICAL] += r.trapezoid;
    push.energy[WALLS] -= dot(r.mean_force, wall);
    let by_dashpot = dot(r.dashpot, wall);
    let by_correction = r.correction * dot(c.n, wall);
    add_halves(vec4<f32>(-by_dashpot, 0.0f, -by_dashpot - by_correction, by_correction));
}

// Adds energies, one half of which comes in the next step.
fn add_halves(both: vec4<f32>) {
    push.energy += select(1.0f, 0.5f, is_last) * both;
    if is_last { push.late += 0.5f * both.xzwy; }
}

fn other_of(i: u32, s: u32) -> u32 {
    return pairs[s * uniforms.particles + i].x & OTHER;
}

fn touch_other(i: u32, place: u32, now: Pose, before: Pose) {
    let pair = pairs[place];
    if pair.y != NONE && (bonds[pair.y].w & BROKEN) == 0u { return; }
    let j = pair.x & OTHER;
    let other = poses[j];
    // both sides compute the contact from its first particle to its second, and so decide alike
    let is_second = j < i;
    let sign = select(1, -1, is_second);
    let s = f32(sign);
    let reach = bitcast<i32>(pair.z);
    let reach_part = bitcast<f32>(pair.w);
    let branch = (other.at - now.at) * sign;
    let part = (other.part - now.part) * s;
    let gap = beyond(branch, part, reach, reach_part);
    let touched = (pair.x & TOUCHES) != 0u || pair.y != NONE || now.step == 1u;
    if gap >= 0.0f && !touched { return; }
    pairs[place].x = (pair.x & ~TOUCHES) | select(0u, TOUCHES, gap < 0.0f);

    let other_before = olds[j];
    let branch_0 = (other_before.at - before.at) * sign;
    let part_0 = (other_before.part - before.part) * s;
    let own = surfaces[i];
    let its = surfaces[j];
    let by_mass = motions[i].by_mass + motions[j].by_mass;
    let mass = 1.0f / select(by_mass, 1.0f / own.mass + 1.0f / its.mass, by_mass == 0.0f);
    var spring = pair_spring(own, its, (f32(reach) + reach_part) * uniforms.h, mass);
    spring.damping *= uniforms.rate;
    let own_turn = turn(before, now);
    let its_turn = turn(other_before, other);
    let c = Approach(
        unit(vec3<f32>(branch_0) + part_0),
        unit(vec3<f32>(branch) + part),
        -vec2<f32>(beyond(branch_0, part_0, reach, reach_part), gap) * uniforms.h,
        select(vec2<f32>(own.size, its.size), vec2<f32>(its.size, own.size), is_second),
        select(own_turn, its_turn, is_second),
        select(its_turn, own_turn, is_second),
        (vec3<f32>(branch_0 - branch) + (part_0 - part)) * uniforms.h,
    );
    let r = pair_contact(c, spring, springs[place]);
    if HAS_FRICTION { springs[place] = r.spring; }
    add(r, is_second, c, vec3<f32>());
    push.rolls += f32(gap < 0.0f && own.rolling * its.rolling > 0.0f);
}

@compute @workgroup_size(64)
fn touch(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.x + id.y * groups.x * 64u;
    if i >= uniforms.particles || surfaces[i].size == 0.0f { return; }
    let now = poses[i];
    is_last = now.step == uniforms.steps;
    let before = olds[i];
    // distance from the anchor that is not common to all
    let travel = length(vec3<f32>(now.at - anchors[i].xyz) - uniforms.drift * f32(now.step - status.built));
    // rarely, since all wait for each other
    if travel > 1.1f * bitcast<f32>(atomicLoad(&status.travel)) { atomicMax(&status.travel, bitcast<u32>(travel)); }
    // in order of the other particles, whether they ever had bonds or not
    let loose = u32(anchors[i].w) >> 16u;
    let end = select(loose, u32(anchors[i].w) & 0xffffu, broken[i] != 0u);
    var a = 0u;
    var b = loose;
    while a < loose || b < end {
        let is_loose = b == end || a < loose && other_of(i, a) < other_of(i, b);
        touch_other(i, select(b, a, is_loose) * uniforms.particles + i, now, before);
        a += u32(is_loose);
        b += u32(!is_loose);
    }
    for (var k = 0u; k < uniforms.solids; k++) { touch_solid(i, k, now, before); }
    pushes[i] = push;
}
