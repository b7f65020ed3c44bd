use serde::{Deserialize, Serialize};

use crate::integrate::{loose, sleep, stability};
use crate::model::{ContactLaw, Pair, State, World};

use super::machine::RUN_PERIODS;
use super::{IntegratorKind, SimulationSettings, StepSize};

/// Division of a run's frames into steps.
///
/// A nominal step is halved `halvings` times. Positions within a nominal step are counted in ticks, the shortest step. So no
/// position depends on rounding, and a step grows only where the longer one fits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepPlan {
    /// Nominal step, s, the longest.
    pub step: f64,
    /// Nominal steps in a frame.
    pub per_frame: u32,
    /// Limit on the halvings that step control chooses; zero if the scene sets the step.
    pub finest: u32,
    /// Limit on all halvings of a nominal step.
    pub deepest: u32,
    /// Limit on the halvings because of too many breaks. Within about a period T neighbours do not interact, and a shorter step
    /// breaks as much.
    pub runaway: u32,
    /// Stability limit, s, of a run with explicit steps.
    pub limit: Option<f64>,
    /// Share of 2/omega of electric forces beyond which explicit steps are halved.
    pub field_share: f64,
    /// For `integrator = "auto"`: the explicit steps that may replace the shortest implicit one.
    pub explicit_substeps: Option<ExplicitSubsteps>,
}

/// Default explicit step in periods T, as in the papers.
const EXPLICIT_PERIODS: f64 = 0.2;

/// Share of the stability limit for `step = "auto"`.
const EXPLICIT_SHARE: f64 = 0.9;

/// The same for loose grains and rigid bodies: a contact lasts twelve steps, and restitution is within 0.025 of what the scene asks.
const SHARE_OF_GRAINS: f64 = 0.25;

/// Both without damping of contacts: no bounce adds more than 0.5 % to its energy.
const UNDAMPED_SHARES: [f64; 2] = [0.45, 0.07];

/// Share of 2/omega of electric forces, for steps that a scene sets and for others. Up to 0.86 of the limit of the other forces
/// the first is stable. At the second free charges that fall onto each other move by an eighth of their distance in a step.
const FIELD_SHARES: [f64; 2] = [0.5, 0.05];

/// Explicit substeps in place of the shortest implicit one, with `integrator = "auto"`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplicitSubsteps {
    /// Level of a step of the same length.
    pub halvings: u32,
    /// Time from which pieces may sleep, s; none if never.
    pub sleeps: Option<f64>,
    /// Number of steps.
    pub steps: u32,
}

impl StepPlan {
    /// Plan for `world` from `state` on.
    pub fn new(settings: &SimulationSettings, world: &World, state: &State) -> Self {
        let limit = || stability::limit(world, state);
        if settings.integrator == IntegratorKind::Auto {
            let limit = limit();
            Self::of_one_kind(settings, world, || limit).alternating(settings, world, limit)
        } else if settings.integrator.is_explicit() {
            let limit = limit();
            Self { limit: Some(limit), ..Self::of_one_kind(settings, world, || limit) }
        } else {
            Self::of_one_kind(settings, world, limit)
        }
    }

    /// Plan without a limit on steps, for settings that may refer to the stability `limit`, s.
    fn of_one_kind(settings: &SimulationSettings, world: &World, limit: impl FnOnce() -> f64) -> Self {
        let frame = settings.frame;
        let explicit = settings.integrator.is_explicit();
        let papers = EXPLICIT_PERIODS * world.period();
        let wanted = match settings.step {
            Some(StepSize::Seconds(step)) => step,
            Some(StepSize::Periods(periods)) => periods * world.period(),
            Some(StepSize::Periods2021(periods)) => periods * world.period_2021(),
            Some(StepSize::Limit(share)) => share * limit(),
            Some(StepSize::Auto) if explicit => Share::new(world).step(limit()),
            None if explicit => papers,
            None | Some(StepSize::Auto) => return Self::automatic(settings, world, frame),
        };
        let steps = frame / wanted;
        let per_frame = if explicit { (steps * (1.0 - 1e-12)).ceil() } else { steps.round() }.max(1.0);
        // explicit steps are halved for the sake of charges alone
        let fixed = explicit && world.electrostatics.is_empty();
        let (step, deepest) = (frame / per_frame, if fixed { 0 } else { settings.control.halvings });
        let runaway = if explicit { 0 } else { halvings_to(world.period(), step).min(deepest) };
        let is_set = !matches!(settings.step, None | Some(StepSize::Auto));
        let field_share = FIELD_SHARES[usize::from(!is_set)];
        Self {
            step,
            per_frame: per_frame as u32,
            finest: 0,
            deepest,
            runaway,
            limit: None,
            field_share,
            explicit_substeps: None,
        }
    }

