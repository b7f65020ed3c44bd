use std::error::Error;
use std::fmt::{self, Display, Formatter};

use crate::geometry::Vec3;

/// Reason why there is no field.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldError {
    /// The softening length (m) is negative or not finite.
    Softening { value: f64 },
    /// A charge (C) is not finite.
    Charge { index: usize, value: f64 },
    /// A position (m) is not finite.
    Position { index: usize, value: Vec3 },
    /// The tolerance is not in the range of the method.
    Tolerance { value: f64 },
    /// Two charges, or a point and a charge, are at the same place, and the field is not softened.
    Singular { index: usize, charge: usize, position: Vec3 },
    /// The field of charge or point `index` is too large for a number.
    Overflow { index: usize, position: Vec3 },
    /// A point is where an external field has no value.
    External { index: usize, position: Vec3 },
}

impl Display for FieldError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let at = |p: &Vec3| format!("({}, {}, {}) m", p.x, p.y, p.z);
        match self {
            Self::Softening { value } => write!(f, "the softening length is {value} m: give a number of at least 0"),
            Self::Charge { index, value } => write!(f, "charge {index} is {value} C: give a finite number"),
            Self::Position { index, value } => {
                write!(f, "the position of point {index} is {}: give finite numbers", at(value))
            }
            Self::Tolerance { value } => {
                write!(f, "the tolerance of the field is {value}: give a number from 1e-12 to 0.1, or the exact method")
            }
            Self::Singular { index, charge, position } => write!(
                f,
                "point {index} is where charge {charge} is, at {}, and the field is infinite there: move one of them, or \
                 give a softening length above 0",
                at(position)
            ),
            Self::Overflow { index, position } => write!(
                f,
                "the field at point {index}, {}, is too large for a number: move it from its nearest charge, or give a \
                 larger softening length",
                at(position)
            ),
            Self::External { index, position } => write!(
                f,
                "the external field has no value at point {index}, {}: move the point or the field's centre",
                at(position)
            ),
        }
    }
}

impl Error for FieldError {}
