//! Limits on the motion in an implicit step, independent of the solver's accuracy.

use crate::fracture::Pieces;
use crate::geometry::sweep::may_pass;
use crate::geometry::{Quat, Vec3};
use crate::model::{Bond, Pair, State, World};
use crate::parallel::{self, CHUNK};

use super::StepError;

/// Limit on the relative rotation of bonded particles in a step, rad. Newton's method fails near twice this value.
const MAX_ROTATION: f64 = 0.5;

/// Limit on the rotation that a torque would give a free particle in a step, rad. The objective holds the torque by the sine of half of
/// it: 1 % too weak at this limit, and of the wrong sign beyond a turn.
const MAX_TORQUE_ROTATION: f64 = 0.5;

/// Refuses a step in which a torque is too strong for the inertia of a bonded particle. `b` (s) is the time rule's weight of the
/// step from `start` between `times` (s).
pub(super) fn check_torques(world: &World, start: &State, b: f64, times: [f64; 2]) -> Result<(), StepError> {
    let rotation = |i: usize, torque: &Vec3| torque.norm() * b * b / world.particles.inertia[i];
    let loads = world.loads(times, start, 1.0).filter(|(i, load)| rotation(*i, &load.torque) > MAX_TORQUE_ROTATION);
    let mut rotated: Vec<usize> = loads.map(|(i, _)| i).collect();
    if rotated.is_empty() {
        return Ok(());
    }
    rotated.sort_unstable();
    let is_rotated = |i: &usize| rotated.binary_search(i).is_ok();
    let particle = world
        .whole_bonds()
        .filter(|bond| bond.model.has_orientation())
        .find_map(|bond| bond.ends().into_iter().find(is_rotated));
    particle.map_or(Ok(()), |particle| Err(StepError::TorqueTooStrong { particle }))
}

/// Refuses a step in which bonded particles rotated far relative to each other. Several solutions exist then, and the one found
/// may be wrong.
pub(super) fn check_rotations(world: &World, [from, to]: [&[Quat]; 2]) -> Result<(), StepError> {
    let threshold = libm::cos(0.5 * MAX_ROTATION);
    // no particle rotated by half of the limit: the usual case, and a cheaper check
    let single = libm::cos(0.25 * MAX_ROTATION);
    let turned = |i: usize| from[i].coords.dot(&to[i].coords).abs() < single;
    if parallel::find_first(from.len(), CHUNK, turned).is_none() {
        return Ok(());
    }
    let between = |q: &[Quat], [i, j]: [usize; 2]| q[j].conjugate() * q[i];
    let cosine = |ends| between(from, ends).coords.dot(&between(to, ends).coords).abs();
    let turns = |bond: &Bond| !bond.is_broken() && bond.model.has_orientation();
    let bonds = world.bonds();
    let far = parallel::find_first(bonds.len(), CHUNK, |k| turns(&bonds[k]) && cosine(bonds[k].ends()) < threshold);
    far.map_or(Ok(()), |k| Err(StepError::TurnedTooFar { ends: bonds[k].ends() }))
}

/// Refuses an explicit step between two sets of positions (m) in which a particle passed through a wall. `way` (m) bounds the
/// displacements.
pub(super) fn check_walls(world: &World, [from, to]: [&[Vec3]; 2], times: [f64; 2], way: f64) -> Result<(), StepError> {
    let radius = &world.particles.contact_radius;
    let least = radius.iter().copied().filter(|r| *r > 0.0).fold(f64::INFINITY, f64::min);
    if world.walls.is_empty() || way <= least {
        return Ok(());
    }
    let steps = world.walls_during(times);
    let crosses = |i: usize| radius[i] > 0.0 && steps.iter().any(|wall| wall.is_crossed([&from[i], &to[i]], radius[i]));
    let crossing = parallel::find_first(from.len(), CHUNK, crosses);
    crossing.map_or(Ok(()), |particle| Err(StepError::MayPass { particle }))
}

/// Refuses a step between two sets of positions (m) in which a particle may have passed through another piece or a wall.
pub(super) fn check_paths(world: &World, [from, to]: [&[Vec3]; 2], times: [f64; 2]) -> Result<(), StepError> {
    let radius = &world.particles.contact_radius;
    let steps = world.walls_during(times);
    let passes_wall = |i: usize| steps.iter().any(|wall| wall.may_pass([&from[i], &to[i]], radius[i]));
    let pieces = || Pieces::of(world).of_particle;
    let walls = || parallel::find_first(from.len(), CHUNK, passes_wall);
    let passes = may_pass(radius, from, to, pieces).or_else(walls);
    passes.map_or(Ok(()), |particle| Err(StepError::MayPass { particle }))
}
