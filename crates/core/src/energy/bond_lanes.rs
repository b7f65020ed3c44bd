//! Geometry of several bonds, one a lane of [`Lanes`], in the notation of [`BondPose`], and formulas shared by the bond
//! laws.
//!
//! All functions are inlined into kernels. Closures and iterators over lanes would not always be.

use crate::model::{BondPack, Eight, Stiffness};
use crate::simd::traced::Traced;
use crate::simd::{Lanes, Row8, Vec3x};

use super::shear::{ShearAngle, coefficients};
use super::{BondGradient, BondPose};

/// Geometry of bonds: see [`BondPose`].
#[derive(Clone, Copy)]
pub struct PoseLanes<L> {
    /// Unit vector from i to j.
    pub n: Vec3x<L>,
    /// m.
    pub l: L,
    /// 1/l, 1/m.
    pub inv_l: L,
    /// Rest direction in the world, a unit vector.
    pub d: Vec3x<L>,
    /// Imaginary part of g.
    pub g_v: Vec3x<L>,
    /// Real part of g.
    pub g_w: L,
    /// 1/(1 + g_w)
    pub inverse: L,
    /// 1 - d.n
    pub(super) x: L,
    /// theta/sin(theta)
    pub phi: L,
    /// Imaginary and real part of the sum of the two quaternions.
    sum: (Vec3x<L>, L),
}

/// Derivatives of energies with respect to p_j (N; that by p_i is its negative) and the world rotation vectors of i and
/// j (N m).
#[derive(Clone, Copy)]
pub struct GradientLanes<L> {
    /// Derivative by p_j, N.
    pub p_j: Vec3x<L>,
    /// Derivative by theta_i, N m.
    pub theta_i: Vec3x<L>,
    /// Derivative by theta_j, N m.
    pub theta_j: Vec3x<L>,
}

impl<L: Lanes> GradientLanes<L> {
    /// Zero.
    #[inline(always)]
    pub fn zero() -> Self {
        let zero = Vec3x::splat(0.0);
        Self { p_j: zero, theta_i: zero, theta_j: zero }
    }

    /// The sum.
    #[inline(always)]
    pub fn plus(self, other: Self) -> Self {
        Self { p_j: self.p_j + other.p_j, theta_i: self.theta_i + other.theta_i, theta_j: self.theta_j + other.theta_j }
    }
}

impl PoseLanes<Traced> {
    /// The same pose with changes added to their bases, for formulas without differences of large numbers.
    pub fn joined(&self) -> Self {
        let of = |v: Vec3x<Traced>| Vec3x::new(v.x.joined(), v.y.joined(), v.z.joined());
        let Self { n, l, inv_l, d, g_v, g_w, inverse, x, phi, sum } = *self;
        let [l, inv_l, g_w, inverse, x, phi, real] = [l, inv_l, g_w, inverse, x, phi, sum.1].map(Traced::joined);
        Self { n: of(n), l, inv_l, d: of(d), g_v: of(g_v), g_w, inverse, x, phi, sum: (of(sum.0), real) }
    }
}

impl From<&BondPose> for PoseLanes<f64> {
    fn from(pose: &BondPose) -> Self {
        Self {
            n: (&pose.n).into(),
            l: pose.l,
            inv_l: 1.0 / pose.l,
            d: (&pose.d).into(),
            g_v: (&pose.g_v).into(),
            g_w: pose.g_w,
            inverse: pose.inverse,
            x: pose.angle.x,
            phi: pose.angle.phi,
            sum: ((&pose.sum.imag()).into(), pose.sum.w),
        }
    }
}

impl From<GradientLanes<f64>> for BondGradient {
    fn from(g: GradientLanes<f64>) -> Self {
        Self { p_j: g.p_j.into(), theta: [g.theta_i.into(), g.theta_j.into()] }
    }
}

#[inline(always)]
pub(super) fn half<L: Lanes>() -> L {
    L::splat(0.5)
}

