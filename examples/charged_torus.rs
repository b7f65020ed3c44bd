//! Charged torus of \[MSC\] Figs 4 and 9 as lines of `time energy x y z x y z ...` in SI units, for
//! `benches/lammps_charges.py`: `cargo run --release --example charged_torus -- INTEGRATOR STEP SECONDS INTERVAL`, with
//! `euler`, `bdf2` or `verlet`.

use bdem_core::charge::Method;
use bdem_core::energy::{ElectricState, Potential};
use bdem_core::geometry::mesh::Edges;
use bdem_core::geometry::triangulate::{self, Triangulated};
use bdem_core::integrate::{IntegratorKind, StepError};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{AxialSpring, ChargeGroup, State, World};
use bdem_core::simulate::SolverSettings;

fn main() -> Result<(), StepError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, usual: f64| arguments.get(k).map_or(usual, |text| text.parse().expect("a number"));
    let (step, seconds, interval) = (number(1, 0.005), number(2, 10.0), number(3, 2.0));
    let kind = match arguments.first().map(String::as_str) {
        None | Some("euler") => IntegratorKind::ImplicitEuler,
        Some("bdf2") => IntegratorKind::ImplicitBdf2,
        Some("verlet") => IntegratorKind::ExplicitVerlet,
        Some(other) => panic!("no integrator is called {other}: give euler, bdf2 or verlet"),
    };
    let (world, mut state) = torus();
    let mut integrator = kind.build(&world, &SolverSettings::default());
    let mut contacts = Contacts::new(&world, &state);
    print(&world, &contacts, &state)?;
    for _ in 0..(seconds / interval).round() as usize {
        for _ in 0..(interval / step).round() as usize {
            integrator.step(&world, &mut contacts, &mut state, step)?;
        }
        print(&world, &contacts, &state)?;
    }
    Ok(())
}

/// The paper prints 145 vertices, 10 N/m and 6 uC; masses and radii are chosen.
fn torus() -> (World, State) {
    let Triangulated { x, faces } = triangulate::torus([29, 5], 3.0, 0.55);
    let edges = Edges::new(&x, &faces).expect("a torus");
    let spring = AxialSpring::elastic(10.0);
    let mut builder = World::builder();
    let material = builder.material(spring.material("springs", 0.1, 0.1));
    let vertices: Vec<u32> = edges.vertices.iter().map(|&p| builder.particle(p, 0.1, material)).collect();
    for &vertex in &vertices {
        builder.without_contacts(vertex);
    }
    for [i, j] in edges.pairs {
        builder.spring(i, j, spring);
    }
    builder.charges(ChargeGroup::uniform(vertices, 6e-6)).field(Method::Exact, 0.0);
    builder.build().expect("a torus")
}

fn print(world: &World, contacts: &Contacts, state: &State) -> Result<(), StepError> {
    let positions: Vec<String> = state.p.iter().map(|x| format!("{} {} {}", x.x, x.y, x.z)).collect();
    let electric = ElectricState::of(world, state).map_err(StepError::Field)?.energy();
    let energy = state.kinetic_energy(&world.particles).0 + Potential::new(world, contacts).value(state) + electric;
    println!("{} {energy} {}", state.time, positions.join(" "));
    Ok(())
}
