use crate::geometry::{Mat3, Quat, Vec3, free_rotation, rotation, solve_positive};
use crate::model::{Particles, RigidBody, State};

/// Motion of a piece as a rigid body.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// kg.
    pub mass: f64,
    /// Centre of mass, m.
    pub centre: Vec3,
    /// Its velocity, m/s.
    pub velocity: Vec3,
    /// Moment of inertia about the centre, kg m2.
    pub inertia: Mat3,
    /// Angular momentum about the centre, kg m2/s.
    pub momentum: Vec3,
    /// Angular velocity, rad/s: I^-1 L.
    pub spin: Vec3,
}

/// Displacement of a rigid body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Move {
    /// Centre before and after, m.
    pub from: Vec3,
    pub to: Vec3,
    /// Rotation between the two.
    pub turn: Quat,
    /// Velocity of the centre (m/s) and angular velocity (rad/s) after it.
    pub velocity: Vec3,
    pub spin: Vec3,
}

impl Body {
    /// Body of these particles, with their linear and angular momentum.
    pub(crate) fn of(members: &[u32], particles: &Particles, state: &State) -> Self {
        let of = || members.iter().map(|&i| i as usize);
        let mass: f64 = of().map(|i| particles.mass[i]).sum();
        let mean = |x: &[Vec3]| of().map(|i| x[i] * particles.mass[i]).sum::<Vec3>() / mass;
        let (centre, velocity) = (mean(&state.p), mean(&state.v));
        let (mut inertia, mut momentum) = (Mat3::zeros(), Vec3::zeros());
        for i in of() {
            let (m, j, arm) = (particles.mass[i], particles.inertia[i], state.p[i] - centre);
            inertia += particles.inertia_about(i, &arm);
            momentum += arm.cross(&state.v[i]) * m + state.w[i] * j;
        }
        let spin = solve_positive(&inertia, &momentum).expect("spheres have inertia about every axis");
        Self { mass, centre, velocity, inertia, momentum, spin }
    }

    /// Velocity at the point `p` (m), m/s.
    pub(crate) fn velocity_at(&self, p: &Vec3) -> Vec3 {
        self.velocity + self.spin.cross(&(p - self.centre))
    }

    /// Free flight over `dt` (s) under `gravity` (m/s2): a parabola, and a [free rotation](free_rotation).
    pub(super) fn fly(&self, gravity: &Vec3, dt: f64) -> Move {
        let inverse = RigidBody::inverse(&self.inertia);
        let turn = free_rotation(&inverse, &self.momentum, dt);
        let seen = rotation::rotate(&turn.conjugate(), &self.momentum);
        let spin = rotation::rotate(&turn, &(inverse * seen));
        let to = self.centre + self.velocity * dt + gravity * (0.5 * dt * dt);
        Move { from: self.centre, to, turn, velocity: self.velocity + gravity * dt, spin }
    }
}

impl Move {
    /// Moves a particle of the body.
    pub(super) fn carry(&self, state: &mut State, i: usize) {
        let arm = rotation::rotate(&self.turn, &(state.p[i] - self.from));
        state.p[i] = self.to + arm;
        state.q[i] = rotation::turn_by(&state.q[i], &self.turn);
        state.v[i] = self.velocity + self.spin.cross(&arm);
        state.w[i] = self.spin;
    }
}

/// Four equal masses with the mass, the centre and the moment of inertia of particles that are not simulated singly.
///
/// S = sum m r r^T + j/2 has principal values s_k >= 0. The corners `(+-, +-, +-) sqrt(s_k/M)` of a tetrahedron along its axes,
/// with an even number of negative signs, have the same S and mean.
pub(super) fn mass_points(mass: f64, centre: &Vec3, second: &Mat3) -> [Vec3; 4] {
    const CORNERS: [[f64; 3]; 4] = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let axes = second.symmetric_eigen();
    let reach = axes.eigenvalues.map(|s| (s.max(0.0) / mass).sqrt());
    CORNERS.map(|corner| centre + axes.eigenvectors * reach.component_mul(&Vec3::from(corner)))
}

/// Edges a > b > c (m) of the box with this moment of inertia (kg m2) and mass (kg).
pub(super) fn edges(inertia: &Mat3, mass: f64) -> [f64; 3] {
    let mut moments: [f64; 3] = inertia.symmetric_eigenvalues().into();
    moments.sort_by(f64::total_cmp);
    let sum: f64 = moments.iter().sum();
    moments.map(|moment| (6.0 / mass * (sum - 2.0 * moment)).max(0.0).sqrt())
}
