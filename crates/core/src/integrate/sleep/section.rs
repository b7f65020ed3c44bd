//! Sections of a piece, and the load on their bonds in rigid motion.

use crate::geometry::{Mat3, Vec3, solve_positive};
use crate::model::{Bond, Gradient, Pair, State, World, Wrench};

use super::body::Body;
use super::criterion::SpareLoad;

/// Piece to which the criterion is applied.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'a> {
    pub world: &'a World,
    pub state: &'a State,
    /// Particles, ascending.
    pub members: &'a [u32],
    pub body: &'a Body,
    pub bonds: &'a [(&'a Bond, SpareLoad)],
}

/// Plane section through a piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    /// Total area of its bonds, m2, and the minimum of their spare stresses, Pa.
    pub area: f64,
    pub stress: f64,
    /// Unbalanced force (N), and unbalanced moment about the centre of its bonds (N m).
    pub force: f64,
    pub moment: f64,
    /// First moment sum m x of the particles beyond it, kg m; x from the centre of mass along its normal.
    pub first_moment: f64,
}

/// Positions of sections along each principal axis, over the piece's reach.
const PLACES: [f64; 3] = [-0.5, 0.0, 0.5];

impl<'a> Piece<'a> {
    /// Maximum distance of a particle from the centre of mass, m.
    pub(super) fn reach(&self) -> f64 {
        self.places().map(|(_, arm)| arm.norm()).fold(0.0, f64::max)
    }

    /// Particles, and their places relative to the centre of mass, m.
    fn places(&self) -> impl Iterator<Item = (usize, Vec3)> + 'a {
        let (members, state, centre) = (self.members, self.state, self.body.centre);
        members.iter().map(move |&i| (i as usize, state.p[i as usize] - centre))
    }

    /// Unbalanced force and torque of each particle: those required by rigid motion less those of `gradient`.
    pub(super) fn unbalanced(&self, gradient: &[Gradient]) -> Vec<Wrench> {
        let (body, particles) = (self.body, &self.world.particles);
        let mut all = Wrench { force: Vec3::zeros(), torque: -body.spin.cross(&body.momentum) };
        self.places().for_each(|(i, arm)| all += gradient[i].load().with_arm(&arm));
        let acceleration = all.force / body.mass;
        let turning = solve_positive(&body.inertia, &all.torque).expect("spheres have inertia about every axis");
        let of = |(i, arm): (usize, Vec3)| {
            let by_spin = turning.cross(&arm) + body.spin.cross(&body.spin.cross(&arm));
            let load = gradient[i].load();
            Wrench {
                force: (acceleration + by_spin) * particles.mass[i] - load.force,
                torque: turning * particles.inertia[i] - load.torque,
            }
        };
        self.places().map(of).collect()
    }

    /// Sum of the norms of the linear part of the `unbalanced` forces, N: R = m A r, A = (sum R r^T) S^-1 with the second
    /// moment S of the mass. It excludes short waves.
    pub(super) fn linear_part(&self, unbalanced: &[Wrench]) -> f64 {
        let sum: Mat3 = self.places().zip(unbalanced).map(|((_, arm), lack)| lack.force * arm.transpose()).sum();
        let second = Mat3::identity() * (0.5 * self.body.inertia.trace()) - self.body.inertia;
        let linear = sum * second.try_inverse().expect("spheres have inertia about every axis");
        self.places().map(|(i, arm)| self.world.particles.mass[i] * (linear * arm).norm()).sum()
    }

    /// Sum of m |r| over its particles, r from the centre of mass, kg m.
    pub(super) fn absolute_moment(&self) -> f64 {
        self.places().map(|(i, arm)| self.world.particles.mass[i] * arm.norm()).sum()
    }

    /// Sections that cut bonds, normal to the principal axes.
    pub(super) fn sections(&self, unbalanced: &[Wrench]) -> Vec<Section> {
        let reach = self.reach();
        let axes = self.body.inertia.symmetric_eigen().eigenvectors;
        let planes = axes.column_iter().flat_map(|axis| PLACES.map(|place| (Vec3::from(axis), place * reach)));
        planes.filter_map(|(axis, height)| self.section(&axis, height, unbalanced)).collect()
    }

    /// Section normal to a unit vector `axis`, at a `height` (m) above the centre of mass; none if it cuts no bond.
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
