use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;
use crate::model::{Material, World};
use crate::simd::{Lanes, Vec3x};

/// Tangential stiffness over normal stiffness of a contact, k_t/k_r: \[BDEM21\] does not give k_t, and 2/7 makes a
/// sphere that bounces swing as fast along the surface as across it.
pub(crate) const TANGENTIAL: f64 = 2.0 / 7.0;

/// Tangential spring of one contact. It slides where its force would exceed Coulomb's limit (\[BDEM21\] eqs 23-27).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TangentialSpring {
    /// The spring xi at the end of the last step, m: displacement of the surface of i (or of a particle on a wall) over the
    /// other's.
    pub stretch: Vec3,
    /// Whether it slid in the last step.
    pub slides: bool,
    /// Unit normal of the last evaluated state. Zero without contact.
    pub n: Vec3,
    /// Friction limit mu |F_r|, N, of the last evaluated state. Zero without contact.
    pub limit: f64,
    /// Distances, m, of the contact point from the centre of i (or of a particle on a wall), and of j. The point is
    /// halfway within the overlap: then friction conserves angular momentum.
    pub arms: [f64; 2],
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

/// Contact point and normal force of two surfaces.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// As [`TangentialSpring::n`].
    pub n: Vec3,
    /// As [`TangentialSpring::arms`], m.
    pub arms: [f64; 2],
    /// The normal force, N.
    pub push: f64,
    /// Normal stiffness, N/m.
    pub k: f64,
}

/// Coefficients of friction: static, mu_s, and sliding, mu_d.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coefficients<N = f64> {
    /// Static, mu_s.
    pub sticking: N,
    /// Sliding, mu_d.
    pub sliding: N,
}

impl Coefficients {
    /// A pair's are the geometric means of its two.
    pub(crate) fn between(world: &World, [i, j]: [usize; 2]) -> Self {
        let mean = |mu: fn(&Material) -> f64| (mu(world.material_of(i)) * mu(world.material_of(j))).sqrt();
        Self { sticking: mean(|m| m.static_friction), sliding: mean(|m| m.friction) }
    }

    /// Of particle `i` on collider `wall`.
    pub(crate) fn on_wall(world: &World, i: usize, wall: usize) -> Self {
        let (material, wall) = (world.material_of(i), &world.colliders[wall]);
        Self {
            sticking: wall.static_friction.unwrap_or(material.static_friction),
            sliding: wall.friction.unwrap_or(material.friction),
        }
    }
}

/// Tangential springs after a displacement, before the friction limit, one contact a lane (\[BDEM21\] eqs 23-27):
///
/// ```text
/// xi = T (xi_0 + u),    T = I - n n^T
/// f  = k xi             while k |xi| <= F
///      F xi/|xi|        in sliding
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stretched<N = f64> {
    /// Tangential stiffness, N/m.
    pub k: N,
    /// xi, m.
    pub spring: Vec3x<N>,
    /// |xi|, m, and its inverse.
    length: N,
    inverse_length: N,
}

/// The part of `v` across the unit vector `n`.
#[inline(always)]
fn across<L: Lanes>(v: Vec3x<L>, n: Vec3x<L>) -> Vec3x<L> {
    n.neg_mul_add(n.dot(v), v)
}

impl<L: Lanes> Stretched<L> {
    /// The spring `stretch` = xi_0 (m) of stiffness `k` (N/m) after the tangential displacement `u` (m), at the normal `n`.
    #[inline(always)]
    pub(crate) fn new(k: L, stretch: Vec3x<L>, n: Vec3x<L>, u: Vec3x<L>) -> Self {
        let spring = across(stretch + u, n);
        let square = spring.dot(spring);
        let inverse_length = square.max(L::splat(f64::MIN_POSITIVE)).inverse_sqrt();
        Self { k, spring, length: square * inverse_length, inverse_length }
    }

    /// Force without a limit, k |xi|, N.
    #[inline(always)]
    pub(crate) fn unlimited(&self) -> L {
        self.k * self.length
    }

    /// The friction limit F (N) under the normal force `push` (N). Contacts that slid, `slid` > 0, or exceed the static limit
    /// have the sliding coefficient.
    #[inline(always)]
    pub(crate) fn limit(&self, push: L, mu: &Coefficients<L>, slid: L) -> L {
        let (zero, sliding) = (L::splat(0.0), mu.sliding * push);
        let sticking = (mu.sticking * push).pick_below(self.unlimited(), sliding, mu.sticking * push);
        zero.pick_below(slid, sliding, sticking)
    }

    /// Force over spring length, min(k, F/|xi|), N/m: the curvature of the lowest parabola above the energy that touches it.
    #[inline(always)]
    pub(crate) fn weight(&self, limit: L) -> L {
        limit.pick_below(self.unlimited(), limit * self.inverse_length, self.k)
    }

    /// Energy (J): `1/2 k |xi|^2`, or in sliding `F |xi| - F^2/(2 k)`.
    #[inline(always)]
    pub(crate) fn value(&self, limit: L) -> L {
        // both cases: in sticking, F |xi| - F^2/2k with F = k |xi|
        let force = self.weight(limit) * self.length;
        force * self.length - L::splat(0.5) * force * force / self.k
    }

