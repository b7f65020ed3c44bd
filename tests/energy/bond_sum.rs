//! The vector kernels: the same bits with every instruction set and on any number of threads, and the numbers of the
//! formulas for one bond.

use bdem_core::energy::{BondSum, Damping, Strains, Sums, Workspace, bond, pack_pose, pack_velocity};
use bdem_core::fracture::BondLoad;
use bdem_core::geometry::Vec3;
use bdem_core::model::{Bond, BondModel, Displacement, Gradient, Modes, State, World};
use bdem_core::simd::InstructionSet;

use crate::common::busy::{Busy, DT};
use crate::common::system::shaken;

/// Energy and power of damping, gradient, and bonds that may break.
fn sum(
    world: &World,
    state: &State,
    damping: Damping,
    instructions: InstructionSet,
) -> ([f64; 2], Vec<Gradient>, Vec<usize>) {
    let mut world = world.clone();
    world.instructions = instructions;
    let bonds = BondSum { world: &world, damping, check_breakage: true };
    let mut work = Workspace::default();
    work.poses = state.p.iter().zip(&state.q).map(|(p, q)| pack_pose(p, q)).collect();
    let motions = work.poses.iter_mut().zip(&state.v).zip(&state.w);
    work.velocities = motions.map(|((place, v), w)| pack_velocity([v, w], [w, v], place)).collect();
    let mut out = vec![Gradient::default(); state.len()];
    let own = |i: usize| (Sums { energy: i as f64, ..Sums::default() }, Vec3::new(1.0, 2.0, i as f64));
    let sums = bonds.gradient(&mut work, own, &mut out, false);
    let mut overloaded = Vec::new();
    bonds.overloaded(&work, &mut overloaded);
    ([sums.energy, sums.damping], out, overloaded)
}

/// A world of more than one chunk, whose bonds can break and are of one model here and of all there, and two states of it that move.
fn scene() -> (World, State, State) {
    let busy = Busy::new(14.0);
    let mut world = busy.world;
    assert!(world.packs().chunks.len() > 1, "sums must cross chunks");
    let bonds = world.bonds().to_vec();
    let half = world.particles.len() as u32 / 2;
    let models = BondModel::ALL;
    let breakable = bonds.into_iter().map(|mut b| {
        b.model = if b.i < half { BondModel::COSSERAT } else { models[b.id as usize % models.len()] };
        if b.model.keeps_contact() {
            // no beam's: see Bond::new
            b.k.t = b.k.b;
        }
        if b.model == BondModel::AXIAL {
            [&mut b.k, &mut b.c].into_iter().for_each(|of| *of = Modes { n: of.n, ..Modes::default() });
        }
        b.strength = [0.04 * 1e7, 0.03 * 1e7];
        b
    });
    world = World::new(world.materials.clone(), world.particles.clone(), breakable.collect());
    let mut state = busy.state;
    let other = shaken(&state, 5, 0.002, 0.02);
    for i in 0..state.len() {
        // what power is taken from lies in half of a number's bits
        let v = other.p[i] - state.p[i];
        (state.v[i], state.w[i]) = (v.map(in_half_its_bits), (v * 50.0).map(in_half_its_bits));
    }
    (world, state, other)
}

/// `x` in the half of its bits that weighs most.
fn in_half_its_bits(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & (!0 << 32))
}

#[test]
fn every_level_has_the_same_bits() {
    let (world, state, other) = scene();
    let before = Strains::new(&world, &other);
    for damping in [Damping::None, Damping::Rate, Damping::Step { before: &before, dt: DT }] {
        let plain = sum(&world, &state, damping, InstructionSet::Plain);
        for instructions in InstructionSet::available() {
            assert_eq!(sum(&world, &state, damping, instructions), plain, "{instructions:?}, {damping:?}");
        }
    }
}

#[test]
fn any_number_of_threads_has_the_same_bits() {
    let (world, state, _) = scene();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| sum(&world, &state, Damping::Rate, InstructionSet::best()))
    };
    let one = run(1);
    assert_eq!(run(2), one);
    assert_eq!(run(16), one);
}

