// Contacts of a particle with solid parts of walls in a step.

// half edges of a box, or radius, none and half the height of a cylinder, or radius of a sphere, in h, whole and part; shape, and -1
// for its complement; static and sliding friction, negative for the particle's; whether it moves, and whether particles may leave it
// on the other side
struct Solid { size: vec3<i32>, kind: u32, part: vec3<f32>, sign: i32, mu: vec2<f32>, moves: u32, is_thin: u32 }
// frame of a solid at one time: origin, angular velocity (rad/s), and axes in 2^-30
struct Place { at: vec3<i32>, part: vec3<f32>, spin: vec3<f32>, axes: array<vec3<i32>, 3> }

@group(0) @binding(12) var<storage, read> solids: array<Solid>;
@group(0) @binding(13) var<storage, read> places: array<Place>;
@group(0) @binding(14) var<storage, read_write> wall_springs: array<vec4<f32>>;
// force on the wall at the end of the block
@group(0) @binding(15) var<storage, read_write> wall_forces: array<vec4<f32>>;

const PLANE = 0u;
const CYLINDER = 2u;
const FAR = -3e38f;
fn outwards(place: Place, v: vec3<f32>) -> vec3<f32> {
    return (vec3<f32>(place.axes[0]) * v.x + vec3<f32>(place.axes[1]) * v.y + vec3<f32>(place.axes[2]) * v.z) * UNIT;
}

// Displacement (m) of the point of a solid at `p` (h) in its frame.
fn carried(before: Place, now: Place, p: vec3<f32>) -> vec3<f32> {
    let turned = vec3<f32>(now.axes[0] - before.axes[0]) * p.x + vec3<f32>(now.axes[1] - before.axes[1]) * p.y
        + vec3<f32>(now.axes[2] - before.axes[2]) * p.z;
    return (turned * UNIT + vec3<f32>(now.at - before.at) + (now.part - before.part)) * uniforms.h;
}

// Position in a frame (h), outward normal there, and gap to a sphere (h).
struct Near { p: vec3<f32>, n: vec3<f32>, gap: f32 }

fn nearest(solid: Solid, place: Place, pose: Pose, own: Surface) -> Near {
    var whole: vec3<i32>;
    var part: vec3<f32>;
    let off = pose.at - place.at;
    for (var k = 0u; k < 3u; k++) {
        let axis = place.axes[k];
        let along = i64(axis.x) * i64(off.x) + i64(axis.y) * i64(off.y) + i64(axis.z) * i64(off.z);
        whole[k] = i32(along >> 30u);
        part[k] = (f32(i32(along & 0x3fffffffli)) + dot(vec3<f32>(axis), pose.part - place.part)) * UNIT;
    }
    let p = vec3<f32>(whole) + part;
    let is_round = solid.kind >= CYLINDER;
    let side = select(vec3<i32>(-1), vec3<i32>(1), (p >= vec3<f32>()) | vec3<bool>(solid.kind == PLANE));
    // a cylinder has a round face and two ends, and a sphere a round face
    let across = select(vec3<i32>(1), vec3<i32>(1, 1, 0), solid.kind == CYLINDER);
    let radial = p * vec3<f32>(across);
    var e = vec3<f32>(side) * p - (vec3<f32>(solid.size) + solid.part);
    if is_round { e = vec3<f32>(length(radial) - f32(solid.size.x) - solid.part.x, FAR, select(FAR, e.z, across.z == 0)); }
    if solid.kind == PLANE { e = vec3<f32>(FAR, FAR, e.z); }
    var normals = array<vec3<f32>, 3>();
    for (var k = 0u; k < 3u; k++) { normals[k][k] = f32(side[k]); }
    if is_round { normals[0] = unit(radial); }

    let s = f32(solid.sign);
    let out = max(e, vec3<f32>());
    if f32(out.x > 0.0f) + f32(out.y > 0.0f) + f32(out.z > 0.0f) > 1.0f {
        let n = (normals[0] * out.x + normals[1] * out.y + normals[2] * out.z) / length(out);
        return Near(p, n * s, s * length(out) - f32(own.radius) - own.part);
    }
    let k = select(select(1u, 2u, e.z > e.y), select(0u, 2u, e.z > e.x), e.x >= e.y);
    let r = solid.size.x + solid.sign * own.radius;
    var gap = s * beyond(whole * across, part * vec3<f32>(across), r, solid.part.x + s * own.part);
    if k > 0u || !is_round {
        gap = f32(solid.sign * (side[k] * whole[k] - solid.size[k]) - own.radius)
            + (s * (f32(side[k]) * part[k] - solid.part[k]) - own.part);
    }
    return Near(p, normals[k] * s, gap);
}

