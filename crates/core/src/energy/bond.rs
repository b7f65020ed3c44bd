//! A bond of any model, and its viscous damping, which acts on the strains of the quaternion bond for all models.

use crate::geometry::Vec3;
use crate::model::{Bond, Displacement, Modes, State, Wrench};

use super::account::{Energies, Energy};
use super::law::{LoadStrain, law_of};
use super::{BondGradient, BondHessian, BondPose, Curvature, bend_twist, shear, stretch};

/// The pose of `bond` in `state`.
#[inline(always)]
pub fn pose(bond: &Bond, state: &State) -> BondPose {
    let [i, j] = [bond.i as usize, bond.j as usize];
    BondPose::new(&bond.d0, [&state.p[i], &state.p[j]], [&state.q[i], &state.q[j]])
}

/// V, J.
pub fn value(bond: &Bond, pose: &BondPose) -> f64 {
    law_of(bond.model).elastic(bond, pose).0
}

/// V by column, J.
pub fn values(bond: &Bond, pose: &BondPose) -> Energies {
    let [stretch, shear, twist, bend] = law_of(bond.model).energies(bond, pose);
    [(Energy::Stretch, stretch), (Energy::Shear, shear), (Energy::Twist, twist), (Energy::Bend, bend)].into()
}

/// First derivatives of V, or the negative forces and torques of a law without energy.
pub fn gradient(bond: &Bond, pose: &BondPose) -> BondGradient {
    law_of(bond.model).elastic(bond, pose).1
}

/// Force (N) of `bond` on its first particle, and its torque (N m) about the middle of both centres. Damping is left out.
pub fn wrench(bond: &Bond, state: &State) -> Wrench {
    let [on, _] = gradient(bond, &pose(bond, state)).by_particle();
    let [i, j] = [bond.i as usize, bond.j as usize];
    on.load().with_arm(&((state.p[i] - state.p[j]) * 0.5))
}

/// Strains that its loads are computed from.
pub(crate) fn load_strain(bond: &Bond, pose: &BondPose) -> LoadStrain<f64> {
    law_of(bond.model).strain(bond, pose)
}

/// Second derivatives of V, and of damping over a step of `dt` seconds (infinite for none). Damping is always
/// Gauss-Newton.
pub fn hessian(bond: &Bond, pose: &BondPose, curvature: Curvature, dt: f64) -> BondHessian {
    let mut h = match curvature {
        Curvature::Exact => exact_hessian(bond, pose),
        // of springs the semidefinite Hessian is the projected one
        Curvature::Projected if bond.model.has_orientation() && is_strained(bond, pose) => {
            exact_hessian(bond, pose).project(bond.l0)
        }
        // steepest descent needs none
        Curvature::Projected | Curvature::Semidefinite | Curvature::FirstOrder => {
            law_of(bond.model).semidefinite_hessian(bond, pose)
        }
    };
    h += gauss_newton(&Modes::default().plus(&bond.c, 1.0 / dt), pose);
    h
}

/// Gauss-Newton second derivatives of the energy of stiffnesses `k` with the strains of damping.
pub fn gauss_newton(k: &Modes, pose: &BondPose) -> BondHessian {
    let mut h = if k.s > 0.0 { shear::gauss_newton(k.s, pose) } else { BondHessian::default() };
    h += stretch::gauss_newton(k.n, pose);
    if k.t > 0.0 || k.b > 0.0 {
        h += bend_twist::gauss_newton(k, pose);
    }
    h
}

fn exact_hessian(bond: &Bond, pose: &BondPose) -> BondHessian {
    law_of(bond.model).hessian(bond, pose)
}

/// Strain below which the semidefinite Hessian replaces the projected one. It differs from it by 0.8 strains, and needs no
/// eigenvalues.
const SMALL_STRAIN: f64 = 1e-3;

fn is_strained(bond: &Bond, pose: &BondPose) -> bool {
    let axial = (pose.l / bond.l0 - 1.0).powi(2);
    axial + 2.0 * pose.angle.x + bend_twist::strain(pose).norm_squared() > SMALL_STRAIN * SMALL_STRAIN
}

/// Strain of a bond in the frame of its mean orientation, invariant under rigid rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Strain {
    /// l - l0, m.
    pub stretch: f64,
    /// phi (n - c d): the shear angle with its direction, rad.
    pub shear: Vec3,
    /// U: the rotation of i relative to j, rad.
    pub bend_twist: Vec3,
}

impl Strain {
    /// Strain of `bond` in `pose`.
    pub fn new(bond: &Bond, pose: &BondPose) -> Self {
        Self {
            stretch: pose.l - bond.l0,
            shear: pose.to_body(&shear::strain(pose)),
            bend_twist: pose.to_body(&bend_twist::strain(pose)),
        }
    }
}

