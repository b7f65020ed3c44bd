//! Bonds of every model against `bond_quaternion`, `bond_cosserat` and `bond_explicit_2021`.

use bdem_core::energy::law::LawName;
use bdem_core::energy::{self, BondGradient, BondPose, Curvature, Energy, Matrix12, bond};
use bdem_core::fracture::BondLoad;
use bdem_core::geometry::{Quat, Vec3, rotation};
use bdem_core::model::{AxialStress, Bond, BondModel, Criterion, Material};
use nalgebra::{SVector, SymmetricEigen};
use serde_json::Value;

use crate::common::differences::slope_at_zero;
use crate::common::golden;

/// One case of a bond file.
pub(super) struct Case<'a> {
    pub json: &'a Value,
    pub tag: &'a str,
    pub bond: Bond,
    pub p: [Vec3; 2],
    pub q: [Quat; 2],
    /// E S, N.
    pub force: f64,
}

impl<'a> Case<'a> {
    pub(super) fn new(json: &'a Value, model: &'static BondModel) -> Self {
        let number = |key| golden::number(json, key);
        let material = Material {
            name: "golden".into(),
            density: 1000.0,
            young_modulus: number("E"),
            shear_modulus: number("G"),
            solid_modulus: number("E"),
            poisson_ratio: 0.25,
            tensile_strength: f64::INFINITY,
            shear_strength: f64::INFINITY,
            bond: model,
            criterion: Criterion::default(),
            fracture_energy: None,
            grain: None,
            weibull_modulus: None,
            friction: 0.0,
            static_friction: 0.0,
            rolling_friction: 0.0,
            damping: 0.01,
            vibration_decay: f64::INFINITY,
        };
        let along = golden::vec3(&json["d0"]).normalize() * number("l0");
        let bond = Bond::new(0, [0, 1], along, [number("r_i"), number("r_j")], [1e-3, 2e-3], &material);
        let force = material.young_modulus * bond.area();
        Self {
            json,
            tag: json["tag"].as_str().expect("a tag"),
            bond,
            p: ["p_i", "p_j"].map(|key| golden::vec3(&json[key])),
            q: ["q_i", "q_j"].map(|key| golden::quat(&json[key])),
            force,
        }
    }

    pub(super) fn pose(&self) -> BondPose {
        BondPose::new(&self.bond.d0, [&self.p[0], &self.p[1]], [&self.q[0], &self.q[1]])
    }

    /// Compares a block of one unit: 1e-9 of its greatest entry and 1e-13 of its scale.
    fn compare(&self, what: &str, got: &[f64], want: &[f64], scale: f64) {
        assert_eq!(got.len(), want.len(), "{what}");
        let greatest = want.iter().fold(0.0f64, |a, b| a.max(b.abs()));
        let limit = 1e-9 * greatest + 1e-13 * scale;
        for (k, (a, b)) in got.iter().zip(want).enumerate() {
            assert!((a - b).abs() <= limit, "{} {what}[{k}]: {a:e}, reference {b:e}, limit {limit:e}", self.tag);
        }
    }

    fn wanted(&self, key: &str) -> Vec<f64> {
        golden::numbers(&self.json[key])
    }
}

/// From world rotation vectors to the reference's half-angle body coordinates: dtheta = 2 R dphi.
fn to_body(q: &Quat, torque: &Vec3) -> Vec3 {
    rotation::rotate(&q.conjugate(), torque) * 2.0
}

fn to_body_matrix(case: &Case, h: &Matrix12) -> Matrix12 {
    let mut t = Matrix12::identity();
    for a in 0..2 {
        let r = rotation::rotation_matrix(&case.q[a]) * 2.0;
        t.fixed_view_mut::<3, 3>(6 * a + 3, 6 * a + 3).copy_from(&r);
    }
    t.transpose() * h * t
}

#[test]
fn laws_have_the_names_of_scenes() {
    for model in BondModel::ALL.iter().filter(|model| **model != BondModel::AXIAL) {
        let name: LawName = serde_json::from_value(model.name.into()).expect("a name of scenes");
        assert_eq!(name.model(), *model);
    }
}

/// Each case of the models that have an energy.
fn for_each_case(check: impl Fn(&Case)) {
    [BondModel::QUATERNION, BondModel::COSSERAT].into_iter().for_each(|model| for_each_case_of(model, &check));
}

fn for_each_case_of(model: &'static BondModel, check: impl Fn(&Case)) {
    let file = golden::load(match model.name {
        "quaternion" => "bond_quaternion",
        "cosserat" => "bond_cosserat",
        "force-2021" => "bond_explicit_2021",
        other => panic!("no file has cases of {other}"),
    });
    let cases = golden::list(&file, "cases");
    assert!(!cases.is_empty());
    cases.iter().for_each(|json| check(&Case::new(json, model)));
}

