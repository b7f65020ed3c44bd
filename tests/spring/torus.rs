use bdem_core::charge::Method;
use bdem_core::geometry::Vec3;
use bdem_core::geometry::triangulate::{self, Triangulated};
use bdem_core::spring::{Rule, Solver, SpringState, SpringSystem, Springs, StepSettings, Stepper};

/// Torus of \[MSC\] Fig 4: 145 vertices, 10 N/m, 6 uC. The paper prints neither masses nor radii: 0.1 kg a vertex, 3 m and
/// 0.55 m, with 29 by 5 vertices.
fn torus() -> (SpringSystem, SpringState) {
    let Triangulated { x, faces } = triangulate::torus([29, 5], 3.0, 0.55);
    let springs = Springs::of_triangles(&x, &faces, 10.0, 0.0).expect("springs");
    assert_eq!((x.len(), springs.list().len()), (145, 435));
    let mut system = SpringSystem::new(springs, vec![0.1; 145], vec![6e-6; 145]).expect("masses");
    system.method = Method::Exact;
    let state = system.state(x, vec![Vec3::zeros(); 145]).expect("a field");
    (system, state)
}

/// Total energy over that at the beginning, least and most of 15 s, and the mean number of iterations. None where a state
/// has no field.
fn energies(rule: Rule, solver: Solver, step: f64) -> Option<([f64; 2], f64)> {
    let (system, mut state) = torus();
    let settings = StepSettings { rule, solver, ..StepSettings::new(step) };
    let mut stepper = Stepper::new(&system, &state, settings);
    let first = system.energies(&state).total();
    let (mut previous, mut range, mut iterations) = (None, [1.0, 1.0], 0);
    let steps = (15.0 / step).round() as usize;
    for _ in 0..steps {
        let outcome = stepper.step(&system, &state, previous.as_ref()).ok()?;
        assert!(outcome.residual <= 1e-9, "{rule:?} {solver:?}: {}", outcome.residual);
        previous = Some(std::mem::replace(&mut state, outcome.state));
        let share = system.energies(&state).total() / first;
        range = [share.min(range[0]), share.max(range[1])];
        iterations += outcome.iterations;
    }
    let range = Some(range).filter(|range| range[1].is_finite());
    range.map(|range| (range, iterations as f64 / steps as f64))
}

/// \[MSC\] Fig 4: Verlet is the more exact at short steps, and only implicit steps are stable at 0.15 s: the
/// paper's, and BDF2 with extrapolated charges.
#[test]
fn steps_of_a_charged_torus_are_stable() {
    let error = |rule, step| {
        let found = energies(rule, Solver::Newton, step);
        println!("{step} s, {rule:?}: energy over the first, iterations a step: {found:?}");
        found.map_or(f64::INFINITY, |(range, _)| (1.0 - range[0]).max(range[1] - 1.0))
    };
    for (step, most) in [(0.015, 0.03), (0.03, 0.04)] {
        let [euler, bdf2, verlet] =
            [Rule::ImplicitEuler, Rule::ImplicitBdf2, Rule::Verlet].map(|rule| error(rule, step));
        assert!(verlet < 0.01 && verlet < bdf2 && bdf2 < most && euler < 0.2, "{step} s: {verlet} {bdf2} {euler}");
    }
    let [euler, bdf2, verlet] = [Rule::ImplicitEuler, Rule::ImplicitBdf2, Rule::Verlet].map(|rule| error(rule, 0.15));
    assert!(bdf2 < euler && euler < 0.2 && verlet > 10.0, "{euler} {bdf2} {verlet}");
}

/// The paper's iteration at its longest step gives the energies of Newton's method.
#[test]
fn local_global_iterations_of_a_charged_torus_converge() {
    let [newton, local_global] = [Solver::Newton, Solver::LocalGlobal]
        .map(|solver| energies(Rule::ImplicitEuler, solver, 0.15).expect("stable"));
    println!("iterations a step: {} and {}", newton.1, local_global.1);
    assert!((newton.0[0] - local_global.0[0]).abs() < 1e-3, "{newton:?} {local_global:?}");
}
