//! Gradients beside central differences, for every kind of parameter and every integrator.

use bdem_core::geometry::shape::Shape;
use bdem_core::model::BondModel;
use bdem_fit::run::{Run, Storage};
use bdem_fit::sweep::{Change, gradient};

use crate::scenes::{KINDS, Places, Theta, settings};

/// A parameter: its name and place.
type Parameter = (&'static str, fn(&mut Theta) -> &mut f64);

const OF_SPRINGS: [Parameter; 3] = [
    ("stiffness", |theta| &mut theta.stiffness),
    ("dashpot", |theta| &mut theta.dashpot),
    ("mass", |theta| &mut theta.mass),
];

const OF_ALL: [Parameter; 9] = [
    ("charge", |theta| &mut theta.charge),
    ("one charge", |theta| &mut theta.one_charge),
    ("external charge", |theta| &mut theta.external_charge),
    ("place of it", |theta| &mut theta.external_place),
    ("uniform field", |theta| &mut theta.field),
    ("vortex", |theta| &mut theta.swirl),
    ("gravity", |theta| &mut theta.gravity),
    ("velocity", |theta| &mut theta.velocity),
    ("spin", |theta| &mut theta.spin),
];

const OF_BONDS: [Parameter; 6] = [
    ("Young's modulus", |theta| &mut theta.young_modulus),
    ("shear modulus", |theta| &mut theta.shear_modulus),
    ("density", |theta| &mut theta.density),
    ("damping", |theta| &mut theta.damping),
    ("force", |theta| &mut theta.force),
    ("torque", |theta| &mut theta.torque),
];

/// Frames of a run.
const FRAMES: u32 = 4;

fn expect_differences(theta: &Theta, parameters: &[Parameter]) {
    for kind in KINDS {
        let settings = settings(kind);
        let loss = Places::new(theta);
        let moved = |place: fn(&mut Theta) -> &mut f64, by: f64| {
            let mut theta = theta.clone();
            *place(&mut theta) *= 1.0 + by;
            theta
        };
        let value = |theta: Theta| {
            let run = Run::new(theta.build(), &settings, FRAMES).expect("a run");
            run.loss(&loss).expect("steps")
        };
        let changes: Vec<Change> = parameters
            .iter()
            .map(|(_, place)| Change::between(&moved(*place, -1e-5).build(), &moved(*place, 1e-5).build(), 2e-5))
            .collect();
        let run = Run::new(theta.build(), &settings, FRAMES).expect("a run");
        let found = gradient(&run, &loss, &Storage::default(), &changes).expect("a gradient");
        assert!((found.loss / value(theta.clone()) - 1.0).abs() < 1e-14);
        for ((name, place), found) in parameters.iter().zip(&found.along) {
            // fourth order, per relative change of the parameter. The best of several steps: short ones have the noise of the
            // solver's tolerance, long ones the error of the differences
            let at = |by: f64| value(moved(*place, by));
            let slope =
                |h: f64| (at(h) - at(-h)) * (2.0 / (3.0 * h)) - (at(2.0 * h) - at(-2.0 * h)) * (1.0 / (12.0 * h));
            let off = |expected: f64| (found - expected).abs() / expected.abs();
            let best = |a: f64, b: f64| if off(a) < off(b) { a } else { b };
            let expected = [5e-4, 1e-3, 2e-3, 4e-3, 1.5e-2].map(slope).into_iter().fold(f64::INFINITY, best);
            let off = off(expected);
            println!("{kind}, {:?}, {name}: {found:.6e}, off by {off:.1e}", theta.model);
            assert!(off < 1e-5, "{kind}, {name}: {found} and {expected}");
        }
    }
}

#[test]
fn springs_and_charges() {
    for seed in [1, 2] {
        let theta = Theta { has_bar: false, ..Theta::new(seed) };
        expect_differences(&theta, &[&OF_SPRINGS[..], &OF_ALL[..8]].concat());
    }
}

#[test]
fn bonds() {
    for model in [BondModel::QUATERNION, BondModel::COSSERAT] {
        let theta = Theta { has_springs: false, model, ..Theta::new(3) };
        expect_differences(&theta, &[&OF_BONDS[..], &OF_ALL[..]].concat());
    }
}

#[test]
fn bonds_without_damping() {
    let theta = Theta { has_springs: false, damping: 0.0, ..Theta::new(4) };
    expect_differences(&theta, &[&OF_BONDS[..3], &OF_BONDS[4..], &OF_ALL[7..]].concat());
}

#[test]
fn springs_and_bonds_together() {
    expect_differences(&Theta::new(5), &[&OF_SPRINGS[..], &OF_BONDS[..], &OF_ALL[..]].concat());
}

/// A bar that lies on a floor and starts to bounce, with elastic contacts and with dashpots, and on a floor that rises.
#[test]
fn bonds_in_contact() {
    for floor in [[1.0, 0.0], [0.7, 0.0], [0.7, 0.3]] {
        let theta = Theta { has_springs: false, floor: Some(floor), ..Theta::new(8) };
        let of_floor: Parameter = ("Young's modulus", |theta| &mut theta.young_modulus);
        expect_differences(&theta, &[of_floor, OF_BONDS[2], OF_BONDS[3], OF_ALL[0], OF_ALL[6], OF_ALL[7], OF_ALL[8]]);
    }
}

/// The same bar that slides on the floor, and that sticks to it.
#[test]
fn bonds_that_rub() {
    for (friction, floor) in [(0.2, [1.0, 0.0]), (0.3, [0.7, 0.3]), (5.0, [0.7, 0.0])] {
        let theta = Theta { has_springs: false, floor: Some(floor), friction, ..Theta::new(8) };
        let of_friction: Parameter = ("friction", |theta| &mut theta.friction);
        let of_all = [of_friction, OF_BONDS[0], OF_BONDS[2], OF_BONDS[3], OF_ALL[0], OF_ALL[6], OF_ALL[7], OF_ALL[8]];
        expect_differences(&theta, &of_all[usize::from(friction > 1.0)..]);
    }
}

/// Spheres that roll and slide on curved walls, around an edge, and on each other.
#[test]
fn spheres_on_curved_walls() {
    let bowl = Shape::Complement(Box::new(Shape::Sphere { radius: 0.5 }));
    let edge = Shape::Box { size: [0.5, 0.5, 0.5] };
    for (wall, x) in [(bowl, 0.2), (Shape::Sphere { radius: 0.5 }, 0.05), (edge, 0.27)] {
        for (friction, restitution) in [(0.0, 1.0), (0.1, 0.7), (2.0, 1.0)] {
            let balls = Some((wall.clone(), x, restitution));
            let theta = Theta { has_springs: false, has_bar: false, balls, friction, ..Theta::new(9) };
            println!("{wall:?}, {friction}");
            let of_friction: Parameter = ("friction", |theta| &mut theta.friction);
            let of_all = [of_friction, OF_BONDS[0], OF_BONDS[2], OF_ALL[6], OF_ALL[7], OF_ALL[8]];
            // nothing turns without friction, and the stiffness matters too little to be seen beside the solver's tolerance
            let chosen = if friction == 0.0 { 3..5 } else { usize::from(friction > 1.0)..6 };
            expect_differences(&theta, &of_all[chosen]);
        }
    }
}
