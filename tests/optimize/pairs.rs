//! The sum over pairs that Newton solves by, against the assembled matrix.

use bdem_core::energy::{Curvature, Damping, Potential, gap_between};
use bdem_core::geometry::Vec3;
use bdem_core::internals::contact::Contacts;
use bdem_core::internals::linalg::vector::norm;
use bdem_core::internals::linalg::{Block, Operator, Vec6};
use bdem_core::internals::optimize::{Assembly, Objective, PairHessian, Target};
use bdem_core::model::State;
use bdem_core::simd::InstructionSet;

use crate::common::busy::{Busy, DT, RADIUS};
use crate::common::system::{at_rest, block, bonded, material, moved_rigidly, noise, shaken};

/// A vector of scaled unknowns, of about unit length at each particle.
fn direction(seed: u64, particles: usize) -> Vec<Vec6<f32>> {
    let of = |i: usize| {
        let (p, theta) = (noise(seed, i), noise(seed + 1, i));
        Vec6::new([p.x, p.y, p.z, theta.x, theta.y, theta.z].map(|v| v as f32))
    };
    (0..particles).map(of).collect()
}

/// How far the product of the sum is from that of the assembled matrix, as a share of it; and the same for diagonal blocks.
fn difference(objective: &Objective, x: &State, seed: u64) -> [f64; 2] {
    let d = direction(seed, x.len());
    let (mut got, mut want) = (d.clone(), d.clone());
    let mut pairs = PairHessian::new(objective);
    pairs.fill(objective, x, 0.0);
    pairs.operator.apply(&d, &mut got);
    let mut assembly = Assembly::<f32>::new(objective);
    assembly.fill(objective, x, Curvature::Semidefinite);
    assembly.matrix.multiply(&d, &mut want);
    let off: Vec<_> = got.iter().zip(&want).map(|(a, b)| Vec6::new([0, 1, 2, 3, 4, 5].map(|k| a[k] - b[k]))).collect();

    let mut diagonal = Vec::new();
    pairs.operator.diagonal(&mut diagonal);
    let of = |i: usize| {
        let want = assembly.matrix.diagonal(i).to_matrix();
        (diagonal[i].to_matrix() - want).norm() / want.norm()
    };
    [norm(&off) / norm(&want), (0..x.len()).map(of).fold(0.0, f64::max)]
}

fn objective<'a>(potential: Potential<'a>, target: &'a Target, held: &'a [bool]) -> Objective<'a> {
    Objective { potential, target, dt: 1e-3, period: potential.world.period(), held }
}

/// A block at rest, but turned and moved; every fifth particle held.
#[test]
fn at_rest_it_is_the_matrix() {
    let (world, rest) = block(material(1e7, 4e6, 1000.0), [0.3, 0.12, 0.1], 0.01);
    let x = moved_rigidly(&rest, &noise(1, 1), &noise(2, 2));
    let contacts = Contacts::none(&world, &x);
    let potential = Potential::new(&world, &contacts);
    let target = Target { p: x.p.clone(), q: x.q.clone() };
    for held in [vec![false; x.len()], (0..x.len()).map(|i| i % 5 == 1).collect()] {
        let [product, diagonal] = difference(&objective(potential, &target, &held), &x, 7);
        assert!(product < 1e-6 && diagonal < 1e-6, "{product:e}, {diagonal:e}");
    }
}

/// The difference grows with the strain, and is of its size.
#[test]
fn strained_it_is_the_matrix_to_first_order() {
    let (world, rest) = block(material(1e7, 4e6, 1000.0), [0.3, 0.12, 0.1], 0.01);
    let held = vec![false; rest.len()];
    let target = Target { p: rest.p.clone(), q: rest.q.clone() };
    for strain in [1e-4, 1e-3, 1e-2] {
        let x = shaken(&rest, 5, 0.01 * strain, strain);
        let contacts = Contacts::none(&world, &x);
        let potential = Potential::new(&world, &contacts);
        let [product, diagonal] = difference(&objective(potential, &target, &held), &x, 7);
        assert!(product < 2.0 * strain && diagonal < 2.0 * strain, "{strain}: {product:e}, {diagonal:e}");
    }
}

