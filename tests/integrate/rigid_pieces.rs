//! Pieces that nothing strains: they move as rigid bodies, as mechanics and the laws of contact say, and wake where they are loaded.

use bdem::contact::Neighbours;
use bdem::energy::account::Flows;
use bdem::fracture::{self, BrokenBond};
use bdem::geometry::{Vec3, packing, shape::Shape};
use bdem::integrate::{Integrator, RigidPieces, Step, StepError, Verlet, stability};
use bdem::model::{FrictionRule, Material, Spring, State, World, damping_ratio};

use crate::common::system::{
    at_rest, block, bonded, chain, energy, floor, kinetic_energy, material, moved_rigidly, set_spinning,
};
use crate::integrate::collision::two_blocks;

const RADIUS: f64 = 0.01;
const G: f64 = 9.81;

/// Goes `steps` steps of `dt` (s); returns the energies that came and went.
fn go(
    pieces: &mut RigidPieces,
    world: &World,
    contacts: &mut Neighbours,
    state: &mut State,
    dt: f64,
    steps: u32,
) -> Result<Flows, StepError> {
    let mut flows = Flows::default();
    for _ in 0..steps {
        pieces.trial(world, contacts, state, Step::new(dt))?;
        flows += pieces.commit(contacts, state);
    }
    Ok(flows)
}

/// As they are by Verlet at a tenth of a period.
fn verlet(world: &World, state: &State, seconds: f64) -> State {
    let mut state = state.clone();
    let mut contacts = Neighbours::new(world, &state);
    let mut verlet = Verlet::new(world);
    let steps = (seconds / (0.1 * world.period())).ceil();
    for _ in 0..steps as u32 {
        verlet.step(world, &mut contacts, &mut state, seconds / steps).expect("a step");
    }
    state
}

/// The greatest distance between the particles of two states, in radii.
fn apart(a: &State, b: &State) -> f64 {
    a.p.iter().zip(&b.p).map(|(a, b)| (a - b).norm() / RADIUS).fold(0.0, f64::max)
}

/// A long piece that spins about no axis of its own goes as stiff bonds make it go, in a few long steps.
#[test]
fn a_spinning_piece_flies_as_its_bonds_would() {
    let (mut world, mut start) = block(material(1e9, 4e8, 2600.0), [0.16, 0.08, 0.05], RADIUS);
    world.gravity = Vec3::z() * -G;
    set_spinning(&mut start, &Vec3::new(6.0, 20.0, -5.0));
    start.v.iter_mut().for_each(|v| *v += Vec3::new(1.0, 2.0, 3.0));
    let (mut state, mut contacts) = (start.clone(), Neighbours::new(&world, &start));
    let seconds = 0.02;
    let flows = go(&mut RigidPieces::new(0.5), &world, &mut contacts, &mut state, seconds / 4.0, 4).expect("it flies");
    let by_bonds = verlet(&world, &start, seconds);
    println!("{:.1e} radii apart, {flows:?}", apart(&state, &by_bonds));
    assert!(apart(&start, &state) > 5.0 && apart(&state, &by_bonds) < 1e-2, "{}", apart(&state, &by_bonds));
    let far = |state: &State, i: usize| (state.p[i] - state.p[0]).norm();
    assert!((0..state.len()).all(|i| (far(&state, i) - far(&start, i)).abs() < 1e-12));
    let total = |state: &State| {
        let weight = world.particles.mass[0] * G;
        kinetic_energy(&world, state) + weight * state.p.iter().map(|p| p.z).sum::<f64>()
    };
    assert!((total(&state) / total(&start) - 1.0).abs() < 1e-5, "{} {}", total(&state), total(&start));
    let spin = |state: &State| {
        let (p, l) = state.momentum(&world.particles);
        l - (state.p.iter().sum::<Vec3>() / state.len() as f64).cross(&p)
    };
    assert!((spin(&state) - spin(&start)).norm() < 1e-9 * spin(&start).norm());
}

