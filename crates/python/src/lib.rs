//! The library `_bdem` of the Python package `bdem`: scenes, runs and jobs as Python objects. What is computed and checked stands in the
//! crates below; what only arranges, in the package.
//!
//! ```text
//! run          a run with its files, and the pieces that it ends in
//! simulation   a run without files, frame by frame, and what a run shows its caller
//! jobs         checks, fits, calibrations
//! scene        scenes
//! threads      calls on threads of their own, that Ctrl-C stops
//! arrays       arrays of vectors, and checks of those of callers
//! values       values of TOML as Python's own, and back
//! error        exceptions
//! ```

use pyo3::prelude::*;

mod arrays;
mod error;
mod jobs;
mod run;
mod scene;
mod simulation;
mod threads;
mod values;

#[pymodule]
mod _bdem {
    #[pymodule_export]
    use crate::error::{BdemError, OutputError, SceneError, SolverError};
    #[pymodule_export]
    use crate::jobs::{SweepOfScene, calibrate, check, fit, load_curve, loss, template, tune};
    #[pymodule_export]
    use crate::run::{cut, simulate};
    #[pymodule_export]
    use crate::scene::Scene;
    #[pymodule_export]
    use crate::simulation::{Moment, Simulation};
    #[pymodule_export]
    use crate::values::{to_toml, toml_value};

    /// Version of bdem.
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "its name in Python")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
