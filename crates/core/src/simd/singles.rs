use super::Number;

/// Vector register of eight numbers of single precision.
///
/// The rules of use are those of its [`Lanes`](super::Lanes).
pub trait Singles: Number {
    /// The same number in all lanes.
    fn splat(value: f32) -> Self;

    /// Numbers of an array, one a lane.
    fn load(from: &[f32; 8]) -> Self;

    /// Writes the lanes to an array.
    fn store(self, to: &mut [f32; 8]);

    /// The nearest numbers of this precision.
    fn rounded(from: &[f64; 8]) -> Self;

    /// Square roots.
    fn sqrt(self) -> Self;

    /// The greater of two lanes; `other` where `self` is NaN.
    fn max(self, other: Self) -> Self;

    /// Eight rows as columns: entry k of row l becomes lane l of column k.
    fn columns(rows: [&[f32; 8]; 8]) -> [Self; 8];

    /// The inverse of [`Self::columns`]: entry k of row l is lane l of column k.
    fn rows(columns: [Self; 8]) -> [Self; 8];

    /// Adds the lanes to numbers in memory.
    #[inline(always)]
    fn add_to(self, to: &mut [f32; 8]) {
        (Self::load(to) + self).store(to);
    }
}
