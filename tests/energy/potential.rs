//! The whole potential: slopes, what it conserves, and its sums.

use bdem_core::energy::{Damping, Energy, Potential, bond, contact, contact::Gap, gap_between, gravity, wall};
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::model::{Gradient, Pair, State};
use rayon::ThreadPoolBuilder;

use crate::common::busy::{Busy, DT, E, RADIUS, moved};
use crate::common::differences::slope_at_zero;
use crate::common::system::{moved_rigidly, noise};

fn gradient(potential: &Potential, state: &State) -> (f64, Vec<Gradient>) {
    let mut out = vec![Gradient::default(); state.len()];
    let value = potential.gradient(state, &mut out);
    (value, out)
}

/// How steep `gradient` is along the direction of [`moved`], and the sum of the terms' sizes.
fn along(gradient: &[Gradient], seed: u64) -> (f64, f64) {
    let term = |(i, g): (usize, &Gradient)| g.p.dot(&noise(seed, i)) * RADIUS + g.theta.dot(&noise(seed + 1, i));
    let terms: Vec<f64> = gradient.iter().enumerate().map(term).collect();
    (terms.iter().sum(), terms.iter().map(|t| t.abs()).sum())
}

#[test]
fn gradient_is_the_slope_of_the_value() {
    let busy = Busy::new(5.0);
    let all = busy.potential();
    for potential in [all, Potential { damping: Damping::None, ..all }] {
        let (value, gradient) = gradient(&potential, &busy.state);
        assert!((value / potential.value(&busy.state) - 1.0).abs() < 1e-13);
        for seed in (100..140).step_by(2) {
            let by_differences = slope_at_zero(|s| potential.value(&moved(&busy.state, seed, s)), 1e-5);
            let (slope, scale) = along(&gradient, seed);
            assert!((slope - by_differences).abs() < 1e-9 * scale, "{slope} {by_differences}, terms {scale}");
        }
    }
}

#[test]
fn every_kind_of_energy_is_there_and_they_add_up() {
    let busy = Busy::new(5.0);
    let potential = Potential { damping: Damping::None, ..busy.potential() };
    let e = potential.energies(&busy.state);
    for column in [Energy::Stretch, Energy::Shear, Energy::Twist, Energy::Bend, Energy::Contact, Energy::Wall] {
        assert!(e[column] > 0.0, "{e:?}");
    }
    let scale = e.elastic() + e[Energy::Gravity].abs();
    assert!((e.potential() - potential.value(&busy.state)).abs() < 1e-13 * scale);
}

/// Without walls and gravity, all is between particles: no force and no torque on the whole, damping included.
#[test]
fn internal_forces_neither_push_nor_turn_the_whole() {
    let busy = Busy::new(6.0).free();
    let (_, gradient) = gradient(&busy.potential(), &busy.state);
    let mut force = Vec3::zeros();
    let mut torque = Vec3::zeros();
    let mut scale = 0.0;
    for (g, p) in gradient.iter().zip(&busy.state.p) {
        force += g.p;
        torque += g.theta + p.cross(&g.p);
        scale += g.p.norm();
    }
    assert!(force.norm() < 1e-13 * scale, "{:e}", force.norm() / scale);
    assert!(torque.norm() < 1e-13 * scale * RADIUS * 6.0, "{:e}", torque.norm() / scale / RADIUS);
}

#[test]
fn what_moves_as_one_neither_stores_nor_damps_energy() {
    let busy = Busy::new(4.0).free();
    let turned = moved_rigidly(&busy.state, &Vec3::new(1.0, -2.0, 0.5), &Vec3::new(3.0, 1.0, -2.0));
    let potential = busy.potential();
    let (value, before) = gradient(&potential, &busy.state);
    let (value_turned, after) = gradient(&potential, &turned);
    assert!((value_turned / value - 1.0).abs() < 1e-11, "{:e}", value_turned / value - 1.0);
    let turn = rotation::exp(&Vec3::new(0.5, -1.0, 0.25));
    let scale = E * RADIUS * RADIUS;
    for (a, b) in before.iter().zip(&after) {
        assert!((rotation::rotate(&turn, &a.p) - b.p).norm() < 1e-12 * scale);
        assert!((rotation::rotate(&turn, &a.theta) - b.theta).norm() < 1e-12 * scale * RADIUS);
    }
}

