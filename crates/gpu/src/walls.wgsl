// Contacts of a particle with solid parts of walls in a step.

struct Solid {
    // shape, -1 for a complement, and whether it moves and may be passed through
    kind: u32, sign: i32, moves: u32, is_thin: u32,
    // half edges of a box; radius, none and half the height of a cylinder; radius of a sphere; in h, whole and part
    size: vec3<i32>, wall: u32, part: vec3<f32>, pad: u32,
    // static and sliding friction; negative for the particle's
    mu: vec2<f32>, pad_1: vec2<u32>,
}
// frame of a solid at one time: origin, and axes in 2^-30
struct Place { at: vec3<i32>, part: vec3<f32>, axes: array<vec3<i32>, 3> }
// position in it, in h
struct Seen { whole: vec3<i32>, part: vec3<f32> }

@group(0) @binding(15) var<storage, read> solids: array<Solid>;
@group(0) @binding(16) var<storage, read> places: array<Place>;
@group(0) @binding(17) var<storage, read_write> wall_springs: array<vec4<f32>>;
@group(0) @binding(18) var<storage, read_write> wall_normals: array<vec4<f32>>;
// force on the wall at the end of the block
@group(0) @binding(19) var<storage, read_write> wall_forces: array<vec4<f32>>;

const BOX = 1u;
const CYLINDER = 2u;
const SPHERE = 3u;
const FAR = -3e38f;
// depth of the centre of a particle over its radius from which it may leave a thin solid on the other side
const DEEP = 0.5f;

fn along(axis: vec3<i32>, off: vec3<i32>) -> i64 {
    return i64(axis.x) * i64(off.x) + i64(axis.y) * i64(off.y) + i64(axis.z) * i64(off.z);
}

fn seen(place: Place, pose: Pose) -> Seen {
    var it: Seen;
    for (var k = 0u; k < 3u; k++) {
        let axis = place.axes[k];
        let length = along(axis, pose.at - place.at);
        it.whole[k] = i32(length >> 30u);
        it.part[k] = f32(i32(length & 0x3fffffffli)) * UNIT + dot(vec3<f32>(axis), pose.part - place.part) * UNIT;
    }
    return it;
}

fn outwards(place: Place, v: vec3<f32>) -> vec3<f32> {
    return (vec3<f32>(place.axes[0]) * v.x + vec3<f32>(place.axes[1]) * v.y + vec3<f32>(place.axes[2]) * v.z) * UNIT;
}

// Displacement (h) of the point of a solid at `p` in its frame.
fn carried(start_place: Place, end_place: Place, p: vec3<f32>) -> vec3<f32> {
    let turned = vec3<f32>(end_place.axes[0] - start_place.axes[0]) * p.x + vec3<f32>(end_place.axes[1] - start_place.axes[1]) * p.y
        + vec3<f32>(end_place.axes[2] - start_place.axes[2]) * p.z;
    return turned * UNIT + vec3<f32>(end_place.at - start_place.at) + (end_place.part - start_place.part);
}

// Outward normal of a solid in its frame, and gap (h) to a sphere of this radius (h).
fn nearest(solid: Solid, it: Seen, radius: i32, radius_part: f32) -> vec4<f32> {
    let p = vec3<f32>(it.whole) + it.part;
    let size = vec3<f32>(solid.size) + solid.part;
    let is_round = solid.kind >= CYLINDER;
    let side = select(vec3<i32>(-1), vec3<i32>(1), (p >= vec3<f32>()) | vec3<bool>(solid.kind == 0u));
    let across = select(vec3<i32>(1), vec3<i32>(1, 1, 0), solid.kind == CYLINDER);
    let r = p * vec3<f32>(across);
    // distances from the faces, of which a cylinder has two and a sphere has one
    var e = vec3<f32>(side) * p - size;
    if is_round { e = vec3<f32>(length(r) - size.x, FAR, select(FAR, e.z, solid.kind == CYLINDER)); }
    if solid.kind == 0u { e = vec3<f32>(FAR, FAR, p.z); }
    let face = select(vec3<f32>(f32(side.x), 0.0f, 0.0f), unit(r), is_round);
    let s = f32(solid.sign);
    let out = max(e, vec3<f32>());
    let beside = vec3<f32>(0.0f, f32(side.y), 0.0f);
    let end = vec3<f32>(0.0f, 0.0f, f32(side.z));
    if dot(out, out) > max(out.x, max(out.y, out.z)) * max(out.x, max(out.y, out.z)) {
        let d = length(out);
        return vec4<f32>((face * out.x + beside * out.y + end * out.z) * (s / d), s * d - f32(radius) - radius_part);
    }
    let k = select(select(1u, 2u, e.z > e.y), select(0u, 2u, e.z > e.x), e.x >= e.y);
    if k == 0u && is_round {
        let gap = beyond(it.whole * across, it.part * vec3<f32>(across), solid.size.x + solid.sign * radius, solid.part.x + s * radius_part);
        return vec4<f32>(face * s, s * gap);
    }
    let whole = solid.sign * (side[k] * it.whole[k] - solid.size[k]) - radius;
    let part = s * (f32(side[k]) * it.part[k] - solid.part[k]) - radius_part;
    let n = select(select(beside, end, k == 2u), face, k == 0u);
    return vec4<f32>(n * s, f32(whole) + part);
}

