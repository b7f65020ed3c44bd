//! Columns one by one, in worlds in which they are known.

use bdem_core::energy::account::{self, Account, EnergySnapshot};
use bdem_core::energy::{Energy, Flow, Potential, bond};
use bdem_core::geometry::Vec3;
use bdem_core::integrate::TimeRule;
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{ContactLaw, Material, State, damping_ratio};

use crate::common::system::{at_rest, chain, energy, floor, material};

use super::ledger::{Ledger, Method};

const RADIUS: f64 = 0.01;
const E: f64 = 1e7;

/// Two that swing along their bond: V is quadratic, and the rule's own is all that full steps are off by.
#[test]
fn verlet_makes_what_its_kicks_say() {
    let (world, mut state) = chain(material(E, 0.4 * E, 2600.0), 2, RADIUS);
    state.p[1].x += 1e-3 * RADIUS;
    let dt = 0.3 * world.period();
    // it begins with the greatest forces
    let force = world.bonds()[0].k.n * 1e-3 * RADIUS;
    let want = 2.0 * (dt * force).powi(2) / (8.0 * world.particles.mass[0]);
    let mut ledger = Ledger::new(Method::Verlet, world, state);
    let mut made = 0.0f64;
    for _ in 0..1000 {
        ledger.advance(dt);
        made = made.max(ledger.account.flows[Flow::Numerical].abs());
    }
    let scale = ledger.balance().scale;
    println!("open {:.1e}, numerical {:.3e}, want {:.3e} of {scale:.3e} J", ledger.most_open(), made, want);
    assert!(ledger.most_open() < 1e-11 && (made / want - 1.0).abs() < 1e-2);
}

/// Implicit Euler takes (1 + (omega dt)^2)^-1 of a swing's energy in a step.
#[test]
fn implicit_euler_takes_all_that_is_missing() {
    let (world, mut state) = chain(material(E, 0.4 * E, 2600.0), 2, RADIUS);
    state.p[1].x += 1e-3 * RADIUS;
    let omega = (2.0 * world.bonds()[0].k.n / world.particles.mass[0]).sqrt();
    let mut ledger = Ledger::new(Method::Implicit(TimeRule::Euler), world, state);
    let before = energy(&ledger.world, &ledger.contacts, &ledger.state);
    let dt = 0.1 / omega;
    for _ in 0..50 {
        ledger.advance(dt);
    }
    let left = before * (1.0 + (omega * dt).powi(2)).powi(-50);
    println!(
        "open {:.1e}, rule {:.6}, want {:.6}",
        ledger.most_open(),
        ledger.account.flows[Flow::Numerical] / before,
        left / before - 1.0
    );
    assert!(
        (ledger.account.flows[Flow::Numerical] - (left - before)).abs() < 1e-6 * before && ledger.most_open() < 1e-6
    );
}

/// A damped swing loses 1/2 k x^2 as dt shrinks: to second order under Verlet.
#[test]
fn damping_takes_what_the_swing_loses() {
    let open = |dt: f64| {
        let (world, mut state) = chain(Material { damping: 0.1, ..material(E, 0.4 * E, 2600.0) }, 2, RADIUS);
        state.p[1].x += 1e-3 * RADIUS;
        let (start, steps) = (energy(&world, &Contacts::new(&world, &state), &state), (20.0 / dt) as usize);
        let dt = dt * world.period();
        let mut ledger = Ledger::new(Method::Verlet, world, state);
        (0..steps).for_each(|_| ledger.advance(dt));
        let left = energy(&ledger.world, &ledger.contacts, &ledger.state);
        println!(
            "{dt:.2e}: lost {:.6}, damping {:.6}, open {:.2e}",
            1.0 - left / start,
            ledger.account.flows[Flow::Damping] / start,
            ledger.most_open()
        );
        (ledger.account.flows[Flow::Damping] / (start - left) - 1.0, ledger.most_open())
    };
    let [coarse, fine] = [0.2, 0.1].map(open);
    assert!(fine.0.abs() < 1e-2 && fine.1 < 1e-2 && coarse.1 / fine.1 > 3.0, "{coarse:?} {fine:?}");
}

