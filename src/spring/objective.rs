use super::springs::direction;
use super::{SpringState, SpringSystem};
use crate::geometry::{Mat3, Vec3};

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
        let inertia: f64 = self.vertices(x).map(|(mass, x, y, _)| 0.5 * mass * (x - y).norm_squared()).sum();
        let work: f64 = self.vertices(x).map(|(_, x, _, force)| force.dot(x)).sum();
        let damping: f64 = self.dashpots(x).map(|(c, _, rate)| 0.5 * c * rate * rate).sum();
        inertia + self.weight * self.weight * (self.system.springs.energy(x) - work) + self.weight * damping
    }

    /// Gradient of g, kg m.
    pub fn gradient(&self, x: &[Vec3]) -> Vec<Vec3> {
        let squared = self.weight * self.weight;
        let mut forces = self.force.clone();
        self.system.springs.add_forces(x, &mut forces);
        let with_inertia =
            |(force, (mass, x, y, _)): (Vec3, (f64, &Vec3, &Vec3, &Vec3))| (x - y) * mass - force * squared;
        let mut gradient: Vec<Vec3> = forces.into_iter().zip(self.vertices(x)).map(with_inertia).collect();
        for (spring, (c, direction, rate)) in self.system.springs.list().iter().zip(self.dashpots(x)) {
            spring.add(direction * (self.weight * c * rate), &mut gradient);
        }
        gradient
    }

    /// Hessian of g, kg. If `convex`, compressed springs have no negative stiffness across.
    pub fn hessian(&self, x: &[Vec3], convex: bool) -> Hessian<Mat3> {
        let squared = self.weight * self.weight;
        let mass = self.system.mass.iter().map(|mass| Mat3::identity() * *mass).collect();
        let springs = self.system.springs.list().iter().zip(&self.direction);
        Hessian::assemble(
            mass,
            self.system,
            springs.map(|(spring, d)| {
                spring.hessian(&spring.difference(x), convex) * squared
                    + d * d.transpose() * (self.weight * spring.damping)
            }),
        )
    }

    /// Size of the terms of the gradient, kg m: what a residual is compared with.
    pub fn scale(&self) -> f64 {
        let squared = self.weight * self.weight;
        let mut springs = vec![Vec3::zeros(); self.history.len()];
        self.system.springs.add_forces(&self.ballistic, &mut springs);
        let inertia = self.vertices(&self.history).map(|(mass, x, y, _)| (x - y) * mass);
        norm(inertia) + squared * (norm(springs.into_iter()) + norm(self.force.iter().copied()))
    }

    /// Mass, position, y and f of each vertex.
    fn vertices<'b>(&'b self, x: &'b [Vec3]) -> impl Iterator<Item = (f64, &'b Vec3, &'b Vec3, &'b Vec3)> {
        let known = self.system.mass.iter().zip(&self.ballistic).zip(&self.force);
        x.iter().zip(known).map(|(x, ((mass, y), force))| (*mass, x, y, force))
    }

    /// Damping coefficient, direction, and elongation since x' of each dashpot.
    fn dashpots<'b>(&'b self, x: &'b [Vec3]) -> impl Iterator<Item = (f64, &'b Vec3, f64)> {
        self.system.springs.list().iter().zip(&self.direction).map(|(spring, direction)| {
            let elongation = spring.difference(x) - spring.difference(&self.history);
            (spring.damping, direction, direction.dot(&elongation))
        })
    }
}

impl Hessian<f64> {
    /// `M + b^2 L`, the constant matrix of \[MSC\] eq 7 for the weight b (s), kg. Dashpots add b c in all directions.
    pub fn constant(system: &SpringSystem, weight: f64) -> Self {
        let springs = system.springs.list().iter();
        let entries = springs.map(|spring| weight * (weight * spring.stiffness + spring.damping));
        Self::assemble(system.mass.clone(), system, entries)
    }
}

impl<E: crate::linalg::ldl::Entry> Hessian<E> {
    /// Masses on the diagonal, and `entries` of the springs between their ends.
    fn assemble(mut diagonal: Vec<E>, system: &SpringSystem, entries: impl Iterator<Item = E>) -> Self {
        let mut off = Vec::with_capacity(system.springs.list().len());
        for (spring, entry) in system.springs.list().iter().zip(entries) {
            spring.ends.iter().for_each(|&end| diagonal[end as usize] += entry);
            let mut negative = E::zero();
            negative -= entry;
            off.push(negative);
        }
        Self { diagonal, off }
    }
}

/// 2-norm of all vectors together.
pub(super) fn norm(vectors: impl Iterator<Item = Vec3>) -> f64 {
    vectors.map(|x| x.norm_squared()).sum::<f64>().sqrt()
}
