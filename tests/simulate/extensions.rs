//! Parts of a simulation from another program.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use bdem_core::energy::law::{BondLaw, LoadStrain, Quaternion};
use bdem_core::energy::{BondHessian, BondPose, GradientLanes, PoseLanes};
use bdem_core::integrate::Verlet;
use bdem_core::model::{Bond, BondModel, Stiffness};
use bdem_core::prelude::*;
use bdem_core::simd::Lanes;

/// A bonded bar, kg/m3 and Pa of rubber, at rest.
fn bar() -> (World, State) {
    let mut builder = World::builder();
    let rubber = builder.material(Material::elastic("rubber", 1100.0, 1e7, 0.25));
    let bar = Packed::equal(hexagonal(&Shape::Box { size: [0.1, 0.04, 0.04] }, 0.01), 0.01, 1e-6);
    builder.packing(&bar, Vec3::zeros(), rubber);
    builder.build().expect("a world")
}

fn run(kind: IntegratorKind, frames: u32, parts: Extensions) -> Simulation {
    let (world, state) = bar();
    let settings = SimulationSettings { integrator: kind, ..SimulationSettings::new(1e-3) };
    let mut simulation = Simulation::extended(world, state, &settings, parts);
    for _ in 0..frames {
        simulation.advance_frame(&mut Progress::default()).expect("a frame");
    }
    simulation
}

/// A constant acceleration from rest: speed and work are known, whatever the integrator.
#[test]
fn a_force_of_ones_own_works_in_the_account() {
    let g = Vec3::new(0.0, 3.0, -9.0); // m/s2
    for kind in [IntegratorKind::Auto, IntegratorKind::ImplicitEuler, IntegratorKind::ExplicitVerlet] {
        let force = move |end: StepEnd| end.v.iter_mut().for_each(|v| *v += g * end.dt);
        let simulation = run(kind, 20, Extensions { after_step: Some(Box::new(force)), ..Extensions::default() });
        let (mass, time) = (simulation.world.particles.mass.iter().sum::<f64>(), simulation.state.time);
        let work = 0.5 * mass * (g * time).norm_squared();
        println!("{kind}: {} J for {work} J", simulation.flows()[Flow::Loads]);
        assert!((simulation.flows()[Flow::Loads] / work - 1.0).abs() < 1e-6, "{kind}");
        assert!(simulation.balance.unaccounted.abs() < 1e-6 * work, "{kind}: {}", simulation.balance.unaccounted);
        assert!(simulation.state.v.iter().all(|v| (v - g * time).norm() < 1e-6 * (g * time).norm()), "{kind}");
    }
}

/// Every committed step is seen once, and their lengths add up to the time.
#[test]
fn each_step_is_seen_once() {
    let (count, sum) = (Arc::new(AtomicU64::new(0)), Arc::new(Mutex::new(0.0)));
    let (counted, summed) = (count.clone(), sum.clone());
    let look = move |end: StepEnd| {
        counted.fetch_add(1, Ordering::Relaxed);
        *summed.lock().expect("a sum") += end.dt;
    };
    let (world, state) = bar();
    let settings = SimulationSettings { integrator: IntegratorKind::ExplicitVerlet, ..SimulationSettings::new(1e-3) };
    let parts = Extensions { after_step: Some(Box::new(look)), ..Extensions::default() };
    let mut simulation = Simulation::extended(world, state, &settings, parts);
    let mut progress = Progress::default();
    simulation.advance_frame(&mut progress).expect("a frame");
    assert_eq!(count.load(Ordering::Relaxed), progress.steps);
    assert!((*sum.lock().expect("a sum") - simulation.state.time).abs() < 1e-12);
}

/// An integrator that is brought takes the same steps as that of the settings.
#[test]
fn an_integrator_of_ones_own_steps_the_world() {
    let (world, mut state) = bar();
    state.v.iter_mut().zip(&state.p).for_each(|(v, p)| v.x = p.x);
    let settings = SimulationSettings { integrator: IntegratorKind::ExplicitVerlet, ..SimulationSettings::new(1e-3) };
    let integrator = Box::new(Verlet::new(&world));
    let parts = Extensions { integrator: Some(integrator), ..Extensions::default() };
    let mut own = Simulation::extended(world, state.clone(), &settings, parts);
    let mut known = Simulation::new(bar().0, state, &settings);
    for simulation in [&mut own, &mut known] {
        simulation.advance_frame(&mut Progress::default()).expect("a frame");
    }
    assert_eq!(own.state, known.state);
}