/// Two spheres, and one on a floor, bounce as the coefficient of restitution says.
#[test]
fn grains_bounce_as_asked() {
    for restitution in [1.0, 0.7, 0.3] {
        let rest = [Vec3::z() * 0.011, Vec3::new(0.05, 0.0, 0.05), Vec3::new(0.0715, 0.0, 0.05)];
        let mut world = bonded(material(1e7, 4e6, 2600.0), &rest, &[RADIUS; 3], &[]);
        world.contact_damping = damping_ratio(restitution);
        world.colliders = vec![floor(0.0, 0.0)];
        let mut state = at_rest(rest.to_vec());
        state.v = vec![Vec3::z() * -1.0, Vec3::x(), Vec3::zeros()];
        let (mut contacts, first) = (Neighbours::new(&world, &state), kinetic_energy(&world, &state));
        let flows =
            go(&mut RigidPieces::new(0.5), &world, &mut contacts, &mut state, 2e-3, 5).expect("nothing to strain");
        let parted = [state.v[0].z, state.v[2].x - state.v[1].x];
        println!("{restitution}: {parted:?}, {flows:?}");
        // dashpots lag by half a step, of which a bounce has nine or more
        assert!(parted.iter().all(|v| (v - restitution).abs() < 0.08), "{restitution}: {parted:?}");
        let last = kinetic_energy(&world, &state);
        assert!((first - last - flows.damping).abs() < 0.03 * first, "{first} {last} {flows:?}");
    }
}

/// A grain that is struck strikes the next one within the same block of short steps, and none of them has energy from nothing.
#[test]
fn grains_hand_on_a_blow() {
    for gap in [5e-4, 1e-3, 2e-3] {
        let rest = [Vec3::zeros(), Vec3::x() * 0.0201, Vec3::x() * (0.0401 + gap)];
        let world = bonded(material(1e7, 4e6, 2600.0), &rest, &[RADIUS; 3], &[]);
        let mut state = at_rest(rest.to_vec());
        state.v[0] = Vec3::x() * 10.0;
        let (mut contacts, first) = (Neighbours::new(&world, &state), kinetic_energy(&world, &state));
        go(&mut RigidPieces::new(0.5), &world, &mut contacts, &mut state, 0.01, 1).expect("nothing to strain");
        let speeds = [0, 1, 2].map(|i| state.v[i].x);
        let energy = kinetic_energy(&world, &state) / first;
        assert!((energy - 1.0).abs() < 0.01 && speeds[2] > 9.9, "{gap}: {speeds:?}, {energy}");
    }
}

/// Blocks that meet off their centres keep their momenta, and part as by Verlet's steps, with friction of either kind and without.
#[test]
fn blocks_part_as_by_their_bonds() {
    for (friction, rule) in
        [(0.0, FrictionRule::default()), (0.4, FrictionRule::default()), (0.4, FrictionRule::VelocityCorrection)]
    {
        let (mut world, start) = two_blocks(friction, 0.02);
        world.friction_rule = rule;
        world.contact_damping = damping_ratio(0.7);
        let (mut state, mut contacts) = (start.clone(), Neighbours::new(&world, &start));
        let seconds = 1.0;
        // what nothing breaks is held not to be strained by more than can be seen
        let flows = go(&mut RigidPieces::new(1.0), &world, &mut contacts, &mut state, seconds / 10.0, 10)
            .unwrap_or_else(|error| panic!("{friction} {rule:?}: {error}"));
        let [(p0, l0), (p, l)] = [&start, &state].map(|state| state.momentum(&world.particles));
        let (first, last) = (kinetic_energy(&world, &start), energy(&world, &contacts, &state));
        let scale = 0.02 * world.particles.mass.iter().sum::<f64>();
        println!("{friction} {rule:?}: {:.3}, {flows:?}, {l0} {l}", last / first);
        assert!((p - p0).norm() < 1e-12 * scale && last < 0.95 * first, "{p0} {p} {last} {first}");
        // friction's springs are off by squares of a step's turn; as velocities it acts at the centres of two spheres, as in the print, and
        // makes angular momentum
        let bound = if friction == 0.0 { 1e-10 } else { 1e-5 };
        assert!(rule == FrictionRule::VelocityCorrection || (l - l0).norm() < bound * l0.norm(), "{l0} {l}");
        assert!((first - last - flows.damping - flows.friction).abs() < 0.02 * first, "{first} {last} {flows:?}");
        assert!(flows.damping > 0.0 && (flows.friction > 0.0) == (friction > 0.0));
    }
}

