use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;
use crate::model::{Material, World};
use crate::simd::{Lanes, Vec3x};

use super::FrictionWork;

/// Tangential stiffness over normal stiffness of a contact, k_t/k_r: \[BDEM21\] does not give k_t, and 2/7 makes a
/// sphere that bounces swing as fast along the surface as across it.
pub const TANGENTIAL: f64 = 2.0 / 7.0;

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
    /// Stiffness and damping.
    pub shear: TangentialLaw,
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

/// Damping over that of the normal force, sqrt(k_t/k_r): a sphere that does not turn, in a bonded or rigid body, has one
/// damping ratio along the surface and across it. By 2/7 bonded blocks rattle down slopes on which they stick.
const TANGENTIAL_DAMPING: f64 = 0.534_522_483_824_848_8;

/// Stiffness and damping of tangential springs in a step, one contact a lane.
#[derive(Clone, Copy, Debug)]
pub struct TangentialLaw<N = f64> {
    /// Stiffness k, N/m.
    pub(crate) k: N,
    /// Dashpot's coefficient over the step c/dt, N/m; zero without a step.
    drag: N,
}

impl<L: Lanes> TangentialLaw<L> {
    /// Of contacts of normal stiffness `k` (N/m), whose dashpot's coefficient over the step is `drag` (N/m).
    #[inline(always)]
    pub fn new(k: L, drag: L) -> Self {
        Self { k: L::splat(TANGENTIAL) * k, drag: L::splat(TANGENTIAL_DAMPING) * drag }
    }

    /// The same in a step of half the length.
    #[inline(always)]
    fn in_half_a_step(self) -> Self {
        Self { drag: self.drag + self.drag, ..self }
    }
}

impl TangentialLaw {
    /// Of particle `i` on a wall in a step of the length 1/`rate` (s).
    pub(crate) fn on_wall(world: &World, i: usize, rate: f64) -> Self {
        let (k, spring) = (world.contact_stiffness_of(i), world.wall_spring(i));
        Self::new(k, spring.damping * (k / spring.k).sqrt() * rate)
    }
}

/// Tangential springs after a displacement, before the friction limit, one contact a lane (\[BDEM21\] eqs 23-27), with a
/// dashpot beside each, which the papers lack: without it a contact that sticks rings, and creeps by its peaks.
///
/// ```text
/// f  = k xi_1 + c (xi_1 - T xi_0)/dt,    T = I - n n^T
/// xi_1 = T (xi_0 + u)                    while |f| <= F
/// f    = F e                             in sliding, which takes the rest of u
/// ```
///
/// With K = k + c/dt and xi = T (k/K xi_0 + u) that is f = K xi, or F xi/|xi| in sliding: a spring alone.
#[derive(Clone, Copy, Debug)]
pub struct Stretched<N = f64> {
    law: TangentialLaw<N>,
    /// K, N/m.
    pub stiffness: N,
    /// xi, m.
    pub spring: Vec3x<N>,
    /// T xi_0, m.
    start: Vec3x<N>,
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
    /// The spring `stretch` = xi_0 (m) after the tangential displacement `u` (m), at the normal `n`.
    #[inline(always)]
    pub(crate) fn new(law: TangentialLaw<L>, stretch: Vec3x<L>, n: Vec3x<L>, u: Vec3x<L>) -> Self {
        let (stiffness, start) = (law.k + law.drag, across(stretch, n));
        let spring = across(stretch + u, n) - start * (law.drag / stiffness);
        let square = spring.dot(spring);
        let inverse_length = square.max(L::splat(f64::MIN_POSITIVE)).inverse_sqrt();
        Self { law, stiffness, spring, start, length: square * inverse_length, inverse_length }
    }

    /// Force without a limit, K |xi|, N.
    #[inline(always)]
    pub(crate) fn unlimited(&self) -> L {
        self.stiffness * self.length
    }

    /// The friction limit F (N) under the normal force `push` (N). Contacts that slid, `slid` > 0, or exceed the static limit
    /// have the sliding coefficient.
    #[inline(always)]
    pub(crate) fn limit(&self, push: L, mu: &Coefficients<L>, slid: L) -> L {
        let (zero, sliding) = (L::splat(0.0), mu.sliding * push);
        let sticking = (mu.sticking * push).pick_below(self.unlimited(), sliding, mu.sticking * push);
        zero.pick_below(slid, sliding, sticking)
    }

    /// Force over spring length, min(K, F/|xi|), N/m: the curvature of the lowest parabola above the energy that touches it.
    #[inline(always)]
    pub(crate) fn weight(&self, limit: L) -> L {
        limit.pick_below(self.unlimited(), limit * self.inverse_length, self.stiffness)
    }

    /// Energy (J): `1/2 K |xi|^2`, or in sliding `F |xi| - F^2/(2 K)`.
    #[inline(always)]
    pub(crate) fn value(&self, limit: L) -> L {
        // both cases: in sticking, F |xi| - F^2/2K with F = K |xi|
        let force = self.weight(limit) * self.length;
        force * self.length - L::splat(0.5) * force * force / self.stiffness
    }

