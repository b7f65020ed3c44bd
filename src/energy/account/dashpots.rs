//! What the damping of contacts takes in an explicit step.

use rayon::prelude::*;

use crate::contact::{ContactPair, Neighbours, Slip};
use crate::energy::{Potential, gap_between};
use crate::model::{Pair, State, World};
use crate::parallel::{sum_chunks, sum_parts};

/// Pairs a task, and particles that are worth a second thread.
const CHUNK: usize = 1024;

/// The energy (J) that dashpots take by the forces at the end of a step. Half of these act in it and half in the next, and the
/// speeds there are the means of both.
pub fn by_dashpots(world: &World, contacts: &Neighbours, before: &State, after: &State) -> f64 {
    if world.contact_damping == 0.0 {
        return 0.0;
    }
    let potential = Potential { slip: Slip::Since(before), ..Potential::new(world, contacts) };
    let pair = |pair: &ContactPair| {
        if !pair.overlaps(&after.p) {
            return 0.0;
        }
        let gap = gap_between(pair, after);
        let [i, j] = pair.ends();
        let spring = potential.slip.pair_spring(pair, after);
        spring.resistance(-gap.gap) * (after.v[i] - after.v[j]).dot(&gap.n)
    };
    let wall = |i: usize| {
        let pushes = potential.wall_pushes(i, after);
        pushes.map(|push| push.spring().resistance(-push.gap) * push.closing_speed(after, i)).sum::<f64>()
    };
    let all = contacts.pairs();
    let pairs = || -> f64 {
        match contacts.touching() {
            Some(touching) => sum_parts(touching.parts(), |part| part.iter().map(|&k| pair(&all[k as usize])).sum()),
            None => sum_parts(all.par_chunks(CHUNK), |pairs| pairs.iter().map(pair).sum()),
        }
    };
    let walls = || -> f64 {
        match contacts.near_walls().list() {
            Some(near) => near.iter().map(|&i| wall(i as usize)).sum(),
            None if world.colliders.is_empty() => 0.0,
            None => sum_chunks(after.len(), CHUNK, |particles| particles.map(wall).sum()),
        }
    };
    (pairs() + walls()) * (after.time - before.time)
}
