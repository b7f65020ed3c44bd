//! The semidefinite Hessian of an objective as a sum over bonds and contacts, in the unknowns of [`super::Assembly`]: a
//! few coefficients a pair instead of blocks.
//!
//! Its bonds are simplified: see [`super::bond_terms`]. So it differs from the assembled matrix by the order of a
//! strain, as both do from the exact Hessian. At rest they are equal.

use crate::contact::{PairStiffness, batches};
use crate::energy::Damping;
use crate::linalg::{Chunk, NodeTerm, PairOperator, PairTerm};
use crate::model::{Bond, Identity, Pair, State, WallStep, World};
use crate::neighbours::ContactPair;
use crate::parallel;
use crate::simd::InstructionSet;

use super::Objective;
use super::assembly::{on_walls, scaled};
use super::bond_terms::{Springs, bond_term, set_bond_terms};

/// A [`PairOperator`] of a world's bonds and near pairs.
#[derive(Debug)]
pub struct PairHessian {
    /// The operator.
    pub operator: PairOperator,
    /// Bond or near pair of each of the operator's pairs.
    sources: Vec<Source>,
    /// Length that scales the operator's rotations, m.
    length: f64,
    /// Identity of the list of bonds, and version of the list of near pairs.
    made_of: (Identity, Identity),
    /// Terms of each of the operator's chunks.
    parts: Vec<Part>,
    /// Bonds of the parts' springs, and the damping's rate, 1/s; `None` before the first.
    springs_of: Option<(Identity, f64)>,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Bond(u32),
    Contact(u32),
}

/// The terms of one of the operator's chunks.
#[derive(Debug)]
struct Part {
    /// Bonds of each group.
    springs: Vec<Springs>,
    /// Group, lane and index of each contact.
    contacts: Vec<[u32; 3]>,
}

impl Part {
    /// The contacts of `chunk`, with springs unset.
    fn new(chunk: &Chunk, sources: &[Source]) -> Self {
        let contact = |(group, lane, k): (usize, usize, usize)| match sources[k] {
            Source::Contact(k) => Some([group as u32, lane as u32, k]),
            Source::Bond(_) => None,
        };
        Self {
            springs: vec![Springs::default(); chunk.groups.len()],
            contacts: chunk.lanes().filter_map(contact).collect(),
        }
    }

    /// Sets the springs of `chunk`: see [`Springs::set`].
    fn set_springs(&mut self, chunk: &Chunk, sources: &[Source], bonds: &[Bond], length: f64, rate: f64) {
        for (group, lane, k) in chunk.lanes() {
            if let Source::Bond(k) = sources[k] {
                self.springs[group].set(lane, &bonds[k as usize], length, rate);
            }
        }
    }

    /// Sets the terms of `chunk` at `x`; see [`PairHessian::length`].
    fn set_terms(
        &self,
        instructions: InstructionSet,
        chunk: &mut Chunk,
        objective: &Objective,
        x: &State,
        [length, margin]: [f64; 2],
    ) {
        set_bond_terms(instructions, &self.springs, &x.p, 0.5 / length, chunk);
        chunk.clear_downdates();
        let pairs = objective.potential.pairs(x);
        let of = |at: u32| self.contacts[at as usize];
        for &[group, lane, _] in &self.contacts {
            chunk.groups[group as usize].set_lane(lane as usize, &PairTerm::default());
        }
        let stiff = (0..self.contacts.len() as u32).filter(|&at| pairs.is_active(of(at)[2], margin));
        batches(stiff, |batch, count| {
            let stiffnesses = pairs.stiffnesses(&batch.map(|at| of(at)[2]), margin);
            for (&at, stiffness) in batch[..count].iter().zip(&stiffnesses) {
                let [group, lane, _] = of(at).map(|k| k as usize);
                let term = contact_term(stiffness, length);
                chunk.groups[group].set_lane(lane, &term);
                if let Some(e) = stiffness.sliding {
                    chunk.downdate([group, lane], [e.x as f32, e.y as f32, e.z as f32], SLIDING_DOWNDATE * term.shear);
                }
            }
        });
    }
}

impl PairHessian {
    /// A zero operator for the current pairs of `objective`.
    pub fn new(objective: &Objective) -> Self {
        let bonds = objective.potential.world.bonds();
        let contacts = objective.potential.contacts;
        let radius = &objective.potential.world.particles.radius;
        let (length, scales) = rotation_scales(radius);
        let (ends, sources) = merged(bonds, contacts.pairs());
        let operator = PairOperator::new(&ends, objective.held, scales).at(objective.potential.world.instructions);
        let parts = parallel::map(operator.chunks().len(), 1, |k| Part::new(&operator.chunks()[k], &sources));
        let made_of = (objective.potential.world.listed_bonds(), contacts.version());
        Self { operator, sources, length, made_of, parts, springs_of: None }
    }