    /// Force of the dashpot, N, where the spring is `end` = xi_1 (m) after the step; zero without a friction limit.
    #[inline(always)]
    pub(crate) fn dashpot(&self, limit: L, end: Vec3x<L>) -> Vec3x<L> {
        let zero = L::splat(0.0);
        (end - self.start) * zero.pick_below(limit, self.law.drag, zero)
    }

    /// Unit vector of the spring: its sliding direction.
    #[inline(always)]
    pub(crate) fn direction(&self) -> Vec3x<L> {
        self.spring * self.inverse_length
    }

    /// The spring xi_1 (m) after the step: shortened to the friction limit, eqs 26, 27.
    #[inline(always)]
    pub(crate) fn committed(&self, limit: L) -> Vec3x<L> {
        let (zero, one) = (L::splat(0.0), L::splat(1.0));
        let sliding = limit * self.inverse_length / self.stiffness;
        let share = limit.pick_below(self.unlimited(), sliding, one);
        self.spring * share + self.start * zero.pick_below(limit, self.law.drag / self.stiffness, zero)
    }

    /// Mean force (N) of a step between the springs xi_0 and xi_1 = `ends` (m), in the tangent plane of `n`.
    #[inline(always)]
    pub(crate) fn mean_force(&self, ends: [Vec3x<L>; 2], n: Vec3x<L>) -> Vec3x<L> {
        across(ends[0] + ends[1], n) * (L::splat(0.5) * self.law.k)
    }

    /// Energy dissipated in sliding (J) where the spring changed between `ends` (m) by the displacement `u` (m) against its
    /// `force` (N), without the dashpot's:
    ///
    /// ```text
    /// 1/2 k |xi_0|^2 + F.u - 1/2 k |xi_1|^2
    /// ```
    #[inline(always)]
    pub(crate) fn dissipated(&self, [from, to]: [Vec3x<L>; 2], u: Vec3x<L>, force: Vec3x<L>) -> L {
        force.dot(u) + L::splat(0.5) * self.law.k * (from.dot(from) - to.dot(to))
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
    /// Energies dissipated, J: in sliding, see [`Stretched::dissipated`], and by the dashpot.
    pub lost: N,
    pub damped: N,
}

impl<L: Lanes> Settled<L> {
    /// The spring with a friction `limit` (N) after a step. At its start it was `stretch` (m); `n` is the unit normal, and `u`
    /// the displacement (m).
    #[inline(always)]
    pub(super) fn new(rule: FrictionForce, shear: TangentialLaw<L>, [stretch, n, u]: [Vec3x<L>; 3], limit: L) -> Self {
        let whole = Stretched::new(shear, stretch, n, u);
        let ends = [stretch, whole.committed(limit)];
        let [spring, dashpot] = match rule {
            FrictionForce::Mean => [whole.mean_force(ends, n), whole.dashpot(limit, ends[1])],
            FrictionForce::Middle => {
                let half = Stretched::new(shear.in_half_a_step(), stretch, n, u * L::splat(0.5));
                let end = half.committed(limit);
                [end * shear.k, half.dashpot(limit, end)]
            }
        };
        let slid = limit.pick_below(whole.unlimited(), L::splat(1.0), L::splat(0.0));
        let (lost, damped) = (whole.dissipated(ends, u, spring), dashpot.dot(u));
        Self { stretch: ends[1], slid, force: spring + dashpot, lost, damped }
    }
}

impl TangentialSpring {
    /// Whether there is a normal force.
    pub(crate) fn is_loaded(&self) -> bool {
        self.limit > 0.0
    }

    /// The spring after a displacement `u` (m).
    #[inline]
    pub fn stretched(&self, shear: TangentialLaw, u: &Vec3) -> Stretched {
        Stretched::new(shear, Vec3x::from(&self.stretch), Vec3x::from(&self.n), Vec3x::from(u))
    }

    /// Updates contact point and friction limit, after a displacement `u` (m).
    pub fn update_limit(&mut self, touch: &Touch, mu: &Coefficients, u: &Vec3) {
        (self.n, self.arms) = (touch.n, touch.arms);
        let stretched = self.stretched(touch.shear, u);
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

    /// Commits friction after a step with a tangential displacement `u`: eqs 26, 27. Returns the energies dissipated (J), and
    /// the [`FrictionForce`] F (N) that did the work. In sliding is lost nothing by a sticking contact, the force times the
    /// sliding distance by a sliding one, and the energy of the spring by a contact that opened: [`Stretched::dissipated`].
    pub fn commit(&mut self, rule: FrictionForce, shear: TangentialLaw, u: &Vec3) -> (FrictionWork, Vec3) {
        let from = [&self.stretch, &self.n, u].map(Vec3x::from);
        let Settled { stretch, slid, force, lost, damped } = Settled::new(rule, shear, from, self.limit);
        if self.is_loaded() {
            (self.stretch, self.slides) = (stretch.into(), slid > 0.0);
        } else {
            *self = Self::default();
        }
        (FrictionWork { lost, damped, ..FrictionWork::default() }, force.into())
    }
}