#[test]
fn golden_energies_and_strains() {
    for_each_case(|case| {
        let pose = case.pose();
        let e = bond::values(&case.bond, &pose);
        let energy = case.force * case.bond.l0;
        for column in [Energy::Stretch, Energy::Shear, Energy::Bend, Energy::Twist] {
            let wanted = golden::number(&case.json["energies"], column.name());
            case.compare(column.name(), &[e[column]], &[wanted], energy);
        }
        case.compare("energy", &[bond::value(&case.bond, &pose)], &case.wanted("energy"), energy);
    });
}

#[test]
fn golden_gradients_forces_and_torques() {
    for_each_case(|case| {
        let g = bond::gradient(&case.bond, &case.pose());
        let want = case.wanted("grad12");
        let moment = case.force * case.bond.l0;
        case.compare("dV/dp_i", (-g.p_j).as_slice(), &want[0..3], case.force);
        case.compare("dV/dphi_i", to_body(&case.q[0], &g.theta[0]).as_slice(), &want[3..6], moment);
        case.compare("dV/dp_j", g.p_j.as_slice(), &want[6..9], case.force);
        case.compare("dV/dphi_j", to_body(&case.q[1], &g.theta[1]).as_slice(), &want[9..12], moment);
        case.compare("force_i", g.p_j.as_slice(), &case.wanted("force_i"), case.force);
        case.compare("force_j", (-g.p_j).as_slice(), &case.wanted("force_j"), case.force);
        case.compare("torque_i", (-g.theta[0]).as_slice(), &case.wanted("torque_i"), moment);
        case.compare("torque_j", (-g.theta[1]).as_slice(), &case.wanted("torque_j"), moment);
    });
}

/// The Euclidean gradient by q of the reference is the tangential one plus what it has along q; the latter is what the
/// Riemannian Hessian's curvature term takes (bend and twist, linear in each quaternion: t K t = 2 V; shear: a longer q_i
/// turns the mean orientation by b towards it).
#[test]
fn golden_euclidean_gradient() {
    for_each_case_of(BondModel::QUATERNION, |case| {
        let pose = case.pose();
        let g = bond::gradient(&case.bond, &pose);
        let e = bond::values(&case.bond, &pose);
        let bend_twist = 2.0 * (e[Energy::Twist] + e[Energy::Bend]);
        let shear = -case.bond.k.s * pose.angle.phi * pose.b().dot(&pose.d.cross(&pose.n));
        let along = [bend_twist + shear, bend_twist - shear];
        let want = case.wanted("grad14");
        for a in 0..2 {
            let tangential = rotation::nullspace_left(&case.q[a]).transpose() * to_body(&case.q[a], &g.theta[a]);
            let whole = tangential + case.q[a].coords * along[a];
            case.compare("dV/dq", whole.as_slice(), &want[7 * a + 3..7 * a + 7], case.force * case.bond.l0);
        }
    });
}

fn check_matrix(case: &Case, what: &str, got: &Matrix12) {
    let mut want = Matrix12::zeros();
    let packed = case.wanted(what);
    let mut k = 0;
    for row in 0..12 {
        for column in row..12 {
            want[(row, column)] = packed[k];
            want[(column, row)] = packed[k];
            k += 1;
        }
    }
    assert_eq!(k, packed.len());
    let got = to_body_matrix(case, got);
    for (parity, scale) in [(0, 1.0 / case.bond.l0), (1, 1.0), (2, case.bond.l0)] {
        // all entries of one unit: N/m, N, N m
        let of_unit: Vec<_> =
            (0..144).map(|k| (k / 12, k % 12)).filter(|(a, b)| (a % 6) / 3 + (b % 6) / 3 == parity).collect();
        let pick = |m: &Matrix12| of_unit.iter().map(|&at| m[at]).collect::<Vec<_>>();
        case.compare(what, &pick(&got), &pick(&want), case.force * scale);
    }
}

#[test]
fn golden_hessians() {
    for_each_case(|case| {
        let pose = case.pose();
        check_matrix(case, "hess12", &bond::hessian(&case.bond, &pose, Curvature::Exact, f64::INFINITY).to_matrix());
    });
}

#[test]
fn golden_gauss_newton() {
    for_each_case(|case| {
        let (bond, pose) = (&case.bond, case.pose());
        let h = if bond.model == BondModel::QUATERNION {
            // the reference has no geometric term of tension
            bond::gauss_newton(&bond.k, &pose)
        } else {
            bond::hessian(bond, &pose, Curvature::Semidefinite, f64::INFINITY)
        };
        check_matrix(case, "gn12", &h.to_matrix());
    });
}

