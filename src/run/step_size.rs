use serde::{Deserialize, Serialize};

use crate::integrate::{AUTO, sleep, stability};
use crate::model::{ContactLaw, Pair, State, World};
use crate::scene::{Scene, SceneIntegrator, StepSize};

/// How a run's frames are cut into steps.
///
/// A nominal step may be cut in half, and in half again: the `level` is how often. Places within a nominal step are counted
/// in ticks, the shortest step there is, so that no place depends on rounding and a step grows back only where the longer
/// one fits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepPlan {
    /// Nominal step, s: the longest.
    pub step: f64,
    /// Nominal steps a frame.
    pub per_frame: u32,
    /// How often the step control may halve a nominal step of its own accord; zero where the scene sets the step.
    pub finest: u32,
    /// How often a nominal step may be halved at all.
    pub deepest: u32,
    /// How often at most where too many bonds break: within about a period T neighbours do not know of each other, and
    /// a shorter step breaks no less.
    pub runaway: u32,
    /// The longest stable step of an explicit run, s, where it had to be computed: not for steps that a cheap look
    /// shows to be shorter.
    pub limit: Option<f64>,
    /// With `integrator = "auto"`: the explicit steps that may stand for the shortest implicit one.
    pub explicit_block: Option<ExplicitBlock>,
}

/// Explicit steps of the scene's period T where the scene says nothing, as in the papers.
const EXPLICIT_PERIODS: f64 = 0.2;

/// Share of the stability limit that an explicit step takes with `step = "auto"`.
const EXPLICIT_SHARE: f64 = 0.9;

/// The same of loose grains, whose contacts last for few steps: at 0.95 of the limit, which is that of springs that stay, a sphere comes
/// off a floor with up to 1.4 times its speed.
const SHARE_OF_GRAINS: f64 = 0.5;

/// A bounce in steps of a share s of the limit is off by up to so many times s^2 of its energy: of what is bonded, and of grains.
const BOUNCE_OFF: [f64; 2] = [0.025, 1.0];

/// Explicit steps in place of the shortest implicit one, with `integrator = "auto"`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExplicitBlock {
    /// How often a nominal step is halved to be as long.
    pub level: u32,
    /// Share of the longest stable step that they take.
    pub share: Share,
    /// Whether pieces may sleep in them.
    pub sleeps: bool,
    /// How many they are about: the limit is computed where they have their first turn, for that may take seconds.
    pub estimate: u32,
}

impl StepPlan {
    pub fn new(scene: &Scene, world: &World, state: &State) -> Self {
        let plan = Self::of_one_kind(scene, world, state);
        if scene.time.integrator == SceneIntegrator::Auto { plan.alternating(scene, world, state) } else { plan }
    }

    fn of_one_kind(scene: &Scene, world: &World, state: &State) -> Self {
        let frame = 1.0 / scene.time.frame_rate;
        let explicit = scene.time.integrator.is_explicit();
        let papers = EXPLICIT_PERIODS * world.period();
        let mut limit = None;
        let mut limit_of = || *limit.insert(stability::limit(world, state));
        let wanted = match scene.time.step {
            Some(StepSize::Seconds(step)) => step,
            Some(StepSize::Periods(periods)) => periods * world.period(),
            Some(StepSize::Limit(share)) => share * limit_of(),
            Some(StepSize::Auto) if explicit => Share::new(scene, world).step(limit_of()),
            None if explicit => papers,
            None | Some(StepSize::Auto) => return Self::automatic(scene, world, frame),
        };
        let steps = frame / wanted;
        let per_frame = if explicit { (steps * (1.0 - 1e-12)).ceil() } else { steps.round() }.max(1.0);
        let (step, deepest) = (frame / per_frame, if explicit { 0 } else { scene.time.control.halvings });
        let runaway = halvings_to(world.period(), step).min(deepest);
        if explicit && limit.is_none() && step > stability::lower_bound(world, state) {
            limit = Some(stability::limit(world, state));
        }
        let limit = limit.filter(|_| explicit);
        Self { step, per_frame: per_frame as u32, finest: 0, deepest, runaway, limit, explicit_block: None }
    }