fn touch_solid(i: u32, k: u32, now: Pose, before: Pose) {
    let solid = solids[k];
    let own = surfaces[i];
    let at = now.step * solid.moves * uniforms.solids + k;
    let start_place = places[at - solid.moves * uniforms.solids];
    let end_place = places[at];
    let end = nearest(solid, end_place, now, own);
    let place = k * uniforms.particles + i;
    if is_last { wall_forces[place] = vec4<f32>(); }
    // too far from a wall at rest to have touched it
    if solid.moves == 0u && end.gap > length(displacement(before, now)) + 1.0f { return; }
    let start = nearest(solid, start_place, before, own);
    let path = length(end.p - start.p);
    let least = min(start.gap, end.gap);
    let n_0 = outwards(start_place, start.n);
    let n_1 = outwards(end_place, end.n);
    // beyond the middle it would be pushed out on the other side
    let passes = start.gap < 0.0f && end.gap < 0.0f && dot(n_0, n_1) < 0.0f;
    let is_fast = path > f32(own.radius) && least < path;
    if solid.is_thin != 0u && (is_fast || passes) { atomicMax(&status.passing, i + 1u); }
    let touches = end.gap < 0.0f;
    if !touches && start.gap >= 0.0f {
        if HAS_FRICTION && wall_springs[place].w != 0.0f { wall_springs[place] = vec4<f32>(); }
        return;
    }
    let n = select(n_0, n_1, touches);
    let depth = own.size / uniforms.h + select(start.gap, end.gap, touches);
    let point = end.p - select(start.n, end.n, touches) * depth;
    let wall = carried(start_place, end_place, point);
    let mu = select(vec2<f32>(own.sticking, own.sliding), solid.mu, solid.mu.x >= 0.0f);
    let damping = own.wall_damping * uniforms.rate;
    let spring = Spring(own.wall_k, own.wall_size, own.wall_softening, damping, own.wall_tangential, mu.x, mu.y);
    let start_spring = wall_springs[place];
    let c = Approach(
        -select(n, n_0, start_spring.w != 0.0f),
        -n,
        -vec2<f32>(start.gap, end.gap) * uniforms.h,
        vec2<f32>(own.size),
        turn(before, now),
        vec3<f32>(),
        displacement(before, now) * uniforms.h - wall,
    );
    let r = wall_contact(c, spring, start_spring);
    if HAS_FRICTION { wall_springs[place] = r.spring; }
    if is_last { wall_forces[place] = vec4<f32>(r.force, 1.0f); }
    add(r, false, c, wall);
    push.rolls += f32(touches && own.rolling > 0.0f);
    if solid.moves == 0u || !touches { return; }
    // work against the spring by the trapezoidal rule: half of the motions before and after
    let elastic = 0.25f * (dot(r.dashpot - r.force, n) - r.correction);
    let next = places[at + uniforms.solids];
    push.energy[WALLS] += elastic * dot(wall, n + outwards(start_place, end.n));
    let later = elastic * dot(carried(end_place, next, point), n + outwards(next, end.n));
    if is_last { push.late.y += later; } else { push.energy[WALLS] += later; }
}
