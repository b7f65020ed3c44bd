//! Frequencies of bonds and possible contacts, without a matrix.

use crate::interrupt::Interrupt;
use crate::linalg::{
    Block, IterationLimits, NodeTerm, PairOperator, PairTerm, PairWorkspace, Vec6, largest_eigenvalue,
};
use crate::model::{Bond, Modes, Pair, State, World};
use crate::optimize::{bond_term, rotation_scales};
use crate::parallel;

use super::kinds::Kinds;

/// Relative accuracy of the eigenvalues.
const ACCURACY: f64 = 1e-3;
const MAX_ITERATIONS: usize = 300;

/// Stiffness or damping of the stiffened bonds of a world and of its particles' possible contacts, in single precision.
/// The unknowns are scaled: displacement, and radius times rotation vector, m.
pub(super) struct MatrixFree<'a> {
    world: &'a World,
    state: &'a State,
    kinds: &'a Kinds<'a>,
    /// Stiffness of the possible contacts of particles, ascending, N/m.
    contacts: Vec<(u32, Block<f32>)>,
    operator: PairOperator,
    /// Length that scales the operator's rotations, m.
    length: f64,
    /// Maximum mass, kg: the unit of masses, so that single precision holds their quotients.
    unit: f64,
    /// Mass, and inertia over the square of the radius, of each particle, in that unit.
    masses: Vec<[f32; 2]>,
}

impl<'a> MatrixFree<'a> {
    pub(super) fn new(
        world: &'a World,
        state: &'a State,
        kinds: &'a Kinds<'a>,
        contacts: Vec<(u32, Block<f32>)>,
    ) -> Self {
        let ends: Vec<_> = world.bonds().iter().map(|bond| bond.ends().map(|i| i as u32)).collect();
        let (length, scales) = rotation_scales(&world.particles.radius);
        let operator = PairOperator::new(&ends, &world.always_held(), scales).at(world.instructions);
        let particles = &world.particles;
        let unit = particles.mass.iter().copied().fold(0.0, f64::max);
        let mass = |i: usize| {
            [particles.mass[i], particles.inertia[i] / (particles.radius[i] * particles.radius[i])]
                .map(|m| (m / unit) as f32)
        };
        let masses = (0..particles.len()).map(mass).collect();
        Self { world, state, kinds, contacts, operator, length, unit, masses }
    }

    /// lambda_max(M^-1 K), 1/s2.
    pub(super) fn greatest_stiffness(&mut self) -> f64 {
        self.greatest(|bond| bond.k, |_| 1.0)
    }

    /// lambda_max(M^-1 C), 1/s.
    pub(super) fn greatest_damping(&mut self) -> f64 {
        if !self.world.is_damped() && self.world.contact_damping == 0.0 {
            return 0.0;
        }
        let kinds = self.kinds;
        self.greatest(|bond| bond.c, |i| kinds.damping_time(i))
    }

    /// lambda_max with these coefficients of a stiffened bond, and this factor on the stiffness of a particle's contacts.
    fn greatest(&mut self, of_bond: impl Fn(&Bond) -> Modes + Sync, of_contacts: impl Fn(usize) -> f64 + Sync) -> f64 {
        let Self { world, state, kinds, contacts, operator, length, unit, masses } = self;
        let pair = |k: usize| {
            let bond = &world.bonds()[k];
            if bond.is_broken() {
                return PairTerm::default();
            }
            let bond = kinds.stiffened(bond);
            bond_term(&Bond { k: of_bond(&bond), c: Modes::default(), ..bond }, &state.p, *length, 0.0)
        };
        let node = |i: usize| {
            let at = contacts.binary_search_by_key(&i, |(at, _)| *at as usize);
            let extra = at.ok().map(|at| {
                let mut block = Block::ZERO;
                block.add_scaled(of_contacts(i) as f32, &contacts[at].1);
                block
            });
            NodeTerm { extra, ..NodeTerm::default() }
        };
        operator.fill(pair, node);
        let weighted = |[m, j]: [f32; 2], x: &Vec6<f32>| {
            let [a, b, c, d, e, f] = x.to_array();
            Vec6::new([m * a, m * b, m * c, j * d, j * e, j * f])
        };
        let mut work = PairWorkspace::default();
        let subtract_from = |x: &[Vec6<f32>], y: &mut [Vec6<f32>]| {
            operator.product(&mut work, x, y, |i, y, product| {
                let quotient = weighted(masses[i].map(f32::recip), &product);
                *y = Vec6::new(std::array::from_fn(|k| quotient[k] - y[k]));
            });
        };
        let inner = |x: &[Vec6<f32>], y: &[Vec6<f32>]| {
            parallel::sum_chunks(x.len(), parallel::SERIAL_BELOW, |nodes| {
                let dot = |i: usize| {
                    let (x, y) = (weighted(masses[i], &x[i]), &y[i]);
                    (0..6).map(|k| f64::from(x[k]) * f64::from(y[k])).sum::<f64>()
                };
                nodes.map(dot).sum()
            })
        };
        // an interrupted estimate would be above the limit
        let interrupt = Interrupt::default();
        let limits = IterationLimits { tolerance: ACCURACY, max_iterations: MAX_ITERATIONS, interrupt: &interrupt };
        largest_eigenvalue(masses.len(), subtract_from, inner, limits).value / *unit
    }
}