#[test]
fn golden_projected_hessians() {
    for_each_case(|case| {
        let exact = bond::hessian(&case.bond, &case.pose(), Curvature::Exact, f64::INFINITY);
        // the reference clamps in half-angle coordinates: lengths weigh l0 there against half an angle here
        let body = to_body_matrix(case, &exact.to_matrix());
        let half = SVector::<f64, 12>::from_fn(|k, _| if k % 6 < 3 { 1.0 } else { 0.5 });
        let world_like = body.component_mul(&(half * half.transpose()));
        let projected = project_like_bond(&world_like, 0.5 * case.bond.l0).component_div(&(half * half.transpose()));
        let packed = case.wanted("psd12_scaled");
        let mut k = 0;
        for row in 0..12 {
            for column in row..12 {
                let unit = case.bond.l0.powi(((row % 6) / 3 + (column % 6) / 3) as i32 - 1);
                let limit = 2e-9 * case.force * unit;
                assert!((projected[(row, column)] - packed[k]).abs() <= limit, "{} ({row},{column})", case.tag);
                k += 1;
            }
        }
    });
}

/// `BondHessian::project` on any 12x12 matrix that depends on p_j - p_i alone.
fn project_like_bond(h: &Matrix12, l0: f64) -> Matrix12 {
    energy::BondHessian::from_matrix(h).project(l0).to_matrix()
}

#[test]
fn golden_loads() {
    let check = |case: &Case| {
        let load = BondLoad::new(&case.bond, &case.pose());
        let want = |key| golden::number(&case.json["loads"], key);
        let (force, moment) = (case.force, case.force * case.bond.l0);
        let stress = force / case.bond.area();
        for (key, got, scale) in [
            ("F_n", load.f_n.abs(), force),
            ("F_s", load.f_s, force),
            ("M_b", load.m_b, moment),
            ("M_t", load.m_t, moment),
            ("sigma", load.sigma(&case.bond, AxialStress::Magnitude), stress),
            ("tau", load.tau(&case.bond), stress),
        ] {
            case.compare(key, &[got], &[want(key)], scale);
        }
    };
    for_each_case(check);
    for_each_case_of(BondModel::FORCE_2021, check);
}

#[test]
fn golden_forces_of_2021() {
    for_each_case_of(BondModel::FORCE_2021, |case| {
        let g = bond::gradient(&case.bond, &case.pose());
        let moment = case.force * case.bond.l0;
        case.compare("force_i", g.p_j.as_slice(), &case.wanted("force_i"), case.force);
        case.compare("torque_i", (-g.theta[0]).as_slice(), &case.wanted("torque_i"), moment);
        case.compare("torque_j", (-g.theta[1]).as_slice(), &case.wanted("torque_j"), moment);
    });
}

/// The force law of [BDEM21] and the bonds with an energy agree to first order: the difference shrinks with the strain.
#[test]
fn golden_explicit_2021_to_first_order() {
    let file = golden::load("bond_explicit_2021");
    let models = [BondModel::QUATERNION, BondModel::COSSERAT];
    for (json, model) in golden::list(&file, "cases").iter().flat_map(|json| models.map(|model| (json, model))) {
        let case = Case::new(json, model);
        let Some(strain) = case.tag.strip_prefix("strain_").and_then(|s| s.parse::<f64>().ok()) else { continue };
        let g = bond::gradient(&case.bond, &case.pose());
        let ours = [g.p_j, -g.theta[0] / case.bond.l0, -g.p_j, -g.theta[1] / case.bond.l0];
        let theirs = ["force_i", "torque_i", "force_j", "torque_j"].map(|key| golden::vec3(&json[key]));
        let theirs = [theirs[0], theirs[1] / case.bond.l0, theirs[2], theirs[3] / case.bond.l0];
        let size: f64 = theirs.iter().map(Vec3::norm_squared).sum::<f64>().sqrt();
        let apart: f64 = ours.iter().zip(&theirs).map(|(a, b)| (a - b).norm_squared()).sum::<f64>().sqrt();
        // at a strain of 1e-8 the forces themselves hold no more than eight digits
        let limit = 5.0 * strain + 1e-14 * case.force / size;
        assert!(apart <= limit * size, "{}: {:e} of {limit:e}", case.tag, apart / size);
    }
}

