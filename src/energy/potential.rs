use std::ops::{AddAssign, Range};

use rayon::prelude::*;

use crate::contact::{ContactPair, Neighbours};
use crate::geometry::Vec3;
use crate::model::{State, WorkArrays, World, Wrench};
use crate::simd::Level;

use super::bond;
use super::bond_sum::{BondSum, Strains, set_motion, set_places};
use super::contact::{self, Gap};
use super::{collider, gravity};

/// Potential energy by kind, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energies {
    pub stretch: f64,
    pub shear: f64,
    pub twist: f64,
    pub bend: f64,
    pub contact: f64,
    pub collider: f64,
    pub gravity: f64,
}

impl Energies {
    pub fn total(&self) -> f64 {
        self.stretch + self.shear + self.twist + self.bend + self.contact + self.collider + self.gravity
    }
}

impl AddAssign for Energies {
    fn add_assign(&mut self, other: Self) {
        self.stretch += other.stretch;
        self.shear += other.shear;
        self.twist += other.twist;
        self.bend += other.bend;
        self.contact += other.contact;
        self.collider += other.collider;
        self.gravity += other.gravity;
    }
}

/// The bonds' viscous damping.
#[derive(Clone, Copy, Debug)]
pub enum Damping<'a> {
    None,
    /// By the rate of strain that the velocities of the state make; it has no potential.
    Rate,
    /// By the strain that a step makes, over its length `dt` (s); `before` is each bond's strain when it begins. Half the energy
    /// that it takes is its potential.
    Step {
        before: &'a Strains,
        dt: f64,
    },
}

/// The potential energy V of a world: bonds, contacts, walls and gravity, and damping as half the energy that it takes
/// within a step.
#[derive(Clone, Copy, Debug)]
pub struct Potential<'a> {
    pub world: &'a World,
    pub contacts: &'a Neighbours,
    pub damping: Damping<'a>,
}

/// Particles a task in loops over single particles; fixed, so that sums do not depend on the threads.
const CHUNK: usize = 4096;

impl Potential<'_> {
    /// V, J.
    pub fn value(&self, state: &State) -> f64 {
        let contacts = self
            .contacts
            .chunks()
            .sum(self.contacts.pairs(), |_, pair| contact::value(pair.k, &gap_between(pair, state)));
        let singles: Vec<f64> = state
            .p
            .par_chunks(CHUNK)
            .enumerate()
            .map(|(chunk, p)| p.iter().enumerate().map(|(k, p)| self.single(chunk * CHUNK + k, p).0).sum())
            .collect();
        self.bonds(false).energy(state) + contacts + singles.iter().sum::<f64>()
    }

    /// V (J), and its gradient into `out`: dV/dp (N) and dV/dtheta (N m) of each particle.
    pub fn gradient(&self, state: &State, out: &mut [Wrench]) -> f64 {
        let mut work = self.world.workspace().lock();
        set_places(&mut work, state);
        if matches!(self.damping, Damping::Rate) {
            set_motion(&mut work, state);
        }
        let nothing = rayon::iter::repeat_n((), out.len());
        self.gradient_then(&self.bonds(false), &mut work, state, out, nothing, |_, _, ()| {})
    }

    /// The same for places, and velocities where damping asks for them, that lie in `work` already; see
    /// [`BondSum::gradient`].
    pub fn gradient_then<W: Send>(
        &self,
        bonds: &BondSum,
        work: &mut WorkArrays,
        state: &State,
        out: &mut [Wrench],
        with: impl IndexedParallelIterator<Item = W>,
        then: impl Fn(&Range<usize>, &[Wrench], W) + Sync,
    ) -> f64 {
        let touching = !self.contacts.pairs().is_empty();
        if touching {
            out.par_chunks_mut(CHUNK).for_each(|out| out.fill(Wrench::default()));
        }
        let contacts = self.contacts.chunks().scatter(self.contacts.pairs(), out, |_, pair| {
            let gap = gap_between(pair, state);
            let force = contact::gradient(pair.k, &gap);
            let wrench = |force| Wrench { force, torque: Vec3::zeros() };
            (contact::value(pair.k, &gap), wrench(-force), wrench(force))
        });
        contacts + bonds.gradient(work, |i| self.single(i, &state.p[i]), out, touching, with, then)
    }

    /// The sum over the bonds; `watch` for those that may break.
    pub fn bonds(&self, watch: bool) -> BondSum<'_> {
        BondSum { world: self.world, damping: self.damping, watch, level: Level::best() }
    }

    /// V by kind, without damping.
    pub fn energies(&self, state: &State) -> Energies {
        let mut sum = self.world.bond_chunks().sum(self.world.bonds(), |_, bond| {
            let e = bond::values(bond, &bond::pose(bond, state));
            Energies { stretch: e.stretch, shear: e.shear, twist: e.twist, bend: e.bend, ..Default::default() }
        });
        sum.contact = self
            .contacts
            .chunks()
            .sum(self.contacts.pairs(), |_, pair| contact::value(pair.k, &gap_between(pair, state)));
        for (i, p) in state.p.iter().enumerate() {
            sum.gravity += gravity::value(self.world.particles.mass[i], &self.world.gravity, p);
            sum.collider += self.walls(i, p).map(|(gap, _)| collider::value(self.wall_stiffness(i), gap)).sum::<f64>();
        }
        sum
    }

    /// Gaps (m, below zero) and normals of the walls that particle `i` at `p` is in.
    pub fn walls(&self, i: usize, p: &Vec3) -> impl Iterator<Item = (f64, Vec3)> {
        let r = self.world.particles.radius[i];
        let gaps = self.world.colliders.iter().map(move |c| c.distance(p)).map(move |(sdf, normal)| (sdf - r, normal));
        gaps.filter(|(gap, _)| *gap < 0.0)
    }

    /// Stiffness k_c of particle `i` against walls, N/m.
    pub fn wall_stiffness(&self, i: usize) -> f64 {
        self.world.contact_stiffness_of(i)
    }

    /// What acts on one particle alone: V and dV/dp.
    #[inline]
    fn single(&self, i: usize, p: &Vec3) -> (f64, Vec3) {
        let (m, g) = (self.world.particles.mass[i], &self.world.gravity);
        let mut value = gravity::value(m, g, p);
        let mut force = gravity::gradient(m, g);
        for (gap, normal) in self.walls(i, p) {
            let k = self.wall_stiffness(i);
            value += collider::value(k, gap);
            force += collider::gradient(k, gap, &normal);
        }
        (value, force)
    }
}

/// How the two spheres of a pair stand to each other.
#[inline(always)]
pub fn gap_between(pair: &ContactPair, state: &State) -> Gap {
    Gap::new(&state.p[pair.i as usize], &state.p[pair.j as usize], pair.reach)
}
