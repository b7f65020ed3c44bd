//! The papers' own comparisons done again: a file a study, which ends in a [`Report`] with our figures beside theirs.
//!
//! ```text
//! report   what a study found: a table, claims of the papers and what became of them, charts
//! write    its files
//! scenes   the scenes of the folder `scenes`, as part of the program
//! race     an implicit run beside explicit ones
//! constraint_methods   ways to hold quaternions to unit length, for the studies of convergence and rotation
//! ```
//!
//! A new study is a file here and a line in [`STUDIES`].

mod agreement;
pub mod bending;
pub mod constraint_methods;
mod convergence;
mod drape;
mod order;
mod race;
mod report;
mod rotation;
mod scenes;
mod table1;
mod write;

use crate::run::{LogOptions, RunError};

pub use report::{Cell, Claim, Column, Report, ReportTable, markdown, short};
pub use scenes::load;
pub use table1::Table1;
pub use write::write;

/// What `bdem study NAME` does.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    pub name: &'static str,
    /// What it shows, in a line.
    pub about: &'static str,
    pub run: fn(&Setup) -> Result<Report, RunError>,
}

/// All studies.
pub const STUDIES: [Study; 8] = [
    table1::STUDY,
    drape::STIFFNESS,
    drape::SCALE,
    agreement::STUDY,
    bending::STUDY,
    order::STUDY,
    convergence::STUDY,
    rotation::STUDY,
];

/// How a study is to be made.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// At sizes of a few seconds, which are a trial of the study and not the study.
    pub quick: bool,
    /// What is told on the way.
    pub log: LogOptions,
}

impl Setup {
    /// What is right for the size.
    fn choose<T>(&self, usual: T, quick: T) -> T {
        if self.quick { quick } else { usual }
    }
}
