//! Charges of a world, through every integrator.

use std::f64::consts::{PI, TAU};

use bdem_core::charge::{COULOMB_CONSTANT, ExternalField, Method};
use bdem_core::energy::{ElectricState, Flow};
use bdem_core::geometry::Vec3;
use bdem_core::integrate::{Projection, RodriguesMap};
use bdem_core::model::{
    Action, ChargeGroup, Constraint, Electrostatics, ExternalCharge, ImposedField, Material, Motion, Ramp, State,
    World, WorldBuilder,
};
use bdem_core::simulate::{IntegratorKind, Progress, Simulation, SimulationSettings, StepSize};

use crate::charge::on_threads;

const RADIUS: f64 = 0.01;

/// Rubber with this damping.
fn rubber(damping: f64) -> Material {
    Material { damping, ..Material::elastic("rubber", 1100.0, 1e7, 0.25) }
}

/// One integrator of each kind.
pub(super) fn kinds() -> Vec<IntegratorKind> {
    let is_plain = |kind: &IntegratorKind| match kind {
        IntegratorKind::ImplicitMidpoint(midpoint) => midpoint.projected_at == Projection::default(),
        IntegratorKind::ExplicitRodrigues(rodrigues) => rodrigues.map == RodriguesMap::default(),
        _ => true,
    };
    IntegratorKind::all().into_iter().filter(is_plain).collect()
}

/// Simulation of what is built.
fn simulation(builder: WorldBuilder, kind: IntegratorKind, frame: f64, step: StepSize) -> Simulation {
    let (world, state) = builder.build().expect("a world");
    let settings = SimulationSettings { integrator: kind, step: Some(step), ..SimulationSettings::new(frame) };
    Simulation::new(world, state, &settings)
}

/// Advances by a number of frames.
fn run(simulation: &mut Simulation, frames: u32) {
    for _ in 0..frames * simulation.plan.per_frame {
        simulation.advance(&mut Progress::default()).unwrap_or_else(|why| panic!("{why}"));
    }
    simulation.audit().unwrap_or_else(|why| panic!("{why}"));
}

/// Two spheres `distance` apart with charges `q`.
fn pair(damping: f64, distance: f64, q: [f64; 2]) -> WorldBuilder {
    let mut builder = World::builder();
    let material = builder.material(rubber(damping));
    for (k, q) in q.into_iter().enumerate() {
        let i = builder.particle(Vec3::x() * (distance * k as f64), RADIUS, material);
        builder.charges(ChargeGroup::uniform(vec![i], q));
    }
    builder
}

/// k (l - l_0) = k_c q^2/l^2.
#[test]
fn a_bonded_pair_comes_to_rest_where_the_bond_bears_the_charges() {
    let q = 2e-6;
    for kind in kinds() {
        let mut builder = pair(0.5, 2.0 * RADIUS, [q; 2]);
        builder.bond(0, 1);
        let mut simulation = simulation(builder, kind, 2e-3, StepSize::Periods(0.2));
        let bond = &simulation.world.bonds()[0];
        let (k, l0) = (bond.k.n, bond.l0);
        run(&mut simulation, 10);
        let mut l = l0;
        for _ in 0..50 {
            l = l0 + COULOMB_CONSTANT * q * q / (k * l * l);
        }
        let found = (simulation.state.p[1] - simulation.state.p[0]).norm();
        assert!(l - l0 > 1e-4 && (found - l).abs() < 1e-3 * (l - l0), "{kind}: {found} {l}");
    }
}

/// m v^2 = k_c q^2 (1/r_0 - 1/r) of two like charges that fly apart.
#[test]
fn free_charges_fly_apart_by_their_energy() {
    let (q, start) = (1e-6, 0.1);
    for kind in kinds() {
        let (step, tolerance) = match kind {
            IntegratorKind::Auto => (StepSize::Auto, 2e-2),
            IntegratorKind::ImplicitEuler => (StepSize::Seconds(1e-5), 1e-2),
            _ => (StepSize::Seconds(1e-5), 1e-4),
        };
        let mut simulation = simulation(pair(0.0, start, [q; 2]), kind, 2e-3, step);
        run(&mut simulation, 20);
        let State { p, v, .. } = &simulation.state;
        let r = (p[1] - p[0]).norm();
        let expected = COULOMB_CONSTANT * q * q * (1.0 / start - 1.0 / r);
        let kinetic = simulation.world.particles.mass[0] * v[0].norm_squared();
        assert!(r > 1.5 * start && (kinetic / expected - 1.0).abs() < tolerance, "{kind}: {kinetic} {expected}");
        println!("{kind}: {:.2e} {:?}", kinetic / expected - 1.0, simulation.flows());
        let momentum = (v[0] + v[1]).norm() / v[0].norm();
        assert!(momentum < 1e-9, "{kind}: {momentum}");
        assert!(simulation.balance.open() < 1e-2, "{kind}: {:?}", simulation.balance);
    }
}

