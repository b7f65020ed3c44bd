use bdem_core::energy::{Curvature, Damping, contact, gap_between, gravity, wall};
use bdem_core::geometry::{Quat, Vec3, rotation};
use bdem_core::internals::optimize::Objective;
use bdem_core::model::{BondModel, Pair, State};
use nalgebra::{SMatrix, Vector4};

use super::blocks::{SymmetricBlocks, mapped, norm};
use super::euclidean::{EuclideanPose, Matrix7, Vector7, joined};

/// Objective of an implicit Euler step (\[IBDEM\] eqs 5, 6), with quaternions as vectors of R4.
///
/// Bonds are undamped quaternion bonds, contacts and walls are frictionless, and no body is rigid.
#[derive(Debug)]
pub struct Problem<'a> {
    /// Objective without damping.
    pub objective: Objective<'a>,
    /// Start of the methods: unit quaternions, and held particles at their prescribed poses.
    pub start: State,
}

impl<'a> Problem<'a> {
    /// Problem of `objective` without its damping.
    ///
    /// # Panics
    /// If a bond has another model than quaternion.
    pub fn new(mut objective: Objective<'a>, start: State) -> Self {
        let mut bonds = objective.potential.world.whole_bonds();
        assert!(
            bonds.all(|bond| bond.model == BondModel::QUATERNION),
            "constraint methods need bonds of the model quaternion"
        );
        objective.potential.damping = Damping::None;
        Self { objective, start }
    }

    /// Objective Phi, J.
    pub fn value(&self, x: &State) -> f64 {
        let potential = &self.objective.potential;
        let bonds: f64 = potential.world.whole_bonds().map(|bond| EuclideanPose::new(bond, x).value()).sum();
        let pairs = potential.contacts.pairs().iter();
        let contacts: f64 = pairs.map(|pair| contact::value(&pair.spring, &gap_between(pair, x))).sum();
        bonds + contacts + (0..x.len()).map(|i| self.single(x, i)).sum::<f64>()
    }

    /// Gradient by unknowns that are lengths, N. Zero for held particles.
    pub fn gradient(&self, x: &State) -> Vec<Vector7> {
        let potential = &self.objective.potential;
        let mut sum: Vec<Vector7> = (0..x.len()).map(|i| self.single_gradient(x, i)).collect();
        for bond in potential.world.whole_bonds() {
            let [on_i, on_j] = EuclideanPose::new(bond, x).gradient();
            sum[bond.i as usize] += on_i;
            sum[bond.j as usize] += on_j;
        }
        for pair in potential.contacts.pairs() {
            let force = joined(&contact::gradient(&pair.spring, &gap_between(pair, x)), &Vector4::zeros());
            sum[pair.i as usize] -= force;
            sum[pair.j as usize] += force;
        }
        let scaled = |(i, g): (usize, &Vector7)| if self.is_held(i) { Vector7::zeros() } else { self.scaled(i, g) };
        sum.iter().enumerate().map(scaled).collect()
    }

    /// Hessian, N/m. A held particle has that of inertia alone.
    pub fn hessian(&self, x: &State) -> SymmetricBlocks<7> {
        let potential = &self.objective.potential;
        let mut sum =
            SymmetricBlocks { diagonal: (0..x.len()).map(|i| self.single_hessian(x, i)).collect(), pairs: Vec::new() };
        for bond in potential.world.whole_bonds() {
            self.add(&mut sum, bond.ends(), &EuclideanPose::new(bond, x).hessian());
        }
        for pair in potential.contacts.pairs() {
            let gap = gap_between(pair, x);
            if gap.overlaps() {
                let pp = contact::hessian(&pair.spring, &gap, pair.reach, Curvature::Exact).pp;
                let mut block = Matrix7::zeros();
                block.fixed_view_mut::<3, 3>(0, 0).copy_from(&pp);
                self.add(&mut sum, pair.ends(), &[block, -block, block]);
            }
        }
        let scales: Vec<Matrix7> =
            (0..x.len()).map(|i| Matrix7::from_diagonal(&self.scaled(i, &Vector7::repeat(1.0)))).collect();
        sum.mapped(&scales)
    }

    /// Norm of the gradient on the manifold (N) and objective (J) with normalised quaternions, and the greatest | |q|
    /// - 1 | before.
    pub fn measure(&self, x: &State) -> (f64, f64, f64) {
        let off_length = x.q.iter().map(|q| (q.norm() - 1.0).abs()).fold(0.0, f64::max);
        let mut on = x.clone();
        on.q.iter_mut().for_each(|q| *q /= q.norm());
        let gradient = mapped(&self.projectors(&on), &self.gradient(&on));
        (norm(&gradient), self.value(&on), off_length)
    }

    /// State `x` moved along the straight line by `length` times `step` (m).
    pub fn along_line(&self, x: &State, step: &[Vector7], length: f64) -> State {
        self.moved(x, step, length, |q, dq| q + Quat::from(dq))
    }

    /// State `x` moved along the geodesic with tangent `step` (m), and normalised (\[IBDEM\] eqs 20-22).
    pub(crate) fn along_geodesic(&self, x: &State, step: &[Vector7], length: f64) -> State {
        self.moved(x, step, length, |q, dq| {
            let q = q * rotation::exp(&(rotation::nullspace_left(&q) * dq));
            q / q.norm()
        })
    }

    fn moved(&self, x: &State, step: &[Vector7], length: f64, turn: impl Fn(Quat, Vector4<f64>) -> Quat) -> State {
        let mut moved = x.clone();
        for (i, step) in step.iter().enumerate().filter(|(i, _)| !self.is_held(*i)) {
            let step = self.scaled(i, step) * length;
            moved.p[i] += step.fixed_rows::<3>(0);
            moved.q[i] = turn(x.q[i], step.fixed_rows::<4>(3).into());
        }
        moved
    }

