use super::charges::check_positions;
use super::exact::{self, Sum};
use super::tree::{self, TreeWorkspace};
use super::{COULOMB_CONSTANT, Charges, DdefSettings, FieldError, ddef};
use crate::geometry::Vec3;
use crate::interrupt::Interrupt;
use crate::simd::InstructionSet;

/// Way to compute the field of charges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Method {
    /// Sums over all pairs.
    Exact,
    /// The paper's domain-discretised field, without a bound of its error.
    Ddef(DdefSettings),
    /// Fast multipole method. `tolerance` bounds the global relative error |e - e_exact|/|e_exact| of all targets
    /// together, from 1e-12 to 0.1. The error of each translation is estimated from above, and the result is compared with
    /// exact sums at a sample of targets. A result that fails is computed again, with smaller errors.
    Tree {
        /// Bound on the relative error.
        tolerance: f64,
    },
    /// Exact sums for few charges, and the tree for many: the cheaper one by counts of pairs.
    Auto {
        /// As that of the tree.
        tolerance: f64,
    },
}

impl Default for Method {
    fn default() -> Self {
        Self::Auto { tolerance: 1e-3 }
    }
}

impl Method {
    /// Method for `charges` and a number of targets: [`Method::Exact`] or [`Method::Tree`] in place of [`Method::Auto`].
    ///
    /// # Errors
    /// When the tolerance is out of range.
    pub fn resolve(self, charges: usize) -> Result<Self, FieldError> {
        match self {
            Self::Tree { tolerance } | Self::Auto { tolerance } if !tree::TOLERANCES.contains(&tolerance) => {
                Err(FieldError::Tolerance { value: tolerance })
            }
            Self::Auto { tolerance } if (charges as f64) < tree::pairs_of_target(tolerance) => Ok(Self::Exact),
            Self::Auto { tolerance } => Ok(Self::Tree { tolerance }),
            method => Ok(method),
        }
    }
}

/// Electric field at targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Field {
    /// Field, V/m = N/C, one a target.
    pub e: Vec<Vec3>,
    /// Potential, V, one a target.
    pub potential: Vec<f64>,
}

impl Field {
    /// Forces `q e` on charges `q` (C) at the targets, N.
    pub fn forces(&self, q: &[f64]) -> Vec<Vec3> {
        self.e.iter().zip(q).map(|(e, q)| e * *q).collect()
    }

    /// Energy of charges `q` (C) in their own field, J: half the sum of `q potential`.
    pub fn energy(&self, q: &[f64]) -> f64 {
        0.5 * self.potential.iter().zip(q).map(|(potential, q)| potential * q).sum::<f64>()
    }
}

/// Arrays of the computation of fields, kept from one to the next.
#[derive(Debug, Default)]
pub struct FieldWorkspace {
    /// Charges (x, y, z, q).
    rows: Vec<[f64; 4]>,
    sums: Vec<Sum>,
    tree: TreeWorkspace,
    /// Request to stop, which ends the computation with [`FieldError::Interrupted`].
    pub(crate) interrupt: Interrupt,
    /// Instruction set of the kernels; all give the same bits.
    pub instructions: InstructionSet,
}

/// Field of `charges` at each of them, without its own.
///
/// # Errors
/// When two charges are at the same place without softening, a field is infinite, or the tolerance is out of range.
pub fn field(charges: &Charges, method: &Method) -> Result<Field, FieldError> {
    compute(InstructionSet::best(), charges, None, method)
}

/// As [`field`], in arrays of the caller. `out` is unchanged after an error.
///
/// # Errors
/// As those of [`field`].
pub fn field_into(
    charges: &Charges,
    method: &Method,
    work: &mut FieldWorkspace,
    out: &mut Field,
) -> Result<(), FieldError> {
    compute_into(charges, None, method, work, out)
}

/// Field of `charges` at `points` (m).
///
/// # Errors
/// When a point is not finite or at a charge without softening, a field is infinite, or the tolerance is out of range.
pub fn field_at(charges: &Charges, points: &[Vec3], method: &Method) -> Result<Field, FieldError> {
    check_positions(points)?;
    compute(InstructionSet::best(), charges, Some(points), method)
}

/// As [`field`], with these `instructions`; all sets give the same bits.
///
/// # Errors
/// As those of [`field`].
pub fn field_with(instructions: InstructionSet, charges: &Charges, method: &Method) -> Result<Field, FieldError> {
    compute(instructions, charges, None, method)
}

fn compute(
    instructions: InstructionSet,
    charges: &Charges,
    points: Option<&[Vec3]>,
    method: &Method,
) -> Result<Field, FieldError> {
    let mut field = Field::default();
    compute_into(charges, points, method, &mut FieldWorkspace { instructions, ..Default::default() }, &mut field)?;
    Ok(field)
}

fn compute_into(
    charges: &Charges,
    points: Option<&[Vec3]>,
    method: &Method,
    FieldWorkspace { rows, sums, tree, interrupt, instructions }: &mut FieldWorkspace,
    out: &mut Field,
) -> Result<(), FieldError> {
    let instructions = *instructions;
    let (targets, own) = (points.unwrap_or(charges.x), points.is_none());
    let method = method.resolve(charges.x.len())?;
    rows.clear();
    rows.extend(charges.rows());
    match method {
        _ if targets.is_empty() || charges.x.is_empty() => {
            sums.clear();
            sums.resize(targets.len(), Sum::default());
        }
        Method::Exact => exact::sums(instructions, targets, rows, charges.softening, own, sums),
        Method::Ddef(settings) => {
            let is_cut = || interrupt.is_requested();
            *sums =
                ddef::sums(instructions, charges, (targets, own), &settings, &is_cut).ok_or(FieldError::Interrupted)?;
        }
        Method::Tree { tolerance } | Method::Auto { tolerance } => {
            if !tree.sums(instructions, charges, points, tolerance, sums) {
                exact::sums(instructions, targets, rows, charges.softening, own, sums);
            }
        }
    }
    if let Some(index) = sums.iter().position(|sum| !sum.iter().all(|x| (x * COULOMB_CONSTANT).is_finite())) {
        return Err(reason(charges, targets, own, index));
    }
    out.e.clear();
    out.e.extend(sums.iter().map(|sum| Vec3::new(sum[0], sum[1], sum[2]) * COULOMB_CONSTANT));
    out.potential.clear();
    out.potential.extend(sums.iter().map(|sum| sum[3] * COULOMB_CONSTANT));
    Ok(())
}

/// Error of a field at target `index` that is not finite.
fn reason(charges: &Charges, targets: &[Vec3], own: bool, index: usize) -> FieldError {
    let position = targets[index];
    let there = |charge: &usize| charges.x[*charge] == position && !(own && *charge == index);
    match (0..charges.x.len()).find(there) {
        Some(charge) => FieldError::Singular { index, charge, position },
        None => FieldError::Overflow { index, position },
    }
}
