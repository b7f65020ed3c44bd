// radius in h, whole and part; radius (m), none without contacts; mass (kg); surface in pairs; spring on walls
struct Surface {
    radius: i32, part: f32, size: f32, mass: f32,
    k: f32, normal: f32, tangential: f32, curvature: f32, sticking: f32, sliding: f32,
    wall_k: f32, wall_size: f32, wall_softening: f32, wall_damping: f32, wall_tangential: f32, rolling: f32,
}
// bits of the greatest distance from an anchor (h), slots that lists need, particle that may pass a wall plus one, and step of
// the lists
struct Status { travel: atomic<u32>, slots: atomic<u32>, passing: atomic<u32>, built: u32 }

const NONE = 0xffffffffu;
// bits of a bond that is broken, and of one whose particles touch all the same
const BROKEN = 0x80000000u;
const TOUCHING = 0x20000000u;
// bits of a pair that touched at the end of the last step, and of one that is not in contact before its bond breaks
const TOUCHES = 0x80000000u;
const BONDED = 0x40000000u;
// index of the other particle of both
const OTHER = 0x1fffffffu;

// |v + part| - (r + r_part) = (|v + part|^2 - (r + r_part)^2)/(|v + part| + r + r_part): whole units are exact
fn beyond(v: vec3<i32>, part: vec3<f32>, r: i32, r_part: f32) -> f32 {
    let square = i64(v.x) * i64(v.x) + i64(v.y) * i64(v.y) + i64(v.z) * i64(v.z);
    let rest = 2.0f * (dot(vec3<f32>(v), part) - f32(r) * r_part) + dot(part, part) - r_part * r_part;
    return (f32(square - i64(r) * i64(r)) + rest) / (length(vec3<f32>(v) + part) + f32(r) + r_part);
}

fn unit(v: vec3<f32>) -> vec3<f32> {
    let l = length(v);
    return select(vec3<f32>(0.0f, 0.0f, 1.0f), v / l, l > 0.0f);
}

// Force on the first of two particles, whose surfaces have these branch (h) and reach (m), by their spring alone (N).
fn pushed_apart(a: Surface, b: Surface, branch: vec3<i32>, part: vec3<f32>, reach: f32, h: f32) -> vec3<f32> {
    let whole = i32(reach / h);
    let overlap = -beyond(branch, part, whole, reach / h - f32(whole)) * h;
    if a.size == 0.0f || b.size == 0.0f || overlap <= 0.0f { return vec3<f32>(); }
    return unit(vec3<f32>(branch) + part) * -pair_push(pair_spring(a, b, reach, a.mass), overlap);
}
