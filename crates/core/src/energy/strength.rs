//! Strength of bonds. A bond breaks when either stress exceeds its strength (\[IBDEM\] eqs 12-17):
//!
//! ```text
//! sigma = F_n/S + M_b r0/I  > sigma_c
//! tau   = F_s/S + M_t r0/Jp > tau_c
//! ```
//!
//! The kernels of bonds compare lengths: with k_n = E S/l0, k_s = G S l0, k_b = E I/l0 and k_t = G Jp/l0 the same is
//!
//! ```text
//! |l - l0|      + r0 bend  > sigma_c l0/E
//! theta l0^2/l  + r0 twist > tau_c l0/G
//! ```
//!
//! With an angle of internal friction phi, tau_c is that of Coulomb, tau_c - F_n/S tan(phi), and a share of the moments may
//! count ([`Criterion`](crate::model::Criterion)).
//!
//! Lengths choose the bonds that may break, within rounding and without roots, several at once. Stresses decide.

use crate::model::{AxialStress, Bond, CriterionPack, LimitPack, State, Stiffness};
use crate::simd::Lanes;

use super::law::{BondLaw, LoadStrain};
use super::{BondPose, PoseLanes, bond};

/// Load of a bond, for the decision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BondLoad {
    /// Axial force F_n = k_n (l - l0), N, positive in tension.
    pub f_n: f64,
    /// Shear force F_s = |grad_p V_shear|, N; k_s theta/l of the quaternion bond.
    pub f_s: f64,
    /// Bending moment M_b, N m.
    pub m_b: f64,
    /// Twisting moment M_t, N m.
    pub m_t: f64,
}

impl BondLoad {
    /// Load on `bond` in `pose`.
    #[inline(always)]
    pub fn new(bond: &Bond, pose: &BondPose) -> Self {
        let LoadStrain { stretch, shear_squared, twist, bend_squared } = bond::load_strain(bond, pose);
        let (k, shear) = (&bond.k, shear_squared.sqrt());
        Self {
            f_n: k.n * stretch,
            f_s: k.s / (bond.l0 * bond.l0) * shear,
            m_b: k.b * bend_squared.sqrt(),
            m_t: k.t * twist.abs(),
        }
    }

    /// The load of `bond` in `state`.
    pub fn of(bond: &Bond, state: &State) -> Self {
        Self::new(bond, &bond::pose(bond, state))
    }

    /// Maximum normal stress, sigma = F_n/S + M_b r0/I, Pa (\[BDEM21\] eq 17).
    #[inline(always)]
    pub fn sigma(&self, bond: &Bond, axial: AxialStress) -> f64 {
        let f_n = match bond.model.axial(axial) {
            AxialStress::Magnitude => self.f_n.abs(),
            AxialStress::Tension => self.f_n,
        };
        f_n / bond.area() + bond.criterion.moment_share * self.m_b * bond.r0 / bond.second_moment()
    }

    /// Maximum shear stress, tau = F_s/S + M_t r0/Jp, Pa (\[BDEM21\] eq 18).
    #[inline(always)]
    pub fn tau(&self, bond: &Bond) -> f64 {
        self.f_s / bond.area() + bond.criterion.moment_share * self.m_t * bond.r0 / (2.0 * bond.second_moment())
    }

    /// Strength of `bond` against tau under this load, Pa: Coulomb's, tau_c - F_n/S tan(phi), at least 0.
    #[inline(always)]
    pub fn tau_strength(&self, bond: &Bond) -> f64 {
        let friction = bond.criterion.friction;
        if friction == 0.0 {
            return bond.strength[1];
        }
        (bond.strength[1] - friction * self.f_n / bond.area()).max(0.0)
    }

    /// Load over strength of `bond`: the larger of sigma/sigma_c and tau/tau_c.
    #[inline(always)]
    pub fn utilisation(&self, bond: &Bond, axial: AxialStress) -> f64 {
        (self.sigma(bond, axial) / bond.strength[0]).max(self.tau(bond) / self.tau_strength(bond))
    }

