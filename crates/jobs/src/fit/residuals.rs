use std::error::Error;
use std::path::Path;

/// Comparison of runs with observations, by the caller of a fit: see [`fit_to`](super::fit_to). The loss is the sum of the squares of
/// the residuals, those of the file's targets among them.
pub trait RunResiduals: Sync {
    /// Number of residuals, the same for every run.
    fn count(&self) -> usize;

    /// Residuals of the complete run in this folder, as `bdem simulate` leaves it. May be called for several runs at once. The folder is
    /// removed afterwards.
    ///
    /// # Errors
    /// When there are none: the fit ends with this error.
    fn of_run(&self, folder: &Path) -> Result<Vec<f64>, Box<dyn Error + Send + Sync>>;

    /// Digest of the observations and of the way they are compared, such as a SHA-256. A fit resumes with the same one alone.
    fn digest(&self) -> Vec<u8>;
}
