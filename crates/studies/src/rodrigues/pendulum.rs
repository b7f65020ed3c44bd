//! The pendulum of \[RODR\] section 3 and Fig 1: a body that turns about a fixed point, J = m g = 1, its weight along R e3. It is
//! no particle, and so in no scene.

use bdem_core::geometry::{Quat, Vec3, rotation};
use bdem_core::integrate::{Map, Rule};
use bdem_core::model::{Particles, State};

use super::{Findings, Statement};
use crate::Setup;
use crate::trajectory::{Errors, Trajectory};

/// End, s. The paper does not print its own.
pub const END: f64 = 20.0;

/// Longest step, and time between the states that are compared, s.
const FRAME: f64 = 0.1;

/// Attitude, as a unit quaternion, and angular velocity, rad/s.
#[derive(Clone, Copy, Debug)]
pub struct Pendulum {
    /// Attitude R.
    pub q: Quat,
    /// Angular velocity Omega in the inertial frame, rad/s.
    pub spin: Vec3,
}

impl Pendulum {
    /// Start of eq 42: alpha = (0, 2 tan(3 pi/8), 0), Omega = (0.2, 0, 0.2).
    pub fn start() -> Self {
        let half = libm::tan(3.0 * std::f64::consts::PI / 8.0);
        Self { q: Quat::new(1.0, 0.0, half, 0.0).normalize(), spin: Vec3::new(1.0, 0.0, 1.0) * 0.2 }
    }

    /// Centre of mass R e3, m.
    fn centre(&self) -> Vec3 {
        rotation::rotate(&self.q, &Vec3::z())
    }

    /// Torque (R e3) x e3, N m: eq 40 in the inertial frame.
    fn torque(&self) -> Vec3 {
        self.centre().cross(&Vec3::z())
    }

    /// Energy, J: eq 41a.
    pub fn energy(&self) -> f64 {
        0.5 * self.spin.norm_squared() - self.centre().z
    }

    /// Step of `h` (s) by the map of this rule.
    pub fn swing<R: Rule>(&mut self, h: f64) {
        self.spin += self.torque() * (R::KICKS[0] * h);
        assert!(R::is_within_reach(&(self.spin * h)), "a step turns the pendulum too far");
        self.q = rotation::turn_by(&self.q, &R::turn(&(self.spin * h)));
        self.spin += self.torque() * (R::KICKS[1] * h);
    }

    /// Step of `h` (s) by map 26, with a share `phi` of the torque at its start: eqs 26b and 26d, solved by iteration.
    fn swing_implicitly(&mut self, phi: f64, h: f64) {
        const ITERATIONS: usize = 200;
        let (start, first) = (*self, self.torque() * phi);
        for _ in 0..ITERATIONS {
            let before = self.spin;
            self.spin = start.spin + (first + self.torque() * (1.0 - phi)) * h;
            self.q = rotation::turn_by(&start.q, &Map::<27>::turn(&(self.spin * h)));
            if (self.spin - before).norm() <= f64::EPSILON {
                break;
            }
        }
    }
}

/// Greatest error of the energy, J, by the map of this rule in steps of `h` (s) up to [`END`].
pub fn energy_error<R: Rule>(h: f64) -> f64 {
    let mut pendulum = Pendulum::start();
    let before = pendulum.energy();
    let steps = (END / h).round() as usize;
    (0..steps).fold(0.0, |off: f64, _| {
        pendulum.swing::<R>(h);
        off.max((pendulum.energy() - before).abs())
    })
}

type Step = fn(&mut Pendulum, f64);

const MAPS: [(&str, Step, &str); 6] = [
    ("23", Pendulum::swing::<Map<23>>, "2"),
    ("25", Pendulum::swing::<Map<25>>, "2"),
    ("27", Pendulum::swing::<Map<27>>, "-"),
    ("26, phi = 1", |at, h| at.swing_implicitly(1.0, h), "-"),
    ("26, phi = 1/2", |at, h| at.swing_implicitly(0.5, h), "-"),
    ("26, phi = 0", |at, h| at.swing_implicitly(0.0, h), "-"),
];

/// Trajectory, and greatest errors of R e3 . Omega and of the length of R e3.
fn trace(step: Step, parts: u32) -> (Trajectory, [f64; 2]) {
    let mut particles = Particles::default();
    particles.push(1.0, 1.0, 0, 0);
    let mut pendulum = Pendulum::start();
    let (mut trajectory, mut off) = (Trajectory::default(), [0.0_f64; 2]);
    let frames = (END / FRAME).round() as usize;
    for frame in 0..=frames {
        let zeros = || vec![Vec3::zeros()];
        let state =
            State { time: frame as f64 * FRAME, p: zeros(), q: vec![pendulum.q], v: zeros(), w: vec![pendulum.spin] };
        trajectory.push(state, pendulum.energy(), &particles);
        off = [
            off[0].max(pendulum.centre().dot(&pendulum.spin).abs()),
            off[1].max((pendulum.centre().norm() - 1.0).abs()),
        ];
        (0..parts).for_each(|_| step(&mut pendulum, FRAME / f64::from(parts)));
    }
    (trajectory, off)
}

/// Distance, rad and rad/s, from the start after [`END`] and back.
fn there_and_back(step: Step, h: f64) -> f64 {
    let mut pendulum = Pendulum::start();
    for _ in 0..2 {
        (0..(END / h).round() as usize).for_each(|_| step(&mut pendulum, h));
        pendulum.spin = -pendulum.spin;
    }
    let start = Pendulum::start();
    rotation::rotation_between(&start.q, &pendulum.q).norm() + (start.spin - pendulum.spin).norm()
}

/// Statements of Fig 1. Returned are the errors over the step by map.
pub(super) fn measure(setup: &Setup, findings: &mut Findings) -> Vec<(String, Vec<Errors>)> {
    let halvings = setup.choose(7, 4);
    let (reference, _) = trace(Pendulum::swing::<Map<25>>, 1 << (halvings + 4));
    let mut all = Vec::new();
    for (map, step, of_energy) in MAPS {
        let runs: Vec<_> = (0..halvings).map(|halving| (halving, trace(step, 1 << halving))).collect();
        let length = |halving: i32| FRAME * libm::exp2(-f64::from(halving));
        let errors =
            |(halving, (trace, _)): &(i32, (Trajectory, _))| trace.errors(&reference, length(*halving), [1.0; 2]);
        let errors: Vec<Errors> = runs.iter().map(errors).collect();
        let name = format!("pendulum, map {map}");
        let at = Statement { of: &name, figure: "[RODR] Fig 1", step: FRAME, end: END };
        findings.add_orders(&Statement { step: length(halvings - 1), ..at }, of_energy, &errors);
        let (_, (_, [spin, length])) = &runs[0];
        findings.add(&at, "greatest R e3 . Omega, of which the start has 0", "rounding", *spin);
        findings.add(&at, "greatest error of the length of R e3", "rounding", *length);
        findings.add(&at, "distance from the start after the way back", "reversible", there_and_back(step, FRAME));
        all.push((format!("map {map}"), errors));
    }
    all
}
