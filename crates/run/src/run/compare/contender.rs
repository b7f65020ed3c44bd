use std::fmt;
use std::str::FromStr;

use bdem_core::simulate::{IntegratorKind, StepSize};

use crate::scene::{Scene, integrator_named};

/// Integrator and step of a run to compare. Its text is `NAME@STEP`, as in `explicit-verlet@0.2`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contender {
    /// Integrator of the run.
    pub integrator: IntegratorKind,
    /// Step of the run.
    pub step: ContenderStep,
}

/// Step of a contender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContenderStep {
    /// That of the scene, or the integrator's default if the scene's step is for another kind of integrator. `auto` takes it
    /// from a scene of its own only: else it would be a bound on the steps that it chooses.
    Scene,
    /// Multiples of the scene's period T.
    Periods(f64),
    /// Share of the longest stable explicit step, computed from the scene.
    Stable,
}

/// Explicit step of the papers, in periods T.
const PAPERS: f64 = 0.2;

impl Contender {
    /// Default contenders: the scene's integrator, an implicit one if that is explicit, and Verlet at two steps. These are the
    /// longest stable step and the papers' 0.2 T.
    pub fn usual(scene: &Scene) -> Vec<Self> {
        let implicit: &[_] = match scene.time.integrator {
            IntegratorKind::Auto => &[IntegratorKind::Auto, IntegratorKind::ImplicitBdf2],
            own if own.is_explicit() => &[IntegratorKind::ImplicitEuler],
            own => &[own],
        };
        let mut contenders: Vec<_> =
            implicit.iter().map(|&integrator| Self { integrator, step: ContenderStep::Scene }).collect();
        contenders.extend(Self::explicit(IntegratorKind::ExplicitVerlet));
        contenders
    }

    /// Contenders by their texts. An explicit integrator without a step stands for both default steps.
    ///
    /// # Errors
    /// A message with the wrong text, and the expected one.
    pub fn parse_all(words: &[String]) -> Result<Vec<Self>, String> {
        let mut contenders = Vec::new();
        for word in words {
            let contender: Self = word.trim().parse()?;
            if contender.integrator.is_explicit() && contender.step == ContenderStep::Scene {
                contenders.extend(Self::explicit(contender.integrator));
            } else {
                contenders.push(contender);
            }
        }
        if contenders.len() < 2 {
            return Err("a comparison needs two runs; name another integrator, or the same at another step".to_owned());
        }
        Ok(contenders)
    }

    fn explicit(integrator: IntegratorKind) -> [Self; 2] {
        [ContenderStep::Stable, ContenderStep::Periods(PAPERS)].map(|step| Self { integrator, step })
    }

    /// `scene` with this integrator and step. `share` is that of the stability limit for [`ContenderStep::Stable`].
    pub fn scene(&self, scene: &Scene, share: f64) -> Scene {
        let own = scene.time.integrator;
        let same_kind = if self.integrator == IntegratorKind::Auto {
            own == IntegratorKind::Auto
        } else {
            self.integrator.is_explicit() == own.is_explicit()
        };
        let mut scene = scene.clone();
        scene.time.integrator = self.integrator;
        scene.time.step = match self.step {
            ContenderStep::Scene => scene.time.step.filter(|_| same_kind),
            ContenderStep::Periods(periods) => Some(StepSize::Periods(periods)),
            ContenderStep::Stable => Some(StepSize::Limit(share)),
        };
        scene
    }
}

/// Unique names of `contenders`: a repeated one is `implicit-euler#2`.
pub(super) fn names(contenders: &[Contender]) -> Vec<String> {
    let name = |k: usize| match contenders[..k].iter().filter(|c| **c == contenders[k]).count() {
        0 => contenders[k].to_string(),
        earlier => format!("{}#{}", contenders[k], earlier + 1),
    };
    (0..contenders.len()).map(name).collect()
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            ContenderStep::Scene => write!(f, "{}", self.integrator),
            ContenderStep::Periods(periods) => write!(f, "{}@{periods}", self.integrator),
            ContenderStep::Stable => write!(f, "{}@stable", self.integrator),
        }
    }
}

impl FromStr for Contender {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let (name, step) = word.split_once('@').map_or((word, None), |(name, step)| (name, Some(step)));
        let integrator: IntegratorKind =
            integrator_named(name).map_err(|why| format!("{name:?} is no integrator: {why}"))?;
        let step = match step {
            None => ContenderStep::Scene,
            Some("stable") if integrator.is_explicit() => ContenderStep::Stable,
            Some(periods) => ContenderStep::Periods(positive(periods).ok_or_else(|| {
                let stable = if integrator.is_explicit() { ", or \"stable\"" } else { "" };
                format!("the step of {word:?} is wrong: expected a positive number of periods T{stable}")
            })?),
        };
        Ok(Self { integrator, step })
    }
}

fn positive(number: &str) -> Option<f64> {
    number.parse().ok().filter(|&n: &f64| n > 0.0 && n.is_finite())
}
