use bdem_core::energy::law::LawName;
use bdem_core::geometry::Vec3;
use bdem_core::model::{self, lattice};
use bdem_core::simulate::IntegratorKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::check::{At, Fault, Quantity};
use super::stiffness::Bonding;
use super::usual::short;
use super::{DensityOf, Look, LookPreset, MaterialPreset, PackingModuli, SceneLook};

/// `[materials.NAME]`: material of bodies and of glue.
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(extend("anyOf" = [
    { "required": ["preset"] },
    {
        "required": ["density", "young_modulus"],
        "oneOf": [{ "required": ["poisson_ratio"] }, { "required": ["shear_modulus"] }]
    }
]))]
#[schemars(rename = "Material")]
pub struct SceneMaterial {
    /// Material by a word, for keys that the scene does not give. A body's `material` may be such a word too, where no table has
    /// that name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<MaterialPreset>,
    /// Density, kg/m3. Required without a `preset`.
    #[schemars(with = "Option<f64>", extend("exclusiveMinimum" = 0.0))]
    pub density: f64,
    /// Meaning of the density: that of the solid, which is the body's mass over the volume of its shape, or that of each
    /// of its spheres. By default `solid` for bonded and rigid bodies that fill a shape, and `grains` for all others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub density_of: Option<DensityOf>,
    /// Young's modulus, Pa. Required without a `preset`.
    #[schemars(with = "Option<f64>", extend("exclusiveMinimum" = 0.0))]
    pub young_modulus: f64,
    /// Poisson's ratio. Give either this or `shear_modulus`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = -1.0, "exclusiveMaximum" = 0.5))]
    pub poisson_ratio: Option<f64>,
    /// Shear modulus, Pa. Give either this or `poisson_ratio`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub shear_modulus: Option<f64>,
    /// Factor s by which the material is softer for a preview: moduli are divided by s, and strengths by its square root, so that
    /// strength over the stress of an impact, energies and the size of process zones stay. Explicit steps and `vibration_decay` are
    /// longer by its square root.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0))]
    pub softness: Option<f64>,
    /// Factor s by which moduli and strengths have been divided already.
    #[serde(skip)]
    pub applied_softness: Option<f64>,
    /// Meaning of the moduli: those of each bond as a beam, or those of the solid.
    #[serde(default)]
    pub moduli: Moduli,
    /// Model of the bonds' elasticity.
    #[serde(default)]
    pub bond: LawName,
    /// Mean tensile strength of the bonds, against sigma, Pa. `inf` for bonds that do not break.
    #[serde(default = "infinite")]
    #[schemars(with = "Option<f64>", extend("exclusiveMinimum" = 0.0))]
    pub tensile_strength: f64,
    /// Mean shear strength of the bonds, against tau, Pa. `inf` for bonds that do not break.
    #[serde(default = "infinite")]
    #[schemars(with = "Option<f64>", extend("exclusiveMinimum" = 0.0))]
    pub shear_strength: f64,
    /// Meaning of the strengths: those of each bond, or those of the solid, whose tension at breakage is `tensile_strength`.
    #[serde(default)]
    pub strengths: Moduli,
    /// Energy of a crack per area, J/m2: bonds soften from their strength on, and take up as much until they break. Without it
    /// they break at their strength.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub fracture_energy: Option<f64>,
    /// Angle of internal friction of the bonds, degrees: pressure on a bond raises its shear strength, the cohesion, by its
    /// tangent (Mohr and Coulomb). `tensile_strength` cuts tension off.
    #[serde(default)]
    #[schemars(range(min = 0.0), extend("exclusiveMaximum" = 90.0))]
    pub friction_angle: f64,
    /// Share of bending and twisting moments in the stresses that break a bond.
    #[serde(default = "whole")]
    #[schemars(range(min = 0.0, max = 1.0))]
    pub moment_share: f64,
    /// Direction in which bonds are stiffer or stronger. Without one all directions are alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub grain: Option<SceneGrain>,
    /// Weibull modulus of the strengths. Larger values scatter less; without one every bond has the mean strength.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub weibull_modulus: Option<f64>,
    /// Wavelength of the random field of strengths, m, in each body's rest shape. By default a twentieth of the longest side
    /// of its bounding box. With 0 every bond has a random number of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub weibull_wavelength: Option<f64>,
    /// Coulomb's coefficient of sliding friction.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub friction: f64,
    /// Coefficient of static friction. Without one, equal to `friction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub static_friction: Option<f64>,
    /// Coefficient of rolling friction.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub rolling_friction: f64,
    /// Damping of each mode of a bond, as a fraction of critical damping.
    #[serde(default)]
    #[schemars(range(min = 0.0))]
    pub damping: f64,
    /// Time in which the energy of a piece's vibrations decays by a factor e, s. The decay begins when this time has passed
    /// since the last bond of the piece broke, so that waves still break bodies. `inf` for none.
    #[serde(default = "infinite")]
    #[schemars(with = "Option<f64>", extend("exclusiveMinimum" = 0.0))]
    #[serde(alias = "ring_down")]
    pub vibration_decay: f64,
    /// Look in pictures, pages, USD and GLB. Without one, the preset of the material's own name, or grey.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look: Option<SceneLook>,
}

