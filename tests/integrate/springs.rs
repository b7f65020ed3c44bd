//! Bonds that only stretch, in every integrator.

use std::f64::consts::PI;

use bdem_core::energy::{Curvature, Flow, bond};
use bdem_core::fracture::overloaded;
use bdem_core::geometry::Vec3;
use bdem_core::integrate::{Implicit, Integrator, Step, TimeRule, Verlet, break_bonds, stability};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{
    Action, AxialSpring, AxialStress, Bond, ChargeGroup, Constraint, Electrostatics, Motion, Particles, Ramp, State,
    World, Wrench,
};
use bdem_core::simulate::{IntegratorKind, Predictor, Progress, Simulation, SimulationSettings, SolverSettings};
use serde_json::Value;

use super::implicit_euler::to_the_last_digit;
use crate::common::differences::slope_at_zero;
use crate::common::golden::{list, load, number, numbers, vec3s};
use crate::common::system::{at_rest, energy, no_contacts};

const RADIUS: f64 = 0.1;

/// Masses (kg) without contacts at `rest` (m) on equal springs between `pairs`, at rest.
fn masses_on(spring: AxialSpring, mass: &[f64], rest: &[Vec3], pairs: &[[u32; 2]]) -> World {
    let mut particles = Particles::default();
    for (i, &mass) in mass.iter().enumerate() {
        particles.push_mass(RADIUS, mass, 0, 0);
        particles.remove_contacts(i);
    }
    let bond = |(id, &[i, j]): (u32, &[u32; 2])| spring.bond(id, [i, j], rest[j as usize] - rest[i as usize], RADIUS);
    let bonds = (0..).zip(pairs).map(bond).collect();
    World::new(vec![spring.material("springs", RADIUS, mass[0])], particles, bonds)
}

/// A square sheet of `n` by `n` masses of 0.1 kg, 1 m apart, on springs along its sides and diagonals.
fn sheet(spring: AxialSpring, n: u32) -> (World, State) {
    let at = |i: u32, j: u32| i * n + j;
    let places: Vec<Vec3> = (0..n * n).map(|k| Vec3::new(f64::from(k / n), f64::from(k % n), 0.0)).collect();
    let mut pairs = Vec::new();
    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
        pairs.extend((i + 1 < n).then(|| [at(i, j), at(i + 1, j)]));
        pairs.extend((j + 1 < n).then(|| [at(i, j), at(i, j + 1)]));
        pairs.extend((i + 1 < n && j + 1 < n).then(|| [at(i, j), at(i + 1, j + 1)]));
    }
    (masses_on(spring, &vec![0.1; places.len()], &places, &pairs), at_rest(places))
}

/// Two masses of 0.1 kg at 1 m from each other, stretched by `stretch` (m), and their angular frequency, 1/s.
fn pair(spring: AxialSpring, stretch: f64) -> (World, State, f64) {
    let rest = [Vec3::zeros(), Vec3::x()];
    let world = masses_on(spring, &[0.1; 2], &rest, &[[0, 1]]);
    let state = at_rest(vec![rest[0], rest[1] + Vec3::x() * stretch]);
    (world, state, (2.0 * spring.stiffness / 0.1).sqrt())
}

fn run(integrator: &mut dyn Integrator, world: &World, state: &mut State, dt: f64, steps: u32) {
    let mut contacts = Contacts::new(world, state);
    for _ in 0..steps {
        integrator.step(world, &mut contacts, state, dt).expect("a step");
    }
}

fn exactly(rule: TimeRule, world: &World) -> Implicit {
    Implicit::new(rule, world, &to_the_last_digit(Predictor::Geodesic))
}

/// Verlet's own frequency w' for a spring has `sin(w' h/2) = w h/2`.
#[test]
fn two_masses_swing_at_their_frequency_under_verlet() {
    let (world, start, w) = pair(AxialSpring::elastic(10.0), 0.1);
    let (dt, steps) = (0.1 / w, 1000);
    let mut state = start.clone();
    run(&mut Verlet::new(&world), &world, &mut state, dt, steps);
    let slower = 2.0 / dt * (0.5 * w * dt).asin();
    let stretch = (state.p[1] - state.p[0]).norm() - 1.0;
    let expected = 0.1 * (slower * dt * f64::from(steps)).cos();
    assert!((stretch - expected).abs() < 1e-10, "{stretch} and not {expected}");
}

