use bdem_core::geometry::{Pose, Vec3, rotation};
use bdem_core::model::{Motion, State, Twist, World};

/// Mean motion of a body.
#[derive(Clone, Copy, Default)]
pub(super) struct BodyMotion {
    mass: f64,
    /// Centre of mass, m.
    centre: Vec3,
    /// Velocity, m/s.
    pub velocity: Vec3,
    /// Angular velocity, rad/s.
    spin: Vec3,
}

impl BodyMotion {
    pub(super) fn of_all(world: &World, state: &State) -> Vec<Self> {
        let particles = &world.particles;
        let count = particles.body.iter().max().map_or(0, |&last| usize::from(last) + 1);
        let mut motions = vec![Self::default(); count];
        for (i, (&body, &mass)) in particles.body.iter().zip(&particles.mass).enumerate() {
            let Self { mass: sum, centre, velocity, spin } = &mut motions[usize::from(body)];
            *sum += mass;
            *centre += state.p[i] * mass;
            *velocity += state.v[i] * mass;
            *spin += state.w[i] * mass;
        }
        let mean = |Self { mass, centre, velocity, spin }| Self {
            mass,
            centre: centre / mass,
            velocity: velocity / mass,
            spin: spin / mass,
        };
        motions.into_iter().map(mean).collect()
    }

    /// Velocity of its point at `p` (m), m/s.
    pub(super) fn velocity_at(&self, p: &Vec3) -> Vec3 {
        self.velocity + self.spin.cross(&(p - self.centre))
    }
}

/// Expected motion of a body from a time on.
#[derive(Clone, Copy)]
pub(super) enum BodyPath<'a> {
    /// Prescribed by a constraint.
    Held(&'a Motion),
    /// Free flight under gravity, m/s2, until it lands at a time, s. Then it rests.
    Flight(BodyMotion, Vec3, f64),
    /// Rest on what it touches.
    Rest,
}

impl BodyPath<'_> {
    /// Displacement from a time to another, s.
    pub(super) fn pose(&self, [from, to]: [f64; 2]) -> Pose {
        match self {
            Self::Held(motion) => motion.pose(to).after(&motion.pose(from)),
            Self::Flight(BodyMotion { centre, velocity, spin, .. }, gravity, landing) => {
                let since = to.min(*landing) - from;
                let turned = Pose::about(centre, rotation::exp(&(spin * (0.5 * since))));
                Pose { shift: turned.shift + (velocity + gravity * (0.5 * since)) * since, ..turned }
            }
            Self::Rest => Pose::default(),
        }
    }

    /// Velocities at the later of two times, s.
    pub(super) fn twist(&self, [from, to]: [f64; 2]) -> Twist {
        match self {
            Self::Held(motion) => motion.twist(to),
            Self::Flight(BodyMotion { centre, velocity, spin, .. }, gravity, landing) if to <= *landing => {
                let centre = self.pose([from, to]).apply(centre);
                Twist { velocity: velocity + gravity * (to - from) - spin.cross(&centre), spin: *spin }
            }
            Self::Flight(..) | Self::Rest => Twist::default(),
        }
    }
}