/// Anisotropy: bonds along `direction` are `1 + lambda` times as stiff and as strong (\[BDEM21\] eq 30).
#[derive(Clone, Debug, PartialEq, JsonSchema, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Grain")]
pub struct SceneGrain {
    /// Direction in the body's own frame, of any length but zero.
    pub direction: [f64; 3],
    /// lambda of Young's and shear modulus.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = -1.0))]
    pub stiffness: f64,
    /// lambda of both strengths.
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = -1.0))]
    pub strength: f64,
}

/// Meaning of a material's moduli, or of its strengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, JsonSchema, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moduli {
    /// Those of each bond as a beam.
    #[default]
    Bond,
    /// Those of the solid: a bar of it has these.
    Macroscopic,
}

fn whole() -> f64 {
    1.0
}

fn infinite() -> f64 {
    f64::INFINITY
}

impl SceneMaterial {
    pub(super) fn check(&self, name: &str, integrator: IntegratorKind, at: &At) -> Result<(), Fault> {
        at.name(name)?;
        self.check_bond(integrator, at)?;
        at.key("density").positive(self.density, " (kg/m3)")?;
        at.key("density").no_more_than(self.density, Quantity::DENSITY)?;
        at.key("young_modulus").positive(self.young_modulus, " (Pa)")?;
        at.key("young_modulus").no_more_than(self.young_modulus, Quantity::MODULUS)?;
        self.check_second_modulus(at)?;
        at.key("tensile_strength").expect(self.tensile_strength > 0.0, self.tensile_strength, STRENGTH)?;
        at.key("shear_strength").expect(self.shear_strength > 0.0, self.shear_strength, STRENGTH)?;
        self.check_criterion(at)?;
        self.check_grain(&at.key("grain"))?;
        if let Some(modulus) = self.weibull_modulus {
            at.key("weibull_modulus").positive(modulus, "")?;
        }
        if let Some(wavelength) = self.weibull_wavelength {
            at.key("weibull_wavelength").not_negative(wavelength)?;
            at.key("weibull_wavelength").no_more_than(wavelength, Quantity::LENGTH)?;
        }
        check_friction(self.friction, self.static_friction, at)?;
        at.key("rolling_friction").not_negative(self.rolling_friction)?;
        at.key("damping").not_negative(self.damping)?;
        let expected = "a positive number (s), or inf for pieces that ring on";
        at.key("vibration_decay").expect(self.vibration_decay > 0.0, self.vibration_decay, expected)?;
        self.look.iter().try_for_each(|look| look.check(&at.key("look")))
    }

