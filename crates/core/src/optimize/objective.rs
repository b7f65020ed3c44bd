use crate::energy::{Potential, Workspace};
use crate::geometry::{Quat, Vec3};
use crate::model::{Gradient, State};
use crate::parallel;

use super::rigid::RigidMotions;

/// Inertial target of the particles: p^ (m), and q^ of any length.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// p^, m.
    pub p: Vec<Vec3>,
    /// q^, of any length.
    pub q: Vec<Quat>,
}

/// Objective of an implicit Euler step (\[IBDEM\] eqs 5, 6):
///
/// ```text
/// Phi(x) = 1/(2 dt^2) sum [m |p - p^|^2 + 4J |q - q^|^2] + V(x)      [J]
/// ```
///
/// Gravity is part of V. Held particles do not move and have zero derivatives. Particles of a rigid body have the
/// derivatives of its six motions.
#[derive(Clone, Copy, Debug)]
pub struct Objective<'a> {
    /// V.
    pub potential: Potential<'a>,
    /// p^ and q^.
    pub target: &'a Target,
    /// Time step, s.
    pub dt: f64,
    /// The world's period T, s.
    pub period: f64,
    /// Whether each particle is held.
    pub held: &'a [bool],
}

/// Particles per task; constant, so that sums do not depend on the threads.
const CHUNK: usize = 4096;

impl Objective<'_> {
    /// Time step in periods T.
    pub(crate) fn periods(&self) -> f64 {
        self.dt / self.period
    }

    /// Phi, J.
    pub(crate) fn value_with(&self, x: &State, work: &mut Workspace) -> f64 {
        let inertia: f64 = parallel::sum(parallel::chunks(&x.p, CHUNK), |chunk, p| {
            (0..p.len()).map(|k| self.inertia(x, chunk * CHUNK + k).0).sum::<f64>()
        });
        inertia + self.potential.value_with(x, work)
    }

    /// [`Self::gradient_with`] with arrays of its own.
    pub fn gradient(&self, x: &State, out: &mut [Gradient]) -> f64 {
        self.gradient_with(x, &mut Workspace::default(), out)
    }

    /// Phi (J), and its gradient with respect to positions and world rotation vectors into `out`.
    pub(crate) fn gradient_with(&self, x: &State, work: &mut Workspace, out: &mut [Gradient]) -> f64 {
        let potential = self.potential.gradient_with(x, work, out).energy;
        let inertia: f64 = parallel::sum(parallel::chunks_mut(out, CHUNK), |chunk, out| {
            let mut energy = 0.0;
            for (i, out) in (chunk * CHUNK..).zip(out) {
                let (value, gradient) = self.inertia(x, i);
                energy += value;
                *out += gradient;
                if self.held[i] {
                    *out = Gradient::default();
                }
            }
            energy
        });
        RigidMotions::new(self.potential.world, x).project_gradient(out);
        inertia + potential
    }

    /// Inertia term of particle `i`, and its gradient: m (p - p^)/dt^2, and -(2J/dt^2) Im(q^ conj(q)) with respect to
    /// the world rotation vector. The latter is \[IBDEM\] eq 6's 4J (q - q^)/dt^2 on the tangent space.
    fn inertia(&self, x: &State, i: usize) -> (f64, Gradient) {
        let particles = &self.potential.world.particles;
        let (m, j) = (particles.mass[i] / (self.dt * self.dt), particles.inertia[i] / (self.dt * self.dt));
        let off = x.p[i] - self.target.p[i];
        let (q, target) = (&x.q[i], &self.target.q[i]);
        let value = 0.5 * m * off.norm_squared() + 2.0 * j * (q - target).norm_squared();
        (value, Gradient { p: off * m, theta: (target * q.conjugate()).imag() * (-2.0 * j) })
    }

    /// Second derivatives of the inertia term: m/dt^2 in every direction of the position, and J/dt^2 (q.q^) in every
    /// direction of the rotation. The latter includes \[IBDEM\] eq 29's curvature term.
    pub fn inertia_hessian(&self, x: &State, i: usize) -> [f64; 2] {
        let particles = &self.potential.world.particles;
        let dt2 = self.dt * self.dt;
        [particles.mass[i] / dt2, particles.inertia[i] / dt2 * x.q[i].coords.dot(&self.target.q[i].coords)]
    }
}
