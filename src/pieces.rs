//! Options of cracks, for the commands that cut pieces.

use std::path::Path;

use bdem_pictures::pieces::{CrackNoise, CrackSettings, CutError, CutRun};
use bdem_run::output::ply::Frame;
use bdem_run::run::shared_packings;
use clap::Args;

use super::CliError;

/// Form of cracks.
#[derive(Debug, Args)]
#[command(next_help_heading = "Cracks between pieces")]
pub(super) struct CrackArguments {
    /// Smoothness of crack faces, in particle radii: 0.5 to 5. Pieces that are thinner become points
    #[arg(long, value_name = "RADII", default_value = "2", value_parser = smooth)]
    crack_smooth: f64,
    /// Edge of the triangles of crack faces, in particle radii: 0.5 to 4
    #[arg(long, value_name = "RADII", default_value = "1", value_parser = mesh)]
    crack_mesh: f64,
    /// Roughness of crack faces, m: 0.5 radii at a wavelength of 3 look like ceramic
    #[arg(long, value_name = "AMPLITUDE,WAVELENGTH", value_parser = noise)]
    crack_noise: Option<CrackNoise>,
    /// Minimum number of particles of a piece with smooth cracks. Smaller ones are crumbs: chips with plane faces
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..))]
    min_particles: u32,
}

impl CrackArguments {
    pub(super) fn settings(&self) -> CrackSettings {
        CrackSettings {
            smooth: self.crack_smooth,
            spacing: self.crack_mesh,
            noise: self.crack_noise,
            min_particles: self.min_particles as usize,
        }
    }
}

fn smooth(text: &str) -> Result<f64, String> {
    between(text, 0.5, 5.0)
}

fn mesh(text: &str) -> Result<f64, String> {
    between(text, 0.5, 4.0)
}

fn between(text: &str, low: f64, high: f64) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (low..=high).contains(number));
    number.ok_or_else(|| format!("expected a number from {low} to {high}"))
}

fn noise(text: &str) -> Result<CrackNoise, String> {
    let length = |text: &str| text.trim().parse().ok().filter(|x: &f64| *x > 0.0 && x.is_finite());
    let both = text.split_once(',').and_then(|(first, second)| Some((length(first)?, length(second)?)));
    let (amplitude, wavelength) =
        both.ok_or("expected AMPLITUDE,WAVELENGTH: two positive numbers of metres, such as 0.001,0.006")?;
    Ok(CrackNoise { amplitude, wavelength })
}

/// Pieces of the run in `folder`, which are kept there.
pub(super) fn load(folder: &Path, cracks: &CrackArguments) -> Result<CutRun, CliError> {
    Ok(CutRun::load(folder, &cracks.settings(), shared_packings())?)
}

/// Number in a frame's header, such as its time.
pub(super) fn header_number(frame: &Frame, key: &str) -> Option<f64> {
    frame.comment(key)?.split_whitespace().next()?.parse().ok()
}

impl From<CutError> for CliError {
    fn from(e: CutError) -> Self {
        match e {
            CutError::Scene(e) => e.into(),
            CutError::Output(e) => e.into(),
            CutError::Piece(_) => Self { code: 3, message: e.to_string() },
            _ => Self { code: 2, message: e.to_string() },
        }
    }
}