    /// Divides moduli and strengths as `softness` says, which is then used up.
    pub(super) fn soften(&mut self, at: &At) -> Result<(), Fault> {
        /// Limit on the factor. A body of rubber's stiffness is a thousand times as soft as one of glass.
        const MOST: f64 = 1e6;
        let Some(softness) = self.softness.take() else { return Ok(()) };
        let expected = format!("a number from 1, the material itself, to {MOST:?}");
        at.key("softness").expect((1.0..=MOST).contains(&softness), softness, &expected)?;
        self.applied_softness = Some(softness);
        self.young_modulus /= softness;
        self.shear_modulus = self.shear_modulus.map(|modulus| modulus / softness);
        self.tensile_strength /= softness.sqrt();
        self.shear_strength /= softness.sqrt();
        // waves cross a piece in as many of its times
        self.vibration_decay *= softness.sqrt();
        Ok(())
    }

    /// Look of the material called `name`.
    pub fn look(&self, name: &str) -> Look {
        let preset = || LookPreset::named(name).map(LookPreset::look);
        self.look.map(|look| look.look()).or_else(preset).unwrap_or_default()
    }

    pub(super) fn check_bond(&self, integrator: IntegratorKind, at: &At) -> Result<(), Fault> {
        let Some(why) = self.bond.model().why_explicit().filter(|_| !integrator.is_explicit()) else { return Ok(()) };
        let help = "take an explicit integrator, with time.integrator = \"explicit-verlet\", or another bond";
        Err(at.key("bond").wrong(format!("{integrator} cannot take this bond: {why}")).help(help))
    }

    /// Check of the criterion of breakage beyond both strengths.
    fn check_criterion(&self, at: &At) -> Result<(), Fault> {
        if let Some(energy) = self.fracture_energy {
            at.key("fracture_energy").positive(energy, " (J/m2)")?;
            let expected = "finite, for bonds that soften from there on";
            at.key("tensile_strength").expect(self.tensile_strength.is_finite(), self.tensile_strength, expected)?;
        }
        at.key("moment_share").expect((0.0..=1.0).contains(&self.moment_share), self.moment_share, "from 0 to 1")?;
        let angle = self.friction_angle;
        at.key("friction_angle").expect((0.0..90.0).contains(&angle), angle, "at least 0 and below 90 degrees")?;
        let apex = self.shear_strength / self.internal_friction();
        if angle == 0.0 || self.tensile_strength < apex {
            return Ok(());
        }
        let expected =
            format!("below shear_strength/tan(friction_angle), {apex:?} Pa: without pressure nothing holds more");
        at.key("tensile_strength").expect(false, self.tensile_strength, &expected)
    }

    /// Tangent of the angle of internal friction.
    fn internal_friction(&self) -> f64 {
        libm::tan(self.friction_angle.to_radians())
    }

    fn check_grain(&self, at: &At) -> Result<(), Fault> {
        let Some(grain) = &self.grain else { return Ok(()) };
        at.key("direction").direction(&grain.direction)?;
        for (key, lambda) in [("stiffness", grain.stiffness), ("strength", grain.strength)] {
            at.key(key).expect(lambda > -1.0 && lambda.is_finite(), lambda, "a number above -1")?;
        }
        if self.moduli == Moduli::Macroscopic {
            let both = "macroscopic moduli need an isotropic material, and this one has a grain";
            return Err(at.wrong(both).help("give the bonds' moduli, with moduli = \"bond\""));
        }
        Ok(())
    }

    fn check_second_modulus(&self, at: &At) -> Result<(), Fault> {
        match (self.poisson_ratio, self.shear_modulus) {
            (Some(nu), None) => {
                let checked = at.key("poisson_ratio").expect(nu > -1.0 && nu < 0.5, nu, "above -1 and below 0.5");
                let percent = (1.0..50.0).contains(&nu).then(|| format!("{} for percent?", short(0.01 * nu)));
                checked.map_err(|fault| percent.into_iter().fold(fault, Fault::help))?;
                self.check_derived_modulus(at)
            }
            (None, Some(modulus)) => {
                at.key("shear_modulus").positive(modulus, " (Pa)")?;
                at.key("shear_modulus").no_more_than(modulus, Quantity::MODULUS)
            }
            (None, None) => Err(at.wrong("missing poisson_ratio, or in its place shear_modulus")),
            (Some(nu), Some(modulus)) => {
                let both = format!(
                    "shear_modulus ({modulus:?}) and poisson_ratio ({nu:?}) are both given, but one follows from the other"
                );
                Err(at.key("shear_modulus").wrong(both).help("leave one of them out"))
            }
        }
    }

