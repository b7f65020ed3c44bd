//! The serialized hierarchy: all that cannot be recomputed.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::AmgSettings;
use super::coarse::DenseSolver;
use super::level::{Below, Level, Solver};
use super::preconditioner::Amg;
use super::transfer::Transfer;
use crate::linalg::{BlockJacobi, BlockMatrix};

/// A hierarchy without its derived data: restrictors, smoothers and the dense factors. The finest smoother follows from
/// the current matrix.
#[derive(Debug, Serialize, Deserialize)]
pub struct SavedAmg<'a> {
    fine_blocks: usize,
    /// Finest first.
    levels: Vec<SavedLevel<'a>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedLevel<'a> {
    omega: f64,
    sweeps: u32,
    /// The coarse system, solved by the next saved level, or directly if this is the last.
    below: Option<SavedBelow<'a>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SavedBelow<'a> {
    prolongator: Cow<'a, Transfer>,
    matrix: Cow<'a, BlockMatrix<f32>>,
}

impl Amg {
    /// The hierarchy in serializable form.
    pub fn save(&self) -> SavedAmg<'_> {
        let mut levels = Vec::new();
        let mut level = Some(&self.finest);
        while let Some(this) = level {
            let below = this.below.as_deref();
            levels.push(SavedLevel { omega: this.omega, sweeps: this.sweeps, below: below.map(SavedBelow::of) });
            level = below.and_then(|below| match &below.solver {
                Solver::Cycle(next) => Some(next),
                Solver::Dense(_) => None,
            });
        }
        SavedAmg { fine_blocks: self.fine_blocks, levels }
    }

    /// The saved hierarchy for `nodes`, to the bit, once [`Self::smoother_mut`] has got the diagonal blocks. `None` if
    /// its data are inconsistent.
    pub fn restore(saved: SavedAmg, nodes: usize, settings: &AmgSettings) -> Option<Self> {
        let mut sizes = vec![nodes];
        sizes.extend(saved.levels.iter().map_while(|level| level.below.as_ref()).map(|below| below.matrix.nodes()));
        let mut coarser = None;
        for (level, nodes) in saved.levels.into_iter().zip(sizes).rev() {
            let below = match level.below {
                Some(below) => Some(below.restore(nodes, coarser, settings)?),
                None => None,
            };
            coarser = Some(Level::new(BlockJacobi::default(), nodes, level.omega, level.sweeps, below));
        }
        Some(Self::new(coarser?, saved.fine_blocks))
    }
}

impl<'a> SavedBelow<'a> {
    fn of(below: &'a Below) -> Self {
        Self { prolongator: Cow::Borrowed(&below.prolongator), matrix: Cow::Borrowed(&below.matrix) }
    }
}

impl SavedBelow<'_> {
    /// The coarse correction of a level of `nodes`, solved by `coarser` or else by the dense matrix.
    fn restore(self, nodes: usize, coarser: Option<Level>, settings: &AmgSettings) -> Option<Below> {
        let (prolongator, matrix) = (self.prolongator.into_owned(), self.matrix.into_owned());
        let is_small = 6 * matrix.nodes() <= settings.dense_size as usize;
        if !matrix.is_sound() || !prolongator.is_sound(nodes, matrix.nodes()) || (coarser.is_none() && !is_small) {
            return None;
        }
        let solver = match coarser {
            Some(mut level) => {
                level.smoother = BlockJacobi::new(&matrix);
                Solver::Cycle(level)
            }
            None => Solver::Dense(DenseSolver::new(&matrix)?),
        };
        Some(Below::new(prolongator, matrix, solver))
    }
}
