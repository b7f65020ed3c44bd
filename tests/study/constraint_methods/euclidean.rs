use bdem_core::energy::{self, Curvature};
use bdem_core::geometry::{Quat, Vec3, rotation};
use bdem_core::model::{Bond, State};
use bdem_studies::constraint_methods::euclidean::{EuclideanPose, Matrix7, Vector7};
use nalgebra::{SMatrix, SVector, Vector4};
use serde_json::Value;

use crate::common::differences::slope_at_zero;
use crate::common::golden::{self, number, quat, vec3};
use crate::common::system::material;

/// A bond of the reference file with its state, and E S l0 (J).
fn read(json: &Value) -> (Bond, State, f64) {
    let material = material(number(json, "E"), number(json, "G"), 1000.0);
    let along = vec3(&json["d0"]).normalize() * number(json, "l0");
    let radius = ["r_i", "r_j"].map(|key| number(json, key));
    let bond = Bond::new(0, [0, 1], along, radius, [1e-3, 2e-3], &material);
    let scale = material.young_modulus * bond.area() * bond.l0;
    let p = ["p_i", "p_j"].map(|key| vec3(&json[key])).to_vec();
    let q = ["q_i", "q_j"].map(|key| quat(&json[key])).to_vec();
    (bond, State { p, q, ..State::default() }, scale)
}

fn for_each_case(check: impl Fn(&str, &Bond, &State, f64)) {
    let file = golden::load("bond_quaternion");
    for json in golden::list(&file, "cases") {
        let (bond, x, scale) = read(json);
        check(json["tag"].as_str().expect("a tag"), &bond, &x, scale);
    }
}

/// Lengths in units of l0.
fn relative<const N: usize>(l0: f64, v: &SVector<f64, N>) -> SVector<f64, N> {
    SVector::from_fn(|k, _| if k % (N / 2) < 3 { v[k] * l0 } else { v[k] })
}

fn both(g: &[Vector7; 2]) -> SVector<f64, 14> {
    SVector::from_fn(|k, _| g[k / 7][k % 7])
}

fn whole([ii, ij, jj]: &[Matrix7; 3]) -> SMatrix<f64, 14, 14> {
    let mut h = SMatrix::<f64, 14, 14>::zeros();
    for (block, row, column) in [(*ii, 0, 0), (*ij, 0, 7), (ij.transpose(), 7, 0), (*jj, 7, 7)] {
        h.fixed_view_mut::<7, 7>(row, column).copy_from(&block);
    }
    h
}

#[test]
fn golden_energies_and_euclidean_gradients() {
    let file = golden::load("bond_quaternion");
    let cases = golden::list(&file, "cases");
    assert!(!cases.is_empty());
    for json in cases {
        let (bond, x, scale) = read(json);
        let pose = EuclideanPose::new(&bond, &x);
        let energy = number(json, "energy");
        assert!((pose.value() - energy).abs() <= 1e-9 * energy + 1e-13 * scale, "{}", json["tag"]);
        let want = SVector::<f64, 14>::from_column_slice(&golden::numbers(&json["grad14"]));
        let off = relative(bond.l0, &(both(&pose.gradient()) - want)).amax();
        let limit = 1e-9 * relative(bond.l0, &want).amax() + 1e-13 * scale;
        assert!(off <= limit, "{}: {off:e} of {limit:e}", json["tag"]);
    }
}

/// The state moved by s along `step`, whose lengths are in units of l0.
fn moved(bond: &Bond, x: &State, step: &SVector<f64, 14>, s: f64) -> State {
    let mut x = x.clone();
    for a in 0..2 {
        x.p[a] += Vec3::from(step.fixed_rows::<3>(7 * a)) * (s * bond.l0);
        x.q[a] += Quat::from(Vector4::from(step.fixed_rows::<4>(7 * a + 3)) * s);
    }
    x
}

/// Off the sphere too, and with quaternions on opposite sides of it.
#[test]
fn derivatives_are_slopes() {
    for_each_case(|tag, bond, x, scale| {
        for lengths in [[1.0, 1.0], [1.3, 0.8], [0.9, -1.1]] {
            let mut x = x.clone();
            x.q.iter_mut().zip(lengths).for_each(|(q, length)| *q *= length);
            let pose = EuclideanPose::new(bond, &x);
            let (g, h) = (relative(bond.l0, &both(&pose.gradient())), whole(&pose.hessian()));
            for k in 0..14 {
                let axis = SVector::<f64, 14>::ith(k, 1.0);
                let at = |s| moved(bond, &x, &axis, s);
                let slope = slope_at_zero(|s| EuclideanPose::new(bond, &at(s)).value(), 1e-4);
                assert!((slope - g[k]).abs() < 1e-8 * scale, "{tag} {lengths:?} gradient[{k}]: {slope:e}, {:e}", g[k]);
                let slopes = slope_at_zero(|s| both(&EuclideanPose::new(bond, &at(s)).gradient()), 1e-4);
                let off = relative(bond.l0, &(slopes - h * relative(bond.l0, &axis))).amax();
                assert!(off < 1e-7 * scale, "{tag} {lengths:?} hessian[{k}]: {off:e} of {scale:e}");
            }
        }
    });
}

/// G H G^T - (q . grad) I, [IBDEM] eqs 23-29, is the Hessian that runs take.
#[test]
fn nullspace_makes_the_riemannian_hessian() {
    for_each_case(|tag, bond, x, scale| {
        let pose = EuclideanPose::new(bond, x);
        let (gradient, h) = (pose.gradient(), whole(&pose.hessian()));
        let mut map = SMatrix::<f64, 12, 14>::zeros();
        let mut curvature = SMatrix::<f64, 12, 12>::zeros();
        let mut to_world = SMatrix::<f64, 12, 12>::identity();
        for a in 0..2 {
            map.fixed_view_mut::<3, 3>(6 * a, 7 * a).fill_with_identity();
            map.fixed_view_mut::<3, 4>(6 * a + 3, 7 * a + 3).copy_from(&rotation::nullspace_left(&x.q[a]));
            let along = x.q[a].coords.dot(&gradient[a].fixed_rows::<4>(3));
            (0..3).for_each(|k| curvature[(6 * a + 3 + k, 6 * a + 3 + k)] = along);
            let turn = rotation::rotation_matrix(&x.q[a]) * 2.0;
            to_world.fixed_view_mut::<3, 3>(6 * a + 3, 6 * a + 3).copy_from(&turn);
        }
        let ours = map * h * map.transpose() - curvature;
        let of_runs = energy::bond::pose(bond, x);
        let theirs = energy::bond::hessian(bond, &of_runs, Curvature::Exact, f64::INFINITY).to_matrix();
        let theirs = to_world.transpose() * theirs * to_world;
        let lengths = SVector::<f64, 12>::from_fn(|k, _| if k % 6 < 3 { bond.l0 } else { 1.0 });
        let off = (ours - theirs).component_mul(&(lengths * lengths.transpose())).amax();
        assert!(off < 1e-11 * scale, "{tag}: {off:e} of {scale:e}");
    });
}
