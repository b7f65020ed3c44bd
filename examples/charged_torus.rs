//! Charged torus of \[MSC\] Figs 4 and 9 as lines of `time energy x y z x y z ...` in SI units, for
//! `benches/lammps_charges.py`: `cargo run --release --example charged_torus -- INTEGRATOR STEP SECONDS INTERVAL`, with
//! `euler`, `bdf2` or `verlet`.

use bdem_core::charge::Method;
use bdem_core::geometry::Vec3;
use bdem_core::geometry::triangulate::{self, Triangulated};
use bdem_core::spring::{Rule, SpringError, SpringState, SpringSystem, Springs, StepSettings, Stepper};

fn main() -> Result<(), SpringError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, usual: f64| arguments.get(k).map_or(usual, |text| text.parse().expect("a number"));
    let (step, seconds, interval) = (number(1, 0.005), number(2, 10.0), number(3, 2.0));
    let rule = match arguments.first().map(String::as_str) {
        None | Some("euler") => Rule::ImplicitEuler,
        Some("bdf2") => Rule::ImplicitBdf2,
        Some("verlet") => Rule::Verlet,
        Some(other) => panic!("no integrator is called {other}: give euler, bdf2 or verlet"),
    };
    // the paper prints 145 vertices, 10 N/m and 6 uC; masses and radii are chosen
    let Triangulated { x, faces } = triangulate::torus([29, 5], 3.0, 0.55);
    let springs = Springs::of_triangles(&x, &faces, 10.0, 0.0)?;
    let mut system = SpringSystem::new(springs, vec![0.1; x.len()], vec![6e-6; x.len()])?;
    system.method = Method::Exact;
    let v = vec![Vec3::zeros(); x.len()];
    let mut state = system.state(x, v)?;
    let mut stepper = Stepper::new(&system, &state, StepSettings { rule, ..StepSettings::new(step) });
    print(&system, &state);
    let mut previous = None;
    for _ in 0..(seconds / interval).round() as usize {
        for _ in 0..(interval / step).round() as usize {
            let next = stepper.step(&system, &state, previous.as_ref())?.state;
            previous = Some(std::mem::replace(&mut state, next));
        }
        print(&system, &state);
    }
    Ok(())
}

fn print(system: &SpringSystem, state: &SpringState) {
    let positions: Vec<String> = state.x.iter().map(|x| format!("{} {} {}", x.x, x.y, x.z)).collect();
    println!("{} {} {}", state.time, system.energies(state).total(), positions.join(" "));
}
