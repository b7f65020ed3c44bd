//! Friction of contacts (\[BDEM21\] eqs 23-27): a tangential spring xi with a dashpot beside it, which the papers lack and
//! without which a contact that sticks rings, and creeps by its peaks. Both slide at Coulomb's limit F = mu |F_r|:
//!
//! ```text
//! f    = k xi_1 + c (xi_1 - T xi_0)/dt,    T = I - n n^T,    u the displacement at the contact point
//! xi_1 = T (xi_0 + u)                      while |f| <= F
//! f    = F e                               in sliding, which takes the rest of u
//! ```
//!
//! u is the integral of the surfaces' relative velocity over the step, by the trapezoidal rule in the normal n: rotations by
//! theta slip by theta x 1/2 (n_0 + n_1) times their arms. With n_1 alone, a grain that rolls along a curve and spins about the
//! normal would slip by half its rotation in each step, and gain energy. Torques are n x f times the arms, with the normal at the
//! end. So that implicit steps have them as derivatives of W, they count rotations from an earlier iterate, about the normal
//! there, and add those up to it.
//!
//! With K = k + c/dt and xi = T (k/K xi_0 + u) that is f = K xi, or F xi/|xi| in sliding: a spring alone, with the energy
//!
//! ```text
//! W = 1/2 K |xi|^2           while K |xi| <= F
//!     F |xi| - F^2/(2 K)     in sliding               [J]
//! ```
//!
//! By Hertz's law k = 8 G* sqrt(R* o) varies with the overlap, and xi_0 is that of the step's start times s = min(1, k_0/k). A
//! contact that is pressed harder keeps its force k_0 xi_0; one that is relieved keeps xi_0, and its force falls. Neither gives
//! energy: 1/2 k_0 (1 - s) xi_0^2, or 1/2 (k_0 - k) xi_0.xi_1, is dissipated with what slides. This is the incremental spring of
//! Thornton, Cummins and Cleary, "An investigation of the comparative behaviour of alternative contact force models", 2013.
//!
//! Explicit steps have F of the normal force at their end. Implicit ones have F, normal and contact point of an earlier state, so
//! that W is convex; they update them until they converge.

use crate::model::{Coefficients, ContactLaw, NormalSpring};
use crate::simd::{Lanes, Vec3x};

use super::lanes::{Turn, rolled};

/// Stiffness and damping of tangential springs in a step, one contact a lane.
#[derive(Clone, Copy, Debug)]
pub struct TangentialLaw<N = f64> {
    /// k, N/m.
    k: N,
    /// c/dt, N/m; zero without a step.
    drag: N,
    /// Stiffness at the start of the step over k: one but for Hertz's law.
    before: N,
}

impl<L: Lanes> TangentialLaw<L> {
    /// Of contacts with this normal `spring`, whose dashpot's coefficient over the step is `drag` (N/m), and whose overlaps (m)
    /// at the start and now are `from` and `to`.
    ///
    /// Damping over that of the normal force is sqrt(k_t/k_r): a sphere that does not turn, in a bonded or rigid body, has one
    /// damping ratio along the surface and across it. By 2/7 bonded blocks rattle down slopes on which they stick.
    #[inline(always)]
    pub fn new(spring: &NormalSpring<L>, drag: L, [from, to]: [L; 2]) -> Self {
        /// Overlap over D below which the stiffness is constant, so that it is above zero.
        const MIN_OVERLAP: f64 = 1e-12;
        let (k, drag) = (spring.tangential * spring.k, spring.tangential.sqrt() * drag);
        if spring.law != ContactLaw::Hertz {
            return Self { k, drag, before: L::splat(1.0) };
        }
        let least = spring.size * L::splat(MIN_OVERLAP);
        let (from, to) = (from.max(least), to.max(least));
        let growth = (to / spring.size).sqrt();
        Self { k: L::splat(1.5) * k * growth, drag: drag * growth.sqrt(), before: (from / to).sqrt() }
    }

    /// Share of the spring's stretch that a change of stiffness leaves, s.
    #[inline(always)]
    fn kept(&self) -> L {
        let one = L::splat(1.0);
        self.before.pick_below(one, self.before, one)
    }
}

/// Points of contacts in a step, of `N` particles each: i and j, or i and a wall. One contact a lane.
#[derive(Clone, Copy, Debug)]
pub struct ContactPoint<L, const N: usize> {
    /// Unit normal from i to the other.
    pub n: Vec3x<L>,
    /// Distances from the centres of the particles, m.
    pub arms: [L; N],
    /// Displacement of i over the other in the step, but for rotations of particles, m.
    pub moved: Vec3x<L>,
    /// Rotations of the particles in the step.
    pub turns: [Turn<L>; N],
    /// Slip besides, m: by the turn of the normal, see [`Self::since`], or by earlier rotations.
    pub shift: Vec3x<L>,
}

