//! Derivatives of the bonds' forces.

use bdem_core::energy::bond::{self, DampedStrain, Strain, Stress};
use bdem_core::energy::{BondPose, Damping, Potential, Workspace};
use bdem_core::geometry::{Vec3, rotation};
use bdem_core::internals::contact::Contacts;
use bdem_core::model::{Bond, BondModel, Displacement, Gradient as Forces, Pair, State, World};
use rayon::prelude::*;

use super::change::Change;
use super::{Gradient, StateGradient};

/// Displacements of a bond's ends.
pub(super) fn ends<'a>(bond: &Bond, of: &'a [Displacement]) -> [&'a Displacement; 2] {
    bond.ends().map(|i| &of[i])
}

/// Bonds that bend.
fn oriented(world: &World) -> Vec<&Bond> {
    world.bonds().iter().filter(|bond| bond.model != BondModel::AXIAL).collect()
}

/// Terms of both ends of each of `bonds`, in their order.
fn terms<T: Send>(bonds: &[&Bond], term: impl Fn(&Bond) -> T + Sync + Send) -> Vec<T> {
    bonds.par_iter().with_min_len(256).map(|bond| term(bond)).collect()
}

/// Adds derivatives of `y` times the damping forces dV/dx of the velocities `rate` at `state` in bonds that bend: by the pose to
/// `p` and `theta`, by the velocities to `v` and `w`.
pub(super) fn add_damping_by_rate(
    world: &World,
    state: &State,
    rate: &[Displacement],
    y: &[Displacement],
    to: &mut StateGradient,
) {
    if !world.is_damped() {
        return;
    }
    let bonds = oriented(world);
    let of = |bond: &Bond| damping_by_rate(bond, state, ends(bond, rate), ends(bond, y));
    for (bond, (by_pose, by_rate)) in bonds.iter().zip(terms(&bonds, of)) {
        for (i, k) in bond.ends().into_iter().zip(0..) {
            to.p[i] += by_pose[k].p;
            to.theta[i] += by_pose[k].theta;
            to.v[i] += by_rate[k].p;
            to.w[i] += by_rate[k].theta;
        }
    }
}

fn damping_by_rate(
    bond: &Bond,
    state: &State,
    rate: [&Displacement; 2],
    y: [&Displacement; 2],
) -> ([Forces; 2], [Forces; 2]) {
    let pose = bond::pose(bond, state);
    let kind = DampedStrain::Rate;
    let of = |ends| Stress { bend_twist: Vec3::zeros(), ..Stress::of_rate(bond, &kind.change(&pose, ends)) };
    let [of_rate, of_y] = [of(rate), of(y)];
    let mut by_rate = kind.pull_back(&of_y, &pose);
    let mut by_pose = kind.curvature(&of_y, &pose).times(rate);
    add_curvature(&of_rate, &pose, y, &mut by_pose);
    add_commutator(&by_rate.theta, rate, &mut by_pose);
    let (stress, by_turn, by_mean) = bend(bond, state, &pose, [rate, y]);
    // P C turn: the rate itself is not projected
    by_rate.theta[0] += by_turn;
    by_rate.theta[1] -= by_turn;
    add_curvature(&stress, &pose, y, &mut by_pose);
    by_pose.iter_mut().zip(by_mean).for_each(|(by, share)| by.theta += share);
    (by_pose, by_rate.by_particle())
}

/// Adds the derivative of y times the gradient of a constant `stress` times the strain.
fn add_curvature(stress: &Stress, pose: &BondPose, y: [&Displacement; 2], by: &mut [Forces; 2]) {
    let product = DampedStrain::Rate.curvature(stress, pose).times(y);
    by.iter_mut().zip(product).for_each(|(by, product)| *by += product);
    add_commutator(&DampedStrain::Rate.pull_back(stress, pose).theta, y, by);
}

/// Adds what a second derivative along world rotation vectors has besides the symmetric one: rotations do not commute.
fn add_commutator(gradient: &[Vec3; 2], along: [&Displacement; 2], by: &mut [Forces; 2]) {
    for k in [0, 1] {
        by[k].theta += gradient[k].cross(&along[k].rotation) * 0.5;
    }
}

/// Damping of bend and twist, m = C (w_i - w_j) pulled back by P: see [`bond::damping_at`]. Returns m, in the bond's own frame;
/// C P (y_i - y_j), by w_i - w_j; and the derivatives by the rotations of i and j, with which the mean orientation and C turn.
fn bend(bond: &Bond, state: &State, pose: &BondPose, [rate, y]: [[&Displacement; 2]; 2]) -> (Stress, Vec3, [Vec3; 2]) {
    let resist = |u: &Vec3| u * bond.c.b + pose.d * ((bond.c.t - bond.c.b) * pose.d.dot(u));
    let inverse = 1.0 / (1.0 + pose.g_w);
    let [turn, of_y] = [rate, y].map(|[i, j]| i.rotation - j.rotation);
    let by_turn = resist(&(of_y - pose.g_v * (pose.g_v.dot(&of_y) * inverse)));
    let moved = by_turn.cross(&turn);
    let cross = (pose.g_v * inverse).cross(&moved);
    let [q_i, q_j] = bond.ends().map(|i| state.q[i]);
    let mean = q_i + if q_i.coords.dot(&q_j.coords) < 0.0 { -q_j } else { q_j };
    let stress = Stress { bend_twist: rotation::rotate(&mean.conjugate(), &resist(&turn)), ..Stress::default() };
    (stress, by_turn, [(moved + cross) * 0.5, (moved - cross) * 0.5])
}

