//! Correction of the momenta of free groups of particles after a minimisation.
//!
//! Forces between particles sum to zero, without a torque. So at the minimum the centre c of a group that nothing else touches
//! moves as inertia, loads and gravity require, and the torque of its inertia vanishes:
//!
//! ```text
//! sum m (p - p^) = b^2 sum m g,        sum [(p - c) x m (p - p^) + 2J Im(q conj(q^))] = 0
//! ```
//!
//! Newton's residuals satisfy neither. They are small beside the stiffness of bonds, and not beside a slow rotation: they would
//! speed it up step after step.

use crate::contact::Contacts;
use crate::fracture::Pieces;
use crate::geometry::{Mat3, Quat, Vec3, rotation, solve_positive};
use crate::model::{Identity, Pair, State, World};

use super::rule::{Inertia, shortest};

/// Relative size of a displacement that is rounding, over the particles' distance from the origin.
const ROUNDING: f64 = 1e-15;

/// Newton steps of a group's rotation. Each leaves the square of the rotation in a step, as a share.
const ROUNDS: u32 = 2;

/// Groups of particles that touch each other.
#[derive(Debug, Default)]
pub(super) struct FreeGroups {
    /// The bonds for which the rest is known.
    bonds: Option<Identity>,
    /// First particle of each particle's piece.
    pieces: Vec<u32>,
    /// Whether bonds rotate their particles.
    spins: bool,
    /// Groups of the current step, and that of each particle.
    groups: Vec<Group>,
    of_particle: Vec<u32>,
    /// Particles of free groups.
    free: Vec<u32>,
}

/// Sums over a group.
#[derive(Clone, Copy, Debug, Default)]
struct Group {
    mass: f64,
    /// Sums of m p, m |p|, and m (p - p^).
    first: Vec3,
    distance: f64,
    off: Vec3,
    /// Moment of inertia and torque of inertia, about the centre.
    inertia: Mat3,
    torque: Vec3,
    /// Rotation that restores the angular momentum, unless it is rounding.
    turn: Option<Quat>,
    /// Whether something holds it, or touches it from outside.
    is_held: bool,
    /// Whether it is more than a body of bonds.
    is_compound: bool,
}

impl Group {
    fn centre(&self) -> Vec3 {
        self.first / self.mass
    }

    /// Displacement (m) that restores the momentum, zero if it is rounding.
    fn shift(&self, fall: &Vec3) -> Vec3 {
        let shift = fall - self.off / self.mass;
        if shift.norm() * self.mass > ROUNDING * self.distance { shift } else { Vec3::zeros() }
    }

    /// See [`Self::turn`].
    fn turn(&self) -> Option<Quat> {
        if self.is_compound {
            return None;
        }
        let theta = -solve_positive(&self.inertia, &self.torque)?;
        let extent = (self.inertia.trace() * self.mass).sqrt();
        (theta.norm() * extent > ROUNDING * self.distance).then(|| rotation::exp(&(theta * 0.5)))
    }
}

impl FreeGroups {
    /// Moves the free groups of `next` so that they keep their momenta. Those of several pieces, and rigid bodies, are moved
    /// without a rotation.
    pub(super) fn restore(
        &mut self,
        world: &World,
        contacts: &Contacts,
        held: &[bool],
        inertia: &Inertia,
        next: &mut State,
    ) {
        self.find(world, contacts, held, next);
        if self.free.is_empty() {
            return;
        }
        self.shift(world, inertia, next);
        (0..ROUNDS).for_each(|_| self.turn(world, inertia, next));
    }

