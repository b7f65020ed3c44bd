use super::report::{PairRow, RunRow};

/// Rows of the runs and of the pairs.
pub(super) type Rows = (Vec<RunRow>, Vec<PairRow>);

/// Rows of repeated comparisons as one: the first, with medians and ranges of the times. Results are the same in each.
pub(super) fn merge(mut repeats: Vec<Rows>) -> Rows {
    if repeats.len() < 2 {
        return repeats.pop().unwrap_or_default();
    }
    let (mut runs, mut pairs) = repeats[0].clone();
    for (k, run) in runs.iter_mut().enumerate() {
        let of = |figure: fn(&RunRow) -> Option<f64>| spread(repeats.iter().map(|(runs, _)| figure(&runs[k])));
        (run.seconds_per_frame, run.seconds_per_frame_range) = of(|run| run.seconds_per_frame).unzip();
        run.nanoseconds_per_bond_step = of(|run| run.nanoseconds_per_bond_step).map(|(median, _)| median);
    }
    for (k, pair) in pairs.iter_mut().enumerate() {
        let spread = spread(repeats.iter().map(|(_, pairs)| pairs[k].speedup));
        (pair.speedup, pair.speedup_range) = spread.unzip();
    }
    (runs, pairs)
}

/// Median, and least and greatest, of figures that are all known. The median of an even number is the mean of the middle
/// two.
fn spread(figures: impl Iterator<Item = Option<f64>>) -> Option<(f64, [f64; 2])> {
    let mut figures: Vec<f64> = figures.collect::<Option<_>>()?;
    figures.sort_by(f64::total_cmp);
    let (&least, &greatest) = (figures.first()?, figures.last()?);
    let middle = figures.len() / 2;
    let median =
        if figures.len().is_multiple_of(2) { 0.5 * (figures[middle - 1] + figures[middle]) } else { figures[middle] };
    Some((median, [least, greatest]))
}
