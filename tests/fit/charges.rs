//! Golden gradients of masses on springs with charges.

use bdem_core::charge::Method;
use bdem_core::geometry::{Quat, Vec3};
use bdem_core::model::{AxialSpring, Bond, ChargeGroup, Electrostatics, Particles, Ramp, State, World};
use bdem_core::simulate::{IntegratorKind, SimulationSettings, StepSize};
use bdem_fit::run::{Loss, Run, Storage};
use bdem_fit::sweep::{StateGradient, gradient};
use serde_json::Value;

use crate::golden::{list, load, number, numbers, vec3s};

const RADIUS: f64 = 0.01;

fn world(case: &Value) -> (World, State) {
    let (mass, charge) = (numbers(&case["mass"]), numbers(&case["q"]));
    let (stiffness, rest) = (numbers(&case["k"]), numbers(&case["rest_length"]));
    let mut particles = Particles::default();
    for (i, mass) in mass.iter().enumerate() {
        particles.push_mass(RADIUS, *mass, 0, 0);
        particles.remove_contacts(i);
    }
    let spring = |(k, ends): (usize, &Value)| -> Bond {
        let ends = numbers(ends);
        let spring = AxialSpring::elastic(stiffness[k]);
        spring.bond(k as u32, [ends[0] as u32, ends[1] as u32], Vec3::x() * rest[k], RADIUS)
    };
    let bonds = list(case, "springs").iter().enumerate().map(spring).collect();
    let material = AxialSpring::elastic(10.0).material("springs", RADIUS, mass[0]);
    let mut world = World::new(vec![material], particles, bonds);
    let group = ChargeGroup { particles: (0..).take(charge.len()).collect(), charges: charge, factor: Ramp::default() };
    world.electrostatics = Electrostatics::new(vec![group]);
    world.electrostatics.method = Method::Exact;
    // the constant forces are weights
    world.gravity = vec3s(&case["f_ext"])[0] / mass[0];
    let p = vec3s(&case["x0"]);
    let state = State {
        time: 0.0,
        q: vec![Quat::identity(); p.len()],
        w: vec![Vec3::zeros(); p.len()],
        v: vec3s(&case["v0"]),
        p,
    };
    (world, state)
}

struct Half(Vec<Vec3>);

impl Loss for Half {
    fn at(&self, frame: u32, _: &World, state: &State, by: Option<&mut StateGradient>) -> f64 {
        if frame == 0 {
            return 0.0;
        }
        let off: Vec<Vec3> = state.p.iter().zip(&self.0).map(|(p, target)| p - target).collect();
        if let Some(by) = by {
            by.p.iter_mut().zip(&off).for_each(|(by, off)| *by += off);
        }
        0.5 * off.iter().map(Vec3::norm_squared).sum::<f64>()
    }
}

fn expect_near(ours: &[f64], reference: &[f64], name: &str) {
    let largest = reference.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let off = ours.iter().zip(reference).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs())) / largest;
    println!("{name}: off by {off:.1e} of the largest");
    assert!(off < 1e-7, "{name}: {off}");
}

/// \[MSC\] eqs 13-17.
#[test]
fn golden_gradients() {
    let case = load("charges")["mass_spring_charge"].take();
    let (step, steps) = (number(&case, "h"), number(&case, "steps"));
    let settings = SimulationSettings {
        integrator: IntegratorKind::ImplicitEuler,
        step: Some(StepSize::Seconds(step)),
        ..SimulationSettings::new(step * steps)
    };
    let run = Run::new(world(&case), &settings, 1).expect("a run");
    let loss = Half(vec3s(&case["target"]));
    let folder = tempfile::tempdir().expect("a folder");
    let storages = [
        Storage::default(),
        // a segment of two steps, and the starts of three
        Storage::Memory { bytes: 7 * 13 * 8 * 8 },
        Storage::Disk { folder: folder.path().to_owned() },
    ];
    for storage in storages {
        let found = gradient(&run, &loss, &storage, &[]).expect("a gradient");
        expect_near(&[found.loss], &[number(&case, "loss")], "loss");
        let stiffness: Vec<f64> = found.springs.iter().map(|spring| spring.stiffness).collect();
        // World sorts its bonds, and so are the golden springs
        expect_near(&stiffness, &numbers(&case["dloss_dk"]), "stiffnesses");
        expect_near(&[stiffness.iter().sum()], &[number(&case, "dloss_dk_global")], "one stiffness of all");
        expect_near(&found.charges, &numbers(&case["dloss_dq"]), "charges");
        let charge = numbers(&case["q"]);
        let scale = found.charges.iter().zip(&charge).map(|(by, q)| by * q).sum();
        expect_near(&[scale], &[number(&case, "dloss_dq_scale")], "a factor on all charges");
        println!("{storage:?}: {:?}", found.report);
    }
}
