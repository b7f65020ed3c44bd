// One step of velocity Verlet, a thread a particle: the forces of its bonds, a kick, and a drift.

struct Block {
    particles: u32,
    // number of steps: the last kick has no drift
    steps: u32,
    // binary digits of a rest vector below h
    shift: u32,
    // unit of positions, m
    h: f32,
    // length of a step, s
    dt: f32,
    // groups of constraints
    groups: u32,
    // room for breaks
    breaks: u32,
    zero: u32,
    gravity: vec3<f32>,
}
// force and torque on a particle at the start and end of the block, without loads, weight and rolling friction
struct Sums { force: vec4<f32>, torque: vec4<f32> }
// motion of a held group in a drift, about its centre (and 1): displacement (m), rotation (quaternion less 1), and velocities at the
// end; or loads in a kick (N, N m), and acceleration by winds (m/s2)
struct Row {
    centre: vec4<i32>,
    moved: vec4<f32>,
    turn: vec4<f32>,
    v: vec4<f32>,
    w: vec4<f32>,
    force: vec4<f32>,
    torque: vec4<f32>,
    wind: vec4<f32>,
}
// bond between i and j as it breaks, with its greatest strain before
struct Break { step: u32, i: u32, j: u32, reached: f32, poses: array<Pose, 2>, motions: array<Motion, 2> }
struct Events { breaks: atomic<u32>, outside: atomic<u32>, pad: vec2<u32>, list: array<Break> }

@group(0) @binding(0) var<uniform> uniforms: Block;
@group(0) @binding(1) var<storage, read> poses: array<Pose>;
@group(0) @binding(2) var<storage, read_write> next_poses: array<Pose>;
@group(0) @binding(3) var<storage, read> motions: array<Motion>;
@group(0) @binding(4) var<storage, read_write> next_motions: array<Motion>;
// rest vector in h 2^-shift, and index of the other particle with side and broken bit. Particles are in slices of 64, which have rows of a
// slot each
@group(0) @binding(5) var<storage, read_write> slots: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> kinds_of_slots: array<u32>;
@group(0) @binding(7) var<storage, read> kinds: array<Stiffness>;
// greatest strain of the bond in each slot, where bonds soften
@group(0) @binding(8) var<storage, read_write> strains: array<f32>;
@group(0) @binding(9) var<storage, read> rows: array<Row>;
@group(0) @binding(10) var<storage, read_write> sums: array<Sums>;
@group(0) @binding(11) var<storage, read_write> works: array<Works>;
@group(0) @binding(12) var<storage, read_write> events: Events;
@group(0) @binding(13) var<storage, read_write> rests: array<Rest>;
// first row of each slice
@group(0) @binding(14) var<storage, read> slices: array<u32>;

// of contacts
@group(0) @binding(15) var<storage, read> pushes: array<Push>;
@group(0) @binding(16) var<storage, read> surfaces: array<Surface>;
// whether any bond of a particle is broken
@group(0) @binding(17) var<storage, read_write> broken: array<u32>;
@group(0) @binding(18) var<storage, read_write> spins: array<Spin>;

fn product(a: Pair, b: Pair) -> f32 {
    return dot(a[0], b[0]) + dot(a[1], b[1]);
}

const SECOND = 0x40000000u;
const HALF = 536870912li;

// x, for sums whose rounding errors are needed: no compiler may reorder them
fn rounded(x: vec3<f32>) -> vec3<f32> {
    return bitcast<vec3<f32>>(bitcast<vec3<u32>>(x) ^ vec3<u32>(uniforms.zero));
}

// a b for b in 2^-30, rounded
fn scaled(a: i32, b: i32) -> i32 {
    return i32((i64(a) * i64(b) + HALF) >> 30u);
}

// a x b for a in 2^-30
fn cross_scaled(a: vec3<i32>, b: vec3<i32>) -> vec3<i32> {
    let x = i64(a.y) * i64(b.z) - i64(a.z) * i64(b.y);
    let y = i64(a.z) * i64(b.x) - i64(a.x) * i64(b.z);
    let z = i64(a.x) * i64(b.y) - i64(a.y) * i64(b.x);
    return vec3<i32>(i32((x + HALF) >> 30u), i32((y + HALF) >> 30u), i32((z + HALF) >> 30u));
}

// v rotated by q
fn rotated(q: vec4<i32>, v: vec3<i32>) -> vec3<i32> {
    let t = cross_scaled(q.xyz, v);
    let s = vec3<i32>(scaled(t.x, q.w), scaled(t.y, q.w), scaled(t.z, q.w)) + cross_scaled(q.xyz, t);
    return v + s + s;
}