/// Unit vector from i to j, and length (m).
pub(super) fn branch(bond: &Bond, state: &State) -> (Vec3, f64) {
    let r = state.p[bond.j as usize] - state.p[bond.i as usize];
    let l = r.norm();
    (r / l, l)
}

/// Rate of strain (m/s, rad/s) of a bond in a step that takes the strain from `before`, over the weight `b` (s).
pub(super) fn rate_of_strain(bond: &Bond, pose: &BondPose, before: &Strain, b: f64) -> Strain {
    let now = Strain::new(bond, pose);
    Strain {
        stretch: (now.stretch - before.stretch) / b,
        shear: (now.shear - before.shear) / b,
        bend_twist: (now.bend_twist - before.bend_twist) / b,
    }
}

/// Adds derivatives by the `former` states of `y` times the damping forces dV/dx at `state`, one gradient for each. The strain at
/// the start of the step is that of these states with their weights; `b` is the weight of the step's length, s.
pub(super) fn add_damping_by_step(
    world: &World,
    state: &State,
    former: &[(&State, f64)],
    b: f64,
    y: &[Displacement],
    to: &mut [&mut StateGradient],
) {
    let bonds = oriented(world);
    for ((former, weight), to) in former.iter().zip(to) {
        let factor = -weight / b;
        for (_, spring) in springs(world) {
            let (n, _) = branch(spring, state);
            let along = n.dot(&stretch(spring, y));
            add_pull(spring, branch(spring, former).0 * (factor * spring.c.n * along), &mut to.p);
        }
        let of = |bond: &Bond| {
            let change = DampedStrain::Step.change(&bond::pose(bond, state), ends(bond, y));
            let mut stress = Stress::of_rate(bond, &change);
            stress.axial *= factor;
            stress.shear *= factor;
            stress.bend_twist *= factor;
            DampedStrain::Step.pull_back(&stress, &bond::pose(bond, former)).by_particle()
        };
        for (bond, by) in bonds.iter().zip(terms(&bonds, of)) {
            for (i, by) in bond.ends().into_iter().zip(by) {
                to.p[i] += by.p;
                to.theta[i] += by.theta;
            }
        }
    }
}

/// Springs, and their indices among the bonds.
fn springs(world: &World) -> impl Iterator<Item = (usize, &Bond)> {
    world.bonds().iter().enumerate().filter(|(_, bond)| bond.model == BondModel::AXIAL)
}

/// Displacement of j relative to i.
fn stretch(bond: &Bond, of: &[Displacement]) -> Vec3 {
    let [i, j] = ends(bond, of);
    j.translation - i.translation
}

/// Adds `by_j` to the end j of a bond, and its opposite to the end i.
fn add_pull(bond: &Bond, by_j: Vec3, to: &mut [Vec3]) {
    let [i, j] = bond.ends();
    to[i] -= by_j;
    to[j] += by_j;
}

/// Adds derivatives of `y` times the springs' forces dV/dx at `state` by their numbers, with rates of strain (m/s) by the index
/// of the bond.
pub(super) fn add_springs(
    world: &World,
    state: &State,
    y: &[Displacement],
    rate: impl Fn(usize, &Bond, &Vec3) -> f64,
    gradient: &mut Gradient,
) {
    for (k, spring) in springs(world) {
        let (n, l) = branch(spring, state);
        gradient.springs[k].add(spring, l, rate(k, spring, &n), n.dot(&stretch(spring, y)));
    }
}

/// [`add_springs`] with dashpots at the velocities `rate`, and the derivatives of these by positions and velocities: their force
/// along n is c n.dv, and dn = (I - n n^T) dp/l.
pub(super) fn add_springs_at_rate(
    world: &World,
    state: &State,
    rate: &[Displacement],
    y: &[Displacement],
    to: &mut StateGradient,
    gradient: &mut Gradient,
) {
    for (k, spring) in springs(world) {
        let (n, l) = branch(spring, state);
        let [dv, dy] = [rate, y].map(|of| stretch(spring, of));
        let [closing, along] = [n.dot(&dv), n.dot(&dy)];
        gradient.springs[k].add(spring, l, closing, along);
        let both = dv * along + dy * closing - n * (2.0 * closing * along);
        add_pull(spring, both * (spring.c.n / l), &mut to.p);
        add_pull(spring, n * (spring.c.n * along), &mut to.v);
    }
}

/// Adds derivatives of `y` times the bonds' forces dV/dx along each of `changes` of stiffnesses and damping.
pub(super) fn add_changes(
    contacts: &[Option<Contacts>],
    changes: &[Change],
    state: &State,
    damping: Damping,
    y: &[Displacement],
    along: &mut [f64],
) {
    let mut work = Workspace::default();
    let mut out = vec![Forces::default(); state.len()];
    for ((change, contacts), along) in changes.iter().zip(contacts).zip(along) {
        let (Some(world), Some(contacts)) = (&change.bonds, contacts) else { continue };
        // the change of damping alone may be that of an undamped world
        let damping = if world.is_damped() { damping } else { Damping::None };
        let potential = Potential { damping, ..Potential::new(world, contacts) };
        potential.gradient_with(state, &mut work, &mut out);
        *along += out.iter().zip(y).map(|(out, y)| out.dot(y)).sum::<f64>();
    }
}