    /// Check of the bonds' shear modulus by Poisson's ratio, G = E / (2 (1 + nu)) for one: it has no bound near -1.
    fn check_derived_modulus(&self, at: &At) -> Result<(), Fault> {
        let ([_, g], most, Some(nu)) = (self.bond_moduli(), Quantity::MODULUS.max(), self.poisson_ratio) else {
            return Ok(());
        };
        if g <= most {
            return Ok(());
        }
        let wrong =
            format!("poisson_ratio is {nu:?}, by which the bonds' shear modulus is {g:.3e} Pa, above {most:?} Pa");
        Err(at.key("poisson_ratio").wrong(wrong).help("take a ratio further from -1"))
    }

    /// Check of macroscopic moduli of a packing.
    pub(super) fn check_packing_moduli(&self, moduli: &PackingModuli, body: &str, at: &At) -> Result<(), Fault> {
        let (nu, [least, most]) = (self.solid_poisson_ratio(), moduli.poisson_ratios());
        let key = if self.poisson_ratio.is_some() { "poisson_ratio" } else { "shear_modulus" };
        if (least..=most).contains(&nu) {
            return Ok(());
        }
        let message = format!(
            "Poisson's ratio is {nu:.4}, but the packing of body {body:?} reaches {least:.3} to {most:.3} where moduli are \
             macroscopic"
        );
        Err(at
            .key(key)
            .wrong(message)
            .help("take a ratio within; with moduli = \"bond\" the numbers are the bonds' own"))
    }

    /// Check of macroscopic moduli of the lattice. A lattice of bonds has a Poisson's ratio of at most a quarter.
    pub(super) fn check_macroscopic(&self, at: &At) -> Result<(), Fault> {
        let (e, most) = (self.young_modulus, lattice::MAX_POISSON_RATIO);
        let (key, value, good, bounds) = match (self.shear_modulus, self.poisson_ratio) {
            (Some(g), _) => {
                let least = e / (2.0 * (1.0 + most));
                ("shear_modulus", g, g >= least && g.is_finite(), format!("a number of at least {least:?} (Pa)"))
            }
            (None, nu) => {
                let nu = nu.unwrap_or(f64::NAN);
                ("poisson_ratio", nu, nu > -1.0 && nu <= most, format!("above -1 and at most {most:?}"))
            }
        };
        let help = "a solid of bonded spheres has a Poisson's ratio of (1 - g)/(4 + g), g = G/E of its bonds: at most \
                    0.25; with moduli = \"bond\" the numbers are the bonds' own";
        at.key(key).expect(good, value, &format!("{bounds} where moduli are macroscopic")).map_err(|f| f.help(help))
    }

    /// Whether moduli or strengths are those of the solid.
    pub(super) fn is_macroscopic(&self) -> bool {
        [self.moduli, self.strengths].contains(&Moduli::Macroscopic)
    }

    /// Young's modulus and shear modulus of the bonds, Pa.
    fn bond_moduli(&self) -> [f64; 2] {
        let e = self.young_modulus;
        let by_ratio = |nu: f64| e / (2.0 * (1.0 + nu));
        let g = self.shear_modulus.or(self.poisson_ratio.map(by_ratio)).expect("checked: one of them is there");
        match self.moduli {
            Moduli::Bond => [e, g],
            Moduli::Macroscopic => lattice::bond_moduli(e, self.solid_poisson_ratio().min(lattice::MAX_POISSON_RATIO)),
        }
    }