/// Stiffnesses of the lanes from `part` on.
#[inline(always)]
pub(super) fn load<L: Lanes>(eight: &Stiffness<Eight>, part: usize) -> Stiffness<L> {
    let (k, c) = (&eight.k, &eight.c);
    Stiffness {
        l0: L::load(&eight.l0[part..]),
        r0: L::load(&eight.r0[part..]),
        k: [L::load(&k[0][part..]), L::load(&k[1][part..]), L::load(&k[2][part..]), L::load(&k[3][part..])],
        c: [L::load(&c[0][part..]), L::load(&c[1][part..]), L::load(&c[2][part..]), L::load(&c[3][part..])],
    }
}

/// A 3-vector per bond, of the lanes from `part` on.
#[inline(always)]
pub(super) fn vector<L: Lanes>(of: &[[f64; 8]; 3], part: usize) -> Vec3x<L> {
    Vec3x::new(L::load(&of[0][part..]), L::load(&of[1][part..]), L::load(&of[2][part..]))
}

/// First part of a pose: a root and a division, on which the rest depends. A kernel computes those of several poses at
/// once.
#[derive(Clone, Copy)]
pub(crate) struct PoseHead<L> {
    branch: Vec3x<L>,
    l: L,
    /// 1 + g_w, and 1/(l (1 + g_w)).
    spread: L,
    both: L,
    g_v: Vec3x<L>,
    g_w: L,
    sum: (Vec3x<L>, L),
    /// Remaining entry of the rows of i and j.
    pub rest: [L; 2],
}

impl<L: Lanes> PoseHead<L> {
    /// The head of no bond.
    #[inline(always)]
    pub(crate) fn zero() -> Self {
        let (zero, v) = (L::splat(0.0), Vec3x::splat(0.0));
        Self { branch: v, l: zero, spread: zero, both: zero, g_v: v, g_w: zero, sum: (v, zero), rest: [zero; 2] }
    }

    /// Heads of the bonds of `pack` from lane `part` on; `rows` holds position and orientation (x, y, z, w) of each
    /// particle.
    #[inline(always)]
    pub(crate) fn new(pack: &BondPack, part: usize, rows: &[Row8]) -> Self {
        let [x_i, y_i, z_i, a_i, b_i, c_i, w_i, rest_i] = L::columns(rows, &pack.i[part..]);
        let [x_j, y_j, z_j, a_j, b_j, c_j, w_j, rest_j] = L::columns(rows, &pack.j[part..]);
        let branch = Vec3x::new(x_j - x_i, y_j - y_i, z_j - z_i);
        // centres in one place have the direction zero
        let l = branch.dot(branch).max(L::splat(f64::MIN_POSITIVE)).sqrt();

        let (v_i, v_j) = (Vec3x::new(a_i, b_i, c_i), Vec3x::new(a_j, b_j, c_j));
        let dot = w_i.mul_add(w_j, v_i.dot(v_j));
        // q and -q are the same orientation
        let sign = dot.sign();
        let (v_j, w_j, g_w) = (v_j * sign, w_j * sign, dot.abs());
        let g_v = v_j.neg_mul_add(w_i, v_i * w_j) - v_i.cross(v_j);
        let sum = (v_i + v_j, w_i + w_j);

        // one division for both inverses
        let spread = L::splat(1.0) + g_w;
        let both = L::splat(1.0) / (l * spread);
        Self { branch, l, spread, both, g_v, g_w, sum, rest: [rest_i, rest_j] }
    }
}

impl<L: Lanes> PoseLanes<L> {
    /// The pose of no bond.
    #[inline(always)]
    pub(crate) fn zero() -> Self {
        let (zero, v) = (L::splat(0.0), Vec3x::splat(0.0));
        Self { n: v, l: zero, inv_l: zero, d: v, g_v: v, g_w: zero, inverse: zero, x: zero, phi: zero, sum: (v, zero) }
    }

    /// Poses of the bonds of `pack` from lane `part` on, with their `head`.
    #[inline(always)]
    pub(crate) fn new(pack: &BondPack, part: usize, head: &PoseHead<L>) -> Self {
        let &PoseHead { branch, l, spread, both, g_v, g_w, sum, .. } = head;
        let (inv_l, inverse) = (both * spread, both * l);
        let n = branch * inv_l;
        let d0 = vector(&pack.d0, part);
        let d = turned(sum, d0).mul_add(inverse, d0);
        let lean = d - n;
        let x = half::<L>() * lean.dot(lean);
        Self { n, l, inv_l, d, g_v, g_w, inverse, x, phi: phi(x), sum }
    }

