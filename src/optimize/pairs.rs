//! The Gauss-Newton Hessian of an objective as a sum over bonds and contacts, in the unknowns of [`super::Assembly`], and without
//! its blocks: a few numbers a bond.
//!
//! Its bonds are taken for unsheared and their ends for parallel: d = n, phi = 1, b = 0 in the notation of
//! [`BondPose`](crate::energy::BondPose). So it differs from the assembled matrix by a strain's share, as either does from the
//! exact Hessian, and is the same at rest.

use crate::contact::ContactPair;
use crate::energy::{Damping, collider, gap_between};
use crate::geometry::Mat3;
use crate::linalg::{NodeTerm, PairOperator, PairTerm};
use crate::model::{Bond, Pair, State};

use super::Objective;

/// A [`PairOperator`] of a world's bonds and near pairs.
#[derive(Debug)]
pub struct PairHessian {
    pub operator: PairOperator,
    /// Which bond or near pair each of the operator's pairs is.
    sources: Vec<Source>,
    /// What makes a length of the operator's rotations, m.
    length: f64,
    /// What the pairs were made of: number of bonds, and version of the list of near pairs.
    made_of: (usize, u64),
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Bond(u32),
    Contact(u32),
}

impl PairHessian {
    /// An operator of zeros for the pairs that `objective` has now.
    pub fn new(objective: &Objective) -> Self {
        let bonds = objective.potential.world.bonds();
        let contacts = objective.potential.contacts;
        let radius = &objective.potential.world.particles.radius;
        let length = radius.first().copied().unwrap_or(1.0);
        let are_alike = radius.iter().all(|r| *r == length);
        let scales = if are_alike { Vec::new() } else { radius.iter().map(|r| (length / r) as f32).collect() };
        let (ends, sources) = merged(bonds, contacts.pairs());
        let operator = PairOperator::new(&ends, objective.held, scales);
        Self { operator, sources, length, made_of: (bonds.len(), contacts.version()) }
    }

    /// Whether the pairs still are those of `objective`.
    pub fn fits(&self, objective: &Objective) -> bool {
        self.made_of == (objective.potential.world.bonds().len(), objective.potential.contacts.version())
            && self.operator.held() == objective.held
    }

    /// Fills the operator with second derivatives at `x`.
    pub fn fill(&mut self, objective: &Objective, x: &State) {
        let Self { operator, sources, length, .. } = self;
        let potential = &objective.potential;
        let (bonds, contacts) = (potential.world.bonds(), potential.contacts.pairs());
        let rate = match potential.damping {
            Damping::Step { dt, .. } => 1.0 / dt,
            Damping::None | Damping::Rate => 0.0,
        };
        let pair = |k: usize| match sources[k] {
            Source::Bond(k) => bond_term(&bonds[k as usize], x, *length, rate),
            Source::Contact(k) => contact_term(&contacts[k as usize], x),
        };
        operator.fill(pair, |i| node_term(objective, x, i));
    }
}

/// The ends of bonds and contacts, both sorted, sorted by their first; of one particle's, bonds go first, because contacts are
/// mostly open, and eight that are open together cost nothing.
fn merged(bonds: &[Bond], contacts: &[ContactPair]) -> (Vec<[u32; 2]>, Vec<Source>) {
    let count = bonds.len() + contacts.len();
    let (mut ends, mut sources) = (Vec::with_capacity(count), Vec::with_capacity(count));
    let (mut b, mut c) = (0, 0);
    while ends.len() < count {
        let is_bond = c == contacts.len() || (b < bonds.len() && bonds[b].i <= contacts[c].i);
        if is_bond {
            ends.push(bonds[b].ends().map(|i| i as u32));
            sources.push(Source::Bond(b as u32));
            b += 1;
        } else {
            ends.push(contacts[c].ends().map(|i| i as u32));
            sources.push(Source::Contact(c as u32));
            c += 1;
        }
    }
    (ends, sources)
}

/// A bond at `x` with its damping, coefficient over time step `rate` times c; `length` scales rotations, m. With the arm
/// e = n l/(2 length), what is in the units of shear (an angle) or of rotation becomes a stiffness by lengths.
#[inline(always)]
fn bond_term(bond: &Bond, x: &State, length: f64, rate: f64) -> PairTerm {
    let [i, j] = [bond.i as usize, bond.j as usize];
    let along = x.p[j] - x.p[i];
    let squared = along.norm_squared();
    let k = bond.k.plus(&bond.c, rate);
    let per_square = 1.0 / squared;
    let per_length = 1.0 / (length * length);
    let (across, bend) = (k.s * per_square, k.b * per_length);
    // the geometric term of tension, k_n (1 - l0/l) across n
    let plain = bond.k.n * (1.0 - bond.l0 / squared.sqrt()).max(0.0);
    let arm = along * (0.5 / length);
    let per_arm = 4.0 * length * length * per_square;
    PairTerm {
        arm: [arm.x as f32, arm.y as f32, arm.z as f32],
        across: across as f32,
        plain: plain as f32,
        along: ((k.n - across - plain) * per_arm) as f32,
        bend: bend as f32,
        twist: ((k.t * per_length - bend) * per_arm) as f32,
    }
}

/// A contact at `x`: k n n^T where the two overlap.
fn contact_term(pair: &ContactPair, x: &State) -> PairTerm {
    let gap = gap_between(pair, x);
    if !gap.overlaps() {
        return PairTerm::default();
    }
    PairTerm { arm: [gap.n.x as f32, gap.n.y as f32, gap.n.z as f32], along: pair.k as f32, ..PairTerm::default() }
}

/// Inertia and walls of particle `i`; of a held one, inertia alone.
fn node_term(objective: &Objective, x: &State, i: usize) -> NodeTerm {
    let [m, j] = objective.inertia_hessian(x, i);
    let r = objective.potential.world.particles.radius[i];
    let diagonal = [m as f32, (j / (r * r)) as f32];
    if objective.held[i] {
        return NodeTerm { diagonal, extra: None };
    }
    let k = objective.potential.wall_stiffness(i);
    let walls = objective.potential.walls(i, &x.p[i]).map(|(gap, normal)| collider::hessian(k, gap, &normal));
    let extra = walls.reduce(|sum: Mat3, wall| sum + wall);
    NodeTerm { diagonal, extra: extra.map(|extra| extra.cast()) }
}
