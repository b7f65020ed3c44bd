//! Instants at which a motion begins, ends or turns.

use bdem_core::integrate::Midpoint;
use bdem_core::model::{Constraint, Motion};
use bdem_core::prelude::*;

/// Steps end where a constraint ends, as nearly as the shortest of step control allows, and what is released goes on.
#[test]
fn steps_end_where_a_body_is_released() {
    const RATE: f64 = 3.0; // rad/s
    for kind in
        [IntegratorKind::Auto, IntegratorKind::ImplicitBdf2, IntegratorKind::ImplicitMidpoint(Midpoint::default())]
    {
        let mut builder = World::builder();
        let glass = builder.material(Material::elastic("glass", 2500.0, 1e9, 0.25));
        let bar = Packed::equal(hexagonal(&Shape::Box { size: [0.1, 0.04, 0.04] }, 0.01), 0.01, 1e-6);
        builder.packing(&bar, Vec3::x() * 0.5, glass);
        let (mut world, state) = builder.build().expect("a world");
        let turning = Motion::Screw { point: Vec3::zeros(), axis: Vec3::z(), rate: RATE, velocity: 0.0 };
        let held = Constraint::moved((0..state.len() as u32).collect(), turning);
        let (frame, release) = (0.01, 0.0237);
        world.constraints = vec![Constraint { times: 0.0..release, ..held }];
        let settings = SimulationSettings { integrator: kind, ..SimulationSettings::new(frame) };
        let mut simulation = Simulation::new(world, state, &settings);
        let (mut times, mut progress) = (vec![0.0], Progress::default());
        while simulation.state.time < 0.06 {
            simulation.try_step(&mut progress).expect("a step");
            times.push(simulation.state.time);
        }
        let finest = simulation.plan.step * 0.5_f64.powi(simulation.plan.finest as i32);
        let nearest = times.iter().map(|time| (time - release).abs()).fold(f64::INFINITY, f64::min);
        assert!(nearest <= 0.5001 * finest, "{kind}: {nearest} of {finest}");
        let longest = times.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
        assert!(longest > 4.0 * finest, "{kind}: {longest}");
        let spins = simulation.state.w.iter().map(|w| w.z);
        let mean = spins.sum::<f64>() / simulation.state.len() as f64;
        println!("{kind}: {} steps, {mean} rad/s", progress.steps);
        assert!((mean / RATE - 1.0).abs() < 1e-3, "{kind}: {mean}");
    }
}
