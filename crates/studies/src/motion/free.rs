//! Rigid and bonded bodies that fly, spin and bounce.

use bdem_core::geometry::Vec3;
use bdem_run::run::RunError;

use crate::cases::{
    Ball, Case, Conditions, Finding, G, RADIUS, Setting, Stop, Target, array, find_all, floor, without_rigid_bodies,
};

use super::conserved::{Conserved, angular_target, dissipates, energy_target};

pub(super) const CASES: [Case; 7] = [
    Case {
        cannot: without_rigid_bodies,
        ..Case::new(
            "rigid slab that tumbles",
            "Euler's equations: energy and angular momentum stay",
            "an error of the path on the sphere of angular momentum",
            tumbles,
        )
    },
    Case {
        cannot: without_rigid_bodies,
        ..Case::new(
            "rigid slab that turns 1000 times",
            "Euler's equations: energy and angular momentum stay",
            "an error of the phase",
            thousand_turns,
        )
    },
    Case {
        cannot: without_rigid_bodies,
        ..Case::new(
            "rigid box that bounces",
            "energy stays without damping and friction",
            "the directions after a bounce",
            rigid_bounces,
        )
    },
    Case::new(
        "bonded box that bounces",
        "energy stays without damping and friction",
        "the directions after a bounce",
        bonded_bounces,
    ),
    Case::new(
        "bonded slab that spins about its stiff axis",
        "energy and angular momentum stay",
        "an error of the phase",
        stiff_axis,
    ),
    Case::new(
        "bonded slab that spins about its middle axis",
        "energy and angular momentum stay",
        "the time at which rounding overturns it",
        middle_axis,
    ),
    Case::new("grain that falls", "z = v t - g t^2/2", "all but the first step", falls),
];

/// Slab of one layer.
fn slab(rigid: bool, w: Vec3) -> String {
    format!(
        "[[bodies]]\nname = \"slab\"\nmaterial = \"m\"\nparticle_radius = {RADIUS:?}\nrigid = {rigid}\n\
         shape = {{ box = {{ size = [0.1, 0.06, 0.02] }} }}\nangular_velocity = {}\n",
        array(&w)
    )
}

/// Energy, angular momentum and size of a free body.
fn find(
    setting: &Setting,
    when: &str,
    found: Result<Conserved, Stop>,
    [energy, angular, size]: [f64; 3],
) -> Result<Vec<Finding>, RunError> {
    let targets = [
        energy_target(setting, when, energy),
        angular_target(when, angular),
        Target::ratio(format!("change of size{when}"), 0.0, size),
    ];
    find_all(targets, found.map(|found| [found.energy_error(setting), found.angular_error(), found.size_error()]))
}

/// Half a second about no principal axis: 0.83 to 0.02 rad a frame.
fn tumbles(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let objects = slab(true, Vec3::new(14.0, 14.0, 0.0));
    let at = |frame_rate: f64| {
        let conditions = Conditions { frame_rate, ..Conditions::default() }.lasting(0.5);
        let found = Conserved::of(&conditions, setting, &objects);
        find(setting, &format!(", {frame_rate} frames/s"), found, [1e-4, 1e-10, 1e-9])
    };
    Ok([24.0, 50.0, 240.0, 960.0].map(at).into_iter().collect::<Result<Vec<_>, _>>()?.concat())
}

/// At 0.4 rad a frame: explicit steps are far shorter.
fn thousand_turns(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let w = Vec3::new(20.0, 20.0, 0.0);
    let turn = std::f64::consts::TAU;
    let conditions = Conditions { frame_rate: w.norm() / 0.4, ..Conditions::default() };
    let found = Conserved::of(&conditions.lasting(1000.0 * turn / w.norm()), setting, &slab(true, w));
    find(setting, "", found, [1e-3, 1e-10, 1e-8])
}

