//! Comparisons of the papers, repeated: a file for each study. Its [`Report`] has our figures beside theirs.
//!
//! It depends on `bdem-core` for simulations and their parts, on `bdem-fit` for gradients, on `bdem-run` for scenes and comparisons of integrators,
//! and on `bdem-pictures` for charts. The scenes of its studies are part of it.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use bdem_studies::{STUDIES, Setup, write};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! STUDIES.iter().for_each(|study| println!("{}: {}", study.name, study.about));
//! let study = STUDIES.iter().find(|study| study.name == "rotation").expect("one of them");
//! let setup = Setup { quick: true, ..Setup::default() };
//! let report = (study.run)(&setup)?;
//! println!("{}", report.claims_markdown());
//! // rotation.csv, rotation.json, rotation.md and charts, in the current folder
//! write(Path::new("."), study, &setup, &report)?;
//! # Ok(())
//! # }
//! ```
//!
//! ```text
//! report   result of a study: a table, claims of the papers with our figures, charts
//! write    its files
//! scenes   the scenes of the folder `scenes`, as part of the program
//! race     an implicit run and explicit ones
//! trajectory   errors of trajectories, in the norms of [RODR]
//! rodrigues    [RODR] on its own systems
//! constraint_methods   unit-length constraint methods, for the studies of convergence and rotation
//! charges  studies of charges and of charged springs
//! cases    verification tests, and their table
//! contacts verification tests of single contacts
//! motion   verification tests of free bodies, beams, waves and bonds
//! material bodies as heavy, stiff, strong and tough as typed
//! fit      fits of parameters, by gradients and without
//! ```
//!
//! A new study is a file here and a line in [`STUDIES`].

// the same bits on every machine: clippy.toml lists functions whose results differ between machines
#![warn(clippy::disallowed_methods)]

mod agreement;
mod asymmetry;
pub mod bending;
pub mod cases;
mod charges;
pub mod constraint_methods;
pub mod contacts;
mod convergence;
mod drape;
mod fit;
pub mod material;
pub mod motion;
mod order;
mod race;
mod report;
pub mod rodrigues;
mod rotation;
mod scenes;
mod solvers;
mod table1;
mod table2;
mod trajectory;
mod write;

use bdem_run::run::{LogOptions, RunError};

pub use report::{Cell, Claim, Column, Report, ReportTable, markdown, short};
pub use scenes::load;
pub use table1::Table1;
pub use write::write;

/// Study of `bdem study NAME`.
#[derive(Clone, Copy, Debug)]
pub struct Study {
    /// Name on the command line.
    pub name: &'static str,
    /// Summary in a line.
    pub about: &'static str,
    /// Function that runs the study and reports its result.
    pub run: fn(&Setup) -> Result<Report, RunError>,
}

/// All studies.
pub const STUDIES: [Study; 20] = [
    table1::STUDY,
    table2::STUDY,
    drape::STIFFNESS,
    drape::SCALE,
    agreement::STUDY,
    bending::STUDY,
    order::STUDY,
    rodrigues::STUDY,
    convergence::STUDY,
    solvers::STUDY,
    rotation::STUDY,
    asymmetry::STUDY,
    contacts::STUDY,
    motion::STUDY,
    material::STUDY,
    fit::STUDY,
    charges::STUDIES[0],
    charges::STUDIES[1],
    charges::STUDIES[2],
    charges::STUDIES[3],
];

/// Size and log of a study.
#[derive(Clone, Debug, Default)]
pub struct Setup {
    /// Small sizes of a few seconds, to try a study.
    pub quick: bool,
    /// Log options.
    pub log: LogOptions,
}

impl Setup {
    /// Value for the size.
    fn choose<T>(&self, usual: T, quick: T) -> T {
        if self.quick { quick } else { usual }
    }
}
