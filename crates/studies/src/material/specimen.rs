use bdem_core::energy::Potential;
use bdem_core::energy::account::Flow;
use bdem_core::model::{Gradient, State};
use bdem_core::simulate::{Progress, Simulation};
use bdem_run::run::RunError;
use bdem_run::scene::Scene;

/// Measured results of a test that moves the particles of the scene's last constraint along z.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tested {
    /// Highest force on them, N.
    pub peak: f64,
    /// Slope of the force over the strain of the middle, between a tenth and 0.4 of the highest force, N, by least squares.
    pub stiffness: f64,
    /// Energy dissipated by bonds that broke or softened, J.
    pub dissipated: f64,
}

/// Runs a test until the force has fallen below this `share` of its highest, or to the end.
///
/// # Errors
/// When the scene is wrong, or the solver gives up.
pub fn test(scene: &Scene, share: f64) -> Result<Tested, RunError> {
    /// Steps between two measurements.
    const STEPS: u32 = 20;
    let (world, state) = scene.build()?;
    let mut simulation = Simulation::new(world, state, &scene.simulation_settings());
    let rest = simulation.state.clone();
    let seconds = f64::from(scene.time.frames) / scene.time.frame_rate;
    let (mut curve, mut peak, mut progress) = (Vec::new(), 0.0_f64, Progress::default());
    rayon::scope(|_| -> Result<(), RunError> {
        loop {
            for _ in 0..STEPS {
                simulation.try_step(&mut progress)?;
            }
            let now = force(&simulation).abs();
            peak = peak.max(now);
            curve.push((strain(&simulation, &rest).abs(), now));
            // the first measurements are of a wave from the grips
            if simulation.state.time > seconds || curve.len() > 50 && now < share * peak {
                return Ok(());
            }
        }
    })?;
    let reaches = |share: f64| curve.iter().position(|(_, force)| *force >= share * peak).unwrap_or_default();
    let stiffness = slope(&curve[reaches(0.1)..=reaches(0.4)]);
    Ok(Tested { peak, stiffness, dissipated: simulation.flows()[Flow::Fracture] })
}

/// Force along z (N) with which bonds and contacts hold the moved particles back.
fn force(simulation: &Simulation) -> f64 {
    let Simulation { world, state, contacts, .. } = simulation;
    let mut gradient = vec![Gradient::default(); state.len()];
    Potential::new(world, contacts).gradient(state, &mut gradient);
    let moved = world.constraints.last().map_or(&[][..], |constraint| &constraint.particles);
    moved.iter().map(|&i| gradient[i as usize].p.z).sum()
}

/// Slope of displacements along z over places in the middle half.
fn strain(simulation: &Simulation, rest: &State) -> f64 {
    let reach = 0.5 * rest.p.iter().map(|p| p.z).fold(0.0, f64::max);
    let all = rest.p.iter().zip(&simulation.state.p).filter(|(p, _)| p.z.abs() < reach);
    slope(&all.map(|(p, x)| (p.z, x.z - p.z)).collect::<Vec<_>>())
}

/// Slope of the line through points that has the least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let covariance: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    covariance / points.iter().map(|point| (point.0 - x).powi(2)).sum::<f64>()
}
