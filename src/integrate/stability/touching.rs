//! Contacts that may come about, as a block a particle.

use nalgebra::{Matrix3, Matrix6, SymmetricEigen, Vector6};
use rayon::prelude::*;

use crate::geometry::Mat3;
use crate::model::{State, World};

use super::inverse_mass;
use super::kinds::Kinds;
use super::shell::Room;

/// What may come to touch each particle of a world.
pub struct Touching<'a> {
    world: &'a World,
    pub kinds: Kinds<'a>,
    rooms: Vec<Room>,
    /// Of what moves when each particle does, kg: see [`Kinds`].
    mass: Vec<f64>,
}

/// Less of a neighbour than this is none.
const LEAST: f64 = 0.5;

impl<'a> Touching<'a> {
    pub fn new(world: &'a World, state: &State) -> Self {
        let mut mass = world.particles.mass.clone();
        for body in super::rigid::alone(world) {
            mass[body.particles.clone()].fill(body.mass);
        }
        let held = world.always_held();
        mass.iter_mut().zip(&held).filter(|(_, held)| **held).for_each(|(mass, _)| *mass = f64::INFINITY);
        Self { kinds: Kinds::new(world, state, &mass), rooms: Room::of_all(world, state), world, mass }
    }

    /// A stiffness (N/m) that all contacts of particle `i` together never exceed in any motion.
    pub fn ceiling(&self, i: usize) -> f64 {
        if self.mass[i].is_infinite() {
            return 0.0;
        }
        let (room, company) = (&self.rooms[i], self.kinds.company(i));
        let others = self.world.particles.len() - 1 - room.known;
        let count = (room.number * company.shell.number).min(others as f64);
        let pairs = if count < LEAST { 0.0 } else { count * company.k };
        pairs + self.kinds.on_walls(i)
    }

    /// What the damping of contacts of particle `i` is over their stiffness, s.
    pub fn lag(&self, i: usize) -> f64 {
        if self.world.contact_damping > 0.0 { self.kinds.company(i).lag } else { 0.0 }
    }

    /// The blocks D of all particles that have room, in scaled unknowns, N/m.
    pub fn blocks(&self) -> Vec<(usize, Matrix6<f64>)> {
        let inverse_mass = inverse_mass(self.world);
        let of = |i: usize| self.block(i, &Vector6::from(inverse_mass[i].to_array())).map(|block| (i, block));
        (0..self.rooms.len()).into_par_iter().filter_map(of).collect()
    }

    /// The rest of a full shell, no stiffer in any motion than contacts as many as there may be.
    fn block(&self, i: usize, inverse_mass: &Vector6<f64>) -> Option<Matrix6<f64>> {
        let ceiling = self.ceiling(i);
        if ceiling == 0.0 {
            return None;
        }
        let (room, company) = (&self.rooms[i], self.kinds.company(i));
        let number = room.number.max(0.0) * company.shell.number;
        let axial = room.axial * company.shell.axial;
        let across = (Mat3::identity() * number - axial) * company.tangential;
        let lean = -room.mean.cross_matrix() * (company.shell.number * company.tangential);
        let shell = joined(&(axial + across), &lean, &across) * company.k;
        Some(clamped(&shell, inverse_mass, ceiling / self.world.particles.mass[i]))
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

/// The same with its eigenvalues, by mass, between zero and `most` (1/s2).
fn clamped(block: &Matrix6<f64>, inverse_mass: &Vector6<f64>, most: f64) -> Matrix6<f64> {
    let root = Matrix6::from_diagonal(&inverse_mass.map(f64::sqrt));
    let back = Matrix6::from_diagonal(&inverse_mass.map(|m| 1.0 / m.sqrt()));
    let mut eigen = SymmetricEigen::new(root * block * root);
    eigen.eigenvalues.apply(|value| *value = value.clamp(0.0, most));
    back * eigen.recompose() * back
}
