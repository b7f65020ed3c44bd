//! \[RODR\] eqs 44-55, in the notation of [`BondPose`](crate::energy::BondPose) (the paper's n and n0 point from j to i):
//!
//! ```text
//! U_m = 1/2 K_m |theta|^2      theta the rotation vector of i relative to j   K_m = k_b, about all axes alike
//! U_a = 1/2 K_a (l/l0 - 1)^2                                              K_a = k_n l0^2
//! U_s = 1/2 K_s (1 - c)^2                                                 K_s = k_s
//! ```
//!
//! The objective c is n.(d_i + d_j)/2, with the rest direction rotated with i and with j. In print it is d_i.(R_j n),
//! which is not invariant under rigid rotation, so that angular momentum is not conserved.
//!
//! U_pp (eq 56, whose factor must be 2/5) is a contact by Hertz's law: these particles are in contact although they are
//! bonded.

use crate::energy::bond_lanes::half;
use crate::energy::{GradientLanes, PoseLanes};
use crate::model::Stiffness;
use crate::simd::{Lanes, Vec3x};

use super::{BondLaw, LoadStrain};

/// Two hard particles in a soft binder (\[RODR\] section 4), with an objective shear. Shear is of fourth order in its angle.
pub(super) struct ParticleBinder;

/// [`ParticleBinder`] with the shear of eq 53 as printed.
pub(super) struct PrintedParticleBinder;

/// Shear of a pose: c, and its derivatives by n (m^0) and by the rotation vectors of i and j.
struct Shear<L> {
    c: L,
    n: Vec3x<L>,
    theta: [Vec3x<L>; 2],
}

impl<L: Lanes> Shear<L> {
    #[inline(always)]
    fn objective(pose: &PoseLanes<L>) -> Self {
        let (mean, lean) = (pose.mean_turned(pose.d), pose.g_v.cross(pose.d));
        let halved = |end: Vec3x<L>| end.cross(pose.n) * half();
        Self { c: mean.dot(pose.n), n: mean, theta: [halved(mean + lean), halved(mean - lean)] }
    }

    /// With R_j = R(-g/2) R(u).
    #[inline(always)]
    fn printed(pose: &PoseLanes<L>) -> Self {
        let d_i = pose.mean_turned(pose.d) + pose.g_v.cross(pose.d);
        let n = pose.to_world(pose.n);
        let n = pose.mean_turned(n) - pose.g_v.cross(n);
        let back = pose.to_body(pose.mean_turned(d_i) + pose.g_v.cross(d_i));
        let turn = d_i.cross(n);
        Self { c: d_i.dot(n), n: back, theta: [turn, -turn] }
    }
}

#[inline(always)]
fn energies<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>, c: L) -> [L; 4] {
    let [k_n, k_s, _, k_b] = s.k;
    let (stretch, lag, turn) = (pose.l - s.l0, L::splat(1.0) - c, pose.rotation());
    [k_n * stretch * stretch, k_s * lag * lag, L::splat(0.0), k_b * turn.dot(turn)].map(|twice| twice * half())
}

#[inline(always)]
fn elastic<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>, shear: &Shear<L>) -> (L, GradientLanes<L>) {
    let [k_n, k_s, _, k_b] = s.k;
    let [stretch, sheared, _, bent] = energies(pose, s, shear.c);
    let weight = -(k_s * (L::splat(1.0) - shear.c));
    let tangential = shear.n - pose.n * pose.n.dot(shear.n);
    let moment = pose.rotation() * k_b;
    let gradient = GradientLanes {
        p_j: pose.n * (k_n * (pose.l - s.l0)) + tangential * (weight * pose.inv_l),
        theta_i: shear.theta[0] * weight + moment,
        theta_j: shear.theta[1] * weight - moment,
    };
    (stretch + sheared + bent, gradient)
}

/// F_s = K_s (1 - c) |dc/dp|.
#[inline(always)]
fn strain<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>, shear: &Shear<L>) -> LoadStrain<L> {
    let tangential = shear.n - pose.n * pose.n.dot(shear.n);
    let turn = pose.rotation();
    let twist = pose.n.dot(turn);
    let bend = turn - pose.n * twist;
    let arm = (L::splat(1.0) - shear.c) * (s.l0 * s.l0 * pose.inv_l);
    LoadStrain {
        stretch: pose.l - s.l0,
        shear_squared: arm * arm * tangential.dot(tangential),
        twist,
        bend_squared: bend.dot(bend),
    }
}

/// k_t r0/Jp over G/l0 for a k_t that is not a beam's: G = k_s/(S l0) and Jp = S r0^2/2.
#[inline(always)]
fn twist_arm<L: Lanes>(s: &Stiffness<L>) -> L {
    let [_, k_s, k_t, _] = s.k;
    L::splat(2.0) * s.l0 * s.l0 * k_t / (k_s * s.r0)
}

/// A law with its name and shear.
macro_rules! law {
    ($law:ident, $name:literal, $shear:ident) => {
        impl BondLaw for $law {
            const NAME: &'static str = $name;
            const WHY_EXPLICIT: Option<&'static str> =
                Some("its shear has no stiffness at rest, and its second derivatives are not implemented");
            const KEEPS_CONTACT: bool = true;

            #[inline(always)]
            fn energies<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> [L; 4] {
                energies(pose, s, Shear::$shear(pose).c)
            }

            #[inline(always)]
            fn elastic<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> (L, GradientLanes<L>) {
                elastic(pose, s, &Shear::$shear(pose))
            }

            #[inline(always)]
            fn strain<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> LoadStrain<L> {
                strain(pose, s, &Shear::$shear(pose))
            }

            #[inline(always)]
            fn twist_arm<L: Lanes>(s: &Stiffness<L>) -> L {
                twist_arm(s)
            }
        }
    };
}

law!(ParticleBinder, "particle-binder", objective);
law!(PrintedParticleBinder, "printed-particle-binder", printed);