/// Ring of bonded spheres at a height (m).
fn ring(count: u32, height: f64) -> (WorldBuilder, Vec<u32>) {
    let mut builder = World::builder();
    let material = builder.material(rubber(0.0));
    let around = 2.0 * RADIUS / (2.0 * (PI / f64::from(count)).sin());
    let centre = |k: u32| {
        let angle = TAU * f64::from(k) / f64::from(count);
        Vec3::new(angle.cos(), angle.sin(), 0.0) * around + Vec3::z() * height
    };
    let ids: Vec<u32> = (0..count).map(|k| builder.particle(centre(k), RADIUS, material)).collect();
    (0..count).for_each(|k| {
        builder.bond(ids[k as usize], ids[((k + 1) % count) as usize]);
    });
    (builder, ids)
}

/// The ring with keyed charges, a charge that passes and changes, a field that turns and fades, a vortex that fades, and a
/// held particle.
fn busy() -> WorldBuilder {
    let (mut builder, ids) = ring(24, 0.5);
    let keys = vec![[0.0, 0.0], [2e-3, 2e-7], [6e-3, -1e-7]];
    builder.charges(ChargeGroup::keyed(ids[..12].to_vec(), Ramp::through(keys).expect("in order")));
    builder.charges(ChargeGroup::uniform(ids[12..].to_vec(), 1e-7));
    builder.external_charge(ExternalCharge {
        charge: Ramp::through(vec![[1e-3, 2e-6], [5e-3, 1e-6]]).expect("in order"),
        position: Vec3::new(-0.2, 0.1, 0.6),
        motion: Motion::Velocity(Vec3::x() * 20.0),
    });
    let turning = Motion::Screw { point: Vec3::zeros(), axis: Vec3::z(), rate: 300.0, velocity: 0.0 };
    let always = 0.0..f64::INFINITY;
    let uniform = ExternalField::Uniform { field: Vec3::new(2e5, 0.0, 1e5) };
    let fades = Ramp::through(vec![[0.0, 1.0], [8e-3, 0.6]]).expect("in order");
    builder.external_field(ImposedField { field: uniform, factor: fades, motion: turning, times: always.clone() });
    let vortex = ExternalField::Vortex { strength: 1e6, centre: Vec3::zeros() };
    let fades = Ramp::through(vec![[1e-3, 1.0], [3e-3, 0.3]]).expect("in order");
    builder.external_field(ImposedField { field: vortex, factor: fades, motion: Motion::Fixed, times: 1e-3..4e-3 });
    let held = Motion::Velocity(Vec3::new(0.3, 0.0, 0.0));
    builder.constraint(Constraint::new(vec![ids[0]], Action::Motion(held)));
    builder.gravity(Vec3::z() * -9.81);
    builder
}

/// Work from outside, and energy of both kinds, are large beside the remainder.
#[test]
fn the_account_closes_whatever_acts() {
    for kind in kinds() {
        let mut simulation = simulation(busy(), kind, 1e-3, StepSize::Periods(0.2));
        run(&mut simulation, 8);
        let (flows, balance) = (*simulation.flows(), simulation.balance);
        println!("{kind}: {flows:?} open {:.2e} gain {:.2e}", balance.open(), balance.gain());
        assert!(flows[Flow::Electric].abs() > 0.05 * balance.scale, "{kind}: {flows:?} {balance:?}");
        assert!(balance.open() < 1e-3, "{kind}: {balance:?}");
        assert!(flows[Flow::Numerical].abs() < 1e-2 * balance.scale, "{kind}: {flows:?} {balance:?}");
    }
}

/// At rest the work of charging, from inside and from outside at once, is the gain of energy: sum of q Q k_c/r and - q E.x.
#[test]
fn work_on_charges_at_rest_is_exact() {
    let ramp = |from: f64, to: f64| Ramp::through(vec![[0.0, from], [2.0, to]]).expect("in order");
    let mut builder = pair(0.0, 0.3, [0.0; 2]);
    builder.external_charge(ExternalCharge { charge: ramp(0.0, 4e-6), position: Vec3::z(), motion: Motion::Fixed });
    let field = ExternalField::Uniform { field: Vec3::new(3e4, 0.0, -1e4) };
    let times = 0.0..f64::INFINITY;
    builder.external_field(ImposedField { field, factor: ramp(1.0, -2.0), motion: Motion::Fixed, times });
    let (mut world, mut state) = builder.build().expect("a pair");
    let mut electrostatics = Electrostatics::new(vec![ChargeGroup::keyed(vec![0, 1], ramp(1e-6, -3e-6))]);
    electrostatics.external_charges = world.electrostatics.external_charges;
    electrostatics.external_fields = world.electrostatics.external_fields;
    world.electrostatics = electrostatics;
    let [x, y] = [state.p[0], state.p[1]];
    let energy = |time: f64| {
        let [q, outside, factor] = [ramp(1e-6, -3e-6), ramp(0.0, 4e-6), ramp(1.0, -2.0)].map(|ramp| ramp.at(time));
        let near = |p: &Vec3| COULOMB_CONSTANT * outside / (p - Vec3::z()).norm();
        let own = COULOMB_CONSTANT * q * q / (x - y).norm();
        own + q * (near(&x) + near(&y)) - q * factor * Vec3::new(3e4, 0.0, -1e4).dot(&(x + y))
    };
    let before = ElectricState::of(&world, &state).expect("a field");
    state.time = 1.5;
    let after = ElectricState::of(&world, &state).expect("a field");
    let scale = energy(0.0).abs() + energy(1.5).abs();
    assert!((before.energy() - energy(0.0)).abs() < 1e-12 * scale, "{} {}", before.energy(), energy(0.0));
    let (gain, work) = (energy(1.5) - energy(0.0), before.work_to(&after));
    assert!(gain.abs() > 0.1 * scale && (work - gain).abs() < 1e-12 * scale, "{work} {gain}");
}

