//! Decay of the vibrations inside pieces, about the rigid motion of each.
//!
//! A piece with its linear and angular momentum moves as a rigid body, plus a rest (u, s) without momentum:
//!
//! ```text
//! v_i = V + W x r_i + u_i     w_i = W + s_i          sum m u = 0,  sum (m r x u + J s) = 0
//! K   = K_rigid + 1/2 sum (m u^2 + J s^2)
//! ```
//!
//! The rest decays by `e = exp(-dt/tau)`. So both momenta and the centre stay, and the dissipation is `(1 - e^2)` of the rest's
//! kinetic energy. The energy of a vibration, half of it kinetic in the mean, decays by `exp(-t/tau)`. 1/tau is the mean over the
//! piece, by mass, of the rates of its particles' [materials](crate::model::Material::vibration_decay).
//!
//! It begins at tau after the last bond of the piece broke. So a wave that breaks a body, and a crack that runs, are as without
//! it; a body of which nothing broke rings on. A piece with held particles rings on too, for its holders define its motion.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::fracture::Pieces;
use crate::model::{Identity, State, World};
use crate::parallel;

use crate::integrate::{BlockDecay, Body, DecayingPiece};

/// Decay of vibrations: the data besides the state that it depends on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct VibrationDecay {
    /// Time of the last break of a bond of each particle, s; -inf before the first. Empty where nothing decays.
    broke_at: Vec<f64>,
    /// Time up to which vibrations have decayed, s.
    applied: f64,
    /// Shortest time tau, s; infinite where nothing decays.
    #[serde(skip)]
    shortest: f64,
    /// Pieces of several particles, and the bonds that join them.
    #[serde(skip)]
    pieces: Option<(Identity, Vec<Vec<u32>>)>,
}

impl VibrationDecay {
    /// Decay of vibrations of a `world` whose bonds are all whole.
    pub(crate) fn new(world: &World) -> Self {
        let shortest = world.materials.iter().map(|material| material.vibration_decay).fold(f64::INFINITY, f64::min);
        let particles = if shortest.is_finite() { world.particles.len() } else { 0 };
        Self { broke_at: vec![f64::NEG_INFINITY; particles], applied: f64::NEG_INFINITY, shortest, pieces: None }
    }

    /// Resumes from another one of the same world. `None` if the two do not fit.
    pub(crate) fn restore(&mut self, saved: Cow<Self>) -> Option<()> {
        if saved.broke_at.len() != self.broke_at.len() || saved.broke_at.iter().any(|time| time.is_nan()) {
            return None;
        }
        *self = Self { shortest: self.shortest, ..saved.into_owned() };
        Some(())
    }

    /// Longest block of steps, s: what breaks in one does not decay before its end.
    pub(crate) fn longest_block(&self) -> f64 {
        self.shortest
    }

    fn is_due(&self, time: f64) -> bool {
        /// Changes of velocities in the shortest time tau: each is of 3 % of the rest.
        const CHANGES: f64 = 32.0;
        !self.broke_at.is_empty() && time - self.applied >= self.shortest / CHANGES
    }

    /// Notes a bond between these particles that broke at `time`, s.
    pub(crate) fn note_break(&mut self, ends: [u32; 2], time: f64) {
        for i in ends {
            if let Some(last) = self.broke_at.get_mut(i as usize) {
                *last = last.max(time);
            }
        }
    }

    /// Lets vibrations decay up to the time of `state`, the end of a step. Returns their dissipated energy, J.
    pub(crate) fn apply(&mut self, world: &World, held: &[bool], state: &mut State) -> f64 {
        if !self.is_due(state.time) {
            return 0.0;
        }
        let (since, time) = (self.applied, state.time);
        let factor = |piece: &DecayingPiece| libm::exp(-piece.rate * (time - since.max(piece.from)));
        let decaying = self.decaying(world, held, state, time);
        let dissipated = decaying.iter().map(|piece| apply(world, state, piece, factor(piece))).sum();
        self.applied = state.time;
        dissipated
    }

    /// Decay in a block of steps that end at these times (s), from `state`.
    pub(crate) fn in_block(&mut self, world: &World, held: &[bool], state: &State, ends: &[f64]) -> BlockDecay {
        let first = self.applied;
        let mut changes = Vec::new();
        for (k, end) in (1..).zip(ends) {
            if self.is_due(*end) {
                changes.push((k, end - self.applied));
                self.applied = *end;
            }
        }
        let applied = std::mem::replace(&mut self.applied, first);
        let last = ends.last().copied().unwrap_or(state.time);
        let pieces = if changes.is_empty() { Vec::new() } else { self.decaying(world, held, state, last) };
        BlockDecay { changes, pieces, applied }
    }

    /// Notes that a block has had its decay.
    pub(crate) fn end_block(&mut self, decay: &BlockDecay) {
        self.applied = decay.applied;
    }

    /// Pieces that decay before the time `until`, s.
    fn decaying(&mut self, world: &World, held: &[bool], state: &State, until: f64) -> Vec<DecayingPiece> {
        self.find_pieces(world);
        let pieces = self.pieces.as_ref().map_or(&[][..], |(_, pieces)| pieces);
        let of = |k: usize| self.decay(world, held, state, &pieces[k], until);
        parallel::map(pieces.len(), 1, of).into_iter().flatten().collect()
    }

    fn find_pieces(&mut self, world: &World) {
        let bonds = world.unbroken_bonds();
        if self.pieces.as_ref().is_some_and(|(of, _)| *of == bonds) {
            return;
        }
        let pieces = Pieces::of(world);
        let order = pieces.sorted();
        let same = |i: &u32, j: &u32| pieces.of_particle[*i as usize] == pieces.of_particle[*j as usize];
        let several = order.chunk_by(same).filter(|members| members.len() > 1);
        self.pieces = Some((bonds, several.map(<[u32]>::to_vec).collect()));
    }

    /// Piece of these `members` (ascending), if it decays before the time `until`, s.
    fn decay(&self, world: &World, held: &[bool], state: &State, members: &[u32], until: f64) -> Option<DecayingPiece> {
        let of = || members.iter().map(|&i| i as usize);
        let broke_at = of().map(|i| self.broke_at[i]).fold(f64::NEG_INFINITY, f64::max);
        if broke_at == f64::NEG_INFINITY || of().any(|i| held.get(i).is_some_and(|held| *held)) {
            return None;
        }
        let mass = &world.particles.mass;
        let rate = of().map(|i| mass[i] / world.material_of(i).vibration_decay).sum::<f64>()
            / of().map(|i| mass[i]).sum::<f64>();
        let from = broke_at + 1.0 / rate;
        let piece = || {
            let body = Body::of(members, &world.particles, state);
            DecayingPiece { members: members.to_vec(), body, rate, from }
        };
        (until > from.max(self.applied)).then(piece)
    }
}

/// Multiplies the velocities of a piece about its rigid motion by a factor. Returns the dissipated energy, J.
fn apply(world: &World, state: &mut State, piece: &DecayingPiece, factor: f64) -> f64 {
    let mut twice = 0.0;
    for i in piece.members.iter().map(|&i| i as usize) {
        let [v, w] = [piece.body.velocity_at(&state.p[i]), piece.body.spin];
        let [u, s] = [state.v[i] - v, state.w[i] - w];
        twice += world.particles.mass[i] * u.norm_squared() + world.particles.inertia[i] * s.norm_squared();
        (state.v[i], state.w[i]) = (v + u * factor, w + s * factor);
    }
    0.5 * (1.0 - factor * factor) * twice
}
