// Contacts of particles in a step, a thread a particle: forces at its end, tangential springs and energies.

// solid parts of walls; number of steps in the block; time for which particles moved before it as they do (s); unit of positions (m),
// inverse of the step (1/s), common motion in a step (h)
struct Block { particles: u32, solids: u32, steps: u32, back: f32, h: f32, rate: f32, pad: vec2<u32>, drift: vec4<f32> }
// what the step adds to the particle's force and torque, and the torque of rolling friction
struct Push { force: vec3<f32>, pad_0: u32, torque: vec3<f32>, pad_1: u32, rolling: vec3<f32>, pad_2: u32 }
// contact in a step: unit normals and overlaps (m) at its start and end, radii (m), imaginary parts of rotations, and displacement of i
// over the other but for these (m)
struct Approach {
    n_0: vec3<f32>, n: vec3<f32>, overlaps: vec2<f32>, radii: vec2<f32>, turn_i: vec3<f32>, turn_j: vec3<f32>, moved: vec3<f32>,
}
// energies of a block, J: dissipated by dashpots and in sliding, work of moving walls, and errors of the trapezoidal rule less the work
// against their corrections
alias Energies = vec4<f32>;
const DAMPING = 0u;
const FRICTION = 1u;
const WALLS = 2u;
const NUMERICAL = 3u;
// derivatives by dashpots and by corrections, and their products with motions of walls: half of their impulse acts in the next step
struct Late { force: vec3<f32>, is_any: f32, torque: vec3<f32>, walls: f32, correction: vec3<f32>, of_correction: f32 }

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
@group(0) @binding(11) var<storage, read_write> energies: array<Energies>;
@group(0) @binding(12) var<storage, read_write> lates: array<Late>;
// whether any bond of a particle is broken
@group(0) @binding(13) var<storage, read> broken: array<u32>;

var<private> push: Push;
var<private> energy: Energies;
var<private> late: Late;
// of the first step, whose motion is before the block, and of the last
var<private> is_first: bool;
var<private> is_last: bool;

// the pose before the step
fn earlier(i: u32, now: Pose) -> Pose {
    if !is_first { return olds[i]; }
    var before = now;
    before.part -= motions[i].v * (uniforms.back / uniforms.h);
    let q = vec4<f32>(now.q) * UNIT;
    let u = motions[i].w * (0.5f * uniforms.back);
    before.q -= vec4<i32>(round(vec4<f32>(u * q.w + cross(u, q.xyz), -dot(u, q.xyz)) / UNIT));
    return before;
}

// Contacts of a particle that may stop its spin at once. With more, all that stop it whole would turn it back.
const STOPS = 8.0f;

// Rolling friction on a side with another of this spin, 1/J and coefficient. Returns its torque.
fn roll(i: u32, rolls: f32, w: vec3<f32>, by_inertia: f32, normal: f32, arm: f32) -> vec3<f32> {
    let give = (motions[i].by_inertia + by_inertia) / uniforms.rate;
    if give == 0.0f { return vec3<f32>(); }
    return rolling(surfaces[i].rolling, rolls, normal, arm, motions[i].w - w, STOPS * give);
}

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
    push.force -= s * r.force;
    push.torque -= select(r.torque_i, r.torque_j, is_second);
    let by_dashpot = dot(r.dashpot, wall);
    let by_correction = r.correction * dot(c.n, wall);
    if DAMPED {
        late.is_any = 1.0f;
        late.force += s * r.dashpot;
        late.torque += select(r.drag_i, r.drag_j, is_second);
        late.correction += s * r.correction * c.n;
        late.walls += by_dashpot;
        late.of_correction += by_correction;
    }
    if is_second || is_first { return; }
    energy[DAMPING] += 0.5f * r.dashpot_work;
    energy[FRICTION] += r.sliding;
    energy[NUMERICAL] += r.trapezoid - 0.5f * r.correction * dot(c.n, c.moved);
    energy[WALLS] -= dot(r.mean_force, wall) + 0.5f * (by_dashpot + by_correction);
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
    let touched = (pair.x & TOUCHES) != 0u || pair.y != NONE || is_first;
    if gap >= 0.0f && !touched { return; }
    pairs[place].x = (pair.x & ~TOUCHES) | select(0u, TOUCHES, gap < 0.0f);

    let other_before = earlier(j, other);
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
    let start = springs[place];
    var r = pair_contact(c, spring, start);
    if HAS_FRICTION && is_first {
        // the spring is that at the end
        r = pair_contact(c, spring, vec4<f32>(2.0f * start.xyz - r.spring.xyz, start.w));
    } else if HAS_FRICTION {
        springs[place] = r.spring;
    }
    add(r, is_second, c, vec3<f32>());
    if ROLLS && gap < 0.0f {
        let arm = min(own.size, its.size);
        push.rolling += roll(i, its.rolling, motions[j].w, motions[j].by_inertia, pair_push(spring, c.overlaps.y), arm);
    }
}

// Half of the impulse of the last step's dashpots and corrections acts on this step's motion.
fn add_late(last: Late, moved: vec3<f32>, turn: vec3<f32>) {
    energy[DAMPING] += 0.5f * (dot(last.force, moved) + 2.0f * dot(last.torque, turn) - last.walls);
    energy[NUMERICAL] -= 0.5f * (dot(last.correction, moved) - last.of_correction);
    energy[WALLS] -= 0.5f * (last.walls + last.of_correction);
}

@compute @workgroup_size(64)
fn touch(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.x + id.y * groups.x * 64u;
    if i >= uniforms.particles || surfaces[i].size == 0.0f { return; }
    let now = poses[i];
    is_first = now.step == 0u;
    is_last = now.step == uniforms.steps;
    let before = earlier(i, now);
    // distance from the anchor that is not common to all
    let travel = length(vec3<f32>(now.at - anchors[i].xyz) - uniforms.drift.xyz * f32(now.step - status.built));
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
    if DAMPED {
        let had = lates[i].is_any != 0.0f;
        if had { add_late(lates[i], displacement(before, now) * uniforms.h, turn(before, now)); }
        if had || late.is_any != 0.0f { lates[i] = late; }
    }
    pushes[i] = push;
    energies[i] += energy;
}
