use serde::{Deserialize, Serialize};

use crate::fracture::OverloadedBond;
use crate::integrate::StepReport;

/// Counts and times since the last frame.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Committed steps.
    pub steps: u64,
    /// Explicit steps among them.
    pub explicit_steps: u64,
    /// Steps with sleeping pieces among them.
    pub asleep_steps: u64,
    /// Trials that were repeated at a shorter length.
    pub step_cuts: u64,
    /// Cuts of steps without an acceptable state.
    pub failures: u64,
    /// Iterations of Newton's method.
    pub newton_iterations: u64,
    /// Iterations of conjugate gradients.
    pub cg_iterations: u64,
    /// Broken bonds.
    pub broken: Vec<FractureEvent>,
    /// Rows of forces, if a run measures any.
    pub forces: Vec<ForceRow>,
    /// Wall-clock times.
    pub seconds: Seconds,
}

impl Progress {
    /// Adds the cost of a trial.
    pub(super) fn count(&mut self, report: &StepReport) {
        self.newton_iterations += u64::from(report.newton_iterations);
        self.cg_iterations += u64::from(report.cg_iterations);
        self.seconds.integrate -= report.contact_seconds;
        self.seconds.contact += report.contact_seconds;
    }
}

/// Row of `fractures.csv`: a broken bond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FractureEvent {
    /// Time, s.
    pub time: f64,
    /// Number of the bond.
    pub bond: u32,
    /// Index of the first particle that it joined.
    pub i: u32,
    /// Index of the second particle that it joined.
    pub j: u32,
    /// x of its middle, m.
    pub x: f64,
    /// y of its middle, m.
    pub y: f64,
    /// z of its middle, m.
    pub z: f64,
    /// Normal stress at breakage, Pa.
    pub sigma: f64,
    /// Shear stress at breakage, Pa.
    pub tau: f64,
    /// Unit direction from i to j: the normal of the crack. Zero in files of older versions, as all that follows.
    #[serde(default)]
    pub normal_x: f64,
    /// y of the normal.
    #[serde(default)]
    pub normal_y: f64,
    /// z of the normal.
    #[serde(default)]
    pub normal_z: f64,
    /// Mean velocity of both particles along x, m/s.
    #[serde(default)]
    pub velocity_x: f64,
    /// Velocity along y, m/s.
    #[serde(default)]
    pub velocity_y: f64,
    /// Velocity along z, m/s.
    #[serde(default)]
    pub velocity_z: f64,
    /// Cross-section of the bond, m2.
    #[serde(default)]
    pub area: f64,
    /// Elastic energy that the bond released, J.
    #[serde(default)]
    pub energy: f64,
}

impl FractureEvent {
    /// Row of a bond that broke at `time`, s.
    pub(crate) fn new(time: f64, broken: &OverloadedBond) -> Self {
        let OverloadedBond { bond, place, normal, velocity, energy, sigma, tau, .. } = broken;
        Self {
            time,
            bond: bond.id,
            i: bond.i,
            j: bond.j,
            x: place.x,
            y: place.y,
            z: place.z,
            sigma: *sigma,
            tau: *tau,
            normal_x: normal.x,
            normal_y: normal.y,
            normal_z: normal.z,
            velocity_x: velocity.x,
            velocity_y: velocity.y,
            velocity_z: velocity.z,
            area: bond.area(),
            energy: *energy,
        }
    }
}

/// Row of `forces.csv`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ForceRow {
    /// Frame at this time, or else the one that follows.
    pub frame: u32,
    /// Time, s.
    pub time: f64,
    /// Values of the other columns.
    pub values: Vec<f64>,
}

/// Wall-clock time of a run by phase, s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Seconds {
    /// Total time.
    pub total: f64,
    /// From the scene to its world.
    pub setup: f64,
    /// Trials and commits of steps.
    pub integrate: f64,
    /// Bond loads, breakage and pieces.
    pub fracture: f64,
    /// Neighbour search and friction.
    pub contact: f64,
    /// Frames, tables and checkpoints.
    pub output: f64,
}