impl<L: Lanes, const N: usize> ContactPoint<L, N> {
    /// The point in a step that began with the unit normal `n_0`. The particles slip by their rotations about the mean of both
    /// normals, and forces act about `n`.
    #[inline(always)]
    pub fn since(self, n_0: Vec3x<L>) -> Self {
        let shift = rolled(&self.turns, self.arms).cross((n_0 - self.n) * L::splat(0.5));
        Self { shift, ..self }
    }

    /// The same for friction whose force is by this `rule`: that in the middle of a step has the normal there already.
    #[inline(always)]
    pub(super) fn in_rule(self, rule: FrictionForce, n_0: Vec3x<L>) -> Self {
        match rule {
            FrictionForce::Mean => self.since(n_0),
            FrictionForce::Middle => self,
        }
    }

    /// Slip by the rotations, m.
    #[inline(always)]
    pub(super) fn rolled(&self) -> Vec3x<L> {
        rolled(&self.turns, self.arms).cross(self.n) + self.shift
    }

    /// Torques (N m) on the particles by a `force` (N), dV/dp of i, about their centres.
    #[inline(always)]
    pub(crate) fn moments(&self, force: Vec3x<L>) -> [Vec3x<L>; N] {
        let (moment, mut moments, mut k) = (self.n.cross(force), [Vec3x::splat(0.0); N], 0);
        while k < N {
            moments[k] = moment * self.arms[k];
            k += 1;
        }
        moments
    }

    /// The same on their rotations in the step: dV/dtheta.
    #[inline(always)]
    pub(crate) fn torques(&self, force: Vec3x<L>) -> [Vec3x<L>; N] {
        let (mut torques, mut k) = (self.moments(force), 0);
        while k < N {
            torques[k] = self.turns[k].pull_back(torques[k]);
            k += 1;
        }
        torques
    }
}

/// Friction limit F of a step.
#[derive(Clone, Copy, Debug)]
pub enum Limit<L = f64> {
    /// Limit of these normal forces (N), of contacts that slid (1) or not (0) in the last step.
    Here(L, Coefficients<L>, L),
    /// Limit of an earlier state, N.
    Earlier(L),
}

/// Force of friction in a step, by which its work is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrictionForce {
    /// Mean of the forces at the beginning and at the end.
    Mean,
    /// Force in the middle of the step, after half of the displacement, for rules which evaluate forces there. Limit and
    /// normal are those of the middle. The mean would have the limit of half a step ago.
    Middle,
}

/// Friction of contacts at the end of a step, one contact a lane.
#[derive(Clone, Copy, Debug)]
pub struct Friction<L = f64, const N: usize = 2> {
    /// Contact point.
    pub(crate) point: ContactPoint<L, N>,
    law: TangentialLaw<L>,
    /// u, m.
    pub(super) slip: Vec3x<L>,
    /// xi at the step's start, and T xi_0, m.
    from: Vec3x<L>,
    start: Vec3x<L>,
    /// xi, m, its length and the inverse of that.
    spring: Vec3x<L>,
    length: L,
    inverse_length: L,
    /// K, N/m, and its inverse.
    pub(crate) stiffness: L,
    compliance: L,
    /// F, N.
    pub limit: L,
}

/// The part of `v` across the unit vector `n`.
#[inline(always)]
fn across<L: Lanes>(v: Vec3x<L>, n: Vec3x<L>) -> Vec3x<L> {
    n.neg_mul_add(n.dot(v), v)
}

impl<L: Lanes, const N: usize> Friction<L, N> {
    /// Friction of springs that were `from` = xi_0 (m) at the start.
    #[inline(always)]
    pub fn new(law: TangentialLaw<L>, point: ContactPoint<L, N>, from: Vec3x<L>, limit: Limit<L>) -> Self {
        let slip = point.moved + point.rolled();
        let friction = Self::after(law, point, from, slip);
        let limit = match limit {
            Limit::Here(push, mu, slid) => friction.coulomb(push, mu, slid),
            Limit::Earlier(limit) => limit,
        };
        Self { limit, ..friction }
    }

    /// The same without a limit, after the displacement `slip` (m).
    #[inline(always)]
    fn after(law: TangentialLaw<L>, point: ContactPoint<L, N>, from: Vec3x<L>, slip: Vec3x<L>) -> Self {
        let (stiffness, start) = (law.k + law.drag, across(from * law.kept(), point.n));
        let compliance = L::splat(1.0) / stiffness;
        let spring = across(from * law.kept() + slip, point.n) - start * (law.drag * compliance);
        let square = spring.dot(spring);
        let inverse_length = square.max(L::splat(f64::MIN_POSITIVE)).inverse_sqrt();
        let (length, limit) = (square * inverse_length, L::splat(0.0));
        Self { point, law, slip, from, start, spring, length, inverse_length, stiffness, compliance, limit }
    }

