//! Contact of two spheres, `V = 1/2 k_ec (|p_i - p_j| - r_i - r_j)^2` (J) for an overlap (\[IBDEM\] eq 32), k_ec (N/m),
//! or Hertz's law: see [`NormalSpring`](crate::model::NormalSpring). Zero without overlap.

use crate::geometry::Vec3;
use crate::model::NormalPotential;

use super::stretch::tangential_projector;
use super::{BondHessian, Curvature};

/// Gap of two spheres: unit vector n from i to j, and gap (m), negative for an overlap.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// Unit vector from i to j.
    pub n: Vec3,
    /// Distance of the surfaces, m; negative for an overlap.
    pub gap: f64,
}

impl Gap {
    /// The gap for `reach` = r_i + r_j, m.
    #[inline(always)]
    pub fn new(p_i: &Vec3, p_j: &Vec3, reach: f64) -> Self {
        let branch = p_j - p_i;
        let l = branch.norm();
        // coincident centres are separated along z
        let n = if l > 0.0 { branch / l } else { Vec3::z() };
        Self { n, gap: l - reach }
    }

    /// Whether the spheres overlap.
    pub fn overlaps(&self) -> bool {
        self.gap < 0.0
    }
}

/// V, J.
#[inline(always)]
pub fn value(spring: &impl NormalPotential, gap: &Gap) -> f64 {
    spring.energy(-gap.gap.min(0.0))
}

/// dV/dp_j = -dV/dp_i, N.
#[inline(always)]
pub fn gradient(spring: &impl NormalPotential, gap: &Gap) -> Vec3 {
    gap.n * -spring.push(-gap.gap.min(0.0))
}

/// Second derivative by p_j, k n n^T - force/l (I - n n^T). Gauss-Newton and projection omit the second, negative term.
pub fn hessian(spring: &impl NormalPotential, gap: &Gap, reach: f64, curvature: Curvature) -> BondHessian {
    if !gap.overlaps() {
        return BondHessian::default();
    }
    let mut pp = gap.n * gap.n.transpose() * spring.stiffness(-gap.gap);
    if curvature == Curvature::Exact {
        pp += tangential_projector(&gap.n) * (-spring.push(-gap.gap) / (gap.gap + reach));
    }
    BondHessian { pp, ..Default::default() }
}