    /// Finds the groups at `next`.
    fn find(&mut self, world: &World, contacts: &Contacts, held: &[bool], next: &State) {
        if self.bonds.replace(world.unbroken_bonds()) != Some(world.unbroken_bonds()) {
            self.pieces = Pieces::of(world).of_particle;
            self.spins = world.whole_bonds().all(|bond| bond.model.has_orientation());
        }
        self.of_particle.clone_from(&self.pieces);
        let touching = || contacts.pairs().iter().filter(|pair| pair.overlaps(&next.p));
        let Self { of_particle, groups, free, .. } = self;
        touching().for_each(|pair| join(of_particle, pair.ends()));
        groups.clear();
        for i in 0..next.len() {
            let first = of_particle[i] as usize;
            if first == i {
                of_particle[i] = groups.len() as u32;
                groups.push(Group::default());
            } else {
                of_particle[i] = of_particle[first];
            }
        }
        let group_of = |i: usize| of_particle[i] as usize;
        touching().for_each(|pair| groups[group_of(pair.ends()[0])].is_compound = true);
        world.rigid.iter().for_each(|body| groups[group_of(body.particles.start)].is_compound = true);
        held.iter().enumerate().filter(|(_, held)| **held).for_each(|(i, _)| groups[group_of(i)].is_held = true);
        let walls = world.walls_at(next.time);
        for (i, p) in next.p.iter().enumerate() {
            let (group, near) = (&mut groups[group_of(i)], 2.0 * world.particles.contact_radius[i]);
            group.is_held |= !group.is_held && walls.iter().any(|wall| wall.gap(p, near).is_some());
        }
        free.clear();
        free.reserve(next.len());
        free.extend((0..next.len() as u32).filter(|&i| !groups[group_of(i as usize)].is_held));
    }

    /// Restores momenta.
    fn shift(&mut self, world: &World, inertia: &Inertia, next: &mut State) {
        let Self { of_particle, groups, free, .. } = self;
        let (mass, b) = (&world.particles.mass, inertia.weights.dt);
        for i in free.iter().map(|&i| i as usize) {
            let (group, m) = (&mut groups[of_particle[i] as usize], mass[i]);
            group.mass += m;
            group.first += next.p[i] * m;
            group.distance += next.p[i].norm() * m;
            group.off += (next.p[i] - inertia.target.p[i]) * m;
        }
        let fall = world.gravity * (b * b);
        for i in free.iter().map(|&i| i as usize) {
            next.p[i] += groups[of_particle[i] as usize].shift(&fall);
        }
        groups
            .iter_mut()
            .filter(|group| group.mass > 0.0)
            .for_each(|group| group.first += group.shift(&fall) * group.mass);
    }

    /// Newton step to restore angular momenta.
    fn turn(&mut self, world: &World, inertia: &Inertia, next: &mut State) {
        let Self { of_particle, groups, free, spins, .. } = self;
        let (particles, target) = (&world.particles, &inertia.target);
        groups.iter_mut().for_each(|group| (group.inertia, group.torque) = (Mat3::zeros(), Vec3::zeros()));
        for i in free.iter().map(|&i| i as usize) {
            let group = &mut groups[of_particle[i] as usize];
            let arm = next.p[i] - group.centre();
            group.inertia += particles.inertia_about(i, &arm);
            group.torque += arm.cross(&(next.p[i] - target.p[i])) * particles.mass[i];
            if *spins {
                group.torque += shortest(&(next.q[i] * target.q[i].conjugate())) * (2.0 * particles.inertia[i]);
            }
        }
        groups.iter_mut().for_each(|group| group.turn = group.turn());
        for i in free.iter().map(|&i| i as usize) {
            let group = &groups[of_particle[i] as usize];
            if let Some(turn) = group.turn {
                let centre = group.centre();
                next.p[i] = centre + rotation::rotate(&turn, &(next.p[i] - centre));
                if *spins {
                    next.q[i] = rotation::turn_by(&next.q[i], &turn);
                }
            }
        }
    }
}

/// Joins the groups of two particles. `first` is an earlier particle of each one's group, or itself if it is the first.
fn join(first: &mut [u32], ends: [usize; 2]) {
    let [mut i, mut j] = ends;
    while i != j {
        let later = i.max(j);
        i = i.min(j);
        j = first[later] as usize;
        if j == later {
            first[later] = i as u32;
            return;
        }
    }
}