/// A case displaced by s along (dp_i, dtheta_i, dp_j, dtheta_j).
fn displaced(case: &Case, direction: &SVector<f64, 12>, s: f64) -> BondPose {
    let part = |k: usize| Vec3::from(direction.fixed_rows::<3>(k)) * s;
    let p = [case.p[0] + part(0), case.p[1] + part(6)];
    let q = [rotation::turn(&case.q[0], &part(3)), rotation::turn(&case.q[1], &part(9))];
    BondPose::new(&case.bond.d0, [&p[0], &p[1]], [&q[0], &q[1]])
}

fn slope(g: &BondGradient, direction: &SVector<f64, 12>) -> f64 {
    let part = |k: usize| Vec3::from(direction.fixed_rows::<3>(k));
    g.p_j.dot(&(part(6) - part(0))) + g.theta[0].dot(&part(3)) + g.theta[1].dot(&part(9))
}

/// Directions that span all quadratic forms: every axis, and every sum of two.
fn directions(l0: f64) -> Vec<SVector<f64, 12>> {
    let axis = |k: usize| SVector::<f64, 12>::ith(k, if k % 6 < 3 { l0 } else { 1.0 });
    (0..12).flat_map(|a| (a..12).map(move |b| if a == b { axis(a) } else { axis(a) + axis(b) })).collect()
}

#[test]
fn gradient_is_the_slope_of_the_energy() {
    for_each_case(|case| {
        let g = bond::gradient(&case.bond, &case.pose());
        for direction in directions(case.bond.l0) {
            let value = |s| bond::value(&case.bond, &displaced(case, &direction, s));
            let by_differences = slope_at_zero(value, 1e-5);
            let scale = case.force * case.bond.l0;
            assert!((slope(&g, &direction) - by_differences).abs() < 2e-10 * scale, "{}", case.tag);
        }
    });
}

#[test]
fn hessian_is_the_slope_of_the_gradient() {
    for_each_case(|case| {
        let matrix = bond::hessian(&case.bond, &case.pose(), Curvature::Exact, f64::INFINITY).to_matrix();
        for direction in directions(case.bond.l0) {
            let along = |s| slope(&bond::gradient(&case.bond, &displaced(case, &direction, s)), &direction);
            let by_differences = slope_at_zero(along, 1e-4);
            let curvature = direction.dot(&(matrix * direction));
            let scale = case.force * case.bond.l0;
            assert!((curvature - by_differences).abs() < 1e-9 * scale, "{}: {curvature} {by_differences}", case.tag);
        }
    });
}

#[test]
fn gauss_newton_and_projected_are_positive_semidefinite() {
    for_each_case(|case| {
        for curvature in [Curvature::Semidefinite, Curvature::Projected] {
            let h = bond::hessian(&case.bond, &case.pose(), curvature, f64::INFINITY).to_matrix();
            let eigenvalues = SymmetricEigen::new(h).eigenvalues;
            assert!(eigenvalues.min() >= -1e-12 * eigenvalues.max(), "{} {curvature:?}", case.tag);
        }
    });
}

/// Half the dissipated energy: its slope is the resistance, and a rigid motion dissipates nothing.
#[test]
fn damping_is_a_potential_of_the_step() {
    for_each_case(|case| {
        let before = bond::Strain::new(&case.bond, &case.pose());
        let dt = 1e-4;
        let drift = SVector::<f64, 12>::from_fn(|k, _| {
            1e-3 * ((k * 7 % 5) as f64 - 2.0) * if k % 6 < 3 { case.bond.l0 } else { 1.0 }
        });
        let g = bond::damping(&case.bond, &displaced(case, &drift, 1.0), &before, dt).1;
        let along = |s: f64| {
            // a step along the drift from the drifted pose is not along one curve from the start; so test positions only
            let part = |k: usize| Vec3::from(drift.fixed_rows::<3>(k));
            let p = [case.p[0] + part(0) * (1.0 + s), case.p[1] + part(6) * (1.0 + s)];
            let q = [rotation::turn(&case.q[0], &part(3)), rotation::turn(&case.q[1], &part(9))];
            let pose = BondPose::new(&case.bond.d0, [&p[0], &p[1]], [&q[0], &q[1]]);
            bond::damping(&case.bond, &pose, &before, dt).0
        };
        let h = 1e-3;
        let by_differences = (along(h) - along(-h)) / (2.0 * h);
        let part = |k: usize| Vec3::from(drift.fixed_rows::<3>(k));
        let slope = g.p_j.dot(&(part(6) - part(0)));
        let scale = along(0.0).abs();
        assert!((slope - by_differences).abs() < 1e-5 * scale, "{}: {slope:e} {by_differences:e}", case.tag);
    });
}