    /// Whether `bond` breaks: sigma > sigma_c or tau > tau_c (\[IBDEM\] eqs 12-17).
    #[inline(always)]
    pub fn breaks(&self, bond: &Bond, axial: AxialStress) -> bool {
        self.sigma(bond, axial) > bond.strength[0] || self.tau(bond) > self.tau_strength(bond)
    }
}

/// Both sides of the criterion, as lengths: `sqrt(bend_squared) + stretch > sigma` or `sqrt(shear_squared) + twist > tau`.
struct Sides<L> {
    bend_squared: L,
    stretch: L,
    sigma: L,
    shear_squared: L,
    twist: L,
    tau: L,
}

impl<L: Lanes> Sides<L> {
    /// Those of bonds of law `B`; `tension` counts tension alone.
    #[inline(always)]
    fn new<B: BondLaw>(
        pose: &PoseLanes<L>,
        s: &Stiffness<L>,
        (limit, criterion): (&LimitPack, Option<&CriterionPack>),
        part: usize,
        tension: bool,
    ) -> Self {
        let (sigma, tau) = (L::load(&limit.sigma[part..]), L::load(&limit.tau[part..]));
        let LoadStrain { stretch, shear_squared, twist, bend_squared } = B::strain(pose, s);
        let (bend_arm, twist_arm, tau) = match criterion {
            None => (s.r0, B::twist_arm(s), tau),
            Some(criterion) => {
                let share = L::load(&criterion.moment_share[part..]);
                let friction = L::load(&criterion.friction[part..]);
                (share * s.r0, share * B::twist_arm(s), tau - friction * stretch)
            }
        };
        let stretch = if tension { stretch } else { stretch.abs() };
        let (bend_squared, twist) = (bend_arm * bend_arm * bend_squared, twist_arm * twist.abs());
        Self { bend_squared, stretch, sigma, shear_squared, twist, tau }
    }
}

/// Bit mask of bonds of law `B` that may have reached their strength; `tension` counts tension alone. It includes bonds
/// within rounding of their strength, and excludes those without stiffness.
#[inline(always)]
pub(crate) fn overloaded<L: Lanes, B: BondLaw>(
    pose: &PoseLanes<L>,
    s: &Stiffness<L>,
    limits: (&LimitPack, Option<&CriterionPack>),
    part: usize,
    tension: bool,
) -> u32 {
    let near = L::splat(1.0 - 1e-9);
    let Sides { bend_squared, stretch, sigma, shear_squared, twist, tau } =
        Sides::new::<B>(pose, s, limits, part, tension);
    let torn = exceeds(bend_squared, stretch, sigma * near);
    let sheared = exceeds(shear_squared, twist, tau * near);
    (torn | sheared) & s.k[0].not_below(L::splat(f64::MIN_POSITIVE))
}

/// Load over strength of bonds of law `B`: [`BondLoad::utilisation`].
#[inline(always)]
pub(crate) fn utilisation<L: Lanes, B: BondLaw>(
    pose: &PoseLanes<L>,
    s: &Stiffness<L>,
    limits: (&LimitPack, Option<&CriterionPack>),
    part: usize,
    tension: bool,
) -> L {
    let sides = Sides::new::<B>(pose, s, limits, part, tension);
    let by_sigma = (sides.bend_squared.sqrt() + sides.stretch) / sides.sigma;
    // pressure strengthens, and tension leaves at least none
    let tau = sides.tau.max(L::splat(f64::MIN_POSITIVE));
    by_sigma.max((sides.shear_squared.sqrt() + sides.twist) / tau)
}

/// Bit mask of lanes where `sqrt(a_squared) + b` is not below `limit`, without the latency of a root.
#[inline(always)]
fn exceeds<L: Lanes>(a_squared: L, b: L, limit: L) -> u32 {
    let room = limit - b;
    b.not_below(limit) | a_squared.not_below(room * room)
}