/// Of second order, towards the frequency w.
#[test]
fn two_masses_swing_at_their_frequency_under_bdf2() {
    let error = |steps: u32| {
        let (world, mut state, w) = pair(AxialSpring::elastic(10.0), 0.1);
        let mut bdf2 = Implicit::new(TimeRule::Bdf2, &world, &super::bdf2::exactly());
        run(&mut bdf2, &world, &mut state, 2.0 * PI / w / f64::from(steps), steps);
        ((state.p[1] - state.p[0]).norm() - 1.1).abs() / 0.1
    };
    let errors = [200, 400, 800].map(error);
    assert!(errors[2] < 1e-3, "{errors:?}");
    for ratio in [errors[0] / errors[1], errors[1] / errors[2]] {
        assert!((3.2..6.0).contains(&ratio), "{errors:?}");
    }
}

/// `x'' + 2 c/m x' + 2 k/m x = 0` for two masses. Dashpots lag by half a step in explicit steps: those are of first order.
#[test]
fn dashpots_damp_as_in_closed_form() {
    let spring = AxialSpring { damping: 0.2, ..AxialSpring::elastic(10.0) };
    let error = |is_explicit: bool, steps: u32| {
        let (world, mut state, w) = pair(spring, 0.1);
        let (rate, t) = (0.2 / 0.1, 4.0 / w);
        let damped = (w * w - rate * rate).sqrt();
        let mut bdf2 = Implicit::new(TimeRule::Bdf2, &world, &super::bdf2::exactly());
        let mut verlet = Verlet::new(&world);
        let dt = t / f64::from(steps);
        run(if is_explicit { &mut verlet } else { &mut bdf2 }, &world, &mut state, dt, steps);
        let expected = 0.1 * (-rate * t).exp() * ((damped * t).cos() + rate / damped * (damped * t).sin());
        ((state.p[1] - state.p[0]).norm() - 1.0 - expected).abs() / 0.1
    };
    for (is_explicit, order) in [(true, 2.0), (false, 4.0)] {
        let errors = [400, 800, 1600].map(|steps| error(is_explicit, steps));
        assert!(errors[2] < 1e-3, "{is_explicit}: {errors:?}");
        for ratio in [errors[0] / errors[1], errors[1] / errors[2]] {
            assert!((0.8 * order..1.3 * order).contains(&ratio), "{is_explicit}: {errors:?}");
        }
    }
}

/// The spring above link j carries all masses below it: `(n - j) m g/k`.
#[test]
fn a_hanging_chain_stretches_by_the_weight_below() {
    let (n, k, g) = (12, 50.0, 9.81);
    let rest: Vec<Vec3> = (0..n).map(|i| Vec3::z() * -f64::from(i)).collect();
    let pairs: Vec<[u32; 2]> = (1..n).map(|i| [i - 1, i]).collect();
    let mut world = masses_on(AxialSpring::elastic(k), &[0.1; 12], &rest, &pairs);
    world.gravity = Vec3::z() * -g;
    world.constraints = vec![Constraint::moved(vec![0], Motion::Fixed)];
    let mut state = at_rest(rest);
    // implicit Euler dissipates all motion in steps of a period
    run(&mut exactly(TimeRule::Euler, &world), &world, &mut state, 1.0, 40);
    for i in 1..n as usize {
        let stretch = (state.p[i] - state.p[i - 1]).norm() - 1.0;
        let expected = (f64::from(n) - i as f64) * 0.1 * g / k;
        assert!((stretch - expected).abs() < 1e-7, "{i}: {stretch} and not {expected}");
    }
}

