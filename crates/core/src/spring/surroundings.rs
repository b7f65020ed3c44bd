use crate::charge::{Charges, ExternalField, Field, FieldError, Method, field_at};
use crate::geometry::Vec3;

/// Fields and point charges from outside, which act on a system and take no force from it (\[MSC\] section 2.2).
///
/// They may be changed between steps: a step takes the forces of its beginning, and leaves those of its end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    /// Fields, V/m.
    pub fields: Vec<ExternalField>,
    /// Positions of point charges, m.
    pub x: Vec<Vec3>,
    /// Point charges, C; one a position.
    pub q: Vec<f64>,
}

impl Surroundings {
    /// Field at `points` (m). The potential is that of the point charges and the uniform fields.
    ///
    /// # Errors
    /// When a field has no value at a point, or a point is at a charge and `softening` (m) is zero.
    ///
    /// # Panics
    /// When there are more or fewer charges than positions.
    pub(crate) fn field(&self, points: &[Vec3], softening: f64, method: &Method) -> Result<Field, FieldError> {
        let mut field = field_at(&Charges::new(&self.x, &self.q, softening)?, points, method)?;
        for external in &self.fields {
            external.add(points, &mut field.e)?;
            let potentials = points.iter().map(|x| external.potential(x).unwrap_or(0.0));
            field.potential.iter_mut().zip(potentials).for_each(|(sum, potential)| *sum += potential);
        }
        Ok(field)
    }
}