/// Viscous damping over a step of `dt` seconds from the strain `before`: half the dissipated energy `1/2 c |strain -
/// before|^2/dt` (J), and its gradient. The coefficients are `bond.c`, one for each mode.
pub fn damping(bond: &Bond, pose: &BondPose, before: &Strain, dt: f64) -> (f64, BondGradient) {
    let now = Strain::new(bond, pose);
    let c = &bond.c;
    let stretch = now.stretch - before.stretch;
    let shear = pose.to_world(&(now.shear - before.shear));
    let bend_twist = pose.to_world(&(now.bend_twist - before.bend_twist));
    let resistance = bend_twist::stress(c, &bend_twist, pose) / dt;

    let mut g = BondGradient { p_j: pose.n * (c.n * stretch / dt), ..Default::default() };
    g += shear::pull_back(&(shear * (c.s / dt)), pose);
    g += bend_twist::pull_back(&resistance, pose);
    let energy = 0.5 * ((c.n * stretch * stretch + c.s * shear.norm_squared()) / dt + resistance.dot(&bend_twist));
    (energy, g)
}

/// Damping force of given velocities: the limit of [`damping`] for a short step.
#[inline(always)]
pub fn damping_at(bond: &Bond, pose: &BondPose, v: [&Vec3; 2], w: [&Vec3; 2]) -> BondGradient {
    let (c, n) = (&bond.c, &pose.n);
    let apart = v[1] - v[0];
    let axial = apart.dot(n);
    let turn = w[0] - w[1];
    let mean = (w[0] + w[1] + turn.cross(&pose.b())) * 0.5;
    let shear = ((apart - n * axial) * (1.0 / pose.l) + n.cross(&mean)) * c.s;
    let mut g = BondGradient { p_j: n * (c.n * axial) + shear * (1.0 / pose.l), theta: pose.share(&shear.cross(n)) };
    g += bend_twist::pull_back(&bend_twist::stress(c, &turn, pose), pose);
    g
}

/// Stress of a bond in the frame of its mean orientation: conjugate to [`Strain`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stress {
    /// N.
    pub axial: f64,
    /// Across d0, N m.
    pub shear: Vec3,
    /// N m.
    pub bend_twist: Vec3,
}

/// Strains whose rates bond damping acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DampedStrain {
    /// [`Strain`], of [`damping`].
    Step,
    /// The same with n in place of the shear strain, of [`damping_at`].
    Rate,
}

impl Stress {
    /// Stress of the damping coefficients of `bond` at a `rate` of strain (m/s, rad/s).
    pub fn of_rate(bond: &Bond, rate: &Strain) -> Self {
        let c = &bond.c;
        let twist = bond.d0 * bond.d0.dot(&rate.bend_twist);
        Self {
            axial: c.n * rate.stretch,
            shear: rate.shear * c.s,
            bend_twist: (rate.bend_twist - twist) * c.b + twist * c.t,
        }
    }
}

impl DampedStrain {
    /// Change of the strain over small displacements of i and j.
    pub fn change(self, pose: &BondPose, ends: [&Displacement; 2]) -> Strain {
        let along = |e: &Vec3| -> f64 { self.shear_gradient(e, pose).dot(ends) };
        let shear = match self {
            Self::Step => shear::tangent_frame(&pose.d).iter().map(|e| e * along(e)).sum(),
            Self::Rate => Vec3::new(along(&Vec3::x()), along(&Vec3::y()), along(&Vec3::z())),
        };
        let bend_twist = pose.bend_projection(&(ends[0].rotation - ends[1].rotation));
        Strain {
            stretch: pose.n.dot(&(ends[1].translation - ends[0].translation)),
            shear: pose.to_body(&shear),
            bend_twist: pose.to_body(&bend_twist),
        }
    }

    /// Gradient of a constant `stress` times the strain.
    pub fn pull_back(self, stress: &Stress, pose: &BondPose) -> BondGradient {
        let mut g = self.shear_gradient(&pose.to_world(&stress.shear), pose);
        g.p_j += pose.n * stress.axial;
        g += bend_twist::pull_back(&pose.to_world(&stress.bend_twist), pose);
        g
    }

    /// Second derivatives of a constant `stress` times the strain.
    pub fn curvature(self, stress: &Stress, pose: &BondPose) -> BondHessian {
        let y = pose.to_world(&stress.shear);
        let mut h = match self {
            Self::Step => shear::strain_hessian(&y, pose),
            Self::Rate => shear::projection_hessian(&y, y.dot(&pose.n), pose),
        };
        h.pp += stretch::tangential_projector(&pose.n) * (stress.axial / pose.l);
        h += bend_twist::second_derivative(&pose.to_world(&stress.bend_twist), pose);
        h
    }

    /// Gradient of a vector `y` of the bond's own frame, in world coordinates, times the shear strain.
    fn shear_gradient(self, y: &Vec3, pose: &BondPose) -> BondGradient {
        match self {
            Self::Step => shear::pull_back(y, pose),
            Self::Rate => shear::projection_gradient(y, y.dot(&pose.n), pose),
        }
    }
}