    /// Poses of bonds near rest, from small differences. None of them is computed as a difference of large numbers.
    ///
    /// `d0` is the rest direction, `l0` the rest length (m), and `apart` (m) the branch less the rest branch `l0 d0`. `q` is the
    /// orientation of i (x, y, z, w), and `e` that of j less it. The product of both orientations must not be below zero.
    #[inline(always)]
    pub fn near(d0: Vec3x<L>, l0: L, apart: Vec3x<L>, q: [L; 4], e: [L; 4]) -> Self {
        let (one, zero) = (L::splat(1.0), L::splat(0.0));
        let (v, w) = (Vec3x::new(q[0], q[1], q[2]), q[3]);
        let (e_v, e_w) = (Vec3x::new(e[0], e[1], e[2]), e[3]);
        // Im(q conj(q + e))
        let g_v = e_v.neg_mul_add(w, v * e_w) - v.cross(e_v);
        // |e|^2 = 2 (1 - g_w)
        let lag = half::<L>() * e_w.mul_add(e_w, e_v.dot(e_v));
        let inverse = one / (L::splat(2.0) - lag);
        let sum = (v + v + e_v, w + w + e_w);
        let turn = turned(sum, d0) * inverse;
        let d = d0 + turn;
        // l^2 = l0^2 + more
        let more = apart.dot(d0 * (l0 + l0) + apart);
        let l = (l0 * l0 + more).max(L::splat(f64::MIN_POSITIVE)).sqrt();
        let (stretch, inv_l) = (more / (l + l0), one / l);
        // d - n
        let lean = (d * stretch - (apart - turn * l0)) * inv_l;
        let x = L::near(zero, half::<L>() * lean.dot(lean));
        Self {
            n: near(d, -lean),
            l: L::near(l0, stretch),
            inv_l,
            d,
            g_v: near(Vec3x::splat(0.0), g_v),
            g_w: L::near(one, -lag),
            inverse,
            x,
            phi: phi(x),
            sum,
        }
    }

    /// Poses of bonds that only stretch: ends without rotation, and no shear.
    #[inline(always)]
    pub(crate) fn axial(head: &PoseHead<L>) -> Self {
        let &PoseHead { branch, l, spread, both, .. } = head;
        let (inv_l, one, zero) = (both * spread, L::splat(1.0), Vec3x::splat(0.0));
        let n = branch * inv_l;
        Self {
            n,
            l,
            inv_l,
            d: n,
            g_v: zero,
            g_w: one,
            inverse: half(),
            x: L::splat(0.0),
            phi: one,
            sum: (zero, L::splat(2.0)),
        }
    }

    /// b of [`BondPose`](super::BondPose).
    #[inline(always)]
    pub(super) fn b(&self) -> Vec3x<L> {
        self.g_v * self.inverse
    }

    /// theta^2 = phi^2 sin^2(theta)
    #[inline(always)]
    pub(crate) fn angle_squared(&self) -> L {
        self.phi * self.phi * self.x * (L::splat(2.0) - self.x)
    }

    /// Moments on i and j equivalent to a moment `a` on the mean orientation.
    #[inline(always)]
    pub(crate) fn share(&self, a: Vec3x<L>) -> [Vec3x<L>; 2] {
        let cross = self.b().cross(a);
        [(a + cross) * half(), (a - cross) * half()]
    }

    /// A world vector in the frame of the mean orientation.
    #[inline(always)]
    pub(crate) fn to_body(self, v: Vec3x<L>) -> Vec3x<L> {
        turned((-self.sum.0, self.sum.1), v).mul_add(self.inverse, v)
    }

    /// A vector of the mean orientation's frame in the world.
    #[inline(always)]
    pub(crate) fn to_world(self, v: Vec3x<L>) -> Vec3x<L> {
        turned(self.sum, v).mul_add(self.inverse, v)
    }

    /// The shear strain phi (n - c d).
    #[inline(always)]
    pub(super) fn shear(&self) -> Vec3x<L> {
        self.d.neg_mul_add(L::splat(1.0) - self.x, self.n) * self.phi
    }