/// A block that slides on a floor is stopped by friction as mu g says, of either kind.
#[test]
fn a_block_slides_to_rest() {
    for rule in [FrictionRule::default(), FrictionRule::VelocityCorrection] {
        let (mut world, mut state) = block(material(1e8, 4e7, 2600.0), [0.12, 0.12, 0.05], RADIUS);
        world.gravity = Vec3::z() * -G;
        world.colliders = vec![floor(0.0, 0.3)];
        world.friction_rule = rule;
        world.contact_damping = damping_ratio(0.7);
        let low = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        state.p.iter_mut().for_each(|p| p.z += RADIUS - low);
        state.v.fill(Vec3::x() * 0.1);
        let mut contacts = Neighbours::new(&world, &state);
        let mut pieces = RigidPieces::new(1.0);
        go(&mut pieces, &world, &mut contacts, &mut state, 1e-3, 20).expect("it slides");
        let slowed = (0.1 - state.v[0].x) / (0.3 * G * 0.02);
        go(&mut pieces, &world, &mut contacts, &mut state, 1e-3, 30).expect("it slides");
        let stopped = state.clone();
        go(&mut pieces, &world, &mut contacts, &mut state, 1e-3, 100).expect("it rests");
        println!("{rule:?}: {slowed}, {:.1e} radii", apart(&stopped, &state));
        assert!((slowed - 1.0).abs() < 0.05, "{rule:?}: {slowed}");
        assert!(apart(&stopped, &state) < 1e-4, "{rule:?}: {:.1e}", apart(&stopped, &state));
    }
}

/// What would break a block is no step of a rigid body; it says how far one would go.
#[test]
fn a_hard_blow_is_left_to_others() {
    let weak = Material { tensile_strength: 1e5, shear_strength: 1e5, ..material(1e8, 4e7, 2600.0) };
    let (mut world, mut state) = block(weak, [0.12; 3], RADIUS);
    world.colliders = vec![floor(0.0, 0.0)];
    state = moved_rigidly(&state, &Vec3::zeros(), &(Vec3::z() * 0.1));
    state.v.fill(Vec3::z() * -2.0);
    let low = state.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min) - RADIUS;
    let mut contacts = Neighbours::new(&world, &state);
    let mut pieces = RigidPieces::new(0.5);
    let before = state.clone();
    let Err(StepError::Struck(after)) = go(&mut pieces, &world, &mut contacts, &mut state, 0.05, 1) else {
        panic!("it does not break")
    };
    assert!(state == before && (after * 2.0 / low - 1.0).abs() < 0.02, "{after} {low}");
    go(&mut pieces, &world, &mut contacts, &mut state, 0.99 * low / 2.0, 1).expect("it flies up to there");
    // and what rings is not at rest
    state.v.iter_mut().step_by(2).for_each(|v| v.x += 1.0);
    assert_eq!(go(&mut pieces, &world, &mut contacts, &mut state, 1e-5, 1), Err(StepError::Strained));
}

/// A small piece that is struck wakes, and rings and bounces as it does by Verlet's steps, while all others rest.
#[test]
fn a_small_piece_wakes() {
    let weak = Material { tensile_strength: 3e7, shear_strength: 3e7, damping: 0.1, ..material(1e8, 4e7, 2600.0) };
    let (mut world, mut start) = chain(weak, 6, RADIUS);
    world.colliders = vec![floor(0.0, 0.2)];
    world.contact_damping = damping_ratio(0.7);
    world.gravity = Vec3::z() * -G;
    start = moved_rigidly(&start, &(Vec3::y() * -0.6), &(Vec3::z() * 0.0102));
    start.v.fill(Vec3::new(0.5, 0.0, -2.0));
    let (mut state, mut contacts) = (start.clone(), Neighbours::new(&world, &start));
    let seconds = 0.01;
    let flows = go(&mut RigidPieces::new(0.1), &world, &mut contacts, &mut state, seconds / 4.0, 4).expect("it holds");
    let by_bonds = verlet(&world, &start, seconds);
    println!("{:.1e} of {:.1} radii, {flows:?}", apart(&state, &by_bonds), apart(&start, &state));
    assert!(apart(&state, &by_bonds) < 0.02 * apart(&start, &state));
    // no rigid body does that
    let long = |state: &State| (state.p[5] - state.p[0]).norm() / RADIUS;
    assert!((long(&state) - long(&start)).abs() > 1e-6, "{}", long(&state) - long(&start));
    let (first, last) = (energy(&world, &Neighbours::new(&world, &start), &start), energy(&world, &contacts, &state));
    let lost = flows.damping + flows.friction - flows.numerical;
    assert!((first - last - lost).abs() < 0.01 * first, "{first} {last} {flows:?}");
}

