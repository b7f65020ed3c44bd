use thiserror::Error;

use crate::geometry::Vec3;

/// Reason why there is no field.
#[derive(Clone, Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "the message of each variant says what its fields are")]
#[non_exhaustive]
pub enum FieldError {
    /// See [`interrupt`](crate::interrupt).
    #[error("a stop is requested")]
    Interrupted,
    /// The softening length (m) is negative or not finite.
    #[error("the softening length is {value} m: give a number of at least 0")]
    Softening { value: f64 },
    /// A charge (C) is not finite.
    #[error("charge {index} is {value} C: give a finite number")]
    Charge { index: usize, value: f64 },
    /// A position (m) is not finite.
    #[error("the position of point {index} is {}: give finite numbers", place(value))]
    Position { index: usize, value: Vec3 },
    /// The tolerance is not in the range of the method.
    #[error("the tolerance of the field is {value}: give a number from 1e-12 to 0.1, or the exact method")]
    Tolerance { value: f64 },
    /// Two charges, or a point and a charge, are at the same place, and the field is not softened.
    #[error(
        "point {index} is where charge {charge} is, at {}, and the field is infinite there: move one of them, or give a \
         softening length above 0",
        place(position)
    )]
    Singular { index: usize, charge: usize, position: Vec3 },
    /// The field of charge or point `index` is too large for a number.
    #[error(
        "the field at point {index}, {}, is too large for a number: move it from its nearest charge, or give a larger \
         softening length",
        place(position)
    )]
    Overflow { index: usize, position: Vec3 },
    /// A point is where an external field has no value.
    #[error(
        "the external field has no value at point {index}, {}: move the point or the field's centre",
        place(position)
    )]
    External { index: usize, position: Vec3 },
}

fn place(p: &Vec3) -> String {
    format!("({}, {}, {}) m", p.x, p.y, p.z)
}