/// Tilted box that falls by some radii onto a floor. Where steps do not resolve a contact the energy may fall.
fn bounces(setting: &Setting, rigid: bool) -> Result<Vec<Finding>, RunError> {
    let body = format!(
        "[[bodies]]\nname = \"box\"\nmaterial = \"m\"\nparticle_radius = {RADIUS:?}\nrigid = {rigid}\n\
         shape = {{ box = {{ size = [0.08, 0.06, 0.04] }} }}\nposition = [0.0, 0.0, 0.08]\n\
         rotation = {{ axis = [1.0, 0.5, 0.2], degrees = 25.0 }}\n"
    );
    let of = |frame_rate: f64| {
        let conditions = Conditions { gravity: Vec3::z() * -G, damping: 0.0, frame_rate, ..Conditions::default() };
        let found = Conserved::of(&conditions.lasting(0.5), setting, &(body.clone() + &floor()));
        let falls = setting.integrator.is_only_implicit();
        let quantity = if falls { "rise" } else { "change" };
        let target = Target::ratio(format!("{quantity} of energy, {frame_rate} frames/s"), 0.0, 0.01);
        target.find(found.map(|found| if falls { found.energy_rise() } else { found.energy_change() }))
    };
    [24.0, 240.0].map(of).into_iter().collect()
}

fn rigid_bounces(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    bounces(setting, true)
}

fn bonded_bounces(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    bounces(setting, false)
}

/// Bounds on the errors of energy and angular momentum of a bonded body after `steps` steps that each turn it by at most
/// `turn` (rad). BDF2 loses turn^2 in a first step of implicit Euler, and then turn^4 a step. Implicit Euler keeps no spin. The energy
/// of the midpoint rule oscillates by turn^2.
fn spin_tolerances(setting: &Setting, turn: f64, steps: f64) -> [f64; 3] {
    let square = turn * turn;
    let bdf2 = 2.0 * (square + steps * square * square);
    // rho w^2 R^2/E of the slab's half at 20 rad/s
    let strain = 1e-4;
    match setting.integrator.to_string().as_str() {
        "implicit-euler" => [1e-6, 2.0 * square * steps, strain],
        "implicit-bdf2" => [bdf2, bdf2, strain],
        "implicit-midpoint" => [square, 1e-6, strain],
        _ => [1e-5, 1e-9, strain],
    }
}

/// Half a second at 0.1 rad a frame.
fn spins(setting: &Setting, w: Vec3) -> Result<Vec<Finding>, RunError> {
    let (seconds, frame_rate) = (0.5, 10.0 * w.norm());
    let conditions = Conditions { young: 1e8, damping: 0.0, frame_rate, ..Conditions::default() };
    let conditions = conditions.lasting(seconds);
    let found = Conserved::of(&conditions, setting, &slab(false, w));
    let turn = w.norm() / conditions.frame_rate;
    find(setting, "", found, spin_tolerances(setting, turn, seconds * conditions.frame_rate))
}

fn stiff_axis(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    spins(setting, Vec3::z() * 5.0)
}

fn middle_axis(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    spins(setting, Vec3::y() * 20.0)
}

/// Place after half a second. Implicit Euler adds g t dt/2.
fn falls(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let (v, t) = (2.0, 0.5);
    let conditions = Conditions { gravity: Vec3::z() * -G, ..Conditions::default() }.lasting(t);
    let ball = Ball::new(Vec3::zeros(), Vec3::z() * v);
    let late = if dissipates(setting) { 0.5 * G * t / conditions.frame_rate } else { 0.0 };
    let right = v * t - 0.5 * G * t * t - late;
    let end = conditions.run(setting, &ball.text("ball"), |_| ()).map(|end| [end.state.p[0].z, end.state.v[0].z]);
    // a first step of implicit Euler has the error g dt^2/2
    let first = if setting.integrator.is_only_implicit() { 0.75 * G / conditions.frame_rate.powi(2) } else { 1e-6 };
    let targets = [Target::of("z", "m", right, first), Target::of("v", "m/s", v - G * t, 1e-6)];
    find_all(targets, end)
}
