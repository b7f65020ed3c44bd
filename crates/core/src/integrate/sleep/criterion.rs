//! Sleep criterion: the pieces that may sleep, and the loads that wake them.
//!
//! A sleeping piece moves as a rigid body. Its bonds carry the load that accelerates every part like the body:
//!
//! ```text
//! a_i = a + w' x r_i + w x (w x r_i)        a = sum F/M,  w' = I^-1 (T - w x L)
//! D = sum (m a_i - F_i)                     unbalanced force of a section: over the particles beyond it
//! ```
//!
//! F_i is the force of bonds, contacts and gravity on particle i. sigma is a share of the spare stress of the weakest bond
//! concerned. A piece falls asleep if
//!
//! ```text
//! waves      |v_i - v_rigid| + r |w_i - w_rigid|  <=  sigma/sqrt(E rho)      of every particle
//! forces     |m a_i - F_i|  <=  sigma A                                      on every particle
//! sections   |D| <= sigma A,  moment of D <= sigma A c/6                     of nine sections, A the area of their bonds
//! bending    sum |linear part of m a_i - F_i|  <=  sigma 9 A c/(8 a)         rings bend though their sections are balanced
//! ```
//!
//! It wakes if contact forces or its rotation differ too much from those that its bonds balanced when it fell asleep. It sleeps
//! on while
//!
//! ```text
//! contacts   |dF_i|  <=  sigma A                                             on every particle
//! bending    sum |dF_i|  <=  sigma 9 A c/(8 a)                               of a free beam a > b > c
//! rotation   |dw| (|w| + |w_0|)  sum m x  <=  sigma A                        beyond each section, in the piece's own frame
//!            |dw| (|w| + |w_0|)  sum m r  <=  sigma 9 A c/(8 a)
//! ```
//!
//! a > c are the longest and shortest edge of the box with its moments of inertia. A beam with a free end bends most at a third
//! of its length, by M = 4/27 F a. A stress counts up to the strain
//! [`VISIBLE_STRAIN`].

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::contact::Contacts;
use crate::energy::{Potential, bond};
use crate::fracture::BondLoad;
use crate::geometry::{Vec3, rotation};
use crate::model::{Bond, Gradient, Pair, Particles, State, World, Wrench, pairs_of};
use crate::neighbours::ContactPair;

use super::VISIBLE_STRAIN;
use super::body::{Body, edges};
use super::section::Piece;

/// Sleeping piece.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Sleeper {
    /// Particles, ascending.
    pub members: Arc<[u32]>,
    /// Maximum distance of a particle from the centre, m.
    pub reach: f64,
    /// Limit on the sum of changes of contact forces, by bending, N.
    pub bending: f64,
    /// Angular velocity that the bonds balance, in the frame of the first particle, rad/s. Then the limit on the change of its
    /// square, 1/s2.
    pub carried_spin: Vec3,
    pub spin_change: f64,
    /// Number of blocks since it fell asleep.
    pub slept: u32,
}

/// Spare load of a bond, or the minimum over the bonds of a particle.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpareLoad {
    /// N, Pa, and the speed (m/s) of a wave of that stress.
    force: f64,
    pub stress: f64,
    speed: f64,
}

/// Piece that satisfies the criterion.
#[derive(Debug)]
pub(super) struct Candidate {
    pub sleeper: Sleeper,
    /// Spare force of each member, N, and the contact force that its bonds balance, N.
    pub limits: Vec<f64>,
    pub balanced: Vec<Vec3>,
    /// dV/dx of each member by bonds and contacts inside the piece, N and N m.
    pub inner: Vec<Gradient>,
}

/// Whether no bond of a piece of these `members` (ascending) is a spring, whose piece is not stiff against bending.
fn is_stiff(world: &World, members: &[u32]) -> bool {
    bonds_of(world, members).all(|bond| bond.model.has_orientation())
}

/// Whether the waves in a piece of these `members` are weak enough for the strongest possible bonds: a cheap necessary
/// condition.
pub(super) fn moves_rigidly(world: &World, state: &State, members: &[u32], share: f64) -> bool {
    if members.len() == 1 {
        return true;
    }
    let body = Body::of(members, &world.particles, state);
    let is_rigid = members.iter().all(|&i| {
        let i = i as usize;
        deviation_speed(&body, &world.particles, state, i) <= share * VISIBLE_STRAIN * sound(world, i)
    });
    // the walk over bonds comes last: it takes longer than a particle that moves too fast
    is_rigid && is_stiff(world, members)
}

/// Speed of particle `i` relative to its body, m/s.
fn deviation_speed(body: &Body, particles: &Particles, state: &State, i: usize) -> f64 {
    let rigid = body.velocity_at(&state.p[i]);
    (state.v[i] - rigid).norm() + particles.radius[i] * (state.w[i] - body.spin).norm()
}

