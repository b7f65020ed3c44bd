//! Bodies that constraints and loads let go.

use bdem_core::geometry::Vec3;
use bdem_run::run::RunError;

use crate::cases::{Case, Conditions, Finding, Setting, Target, find_all, mean};

use super::conserved::dissipates;

pub(super) const CASES: [Case; 2] = [
    Case::new(
        "bonded bar that a turning constraint lets go",
        "w and v of the centre stay from the release on",
        "a release between frames",
        thrown,
    ),
    Case::new("bonded bar that a load pushes for a while", "v = F t/m, then constant", "a load that grows", pushed),
];

/// Bar of 20-odd particles whose middle is at x = 0.5 m.
const BAR: &str = "[[bodies]]\nname = \"bar\"\nmaterial = \"m\"\nparticle_radius = 0.005\n\
                   shape = { box = { size = [0.06, 0.03, 0.03] } }\nposition = [0.5, 0.0, 0.0]\n";

fn conditions() -> Conditions {
    Conditions { young: 1e9, damping: 0.1, frame_rate: 480.0, ..Conditions::default() }
}

/// Angular velocity (rad/s) about an axis at right angles to the bar, 0.5 m away.
const RATE: f64 = 20.0;

/// Held for half of the time. What it has afterwards is compared to a rigid body's: the constraint ends with it in rotation, which
/// stretches it by 1e-4.
fn thrown(setting: &Setting) -> Result<Vec<Finding>, RunError> {
    let constraint = format!(
        "[[constraints]]\nbody = \"bar\"\nrelease = 0.05\n\
         motion = {{ rotation = {{ point = [0.0, 0.0, 0.0], axis = [0.0, 1.0, 0.0], rate = {:?} }} }}\n",
        -RATE
    );
    let conditions = conditions().lasting(0.1);
    let mut before = 0.0;
    let end = conditions.run(setting, &(BAR.to_owned() + &constraint), |at| {
        if at.state.time < 0.051 {
            before = at.energy();
        }
    });
    let found = end.map(|end| {
        let (p, v) = (mean(&end.state.p), mean(&end.state.v));
        let arms = end.state.p.iter().zip(&end.state.v).map(|(x, u)| (x - p, u - v));
        let (spin, inertia) = arms.fold((0.0, 0.0), |(l, i), (x, u)| (l + x.cross(&u).y, i + x.x * x.x + x.z * x.z));
        let gain = end.energy() / before - 1.0;
        let gain = if dissipates(setting) { gain.max(0.0) } else { gain };
        [-spin / inertia, v.norm(), gain, end.balance.unaccounted / before]
    });
    let targets = [
        Target::of("w", "rad/s", RATE, 0.01 * RATE),
        Target::of("v", "m/s", 0.5 * RATE, 0.001 * 0.5 * RATE),
        Target::ratio("gain of energy after the release", 0.0, 0.002),
        Target::ratio("unaccounted energy", 0.0, 0.001),
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
