//! Viscous damping of several bonds, one a lane of [`Lanes`], by the strains of the quaternion bond for all laws: the
//! formulas of [`bond`](super::bond).
//!
//! All functions are inlined into kernels.

use crate::geometry::Vec3;
use crate::model::{BondPack, Stiffness};
use crate::simd::{Lanes, Row8, Vec3x};

use super::bond::Strain;
use super::bond_lanes::{half, vector};
use super::shear::{ShearAngle, coefficients};
use super::{GradientLanes, PoseLanes};

/// Strains of eight bonds at the start of a step; see [`PoseLanes::strain`].
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StrainPack {
    pub stretch: [f64; 8],
    pub shear: [[f64; 8]; 3],
    pub bend_twist: [[f64; 8]; 3],
}

impl StrainPack {
    /// Extrapolates from `former` by `share` of the change since.
    pub(crate) fn extrapolate(&mut self, former: &Self, share: f64) {
        let go = |now: &mut [f64; 8], former: &[f64; 8]| {
            now.iter_mut().zip(former).for_each(|(now, former)| *now += (*now - former) * share);
        };
        go(&mut self.stretch, &former.stretch);
        for k in 0..3 {
            go(&mut self.shear[k], &former.shear[k]);
            go(&mut self.bend_twist[k], &former.bend_twist[k]);
        }
    }

    /// Strain of the bond in `lane`.
    pub(crate) fn of(&self, lane: usize) -> Strain {
        let vector = |of: &[[f64; 8]; 3]| Vec3::new(of[0][lane], of[1][lane], of[2][lane]);
        Strain { stretch: self.stretch[lane], shear: vector(&self.shear), bend_twist: vector(&self.bend_twist) }
    }
}

/// Velocities of the particles of bonds: j's velocity minus i's, and both angular velocities.
struct Motions<L> {
    apart: Vec3x<L>,
    w: [Vec3x<L>; 2],
}

impl<L: Lanes> Motions<L> {
    /// Velocities of the bonds of `pack` from lane `part` on, and mean velocities, from rows of
    /// [`pack_velocity`](super::bond_sum::pack_velocity). `rest` are the remaining entries of the poses.
    #[inline(always)]
    fn new(pack: &BondPack, part: usize, rows: &[Row8], rest: [L; 2]) -> [Self; 2] {
        let [x_i, y_i, z_i, a_i, b_i, c_i, r_i, s_i] = L::columns(rows, &pack.i[part..]);
        let [x_j, y_j, z_j, a_j, b_j, c_j, r_j, s_j] = L::columns(rows, &pack.j[part..]);
        let motion = Self::of([x_i, y_i, z_i, a_i, b_i, c_i], [x_j, y_j, z_j, a_j, b_j, c_j]);
        let ([x_i, y_i], [z_i, a_i], [b_i, c_i]) = (rest[0].halves(), r_i.halves(), s_i.halves());
        let ([x_j, y_j], [z_j, a_j], [b_j, c_j]) = (rest[1].halves(), r_j.halves(), s_j.halves());
        [motion, Self::of([x_i, y_i, z_i, a_i, b_i, c_i], [x_j, y_j, z_j, a_j, b_j, c_j])]
    }

    /// From the velocities and angular velocities of i and j.
    #[inline(always)]
    fn of([x_i, y_i, z_i, a_i, b_i, c_i]: [L; 6], [x_j, y_j, z_j, a_j, b_j, c_j]: [L; 6]) -> Self {
        Self {
            apart: Vec3x::new(x_j - x_i, y_j - y_i, z_j - z_i),
            w: [Vec3x::new(a_i, b_i, c_i), Vec3x::new(a_j, b_j, c_j)],
        }
    }
}

impl<L: Lanes> PoseLanes<L> {
    /// Damping force of the velocities in `rows`, and its power (W) at the mean velocities: see
    /// [`damping_at`](super::bond::damping_at). For `rows` and `rest` see
    /// [`pack_velocity`](super::bond_sum::pack_velocity).
    #[inline(always)]
    pub(crate) fn resistance(
        &self,
        pack: &BondPack,
        part: usize,
        s: &Stiffness<L>,
        rows: &[Row8],
        rest: [L; 2],
    ) -> (L, GradientLanes<L>) {
        let [motion, Motions { apart, w: [w_i, w_j] }] = Motions::new(pack, part, rows, rest);
        let gradient = self.resistance_to(s, &motion);
        let power = gradient.p_j.dot(apart) + gradient.theta_i.dot(w_i) + gradient.theta_j.dot(w_j);
        (power, gradient)
    }

