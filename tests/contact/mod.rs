//! The list of near pairs: as long as it says that it holds, nothing touches that is not in it. And what friction takes.

mod friction;
mod law;
mod meetings;
mod near_walls;
mod record;
mod step;
mod walls;

use bdem_core::energy::Potential;
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::internals::contact::{ContactPair, Contacts};
use bdem_core::model::{BondModel, Material, Pair, PairChunks, State, World};
use proptest::prelude::*;

use crate::common::system::{at_rest, block, bonded, floor, material, noise};

/// The near pair of these particles.
fn find(contacts: &Contacts, ends: [u32; 2]) -> Option<&ContactPair> {
    contacts.pairs().iter().find(|pair| [pair.i, pair.j] == ends)
}

const RADIUS: f64 = 0.01;

/// Two blocks in one world, a little apart, without the bonds between their halves.
fn two_halves() -> (World, State) {
    let (mut world, state) = block(material(1e7, 4e6, 2600.0), [0.3, 0.12, 0.12], RADIUS);
    let is_right = |i: u32| state.p[i as usize].x > 0.0;
    let across: Vec<usize> =
        world.bonds().iter().enumerate().filter(|(_, b)| is_right(b.i) != is_right(b.j)).map(|(k, _)| k).collect();
    world.remove_bonds(&across);
    (world, state)
}

/// Pairs that touch, are not bonded, and of which one at least is not bonded all around.
fn touching(world: &World, state: &State) -> Vec<[u32; 2]> {
    let mut bonds = vec![0; state.len()];
    world.bonds().iter().for_each(|b| [b.i, b.j].into_iter().for_each(|i| bonds[i as usize] += 1));
    let bonded = |i: u32, j: u32| world.bonds().binary_search_by_key(&(i, j), |b| (b.i, b.j)).is_ok();
    let mut pairs = Vec::new();
    for i in 0..state.len() as u32 {
        for j in i + 1..state.len() as u32 {
            let near = (state.p[i as usize] - state.p[j as usize]).norm() < 2.0 * RADIUS;
            if near && !bonded(i, j) && bonds[i as usize].min(bonds[j as usize]) < 12 {
                pairs.push([i, j]);
            }
        }
    }
    pairs
}

/// `start` carried, turned, drawn and shaken, and its right half pushed against its left.
fn moved(start: &State, [carry, turn, draw, shake, push]: [f64; 5], seed: u64) -> State {
    let mut state = start.clone();
    let q = rotation::exp(&(Vec3::new(0.3, 0.5, 0.8) * (0.5 * turn)));
    for (i, p) in state.p.iter_mut().enumerate() {
        let pushed = if p.x > 0.0 { Vec3::new(-push * RADIUS, 0.3 * push * RADIUS, 0.0) } else { Vec3::zeros() };
        let drawn = Vec3::new(p.x * (1.0 + draw), p.y, p.z) + pushed + noise(seed, i) * (shake * RADIUS);
        *p = rotation::rotate(&q, &drawn) + Vec3::new(carry, 0.0, carry);
    }
    state
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_list_that_holds_lacks_nothing(
        carry in -1.0f64..1.0,
        turn in 0.0f64..1.0,
        draw in -0.03f64..0.1,
        shake in 0.0f64..0.1,
        push in 0.0f64..0.6,
        seed in 0u64..1000,
    ) {
        let (world, start) = two_halves();
        let mut contacts = Contacts::new(&world, &start);
        let state = moved(&start, [carry, turn, draw, shake, push], seed);
        contacts.update(&world, &state);
        for [i, j] in touching(&world, &state) {
            prop_assert!(find(&contacts, [i, j]).is_some(), "{i} and {j} touch");
        }
    }
}

#[test]
fn what_moves_and_turns_together_needs_no_new_list() {
    let (world, start) = two_halves();
    let mut contacts = Contacts::new(&world, &start);
    assert!(!contacts.update(&world, &moved(&start, [5.0, 0.0, 0.0, 0.0, 0.0], 0)), "carried");
    assert!(!contacts.update(&world, &moved(&start, [5.0, 0.1, 0.0, 0.0, 0.0], 0)), "turned");
    assert!(!contacts.update(&world, &moved(&start, [0.0, 0.0, 0.02, 0.0, 0.0], 0)), "drawn");
    assert!(contacts.update(&world, &moved(&start, [0.0, 0.0, 0.0, 0.0, 0.6], 0)), "pushed together");
    assert_eq!(contacts.searches(), 2);
}

#[test]
fn short_steps_look_at_places_only_now_and_then() {
    let (world, start) = two_halves();
    let mut contacts = Contacts::new(&world, &start);
    // a step of a hundredth of a radius each, in which the halves come together
    for step in 1..=100 {
        let state = moved(&start, [0.0, 0.0, 0.0, 0.0, 0.01 * f64::from(step)], 0);
        contacts.update_after(&vec![0.01 * 1.05 * RADIUS; contacts.chunks().len()], 0.0, &world, &state);
        for [i, j] in touching(&world, &state) {
            assert!(find(&contacts, [i, j]).is_some(), "step {step}: {i} and {j} touch");
        }
    }
    assert!((2..20).contains(&contacts.searches()), "{}", contacts.searches());
}

#[test]
fn what_was_far_apart_is_seen_to_come_together() {
    let (world, start) = two_halves();
    let apart = |distance: f64| {
        let mut state = start.clone();
        state.p.iter_mut().filter(|p| p.x > 0.0).for_each(|p| p.x += distance);
        state
    };
    let mut contacts = Contacts::new(&world, &apart(0.5));
    assert!(!contacts.update(&world, &apart(0.45)), "far apart still");
    assert!(contacts.update(&world, &apart(-0.1 * RADIUS)), "together");
    for [i, j] in touching(&world, &apart(-0.1 * RADIUS)) {
        assert!(find(&contacts, [i, j]).is_some(), "{i} and {j} touch");
    }
}