/// Golden steps of masses on springs that carry charges, under constant forces.
#[test]
fn golden_mass_spring_charge_steps() {
    let case = load("charges")["mass_spring_charge"].take();
    let (stiffness, length, mass) = (numbers(&case["k"]), numbers(&case["rest_length"]), numbers(&case["mass"]));
    let mut particles = Particles::default();
    for (i, &mass) in mass.iter().enumerate() {
        particles.push_mass(RADIUS, mass, 0, 0);
        particles.remove_contacts(i);
    }
    let bond = |(k, ends): (usize, &Value)| {
        let ends = [0, 1].map(|end| numbers(ends)[end] as u32);
        let ends = [ends[0].min(ends[1]), ends[0].max(ends[1])];
        AxialSpring::elastic(stiffness[k]).bond(k as u32, ends, Vec3::x() * length[k], RADIUS)
    };
    let bonds: Vec<Bond> = list(&case, "springs").iter().enumerate().map(bond).collect();
    let material = AxialSpring::elastic(stiffness[0]).material("springs", RADIUS, mass[0]);
    let mut world = World::new(vec![material], particles, bonds);
    let charges = numbers(&case["q"]);
    let group = ChargeGroup { particles: (0..).take(charges.len()).collect(), charges, factor: Ramp::default() };
    world.electrostatics = Electrostatics::new(vec![group]);
    let load =
        |(i, force): (u32, Vec3)| Constraint::new(vec![i], Action::Load(Wrench { force, torque: Vec3::zeros() }));
    world.constraints = (0..).zip(vec3s(&case["f_ext"])).map(load).collect();
    let mut state = State { v: vec3s(&case["v0"]), ..at_rest(vec3s(&case["x0"])) };
    let (mut euler, h, steps) = (exactly(TimeRule::Euler, &world), number(&case, "h"), number(&case, "steps") as u32);
    for (steps, [x, v]) in [(1, ["x1_converged", "v1"]), (steps - 1, ["x_T", "v_T"])] {
        run(&mut euler, &world, &mut state, h, steps);
        for (ours, key) in [(&state.p, x), (&state.v, v)] {
            let wanted = vec3s(&case[key]);
            let largest = wanted.iter().map(Vec3::norm).fold(0.0, f64::max);
            for (a, b) in ours.iter().zip(&wanted) {
                assert!((a - b).norm() < 1e-7 * largest, "{key}: {:e}", (a - b).norm() / largest);
            }
        }
    }
}

/// A sheet of which nearly all springs are compressed, where their energy is not convex.
fn crumpled() -> (World, State) {
    let (world, mut state) = sheet(AxialSpring::elastic(100.0), 12);
    for (i, p) in state.p.iter_mut().enumerate() {
        *p = *p * 0.6 + Vec3::z() * (0.05 * ((7 * i % 11) as f64 - 5.0));
    }
    (world, state)
}

#[test]
fn steps_of_compressed_springs_converge() {
    for hessian in [Curvature::Semidefinite, Curvature::Exact, Curvature::Projected] {
        let (world, mut state) = crumpled();
        let settings = SolverSettings { hessian, newton_iterations: 300, ..Default::default() };
        let mut euler = Implicit::new(TimeRule::Euler, &world, &settings);
        let mut contacts = no_contacts(&world, &state);
        for _ in 0..12 {
            euler.step(&world, &mut contacts, &mut state, 0.1).unwrap_or_else(|why| panic!("{hessian:?}: {why}"));
        }
        assert!(state.is_finite());
    }
    // with the default number of iterations steps are cut
    let (world, state) = crumpled();
    let settings = SimulationSettings { integrator: IntegratorKind::ImplicitEuler, ..SimulationSettings::new(0.1) };
    let mut simulation = Simulation::new(world, state, &settings);
    for _ in 0..12 {
        simulation.advance(&mut Progress::default()).expect("a frame");
    }
}

/// Springs whose ends meet, or that turn over, have finite forces in every step.
#[test]
fn ends_may_meet_and_pass_each_other() {
    for kind in IntegratorKind::all() {
        let (world, mut state, w) = pair(AxialSpring::elastic(10.0), 0.0);
        (state.v[0], state.v[1]) = (Vec3::x() * 20.0, Vec3::x() * -20.0);
        let start = energy(&world, &no_contacts(&world, &state), &state);
        let settings = SimulationSettings { integrator: kind, ..SimulationSettings::new(0.2 / w) };
        let mut simulation = Simulation::new(world, state, &settings);
        let mut progress = Progress::default();
        for _ in 0..40 {
            simulation.advance(&mut progress).unwrap_or_else(|why| panic!("{kind}: {why}"));
        }
        assert!(simulation.state.is_finite(), "{kind}");
        // the force jumps over a step where they meet: explicit steps gain or lose by it
        assert!(simulation.energy() < 2.0 * start, "{kind}: {} J of {start} J", simulation.energy());
    }
    let (world, mut state, _) = pair(AxialSpring::elastic(10.0), 0.0);
    state.p[1] = state.p[0];
    let bond = &world.bonds()[0];
    let pose = bond::pose(bond, &state);
    for curvature in [Curvature::Exact, Curvature::Projected, Curvature::Semidefinite] {
        assert!(bond::hessian(bond, &pose, curvature, 1.0).to_matrix().iter().all(|x| x.is_finite()), "{curvature:?}");
    }
}

