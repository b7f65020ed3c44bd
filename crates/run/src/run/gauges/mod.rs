//! Quantities that a run measures besides its frames: forces on named walls and constraints, stresses, and probes.

mod measure;
mod peak;

use std::borrow::Cow;

use crate::scene::{ForcesEvery, Probe, Scene, Until};

use super::under_way::FrameUnderWay;

use bdem_core::energy::Reactions;
use bdem_core::geometry::{Mat3, Vec3};
use bdem_core::model::{Gradient, State, World};
use bdem_core::simulate::{ForceRow, Simulation};
use measure::{Measure, Members};
pub use peak::LoadPeak;

/// Gauges of a run, in the order of their columns.
#[derive(Debug)]
pub struct Gauges {
    gauges: Vec<(String, Measure)>,
    /// Volume of each particle, m3, where stresses are measured.
    volumes: Vec<f64>,
    every: Option<ForcesEvery>,
    frame_rate: f64,
    /// First column of the force whose fall may end the run, and that condition.
    watched: Option<(usize, Until)>,
}

/// Forces and stresses of a state that gauges need.
struct Loads<'a> {
    world: &'a World,
    state: &'a State,
    reactions: &'a Reactions<'a>,
    gradient: Vec<Gradient>,
    virials: Vec<Mat3>,
    volumes: &'a [f64],
}

impl Gauges {
    /// The gauges of `scene`, whose initial `state` they refer to.
    pub fn new(scene: &Scene, world: &World, state: &State) -> Self {
        let mut gauges = Vec::new();
        for (index, collider) in scene.colliders.iter().enumerate() {
            let origin = Vec3::from(collider.position);
            gauges.extend(collider.name.clone().map(|name| (name, Measure::Wall { index, origin })));
        }
        for (index, constraint) in scene.constraints.iter().enumerate() {
            let members = || Members::new(world.constraints[index].particles.clone(), state);
            gauges
                .extend(constraint.name.clone().map(|name| (name, Measure::Constraint { index, members: members() })));
        }
        for name in &scene.output.stress {
            let is_of = |i: &u32| scene.bodies[usize::from(world.particles.body[*i as usize])].name == *name;
            let particles = (0..state.len() as u32).filter(is_of).collect();
            gauges.push((name.clone(), Measure::Stress(Members::new(particles, state))));
        }
        gauges.extend(scene.output.probes.iter().map(|probe| (probe.name.clone(), Measure::of_probe(probe, state))));
        let has_stress = gauges.iter().any(|(_, measure)| measure.has_stress());
        let mut gauges = Self {
            gauges,
            volumes: if has_stress { scene.particle_volumes(world) } else { Vec::new() },
            every: scene.output.forces_every,
            frame_rate: scene.time.frame_rate,
            watched: None,
        };
        let watched = scene.load_until().map(|name| format!("{name}.force_x"));
        let column = watched.and_then(|column| gauges.columns().iter().position(|name| *name == column));
        gauges.watched = column.zip(scene.time.until.clone());
        gauges
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.gauges.is_empty()
    }

    /// Names of the columns.
    pub fn columns(&self) -> Vec<String> {
        let of = |(name, measure): &(String, Measure)| {
            let name = name.clone();
            measure.columns().into_iter().map(move |column| format!("{name}.{column}"))
        };
        self.gauges.iter().flat_map(of).collect()
    }

    /// Adds the row that is due after a step within `frame`, whose number is `number`.
    pub(crate) fn after_step(&self, simulation: &Simulation, frame: &mut FrameUnderWay, number: u32) {
        let Some(every) = self.every.filter(|_| !self.is_empty() && frame.left > 0) else { return };
        if every.is_due(frame.progress.steps, [self.last_row(frame, number), simulation.state.time]) {
            self.measure(simulation, frame, number);
        }
    }

    /// Number of steps from now to the next row that [`Self::after_step`] adds.
    pub(crate) fn steps_to_row(&self, simulation: &Simulation, frame: &FrameUnderWay, number: u32) -> u32 {
        let Some(every) = self.every.filter(|_| !self.is_empty()) else { return u32::MAX };
        let times = [self.last_row(frame, number), simulation.state.time];
        every.steps_to_next(frame.progress.steps, times, simulation.plan.step)
    }

    /// Time of the last row of a frame, or of its start, s.
    fn last_row(&self, frame: &FrameUnderWay, number: u32) -> f64 {
        let start = f64::from(number - 1) / self.frame_rate;
        frame.progress.forces.last().map_or(start, |row| row.time)
    }

    /// Adds the row of the state of `simulation` to `frame`.
    pub fn measure(&self, simulation: &Simulation, frame: &mut FrameUnderWay, number: u32) {
        if self.is_empty() {
            return;
        }
        let row = ForceRow { frame: number, time: simulation.state.time, values: self.values(simulation) };
        if let Some((at, until)) = &self.watched {
            frame.peak.update(Vec3::from_column_slice(&row.values[*at..at + 3]).norm(), until);
        }
        frame.progress.forces.push(row);
    }

    fn values(&self, simulation: &Simulation) -> Vec<f64> {
        let Simulation { world, state, .. } = simulation;
        with_reactions(simulation, |reactions| {
            let has_constraints = self.gauges.iter().any(|(_, measure)| matches!(measure, Measure::Constraint { .. }));
            let loads = Loads {
                world,
                state,
                gradient: if has_constraints { reactions.gradient() } else { Vec::new() },
                virials: if self.volumes.is_empty() { Vec::new() } else { reactions.virials() },
                reactions,
                volumes: &self.volumes,
            };
            self.gauges.iter().flat_map(|(_, measure)| measure.values(&loads)).collect()
        })
    }
}

/// Stress tensor of each particle, Pa, positive in tension, with their `volumes` (m3).
pub(super) fn stresses(simulation: &Simulation, volumes: &[f64]) -> Vec<Mat3> {
    let mut sums = with_reactions(simulation, |reactions| reactions.virials());
    sums.iter_mut().zip(volumes).for_each(|(sum, volume)| *sum = stress(sum, *volume));
    sums
}

/// Symmetric stress (Pa) of a sum of virials (N m) in a volume (m3).
fn stress(virial: &Mat3, volume: f64) -> Mat3 {
    (virial + virial.transpose()) * (0.5 / volume)
}

/// Value `of` the forces of `simulation`.
fn with_reactions<T>(simulation: &Simulation, of: impl FnOnce(&Reactions) -> T) -> T {
    let Simulation { world, state, .. } = simulation;
    let mut contacts = Cow::Borrowed(&simulation.contacts);
    if !contacts.is_valid() {
        // a copy, so that measuring changes no bit of the run
        contacts.to_mut().catch_up(world, state);
    }
    of(&Reactions::new(world, &contacts, state, simulation.forces()))
}

impl Measure {
    fn of_probe(probe: &Probe, state: &State) -> Self {
        let all = || (0..state.len() as u32).collect();
        let mut ends = probe.regions().iter().map(|region| Members::new(region.choose(all(), &state.p), state));
        let first = ends.next().expect("checked: a probe has a region");
        match ends.next() {
            Some(second) => Self::Extensometer([first, second]),
            None => Self::Region(first),
        }
    }
}
