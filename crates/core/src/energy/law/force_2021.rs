use crate::energy::bond_lanes::half;
use crate::energy::{GradientLanes, PoseLanes};
use crate::model::Stiffness;
use crate::simd::{Lanes, Vec3x};

use super::{BondLaw, LoadStrain};

/// The force law of \[BDEM21\] eqs 3-16. It conserves momentum but derives from no energy: the shear force uses the
/// mean of both ends' directions, not the mean orientation's.
///
/// (n points from j to i there, against d; only its line matters. M_shear acts on both ends alike, and M_t is a
/// vector.)
pub(super) struct Force2021;

/// The unit vector along d_i + d_j, the mean of the ends' directions, less n.
#[inline(always)]
fn mean_direction_off_n<L: Lanes>(pose: &PoseLanes<L>) -> Vec3x<L> {
    let along = pose.g_v.dot(pose.d);
    // |mean|^2, for |g_v|^2 = 1 - g_w^2
    let squared = pose.g_w * pose.g_w + along * along;
    pose.mean_turned(pose.d) * (L::splat(1.0) / squared.sqrt()) - pose.n
}

impl BondLaw for Force2021 {
    const NAME: &'static str = "force-2021";
    const WHY_EXPLICIT: Option<&'static str> = Some("its forces derive from no energy that a step could minimise");

    #[inline(always)]
    fn elastic<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> (L, GradientLanes<L>) {
        let [k_n, k_s, k_t, k_b] = s.k;
        let n = pose.n;
        // all that is across n is that of the difference, which single precision holds
        let off = mean_direction_off_n(pose);
        let lean = (n * off.dot(n) - off) * (k_s / s.l0);
        // dV/dtheta is the negative torque: -M_shear on both, -(M_t + M_b) on i
        let shear = n.cross(off) * (half::<L>() * pose.l * k_s / s.l0);
        let turn = pose.rotation();
        let bend = turn * k_b + n * ((k_t - k_b) * n.dot(turn));
        let [a, b, c, e] = Self::energies(pose, s);
        let gradient =
            GradientLanes { p_j: n * (k_n * (pose.l - s.l0)) + lean, theta_i: shear + bend, theta_j: shear - bend };
        (a + b + c + e, gradient)
    }

    /// F_s = G S sin(theta).
    #[inline(always)]
    fn strain<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> LoadStrain<L> {
        let shear = mean_direction_off_n(pose).cross(pose.n);
        let turn = pose.rotation();
        let twist = pose.n.dot(turn);
        let bend = turn - pose.n * twist;
        LoadStrain {
            stretch: pose.l - s.l0,
            shear_squared: s.l0 * s.l0 * shear.dot(shear),
            twist,
            bend_squared: bend.dot(bend),
        }
    }
}
