//! Electric charges: their field, potential, forces and energy, without worlds or scenes.
//!
//! ```text
//! charges   positions and charges
//! field     field of charges by one of the methods, and external fields
//! exact     sums over all pairs, in vector lanes
//! tree      fast multipole method with an error bound; bounds on the field's gradient
//! ddef      the domain-discretised field of \[MSC\]
//! external  fields from outside: uniform, vortex, saddle
//! derivative   of the forces' work by positions and charges, by exact pairs
//! error     reasons why there is no field
//! ```
//!
//! ```
//! use bdem_core::charge::{Charges, Method, field};
//! use bdem_core::geometry::Vec3;
//!
//! // 1 uC at 1 m from 2 uC
//! let (x, q) = ([Vec3::zeros(), Vec3::x()], [1e-6, 2e-6]);
//! let field = field(&Charges::new(&x, &q, 0.0)?, &Method::default())?;
//! assert!((field.energy(&q) - 8.9875517873681764e9 * 2e-12).abs() < 1e-15);
//! assert!((field.forces(&q)[1].x - 0.0179751).abs() < 1e-6);
//! # Ok::<(), bdem_core::charge::FieldError>(())
//! ```

mod charges;
mod ddef;
mod derivative;
mod error;
mod exact;
mod external;
mod field;
mod tree;

pub use charges::Charges;
pub use ddef::{Adjacency, DdefSettings, Grid, Tetrahedron};
pub use derivative::work_derivative;
pub use error::FieldError;
pub use external::ExternalField;
pub use field::{Field, FieldWorkspace, Method, field, field_at, field_into, field_with};
pub use tree::{GradientBounds, gradient_bounds};

/// Coulomb's constant k_c = 1/(4 pi epsilon_0), N m2/C2, of the definitions before 2019: c^2 times 1e-7.
pub const COULOMB_CONSTANT: f64 = 8.987_551_787_368_176e9;