/// As they are by Verlet's steps at a twentieth of a period, and the bonds that broke.
fn breaking_verlet(world: &World, state: &State, seconds: f64) -> (State, Vec<u32>) {
    let (mut world, mut state, mut ids) = (world.clone(), state.clone(), Vec::new());
    let mut contacts = Neighbours::new(&world, &state);
    let mut verlet = Verlet::new(&world);
    let steps = (seconds / (0.05 * world.period())).ceil();
    for _ in 0..steps as u32 {
        verlet.step(&world, &mut contacts, &mut state, seconds / steps).expect("a step");
        let broken = fracture::overloaded(&world, &state);
        let broken = fracture::break_bonds(&mut world, &state, &broken);
        contacts.admit(&world, broken.iter().map(BrokenBond::ends));
        verlet.after_breakage(&world, &contacts, &state, &broken);
        ids.extend(broken.iter().map(|broken| broken.bond.id));
    }
    (state, ids)
}

/// A small piece that is struck so hard that it breaks does so within a step, bond by bond as by Verlet's steps, and its parts fly on.
#[test]
fn a_small_piece_breaks() {
    let weak = Material { tensile_strength: 1e6, shear_strength: 1e6, damping: 0.1, ..material(1e8, 4e7, 2600.0) };
    let (mut world, mut start) = chain(weak, 6, RADIUS);
    world.colliders = vec![floor(0.0, 0.2)];
    world.contact_damping = damping_ratio(0.7);
    world.gravity = Vec3::z() * -G;
    start = moved_rigidly(&start, &(Vec3::y() * -0.3), &(Vec3::z() * 0.0102));
    start.v.fill(Vec3::new(0.5, 0.0, -2.0));
    let seconds = 0.01;
    let (mut state, mut contacts) = (start.clone(), Neighbours::new(&world, &start));
    let mut pieces = RigidPieces::new(0.1);
    let report = pieces.trial(&world, &contacts, &state, Step::new(seconds)).expect("it goes on");
    let broken = pieces.tried(report).broken.to_vec();
    let flows = pieces.commit(&mut contacts, &mut state);
    let (by_bonds, ids) = breaking_verlet(&world, &start, seconds);
    let own: Vec<u32> = broken.iter().map(|broken| broken.broken.bond.id).collect();
    println!("{own:?} {ids:?}, {:.1e} of {:.1} radii, {flows:?}", apart(&state, &by_bonds), apart(&start, &state));
    assert!(!ids.is_empty() && ids.len() < 5 && own == ids, "{own:?} {ids:?}");
    assert!(broken.is_sorted_by_key(|broken| broken.time) && broken.iter().all(|b| b.time < start.time + seconds));
    assert!(apart(&state, &by_bonds) < 0.02 * apart(&start, &state));
    assert!(broken.iter().all(|b| contacts.find(b.broken.bond.i, b.broken.bond.j).is_some()), "they may touch again");
    let first = energy(&world, &Neighbours::new(&world, &start), &start);
    world.remove_bonds(&broken.iter().map(|broken| broken.index).collect::<Vec<_>>());
    let last = energy(&world, &contacts, &state);
    let lost = flows.damping + flows.friction + flows.fracture - flows.numerical;
    assert!(flows.fracture > 0.0 && (first - last - lost).abs() < 0.01 * first, "{first} {last} {flows:?}");
}

/// Two damped blocks that fly at each other, not head on, and many grains that nothing touches.
fn awake_blocks(friction: f64) -> (World, State) {
    let one = packing::hexagonal(&Shape::Box { size: [0.06; 3] }, RADIUS);
    let other = one.iter().map(|p| p + Vec3::new(0.07, 0.01, 0.02));
    let grains = (0..600).map(|k| Vec3::new(f64::from(k % 10), f64::from(k / 10 % 10), f64::from(k / 100)) * 0.03);
    let centres: Vec<Vec3> = one.iter().copied().chain(other).chain(grains.map(|p| p.add_scalar(1.0))).collect();
    let radii = vec![RADIUS; centres.len()];
    let pairs = packing::touching_pairs(&centres, &radii, 1e-6);
    let damped = Material { friction, static_friction: friction, damping: 0.3, ..material(1e8, 4e7, 2600.0) };
    let mut world = bonded(damped, &centres, &radii, &pairs);
    world.contact_damping = damping_ratio(0.7);
    let mut state = at_rest(centres);
    for (i, v) in state.v[..2 * one.len()].iter_mut().enumerate() {
        v.x = if i < one.len() { 1.0 } else { -1.0 };
    }
    (world, state)
}