    /// Poisson's ratio of a solid of these moduli.
    fn solid_poisson_ratio(&self) -> f64 {
        let by_modulus = |g: f64| self.young_modulus / (2.0 * g) - 1.0;
        let nu = self.poisson_ratio.or(self.shear_modulus.map(by_modulus));
        nu.expect("checked: one of the moduli is there")
    }

    /// Check that contacts by Hertz's law can have this material.
    pub(super) fn check_elastic_contact(&self, at: &At) -> Result<(), Fault> {
        let nu = self.solid_poisson_ratio();
        if nu > -1.0 && nu <= 0.5 {
            return Ok(());
        }
        let wrong = format!(
            "contact.law = \"hertz\" needs a Poisson's ratio above -1 and at most 0.5, but that of shear_modulus, \
             E/(2 G) - 1, is {nu:.3}"
        );
        let help = "give a shear_modulus from young_modulus/3 on, or take another contact.law";
        Err(at.key("shear_modulus").wrong(wrong).help(help))
    }

    /// Model of the material called `name` in a body of this packing.
    pub(super) fn model_in(&self, name: &str, moduli: &PackingModuli, bonding: &Bonding) -> model::Material {
        let model = self.model(name);
        let [young_modulus, shear_modulus] = match self.moduli {
            Moduli::Bond => [model.young_modulus, model.shear_modulus],
            Moduli::Macroscopic => {
                let young = self.young_modulus / moduli.stiffness_share(bonding);
                moduli.of_bonds(young, self.solid_poisson_ratio())
            }
        };
        let factor = match self.strengths {
            Moduli::Bond => 1.0,
            Moduli::Macroscopic => {
                let solid = moduli.of_solid(young_modulus, shear_modulus).0;
                let (strength, energy) = (self.tensile_strength, self.fracture_energy.unwrap_or(0.0));
                let stress = bonding.stress_at_break(strength, energy, solid, self.moment_share);
                young_modulus / solid / moduli.strength_share(bonding) * stress
            }
        };
        let [tensile_strength, shear_strength] = [self.tensile_strength, self.shear_strength].map(|s| s * factor);
        model::Material { young_modulus, shear_modulus, tensile_strength, shear_strength, ..model }
    }

    /// Model of the material called `name`.
    pub(super) fn model(&self, name: &str) -> model::Material {
        let [young_modulus, shear_modulus] = self.bond_moduli();
        model::Material {
            name: name.to_owned(),
            density: self.density,
            young_modulus,
            shear_modulus,
            solid_modulus: self.young_modulus,
            poisson_ratio: self.solid_poisson_ratio(),
            bond: self.bond.model(),
            tensile_strength: self.tensile_strength,
            shear_strength: self.shear_strength,
            criterion: model::Criterion { friction: self.internal_friction(), moment_share: self.moment_share },
            fracture_energy: self.fracture_energy,
            grain: self.grain.as_ref().map(SceneGrain::model),
            weibull_modulus: self.weibull_modulus,
            friction: self.friction,
            static_friction: self.static_friction.unwrap_or(self.friction),
            rolling_friction: self.rolling_friction,
            damping: self.damping,
            vibration_decay: self.vibration_decay,
        }
    }
}

impl SceneGrain {
    fn model(&self) -> model::Grain {
        let direction = Vec3::from(self.direction).normalize();
        model::Grain { direction, stiffness: self.stiffness, strength: self.strength }
    }
}

/// Check of the coefficients of sliding and static friction of one surface.
pub(super) fn check_friction(sliding: f64, sticking: Option<f64>, at: &At) -> Result<(), Fault> {
    at.key("friction").not_negative(sliding)?;
    let Some(sticking) = sticking else { return Ok(()) };
    let expected = format!("a number of at least friction, {sliding:?}");
    at.key("static_friction").expect(sticking >= sliding && sticking.is_finite(), sticking, &expected)
}

const STRENGTH: &str = "a positive number (Pa), or inf for bonds that never break";
