use super::target::Target;

/// Material as a scene types it: its keys that a calibration corrects.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed {
    /// Young's modulus, Pa.
    pub young_modulus: f64,
    /// Poisson's ratio.
    pub poisson_ratio: f64,
    /// Tensile strength, Pa.
    pub tensile_strength: f64,
    /// Shear strength, Pa: the cohesion.
    pub shear_strength: f64,
    /// Fracture energy, J/m2.
    pub fracture_energy: Option<f64>,
}

/// Angle of internal friction of the bonds, degrees: that at which the study `material` measured compressive strengths.
pub(super) const FRICTION_ANGLE: f64 = 30.0;

/// Share of moments in what breaks bonds: that at which a notched beam takes the typed energy, by the template `notched`.
pub(super) const MOMENT_SHARE: f64 = 0.33;

/// Compressive over tensile strength at two ratios of cohesion to tensile strength: the study `material`.
const MEASURED: [[f64; 2]; 2] = [[1.75, 7.8], [3.0, 11.7]];

impl Typed {
    /// The properties themselves, as macroscopic keys, and the cohesion that the study suggests.
    pub(super) fn start(target: &Target) -> Self {
        let tension = target.tensile_strength.value;
        let [[low, at_low], [high, at_high]] = MEASURED;
        let cohesion = target.compressive_strength.map_or(low, |compressive| {
            let ratio = compressive.value / tension;
            (low + (high - low) * (ratio - at_low) / (at_high - at_low)).max(0.5)
        });
        Self {
            young_modulus: target.young_modulus.value,
            poisson_ratio: target.poisson_ratio.value,
            tensile_strength: tension,
            shear_strength: cohesion * tension,
            fracture_energy: target.fracture_energy.map(|energy| energy.value),
        }
    }

    /// Key that a measured property corrects.
    pub(super) fn of(&mut self, property: &str) -> Option<&mut f64> {
        match property {
            "young_modulus" => Some(&mut self.young_modulus),
            "poisson_ratio" => Some(&mut self.poisson_ratio),
            "tensile_strength" => Some(&mut self.tensile_strength),
            "compressive_strength" => Some(&mut self.shear_strength),
            "fracture_energy" => self.fracture_energy.as_mut(),
            _ => None,
        }
    }

    /// Keys and values of the material, for a target.
    pub(super) fn keys(&self, target: &Target) -> Vec<(&'static str, String)> {
        let mut keys = vec![
            ("density", format!("{:?}", target.density)),
            ("young_modulus", format!("{:?}", self.young_modulus)),
            ("poisson_ratio", format!("{:?}", self.poisson_ratio)),
            ("moduli", "\"macroscopic\"".to_owned()),
            ("strengths", "\"macroscopic\"".to_owned()),
            ("tensile_strength", format!("{:?}", self.tensile_strength)),
            ("shear_strength", format!("{:?}", self.shear_strength)),
            ("friction_angle", format!("{FRICTION_ANGLE:?}")),
            ("moment_share", format!("{MOMENT_SHARE:?}")),
            ("weibull_modulus", format!("{:?}", target.weibull_modulus)),
            ("friction", format!("{:?}", target.friction)),
            ("damping", "0.1".to_owned()),
        ];
        keys.extend(self.fracture_energy.map(|energy| ("fracture_energy", format!("{energy:?}"))));
        keys
    }
}
