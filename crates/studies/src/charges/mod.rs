//! Figures of \[MSC\]: the field of charges, and steps of charged masses on springs.
//!
//! ```text
//! field      Figs 3 and 7: errors and times of the field
//! far        table of section 5: the field without its far part
//! torus      Figs 4 and 9: energies and positions of a torus over the step
//! errors     Figs 5, 12 and 13: energies over step, stiffness and charge
//! external   Figs 11 and 16: fields and a charge from outside
//! systems    charged surfaces of springs
//! trace      their integrators, and states of a run at equal intervals
//! ```

mod errors;
mod external;
mod far;
mod field;
mod systems;
mod torus;
mod trace;

use super::Study;

pub(crate) use systems::charged_surface;

pub(super) const STUDIES: [Study; 4] = [field::STUDY, torus::STUDY, errors::STUDY, external::STUDY];