/// BDF2 drops its history where velocities may be changed after steps: it is of first order then. A uniform force of one's own,
/// so that the bar keeps its shape: x" = cos(omega t) has x = (1 - cos(omega t))/omega^2.
#[test]
fn bdf2_is_of_first_order_with_a_force_of_ones_own() {
    const OMEGA: f64 = 100.0; // rad/s
    const TIME: f64 = 0.01; // s
    let error = |steps: f64| {
        let force = |end: StepEnd| end.v.iter_mut().for_each(|v| v.x += (OMEGA * end.time).cos() * end.dt);
        let (world, start) = bar();
        let settings = SimulationSettings {
            integrator: IntegratorKind::ImplicitBdf2,
            step: Some(StepSize::Seconds(TIME / steps)),
            ..SimulationSettings::new(TIME)
        };
        let parts = Extensions { after_step: Some(Box::new(force)), ..Extensions::default() };
        let mut simulation = Simulation::extended(world, start.clone(), &settings, parts);
        simulation.advance_frame(&mut Progress::default()).expect("a frame");
        simulation.state.p[0].x - start.p[0].x - (1.0 - (OMEGA * TIME).cos()) / (OMEGA * OMEGA)
    };
    let ratio = error(20.0) / error(40.0);
    println!("error over that of half the step: {ratio:.3}");
    assert!((ratio - 2.0).abs() < 0.1, "{ratio}");
}

/// The quaternion bond under a name of one's own.
struct Named<const MINE: bool>;

impl<const MINE: bool> BondLaw for Named<MINE> {
    const NAME: &'static str = if MINE { "mine" } else { "yours" };

    #[inline(always)]
    fn energies<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> [L; 4] {
        Quaternion::energies(pose, s)
    }

    #[inline(always)]
    fn elastic<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> (L, GradientLanes<L>) {
        Quaternion::elastic(pose, s)
    }

    #[inline(always)]
    fn strain<L: Lanes>(pose: &PoseLanes<L>, s: &Stiffness<L>) -> LoadStrain<L> {
        Quaternion::strain(pose, s)
    }

    fn semidefinite_hessian(bond: &Bond, pose: &BondPose) -> BondHessian {
        Quaternion::semidefinite_hessian(bond, pose)
    }

    fn hessian(bond: &Bond, pose: &BondPose) -> BondHessian {
        Quaternion::hessian(bond, pose)
    }
}

/// A law that is brought, here the quaternion bond's own, has the bits of the one that is known, explicit and implicit.
#[test]
fn a_law_that_is_brought_has_the_same_bits() {
    let run = |bond: &'static BondModel, integrator: IntegratorKind| {
        let (mut world, mut state) = bar();
        let bonds = world.bonds().iter().map(|known| Bond { model: bond, ..known.clone() }).collect();
        world = World::new(world.materials.clone(), world.particles.clone(), bonds);
        state.v.iter_mut().zip(&state.p).for_each(|(v, p)| *v = Vec3::new(p.y, -p.x, p.z) * 20.0);
        let mut simulation =
            Simulation::new(world, state, &SimulationSettings { integrator, ..SimulationSettings::new(1e-3) });
        (0..4).for_each(|_| simulation.advance_frame(&mut Progress::default()).expect("a frame"));
        simulation.state
    };
    let mine = BondModel::of::<Named<true>>();
    assert!(mine == BondModel::of::<Named<true>>() && mine != BondModel::of::<Named<false>>());
    assert_ne!(mine, BondModel::QUATERNION);
    for integrator in [IntegratorKind::ExplicitVerlet, IntegratorKind::ImplicitBdf2, IntegratorKind::Auto] {
        assert!(run(mine, integrator) == run(BondModel::QUATERNION, integrator), "{integrator}");
    }
}
