//! Strength at which the bodies of a scene break into a number of pieces, by coarse runs.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

use bdem_core::fracture::Pieces;
use bdem_core::model::World;
use bdem_core::simulate::{Progress, Simulation};
use bdem_run::run::runtime_estimate::processor_time;
use bdem_run::scene::Scene;

use super::CheckOptions;
use crate::error::JobError;

/// Limit on the number of particles of a coarse run.
const PARTICLES: f64 = 3000.0;

/// Smallest number of particles of a piece that counts.
const LEAST: usize = 4;

/// Limits on the number of runs and on their processor time, s.
const RUNS: usize = 10;
const SECONDS: f64 = 60.0;

/// Relative error of the number of pieces at which the search ends.
const NEAR: f64 = 0.15;

/// Search for the strengths that break the bodies of a scene into a number of pieces. Its text is what `bdem check --pieces` prints.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Tuning {
    /// Wanted number of pieces.
    pub wanted: u32,
    /// Coarse runs, in their order.
    pub runs: Vec<CoarseRun>,
    /// Run whose number of pieces is nearest.
    pub nearest: CoarseRun,
    /// Strengths of that run.
    pub materials: Vec<TunedMaterial>,
}

/// Coarse run of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoarseRun {
    /// Factor on the strengths of the scene.
    pub factor: f64,
    /// Number of pieces of four particles or more.
    pub pieces: u32,
}

/// Strengths of a material of the nearest run.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedMaterial {
    /// Name of the material.
    pub name: String,
    /// Tensile strength, Pa.
    pub tensile_strength: f64,
    /// Shear strength, Pa.
    pub shear_strength: f64,
}

/// Searches for the strengths of all materials that break `scene` into the `wanted` number of pieces, by coarse runs of about a minute.
///
/// # Errors
/// When nothing can break, when a coarse run gives up, when the scene cannot be built at its radius, or when a stop is requested.
pub fn tune(scene: &Scene, wanted: u32, options: &CheckOptions) -> Result<Tuning, JobError> {
    rayon::scope(|_| search(scene, wanted, options))
}

fn search(scene: &Scene, wanted: u32, options: &CheckOptions) -> Result<Tuning, JobError> {
    if !scene.materials.values().any(|material| material.tensile_strength.is_finite()) {
        return Err(JobError::Usage("--pieces: no material has a tensile_strength: nothing breaks".to_owned()));
    }
    let (coarse, start) = (coarsened(scene), processor_time());
    let mut runs: Vec<CoarseRun> = Vec::new();
    let mut factor = 1.0;
    for _ in 0..RUNS {
        let pieces = pieces_at(&coarse, factor, options)?;
        runs.push(CoarseRun { factor, pieces });
        if is_near(pieces, wanted) || processor_time() - start > SECONDS {
            break;
        }
        factor = next_factor(&runs, wanted);
    }
    let off = |run: &CoarseRun| libm::log(ratio(run.pieces) / ratio(wanted)).abs();
    let nearest = runs.iter().min_by(|a, b| off(a).total_cmp(&off(b))).copied().expect("a run at least");
    let breakable = scene.materials.iter().filter(|(_, material)| material.tensile_strength.is_finite());
    let tuned = breakable.map(|(name, material)| {
        // as the scene has them, beside its softness
        let factor = nearest.factor * material.applied_softness.map_or(1.0, f64::sqrt);
        let [tensile_strength, shear_strength] =
            [material.tensile_strength, material.shear_strength].map(|strength| strength * factor);
        TunedMaterial { name: name.clone(), tensile_strength, shear_strength }
    });
    Ok(Tuning { wanted, nearest, materials: tuned.collect(), runs })
}

