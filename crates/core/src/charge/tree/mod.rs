//! Fast multipole method: Cartesian expansions of one order in an octree over Morton order (W. Dehnen, "A fast multipole
//! method for stellar dynamics", 2014, for the estimate of errors and the walk; the reduction to harmonic coefficients is
//! that of the Laplacian).
//!
//! A walk down the tree of targets keeps a list of source cells. Those whose translation is accurate enough are translated
//! to a local expansion, which the children inherit. Pairs of leaves that are not are summed exactly. All lists are in the
//! order of the tree, and a cell writes to its own targets only, so that the bits do not depend on threads.

mod derivatives;
mod gradient;
mod local;
mod multipoles;
mod octree;
mod order;
mod sample;
mod walk;

use std::ops::RangeInclusive;

pub use gradient::{GradientBounds, gradient_bounds};

use multipoles::Multipoles;
use octree::Octree;
use order::{MAX_ORDER, Order};
use walk::Walk;

use super::charges::Charges;
use super::exact::Sum;
use crate::geometry::Vec3;
use crate::simd::InstructionSet;

/// Tolerances that expansions up to [`MAX_ORDER`] hold in double precision.
pub(super) const TOLERANCES: RangeInclusive<f64> = 1e-12..=0.1;

/// Maximum number of points in a leaf. Over 100 thousand charges 32 to 128 took the same time.
const LEAF: usize = 64;

/// Greatest error of one translation, over the tolerance times the typical field. The errors of some hundred translations
/// cancel, and each is overestimated: together they were 0.01 to 0.2 times the greatest (`bdem study charges`).
const ONE_TRANSLATION: f64 = 3.0;

/// Factor on the greatest error after a sample has failed, and number of trials before exact sums.
const STRICTER: f64 = 0.25;
const TRIALS: usize = 4;

/// Pairs a target that the tree's work is worth, by a fit to clouds in a box at tolerances of 1e-2 to 1e-9.
pub(super) fn pairs_of_target(tolerance: f64) -> f64 {
    let digits = -libm::log10(tolerance);
    250.0 * digits * digits + sample::SIZE as f64
}

/// Order for a tolerance: the fastest one over 100 thousand charges, in a box and by random signs.
fn order(tolerance: f64) -> usize {
    (3 + (-libm::log10(tolerance)).round() as usize).min(MAX_ORDER)
}

/// Tables and arrays that are kept from one computation to the next.
#[derive(Debug, Default)]
pub(super) struct TreeWorkspace {
    order: Option<Order>,
    sources: Octree,
    /// Charges (x, y, z, q) in the order of the tree.
    rows: Vec<[f64; 4]>,
    /// Sums in the order of the targets' tree.
    sums: Vec<Sum>,
}

impl TreeWorkspace {
    /// Sets `out` to the sums at `points`, or at the charges themselves. Whether the tolerance holds in the sample.
    pub(super) fn sums(
        &mut self,
        instructions: InstructionSet,
        charges: &Charges,
        points: Option<&[Vec3]>,
        tolerance: f64,
        out: &mut Vec<Sum>,
    ) -> bool {
        let Self { order: tables, sources, rows, sums } = self;
        let p = order(tolerance);
        if tables.as_ref().is_none_or(|order| order.p != p) {
            *tables = Some(Order::new(p));
        }
        let order = tables.as_ref().expect("set above");
        sources.set(charges.x, |i| charges.q[i].abs(), LEAF);
        let row = |(&i, x): (&u32, &Vec3)| [x.x, x.y, x.z, charges.q[i as usize]];
        rows.clear();
        rows.extend(sources.order.iter().zip(&sources.x).map(row));
        let softening = charges.softening * charges.softening;
        let multipoles = &Multipoles::new(sources, rows, order, softening);
        let other = points.map(|points| Octree::new(points, |_| 1.0, LEAF));
        let (targets, own) = (other.as_ref().unwrap_or(sources), points.is_none());
        let blocks = sample::exact_blocks(instructions, targets, rows, own, softening);
        let mut error = ONE_TRANSLATION * tolerance * sample::typical_field(&blocks);
        for _ in 0..TRIALS {
            let walk = Walk { instructions, order, sources, multipoles, charges: rows, targets, own, error, softening };
            walk.run(sums);
            if sample::error(&blocks, sums) <= tolerance {
                out.clear();
                out.resize(sums.len(), Sum::default());
                targets.order.iter().zip(&*sums).for_each(|(&i, sum)| out[i as usize] = *sum);
                return true;
            }
            error *= STRICTER;
        }
        false
    }
}