/// What the bond held is the contact's now: all of it where the two touched at rest, and no more where they overlapped.
#[test]
fn a_bond_that_breaks_in_compression_leaves_its_energy_to_the_contact() {
    for (apart, least) in [(2.0, 1.0 - 1e-9), (1.9, 0.9)] {
        let rest = [Vec3::zeros(), Vec3::x() * (apart * RADIUS)];
        let mut world = bonded(material(1e7, 4e6, 2600.0), &rest, &[RADIUS; 2], &[[0, 1]]);
        let mut state = at_rest(rest.to_vec());
        state.p[1].x -= 0.01 * RADIUS;
        let mut contacts = Contacts::new(&world, &state);
        let before = Potential::new(&world, &contacts).value(&state);
        world.remove_bonds(&[0]);
        contacts.add_pairs(&world, std::iter::once([0, 1]));
        let kept = Potential::new(&world, &contacts).value(&state) / before;
        assert!(kept > least && kept < 1.0 + 1e-9, "{apart}: {kept}");
        contacts.update(&world, &state);
        assert_eq!(find(&contacts, [0, 1]).map(|pair| pair.reach), Some(world.reach([0, 1])));
    }
}

/// Pairs that come in one after the other, in any order, are in the list as if all had been found at once.
#[test]
fn pairs_of_broken_bonds_come_in_where_they_belong() {
    let rough = Material { friction: 0.4, static_friction: 0.4, ..material(1e7, 4e6, 2600.0) };
    let (world, state) = block(rough, [28.0 * RADIUS; 3], RADIUS);
    assert!(world.particles.len() > 2500, "{} particles are not three chunks", world.particles.len());
    let mut contacts = Contacts::new(&world, &state);
    let bonds = world.bonds();
    // a stride that visits every bond once
    let order: Vec<usize> = (0..bonds.len()).map(|k| k * 7919 % bonds.len()).filter(|k| k % 5 != 0).collect();
    let mut len = contacts.pairs().len();
    for batch in order.chunks(97) {
        // a pair that comes in again stays one
        contacts.add_pairs(&world, batch.iter().chain(&batch[..1]).map(|&k| [bonds[k].i, bonds[k].j]));
        len += batch.len();
        assert_eq!((contacts.pairs().len(), contacts.tangential_springs().pairs().len()), (len, len));
    }
    assert!(contacts.pairs().is_sorted_by_key(Pair::ends));
    let anew = PairChunks::new(world.particles.len(), contacts.pairs());
    assert_eq!(format!("{:?}", contacts.chunks()), format!("{anew:?}"));
}

#[test]
fn bonds_that_keep_contact_are_in_the_list_everywhere() {
    let pairs = |bond: &'static BondModel| {
        let (world, state) = block(Material { bond, ..material(1e7, 4e6, 2600.0) }, [0.14; 3], RADIUS);
        let found = Contacts::new(&world, &state).pairs().len();
        (found, world.bonds().len())
    };
    assert_eq!(pairs(BondModel::QUATERNION).0, 0, "what is bonded does not push");
    let (found, bonds) = pairs(BondModel::PARTICLE_BINDER);
    assert_eq!(found, bonds, "inside as well as at the surface");
}

#[test]
fn short_steps_know_what_touches_what() {
    let (mut world, start) = two_halves();
    let lowest = start.p.iter().map(|p| p.z).fold(f64::INFINITY, f64::min) - RADIUS;
    world.walls = vec![floor(lowest - 0.5 * RADIUS, 0.0)];
    let mut contacts = Contacts::new(&world, &start);
    assert!(contacts.near_walls().may_touch(0), "nothing is known of the start");
    assert_eq!(contacts.may_touch().count(), contacts.pairs().len());
    let (mut seen, mut spared) = (0, 0);
    for step in 1..=100 {
        let share = 0.01 * f64::from(step);
        let mut state = moved(&start, [0.0, 0.0, 0.0, 0.0, share], 0);
        // all fall through half a radius of air, and half a radius into the floor
        state.p.iter_mut().for_each(|p| p.z -= share * RADIUS);
        contacts.update_after(&vec![0.01 * 2.05 * RADIUS; contacts.chunks().len()], 0.0, &world, &state);
        contacts.evaluate_step(&world, &start, &state, &[]);
        let known: Vec<_> = contacts.may_touch().collect();
        let distance = |pair: &ContactPair| (state.p[pair.i as usize] - state.p[pair.j as usize]).norm();
        let touching: Vec<_> = contacts.pairs().iter().filter(|pair| distance(pair) < 2.0 * RADIUS).collect();
        assert!(touching.iter().all(|pair| known.contains(pair)), "step {step}");
        let were_near = |pair: &&&ContactPair| distance(pair) > 2.2 * RADIUS;
        assert_eq!(known.iter().filter(were_near).count(), 0, "step {step}");
        seen += touching.len();
        for (i, p) in state.p.iter().enumerate() {
            let may = contacts.near_walls().may_touch(i);
            assert!(may || world.walls[0].at(0.0).touch(p, RADIUS).is_none(), "step {step}: {i} is in the floor");
            spared += usize::from(!may);
        }
    }
    assert!(seen > 100 && spared > 50 * start.len(), "{seen} {spared}");
    // the list changes, or somebody else moves the particles: nothing is known any more
    contacts.add_pairs(&world, [[0, 1]].into_iter());
    assert_eq!(contacts.may_touch().count(), contacts.pairs().len());
    contacts.update(&world, &start);
    assert!(contacts.near_walls().may_touch(start.len() - 1));
}
