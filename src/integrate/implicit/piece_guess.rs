//! A guess for pieces that fly and spin: each moves as a rigid body, by its momentum and angular momentum in what inertia would do to
//! its particles. What holds a piece together bends the ways of its particles round its centre, which none of them knows.

use rayon::prelude::*;

use crate::fracture::Pieces;
use crate::geometry::{Mat3, Quat, Vec3, rotation};
use crate::model::{State, World};

use super::CHUNK;
use super::first_guess::Start;

/// The pieces of a world with so many bonds.
#[derive(Debug, Default)]
pub struct PieceGuess {
    bonds: Option<usize>,
    /// Particles of each piece of several, one piece after the other; and where in them the pieces begin and the last ends.
    members: Vec<u32>,
    starts: Vec<usize>,
    /// The piece of each particle, counted from one; zeros for those that are alone.
    of_particle: Vec<u32>,
    motions: Vec<Option<RigidMotion>>,
}

/// From places about one centre (m) to places about another.
#[derive(Clone, Copy, Debug)]
struct RigidMotion {
    from: Vec3,
    to: Vec3,
    turn: Quat,
}

/// Evaluations of I(q^) w^ = L^, as of [rigid bodies](super::rigid); a guess needs few.
const ROUNDS: usize = 3;

impl PieceGuess {
    /// Puts each particle that is bonded to others, none of which is held, into `guess`.
    pub fn put(&mut self, start: &Start, guess: &mut State) {
        let Start { world, state, held, .. } = *start;
        self.find(world);
        let Self { members, starts, of_particle, motions, .. } = self;
        let motion = |k: usize| {
            let members = &members[starts[k]..starts[k + 1]];
            let is_free = !members.iter().any(|&i| held[i as usize]);
            is_free.then(|| rigid_motion(members, start))
        };
        (0..starts.len() - 1).into_par_iter().map(motion).collect_into_vec(motions);
        let places = (&mut guess.p, &mut guess.q).into_par_iter().zip(&*of_particle).enumerate().with_min_len(CHUNK);
        places.for_each(|(i, ((p, q), &number))| {
            let piece = (number as usize).checked_sub(1);
            if let Some(RigidMotion { from, to, turn }) = piece.and_then(|piece| motions[piece]) {
                *p = to + rotation::rotate(&turn, &(state.p[i] - from));
                *q = rotation::turn_by(&state.q[i], &turn);
            }
        });
    }

    /// Finds the pieces, if bonds broke.
    fn find(&mut self, world: &World) {
        if self.bonds.replace(world.whole_bond_count()) == Some(world.whole_bond_count()) {
            return;
        }
        let pieces = Pieces::of(world).of_particle;
        let mut size = vec![0usize; pieces.len()];
        pieces.iter().for_each(|&piece| size[piece as usize] += 1);
        // of each piece, by its first particle: its number, and where its next particle goes
        let (mut numbers, mut next) = (vec![0u32; pieces.len()], vec![0usize; pieces.len()]);
        self.starts.clear();
        self.starts.push(0);
        let mut end = 0;
        for first in (0..pieces.len()).filter(|&first| size[first] > 1) {
            numbers[first] = self.starts.len() as u32;
            next[first] = end;
            end += size[first];
            self.starts.push(end);
        }
        self.of_particle = pieces.iter().map(|&piece| numbers[piece as usize]).collect();
        self.members = vec![0; end];
        for (i, &piece) in pieces.iter().enumerate().filter(|(_, piece)| size[**piece as usize] > 1) {
            self.members[next[piece as usize]] = i as u32;
            next[piece as usize] += 1;
        }
    }
}

/// That of a piece of these particles.
fn rigid_motion(members: &[u32], start: &Start) -> RigidMotion {
    let Start { world, state, inertia, past, .. } = *start;
    let (particles, weights) = (&world.particles, inertia.weights);
    let members = || members.iter().map(|&i| i as usize);
    let mass: f64 = members().map(|i| particles.mass[i]).sum();
    let mean = |p: &[Vec3]| members().map(|i| p[i] * particles.mass[i]).sum::<Vec3>() / mass;
    let (from, to) = (mean(&state.p), mean(&inertia.target.p) + start.fall());
    let (mut moment, mut momentum, mut drawn) = (Mat3::zeros(), Vec3::zeros(), Vec3::zeros());
    for i in members() {
        let (m, j, arm) = (particles.mass[i], particles.inertia[i], state.p[i] - from);
        moment += (Mat3::identity() * arm.norm_squared() - arm * arm.transpose()) * m + Mat3::identity() * j;
        momentum += arm.cross(&inertia.v[i]) * m + inertia.w[i] * j;
        if let Some(past) = past.filter(|_| weights.past != 0.0) {
            drawn += past.turned(state, i) * (weights.past * m / mass);
        }
    }
    let inverse = moment.try_inverse().unwrap_or_else(Mat3::zeros);
    let mut theta = drawn + inverse * momentum * weights.dt;
    for _ in 1..ROUNDS {
        // the momentum stays, and the moment of inertia turns
        let turn = rotation::rotation_matrix(&rotation::exp(&(theta * 0.5)));
        theta = drawn + turn * (inverse * (turn.transpose() * momentum)) * weights.dt;
    }
    RigidMotion { from, to, turn: rotation::exp(&(theta * 0.5)) }
}
