//! What may meet until a time to come, so that each block looks at little.

use rayon::prelude::*;

use crate::contact::Ways;
use crate::geometry::Vec3;
use crate::model::{State, World};

use super::{AUTO, AWAKE, CHUNK, Sleep};

/// Pairs that may meet, and particles that may meet walls, as long as none is off its straight way by more than
/// [`foreseen_leeway`](crate::integrate::AutoSettings::foreseen_leeway).
#[derive(Clone, Debug, Default)]
pub struct Foresight {
    /// Where it began, and ends, s.
    began: State,
    until: f64,
    /// Pairs of particles that are not of one sleeper, one of them asleep; sorted.
    pub pairs: Vec<[u32; 2]>,
    /// Sleeping particles, ascending.
    pub on_walls: Vec<u32>,
}

impl Foresight {
    /// Whether it holds in `state` and for `span` (s) more.
    pub fn holds(&self, world: &World, sleep: &Sleep, state: &State, span: f64) -> bool {
        let elapsed = state.time - self.began.time;
        if self.began.len() != state.len() || state.time + span > self.until {
            return false;
        }
        let bends = sleep.bends(state, elapsed);
        let fall = world.gravity * (0.5 * elapsed * elapsed);
        (0..state.len()).into_par_iter().with_min_len(CHUNK).all(|i| {
            let off = state.p[i] - self.began.p[i] - self.began.v[i] * elapsed - fall;
            let slack = (AUTO.foreseen_leeway - 2.0 * AUTO.leeway) * world.particles.radius[i]
                + sleep.sleeper(i).map_or(0.0, |sleeper| bends[sleeper]);
            off.norm_squared() <= slack * slack
        })
    }

    /// Foresees `span` (s) from `state`.
    pub fn new(world: &World, sleep: &Sleep, state: &State, span: f64) -> Self {
        let radius = &world.particles.radius;
        let bends = sleep.bends(state, span);
        let fall = world.gravity * (0.5 * span * span);
        let to: Vec<Vec3> = state.p.iter().zip(&state.v).map(|(p, v)| p + v * span + fall).collect();
        let largest = radius.iter().copied().fold(0.0, f64::max);
        let off = |sleeper: u32| AUTO.foreseen_leeway * largest + bends.get(sleeper as usize).copied().unwrap_or(0.0);
        let walls = world.walls_at(state.time);
        let near_wall = |i: &u32| {
            let i = *i as usize;
            let far = radius[i] + (to[i] - state.p[i]).norm() + fall.norm() + off(sleep.sleeper_of[i]);
            sleep.sleeper_of[i] != AWAKE && walls.iter().any(|wall| wall.gap(&state.p[i], far).is_some())
        };
        let ways = Ways { radius, from: &state.p, to: &to, pieces: &sleep.sleeper_of };
        Self {
            began: state.clone(),
            until: state.time + span,
            pairs: ways.meetings(off),
            on_walls: (0..state.len() as u32).into_par_iter().with_min_len(CHUNK).filter(near_wall).collect(),
        }
    }

    /// Whether nothing may meet.
    pub fn is_clear(&self) -> bool {
        self.pairs.is_empty() && self.on_walls.is_empty()
    }
}