/// A bond that is drawn and bent leaves nothing behind; one that was pressed together, what its contact holds.
#[test]
fn fracture_takes_what_the_contact_does_not() {
    let (mut world, mut state) = chain(material(E, 0.4 * E, 2600.0), 3, RADIUS);
    (state.p[0].x, state.p[2].y) = (0.02 * RADIUS, 0.01 * RADIUS);
    let mut contacts = Contacts::new(&world, &state);
    let before = Potential::new(&world, &contacts).value(&state);
    let broken = world.bonds().to_vec();
    world.remove_bonds(&[0, 1]);
    contacts.add_pairs(&world, broken.iter().map(|bond| [bond.i, bond.j]));
    let after = Potential::new(&world, &contacts).value(&state);
    let lost: f64 = broken.iter().map(|bond| account::by_fracture(bond, contacts.after(bond), &state)).sum();
    let had: f64 = broken.iter().map(|b| bond::value(b, &bond::pose(b, &state))).sum();
    assert!(after > 0.0 && lost != had && (lost - (before - after)).abs() < 1e-12 * before);
}

/// Two grains and a floor that bounce in few steps: what the rule makes of contacts that begin and end on the way is its own,
/// and nothing is open once they have parted.
#[test]
fn what_bounces_in_few_steps_leaves_nothing_open() {
    let laws = [(ContactLaw::Linear, 0.0), (ContactLaw::Linear, 0.02), (ContactLaw::RodriguesHertz, 0.0)];
    for (method, (law, softening)) in
        [Method::Verlet, Method::Rodrigues(23)].into_iter().flat_map(|m| laws.map(|l| (m, l)))
    {
        for restitution in [1.0, 0.5] {
            let mut world = chain(material(E, 0.4 * E, 2600.0), 2, RADIUS).0;
            world.remove_bonds(&[0]);
            (world.contact_law, world.contact_softening) = (law, softening);
            world.contact_damping = damping_ratio(restitution);
            world.walls = vec![floor(0.0, 0.0)];
            let mut state = at_rest([1.13, 3.57].map(|z| Vec3::z() * (z * RADIUS)).to_vec());
            state.v[1].z = -3.0;
            let dt = 0.1 * world.period();
            let mut ledger = Ledger::new(method, world, state);
            (0..2000).for_each(|_| ledger.advance(dt));
            let balance = ledger.balance();
            println!("{method:?} {law:?} {softening} {restitution}: {balance:?}, {:?}", ledger.account.flows);
            assert!(ledger.state.v[1].z > 0.5, "they have parted");
            assert!(balance.open() < 1e-10 && ledger.account.flows[Flow::Numerical].abs() > 5e-8 * balance.scale);
        }
    }
}

/// Neither a height nor a common speed is a scale, and rounding is no hole.
#[test]
fn the_scale_is_what_happens() {
    let world = chain(material(E, 0.4 * E, 2600.0), 2, RADIUS).0;
    let mut state =
        State { v: vec![Vec3::x() * 300.0; 2], ..at_rest(vec![Vec3::z() * 1e6, Vec3::new(2.0 * RADIUS, 0.0, 1e6)]) };
    let high = |state: &State, gravity: f64| {
        let mut energies = Potential::new(&world, &Contacts::none(&world, state)).energies(state);
        energies[Energy::Gravity] = gravity;
        EnergySnapshot::new(&world, state, energies)
    };
    let start = high(&state, 1e6);
    let kinetic = start.energies.kinetic();
    assert!((kinetic - start.centre_of_mass).abs() < 1e-12 * kinetic);
    let mut account = Account::new(&world, start);
    let mut rounded = start;
    rounded.energies[Energy::KineticLinear] *= 1.0 + 1e-14;
    rounded.energies[Energy::Gravity] *= 1.0 - 1e-15;
    let balance = account.balance(&rounded);
    assert!(balance.open() < 1e-4 && balance.scale < 1e-2 * kinetic);
    // what comes from nowhere is all that happened
    state.v[0].x += 1.0;
    let now = high(&state, 1e6);
    let balance = account.balance(&now);
    assert!(balance.gain() > 0.5, "{balance:?}");
    // one that comes from gravity is not
    let fallen = high(&state, 1e6 - (now.energies.kinetic() - kinetic));
    assert!(account.balance(&fallen).open() < 1e-6);
}
