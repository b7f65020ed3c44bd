use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::geometry::Vec3;

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
    /// How its bonds resist.
    pub bond: BondModel,
    /// Mean strength against sigma, Pa; infinite when the material does not break.
    pub tensile_strength: f64,
    /// Mean strength against tau, Pa; infinite when the material does not break.
    pub shear_strength: f64,
    /// Without one, bonds in all directions are alike.
    pub grain: Option<Grain>,
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

/// How a bond resists. The formulas are in `energy::law`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BondModel {
    /// \[IBDEM\] eqs 7-11.
    #[default]
    Quaternion,
    /// \[ROD\]: a Cosserat rod's, without a square root or an arc cosine; stiffer than the former at large turns.
    Cosserat,
    /// \[BDEM21\] eqs 3-16: a law of forces that no energy has, so that only explicit integrators take it.
    #[serde(rename = "force-2021")]
    Force2021,
    /// \[RODR\] eqs 44-55, with a shear that does not change when all turns together; for explicit integrators. Its
    /// particles touch although they are bonded.
    ParticleBinder,
    /// The same with the shear of eq 53 as printed, which does.
    PrintedParticleBinder,
}

impl BondModel {
    /// Why implicit integrators cannot take it, if they cannot.
    pub fn why_explicit(self) -> Option<&'static str> {
        match self {
            Self::Quaternion | Self::Cosserat => None,
            Self::Force2021 => Some("its forces are the gradient of no energy that a step could minimise"),
            Self::ParticleBinder | Self::PrintedParticleBinder => {
                Some("its shear has no stiffness at rest, and its second derivatives are not known here")
            }
        }
    }

    /// Whether its particles push each other where they overlap, as if they were not bonded.
    pub fn keeps_contact(self) -> bool {
        matches!(self, Self::ParticleBinder | Self::PrintedParticleBinder)
    }
}

/// A direction that bonds are stiffer and stronger in, as those of wood along its grain.
#[derive(Clone, Debug, PartialEq)]
pub struct Grain {
    /// A unit vector in the body's own frame.
    pub direction: Vec3,
    /// lambda of E and G.
    pub stiffness: f64,
    /// lambda of both strengths.
    pub strength: f64,
}

impl Grain {
    /// What the stiffnesses and the strengths of a bond along the unit vector `d` are multiplied with:
    /// `1 + lambda (d_g . d)^4` (\[BDEM21\] eq 30, there of E alone).
    pub fn factors(&self, d: &Vec3) -> [f64; 2] {
        let along = self.direction.dot(d).powi(4);
        [self.stiffness, self.strength].map(|lambda| 1.0 + lambda * along)
    }
}

impl Material {
    /// What the stiffnesses and the strengths of a bond along the unit vector `d`, in the body's frame, are multiplied with.
    pub fn grain_factors(&self, d: &Vec3) -> [f64; 2] {
        self.grain.as_ref().map_or([1.0; 2], |grain| grain.factors(d))
    }

    /// Young's modulus (Pa) of the stiffest bonds.
    pub fn max_young_modulus(&self) -> f64 {
        let most = self.grain.as_ref().map_or(1.0, |grain| 1.0 + grain.stiffness.max(0.0));
        most * self.young_modulus
    }
}

/// Which axial force counts towards sigma (\[BDEM21\] eq 17).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AxialRule {
    /// `|F_n|`: bonds also break in compression, as the papers print it.
    #[default]
    Magnitude,
    /// Only tension counts.
    Tension,
}

/// How friction acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionRule {
    /// A spring along the surface that slips (\[BDEM21\] eqs 23-27): part of what an explicit step sums up and an
    /// implicit one minimises, so that it does not depend on the step.
    #[default]
    TangentialSpring,
    /// A correction of velocities after each step (\[IBDEM\] eq 34).
    VelocityCorrection,
}
