use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;

use super::{BondModel, Criterion, WorldError};

/// Material of a bond between two particles, in SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name in messages.
    pub name: String,
    /// Density, kg/m3.
    pub density: f64,
    /// Young's modulus E of the bonds, Pa.
    pub young_modulus: f64,
    /// Shear modulus G of the bonds, Pa.
    pub shear_modulus: f64,
    /// Young's modulus E of the solid, Pa, for contacts by Hertz's law.
    pub solid_modulus: f64,
    /// Poisson's ratio nu of the solid, for the same.
    pub poisson_ratio: f64,
    /// Bond law.
    pub bond: &'static BondModel,
    /// Mean strength against sigma, Pa; infinite for an unbreakable material.
    pub tensile_strength: f64,
    /// Mean strength against tau, Pa; infinite for an unbreakable material.
    pub shear_strength: f64,
    /// Other terms of the criterion of breakage.
    pub criterion: Criterion,
    /// Energy of a crack per area, J/m2, for bonds that soften. None for those that break at their strength.
    pub fracture_energy: Option<f64>,
    /// Anisotropy; `None` for an isotropic material.
    pub grain: Option<Grain>,
    /// Weibull's modulus m; `None` gives every bond the mean strength.
    pub weibull_modulus: Option<f64>,
    /// Coulomb's coefficient of sliding friction, mu_d.
    pub friction: f64,
    /// Coefficient of static friction, mu_s >= mu_d.
    pub static_friction: f64,
    /// Coefficient of rolling friction, mu_r of \[IBDEM\] eq 35.
    pub rolling_friction: f64,
    /// Damping ratio zeta of each of a bond's modes.
    pub damping: f64,
    /// Time in which the energy of vibrations of pieces decays by a factor e, s; infinite for none. The decay begins when this time has
    /// passed since the last bond of a piece broke.
    pub vibration_decay: f64,
}

/// Direction of higher stiffness and strength, such as the grain of wood.
#[derive(Clone, Debug, PartialEq)]
pub struct Grain {
    /// Unit vector in the body's frame.
    pub direction: Vec3,
    /// Factor lambda of E and G.
    pub stiffness: f64,
    /// Factor lambda of both strengths.
    pub strength: f64,
}

impl Grain {
    /// Factors on stiffnesses and strengths of a bond along the unit vector `d`: `1 + lambda (d_g . d)^4` (\[BDEM21\]
    /// eq 30, there of E alone).
    pub(crate) fn factors(&self, d: &Vec3) -> [f64; 2] {
        let along = self.direction.dot(d).powi(4);
        [self.stiffness, self.strength].map(|lambda| 1.0 + lambda * along)
    }
}

impl Material {
    /// An isotropic material that neither breaks, rubs nor damps. `density` is in kg/m3, `young_modulus` in Pa.
    pub fn elastic(name: &str, density: f64, young_modulus: f64, poisson_ratio: f64) -> Self {
        Self {
            name: name.to_owned(),
            density,
            young_modulus,
            shear_modulus: young_modulus / (2.0 * (1.0 + poisson_ratio)),
            solid_modulus: young_modulus,
            poisson_ratio,
            bond: BondModel::QUATERNION,
            tensile_strength: f64::INFINITY,
            shear_strength: f64::INFINITY,
            criterion: Criterion::default(),
            fracture_energy: None,
            grain: None,
            weibull_modulus: None,
            friction: 0.0,
            static_friction: 0.0,
            rolling_friction: 0.0,
            damping: 0.0,
            vibration_decay: f64::INFINITY,
        }
    }

    /// Error of a number that is out of its range.
    pub(super) fn check(&self) -> Result<(), WorldError> {
        let finite = f64::is_finite;
        let above_zero = |value: f64| value > 0.0;
        let not_negative = |value: f64| value >= 0.0 && finite(value);
        let numbers = [
            ("density", self.density, above_zero(self.density) && finite(self.density), "finite and above 0"),
            (
                "young_modulus",
                self.young_modulus,
                above_zero(self.young_modulus) && finite(self.young_modulus),
                "finite and above 0",
            ),
            (
                "shear_modulus",
                self.shear_modulus,
                above_zero(self.shear_modulus) && finite(self.shear_modulus),
                "finite and above 0",
            ),
            (
                "solid_modulus",
                self.solid_modulus,
                above_zero(self.solid_modulus) && finite(self.solid_modulus),
                "finite and above 0",
            ),
            (
                "poisson_ratio",
                self.poisson_ratio,
                self.poisson_ratio > -1.0 && finite(self.poisson_ratio),
                "finite and above -1",
            ),
            ("tensile_strength", self.tensile_strength, above_zero(self.tensile_strength), "above 0"),
            ("shear_strength", self.shear_strength, above_zero(self.shear_strength), "above 0"),
            ("friction", self.friction, not_negative(self.friction), "0 or above"),
            ("static_friction", self.static_friction, self.static_friction >= self.friction, "at least friction"),
            ("rolling_friction", self.rolling_friction, not_negative(self.rolling_friction), "0 or above"),
            ("damping", self.damping, not_negative(self.damping), "0 or above"),
            ("vibration_decay", self.vibration_decay, above_zero(self.vibration_decay), "above 0"),
        ];
        let wrong = numbers.into_iter().find(|(_, _, is_right, _)| !is_right);
        wrong.map_or(Ok(()), |(key, value, _, expected)| {
            Err(WorldError::Material { material: self.name.clone(), key, value, expected })
        })
    }

    /// Factors on stiffnesses and strengths of a bond along the unit vector `d`, in the body's frame.
    pub(crate) fn grain_factors(&self, d: &Vec3) -> [f64; 2] {
        self.grain.as_ref().map_or([1.0; 2], |grain| grain.factors(d))
    }

    /// Young's modulus of the stiffest bonds, Pa.
    pub fn max_young_modulus(&self) -> f64 {
        let most = self.grain.as_ref().map_or(1.0, |grain| 1.0 + grain.stiffness.max(0.0));
        most * self.young_modulus
    }
}

/// Axial force in sigma (\[BDEM21\] eq 17).
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AxialStress {
    /// `|F_n|`: bonds also break in compression, as the papers print it.
    Magnitude,
    /// Tension alone.
    #[default]
    Tension,
}

/// Formulation of friction.
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionModel {
    /// A tangential spring (\[BDEM21\] eqs 23-27). Its force enters explicit steps, its energy is minimised by implicit
    /// ones, so that friction does not depend on the step.
    #[default]
    TangentialSpring,
    /// A correction of velocities after each step (\[IBDEM\] eq 34).
    VelocityCorrection,
}