// the bond between i and j breaks: its first particle notes it
fn note_break(i: u32, j: u32, reached: f32) {
    let k = atomicAdd(&events.breaks, 1u);
    if k < uniforms.breaks {
        let ends = array<Pose, 2>(poses[i], poses[j]);
        events.list[k] = Break(poses[i].step, i, j, reached, ends, array<Motion, 2>(motions[i], motions[j]));
    }
}

// displacement (m) and rotation (quaternion less 1) in a drift, and velocities after its kick
struct Drift { moved: vec3<f32>, turn: vec4<f32>, v: vec3<f32>, w: vec3<f32> }

fn free_drift(v: vec3<f32>, w: vec3<f32>, dt: f32) -> Drift {
    return Drift(v * dt, exponential(w * (0.5f * dt)), v, w);
}

fn held_drift(row: Row, pose: Pose) -> Drift {
    let arm = (vec3<f32>(pose.at - row.centre.xyz) + pose.part) * uniforms.h;
    let t = 2.0f * cross(row.turn.xyz, arm);
    let turned = t * (1.0f + row.turn.w) + cross(row.turn.xyz, t);
    return Drift(row.moved.xyz + turned, row.turn, row.v.xyz + cross(row.w.xyz, arm + turned), row.w.xyz);
}

@compute @workgroup_size(64)
fn advance(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    let i = id.x + id.y * groups.x * 64u;
    if i >= uniforms.particles { return; }
    let pose = poses[i];
    let motion = motions[i];
    let row = rows[pose.step * uniforms.groups + pose.group];
    let is_first = pose.step == 0u;
    let is_last = pose.step == uniforms.steps;
    // share of the kick that belongs to the drift before it, in which a bond that breaks still acts
    let before = select(select(0.5f, 1.0f, is_last), 0.0f, is_first);
    var sum = Pair();
    if is_first { sum = Pair(sums[i].force.xyz, sums[i].torque.xyz); }
    var drag = Pair();
    // before the kick less after it: elastic ones, and those of damping
    var lost = Pair();
    var shed = Pair();
    var fracture = 0.0f;
    var broke = 0u;
    let finer = 1.0f / f32(1u << uniforms.shift);
    let slice = i / 64u;
    let end = select(slices[slice + 1u], 0u, is_first);
    for (var s = slices[slice]; s < end; s++) {
        let place = s * 64u + i % 64u;
        let slot = slots[place];
        if (slot.w & BROKEN) != 0u { continue; }
        let j = slot.w & OTHER;
        let is_second = (slot.w & SECOND) != 0u;
        let other = poses[j];
        // both ends compute the bond from its first particle to its second, and so decide alike
        let sign = select(1, -1, is_second);
        let a = select(pose.q, other.q, is_second);
        let b = select(other.q, pose.q, is_second);
        let rest = rotated(a, bitcast<vec3<i32>>(slot.xyz));
        let whole = (other.at - pose.at) * sign - (rest >> vec3<u32>(uniforms.shift));
        let below = vec3<f32>(rest & vec3<i32>((1 << uniforms.shift) - 1)) * finer;
        let apart = (vec3<f32>(whole) + ((other.part - pose.part) * f32(sign) - below)) * uniforms.h;
        let rest_vector = vec3<f32>(rest) * finer;
        let l0 = length(rest_vector) * uniforms.h;
        let d0 = rest_vector * (uniforms.h / l0);
        let q = vec4<f32>(a) * UNIT;
        let same = select(1, -1, dot(q, vec4<f32>(b)) < 0.0f);
        let e = over(vec4<f32>(b * same - a) * UNIT, q);
        let moving = motions[j];
        let w_i = select(motion.w, moving.w, is_second);
        let w_j = select(moving.w, motion.w, is_second);
        let v = (moving.v - motion.v) * f32(sign);
        var reached = 1.0f;
        if SOFTENS { reached = strains[place]; }
        let kind = kinds[kinds_of_slots[place]];
        let r = bond(d0, l0, apart, vec4<f32>(0.0f, 0.0f, 0.0f, 1.0f), e, kind, reached, v, w_i, w_j);
        let kept = r.kept;
        if kept < 1.0f {
            if SOFTENS { strains[place] = r.reached; }
            fracture += 0.5f * r.energy * (1.0f - kept);
            if kept == 0.0f {
                slots[place].w = slot.w | BROKEN;
                broken[i] = 1u;
                broke = 1u;
                if !is_second { note_break(i, j, reached); }
            }
        }
        let elastic = Pair(r.force * f32(sign), -select(r.torque_i, r.torque_j, is_second));
        let acts = mix(kept, 1.0f, before);
        let damping = Pair(r.drag * f32(sign), -select(r.drag_i, r.drag_j, is_second));
        drag += damping * acts;
        sum += (elastic + damping) * acts;
        lost += elastic * (1.0f - kept);
        shed += damping * (1.0f - kept);
        if HAS_CONTACTS && kept == 0.0f && (slot.w & TOUCHING) == 0u {
            let reach = min(l0, surfaces[i].size + surfaces[j].size);
            let contact = pushed_apart(surfaces[i], surfaces[j], other.at - pose.at, other.part - pose.part, reach, uniforms.h);
            sum[0] += contact * (1.0f - before);
            lost[0] -= contact;
        }
    }
    var rolls = 0.0f;
    var correction = vec3<f32>();
    var energy = vec4<f32>();
    if HAS_CONTACTS && !is_first {
        sum += pushes[i].force;
        drag += pushes[i].drag;
        correction = pushes[i].correction;
        rolls = pushes[i].rolls;
        energy = pushes[i].energy;
    }
    let after = sum - lost - shed;
    if is_last { sums[i] = Sums(vec4<f32>(after[0], 0.0f), vec4<f32>(after[1], 0.0f)); }

    let is_held = row.centre.w != 0;
    let kick = uniforms.dt * select(1.0f, 0.5f, is_first || is_last);
    let drift = select(uniforms.dt, 0.0f, is_last);
    let by_wind = select(row.wind.xyz, vec3<f32>(), is_held);
    let pull = select(uniforms.gravity, vec3<f32>(), is_held) + by_wind;
    // weight changes the velocity of a projectile by less in a step than single precision holds
    let load = Pair(row.force.xyz, row.torque.xyz);
    let decays = rests[i].v.w != 0.0f;
    let rest = Pair(rests[i].v.xyz, rests[i].w.xyz);
    let change = rest[0] + ((sum[0] + load[0]) * motion.by_mass + pull) * kick;
    let v = rounded(motion.v + change);
    rests[i] = Rest(vec4<f32>(select(change - (v - motion.v), vec3<f32>(), is_held), 0.0f), vec4<f32>());
    let w = motion.w + rest[1] + (sum[1] + load[1]) * (motion.by_inertia * kick);
    var step = free_drift(v, w, drift);
    if is_held {
        step = held_drift(row, pose);
        if is_last { step = Drift(vec3<f32>(), vec4<f32>(), motion.v, motion.w); }
    }
    next_motions[i] = Motion(step.v, motion.by_mass, step.w, motion.by_inertia);

    // works at the mean of the velocities in both drifts. Those of a held particle are at the ends of drifts
    let weight = select(1.0f - before, floor(1.0f - before), is_held);
    let mean = Pair(mix(motion.v, step.v, weight), mix(motion.w, step.w, weight));
    let gain = select(1.0f, 0.0f, is_held) * (Pair(v - motion.v, w - motion.w) - rest);
    // between both halves of the kick
    let middle = Pair(motion.v, motion.w) + gain * before + rest * 0.5f;
    var work = works[i];
    work.broke |= broke;
    work.fracture += fracture;
    work.damping += energy.x - kick * product(drag, mean);
    work.numerical += kick * dot(correction, mean[0]) + energy.w;
    work.friction += energy.y;
    work.walls += energy.z;
    if is_held {
        work.work -= kick * product(sum, mean);
    } else {
        if decays { work.damping -= product(rest, Pair(middle[0] / motion.by_mass, middle[1] / motion.by_inertia)); }
        work.work += kick * (product(load, mean) + dot(by_wind, mean[0]) / motion.by_mass);
        let square = 0.5f * product(gain, Pair(gain[0] / motion.by_mass, gain[1] / motion.by_inertia));
        let jump = 0.25f * kick * product(lost, gain);
        work.numerical += select(select(jump, square, is_last), -square, is_first);
    }
    if is_last {
        let next = Pair(step.v, step.w) + gain;
        work.late = vec4<f32>(-product(drag - shed, next), 0.0f, dot(correction, next[0]), 0.0f) * kick;
        if HAS_CONTACTS { work.late += pushes[i].late; }
    }
    works[i] = work;
    if rolls > 0.0f || spins[i].rolls > 0.0f {
        let by = select(0.5f * (load[1] + drag[1]) + 0.25f * lost[1], vec3<f32>(), is_last || is_held);
        spins[i] = Spin(middle[1] + rest[1] * 0.5f, rolls, by * kick, 0u);
    }

    let moved = pose.part + step.moved / uniforms.h;
    let whole = round(moved);
    let at = pose.at + vec3<i32>(whole);
    // differences of positions are below 2^31
    if any(abs(at) > vec3<i32>(1 << 30)) || !all(abs(moved) < vec3<f32>(536870912.0f)) {
        atomicStore(&events.outside, 1u);
    }
    next_poses[i] = Pose(at, pose.group, moved - whole, pose.step + 1u, turned(pose.q, step.turn));
}
