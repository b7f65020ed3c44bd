use super::FieldError;
use crate::geometry::{Mat3, Vec3};

/// Electric field from outside. Point charges from outside are [`Charges`](super::Charges) of their own.
///
/// Vortex and saddle are those of \[MSC\] Fig 11. It prints `[y/z, x/z, 0]` for a field in which a bunny "turns
/// clockwise". That is a saddle, and turns nothing: it is kept as printed. `[y, -x, 0]/z` turns clockwise about z. Neither
/// is the gradient of a potential: charges may gain energy on closed paths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ExternalField {
    /// The same vector everywhere, V/m.
    Uniform {
        /// V/m.
        field: Vec3,
    },
    /// `strength [y, -x, 0]/z` about `centre`: clockwise seen from above where z > 0. It has no value at z = 0.
    Vortex {
        /// V/m.
        strength: f64,
        /// m.
        centre: Vec3,
    },
    /// `strength [y, x, 0]/z` about `centre`, as printed. It has no value at z = 0.
    Saddle {
        /// V/m.
        strength: f64,
        /// m.
        centre: Vec3,
    },
}

impl ExternalField {
    /// Field at a point (m), V/m. Not finite where there is none.
    pub fn at(&self, x: &Vec3) -> Vec3 {
        let scaled = |centre: &Vec3, strength: f64| {
            let r = x - centre;
            (strength * r.x / r.z, strength * r.y / r.z)
        };
        match self {
            Self::Uniform { field } => *field,
            Self::Vortex { strength, centre } => {
                let (x, y) = scaled(centre, *strength);
                Vec3::new(y, -x, 0.0)
            }
            Self::Saddle { strength, centre } => {
                let (x, y) = scaled(centre, *strength);
                Vec3::new(y, x, 0.0)
            }
        }
    }

    /// Gradient of the field at a point (m), V/m2: column k is the derivative by axis k.
    pub fn gradient(&self, x: &Vec3) -> Mat3 {
        let (strength, centre, sign) = match self {
            Self::Uniform { .. } => return Mat3::zeros(),
            Self::Vortex { strength, centre } => (*strength, centre, -1.0),
            Self::Saddle { strength, centre } => (*strength, centre, 1.0),
        };
        let r = x - centre;
        let (per, squared) = (strength / r.z, strength / (r.z * r.z));
        Mat3::new(0.0, per, -r.y * squared, sign * per, 0.0, -sign * r.x * squared, 0.0, 0.0, 0.0)
    }

    /// Bound on the gradient at a point (m), V/m2, in the spectral norm. Not finite where there is no field.
    pub fn gradient_bound(&self, x: &Vec3) -> f64 {
        match self {
            Self::Uniform { .. } => 0.0,
            Self::Vortex { strength, centre } | Self::Saddle { strength, centre } => {
                let r = x - centre;
                strength.abs() * (1.0 / r.z.abs() + r.xy().norm() / (r.z * r.z))
            }
        }
    }

    /// Adds the field at `points` (m) to `e` (V/m).
    ///
    /// # Errors
    /// When it has no finite value at a point. `e` is then changed up to that point.
    pub fn add(&self, points: &[Vec3], e: &mut [Vec3]) -> Result<(), FieldError> {
        for (index, (x, e)) in points.iter().zip(e).enumerate() {
            *e += self.at(x);
            if !e.iter().all(|e| e.is_finite()) {
                return Err(FieldError::External { index, position: *x });
            }
        }
        Ok(())
    }

    /// Potential at a point, V: that of a uniform field is zero at the origin; the others have none.
    pub fn potential(&self, x: &Vec3) -> Option<f64> {
        match self {
            Self::Uniform { field } => Some(-field.dot(x)),
            Self::Vortex { .. } | Self::Saddle { .. } => None,
        }
    }
}
