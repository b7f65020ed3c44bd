//! Chains of spheres as beams, against closed forms.

use bdem_core::energy::{Curvature, Potential};
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::integrate::{Implicit, Integrator, TimeRule};
use bdem_core::internals::contact::Contacts;
use bdem_core::internals::optimize::{Assembly, Objective, Predictor, Target};
use bdem_core::model::{Constraint, Displacement, Gradient, Motion, State, World, Wrench};
use nalgebra::DVector;
use serde_json::Value;

use crate::common::dense::dense;
use crate::common::golden::{list, load, number, numbers};
use crate::common::system::{chain, material, no_contacts};
use crate::integrate::implicit_euler::to_the_last_digit;

/// Long enough (s) for inertia not to matter.
const FOREVER: f64 = 1e6;

/// The file's chain along x, its first particle clamped.
fn clamped_chain(file: &Value) -> (World, State) {
    let case = &file["bond_chain"];
    let count = number(case, "N_bonds") as u32 + 1;
    let (mut world, state) = chain(material(number(file, "E"), number(file, "G"), 1000.0), count, number(case, "r"));
    world.constraints = vec![Constraint::moved(vec![0], Motion::Fixed)];
    (world, state)
}

/// How far the last particle moves (m) and turns (rad) under a small load: the rest Hessian, densely solved.
fn answer_to(load: &Wrench, world: &World, rest: &State) -> Displacement {
    let n = rest.len();
    let held = world.always_held();
    let target = Target { p: rest.p.clone(), q: rest.q.clone() };
    let contacts = Contacts::none(world, rest);
    let potential = Potential::new(world, &contacts);
    let objective = Objective { potential, target: &target, dt: FOREVER, period: world.period(), held: &held };
    let mut assembly = Assembly::<f64>::new(&objective);
    assembly.fill(&objective, rest, Curvature::Exact);

    // rotations are scaled by the radius
    let r = world.particles.radius[n - 1];
    let mut rhs = DVector::zeros(6 * n);
    rhs.rows_mut(6 * n - 6, 3).copy_from(&load.force);
    rhs.rows_mut(6 * n - 3, 3).copy_from(&(load.torque / r));
    // the clamped first particle left out
    let free = dense(&assembly.matrix).view((6, 6), (6 * n - 6, 6 * n - 6)).into_owned();
    let moved = free.lu().solve(&rhs.rows(6, 6 * n - 6)).expect("a regular matrix");
    let at = |row: usize| Vec3::from(moved.fixed_rows::<3>(row));
    Displacement { translation: at(6 * n - 12), rotation: at(6 * n - 9) / r }
}

fn assert_near(what: &str, got: f64, want: f64, relative: f64) {
    assert!((got / want - 1.0).abs() < relative, "{what}: {got:e}, reference {want:e}");
}

#[test]
fn golden_beams_chain_under_small_loads() {
    let file = load("beams");
    let (world, rest) = clamped_chain(&file);
    let case = &file["bond_chain"];
    let (force, torque) = (number(case, "F"), number(case, "T"));
    for across in [Vec3::y(), Vec3::z()] {
        let bent = answer_to(&Wrench { force: across * force, torque: Vec3::zeros() }, &world, &rest);
        assert_near("deflection", bent.translation.dot(&across), number(case, "tip_deflection_discrete"), 1e-9);
        let turned = bent.rotation.dot(&Vec3::x().cross(&across));
        assert_near("tip rotation", turned, number(case, "tip_rotation"), 1e-9);
    }
    let pulled = answer_to(&Wrench { force: Vec3::x() * force, torque: Vec3::zeros() }, &world, &rest);
    assert_near("elongation", pulled.translation.x, number(case, "axial"), 1e-9);
    let twisted = answer_to(&Wrench { force: Vec3::zeros(), torque: Vec3::x() * torque }, &world, &rest);
    assert_near("twist", twisted.rotation.x, number(case, "twist"), 1e-9);
}

/// The same loads as the weight of the last particle, all others being next to weightless, and one long implicit step.
#[test]
fn golden_beams_chain_by_implicit_euler() {
    let file = load("beams");
    let case = &file["bond_chain"];
    for (direction, key) in [(Vec3::y(), "tip_deflection_discrete"), (Vec3::x(), "axial")] {
        let (mut world, mut state) = clamped_chain(&file);
        let last = state.len() - 1;
        let rest = state.p[last];
        world.particles.mass[..last].iter_mut().for_each(|m| *m *= 1e-9);
        world.gravity = direction * (number(case, "F") / world.particles.mass[last]);
        let mut contacts = no_contacts(&world, &state);
        let mut euler = Implicit::new(TimeRule::Euler, &world, &to_the_last_digit(Predictor::Geodesic));
        euler.step(&world, &mut contacts, &mut state, 1e7 * world.period()).expect("a step");
        assert_near(key, (state.p[last] - rest).dot(&direction), number(case, key), 1e-5);
    }
}

/// The chain along an arc where each bond turns by `angle`, without stretch or shear, the first particle at rest.
fn arc(rest: &State, l0: f64, angle: f64) -> State {
    let mut state = rest.clone();
    for k in 0..state.len() {
        state.q[k] = rotation::exp(&(Vec3::z() * (0.5 * angle * k as f64)));
        if k > 0 {
            let (sin, cos) = (angle * (k as f64 - 0.5)).sin_cos();
            state.p[k] = state.p[k - 1] + Vec3::new(cos, sin, 0.0) * l0;
        }
    }
    state
}

/// In pure bending an arc is in equilibrium with nothing but the moment on its last particle.
#[test]
fn golden_beams_chain_under_an_end_moment() {
    let file = load("beams");
    let (world, rest) = clamped_chain(&file);
    let (l0, k_b) = (world.bonds()[0].l0, world.bonds()[0].k.b);
    let cases = list(&file["bond_chain"]["clamped_first_particle_end_moment"], "cases");
    assert!(!cases.is_empty());
    for case in cases {
        let angle = number(case, "bond_angle_quaternion");
        let state = arc(&rest, l0, angle);
        let last = state.len() - 1;
        let tip = numbers(&case["tip_xy_quaternion"]);
        assert!((state.p[last] - Vec3::new(tip[0], tip[1], 0.0)).norm() < 1e-12 * l0 * last as f64);
        assert_near("tip rotation", angle * last as f64, number(case, "tip_rotation_quaternion"), 1e-12);

        let contacts = no_contacts(&world, &state);
        let mut gradient = vec![Gradient::default(); state.len()];
        Potential::new(&world, &contacts).gradient(&state, &mut gradient);
        let moment = number(case, "M_over_kb") * k_b;
        gradient[0].theta += Vec3::z() * moment;
        gradient[last].theta -= Vec3::z() * moment;
        for (i, left) in gradient.iter().enumerate() {
            let off = left.p.norm() * l0 + left.theta.norm();
            // stretch is stiffer than bending, and so is its rounding
            assert!(off < 1e-13 * world.bonds()[0].k.n * l0 * l0, "particle {i}: {off:e}, moment {moment:e}");
        }
    }
}
