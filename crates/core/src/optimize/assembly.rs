//! The assembled Hessian of an objective in scaled unknowns. Each particle has its displacement (m), and its radius
//! times its world rotation vector (m). So all entries are stiffnesses (N/m), and the rigid modes are well scaled.

use crate::energy::{BondHessian, BondPose, Curvature, Damping, Potential, bond, contact, friction, gap_between, wall};
use crate::geometry::Mat3;
use crate::linalg::{Block, BlockMatrix, Real, RowsMut};
use crate::model::{Bond, Displacement, Gradient, Identity, Pair, PairChunks, State, WallStep};
use crate::neighbours::ContactPair;
use crate::parallel;

use super::Objective;

/// An assembled Hessian with the pattern of a world's bonds and near pairs.
#[derive(Debug)]
pub struct Assembly<T> {
    /// The matrix, in scaled unknowns.
    pub matrix: BlockMatrix<T>,
    bond_slots: Vec<[u32; 2]>,
    contact_slots: Vec<[u32; 2]>,
    /// Identity of the list of bonds, and version of the list of near pairs.
    made_of: (Identity, Identity),
}

/// 3x3 parts `[[pp, p theta], [theta p, theta theta]]` of a 6x6 block.
pub(super) type Parts = [[Mat3; 2]; 2];

impl<T: Real> Assembly<T> {
    /// A zero matrix with the current pattern of `objective`.
    pub fn new(objective: &Objective) -> Self {
        let bonds = objective.potential.world.bonds();
        let contacts = objective.potential.contacts;
        let ends = |pair: &dyn Pair| pair.ends().map(|i| i as u32);
        let mut pairs: Vec<([u32; 2], bool)> = bonds.iter().map(|b| (ends(b), true)).collect();
        pairs.extend(contacts.pairs().iter().map(|c| (ends(c), false)));
        pairs.sort_unstable();
        let nodes = objective.potential.world.particles.len();
        let (matrix, slots) = BlockMatrix::from_pairs(nodes, pairs.iter().map(|p| p.0));
        let of_kind = |bond| slots.iter().zip(&pairs).filter(|(_, p)| p.1 == bond).map(|(s, _)| *s).collect();
        let made_of = (objective.potential.world.listed_bonds(), contacts.version());
        Self { matrix, bond_slots: of_kind(true), contact_slots: of_kind(false), made_of }
    }

    /// Whether the pattern is the current one of `objective`.
    pub fn fits(&self, objective: &Objective) -> bool {
        self.made_of == (objective.potential.world.listed_bonds(), objective.potential.contacts.version())
    }

    /// Sets the matrix to the second derivatives at `x`.
    pub fn fill(&mut self, objective: &Objective, x: &State, curvature: Curvature) {
        self.fill_with(objective, x, curvature, |_, _, _| None);
    }

    /// [`Self::fill`] with `more` second derivatives of each bond, whose index and pose it gets.
    pub fn fill_with(
        &mut self,
        objective: &Objective,
        x: &State,
        curvature: Curvature,
        more: impl Fn(usize, &Bond, &BondPose) -> Option<BondHessian> + Sync,
    ) {
        let potential = &objective.potential;
        self.fill_diagonal(objective, x);
        let bonds = potential.world.bonds();
        let dt = match potential.damping {
            Damping::Step { dt, .. } => dt,
            Damping::None | Damping::Rate => f64::INFINITY,
        };
        self.add_pairs(objective, potential.world.bond_chunks(), bonds, true, |k, bond: &Bond| {
            let pose = bond::pose(bond, x);
            let mut hessian = bond::hessian(bond, &pose, curvature, dt);
            more(k, bond, &pose).into_iter().for_each(|more| hessian += more);
            hessian
        });
        let contacts = potential.contacts;
        self.add_pairs(objective, contacts.chunks(), contacts.pairs(), false, |k, pair: &ContactPair| {
            pair_hessian(potential, (k, pair), x, curvature)
        });
    }

    /// Adds inertia and walls to the diagonal. A held particle's row is inertia alone.
    fn fill_diagonal(&mut self, objective: &Objective, x: &State) {
        let diagonal = self.matrix.diagonal_slots().to_vec();
        let walls = &objective.potential.walls(x);
        let mut rows = self.matrix.rows_mut(objective.potential.world.bond_chunks().ranges());
        parallel::for_each(parallel::each_mut(&mut rows), |_, rows| {
            for i in rows.rows.clone() {
                let radius = objective.potential.world.particles.radius[i];
                let slot = diagonal[i] as usize - rows.first_slot;
                rows.blocks[slot] = scaled(&on_diagonal(objective, walls, x, i), [radius; 2]);
            }
        });
    }

