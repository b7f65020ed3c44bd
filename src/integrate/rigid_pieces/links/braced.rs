//! Particles that contacts press and their own piece presses back: a grain is wedged in a crack, a piece lies on what bears it. The
//! bonds carry that already, and nothing of it strains them further: only what is out of balance loads such a piece.

use crate::contact::{Neighbours, Slip};
use crate::energy::bond;
use crate::geometry::{Vec3, rotation};
use crate::model::{Bond, Pair, State, World};

use super::super::body::Body;
use super::super::rest::Rest;
use super::super::touch::PairLink;
use super::Links;

/// A particle that contacts press.
#[derive(Clone, Copy, Debug, Default)]
pub struct Braced {
    particle: u32,
    /// The energy slope by its own bonds, and by contacts inside its piece, as its body was turned when that was made, N.
    own: Vec3,
    /// The energy slope by contacts with others, the sum of the sizes of their forces, and the greatest, N.
    pressed: Vec3,
    sum: f64,
    greatest: f64,
    /// Whether its piece presses back, rather than be pushed along.
    is_braced: bool,
}

/// Share of the sizes of all forces on a piece that their sum, with its weight, may be where they hold it: in a blow they all push one
/// way, and what its bonds bear then they will give back.
const OUT_OF_BALANCE: f64 = 0.2;

impl Braced {
    fn press(&mut self, slope: &Vec3) {
        let force = slope.norm();
        self.pressed += slope;
        self.sum += force;
        self.greatest = self.greatest.max(force);
    }

    /// The size of what is out of balance, N.
    fn left(&self) -> f64 {
        (self.pressed + self.own).norm()
    }

    /// What loads its piece, N; infinite where that is more than the `bearable` of the particle.
    fn load(&self, bearable: f64) -> f64 {
        let (load, most) = if self.is_braced { (self.left(), self.left()) } else { (self.sum, self.greatest) };
        if most <= bearable { load } else { f64::INFINITY }
    }
}

/// All of them, in pieces that rest.
#[derive(Debug, Default)]
pub struct BracedParticles {
    /// By particle, ascending.
    all: Vec<Braced>,
    /// Where in these each particle of the world is, and in a list that is at hand; [`NOWHERE`] for those that are not there.
    at: Vec<u32>,
    at_hand: Vec<u32>,
}

/// No place in a list.
const NOWHERE: u32 = u32::MAX;

impl BracedParticles {
    /// None, in a world of so many particles.
    pub fn clear(&mut self, particles: usize) {
        self.all.clear();
        for at in [&mut self.at, &mut self.at_hand] {
            at.clear();
            at.resize(particles, NOWHERE);
        }
    }

    /// Takes a contact's slope of energy by a particle that is braced; says whether it is one.
    #[inline]
    pub fn take(&mut self, particle: usize, slope: &Vec3) -> bool {
        let at = self.at[particle];
        if at != NOWHERE {
            self.all[at as usize].pressed += slope;
        }
        at != NOWHERE
    }

    /// Loads the bodies that move by short steps by what is out of balance. Pieces that do not bear it are `struck`.
    pub fn load(&mut self, bodies: &mut [Body], rest: &Rest, struck: &mut Vec<usize>) {
        for braced in &mut self.all {
            let i = braced.particle as usize;
            let body = &mut bodies[rest.body_of[i] as usize];
            if !body.is_moving {
                // nothing is near it, and its load is not counted anew
                continue;
            }
            let left = (std::mem::take(&mut braced.pressed) + rotation::rotate(body.rotation(), &braced.own)).norm();
            if !body.bears(left) || left > rest.limit(i).force {
                struck.push(rest.piece_of[i] as usize);
            }
        }
    }

    /// Adds what the bonds of `found` particles, and contacts inside their pieces, do to them at `now`.
    fn add_own<'a>(
        &mut self,
        found: &mut [Braced],
        bonds: impl Iterator<Item = &'a Bond>,
        inner: impl Iterator<Item = &'a mut PairLink>,
        now: &State,
    ) {
        let at = &mut self.at_hand;
        (0..).zip(&*found).for_each(|(k, braced)| at[braced.particle as usize] = k);
        let is_there = |ends: [usize; 2]| ends.into_iter().any(|i| at[i] != NOWHERE);
        let mut add = |ends: [usize; 2], slopes: [Vec3; 2]| {
            for (i, slope) in ends.into_iter().zip(slopes).filter(|&(i, _)| at[i] != NOWHERE) {
                found[at[i] as usize].own += slope;
            }
        };
        for bond in bonds.filter(|bond| is_there(bond.ends())) {
            let slope = bond::gradient(bond, &bond::pose(bond, now)).p_j;
            add(bond.ends(), [-slope, slope]);
        }
        for link in inner.filter(|link| is_there(link.pair.ends())) {
            if let Some(slopes) = link.push(now, Slip::None, false, &mut 0.0) {
                add(link.pair.ends(), slopes.map(|slope| slope.force));
            }
        }
        found.iter().for_each(|braced| at[braced.particle as usize] = NOWHERE);
    }

    /// Forgets those whose pieces are awake, and takes those of others among `found` that are braced.
    fn change(&mut self, rest: &Rest, found: &[Braced]) {
        for braced in &self.all {
            self.at[braced.particle as usize] = NOWHERE;
        }
        self.all.extend(found.iter().filter(|braced| braced.is_braced));
        self.all.retain(|braced| !rest.is_awake(rest.piece_of[braced.particle as usize] as usize));
        self.all.sort_unstable_by_key(|braced| braced.particle);
        for (braced, k) in self.all.iter_mut().zip(0..) {
            braced.pressed = Vec3::zeros();
            self.at[braced.particle as usize] = k;
        }
    }
}