/// A line a run, and the strengths of the nearest.
impl Display for Tuning {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { wanted, runs, nearest, materials } = self;
        for CoarseRun { factor, pieces } in runs {
            writeln!(f, "tune           {factor:.3} x strength: {pieces} pieces of {LEAST} particles or more")?;
        }
        for TunedMaterial { name, tensile_strength, shear_strength } in materials {
            writeln!(
                f,
                "tuned          {name}: tensile_strength = {tensile_strength:.2e}, shear_strength = {shear_strength:.2e}: {} \
                 pieces, wanted {wanted}",
                nearest.pieces
            )?;
        }
        Ok(())
    }
}

/// The scene with larger particles, as far as its shapes allow.
fn coarsened(scene: &Scene) -> Scene {
    let most = libm::cbrt(scene.estimated_particles() as f64 / PARTICLES).max(1.0);
    let at = |factor: f64| {
        let mut coarse = scene.clone();
        coarse.bodies.iter_mut().filter_map(|body| body.particle_radius.as_mut()).for_each(|radius| *radius *= factor);
        coarse
    };
    let is_whole = |coarse: &Scene| {
        coarse.build().is_ok_and(|(world, state)| coarse.check_whole(&coarse.wholeness(&world, &state)).is_ok())
    };
    let mut sizes = [most, most.sqrt()].into_iter().map(at);
    sizes.find(is_whole).unwrap_or_else(|| scene.clone())
}

/// Number of pieces at the end of a run with this factor on all strengths.
fn pieces_at(scene: &Scene, factor: f64, options: &CheckOptions) -> Result<u32, JobError> {
    let mut scene = scene.clone();
    for material in scene.materials.values_mut() {
        material.tensile_strength *= factor;
        material.shear_strength *= factor;
    }
    let (mut world, state) = scene.build()?;
    world.interrupt = options.interrupt.clone();
    let mut simulation = Simulation::new(world, state, &scene.simulation_settings());
    let mut progress = Progress::default();
    for _ in 0..scene.time.frames {
        if let Err(why) = simulation.advance_frame(&mut progress) {
            options.check_interrupt()?;
            return Err(scene.gives_up(&why, &simulation.world.particles.body).into());
        }
    }
    Ok(count(&simulation.world))
}

/// Number of pieces that count.
fn count(world: &World) -> u32 {
    let mut sizes: HashMap<u32, usize> = HashMap::new();
    Pieces::of(world).of_particle.iter().for_each(|piece| *sizes.entry(*piece).or_default() += 1);
    sizes.values().filter(|size| **size >= LEAST).count() as u32
}

fn is_near(count: u32, wanted: u32) -> bool {
    (f64::from(count) - f64::from(wanted)).abs() <= NEAR * f64::from(wanted)
}

/// Number of pieces for logarithms.
fn ratio(count: u32) -> f64 {
    f64::from(count.max(1))
}

/// Next factor on the strengths: a secant of the logarithms between the nearest factors with too many and with too few pieces, kept
/// from its ends, or twice or half of the last one without both.
fn next_factor(known: &[CoarseRun], wanted: u32) -> f64 {
    /// Distance of a secant from its ends, as a share of it.
    const MARGIN: f64 = 0.1;
    let too_many = known.iter().filter(|run| run.pieces > wanted).max_by(|a, b| a.factor.total_cmp(&b.factor));
    let too_few = known.iter().filter(|run| run.pieces <= wanted).min_by(|a, b| a.factor.total_cmp(&b.factor));
    match (too_many, too_few) {
        (Some(&CoarseRun { factor: weak, pieces: many }), Some(&CoarseRun { factor: strong, pieces: few }))
            if weak < strong =>
        {
            let share = libm::log(ratio(many) / ratio(wanted)) / libm::log(ratio(many) / ratio(few));
            let share = if share.is_finite() { share.clamp(MARGIN, 1.0 - MARGIN) } else { 0.5 };
            weak * libm::pow(strong / weak, share)
        }
        (Some(weak), _) => 2.0 * weak.factor,
        (None, Some(strong)) => 0.5 * strong.factor,
        (None, None) => 1.0,
    }
}