    /// The gradient of c = d.n.
    #[inline(always)]
    pub(crate) fn cosine_gradient(&self) -> GradientLanes<L> {
        let [theta_i, theta_j] = self.share(self.d.cross(self.n));
        GradientLanes { p_j: self.n.neg_mul_add(L::splat(1.0) - self.x, self.d) * self.inv_l, theta_i, theta_j }
    }

    /// P m: see [`BondPose::bend_projection`](super::BondPose::bend_projection).
    #[inline(always)]
    pub(crate) fn bend_projection(&self, m: Vec3x<L>) -> Vec3x<L> {
        self.g_v.neg_mul_add(self.g_v.dot(m) * self.inverse, m)
    }

    /// The moment (N m) of a strain or rate of strain `u`, for the stiffnesses of twist and bend.
    #[inline(always)]
    pub(crate) fn moment(&self, k_t: L, k_b: L, u: Vec3x<L>) -> Vec3x<L> {
        self.d.mul_add((k_t - k_b) * self.d.dot(u), u * k_b)
    }

    /// U = 2 g_v: the rotation of i relative to j, rad.
    #[inline(always)]
    pub(crate) fn turn(&self) -> Vec3x<L> {
        self.g_v * L::splat(2.0)
    }

    /// The rotation vector of i relative to j, rad.
    #[inline(always)]
    pub(crate) fn rotation(&self) -> Vec3x<L> {
        // angle/sin(angle) of half the angle, whose cosine is g_w
        self.turn() * phi(L::splat(1.0) - self.g_w)
    }

    /// Mean of a vector v of the mean orientation's frame rotated with i and with j. The vector rotated with i is the
    /// mean plus g_v x v, that with j the mean minus it.
    #[inline(always)]
    pub(crate) fn mean_turned(&self, v: Vec3x<L>) -> Vec3x<L> {
        self.g_v.mul_add(self.g_v.dot(v) * self.inverse, v * self.g_w)
    }

    /// The component of a vector along d, and the square of the rest.
    #[inline(always)]
    pub(crate) fn twist_and_bend_squared(&self, u: Vec3x<L>) -> [L; 2] {
        let twist = self.d.dot(u);
        let bend = self.d.neg_mul_add(twist, u);
        [twist, bend.dot(bend)]
    }
}

/// [`Lanes::near`] of each component.
#[inline(always)]
fn near<L: Lanes>(base: Vec3x<L>, change: Vec3x<L>) -> Vec3x<L> {
    Vec3x::new(L::near(base.x, change.x), L::near(base.y, change.y), L::near(base.z, change.z))
}

/// `(R(q) v - v)` times 1 + g_w, for a sum of two quaternions `q`.
#[inline(always)]
fn turned<L: Lanes>((imaginary, real): (Vec3x<L>, L), v: Vec3x<L>) -> Vec3x<L> {
    let t = imaginary.cross(v);
    t.mul_add(real, imaginary.cross(t))
}

/// phi(x): see [`ShearAngle`]. Lane by lane where the series is not accurate.
#[inline(always)]
fn phi<L: Lanes>(x: L) -> L {
    const A: [f64; 9] = coefficients();
    // Estrin's scheme: pairs of terms, then pairs of pairs; one chain of additions would stall on its latency
    let x2 = x * x;
    let low = line(A[2], A[3], x).mul_add(x2, line(A[0], A[1], x));
    let high = line(A[6], A[7], x).mul_add(x2, line(A[4], A[5], x));
    let x4 = x2 * x2;
    let phi = L::splat(A[8]).mul_add(x4, high).mul_add(x4, low);
    if x.not_below(L::splat(ShearAngle::SERIES_UP_TO)) == 0 {
        phi
    } else {
        x.lane_by_lane(ShearAngle::SERIES_UP_TO, phi, |x| {
            let angle = ShearAngle::new(x);
            [angle.phi, angle.phi_x]
        })
    }
}

/// `a + b x`.
#[inline(always)]
fn line<L: Lanes>(a: f64, b: f64, x: L) -> L {
    L::splat(b).mul_add(x, L::splat(a))
}
