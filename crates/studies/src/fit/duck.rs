//! The charge of a mesh of springs of 2.5 N/m, from Verlet's motion at 0.0045 s over 9 s: \[MSC\] Figs 6 and 14. The duck is not
//! ours: a closed surface in its place.

use bdem_core::charge::Method as Field;
use bdem_core::geometry::triangulate;
use bdem_core::model::{AxialSpring, ChargeGroup, State, World};
use bdem_core::simulate::{IntegratorKind, SimulationSettings, StepSize};
use bdem_fit::error::FitError;
use bdem_fit::run::{Run, Storage};
use bdem_fit::sweep::{Change, gradient};
use bdem_run::run::RunError;

use super::outcome::{LBFGS, Outcome, Positions, Seen, at_most};
use crate::Setup;

/// Stiffness of the springs, N/m, and charge of a vertex, C.
const STIFFNESS: f64 = 2.5;
const CHARGE: f64 = 80e-6;

/// Mass of a vertex, kg: see the studies of charged springs. Radius of the surface, m: the charges then stretch its springs by a
/// third.
const MASS: f64 = 0.1;
const RADIUS: f64 = 15.0;

/// Time between compared positions, and of the motion, s.
const FRAME: f64 = 0.18;
const TIME: f64 = 9.0;

fn duck(charge: f64) -> (World, State) {
    let surface = triangulate::sphere(1);
    let spring = AxialSpring::elastic(STIFFNESS);
    let mut builder = World::builder();
    let material = builder.material(spring.material("springs", 0.1, MASS));
    let uneven = |x: &bdem_core::geometry::Vec3| x * (RADIUS * (1.0 + 0.2 * libm::sin(4.0 * x.x) + 0.1 * x.z));
    let vertices: Vec<u32> = surface.x.iter().map(|x| builder.particle(uneven(x), 0.1, material)).collect();
    let mut edges: Vec<[u32; 2]> = surface.faces.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    edges.iter_mut().for_each(|edge| edge.sort_unstable());
    edges.sort_unstable();
    edges.dedup();
    for [i, j] in edges {
        builder.spring(i, j, spring);
    }
    for &vertex in &vertices {
        builder.without_contacts(vertex);
    }
    builder.charges(ChargeGroup::uniform(vertices, charge));
    builder.field(Field::Exact, 0.0);
    builder.build().expect("the duck is a world")
}

fn settings(integrator: IntegratorKind, step: f64) -> SimulationSettings {
    SimulationSettings { integrator, step: Some(StepSize::Seconds(step)), ..SimulationSettings::new(FRAME) }
}

fn fit(
    name: &str,
    target: &Positions,
    settings: &SimulationSettings,
    frames: u32,
    paper: &str,
) -> Result<Outcome, RunError> {
    let problem = |q: &[f64]| {
        let run = Run::new(duck(q[0]), settings, frames)?;
        let width = 1e-4 * q[0];
        let change = Change::between(&duck(q[0] - 0.5 * width), &duck(q[0] + 0.5 * width), width);
        let found = gradient(&run, target, &Storage::default(), &[change])?;
        match found.loss.is_finite() {
            true => Ok((found.loss, found.along)),
            false => Err(FitError::NotFinite { loss: found.loss, parameters: q.to_vec() }),
        }
    };
    let wanted = [("q, C", 60e-6, CHARGE, [30e-6, 150e-6])];
    Outcome::of(name, &wanted, (LBFGS, at_most(40)), Some(("[MSC] Figs 6, 14", paper.to_owned())), &problem)
}

pub(super) fn fits(setup: &Setup) -> Result<Vec<Outcome>, RunError> {
    let frames = setup.choose((TIME / FRAME).round() as u32, 4);
    let verlet = IntegratorKind::ExplicitVerlet;
    let seen = Seen::default();
    let fine = Run::new(duck(CHARGE), &settings(verlet, 0.0045), frames);
    fine.and_then(|run| run.loss(&seen)).expect("the target's run succeeds");
    let target = seen.positions();
    let euler = IntegratorKind::ImplicitEuler;
    Ok(vec![
        fit("duck, implicit-explicit at 0.009 s", &target, &settings(euler, 0.009), frames, "fits")?,
        fit("duck, Verlet at 0.009 s", &target, &settings(verlet, 0.009), frames, "fits")?,
        fit("duck, implicit-explicit at 0.18 s", &target, &settings(euler, 0.18), frames, "fits")?,
        fit("duck, Verlet at 0.18 s", &target, &settings(verlet, 0.18), frames, "fails")?,
    ])
}
