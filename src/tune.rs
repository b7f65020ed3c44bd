//! Strength at which the bodies of a scene break into a number of pieces, by coarse runs.

use std::collections::HashMap;

use bdem_core::fracture::Pieces;
use bdem_core::model::World;
use bdem_core::simulate::{Progress, Simulation};
use bdem_run::run::runtime_estimate::processor_time;
use bdem_run::scene::Scene;

use super::CliError;

/// Limit on the number of particles of a coarse run.
const PARTICLES: f64 = 3000.0;

/// Smallest number of particles of a piece that counts.
const LEAST: usize = 4;

/// Limits on the number of runs and on their processor time, s.
const RUNS: usize = 10;
const SECONDS: f64 = 60.0;

/// Relative error of the number of pieces at which the search ends.
const NEAR: f64 = 0.15;

/// Lines of the search for the strengths of all materials that break `scene` into the `wanted` number of pieces: a line a run, and
/// the strengths of the nearest.
///
/// # Errors
/// When nothing can break, when a coarse run gives up, or when the scene cannot be built at its radius.
pub(super) fn tune(scene: &Scene, wanted: u32) -> Result<String, CliError> {
    let breakable = |scene: &Scene| scene.materials.values().any(|material| material.tensile_strength.is_finite());
    if !breakable(scene) {
        let message = "--pieces: no material has a tensile_strength: nothing breaks".to_owned();
        return Err(CliError { code: 2, message });
    }
    let (coarse, start) = (coarsened(scene), processor_time());
    let mut lines = String::new();
    let mut known: Vec<(f64, u32)> = Vec::new();
    let mut factor = 1.0;
    for _ in 0..RUNS {
        let count = pieces_at(&coarse, factor)?;
        lines += &format!("tune           {factor:.3} x strength: {count} pieces of {LEAST} particles or more\n");
        known.push((factor, count));
        if is_near(count, wanted) || processor_time() - start > SECONDS {
            break;
        }
        factor = next_factor(&known, wanted);
    }
    let off = |count: u32| libm::log(ratio(count) / ratio(wanted)).abs();
    let nearest = known.iter().min_by(|a, b| off(a.1).total_cmp(&off(b.1))).copied().unwrap_or((1.0, 0));
    for (name, material) in scene.materials.iter().filter(|(_, material)| material.tensile_strength.is_finite()) {
        // as the scene has them, beside its softness
        let factor = nearest.0 * material.applied_softness.map_or(1.0, f64::sqrt);
        let strengths = [material.tensile_strength, material.shear_strength].map(|strength| strength * factor);
        let [tensile, shear] = strengths.map(|strength| format!("{strength:.2e}"));
        lines += &format!(
            "tuned          {name}: tensile_strength = {tensile}, shear_strength = {shear}: {} pieces, wanted {wanted}\n",
            nearest.1
        );
    }
    Ok(lines)
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
fn pieces_at(scene: &Scene, factor: f64) -> Result<u32, CliError> {
    let mut scene = scene.clone();
    for material in scene.materials.values_mut() {
        material.tensile_strength *= factor;
        material.shear_strength *= factor;
    }
    let (world, state) = scene.build()?;
    let mut simulation = Simulation::new(world, state, &scene.simulation_settings());
    let mut progress = Progress::default();
    for _ in 0..scene.time.frames {
        if let Err(why) = simulation.advance_frame(&mut progress) {
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
fn next_factor(known: &[(f64, u32)], wanted: u32) -> f64 {
    /// Distance of a secant from its ends, as a share of it.
    const MARGIN: f64 = 0.1;
    let too_many = known.iter().filter(|(_, count)| *count > wanted).max_by(|a, b| a.0.total_cmp(&b.0));
    let too_few = known.iter().filter(|(_, count)| *count <= wanted).min_by(|a, b| a.0.total_cmp(&b.0));
    match (too_many, too_few) {
        (Some(&(weak, many)), Some(&(strong, few))) if weak < strong => {
            let share = libm::log(ratio(many) / ratio(wanted)) / libm::log(ratio(many) / ratio(few));
            let share = if share.is_finite() { share.clamp(MARGIN, 1.0 - MARGIN) } else { 0.5 };
            weak * libm::pow(strong / weak, share)
        }
        (Some(&(weak, _)), _) => 2.0 * weak,
        (None, Some(&(strong, _))) => 0.5 * strong,
        (None, None) => 1.0,
    }
}
