use serde::{Deserialize, Serialize};

/// Form of crack faces, and the smallest piece that is cut out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrackSettings {
    /// Standard deviation of the smoothing of pieces, in particle radii. Cracks have no bumps of a shorter wavelength.
    /// Pieces that are thinner than it become points.
    pub smooth: f64,
    /// Edge of the triangles of crack faces, in particle radii.
    pub spacing: f64,
    /// Noise of crack faces.
    pub noise: Option<CrackNoise>,
    /// Minimum number of particles of a piece with smooth cracks. Smaller ones are crumbs: chips of the volume that is nearest to their
    /// particles.
    pub min_particles: usize,
}

/// Noise of crack faces: a displacement that depends on the place at rest, so that both sides fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CrackNoise {
    /// Amplitude of the first octave, m.
    pub amplitude: f64,
    /// Wavelength of the first octave, m. The second has about half of both.
    pub wavelength: f64,
}

impl Default for CrackSettings {
    fn default() -> Self {
        Self { smooth: 2.0, spacing: 1.0, noise: None, min_particles: 4 }
    }
}
