use std::error::Error;
use std::fmt::{self, Display, Formatter};

use crate::charge::FieldError;

/// Reason why there is no system of springs, or no step of it.
#[derive(Clone, Debug, PartialEq)]
pub enum SpringError {
    /// A spring ends at a vertex that there is not.
    Vertex { spring: usize, vertex: u32, vertices: usize },
    /// Both ends of a spring are the same vertex.
    Loop { spring: usize, vertex: u32 },
    /// A number of a spring is out of range.
    Spring { spring: usize, quantity: &'static str, unit: &'static str, value: f64 },
    /// A mass (kg) is not positive.
    Mass { vertex: usize, value: f64 },
    /// The step's length (s) is not positive.
    Step { value: f64 },
    /// There is no field of the charges.
    Field(FieldError),
}

impl Display for SpringError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertex { spring, vertex, vertices } => {
                write!(f, "spring {spring} ends at vertex {vertex}: give one of the {vertices} vertices, from 0")
            }
            Self::Loop { spring, vertex } => {
                write!(f, "both ends of spring {spring} are vertex {vertex}: give two vertices")
            }
            Self::Spring { spring, quantity, unit, value } => {
                write!(f, "the {quantity} of spring {spring} is {value} {unit}: give a finite number of at least 0")
            }
            Self::Mass { vertex, value } => {
                write!(f, "the mass of vertex {vertex} is {value} kg: give a finite number above 0")
            }
            Self::Step { value } => write!(f, "the step is {value} s: give a finite number above 0"),
            Self::Field(error) => error.fmt(f),
        }
    }
}

impl Error for SpringError {}

impl From<FieldError> for SpringError {
    fn from(error: FieldError) -> Self {
        Self::Field(error)
    }
}
