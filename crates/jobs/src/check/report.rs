use bdem_core::charge::Method;
use bdem_core::energy::ElectricState;
use bdem_core::integrate::stability::FieldLimit;
use bdem_core::model::State;
use bdem_core::simulate::{GaveUp, IntegratorKind, Simulation, StepPlan};
use bdem_run::mesh::MeshReport;
use bdem_run::run::runtime_estimate::{Impact, RuntimeEstimate, Striker};
use bdem_run::scene::{BodyGrain, BodyMeasures, BodyModuli, Filling, Scene, SceneError, Until, Wholeness};

use super::DeviceEstimate;

/// Facts about a scene. Its text is what `bdem check` prints.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Name of the scene.
    pub scene: String,
    /// Number of frames after the initial one.
    pub frames: u32,
    /// Frames per second of simulated time.
    pub frame_rate: f64,
    /// Time integrator.
    pub integrator: IntegratorKind,
    /// Keys that material presets set.
    pub presets: Vec<PresetKey>,
    /// Conditions that end the run before its last frame.
    pub until: Option<Until>,
    /// Number of particles.
    pub particles: usize,
    /// Number of bonds, springs left out.
    pub bonds: usize,
    /// Number of springs.
    pub springs: usize,
    /// Shells of each mesh, by the name of its file.
    pub meshes: Vec<(String, MeshReport)>,
    /// Mass and size of each body.
    pub bodies: Vec<BodySize>,
    /// Density of each packing without a lattice.
    pub packings: Vec<Filling>,
    /// Grain of each body that has a map of it.
    pub grains: Vec<BodyGrain>,
    /// Pieces and walls of each bonded body.
    pub pieces: Vec<BodyPieces>,
    /// Charges when they are largest, at the particles' first places. None without charges, or without a field.
    pub charges: Option<Charges>,
    /// Period T, s.
    pub period: f64,
    /// Longest stable explicit step, s. Infinite without bonds and contacts.
    pub explicit_limit: f64,
    /// Steps of a frame.
    pub steps: StepsPerFrame,
    /// Moduli of each bonded body.
    pub moduli: Vec<BodyModuli>,
    /// Memory of a run, bytes.
    pub memory: u64,
    /// Impacts in the trial and soon after it.
    pub impacts: Vec<Strike>,
    /// Processor time of a run. None where the solver gives up.
    pub estimate: Option<RuntimeEstimate>,
    /// Run on the device that the options name.
    pub on_device: Option<DeviceEstimate>,
    /// End of the trial, where the solver gives up.
    pub failure: Option<Failure>,
    /// Bodies that are not whole at the start, in words.
    pub warnings: Vec<String>,
}

/// Key that a material preset sets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PresetKey {
    /// Key and value, as of `--set`: `materials.glass.density=2500.0`.
    pub setting: String,
    /// Whether the scene has a value of its own in place of this one.
    pub is_own: bool,
}

/// Mass and size of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySize {
    /// Name of the body.
    pub body: String,
    /// Its mass (kg), bulk density (kg/m3) and size (m).
    pub measures: BodyMeasures,
}

/// Pieces and walls of a bonded body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyPieces {
    /// Name of the body.
    pub body: String,
    /// Number of its pieces, and thickness of its walls (m).
    pub wholeness: Wholeness,
}

/// Charges of a scene, and their field.
#[derive(Clone, Debug, PartialEq)]
pub struct Charges {
    /// Number of charged particles.
    pub count: usize,
    /// Sum of the charges, C.
    pub total: f64,
    /// Time at which they are largest, s.
    pub time: f64,
    /// Method of their field.
    pub method: Method,
    /// Largest electric force over the particle's weight. Not finite without gravity.
    pub force_over_weight: f64,
    /// Time scale of their forces, s.
    pub time_scale: f64,
    /// That time over the longest step.
    pub time_scale_over_step: f64,
}

/// Steps of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepsPerFrame {
    /// Least number of steps.
    pub least: u32,
    /// Greatest number of steps, where it depends on events.
    pub most: Option<u64>,
    /// Length of the longest, s.
    pub length: f64,
}

/// Impact on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Strike {
    /// Name of the body.
    pub body: String,
    /// Kind and name of the other side, or its index where it has no name.
    pub striker: String,
    /// Speed (m/s), time (s), strength and stress of the wave (Pa).
    pub impact: Impact,
}

/// End of a trial in which the solver gives up.
#[derive(Debug)]
pub struct Failure {
    /// Reason.
    pub why: GaveUp,
    /// The same as an error at the line of the scene that has to change.
    pub error: SceneError,
}

impl PresetKey {
    pub(super) fn new((setting, is_own): (&str, bool)) -> Self {
        Self { setting: setting.to_owned(), is_own }
    }
}

impl BodySize {
    pub(super) fn new(scene: &Scene, measures: BodyMeasures) -> Self {
        Self { body: scene.bodies[measures.body].name.clone(), measures }
    }
}

pub(super) fn pieces(scene: &Scene, bodies: Vec<Wholeness>) -> Vec<BodyPieces> {
    let named = |wholeness: Wholeness| BodyPieces { body: scene.bodies[wholeness.body].name.clone(), wholeness };
    bodies.into_iter().map(named).collect()
}

impl Charges {
    /// Charges when they are largest.
    pub(super) fn largest(scene: &Scene, Simulation { world, state, plan, .. }: &Simulation) -> Option<Self> {
        let electrostatics = &world.electrostatics;
        let count = electrostatics.particles().len();
        if count == 0 {
            return None;
        }
        let time = electrostatics.time_of_largest(f64::from(scene.time.frames) / scene.time.frame_rate);
        let electric = ElectricState::of(world, &State { time, ..state.clone() }).ok()?;
        let method = electrostatics.method.resolve(count).ok()?;
        let time_scale = FieldLimit::time_scale(world, &State { time, ..state.clone() });
        Some(Self {
            count,
            total: electric.total_charge(),
            time,
            method,
            force_over_weight: electric.max_force_over_weight(world),
            time_scale,
            time_scale_over_step: time_scale / plan.step,
        })
    }
}

impl StepsPerFrame {
    pub(super) fn new(plan: &StepPlan) -> Self {
        let explicit = plan.explicit_substeps.map_or(1, |substeps| u64::from(substeps.steps));
        let varies = plan.finest > 0 || plan.explicit_substeps.is_some();
        let most = (u64::from(plan.per_frame) * explicit) << plan.finest;
        Self { least: plan.per_frame, most: varies.then_some(most), length: plan.step }
    }
}

impl Strike {
    pub(super) fn new(scene: &Scene, impact: &Impact) -> Self {
        let body = scene.bodies[impact.body].name.clone();
        Self { body, striker: striker_name(scene, impact.striker), impact: *impact }
    }
}

/// Kind and name of the other side of an impact, or its index where it has no name.
fn striker_name(scene: &Scene, striker: Striker) -> String {
    let (kind, index, name) = match striker {
        Striker::Body(index) => ("body", index, Some(&scene.bodies[index].name)),
        Striker::Collider(index) => ("collider", index, scene.colliders[index].name.as_ref()),
        Striker::Constraint(index) => ("constraint", index, scene.constraints[index].name.as_ref()),
    };
    name.map_or_else(|| format!("{kind} {index}"), |name| format!("{kind} {name:?}"))
}
