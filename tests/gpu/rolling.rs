//! Rolling friction.

use bdem_core::model::Motion;
use bdem_core::prelude::*;

use crate::contacts::{after, both, cloud, floor, grain, loose};
use crate::{RADIUS, on_card, steps};

/// Grain with rolling friction.
fn rough(rolling_friction: f64) -> Material {
    Material { rolling_friction, ..grain(0.5) }
}

/// Ball on a floor, at rest there but for these velocities (m/s, rad/s).
fn ball(rolling_friction: f64, v: Vec3, w: Vec3) -> (World, State) {
    let (mut world, mut state) = loose(rough(rolling_friction), &[Vec3::z() * RADIUS], &[RADIUS], 0.3);
    world.walls = vec![floor(Vec3::z(), 0.0)];
    world.gravity = Vec3::new(0.0, 0.0, -9.81);
    state.p[0].z -= world.particles.mass[0] * 9.81 / world.wall_normal_spring(0).k;
    (state.v[0], state.w[0]) = (v, w);
    (world, state)
}

/// A ball that rolls is slowed by mu g/(1 + J/(m R^2)) = mu g/1.4, and lies still in the end.
#[test]
fn a_ball_rolls_out() {
    let speed = 0.1;
    let (world, state) = ball(0.05, Vec3::x() * speed, Vec3::y() * (speed / RADIUS));
    let card = on_card(world, state);
    let (dt, slowing) = (card.plan.step, 0.05 * 9.81 / 1.4);
    let count = (0.5 * speed / slowing / dt) as u64;
    let card = after(card, count, 1000);
    let wanted = speed - slowing * card.state.time;
    println!("{} m/s for {wanted}", card.state.v[0].x);
    assert!((card.state.v[0].x / wanted - 1.0).abs() < 0.01, "{} for {wanted}", card.state.v[0].x);
    assert!(
        (card.flows()[Flow::Friction] / (0.5 * 1.4 * card.world.particles.mass[0] * (speed * speed - wanted * wanted))
            - 1.0)
            .abs()
            < 0.01
    );
    let card = after(card, 2 * count, 1000);
    assert!(
        card.state.v[0].norm() < 1e-4 * speed && card.state.w[0].norm() * RADIUS < 1e-4 * speed,
        "{:?}",
        card.state
    );
}

/// A ball on the axis of a turntable turns with it, and does not lose its spin.
#[test]
fn a_turntable_takes_a_ball_along() {
    let rate = 7.0;
    for spin in [rate, 0.0] {
        let (mut world, state) = ball(0.3, Vec3::zeros(), Vec3::z() * spin);
        world.walls[0].motion = Motion::Screw { point: Vec3::zeros(), axis: Vec3::z(), rate, velocity: 0.0 };
        // the spin needs 0.4 R w/(mu g) to change
        let time = 2.0 * 0.4 * RADIUS * rate / (0.3 * 9.81);
        let card = on_card(world, state);
        let count = (time / card.plan.step) as u64;
        let card = after(card, count, 1000);
        assert!((card.state.w[0] - Vec3::z() * rate).norm() < 1e-3 * rate, "{:?}", card.state.w[0]);
        let gained = 0.5 * card.world.particles.inertia[0] * (rate * rate - spin * spin);
        let worked = card.flows()[Flow::Walls];
        // half of the work is dissipated
        let scale = 0.5 * card.world.particles.inertia[0] * rate * rate;
        assert!((worked - 2.0 * gained).abs() <= 0.01 * scale, "{worked} J for {gained} J");
    }
}

/// In a corner of three walls nothing turns a ball that comes to rest.
#[test]
fn a_ball_lies_still_in_a_corner() {
    let place = Vec3::new(1.0, 1.0, 1.0) * RADIUS;
    let (mut world, mut state) = loose(rough(0.2), &[place], &[RADIUS], 0.3);
    world.walls = [Vec3::x(), Vec3::y(), Vec3::z()].map(|n| floor(n, 0.0)).into();
    world.gravity = Vec3::new(-1.0, -1.0, -1.0) * 5.0;
    state.w[0] = Vec3::new(3.0, -1.0, 0.5);
    let card = after(on_card(world, state), 20_000, 1000);
    // an orientation has the unit 2^-30, and keeps it below this spin
    let frozen = libm::exp2(-30.0) / card.plan.step;
    assert!(card.state.w[0].amax() < frozen, "{:?} of {frozen}", card.state.w[0]);
}

/// A cloud of spheres keeps its momentum, and loses as much to friction as on the processor.
#[test]
fn a_cloud_turns_less() {
    let (centres, radii) = cloud(60, 0.95);
    let (mut world, mut state) = loose(rough(0.3), &centres, &radii, 0.5);
    world.gravity = Vec3::zeros();
    for i in 0..state.len() {
        let phase = i as f64;
        state.w[i] = Vec3::new(libm::sin(phase), libm::cos(2.0 * phase), libm::sin(3.0 * phase)) * 20.0;
    }
    let both = both(world, state, 600, 200, 0.25);
    let [ours, card] = [&both.processor, &both.card].map(|run| run.flows()[Flow::Friction]);
    println!("{ours} J and {card} J");
    assert!(ours > 0.0 && (card / ours - 1.0).abs() < 0.01, "{card} J for {ours} J");
    let momentum =
        |run: &Simulation| run.state.v.iter().zip(&run.world.particles.mass).map(|(v, m)| v * *m).sum::<Vec3>();
    let scale: f64 = both.card.state.v.iter().zip(&both.card.world.particles.mass).map(|(v, m)| v.norm() * m).sum();
    assert!((momentum(&both.card) - momentum(&both.processor)).norm() < 1e-5 * scale);
    let mut card = both.card;
    card.audit().unwrap_or_else(|why| panic!("{why}"));
    steps(&mut card, 10, 10).expect("more steps");
}
