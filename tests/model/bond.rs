use std::f64::consts::PI;

use bdem_core::geometry::Vec3;
use bdem_core::model::{Bond, Grain, Material, Modes};

use crate::common::system::material;

const E: f64 = 3e7;
const G: f64 = 1.2e7;
const RADII: [f64; 2] = [0.01, 0.014];
const MASS: [f64; 2] = [0.02, 0.05];

fn bond(damping: f64) -> Bond {
    let along = Vec3::new(1.0, -2.0, 2.0) * 0.008;
    Bond::new(3, [4, 7], along, RADII, MASS, &Material { damping, ..material(E, G, 1000.0) })
}

fn assert_modes(got: &Modes, want: [f64; 4]) {
    for (got, want) in [got.n, got.s, got.t, got.b].into_iter().zip(want) {
        assert!((got - want).abs() <= 1e-14 * want, "{got:e}, want {want:e}");
    }
}

/// k_n = E S/l0, k_s = G S l0, k_t = G Jp/l0, k_b = E I/l0, on the mean radius.
#[test]
fn stiffnesses_follow_from_the_material() {
    let bond = bond(0.0);
    let (l0, r0) = (0.024, 0.012);
    assert!((bond.l0 - l0).abs() < 1e-17 && (bond.r0 - r0).abs() < 1e-17);
    assert!((bond.d0 - Vec3::new(1.0, -2.0, 2.0) / 3.0).norm() < 1e-15);
    let (section, second) = (PI * 1.44e-4, PI * 2.0736e-8 / 4.0);
    assert!((bond.area() / section - 1.0).abs() < 1e-14 && (bond.second_moment() / second - 1.0).abs() < 1e-14);
    assert_modes(&bond.k, [E * section / l0, G * section * l0, 2.0 * G * second / l0, E * second / l0]);
    assert_modes(&bond.c, [0.0; 4]);
}

/// c = 2 zeta sqrt(k m): the mass that each mode moves is the two particles' reduced one, or moment of inertia.
#[test]
fn viscosity_is_a_share_of_critical_damping() {
    let zeta = 0.07;
    let bond = bond(zeta);
    let reduced = |[a, b]: [f64; 2]| a * b / (a + b);
    let mass = reduced(MASS);
    let inertia = reduced([0, 1].map(|i| 0.4 * MASS[i] * RADII[i].powi(2)));
    let c = |k: f64, m: f64| 2.0 * zeta * (k * m).sqrt();
    let k = &bond.k;
    assert_modes(&bond.c, [c(k.n, mass), c(k.s, mass * bond.l0.powi(2)), c(k.t, inertia), c(k.b, inertia)]);
}

/// \[BDEM21\] eq 30: along the grain 1 + lambda times, across it once, and in between by the fourth power of the cosine.
#[test]
fn the_grain_makes_bonds_stiffer_and_stronger() {
    let grain = Grain { direction: Vec3::y(), stiffness: 4.0, strength: 0.5 };
    let plain = Material { tensile_strength: 2e6, damping: 0.1, ..material(E, G, 1000.0) };
    let wood = Material { grain: Some(grain), ..plain.clone() };
    for (d, along) in [(Vec3::y(), 1.0), (Vec3::z(), 0.0), (Vec3::new(2.0, -1.0, 2.0) / 3.0, 1.0 / 81.0)] {
        let [plain, grown] = [&plain, &wood].map(|m| Bond::new(0, [0, 1], d * 0.02, RADII, MASS, m));
        let stiffer = 1.0 + 4.0 * along;
        assert_modes(&grown.k, [plain.k.n, plain.k.s, plain.k.t, plain.k.b].map(|k| k * stiffer));
        assert_modes(&grown.c, [plain.c.n, plain.c.s, plain.c.t, plain.c.b].map(|c| c * stiffer.sqrt()));
        assert!((grown.strength[0] / plain.strength[0] - (1.0 + 0.5 * along)).abs() < 1e-14);
        assert_eq!(grown.strength[1], f64::INFINITY);
    }
    assert_eq!(wood.max_young_modulus(), 5.0 * E);
}
