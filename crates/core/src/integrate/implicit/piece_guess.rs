//! First guess for pieces that fly and rotate. Each moves as a rigid body with the linear and angular momentum of its
//! particles' targets. Bonds bend the paths of the particles around the centre of mass, which the free flight of single
//! particles neglects.

use crate::fracture::Pieces;
use crate::geometry::{Mat3, Quat, Vec3, rotation};
use crate::model::{Identity, RigidBody, State, World};
use crate::parallel;

use super::CHUNK;
use super::first_guess::StepStart;

/// Pieces of a world with these bonds.
#[derive(Debug, Default)]
pub(super) struct PieceGuess {
    bonds: Option<Identity>,
    /// Particles of the pieces of more than one, piece by piece, and the offsets of the pieces.
    members: Vec<u32>,
    starts: Vec<usize>,
    /// Piece of each particle plus one; zero for single particles.
    of_particle: Vec<u32>,
    motions: Vec<Option<RigidMotion>>,
}

/// Rotation about a centre and translation of that centre, m.
#[derive(Clone, Copy, Debug)]
struct RigidMotion {
    from: Vec3,
    to: Vec3,
    turn: Quat,
}

impl PieceGuess {
    /// Places each bonded particle into `guess`, except in pieces with held particles.
    pub(super) fn put(&mut self, start: &StepStart, guess: &mut State) {
        let StepStart { world, state, held, .. } = *start;
        self.find(world);
        let Self { members, starts, of_particle, motions, .. } = self;
        let motion = |k: usize| {
            let members = &members[starts[k]..starts[k + 1]];
            let is_free = !members.iter().any(|&i| held[i as usize]);
            is_free.then(|| rigid_motion(members, start))
        };
        motions.clear();
        motions.resize(starts.len() - 1, None);
        parallel::for_each(parallel::each_mut(motions), |k, entry| *entry = motion(k));
        let places = (parallel::each_mut(&mut guess.p), parallel::each_mut(&mut guess.q));
        parallel::for_each_item(places, CHUNK, |i, (p, q)| {
            let piece = (of_particle[i] as usize).checked_sub(1);
            if let Some(RigidMotion { from, to, turn }) = piece.and_then(|piece| motions[piece]) {
                *p = to + rotation::rotate(&turn, &(state.p[i] - from));
                *q = rotation::turn_by(&state.q[i], &turn);
            }
        });
    }

    /// Whether a particle has no bonds.
    pub(super) fn is_alone(&mut self, world: &World, particle: usize) -> bool {
        self.find(world);
        self.of_particle[particle] == 0
    }

    /// Finds the pieces if bonds broke.
    fn find(&mut self, world: &World) {
        if self.bonds.replace(world.unbroken_bonds()) == Some(world.unbroken_bonds()) {
            return;
        }
        let pieces = Pieces::of(world);
        let (order, pieces) = (pieces.sorted(), pieces.of_particle);
        self.of_particle = vec![0; pieces.len()];
        self.members.clear();
        self.starts = vec![0];
        let is_one = |&i: &u32, &j: &u32| pieces[i as usize] == pieces[j as usize];
        for piece in order.chunk_by(is_one).filter(|piece| piece.len() > 1) {
            piece.iter().for_each(|&i| self.of_particle[i as usize] = self.starts.len() as u32);
            self.members.extend_from_slice(piece);
            self.starts.push(self.members.len());
        }
    }
}

/// Number of evaluations of `I(q^) w^ = L^`, sufficient for a guess.
const ROUNDS: usize = 3;

/// Rigid motion of the piece of these particles, by the time rule: a rotation by a theta_0 + b w^.
fn rigid_motion(members: &[u32], start: &StepStart) -> RigidMotion {
    let StepStart { world, state, inertia, previous, .. } = *start;
    let (particles, weights) = (&world.particles, inertia.weights);
    let members = || members.iter().map(|&i| i as usize);
    let mass: f64 = members().map(|i| particles.mass[i]).sum();
    let mean = |p: &[Vec3]| members().map(|i| p[i] * particles.mass[i]).sum::<Vec3>() / mass;
    let (from, to) = (mean(&state.p), mean(&inertia.target.p) + start.fall());
    let (mut moment, mut momentum, mut history) = (Mat3::zeros(), Vec3::zeros(), Vec3::zeros());
    for i in members() {
        let (m, j, arm) = (particles.mass[i], particles.inertia[i], state.p[i] - from);
        moment += particles.inertia_about(i, &arm);
        momentum += arm.cross(&inertia.v[i]) * m + inertia.w[i] * j;
        if let Some(previous) = previous.filter(|_| weights.previous != 0.0) {
            history += previous.rotation(state, i) * (weights.previous * m / mass);
        }
    }
    let inverse = RigidBody::inverse(&moment);
    let turn = |spin: &Vec3| rotation::exp(&((history + spin * weights.dt) * 0.5));
    let spin = (1..ROUNDS).fold(inverse * momentum, |spin, _| {
        let turn = turn(&spin);
        rotation::rotate(&turn, &(inverse * rotation::rotate(&turn.conjugate(), &momentum)))
    });
    RigidMotion { from, to, turn: turn(&spin) }
}