/// The same sums in one loop each, and contacts found by looking at every pair.
fn naive(busy: &Busy) -> (f64, Vec<Gradient>) {
    let (world, state) = (&busy.world, &busy.state);
    let mut value = 0.0;
    let mut out = vec![Gradient::default(); state.len()];
    let mut put = |[i, j]: [usize; 2], [to_i, to_j]: [Gradient; 2], energy: f64| {
        out[i] += to_i;
        out[j] += to_j;
        value += energy;
    };
    for (k, bond) in world.bonds().iter().enumerate() {
        let pose = bond::pose(bond, state);
        let (lost, resistance) = bond::damping(bond, &pose, &busy.before.of(&busy.world, k), DT);
        put(bond.ends(), bond::gradient(bond, &pose).by_particle(), bond::value(bond, &pose));
        put(bond.ends(), resistance.by_particle(), lost);
    }
    for pair in overlapping_and_unbonded(busy) {
        let gap = Gap::new(&state.p[pair[0]], &state.p[pair[1]], 2.0 * RADIUS);
        let spring = world.pair_normal_spring(pair.map(|i| i as u32));
        let force = |f| Gradient { p: f, theta: Vec3::zeros() };
        let push = contact::gradient(&spring, &gap);
        put(pair, [force(-push), force(push)], contact::value(&spring, &gap));
    }
    for (i, p) in state.p.iter().enumerate() {
        let m = world.particles.mass[i];
        out[i].p += gravity::gradient(m, &world.gravity);
        value += gravity::value(m, &world.gravity, p);
        for (gap, normal) in world.walls.iter().filter_map(|c| c.at(0.0).touch(p, RADIUS)) {
            out[i].p += wall::gradient(&world.wall_normal_spring(i), gap, &normal);
            value += wall::value(&world.wall_normal_spring(i), gap);
        }
    }
    (value, out)
}

fn overlapping_and_unbonded(busy: &Busy) -> Vec<[usize; 2]> {
    let p = &busy.state.p;
    let near = |i: usize, j: usize| (p[j] - p[i]).norm_squared() < (2.0 * RADIUS).powi(2);
    let bonded = |pair: &[usize; 2]| busy.world.bonds().binary_search_by_key(pair, Pair::ends).is_ok();
    let pairs = (0..p.len()).flat_map(|i| (i + 1..p.len()).filter(move |&j| near(i, j)).map(move |j| [i, j]));
    pairs.filter(|pair| !bonded(pair)).collect()
}

#[test]
fn sums_over_chunks_are_the_naive_sums() {
    let busy = Busy::new(14.0);
    assert!(busy.state.len() > 3000 && overlapping_and_unbonded(&busy).len() > 1000);
    let (value, gradient) = gradient(&busy.potential(), &busy.state);
    let (want, wanted) = naive(&busy);
    assert!((value / want - 1.0).abs() < 1e-12);
    let scale = wanted.iter().map(|w| w.p.norm()).fold(0.0, f64::max);
    for (got, want) in gradient.iter().zip(&wanted) {
        assert!((got.p - want.p).norm() < 1e-12 * scale);
        assert!((got.theta - want.theta).norm() < 1e-12 * scale * RADIUS);
    }
}

#[test]
fn sums_have_the_same_bits_on_any_number_of_threads() {
    let busy = Busy::new(14.0);
    let potential = busy.potential();
    let on = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            (gradient(&potential, &busy.state), potential.value(&busy.state), potential.energies(&busy.state))
        })
    };
    let alone = on(1);
    for threads in [2, 5] {
        assert!(on(threads) == alone, "{threads} threads");
    }
}

/// The contacts' pairs as they stand: where spheres overlap, and nowhere else, is energy.
#[test]
fn contacts_hold_energy_where_spheres_overlap() {
    let busy = Busy::new(6.0);
    let overlaps = busy.contacts.pairs().iter().filter(|pair| gap_between(pair, &busy.state).overlaps());
    let found: Vec<[usize; 2]> = overlaps.map(Pair::ends).collect();
    assert_eq!(found, overlapping_and_unbonded(&busy));
}