    /// With stretches of explicit steps for the shortest of implicit ones.
    fn alternating(self, scene: &Scene, world: &World, state: &State) -> Self {
        let level = halvings_to(AUTO.block_periods * world.period(), self.step);
        let sleeps = scene.time.control.rigid_below > 0.0 && sleep::is_applicable(world);
        let mut block = ExplicitBlock { level, share: Share::new(scene, world), sleeps, estimate: 0 };
        block.estimate = block.steps(&self, stability::lower_bound(world, state));
        Self { finest: level, deepest: level, runaway: level, explicit_block: Some(block), ..self }
    }

    /// From one step a frame down to the shortest that the solver's settings allow.
    fn automatic(scene: &Scene, world: &World, frame: f64) -> Self {
        let finest = halvings_to(scene.time.control.shortest_step * world.period(), frame);
        // ticks are counted in 64 bits
        let deepest = (finest + scene.time.control.halvings).min(62);
        let runaway = halvings_to(world.period(), frame).clamp(finest, deepest);
        Self { step: frame, per_frame: 1, finest, deepest, runaway, limit: None, explicit_block: None }
    }

    /// The longest stable step, s, if an explicit run's steps are longer.
    pub fn exceeded_limit(&self) -> Option<f64> {
        // what is left of the digits when steps are fitted into a frame
        self.limit.filter(|limit| self.step > limit * (1.0 + 1e-9))
    }

    /// Length of a step at `level`, s.
    pub fn length(&self, level: u32) -> f64 {
        self.step * libm::exp2(-f64::from(level))
    }
}

impl ExplicitBlock {
    /// Explicit steps in it where the longest stable one is `limit`, s.
    pub fn steps(&self, plan: &StepPlan, limit: f64) -> u32 {
        (plan.length(self.level) / self.share.step(limit) * (1.0 - 1e-12)).ceil().max(1.0) as u32
    }
}

/// How often `long` is to be halved not to be longer than `short`: as often as is of use for any scene.
fn halvings_to(short: f64, long: f64) -> u32 {
    /// Of frames that are four billion times as long as the shortest step.
    const MOST: f64 = 32.0;
    libm::log2(long / short).ceil().clamp(0.0, MOST) as u32
}

/// How long explicit steps are where the scene leaves it open: shorter where contacts do not take what a step may make.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// Of the longest stable step.
    pub of_limit: f64,
    /// What a grain's bounce asks for, s; infinite where there is none.
    pub of_grains: f64,
}

impl Share {
    fn new(scene: &Scene, world: &World) -> Self {
        let share = |most, off| stability::share_for_bounces(scene.contact.restitution, most, off);
        let of_bonded = share(EXPLICIT_SHARE, BOUNCE_OFF[0]);
        let of_grains = share(SHARE_OF_GRAINS, BOUNCE_OFF[1]);
        let has_bonds = world.whole_bond_count() > 0 && world.contact_law == ContactLaw::Linear;
        match loose(world) {
            grains if !grains.contains(&true) => Self { of_limit: of_bonded, of_grains: f64::INFINITY },
            // bonds are stiffer than a grain's contact, and set the limit
            grains if has_bonds => {
                Self { of_limit: of_bonded, of_grains: of_grains * stability::of_bounces(world, &grains) }
            }
            _ => Self { of_limit: of_grains, of_grains: f64::INFINITY },
        }
    }

    /// The step, s, where the longest stable one is `limit`, s.
    fn step(&self, limit: f64) -> f64 {
        (self.of_limit * limit).min(self.of_grains)
    }
}

/// Which particles are neither bonded nor part of a rigid body.
fn loose(world: &World) -> Vec<bool> {
    let mut loose = vec![true; world.particles.len()];
    world.rigid.iter().for_each(|body| loose[body.particles.clone()].fill(false));
    world.whole_bonds().for_each(|bond| bond.ends().iter().for_each(|&i| loose[i] = false));
    loose
}
