//! The law of one contact in an explicit step as plain formulas, beside the vector kernels.

use bdem_core::geometry::Vec3;
use bdem_core::model::ContactLaw;

/// A contact in a step of `dt` (s). Vectors are of one frame; `n` points from i to the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Contact {
    pub law: ContactLaw,
    pub dt: f64,
    /// Damping ratio, and the reduced mass, kg.
    pub zeta: f64,
    pub mass: f64,
    /// Stiffness (N/m) and size (m) of the normal spring, and the stiffness that the tangential spring refers to, N/m.
    pub k: f64,
    pub size: f64,
    pub shear_k: f64,
    /// Overlaps at the start and at the end, negative for gaps, m.
    pub overlaps: [f64; 2],
    pub n: Vec3,
    /// Displacement of the surface of i over the other's, m.
    pub slip: Vec3,
    /// Tangential spring at the start, m, and whether it slid.
    pub stretch: Vec3,
    pub slid: bool,
    /// Coefficients of friction, static and sliding.
    pub mu: [f64; 2],
}

/// What a contact does at the end of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Response {
    /// dV/dp of i by the normal force, N.
    pub normal: Vec3,
    /// dV/dp of i by friction, N.
    pub friction: Vec3,
    /// Tangential spring, m, its limit, N, and whether it slides.
    pub stretch: Vec3,
    pub limit: f64,
    pub slides: bool,
    /// Energy lost in sliding, J.
    pub lost: f64,
    /// Mean force of the tangential spring, N.
    pub mean: Vec3,
}

impl Contact {
    fn push(&self, o: f64) -> f64 {
        match self.law {
            ContactLaw::Linear => self.k * o,
            ContactLaw::Hertz | ContactLaw::RodriguesHertz => self.k * o * (o / self.size).sqrt(),
        }
    }

    fn energy(&self, o: f64) -> f64 {
        match self.law {
            ContactLaw::Linear => 0.5 * self.k * o * o,
            ContactLaw::Hertz | ContactLaw::RodriguesHertz => 0.4 * self.k * o * o * (o / self.size).sqrt(),
        }
    }

    /// P'(o), N/m.
    fn stiffness(&self, o: f64) -> f64 {
        match self.law {
            ContactLaw::Linear => self.k,
            ContactLaw::Hertz | ContactLaw::RodriguesHertz => 1.5 * self.k * (o / self.size).sqrt(),
        }
    }

    /// Integral of c(o) = 2 zeta b sqrt(m P'(o)), N s.
    fn impulse(&self, o: f64) -> f64 {
        let c = |b: f64| 2.0 * self.zeta * b * (self.mass * self.stiffness(o)).sqrt();
        match self.law {
            ContactLaw::Linear => c(1.0) * o,
            ContactLaw::Hertz | ContactLaw::RodriguesHertz => c((5.0f64 / 6.0).sqrt()) * o / 1.25,
        }
    }

    /// The normal force (N) at the end, and the damping's factor in the step.
    fn normal_force(&self) -> [f64; 2] {
        let [from, to] = self.overlaps;
        let (o_0, o) = (from.max(0.0), to.max(0.0));
        let a = (self.dt * (self.stiffness(o_0.max(o)) / self.mass).sqrt()).min(0.6);
        let factor = 1.0 + (a + a.powi(3)) / 3.0;
        let closing = factor * (self.impulse(o) - self.impulse(o_0)) / self.dt;
        let damped = if self.zeta > 0.0 { (self.push(o) + closing).max(0.0) } else { self.push(o) };
        let error = self.energy(o) - self.energy(o_0) - 0.5 * (self.push(o_0) + self.push(o)) * (to - from);
        let crosses = (from < 0.0) != (to < 0.0);
        [damped + if crosses && self.zeta > 0.0 { error / (to - from) } else { 0.0 }, factor]
    }

    /// Evaluates the step.
    pub(super) fn evaluate(&self) -> Response {
        let across = |v: Vec3| v - self.n * self.n.dot(&v);
        let [push, factor] = self.normal_force();
        let k = 2.0 / 7.0 * self.shear_k;
        let hertz = if self.law == ContactLaw::RodriguesHertz { (5.0f64 / 4.0).sqrt() } else { 1.0 };
        let c = (2.0f64 / 7.0).sqrt() * factor * 2.0 * self.zeta * hertz * (self.mass * self.shear_k).sqrt();
        let start = across(self.stretch);
        let stuck = across(self.stretch + self.slip);
        let trial = stuck * k + (stuck - start) * (c / self.dt);
        let mu = if self.slid || trial.norm() > self.mu[0] * push { self.mu[1] } else { self.mu[0] };
        let limit = (mu * push).max(0.0);
        let slides = limit > 0.0 && trial.norm() > limit;
        let force = if trial.norm() > limit { trial * (limit / trial.norm()) } else { trial };
        // force = k stretch + c (stretch - start)/dt
        let stretch = if limit > 0.0 { (force + start * (c / self.dt)) / (k + c / self.dt) } else { Vec3::zeros() };
        let mean = across(self.stretch + stretch) * (0.5 * k);
        let lost = mean.dot(&self.slip) + 0.5 * k * (self.stretch.norm_squared() - stretch.norm_squared());
        Response { normal: self.n * push, friction: force, stretch, limit, slides, lost, mean }
    }
}
