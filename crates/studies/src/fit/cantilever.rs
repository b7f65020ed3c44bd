//! Young's modulus and damping of a cantilever that sags and swings, from a track of its tip with noise of 1 % of its largest
//! displacement. By gradients, and by Gauss-Newton.

use bdem_core::geometry::Vec3;
use bdem_core::model::{State, World};
use bdem_fit::error::FitError;
use bdem_fit::minimize::{Method, Problem};
use bdem_fit::run::{Loss, Run, StateGradient, Storage};
use bdem_fit::sweep::{Change, gradient};
use bdem_run::run::RunError;
use bdem_run::scene::Scene;

use super::outcome::{LBFGS, Outcome, Seen, at_most};
use crate::Setup;

const SCENE: &str = include_str!("cantilever.toml");

/// True modulus, Pa, and damping.
const TRUTH: [f64; 2] = [1e6, 0.5];

/// Noise over the largest displacement.
const NOISE: f64 = 0.01;

fn scene([modulus, damping]: [f64; 2]) -> Result<Scene, RunError> {
    let set = [format!("materials.rubber.young_modulus={modulus:?}"), format!("materials.rubber.damping={damping:?}")];
    Ok(Scene::parse("cantilever.toml".as_ref(), SCENE, &set)?)
}

struct Tip {
    frames: u32,
    /// The tip's particle, and its places, m.
    particle: usize,
    track: Vec<Vec3>,
}

impl Loss for Tip {
    fn at(&self, frame: u32, _: &World, state: &State, by: Option<&mut StateGradient>) -> f64 {
        let Some(place) = (frame as usize).checked_sub(1).and_then(|k| self.track.get(k)) else { return 0.0 };
        let (off, per) = (state.p[self.particle] - place, 1.0 / self.track.len() as f64);
        if let Some(by) = by {
            by.p[self.particle] += off * (2.0 * per);
        }
        per * off.norm_squared()
    }
}

fn failed(error: RunError) -> FitError {
    FitError::Evaluation(Box::new(error))
}

impl Tip {
    fn world(values: [f64; 2]) -> Result<(World, State), FitError> {
        scene(values).and_then(|scene| Ok(scene.build()?)).map_err(failed)
    }

    fn run(&self, values: [f64; 2]) -> Result<Run, FitError> {
        let settings = scene(values).map_err(failed)?.simulation_settings();
        Run::new(Self::world(values)?, &settings, self.frames)
    }
}

impl Problem for Tip {
    fn gradient(&self, x: &[f64]) -> Result<(f64, Vec<f64>), FitError> {
        let values = [x[0], x[1]];
        let change = |k: usize| {
            let moved = |by: f64| {
                let mut values = values;
                values[k] *= 1.0 + by;
                Self::world(values)
            };
            Ok::<_, FitError>(Change::between(&moved(-1e-4)?, &moved(1e-4)?, 2e-4 * values[k]))
        };
        let found = gradient(&self.run(values)?, self, &Storage::default(), &[change(0)?, change(1)?])?;
        Ok((found.loss, found.along))
    }

    fn residuals(&self, points: &[Vec<f64>]) -> Result<Vec<Vec<f64>>, FitError> {
        let of = |x: &Vec<f64>| {
            let seen = Seen::default();
            self.run([x[0], x[1]])?.loss(&seen)?;
            let per = (1.0 / self.track.len() as f64).sqrt();
            let off =
                seen.positions().0.into_iter().zip(&self.track).map(|(p, place)| (p[self.particle] - place) * per);
            Ok(off.flat_map(|off| [off.x, off.y, off.z]).collect())
        };
        points.iter().map(of).collect()
    }
}

pub(super) fn fits(setup: &Setup) -> Result<Vec<Outcome>, RunError> {
    let (_, start) = scene(TRUTH)?.build()?;
    let far = |i: &usize| start.p[*i].x;
    let particle = (0..start.len()).max_by(|a, b| far(a).total_cmp(&far(b))).expect("the bar has particles");
    let mut tip = Tip { frames: setup.choose(80, 3), particle, track: Vec::new() };
    let seen = Seen::default();
    let wanted = [("E, Pa", 5e5, TRUTH[0], [1e5, 1e7]), ("damping", 0.1, TRUTH[1], [0.01, 10.0])];
    if let Err(error) = tip.run(TRUTH).and_then(|run| run.loss(&seen)) {
        let broken = move |_: &[f64]| Err(FitError::Optimizer(error.to_string()));
        return Ok(vec![Outcome::of("cantilever", &wanted, (LBFGS, at_most(1)), None, &broken)?]);
    }
    let places: Vec<Vec3> = seen.positions().0.into_iter().map(|p| p[particle]).collect();
    let largest = places.iter().map(|p| (p - start.p[particle]).norm()).fold(0.0, f64::max);
    let mut noise = normal(1);
    tip.track = places.into_iter().map(|p| p + Vec3::new(noise(), noise(), noise()) * (NOISE * largest)).collect();
    let fit =
        |name: &str, method: Method| Outcome::of(name, &wanted, (method, at_most(setup.choose(60, 8))), None, &tip);
    Ok(vec![fit("cantilever, L-BFGS", LBFGS)?, fit("cantilever, Gauss-Newton", Method::GaussNewton)?])
}

/// Normal numbers: sums of twelve even ones.
fn normal(mut seed: u64) -> impl FnMut() -> f64 {
    let mut even = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    move || (0..12).map(|_| even()).sum::<f64>() - 6.0
}
