//! Stability limit of explicit steps. It is that of the scene itself, not of a perfect lattice, and holds throughout the run.
//!
//! Velocity Verlet is stable for steps up to 2/omega, omega^2 = lambda_max(M^-1 K). K contains the bonds, and contacts that
//! open and close. The limit is that of an upper bound K': x^T K x <= x^T K' x for all possible contacts.
//!
//! # Bonds
//!
//! A broken bond may leave a contact in its place, with friction in the direction of shear. So each bond counts in each mode
//! with the larger stiffness of the two. A bond that keeps its contact counts with their sum:
//!
//! ```text
//! k_n' = max(k_n, k_c),  k_s' = max(k_s, 2/7 k_c l0^2)        k_c = 2 k_i k_j/(k_i + k_j)      [N/m, N m]
//! ```
//!
//! # Possible contacts
//!
//! The energy of a contact depends on the difference of two motions. For any motion of the other particle,
//!
//! ```text
//! k (a - b)^2 <= k (1 + t) a^2 + k (1 + 1/t) b^2,      t = (m_i/m_j)^(1/3)
//! ```
//!
//! That leaves a block D_i for each particle, independent of its actual neighbours. Equal particles have t = 1. The lighter one
//! of a pair receives nearly the contact's own stiffness. So does a particle in contact with a held one, whose mass is
//! infinite. D_i is that of a full shell of neighbours: see `shell`. Permanent neighbours, by bonds or in a rigid body, occupy
//! a part of the shell. D_i is that of the rest, from the moments of the missing directions n:
//!
//! ```text
//! D = k (1 + t) sum [ n n^T + 2/7 (1 - n n^T),  -2/7 [n]x ;  2/7 [n]x^T,  2/7 (1 - n n^T) ]       in (p, r theta)
//! ```
//!
//! with friction's 2/7 only for surfaces with friction and the rule of tangential springs. Inside a hexagonal solid nothing is
//! missing, and its limit is unchanged. Loose equal spheres without friction have sum n n^T = 4 in all directions. Hence
//! omega^2 = 8 k/m, the value of their hexagonal packing.
//!
//! With n particles and walls, a motion of one particle has at most n stiffnesses. So no eigenvalue of D_i exceeds n k (1 +
//! t)/m, plus k_w/m for each wall. That makes the limit exact for two spheres, and for one on a wall. In a full shell walls
//! replace neighbours of twice their stiffness.
//!
//! Assumptions: an arrangement of unlike neighbours is no worse than a shell of the worst kind, and radii vary far less within
//! a kind than between kinds. Overlaps are small, except for Hertz's law, whose stiffness is that of `overlap`.
//!
//! # Damping of contacts
//!
//! The damping of a dashpot over the stiffness of its spring is a time, 2 zeta sqrt(m/k), with the reduced mass m of the pair.
//! A particle's block of C' is D times the maximum over its possible neighbours: a tangential dashpot counts by 2/7, and its rest is left to
//! the friction limit, which bounds its force. A bond's normal damping is at least that of
//! the contact in its place. Contacts of rigid bodies are damped by the masses of their particles.
//!
//! # Rigid bodies
//!
//! A rigid body without bonds has six motions, and the blocks of its particles act on these. Held particles do not count, and
//! walls may move: a prescribed motion is no unknown.
//!
//! # Charges
//!
//! Electric forces have no such bound: it grows without limit where charges approach each other. So [`limit`] is without them,
//! and explicit steps are halved where they are beyond a share of the charges' own limit: see [`FieldLimit`]. Squares of
//! frequencies add at most: shares a and b of the two limits are stable where a^2 + b^2 < 1.
//!
//! # What the limit is not
//!
//! It bounds stability, not accuracy. A contact of two loose spheres lasts three steps of the limit, and twelve of a quarter of
//! it, at which they bounce with their restitution: see [`contact_spring`](crate::model::ContactSpring).

mod field;
mod kinds;
mod lower_bound;
mod overlap;
mod possible_contacts;
mod rigid;
mod shell;

use crate::contact::Neighbours;
use crate::energy::{Curvature, Damping, Potential, Strains};
use crate::interrupt::Interrupt;
use crate::linalg::{Block, BlockMatrix, IterationLimits, Vec6, largest_eigenvalue};
use crate::model::{Bond, Modes, State, World, lag_factor};
use crate::optimize::{Assembly, Objective, Target};
use crate::parallel::for_each_chunk;