/// Blocks that meet so hard that their bonds feel it are followed bond by bond until they are calm, while others rest; they part as by
/// Verlet's steps. So they do where their own bounds on short steps give way to a step that is known to be stable.
#[test]
fn blocks_that_meet_wake_and_rest_again() {
    for (friction, share) in [(0.0, 0.0), (0.0, 0.9), (0.4, 0.0), (0.4, 0.9)] {
        let (world, start) = awake_blocks(friction);
        let explicit = share * stability::limit(&world, &start);
        let (mut state, mut contacts) = (start.clone(), Neighbours::new(&world, &start));
        let mut pieces = RigidPieces::new(0.5);
        let seconds = 0.06;
        let (mut flows, mut awake) = (Flows::default(), 0.0);
        for _ in 0..6 {
            let step = Step { explicit, ..Step::new(seconds / 6.0) };
            awake += pieces.trial(&world, &contacts, &state, step).expect("they bounce").awake / 6.0;
            flows += pieces.commit(&mut contacts, &mut state);
        }
        let by_bonds = verlet(&world, &start, seconds);
        let (off, way) = (apart(&state, &by_bonds), apart(&start, &state));
        println!("{friction}, {explicit:.1e} s: {off:.1e} of {way:.1} radii, awake {awake:.2e}, {flows:?}");
        assert!(awake > 1e-3 && awake < 0.1, "{awake}");
        assert!(off < 0.05 * way, "{off} {way}");
        let (first, last) = (kinetic_energy(&world, &start), energy(&world, &contacts, &state));
        let lost = flows.damping + flows.friction - flows.numerical;
        assert!((first - last - lost).abs() < 0.01 * first, "{first} {last} {flows:?}");
        assert!(flows.numerical <= 0.0 && -flows.numerical < 0.1 * first, "{flows:?}");
        let [(p0, _), (p, _)] = [&start, &state].map(|state| state.momentum(&world.particles));
        assert!((p - p0).norm() < 1e-9 * world.particles.mass.iter().sum::<f64>(), "{p0} {p}");
    }
}

/// A block that holds a grain too large for its hole: its bonds are strained by that, far beyond what a contact may load a piece that
/// rests by.
fn block_with_a_wedged_grain() -> (World, State) {
    let mut centres = packing::hexagonal(&Shape::Box { size: [0.11; 3] }, RADIUS);
    let middle = centres.iter().sum::<Vec3>() / centres.len() as f64;
    let inmost =
        (0..centres.len()).min_by(|&i, &j| (centres[i] - middle).norm().total_cmp(&(centres[j] - middle).norm()));
    let grain = centres.remove(inmost.expect("a block"));
    let mut radii = vec![RADIUS; centres.len()];
    let pairs = packing::touching_pairs(&centres, &radii, 1e-6);
    centres.push(grain);
    radii.push(1.03 * RADIUS);
    let damped = Material { damping: 0.5, ..material(1e8, 4e7, 2600.0) };
    let world = bonded(damped, &centres, &radii, &pairs);
    let state = verlet(&world, &at_rest(centres), 0.03);
    (world, state)
}

/// What is wedged in a piece loads it by no more than its bonds press back: both fly as one, as they do by Verlet's steps.
#[test]
fn a_piece_flies_with_a_grain_wedged_in_it() {
    let (world, mut start) = block_with_a_wedged_grain();
    set_spinning(&mut start, &Vec3::new(2.0, 5.0, -1.0));
    start.v.iter_mut().for_each(|v| *v += Vec3::new(1.0, 0.0, 2.0));
    let mut contacts = Neighbours::new(&world, &start);
    let limit = 0.5 * 3e-3 * 1e8 * std::f64::consts::PI * RADIUS * RADIUS;
    let pressed = |state: &State| -> Vec<f64> {
        let grain = state.len() - 1;
        let pairs = contacts.pairs().iter().filter(|pair| pair.j as usize == grain);
        pairs.map(|pair| pair.spring.push(pair.reach - (state.p[grain] - state.p[pair.i as usize]).norm())).collect()
    };
    let before = pressed(&start);
    assert!(before.len() == 12 && before.iter().all(|force| *force > 2.0 * limit), "{before:?} {limit}");
    let (mut state, seconds) = (start.clone(), 0.02);
    let flows = go(&mut RigidPieces::new(0.5), &world, &mut contacts, &mut state, seconds / 4.0, 4).expect("it rests");
    let by_bonds = verlet(&world, &start, seconds);
    println!("{:.1e} of {:.1} radii, {flows:?}", apart(&state, &by_bonds), apart(&start, &state));
    assert!(apart(&state, &by_bonds) < 1e-3 * apart(&start, &state));
    let (first, last) = (energy(&world, &contacts, &start), energy(&world, &contacts, &state));
    let lost = flows.damping + flows.friction - flows.numerical;
    assert!((first - last - lost).abs() < 1e-3 * kinetic_energy(&world, &start), "{first} {last} {flows:?}");
}
