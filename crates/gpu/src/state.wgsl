// State of particles in fixed point.

// position (at + part) h: whole units are exact, and the part keeps motion below one of them in a step. Quaternion in 2^-30. Group of
// constraints on the particle, and number of its steps so far in the block
struct Pose { at: vec3<i32>, group: u32, part: vec3<f32>, step: u32, q: vec4<i32> }
// velocities (m/s, rad/s), 1/m and 1/J, which are zero for held particles
struct Motion { v: vec3<f32>, by_mass: f32, w: vec3<f32>, by_inertia: f32 }
// energies in the block, J: dissipated by damping, work of loads or of the holder, gained by the time rule, of bonds that broke,
// dissipated by friction, and work of moving walls; whether a bond broke; and what the last forces do in the half kick after the block:
// see `Push`
struct Works { damping: f32, work: f32, numerical: f32, fracture: f32, friction: f32, walls: f32, broke: u32, pad: u32, late: vec4<f32> }
// what velocities have beyond motions, m/s and rad/s: below single precision, and, with a 1, the change by a decay
struct Rest { v: vec4<f32>, w: vec4<f32> }

// force and torque, or velocity and spin
alias Pair = mat2x3<f32>;

// at the end of a step without rolling friction: spin (rad/s), number of contacts that have it, and energy over what it changes the spin
// by (J s)
struct Spin { w: vec3<f32>, rolls: f32, by: vec3<f32>, pad: u32 }
// of contacts in a step: force and torque, the part of dashpots in these, forces that correct the trapezoidal rule, and number of those
// with rolling friction. Energies but for what these do on the particle, J: dissipated by dashpots and in sliding, work of moving walls,
// and gained by the time rule; in the half kick after a block dissipated, work of walls, and gained by the time rule
struct Push { force: Pair, drag: Pair, correction: vec3<f32>, rolls: f32, energy: vec4<f32>, late: vec4<f32> }

const UNIT = 9.313225746154785e-10f;

// |q|^2 - 1
fn excess(q: vec4<i32>) -> f32 {
    let sum = i64(q.x) * i64(q.x) + i64(q.y) * i64(q.y) + i64(q.z) * i64(q.z) + i64(q.w) * i64(q.w);
    return f32(i32((sum - 1152921504606846976li) >> 20u)) * 9.094947017729282e-13f;
}

// e conj(q)
fn over(e: vec4<f32>, q: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(e.xyz * q.w - q.xyz * e.w - cross(e.xyz, q.xyz), e.w * q.w + dot(e.xyz, q.xyz));
}

// exp(u) - 1, to the fifth power of u
fn exponential(u: vec3<f32>) -> vec4<f32> {
    let u2 = dot(u, u);
    let sine = u * (1.0f - u2 * (1.0f / 6.0f) * (1.0f - u2 * (1.0f / 20.0f)));
    return vec4<f32>(sine, -0.5f * u2 * (1.0f - u2 * (1.0f / 12.0f) * (1.0f - u2 * (1.0f / 30.0f))));
}

// (1 + turn) q, with a correction of the length
fn turned(q: vec4<i32>, turn: vec4<f32>) -> vec4<i32> {
    let p = vec4<f32>(q) * UNIT;
    let change = vec4<f32>(p.xyz * turn.w + turn.xyz * p.w + cross(turn.xyz, p.xyz), p.w * turn.w - dot(turn.xyz, p.xyz));
    return q + vec4<i32>(round((change - p * (0.5f * excess(q))) / UNIT));
}