    /// Whether the pairs are the current ones of `objective`.
    pub fn fits(&self, objective: &Objective) -> bool {
        self.made_of == (objective.potential.world.listed_bonds(), objective.potential.contacts.version())
            && self.operator.held() == objective.held
    }

    /// Sets the operator to the second derivatives at `x`. Contacts with gaps below `margin`, a share of their reach,
    /// count as closed.
    pub fn fill(&mut self, objective: &Objective, x: &State, margin: f64) {
        let potential = &objective.potential;
        let bonds = potential.world.bonds();
        let rate = match potential.damping {
            Damping::Step { dt, .. } => 1.0 / dt,
            Damping::None | Damping::Rate => 0.0,
        };
        self.update_springs(potential.world, rate);
        let Self { operator, sources, length, parts, .. } = self;
        let instructions = operator.instructions();
        let contacts = potential.pairs(x);
        let pair = |k: usize| match sources[k] {
            Source::Bond(k) => bond_term(&bonds[k as usize], &x.p, *length, rate),
            Source::Contact(k) => contact_term(&contacts.stiffness(k, margin), *length),
        };
        let fill =
            |c: usize, chunk: &mut Chunk| parts[c].set_terms(instructions, chunk, objective, x, [*length, margin]);
        let walls = &objective.potential.walls(x);
        operator.fill_chunks(fill, pair, |i| node_term(objective, walls, x, i));
    }

    /// Updates the springs after bonds broke or `rate` changed.
    fn update_springs(&mut self, world: &World, rate: f64) {
        let springs_of = Some((world.unbroken_bonds(), rate));
        if self.springs_of != springs_of {
            let Self { operator, sources, length, parts, .. } = self;
            let work = (parallel::each_mut(parts), parallel::each(operator.chunks()));
            parallel::for_each(work, |_, (part, chunk)| {
                part.set_springs(chunk, sources, world.bonds(), *length, rate);
            });
            self.springs_of = springs_of;
        }
    }
}

/// Length that scales the rotations of a [`PairOperator`], m, and its ratio to the radius of each particle; none if all are
/// equal.
pub(crate) fn rotation_scales(radius: &[f64]) -> (f64, Vec<f32>) {
    let length = radius.first().copied().unwrap_or(1.0);
    let are_alike = radius.iter().all(|r| *r == length);
    (length, if are_alike { Vec::new() } else { radius.iter().map(|r| (length / r) as f32).collect() })
}

/// Ends of bonds and contacts, both sorted, merged by their first particle. Bonds of a particle precede its contacts:
/// contacts are mostly open, and groups of eight open ones are free.
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

/// Default `margin`, a share of the reach. Crack faces lie within it, and would open and close between iterations.
pub(super) const MARGIN: f64 = 1e-3;

/// Share of the shear stiffness removed in the sliding direction. It is below 1 so that the matrix stays positive with
/// rounding.
const SLIDING_DOWNDATE: f32 = 1.0 - 1e-4;

/// Term of a contact. It has k n n^T for an overlap, and friction as if it slid in every direction.
fn contact_term(stiffness: &PairStiffness, length: f64) -> PairTerm {
    let PairStiffness { n, distance, normal, shear, .. } = stiffness;
    if normal + shear == 0.0 {
        return PairTerm::default();
    }
    let half = 0.5 * distance / length;
    let arm = n * half;
    PairTerm {
        arm: [arm.x as f32, arm.y as f32, arm.z as f32],
        shear: *shear as f32,
        axial: ((normal - shear) / (half * half)) as f32,
        ..PairTerm::default()
    }
}

/// Inertia and walls of particle `i`; inertia alone if it is held.
fn node_term(objective: &Objective, walls: &[WallStep], x: &State, i: usize) -> NodeTerm {
    let [m, j] = objective.inertia_hessian(x, i);
    let r = objective.potential.world.particles.radius[i];
    let walls = if objective.held[i] { None } else { on_walls(objective, walls, x, i) };
    NodeTerm { diagonal: [m as f32, (j / (r * r)) as f32], extra: walls.map(|walls| scaled(&walls, [r; 2])) }
}
