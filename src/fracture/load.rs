use crate::energy::law::LoadStrain;
use crate::energy::{BondPose, bond};
use crate::model::{AxialRule, Bond, State};

/// Load of a bond.
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
    pub fn sigma(&self, bond: &Bond, axial: AxialRule) -> f64 {
        let f_n = match axial {
            AxialRule::Magnitude => self.f_n.abs(),
            AxialRule::Tension => self.f_n,
        };
        f_n / bond.area() + self.m_b * bond.r0 / bond.second_moment()
    }

    /// Maximum shear stress, tau = F_s/S + M_t r0/Jp, Pa (\[BDEM21\] eq 18).
    #[inline(always)]
    pub fn tau(&self, bond: &Bond) -> f64 {
        self.f_s / bond.area() + self.m_t * bond.r0 / (2.0 * bond.second_moment())
    }

    /// Load over strength of `bond`: the larger of sigma/sigma_c and tau/tau_c.
    #[inline(always)]
    pub fn utilisation(&self, bond: &Bond, axial: AxialRule) -> f64 {
        (self.sigma(bond, axial) / bond.strength[0]).max(self.tau(bond) / bond.strength[1])
    }

    /// Whether `bond` breaks: sigma > sigma_c or tau > tau_c (\[IBDEM\] eqs 12-17).
    #[inline(always)]
    pub fn breaks(&self, bond: &Bond, axial: AxialRule) -> bool {
        self.sigma(bond, axial) > bond.strength[0] || self.tau(bond) > bond.strength[1]
    }
}
