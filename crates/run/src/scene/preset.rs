use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::overrides::Setting;

/// Row of settings by one word. Keys of the scene count before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// Solver and contacts as \[IBDEM\] prints them: Algorithm 3 at a fixed step of 20 T, the Riemannian Hessian projected in
    /// every iteration, the forcing term of eq 31, multigrid at any step, velocities corrected for friction. `bdem check` prints
    /// the row.
    Ibdem,
}

impl Preset {
    /// All presets.
    pub(super) const ALL: [Self; 1] = [Self::Ibdem];

    /// Its name in scenes.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Ibdem => "ibdem",
        }
    }

    /// Its keys and values, `key.path=value` each.
    pub fn row(self) -> &'static [&'static str] {
        match self {
            Self::Ibdem => &IBDEM,
        }
    }

    pub(super) fn settings(self) -> Vec<Setting> {
        let option = format!("preset = {:?}", self.name());
        let setting = |set: &&str| Setting { set: (*set).to_owned(), option: Some(option.clone()) };
        self.row().iter().map(setting).collect()
    }
}

/// \[IBDEM\], with the equations and sections of each.
const IBDEM: [&str; 14] = [
    "time.integrator=implicit-euler",       // Algorithm 3
    "time.step={periods=20}",               // Table 1: a hundred times 0.2 T
    "time.control.broken_share=1",          // no step is repeated since bonds broke
    "time.control.runaway_share=1",         // the same
    "solver.hessian=projected",             // eqs 23 to 29, section 5.2
    "solver.reuse_matrix=false",            // Algorithm 3, line 9
    "solver.cg_tolerance=forcing",          // eq 31
    "solver.jacobi_below=0",                // section 5.3: multigrid
    "solver.linearly_implicit=never",       // Algorithm 3
    "solver.predictor=paper",               // eq 6
    "contact.friction=velocity-correction", // eqs 34, 35
    "contact.restitution=1",                // eqs 32, 33: no damping
    "contact.law=linear",                   // the same
    "fracture.axial=magnitude",             // eqs 12 to 17
];
