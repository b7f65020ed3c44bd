//! Things at 50 m/s in steps that take them further than their size: nothing passes through anything.

use bdem_core::simulate::Simulation;
use bdem_run::run::advance_to;

use crate::common::scenes::scene;

/// A ball, which meets `target` at z = 0 within a frame, in steps of `periods` T; nothing breaks.
fn shoot(integrator: &str, periods: f64, target: &str) -> Simulation {
    let text = format!(
        r#"
        [scene]
        name = "fast"
        gravity = [0.0, 0.0, 0.0]
        [time]
        frame_rate = 1000.0
        frames = 2
        integrator = "{integrator}"
        step = {{ periods = {periods} }}
        # so long steps make as much energy as the ball has
        control.energy_bound = 10.0
        [materials.glass]
        density = 2600.0
        young_modulus = 1e9
        poisson_ratio = 0.25
        damping = 0.1
        friction = 0.3
        [[bodies]]
        name = "ball"
        material = "glass"
        particle_radius = 0.002
        shape = {{ sphere = {{ radius = 0.009 }} }}
        position = [0.0, 0.0, 0.025]
        velocity = [0.0, 0.0, -50.0]
        {target}
    "#
    );
    advance_to(&scene(&text, &[]), 2, true).expect("the solver finds every step")
}

/// A pane one particle thick, held at its edges.
const PANE: &str = r#"
        [[bodies]]
        name = "pane"
        material = "glass"
        particle_radius = 0.002
        shape = { box = { size = [0.05, 0.05, 0.004] } }
        [[constraints]]
        body = "pane"
        region = { box = { min = [-1.0, -1.0, -1.0], max = [-0.02, 1.0, 1.0] } }
        motion = "fixed"
        [[constraints]]
        body = "pane"
        region = { box = { min = [0.02, -1.0, -1.0], max = [1.0, 1.0, 1.0] } }
        motion = "fixed"
    "#;

/// A wall a fifth of a radius thick.
const SHEET: &str = r#"
        [[colliders]]
        shape = { box = { size = [0.2, 0.2, 0.0004] } }
    "#;

/// The lowest particle of the ball, m.
fn lowest(simulation: &Simulation) -> f64 {
    let body = &simulation.world.particles.body;
    let ball = (0..simulation.state.len()).filter(|&i| body[i] == 0);
    ball.map(|i| simulation.state.p[i].z).fold(f64::INFINITY, f64::min)
}

#[test]
fn nothing_passes_through_a_thin_wall_or_body() {
    for (integrator, periods) in
        [("implicit-bdf2", 20.0), ("implicit-bdf2", 100.0), ("implicit-euler", 100.0), ("explicit-verlet", 0.2)]
    {
        let on_sheet = lowest(&shoot(integrator, periods, SHEET));
        assert!(on_sheet > 0.0, "{integrator}, {periods} T: {on_sheet}");
        // the pane gives way, and its particles are below those of the ball
        let simulation = shoot(integrator, periods, PANE);
        let (body, p) = (&simulation.world.particles.body, &simulation.state.p);
        let near = |i: &usize| body[*i] == 1 && p[*i].xy().norm() < 0.008;
        let pane = (0..p.len()).filter(near).map(|i| p[i].z).fold(f64::NEG_INFINITY, f64::max);
        let ball = lowest(&simulation);
        assert!(ball > pane, "{integrator}, {periods} T: ball {ball}, pane {pane}");
    }
}
