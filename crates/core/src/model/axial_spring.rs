use std::f64::consts::{FRAC_PI_2, PI};

use crate::geometry::Vec3;

use super::{Bond, BondModel, Criterion, Material, Modes, Particles};

/// Spring between two particles, with a dashpot along it: a bond that resists stretch alone.
///
/// ```text
/// F = k (l - l0) + c dl/dt        along the line between the centres, N
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxialSpring {
    /// Stiffness k, N/m.
    pub stiffness: f64,
    /// Damping coefficient c, N s/m.
    pub damping: f64,
    /// Strain l/l0 - 1 in tension beyond which it breaks; infinite for a spring that never does.
    pub breaking_strain: f64,
}

impl AxialSpring {
    /// Spring of this stiffness (N/m) that neither damps nor breaks.
    pub fn elastic(stiffness: f64) -> Self {
        Self { stiffness, damping: 0.0, breaking_strain: f64::INFINITY }
    }

    /// The first number that is out of its range, and the range.
    pub(super) fn fault(&self) -> Option<(&'static str, f64, &'static str)> {
        let numbers = [
            ("stiffness", self.stiffness, self.stiffness > 0.0 && self.stiffness.is_finite(), "finite and above 0"),
            ("damping", self.damping, self.damping >= 0.0 && self.damping.is_finite(), "0 or above"),
            ("breaking_strain", self.breaking_strain, self.breaking_strain > 0.0, "above 0"),
        ];
        let wrong = numbers.into_iter().find(|(_, _, is_right, _)| !is_right);
        wrong.map(|(key, value, _, expected)| (key, value, expected))
    }

    /// Bond of this spring between particles `ends` of mean radius `r0` (m), at rest at the distance `d` = p_j - p_i (m).
    ///
    /// A bond breaks at a stress. The strength is that of the breaking strain e on the bond's section: `k e l0/(pi r0^2)`.
    pub fn bond(&self, id: u32, [i, j]: [u32; 2], d: Vec3, r0: f64) -> Bond {
        let l0 = d.norm();
        let [k, c] = [self.stiffness, self.damping].map(|n| Modes { n, ..Modes::default() });
        let strength = self.stiffness * self.breaking_strain * l0 / (PI * r0 * r0);
        let strength = [strength, f64::INFINITY];
        Bond {
            i,
            j,
            model: BondModel::AXIAL,
            id,
            l0,
            r0,
            d0: d / l0,
            k,
            c,
            strength,
            criterion: Criterion::default(),
            softening: None,
            broken: false,
        }
    }

    /// Material called `name` of particles of `radius` (m) and `mass` (kg) on such springs. Its contacts are as stiff as the
    /// springs, `pi/2 E r = k`, as those of bonded particles are as stiff as their bonds. So periods and tolerances follow.
    pub fn material(&self, name: &str, radius: f64, mass: f64) -> Material {
        let density = mass / Particles::sphere_mass(radius, 1.0);
        Material::elastic(name, density, self.stiffness / (FRAC_PI_2 * radius), 0.0)
    }
}