impl Links {
    /// Finds what is braced as pieces begin to move as rigid bodies.
    pub fn brace(&mut self, world: &World, rest: &Rest, now: &State, contacts: &Neighbours) {
        let mut found = self.pressed(world, rest, now, |piece| !rest.is_awake(piece));
        if found.is_empty() {
            return;
        }
        let inner = contacts.pairs().iter().filter(|pair| are_of_one(rest, pair.ends()) && pair.overlaps(&now.p));
        let rub = |ends: [usize; 2]| self.have_springs[0].then(|| contacts.rub_of(ends));
        let inner = inner.map(|pair| PairLink::new(world, rest, [pair.i, pair.j], rub(pair.ends()), now));
        let mut inner: Vec<_> = inner.collect();
        self.braced.add_own(&mut found, world.whole_bonds(), inner.iter_mut(), now);
        judge(&mut found, world, rest);
        self.braced.change(rest, &found);
    }

    /// What loads the awake pieces if they rest at `now`, N, and the particles of them that are pressed.
    pub fn loads_at_rest(&mut self, world: &World, rest: &Rest, now: &State) -> (Vec<f64>, Vec<Braced>) {
        let mut found = self.pressed(world, rest, now, |piece| rest.is_awake(piece));
        let Self { awake, pairs, braced, .. } = self;
        let inner = pairs.iter_mut().filter(|link| are_of_one(rest, link.pair.ends()));
        braced.add_own(&mut found, awake.bonds_of(world), inner, now);
        judge(&mut found, world, rest);
        let mut loads = vec![0.0; rest.count()];
        for braced in &found {
            let i = braced.particle as usize;
            loads[rest.piece_of[i] as usize] += braced.load(rest.limit_at_rest(i).force);
        }
        (loads, found)
    }

    /// Some pieces rest again, with these particles that are pressed, or wake.
    pub fn change_braced(&mut self, rest: &Rest, found: &[Braced]) {
        self.braced.change(rest, found);
    }

    /// The particles of some pieces of more than one that others, and walls, press at `now`; ascending.
    fn pressed(&mut self, world: &World, rest: &Rest, now: &State, of: impl Fn(usize) -> bool) -> Vec<Braced> {
        let mut forces: Vec<(u32, Vec3)> = Vec::new();
        let piece = |i: usize| rest.piece_of[i] as usize;
        let is_one_of = |i: usize| of(piece(i)) && rest.members(piece(i)).len() > 1;
        let mut nothing_taken = 0.0;
        for link in &mut self.pairs {
            let ends = link.pair.ends();
            if are_of_one(rest, ends) || !ends.into_iter().any(is_one_of) {
                continue;
            }
            if let Some(slopes) = link.push(now, Slip::None, false, &mut nothing_taken) {
                let of_ends = ends.into_iter().zip(slopes).filter(|&(i, _)| is_one_of(i));
                forces.extend(of_ends.map(|(i, slope)| (i as u32, slope.force)));
            }
        }
        for link in self.walls.iter_mut().filter(|link| is_one_of(link.particle)) {
            let wall = &world.colliders[link.wall];
            if let Some(slope) = link.push(wall, now, Slip::None, false, &mut nothing_taken) {
                forces.push((link.particle as u32, slope.force));
            }
        }
        forces.sort_by_key(|&(particle, _)| particle);
        let of_one = |forces: &[(u32, Vec3)]| {
            let mut braced = Braced { particle: forces[0].0, ..Braced::default() };
            forces.iter().for_each(|(_, slope)| braced.press(slope));
            braced
        };
        forces.chunk_by(|a, b| a.0 == b.0).map(of_one).collect()
    }
}

/// Says which of them are braced.
fn judge(found: &mut [Braced], world: &World, rest: &Rest) {
    let piece = |braced: &Braced| rest.piece_of[braced.particle as usize] as usize;
    let mut sums = vec![(Vec3::zeros(), 0.0); rest.count()];
    for braced in &*found {
        let (sum, of_sizes) = &mut sums[piece(braced)];
        *sum += braced.pressed;
        *of_sizes += braced.sum;
    }
    for (piece, (sum, _)) in sums.iter_mut().enumerate().filter(|(_, (_, of_sizes))| *of_sizes > 0.0) {
        let mass: f64 = rest.members(piece).iter().map(|&i| world.particles.mass[i as usize]).sum();
        *sum -= world.gravity * mass;
    }
    for braced in found {
        let (sum, of_sizes) = sums[piece(braced)];
        braced.is_braced = sum.norm() <= OUT_OF_BALANCE * of_sizes && braced.left() < braced.sum;
    }
}

/// Whether two particles are of one piece.
fn are_of_one(rest: &Rest, [i, j]: [usize; 2]) -> bool {
    rest.piece_of[i] == rest.piece_of[j]
}
