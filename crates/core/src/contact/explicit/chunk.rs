use crate::contact::effective_mass::EffectiveMasses;
use crate::geometry::Vec3;
use crate::model::{State, World};
use crate::simd::{InstructionSet, Row8};

use super::drifts::{Drifts, added};
use super::kernel::{Correction, Input, OnWall, Sums, Task, evaluate_on_walls, evaluate_pairs};
use super::pair_list::PairList;
use super::steps::{StepFlows, StepInput};
use super::wall_list::{WallList, WallTask};

/// Contacts of a step whose first particle is in a chunk.
#[derive(Clone, Debug, Default)]
pub(super) struct Chunk {
    pub pairs: PairList,
    pub walls: WallList,
    /// Sums of the evaluated step; empty without contacts.
    pub sums: Sums,
}

impl Chunk {
    /// Whether no contact is evaluated.
    pub(super) fn is_idle(&self) -> bool {
        self.pairs.contacts.count == 0 && self.walls.contacts.count == 0
    }

    /// Finds the contacts of a step. `start` and `end` have the rows of springs of the chunk's near pairs.
    pub(super) fn find(&mut self, c: usize, step: &StepInput, task: &WallTask, (start, end): (&[Row8], &mut [Row8])) {
        if !self.pairs.is_known() {
            return;
        }
        let (instructions, radius) = (step.world.instructions, &step.world.particles.radius);
        self.pairs.activate(instructions, step.near(c), radius, [step.before, step.after], (start, end));
        if !task.walls.is_empty() {
            self.walls.follow(task, c, &self.pairs.halo.own, !step.springs.walls.is_empty());
            self.walls.find(task, &self.pairs.halo, step.springs.walls.get(c));
        }
        let [pairs, on_walls] = [self.pairs.near(), self.walls.room()];
        self.sums.reserve(self.pairs.rows(), [pairs, on_walls], step.world.contact_damping > 0.0 || on_walls > 0);
    }

    /// Adds the contacts of bodies that touch to their `masses`.
    pub(super) fn add_masses(&self, c: usize, step: &StepInput, masses: &mut EffectiveMasses) {
        let heavy = if self.pairs.is_heavy { &self.pairs.active[..] } else { &[] };
        for pair in heavy.iter().map(|&k| &step.near(c)[k as usize]) {
            if masses.differ(pair) && step.touches(pair) {
                masses.add_pair(step.world, step.after, [pair.i, pair.j]);
            }
        }
        for (on, n, _) in self.walls.touching() {
            if masses.differs(on.particle) {
                masses.add(step.world, step.after, on.particle, &n);
            }
        }
    }

    /// Sets the damping of bodies' contacts by their `masses`.
    pub(super) fn set_masses(&mut self, c: usize, step: &StepInput, masses: &EffectiveMasses) {
        let (world, x, zeta) = (step.world, step.after, masses.zeta());
        let heavy = if self.pairs.is_heavy { &self.pairs.active[..] } else { &[] };
        for (k, pair) in heavy.iter().map(|&k| &step.near(c)[k as usize]).enumerate() {
            if masses.differ(pair) && step.touches(pair) {
                let mass = masses.of_pair(world, x, [pair.i, pair.j]);
                self.pairs.contacts.set_damping(k, pair.spring.damped(zeta, mass).damping);
            }
        }
        let damping = |i: u32, n: &Vec3| {
            world.wall_normal_spring(i as usize).damped(zeta, masses.on_wall(world, x, i, n)).damping
        };
        self.walls.set_damping(|i, n| masses.differs(i).then(|| damping(i, n)));
    }

    /// Evaluates the contacts, and adds them up. `start` and `end` have the rows of springs of the chunk's near pairs.
    pub(super) fn evaluate(&mut self, instructions: InstructionSet, task: &Task, (start, end): (&[Row8], &mut [Row8])) {
        let is_idle = self.is_idle();
        let Self { pairs, walls, sums } = self;
        let is_damped = task.damping.zeta > 0.0 || walls.contacts.count > 0;
        sums.reset(if is_idle { 0 } else { pairs.rows() }, is_damped);
        if is_idle {
            return;
        }
        evaluate_pairs(instructions, &Input { task, contacts: &pairs.contacts, start }, end, sums);
        let [start, end] = &mut walls.springs;
        evaluate_on_walls(instructions, &Input { task, contacts: &walls.contacts, start }, end, sums);
    }

    /// Forces (N) of particles on walls at the end `after` of the step, by the walls' indices, and where they act (m).
    pub(super) fn forces_on_walls<'a>(
        &'a self,
        world: &'a World,
        after: &'a State,
    ) -> impl Iterator<Item = (usize, Vec3, Vec3)> + 'a {
        self.walls.touching().zip(&self.sums.on_walls).map(|((on, n, gap), OnWall { force, .. })| {
            let arm = world.particles.radius[on.particle as usize] + gap.min(0.0);
            (on.wall as usize, *force, after.p[on.particle as usize] + n * arm)
        })
    }

    /// Energy flows of the evaluated step.
    pub(super) fn flows(&self, drifts: &Drifts) -> StepFlows {
        let (halo, mut flows) = (&self.pairs.halo, StepFlows::default());
        if self.sums.forces.is_empty() {
            return flows;
        }
        for Row8([.., by_sliding, trapezoid_error]) in &self.sums.forces[..halo.own.len()] {
            flows.friction.by_sliding += by_sliding;
            flows.trapezoid_error += trapezoid_error;
        }
        let mut at_end = 0.0;
        for (row, &Row8([x, y, z, a, b, c, power, _])) in self.sums.dashpots.iter().take(halo.rows()).enumerate() {
            let (i, force, torque) = (halo.node(row), Vec3::new(x, y, z), Vec3::new(a, b, c));
            at_end += force.dot(&drifts.after.v[i]) + torque.dot(&drifts.after.w[i]);
            flows.dashpots[0] += power;
        }
        let mut by_walls = 0.0;
        for OnWall { power, work, .. } in &self.sums.on_walls {
            by_walls += power;
            flows.friction.walls += work;
        }
        flows.dashpots[1] = 2.0 * (at_end - by_walls) - flows.dashpots[0];
        for Correction { ends: [i, j], force, wall } in &self.sums.corrections {
            let [of_i, of_j] = [i, j].map(|i| drifts.velocities(*i as usize));
            let apart = |drift: usize| if i == j { of_i[drift] } else { of_i[drift] - of_j[drift] };
            flows.corrections = added(flows.corrections, [0, 1].map(|drift| force.dot(&apart(drift)) - wall));
            by_walls += wall;
        }
        flows.walls = [-by_walls; 2];
        flows
    }
}