pub use field::FieldLimit;
pub use lower_bound::lower_bound;

use kinds::Kinds;
use possible_contacts::PossibleContacts;

/// Relative accuracy of the eigenvalues.
const ACCURACY: f64 = 1e-3;
const MAX_ITERATIONS: usize = 300;

/// Minimum number of particles for a second thread.
const SERIAL_BELOW: usize = 2048;

/// Longest stable step of velocity Verlet (s) on `world` from `state` on: 2/omega with omega^2 = lambda_max(M^-1 K'). With
/// damping, whose forces lag by half a step, the positive root of dt^2 lambda_max(M^-1 K')/4 + dt lambda_max(M^-1 C')/2 = 1.
///
/// Infinite if there are no bonds and no possible contacts.
pub fn limit(world: &World, state: &State) -> f64 {
    let possible = PossibleContacts::new(world, state);
    let bonded = bonded(world, &possible.kinds);
    let inverse_mass = inverse_mass(world);
    let mut stiffness = matrix(&bonded, state, Damping::None);
    let blocks = possible.blocks();
    let mut in_body = vec![false; state.len()];
    rigid::unbonded(world).for_each(|body| in_body[body.particles.clone()].fill(true));
    let loose = || blocks.iter().filter(|(i, _)| !in_body[*i]);
    let damping: Vec<_> = loose().map(|(i, block)| (*i, Block::from(&(block * possible.damping_time(*i))))).collect();
    let c = greatest_damping(&bonded, state, &stiffness, &damping, &inverse_mass);
    for (i, block) in loose() {
        *stiffness.diagonal_mut(*i) += &Block::from(block);
    }
    let bodies = rigid::unbonded(world).map(|body| {
        let k = rigid::greatest(body, world, state, &blocks);
        [k, k * possible.damping_time(body.particles.start)]
    });
    let bodies = bodies.fold([0.0; 2], |[a, b]: [f64; 2], [k, c]| [a.max(k), b.max(c)]);
    let k = greatest(&world.interrupt, &inverse_mass, |x, y| stiffness.multiply(x, y)).max(bodies[0]);
    longest(k, c.max(bodies[1]), possible.fastest_contact())
}

/// Longest stable step, s, of these particles with a single contact each, by the linear law. A stiffer partner makes a pair at most
/// twice as stiff. A rigid body of N particles may touch with a face, of N^(2/3) of them.
pub(crate) fn of_bounces(world: &World, of: &[bool]) -> f64 {
    let stiffest = (0..of.len()).map(|i| world.contact_stiffness_of(i)).fold(0.0, f64::max);
    let mut mass = world.particles.mass.clone();
    for body in &world.rigid {
        let behind = libm::cbrt(body.particles.len() as f64);
        mass[body.particles.clone()].iter_mut().for_each(|mass| *mass *= behind);
    }
    let held = |i: usize| {
        let k = world.contact_stiffness_of(i);
        (4.0 * k * stiffest / (k + stiffest)).max(world.wall_spring(i).k) / mass[i]
    };
    let greatest = (0..of.len()).filter(|&i| of[i]).map(held).fold(0.0, f64::max);
    longest(greatest, 2.0 * world.contact_damping * greatest.sqrt(), greatest.sqrt())
}

/// Root of dt^2 k/4 + dt c'/2 = 1 (s), with the damping c' that contacts of the frequency `omega` (1/s) have in explicit steps:
/// see [`limit`] and [`lag_factor`].
fn longest(k: f64, c: f64, omega: f64) -> f64 {
    if k <= 0.0 {
        return f64::INFINITY;
    }
    let root = |c: f64| 2.0 / (0.5 * c + (0.25 * c * c + k).sqrt());
    // bisection: c' grows with the step, and the root shrinks as c' grows
    let mut between = [root(c * lag_factor(f64::INFINITY)), root(c)];
    for _ in 0..60 {
        let middle = 0.5 * (between[0] + between[1]);
        let is_below = middle < root(c * lag_factor(middle * omega));
        between[usize::from(!is_below)] = middle;
    }
    between[0]
}

