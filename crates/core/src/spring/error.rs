use thiserror::Error;

use crate::charge::FieldError;

/// Reason why there is no system of springs, or no step of it.
#[derive(Clone, Debug, Error, PartialEq)]
#[expect(missing_docs, reason = "the message of each variant says what its fields are")]
#[non_exhaustive]
pub enum SpringError {
    /// A spring ends at a vertex that there is not.
    #[error("spring {spring} ends at vertex {vertex}: give one of the {vertices} vertices, from 0")]
    Vertex { spring: usize, vertex: u32, vertices: usize },
    /// Both ends of a spring are the same vertex.
    #[error("both ends of spring {spring} are vertex {vertex}: give two vertices")]
    Loop { spring: usize, vertex: u32 },
    /// A number of a spring is out of range.
    #[error("the {quantity} of spring {spring} is {value} {unit}: give a finite number of at least 0")]
    Spring { spring: usize, quantity: &'static str, unit: &'static str, value: f64 },
    /// A mass (kg) is not positive.
    #[error("the mass of vertex {vertex} is {value} kg: give a finite number above 0")]
    Mass { vertex: usize, value: f64 },
    /// The step's length (s) is not positive.
    #[error("the step is {value} s: give a finite number above 0")]
    Step { value: f64 },
    /// There is no field of the charges.
    #[error(transparent)]
    Field(#[from] FieldError),
}
