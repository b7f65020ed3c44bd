//! Bodies that constraints and loads let go.

use bdem_core::geometry::Vec3;
use bdem_core::simulate::Simulation;
use bdem_run::run::RunError;

use crate::cases::{Case, Conditions, Finding, Setting, Target, find_all, mean, without_rigid_bodies};

use super::conserved::dissipates;

pub(super) const CASES: [Case; 3] = [
    Case::new(
        "bonded bar that a turning constraint lets go",
        "w and v of the centre stay from the release on",
        "a release between frames",
        thrown,
    ),
    Case::new("bonded bar that a load pushes for a while", "v = F t/m, then constant", "a load that grows", pushed),
    Case {
        cannot: without_rigid_bodies,
        ..Case::new(
            "rigid bar that loads push and turn",
            "v = F t/m, w = M t/I",
            "a torque about no principal axis",
            turned,
        )
    },
];

/// Bar of 20-odd particles whose middle is at x = 0.5 m.
const BAR: &str = "[[bodies]]\nname = \"bar\"\nmaterial = \"m\"\nparticle_radius = 0.005\n\
                   shape = { box = { size = [0.06, 0.03, 0.03] } }\nposition = [0.5, 0.0, 0.0]\n";

fn conditions() -> Conditions {
    Conditions { young: 1e8, damping: 0.1, frame_rate: 480.0, ..Conditions::default() }
}

/// Angular velocity (rad/s) about an axis at right angles to the bar, 0.5 m away.
const RATE: f64 = 20.0;

/// Held for half of the time. Energies are those without the centre's motion, of spin and strain. Implicit Euler loses the square of
/// the angle of each step.
fn thrown(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let release = 0.05;
    let constraint = format!(
        "[[constraints]]\nbody = \"bar\"\nrelease = {release:?}\n\
         motion = {{ rotation = {{ point = [0.0, 0.0, 0.0], axis = [0.0, 1.0, 0.0], rate = {:?} }} }}\n",
        -RATE
    );
    let conditions = conditions().lasting(2.0 * release);
    let inner = |at: &Simulation| {
        let total: f64 = at.world.particles.mass.iter().sum();
        at.energy() - 0.5 * total * mean(&at.state.v).norm_squared()
    };
    let mut before = 0.0;
    let end = conditions.run(setting, &(BAR.to_owned() + &constraint), |at| {
        if at.state.time < release + 0.5 / conditions.frame_rate {
            before = inner(at);
        }
    });
    let found = end.map(|end| {
        let (p, v) = (mean(&end.state.p), mean(&end.state.v));
        let arms = end.state.p.iter().zip(&end.state.v).map(|(x, u)| (x - p, u - v));
        let (spin, inertia) = arms.fold((0.0, 0.0), |(l, i), (x, u)| (l + x.cross(&u).y, i + x.x * x.x + x.z * x.z));
        let gain = inner(&end) / before - 1.0;
        let gain = if dissipates(setting) { gain.max(0.0) } else { gain };
        [-spin / inertia, v.norm(), gain, end.balance.unaccounted / before]
    });
    let dissipated = if dissipates(setting) { RATE * RATE * release / conditions.frame_rate } else { 0.01 };
    let targets = [
        Target::of("w", "rad/s", RATE, dissipated * RATE),
        Target::of("v", "m/s", 0.5 * RATE, 0.001 * 0.5 * RATE),
        Target::ratio("gain of spin and strain after the release", 0.0, 0.02),
        Target::ratio("unaccounted energy over that of spin and strain", 0.0, 0.02),
    ];
    find_all(targets, found)
}

/// A force on all particles that ends within a frame.
fn pushed(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let (force, release) = (2.0, 0.0505);
    let load = format!("[[constraints]]\nbody = \"bar\"\nrelease = {release:?}\nforce = [{force:?}, 0.0, 0.0]\n");
    let end = conditions().lasting(0.1).run(setting, &(BAR.to_owned() + &load), |_| ());
    let found = end.map(|end| {
        let total: f64 = end.world.particles.mass.iter().sum();
        let v = force * release / total;
        let work = 0.5 * total * v * v;
        let w = end.state.w.iter().map(Vec3::norm).fold(0.0, f64::max);
        [mean(&end.state.v).x / v, w, end.balance.unaccounted / work]
    });
    let targets = [
        Target::ratio("v over F t/m", 1.0, 0.005),
        Target::of("greatest spin", "rad/s", 0.0, 1e-3),
        Target::ratio("unaccounted energy", 0.0, 0.001),
    ];
    find_all(targets, found)
}

/// A force and a torque about the bar's axis, shared evenly by its particles.
fn turned(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let (force, torque, time) = (2.0, 1e-3, 0.05);
    let objects = format!(
        "{BAR}rigid = true\n[[constraints]]\nbody = \"bar\"\nforce = [0.0, {force:?}, 0.0]\ntorque = [{torque:?}, 0.0, 0.0]\n"
    );
    let conditions = conditions().lasting(time);
    let found = conditions.run(setting, &objects, |_| ()).map(|end| {
        let particles = &end.world.particles;
        let middle = mean(&end.state.p);
        let orbital = end.state.p.iter().zip(&particles.mass).map(|(p, m)| m * (p - middle).yz().norm_squared());
        let moment = orbital.sum::<f64>() + particles.inertia.iter().sum::<f64>();
        let total: f64 = particles.mass.iter().sum();
        [mean(&end.state.v).y * total / (force * time), end.state.w[0].x * moment / (torque * time)]
    });
    find_all(["v over F t/m", "w over M t/I"].map(|quantity| Target::ratio(quantity, 1.0, 1e-4)), found)
}