#[test]
fn kernels_agree_with_the_formulas_of_one_bond() {
    let (world, state, other) = scene();
    let before = Strains::new(&world, &other);
    for damping in [Damping::None, Damping::Rate, Damping::Step { before: &before, dt: DT }] {
        let (mut energy, mut power, mut want) = (0.0, 0.0, vec![Gradient::default(); state.len()]);
        for (i, out) in want.iter_mut().enumerate() {
            energy += i as f64;
            out.p = Vec3::new(1.0, 2.0, i as f64);
        }
        for (k, b) in world.bonds().iter().enumerate() {
            let pose = bond::pose(b, &state);
            let [i, j] = [b.i as usize, b.j as usize];
            energy += bond::value(b, &pose);
            let mut g = bond::gradient(b, &pose);
            match damping {
                Damping::None => {}
                Damping::Rate => {
                    let resistance = bond::damping_at(b, &pose, [&state.v[i], &state.v[j]], [&state.w[i], &state.w[j]]);
                    let motion = [i, j].map(|i| Displacement { translation: state.w[i], rotation: state.v[i] });
                    power += resistance.by_particle().iter().zip(&motion).map(|(on, by)| on.dot(by)).sum::<f64>();
                    g += resistance;
                }
                Damping::Step { .. } => {
                    let (lost, resistance) = bond::damping(b, &pose, &before.of(&world, k), DT);
                    energy += lost;
                    power += lost;
                    g += resistance;
                }
            }
            let [on_i, on_j] = g.by_particle();
            want[i] += on_i;
            want[j] += on_j;
        }
        let ([sum, taken], out, _) = sum(&world, &state, damping, InstructionSet::best());
        assert!((sum / energy - 1.0).abs() < 1e-12, "{sum} {energy}");
        assert!((taken - power).abs() <= 1e-12 * power.abs() && (power != 0.0) != matches!(damping, Damping::None));
        let size = want.iter().map(|w| w.p.norm()).fold(0.0, f64::max);
        for (out, want) in out.iter().zip(&want) {
            assert!((out.p - want.p).norm() < 1e-12 * size, "{out:?} {want:?}");
            assert!((out.theta - want.theta).norm() < 1e-12 * size, "{out:?} {want:?}");
        }
    }
}

#[test]
fn bonds_that_may_break_are_those_that_do() {
    let (mut world, state, _) = scene();
    for round in 0..2 {
        let breaks = |b: &Bond| BondLoad::of(b, &state).breaks(b, world.axial);
        let want: Vec<usize> = (0..world.bonds().len()).filter(|&k| breaks(&world.bonds()[k])).collect();
        let (_, _, noted) = sum(&world, &state, Damping::None, InstructionSet::best());
        assert!(want.len() > 100 && want.len() < world.bonds().len(), "{} of {}", want.len(), world.bonds().len());
        assert_eq!(noted, want, "round {round}");
        // broken ones bear nothing, and are not found again
        world.mark_broken(&want[..want.len() / 2]);
    }
}

#[test]
fn retired_bonds_are_as_good_as_gone() {
    let (world, state, _) = scene();
    let gone: Vec<usize> = (0..world.bonds().len()).step_by(40).collect();
    let (mut retired, mut removed) = (world.clone(), world);
    retired.mark_broken(&gone);
    removed.remove_bonds(&gone);
    assert!(retired.bonds().len() > removed.bonds().len(), "too few to be worth moving the others");
    assert_eq!(retired.whole_bond_count(), removed.whole_bond_count());
    let ids = |world: &World| world.whole_bonds().map(|b| b.id).collect::<Vec<_>>();
    assert_eq!(ids(&retired), ids(&removed));
    let [(a, out, _), (b, want, _)] =
        [&retired, &removed].map(|w| sum(w, &state, Damping::Rate, InstructionSet::best()));
    assert!((a[0] / b[0] - 1.0).abs() < 1e-14);
    let size = want.iter().map(|w| w.p.norm()).fold(0.0, f64::max);
    assert!(out.iter().zip(&want).all(|(a, b)| (a.p - b.p).norm() < 1e-14 * size));
}
