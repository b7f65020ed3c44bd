//! Balls that roll where the normal turns, and in a drum.

use bdem_core::geometry::Vec3;
use bdem_run::run::RunError;

use crate::cases::{Ball, Case, Conditions, Finding, G, RADIUS, Setting, Target, find_all, wall};

use super::conserved::dissipates;
use super::swing::Swing;

pub(super) const CASES: [Case; 3] = [
    Case {
        has_friction: true,
        ..Case::new(
            "ball that rolls in a bowl and spins about the normal",
            "no torque along n: energy and w n stay",
            "rolling friction",
            bowl,
        )
    },
    Case {
        has_friction: true,
        ..Case::new(
            "ball that rolls about a ball and spins about the normal",
            "no torque along n: energy and w n stay",
            "rolling friction",
            pair,
        )
    },
    Case {
        has_friction: true,
        ..Case::new(
            "ball in a turning drum",
            "7/5 l a = -g sin(angle) once it rolls: period 2 pi sqrt(7 l/(5 g)) (1 + a^2/16)",
            "rolling friction",
            drum,
        )
    },
];

/// Path's radius, m, speed, m/s, and spin about the normal, rad/s.
const PATH: f64 = 0.19;
const SPEED: f64 = 2.85;
const SPIN: f64 = 300.0;

/// Ball on the circle about z that rolls on what is `outside` or inside of it: its contact point is at rest.
fn roller(side: f64) -> Ball {
    let (p, v) = (Vec3::x() * PATH, Vec3::y() * SPEED);
    Ball { w: Vec3::new(SPIN, 0.0, side * SPEED / RADIUS), ..Ball::new(p, v) }
}

/// Energy and spin about the normal of the ball `index` after a second.
fn spins(setting: &Setting, objects: &str, index: usize) -> Result<Vec<Finding>, RunError> {
    let conditions =
        Conditions { friction: 1.0, restitution: 0.5, frame_rate: 50.0, ..Conditions::default() }.lasting(1.0);
    let kinetic = conditions.trace(setting, objects, |at| {
        let n = at.state.p[index].normalize();
        let (linear, spin) = at.state.kinetic_energy(&at.world.particles);
        (linear + spin, at.state.w[index].dot(&n))
    });
    let found = kinetic.map(|at| {
        let change = at[at.len() - 1].0 / at[0].0 - 1.0;
        [if dissipates(setting) { change.max(0.0) } else { change }, at[at.len() - 1].1]
    });
    let quantity = if dissipates(setting) { "rise of energy" } else { "change of energy" };
    // implicit Euler is of first order in 0.3 rad a frame
    let tolerance = if dissipates(setting) { 0.05 } else { 0.01 };
    find_all([Target::ratio(quantity, 0.0, 0.003), Target::of("w n", "rad/s", SPIN, tolerance * SPIN)], found)
}

fn bowl(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let shape = format!("{{ sphere = {{ radius = {:?} }} }}", PATH + RADIUS);
    spins(setting, &(wall(&shape, "inside = true") + &roller(-1.0).text("ball")), 0)
}

/// The charges attract with three times the force that the circle needs.
fn pair(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let big = Ball { radius: PATH - RADIUS, ..Ball::new(Vec3::zeros(), Vec3::zeros()) }.text("big");
    let charge = |body: &str, charge: f64| format!("[[charges]]\nbody = \"{body}\"\ncharge = {charge:?}\n");
    let objects = big
        + "[[constraints]]\nbody = \"big\"\nmotion = \"fixed\"\n"
        + &roller(1.0).text("ball")
        + &charge("big", CHARGE)
        + &charge("ball", -CHARGE);
    spins(setting, &objects, 1)
}

/// C.
const CHARGE: f64 = 2.322_607_873_3e-6;

/// Radius of the drum, m, and its angular velocity, rad/s.
const DRUM: f64 = 0.11;
const RATE: f64 = 3.0;

fn drum(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let keys = format!(
        "inside = true\nrotation = {{ axis = [1.0, 0.0, 0.0], degrees = 90.0 }}\n\
         motion = {{ rotation = {{ point = [0.0, 0.0, 0.0], axis = [0.0, 1.0, 0.0], rate = {RATE:?} }} }}"
    );
    let shape = format!("{{ cylinder = {{ radius = {DRUM:?}, height = 0.2 }} }}");
    let length = DRUM - RADIUS;
    let ball = Ball::new(Vec3::z() * -length, Vec3::zeros());
    let conditions = Conditions { young: 1e6, friction: 0.5, frame_rate: 50.0, ..Conditions::level() }.lasting(4.0);
    let objects = ball.text("ball") + &wall(&shape, &keys);
    let path = conditions.trace(setting, &objects, |at| {
        let (p, v, w) = (at.state.p[0], at.state.v[0], at.state.w[0]);
        let n = p.normalize();
        let slip = v + (w - Vec3::y() * RATE).cross(&(n * RADIUS)) - (Vec3::y() * RATE).cross(&p);
        (libm::atan2(-p.x, -p.z), slip.norm(), at.balance.open())
    });
    let found = path.and_then(|at| {
        let open = at.iter().map(|at| at.2).fold(0.0, f64::max);
        let angles: Vec<f64> = at.iter().map(|at| at.0).collect();
        let swing = Swing::new(&angles[50..], 0.0, 1.0 / conditions.frame_rate)?;
        let right = std::f64::consts::TAU * (1.4 * length / G).sqrt() * swing.stretch();
        Ok([swing.period / right, at[at.len() - 1].1, open])
    });
    let targets = [
        Target::ratio("period over the right one", 1.0, 0.01),
        Target::of("slip at last", "m/s", 0.0, 1e-3),
        Target::ratio("unaccounted energy", 0.0, 0.01),
    ];
    find_all(targets, found)
}