/// Applies the criterion to a piece of these `members` (ascending) at `state`, where dV/dx is `gradient`. None if it exceeds a
/// `share` of its spare strength.
pub(super) fn assess(
    world: &World,
    contacts: &Contacts,
    state: &State,
    gradient: &[Gradient],
    members: &[u32],
    share: f64,
) -> Option<Candidate> {
    if !is_stiff(world, members) {
        return None;
    }
    let body = Body::of(members, &world.particles, state);
    let of = || members.iter().map(|&i| i as usize);
    let place = |i: usize| members.binary_search(&(i as u32)).expect("bonds are of the piece");
    let bonds = bonds_of(world, members).map(|bond| (bond, SpareLoad::of(bond, share, world, state)));
    let bonds: Vec<(&Bond, SpareLoad)> = bonds.collect();
    let mut spare = vec![SpareLoad::UNBONDED; members.len()];
    for (bond, of_bond) in &bonds {
        bond.ends().map(place).into_iter().for_each(|k| spare[k] = spare[k].lesser(of_bond));
    }
    let mut inner = vec![Gradient::default(); members.len()];
    for (ends, gradient) in internal_gradients(world, contacts, state, members) {
        ends.map(place).into_iter().zip(gradient).for_each(|(k, gradient)| inner[k] += gradient);
    }
    let piece = Piece { world, state, members, body: &body, bonds: &bonds };
    let unbalanced = piece.unbalanced(gradient);
    let is_still = |((i, spare), unbalanced): ((usize, &SpareLoad), &Wrench)| {
        deviation_speed(&body, &world.particles, state, i) <= spare.speed && unbalanced.force.norm() <= spare.force
    };
    if !of().zip(&spare).zip(&unbalanced).all(is_still) {
        return None;
    }
    let sleeper = Sleeper::of(&piece, &unbalanced)?;
    let contact = |(i, inner): (usize, &Gradient)| contact_force(world, i, &gradient[i]) + inner.p;
    let balanced = of().zip(&inner).map(contact).collect();
    Some(Candidate { limits: spare.iter().map(|spare| spare.force).collect(), balanced, sleeper, inner })
}

/// Whole bonds of a piece of these `members` (ascending).
fn bonds_of<'a>(world: &'a World, members: &'a [u32]) -> impl Iterator<Item = &'a Bond> {
    pairs_of(world.bonds(), members).map(|(_, bond)| bond).filter(|bond| !bond.is_broken())
}

/// dV/dx at the ends of each bond and each contact between two of the `members` (ascending) of a piece.
pub(super) fn internal_gradients<'a>(
    world: &'a World,
    contacts: &'a Contacts,
    state: &'a State,
    members: &'a [u32],
) -> impl Iterator<Item = ([usize; 2], [Gradient; 2])> {
    let of_bond = |bond: &Bond| (bond.ends(), bond::gradient(bond, &bond::pose(bond, state)).by_particle());
    let potential = Potential::new(world, contacts);
    let is_inside = |pair: &ContactPair| members.binary_search(&pair.j).is_ok();
    let pairs = pairs_of(contacts.pairs(), members).filter(move |(_, pair)| is_inside(pair));
    let touching = pairs.filter(|(_, pair)| pair.overlaps(&state.p));
    bonds_of(world, members)
        .map(of_bond)
        .chain(touching.map(move |(k, pair)| (pair.ends(), potential.by_pair(k, state))))
}

/// Force on particle `i` of a sleeper without its weight, N, where dV/dx is `gradient`.
pub(super) fn contact_force(world: &World, i: usize, gradient: &Gradient) -> Vec3 {
    gradient.load().force - world.gravity * world.particles.mass[i]
}

/// Wave speed in the material of particle `i`, m/s.
fn sound(world: &World, i: usize) -> f64 {
    let material = world.material_of(i);
    (material.young_modulus / material.density).sqrt()
}

impl Sleeper {
    /// Sleeper of a piece with these `unbalanced` forces; none if a section or bending exceeds its limit.
    fn of(piece: &Piece, unbalanced: &[Wrench]) -> Option<Self> {
        let Piece { members, body, state, .. } = *piece;
        let mut sleeper = Self {
            members: members.into(),
            reach: piece.reach(),
            bending: f64::INFINITY,
            carried_spin: carried_spin(members, state),
            spin_change: f64::INFINITY,
            slept: 0,
        };
        let [a, _, c] = edges(&body.inertia, body.mass);
        for section in piece.sections(unbalanced) {
            let force = section.stress * section.area;
            if section.force > force || section.moment > force * c / 6.0 {
                return None;
            }
            sleeper.bending = sleeper.bending.min(9.0 * force * c / (8.0 * a));
            sleeper.spin_change = sleeper.spin_change.min(force / section.first_moment);
        }
        sleeper.spin_change = sleeper.spin_change.min(sleeper.bending / piece.absolute_moment());
        let is_balanced = members.len() == 1 || piece.linear_part(unbalanced) <= sleeper.bending;
        (is_balanced && sleeper.spin_change > 0.0).then_some(sleeper)
    }

    /// Whether its rotation in `state` exceeds the limit.
    pub(super) fn spins_too_fast(&self, state: &State) -> bool {
        let spin = carried_spin(&self.members, state);
        (spin - self.carried_spin).norm() * (spin.norm() + self.carried_spin.norm()) > self.spin_change
    }
}

/// Angular velocity (rad/s) of a rigidly moving piece in the frame of its first particle.
fn carried_spin(members: &[u32], state: &State) -> Vec3 {
    let first = members[0] as usize;
    rotation::rotate(&state.q[first].conjugate(), &state.w[first])
}

impl SpareLoad {
    /// Spare load of a particle without bonds.
    const UNBONDED: Self = Self { force: f64::INFINITY, stress: f64::INFINITY, speed: f64::INFINITY };

    /// A `share` of the spare load of a bond.
    fn of(bond: &Bond, share: f64, world: &World, state: &State) -> Self {
        let (load, [sigma, tau]) = (BondLoad::of(bond, state), bond.strength);
        let modulus = bond.k.n * bond.l0 / bond.area();
        let spare = (1.0 - load.utilisation(bond, world.axial)).clamp(0.0, 1.0);
        let stress = share * (spare * sigma.min(tau)).min(VISIBLE_STRAIN * modulus);
        let density = world.material_of(bond.i as usize).density;
        Self { force: stress * bond.area(), stress, speed: stress / (modulus * density).sqrt() }
    }

    fn lesser(&self, other: &Self) -> Self {
        Self {
            force: self.force.min(other.force),
            stress: self.stress.min(other.stress),
            speed: self.speed.min(other.speed),
        }
    }
}