/// Spheres of different sizes: each one's rotation counts by its own radius.
#[test]
fn radii_may_differ() {
    let radii = [0.01, 0.03, 0.015, 0.02];
    let rest = [Vec3::zeros(), Vec3::x() * 0.04, Vec3::new(0.03, 0.03, 0.01), Vec3::new(0.02, -0.01, 0.03)];
    let world = bonded(material(1e7, 4e6, 1000.0), &rest, &radii, &[[0, 1], [0, 3], [1, 2], [2, 3]]);
    let x = at_rest(rest.to_vec());
    let contacts = Contacts::none(&world, &x);
    let potential = Potential::new(&world, &contacts);
    let target = Target { p: x.p.clone(), q: x.q.clone() };
    for held in [vec![false; x.len()], vec![false, true, false, false]] {
        let [product, diagonal] = difference(&objective(potential, &target, &held), &x, 7);
        assert!(product < 1e-6 && diagonal < 1e-6, "{product:e}, {diagonal:e}");
    }
}

/// Contacts, walls, damping and held particles, all strained by some 10%.
#[test]
fn all_that_acts_is_in_it() {
    let busy = Busy::new(4.0);
    let elsewhere = shaken(&busy.state, 30, 1e-4, 0.01);
    let target = Target { p: elsewhere.p, q: elsewhere.q };
    for held in [vec![false; busy.state.len()], (0..busy.state.len()).map(|i| i % 3 == 1).collect()] {
        let [product, diagonal] = difference(&objective(busy.potential(), &target, &held), &busy.state, 3);
        assert!(product < 0.05 && diagonal < 0.05, "{product:e}, {diagonal:e}");
    }
}

/// The product with a vector, and the diagonal blocks.
fn results(pairs: &PairHessian, particles: usize) -> (Vec<Vec6<f32>>, Vec<Block<f32>>) {
    let (d, mut diagonal) = (direction(7, particles), Vec::new());
    let mut product = d.clone();
    pairs.operator.apply(&d, &mut product);
    pairs.operator.diagonal(&mut diagonal);
    (product, diagonal)
}

#[test]
fn every_level_gives_the_same_bits() {
    let busy = Busy::new(6.0);
    let target = Target { p: busy.state.p.clone(), q: busy.state.q.clone() };
    let held: Vec<bool> = (0..busy.state.len()).map(|i| i % 7 == 1).collect();
    let objective = objective(busy.potential(), &target, &held);
    let at = |instructions| {
        let mut pairs = PairHessian::new(&objective);
        pairs.operator = pairs.operator.at(instructions);
        pairs.fill(&objective, &busy.state, 0.0);
        results(&pairs, busy.state.len())
    };
    let plain = at(InstructionSet::Plain);
    assert!(InstructionSet::available().into_iter().all(|instructions| at(instructions) == plain));
}

/// Places, the length of the step, and bonds that broke but lie there still: nothing is left of what they were.
#[test]
fn what_is_filled_anew_is_as_new() {
    let mut busy = Busy::new(6.0);
    let target = Target { p: busy.state.p.clone(), q: busy.state.q.clone() };
    let held: Vec<bool> = (0..busy.state.len()).map(|i| i % 7 == 1).collect();
    let mut pairs = PairHessian::new(&objective(busy.potential(), &target, &held));
    pairs.fill(&objective(busy.potential(), &target, &held), &busy.state, 0.0);
    let mut last = results(&pairs, busy.state.len());
    let elsewhere = shaken(&busy.state, 30, 0.02 * RADIUS, 0.01);
    let overlaps =
        |x: &State| busy.contacts.pairs().iter().map(|pair| gap_between(pair, x).overlaps()).collect::<Vec<_>>();
    assert!(overlaps(&elsewhere) != overlaps(&busy.state), "contacts open or close");

    let changes = [(false, &busy.state.clone(), 0.5 * DT), (true, &busy.state.clone(), DT), (false, &elsewhere, DT)];
    for (breaks, x, dt) in changes {
        if breaks {
            busy.world.mark_broken(&[5, 40]);
        }
        let damping = Damping::Step { before: &busy.before, dt };
        let objective = objective(Potential { damping, ..busy.potential() }, &target, &held);
        assert!(pairs.fits(&objective));
        pairs.fill(&objective, x, 0.0);
        let mut fresh = PairHessian::new(&objective);
        fresh.fill(&objective, x, 0.0);
        let got = results(&pairs, x.len());
        assert!(got == results(&fresh, x.len()) && got != last);
        last = got;
    }
}
