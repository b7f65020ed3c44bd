//! Constraints, loads and winds in the steps of a block.

use std::collections::{BTreeMap, HashMap};

use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{HeldParticles, RestPoseTransfer, State, World, Wrench};
use bytemuck::{Pod, Zeroable};

use super::layout::{Format, single};

/// Motion of a held group in a drift, or loads on a free one in a kick: `Row` of the shader.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable, Default)]
pub(super) struct Row {
    /// Centre, and 1 if held.
    centre: [i32; 4],
    moved: [f32; 4],
    turn: [f32; 4],
    v: [f32; 4],
    w: [f32; 4],
    force: [f32; 4],
    torque: [f32; 4],
    wind: [f32; 4],
}

fn four(v: Vec3) -> [f32; 4] {
    let [x, y, z] = single(v);
    [x, y, z, 0.0]
}

/// Groups of particles on which the same constraints act, as they move through a block.
pub(super) struct Groups {
    /// Group of each particle.
    pub of_particles: Vec<u32>,
    groups: Vec<Group>,
}

#[derive(Default)]
struct Group {
    /// Indices of the constraints.
    constraints: Vec<usize>,
    /// That which holds the particles.
    holder: Option<usize>,
    /// Mean position, m.
    centre: Vec3,
    /// Loads in the last step; none before the first.
    load: Option<Load>,
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
        let mut acting = BTreeMap::<u32, Vec<usize>>::new();
        for (k, constraint) in world.constraints.iter().enumerate() {
            if constraint.acts(state.time, state.time + dt) {
                constraint.particles.iter().for_each(|&i| acting.entry(i).or_default().push(k));
            }
        }
        // the first one is of all others
        let (mut groups, mut counts) = (vec![Group::default()], vec![1.0]);
        let mut of_particles = vec![0; state.len()];
        let mut indices = HashMap::new();
        for (i, constraints) in acting {
            let i = i as usize;
            let group = *indices.entry(constraints).or_insert_with_key(|constraints| {
                let holder = holding.constraint(i);
                groups.push(Group { constraints: constraints.clone(), holder, ..Group::default() });
                counts.push(0.0);
                groups.len() - 1
            });
            groups[group].centre += state.p[i];
            counts[group] += 1.0;
            of_particles[i] = group as u32;
        }
        groups.iter_mut().zip(counts).for_each(|(group, count)| group.centre /= count);
        Self { of_particles, groups }
    }

    /// Number of groups.
    pub(super) fn len(&self) -> usize {
        self.groups.len()
    }

    /// Rows of the next kicks and drifts: each group's of the first, then each of the second. `steps` are the start and end of each
    /// step, s; none for the last kick, which no drift follows. `holding` is set to the last step.
    pub(super) fn rows(
        &mut self,
        world: &World,
        state: &State,
        holding: &mut HeldParticles,
        format: &Format,
        steps: impl Iterator<Item = Option<[f64; 2]>>,
    ) -> Vec<Row> {
        let mut rows = Vec::new();
        for step in steps {
            if let Some([from, to]) = step {
                holding.set(world, from, to);
            }
            for group in &mut self.groups {
                let load = step.map(|step| group.load(world, state, step));
                let before = std::mem::replace(&mut group.load, load);
                let mut row = Row::new(before.or(load), load.or(before));
                if let Some(holder) = group.holder {
                    row.centre[3] = 1;
                    if step.is_some() {
                        row.hold(&mut group.centre, &holding.transfers()[holder], format);
                    }
                }
                rows.push(row);
            }
        }
        rows
    }
}

impl Group {
    /// Loads in a step between two times (s).
    fn load(&self, world: &World, state: &State, step: [f64; 2]) -> Load {
        let middle = 0.5 * (step[0] + step[1]);
        let mut load = Load::default();
        let constraints = self.constraints.iter().map(|&k| &world.constraints[k]);
        for constraint in constraints.filter(|constraint| constraint.motion().is_none()) {
            // the same for each particle
            if let Some((_, wrench)) = constraint.loads(middle, state, 0.0).next() {
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
    /// Loads of a kick: half of those of the steps before and after it.
    fn new(before: Option<Load>, after: Option<Load>) -> Self {
        let [a, b] = [before, after].map(Option::unwrap_or_default);
        let mean = |a: Vec3, b: Vec3| four((a + b) * 0.5);
        Self {
            force: mean(a.wrench.force, b.wrench.force),
            torque: mean(a.wrench.torque, b.wrench.torque),
            wind: mean(a.wind, b.wind),
            ..Self::default()
        }
    }

    /// Sets the motion of a held group about its `centre` (m), which it moves.
    fn hold(&mut self, centre: &mut Vec3, transfer: &RestPoseTransfer, format: &Format) {
        let units = format.units(centre);
        let at = format.place(units);
        let (p, turn, v, w) = transfer.apply(&at, &Quat::identity());
        self.centre[..3].copy_from_slice(&units);
        (self.moved, self.v, self.w) = (four(p - at), four(v), four(w));
        self.turn = (turn - Quat::identity()).coords.map(|part| part as f32).into();
        *centre = transfer.apply(centre, &Quat::identity()).0;
    }
}
