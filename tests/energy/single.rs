//! Contacts, walls and gravity: energies of one sphere or two.

use bdem_core::energy::{Curvature, contact, contact::Gap, gravity, wall};
use bdem_core::geometry::{Mat3, Vec3};
use bdem_core::model::{ContactLaw, NormalPotential, NormalSpring};
use proptest::prelude::*;

use crate::common::differences::slope_at_zero;

const K: f64 = 3e4;
const REACH: f64 = 0.02;

fn spring(law: ContactLaw) -> NormalSpring {
    NormalSpring { law, k: K, size: REACH, softening: 0.0, damping: 0.0, tangential: 0.0 }
}

fn law() -> impl Strategy<Value = ContactLaw> {
    prop_oneof![Just(ContactLaw::Linear), Just(ContactLaw::RodriguesHertz)]
}

fn direction() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-1.0..1.0)
        .prop_map(Vec3::from)
        .prop_filter("not too short", |v| v.norm() > 0.1)
        .prop_map(|v| v.normalize())
}

/// A gap over the reach, not at the kink where spheres just touch.
fn gap() -> impl Strategy<Value = f64> {
    (-0.6..0.4).prop_filter("off the kink", |g: &f64| g.abs() > 1e-2)
}

fn columns(column: impl Fn(Vec3) -> Vec3) -> Mat3 {
    Mat3::from_columns(&[column(Vec3::x()), column(Vec3::y()), column(Vec3::z())])
}

proptest! {
    #[test]
    fn contact_derivatives_are_slopes(law in law(), p_i in direction(), n in direction(), gap in gap()) {
        let spring = &spring(law);
        let along = n * (REACH * (1.0 + gap));
        let at = |step: Vec3| Gap::new(&p_i, &(p_i + along + step), REACH);
        let h = 1e-4 * REACH;

        let gradient = contact::gradient(spring, &at(Vec3::zeros()));
        let value = |axis: Vec3| slope_at_zero(|s| contact::value(spring, &at(axis * s)), h);
        let slope = Vec3::new(value(Vec3::x()), value(Vec3::y()), value(Vec3::z()));
        prop_assert!((gradient - slope).norm() < 1e-8 * K * REACH, "{} {}", gradient, slope);

        let exact = contact::hessian(spring, &at(Vec3::zeros()), REACH, Curvature::Exact);
        let slopes = columns(|axis| slope_at_zero(|s| contact::gradient(spring, &at(axis * s)), h));
        prop_assert!((exact.pp - slopes).norm() < 1e-8 * K, "{} {}", exact.pp, slopes);
        prop_assert_eq!(exact.theta, [Mat3::zeros(); 3]);

        for curvature in [Curvature::Semidefinite, Curvature::Projected] {
            let h = contact::hessian(spring, &at(Vec3::zeros()), REACH, curvature).pp;
            let want = if gap < 0.0 { n * n.transpose() * spring.stiffness(-gap * REACH) } else { Mat3::zeros() };
            prop_assert!((h - want).norm() < 1e-12 * K && h.symmetric_eigenvalues().min() > -1e-12 * K);
        }
    }

    #[test]
    fn collider_derivatives_are_slopes(law in law(), normal in direction(), p in direction(), gap in gap()) {
        let spring = &spring(law);
        let gap_at = |step: Vec3| REACH * gap + normal.dot(&(p + step)) - normal.dot(&p);
        let h = 1e-4 * REACH;

        let gradient = wall::gradient(spring, gap_at(Vec3::zeros()), &normal);
        let value = |axis: Vec3| slope_at_zero(|s| wall::value(spring, gap_at(axis * s)), h);
        let slope = Vec3::new(value(Vec3::x()), value(Vec3::y()), value(Vec3::z()));
        prop_assert!((gradient - slope).norm() < 1e-8 * K * REACH, "{} {}", gradient, slope);

        let hessian = wall::hessian(spring, gap_at(Vec3::zeros()), &normal);
        let slopes = columns(|axis| slope_at_zero(|s| wall::gradient(spring, gap_at(axis * s), &normal), h));
        prop_assert!((hessian - slopes).norm() < 1e-8 * K, "{} {}", hessian, slopes);
        prop_assert!(hessian.symmetric_eigenvalues().min() > -1e-12 * K);
    }

    #[test]
    fn gravity_is_linear(g in direction(), p in direction(), to in direction()) {
        let (m, rise) = (2.5, gravity::gradient(2.5, &g).dot(&to));
        let gained = gravity::value(m, &g, &(p + to)) - gravity::value(m, &g, &p);
        prop_assert!((gained - rise).abs() < 1e-14 * m);
    }
}

/// A contact pushes apart, a wall pushes out.
#[test]
fn overlap_is_pushed_out() {
    let gap = Gap::new(&Vec3::zeros(), &(Vec3::x() * (0.9 * REACH)), REACH);
    assert!(
        gap.overlaps()
            && (contact::gradient(&spring(ContactLaw::Linear), &gap) - Vec3::x() * (-0.1 * REACH * K)).norm()
                < 1e-12 * K * REACH
    );
    assert_eq!(wall::gradient(&spring(ContactLaw::Linear), -1e-3, &Vec3::z()), Vec3::z() * (-1e-3 * K));
}

#[test]
fn two_centres_in_one_place_push_apart() {
    let gap = Gap::new(&Vec3::x(), &Vec3::x(), REACH);
    assert!((contact::gradient(&spring(ContactLaw::Linear), &gap).norm() / (K * REACH) - 1.0).abs() < 1e-15);
    assert!((contact::value(&spring(ContactLaw::Linear), &gap) / (0.5 * K * REACH * REACH) - 1.0).abs() < 1e-15);
}
