use bdem_core::charge::{Charges, DdefSettings, Field, FieldWorkspace, Method, field_at, field_into};
use bdem_core::geometry::Vec3;

use super::{cloud, expect_same_bits, field_of};
use crate::common::golden::{list, load, number, numbers, vec3s};

#[test]
fn golden_fields_forces_and_energies() {
    for case in list(&load("charges"), "coulomb") {
        let (x, q) = (vec3s(&case["x"]), numbers(&case["q"]));
        let field = field_of(&x, &q, 0.0, Method::Exact);
        let near = |a: &[Vec3], b: &[Vec3]| a.iter().zip(b).all(|(a, b)| (a - b).norm() <= 1e-12 * b.norm());
        assert!(near(&field.e, &vec3s(&case["field"])));
        assert!(near(&field.forces(&q), &vec3s(&case["force"])));
        let energy = number(case, "energy");
        assert!((field.energy(&q) - energy).abs() <= 1e-12 * energy.abs(), "{} {energy}", field.energy(&q));
    }
}

/// Plain sums by a root and a division.
#[test]
fn sums_agree_with_plain_ones() {
    for softening in [0.0, 0.05] {
        let (x, q) = cloud(61, 7, true);
        let field = field_of(&x, &q, softening, Method::Exact);
        for i in 0..x.len() {
            let (mut e, mut potential) = (Vec3::zeros(), 0.0);
            for j in (0..x.len()).filter(|&j| j != i) {
                let d = x[i] - x[j];
                let r = (d.norm_squared() + softening * softening).sqrt();
                e += d * (bdem_core::charge::COULOMB_CONSTANT * q[j] / (r * r * r));
                potential += bdem_core::charge::COULOMB_CONSTANT * q[j] / r;
            }
            assert!((field.e[i] - e).norm() <= 1e-12 * e.norm(), "{i}");
            assert!((field.potential[i] - potential).abs() <= 1e-11 * 1e6, "{i}");
        }
    }
}

/// Newton's third law: the forces' sum over the sum of their absolute values.
#[test]
fn forces_add_up_to_zero() {
    let (x, q) = cloud(3000, 5, true);
    let forces = field_of(&x, &q, 0.0, Method::Exact).forces(&q);
    let (sum, all) = (forces.iter().sum::<Vec3>().norm(), forces.iter().map(Vec3::norm).sum::<f64>());
    assert!(sum < 1e-14 * all, "{sum} of {all}");
}

#[test]
fn bits_depend_on_neither_threads_nor_instructions() {
    expect_same_bits(Method::Exact, 1500);
}

/// A point is no charge: those at the same place count, softened.
#[test]
fn fields_at_points_are_those_of_all_charges() {
    let (x, q) = cloud(40, 2, true);
    let charges = Charges::new(&x, &q, 0.1).expect("charges");
    let at = field_at(&charges, &x, &Method::Exact).expect("a field");
    let own = field_of(&x, &q, 0.1, Method::Exact);
    for (i, q) in q.iter().enumerate() {
        assert!((at.e[i] - own.e[i]).norm() <= 1e-12 * own.e[i].norm());
        let self_potential = bdem_core::charge::COULOMB_CONSTANT * q / 0.1;
        assert!((at.potential[i] - own.potential[i] - self_potential).abs() <= 1e-12 * 1e6);
    }
}

/// -grad(potential), by central differences.
#[test]
fn the_field_is_the_gradient_of_the_potential() {
    let (x, q) = cloud(30, 4, true);
    let charges = Charges::new(&x, &q, 0.02).expect("charges");
    let (point, h) = (Vec3::new(0.4, 0.5, 0.6), 1e-5);
    let potential = |p: Vec3| field_at(&charges, &[p], &Method::Exact).expect("a field").potential[0];
    let e = field_at(&charges, &[point], &Method::Exact).expect("a field").e[0];
    for axis in 0..3 {
        let step = Vec3::ith(axis, h);
        let slope = (potential(point + step) - potential(point - step)) / (2.0 * h);
        assert!((e[axis] + slope).abs() < 1e-6 * e.norm(), "{axis}");
    }
}

/// Arrays that were used for other charges do not change a bit.
#[test]
fn kept_arrays_give_the_same_bits() {
    let (mut work, mut kept) = (FieldWorkspace::default(), Field::default());
    for (n, method) in [
        (3000, Method::Tree { tolerance: 1e-3 }),
        (700, Method::Exact),
        (900, Method::Ddef(DdefSettings::default())),
        (1500, Method::Tree { tolerance: 1e-6 }),
        (800, Method::Tree { tolerance: 1e-3 }),
        (0, Method::Exact),
    ] {
        let (x, q) = cloud(n, 7, true);
        field_into(&Charges::new(&x, &q, 0.0).expect("charges"), &method, &mut work, &mut kept).expect("a field");
        assert!(kept == field_of(&x, &q, 0.0, method), "{n} {method:?}");
    }
}