fn touch_solid(i: u32, k: u32, now: Pose, before: Pose) {
    let solid = solids[k];
    let own = surfaces[i];
    let at = clock * solid.moves;
    let start_place = places[at * step.solids + k];
    let end_place = places[(at + solid.moves) * step.solids + k];
    let it = seen(end_place, now);
    let first = nearest(solid, seen(start_place, before), own.radius, own.part);
    let last = nearest(solid, it, own.radius, own.part);
    let place = k * step.particles + i;
    if first.w >= 0.0f && last.w >= 0.0f {
        if WALL_FRICTION && wall_springs[place].w != 0.0f { wall_springs[place] = vec4<f32>(); }
        if step.is_last != 0u { wall_forces[place] = vec4<f32>(); }
        return;
    }
    let closed = last.w < 0.0f;
    let near = select(first.xyz, last.xyz, closed);
    var n = outwards(end_place, last.xyz);
    if !closed { n = outwards(start_place, first.xyz); }
    let point = vec3<f32>(it.whole) + it.part - near * (own.size / step.h + select(first.w, last.w, closed));
    let wall = carried(start_place, end_place, point) * step.h;
    let moved = displacement(before, now) * step.h - wall;
    if solid.is_thin != 0u && (length(moved) > own.size || min(first.w, last.w) * step.h < -DEEP * own.size) {
        atomicMax(&status.passing, i + 1u);
    }
    var n_0 = -n;
    var start = vec4<f32>();
    if WALL_FRICTION {
        start = wall_springs[place];
        if start.w != 0.0f { n_0 = wall_normals[place].xyz; }
    }
    let mu = select(vec2<f32>(own.sticking, own.sliding), solid.mu, solid.mu.x >= 0.0f);
    let spring = Spring(
        own.wall_k, own.wall_size, own.wall_softening, own.wall_damping * step.rate, own.wall_tangential, mu.x, mu.y,
    );
    let r = wall_contact(
        n_0, -n, -vec2<f32>(first.w, last.w) * step.h, spring, vec2<f32>(own.size), start.xyz, f32(start.w < 0.0f),
        turn(before, now), vec3<f32>(), moved,
    );
    if WALL_FRICTION && step.is_first == 0u {
        let limit = select(r.limit, -r.limit, r.slides != 0.0f);
        wall_springs[place] = vec4<f32>(r.stretch_x, r.stretch_y, r.stretch_z, limit);
        wall_normals[place] = vec4<f32>(-n, 0.0f);
    }
    let force = vec3<f32>(r.p_x, r.p_y, r.p_z);
    let dashpot = vec3<f32>(r.d_x, r.d_y, r.d_z);
    push.force -= force;
    push.torque -= vec3<f32>(r.i_x, r.i_y, r.i_z);
    if step.is_last != 0u { wall_forces[place] = vec4<f32>(force, 1.0f); }

    let by_dashpot = dot(dashpot, wall);
    let by_correction = -r.correction * dot(n, wall);
    if DAMPED {
        late.force += dashpot;
        late.torque += vec3<f32>(r.di_x, r.di_y, r.di_z);
        late.correction -= n * r.correction;
        late.walls += by_dashpot;
        late.of_correction += by_correction;
        late.is_any = 1.0f;
    }
    if step.is_first == 0u {
    energy.damping += 0.5f * r.dashpot_work;
    energy.friction += r.by_sliding;
    energy.trapezoid += r.trapezoid_error;
    energy.corrections -= 0.5f * r.correction * dot(n, moved);
    }
    if solid.moves != 0u {
        let mean = vec3<f32>(r.m_x, r.m_y, r.m_z);
        if step.is_first == 0u { energy.walls -= dot(mean, wall) + 0.5f * (by_dashpot + by_correction); }
        // the spring by the trapezoidal rule: half of the steps before and after
        let elastic = dot(dashpot - force, n) - r.correction;
        var way = dot(wall, n + outwards(start_place, last.xyz)) * f32(step.is_first == 0u);
        if step.is_last == 0u {
            let next = places[(at + 2u) * step.solids + k];
            way += dot(carried(end_place, next, point) * step.h, n + outwards(next, last.xyz));
        }
        if closed { energy.walls += 0.25f * elastic * way; }
    }
}
