//! Newton's method in the subspace of rigid motions of rigid bodies. Gradients, products and preconditioned residuals
//! are projected orthogonally, in the scaled unknowns of [`super::Assembly`], onto
//!
//! ```text
//! u_i = t + theta x a_i,   psi_i = r_i theta        with a body's t and theta, and its particles' arms a_i
//! ```
//!
//! So conjugate gradients stay in the subspace, and a body of any number of particles has six unknowns.

use std::ops::Range;

use crate::geometry::{Mat3, Vec3, rotation};
use crate::linalg::{Cg, CgOutcome, IterationLimits, Operator, Preconditioner, Real, Vec6};
use crate::model::{Displacement, Gradient, State, World};

/// Rigid motions of a world's rigid bodies in one state.
#[derive(Clone, Debug, Default)]
pub(super) struct RigidMotions(Vec<Body>);

#[derive(Clone, Debug)]
struct Body {
    particles: Range<usize>,
    /// Vectors from the mean of its particles' centres, m.
    arms: Vec<Vec3>,
    radii: Vec<f64>,
    /// The inverse of sum (|a|^2 I - a a^T + r^2 I), 1/m2.
    inverse: Mat3,
}

impl RigidMotions {
    pub(super) fn new(world: &World, x: &State) -> Self {
        let body = |particles: Range<usize>| {
            let centre = x.p[particles.clone()].iter().sum::<Vec3>() / particles.len() as f64;
            let arms: Vec<Vec3> = x.p[particles.clone()].iter().map(|p| p - centre).collect();
            let radii = world.particles.radius[particles.clone()].to_vec();
            let moment = |(a, r): (&Vec3, &f64)| Mat3::identity() * (a.norm_squared() + r * r) - a * a.transpose();
            let sum: Mat3 = arms.iter().zip(&radii).map(moment).sum();
            Body { particles, arms, radii, inverse: sum.try_inverse().expect("spheres have moments about every axis") }
        };
        Self(world.free_rigid().map(|rigid| body(rigid.particles.clone())).collect())
    }

    /// Projects displacements (m, and m of radius times angle).
    fn project<T: Real>(&self, v: &mut [Vec6<T>]) {
        for body in &self.0 {
            let v = &mut v[body.particles.clone()];
            let of = |v: &Vec6<T>| v.to_array().map(T::to_f64);
            let [shift, theta] =
                body.fit(v.iter().map(of).map(|[a, b, c, d, e, f]| [Vec3::new(a, b, c), Vec3::new(d, e, f)]));
            for ((v, arm), r) in v.iter_mut().zip(&body.arms).zip(&body.radii) {
                let (u, psi) = (shift + theta.cross(arm), theta * *r);
                *v = Vec6::new([u.x, u.y, u.z, psi.x, psi.y, psi.z].map(T::from_f64));
            }
        }
    }

    /// Projects a gradient with respect to positions and rotations.
    pub(super) fn project_gradient(&self, gradient: &mut [Gradient]) {
        for body in &self.0 {
            let gradient = &mut gradient[body.particles.clone()];
            let scaled = gradient.iter().zip(&body.radii).map(|(g, r)| [g.p, g.theta / *r]);
            let [shift, theta] = body.fit(scaled);
            for ((g, arm), r) in gradient.iter_mut().zip(&body.arms).zip(&body.radii) {
                *g = Gradient { p: shift + theta.cross(arm), theta: theta * (r * r) };
            }
        }
    }

    /// Makes `to` exactly rigid after a rigid step from `from`.
    pub(super) fn make_rigid(world: &World, from: &State, step: &[Displacement], length: f64, to: &mut State) {
        for body in world.free_rigid() {
            let theta = step[body.particles.start].rotation * length;
            body.set_rigid_positions(&world.particles, &from.p, &rotation::exp(&(theta * 0.5)), &mut to.p);
            body.particles.clone().for_each(|i| to.q[i] = rotation::turn(&from.q[i], &theta));
        }
    }
}

impl Body {
    /// The t and theta of the rigid motion nearest to these u and psi.
    fn fit(&self, motions: impl Iterator<Item = [Vec3; 2]>) -> [Vec3; 2] {
        let (mut shift, mut moment) = (Vec3::zeros(), Vec3::zeros());
        for (([u, psi], arm), r) in motions.zip(&self.arms).zip(&self.radii) {
            shift += u;
            moment += arm.cross(&u) + psi * *r;
        }
        [shift / self.arms.len() as f64, self.inverse * moment]
    }
}

/// An operator or a preconditioner, projected onto rigid motions.
struct Projected<'a, A> {
    motions: &'a RigidMotions,
    inner: A,
}

impl<T: Real, A: Operator<T>> Operator<T> for Projected<'_, &A> {
    fn apply(&self, x: &[Vec6<T>], y: &mut [Vec6<T>]) {
        self.inner.apply(x, y);
        self.motions.project(y);
    }
}

impl<T: Real, A: Preconditioner<T>> Preconditioner<T> for Projected<'_, &mut A> {
    fn apply(&mut self, r: &[Vec6<T>], z: &mut [Vec6<T>]) {
        self.inner.apply(r, z);
        self.motions.project(z);
    }
}

impl RigidMotions {
    /// Conjugate gradients in the subspace of rigid motions, which contains `b`.
    pub(super) fn solve<T: Real>(
        &self,
        cg: &mut Cg<T>,
        operator: &impl Operator<T>,
        preconditioner: &mut impl Preconditioner<T>,
        b: &[Vec6<T>],
        x: &mut [Vec6<T>],
        limits: IterationLimits,
    ) -> CgOutcome {
        if self.0.is_empty() {
            return cg.solve(operator, preconditioner, b, x, limits);
        }
        let (operator, mut preconditioner) =
            (Projected { motions: self, inner: operator }, Projected { motions: self, inner: preconditioner });
        cg.solve(&operator, &mut preconditioner, b, x, limits)
    }
}
