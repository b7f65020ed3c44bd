/// The Halton number of an index in a base: its digits mirrored at the point.
pub(super) fn halton(mut index: u64, base: u64) -> f64 {
    // exact up to the one division
    let (mut mirrored, mut scale) = (0, 1);
    while index > 0 {
        mirrored = mirrored * base + index % base;
        scale *= base;
        index /= base;
    }
    mirrored as f64 / scale as f64
}
