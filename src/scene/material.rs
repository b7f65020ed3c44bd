use serde::{Deserialize, Serialize};

use super::check::{At, Fault};
use crate::model;

/// `[materials.NAME]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// kg/m3.
    pub density: f64,
    /// Pa.
    pub young_modulus: f64,
    /// Either this or `shear_modulus`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson_ratio: Option<f64>,
    /// Pa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shear_modulus: Option<f64>,
    #[serde(default)]
    pub moduli: Moduli,
    /// Mean strength against sigma, Pa; infinite when the material does not break.
    #[serde(default = "unbreakable")]
    pub tensile_strength: f64,
    /// Mean strength against tau, Pa; infinite when the material does not break.
    #[serde(default = "unbreakable")]
    pub shear_strength: f64,
    /// Weibull's shape m; without it every bond has the mean strength.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weibull_modulus: Option<f64>,
    /// Coulomb's coefficient of sliding friction.
    #[serde(default)]
    pub friction: f64,
    /// Coefficient of static friction; without one, as of sliding.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub static_friction: Option<f64>,
    /// Coefficient of rolling friction.
    #[serde(default)]
    pub rolling_friction: f64,
    /// Fraction of the critical damping of each of a bond's modes.
    #[serde(default)]
    pub damping: f64,
}

/// What a material's moduli are moduli of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moduli {
    /// Of each bond, taken as a beam.
    #[default]
    Bond,
}

fn unbreakable() -> f64 {
    f64::INFINITY
}

impl Material {
    pub(super) fn check(&self, name: &str, at: &At) -> Result<(), Fault> {
        at.name(name)?;
        at.key("density").positive(self.density, " (kg/m3)")?;
        at.key("young_modulus").positive(self.young_modulus, " (Pa)")?;
        self.check_second_modulus(at)?;
        at.key("tensile_strength").expect(self.tensile_strength > 0.0, self.tensile_strength, STRENGTH)?;
        at.key("shear_strength").expect(self.shear_strength > 0.0, self.shear_strength, STRENGTH)?;
        if let Some(modulus) = self.weibull_modulus {
            at.key("weibull_modulus").positive(modulus, "")?;
        }
        check_friction(self.friction, self.static_friction, at)?;
        at.key("rolling_friction").not_negative(self.rolling_friction)?;
        at.key("damping").not_negative(self.damping)
    }

    fn check_second_modulus(&self, at: &At) -> Result<(), Fault> {
        match (self.poisson_ratio, self.shear_modulus) {
            (Some(nu), None) => at.key("poisson_ratio").expect(nu > -1.0 && nu < 0.5, nu, "above -1 and below 0.5"),
            (None, Some(modulus)) => at.key("shear_modulus").positive(modulus, " (Pa)"),
            (None, None) => Err(at.wrong("missing poisson_ratio, or in its place shear_modulus")),
            (Some(nu), Some(modulus)) => {
                let both = format!(
                    "shear_modulus ({modulus:?}) and poisson_ratio ({nu:?}) are both given, but one follows from the other"
                );
                Err(at.key("shear_modulus").wrong(both).help("leave one of them out"))
            }
        }
    }

    /// The material by `name`, as it is simulated.
    pub(super) fn model(&self, name: &str) -> model::Material {
        let by_ratio = |nu: f64| self.young_modulus / (2.0 * (1.0 + nu));
        model::Material {
            name: name.to_owned(),
            density: self.density,
            young_modulus: self.young_modulus,
            shear_modulus: self
                .shear_modulus
                .or(self.poisson_ratio.map(by_ratio))
                .expect("checked: one of them is there"),
            tensile_strength: self.tensile_strength,
            shear_strength: self.shear_strength,
            weibull_modulus: self.weibull_modulus,
            friction: self.friction,
            static_friction: self.static_friction.unwrap_or(self.friction),
            rolling_friction: self.rolling_friction,
            damping: self.damping,
        }
    }
}

/// Whether coefficients of sliding and static friction can be those of one surface.
pub(super) fn check_friction(sliding: f64, sticking: Option<f64>, at: &At) -> Result<(), Fault> {
    at.key("friction").not_negative(sliding)?;
    let Some(sticking) = sticking else { return Ok(()) };
    let expected = format!("a number of at least friction, {sliding:?}");
    at.key("static_friction").expect(sticking >= sliding && sticking.is_finite(), sticking, &expected)
}

const STRENGTH: &str = "a positive number (Pa), or inf for what never breaks";
