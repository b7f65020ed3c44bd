use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How hard two spheres push each other that overlap, or a sphere and a wall.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContactLaw {
    /// In proportion to the overlap (\[IBDEM\] eqs 32, 33).
    #[default]
    Linear,
    /// By its power of 3/2, as elastic spheres do (\[RODR\] eqs 56, 57).
    Hertz,
}

/// What pushes in a contact: of an overlap o (m) the energy is k o^2/2, or by Hertz 2/5 k D^2 (o/D)^(5/2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSpring {
    pub law: ContactLaw,
    /// N/m.
    pub k: f64,
    /// D, m: the distance of two centres that just touch; a wall's overlap is half of that with a mirror image, so that D
    /// is the radius and k four times the particle's.
    pub size: f64,
}

impl ContactSpring {
    /// J.
    #[inline(always)]
    pub fn energy(&self, overlap: f64) -> f64 {
        match self.law {
            ContactLaw::Linear => 0.5 * self.k * (overlap * overlap),
            ContactLaw::Hertz => 0.4 * self.push(overlap) * overlap,
        }
    }

    /// The force, N.
    #[inline(always)]
    pub fn push(&self, overlap: f64) -> f64 {
        match self.law {
            ContactLaw::Linear => self.k * overlap,
            ContactLaw::Hertz => self.k * overlap * (overlap / self.size).sqrt(),
        }
    }

    /// How the force grows with the overlap, N/m.
    #[inline(always)]
    pub fn stiffness(&self, overlap: f64) -> f64 {
        match self.law {
            ContactLaw::Linear => self.k,
            ContactLaw::Hertz => 1.5 * self.k * (overlap / self.size).sqrt(),
        }
    }
}