    /// Damping force of velocities: `apart` (m/s) that of j less that of i, and `w` (rad/s) both angular velocities. See
    /// [`damping_at`](super::bond::damping_at).
    #[inline(always)]
    pub fn resistance_at(&self, s: &Stiffness<L>, apart: Vec3x<L>, w: [Vec3x<L>; 2]) -> GradientLanes<L> {
        self.resistance_to(s, &Motions { apart, w })
    }

    #[inline(always)]
    fn resistance_to(&self, s: &Stiffness<L>, &Motions { apart, w: [w_i, w_j] }: &Motions<L>) -> GradientLanes<L> {
        let [c_n, c_s, c_t, c_b] = s.c;
        let axial = apart.dot(self.n);
        let turn = w_i - w_j;
        let mean = (w_i + w_j + turn.cross(self.b())) * half();
        let shear = self.n.neg_mul_add(axial, apart).mul_add(self.inv_l, self.n.cross(mean)) * c_s;
        let [theta_i, theta_j] = self.share(shear.cross(self.n));
        let bend = self.bend_projection(self.moment(c_t, c_b, turn));
        GradientLanes {
            p_j: shear.mul_add(self.inv_l, self.n * (c_n * axial)),
            theta_i: theta_i + bend,
            theta_j: theta_j - bend,
        }
    }

    /// Stores the strains in the frame of the mean orientation: see [`Strain`].
    #[inline(always)]
    pub(crate) fn strain(&self, s: &Stiffness<L>, part: usize, out: &mut StrainPack) {
        (self.l - s.l0).store(&mut out.stretch[part..]);
        store(self.to_body(self.shear()), &mut out.shear, part);
        store(self.to_body(self.turn()), &mut out.bend_twist, part);
    }

    /// Damping over a step of 1/`rate` seconds from the strains `before`: see [`damping`](super::bond::damping).
    #[inline(always)]
    pub(crate) fn damping(&self, s: &Stiffness<L>, before: &StrainPack, part: usize, rate: L) -> (L, GradientLanes<L>) {
        let [c_n, c_s, c_t, c_b] = s.c;
        let (c_n, c_s, c_t, c_b) = (c_n * rate, c_s * rate, c_t * rate, c_b * rate);
        let stretch = self.l - s.l0 - L::load(&before.stretch[part..]);
        let shear = self.shear() - self.to_world(vector(&before.shear, part));
        let turn = self.turn() - self.to_world(vector(&before.bend_twist, part));
        let resistance = self.moment(c_t, c_b, turn);
        let energy = half::<L>() * (c_n * stretch * stretch + c_s * shear.dot(shear) + resistance.dot(turn));

        let mut gradient = self.pull_back_shear(shear * c_s);
        let bend = self.bend_projection(resistance);
        gradient.p_j = self.n.mul_add(c_n * stretch, gradient.p_j);
        gradient.theta_i = gradient.theta_i + bend;
        gradient.theta_j = gradient.theta_j - bend;
        (energy, gradient)
    }

    /// Gradient of a stress `y` times the shear strain: see [`shear::pull_back`](super::shear::pull_back).
    #[inline(always)]
    fn pull_back_shear(&self, y: Vec3x<L>) -> GradientLanes<L> {
        let axial = y.dot(self.n);
        let gradient = self.cosine_gradient();
        let lean = -(phi_derivative(self.x) * axial);
        let [turn_i, turn_j] = self.share(y.cross(self.n) * self.phi);
        GradientLanes {
            p_j: self.n.neg_mul_add(axial, y).mul_add(self.phi * self.inv_l, gradient.p_j * lean),
            theta_i: gradient.theta_i.mul_add(lean, turn_i),
            theta_j: gradient.theta_j.mul_add(lean, turn_j),
        }
    }
}

#[inline(always)]
fn store<L: Lanes>(v: Vec3x<L>, to: &mut [[f64; 8]; 3], part: usize) {
    v.x.store(&mut to[0][part..]);
    v.y.store(&mut to[1][part..]);
    v.z.store(&mut to[2][part..]);
}

/// dphi/dx.
#[inline(always)]
fn phi_derivative<L: Lanes>(x: L) -> L {
    const A: [f64; 9] = coefficients();
    let mut derivative = L::splat(8.0 * A[8]);
    let mut k = 8;
    while k > 1 {
        k -= 1;
        derivative = derivative.mul_add(x, L::splat(k as f64 * A[k]));
    }
    if x.not_below(L::splat(ShearAngle::SERIES_UP_TO)) == 0 {
        derivative
    } else {
        x.lane_by_lane(ShearAngle::SERIES_UP_TO, derivative, |x| {
            let angle = ShearAngle::new(x);
            [angle.phi_x, angle.phi_xx()]
        })
    }
}
