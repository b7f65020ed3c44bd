use serde::{Deserialize, Serialize};

/// What a bond between two particles is made of, in SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    pub name: String,
    /// kg/m3.
    pub density: f64,
    /// Young's modulus E of the bonds, Pa.
    pub young_modulus: f64,
    /// Shear modulus G of the bonds, Pa.
    pub shear_modulus: f64,
    /// Mean strength against sigma, Pa; infinite when the material does not break.
    pub tensile_strength: f64,
    /// Mean strength against tau, Pa; infinite when the material does not break.
    pub shear_strength: f64,
    /// Weibull's shape m; without it every bond has the mean strength.
    pub weibull_modulus: Option<f64>,
    /// Coulomb's coefficient of friction once two surfaces slide, mu_d.
    pub friction: f64,
    /// Coefficient of friction while they stick, mu_s; at least mu_d.
    pub static_friction: f64,
    /// Coefficient of rolling friction, mu_r of \[IBDEM\] eq 35.
    pub rolling_friction: f64,
    /// Fraction of critical damping of each of a bond's modes, zeta.
    pub damping: f64,
}

/// Which axial force counts towards sigma (\[BDEM21\] eq 17).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AxialRule {
    /// `|F_n|`: bonds also break in compression, as the papers print it.
    #[default]
    Magnitude,
    /// Only tension counts.
    Tension,
}

/// How friction acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionRule {
    /// A spring along the surface that slips (\[BDEM21\] eqs 23-27): part of what an explicit step sums up and an implicit one
    /// minimises, so that it does not depend on the step.
    #[default]
    TangentialSpring,
    /// A correction of velocities after each step (\[IBDEM\] eq 34).
    VelocityCorrection,
}
