// Contacts of particles in a step, a thread a particle: forces at its end, tangential springs and energies.

struct Step {
    particles: u32,
    // solid parts of walls
    solids: u32,
    // whether it is the first of a block, which has no motion, and the last
    is_first: u32,
    is_last: u32,
    // unit of positions, m, and inverse of the step, 1/s
    h: f32,
    rate: f32,
    pad: vec2<u32>,
    // common motion in a step, h
    drift: vec4<f32>,
}
// what the step adds to the particle's force and torque
struct Push { force: vec3<f32>, pad_0: u32, torque: vec3<f32>, pad_1: u32 }
// energies of a block: dissipated by dashpots and in sliding, work of moving walls, errors of the trapezoidal rule, and work
// against their corrections, J
struct Energies { damping: f32, friction: f32, walls: f32, trapezoid: f32, corrections: f32, pad: array<f32, 3> }
// half a kick later: derivatives by dashpots, and by corrections, and their products with motions of walls
struct Late { force: vec3<f32>, is_any: f32, torque: vec3<f32>, walls: f32, correction: vec3<f32>, of_correction: f32 }

@group(0) @binding(0) var<uniform> step: Step;
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
// number of the step since places were set
@group(0) @binding(13) var<storage, read> clock: u32;
@group(0) @binding(14) var<storage, read_write> next_clock: u32;

var<private> push: Push;
var<private> energy: Energies;
var<private> late: Late;

// displacement of a particle in h
fn displacement(before: Pose, now: Pose) -> vec3<f32> {
    return vec3<f32>(now.at - before.at) + (now.part - before.part);
}

// imaginary part of its rotation
fn turn(before: Pose, now: Pose) -> vec3<f32> {
    return over(vec4<f32>(now.q - before.q) * UNIT, vec4<f32>(before.q) * UNIT).xyz;
}

fn squared(v: vec3<i32>) -> i64 {
    return i64(v.x) * i64(v.x) + i64(v.y) * i64(v.y) + i64(v.z) * i64(v.z);
}

// |v + part| - (r + r_part) = (|v + part|^2 - (r + r_part)^2)/(|v + part| + r + r_part): whole units are exact
fn beyond(v: vec3<i32>, part: vec3<f32>, r: i32, r_part: f32) -> f32 {
    let whole = f32(squared(v) - i64(r) * i64(r));
    let rest = 2.0f * (dot(vec3<f32>(v), part) - f32(r) * r_part) + dot(part, part) - r_part * r_part;
    return (whole + rest) / (length(vec3<f32>(v) + part) + f32(r) + r_part);
}

fn unit(v: vec3<f32>) -> vec3<f32> {
    let l = length(v);
    return select(vec3<f32>(0.0f, 0.0f, 1.0f), v / l, l > 0.0f);
}