    /// The friction limit F (N) under the normal forces `push` (N). Contacts that slid, `slid` > 0, or exceed the static limit
    /// have the sliding coefficient.
    #[inline(always)]
    fn coulomb(&self, push: L, mu: Coefficients<L>, slid: L) -> L {
        let zero = L::splat(0.0);
        let push = push.max(zero);
        let (held, sliding) = (mu.sticking * push, mu.sliding * push);
        zero.pick_below(slid, sliding, held.pick_below(self.unlimited(), sliding, held))
    }

    /// Force without a limit, K |xi|, N.
    #[inline(always)]
    fn unlimited(&self) -> L {
        self.stiffness * self.length
    }

    /// `value` of contacts with a limit, and zero of others.
    #[inline(always)]
    fn loaded(&self, value: L) -> L {
        let zero = L::splat(0.0);
        zero.pick_below(self.limit, value, zero)
    }

    /// Lanes that slide, as bits: the force is at its limit.
    #[inline(always)]
    pub fn slides(&self) -> u32 {
        !self.limit.not_below(self.unlimited()) & self.limit.not_below(L::splat(f64::MIN_POSITIVE))
    }

    /// Force over spring length, min(K, F/|xi|), N/m: the curvature of the lowest parabola above the energy that touches it.
    #[inline(always)]
    pub fn weight(&self) -> L {
        self.limit.pick_below(self.unlimited(), self.limit * self.inverse_length, self.stiffness)
    }

    /// W, J.
    #[inline(always)]
    pub fn energy(&self) -> L {
        // both cases: in sticking, F |xi| - F^2/2K with F = K |xi|
        let force = self.weight() * self.length;
        force * self.length - L::splat(0.5) * force * force * self.compliance
    }

    /// dW/du: force on the surface of the other by i, N.
    #[inline(always)]
    pub fn force(&self) -> Vec3x<L> {
        self.spring * self.weight()
    }

    /// Unit vector of the spring: its sliding direction.
    #[inline(always)]
    pub fn direction(&self) -> Vec3x<L> {
        self.spring * self.inverse_length
    }

    /// The spring xi_1 (m) after the step: shortened to the friction limit, eqs 26, 27.
    #[inline(always)]
    pub fn end(&self) -> Vec3x<L> {
        let sliding = self.limit * self.inverse_length * self.compliance;
        let share = self.limit.pick_below(self.unlimited(), sliding, L::splat(1.0));
        self.spring * share + self.start * self.loaded(self.law.drag * self.compliance)
    }

    /// Force of the dashpot, N, where the spring is `end` = xi_1 (m) after the step; zero without a friction limit.
    #[inline(always)]
    pub(crate) fn dashpot(&self, end: Vec3x<L>) -> Vec3x<L> {
        (end - self.start) * self.loaded(self.law.drag)
    }

    /// Mean force (N) of the spring in a step that leaves it at `end` = xi_1 (m), in the tangent plane.
    #[inline(always)]
    pub(crate) fn mean_force(&self, end: Vec3x<L>) -> Vec3x<L> {
        across(self.from * self.law.before + end, self.point.n) * (L::splat(0.5) * self.law.k)
    }

    /// Energy dissipated in sliding (J) by the spring's `force` F (N) where it becomes `end` = xi_1 (m):
    ///
    /// ```text
    /// 1/2 k_0 |xi_0|^2 + F.u - 1/2 k |xi_1|^2
    /// ```
    ///
    /// Of a sticking contact that is nothing, of a sliding one the force times the sliding distance, and of one that opened
    /// the energy of the spring.
    #[inline(always)]
    pub(crate) fn by_sliding(&self, end: Vec3x<L>, force: Vec3x<L>) -> L {
        force.dot(self.slip) + L::splat(0.5) * self.law.k * (self.from.dot(self.from) * self.law.before - end.dot(end))
    }

    /// The force of spring and dashpot that did the work of the step, N, and the energies dissipated in sliding and by the
    /// dashpot, J.
    #[inline(always)]
    pub fn work(&self, rule: FrictionForce) -> (Vec3x<L>, [L; 2]) {
        let end = self.end();
        let [spring, dashpot] = match rule {
            FrictionForce::Mean => [self.mean_force(end), self.dashpot(end)],
            FrictionForce::Middle => {
                let law = TangentialLaw { drag: self.law.drag + self.law.drag, ..self.law };
                let half = Self::after(law, self.point, self.from, self.slip * L::splat(0.5));
                let half = Self { limit: self.limit, ..half };
                let end = half.end();
                [end * law.k, half.dashpot(end)]
            }
        };
        (spring + dashpot, [self.by_sliding(end, spring), dashpot.dot(self.slip)])
    }
}
