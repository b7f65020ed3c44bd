//! Integrators of charged masses on springs over the step.

use bdem_core::charge::Method;
use bdem_core::energy::{ElectricState, Potential};
use bdem_core::geometry::triangulate::{self, Triangulated};
use bdem_core::geometry::{Vec3, keyed, mesh::Edges};
use bdem_core::integrate::{Implicit, Integrator, TimeRule, Verlet};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{AxialSpring, State, World};
use bdem_core::simulate::{CgTolerance, SolverSettings};

use super::steps::charged;

/// Integrators in the order of the tests: implicit Euler, whose charges lag as those of the paper do, BDF2, Verlet.
fn integrators(world: &World) -> [Box<dyn Integrator>; 3] {
    let settings = SolverSettings {
        newton_tolerance: 1e-8,
        newton_relative_tolerance: 1.0,
        cg_tolerance: CgTolerance::Fixed(1e-3),
        newton_iterations: 200,
        ..SolverSettings::default()
    };
    let implicit = |rule| Box::new(Implicit::new(rule, world, &settings));
    [implicit(TimeRule::Euler), implicit(TimeRule::Bdf2), Box::new(Verlet::new(world))]
}

fn energy(world: &World, contacts: &Contacts, state: &State) -> Option<f64> {
    let electric = ElectricState::of(world, state).ok()?.energy();
    Some(state.kinetic_energy(&world.particles).0 + Potential::new(world, contacts).value(state) + electric)
}

/// Torus of \[MSC\] Fig 4: 145 vertices, 10 N/m, 6 uC. The paper prints neither masses nor radii: 0.1 kg a vertex, 3 m and
/// 0.55 m, with 29 by 5 vertices.
fn torus() -> (World, State) {
    let Triangulated { x, faces } = triangulate::torus([29, 5], 3.0, 0.55);
    let pairs = Edges::new(&x, &faces).expect("a torus").pairs;
    assert_eq!((x.len(), pairs.len()), (145, 435));
    let (mut world, state) = charged(0.1, &x, &[6e-6; 145], (AxialSpring::elastic(10.0), &pairs));
    world.electrostatics.method = Method::Exact;
    (world, state)
}

/// Largest change of the total energy in 15 s over that at the beginning, infinite where a step fails.
fn errors(step: f64) -> [f64; 3] {
    let (world, start) = torus();
    integrators(&world).map(|mut integrator| {
        let (mut contacts, mut state) = (Contacts::new(&world, &start), start.clone());
        let first = energy(&world, &contacts, &start).expect("a field");
        let mut change = || {
            integrator.step(&world, &mut contacts, &mut state, step).ok()?;
            energy(&world, &contacts, &state).map(|now| (now / first - 1.0).abs())
        };
        let steps = (15.0 / step).round() as usize;
        (0..steps).map(|_| change().unwrap_or(f64::INFINITY)).fold(0.0, f64::max)
    })
}

/// \[MSC\] Fig 4: Verlet is the more exact at short steps, and only implicit steps are stable at 0.15 s: the
/// paper's, and BDF2 with extrapolated charges.
#[test]
fn steps_of_a_charged_torus_are_stable() {
    for (step, most) in [(0.015, 0.03), (0.03, 0.04)] {
        let [euler, bdf2, verlet] = errors(step);
        println!("{step} s: {euler} {bdf2} {verlet}");
        assert!(verlet < 0.01 && verlet < bdf2 && bdf2 < most && euler < 0.2, "{step} s: {verlet} {bdf2} {euler}");
    }
    let [euler, bdf2, verlet] = errors(0.15);
    assert!(bdf2 < euler && euler < 0.2 && verlet > 10.0, "{euler} {bdf2} {verlet}");
}

/// Charged vertices in a unit cube, each on springs to the next three, that fly apart.
fn tangle() -> (World, State) {
    let u = |k: usize| keyed::uniform(11, k as u64);
    let place = |i: usize| Vec3::new(u(8 * i), u(8 * i + 1), u(8 * i + 2));
    let x: Vec<Vec3> = (0..20).map(place).collect();
    let q: Vec<f64> = (0..20).map(|i| 1e-6 * (u(8 * i + 5) - 0.3)).collect();
    let mut pairs: Vec<[u32; 2]> =
        (0..20u32).flat_map(|i| (1..4).map(move |k| [i.min((i + k) % 20), i.max((i + k) % 20)])).collect();
    pairs.sort_unstable();
    let (mut world, mut state) = charged(0.1, &x, &q, (AxialSpring::elastic(12.0), &pairs));
    (world.electrostatics.softening, world.electrostatics.method) = (0.1, Method::Exact);
    state.v = (0..20).map(|i| Vec3::new(u(8 * i + 3), u(8 * i + 4), u(8 * i + 6)) - Vec3::repeat(0.5)).collect();
    (world, state)
}

/// With charges, whose forces implicit steps take from their beginning, or extrapolated.
#[test]
fn integrators_of_charges_are_of_their_orders() {
    let (world, start) = tangle();
    let ends = |steps: usize| {
        integrators(&world).map(|mut integrator| {
            let (mut contacts, mut state) = (Contacts::new(&world, &start), start.clone());
            for _ in 0..steps {
                integrator.step(&world, &mut contacts, &mut state, 0.1 / steps as f64).expect("a step");
            }
            state.p
        })
    };
    let [_, _, reference] = ends(3200);
    let distance = |p: &Vec<Vec3>| p.iter().zip(&reference).map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
    let [coarse, fine] = [50, 100].map(|steps| ends(steps).each_ref().map(distance));
    for (k, order) in [(0, 1.0), (1, 2.0), (2, 2.0)] {
        let measured = (coarse[k] / fine[k]).log2();
        assert!((measured - order).abs() < 0.25, "{k}: {measured}");
    }
}