fn touch_other(i: u32, place: u32, now: Pose, before: Pose) {
    let pair = pairs[place];
    if pair.y != NONE && (bonds[pair.y].w & BROKEN) == 0u { return; }
    let j = pair.x & INDEX;
    let other = poses[j];
    // both sides compute the contact from its first particle to its second, and so decide alike
    let is_second = j < i;
    let sign = select(1, -1, is_second);
    let reach = bitcast<i32>(pair.z);
    let reach_part = bitcast<f32>(pair.w);
    let branch = (other.at - now.at) * sign;
    let part = (other.part - now.part) * f32(sign);
    let gap = beyond(branch, part, reach, reach_part);
    if gap >= 0.0f && (pair.x & TOUCHES) == 0u { return; }
    pairs[place].x = j | select(0u, TOUCHES, gap < 0.0f);

    let other_before = olds[j];
    let branch_0 = (other_before.at - before.at) * sign;
    let part_0 = (other_before.part - before.part) * f32(sign);
    let gap_0 = beyond(branch_0, part_0, reach, reach_part);
    let n_0 = unit(vec3<f32>(branch_0) + part_0);
    let n = unit(vec3<f32>(branch) + part);
    let moved = vec3<f32>(branch_0 - branch) + (part_0 - part);
    let own = surfaces[i];
    let its = surfaces[j];
    let turned = turn(before, now);
    let its_turn = turn(other_before, other);
    let by_mass = motions[i].by_mass + motions[j].by_mass;
    let mass = 1.0f / select(by_mass, 1.0f / own.mass + 1.0f / its.mass, by_mass == 0.0f);
    var spring = pair_spring(own, its, (f32(reach) + reach_part) * step.h, mass);
    spring.damping *= step.rate;
    let radii = select(vec2<f32>(own.size, its.size), vec2<f32>(its.size, own.size), is_second);
    var start = vec4<f32>();
    if PAIR_FRICTION { start = springs[place]; }
    let r = pair_contact(
        n_0, n, -vec2<f32>(gap_0, gap) * step.h, spring, radii, start.xyz, f32(start.w < 0.0f),
        select(turned, its_turn, is_second), select(its_turn, turned, is_second), moved * step.h,
    );
    if PAIR_FRICTION && step.is_first == 0u {
        springs[place] = vec4<f32>(r.stretch_x, r.stretch_y, r.stretch_z, select(r.limit, -r.limit, r.slides != 0.0f));
    }
    let s = f32(sign);
    push.force -= s * vec3<f32>(r.p_x, r.p_y, r.p_z);
    push.torque -= select(vec3<f32>(r.i_x, r.i_y, r.i_z), vec3<f32>(r.j_x, r.j_y, r.j_z), is_second);
    if DAMPED {
        let dashpot = vec3<f32>(r.d_x, r.d_y, r.d_z);
        late.force += s * dashpot;
        late.torque += select(vec3<f32>(r.di_x, r.di_y, r.di_z), vec3<f32>(r.dj_x, r.dj_y, r.dj_z), is_second);
        late.correction += s * n * r.correction;
        late.is_any = 1.0f;
    }
    if !is_second && step.is_first == 0u {
        energy.damping += 0.5f * r.dashpot_work;
        energy.friction += r.by_sliding;
        energy.trapezoid += r.trapezoid_error;
        energy.corrections += 0.5f * r.correction * dot(n, moved) * step.h;
    }
}

// Distance from the anchor that is not common to all.
fn follow(i: u32, now: Pose) {
    let travel = length(vec3<f32>(now.at - anchors[i].xyz) - step.drift.xyz * f32(clock - status.built));
    let bits = bitcast<u32>(travel);
    if bits > atomicLoad(&status.travel) { atomicMax(&status.travel, bits); }
}

// Half of the impulses of the last state's dashpots and corrections acts on this step's motion.
fn half_a_kick_later(i: u32, now: Pose, before: Pose) {
    let had = lates[i].is_any != 0.0f;
    if had && step.is_first == 0u {
        let last = lates[i];
        let moved = displacement(before, now) * step.h;
        let work = dot(last.force, moved) + 2.0f * dot(last.torque, turn(before, now));
        energy.damping += 0.5f * (work - last.walls);
        energy.corrections += 0.5f * (dot(last.correction, moved) - last.of_correction);
        energy.walls -= 0.5f * (last.walls + last.of_correction);
    }
    if had || late.is_any != 0.0f { lates[i] = late; }
}

@compute @workgroup_size(64)
fn touch(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i == 0u { next_clock = clock + 1u; }
    if i >= step.particles { return; }
    let now = poses[i];
    let before = olds[i];
    if surfaces[i].radius > 0 {
        follow(i, now);
        let count = u32(anchors[i].w);
        for (var s = 0u; s < count; s++) { touch_other(i, s * step.particles + i, now, before); }
        for (var k = 0u; k < step.solids; k++) { touch_solid(i, k, now, before); }
    }
    if DAMPED { half_a_kick_later(i, now, before); }
    pushes[i] = push;
    energies[i].damping += energy.damping;
    energies[i].friction += energy.friction;
    energies[i].walls += energy.walls;
    energies[i].trapezoid += energy.trapezoid;
    energies[i].corrections += energy.corrections;
}