    /// Projectors diag(I, P(q)) of each particle. P(q) = I - q q^T projects onto the tangent space (\[IBDEM\] eq 19).
    pub(crate) fn projectors(&self, x: &State) -> Vec<Matrix7> {
        x.q.iter().map(|q| with_identity(&(SMatrix::identity() - q.coords * q.coords.transpose()))).collect()
    }

    /// Radial derivative q . dPhi/dq over (2r)^2 (N/m) of each particle, from the gradient at `x`. The sphere's
    /// curvature subtracts it from second derivatives (\[IBDEM\] eq 27).
    pub fn along(&self, x: &State, gradient: &[Vector7]) -> Vec<f64> {
        let radial = |(i, g): (usize, &Vector7)| x.q[i].coords.dot(&g.fixed_rows::<4>(3)) / self.size(i);
        gradient.iter().enumerate().map(radial).collect()
    }

    /// Whether particle i is held at its prescribed pose.
    pub fn is_held(&self, i: usize) -> bool {
        self.objective.held[i]
    }

    /// Length scale of a particle's quaternion, 2r, m.
    pub fn size(&self, i: usize) -> f64 {
        2.0 * self.objective.potential.world.particles.radius[i]
    }

    /// Stiffness of the particle's contacts, N/m.
    pub fn stiffness(&self, i: usize) -> f64 {
        self.objective.potential.world.contact_stiffness_of(i)
    }

    /// Constraint C(q) = (q.q - 1)/2 (\[IBDEM\] eq 54).
    pub fn constraint(&self, x: &State, i: usize) -> f64 {
        0.5 * (x.q[i].norm_squared() - 1.0)
    }

    /// Derivatives of C by the unknowns, 1/m.
    pub(crate) fn constraint_gradient(&self, x: &State, i: usize) -> Vector7 {
        joined(&Vec3::zeros(), &(x.q[i].coords / self.size(i)))
    }

    /// Derivatives by lengths from those by unknowns, or lengths back to unknowns.
    fn scaled(&self, i: usize, g: &Vector7) -> Vector7 {
        let mut g = *g;
        g.fixed_rows_mut::<4>(3).scale_mut(1.0 / self.size(i));
        g
    }

    /// Inertia m/dt^2 and 4J/dt^2.
    fn inertia(&self, i: usize) -> [f64; 2] {
        let particles = &self.objective.potential.world.particles;
        let per_square = 1.0 / (self.objective.dt * self.objective.dt);
        [particles.mass[i] * per_square, 4.0 * particles.inertia[i] * per_square]
    }

    /// Energies of inertia, gravity and walls of particle `i`, J.
    fn single(&self, x: &State, i: usize) -> f64 {
        let Objective { potential, target, .. } = &self.objective;
        let world = potential.world;
        let [m, j] = self.inertia(i);
        let inertia = m * (x.p[i] - target.p[i]).norm_squared() + j * (x.q[i] - target.q[i]).norm_squared();
        let walls = potential.walls(x);
        let touches = potential.touches(&walls, i, &x.p[i]);
        let walls: f64 = touches.map(|(gap, _)| wall::value(&potential.world.wall_normal_spring(i), gap)).sum();
        0.5 * inertia + walls + gravity::value(world.particles.mass[i], &world.gravity, &x.p[i])
    }

    fn single_gradient(&self, x: &State, i: usize) -> Vector7 {
        let Objective { potential, target, .. } = &self.objective;
        let world = potential.world;
        let [m, j] = self.inertia(i);
        let mut force = (x.p[i] - target.p[i]) * m + gravity::gradient(world.particles.mass[i], &world.gravity);
        for (gap, normal) in potential.touches(&potential.walls(x), i, &x.p[i]) {
            force += wall::gradient(&potential.world.wall_normal_spring(i), gap, &normal);
        }
        joined(&force, &((x.q[i] - target.q[i]).coords * j))
    }

    fn single_hessian(&self, x: &State, i: usize) -> Matrix7 {
        let [m, j] = self.inertia(i);
        let mut sum = Matrix7::from_diagonal(&joined(&Vec3::repeat(m), &Vector4::repeat(j)));
        if !self.is_held(i) {
            let potential = &self.objective.potential;
            for (gap, normal) in potential.touches(&potential.walls(x), i, &x.p[i]) {
                let mut pp = sum.fixed_view_mut::<3, 3>(0, 0);
                pp += wall::hessian(&potential.world.wall_normal_spring(i), gap, &normal);
            }
        }
        sum
    }

    /// Blocks (i, i), (i, j), (j, j) of a pair, added to `sum`. Held particles are left out.
    fn add(&self, sum: &mut SymmetricBlocks<7>, [i, j]: [usize; 2], [ii, ij, jj]: &[Matrix7; 3]) {
        let [moves_i, moves_j] = [i, j].map(|a| !self.is_held(a));
        if moves_i {
            sum.diagonal[i] += ii;
        }
        if moves_j {
            sum.diagonal[j] += jj;
        }
        if moves_i && moves_j {
            sum.pairs.push(([i, j], *ij));
        }
    }
}

/// Matrix diag(I, `on_q`).
pub(super) fn with_identity<const K: usize, const N: usize>(on_q: &SMatrix<f64, K, 4>) -> SMatrix<f64, N, 7> {
    let mut both = SMatrix::<f64, N, 7>::zeros();
    both.fixed_view_mut::<3, 3>(0, 0).fill_with_identity();
    both.view_mut((3, 3), (K, 4)).copy_from(on_q);
    both
}
