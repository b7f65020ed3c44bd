use super::springs::{End, direction};
use super::{Spring, SpringState, SpringSystem};
use crate::geometry::{Mat3, Vec3};
use crate::linalg::ldl::Entry;
use crate::parallel;

/// Function of positions whose minimum is an implicit step, \[MSC\] eqs 3 and 11:
///
/// ```text
/// g(x) = 1/2 (x - y)^T M (x - y) + b^2 (E(x) - x^T f) + b/2 sum of c (d . D(x - x'))^2
/// ```
///
/// E is the energy of the springs. f are the forces at the step's beginning: of the charges, and the constant ones. b is
/// the step's weight (s), h for implicit Euler and 2/3 h for BDF2; x' and v' are its history and y = x' + b v', so that
/// v = (x - x')/b. The last term is that of the dashpots, c along their directions d at y, which is x up to b^2; D is the
/// difference of a spring's ends.
#[derive(Clone, Debug)]
pub struct StepObjective<'a> {
    system: &'a SpringSystem,
    /// b, s.
    pub weight: f64,
    /// x', m.
    pub history: Vec<Vec3>,
    /// y, m.
    pub ballistic: Vec<Vec3>,
    /// f, N.
    pub force: Vec<Vec3>,
    /// d, one a spring.
    direction: Vec<Vec3>,
}

/// Entries of a symmetric matrix over vertices and springs.
#[derive(Clone, Debug)]
pub struct Hessian<E> {
    /// Diagonal, one a vertex.
    pub diagonal: Vec<E>,
    /// Entries between the ends, one a spring.
    pub off: Vec<E>,
}

impl<'a> StepObjective<'a> {
    /// Objective of a step from `state`, with weight b (s), history x' (m) and v' (m/s).
    pub fn new(system: &'a SpringSystem, state: &SpringState, weight: f64, history: [Vec<Vec3>; 2]) -> Self {
        let [history, v] = history;
        let ballistic: Vec<Vec3> = history.iter().zip(&v).map(|(x, v)| x + v * weight).collect();
        let force = state.coulomb.iter().zip(&system.force).map(|(coulomb, force)| coulomb + force).collect();
        let direction = system.springs.list().iter().map(|spring| direction(&spring.difference(&ballistic))).collect();
        Self { system, weight, history, ballistic, force, direction }
    }

    /// g(x), kg m2.
    pub fn value(&self, x: &[Vec3]) -> f64 {
        let squared = self.weight * self.weight;
        let of_vertex = |i: usize| {
            0.5 * self.system.mass[i] * (x[i] - self.ballistic[i]).norm_squared() - squared * self.force[i].dot(&x[i])
        };
        let inertia = parallel::sum_chunks(x.len(), parallel::SERIAL_BELOW, |range| range.map(of_vertex).sum());
        let dashpot = |spring: usize| {
            let rate = self.elongation(spring, x);
            0.5 * self.system.springs.list()[spring].damping * rate * rate
        };
        let damping =
            parallel::sum_chunks(self.direction.len(), parallel::SERIAL_BELOW, |range| range.map(dashpot).sum());
        inertia + squared * self.system.springs.energy(x) + self.weight * damping
    }

    /// Gradient of g, kg m.
    pub fn gradient(&self, x: &[Vec3]) -> Vec<Vec3> {
        let squared = self.weight * self.weight;
        let springs = &self.system.springs;
        let mut gradient = self.force.clone();
        springs.add_forces(x, &mut gradient);
        for (i, gradient) in gradient.iter_mut().enumerate() {
            *gradient = (x[i] - self.ballistic[i]) * self.system.mass[i] - *gradient * squared;
        }
        springs.add(&mut gradient, |vertex, End { spring, .. }| {
            let (index, it) = (spring as usize, &springs.list()[spring as usize]);
            let along = self.direction[index] * (self.weight * it.damping * self.elongation(index, x));
            if it.ends[0] as usize == vertex { along } else { -along }
        });
        gradient
    }

    /// Elongation of a dashpot since x', m.
    fn elongation(&self, spring: usize, x: &[Vec3]) -> f64 {
        let it = &self.system.springs.list()[spring];
        self.direction[spring].dot(&(it.difference(x) - it.difference(&self.history)))
    }

    /// Hessian of g, kg. Compressed springs have a negative stiffness across: it need not be positive.
    pub fn hessian(&self, x: &[Vec3]) -> Hessian<Mat3> {
        let squared = self.weight * self.weight;
        let entry = |k: usize, spring: &Spring| {
            let d = &self.direction[k];
            spring.hessian(&spring.difference(x)) * squared + d * d.transpose() * (self.weight * spring.damping)
        };
        Hessian::assemble(self.system, |mass| Mat3::identity() * mass, entry)
    }

    /// Size of the terms of the gradient, kg m: what a residual is compared with.
    pub fn scale(&self) -> f64 {
        let squared = self.weight * self.weight;
        let mut springs = vec![Vec3::zeros(); self.history.len()];
        self.system.springs.add_forces(&self.ballistic, &mut springs);
        let known = self.history.iter().zip(&self.ballistic).zip(&self.system.mass);
        let inertia: Vec<Vec3> = known.map(|((x, y), mass)| (x - y) * *mass).collect();
        norm(&inertia) + squared * (norm(&springs) + norm(&self.force))
    }
}

impl Hessian<f64> {
    /// `M + b^2 L`, the constant matrix of \[MSC\] eq 7 for the weight b (s), kg. Dashpots add b c in all directions.
    pub fn constant(system: &SpringSystem, weight: f64) -> Self {
        let entry = |_: usize, spring: &Spring| weight * (weight * spring.stiffness + spring.damping);
        Self::assemble(system, |mass| mass, entry)
    }
}

impl<E: Entry + Send + Sync> Hessian<E> {
    /// Masses on the diagonal, and entries of the springs between their ends.
    fn assemble(system: &SpringSystem, mass: impl Fn(f64) -> E, entry: impl Fn(usize, &Spring) -> E + Sync) -> Self {
        let springs = system.springs.list();
        let mut off = vec![E::zero(); springs.len()];
        parallel::for_each_chunk(&mut off, parallel::SERIAL_BELOW, |first, off| {
            for (k, off) in (first..).zip(off) {
                *off -= entry(k, &springs[k]);
            }
        });
        let mut diagonal: Vec<E> = system.mass.iter().map(|&it| mass(it)).collect();
        system.springs.add(&mut diagonal, |_, End { spring, .. }| {
            let mut entry = E::zero();
            entry -= off[spring as usize];
            entry
        });
        Self { diagonal, off }
    }

    /// Product with a vector, for symmetric entries.
    pub(super) fn product(&self, system: &SpringSystem, x: &[Vec3]) -> Vec<Vec3> {
        let mut product: Vec<Vec3> = self.diagonal.iter().zip(x).map(|(entry, x)| entry.times(x)).collect();
        system
            .springs
            .add(&mut product, |_, End { spring, other }| self.off[spring as usize].times(&x[other as usize]));
        product
    }
}

/// 2-norm of all vectors together.
pub(super) fn norm(vectors: &[Vec3]) -> f64 {
    dot(vectors, vectors).sqrt()
}

/// Scalar product of all vectors together.
pub(super) fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    parallel::sum_chunks(a.len(), parallel::SERIAL_BELOW, |range| range.map(|i| a[i].dot(&b[i])).sum())
}
