use super::FieldError;
use crate::geometry::Vec3;

/// Point charges, with the softening length of their field.
#[derive(Clone, Copy, Debug)]
pub struct Charges<'a> {
    /// Positions, m.
    pub x: &'a [Vec3],
    /// Charges, C; one a position.
    pub q: &'a [f64],
    /// Softening length a, m: r is replaced by sqrt(r^2 + a^2) (Plummer's potential). 0 is Coulomb's law, singular where
    /// two charges meet.
    pub softening: f64,
}

impl<'a> Charges<'a> {
    /// Charges at these positions.
    ///
    /// # Errors
    /// When the softening is negative, or any number is not finite.
    ///
    /// # Panics
    /// When there are more or fewer charges than positions.
    pub fn new(x: &'a [Vec3], q: &'a [f64], softening: f64) -> Result<Self, FieldError> {
        assert_eq!(x.len(), q.len(), "one charge a position");
        if !(softening >= 0.0 && softening.is_finite()) {
            return Err(FieldError::Softening { value: softening });
        }
        if let Some(index) = q.iter().position(|q| !q.is_finite()) {
            return Err(FieldError::Charge { index, value: q[index] });
        }
        check_positions(x)?;
        Ok(Self { x, q, softening })
    }

    /// Rows (x, y, z, q).
    pub(super) fn rows(&self) -> impl Iterator<Item = [f64; 4]> {
        self.x.iter().zip(self.q).map(|(x, q)| [x.x, x.y, x.z, *q])
    }
}

/// Whether all positions are finite.
pub(super) fn check_positions(x: &[Vec3]) -> Result<(), FieldError> {
    let invalid = |x: &Vec3| !x.iter().all(|x| x.is_finite());
    x.iter().position(invalid).map_or(Ok(()), |index| Err(FieldError::Position { index, value: x[index] }))
}
