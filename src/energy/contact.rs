//! Contact of two spheres, `V = 1/2 k_ec (|p_i - p_j| - r_i - r_j)^2` (J) where they overlap (\[IBDEM\] eq 32), k_ec (N/m),
//! or by Hertz's law: see [`ContactSpring`](crate::model::ContactSpring); nothing where they do not.

use crate::geometry::Vec3;
use crate::model::Spring;

use super::stretch::across;
use super::{BondHessian, Curvature};

/// Where two spheres stand to each other: unit vector n from i to j, and the gap (m), negative where they overlap.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    pub n: Vec3,
    pub gap: f64,
}

impl Gap {
    /// `reach` = r_i + r_j, m.
    #[inline(always)]
    pub fn new(p_i: &Vec3, p_j: &Vec3, reach: f64) -> Self {
        let along = p_j - p_i;
        let l = along.norm();
        // two centres in one place push apart along z rather than nowhere
        let n = if l > 0.0 { along / l } else { Vec3::z() };
        Self { n, gap: l - reach }
    }

    pub fn overlaps(&self) -> bool {
        self.gap < 0.0
    }
}

/// V, J.
#[inline(always)]
pub fn value(spring: &impl Spring, gap: &Gap) -> f64 {
    spring.energy(-gap.gap.min(0.0))
}

/// dV/dp_j = -dV/dp_i, N.
#[inline(always)]
pub fn gradient(spring: &impl Spring, gap: &Gap) -> Vec3 {
    gap.n * -spring.push(-gap.gap.min(0.0))
}

/// Second derivative by p_j, k n n^T - force/l (I - n n^T); Gauss-Newton and projection leave out the second, negative
/// term.
pub fn hessian(spring: &impl Spring, gap: &Gap, reach: f64, curvature: Curvature) -> BondHessian {
    if !gap.overlaps() {
        return BondHessian::default();
    }
    let mut pp = gap.n * gap.n.transpose() * spring.stiffness(-gap.gap);
    if curvature == Curvature::Exact {
        pp += across(&gap.n) * (-spring.push(-gap.gap) / (gap.gap + reach));
    }
    BondHessian { pp, ..Default::default() }
}
