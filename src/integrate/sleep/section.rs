//! Sections of a piece, and what their bonds would have to carry for it to move as a rigid body.

use crate::geometry::{Mat3, Vec3};
use crate::model::{Bond, Pair, State, World, Wrench};

use super::body::Body;
use super::criterion::SpareLoad;

/// A piece that is looked at.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    pub world: &'a World,
    pub state: &'a State,
    /// Its particles, ascending.
    pub members: &'a [u32],
    pub body: &'a Body,
    pub bonds: &'a [(&'a Bond, SpareLoad)],
}

/// A plane through a piece.
#[derive(Clone, Copy, Debug)]
pub struct Section {
    /// Area of its bonds, m2, and the least of their spare stresses, Pa.
    pub area: f64,
    pub stress: f64,
    /// Size of the force (N), and of the moment about the middle of its bonds (N m), that they fail to carry.
    pub force: f64,
    pub moment: f64,
    /// sum m x over the particles beyond it, x from the centre of mass along its normal, kg m.
    pub first_moment: f64,
}

/// Places of sections along each principal axis, over the distance of the farthest particle.
const PLACES: [f64; 3] = [-0.5, 0.0, 0.5];

impl<'a> Piece<'a> {
    /// Distance of the farthest particle from the centre of mass, m.
    pub fn reach(&self) -> f64 {
        self.places().map(|(_, arm)| arm.norm()).fold(0.0, f64::max)
    }

    /// Its particles, and where they are from the centre of mass, m.
    fn places(&self) -> impl Iterator<Item = (usize, Vec3)> + 'a {
        let (members, state, centre) = (self.members, self.state, self.body.centre);
        members.iter().map(move |&i| (i as usize, state.p[i as usize] - centre))
    }

    /// By how much the force and torque on each particle falls short of what the motion of a rigid body asks for, where energy
    /// has these `slopes`.
    pub fn unbalanced(&self, gradient: &[Wrench]) -> Vec<Wrench> {
        let (body, particles) = (self.body, &self.world.particles);
        let (mut force, mut torque) = (Vec3::zeros(), -body.spin.cross(&body.momentum));
        for (i, arm) in self.places() {
            force -= gradient[i].force;
            torque -= arm.cross(&gradient[i].force) + gradient[i].torque;
        }
        let acceleration = force / body.mass;
        let turning = body.inertia.cholesky().expect("spheres have inertia about every axis").solve(&torque);
        let of = |(i, arm): (usize, Vec3)| Wrench {
            force: (acceleration + turning.cross(&arm) + body.spin.cross(&body.spin.cross(&arm))) * particles.mass[i]
                + gradient[i].force,
            torque: turning * particles.inertia[i] + gradient[i].torque,
        };
        self.places().map(of).collect()
    }

    /// Sum of the sizes of what is `unbalanced`, N, as far as it is linear in places: R = m A r, A = (sum R r^T) S^-1 with the second
    /// moment S of the mass. Vibrations of short waves leave no trace in it.
    pub fn linear_part(&self, unbalanced: &[Wrench]) -> f64 {
        let sum: Mat3 = self.places().zip(unbalanced).map(|((_, arm), lack)| lack.force * arm.transpose()).sum();
        let second = Mat3::identity() * (0.5 * self.body.inertia.trace()) - self.body.inertia;
        let linear = sum * second.try_inverse().expect("spheres have inertia about every axis");
        self.places().map(|(i, arm)| self.world.particles.mass[i] * (linear * arm).norm()).sum()
    }

    /// Sum of m |r| over its particles, r from the centre of mass, kg m.
    pub fn absolute_moment(&self) -> f64 {
        self.places().map(|(i, arm)| self.world.particles.mass[i] * arm.norm()).sum()
    }

    /// Its sections that cut bonds, at right angles to its principal axes.
    pub fn sections(&self, unbalanced: &[Wrench]) -> Vec<Section> {
        let reach = self.reach();
        let axes = self.body.inertia.symmetric_eigen().eigenvectors;
        let planes = axes.column_iter().flat_map(|axis| PLACES.map(|place| (Vec3::from(axis), place * reach)));
        planes.filter_map(|(axis, height)| self.section(&axis, height, unbalanced)).collect()
    }

    /// The section at right angles to a unit vector `axis`, at a `height` (m) over the centre of mass; none where it cuts no bond.
    fn section(&self, axis: &Vec3, height: f64, unbalanced: &[Wrench]) -> Option<Section> {
        let side = if height < 0.0 { -1.0 } else { 1.0 };
        let is_beyond = |arm: &Vec3| side * axis.dot(arm) > side * height;
        let (mut area, mut stress, mut middle) = (0.0, f64::INFINITY, Vec3::zeros());
        for (bond, spare) in self.bonds {
            let [i, j] = bond.ends().map(|i| self.state.p[i] - self.body.centre);
            if is_beyond(&i) != is_beyond(&j) {
                area += bond.area();
                stress = f64::min(stress, spare.stress);
                middle += (i + j) * (0.5 * bond.area());
            }
        }
        middle /= area;
        let (mut force, mut moment, mut first_moment) = (Vec3::zeros(), Vec3::zeros(), 0.0);
        for ((i, arm), lack) in self.places().zip(unbalanced).filter(|((_, arm), _)| is_beyond(arm)) {
            force += lack.force;
            moment += (arm - middle).cross(&lack.force) + lack.torque;
            first_moment += self.world.particles.mass[i] * side * axis.dot(&arm);
        }
        (area > 0.0).then(|| Section { area, stress, force: force.norm(), moment: moment.norm(), first_moment })
    }
}
