//! Sizes of a hierarchy, for the log.

use std::fmt::{Display, Formatter, Result};

use super::level::Solver;
use super::preconditioner::Amg;

/// Sizes of a hierarchy, finest level first. Displays as a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmgSummary {
    /// The levels.
    pub levels: Vec<LevelSummary>,
    /// Whether the last level is solved directly.
    pub direct: bool,
}

/// Sizes of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LevelSummary {
    /// Nodes, six unknowns each.
    pub nodes: usize,
    /// Stored 6x6 blocks of its matrix.
    pub blocks: usize,
    /// Memory of its smoother, matrix and transfers, B; the finest matrix is the caller's.
    pub bytes: usize,
}

impl AmgSummary {
    pub(super) fn new(amg: &Amg) -> Self {
        let smoother = &amg.finest.smoother;
        let mut levels =
            vec![LevelSummary { nodes: smoother.nodes(), blocks: amg.fine_blocks, bytes: smoother.bytes() }];
        let mut level = Some(&amg.finest);
        let mut direct = false;
        while let Some(below) = level.and_then(|level| level.below.as_ref()) {
            let transfer = below.prolongator.bytes() + below.restrictor.bytes();
            let solver = match &below.solver {
                Solver::Cycle(next) => next.smoother.bytes(),
                Solver::Dense(dense) => dense.bytes(),
            };
            levels.push(LevelSummary {
                nodes: below.matrix.nodes(),
                blocks: below.matrix.rows().blocks().len(),
                bytes: transfer + solver + below.matrix.rows().bytes(),
            });
            (level, direct) = match &below.solver {
                Solver::Cycle(next) => (Some(next), false),
                Solver::Dense(_) => (None, true),
            };
        }
        Self { levels, direct }
    }

    /// Stored blocks of all levels over those of the finest.
    pub(crate) fn operator_complexity(&self) -> f64 {
        self.levels.iter().map(|level| level.blocks).sum::<usize>() as f64 / self.levels[0].blocks as f64
    }

    /// Memory of all levels without the finest matrix, B.
    pub(crate) fn bytes(&self) -> usize {
        self.levels.iter().map(|level| level.bytes).sum()
    }
}

impl Display for AmgSummary {
    fn fmt(&self, f: &mut Formatter) -> Result {
        const MEBI: f64 = 1024.0 * 1024.0;
        writeln!(f, "level     nodes     blocks       MiB")?;
        for (k, level) in self.levels.iter().enumerate() {
            let solve = if self.direct && k + 1 == self.levels.len() { "  direct" } else { "" };
            writeln!(f, "{k:5} {:9} {:10} {:9.1}{solve}", level.nodes, level.blocks, level.bytes as f64 / MEBI)?;
        }
        write!(f, "operator complexity {:.2}, {:.1} MiB", self.operator_complexity(), self.bytes() as f64 / MEBI)
    }
}