    fn add_pairs<P: Pair>(
        &mut self,
        objective: &Objective,
        chunks: &PairChunks,
        pairs: &[P],
        bonds: bool,
        hessian: impl Fn(usize, &P) -> BondHessian + Sync,
    ) {
        let radius = &objective.potential.world.particles.radius;
        let diagonal = self.matrix.diagonal_slots().to_vec();
        let slots = if bonds { &self.bond_slots } else { &self.contact_slots };
        let rows = self.matrix.rows_mut(chunks.ranges());
        chunks.visit(pairs, rows, |rows: &mut RowsMut<T>, k, pair, own| {
            let [i, j] = pair.ends();
            let free = [i, j].map(|a| !objective.held[a]);
            let [ii, ij, jj] = hessian(k, pair).blocks();
            let first = rows.first_slot;
            let at = |slot: u32| slot as usize - first;
            if own[0] && free[0] {
                rows.blocks[at(diagonal[i])] += &scaled(&ii, [radius[i]; 2]);
            }
            if own[1] && free[1] {
                rows.blocks[at(diagonal[j])] += &scaled(&jj, [radius[j]; 2]);
            }
            // each off-diagonal block belongs to one pair
            let across = if free[0] && free[1] { scaled(&ij, [radius[i], radius[j]]) } else { Block::ZERO };
            if own[0] {
                rows.blocks[at(slots[k][0])] = across;
            }
            if own[1] {
                rows.blocks[at(slots[k][1])] = across.transpose();
            }
        });
    }
}

/// Second derivatives of the near pair `k`, with its friction.
fn pair_hessian(
    potential: &Potential,
    (k, pair): (usize, &ContactPair),
    x: &State,
    curvature: Curvature,
) -> BondHessian {
    let mut hessian =
        contact::hessian(&potential.motion.pair_normal_spring(pair, x), &gap_between(pair, x), pair.reach, curvature);
    if let Some(friction) = potential.friction(k, x) {
        hessian += friction::pair_hessian(&friction);
    }
    hessian
}

impl Objective<'_> {
    /// Subtracts the product of the contacts' part of the matrix, with exact second derivatives at `x`, and `y` from `out`.
    pub fn subtract_contacts(&self, x: &State, y: &[Displacement], out: &mut [Gradient]) {
        let contacts = self.potential.contacts;
        for (k, pair) in contacts.pairs().iter().enumerate() {
            let hessian = pair_hessian(&self.potential, (k, pair), x, Curvature::Exact);
            let ends = pair.ends();
            for (i, by) in ends.into_iter().zip(hessian.times(ends.map(|i| &y[i]))) {
                out[i].p -= by.p;
                out[i].theta -= by.theta;
            }
        }
        let walls = &self.potential.walls(x);
        for (i, (y, out)) in y.iter().zip(out).enumerate() {
            if let Some([[pp, pt], [tp, tt]]) = on_walls(self, walls, x, i) {
                out.p -= pp * y.translation + pt * y.rotation;
                out.theta -= tp * y.translation + tt * y.rotation;
            }
        }
    }
}

/// Second derivatives of single-particle terms of particle `i`: inertia and walls.
fn on_diagonal(objective: &Objective, walls: &[WallStep], x: &State, i: usize) -> Parts {
    let [m, j] = objective.inertia_hessian(x, i);
    let inertia = [[Mat3::identity() * m, Mat3::zeros()], [Mat3::zeros(), Mat3::identity() * j]];
    let walls = if objective.held[i] { None } else { on_walls(objective, walls, x, i) };
    walls.map_or(inertia, |walls| plus(&inertia, &walls))
}

/// Second derivatives of wall contacts and their friction for particle `i`, if it touches any.
pub(super) fn on_walls(objective: &Objective, walls: &[WallStep], x: &State, i: usize) -> Option<Parts> {
    let potential = &objective.potential;
    let pushes = potential.wall_pushes(walls, i, x).map(|push| {
        let mut parts = Parts::default();
        parts[0][0] = wall::hessian(&push.spring(), push.gap, &push.n);
        parts
    });
    let frictions = potential.frictions_on_walls(potential.contacts.wall_frictions_of(i), walls, x);
    let springs = frictions.map(|(_, of)| friction::wall_hessian(&of));
    pushes.chain(springs).reduce(|sum, wall| plus(&sum, &wall))
}

fn plus(a: &Parts, b: &Parts) -> Parts {
    std::array::from_fn(|row| std::array::from_fn(|column| a[row][column] + b[row][column]))
}

/// The block of derivatives by (m, rad) in scaled unknowns; `radius` are those of the row's and the column's particle.
#[inline(always)]
pub(super) fn scaled<T: Real>(parts: &Parts, radius: [f64; 2]) -> Block<T> {
    let [row, column] = radius.map(|r| [1.0, 1.0 / r]);
    Block::from_fn(|r, c| T::from_f64(parts[r / 3][c / 3][(r % 3, c % 3)] * (row[r / 3] * column[c / 3])))
}
