//! Constraints, loads and winds in the steps of a block.

use std::collections::HashMap;

use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{HeldParticles, State, World, Wrench};
use bytemuck::{Pod, Zeroable};

use super::layout::{Format, single};

/// Motion of a held group in a drift, or loads on a free one in a kick: `Row` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable, Default)]
pub(super) struct Row {
    centre: [i32; 3],
    is_held: u32,
    moved: [f32; 3],
    less: f32,
    turn: [f32; 3],
    pad_0: u32,
    v: [f32; 3],
    pad_1: u32,
    w: [f32; 3],
    pad_2: u32,
    force: [f32; 3],
    pad_3: u32,
    torque: [f32; 3],
    pad_4: u32,
    wind: [f32; 3],
    pad_5: u32,
}

/// Groups of particles on which the same constraints act.
pub(super) struct Groups {
    /// Group of each particle.
    pub of_particles: Vec<u32>,
    groups: Vec<Group>,
}

struct Group {
    /// Indices of the constraints.
    constraints: Vec<usize>,
    /// That which holds the particles.
    holder: Option<usize>,
    /// Mean position, m.
    centre: Vec3,
}

/// Loads on each particle of a group, and acceleration by winds (m/s2).
#[derive(Clone, Copy, Default)]
struct Load {
    wrench: Wrench,
    wind: Vec3,
}

impl Groups {
    /// Groups in the steps from the time of `state` on, of which the first is of `dt` (s).
    pub(super) fn new(world: &World, state: &State, holding: &HeldParticles, dt: f64) -> Self {
        let mut acting = vec![Vec::new(); state.len()];
        for (k, constraint) in world.constraints.iter().enumerate() {
            if constraint.acts(state.time, state.time + dt) {
                constraint.particles.iter().for_each(|&i| acting[i as usize].push(k));
            }
        }
        let mut indices = HashMap::new();
        let (mut groups, mut counts) = (Vec::<Group>::new(), Vec::<f64>::new());
        let mut of_particles = Vec::with_capacity(state.len());
        for (i, constraints) in acting.into_iter().enumerate() {
            let group = *indices.entry(constraints).or_insert_with_key(|constraints| {
                let holder = holding.constraint(i);
                groups.push(Group { constraints: constraints.clone(), holder, centre: Vec3::zeros() });
                counts.push(0.0);
                groups.len() - 1
            });
            groups[group].centre += state.p[i];
            counts[group] += 1.0;
            of_particles.push(group as u32);
        }
        groups.iter_mut().zip(counts).for_each(|(group, count)| group.centre /= count);
        Self { of_particles, groups }
    }

    /// Number of groups.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Rows of the kicks and drifts of steps between `times` (s): each group's of the first, then each of the second. `holding` is set
    /// to the last step.
    pub(super) fn rows(
        &self,
        world: &World,
        state: &State,
        holding: &mut HeldParticles,
        format: &Format,
        times: &[f64],
    ) -> Vec<Row> {
        let mut rows = vec![Row::default(); times.len() * self.len()];
        let kicks = rows.chunks_mut(self.len());
        let mut centres: Vec<Vec3> = self.groups.iter().map(|group| group.centre).collect();
        let mut before: Option<Vec<Load>> = None;
        for (k, rows) in kicks.enumerate() {
            let is_last = k + 1 == times.len();
            let step = [times[k], *times.get(k + 1).unwrap_or(&times[k])];
            if !is_last {
                holding.set(world, step[0], step[1]);
            }
            let after: Option<Vec<Load>> =
                (!is_last).then(|| self.groups.iter().map(|group| group.load(world, state, step)).collect());
            for (g, group) in self.groups.iter().enumerate() {
                let [load, other] = [&before, &after].map(|loads| loads.as_ref().map(|loads| loads[g]));
                rows[g].set_load(load.or(other).unwrap_or_default(), other.or(load).unwrap_or_default());
                if let Some(holder) = group.holder {
                    rows[g].is_held = 1;
                    if !is_last {
                        let transfer = &holding.transfers()[holder];
                        let at = format.units(&centres[g]);
                        let centre = format.place(at);
                        let (p, turn, v, w) = transfer.apply(&centre, &Quat::identity());
                        rows[g].centre = at;
                        (rows[g].moved, rows[g].less) = (single(p - centre), (turn.w - 1.0) as f32);
                        (rows[g].turn, rows[g].v, rows[g].w) = (single(turn.imag()), single(v), single(w));
                        centres[g] = transfer.apply(&centres[g], &Quat::identity()).0;
                    }
                }
            }
            before = after;
        }
        rows
    }
}

impl Group {
    /// Loads in a step between two times (s).
    fn load(&self, world: &World, state: &State, step: [f64; 2]) -> Load {
        let middle = 0.5 * (step[0] + step[1]);
        let mut load = Load::default();
        for &k in &self.constraints {
            // the same for each particle
            if let Some((_, wrench)) = world.constraints[k].loads(middle, state, 0.0).next() {
                load.wrench += wrench;
            }
        }
        for wind in world.winds.iter().filter(|wind| wind.times.contains(&middle)) {
            // the same everywhere
            load.wind += wind.at(&wind.origin, middle);
        }
        load
    }
}

impl Row {
    /// Sets the loads of a kick: half of those of the steps before and after it.
    fn set_load(&mut self, a: Load, b: Load) {
        let mean = |a: Vec3, b: Vec3| single((a + b) * 0.5);
        self.force = mean(a.wrench.force, b.wrench.force);
        self.torque = mean(a.wrench.torque, b.wrench.torque);
        self.wind = mean(a.wind, b.wind);
    }
}
