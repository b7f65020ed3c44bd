// One step of velocity Verlet, a thread a particle: the forces of its bonds, a kick, and a drift.

struct Step {
    particles: u32,
    // slots of bonds of a particle
    slots: u32,
    // whether sums are written
    write: u32,
    // binary digits of a rest vector below h
    shift: u32,
    // unit of positions, m
    h: f32,
    // lengths of kick and drift, s
    kick: f32,
    drift: f32,
    // part of the kick in which a bond still acts that breaks; negative where none may
    share: f32,
    gravity: vec4<f32>,
}
// force and torque on a particle, half the energy of its bonds, and its bonds that broke
struct Sums { force: vec3<f32>, energy: f32, torque: vec3<f32>, broken: f32 }

@group(0) @binding(0) var<uniform> uniforms: Step;
@group(0) @binding(1) var<storage, read> poses: array<Pose>;
@group(0) @binding(2) var<storage, read_write> next_poses: array<Pose>;
@group(0) @binding(3) var<storage, read> motions: array<Motion>;
@group(0) @binding(4) var<storage, read_write> next_motions: array<Motion>;
// rest vector in h 2^-shift, and index of the other particle with kind, side and broken bit
@group(0) @binding(5) var<storage, read_write> slots: array<vec4<u32>>;
@group(0) @binding(6) var<storage, read> kinds: array<Stiffness>;
@group(0) @binding(7) var<storage, read_write> sums: array<Sums>;
// by contacts
struct Push { force: vec3<f32>, pad_0: u32, torque: vec3<f32>, pad_1: u32 }
@group(0) @binding(8) var<storage, read> pushes: array<Push>;

const BROKEN = 0x80000000u;
const SECOND = 0x40000000u;
const HALF = 536870912li;

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

@compute @workgroup_size(64)
fn advance(@builtin(global_invocation_id) id: vec3<u32>) {
    let i = id.x;
    if i >= uniforms.particles { return; }
    let pose = poses[i];
    let motion = motions[i];
    var sum = Sums();
    let finer = 1.0f / f32(1u << uniforms.shift);
    for (var s = 0u; s < uniforms.slots; s++) {
        let place = s * uniforms.particles + i;
        let slot = slots[place];
        if (slot.w & BROKEN) != 0u { continue; }
        let j = slot.w & 0xffffffu;
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
        let r = bond(d0, l0, apart, vec4<f32>(0.0f, 0.0f, 0.0f, 1.0f), e, kinds[(slot.w >> 24u) & 63u], v, w_i, w_j);
        var acts = 1.0f;
        if r.overloaded != 0.0f && uniforms.share >= 0.0f {
            slots[place].w = slot.w | BROKEN;
            sum.broken += 1.0f;
            acts = uniforms.share;
        }
        sum.force += vec3<f32>(r.p_x, r.p_y, r.p_z) * (f32(sign) * acts);
        sum.torque -= select(vec3<f32>(r.i_x, r.i_y, r.i_z), vec3<f32>(r.j_x, r.j_y, r.j_z), is_second) * acts;
        sum.energy += select(0.5f * r.energy, 0.0f, acts < 1.0f);
    }
    sum.force += pushes[i].force;
    sum.torque += pushes[i].torque;
    if uniforms.write != 0u { sums[i] = sum; }

    let is_free = f32(motion.by_mass != 0.0f);
    let v = motion.v + (sum.force * motion.by_mass + uniforms.gravity.xyz * is_free) * uniforms.kick;
    let w = motion.w + sum.torque * (motion.by_inertia * uniforms.kick);
    next_motions[i] = Motion(v, motion.by_mass, w, motion.by_inertia);

    let moved = pose.part + v * (uniforms.drift / uniforms.h);
    let whole = round(moved);
    // exp(u) - 1, to the fifth power of u
    let u = w * (0.5f * uniforms.drift);
    let u2 = dot(u, u);
    let sine = u * (1.0f - u2 * (1.0f / 6.0f) * (1.0f - u2 * (1.0f / 20.0f)));
    let less = -0.5f * u2 * (1.0f - u2 * (1.0f / 12.0f) * (1.0f - u2 * (1.0f / 30.0f)));
    let q = vec4<f32>(pose.q) * UNIT;
    let turn = vec4<f32>(q.xyz * less + sine * q.w + cross(sine, q.xyz), q.w * less - dot(sine, q.xyz));
    // and the correction of the length
    let change = turn - q * (0.5f * excess(pose.q));
    next_poses[i] = Pose(pose.at + vec3<i32>(whole), 0u, moved - whole, 0u, pose.q + vec4<i32>(round(change / UNIT)));
}