/// Particles of `world` with stiffened bonds and their constraints only.
fn bonded(world: &World, kinds: &Kinds) -> World {
    let bonds = world.whole_bonds().map(|bond| kinds.stiffened(bond)).collect();
    let mut bonded = World::new(world.materials.clone(), world.particles.clone(), bonds);
    bonded.constraints.clone_from(&world.constraints);
    bonded.interrupt = world.interrupt.clone();
    bonded
}

/// World `bonded` whose springs have k + c/(1 s) for k: dashpots in every direction, over a step of one second.
fn with_dashpots(bonded: &World) -> World {
    let stiffer = |bond: &Bond| {
        let (k, c) = (bond.k.plus(&bond.c, 1.0), Modes::default());
        if bond.model.has_orientation() { bond.clone() } else { Bond { k, c, ..bond.clone() } }
    };
    let mut damped =
        World::new(bonded.materials.clone(), bonded.particles.clone(), bonded.bonds().iter().map(stiffer).collect());
    damped.constraints.clone_from(&bonded.constraints);
    damped.interrupt = bonded.interrupt.clone();
    damped
}

/// lambda_max(M^-1 C), 1/s. `elastic` is the matrix without damping, and contacts add these blocks, N s/m.
fn greatest_damping(
    bonded: &World,
    state: &State,
    elastic: &BlockMatrix<f64>,
    contacts: &[(usize, Block<f64>)],
    inverse_mass: &[Vec6<f64>],
) -> f64 {
    let is_damped = bonded.is_damped() || bonded.bonds().iter().any(|bond| bond.c.n > 0.0);
    if !is_damped && contacts.iter().all(|(_, block)| *block == Block::ZERO) {
        return 0.0;
    }
    let damped = &with_dashpots(bonded);
    let strains = Strains::new(damped, state);
    // K + C over a step of one second, less K; both have the same bonds
    let mut damping = matrix(damped, state, Damping::Step { before: &strains, dt: 1.0 });
    damping.blocks_mut().iter_mut().zip(elastic.rows().blocks()).for_each(|(c, k)| *c -= k);
    for (i, block) in contacts {
        *damping.diagonal_mut(*i) += block;
    }
    greatest(&damped.interrupt, inverse_mass, |x, y| damping.multiply(x, y))
}

/// Hessian of the bonds in scaled unknowns. The infinite step removes inertia.
fn matrix(world: &World, state: &State, damping: Damping) -> BlockMatrix<f64> {
    let contacts = Neighbours::none(world, state);
    let target = Target { p: state.p.clone(), q: state.q.clone() };
    let held = world.always_held();
    let potential = Potential { damping, ..Potential::new(world, &contacts) };
    let objective = Objective { potential, target: &target, dt: f64::INFINITY, period: 1.0, held: &held };
    let mut assembly = Assembly::new(&objective);
    assembly.fill(&objective, state, Curvature::Semidefinite);
    assembly.matrix
}

/// 1/m and r^2/J, in scaled unknowns.
fn inverse_mass(world: &World) -> Vec<Vec6<f64>> {
    let particles = &world.particles;
    let of = |i: usize| {
        let (m, j) = (1.0 / particles.mass[i], particles.radius[i].powi(2) / particles.inertia[i]);
        Vec6::new([m, m, m, j, j, j])
    };
    (0..particles.len()).map(of).collect()
}

fn greatest(
    interrupt: &Interrupt,
    inverse_mass: &[Vec6<f64>],
    apply: impl FnMut(&[Vec6<f64>], &mut [Vec6<f64>]),
) -> f64 {
    let divide = |x: &[Vec6<f64>], y: &mut [Vec6<f64>]| {
        let quotient = |x: &Vec6<f64>, m: &Vec6<f64>| Vec6::new(std::array::from_fn(|k| x[k] * m[k]));
        for_each_chunk(y, SERIAL_BELOW, |first, y| {
            for ((y, x), m) in y.iter_mut().zip(&x[first..]).zip(&inverse_mass[first..]) {
                *y = quotient(x, m);
            }
        });
    };
    let limits = IterationLimits { tolerance: ACCURACY, max_iterations: MAX_ITERATIONS, interrupt };
    largest_eigenvalue(inverse_mass.len(), apply, divide, limits).value
}