#[test]
fn hessians_are_derivatives_and_semidefinite() {
    let spring = AxialSpring::elastic(10.0);
    for length in [0.4, 1.0, 1.7] {
        let (world, mut state, _) = pair(spring, 0.0);
        state.p[1] = Vec3::new(0.6, -0.64, 0.48) * length;
        let bond = &world.bonds()[0];
        let h = bond::hessian(bond, &bond::pose(bond, &state), Curvature::Exact, f64::INFINITY);
        for axis in [Vec3::x(), Vec3::y(), Vec3::z()] {
            let force = |s: f64, k: usize| {
                let moved = State { p: vec![state.p[0], state.p[1] + axis * s], ..state.clone() };
                bond::gradient(bond, &bond::pose(bond, &moved)).p_j[k]
            };
            for k in 0..3 {
                let slope = slope_at_zero(|s| force(s, k), 1e-3);
                let ours = (h.pp * axis)[k];
                assert!((slope - ours).abs() < 1e-7 * 10.0, "{length} m: {ours} and not {slope}");
            }
        }
        let projected = bond::hessian(bond, &bond::pose(bond, &state), Curvature::Projected, f64::INFINITY);
        let nearest = h.project(bond.l0).to_matrix();
        assert!((projected.to_matrix() - nearest).norm() < 1e-12 * nearest.norm(), "{length} m");
    }
}

/// At exactly its strain in tension, and never in compression, by either rule of bonds.
#[test]
fn springs_break_at_their_strain_in_tension() {
    let spring = AxialSpring { breaking_strain: 0.2, ..AxialSpring::elastic(10.0) };
    for axial in [AxialStress::Magnitude, AxialStress::Tension] {
        let broken = |stretch: f64| {
            let (mut world, state, _) = pair(spring, stretch);
            world.axial = axial;
            overloaded(&world, &state).len()
        };
        assert_eq!([0.2 * (1.0 - 1e-9), 0.2 * (1.0 + 1e-9), -0.2, -0.9].map(broken), [0, 1, 0, 0], "{axial:?}");
    }
}

/// Broken springs of particles without contacts leave none, and the account closes.
#[test]
fn broken_springs_leave_no_contacts() {
    let spring = AxialSpring { breaking_strain: 0.2, ..AxialSpring::elastic(10.0) };
    let (mut world, state, _) = pair(spring, 0.25);
    let mut contacts = Contacts::new(&world, &state);
    let mut verlet = Verlet::new(&world);
    let mut after = state.clone();
    verlet.trial(&world, &mut contacts, &state, Step::new(1e-3)).expect("a step");
    let mut flows = verlet.commit(&world, &mut contacts, &mut after);
    let found = overloaded(&world, &after);
    let broken = break_bonds(&mut world, &mut contacts, &after, &found, &mut flows);
    assert_eq!((broken.len(), contacts.pairs().len()), (1, 0));
    let length = (after.p[1] - after.p[0]).norm();
    let lost = 0.5 * spring.stiffness * (length - 1.0).powi(2);
    assert!((flows[Flow::Fracture] - lost).abs() < 1e-12 * lost, "{} and not {lost}", flows[Flow::Fracture]);
}

/// In any position of its vertices: a sheet shaken, folded and stretched.
#[test]
fn the_stability_limit_holds_in_any_position() {
    let (world, flat) = sheet(AxialSpring::elastic(100.0), 10);
    let limit = stability::limit(&world, &flat);
    let folded =
        State { p: flat.p.iter().map(|p| Vec3::new(p.x, (p.y - 4.5).abs(), 0.1 * p.y)).collect(), ..flat.clone() };
    let wide = State { p: flat.p.iter().map(|p| p * 3.0).collect(), ..flat.clone() };
    for state in [&folded, &wide] {
        assert!((stability::limit(&world, state) / limit - 1.0).abs() < 1e-2);
    }
    // at 0.95 of it a sheet that swings keeps its energy; at 2 of it, it does not
    let energies = [0.95, 2.0].map(|share| {
        let p = flat.p.iter().map(|p| Vec3::new(1.1 * p.x, 1.1 * p.y, 0.1 * (p.x - p.y).sin())).collect();
        let mut state = State { p, ..flat.clone() };
        let mut contacts = no_contacts(&world, &state);
        let start = energy(&world, &contacts, &state);
        let mut verlet = Verlet::new(&world);
        for _ in 0..400 {
            verlet.step(&world, &mut contacts, &mut state, share * limit).ok()?;
        }
        Some(energy(&world, &contacts, &state) / start)
    });
    assert!(energies[0].is_some_and(|ratio| (ratio - 1.0).abs() < 0.5), "{energies:?}");
    assert!(energies[1].is_none_or(|ratio| ratio > 2.0), "{energies:?}");
}
