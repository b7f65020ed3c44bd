//! What an implicit step must not do, however well its equations are solved.

use rayon::prelude::*;

use crate::contact::may_pass;
use crate::fracture::Pieces;
use crate::geometry::{Quat, Vec3};
use crate::model::{Pair, World};

use super::StepError;

/// How far bonded particles may turn against each other in a step, rad; near twice as much Newton fails anyway.
const MOST_TURN: f64 = 0.5;

/// Particles a task at least.
const CHUNK: usize = 1024;

/// Refuses a step from some orientations to others in which bonded particles turned far against each other: the solution
/// that was found may be another one than the motion would have come to.
pub fn check_turns(world: &World, [from, to]: [&[Quat]; 2]) -> Result<(), StepError> {
    let least = libm::cos(0.5 * MOST_TURN);
    // none turned half as far by itself: the rule, and far cheaper to see
    let little = libm::cos(0.25 * MOST_TURN);
    let turned = |(from, to): (&Quat, &Quat)| from.coords.dot(&to.coords).abs() < little;
    if !from.par_iter().zip(to).with_min_len(CHUNK).any(turned) {
        return Ok(());
    }
    let between = |q: &[Quat], [i, j]: [usize; 2]| q[j].conjugate() * q[i];
    let cosine = |ends| between(from, ends).coords.dot(&between(to, ends).coords).abs();
    let far = world.bonds().par_iter().find_first(|bond| !bond.is_broken() && cosine(bond.ends()) < least);
    far.map_or(Ok(()), |bond| Err(StepError::TurnedTooFar { ends: bond.ends() }))
}

/// Refuses a step from some places (m) to others in which something may have passed through another piece or a wall.
pub fn check_ways(world: &World, [from, to]: [&[Vec3]; 2], times: [f64; 2]) -> Result<(), StepError> {
    let radius = &world.particles.radius;
    let steps = world.walls_during(times);
    let passes_wall = |&i: &usize| steps.iter().any(|wall| wall.may_pass([&from[i], &to[i]], radius[i]));
    let pieces = || Pieces::of(world).of_particle;
    let walls = || (0..from.len()).into_par_iter().with_min_len(CHUNK).find_first(passes_wall);
    let passes = may_pass(radius, from, to, pieces).or_else(walls);
    passes.map_or(Ok(()), |particle| Err(StepError::MayPass { particle }))
}
