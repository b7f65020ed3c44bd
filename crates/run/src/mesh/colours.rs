//! Colours of the vertices of mesh files.

/// Colour of a vertex without one.
pub(super) const NONE: [f64; 3] = [f64::NAN; 3];

/// Scales colours as read to those from 0 to 1. Without the value of `white` it is 255 of whole numbers that go beyond 1, and 1 of
/// others. None are left where no vertex has one.
pub(super) fn finish(colours: &mut Vec<[f64; 3]>, white: Option<f64>) {
    if colours.iter().flatten().all(|part| part.is_nan()) {
        return colours.clear();
    }
    let parts = || colours.iter().flatten().filter(|part| !part.is_nan());
    let are_bytes = || parts().all(|part| part.fract() == 0.0) && parts().any(|part| *part > 1.0);
    let white = white.unwrap_or_else(|| if are_bytes() { 255.0 } else { 1.0 });
    colours.iter_mut().flatten().for_each(|part| *part /= white);
}