/// A simulation that goes on from a snapshot has the bits of one that did not stop, on any number of threads.
#[test]
fn runs_resume_with_the_same_bits() {
    for kind in kinds() {
        let new = || simulation(busy(), kind, 1e-3, StepSize::Periods(0.2));
        let whole = on_threads(2, || {
            let mut whole = new();
            run(&mut whole, 4);
            whole.state
        });
        let resumed = on_threads(1, || {
            let mut first = new();
            run(&mut first, 2);
            let mut second = new();
            second.restore(first.snapshot()).expect("a snapshot of the same world");
            run(&mut second, 2);
            second.state
        });
        assert!(whole == resumed, "{kind}");
    }
}

/// The sums of pair forces are zero but for rounding.
#[test]
fn exact_pairs_keep_momentum() {
    for kind in kinds() {
        let (mut builder, ids) = ring(24, 0.0);
        let charges = (0..24).map(|k| if k % 5 == 0 { -3e-7 } else { 2e-7 }).collect();
        builder.charges(ChargeGroup { particles: ids, charges, factor: Ramp::default() });
        builder.field(Method::Exact, 0.0);
        let mut simulation = simulation(builder, kind, 1e-3, StepSize::Periods(0.2));
        run(&mut simulation, 4);
        let particles = &simulation.world.particles;
        let (momentum, _) = simulation.state.momentum(particles);
        let exchanged: f64 = simulation.state.v.iter().zip(&particles.mass).map(|(v, m)| v.norm() * m).sum();
        assert!(exchanged > 1e-4 && momentum.norm() < 1e-9 * exchanged, "{kind}: {momentum} of {exchanged}");
    }
}

/// Errors name the particle.
#[test]
fn a_charge_on_a_particle_stops_the_run() {
    let mut builder = pair(0.0, 0.1, [1e-7, 0.0]);
    builder.external_charge(ExternalCharge {
        charge: Ramp::constant(1e-7),
        position: Vec3::x() * 0.1,
        motion: Motion::Fixed,
    });
    let mut simulation = simulation(builder, IntegratorKind::ExplicitVerlet, 1e-3, StepSize::Periods(0.2));
    let why = simulation.advance(&mut Progress::default()).expect_err("an infinite field").to_string();
    assert!(why.contains("point 1 is where charge 0 is"), "{why}");
}

#[test]
fn worlds_in_the_making_refuse_wrong_charges() {
    let error = |spoil: &dyn Fn(&mut WorldBuilder)| {
        let mut builder = pair(0.0, 0.1, [1e-7; 2]);
        spoil(&mut builder);
        builder.build().expect_err("it is spoilt").to_string()
    };
    let group = |particles: &[u32], charge: f64| ChargeGroup::uniform(particles.to_vec(), charge);
    let short = ChargeGroup { charges: Vec::new(), ..group(&[1], 0.0) };
    type Change<'a> = &'a dyn Fn(&mut WorldBuilder);
    let cases: [(Change, &str); 5] = [
        (&|b| _ = b.charges(group(&[1], 1e-7)), "groups 1 and 2 of charges both have particle 1"),
        (&|b| _ = b.charges(group(&[7], 1e-7)), "group 2 of charges has particle 7, but there are 2"),
        (&|b| _ = b.charges(short.clone()), "group 2 of charges has 1 particles, but 0 charges"),
        (&|b| _ = b.field(Method::Exact, -1.0), "the softening length is -1 m"),
        (&|b| _ = b.field(Method::Tree { tolerance: 0.5 }, 0.0), "the tolerance of the field is 0.5"),
    ];
    for (spoil, part) in cases {
        let error = error(spoil);
        assert!(error.contains(part), "{error}");
    }
    assert!(Ramp::through(vec![[0.0, 1.0], [0.0, 2.0]]).is_none() && Ramp::through(Vec::new()).is_none());
}
