//! How runs of random scenes ended, and how far from Verlet at a quarter of its limit.

use std::collections::BTreeMap;
use std::fmt;

use super::likeness::Likeness;
use super::recipe::Kind;
use super::run::{Failure, Run};

#[derive(Default)]
pub(super) struct Table {
    rows: BTreeMap<(String, Option<Kind>), Row>,
}

#[derive(Default)]
struct Row {
    runs: usize,
    refused: usize,
    failures: BTreeMap<String, usize>,
    seconds: f64,
    gain: f64,
    open: f64,
    unlike: [usize; 2],
    broken: usize,
}

impl Table {
    /// Both the row of all kinds and that of this one.
    fn rows(&mut self, integrator: &str, kind: Kind, mut change: impl FnMut(&mut Row)) {
        [None, Some(kind)]
            .into_iter()
            .for_each(|kind| change(self.rows.entry((integrator.to_owned(), kind)).or_default()));
    }

    pub(super) fn refused(&mut self, integrator: &str, kind: Kind) {
        self.rows(integrator, kind, |row| row.refused += 1);
    }

    pub(super) fn add(&mut self, integrator: &str, kind: Kind, run: &Run, outcome: Result<Option<Likeness>, &Failure>) {
        self.rows(integrator, kind, |row| {
            row.runs += 1;
            row.seconds += run.seconds;
            (row.gain, row.open) = (row.gain.max(run.gain), row.open.max(run.open));
            row.broken += run.progress.broken.len();
            match outcome {
                Ok(likeness) => {
                    let off = likeness.map_or([0.0; 2], |likeness| [likeness.broken, likeness.elastic]);
                    off.iter().zip(&mut row.unlike).for_each(|(off, count)| *count += usize::from(off.abs() > 1.0));
                }
                Err(failure) => *row.failures.entry(failure.name()).or_default() += 1,
            }
        });
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        writeln!(
            f,
            "| integrator | kind | runs | refused | failed | greatest gain | open | broken | unlike: broken, elastic | seconds |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|---|")?;
        for ((name, kind), row) in &self.rows {
            let Row { runs, refused, failures, seconds, gain, open, unlike: [broken, elastic], broken: bonds } = row;
            let kind = kind.map_or("all".to_owned(), |kind| format!("{kind:?}"));
            let failed: Vec<String> = failures.iter().map(|(cause, count)| format!("{count} {cause}")).collect();
            let [gain, open] = [gain, open].map(|share| 100.0 * share);
            let failed = failed.join(", ");
            writeln!(
                f,
                "| {name} | {kind} | {runs} | {refused} | {failed} | {gain:.2} % | {open:.2} % | {bonds} | {broken}, {elastic} | {seconds:.1} |"
            )?;
        }
        Ok(())
    }
}
