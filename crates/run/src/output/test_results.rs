use serde::{Deserialize, Serialize};

/// Results of a run's material test, in SI units. Those that the test or the run does not have are absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TestResults {
    /// Kind of the test, as in the scene.
    pub test: String,
    /// Peak load, N.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peak_load: Option<f64>,
    /// Deformation at the peak load, m: of the gauge, or of the loading part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub displacement_at_peak: Option<f64>,
    /// Stress at the peak load, Pa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strength: Option<f64>,
    /// Young's modulus, Pa.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modulus: Option<f64>,
    /// Poisson's ratio.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub poisson_ratio: Option<f64>,
    /// Fracture energy, J/m2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fracture_energy: Option<f64>,
}
