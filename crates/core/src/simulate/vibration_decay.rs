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

use crate::integrate::sleep::Body;

/// Decay of vibrations: the data besides the state that it depends on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct VibrationDecay {
    /// Time of the last break of a bond of each particle, s; -inf before the first. Empty where nothing decays.
    broke_at: Vec<f64>,
    /// Time up to which vibrations have decayed, s.
    applied: f64,
    /// Time between two changes of velocities, s.
    #[serde(skip)]
    interval: f64,
    /// Pieces of several particles, and the bonds that join them.
    #[serde(skip)]
    pieces: Option<(Identity, Vec<Vec<u32>>)>,
}

impl VibrationDecay {
    /// Decay of vibrations of a `world` whose bonds are all whole.
    pub(crate) fn new(world: &World) -> Self {
        /// Changes of velocities in the shortest time tau: each is of 3 % of the rest.
        const CHANGES: f64 = 32.0;
        let shortest = world.materials.iter().map(|material| material.vibration_decay).fold(f64::INFINITY, f64::min);
        let particles = if shortest.is_finite() { world.particles.len() } else { 0 };
        Self {
            broke_at: vec![f64::NEG_INFINITY; particles],
            applied: f64::NEG_INFINITY,
            interval: shortest / CHANGES,
            pieces: None,
        }
    }

    /// Resumes from another one of the same world. `None` if the two do not fit.
    pub(crate) fn restore(&mut self, saved: Cow<Self>) -> Option<()> {
        if saved.broke_at.len() != self.broke_at.len() || saved.broke_at.iter().any(|time| time.is_nan()) {
            return None;
        }
        *self = Self { interval: self.interval, ..saved.into_owned() };
        Some(())
    }

    /// Time between two changes of velocities, s; infinite where nothing decays.
    pub(crate) fn interval(&self) -> f64 {
        self.interval
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
        if self.broke_at.is_empty() || state.time - self.applied < self.interval {
            return 0.0;
        }
        self.find_pieces(world);
        let pieces = self.pieces.as_ref().map_or(&[][..], |(_, pieces)| pieces);
        let decays = parallel::map(pieces.len(), 1, |k| self.decay(world, held, state, &pieces[k]));
        let decays = pieces.iter().zip(decays).filter_map(|(members, decay)| Some((members, decay?)));
        let dissipated = decays.map(|(members, (body, factor))| apply(world, state, members, &body, factor)).sum();
        self.applied = state.time;
        dissipated
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

    /// Rigid motion of a piece of these `members` (ascending), and factor on the velocities of the rest up to `state`, if they decay.
    fn decay(&self, world: &World, held: &[bool], state: &State, members: &[u32]) -> Option<(Body, f64)> {
        let of = || members.iter().map(|&i| i as usize);
        let broke_at = of().map(|i| self.broke_at[i]).fold(f64::NEG_INFINITY, f64::max);
        if broke_at == f64::NEG_INFINITY || of().any(|i| held.get(i).is_some_and(|held| *held)) {
            return None;
        }
        let mass = &world.particles.mass;
        let rate = of().map(|i| mass[i] / world.material_of(i).vibration_decay).sum::<f64>()
            / of().map(|i| mass[i]).sum::<f64>();
        let elapsed = state.time - self.applied.max(broke_at + 1.0 / rate);
        (elapsed > 0.0).then(|| (Body::of(members, &world.particles, state), libm::exp(-rate * elapsed)))
    }
}

/// Multiplies the velocities of `members` about the rigid motion of their `body` by a factor. Returns the dissipated energy, J.
fn apply(world: &World, state: &mut State, members: &[u32], body: &Body, factor: f64) -> f64 {
    let mut twice = 0.0;
    for i in members.iter().map(|&i| i as usize) {
        let [v, w] = [body.velocity_at(&state.p[i]), body.spin];
        let [u, s] = [state.v[i] - v, state.w[i] - w];
        twice += world.particles.mass[i] * u.norm_squared() + world.particles.inertia[i] * s.norm_squared();
        (state.v[i], state.w[i]) = (v + u * factor, w + s * factor);
    }
    0.5 * (1.0 - factor * factor) * twice
}
