//! Broad phase of contact detection over several blocks, along ballistic paths.

use crate::geometry::Vec3;
use crate::geometry::sweep::Ways;
use crate::model::{State, World};
use crate::parallel;

use super::{ACTIVE, CHUNK, PATH_MARGIN, Sleep};

/// Limit on a particle's distance from its ballistic path, in radii.
const MARGIN: f64 = 0.5;

/// Number of blocks for which a search holds. The pairs that it finds grow with the cube of its span.
pub(super) const BLOCKS: f64 = 16.0;

/// Pairs that may meet, and particles that may meet walls. Valid while every particle is within
/// [`MARGIN`] radii of its ballistic path.
#[derive(Clone, Debug, Default)]
pub(super) struct BroadPhase {
    /// State at its start, and time of its end, s.
    start: State,
    until: f64,
    /// Sorted pairs of particles of different pieces, at least one of them asleep.
    pub pairs: Vec<[u32; 2]>,
    /// Sleeping particles that may meet a wall, ascending.
    pub on_walls: Vec<u32>,
}

impl BroadPhase {
    /// Whether it is valid from `state` on up to the time `until` (s).
    pub(super) fn holds(&self, world: &World, sleep: &Sleep, state: &State, until: f64) -> bool {
        let elapsed = state.time - self.start.time;
        if self.start.len() != state.len() || until > self.until {
            return false;
        }
        let sagittas = sleep.sagittas(state, elapsed);
        let fall = world.gravity * (0.5 * elapsed * elapsed);
        let is_off = |i: usize| {
            let off = state.p[i] - self.start.p[i] - self.start.v[i] * elapsed - fall;
            let margin = (MARGIN - 2.0 * PATH_MARGIN) * world.particles.radius[i]
                + sleep.sleeper(i).map_or(0.0, |sleeper| sagittas[sleeper]);
            off.norm_squared() > margin * margin
        };
        parallel::find_first(state.len(), CHUNK, is_off).is_none()
    }

    /// Broad phase of `span` (s) from `state`.
    pub(super) fn new(world: &World, sleep: &Sleep, state: &State, span: f64) -> Self {
        let radius = &world.particles.contact_radius;
        let sagittas = sleep.sagittas(state, span);
        let fall = world.gravity * (0.5 * span * span);
        let to: Vec<Vec3> = state.p.iter().zip(&state.v).map(|(p, v)| p + v * span + fall).collect();
        let largest = radius.iter().copied().fold(0.0, f64::max);
        let off = |sleeper: u32| MARGIN * largest + sagittas.get(sleeper as usize).copied().unwrap_or(0.0);
        let walls = world.walls_at(state.time);
        let near_wall = |&i: &usize| {
            let far = radius[i] + (to[i] - state.p[i]).norm() + fall.norm() + off(sleep.sleeper_of[i]);
            sleep.sleeper_of[i] != ACTIVE && walls.iter().any(|wall| wall.gap(&state.p[i], far).is_some())
        };
        let ways = Ways { radius, from: &state.p, to: &to, pieces: &sleep.sleeper_of };
        Self {
            start: state.clone(),
            until: state.time + span,
            pairs: ways.meetings(off),
            on_walls: parallel::flat_map(state.len(), CHUNK, |particles, near| {
                near.extend(particles.filter(near_wall).map(|i| i as u32));
            }),
        }
    }

    /// Whether nothing may touch anything else while it is valid.
    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.on_walls.is_empty()
    }
}
