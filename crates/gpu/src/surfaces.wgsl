// radius in h, whole and part, none without contacts; radius (m), mass (kg); surface in pairs; spring on walls
struct Surface {
    radius: i32, part: f32, size: f32, mass: f32,
    k: f32, normal: f32, tangential: f32, curvature: f32, sticking: f32, sliding: f32,
    wall_k: f32, wall_size: f32, wall_softening: f32, wall_damping: f32, wall_tangential: f32, pad: u32,
}
// bits of the greatest distance from an anchor (h), slots that lists need, particle that may pass a wall plus one, and step of
// the lists
struct Status { travel: atomic<u32>, slots: atomic<u32>, passing: atomic<u32>, built: u32 }

const NONE = 0xffffffffu;
// bits of a slot of a bond, and of a pair that touched at the end of the last step
const BROKEN = 0x80000000u;
const TOUCHES = 0x80000000u;
const OTHER = 0x3fffffffu;