    /// Unit vector of the spring: its sliding direction.
    #[inline(always)]
    pub(crate) fn direction(&self) -> Vec3x<L> {
        self.spring * self.inverse_length
    }

    /// The spring (m) after the step: shortened to the friction limit, eqs 26, 27.
    #[inline(always)]
    pub(crate) fn committed(&self, limit: L) -> Vec3x<L> {
        let sliding = limit * self.inverse_length / self.k;
        self.spring * limit.pick_below(self.unlimited(), sliding, L::splat(1.0))
    }

    /// Mean force (N) of a step between the springs xi_0 and xi_1 = `ends` (m), in the tangent plane of `n`.
    #[inline(always)]
    pub(crate) fn mean_force(&self, ends: [Vec3x<L>; 2], n: Vec3x<L>) -> Vec3x<L> {
        across(ends[0] + ends[1], n) * (L::splat(0.5) * self.k)
    }

    /// Energy dissipated (J) where the spring changed between `ends` (m) by the displacement `u` (m) against `force` (N):
    ///
    /// ```text
    /// 1/2 k |xi_0|^2 + F.u - 1/2 k |xi_1|^2
    /// ```
    #[inline(always)]
    pub(crate) fn dissipated(&self, [from, to]: [Vec3x<L>; 2], u: Vec3x<L>, force: Vec3x<L>) -> L {
        force.dot(u) + L::splat(0.5) * self.k * (from.dot(from) - to.dot(to))
    }
}

/// Tangential springs after a step, one contact a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settled<N = f64> {
    /// The spring, m: zero without a friction limit.
    pub stretch: Vec3x<N>,
    /// 1 for one that slid.
    pub slid: N,
    /// Force that did the work, N: see [`FrictionForce`].
    pub force: Vec3x<N>,
    /// See [`Stretched::dissipated`].
    pub dissipated: N,
}

impl<L: Lanes> Settled<L> {
    /// The spring of stiffness `k` (N/m) with a friction `limit` (N) after a step. At its start it was `stretch` (m); `n` is the
    /// unit normal, and `u` the displacement (m).
    #[inline(always)]
    pub(super) fn new(rule: FrictionForce, k: L, [stretch, n, u]: [Vec3x<L>; 3], limit: L) -> Self {
        let whole = Stretched::new(k, stretch, n, u);
        let ends = [stretch, whole.committed(limit)];
        let force = match rule {
            FrictionForce::Mean => whole.mean_force(ends, n),
            FrictionForce::Middle => {
                let half = Stretched::new(k, stretch, n, u * L::splat(0.5));
                half.spring * half.weight(limit)
            }
        };
        let slid = limit.pick_below(whole.unlimited(), L::splat(1.0), L::splat(0.0));
        Self { stretch: ends[1], slid, force, dissipated: whole.dissipated(ends, u, force) }
    }
}

impl TangentialSpring {
    /// Whether there is a normal force.
    pub(crate) fn is_loaded(&self) -> bool {
        self.limit > 0.0
    }

    /// The spring of tangential stiffness `k` (N/m) after a displacement `u` (m).
    #[inline]
    pub fn stretched(&self, k: f64, u: &Vec3) -> Stretched {
        Stretched::new(k, Vec3x::from(&self.stretch), Vec3x::from(&self.n), Vec3x::from(u))
    }

    /// Updates contact point and friction limit, after a displacement `u` (m).
    pub fn update_limit(&mut self, touch: &Touch, mu: &Coefficients, u: &Vec3) {
        (self.n, self.arms) = (touch.n, touch.arms);
        let stretched = self.stretched(TANGENTIAL * touch.k, u);
        self.limit = stretched.limit(touch.push, mu, f64::from(self.slides));
    }

    /// The same with its two surfaces exchanged.
    pub(crate) fn swapped(&self) -> Self {
        let [i, j] = self.arms;
        Self { stretch: -self.stretch, n: -self.n, arms: [j, i], ..*self }
    }

    /// Sets the limit to zero, for surfaces that parted. The spring is kept until the step is committed.
    pub fn unload(&mut self) {
        self.limit = 0.0;
    }

    /// Commits friction after a step with a tangential displacement `u`: eqs 26, 27. Returns the dissipated energy, J,
    /// and the [`FrictionForce`] F (N) that did the work, see [`Stretched::dissipated`]. The energy is zero for a sticking
    /// contact, the force times the sliding distance for a sliding one, and the energy of the spring for a contact that
    /// opened.
    pub fn commit(&mut self, rule: FrictionForce, k: f64, u: &Vec3) -> (f64, Vec3) {
        let from = [&self.stretch, &self.n, u].map(Vec3x::from);
        let Settled { stretch, slid, force, dissipated } = Settled::new(rule, k, from, self.limit);
        if self.is_loaded() {
            (self.stretch, self.slides) = (stretch.into(), slid > 0.0);
        } else {
            *self = Self::default();
        }
        (dissipated, force.into())
    }
}