    /// Plan with runs of substeps for the shortest implicit one, by the stability `limit`, s.
    fn alternating(self, settings: &SimulationSettings, world: &World, limit: f64) -> Self {
        let halvings = halvings_to(RUN_PERIODS * world.period(), self.step);
        let sleeps = sleep::possible_from(world).filter(|_| settings.control.sleep_below > 0.0);
        let steps = (self.length(halvings) / Share::new(world).step(limit) * (1.0 - 1e-12)).ceil().max(1.0) as u32;
        let explicit_substeps = Some(ExplicitSubsteps { halvings, sleeps, steps });
        Self { finest: halvings, deepest: halvings, runaway: halvings, limit: Some(limit), explicit_substeps, ..self }
    }

    /// Plan from one step a frame down to the shortest that the solver's settings allow.
    fn automatic(settings: &SimulationSettings, world: &World, frame: f64) -> Self {
        let finest = halvings_to(settings.control.shortest_step * world.period(), frame);
        // the tick counter has 64 bits
        let deepest = (finest + settings.control.halvings).min(62);
        let runaway = halvings_to(world.period(), frame).clamp(finest, deepest);
        let (limit, field_share) = (None, FIELD_SHARES[1]);
        Self { step: frame, per_frame: 1, finest, deepest, runaway, limit, field_share, explicit_substeps: None }
    }

    /// Stability limit, s, if an explicit run's steps exceed it.
    pub(crate) fn exceeded_limit(&self) -> Option<f64> {
        // tolerance for rounding, as steps are fitted into a frame
        self.limit.filter(|limit| self.explicit_substeps.is_none() && self.step > limit * (1.0 + 1e-9))
    }

    /// Shortest step, s, but for those that step control shortens further.
    pub(super) fn shortest(&self) -> f64 {
        self.length(self.finest) / self.explicit_substeps.map_or(1.0, |substeps| f64::from(substeps.steps))
    }

    /// Length of a step at `halvings`, s.
    pub(crate) fn length(&self, halvings: u32) -> f64 {
        self.step * libm::exp2(-f64::from(halvings))
    }
}

/// Number of halvings of `long` to at most `short`, limited.
fn halvings_to(short: f64, long: f64) -> u32 {
    /// For frames of four billion shortest steps.
    const MOST: f64 = 32.0;
    libm::log2(long / short).ceil().clamp(0.0, MOST) as u32
}

/// Limit (s) by bonds between particles that are always held and move against each other. The motion loads them, which no stability
/// limit knows.
fn of_held_bonds(world: &World) -> f64 {
    let always = world.constraints.iter().filter(|constraint| constraint.times == (0.0..f64::INFINITY));
    let mut motions = vec![None; world.particles.len()];
    for constraint in always {
        constraint.particles.iter().for_each(|&i| motions[i as usize] = constraint.motion());
    }
    let is_loaded = |[i, j]: [usize; 2]| motions[i].is_some() && motions[j].is_some() && motions[i] != motions[j];
    let has_any = world.whole_bonds().any(|bond| is_loaded(bond.ends()));
    if has_any { EXPLICIT_PERIODS * world.period() } else { f64::INFINITY }
}

/// Explicit step if the scene does not set it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Share {
    /// Share of the stability limit.
    pub of_limit: f64,
    /// Limit by the bounces of grains and rigid bodies, and by bonds between held particles, s; infinite without any.
    pub of_others: f64,
}

impl Share {
    /// Step for the bonds, grains and rigid bodies of `world`.
    pub fn new(world: &World) -> Self {
        let is_damped = world.contact_damping > 0.0;
        let [of_bonded, of_grains] = if is_damped { [EXPLICIT_SHARE, SHARE_OF_GRAINS] } else { UNDAMPED_SHARES };
        let has_bonds = world.whole_bond_count() > 0 && world.contact_law == ContactLaw::Linear;
        let of_held = of_held_bonds(world);
        match loose(world) {
            grains if !grains.contains(&true) => Self { of_limit: of_bonded, of_others: of_held },
            // bonds are stiffer than a grain's contact, and determine the limit
            grains if has_bonds => {
                let of_grains = of_grains * stability::of_bounces(world, &grains);
                Self { of_limit: of_bonded, of_others: of_grains.min(of_held) }
            }
            _ => Self { of_limit: of_grains, of_others: of_held },
        }
    }

    /// Step, s, at the stability limit `limit`, s.
    fn step(&self, limit: f64) -> f64 {
        (self.of_limit * limit).min(self.of_others)
    }
}
