//! Possible contacts, as a block of each particle.

use nalgebra::{Matrix3, Matrix6, SymmetricEigen, Vector6};

use crate::geometry::Mat3;
use crate::linalg::Block;
use crate::model::{State, World};
use crate::parallel;

use super::kinds::Kinds;
use super::shell::FreeShell;

/// Possible contacts of each particle of a world.
pub(super) struct PossibleContacts<'a> {
    world: &'a World,
    pub kinds: Kinds<'a>,
    free: Vec<FreeShell>,
    /// Mass that moves with each particle, kg: see [`Kinds`].
    mass: Vec<f64>,
}

/// Minimum share of a neighbour that counts.
const LEAST: f64 = 0.5;

impl<'a> PossibleContacts<'a> {
    pub(super) fn new(world: &'a World, state: &State) -> Self {
        let mut mass = world.particles.mass.clone();
        for body in super::rigid::unbonded(world) {
            mass[body.particles.clone()].fill(body.mass);
        }
        let held = world.always_held();
        mass.iter_mut().zip(&held).filter(|(_, held)| **held).for_each(|(mass, _)| *mass = f64::INFINITY);
        Self { kinds: Kinds::new(world, state, &mass), free: FreeShell::of_all(world, state), world, mass }
    }

    /// Kinds of the particles; the rest is dropped.
    pub(super) fn into_kinds(self) -> Kinds<'a> {
        self.kinds
    }

    /// Upper bound on the total stiffness (N/m) of the contacts of particle `i` in any motion.
    pub(super) fn ceiling(&self, i: usize) -> f64 {
        if self.mass[i].is_infinite() || !self.world.particles.has_contacts(i) {
            return 0.0;
        }
        let (free, worst_neighbours) = (&self.free[i], self.kinds.worst_neighbours(i));
        let others = self.world.particles.len() - 1 - free.known;
        let count = (free.number * worst_neighbours.shell.number).min(others as f64);
        let pairs = if count < LEAST { 0.0 } else { count * worst_neighbours.greatest() };
        pairs + self.kinds.walls_stiffness(i)
    }

    /// Blocks D of the particles `of(i)` with possible contacts, in scaled unknowns, N/m.
    pub(super) fn blocks(&self, of: impl Fn(usize) -> bool + Sync) -> Vec<(u32, Block<f32>)> {
        let of = |i: usize| of(i).then(|| self.block(i)).flatten().map(|block| (i as u32, Block::from(&block)));
        parallel::flat_map(self.free.len(), 256, |particles, blocks| blocks.extend(particles.filter_map(of)))
    }

    /// Block of the free part of the shell, bounded by the possible number of contacts in any motion.
    pub(super) fn block(&self, i: usize) -> Option<Matrix6<f64>> {
        let ceiling = self.ceiling(i);
        if ceiling == 0.0 || self.free[i].is_empty() {
            return None;
        }
        let (free, worst_neighbours) = (&self.free[i], self.kinds.worst_neighbours(i));
        let number = free.number.max(0.0) * worst_neighbours.shell.number;
        let axial = free.axial * worst_neighbours.shell.axial;
        let shear = (Mat3::identity() * number - axial) * worst_neighbours.tangential;
        let coupling = -free.mean.cross_matrix() * (worst_neighbours.shell.number * worst_neighbours.tangential);
        let shell = joined(&(axial + shear), &coupling, &shear) * worst_neighbours.k;
        let particles = &self.world.particles;
        let (m, j) = (1.0 / particles.mass[i], particles.radius[i].powi(2) / particles.inertia[i]);
        Some(clamped(&shell, &Vector6::new(m, m, m, j, j, j), ceiling * m))
    }
}

fn joined(p: &Mat3, p_theta: &Mat3, theta: &Mat3) -> Matrix6<f64> {
    let mut whole = Matrix6::zeros();
    whole.fixed_view_mut::<3, 3>(0, 0).copy_from(p);
    whole.fixed_view_mut::<3, 3>(0, 3).copy_from(p_theta);
    whole.fixed_view_mut::<3, 3>(3, 0).copy_from(&Matrix3::transpose(p_theta));
    whole.fixed_view_mut::<3, 3>(3, 3).copy_from(theta);
    whole
}

/// The block with eigenvalues, relative to mass, between zero and `most` (1/s2).
fn clamped(block: &Matrix6<f64>, inverse_mass: &Vector6<f64>, most: f64) -> Matrix6<f64> {
    let root = Matrix6::from_diagonal(&inverse_mass.map(f64::sqrt));
    let back = Matrix6::from_diagonal(&inverse_mass.map(|m| 1.0 / m.sqrt()));
    let mut eigen = SymmetricEigen::new(root * block * root);
    eigen.eigenvalues.apply(|value| *value = value.clamp(0.0, most));
    back * eigen.recompose() * back
}
